/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops over the iterations of a level: unrolled, prefetching, nested. */
#include "dame/memory_order.h"
#include "cpu.h"
#include "fault.h"
#include "compiler.h"

#if DAME_X_HAVE_CPU

/* |step * n|, INT64_MAX when that is more. */
static int64_t distance(int64_t step, int64_t n)
{
    int64_t bytes;
    return __builtin_mul_overflow(step, n, &bytes) || bytes == INT64_MIN ? INT64_MAX
           : bytes < 0                                                   ? -bytes
                                                                         : bytes;
}

int64_t x_unroll_factor(const x_compiler_t *c, const dame_prim_t *prim, const x_blocks_t *one,
                        int64_t *chunk)
{
    const x_options_t *options = &c->context->options;
    const int64_t vector = c->code->vectors.permute_bytes;
    const int64_t span = vector * x_permuted_vectors(c->code, c->context->dir);
    const int64_t step = distance(prim->step, 1);
    const int64_t by_blocks = X_MAX_BLOCKS / one->n;
    int64_t factor = options->unroll_bytes / prim->iter_size;
    int64_t low = INT64_MAX;
    int64_t high = INT64_MIN;
    int64_t moves = 0;
    *chunk = 1;
    for (int i = 0; i < one->n; i++) {
        low = one->at[i].user < low ? one->at[i].user : low;
        high =
            one->at[i].user + one->at[i].bytes > high ? one->at[i].user + one->at[i].bytes : high;
        moves += x_moves(c->code, c->context->dir, one->at[i].bytes);
    }
    if (!dame_prim_has_list(prim) && step > 0 && step < span && high - low <= span) {
        const int64_t in_span = (span - (high - low)) / step + 1;
        const int64_t in_vector =
            vector / prim->iter_size < in_span ? vector / prim->iter_size : in_span;
        if (in_vector * moves >= X_MIN_MOVES && in_vector <= by_blocks &&
            (c->context->dir == DAME_PACK || vector <= c->code->vectors.mask_bytes)) {
            *chunk = in_vector;
            int64_t chunks = options->most_unrolled / 2;
            chunks = chunks < by_blocks / in_vector ? chunks : by_blocks / in_vector;
            return chunks > 1 ? chunks * in_vector : in_vector;
        }
    }
    factor = factor < options->most_unrolled ? factor : options->most_unrolled;
    factor = factor < by_blocks ? factor : by_blocks;
    return factor < 1 || distance(prim->step, factor + 1) > X_FAR ? 1 : factor;
}

/* Walks gain from prefetching that touch x_least_lines(), but reach over no more bytes than the
 * last cache has. A walk may reach over megabytes and touch few lines: those stay in the first
 * cache. */
enum { MOST_REACH = 1 << 22 };

/* Returns whether prefetching pays in this loop, if it touches enough lines. The CPU itself fetches
 * blocks of a line and more ahead. */
static int may_prefetch(const x_compiler_t *c, const dame_prim_t *prim)
{
    const int64_t ahead = distance(prim->step, c->context->options.prefetch_distance);
    return !dame_prim_has_list(prim) && prim->iter_size < dame_data_cache()->line && ahead > 0 &&
           ahead < X_FAR / 2 && !dame_is_near(prim->step);
}

/* Emits straight-line code for `n` iterations that start at `user`; at least `more` iterations
 * follow. */
static void emit_unrolled_strided(x_compiler_t *c, const dame_prim_t *prim, x_reg_t user, int64_t n,
                                  int64_t more)
{
    int64_t packed = c->packed_offset;
    x_blocks_t *blocks = c->blocks;
    x_blocks_clear(blocks);
    blocks->no_masks = distance(prim->step, 1) >= DAME_PAGE;
    c->code->full |= !x_append_blocks(c, prim, 0, n, 0, &packed, blocks);
    if (more > 0) {
        x_blocks_t *next = &c->context->next;
        x_blocks_clear(next);
        x_append_blocks(c, prim, n, more, 0, &packed, next);
        memcpy(&blocks->at[blocks->n], next->at, (size_t) next->n * sizeof(next->at[0]));
        blocks->n_lookahead = next->n;
    }
    if (c->prefetches) {
        for (int64_t i = 0; i < n; i++) {
            const int64_t ahead = c->context->options.prefetch_distance + i;
            x_prefetch(c->code, x_mem(user, ahead * prim->step));
        }
    }
    x_copy_blocks(c, x_mem(user, 0), blocks);
}

