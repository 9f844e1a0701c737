/* SPDX-License-Identifier: BSD-3-Clause */
/* The type's address of each copy's position, as polynomials. */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "eval.h"

/* A linear position: constant + the sum of slope * iteration. No slope is negative: iterations of
 * loops that go down are counted from their end. */
typedef struct linear {
    int n;
    const poly_t *iterations[ACCESS_NESTING]; /* from 0 to trip - 1 */
    const poly_t *trips[ACCESS_NESTING], *slopes[ACCESS_NESTING];
    const poly_t *constant;
} linear_t;

typedef struct checker {
    access_program_t *program;
    poly_space_t *space;
    const poly_t *width;      /* of the copy */
    const poly_t **positions; /* in the message, of all copies */
    eval_t *eval;
} checker_t;

static bool unknown(checker_t *checker, const char *why)
{
    if (checker->eval->message[0] == '\0') {
        snprintf(checker->eval->message, sizeof(checker->eval->message), "%s", why);
    }
    return false;
}

static const poly_t *as_poly(checker_t *checker, const linear_t *a)
{
    const poly_t *out = a->constant;
    for (int i = 0; i < a->n; i++) {
        out = poly_add(checker->space, out,
                       poly_multiply(checker->space, a->slopes[i], a->iterations[i]));
    }
    return out;
}

/* Is it within [0, size), with the copy's width? */
static bool inside(checker_t *checker, const linear_t *a, const poly_t *size)
{
    poly_space_t *space = checker->space;
    const poly_t *end = poly_add(space, a->constant, checker->width);
    for (int i = 0; i < a->n; i++) {
        const poly_t *last = poly_subtract(space, a->trips[i], poly_constant(space, 1));
        end = poly_add(space, end, poly_multiply(space, a->slopes[i], last));
    }
    return poly_at_least(space, a->constant, 0) &&
           poly_at_least(space, poly_subtract(space, size, end), 0);
}

/* position = quotient * size + rest, with the rest within the size. */
static bool split(checker_t *checker, const linear_t *position, const poly_t *size,
                  const poly_t **quotient, linear_t *rest)
{
    poly_space_t *space = checker->space;
    const poly_t *constant, *left;
    int64_t number, by;
    if (poly_is_zero(size)) {
        return unknown(checker, "a part has no bytes");
    }
    *rest = (linear_t){.n = 0};
    poly_divide_rest(space, position->constant, size, &constant, &left);
    if (poly_is_constant(position->constant, &number) && poly_is_constant(size, &by)) {
        constant = poly_constant(space, number / by - (number % by < 0));
        left = poly_constant(space, number % by + (number % by < 0 ? by : 0));
    }
    *quotient = constant;
    rest->constant = left;
    for (int i = 0; i < position->n; i++) {
        const poly_t *whole = poly_divide(space, position->slopes[i], size);
        if (whole != NULL) {
            *quotient =
                poly_add(space, *quotient, poly_multiply(space, whole, position->iterations[i]));
        } else {
            rest->iterations[rest->n] = position->iterations[i];
            rest->trips[rest->n] = position->trips[i];
            rest->slopes[rest->n++] = position->slopes[i];
        }
    }
    return inside(checker, rest, size) ||
           unknown(checker, "which part a position is in depends on an inequality of sizes");
}

static bool locate(checker_t *checker, const types_node_t *node, const linear_t *position,
                   types_address_t *address);

/* In which of the children, one behind the other, the position is. */
static bool locate_child(checker_t *checker, const types_node_t *node, const linear_t *position,
                         types_address_t *address)
{
    poly_space_t *space = checker->space;
    const poly_t *before = poly_constant(space, 0);
    for (int i = 0; i < node->nchildren; i++) {
        const poly_t *size = types_size(checker->program, node->children[i]);
        if (size == NULL) {
            return unknown(checker, "a condition decides where a position is");
        }
        linear_t inner = *position;
        inner.constant = poly_subtract(space, position->constant, before);
        if (inside(checker, &inner, size)) {
            return locate(checker, node->children[i], &inner, address);
        }
        before = poly_add(space, before, size);
    }
    return unknown(checker, "which part a position is in depends on an inequality of sizes");
}

