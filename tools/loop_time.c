/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What dame suggest runs to measure an answer: a loop by hand, memcpy, Open MPI's own engine and
 * DAME move an element of a datatype in turns. The datatype is an expression (expression.h) on
 * standard input. For the kinds of datatypes that dame suggest makes; elements of other sizes than
 * 2, 4, 8 and 16 bytes are moved as bytes by hand.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/native.h"
#include "cli/text.h"
#include "cli/tool.h"
#include "dame/dame.h"
#include "expression.h"
#include "hand.h"
#include "jit/jit.h"
#include "measure/turns.h"

/* ---- the datatype ---- */

/* NULL: memory is out, or MPI makes it in another way than dame suggest. */
static const dame_type_t *type_of(dame_tree_t *tree, const expression_t *e)
{
    const dame_type_t *type = NULL;
    const dame_type_t **old = dame_tree_types(tree, e->olds + 1);
    dame_status_t status = old == NULL ? DAME_ERR_NOMEM : DAME_OK;
    for (int64_t i = 0; i < e->olds && status == DAME_OK; i++) {
        old[i] = type_of(tree, e->old[i]);
        status = old[i] == NULL ? DAME_ERR_ARGUMENT : DAME_OK;
    }
    if (status == DAME_OK && e->made_by == MAKES_BASIC) {
        status = dame_type_basic(tree, e->basic->extent, &type);
    } else if (status == DAME_OK && e->made_by == MAKES_CONTIGUOUS) {
        status = dame_type_contig(tree, e->number[0], old[0], &type);
    } else if (status == DAME_OK && e->made_by == MAKES_HVECTOR) {
        status = dame_type_vector(tree, e->number[0], e->number[1], e->number[2], old[0], &type);
    } else if (status == DAME_OK && e->made_by == MAKES_STRUCT) {
        status = dame_type_struct(tree, e->n, e->list[0], e->list[1], old, &type);
    }
    return status == DAME_OK ? type : NULL;
}

/* ---- moving it ---- */

enum { MEMCPY, HAND, NATIVE, INTERPRETED, COMPILED, CASES };

static const char *const case_names[] = {"memcpy", "hand loop", "Open MPI's engine",
                                         "DAME, interpreted", "DAME, machine code"};

typedef struct mover {
    const dame_type_t *type;
    const dame_program_t *programs[CASES]; /* of DAME's cases; NULL if absent */
    dame_dir_t direction;
    char *memory, *packed; /* memory: byte 0 of the type */
    native_t *native;
} mover_t;

static void move(void *context, int which, int64_t times)
{
    const mover_t *mover = context;
    for (int64_t i = 0; i < times; i++) {
        if (which == MEMCPY) {
            memcpy(mover->packed, mover->packed + mover->type->size, (size_t) mover->type->size);
        } else if (which != HAND) {
            dame_program_run(mover->programs[which], mover->direction, (uintptr_t) mover->memory, 1,
                             mover->packed);
        } else if (mover->direction == DAME_UNPACK) {
            hand_unpack(mover->type, mover->memory, mover->packed);
        } else {
            hand_pack(mover->type, mover->memory, mover->packed);
        }
        __asm__ volatile("" ::: "memory");
    }
}

/* The hand loop and DAME must pack the same bytes. */
static int compare(const mover_t *mover, int ncases)
{
    size_t size = (size_t) mover->type->size;
    char *expected = malloc(size);
    int code = expected != NULL ? TOOL_OK : tool_error(TOOL_SYSTEM, "%s", strerror(ENOMEM));
    if (expected != NULL) {
        hand_pack(mover->type, mover->memory, expected);
    }
    for (int i = INTERPRETED; i < ncases && code == TOOL_OK; i++) {
        memset(mover->packed, 0, size);
        dame_program_run(mover->programs[i], DAME_PACK, (uintptr_t) mover->memory, 1,
                         mover->packed);
        /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): else no TOOL_OK */
        if (memcmp(mover->packed, expected, size) != 0) {
            code = tool_error(TOOL_WRONG, "%s packs other bytes than the loop", case_names[i]);
        }
    }
    free(expected);
    return code;
}

static double move_native(void *context, int which, int64_t times)
{
    const mover_t *mover = context;
    return which == NATIVE ? native_seconds(mover->native, mover->direction == DAME_UNPACK, times)
                           : -1;
}

static void print_case(const mover_t *mover, const dame_turns_t *turns, int which)
{
    double seconds = dame_turns_at(turns, which, 0.5);
    if (which == NATIVE && mover->native->missing[0] != '\0') {
        printf("    %-20s not measured: %s\n", case_names[NATIVE], mover->native->missing);
    } else {
        printf("    %-20s %8.3f GB/s  %6.2f of the hand loop\n", case_names[which],
               (double) mover->type->size / seconds / 1e9,
               dame_turns_at(turns, HAND, 0.5) / seconds);
    }
}

