/* SPDX-License-Identifier: BSD-3-Clause */
#include "guarded_program.h"

#include <string.h>

/* A piece with the same bytes; NULL without room for one more. */
static void *copy_piece(guarded_program_t *copy, const void *bytes, size_t size, edge_t edge)
{
    if (copy->npieces == MOST_PIECES || !guarded_alloc(&copy->pieces[copy->npieces], size, edge)) {
        return NULL;
    }
    return memcpy(copy->pieces[copy->npieces++].bytes, bytes, size);
}

/* Puts a copy of the `n` entries that `table` points to in their place, if it does. */
#define COPY_TABLE(table, n)                                                                       \
    ((table) == NULL ||                                                                            \
     ((table) = copy_piece(copy, (table), (size_t) (n) * sizeof *(table), edge)) != NULL)

static bool copy_tables(guarded_program_t *copy, dame_prim_t *prim, edge_t edge)
{
    const int64_t n = prim->count;
    const int64_t sorted = prim->window > 0 ? n / prim->window * prim->window : 0;
    return COPY_TABLE(prim->disps, n) && COPY_TABLE(prim->disps32, n) &&
           COPY_TABLE(prim->visits, sorted) && COPY_TABLE(prim->prefix, n + 1) &&
           COPY_TABLE(prim->inner_deltas, n);
}

bool guarded_program_copy(const dame_program_t *program, edge_t edge, guarded_program_t *copy)
{
    copy->npieces = 0;
    copy->program = NULL;
    size_t size = sizeof *program + (size_t) program->nprims * sizeof program->prims[0];
    dame_program_t *mine = copy_piece(copy, program, size, edge);
    for (int32_t i = 0; mine != NULL && i < mine->nprims; i++) {
        if (!copy_tables(copy, &mine->prims[i], edge)) {
            return false;
        }
    }
    copy->program = mine;
    return mine != NULL;
}

void guarded_program_free(guarded_program_t *copy)
{
    for (int i = 0; i < copy->npieces; i++) {
        guarded_free(&copy->pieces[i]);
    }
    copy->npieces = 0;
    copy->program = NULL;
}
