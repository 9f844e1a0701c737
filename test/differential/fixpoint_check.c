#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "fixpoint_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *text_of(const dame_program_t *program)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        return NULL;
    }
    int printed = dame_program_print(program, out);
    if (fclose(out) != 0 || printed != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* The line of b in which it first differs from a. */
static void first_difference(const char *a, const char *b, char line[80])
{
    const char *start = b;
    for (; *a && *a == *b; a++, b++) {
        start = *b == '\n' ? b + 1 : start;
    }
    snprintf(line, 80, "%.*s", (int) strcspn(start, "\n"), start);
}

int64_t fixpoints_checked;
int64_t fixpoints_missed;

static bool compare_texts(check_t *check, const dame_program_t *once, const dame_program_t *twice)
{
    char *a = text_of(once);
    char *b = text_of(twice);
    bool ok = (a && b) || check_fail(check, "optimised again: no memory");
    fixpoints_checked++;
    if (ok && strcmp(a, b) != 0) {
        char line[80];
        first_difference(a, b, line);
        printf("note: optimised again, a program becomes another one: '%s'\n", line);
        fixpoints_missed++;
    }
    free(a);
    free(b);
    return ok;
}

bool check_fixpoint(check_t *check, const message_t *m)
{
    dame_program_t *again = NULL;
    dame_status_t status = dame_program_optimise(m->built, &check->tier->options, &again);
    if (status != DAME_OK) {
        return check_fail(check, "optimising again: %s", dame_status_text(status));
    }
    char text[300] = "";
    status = dame_program_verify(again, text, sizeof text);
    bool ok = status == DAME_OK || check_fail(check, "optimised again: verifier: %s", text);
    if (ok) {
        char *packed = m->scratch + GUARD;
        memset(packed, 0, (size_t) m->total);
        dame_program_run(again, DAME_PACK, m->base, m->count, packed);
        ok = message_packed_is(check, m, packed, 0, m->total, "run pack after optimising again") &&
             compare_texts(check, m->program, again);
    }
    dame_program_free(again);
    return ok;
}
