/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops against types at random sizes. */
#include "eval.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "instance.h"

enum { BLOCKS = 1 << 16, STEPS = 1 << 18, KINDS = 4 };

/* A move, in bytes. */
typedef struct block {
    int64_t position; /* in the buffer */
    int base;
    int64_t offset, length;
} block_t;

typedef struct blocks {
    block_t *blocks;
    size_t count, room;
    int64_t end; /* position of what comes next */
} blocks_t;

typedef struct trial {
    access_program_t *program;
    instance_t instance;
    int64_t steps; /* that are left */
    bool failed;   /* too many steps, too large numbers, no memory: not compared */
    bool negative; /* some trip was */
    blocks_t loop, type;
} trial_t;

static void add_block(trial_t *trial, blocks_t *blocks, block_t block)
{
    if (block.length <= 0 || trial->failed) {
        trial->failed |= block.length < 0;
        return;
    }
    if (blocks->count == blocks->room) {
        size_t room = blocks->room > 0 ? 2 * blocks->room : 64;
        block_t *larger = room <= BLOCKS ? realloc(blocks->blocks, room * sizeof(*larger)) : NULL;
        if (larger == NULL) {
            trial->failed = true;
            return;
        }
        blocks->blocks = larger;
        blocks->room = room;
    }
    blocks->blocks[blocks->count++] = block;
    trial->failed |= __builtin_add_overflow(blocks->end, block.length, &blocks->end);
}

static int64_t value(trial_t *trial, const poly_t *a)
{
    int64_t out = 0;
    trial->failed |= !instance_value(&trial->instance, a, &out);
    return out;
}

static int64_t sum(trial_t *trial, int64_t a, int64_t b)
{
    int64_t out = 0;
    trial->failed |= __builtin_add_overflow(a, b, &out);
    return out;
}

static bool step(trial_t *trial)
{
    trial->failed |= trial->steps-- <= 0;
    return !trial->failed;
}

/* ---- the loops ---- */

static void run_copy(trial_t *trial, const access_copy_t *copy)
{
    int64_t position = copy->position != NULL ? value(trial, copy->position) : trial->loop.end;
    add_block(
        trial, &trial->loop,
        (block_t){position, copy->base, value(trial, copy->offset), value(trial, copy->size)});
}

/* The copies first to end - 1, which have `depth` loops and guards in common. */
static void run_copies(trial_t *trial, int first, int end, int depth)
{
    const access_program_t *program = trial->program;
    for (int i = first, stop; i < end && step(trial); i = stop) {
        int path[2 * ACCESS_NESTING], other[2 * ACCESS_NESTING];
        int length = access_path(program, i, path);
        stop = i + 1;
        if (length == depth) {
            run_copy(trial, &program->copies[i]);
            continue;
        }
        int item = path[depth];
        while (stop < end && access_path(program, stop, other) > depth && other[depth] == item) {
            stop++;
        }
        if (item < 0) {
            bool holds = false;
            trial->failed |=
                !instance_holds(&trial->instance, &program->guards[ACCESS_GUARD(item)], &holds);
            if (holds) {
                run_copies(trial, i, stop, depth + 1);
            }
            continue;
        }
        int64_t trip = value(trial, program->loops[item].trip);
        trial->negative |= trip < 0;
        for (int64_t t = 0; t < trip && step(trial); t++) {
            trial->instance.values[program->loops[item].variable] = t;
            run_copies(trial, i, stop, depth + 1);
        }
    }
}

/* ---- the type ---- */

static int64_t count_of(trial_t *trial, const types_node_t *node)
{
    int64_t count = value(trial, node->count);
    for (int i = 0; i < node->nclamps; i++) {
        count = value(trial, node->clamps[i]) < 0 ? 0 : count;
    }
    return count;
}

static void walk_type(trial_t *trial, const types_node_t *node, int64_t shift);

