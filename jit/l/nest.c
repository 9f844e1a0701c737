/* SPDX-License-Identifier: BSD-3-Clause */
#include "nest.h"

#include "body.h"
#include "dame/memory_order.h"
#include "jit/shape.h"
#include "loop.h"
#include "move.h"
#include "chunk.h"

enum {
    MOST_MEMBERS = 64, /* of a STRUCT: each has code of its own */
    MOST_UNROLLED = 8, /* blocks of a loop's body, */
    UNROLL_BYTES = 192 /* and their bytes */
};

/* Blocks that the interpreter moves with memcpy(), or in an order that pays, are as fast there. */
int l_keeps_interpreter(const dame_prim_t *prim)
{
    const int is_leaf = prim->inner_delta == 0 && prim->inner_deltas == NULL;
    if (prim->inner_deltas != NULL) {
        return prim->count > MOST_MEMBERS;
    }
    if (prim->prefix != NULL) {
        return 0;
    }
    return prim->iter_size == 0 || prim->visits != NULL || (is_leaf && prim->iter_size > L_LONG) ||
           (dame_shape_has_step(prim) && (dame_walks_columns(prim) || dame_throttles_stores(prim)));
}

/* ---- tables ---- */

static LLVMValueRef table_at(const l_unit_t *u, const l_level_t *level, size_t offset,
                             const char *name)
{
    return l_load_table(u, u->ptr, l_gep(u, level->prim, (int64_t) offset), name);
}

/* Entry i of a table of entries of 4 or 8 bytes. */
static LLVMValueRef entry_at(const l_unit_t *u, LLVMValueRef table, LLVMValueRef i, int64_t bytes,
                             const char *name)
{
    LLVMValueRef p = l_gep_v(u, table, l_mul(u, i, bytes));
    LLVMValueRef entry = l_load_table(u, bytes == 4 ? u->i32 : u->i64, p, name);
    return bytes == 4 ? LLVMBuildSExt(u->b, entry, u->i64, "") : entry;
}

static int64_t disp_bytes(const dame_prim_t *prim)
{
    return prim->disps32 != NULL ? 4 : 8;
}

/* The level's displacements, from entry `first` on. */
static LLVMValueRef disps_from(const l_unit_t *u, const l_level_t *level, LLVMValueRef first)
{
    const size_t offset =
        level->at->disps32 != NULL ? offsetof(dame_prim_t, disps32) : offsetof(dame_prim_t, disps);
    LLVMValueRef table = table_at(u, level, offset, "disps");
    return l_gep_v(u, table, l_mul(u, first, disp_bytes(level->at)));
}

static l_level_t inner_of(const l_unit_t *u, const l_level_t *level, int32_t delta,
                          LLVMValueRef origin, LLVMValueRef packed)
{
    const int64_t bytes = delta * (int64_t) sizeof(dame_prim_t);
    return (l_level_t){level->at + delta, l_gep(u, level->prim, bytes), origin, packed};
}

/* ---- iterations of one shape ---- */

/* One iteration that is not straight-line code. */
static void emit_iteration(l_unit_t *u, const l_level_t *level, LLVMValueRef user,
                           LLVMValueRef packed)
{
    if (level->at->inner_delta == 0) {
        l_move_block(u, user, packed, level->at->iter_size);
        return;
    }
    const l_level_t inner = inner_of(u, level, level->at->inner_delta, user, packed);
    l_emit_level(u, &inner, l_int(u, inner.at->count));
}

/* A strided level in progress: the next iteration, and how many are left. */
typedef struct walk {
    LLVMValueRef user;
    LLVMValueRef packed;
    LLVMValueRef n;
    int64_t step;
    int64_t bytes; /* packed bytes of an iteration */
} walk_t;

