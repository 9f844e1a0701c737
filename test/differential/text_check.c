/* SPDX-License-Identifier: BSD-3-Clause */
#include "checks.h"
#include "test/lib/type_tools.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1 << 20 }; /* bytes of a text that is tried */

static bool same_header(check_t *check, const dame_program_t *was, const dame_program_t *is)
{
    return check_same(check, "text: the size after reading", is->size, was->size) &&
           check_same(check, "text: the extent after reading", is->extent, was->extent) &&
           check_same(check, "text: true_lb after reading", is->true_lb, was->true_lb) &&
           check_same(check, "text: true_ub after reading", is->true_ub, was->true_ub) &&
           check_same(check, "text: the depth after reading", is->depth, was->depth) &&
           check_same(check, "text: the granule after reading", is->granule, was->granule);
}

/* The program that was read prints the same text and packs the same bytes. */
static bool same_program(check_t *check, const dame_program_t *program, const char *text,
                         const dame_program_t *read, const message_t *m)
{
    char *again = program_text(read);
    bool ok = same_header(check, program, read);
    if (ok && (!again || strcmp(again, text) != 0)) {
        ok = check_fail(check, "text: read and printed again it is another");
    }
    free(again);
    if (ok && m) {
        char *packed = m->scratch + GUARD;
        memset(packed, 0, (size_t) m->total);
        dame_program_run(read, DAME_PACK, m->base, m->count, packed);
        ok = message_packed_is(check, m, packed, 0, m->total, "text: run pack after reading");
    }
    return ok;
}

/* A text that ends early is refused, and not beyond its end. The bytes are copied so that a
 * sanitizer sees any that are read behind them. */
static bool check_cut(check_t *check, const char *text)
{
    size_t length = (size_t) rng_range(&check->rng, 0, (int64_t) strlen(text) - 2);
    char *cut = malloc(length + !length);
    if (!cut) {
        return check_fail(check, "text: no memory");
    }
    memcpy(cut, text, length);
    dame_program_t *program;
    dame_text_error_t error = {0, 0, ""};
    dame_status_t status = dame_program_parse(cut, length, &program, &error);
    free(cut);
    if (status == DAME_OK) {
        dame_program_free(program);
        return check_fail(check, "text: the first %zu of %zu bytes are accepted", length,
                          strlen(text));
    }
    return (status != DAME_ERR_NOMEM && error.line >= 1 && error.column >= 1 &&
            error.line <= (int64_t) length + 1 && error.column <= (int64_t) length + 1 &&
            error.message[0]) ||
           check_fail(check, "text: cut at %zu bytes: %s, %lld:%lld: %s", length,
                      dame_status_text(status), (long long) error.line, (long long) error.column,
                      error.message);
}

bool check_text(check_t *check, const dame_program_t *program, const message_t *m)
{
    char *text = program_text(program);
    bool ok = text || check_fail(check, "text: printing failed");
    if (ok && strlen(text) > LONGEST) {
        checked.long_texts++;
    } else if (ok) {
        dame_program_t *read = NULL;
        dame_text_error_t error;
        dame_status_t status = dame_program_parse(text, strlen(text), &read, &error);
        ok = status == DAME_OK
                 ? same_program(check, program, text, read, m) && check_cut(check, text)
                 : check_fail(check, "text: %s: %lld:%lld: %s", dame_status_text(status),
                              (long long) error.line, (long long) error.column, error.message);
        dame_program_free(read);
        checked.texts++;
    }
    free(text);
    return ok;
}
