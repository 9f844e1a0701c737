/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of blocks: in the widest vectors, in one masked vector, or several in one permutation. */
#include "move.h"

#include "cpu.h"
#include "fault.h"
#include "options.h"

#if DAME_X_HAVE_CPU

/* The copy of one block. */
typedef struct copy {
    x_mem_t from;
    x_mem_t to;
    int64_t bytes;
    int64_t readable; /* bytes behind its end that may be read, */
    int64_t writable; /* and written */
    int no_masks;
} copy_t;

static x_mem_t mem_add(x_mem_t mem, int64_t bytes)
{
    mem.disp += bytes;
    return mem;
}

static void move_vector(x_code_t *code, const copy_t *copy, int64_t at, int bytes)
{
    const int reg = x_vector_register(code, bytes);
    x_vector(code, 0, reg, mem_add(copy->from, at), bytes);
    x_vector(code, 1, reg, mem_add(copy->to, at), bytes);
}

static void move_scalar(x_code_t *code, const copy_t *copy, int64_t at, int bytes)
{
    x_scalar(code, 0, mem_add(copy->from, at), bytes);
    x_scalar(code, 1, mem_add(copy->to, at), bytes);
}

static void move_register(x_code_t *code, const copy_t *copy, int64_t at, int bytes)
{
    (bytes < 16 ? move_scalar : move_vector)(code, copy, at, bytes);
}

static uint64_t low_bytes(int64_t n)
{
    const int64_t bits = X_FAULT(mask_too_short, n, n - 1);
    return n < 64 ? ((uint64_t) X_FAULT(mask_too_long, 1, 2) << bits) - 1 : ~(uint64_t) 0;
}

/* The last `rest` bytes at `at` in one vector of `bytes`, as far as bytes behind may be touched,
 * and with a mask where they may not. Returns 0 when that cannot be done. */
static int move_in_one(x_code_t *code, const copy_t *copy, int64_t at, int64_t rest, int bytes)
{
    const int64_t excess = bytes - rest;
    const int reads = excess <= copy->readable;
    const int writes = excess <= copy->writable;
    int mask = -1;
    if (bytes > code->vectors.tail_bytes && !(reads && writes && x_fills_line(rest))) {
        return 0;
    }
    if (!reads || !writes) {
        const int masks = bytes <= code->vectors.mask_bytes && !code->vectors.splits_tails;
        mask = masks && !copy->no_masks ? x_mask(code, low_bytes(rest)) : -1;
        if (mask < 0) {
            return 0;
        }
    }
    const int reg = x_vector_register(code, bytes);
    if (reads) {
        x_vector(code, 0, reg, mem_add(copy->from, at), bytes);
    } else {
        x_masked(code, 0, reg, mem_add(copy->from, at), bytes, mask);
    }
    if (writes) {
        x_vector(code, 1, reg, mem_add(copy->to, at), bytes);
    } else {
        x_masked(code, 1, reg, mem_add(copy->to, at), bytes, mask);
    }
    return 1;
}

/* Vectors as wide as possible, then the rest in one move, or in two that may overlap. */
static void emit_copy(x_code_t *code, const copy_t *copy)
{
    int64_t at = 0;
    for (int width = code->vectors.bytes; width >= 16; width /= 2) {
        for (; copy->bytes - at >= width && !code->full; at += width) {
            move_vector(code, copy, at, width);
        }
        const int64_t rest = copy->bytes - at;
        if (rest > width / 2 && move_in_one(code, copy, at, rest, width)) {
            return;
        }
    }
    const int64_t rest = copy->bytes - at;
    if (rest == 0 || code->full) {
        return;
    }
    int width = 1; /* the narrowest power of two that has the rest */
    while (width < rest) {
        width *= 2;
    }
    if (width == rest) {
        move_register(code, copy, at, width);
    } else if (at >= width - rest) {
        move_register(code, copy, copy->bytes - width, width);
    } else {
        const int64_t last = rest - width / 2;
        const int is_power = (last & (last - 1)) == 0; /* no overlap then: stores forward better */
        move_register(code, copy, at, width / 2);
        move_register(code, copy, copy->bytes - (is_power ? last : width / 2),
                      is_power ? (int) last : width / 2);
    }
}

