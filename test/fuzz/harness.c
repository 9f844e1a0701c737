#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "harness.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choices.h"
#include "dame/dame.h"
#include "dame/isa.h"
#include "make_text.h"
#include "test/differential/checks.h"
#include "test/lib/caches.h"

enum {
    MOST = 8192, /* packed bytes of a message that is moved */
    FAR = 65536  /* bytes of user memory */
};

__attribute__((format(printf, 1, 2), noreturn)) static void wrong(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("fuzz: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    abort();
}

/* ---- text ---- */

static dame_program_t *read_text(const char *text, size_t length)
{
    dame_program_t *program = NULL;
    dame_text_error_t error;
    memset(&error, '#', sizeof error);
    error.line = error.column = 0;
    dame_status_t status = dame_program_parse(text, length, &program, &error);
    char message[300];
    if (status == DAME_OK) {
        if (dame_program_verify(program, message, sizeof message) != DAME_OK) {
            wrong("read, but not verified: %s", message);
        }
        return program;
    }
    if (program || error.line < 1 || error.column < 1 || error.line > (int64_t) length + 1 ||
        error.column > (int64_t) length + 1 || !memchr(error.message, '\0', sizeof error.message) ||
        !error.message[0]) {
        wrong("%s, without a place", dame_status_text(status));
    }
    return NULL;
}

/* ---- programs ---- */

/* The program after some passes. Only a large one may be refused. */
static dame_program_t *optimised(const dame_program_t *program, choices_t *choices, bool small)
{
    dame_options_t options = *dame_options_default();
    if (choose_byte(choices) % 2) {
        options.passes = choose_byte(choices) & DAME_PASSES_ALL;
        options.fragment = 1 + 16 * choose_byte(choices);
    }
    dame_program_t *result = NULL;
    dame_status_t status = dame_program_optimise(program, &options, &result);
    char message[300];
    if (status != DAME_OK) {
        if (small || (status != DAME_ERR_NOMEM && status != DAME_ERR_LIMIT)) {
            wrong("optimise: %s", dame_status_text(status));
        }
        return NULL;
    }
    if (dame_program_verify(result, message, sizeof message) != DAME_OK) {
        wrong("optimised, but not verified: %s", message);
    }
    if (result->size != program->size || result->extent != program->extent ||
        result->true_lb != program->true_lb || result->true_ub != program->true_ub) {
        wrong("optimised to size %" PRId64 ", extent %" PRId64 ", bounds [%" PRId64 ", %" PRId64
              ")",
              result->size, result->extent, result->true_lb, result->true_ub);
    }
    return result;
}

/* The bytes that choose the message also choose its contents and fragments. */
static uint64_t seed_of(choices_t choices)
{
    uint64_t seed = choices.left;
    while (choices.left > 0) {
        seed = seed * 31 + choose_byte(&choices);
    }
    return seed;
}

/* Elements of the message; -1: it would be too large. */
static int64_t count_of(const dame_program_t *program, choices_t *choices)
{
    int64_t count = choose(choices, 0, 3);
    count = count == 0 ? 1 : count == 1 ? choose(choices, 0, 20) : count;
    __extension__ typedef __int128 wide_t;
    const wide_t last = count > 0 ? (wide_t) (count - 1) * program->extent : 0;
    const wide_t low = program->true_lb + (last < 0 ? last : 0);
    const wide_t far = program->true_ub + (last < 0 ? 0 : last) - low;
    return program->size > MOST || count * program->size > MOST || far > FAR || low < INT64_MIN
               ? -1
               : count;
}

/* Moves the message in every way that the differential test knows, if it is not too large. */
static void try_message(dame_program_t *program, const dame_program_t *meaning, int64_t count,
                        choices_t choices)
{
    static const tier_t tier = {.name = "fuzz"};
    check_t check = {.rng = rng_seeded(seed_of(choices), 0), .tier = &tier};
    message_t m = {.count = 0};
    const bool right = count < 0 ? check_text(&check, program, NULL)
                                 : message_init_program(&check, &m, program, meaning, count) &&
                                       check_moves(&check, &m) && check_text(&check, program, &m);
    if (!right) {
        wrong("%s", check.message);
    }
    message_fini(&m);
}

/* A program and what becomes of it move one message alike. */
static int try_program(dame_program_t *program, choices_t *choices)
{
    const int64_t count = count_of(program, choices);
    dame_program_t *fast = optimised(program, choices, count >= 0);
    try_message(program, program, count, *choices);
    if (fast) {
        try_message(fast, program, count, *choices);
    }
    dame_program_free(fast);
    return count >= 0;
}

/* ---- an input ---- */

static void force_isa(choices_t *choices)
{
    const char *const *names = dame_isa_names();
    int n = 0;
    while (names[n]) {
        n++;
    }
    (void) dame_isa_force(names[choose(choices, 0, n - 1)]);
}

static int try_text(const char *text, size_t length, choices_t *choices)
{
    force_isa(choices);
    dame_data_cache_force(test_caches(length));
    dame_program_t *program = read_text(text, length);
    if (!program) {
        return 0;
    }
    int moved = try_program(program, choices);
    dame_program_free(program);
    return moved;
}

static int try_made(const uint8_t *data, size_t size)
{
    choices_t choices = {.at = data, .left = size};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out) {
        wrong("no memory");
    }
    make_text(&choices, out);
    if (fclose(out) != 0) {
        wrong("no memory");
    }
    int moved = try_text(text, length, &choices);
    free(text);
    return moved;
}

int fuzz_one(const uint8_t *data, size_t size)
{
    if (size > 0 && data[0] == 0xff) {
        return try_made(data + 1, size - 1);
    }
    const uint8_t *zero = size > 0 ? memchr(data, 0, size) : NULL;
    size_t length = zero ? (size_t) (zero - data) : size;
    choices_t choices = {.at = zero ? zero + 1 : NULL, .left = zero ? size - length - 1 : 0};
    char *text = malloc(length + !length); /* a byte read behind it is seen */
    if (!text) {
        wrong("no memory");
    }
    memcpy(text, length > 0 ? data : (const uint8_t *) "", length);
    int moved = try_text(text, length, &choices);
    free(text);
    if (zero) { /* also the whole input as a text: a zero byte is legal in a comment */
        dame_program_free(read_text((const char *) data, size));
    }
    return moved;
}
