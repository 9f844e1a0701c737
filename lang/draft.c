/* SPDX-License-Identifier: BSD-3-Clause */
#include "draft.h"

#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "kernels.h"
#include "ops.h"

void dame_draft_fini(dame_draft_t *draft)
{
    free(draft->prims);
    free(draft->words);
    free(draft->inners);
}

/* Memory for `more` entries behind the first n, in steps that keep all copying linear; NULL when
 * memory is out, and then `memory` stays. */
static void *grown(void *memory, size_t *room, size_t n, size_t more, size_t size)
{
    if (more <= *room - n) {
        return memory;
    }
    size_t wanted = n + more > 2 * *room ? n + more : 2 * *room;
    wanted = wanted < 16 ? 16 : wanted;
    if (wanted > SIZE_MAX / 4 / size) {
        return NULL;
    }
    void *result = realloc(memory, wanted * size);
    if (result != NULL) {
        *room = wanted;
    }
    return result;
}

dame_status_t dame_draft_add(dame_draft_t *draft, dame_op_t op, int64_t line, int64_t column)
{
    if (draft->nprims == DAME_MAX_PRIMS) {
        return DAME_ERR_LIMIT;
    }
    dame_draft_prim_t *prims =
        grown(draft->prims, &draft->prims_room, draft->nprims, 1, sizeof(*prims));
    if (prims == NULL) {
        return DAME_ERR_NOMEM;
    }
    draft->prims = prims;
    prims[draft->nprims++] = (dame_draft_prim_t){
        .params = {.op = op}, .line = line, .column = column, .lists = draft->nwords};
    return DAME_OK;
}

dame_status_t dame_draft_word(dame_draft_t *draft, int64_t value)
{
    int64_t *words = grown(draft->words, &draft->words_room, draft->nwords, 1, sizeof(*words));
    if (words == NULL) {
        return DAME_ERR_NOMEM;
    }
    draft->words = words;
    words[draft->nwords++] = value;
    return DAME_OK;
}

dame_status_t dame_draft_inners(dame_draft_t *draft, size_t at)
{
    size_t n = 2 * (size_t) draft->prims[at].prim.count;
    int32_t *inners = grown(draft->inners, &draft->inners_room, draft->ninners, n, sizeof(*inners));
    if (inners == NULL) {
        return DAME_ERR_NOMEM;
    }
    draft->inners = inners;
    draft->prims[at].inners = draft->ninners;
    memset(inners + draft->ninners, 0, n * sizeof(*inners));
    draft->ninners += n;
    return DAME_OK;
}

const int64_t *dame_draft_list(const dame_draft_t *draft, size_t at, char letter)
{
    const dame_draft_prim_t *from = &draft->prims[at];
    size_t first = from->lists;
    for (const char *p = dame_op_params(from->params.op); *p != '\0'; p++) {
        if (letter == *p) {
            return draft->words + first;
        }
        first += dame_op_is_list(*p) ? (size_t) from->prim.count : 0;
    }
    return NULL;
}

static void measure_draft(const dame_draft_t *draft, dame_need_t *need)
{
    need->prims = (int64_t) draft->nprims;
    need->halves = (int64_t) draft->ninners;
    for (size_t i = 0; i < draft->nprims; i++) {
        const int64_t *disps = dame_draft_list(draft, i, 'D');
        int64_t count = draft->prims[i].prim.count;
        if (disps != NULL) {
            dame_need_disps(need, draft->prims[i].params.op, disps, count);
        }
        if (dame_draft_list(draft, i, 'B') != NULL) {
            need->words += count + 1; /* prefix */
        }
        if (draft->prims[i].params.op == DAME_OP_STRUCT) {
            need->words += 2 * count; /* blocklengths, extents */
        }
    }
}

/* Prefix sums of a level with blocks of different sizes. */
static dame_status_t emit_prefix(dame_emitter_t *emitter, dame_prim_t *prim, const int64_t *blklens,
                                 const int64_t *sizes)
{
    int64_t *prefix = dame_emit_words(emitter, prim->count + 1);
    prefix[0] = 0;
    for (int64_t i = 0; i < prim->count; i++) {
        int64_t bytes;
        if (__builtin_mul_overflow(blklens[i], sizes != NULL ? sizes[i] : prim->params->size,
                                   &bytes) ||
            __builtin_add_overflow(prefix[i], bytes, &prefix[i + 1])) {
            return DAME_ERR_RANGE;
        }
    }
    prim->prefix = prefix;
    return DAME_OK;
}

static dame_status_t emit_tables(dame_emitter_t *emitter, const dame_draft_t *draft, size_t at,
                                 dame_prim_t *prim)
{
    const int64_t *disps = dame_draft_list(draft, at, 'D');
    const int64_t *blklens = dame_draft_list(draft, at, 'B');
    if (disps != NULL) {
        dame_emit_disps(emitter, prim, disps, prim->count);
    }
    if (prim->params->op == DAME_OP_STRUCT) {
        size_t n = (size_t) prim->count;
        int64_t *own_blklens = dame_emit_words(emitter, prim->count);
        int64_t *extents = dame_emit_words(emitter, prim->count);
        int32_t *inners = dame_emit_halves(emitter, 2 * prim->count);
        memcpy(own_blklens, blklens, n * sizeof(int64_t));
        memcpy(extents, dame_draft_list(draft, at, 'X'), n * sizeof(int64_t));
        memcpy(inners, draft->inners + draft->prims[at].inners, 2 * n * sizeof(int32_t));
        prim->params->blklens = own_blklens;
        prim->params->extents = extents;
        prim->inner_deltas = inners;
        prim->params->sub_deltas = inners + n;
    }
    return blklens == NULL ? DAME_OK
                           : emit_prefix(emitter, prim, blklens, dame_draft_list(draft, at, 'Z'));
}

dame_status_t dame_draft_assemble(const dame_draft_t *draft, dame_program_t **out, int32_t *at)
{
    dame_need_t need = {.prims = 0};
    measure_draft(draft, &need);
    dame_emitter_t emitter;
    dame_status_t status = dame_emitter_init(&emitter, &need);
    if (status != DAME_OK) {
        return status;
    }
    dame_program_t *program = emitter.program;
    for (size_t i = 0; i < draft->nprims; i++) {
        dame_prim_t *prim = dame_emit_prim(&emitter, draft->prims[i].params.op);
        dame_params_t *params = prim->params;
        *params = draft->prims[i].params;
        *prim = draft->prims[i].prim;
        prim->params = params;
        status = emit_tables(&emitter, draft, i, prim);
        if (status != DAME_OK) {
            *at = (int32_t) i;
            dame_program_free(program);
            return status;
        }
    }
    for (int32_t i = program->nprims - 1; i > 0; i--) { /* a kernel depends on the inner levels */
        dame_prim_t *prim = &program->prims[i];
        if (dame_op_class(prim->params->op) != DAME_CLASS_CONTROL
                ? prim->params->op != DAME_OP_CONTIGFINAL
                : prim->params->op == DAME_OP_CONTIGCHILD) {
            dame_kernels_select(prim, NULL);
        }
    }
    *out = program;
    return DAME_OK;
}