/* The walk behind `groups` groups of `n` iterations. */
static walk_t walk_behind(const l_unit_t *u, const walk_t *walk, LLVMValueRef groups, int64_t n)
{
    LLVMValueRef done = l_mul(u, groups, n);
    walk_t rest = *walk;
    rest.user = l_gep_v(u, walk->user, l_mul(u, done, walk->step));
    rest.packed = l_gep_v(u, walk->packed, l_mul(u, done, walk->bytes));
    rest.n = l_sub(u, walk->n, done);
    return rest;
}

typedef struct pointers {
    LLVMValueRef user;
    LLVMValueRef packed;
} pointers_t;

static pointers_t loop_pointers(l_unit_t *u, l_loop_t *loop, const walk_t *walk, int64_t n)
{
    pointers_t at;
    at.user = l_loop_pointer(u, loop, walk->user, n * walk->step, "user");
    at.packed = l_loop_pointer(u, loop, walk->packed, n * walk->bytes, "packed");
    return at;
}

static void emit_one_by_one(l_unit_t *u, const walk_t *walk, const l_body_t *body)
{
    l_loop_t loop = l_loop_open(u, walk->n, "one");
    const pointers_t at = loop_pointers(u, &loop, walk, 1);
    l_move_body(u, at.user, at.packed, body, NULL);
    l_loop_close(u, &loop);
}

/* The iterations that fill no chunk. */
static void emit_chunk_rest(l_unit_t *u, const walk_t *walk, const l_chunk_t *chunk,
                            const l_body_t *body)
{
    int64_t n;
    l_chunk_t last;
    if (l_is_int(walk->n, &n)) {
        if (n > 0) {
            l_chunk_cut(chunk, n, &last);
        }
        if (n > 0 && l_chunk_is_whole(u, &last)) {
            l_chunk_move(u, &last, walk->user, walk->packed);
            return;
        }
        if (n <= 0) {
            return;
        }
    }
    if (!l_chunk_has_masks(u, chunk)) {
        emit_one_by_one(u, walk, body);
        return;
    }
    LLVMBasicBlockRef some = l_block(u, "some");
    LLVMBasicBlockRef none = l_block(u, "none");
    LLVMValueRef any = LLVMBuildICmp(u->b, LLVMIntSGT, walk->n, l_int(u, 0), "any");
    LLVMBuildCondBr(u->b, any, some, none);
    l_at(u, some);
    l_chunk_move_some(u, chunk, walk->user, walk->packed, walk->n);
    LLVMBuildBr(u->b, none);
    l_at(u, none);
}

static void emit_chunks(l_unit_t *u, const walk_t *walk, const l_chunk_t *chunk,
                        const l_body_t *body)
{
    LLVMValueRef groups = l_div(u, walk->n, chunk->iterations);
    l_loop_t loop = l_loop_open(u, groups, "chunks");
    const pointers_t at = loop_pointers(u, &loop, walk, chunk->iterations);
    l_chunk_move(u, chunk, at.user, at.packed);
    l_loop_close(u, &loop);
    if (chunk->iterations > 1) {
        const walk_t rest = walk_behind(u, walk, groups, chunk->iterations);
        emit_chunk_rest(u, &rest, chunk, body);
    }
}

/* A power of two, by which runs are divided with shifts. */
static int64_t unroll_factor(const l_body_t *body)
{
    int64_t n = 1;
    while (2 * n * body->bytes <= UNROLL_BYTES && 2 * n * body->n <= MOST_UNROLLED) {
        n *= 2;
    }
    return n;
}