static bool locate_in_list(checker_t *checker, const types_node_t *node, const linear_t *position,
                           types_address_t *address)
{
    access_program_t *program = checker->program;
    poly_space_t *space = checker->space;
    types_node_t body = *node;
    body.nloops = 0;
    linear_t left = *position;
    const types_node_t *at = &body;
    for (int i = 0; i < node->nloops; i++) {
        types_node_t inner = *node;
        inner.loops = node->loops + i + 1;
        inner.nloops = node->nloops - i - 1;
        const poly_t *size = types_size(program, &inner), *quotient;
        linear_t rest;
        if (size == NULL || poly_depends(space, size, node->loops[i].variable)) {
            return unknown(checker, "a loop decides how much another packs");
        }
        if (!split(checker, &left, size, &quotient, &rest)) {
            return false;
        }
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): set if split() is true */
        at = types_substitute(program, at, node->loops[i].variable, quotient);
        left = rest;
    }
    return locate_child(checker, at, &left, address);
}

static bool locate(checker_t *checker, const types_node_t *node, const linear_t *position,
                   types_address_t *address)
{
    poly_space_t *space = checker->space;
    if (node->guard != NULL) {
        return unknown(checker, "a condition decides where a position is");
    }
    if (node->kind == TYPES_DENSE) {
        *address = (types_address_t){
            node->origin.base, poly_add(space, node->origin.offset, as_poly(checker, position))};
        return true;
    }
    if (node->kind == TYPES_LIST) {
        return locate_in_list(checker, node, position, address);
    }
    if (node->kind == TYPES_STRUCT) {
        return locate_child(checker, node, position, address);
    }
    const poly_t *size = types_size(checker->program, node->children[0]), *quotient;
    linear_t rest;
    if (size == NULL) {
        return unknown(checker, "a condition decides where a position is");
    }
    if (!split(checker, position, size, &quotient, &rest) ||
        !locate(checker, node->children[0], &rest, address)) {
        return false;
    }
    address->offset =
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): set if both are true */
        poly_add(space, address->offset, poly_multiply(space, quotient, node->stride));
    return true;
}

/* Sets positions of the copies first to end - 1, which have `depth` loops and guards in common, as
 * they go on from 0; their size, or NULL. */
static const poly_t *set_positions(checker_t *checker, int first, int end, int depth)
{
    const access_program_t *program = checker->program;
    poly_space_t *space = checker->space;
    const poly_t *at = poly_constant(space, 0);
    for (int i = first, stop; i < end; i = stop) {
        int path[2 * ACCESS_NESTING], other[2 * ACCESS_NESTING];
        int length = access_path(program, i, path);
        const poly_t *size = program->copies[i].size, *step = NULL;
        stop = i + 1;
        checker->positions[i] = poly_constant(space, 0);
        if (length > depth) {
            int item = path[depth];
            while (stop < end && access_path(program, stop, other) > depth &&
                   other[depth] == item) {
                stop++;
            }
            const access_loop_t *loop = item >= 0 ? &program->loops[item] : NULL;
            size = loop != NULL ? set_positions(checker, i, stop, depth + 1) : NULL;
            if (size == NULL || poly_depends(space, size, loop->variable)) {
                return NULL;
            }
            step = poly_multiply(space, size, poly_variable(space, loop->variable));
            size = poly_multiply(space, size, loop->trip);
        }
        for (int j = i; j < stop; j++) {
            const poly_t *inner = poly_add(space, checker->positions[j], at);
            checker->positions[j] = step != NULL ? poly_add(space, inner, step) : inner;
        }
        at = poly_add(space, at, size);
    }
    return at;
}

static bool find_positions(checker_t *checker)
{
    const access_program_t *program = checker->program;
    if (program->copies[0].position == NULL) {
        return set_positions(checker, 0, program->ncopies, 0) != NULL ||
               unknown(checker, "a condition or an outer loop decides where a position is");
    }
    for (int i = 0; i < program->ncopies; i++) {
        checker->positions[i] =
            poly_subtract(checker->space, program->copies[i].position, program->call.start);
    }
    return true;
}

