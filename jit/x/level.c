/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of whole levels: which levels get one, and the parts of it. */
#include "level.h"

#include "dame/memory_order.h"
#include "cpu.h"
#include "fault.h"
#include "compiler.h"

#if DAME_X_HAVE_CPU

enum { KERNEL_ROOM = 8192 }; /* bytes of one kernel */

/* ---- levels ---- */

static int is_paced(const x_compiler_t *c, const dame_prim_t *prim)
{
    return c->context->dir == DAME_UNPACK && dame_is_strided_leaf(prim) && dame_paces_stores(prim);
}

static int is_throttled(const x_compiler_t *c, const dame_prim_t *prim)
{
    return c->context->dir == DAME_UNPACK ? dame_throttles_stores(prim)
                                          : dame_throttles_loads(prim);
}

/* The interpreter's kernels are better for lists of blocks of different lengths, for lists visited
 * in another order, and for levels with blocks that lie badly for the cache. */
static int keep_interpreter(const x_compiler_t *c, const dame_prim_t *prim)
{
    return prim->iter_size == 0 || prim->prefix != NULL || prim->visits != NULL ||
           dame_walks_columns(prim) || is_throttled(c, prim) || is_paced(c, prim);
}

/* Returns whether the level has few iterations that differ, which are emitted one after the other.
 * */
static int has_members(const x_compiler_t *c, const dame_prim_t *prim)
{
    return prim->inner_deltas != NULL ||
           (prim->prefix != NULL && prim->count <= c->context->options.list_entries);
}

static void emit_each_member(x_compiler_t *c, const dame_prim_t *prim, x_mem_t user)
{
    for (int64_t i = 0; i < prim->count && !c->code->full; i++) {
        const dame_prim_t *inner = prim + dame_iter_inner(prim, i);
        const int64_t disp = dame_prim_disp(prim, i);
        x_mem_t at = x_mem(user.base, (int64_t) ((uint64_t) user.disp + (uint64_t) disp));
        const int is_far = x_is_far(at.disp);
        if (is_far) {
            at = x_mem(x_reg_alloc_address(c, at), 0);
        }
        if (inner != prim) {
            const int64_t count = dame_iter_inner_count(prim, i, inner);
            if (x_collect_blocks(c, inner, count, at.disp, c->context->options.straight_bytes,
                                 c->blocks)) {
                x_copy_blocks(c, x_mem(at.base, 0), c->blocks);
            } else { /* a loop is much longer than a call, and may be that of many members */
                x_emit_level_call(c, inner, at, count);
            }
        } else {
            x_emit_block(c, at, dame_iter_size(prim, i));
        }
        if (is_far) {
            x_reg_free(c, at.base);
        }
    }
}

void x_emit_all(x_compiler_t *c, const dame_prim_t *prim, x_mem_t user, int64_t n)
{
    x_walk_t walk = {.prim = prim, .user = user};
    if (x_collect_blocks(c, prim, n, user.disp, c->context->options.straight_bytes, c->blocks)) {
        x_copy_blocks(c, x_mem(user.base, 0), c->blocks);
    } else if (prim->prefix != NULL || keep_interpreter(c, prim) || c->is_shallow) {
        x_emit_level_call(c, prim, user, n);
    } else if (dame_prim_has_list(prim)) {
        walk.table = x_reg_alloc(c);
        walk.at = x_reg_alloc(c);
        x_set(c->code, walk.table, x_table_address(prim));
        x_emit_loop(c, &walk, (x_trips_t){.constant = n});
        x_reg_free(c, walk.at);
        x_reg_free(c, walk.table);
    } else {
        walk.user = x_mem(x_reg_alloc_address(c, user), 0);
        x_emit_loop(c, &walk, (x_trips_t){.constant = n});
        x_reg_free(c, walk.user.base);
    }
}

/* ---- kernels ---- */

