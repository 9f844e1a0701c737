#include "move.h"

#include "cpu.h"
#include "fault.h"

#if DAME_X_HAVE_CPU

/* One block on its way: how many bytes after its end may be read, and written. */
typedef struct block {
    x_place_t from;
    x_place_t to;
    int64_t bytes;
    int64_t readable;
    int64_t writable;
    int exact; /* no masks */
} block_t;

static x_place_t past(x_place_t place, int64_t bytes)
{
    place.disp += bytes;
    return place;
}

static void move_vector(x_code_t *code, const block_t *block, int64_t at, int bytes)
{
    const int reg = x_vector_register(code, bytes);
    x_vector(code, 0, reg, past(block->from, at), bytes);
    x_vector(code, 1, reg, past(block->to, at), bytes);
}

static void move_scalar(x_code_t *code, const block_t *block, int64_t at, int bytes)
{
    x_scalar(code, 0, past(block->from, at), bytes);
    x_scalar(code, 1, past(block->to, at), bytes);
}

static void move(x_code_t *code, const block_t *block, int64_t at, int bytes)
{
    (bytes < 16 ? move_scalar : move_vector)(code, block, at, bytes);
}

static uint64_t low_bytes(int64_t n)
{
    const int64_t bits = X_FAULT(mask_too_short, n, n - 1);
    return n < 64 ? ((uint64_t) X_FAULT(mask_too_long, 1, 2) << bits) - 1 : ~(uint64_t) 0;
}

/* The last `rest` bytes at `at` in one vector of `bytes`, as far as bytes behind may be touched,
 * and with a mask where they may not. Returns 0 when that cannot be done. */
static int move_in_one(x_code_t *code, const block_t *block, int64_t at, int64_t rest, int bytes)
{
    const int64_t excess = bytes - rest;
    const int reads = excess <= block->readable;
    const int writes = excess <= block->writable;
    int mask = -1;
    if (bytes > code->vectors.tail_bytes) {
        return 0;
    }
    if (!reads || !writes) {
        mask =
            bytes <= code->vectors.mask_bytes && !block->exact ? x_mask(code, low_bytes(rest)) : -1;
        if (mask < 0) {
            return 0;
        }
    }
    const int reg = x_vector_register(code, bytes);
    if (reads) {
        x_vector(code, 0, reg, past(block->from, at), bytes);
    } else {
        x_masked(code, 0, reg, past(block->from, at), bytes, mask);
    }
    if (writes) {
        x_vector(code, 1, reg, past(block->to, at), bytes);
    } else {
        x_masked(code, 1, reg, past(block->to, at), bytes, mask);
    }
    return 1;
}

/* Vectors as wide as they can be, then what is left in one move, or in two that may overlap. */
static void move_block(x_code_t *code, const block_t *block)
{
    int64_t at = 0;
    for (int width = code->vectors.bytes; width >= 16; width /= 2) {
        for (; block->bytes - at >= width && !code->full; at += width) {
            move_vector(code, block, at, width);
        }
        const int64_t rest = block->bytes - at;
        if (rest > width / 2 && move_in_one(code, block, at, rest, width)) {
            return;
        }
    }
    const int64_t rest = block->bytes - at;
    if (0 == rest || code->full) {
        return;
    }
    int width = 1; /* the narrowest power of two that has the rest */
    while (width < rest) {
        width *= 2;
    }
    if (width == rest) {
        move(code, block, at, width);
    } else if (at >= width - rest) {
        move(code, block, block->bytes - width, width);
    } else {
        const int64_t last = rest - width / 2;
        const int is_power = 0 == (last & (last - 1)); /* no overlap then: stores forward better */
        move(code, block, at, width / 2);
        move(code, block, block->bytes - (is_power ? last : width / 2),
             is_power ? (int) last : width / 2);
    }
}

/* Word by word, where whole lines come together. */
static void stream_block(x_code_t *code, const block_t *block)
{
    int64_t at = 0;
    for (; block->bytes - at >= X_STREAMED && !code->full; at += X_STREAMED) {
        x_scalar(code, 0, past(block->from, at), X_STREAMED);
        x_stream(code, past(block->to, at));
    }
    for (int width = X_STREAMED / 2; width > 0; width /= 2) {
        for (; block->bytes - at >= width && !code->full; at += width) {
            move_scalar(code, block, at, width);
        }
    }
}

/* ---- several blocks in one vector ---- */

int64_t x_moves(const x_code_t *code, dame_dir_t dir, int64_t bytes)
{
    const int is_power = 0 == (bytes & (bytes - 1));
    return DAME_UNPACK == dir && !is_power && code->vectors.permute_bytes < X_VECTOR ? 2 : 1;
}

/* Pieces k to end - 1 lie in one vector on both sides; `low` is where it starts in user memory. */
typedef struct window {
    int end;
    int64_t low;
    int64_t span;
    int64_t packed;
    int64_t moves; /* that one vector replaces */
} window_t;