/* Groups of iterations, as long as one more comes afterwards; then the others. */
static void emit_groups(l_unit_t *u, const walk_t *walk, const l_body_t *body)
{
    const int64_t n = unroll_factor(body);
    l_body_t group = {.n = 0};
    l_body_t next = *body;
    int64_t trips;
    if (n < 2 || !l_body_repeat(body, walk->step, n, &group)) {
        emit_one_by_one(u, walk, body);
        return;
    }
    for (int k = 0; k < next.n; k++) {
        next.at[k].user += n * walk->step;
        next.at[k].packed += group.bytes;
    }
    LLVMValueRef groups = l_div(u, l_add(u, walk->n, -1), n);
    if (!l_is_int(groups, &trips) || trips > 0) {
        l_loop_t loop = l_loop_open(u, groups, "groups");
        const pointers_t at = loop_pointers(u, &loop, walk, n);
        l_move_body(u, at.user, at.packed, &group, &next);
        l_loop_close(u, &loop);
    }
    const walk_t rest = walk_behind(u, walk, groups, n);
    l_body_t last = {.n = 0};
    if (l_is_int(rest.n, &trips) && l_body_repeat(body, walk->step, trips, &last)) {
        l_move_body(u, rest.user, rest.packed, &last, NULL);
    } else {
        emit_one_by_one(u, &rest, body);
    }
}

/* Iterations with the primitive's step. */
static void emit_unknown_step(l_unit_t *u, const l_level_t *level, LLVMValueRef first,
                              LLVMValueRef n)
{
    LLVMValueRef at = l_gep(u, level->prim, offsetof(dame_prim_t, step));
    LLVMValueRef step = l_load_table(u, u->i64, at, "step");
    l_loop_t loop = l_loop_open(u, n, "element");
    LLVMValueRef packed = l_loop_pointer(u, &loop, level->packed, level->at->iter_size, "packed");
    LLVMValueRef i = LLVMBuildAdd(u->b, first, loop.i, "");
    emit_iteration(u, level, l_gep_v(u, level->origin, LLVMBuildMul(u->b, i, step, "")), packed);
    l_loop_close(u, &loop);
}

static void emit_strided(l_unit_t *u, const l_level_t *level, LLVMValueRef first, LLVMValueRef n)
{
    const dame_prim_t *prim = level->at;
    if (!dame_shape_has_step(prim)) {
        emit_unknown_step(u, level, first, n);
        return;
    }
    l_body_t body;
    l_chunk_t chunk;
    const walk_t walk = {.user = l_gep_v(u, level->origin, l_mul(u, first, prim->step)),
                         .packed = level->packed,
                         .n = n,
                         .step = prim->step,
                         .bytes = prim->iter_size};
    if (!l_body_of_iteration(prim, &body)) {
        l_loop_t loop = l_loop_open(u, n, "iteration");
        const pointers_t at = loop_pointers(u, &loop, &walk, 1);
        emit_iteration(u, level, at.user, at.packed);
        l_loop_close(u, &loop);
    } else if (l_chunk_of(u, &body, prim->step, prim->count, &chunk)) {
        emit_chunks(u, &walk, &chunk, &body);
    } else {
        emit_groups(u, &walk, &body);
    }
}

/* ---- lists ---- */

/* n iterations at the next displacements of the table. */
static void emit_listed_group(l_unit_t *u, const l_level_t *level, LLVMValueRef table,
                              LLVMValueRef packed, const l_body_t *body, int64_t n)
{
    const int64_t bytes = disp_bytes(level->at);
    for (int64_t i = 0; i < n; i++) {
        LLVMValueRef disp = entry_at(u, table, l_int(u, i), bytes, "disp");
        LLVMValueRef user = l_gep_v(u, level->origin, disp);
        LLVMValueRef at = l_gep(u, packed, i * level->at->iter_size);
        if (body != NULL) {
            l_move_body(u, user, at, body, NULL);
        } else {
            emit_iteration(u, level, user, at);
        }
    }
}

static void emit_listed_loop(l_unit_t *u, const l_level_t *level, LLVMValueRef *table,
                             LLVMValueRef *packed, LLVMValueRef trips, const l_body_t *body,
                             int64_t n)
{
    const int64_t table_step = n * disp_bytes(level->at);
    const int64_t packed_step = n * level->at->iter_size;
    l_loop_t loop = l_loop_open(u, trips, "listed");
    LLVMValueRef table_at = l_loop_pointer(u, &loop, *table, table_step, "table");
    LLVMValueRef packed_at = l_loop_pointer(u, &loop, *packed, packed_step, "packed");
    emit_listed_group(u, level, table_at, packed_at, body, n);
    l_loop_close(u, &loop);
    *table = l_gep_v(u, *table, l_mul(u, trips, table_step));
    *packed = l_gep_v(u, *packed, l_mul(u, trips, packed_step));
}