static void walk_children(trial_t *trial, const types_node_t *node, int loop, int64_t shift)
{
    if (loop < node->nloops) {
        int64_t trip = value(trial, node->loops[loop].trip);
        for (int64_t t = 0; t < trip && step(trial); t++) {
            trial->instance.values[node->loops[loop].variable] = t;
            walk_children(trial, node, loop + 1, shift);
        }
        return;
    }
    for (int i = 0; i < node->nchildren && step(trial); i++) {
        walk_type(trial, node->children[i], shift);
    }
}

static void walk_type(trial_t *trial, const types_node_t *node, int64_t shift)
{
    bool holds = true;
    if (node->guard != NULL) {
        trial->failed |= !instance_holds(&trial->instance, node->guard, &holds);
    }
    if (!holds || !step(trial)) {
        return;
    }
    int64_t size = 0, stride = 0;
    switch (node->kind) {
    case TYPES_DENSE:
        trial->failed |= __builtin_mul_overflow(count_of(trial, node), node->type.size, &size);
        add_block(trial, &trial->type,
                  (block_t){trial->type.end, node->origin.base,
                            sum(trial, value(trial, node->origin.offset), shift), size});
        break;
    case TYPES_VECTOR:
        stride = value(trial, node->stride);
        for (int64_t t = 0, n = count_of(trial, node); t < n && step(trial); t++) {
            walk_type(trial, node->children[0], shift);
            if (t + 1 < n) {
                shift = sum(trial, shift, stride);
            }
        }
        break;
    default:
        walk_children(trial, node, 0, shift);
    }
}

/* ---- the comparison ---- */

static int by_position(const void *a, const void *b)
{
    const block_t *left = a, *right = b;
    return left->position < right->position ? -1 : left->position > right->position;
}

/* Joins moves that are contiguous in memory and in the buffer. false: a gap, or an overlap,
 * there. */
static bool join(blocks_t *blocks, int64_t start)
{
    size_t kept = 0;
    if (blocks->count > 1) {
        qsort(blocks->blocks, blocks->count, sizeof(block_t), by_position);
    }
    for (size_t i = 0; i < blocks->count; i++) {
        block_t block = blocks->blocks[i];
        block_t *last = kept > 0 ? &blocks->blocks[kept - 1] : NULL;
        if (block.position != (last != NULL ? last->position + last->length : start)) {
            return false;
        }
        if (last != NULL && last->base == block.base &&
            last->offset + last->length == block.offset) {
            last->length += block.length;
        } else {
            blocks->blocks[kept++] = block;
        }
    }
    blocks->count = kept;
    return true;
}

static void sizes_text(const trial_t *trial, char *text, size_t room)
{
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < trial->instance.natoms && length < room - 40; i++) {
        poly_kind_t kind = poly_kind(trial->program->space, i);
        if (kind == POLY_NAME || kind == POLY_OPAQUE) {
            length += (size_t) snprintf(
                text + length, room - length, "%s%.20s=%" PRId64, length > 0 ? ", " : "",
                poly_atom_text(trial->program->space, i), trial->instance.values[i]);
        }
    }
}

