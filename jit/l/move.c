/* SPDX-License-Identifier: BSD-3-Clause */
#include "move.h"

#include "loop.h"

/* One copy: from, to, and what lies behind. */
typedef struct copy {
    LLVMValueRef from;
    LLVMValueRef to;
    int64_t bytes;
    int64_t slack; /* bytes behind its end that may be read, and written */
} copy_t;

static void move_bytes(l_unit_t *u, const copy_t *copy, int64_t at, int64_t width)
{
    LLVMValueRef bytes = l_load(u, l_bytes_type(u, width), l_gep(u, copy->from, at));
    /* Where loads overlap, passes would take the bytes of one from another, with shifts or through
     * the memory that was just written. */
    LLVMSetVolatile(bytes, 1);
    l_store(u, bytes, l_gep(u, copy->to, at));
    u->moves++;
}

static int64_t power_above(int64_t bytes)
{
    int64_t width = 1;
    while (width < bytes) {
        width *= 2;
    }
    return width;
}

enum { LINE = 64 };

/* Vectors as wide as possible; the rest in two moves, or in one that may reach past the end or back
 * over bytes already moved. A move of a line crosses lines wherever it does not begin on one: it is
 * slower than one of half a line and one of a quarter. */
static void copy_bytes(l_unit_t *u, const copy_t *copy)
{
    const int64_t widest = u->vector_bytes;
    int64_t at = 0;
    for (; copy->bytes - at >= widest; at += widest) {
        move_bytes(u, copy, at, widest);
    }
    while (at < copy->bytes) {
        const int64_t rest = copy->bytes - at;
        const int64_t width = power_above(rest);
        const int gains = width < LINE || 4 * rest > 3 * LINE;
        if (gains && width - rest <= copy->slack) {
            move_bytes(u, copy, at, width);
            return;
        }
        if (gains && copy->bytes >= width) {
            move_bytes(u, copy, copy->bytes - width, width);
            return;
        }
        move_bytes(u, copy, at, width / 2);
        at += width / 2;
    }
}

static copy_t copy_of_body(const l_unit_t *u, LLVMValueRef user, LLVMValueRef packed, int64_t bytes)
{
    return u->dir == DAME_PACK ? (copy_t){.from = user, .to = packed, .bytes = bytes}
                               : (copy_t){.from = packed, .to = user, .bytes = bytes};
}

/* Block k of body and next together. */
static const l_span_t *span_at(const l_body_t *body, const l_body_t *next, int k)
{
    return k < body->n ? &body->at[k] : &next->at[k - body->n];
}

/* How far behind the end of block k user memory may be read: up to the end of blocks that come
 * later, over gaps that have no page of their own. */
static int64_t readable_behind(const l_unit_t *u, const l_body_t *body, const l_body_t *next, int k)
{
    const int n = body->n + (next != NULL ? next->n : 0);
    const int64_t start = body->at[k].user + body->at[k].bytes;
    int64_t end = start;
    for (int i = k + 1; i < n && end - start < u->vector_bytes; i++) {
        const l_span_t *later = span_at(body, next, i);
        if (later->user < end || later->user - end >= DAME_PAGE) {
            break;
        }
        end = later->user + later->bytes;
    }
    return end - start;
}

void l_move_body(l_unit_t *u, LLVMValueRef user, LLVMValueRef packed, const l_body_t *body,
                 const l_body_t *next)
{
    const int64_t end = body->bytes + (next != NULL ? next->bytes : 0);
    for (int k = 0; k < body->n; k++) {
        const l_span_t *at = &body->at[k];
        copy_t copy =
            copy_of_body(u, l_gep(u, user, at->user), l_gep(u, packed, at->packed), at->bytes);
        if (u->dir == DAME_PACK) { /* unpacking writes no byte of a gap */
            const int64_t readable = readable_behind(u, body, next, k);
            const int64_t writable = end - (at->packed + at->bytes);
            copy.slack = readable < writable ? readable : writable;
        }
        copy_bytes(u, &copy);
    }
}

void l_move_block(l_unit_t *u, LLVMValueRef user, LLVMValueRef packed, int64_t bytes)
{
    const copy_t copy = copy_of_body(u, user, packed, bytes);
    copy_bytes(u, &copy);
}

/* ---- blocks of unknown length ---- */

/* Two moves of `width` that meet or overlap, of a block of width to 2 * width bytes. */
static void move_ends(l_unit_t *u, const copy_t *copy, LLVMValueRef bytes, int64_t width)
{
    LLVMTypeRef type = l_bytes_type(u, width);
    LLVMValueRef last = l_add(u, bytes, -width);
    LLVMValueRef head = l_load(u, type, copy->from);
    LLVMValueRef tail = l_load(u, type, l_gep_v(u, copy->from, last));
    l_store(u, head, copy->to);
    l_store(u, tail, l_gep_v(u, copy->to, last));
    u->moves += 2;
}

/* Goes on in a new block where bytes >= width; otherwise in *shorter. */
static void split_at(l_unit_t *u, LLVMValueRef bytes, int64_t width, LLVMBasicBlockRef *shorter)
{
    LLVMBasicBlockRef longer = l_block(u, "longer");
    *shorter = l_block(u, "shorter");
    LLVMValueRef is_longer = LLVMBuildICmp(u->b, LLVMIntSGE, bytes, l_int(u, width), "");
    LLVMBuildCondBr(u->b, is_longer, longer, *shorter);
    l_at(u, longer);
}

void l_move_any(l_unit_t *u, LLVMValueRef user, LLVMValueRef packed, LLVMValueRef bytes)
{
    const copy_t copy = copy_of_body(u, user, packed, 0);
    LLVMBasicBlockRef done = l_block(u, "moved");
    LLVMBasicBlockRef shorter;
    const int64_t widest = u->vector_bytes;
    split_at(u, bytes, widest, &shorter);
    l_loop_t loop = l_loop_open(u, l_div(u, l_add(u, bytes, -1), widest), "vectors");
    copy_t piece = copy;
    piece.from = l_loop_pointer(u, &loop, copy.from, widest, "from");
    piece.to = l_loop_pointer(u, &loop, copy.to, widest, "to");
    move_bytes(u, &piece, 0, widest);
    l_loop_close(u, &loop);
    LLVMValueRef last = l_add(u, bytes, -widest);
    l_store(u, l_load(u, l_bytes_type(u, widest), l_gep_v(u, copy.from, last)),
            l_gep_v(u, copy.to, last));
    LLVMBuildBr(u->b, done);
    l_at(u, shorter);
    for (int64_t width = widest / 2; width >= 1; width /= 2) {
        split_at(u, bytes, width, &shorter);
        move_ends(u, &copy, bytes, width);
        LLVMBuildBr(u->b, done);
        l_at(u, shorter);
    }
    LLVMBuildBr(u->b, done);
    l_at(u, done);
}
