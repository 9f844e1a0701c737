/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the optimiser on programs and compares its results with the expected text.
 *
 * A file of cases (*.cases, all of those beside this file, or those named) has
 *
 *     # a promise
 *     pass,pass: a program
 *     => what these passes make of it, or "unchanged"
 *
 * Programs leave out BOTTOM at their end, and EXIT at their beginning where it has no parameters.
 * What does not begin in this way, or is empty, continues the line before.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <errno.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dame/dame.h"

enum { ROOM = 1 << 14 };

static int passed, failed;

typedef struct optimiser_case {
    const char *path;
    int line;
    char promise[ROOM];
    char input[ROOM]; /* begins with the passes */
    char wanted[ROOM];
} optimiser_case_t;

static char *fail(const optimiser_case_t *c, const char *what, const char *text)
{
    fprintf(stderr, "FAIL %s:%d: %s\n%s%s", c->path, c->line, what, c->promise, text);
    failed++;
    return NULL;
}

/* A program of the case printed, or what the passes make of it; NULL after a failure. The caller
 * frees. */
static char *printed_after(const optimiser_case_t *c, const char *text, const dame_passes_t *passes)
{
    dame_options_t options = *dame_options_default();
    dame_text_error_t error = {.line = 0};
    dame_program_t *program = NULL, *result = NULL;
    char whole[ROOM + 20], message[300] = "out of memory", *printed = NULL;
    size_t size = 0;
    options.passes = passes ? *passes : DAME_PASSES_NONE;
    snprintf(whole, sizeof whole, "%s%s BOTTOM", strncmp(text, "EXIT", 4) ? "EXIT " : "", text);
    if (dame_program_parse(whole, strlen(whole), &program, &error) != DAME_OK) {
        return fail(c, error.message, text);
    }
    FILE *out = open_memstream(&printed, &size);
    bool good = out && dame_program_optimise(program, &options, &result) == DAME_OK &&
                dame_program_verify(result, message, sizeof message) == DAME_OK &&
                dame_program_print(passes ? result : program, out) == 0;
    good = out && fclose(out) == 0 && good;
    dame_program_free(result);
    dame_program_free(program);
    if (!good) {
        free(printed);
        return fail(c, message, text);
    }
    return printed;
}

static void try_case(const optimiser_case_t *c)
{
    char names[100], *text = strchr(c->input, ':');
    const char *bad = "";
    dame_passes_t passes;
    int length = (int) strcspn(c->input, ":");
    snprintf(names, sizeof names, "%.*s", length, c->input);
    if (!text || c->wanted[0] == '\0' ||
        dame_passes_parse(names, &passes, &bad, &length) != DAME_OK) {
        fail(c, "not of the form 'pass,pass: a program', '=> a program'", c->input);
        return;
    }
    text += strspn(text, ": ");
    const bool same = strncmp(c->wanted, "unchanged", 9) == 0;
    char *wanted = printed_after(c, same ? text : c->wanted, NULL);
    char *got = wanted ? printed_after(c, text, &passes) : NULL;
    if (got && strcmp(got, wanted) != 0) {
        fail(c, "it became", got);
    }
    passed += got && strcmp(got, wanted) == 0;
    free(wanted);
    free(got);
}

static void append(const optimiser_case_t *c, char *text, const char *line)
{
    if (strlen(text) + strlen(line) < ROOM) {
        strcat(text, line);
    } else {
        fail(c, "longer than a case may be", "");
    }
}

static void try_file(const char *path)
{
    static optimiser_case_t c;
    FILE *file = fopen(path, "r");
    char line[ROOM], *part = c.promise; /* what the line continues */
    c = (optimiser_case_t){.path = path};
    if (!file) {
        fail(&c, strerror(errno), "\n");
        return;
    }
    for (int number = 1; fgets(line, sizeof line, file); number++) {
        const bool begins = line[0] >= 'a' && line[0] <= 'z';
        if ((begins || line[0] == '#') && c.wanted[0] != '\0') {
            try_case(&c);
            c.input[0] = c.wanted[0] = '\0';
        }
        if (line[0] == '#') {
            c.promise[0] = '\0';
            part = c.promise;
        } else if (begins) {
            c.line = number;
            part = c.input;
        } else if (strncmp(line, "=> ", 3) == 0) {
            part = c.wanted;
            memmove(line, line + 3, strlen(line + 3) + 1);
        }
        append(&c, part, line);
    }
    if (c.input[0] != '\0') {
        try_case(&c);
    }
    fclose(file);
}

int main(int argc, char **argv)
{
    glob_t found = {0};
    for (int i = 1; i < argc; i++) {
        try_file(argv[i]);
    }
    if (argc == 1 && glob(OPTIMISER_CASES "/*.cases", 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            try_file(found.gl_pathv[i]);
        }
        globfree(&found);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 && passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
