/* SPDX-License-Identifier: BSD-3-Clause */
#include "header.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate.h"

/* The value of the first line of that field: not '\0'-terminated, *value_length bytes; NULL if
 * absent. */
static const char *field_of(const char *text, size_t length, const char *field,
                            size_t *value_length)
{
    const size_t name = strlen(field);
    const char *end = text + length;
    while (text < end && *text == '#') {
        const char *line_end = memchr(text, '\n', (size_t) (end - text));
        line_end = line_end != NULL ? line_end : end;
        if ((size_t) (line_end - text) >= name + 4 && memcmp(text, "# ", 2) == 0 &&
            memcmp(text + 2, field, name) == 0 && memcmp(text + 2 + name, ": ", 2) == 0) {
            *value_length = (size_t) (line_end - text) - name - 4;
            return text + name + 4;
        }
        text = line_end + 1;
    }
    return NULL;
}

char *header_string(const char *text, size_t length, const char *field)
{
    size_t n;
    const char *value = field_of(text, length, field, &n);
    return value != NULL ? strndup(value, n) : NULL;
}

/* Do both move the same bytes in the same order, and have the same extent? */
static int same_data(const tool_datatype_t *a, const tool_datatype_t *b)
{
    enum { CHUNK = 256 };
    struct iovec mine[CHUNK], theirs[CHUNK];
    int64_t position = 0, other = 0, n, m;
    if (a->bounds.size != b->bounds.size || a->bounds.extent != b->bounds.extent) {
        return 0;
    }
    while (position < a->bounds.size) {
        if (dame_blocks(a->type, 1, NULL, &position, mine, CHUNK, &n) != DAME_OK ||
            dame_blocks(b->type, 1, NULL, &other, theirs, CHUNK, &m) != DAME_OK || n != m ||
            position != other) {
            return 0;
        }
        for (int64_t i = 0; i < n; i++) {
            if (mine[i].iov_base != theirs[i].iov_base || mine[i].iov_len != theirs[i].iov_len) {
                return 0;
            }
        }
    }
    return 1;
}

static int describes(const expression_t *expression, const tool_datatype_t *datatype)
{
    dame_datatype_t *type;
    tool_datatype_t described;
    if (expression_evaluate(tool_context(), expression, &type) != DAME_OK) {
        return 0;
    }
    if (tool_datatype_take("mpi", type, &described) != TOOL_OK) {
        return 0;
    }
    const int same = same_data(&described, datatype);
    tool_datatype_free(&described);
    return same;
}

expression_t *header_expression(const char *path, const char *text, size_t length,
                                const tool_datatype_t *datatype)
{
    size_t n;
    expression_error_t error;
    const char *value = field_of(text, length, "mpi", &n);
    if (value == NULL) {
        return NULL;
    }
    expression_t *expression = expression_parse(value, n, &error);
    if (expression == NULL) {
        tool_error(TOOL_OK, "%s: the line '# mpi:' is not used: column %" PRId64 ": %s",
                   tool_input_name(path), error.column, error.message);
    } else if (!describes(expression, datatype)) {
        tool_error(TOOL_OK, "%s: the line '# mpi:' is not used: the program moves other bytes",
                   tool_input_name(path));
        expression_free(expression);
        expression = NULL;
    }
    return expression;
}
