/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers, and straight-line code: copies of blocks at known displacements, without a loop. */
#include "cpu.h"
#include "fault.h"
#include "compiler.h"

#if DAME_X_HAVE_CPU

/* ---- registers ---- */

x_reg_t x_reg_alloc(x_compiler_t *c)
{
    if (c->nfree == 0) {
        c->needs_saved = 1;
        return X_TEMP; /* this code is discarded */
    }
    return c->free[--c->nfree];
}

void x_reg_free(x_compiler_t *c, x_reg_t reg)
{
    if (reg != X_TEMP) {
        c->free[c->nfree++] = reg;
    }
}

void x_flush_packed_offset(x_compiler_t *c)
{
    x_add_constant(c->code, c->packed, c->packed,
                   c->packed_offset + X_FAULT(packed_off_by_one, 0, 1));
    c->packed_offset = 0;
}

x_reg_t x_reg_alloc_address(x_compiler_t *c, x_mem_t user)
{
    const x_reg_t reg = x_reg_alloc(c);
    x_add_constant(c->code, reg, user.base, user.disp);
    return reg;
}

/* ---- straight-line code ---- */

int x_append_blocks(const x_compiler_t *c, const dame_prim_t *prim, int64_t first, int64_t n,
                    int64_t user, int64_t *packed, x_blocks_t *to)
{
    if (n > X_MAX_BLOCKS ||
        (dame_prim_has_list(prim) && n > 1 && n > c->context->options.list_entries)) {
        return 0;
    }
    for (int64_t i = first; i < first + n; i++) {
        const int32_t inner = dame_iter_inner(prim, i);
        int64_t at;
        if (__builtin_add_overflow(user, (int64_t) dame_iter_offset(prim, i), &at)) {
            return 0;
        }
        if (inner != 0) {
            if (!x_append_blocks(c, prim + inner, 0, dame_iter_inner_count(prim, i, prim + inner),
                                 at, packed, to)) {
                return 0;
            }
            continue;
        }
        const int64_t bytes = dame_iter_size(prim, i);
        x_block_t *last = to->n > 0 ? &to->at[to->n - 1] : NULL;
        if (bytes > c->context->options.memcpy_bytes || x_is_far(at)) {
            return 0;
        }
        if (last != NULL && last->user + last->bytes == at) {
            last->bytes += bytes;
        } else if (to->n == X_MAX_BLOCKS) {
            return 0;
        } else {
            to->at[to->n++] = (x_block_t){at, *packed, bytes};
        }
        *packed += bytes;
    }
    return 1;
}

int x_collect_blocks(const x_compiler_t *c, const dame_prim_t *prim, int64_t n, int64_t user,
                     int64_t max_bytes, x_blocks_t *to)
{
    int64_t packed = c->packed_offset;
    x_blocks_clear(to);
    if (prim->prefix == NULL && prim->iter_size > 0 && n > max_bytes / prim->iter_size) {
        return 0;
    }
    return x_append_blocks(c, prim, 0, n, user, &packed, to) &&
           packed - c->packed_offset <= max_bytes;
}

int x_collect_iteration(const x_compiler_t *c, const dame_prim_t *prim, int64_t user,
                        x_blocks_t *to)
{
    const int64_t max_bytes = c->context->options.memcpy_bytes;
    x_blocks_clear(to);
    if (x_is_far(user)) {
        return 0;
    }
    if (prim->inner_delta != 0) {
        const dame_prim_t *inner = prim + prim->inner_delta;
        return x_collect_blocks(c, inner, inner->count, user, max_bytes, to);
    }
    if (prim->iter_size > max_bytes) {
        return 0;
    }
    to->at[to->n++] = (x_block_t){user, c->packed_offset, prim->iter_size};
    return 1;
}

void x_copy_blocks(x_compiler_t *c, x_mem_t user, const x_blocks_t *blocks)
{
    x_reg_t scratch[2] = {X_TEMP, X_TEMP};
    const int needs_scratch = x_needs_scratch(blocks);
    for (int i = 0; needs_scratch && i < 2; i++) {
        scratch[i] = x_reg_alloc(c);
    }
    x_emit_copies(c->code, c->context->dir, user, c->packed, blocks, scratch);
    for (int i = 2; needs_scratch && i-- > 0;) {
        x_reg_free(c, scratch[i]);
    }
    if (blocks->n > 0) {
        c->packed_offset = blocks->at[blocks->n - 1].packed + blocks->at[blocks->n - 1].bytes;
    }
}

#endif