/* Fills the stack of free registers; origin, packed and count stay in use, and the table. */
static void init_free_registers(x_compiler_t *c, int has_table)
{
    c->nfree = 0;
    c->packed_offset = 0;
    c->packed = X_ARG_PACKED;
    for (int i = c->saved; i-- > 0;) {
        c->free[c->nfree++] = x_saved[i];
    }
    if (c->has_calls) {
        c->packed = x_reg_alloc(c);
        x_move(c->code, c->packed, X_ARG_PACKED);
        return;
    }
    for (int i = X_VOLATILES; i-- > 0;) {
        c->free[c->nfree++] = X_FAULT(register_not_saved, x_volatile[i], x_saved[i % X_SAVED]);
    }
    c->free[c->nfree++] = X_ARG_FIRST;
    if (!has_table) {
        c->free[c->nfree++] = X_ARG_PRIM;
    }
}

/* The same without calls, where nothing is saved. */
static void init_free_registers_of_leaf(x_compiler_t *c)
{
    c->packed = X_ARG_PACKED;
    c->nfree = 0;
    for (int i = 0; i < X_VOLATILES; i++) {
        c->free[c->nfree++] = x_volatile[i];
    }
}

static void move_to_saved(x_compiler_t *c, x_reg_t *reg)
{
    const x_reg_t to = x_reg_alloc(c);
    x_move(c->code, to, *reg);
    *reg = to;
}

/* Emits the part for any run of iterations: first and count are in registers. */
static void emit_subrange(x_compiler_t *c, const dame_prim_t *prim)
{
    x_code_t *code = c->code;
    x_walk_t walk = {.prim = prim, .user = x_mem(X_ARG_ORIGIN, 0)};
    x_reg_t remaining = X_ARG_COUNT;
    x_prologue(code, c->saved);
    if (dame_prim_has_list(prim)) {
        x_multiply(code, X_ARG_FIRST, x_entry_bytes(prim));
        x_set(code, X_ARG_PRIM, x_table_address(prim));
        x_add(code, X_ARG_PRIM, X_ARG_FIRST);
        walk.table = X_ARG_PRIM;
    } else {
        x_multiply(code, X_ARG_FIRST, prim->step);
        x_add(code, X_ARG_ORIGIN, X_ARG_FIRST);
    }
    init_free_registers(c, dame_prim_has_list(prim));
    if (c->has_calls) {
        move_to_saved(c, &walk.user.base);
        move_to_saved(c, &remaining);
        if (dame_prim_has_list(prim)) {
            move_to_saved(c, &walk.table);
        }
    }
    if (dame_prim_has_list(prim)) {
        walk.at = x_reg_alloc(c);
    }
    x_emit_loop(c, &walk, (x_trips_t){-1, remaining});
    x_epilogue(code, c->saved);
}

/* Emits the part for a run of all iterations. */
static void emit_full_level(x_compiler_t *c, const dame_prim_t *prim)
{
    x_reg_t origin = X_ARG_ORIGIN;
    x_prologue(c->code, c->saved);
    init_free_registers(c, 0);
    if (c->has_calls) {
        move_to_saved(c, &origin);
    }
    if (has_members(c, prim)) {
        emit_each_member(c, prim, x_mem(origin, 0));
    } else {
        x_emit_all(c, prim, x_mem(origin, 0), prim->count);
    }
    x_epilogue(c->code, c->saved);
}

/* Emits a kernel. Where only runs of all iterations are compiled, it jumps to the interpreter's
 * kernel for all others. */
