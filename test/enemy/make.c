/* SPDX-License-Identifier: BSD-3-Clause */
#include "make.h"

#include <stdlib.h>
#include <string.h>

#include "dame/type.h"
#include "test/lib/random_type.h"
#include "test/lib/rng.h"
#include "test/lib/type_tools.h"

#include "recipe.h"

enum { SMALL = 3, SHAPES = 4 };

/* How big and how often. */
typedef struct scale {
    int64_t bytes; /* of an element, at most */
    int rounds, steps;
} scale_t;

static scale_t random_scale(rng_t *rng)
{
    const int64_t kind = rng_range(rng, 0, 99);
    if (kind < 12) { /* one datatype again and again, while its code changes */
        return (scale_t){.bytes = 1500, .rounds = (int) rng_range(rng, 60, 300), .steps = 2};
    }
    if (kind < 80) {
        return (scale_t){.bytes = 2000, .rounds = 1, .steps = (int) rng_range(rng, 4, 10)};
    }
    if (kind < 97) {
        return (scale_t){.bytes = 30000,
                         .rounds = (int) rng_range(rng, 1, 4),
                         .steps = (int) rng_range(rng, 2, 5)};
    }
    return (scale_t){.bytes = 300000, .rounds = (int) rng_range(rng, 1, 2), .steps = 2};
}

/* The basic datatypes of a period, and their sizes as test/lib wants them. One datatype for each
 * size. */
static signature_t random_basics(rng_t *rng, const scale_t *scale, program_t *program)
{
    static const int of_size[][2] = {{0, 1}, {2, 2}, {3, 4}, {5, 6}, {7, 7}};
    int chosen[5];
    signature_t s = {.npattern = rng_chance(rng, 60) ? 1 : (int) rng_range(rng, 2, 4)};

    for (int i = 0; i < 5; i++) {
        chosen[i] = of_size[i][rng_range(rng, 0, 1)];
    }
    for (int i = 0; i < s.npattern; i++) {
        program->basics[i] = chosen[rng_chance(rng, 40) ? 2 : rng_range(rng, 0, 4)];
        s.pattern[i] = basic_size(program->basics[i]);
    }
    program->nbasics = s.npattern;
    s.reps = 1;
    const int64_t most = scale->bytes / signature_bytes(&s);
    for (int64_t i = rng_range(rng, 0, 14); i > 0; i--) {
        const int64_t next = s.reps * rng_range(rng, 2, rng_chance(rng, 80) ? 4 : 9);
        s.reps = next <= most ? next : s.reps;
    }
    s.reps = rng_chance(rng, 3) ? 0 : s.reps;
    return s;
}

/* Several elements in a row do not overlap and do not lie far apart. */
static const dame_type_t *in_a_row(rng_t *rng, dame_tree_t *tree, const dame_type_t *type,
                                   bool overlap)
{
    const int64_t width = type->true_ub - type->true_lb,
                  step = type->extent < 0 ? -type->extent : type->extent;
    const dame_type_t *out = type;
    if ((step < width && !overlap) || step > 4 * width + 4096) {
        const int64_t extent = width + rng_range(rng, 0, 64);
        if (dame_type_resized(tree, type->lb, rng_chance(rng, 15) ? -extent : extent, type, &out) !=
            DAME_OK) {
            return NULL;
        }
    }
    return out;
}

/* Datatypes of the first shapes may have displacements over 2^31. */
static const dame_type_t *moved(dame_tree_t *tree, const dame_type_t *type, bool may_be_far)
{
    return may_be_far || (type->true_lb > -NEAR && type->true_ub < NEAR)
               ? type
               : type_shifted(tree, type, -type->true_lb);
}

/* What Open MPI takes for contiguous begins at displacement 0, if the rules say so. */
static const dame_type_t *placed(dame_tree_t *tree, const dame_type_t *type)
{
    const bool is_contiguous =
        type->size == type->true_ub - type->true_lb && type->size == type->extent;
    return rules.displaced || !is_contiguous || type->true_lb == 0
               ? type
               : type_shifted(tree, type, -type->true_lb);
}