/* The copy's position in the message, its offset, and the product of its trips. */
static bool position_of(checker_t *checker, int index, linear_t *position, const poly_t **offset,
                        const poly_t **times)
{
    const access_program_t *program = checker->program;
    int path[2 * ACCESS_NESTING];
    int n = access_path(program, index, path);
    const poly_t *left = checker->positions[index];
    *position = (linear_t){.n = 0};
    *offset = program->copies[index].offset;
    *times = poly_constant(checker->space, 1);
    for (int i = 0; i < n; i++) {
        if (path[i] < 0) {
            return unknown(checker, "a condition decides where a position is");
        }
        const access_loop_t *loop = &program->loops[path[i]];
        const poly_t *slope, *iteration = poly_variable(checker->space, loop->variable);
        int64_t trip;
        if (poly_is_constant(loop->trip, &trip) && trip == 1) {
            const poly_t *zero = poly_constant(checker->space, 0);
            left = poly_substitute(checker->space, left, loop->variable, zero);
            *offset = poly_substitute(checker->space, *offset, loop->variable, zero);
            continue;
        }
        if (poly_depends_on_loops(checker->space, loop->trip) ||
            !poly_linear(checker->space, left, loop->variable, &slope, &left)) {
            return unknown(checker, "a position is not linear");
        }
        if (slope->count > 0 && slope->terms[0].coefficient < 0) {
            const poly_t *last =
                poly_subtract(checker->space, loop->trip, poly_constant(checker->space, 1));
            left = poly_add(checker->space, left, poly_multiply(checker->space, slope, last));
            slope = poly_negate(checker->space, slope);
            iteration = poly_subtract(checker->space, last, iteration);
        }
        position->iterations[position->n] = iteration;
        position->trips[position->n] = loop->trip;
        position->slopes[position->n++] = slope;
        *times = poly_multiply(checker->space, *times, loop->trip);
    }
    position->constant = left;
    return true;
}

static void check_copy(checker_t *checker, const types_node_t *type, int index,
                       const poly_t **total)
{
    const access_copy_t *copy = &checker->program->copies[index];
    linear_t position;
    const poly_t *times, *offset;
    types_address_t address;
    checker->width = copy->size;
    if (!position_of(checker, index, &position, &offset, &times)) {
        checker->eval->verdict = EVAL_UNKNOWN;
        return;
    }
    if (poly_is_zero(times)) {
        return;
    }
    *total = poly_add(checker->space, *total, poly_multiply(checker->space, times, copy->size));
    if (!locate(checker, type, &position, &address)) {
        checker->eval->verdict = EVAL_UNKNOWN;
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): set if located */
    } else if (address.base != copy->base || !poly_equal(address.offset, offset)) {
        checker->eval->verdict = EVAL_WRONG;
        snprintf(checker->eval->message, sizeof(checker->eval->message),
                 "line %" PRId64 ": the type takes %.100s where the loop takes %.100s",
                 copy->place.line, poly_string(checker->space, address.offset, POLY_SOURCE, false),
                 poly_string(checker->space, copy->offset, POLY_SOURCE, false));
    }
}

eval_t eval_identity(access_program_t *program, const types_node_t *type)
{
    eval_t eval = {.verdict = EVAL_RIGHT};
    checker_t checker = {.program = program, .space = program->space, .eval = &eval};
    const poly_t *total = poly_constant(program->space, 0);
    checker.positions =
        poly_alloc(program->space, (size_t) program->ncopies, sizeof(*checker.positions));
    if (checker.positions == NULL || !find_positions(&checker)) {
        eval.verdict = EVAL_UNKNOWN;
        return eval;
    }
    for (int i = 0; i < program->ncopies && eval.verdict == EVAL_RIGHT; i++) {
        check_copy(&checker, type, i, &total);
    }
    const poly_t *size = types_size(program, type);
    if (eval.verdict == EVAL_RIGHT && (size == NULL || !poly_equal(size, total))) {
        eval.verdict = size == NULL ? EVAL_UNKNOWN : EVAL_WRONG;
        snprintf(eval.message, sizeof(eval.message), "the type packs another number of bytes");
    }
    if (poly_error(program->space) != POLY_OK) {
        eval.verdict = EVAL_UNKNOWN;
        snprintf(eval.message, sizeof(eval.message), "%s",
                 poly_error_text(poly_error(program->space)));
    }
    return eval;
}