/* The same for a table of displacements; `table` is the address of the first one. */
static void emit_unrolled_listed(x_compiler_t *c, const dame_prim_t *prim, x_mem_t user,
                                 x_reg_t table, x_reg_t at, int64_t n, int64_t more)
{
    const int bytes = x_entry_bytes(prim);
    for (int64_t i = 0; i < n; i++) {
        const int64_t behind = (n - 1 - i + more) * prim->iter_size;
        x_blocks_t *blocks = c->blocks;
        x_load_entry(c->code, at, x_mem(table, (i + X_FAULT(next_table_entry, 0, 1)) * bytes),
                     bytes);
        c->code->full |= !x_collect_iteration(c, prim, user.disp, blocks);
        blocks->no_masks = 1;
        if (behind > 0) { /* elsewhere in user memory */
            blocks->at[blocks->n] =
                (x_block_t){INT64_MIN, c->packed_offset + prim->iter_size, behind};
            blocks->n_lookahead = 1;
        }
        x_copy_blocks(c, x_element(c->code, user.base, at), blocks);
    }
}

int64_t x_table_address(const dame_prim_t *prim)
{
    return prim->disps32 != NULL ? (int64_t) (uintptr_t) prim->disps32
                                 : (int64_t) (uintptr_t) prim->disps;
}

static void emit_unrolled(x_compiler_t *c, const x_walk_t *walk, int64_t n, int64_t more)
{
    const dame_prim_t *prim = walk->prim;
    if (dame_prim_has_list(prim)) {
        const int bytes = x_entry_bytes(prim);
        emit_unrolled_listed(c, prim, walk->user, walk->table, walk->at, n, more);
        x_add_constant(c->code, walk->table, walk->table, n * bytes);
    } else {
        emit_unrolled_strided(c, prim, walk->user.base, n, more);
        x_add_constant(c->code, walk->user.base, walk->user.base,
                       n * prim->step + X_FAULT(stride_off_by_one, 0, 1));
    }
    x_flush_packed_offset(c);
}

/* Emits a loop that copies n iterations at a time while at least `spare` others remain. The
 * register `remaining` counts them. */
static void emit_unrolled_loop(x_compiler_t *c, const x_walk_t *walk, x_reg_t remaining, int64_t n,
                               int64_t spare)
{
    x_code_t *code = c->code;
    x_subtract(code, remaining, (int32_t) (n + spare - X_FAULT(loop_ends_late, 0, 1)));
    const x_label_t skip = x_jcc_forward(code, X_LESS);
    x_align_loop(code);
    const x_label_t again = x_here(code);
    emit_unrolled(c, walk, n, spare);
    x_subtract(code, remaining, X_FAULT(loop_without_end, (int32_t) n, 0));
    x_jcc_backward(code, X_FAULT(loop_ends_early, X_NOT_LESS, X_GREATER), again);
    x_bind(code, skip);
    x_add_constant(code, remaining, remaining, n + spare);
}

/* The same with prefetching, used when the remaining iterations touch a number of lines for which
 * that pays. */
static void emit_prefetching_loop(x_compiler_t *c, const x_walk_t *walk, x_reg_t remaining,
                                  int64_t n, int64_t spare)
{
    x_code_t *code = c->code;
    const int64_t step = distance(walk->prim->step, 1);
    x_compare(code, remaining, x_least_lines(c->context->dir));
    const x_label_t few = x_jcc_forward(code, X_LESS);
    x_compare(code, remaining, MOST_REACH / step);
    const x_label_t many = x_jcc_forward(code, X_GREATER);
    c->prefetches = 1;
    emit_unrolled_loop(c, walk, remaining, n, spare);
    c->prefetches = 0;
    x_bind(code, few);
    x_bind(code, many);
}

