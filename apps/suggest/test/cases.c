/*
 * Runs the core on access programs and compares the answer with the text that is expected. A file
 * of cases (*.cases beside this file) has
 *
 *     # a promise
 *     an access program
 *     => type at address[, count asserted][, identity unknown][, if condition]...
 *     => refused N at LINE
 *
 * Both checks of every answer must pass, and their mutants must not; the program's text must be
 * read back as it was.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <string.h>

#include "mutants.h"
#include "suggest/eval.h"
#include "suggest_test.h"

enum { ROOM = 1 << 14 };

static void answer(access_program_t *program, const shape_t *shape, FILE *out)
{
    if (shape->refusal != SHAPE_DECIDED) {
        fprintf(out, "refused %d at %d", shape->refusal, (int) shape->place.line);
        return;
    }
    types_print(program, shape->type, out);
    fprintf(out, " at %s", types_address_text(program, shape->type->origin));
    fputs(shape->count == SHAPE_COUNT_ASSERTED ? ", count asserted" : "", out);
    fputs(eval_identity(program, shape->type).verdict == EVAL_UNKNOWN ? ", identity unknown" : "",
          out);
    for (int i = 0; i < shape->nconditions; i++) {
        fprintf(out, ", if %s", shape->conditions[i]);
    }
}

/* The text of a program that was read is read back to the same text. */
static void round_trip(const access_program_t *program, const char *name)
{
    char *text = NULL, *again = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    check(access_print(program, out) == 0, "%s: the program cannot be printed", name);
    fclose(out);
    access_text_error_t error;
    access_program_t *copy = access_read(text, length, &error);
    check(copy != NULL, "%s: its text is not read back: %s\n%s", name, error.message, text);
    if (copy != NULL) {
        size_t other;
        out = open_memstream(&again, &other);
        access_print(copy, out);
        fclose(out);
        check(strcmp(text, again) == 0, "%s: the text changed:\n%s\n%s", name, text, again);
    }
    access_free(copy);
    free(text);
    free(again);
}

static void try_case(const char *name, const char *text, const char *wanted)
{
    access_text_error_t error;
    access_program_t *program = access_read(text, strlen(text), &error);
    if (program == NULL) {
        check(false, "%s: %d:%d: %s", name, (int) error.line, (int) error.column, error.message);
        return;
    }
    round_trip(program, name);
    shape_t shape = shape_find(program);
    char *got = NULL;
    size_t length;
    FILE *out = open_memstream(&got, &length);
    answer(program, &shape, out);
    fclose(out);
    check(strcmp(got, wanted) == 0, "%s\n  wanted %s\n  got    %s%s%s", name, wanted, got,
          shape.refusal != SHAPE_DECIDED ? ": " : "", shape.reason);
    if (shape.refusal == SHAPE_DECIDED) {
        eval_t identity = eval_identity(program, shape.type);
        eval_t random = eval_random(program, &shape, 100, 1);
        check(identity.verdict != EVAL_WRONG, "%s: identity: %s", name, identity.message);
        check(random.verdict == EVAL_RIGHT, "%s: at random sizes: %s", name, random.message);
        mutants_try(program, &shape, identity.verdict == EVAL_RIGHT, name);
    }
    free(got);
    access_free(program);
}

void cases_run(const char *path)
{
    FILE *file = fopen(path, "r");
    static char text[ROOM], name[ROOM], line[ROOM];
    check(file != NULL, "%s cannot be read", path);
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#') {
            strcpy(name, line);
            text[0] = '\0';
        } else if (strncmp(line, "=> ", 3) == 0) {
            try_case(name, text, line + 3);
            text[0] = '\0';
        } else if (strlen(text) + strlen(line) + 2 < sizeof text) {
            strcat(strcat(text, line), "\n");
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}
