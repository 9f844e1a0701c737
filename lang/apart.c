/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Returns whether a message may be copied in any order. Yes when no byte that is read is one
 * that is written.
 *
 * Two messages of one datatype, `shift` bytes from each other, meet where two of their blocks
 * do. At a regular level iteration i of one meets only those iterations i + k of the other with
 * a distance k * step near the shift; these are looked at one level further in.
 */
#include "dame/program.h"

/* Gives up, and says that the messages may meet, after this many pairs of iterations. */
enum { MOST_PAIRS = 64 };

static int may_meet(const dame_prim_t *prim, int64_t count, int64_t span, int64_t shift,
                    int *pairs);

/* The same within an iteration. */
static int inner_may_meet(const dame_prim_t *prim, int64_t span, int64_t shift, int *pairs)
{
    const dame_prim_t *inner = prim + prim->inner_delta;
    return prim->inner_delta == 0 || --*pairs == 0 ||
           may_meet(inner, inner->count, span, shift, pairs);
}

/* The iterations of a level, within `span` bytes, and the same `shift` >= 0 bytes away. `pairs` is
 * how many pairs may still be looked at. */
static int may_meet(const dame_prim_t *prim, int64_t count, int64_t span, int64_t shift, int *pairs)
{
    if (shift >= span) {
        return 0;
    }
    if (dame_prim_has_list(prim) || count == 0) { /* where the blocks lie is not looked up */
        return 1;
    }
    if (count == 1 || prim->step == 0) {
        return inner_may_meet(prim, span, shift, pairs);
    }
    const int64_t step = prim->step < 0 ? -prim->step : prim->step;
    const int64_t inner_span = span - step * (count - 1);
    const int64_t below = shift / step;
    int64_t k = below < count ? below : count - 1;
    for (int64_t apart = shift - k * step; k > -count && apart < inner_span; k--, apart += step) {
        if (inner_may_meet(prim, inner_span, apart, pairs)) {
            return 1;
        }
    }
    k = below + 1;
    for (int64_t apart = k * step - shift; k < count && apart < inner_span; k++, apart += step) {
        if (inner_may_meet(prim, inner_span, apart, pairs)) {
            return 1;
        }
    }
    return 0;
}

int dame_program_is_apart(const dame_program_t *program, int64_t count, int64_t shift)
{
    int pairs = MOST_PAIRS;
    int64_t span;
    int64_t element;
    if (count < 1) {
        return 1;
    }
    if (shift == INT64_MIN || program->extent == INT64_MIN ||
        __builtin_mul_overflow(program->extent, count - 1, &span) || span == INT64_MIN ||
        __builtin_sub_overflow(program->true_ub, program->true_lb, &element) ||
        __builtin_add_overflow(span < 0 ? -span : span, element, &span) || span > INT64_MAX / 2) {
        return 0;
    }
    return !may_meet(program->prims, count, span, shift < 0 ? -shift : shift, &pairs);
}