static void emit_listed(l_unit_t *u, const l_level_t *level, LLVMValueRef first, LLVMValueRef n)
{
    l_body_t body;
    const int is_straight = l_body_of_iteration(level->at, &body);
    const int64_t factor = is_straight ? unroll_factor(&body) : 1;
    LLVMValueRef table = disps_from(u, level, first);
    LLVMValueRef packed = level->packed;
    if (factor > 1) {
        LLVMValueRef groups = l_div(u, n, factor);
        emit_listed_loop(u, level, &table, &packed, groups, &body, factor);
        n = l_sub(u, n, l_mul(u, groups, factor));
    }
    int64_t none;
    if (!l_is_int(n, &none) || none > 0) {
        emit_listed_loop(u, level, &table, &packed, n, is_straight ? &body : NULL, 1);
    }
}

/* ---- iterations of different lengths ---- */

static void emit_ragged(l_unit_t *u, const l_level_t *level, LLVMValueRef first, LLVMValueRef n)
{
    const dame_prim_t *prim = level->at;
    LLVMValueRef table = disps_from(u, level, first);
    LLVMValueRef prefix = table_at(u, level, offsetof(dame_prim_t, prefix), "prefix");
    prefix = l_gep_v(u, prefix, l_mul(u, first, 8));
    l_loop_t loop = l_loop_open(u, n, "ragged");
    LLVMValueRef start = l_load_table(u, u->i64, prefix, "start");
    LLVMValueRef from = entry_at(u, prefix, loop.i, 8, "from");
    LLVMValueRef to = entry_at(u, prefix, l_add(u, loop.i, 1), 8, "to");
    LLVMValueRef bytes = l_sub(u, to, from);
    LLVMValueRef disp = entry_at(u, table, loop.i, disp_bytes(prim), "disp");
    LLVMValueRef user = l_gep_v(u, level->origin, disp);
    LLVMValueRef packed = l_gep_v(u, level->packed, l_sub(u, from, start));
    if (prim->inner_delta == 0) {
        l_move_any(u, user, packed, bytes);
    } else {
        const l_level_t inner = inner_of(u, level, prim->inner_delta, user, packed);
        l_emit_level(u, &inner, LLVMBuildExactSDiv(u->b, bytes, l_int(u, inner.at->iter_size), ""));
    }
    l_loop_close(u, &loop);
}

/* ---- few iterations that differ ---- */

static int has_members(const dame_prim_t *prim)
{
    return prim->inner_deltas != NULL || (prim->prefix != NULL && prim->count <= MOST_MEMBERS / 2);
}

static void emit_member(l_unit_t *u, const l_level_t *level, LLVMValueRef table, int64_t i,
                        LLVMValueRef packed)
{
    LLVMValueRef disp = dame_shape_has_disps(level->at)
                            ? l_int(u, dame_prim_disp(level->at, i))
                            : entry_at(u, table, l_int(u, i), disp_bytes(level->at), "disp");
    LLVMValueRef user = l_gep_v(u, level->origin, disp);
    const int32_t delta = dame_iter_inner(level->at, i);
    const int64_t bytes = dame_iter_size(level->at, i);
    if (delta != 0) {
        const l_level_t inner = inner_of(u, level, delta, user, packed);
        l_emit_level(u, &inner, l_int(u, dame_iter_inner_count(level->at, i, inner.at)));
    } else if (bytes > L_LONG) {
        l_move_any(u, user, packed, l_int(u, bytes));
    } else {
        l_move_block(u, user, packed, bytes);
    }
}