static window_t window_at(const x_code_t *code, dame_dir_t dir, const x_pieces_t *pieces, int k)
{
    const int bytes = code->vectors.permute_bytes;
    const x_piece_t *at = pieces->at;
    window_t window = {.end = k, .low = at[k].user};
    int64_t high = window.low;
    int64_t packed = 0;
    int64_t moves = 0;
    for (int i = k; i < pieces->n; i++) {
        const int64_t low = at[i].user < window.low ? at[i].user : window.low;
        const int64_t end = at[i].user + at[i].bytes;
        high = end > high ? end : high;
        packed += at[i].bytes;
        moves += x_moves(code, dir, at[i].bytes);
        if (high - low > bytes || packed > bytes) {
            break;
        }
        window = (window_t){
            .end = i + 1, .low = low, .span = high - low, .packed = packed, .moves = moves};
    }
    return window;
}

/* One load, one permutation and one store for all pieces of a window. Returns 0 when that cannot be
 * done: unpacking needs stores that leave out the gaps. */
static int move_window(x_code_t *code, dame_dir_t dir, x_place_t user, x_reg_t packed,
                       const x_pieces_t *pieces, int k, const window_t *window, const block_t *last)
{
    const int bytes = code->vectors.permute_bytes;
    const int has_masks = bytes <= code->vectors.mask_bytes;
    uint8_t from[X_VECTOR];
    uint64_t data = 0;
    int64_t stream = 0;
    memset(from, DAME_PACK == dir ? 0 : 0x80, sizeof(from));
    for (int i = k; i < window->end; i++) {
        const int64_t start = pieces->at[i].user - window->low;
        for (int64_t byte = 0; byte < pieces->at[i].bytes; byte++, stream++) {
            data |= (uint64_t) 1 << (start + byte);
            from[DAME_PACK == dir ? stream : start + byte] =
                (uint8_t) (DAME_PACK == dir ? start + byte : stream);
        }
    }
    const x_place_t in_user = past(user, window->low);
    const x_place_t in_stream = x_at(packed, pieces->at[k].packed);
    int stream_bytes = 16; /* of the stream one vector moves: seldom more than has data */
    while (stream_bytes < window->packed) {
        stream_bytes *= 2;
    }
    const block_t whole = {
        .from = DAME_PACK == dir ? in_user : in_stream,
        .to = DAME_PACK == dir ? in_stream : in_user,
        .bytes = DAME_PACK == dir ? window->span : window->packed,
    };
    const int load = DAME_PACK == dir ? bytes : stream_bytes;
    const int store = DAME_PACK == dir ? stream_bytes : bytes;
    const int reads = load - whole.bytes <= last->readable;
    const int writes = DAME_PACK == dir && store - window->packed <= last->writable;
    if ((!reads || !writes) && !has_masks) {
        return 0;
    }
    const int read_mask = reads ? 0 : x_mask(code, low_bytes(whole.bytes));
    const int write_mask =
        writes ? 0 : x_mask(code, DAME_PACK == dir ? low_bytes(window->packed) : data);
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
    x_permute(code, reg, permutation, bytes);
    if (writes) {
        x_vector(code, 1, reg, whole.to, store);
    } else {
        x_masked(code, 1, reg, whole.to, store, write_mask);
    }
    return 1;
}

/* ---- pieces ---- */

/* How far behind the end of piece k user memory may be read: up to the end of pieces that come
 * later, over gaps that have no page of their own. */
static int64_t readable_behind(const x_pieces_t *pieces, int64_t end, int k)
{
    const int64_t start = end;
    for (int i = k + 1; i < pieces->n + pieces->more && end - start < X_VECTOR; i++) {
        const x_piece_t *next = &pieces->at[i];
        if (next->user < end || next->user - end >= DAME_PAGE) {
            break;
        }
        end = next->user + next->bytes;
    }
    return end - start;
}

static block_t block_of(dame_dir_t dir, x_place_t user, x_reg_t packed, const x_pieces_t *pieces,
                        int k)
{
    const x_piece_t *piece = &pieces->at[k];
    const x_piece_t *last = &pieces->at[pieces->n + pieces->more - 1];
    const int64_t behind = last->packed + last->bytes - (piece->packed + piece->bytes);
    const x_place_t in_user = past(user, piece->user);
    const x_place_t in_stream = x_at(packed, piece->packed);
    if (DAME_PACK == dir) {
        return (block_t){in_user,      in_stream,
                         piece->bytes, readable_behind(pieces, piece->user + piece->bytes, k),
                         behind,       pieces->exact};
    }
    return (block_t){in_stream, in_user, piece->bytes, behind, 0, pieces->exact};
}

void x_move_pieces(x_code_t *code, dame_dir_t dir, x_place_t user, x_reg_t packed,
                   const x_pieces_t *pieces)
{
    for (int k = 0; k < pieces->n;) {
        if (code->vectors.permute_bytes > 0 && !pieces->streams) {
            const window_t window = window_at(code, dir, pieces, k);
            if (window.moves >= X_FEWEST_MOVES) {
                /* what may be touched behind the window: as seen from its highest byte */
                block_t last = block_of(dir, user, packed, pieces, window.end - 1);
                if (DAME_PACK == dir) {
                    last.readable =
                        readable_behind(pieces, window.low + window.span, window.end - 1);
                }
                if (move_window(code, dir, user, packed, pieces, k, &window, &last)) {
                    k = window.end;
                    continue;
                }
            }
        }
        const block_t block = block_of(dir, user, packed, pieces, k);
        (pieces->streams ? stream_block : move_block)(code, &block);
        k++;
    }
}

#endif
