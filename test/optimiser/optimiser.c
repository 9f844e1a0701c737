/*
 * Runs the optimiser on programs and compares what it makes of them with the text that is expected.
 *
 * A file of cases (*.cases, all of those beside this file, or those named) has, after lines of
 * comment that start with '#':
 *
 *     [promise] pass,pass,...
 *     a program
 *     =>
 *     the program that these passes make of it           or, for both lines: => unchanged
 *
 * Cases are separated by empty lines. Programs are written exactly as they are printed.
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

enum { TEXT_ROOM = 1 << 14 };

static int passed;
static int failed;

typedef struct optimiser_case {
    const char *path;
    int line; /* of the head */
    char head[256];
    char input[TEXT_ROOM];
    char wanted[TEXT_ROOM];
} optimiser_case_t;

static void fail(const optimiser_case_t *c, const char *what, const char *text)
{
    fprintf(stderr, "FAIL %s:%d: %s: %s\n%s", c->path, c->line, c->head, what, text);
    failed++;
}

/* What the passes make of a text, printed; NULL with a message when it is no program. The caller
 * frees. */
static char *optimised(const optimiser_case_t *c, const char *text, dame_passes_t passes)
{
    dame_options_t options = *dame_options_default();
    dame_text_error_t error = {.line = 0};
    dame_program_t *program = NULL;
    dame_program_t *result = NULL;
    char *printed = NULL;
    size_t size = 0;
    char message[300] = "out of memory";
    options.passes = passes;
    if (DAME_OK != dame_program_parse(text, strlen(text), &program, &error)) {
        fail(c, error.message, "");
        return NULL;
    }
    FILE *out = open_memstream(&printed, &size);
    bool good = NULL != out && DAME_OK == dame_program_optimise(program, &options, &result) &&
                DAME_OK == dame_program_verify(result, message, sizeof(message)) &&
                0 == dame_program_print(result, out);
    good = NULL != out && 0 == fclose(out) && good;
    dame_program_free(result);
    dame_program_free(program);
    if (!good) {
        fail(c, message, "");
        free(printed);
        return NULL;
    }
    return printed;
}

static bool gives(const optimiser_case_t *c, const char *text, dame_passes_t passes,
                  const char *wanted)
{
    char *got = optimised(c, text, passes);
    const bool same = NULL != got && 0 == strcmp(got, wanted);
    if (NULL != got && !same) {
        fail(c, "it became", got);
    }
    free(got);
    return same;
}

static void try_case(const optimiser_case_t *c)
{
    const char *names = strrchr(c->head, ']');
    const char *bad = "";
    dame_passes_t passes;
    int length = 0;
    if ('[' != c->head[0] || NULL == names || '\0' == names[1] || '\0' == c->wanted[0] ||
        DAME_OK != dame_passes_parse(names + 2, &passes, &bad, &length)) {
        fail(c, "not of the form '[promise] pass,pass', a program, '=>', a program", "");
    } else if (gives(c, c->input, DAME_PASSES_NONE, c->input) &&
               gives(c, c->input, passes, c->wanted)) {
        passed++;
    }
}

static void append(optimiser_case_t *c, char *text, const char *line)
{
    if (strlen(text) + strlen(line) < TEXT_ROOM) {
        strcat(text, line);
    } else {
        fail(c, "longer than a case may be", "");
    }
}

static void try_file(const char *path)
{
    static optimiser_case_t c;
    FILE *file = fopen(path, "r");
    char line[TEXT_ROOM];
    char *text = NULL; /* which part of the case is being read; NULL: between cases */
    int number = 0;
    if (NULL == file) {
        fprintf(stderr, "FAIL %s: %s\n", path, strerror(errno));
        failed++;
        return;
    }
    for (bool more = true; more;) {
        more = NULL != fgets(line, sizeof(line), file);
        number++;
        if (!more || '\n' == line[0]) {
            if (NULL != text) {
                try_case(&c);
            }
            text = NULL;
        } else if (NULL == text && '#' != line[0]) {
            c = (optimiser_case_t){.path = path, .line = number};
            (void) snprintf(c.head, sizeof(c.head), "%.*s", (int) strcspn(line, "\n"), line);
            text = c.input;
        } else if (0 == strcmp(line, "=> unchanged\n")) {
            memcpy(c.wanted, c.input, sizeof(c.wanted));
            text = c.wanted;
        } else if (0 == strcmp(line, "=>\n")) {
            text = c.wanted;
        } else if (NULL != text) {
            append(&c, text, line);
        }
    }
    fclose(file);
}

int main(int argc, char **argv)
{
    glob_t found = {0};
    for (int i = 1; i < argc; i++) {
        try_file(argv[i]);
    }
    if (1 == argc && 0 == glob(OPTIMISER_CASES "/*.cases", 0, NULL, &found)) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            try_file(found.gl_pathv[i]);
        }
        globfree(&found);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return 0 == failed && passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