static void compare_blocks(trial_t *trial, const shape_t *shape, eval_t *eval)
{
    int64_t total = trial->loop.end;
    int64_t start = value(trial, trial->program->call.start);
    bool next = trial->program->copies[0].position == NULL;
    for (size_t i = 0; next && i < trial->loop.count; i++) {
        trial->failed |= __builtin_add_overflow(trial->loop.blocks[i].position, start,
                                                &trial->loop.blocks[i].position);
    }
    if (trial->failed) {
        return;
    }
    bool dense = join(&trial->loop, start);
    if (!dense && trial->negative) {
        return; /* positions that are computed from a negative size: not what the source means */
    }
    int64_t sent = 0, elements = value(trial, trial->program->call.count);
    const char *wrong = NULL;
    bool sizes = !__builtin_mul_overflow(elements, trial->program->call.type.size, &sent);
    join(&trial->type, 0);
    if (!dense) {
        wrong = "the buffer has gaps or overlaps";
    } else if (trial->type.count != trial->loop.count || trial->type.end != total) {
        wrong = "the type moves other bytes than the loop";
    } else if (shape->count == SHAPE_COUNT_PROVED && !trial->negative && sizes && sent != total) {
        wrong = "the call sends more or fewer bytes than the loop packs";
    }
    for (size_t i = 0; wrong == NULL && i < trial->loop.count; i++) {
        const block_t *a = &trial->loop.blocks[i], *b = &trial->type.blocks[i];
        if (a->base != b->base || a->offset != b->offset || a->length != b->length) {
            wrong = "the type moves bytes in another order than the loop, or others";
        }
    }
    eval->trials++;
    eval->moved += total > 0;
    if (wrong != NULL) {
        char sizes_of[200];
        sizes_text(trial, sizes_of, sizeof(sizes_of));
        eval->verdict = EVAL_WRONG;
        snprintf(eval->message, sizeof(eval->message), "with %s: %s", sizes_of, wrong);
    }
}

/* ---- trials ---- */

/* Does the trip of any loop change with the atom? */
static bool in_trips(const access_program_t *program, poly_atom_t atom)
{
    bool found = false;
    for (int i = 0; i < program->nloops && !found; i++) {
        found = poly_depends(program->space, program->loops[i].trip, atom);
    }
    for (int i = 0; i < program->ncopies && !found; i++) {
        found = poly_depends(program->space, program->copies[i].size, atom);
    }
    return found;
}

static void choose(trial_t *trial, int kind, const bool *counts, uint64_t *random)
{
    static const int64_t low[KINDS] = {1, 0, -3, 0}, span[KINDS] = {6, 3, 8, 5};
    instance_t *instance = &trial->instance;
    instance->seed = instance_random(random);
    instance->low = kind == 2 ? -2 : 0;
    instance->span = span[kind];
    for (int i = 0; i < instance->natoms; i++) {
        uint64_t number = instance_random(random);
        instance->values[i] = low[kind] + (int64_t) (number % (uint64_t) span[kind]);
        if (kind == 3 && !counts[i]) {
            instance->values[i] = ((int64_t) 1 << 31) + (int64_t) (number % 100000);
        }
    }
}

eval_t eval_random(access_program_t *program, const shape_t *shape, int trials, uint64_t seed)
{
    eval_t eval = {.verdict = EVAL_UNKNOWN};
    trial_t trial = {.program = program};
    bool *counts = calloc((size_t) poly_atoms(program->space) + 1, sizeof(*counts));
    uint64_t random = seed;
    int64_t left = (int64_t) 2 * STEPS;
    if (!instance_init(&trial.instance, program) || counts == NULL) {
        trials = 0;
    }
    for (int i = 0; i < trial.instance.natoms && trials > 0; i++) {
        counts[i] = in_trips(program, i);
    }
    for (int i = 0; i < trials && left > 0 && eval.verdict != EVAL_WRONG; i++) {
        trial.steps = STEPS;
        trial.failed = trial.negative = false;
        trial.loop.count = trial.type.count = 0;
        trial.loop.end = trial.type.end = 0;
        choose(&trial, i % KINDS, counts, &random);
        run_copies(&trial, 0, program->ncopies, 0);
        if (!trial.failed) {
            walk_type(&trial, shape->type, 0);
        }
        if (!trial.failed) {
            compare_blocks(&trial, shape, &eval);
        }
        left -= STEPS - trial.steps;
    }
    if (eval.verdict != EVAL_WRONG && eval.moved > 0) {
        eval.verdict = EVAL_RIGHT;
    } else if (eval.verdict == EVAL_UNKNOWN) {
        snprintf(eval.message, sizeof(eval.message), "no choice of small sizes moved anything");
    }
    instance_fini(&trial.instance);
    free(trial.loop.blocks);
    free(trial.type.blocks);
    free(counts);
    return eval;
}