static void emit_kernel(x_compiler_t *c, const dame_prim_t *prim, int has_full_level)
{
    x_code_t *code = c->code;
    const int has_rest = !keep_interpreter(c, prim);
    x_entry(code);
    x_load_constants(code);
    if (has_full_level) {
        x_compare(code, X_ARG_COUNT, prim->count);
        const x_label_t otherwise = x_jcc_forward(code, X_NOT_EQUAL);
        if (x_collect_blocks(c, prim, prim->count, 0, c->context->options.straight_bytes,
                             c->blocks)) {
            init_free_registers_of_leaf(c);
            x_copy_blocks(c, x_mem(X_ARG_ORIGIN, 0), c->blocks);
            x_epilogue(code, 0);
            c->packed_offset = 0;
        } else {
            emit_full_level(c, prim);
        }
        x_bind(code, otherwise);
    }
    if (has_rest) {
        emit_subrange(c, prim);
    } else {
        x_jump(code, (uintptr_t) prim->interpreted[c->context->dir]);
    }
    x_emit_constants(code);
}

/* Chooses how to emit the kernel again, by the resource that was missing; 0 when nothing is left to
 * try. */
static int next_strategy(x_compiler_t *c)
{
    if (c->needs_calls && !c->has_calls) {
        c->has_calls = 1;
        c->saved = X_SAVED;
    } else if (c->needs_saved && c->saved == 0) {
        c->saved = X_SAVED;
    } else if ((c->needs_saved || c->code->full) && !c->is_shallow) {
        c->is_shallow = 1;
        c->has_calls = 1;
        c->saved = X_SAVED;
    } else if (c->needs_saved || c->needs_calls || c->code->full) {
        return 0;
    }
    return 1;
}

static int is_complete(const x_compiler_t *c)
{
    return !c->needs_calls && !c->needs_saved && !c->code->full && !x_needs_constants(c->code);
}

/*
 * Returns whether code for a run of all iterations pays, beside that for any run. It is for
 * levels that become straight-line code or have differing iterations, and where a vector holds
 * several iterations: the number of the last ones, which do not fill a vector, is then a
 * constant.
 */
static int gains_from_full_level(x_compiler_t *c, const dame_prim_t *prim)
{
    int64_t chunk = 1;
    if (prim->count == 0) { /* not known */
        return 0;
    }
    if (x_collect_blocks(c, prim, prim->count, 0, c->context->options.straight_bytes, c->blocks) ||
        has_members(c, prim)) {
        return 1;
    }
    if (!keep_interpreter(c, prim) && x_collect_iteration(c, prim, 0, c->blocks)) {
        (void) x_unroll_factor(c, prim, c->blocks, &chunk);
    }
    return chunk > 1;
}

int32_t x_compile_level(x_context_t *context, int32_t index)
{
    enum { MAX_STRATEGIES = 6 };
    x_code_t *code = &context->code;
    uint8_t *const start = code->at;
    uint8_t *const end = code->end;
    const int nframes = code->nframes;
    const dame_prim_t *prim = &context->program->prims[index];
    x_compiler_t c = {.context = context,
                      .code = code,
                      .packed = X_ARG_PACKED,
                      .blocks = &context->blocks,
                      .lines = 1};
    const int has_full_level = !is_paced(&c, prim) && gains_from_full_level(&c, prim);
    if (!has_full_level && keep_interpreter(&c, prim)) {
        return -1;
    }
    code->constants = (x_constants_t){.none = 0};
    for (int i = 0; i < MAX_STRATEGIES; i++) {
        if (c.has_calls && !code->constants.none) {
            code->constants = (x_constants_t){.none = 1};
        }
        code->at = start;
        code->nframes = nframes;
        code->end = end - start < KERNEL_ROOM ? end : start + KERNEL_ROOM;
        code->full = 0;
        c.needs_calls = 0;
        c.needs_saved = 0;
        emit_kernel(&c, prim, has_full_level);
        code->end = end;
        if (is_complete(&c)) {
            const uint32_t offset = (uint32_t) (start - code->start);
            return (int32_t) ((offset + X_ENTRY_ALIGNMENT - 1) / X_ENTRY_ALIGNMENT *
                              X_ENTRY_ALIGNMENT);
        }
        if (!next_strategy(&c)) {
            break;
        }
    }
    code->at = start;
    code->nframes = nframes;
    code->full = 0;
    return -1;
}

#endif