/* ---- aligned stores ---- */

static int has_aligned_stores(const x_blocks_t *blocks, int k)
{
    return blocks->at[k].bytes >= X_ALIGNED_LEAST;
}

int x_needs_scratch(const x_blocks_t *blocks)
{
    int needs = 0;
    for (int k = 0; k < blocks->n; k++) {
        needs |= has_aligned_stores(blocks, k);
    }
    return needs;
}

/* Stores of 64 bytes gain nothing over two of 32, and lose where their loads cross lines. */
static int aligned_width(const x_code_t *code)
{
    return code->vectors.bytes < 32 ? code->vectors.bytes : 32;
}

static void add_operand(x_code_t *code, x_reg_t to, x_mem_t mem)
{
    x_add(code, to, mem.base);
    if (mem.index != X_NO_INDEX) {
        x_add(code, to, mem.index);
    }
}

static void subtract_operand(x_code_t *code, x_reg_t to, x_mem_t mem)
{
    x_subtract_register(code, to, mem.base);
    if (mem.index != X_NO_INDEX) {
        x_subtract_register(code, to, mem.index);
    }
}

/* to: the first aligned address behind the start of the block; from: what belongs there. */
static void set_aligned(x_code_t *code, const copy_t *copy, int width, x_reg_t from, x_reg_t to)
{
    const int64_t disp = copy->to.disp + X_FAULT(aligned_too_far, width, 2 * width);
    x_add_constant(code, to, copy->to.base, disp);
    if (copy->to.index != X_NO_INDEX) {
        x_add(code, to, copy->to.index);
    }
    x_align_down(code, to, width);
    x_move(code, from, to);
    subtract_operand(code, from, copy->to);
    add_operand(code, from, copy->from);
    x_add_constant(code, from, from, copy->from.disp - copy->to.disp);
}

/*
 * `to` lies 1 to `width` bytes behind the start, so that many vectors fit for certain; after them
 * follow less than a vector and the remainder of the bytes by one.
 */
static void emit_aligned_copy(x_code_t *code, const copy_t *copy, x_reg_t from, x_reg_t to)
{
    const int width = aligned_width(code);
    const int64_t vectors = copy->bytes / width - 1;
    const int64_t remainder = copy->bytes % width;
    const copy_t aligned = {.from = x_mem(from, 0), .to = x_mem(to, 0)};
    set_aligned(code, copy, width, from, to);
    move_vector(code, copy, 0, width);
    for (int64_t i = 0; i < vectors && !code->full; i++) {
        move_vector(code, &aligned, i * width, width);
    }
    if (remainder > 1) {
        move_vector(code, copy, copy->bytes - remainder - width, width);
    }
    move_vector(code, copy, copy->bytes - width, width);
}

/* What begins on a line needs nothing: it is moved as it lies, in wider vectors. */
static void emit_copy_where_it_begins(x_code_t *code, const copy_t *copy, x_reg_t from, x_reg_t to)
{
    enum { LINE = 64 };
    x_add_constant(code, from, copy->to.base, copy->to.disp);
    if (copy->to.index != X_NO_INDEX) {
        x_add(code, from, copy->to.index);
    }
    x_move(code, to, from);
    x_align_down(code, to, LINE);
    x_subtract_register(code, from, to);
    x_compare(code, from, 0);
    const x_label_t off_line = x_jcc_forward(code, X_NOT_EQUAL);
    emit_copy(code, copy);
    x_compare(code, from, 0);
    const x_label_t done = x_jcc_forward(code, X_EQUAL);
    x_bind(code, off_line);
    emit_aligned_copy(code, copy, from, to);
    x_bind(code, done);
}

/* ---- several blocks in one vector ---- */

