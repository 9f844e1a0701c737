/* SPDX-License-Identifier: BSD-3-Clause */
#include "emit.h"

#include <string.h>

#include "base/heap.h"
#include "kernels.h"

static int is_narrow(dame_op_t op, const int64_t *disps, int64_t n)
{
    int wide = op == DAME_OP_STRUCT;
    for (int64_t i = 0; i < n; i++) {
        wide |= disps[i] != (int32_t) disps[i];
    }
    return !wide;
}

void dame_need_disps(dame_need_t *need, dame_op_t op, const int64_t *disps, int64_t n)
{
    *(is_narrow(op, disps, n) ? &need->halves : &need->words) += n;
}

dame_status_t dame_emitter_init(dame_emitter_t *emitter, const dame_need_t *need)
{
    const size_t n = (size_t) need->prims;
    size_t prims = sizeof(dame_program_t) + n * (sizeof(dame_prim_t) + sizeof(dame_params_t));
    size_t words = (size_t) need->words * sizeof(int64_t);
    size_t memory = prims + words + (size_t) need->halves * sizeof(int32_t);
    dame_program_t *program = dame_heap_alloc(memory);
    if (program == NULL) {
        return DAME_ERR_NOMEM;
    }
    memset(program, 0, prims);
    program->nprims = (int32_t) need->prims;
    dame_params_t *params = (dame_params_t *) &program->prims[n];
    for (size_t i = 0; i < n; i++) {
        program->prims[i].params = &params[i];
    }
    program->memory = memory;
    *emitter = (dame_emitter_t){.program = program,
                                .words = (int64_t *) ((char *) program + prims),
                                .halves = (int32_t *) ((char *) program + prims + words)};
    return DAME_OK;
}

dame_prim_t *dame_emit_prim(dame_emitter_t *emitter, dame_op_t op)
{
    dame_prim_t *prim = &emitter->program->prims[emitter->next++];
    prim->params->op = op;
    return prim;
}

int64_t *dame_emit_words(dame_emitter_t *emitter, int64_t n)
{
    int64_t *words = emitter->words;
    emitter->words += n;
    return words;
}

int32_t *dame_emit_halves(dame_emitter_t *emitter, int64_t n)
{
    int32_t *halves = emitter->halves;
    emitter->halves += n;
    return halves;
}

void dame_emit_disps(dame_emitter_t *emitter, dame_prim_t *prim, const int64_t *disps, int64_t n)
{
    if (!is_narrow(prim->params->op, disps, n)) {
        int64_t *words = dame_emit_words(emitter, n);
        memcpy(words, disps, (size_t) n * sizeof(*disps));
        prim->disps = words;
        return;
    }
    int32_t *halves = dame_emit_halves(emitter, n);
    for (int64_t i = 0; i < n; i++) {
        halves[i] = (int32_t) disps[i];
    }
    prim->disps32 = halves;
}

void dame_emit_exit(dame_program_t *program, int32_t inner, const dame_options_t *options)
{
    dame_prim_t *prim = &program->prims[0];
    prim->step = program->extent;
    prim->iter_size = program->size;
    prim->params->blklen = 1;
    prim->params->size = program->size;
    prim->params->extent = program->extent;
    prim->inner_delta = inner;
    dame_kernels_select(prim, options);
    for (int32_t i = 0; i < program->nprims; i++) {
        program->has_by_block |= program->prims[i].by_block != NULL;
    }
}
