/* SPDX-License-Identifier: BSD-3-Clause */
#include "walk.h"

#include <stdbool.h>

typedef struct walker {
    const dame_prim_t *prims;
    int64_t *offsets;
    int64_t room;
    int64_t n;
} walker_t;

/* Levels may start beyond what 64 bits hold, only their bytes do not: the sum wraps, as addresses
 * do. */
static int64_t moved(int64_t start, int64_t times, int64_t by)
{
    return (int64_t) ((uint64_t) start + (uint64_t) times * (uint64_t) by);
}

static bool walk_type(walker_t *walker, int64_t at, int64_t start);

/* `blklen` instances of the type at primitive `at`, or behind the CONTIGCHILD there. */
static bool walk_block(walker_t *walker, int64_t at, int64_t start, int64_t blklen, int64_t extent)
{
    at += walker->prims[at].params->op == DAME_OP_CONTIGCHILD;
    for (int64_t i = 0; i < blklen; i++) {
        if (!walk_type(walker, at, moved(start, i, extent))) {
            return false;
        }
    }
    return true;
}

static bool walk_type(walker_t *walker, int64_t at, int64_t start)
{
    const dame_prim_t *prim = &walker->prims[at];
    const dame_params_t *params = prim->params;
    switch (params->op) {
    case DAME_OP_CONTIGFINAL:
        if (params->size > walker->room - walker->n) {
            return false;
        }
        for (int64_t i = 0; i < params->size; i++) {
            walker->offsets[walker->n++] = start + i;
        }
        return true;
    case DAME_OP_STRUCT:
        for (int64_t i = 0; i < prim->count; i++) {
            if (!walk_block(walker, at + params->sub_deltas[i] + 1,
                            moved(start, 1, dame_prim_disp(prim, i)), params->blklens[i],
                            params->extents[i])) {
                return false;
            }
        }
        return true;
    default:
        for (int64_t i = 0; i < prim->count; i++) {
            int64_t place = moved(start, 1, (int64_t) dame_iter_offset(prim, i));
            int64_t blklen = prim->prefix ? dame_iter_size(prim, i) / params->size : params->blklen;
            if (!walk_block(walker, at + 1, place, blklen, params->extent)) {
                return false;
            }
        }
        return true;
    }
}

int64_t walk_program(const dame_program_t *program, int64_t *offsets, int64_t room)
{
    walker_t walker = {.prims = program->prims, .offsets = offsets, .room = room};
    return walk_type(&walker, 1, 0) ? walker.n : -1;
}