int x_permuted_vectors(const x_code_t *code, dame_dir_t dir)
{
    return code->vectors.pairs && dir == DAME_PACK ? 2 : 1;
}

int64_t x_moves(const x_code_t *code, dame_dir_t dir, int64_t bytes)
{
    const int is_power = (bytes & (bytes - 1)) == 0;
    return dir == DAME_UNPACK && !is_power && code->vectors.permute_bytes < X_VECTOR ? 2 : 1;
}

/* Pieces k to end - 1 lie in one vector of the stream, and in user memory in one, or two that meet
 * or overlap; `low` is where these start. */
typedef struct chunk {
    int end;
    int64_t low;
    int64_t span;
    int64_t packed;
    int64_t moves; /* that one vector replaces */
} chunk_t;

static chunk_t chunk_at(const x_code_t *code, dame_dir_t dir, const x_blocks_t *blocks, int k)
{
    const int vectors = x_permuted_vectors(code, dir);
    const int bytes = code->vectors.permute_bytes;
    const x_block_t *at = blocks->at;
    chunk_t chunk = {.end = k, .low = at[k].user};
    int64_t high = chunk.low;
    int64_t packed = 0;
    int64_t moves = 0;
    for (int i = k; i < blocks->n; i++) {
        const int64_t low = at[i].user < chunk.low ? at[i].user : chunk.low;
        const int64_t end = at[i].user + at[i].bytes;
        high = end > high ? end : high;
        packed += at[i].bytes;
        moves += x_moves(code, dir, at[i].bytes);
        if (high - low > vectors * bytes || packed > bytes) {
            break;
        }
        chunk = (chunk_t){
            .end = i + 1, .low = low, .span = high - low, .packed = packed, .moves = moves};
    }
    return chunk;
}

/* One load, or two, one permutation and one store for all blocks of a chunk. Returns 0 when that
 * cannot be done: unpacking needs stores that leave out the gaps. */
static int move_chunk(x_code_t *code, dame_dir_t dir, x_mem_t user, x_reg_t packed,
                      const x_blocks_t *blocks, int k, const chunk_t *chunk, const copy_t *last)
{
    const int bytes = code->vectors.permute_bytes;
    const int has_masks = bytes <= code->vectors.mask_bytes;
    const int is_pair = chunk->span > bytes;
    /* Where the second vector of a pair begins: on a line if the first does, or it ends with the
     * blocks. */
    const int64_t second = 2 * bytes - chunk->span <= last->readable ? bytes : chunk->span - bytes;
    uint8_t from[X_VECTOR];
    uint64_t data = 0;
    int64_t stream = 0;
    memset(from, dir == DAME_PACK ? 0 : 0x80, sizeof(from));
    for (int i = k; i < chunk->end; i++) {
        const int64_t start = blocks->at[i].user - chunk->low;
        for (int64_t byte = 0; byte < blocks->at[i].bytes; byte++, stream++) {
            /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): start >= 0 */
            data |= start + byte < X_VECTOR ? (uint64_t) 1 << (start + byte) : 0;
            if (dir == DAME_UNPACK) {
                from[start + byte] = (uint8_t) stream;
            } else if (start + byte < bytes) {
                from[stream] = (uint8_t) (start + byte);
            } else {
                from[stream] = (uint8_t) (bytes + start + byte - second);
            }
        }
    }
    const x_mem_t in_user = mem_add(user, chunk->low);
    const x_mem_t in_stream = x_mem(packed, blocks->at[k].packed);
    int stream_bytes = 16; /* of the stream one vector moves: seldom more than has data */
    while (stream_bytes < chunk->packed) {
        stream_bytes *= 2;
    }
    const copy_t whole = {
        .from = dir == DAME_PACK ? in_user : in_stream,
        .to = dir == DAME_PACK ? in_stream : in_user,
        .bytes = dir == DAME_PACK ? chunk->span : chunk->packed,
    };
    const int load = dir == DAME_PACK ? bytes : stream_bytes;
    const int store = dir == DAME_PACK ? stream_bytes : bytes;
    const int reads = is_pair || load - whole.bytes <= last->readable;
    const int writes = dir == DAME_PACK && store - chunk->packed <= last->writable;
    if ((!reads || !writes) && !has_masks) {
        return 0;
    }
    const int read_mask = reads ? 0 : x_mask(code, low_bytes(whole.bytes));
    const int write_mask =
        writes ? 0 : x_mask(code, dir == DAME_PACK ? low_bytes(chunk->packed) : data);
    const int permutation = x_permutation(code, from);
    if (read_mask < 0 || write_mask < 0 || permutation < 0) {
        return 0;
    }
    const int reg = x_vector_register(code, bytes);
    if (reads) {
        x_vector(code, 0, reg, whole.from, load);
    } else {
        x_masked(code, 0, reg, whole.from, load, read_mask);
    }
    if (is_pair) {
        const x_mem_t behind =
            mem_add(whole.from, X_FAULT(second_vector_misplaced, second, second + 1));
        x_permute_pair(code, reg, permutation, behind, bytes);
    } else {
        x_permute(code, reg, permutation, bytes);
    }
    if (writes) {
        x_vector(code, 1, reg, whole.to, store);
    } else {
        x_masked(code, 1, reg, whole.to, store, write_mask);
    }
    return 1;
}

