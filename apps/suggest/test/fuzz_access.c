/* The fuzzer's harness for access programs (test/fuzz/ has that of the language's texts): a program
 * that is read is printed and read back, answered, checked and written as C. */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <string.h>

#include "suggest/code.h"
#include "suggest/eval.h"
#include "test/fuzz/harness.h"

static void wrong(const char *what, const char *why)
{
    fprintf(stderr, "fuzz: %s: %s\n", what, why);
    abort();
}

static char *printed(const access_program_t *program)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL || access_print(program, out) != 0 || fclose(out) != 0) {
        wrong("read, but not printed", access_error(program));
    }
    return text;
}

static void round_trip(const access_program_t *program)
{
    access_text_error_t error;
    char *text = printed(program);
    access_program_t *copy = access_read(text, strlen(text), &error);
    if (copy == NULL) {
        wrong("printed, but not read", error.message);
    }
    char *again = printed(copy);
    if (strcmp(text, again) != 0) {
        wrong("another text", again);
    }
    access_free(copy);
    free(again);
    free(text);
}

static int answer(access_program_t *program)
{
    shape_t shape = shape_find(program);
    if (shape.refusal != SHAPE_DECIDED) {
        if (shape.refusal == SHAPE_REFUSED_CHECK || shape.reason[0] == '\0') {
            wrong("refused", "without a reason");
        }
        return 0;
    }
    eval_t random = eval_random(program, &shape, 8, 1);
    eval_t identity = eval_identity(program, shape.type);
    if (random.verdict == EVAL_WRONG || identity.verdict == EVAL_WRONG) {
        wrong("a wrong answer", random.verdict == EVAL_WRONG ? random.message : identity.message);
    }
    code_t code = code_make(program, &shape, CODE_C, "    ", "dame_");
    if (poly_error(program->space) == POLY_OK && code.count[0] == '\0') {
        wrong("code", "without a count");
    }
    return 1;
}

int fuzz_one(const uint8_t *data, size_t size)
{
    access_text_error_t error = {.line = 0};
    char *text = malloc(size + 1);
    if (text == NULL) {
        wrong("memory", "none");
    }
    memcpy(text, data, size);
    access_program_t *program = access_read(text, size, &error);
    int moved = 0;
    if (program != NULL) {
        round_trip(program);
        moved = answer(program);
    } else if (error.message[0] == '\0' || error.line < 1 || error.column < 1 ||
               error.line > (int64_t) size + 1 || error.column > (int64_t) size + 2) {
        wrong("no message, or a wrong place", error.message);
    }
    access_free(program);
    free(text);
    return moved;
}
