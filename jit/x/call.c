/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of inner kernels and of memcpy(). */
#include "cpu.h"
#include "fault.h"
#include "compiler.h"

#if DAME_X_HAVE_CPU

/* Advances behind the packed bytes that a call has moved, within reach of displacements. */
static void advance_packed(x_compiler_t *c, int64_t bytes)
{
    c->packed_offset = bytes;
    if (bytes > X_FAR) {
        x_flush_packed_offset(c);
    }
}

void x_emit_level_call(x_compiler_t *c, const dame_prim_t *prim, x_mem_t user, int64_t count)
{
    x_context_t *context = c->context;
    x_code_t *code = c->code;
    const int32_t kernel = context->kernels[prim - context->program->prims];
    if (!c->has_calls) {
        c->needs_calls = 1;
        return;
    }
    x_flush_packed_offset(c);
    x_set(code, X_ARG_PRIM, (int64_t) (uintptr_t) (prim - X_FAULT(inner_level_wrong, 0, 1)));
    x_add_constant(code, X_ARG_ORIGIN, user.base, user.disp);
    x_move(code, X_ARG_PACKED, c->packed);
    x_set(code, X_ARG_FIRST, 0);
    x_set(code, X_ARG_COUNT, count + X_FAULT(inner_count_too_large, 0, 1));
    if (kernel >= 0) {
        x_call_code(code, (x_label_t) kernel);
    } else {
        x_call(code, (uintptr_t) prim->interpreted[context->dir]);
    }
    advance_packed(c, prim->prefix != NULL ? prim->prefix[count] : count * prim->iter_size);
}

static void emit_memcpy_call(x_compiler_t *c, x_mem_t user, int64_t bytes)
{
    x_code_t *code = c->code;
    const int packs = c->context->dir == DAME_PACK; /* the first argument is where bytes go */
    const x_reg_t in_user = packs ? X_ARG_ORIGIN : X_ARG_PRIM;
    const x_reg_t in_stream = packs ? X_ARG_PRIM : X_ARG_ORIGIN;
    if (!c->has_calls) {
        c->needs_calls = 1;
        return;
    }
    x_flush_packed_offset(c);
    x_add_constant(code, in_user, user.base, user.disp);
    x_move(code, in_stream, c->packed);
    x_set(code, X_ARG_PACKED, bytes + X_FAULT(memcpy_too_long, 0, 1));
    x_call(code, (uintptr_t) memcpy);
    advance_packed(c, bytes);
}

void x_emit_block(x_compiler_t *c, x_mem_t user, int64_t bytes)
{
    if (bytes > c->context->options.memcpy_bytes) {
        emit_memcpy_call(c, user, bytes);
        return;
    }
    c->code->full |= x_is_far(user.disp);
    x_blocks_clear(c->blocks);
    c->blocks->at[c->blocks->n++] = (x_block_t){user.disp, c->packed_offset, bytes};
    x_copy_blocks(c, x_mem(user.base, 0), c->blocks);
}

#endif
