/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares two signatures. At once where both have a period, for the shortest period of a
 * sequence is unique. Otherwise both datatypes are walked down to parts that have one, and these
 * are compared whole periods at a time where they start together, and run by run where they do
 * not.
 */
#include <stdlib.h>

#include "lib.h"
#include "signature.h"

/* Where a walk is within one constructor. */
typedef struct level {
    const dame_datatype_t *type;
    int64_t members;
    int64_t member; /* the one in progress */
    int64_t within; /* its instances that were entered */
} level_t;

/* A walk over a signature. What comes next: `repeats` times `period`, without the first one's runs
 * before `run` and the first `in_run` elements of that. */
typedef struct walk {
    level_t *levels;
    int depth; /* levels in use */
    const dame_period_t *period;
    int64_t repeats;
    int32_t run;
    int64_t in_run;
} walk_t;

static void enter_pair(walk_t *walk, const dame_datatype_t *type)
{
    walk->levels[walk->depth++] = (level_t){.type = type, .members = dame_members(type)};
}

static void give(walk_t *walk, const dame_period_t *period, int64_t repeats)
{
    walk->period = period;
    walk->repeats = repeats;
    walk->run = 0;
    walk->in_run = 0;
}

/* Room for a walk over messages of `type`. False: memory is out. */
static int walk_init(walk_t *walk, const dame_datatype_t *type)
{
    *walk = (walk_t){.levels = malloc((size_t) (type->nested + 1) * sizeof(level_t))};
    return walk->levels != NULL;
}

/* Finds what comes next; there is something. */
static void next(walk_t *walk)
{
    for (;;) {
        level_t *level = &walk->levels[walk->depth - 1];
        if (level->member == level->members) {
            walk->depth--;
            continue;
        }
        const dame_member_t member = dame_member(level->type, level->member);
        const dame_signature_t *its = &member.child->signature;
        if (its->elements == 0 || level->within == member.length) {
            level->member++;
            level->within = 0;
        } else if (its->period != NULL) {
            level->member++;
            level->within = 0;
            if (member.length > 0) {
                give(walk, its->period, member.length * its->repeats);
                return;
            }
        } else {
            level->within++;
            enter_pair(walk, member.child);
        }
    }
}

static int at_start(const walk_t *walk)
{
    return walk->run == 0 && walk->in_run == 0;
}

/* Elements of the kind at the walk that follow each other within what comes next. A period of one
 * run is a single element. */
static int64_t in_a_row(const walk_t *walk)
{
    return walk->period->nruns == 1 ? walk->repeats
                                    : walk->period->runs[walk->run].count - walk->in_run;
}

static void consume(walk_t *walk, int64_t n)
{
    const dame_period_t *period = walk->period;
    if (period->nruns == 1) {
        walk->repeats -= n;
        return;
    }
    walk->in_run += n;
    if (walk->in_run == period->runs[walk->run].count) {
        walk->in_run = 0;
        walk->run++;
    }
    if (walk->run == period->nruns) {
        walk->run = 0;
        walk->repeats--;
    }
}

/* Both have `elements` of them. */
static int same_elements(walk_t *a, walk_t *b, int64_t elements)
{
    while (elements > 0) {
        if (a->repeats == 0) {
            next(a);
        }
        if (b->repeats == 0) {
            next(b);
        }
        if (at_start(a) && at_start(b) && dame_period_same(a->period, b->period)) {
            const int64_t n = a->repeats < b->repeats ? a->repeats : b->repeats;
            a->repeats -= n;
            b->repeats -= n;
            elements -= n * a->period->elements;
            continue;
        }
        const int64_t a_row = in_a_row(a), b_row = in_a_row(b);
        const int64_t n = a_row < b_row ? a_row : b_row;
        if (!dame_basic_same(a->period->runs[a->run].basic, b->period->runs[b->run].basic)) {
            return 0;
        }
        consume(a, n);
        consume(b, n);
        elements -= n;
    }
    return 1;
}

/* Both messages as a contiguous datatype each, walked together. */
static int same_messages(walk_t *a, const dame_datatype_t *a_type, int64_t a_count, walk_t *b,
                         const dame_datatype_t *b_type, int64_t b_count)
{
    dame_type_t a_node = {.kind = DAME_CONTIG, .count = a_count, .child = &a_type->node};
    dame_type_t b_node = {.kind = DAME_CONTIG, .count = b_count, .child = &b_type->node};
    a_node.size = a_count * a_type->node.size;
    b_node.size = b_count * b_type->node.size;
    const dame_datatype_t a_all = {.node = a_node}, b_all = {.node = b_node};
    enter_pair(a, &a_all);
    enter_pair(b, &b_all);
    return same_elements(a, b, a_count * a_type->signature.elements);
}

dame_status_t dame_signature_compare(const dame_datatype_t *a, int64_t a_count,
                                     const dame_datatype_t *b, int64_t b_count, int *same)
{
    const dame_signature_t *one = &a->signature, *other = &b->signature;
    const int64_t elements = a_count * one->elements;
    if (elements != b_count * other->elements || elements == 0 || a == b) {
        *same = elements == b_count * other->elements;
        return DAME_OK;
    }
    if (one->period != NULL && other->period != NULL) {
        *same = a_count * one->repeats == b_count * other->repeats &&
                dame_period_same(one->period, other->period);
        return DAME_OK;
    }
    walk_t walks[2] = {{.levels = NULL}, {.levels = NULL}};
    const int made = walk_init(&walks[0], a) && walk_init(&walks[1], b);
    if (made) {
        *same = same_messages(&walks[0], a, a_count, &walks[1], b, b_count);
    }
    free(walks[0].levels);
    free(walks[1].levels);
    return made ? DAME_OK : DAME_ERR_NOMEM;
}

dame_status_t dame_datatype_same_signature(const dame_datatype_t *a, int64_t a_count,
                                           const dame_datatype_t *b, int64_t b_count, int *same)
{
    int64_t bytes;
    if (a == NULL || b == NULL || same == NULL) {
        return dame_fail(DAME_ERR_ARGUMENT, __func__, "%s is NULL",
                         a == NULL ? "a" : (b == NULL ? "b" : "same"));
    }
    dame_status_t status = dame_message_bytes(__func__, "a_count", a, a_count, &bytes);
    if (status == DAME_OK) {
        status = dame_message_bytes(__func__, "b_count", b, b_count, &bytes);
    }
    if (status == DAME_OK) {
        status = dame_signature_compare(a, a_count, b, b_count, same);
        return status == DAME_OK ? status : dame_fail(status, __func__, "out of memory");
    }
    return status;
}