static bool make_shape(rng_t *rng, const signature_t *s, const scale_t *scale, bool overlap,
                       bool flat, const program_t *program, shape_t *shape)
{
    const type_limits_t limits = {.levels = flat ? 0 : (int) rng_range(rng, 0, 4),
                                  .max_bytes = scale->bytes,
                                  .max_span = 6 * scale->bytes + 4096,
                                  .max_blocks = rng_chance(rng, 80) ? 40 : 2000,
                                  .overlap = overlap && !flat};
    const dame_type_t *type = NULL;
    const char *what = "dame_tree_new";
    dame_tree_t *tree = dame_tree_new();
    bool ok = tree != NULL && random_type(rng, &limits, s, tree, &type, &what) == DAME_OK;

    type = ok ? moved(tree, type, shape < &program->shapes[NEAR_SHAPE]) : NULL;
    type = type != NULL ? in_a_row(rng, tree, type, limits.overlap) : NULL;
    type = type != NULL ? placed(tree, type) : NULL;
    ok = type != NULL && make_recipe(rng, type, program, shape);
    shape->send_only = limits.overlap;
    if (!ok) {
        fprintf(stderr, "enemy: %s failed\n", what);
    }
    dame_tree_free(tree);
    return ok;
}

/* More of the most used ones. */
static const char *random_op(rng_t *rng)
{
    static const char *const ops[] = {
        "message",     "message",    "message",   "message",    "message",    "collective",
        "collective",  "collective", "alltoallw", "neighbours", "reduction",  "pack",
        "pack",        "external",   "self",      "self",       "attributes", "interleaved",
        "partitioned", "threads",    "window",    "file",       "children",
    };
    return ops[rng_range(rng, 0, sizeof ops / sizeof ops[0] - 1)];
}

static void make_step(rng_t *rng, const scale_t *scale, const program_t *program, step_t *step)
{
    static const char *const hot[] = {"message", "pack",        "self",
                                      "threads", "interleaved", "partitioned"};
    const bool is_hot = scale->rounds > 50;
    step->op = is_hot ? hot[rng_range(rng, 0, 5)] : random_op(rng);
    step->seed = rng_next(rng);
    step->a = (int) rng_range(rng, 0, SHAPES - 1);
    step->b = (int) rng_range(rng, 1, SHAPES - 1);
    step->rounds = scale->rounds;
    const shape_t *a = &program->shapes[step->a];
    const int64_t width = a->true_ub - a->true_lb + (a->extent < 0 ? -a->extent : a->extent) + 1;
    const int64_t most = 1 + (is_hot ? 4000 : 400000) / width;
    step->count = rng_chance(rng, 4) ? 0
                                     : (int) rng_range(rng, 1,
                                                       rng_chance(rng, 60) && most > 4 ? 4
                                                       : most > 40                     ? 40
                                                                                       : most);
}

bool make_program(uint64_t seed, uint64_t number, const smaller_t *smaller, program_t *program)
{
    rng_t rng = rng_seeded(seed, 16 * number);
    const scale_t scale = random_scale(&rng);
    *program = (program_t){.nshapes = 0};
    const signature_t whole = random_basics(&rng, &scale, program);
    signature_t small = whole;

    small.reps = whole.reps > 0 ? rng_range(&rng, 1, whole.reps) : 0;
    for (int i = 0; i < SHAPES; i++) {
        rng_t own = rng_seeded(seed, 16 * number + 1 + (uint64_t) i);
        const bool overlap = i == 0 && rng_chance(&rng, 25);
        if (!make_shape(&own, i == SMALL ? &small : &whole, &scale, overlap, smaller->flat >> i & 1,
                        program, &program->shapes[i])) {
            return false;
        }
        program->nshapes++;
    }
    program->nsteps = scale.steps;
    for (int i = 0; i < scale.steps; i++) {
        rng_t own = rng_seeded(seed + 1, 16 * number + (uint64_t) i);
        make_step(&own, &scale, program, &program->steps[i]);
        if (smaller->count > 0 && program->steps[i].count > smaller->count) {
            program->steps[i].count = smaller->count;
        }
        if (smaller->rounds > 0 && program->steps[i].rounds > smaller->rounds) {
            program->steps[i].rounds = smaller->rounds;
        }
    }
    return true;
}

void free_program(program_t *program)
{
    for (int i = 0; i < program->nshapes; i++) {
        free((void *) program->shapes[i].recipe);
        free((void *) program->shapes[i].runs);
    }
}