/* Prints the median of rounds in which all take turns. */
static int measure_cases(mover_t *mover, int ncases)
{
    dame_turns_t turns = {.n = ncases,
                          .run = move,
                          .run_timed = move_native,
                          .context = mover,
                          .sample = 0.001,
                          .seconds = 0.5,
                          .least = 11,
                          .most = 1001};
    char busy[200];
    if (dame_turns_run(&turns) != 0) {
        return tool_error(TOOL_SYSTEM, "%s", strerror(ENOMEM));
    }
    for (int i = 0; i < ncases; i++) {
        print_case(mover, &turns, i);
    }
    turns.waited.ran += mover->native->waited.ran;
    turns.waited.waited += mover->native->waited.waited;
    if (*dame_busy_text(busy, sizeof(busy), dame_busy(turns.waited)) != '\0') {
        printf("    not certain: %s; measure again when it is idle\n", busy);
    }
    dame_turns_free(&turns);
    return TOOL_OK;
}

/* `compiled` is another copy of the program; machine code for it when the CPU has a compiler. */
static int measure_compiled(mover_t *mover, dame_program_t *compiled, const char *expression)
{
    native_t native;
    dame_jit_t *jit = NULL;
    const bool has_code = dame_jit_create(dame_jit_options_default(), &jit) == DAME_OK &&
                          dame_jit_compile(jit, compiled, DAME_PACK, NULL) == DAME_OK &&
                          dame_jit_compile(jit, compiled, DAME_UNPACK, NULL) == DAME_OK;
    const int ncases = has_code ? COMPILED + 1 : COMPILED;
    int code = compare(mover, ncases);
    if (code == TOOL_OK) {
        native_start(&native, expression, mover->type->size, 1);
        mover->native = &native;
        code = measure_cases(mover, ncases);
        native_end(&native);
    }
    if (jit != NULL) {
        dame_jit_release(jit, compiled);
        dame_jit_destroy(jit);
    }
    return code;
}

static int measure(const dame_type_t *type, dame_dir_t direction, const char *expression)
{
    dame_program_t *programs[2] = {NULL, NULL};
    const size_t memory = (size_t) (type->true_ub - type->true_lb);
    char *user = calloc(1, memory), *packed = calloc(2, (size_t) type->size);
    int code =
        user == NULL || packed == NULL ? tool_error(TOOL_SYSTEM, "%s", strerror(ENOMEM)) : TOOL_OK;
    for (int i = 0; i < 2 && code == TOOL_OK; i++) {
        if (dame_program_build(type, NULL, &programs[i]) != DAME_OK) {
            code = tool_error(TOOL_WRONG, "the datatype has no program at these sizes");
        }
    }
    if (code == TOOL_OK) {
        mover_t mover = {.type = type,
                         .programs = {[INTERPRETED] = programs[0], [COMPILED] = programs[1]},
                         .direction = direction,
                         .memory = (char *) ((uintptr_t) user - (uintptr_t) type->true_lb),
                         .packed = packed};
        for (size_t i = 0; i < memory; i++) {
            user[i] = (char) (i * 7 + i / 251);
        }
        code = measure_compiled(&mover, programs[1], expression);
    }
    dame_program_free(programs[0]);
    dame_program_free(programs[1]);
    free(user);
    free(packed);
    return code;
}

int main(int argc, char **argv)
{
    char *text, bytes[TEXT_NUMBER];
    size_t length;
    expression_error_t error;
    if (argc != 3) {
        return tool_error(TOOL_USAGE, "usage: loop_time pack|unpack SIZES, an expression as input");
    }
    int code = tool_read_text("-", &text, &length);
    if (code != TOOL_OK) {
        return code;
    }
    const dame_dir_t direction = strcmp(argv[1], "unpack") == 0 ? DAME_UNPACK : DAME_PACK;
    expression_t *expression = expression_parse(text, length, &error);
    dame_tree_t *tree = dame_tree_new();
    const dame_type_t *type = expression == NULL || tree == NULL ? NULL : type_of(tree, expression);
    if (type == NULL) {
        code = tool_error(TOOL_WRONG, "the datatype has no program at these sizes");
    } else {
        printf("  measured  %sing, %s%s\n", direction == DAME_UNPACK ? "unpack" : "pack",
               text_bytes(bytes, type->size), argv[2]);
        code = measure(type, direction, text);
    }
    dame_tree_free(tree);
    expression_free(expression);
    free(text);
    return code;
}