/* ---- blocks ---- */

/* How far behind the end of block k user memory may be read: up to the end of blocks that come
 * later, over gaps that have no page of their own. */
static int64_t readable_behind(const x_blocks_t *blocks, int64_t end, int k)
{
    const int64_t start = end;
    for (int i = k + 1; i < blocks->n + blocks->n_lookahead && end - start < X_VECTOR; i++) {
        const x_block_t *next = &blocks->at[i];
        if (next->user < end || next->user - end >= DAME_PAGE) {
            break;
        }
        end = next->user + next->bytes;
    }
    return end - start;
}

static copy_t copy_of_block(dame_dir_t dir, x_mem_t user, x_reg_t packed, const x_blocks_t *blocks,
                            int k)
{
    const x_block_t *block = &blocks->at[k];
    const x_block_t *last = &blocks->at[blocks->n + blocks->n_lookahead - 1];
    const int64_t behind = last->packed + last->bytes - (block->packed + block->bytes);
    const x_mem_t in_user = mem_add(user, block->user);
    const x_mem_t in_stream = x_mem(packed, block->packed);
    if (dir == DAME_PACK) {
        return (copy_t){in_user,      in_stream,
                        block->bytes, readable_behind(blocks, block->user + block->bytes, k),
                        behind,       blocks->no_masks};
    }
    return (copy_t){in_stream, in_user, block->bytes, behind, 0, blocks->no_masks};
}

void x_emit_copies(x_code_t *code, dame_dir_t dir, x_mem_t user, x_reg_t packed,
                   const x_blocks_t *blocks, const x_reg_t scratch[2])
{
    for (int k = 0; k < blocks->n;) {
        if (code->vectors.permute_bytes > 0) {
            const chunk_t chunk = chunk_at(code, dir, blocks, k);
            if (chunk.moves >= X_MIN_MOVES) {
                /* what may be touched behind the chunk: as seen from its highest byte */
                copy_t last = copy_of_block(dir, user, packed, blocks, chunk.end - 1);
                if (dir == DAME_PACK) {
                    last.readable = readable_behind(blocks, chunk.low + chunk.span, chunk.end - 1);
                }
                if (move_chunk(code, dir, user, packed, blocks, k, &chunk, &last)) {
                    k = chunk.end;
                    continue;
                }
            }
        }
        const copy_t copy = copy_of_block(dir, user, packed, blocks, k);
        if (has_aligned_stores(blocks, k)) {
            emit_copy_where_it_begins(code, &copy, scratch[0], scratch[1]);
        } else {
            emit_copy(code, &copy);
        }
        k++;
    }
}

#endif
