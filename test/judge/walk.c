/* SPDX-License-Identifier: BSD-3-Clause */
#include "walk.h"

typedef struct walker {
    walk_block_fn block;
    void *context;
    int64_t packed;
} walker_t;

static bool visit(walker_t *walker, const dame_prim_t *prim, uint64_t origin, int64_t first,
                  int64_t n)
{
    for (int64_t i = first; i < first + n; i++) {
        const uint64_t at = origin + dame_iter_offset(prim, i);
        const int64_t bytes = dame_iter_size(prim, i);
        const int32_t distance = dame_iter_inner(prim, i);
        const dame_prim_t *inner = prim + distance;
        if (bytes == 0) {
            continue;
        }
        if (distance) {
            if (!visit(walker, inner, at, 0, dame_iter_inner_count(prim, i, inner))) {
                return false;
            }
        } else {
            if (!walker->block(walker->context, at, walker->packed, bytes)) {
                return false;
            }
            walker->packed += bytes;
        }
    }
    return true;
}

bool walk_run(const dame_prim_t *prim, uint64_t origin, int64_t first, int64_t n,
              walk_block_fn block, void *context)
{
    walker_t walker = {.block = block, .context = context};
    return visit(&walker, prim, origin, first, n);
}

int64_t walk_limit(const dame_program_t *program, const dame_prim_t *prim)
{
    int64_t limit = 0;
    if (prim == program->prims) {
        return INT64_MAX;
    }
    if (prim->count) {
        return prim->count;
    }
    for (const dame_prim_t *above = program->prims; above < prim; above++) {
        if (above->inner_delta && above + above->inner_delta == prim) {
            for (int64_t i = 0; i < above->count; i++) {
                const int64_t n = dame_iter_size(above, i) / prim->iter_size;
                limit = n > limit ? n : limit;
            }
        }
    }
    return limit;
}