static void emit_all_members(l_unit_t *u, const l_level_t *level)
{
    LLVMValueRef table = disps_from(u, level, l_int(u, 0));
    int64_t at = 0;
    for (int64_t i = 0; i < level->at->count; i++) {
        emit_member(u, level, table, i, l_gep(u, level->packed, at));
        at += dame_iter_size(level->at, i);
    }
}

/* ---- calls ---- */

/* Calls a level's kernel: of this compilation, or the interpreter's. */
static void emit_call(l_unit_t *u, const l_level_t *level, LLVMValueRef kernel, LLVMValueRef first,
                      LLVMValueRef n)
{
    LLVMValueRef origin = LLVMBuildPtrToInt(u->b, level->origin, u->i64, "origin");
    LLVMValueRef args[] = {level->prim, origin, level->packed, first, n};
    if (kernel == NULL) {
        LLVMValueRef kernels =
            table_at(u, level, offsetof(dame_prim_t, interpreted), "interpreted");
        const int64_t at = (int64_t) u->dir * (int64_t) sizeof(dame_run_fn);
        kernel = l_load_table(u, u->ptr, l_gep(u, kernels, at), "kernel");
    }
    LLVMSetTailCall(LLVMBuildCall2(u->b, u->kernel, kernel, args, 5, ""), 1);
}

/* ---- levels ---- */

void l_emit_run(l_unit_t *u, const l_level_t *level, LLVMValueRef first, LLVMValueRef n)
{
    const dame_prim_t *prim = level->at;
    int64_t whole;
    if (has_members(prim) && l_is_int(n, &whole) && whole == prim->count) {
        emit_all_members(u, level);
    } else if (prim->inner_deltas != NULL) {
        emit_call(u, level, NULL, first, n); /* some members: cut messages only */
    } else if (prim->prefix != NULL) {
        emit_ragged(u, level, first, n);
    } else if (dame_prim_has_list(prim)) {
        emit_listed(u, level, first, n);
    } else {
        emit_strided(u, level, first, n);
    }
}

/* Few long blocks are moved faster one by one. */
static int has_chunks(const l_unit_t *u, const dame_prim_t *prim)
{
    enum { FEW_BYTES = 256, LONG_BYTES = 8 };
    l_body_t body;
    l_chunk_t chunk;
    return !(prim->count != 0 && prim->count * prim->iter_size <= FEW_BYTES &&
             prim->iter_size >= LONG_BYTES) &&
           !l_keeps_interpreter(prim) && dame_shape_has_step(prim) &&
           l_body_of_iteration(prim, &body) &&
           l_chunk_of(u, &body, prim->step, prim->count, &chunk);
}

static int is_straight(const dame_prim_t *prim, LLVMValueRef n, l_body_t *body)
{
    int64_t count;
    return l_is_int(n, &count) && l_body_of_level(prim, count, L_STRAIGHT, body);
}

void l_emit_level(l_unit_t *u, const l_level_t *level, LLVMValueRef n)
{
    l_body_t body;
    const int64_t index = level->at - u->program->prims;
    u->is_full |= u->moves > L_MOST_MOVES;
    if (u->is_full) {
        return;
    }
    if (has_chunks(u, level->at)) {
        l_emit_run(u, level, l_int(u, 0), n);
    } else if (is_straight(level->at, n, &body)) {
        l_move_body(u, level->origin, level->packed, &body, NULL);
    } else if (l_keeps_interpreter(level->at)) {
        emit_call(u, level, NULL, l_int(u, 0), n);
    } else if (has_members(level->at) && u->kernels[index] != NULL) {
        emit_call(u, level, u->kernels[index], l_int(u, 0), n);
    } else {
        l_emit_run(u, level, l_int(u, 0), n);
    }
}

int l_gains_from_all(const l_unit_t *u, const dame_prim_t *prim)
{
    l_body_t body;
    return prim->count != 0 && (has_members(prim) || has_chunks(u, prim) ||
                                is_straight(prim, l_int(u, prim->count), &body));
}