/* A loop over iterations that are straight-line code; c->blocks has one of them. */
static void emit_straight_loop(x_compiler_t *c, const x_walk_t *walk, x_trips_t trips)
{
    x_code_t *code = c->code;
    int64_t chunk;
    const int64_t n = x_unroll_factor(c, walk->prim, c->blocks, &chunk);
    if (trips.constant < 0) {
        if (may_prefetch(c, walk->prim) && c->reach < MOST_REACH &&
            (walk->prim->count == 0 || walk->prim->count >= x_least_lines(c->context->dir))) {
            emit_prefetching_loop(c, walk, trips.reg, n, chunk);
        }
        if (n > 1) {
            emit_unrolled_loop(c, walk, trips.reg, n, chunk);
        }
        if (chunk > 1) {
            emit_unrolled_loop(c, walk, trips.reg, chunk, 0);
        }
        emit_unrolled_loop(c, walk, trips.reg, 1, 0);
        return;
    }
    int64_t rest = trips.constant;
    const int64_t whole = rest > chunk ? (rest - chunk) / n : 0;
    c->prefetches = may_prefetch(c, walk->prim) && c->lines >= x_least_lines(c->context->dir) &&
                    c->reach <= MOST_REACH;
    if (whole > 1) {
        const x_reg_t remaining = x_reg_alloc(c);
        x_set(code, remaining, whole);
        x_align_loop(code);
        const x_label_t again = x_here(code);
        emit_unrolled(c, walk, n, chunk);
        x_subtract(code, remaining, 1);
        x_jcc_backward(code, X_NOT_EQUAL, again);
        x_reg_free(c, remaining);
    } else if (whole == 1) {
        emit_unrolled(c, walk, n, chunk);
    }
    for (rest -= whole * n; rest > 0; rest -= n) { /* at most two */
        emit_unrolled(c, walk, rest < n ? rest : n, 0);
    }
    c->prefetches = 0;
}

/* A loop over iterations that are loops, or long blocks. */
static void emit_nested_loop(x_compiler_t *c, const x_walk_t *walk, x_trips_t trips)
{
    x_code_t *code = c->code;
    const dame_prim_t *prim = walk->prim;
    const dame_prim_t *inner = prim + prim->inner_delta;
    const int bytes = x_entry_bytes(prim);
    x_label_t skip = 0;
    x_mem_t user = walk->user;
    x_reg_t remaining = trips.reg;
    if (trips.constant < 0) {
        x_subtract(code, remaining, 1);
        skip = x_jcc_forward(code, X_LESS);
    } else {
        remaining = x_reg_alloc(c);
        x_set(code, remaining, trips.constant - 1);
    }
    x_align_loop(code);
    const x_label_t again = x_here(code);
    if (dame_prim_has_list(prim)) {
        x_load_entry(code, walk->at, x_mem(walk->table, 0), bytes);
        x_add(code, walk->at, user.base);
        user.base = walk->at;
    }
    if (prim->inner_delta == 0) {
        x_emit_block(c, user, prim->iter_size);
    } else {
        x_emit_all(c, inner, user, inner->count);
    }
    x_flush_packed_offset(c);
    if (dame_prim_has_list(prim)) {
        x_add_constant(code, walk->table, walk->table, bytes);
    } else {
        x_add_constant(code, walk->user.base, walk->user.base, prim->step);
    }
    x_subtract(code, remaining, 1);
    x_jcc_backward(code, X_FAULT(loop_ends_early, X_NOT_LESS, X_GREATER), again);
    if (trips.constant < 0) {
        x_bind(code, skip);
    } else {
        x_reg_free(c, remaining);
    }
}

void x_emit_loop(x_compiler_t *c, const x_walk_t *walk, x_trips_t trips)
{
    const dame_prim_t *prim = walk->prim;
    const int64_t reach = c->reach;
    const int64_t lines = c->lines;
    const int64_t n = trips.constant >= 0 ? trips.constant : prim->count;
    const int64_t here = dame_prim_has_list(prim) ? 0 : distance(prim->step, n);
    c->reach = here > reach ? here : reach;
    c->lines = distance(lines, n > 0 ? n : 1);
    x_flush_packed_offset(c);
    if (x_collect_iteration(c, prim, walk->user.disp, c->blocks)) {
        emit_straight_loop(c, walk, trips);
    } else {
        emit_nested_loop(c, walk, trips);
    }
    c->reach = reach;
    c->lines = lines;
}

#endif
