/* Files and programs as input. */
#include "tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

/* Of the text of a program: a hundred million displacements. What is longer never ends, most
 * likely. */
static const size_t TEXT_MAX = (size_t) 1 << 30;

const char *tool_input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* Reads up to `limit` bytes into a buffer that grows. Returns 0 or an error number. */
static int read_all(FILE *in, size_t limit, char **bytes, size_t *length)
{
    size_t room = limit < 1 << 16 ? limit + 1 : 1 << 16, used = 0;
    char *buffer = malloc(room);
    while (buffer != NULL) {
        size_t end = room - 1 < limit ? room - 1 : limit;
        used += fread(buffer + used, 1, end - used, in);
        if (used < end || end == limit) {
            break;
        }
        room = limit < 2 * room ? limit + 1 : 2 * room;
        char *larger = realloc(buffer, room);
        if (larger == NULL) {
            free(buffer);
        }
        buffer = larger;
    }
    if (buffer == NULL) {
        return ENOMEM;
    }
    if (ferror(in)) {
        int error = errno;
        free(buffer);
        return error;
    }
    buffer[used] = '\0';
    *bytes = buffer;
    *length = used;
    return 0;
}

/* Returns 0 or an error number. */
static int read_path(const char *path, size_t limit, char **bytes, size_t *length)
{
    if (strcmp(path, "-") == 0) {
        return read_all(stdin, limit, bytes, length);
    }
    FILE *in = fopen(path, "rb");
    if (in == NULL) {
        return errno;
    }
    int error = read_all(in, limit, bytes, length);
    fclose(in);
    return error;
}

int tool_read(const char *path, size_t limit, char **bytes, size_t *length)
{
    int error = read_path(path, limit, bytes, length);
    return error == 0 ? TOOL_OK
                      : tool_error(TOOL_SYSTEM, "%s: %s", tool_input_name(path), strerror(error));
}

int tool_try_load(const char *path, dame_program_t **out, dame_text_error_t *error)
{
    char *text;
    size_t length;
    int failed = read_path(path, TEXT_MAX + 1, &text, &length);
    *error = (dame_text_error_t){.line = 0};
    if (failed != 0) {
        snprintf(error->message, sizeof(error->message), "%s", strerror(failed));
        return TOOL_SYSTEM;
    }
    if (length > TEXT_MAX) {
        free(text);
        snprintf(error->message, sizeof(error->message),
                 "more than %zu bytes (1 GiB), which is the most that a program may have",
                 TEXT_MAX);
        return TOOL_WRONG;
    }
    dame_status_t status = dame_program_parse(text, length, out, error);
    free(text);
    if (status == DAME_ERR_NOMEM) {
        error->line = 0;
        snprintf(error->message, sizeof(error->message), "%s", strerror(ENOMEM));
        return TOOL_SYSTEM;
    }
    return status == DAME_OK ? TOOL_OK : TOOL_WRONG;
}

int tool_load(const char *path, dame_program_t **out)
{
    dame_text_error_t error;
    int code = tool_try_load(path, out, &error);
    if (code != TOOL_OK && error.line == 0) {
        tool_error(code, "%s: %s", tool_input_name(path), error.message);
    } else if (code != TOOL_OK) {
        tool_error(code, "%s:%" PRId64 ":%" PRId64 ": %s", tool_input_name(path), error.line,
                   error.column, error.message);
    }
    return code;
}

int tool_span(const dame_program_t *program, int64_t count, int64_t *low, int64_t *high,
              int64_t *total)
{
    int64_t steps = count > 0 ? count - 1 : 0;
    int64_t reach, first = program->true_lb, end = program->true_ub;
    int64_t bytes;
    if (__builtin_mul_overflow(count, program->size, &bytes) ||
        __builtin_mul_overflow(steps, program->extent, &reach) ||
        __builtin_add_overflow(first, reach < 0 ? reach : 0, &first) ||
        __builtin_add_overflow(end, reach > 0 ? reach : 0, &end) ||
        __builtin_sub_overflow(end, first, &reach)) {
        return tool_error(TOOL_USAGE,
                          "--count: %" PRId64 " %s of %" PRId64 " bytes, %" PRId64
                          " bytes apart, do not fit in 64 bits",
                          count, text_plural(count, "element", "elements"), program->size,
                          program->extent);
    }
    *low = bytes > 0 ? first : 0;
    *high = bytes > 0 ? end : 0;
    *total = bytes;
    return TOOL_OK;
}
