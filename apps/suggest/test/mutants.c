#include "mutants.h"

#include <string.h>

#include "suggest/eval.h"
#include "suggest_test.h"

typedef struct mutator {
    access_program_t *program;
    int wanted; /* which place is changed */
    int places; /* that were seen */
    const char *what;
} mutator_t;

static const poly_t *changed(mutator_t *mutator, const poly_t *a, int64_t by, const char *what)
{
    if (mutator->places++ != mutator->wanted) {
        return a;
    }
    mutator->what = what;
    return poly_add(mutator->program->space, a, poly_constant(mutator->program->space, by));
}

/* A copy of the node, in which one place is changed. `first`: the node's place is its parent's. */
static const types_node_t *mutant(mutator_t *mutator, const types_node_t *node, bool first)
{
    types_node_t *copy = poly_alloc(mutator->program->space, 1, sizeof(*copy));
    *copy = *node;
    if (node->kind == TYPES_DENSE || node->kind == TYPES_VECTOR) {
        copy->count = changed(mutator, node->count, 1, "count");
    }
    if (node->kind == TYPES_VECTOR) {
        copy->stride = changed(mutator, node->stride, 4, "stride");
    }
    if (node->kind == TYPES_DENSE) {
        copy->origin.offset = changed(mutator, node->origin.offset, first ? 8 : 4, "displacement");
    }
    if (node->nloops > 0) {
        types_loop_t *loops =
            poly_alloc(mutator->program->space, (size_t) node->nloops, sizeof(*loops));
        memcpy(loops, node->loops, (size_t) node->nloops * sizeof(*loops));
        for (int i = 0; i < node->nloops; i++) {
            loops[i].trip = changed(mutator, loops[i].trip, 1, "trip");
        }
        copy->loops = loops;
    }
    if (node->nchildren > 0) {
        const types_node_t **children =
            poly_alloc(mutator->program->space, (size_t) node->nchildren, sizeof(*children));
        for (int i = 0; i < node->nchildren; i++) {
            children[i] = mutant(mutator, node->children[i], false);
        }
        copy->children = children;
    }
    return copy;
}

void mutants_try(access_program_t *program, const shape_t *shape, bool identity, const char *name)
{
    mutator_t mutator = {.program = program};
    for (mutator.wanted = 0, mutator.places = 1; mutator.wanted < mutator.places;
         mutator.wanted++) {
        mutator.places = 0;
        shape_t wrong = *shape;
        wrong.type = mutant(&mutator, shape->type, true);
        if (mutator.wanted >= mutator.places) {
            break;
        }
        eval_t random = eval_random(program, &wrong, 60, 3);
        check(random.verdict == EVAL_WRONG, "%s: another %s (%d) is not seen at random sizes", name,
              mutator.what, mutator.wanted);
        if (identity) {
            eval_t proved = eval_identity(program, wrong.type);
            check(proved.verdict != EVAL_RIGHT, "%s: another %s (%d) has the identity", name,
                  mutator.what, mutator.wanted);
        }
    }
}
