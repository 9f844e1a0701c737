/* SPDX-License-Identifier: BSD-3-Clause */
#include "dame/cursor.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "divide.h"

/* Address of the iteration that comes next. */
static inline uintptr_t iter_address(const dame_frame_t *frame)
{
    return frame->origin + dame_iter_offset(frame->prim, frame->iter);
}

/* `frame` is the level within the iteration of `above` that comes next. */
static inline void enter_level(dame_frame_t *frame, const dame_frame_t *above,
                               const dame_prim_t *prim)
{
    frame->prim = prim;
    frame->origin = iter_address(above);
    frame->iter = 0;
    frame->count = dame_iter_inner_count(above->prim, above->iter, prim);
}

static inline void push(dame_cursor_t *cursor, int32_t inner)
{
    const dame_frame_t *above = cursor->top++;
    enter_level(cursor->top, above, above->prim + inner);
}

static inline void pop(dame_cursor_t *cursor)
{
    cursor->top--;
    cursor->top->iter++;
}

dame_status_t dame_cursor_init(dame_cursor_t *cursor, const dame_program_t *program, uintptr_t base,
                               int64_t count)
{
    int64_t total;
    if (count < 0) {
        return DAME_ERR_ARGUMENT;
    }
    if (__builtin_mul_overflow(count, program->size, &total)) {
        return DAME_ERR_RANGE;
    }
    dame_frame_t *frames = cursor->fixed;
    if (program->depth > DAME_CURSOR_DEPTH) {
        frames = malloc((size_t) program->depth * sizeof(*frames));
        if (frames == NULL) {
            return DAME_ERR_NOMEM;
        }
    }
    cursor->program = program;
    cursor->position = 0;
    cursor->total = total;
    cursor->in_block = 0;
    cursor->frames = frames;
    cursor->top = frames;
    frames[0] = (dame_frame_t){.prim = program->prims, .origin = base, .count = count};
    return DAME_OK;
}

void dame_cursor_fini(dame_cursor_t *cursor)
{
    if (cursor->frames != cursor->fixed) {
        free(cursor->frames);
    }
}

/* The last i in [low, high] with prefix[i] <= bytes; prefix[low] is. */
static int64_t search_between(const int64_t *prefix, int64_t low, int64_t high, int64_t bytes)
{
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        if (prefix[middle] <= bytes) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/*
 * The same with a guess where the blocks between are of about one size, and steps that double from
 * there: a search that halves a long list waits for memory at each step.
 */
static int64_t search_prefix(const int64_t *prefix, int64_t low, int64_t high, int64_t bytes)
{
    enum { SHORT_LIST = 32 };
    int64_t step = 1;
    if (high - low < SHORT_LIST) {
        return search_between(prefix, low, high, bytes);
    }
    double share = (double) (bytes - prefix[low]) / (double) (prefix[high] - prefix[low]);
    int64_t guess = share < 1 ? low + (int64_t) (share * (double) (high - low)) : high;
    if (prefix[guess] <= bytes) {
        for (low = guess; step < high - low && prefix[low + step] <= bytes; step *= 2) {
            low += step;
        }
        return search_between(prefix, low, step < high - low ? low + step - 1 : high, bytes);
    }
    for (high = guess - 1; step < high - low && prefix[high - step] > bytes; step *= 2) {
        high -= step + 1;
    }
    return search_between(prefix, step < high - low ? high - step : low, high, bytes);
}

void dame_cursor_seek(dame_cursor_t *cursor, int64_t position)
{
    int64_t rest = position;
    cursor->position = position;
    cursor->in_block = 0;
    cursor->top = cursor->frames;
    cursor->top->iter = 0;
    if (position == cursor->total) { /* also every position of an empty type */
        cursor->top->iter = cursor->top->count;
        return;
    }
    for (;;) {
        dame_frame_t *frame = cursor->top;
        const dame_prim_t *prim = frame->prim;
        if (prim->prefix != NULL) {
            frame->iter = search_prefix(prim->prefix, 0, prim->count, rest);
            rest -= prim->prefix[frame->iter];
        } else {
            frame->iter = dame_divide(rest, prim->iter_size);
            rest -= frame->iter * prim->iter_size;
        }
        if (rest == 0) {
            return;
        }
        int32_t inner = dame_iter_inner(prim, frame->iter);
        if (inner == 0) {
            cursor->in_block = rest;
            return;
        }
        push(cursor, inner);
    }
}

/* The next fragment will probably end n blocks after `last`: memory has time until then. */
static inline void expect_search(const int64_t *prefix, int64_t last, int64_t n, int64_t count)
{
    enum { LINE = 64 };
    if (n < count - last) {
        uintptr_t line = (uintptr_t) &prefix[last + n];
        __builtin_prefetch((const void *) (line - LINE));
        __builtin_prefetch((const void *) line);
        __builtin_prefetch((const void *) (line + LINE));
    }
}

/* How many of the frame's next iterations fit into `length` bytes, and their size. */
static inline int64_t whole_iterations(const dame_frame_t *frame, int64_t length, int64_t *bytes)
{
    const dame_prim_t *prim = frame->prim;
    int64_t n = frame->count - frame->iter;
    if (prim->prefix != NULL) {
        int64_t done = prim->prefix[frame->iter];
        int64_t last = prim->prefix[frame->count] - done <= length
                           ? frame->count
                           : search_prefix(prim->prefix, frame->iter, frame->count, done + length);
        expect_search(prim->prefix, last, last - frame->iter, frame->count);
        *bytes = prim->prefix[last] - done;
        return last - frame->iter;
    }
    *bytes = n * prim->iter_size;
    if (*bytes > length) { /* fragments of nested types mostly end a level: no division then */
        n = prim->iter_size > length ? 0 : dame_divide(length, prim->iter_size);
        *bytes = n * prim->iter_size;
    }
    return n;
}

static inline void copy(dame_dir_t dir, uintptr_t user, char *packed, int64_t bytes)
{
    if (dir == DAME_PACK) {
        memcpy(packed, (const void *) user, (size_t) bytes);
    } else {
        memcpy((void *) user, packed, (size_t) bytes);
    }
}

/* How a call treats the block that it cannot finish. */
typedef enum tail { TAIL_CUT, TAIL_GRANULE } tail_t;

static inline int64_t past_granule(const dame_cursor_t *cursor, int64_t in_block)
{
    int64_t granule = cursor->program->granule;
    return (granule & (granule - 1)) == 0 ? in_block & (granule - 1) : in_block % granule;
}

int dame_cursor_on_boundary(const dame_cursor_t *cursor)
{
    return past_granule(cursor, cursor->in_block) == 0;
}

static inline int spares(const dame_cursor_t *cursor, int64_t length)
{
    const dame_frame_t *frame = cursor->top;
    return length >= DAME_SPARING_ROOM && cursor->in_block == 0 &&
           dame_iter_size(frame->prim, frame->iter) <= DAME_SPARED_BLOCK;
}

int dame_cursor_spares(const dame_cursor_t *cursor, int64_t length)
{
    return spares(cursor, length);
}

/* How much of the contiguous block at the cursor to move when only `room` bytes of its rest fit. */
static inline int64_t cut(const dame_cursor_t *cursor, tail_t tail, int64_t room, int64_t moved)
{
    if (tail == TAIL_CUT) {
        return room;
    }
    if (spares(cursor, moved + room)) {
        return 0;
    }
    int64_t past = past_granule(cursor, cursor->in_block + room);
    return past < room ? room - past : 0;
}

/* Moves the rest of the block that an earlier fragment cut, or as much of it as fits. */
static inline int64_t finish_block(dame_cursor_t *cursor, dame_dir_t dir, tail_t tail, char *packed,
                                   int64_t length)
{
    dame_frame_t *frame = cursor->top;
    const int64_t done = cursor->in_block;
    const int64_t rest = dame_iter_size(frame->prim, frame->iter) - done;
    const int64_t bytes = rest <= length ? rest : cut(cursor, tail, length, 0);
    cursor->in_block = bytes < rest ? done + bytes : 0;
    const uintptr_t address = iter_address(frame);
    frame->iter += bytes == rest;
    copy(dir, address + (uintptr_t) done, packed, bytes);
    return bytes;
}

/* The level at the top, or the one around it, if its iterations are columns that are walked
 * together; else NULL. */
static inline dame_frame_t *columns_at(const dame_cursor_t *cursor)
{
    dame_frame_t *top = cursor->top;
    if (top->prim->by_block != NULL) {
        return top;
    }
    return top != cursor->frames && top[-1].prim->by_block != NULL ? top - 1 : NULL;
}

/*
 * Moves blocks of columns that are walked together, from the cursor on and as many as fit: whole
 * columns and those that fragments cut alike. Returns the bytes.
 */
static __attribute__((noinline)) int64_t move_columns(dame_cursor_t *cursor, dame_frame_t *walk,
                                                      dame_dir_t dir, char *packed, int64_t length)
{
    const dame_prim_t *prim = walk->prim, *column = prim + prim->inner_delta;
    int64_t row = walk == cursor->top ? 0 : cursor->top->iter;
    const int64_t first = walk->iter * column->count + row;
    const int64_t left = walk->count * column->count - first;
    int64_t n = dame_divide(length, column->iter_size);
    n = n < left ? n : left;
    if (n == 0) {
        return 0;
    }
    prim->by_block[dir](prim, walk->origin, packed, first, n);
    cursor->top = walk;
    const int64_t columns = dame_divide(row + n, column->count);
    walk->iter += columns;
    row += n - columns * column->count;
    if (row != 0) {
        push(cursor, prim->inner_delta);
        cursor->top->iter = row;
    }
    return n * column->iter_size;
}

/*
 * The driver: finish the block cut at the head, run the largest whole run of the outermost level
 * that allows one, step inward for the rest, leave the cut block at the tail. In line, so that
 * direction and tail are constants: a fragment of a few blocks pays for every test.
 */
static inline __attribute__((always_inline)) int64_t
move_pieces(dame_cursor_t *cursor, dame_dir_t dir, tail_t tail, char *packed, int64_t length)
{
    int64_t left = cursor->total - cursor->position;
    left = length < left ? length : left;
    int64_t moved = 0;

    if (cursor->in_block != 0 && left > 0) {
        moved = finish_block(cursor, dir, tail, packed, left);
        left = cursor->in_block == 0 ? left - moved : 0;
    }
    while (left > 0) {
        dame_frame_t *walk = cursor->program->has_by_block != 0 ? columns_at(cursor) : NULL;
        int64_t bytes;
        if (walk != NULL) {
            bytes = move_columns(cursor, walk, dir, packed + moved, left);
            moved += bytes;
            left -= bytes;
            if (left == 0) {
                break;
            }
        }
        dame_frame_t *frame = cursor->top;
        int64_t n = whole_iterations(frame, left, &bytes);
        if (n > 0) {
            dame_prim_run(frame->prim, dir)(frame->prim, frame->origin, packed + moved, frame->iter,
                                            n);
            frame->iter += n;
            moved += bytes;
            left -= bytes;
        }
        if (left == 0) {
            break;
        }
        if (frame->iter == frame->count) {
            pop(cursor);
            continue;
        }
        int32_t inner = dame_iter_inner(frame->prim, frame->iter);
        if (inner == 0) {
            cursor->in_block = cut(cursor, tail, left, moved);
            copy(dir, iter_address(frame), packed + moved, cursor->in_block);
            moved += cursor->in_block;
            break;
        }
        push(cursor, inner);
    }
    cursor->position += moved;
    return moved;
}

int64_t dame_cursor_pack(dame_cursor_t *cursor, char *packed, int64_t length)
{
    return move_pieces(cursor, DAME_PACK, TAIL_GRANULE, packed, length);
}

int64_t dame_cursor_pack_exact(dame_cursor_t *cursor, char *packed, int64_t length)
{
    return move_pieces(cursor, DAME_PACK, TAIL_CUT, packed, length);
}

int64_t dame_cursor_unpack(dame_cursor_t *cursor, const char *packed, int64_t length)
{
    return move_pieces(cursor, DAME_UNPACK, TAIL_CUT, (char *) (uintptr_t) packed, length);
}

/* Lists the frame's next blocks, as many as there is room for, where they are of one size and
 * evenly spread. Returns how many. */
static inline int32_t list_vector(dame_frame_t *frame, dame_block_t *blocks, int32_t room)
{
    const dame_prim_t *prim = frame->prim;
    const int64_t rest = frame->count - frame->iter;
    const int32_t n = rest < room ? (int32_t) rest : room;
    uintptr_t address = iter_address(frame);
    for (int32_t i = 0; i < n; i++) {
        blocks[i] = (dame_block_t){.address = address, .length = prim->iter_size};
        address += (uintptr_t) prim->step;
    }
    frame->iter += n;
    return n;
}

/* The level at the top, of which `frame` is a copy, has ended: enters it again within the next
 * iteration of the level above. False: that one has also ended, or is made of several levels. */
static inline bool enter_again(dame_cursor_t *cursor, dame_frame_t *frame)
{
    dame_frame_t *above = cursor->top - 1;
    if (cursor->top == cursor->frames || above->prim->inner_deltas != NULL ||
        above->iter + 1 == above->count) {
        return false;
    }
    above->iter++;
    enter_level(frame, above, frame->prim);
    return true;
}

/*
 * Lists the blocks of the level at the top, as often as the level above repeats it, behind the
 * `*used` blocks that there are. Returns false without room for the next. In a loop of its own over
 * local variables: blocks of a few bytes are common, and callers do little with each.
 */
static inline bool list_level(dame_cursor_t *cursor, dame_block_t *blocks, int32_t *used, int32_t n)
{
    dame_frame_t frame = *cursor->top;
    const dame_prim_t *prim = frame.prim;
    const bool vector = prim->prefix == NULL && prim->inner_deltas == NULL &&
                        !dame_prim_has_list(prim) && prim->step != prim->iter_size;
    int64_t in_block = cursor->in_block;
    int64_t position = cursor->position;
    int32_t listed = *used;
    uintptr_t end =
        listed > 0 ? blocks[listed - 1].address + (uintptr_t) blocks[listed - 1].length : 0;
    bool room = true;
    while ((frame.iter < frame.count || enter_again(cursor, &frame)) &&
           dame_iter_inner(prim, frame.iter) == 0) {
        const uintptr_t address = iter_address(&frame) + (uintptr_t) in_block;
        const int64_t length = dame_iter_size(prim, frame.iter) - in_block;
        if (end == address && listed > 0) {
            blocks[listed - 1].length += length;
        } else if (listed < n) {
            blocks[listed++] = (dame_block_t){.address = address, .length = length};
        } else {
            room = false;
            break;
        }
        end = address + (uintptr_t) length;
        position += length;
        in_block = 0;
        frame.iter++;
        if (vector) { /* none of the rest touch */
            const int32_t more = list_vector(&frame, blocks + listed, n - listed);
            listed += more;
            position += more * prim->iter_size;
            end += (uintptr_t) more * (uintptr_t) prim->step;
        }
    }
    *cursor->top = frame;
    cursor->in_block = in_block;
    cursor->position = position;
    *used = listed;
    return room;
}

/* Goes to the level of the next block, or to the end. */
static void descend(dame_cursor_t *cursor)
{
    while (cursor->position < cursor->total) {
        const dame_frame_t *frame = cursor->top;
        const bool is_done = frame->iter == frame->count;
        const int32_t inner = is_done ? 0 : dame_iter_inner(frame->prim, frame->iter);
        if (!is_done && inner == 0) {
            return;
        }
        if (is_done) {
            pop(cursor);
        } else {
            push(cursor, inner);
        }
    }
}

void dame_cursor_rows(dame_cursor_t *cursor, int64_t most, dame_rows_t *rows)
{
    descend(cursor);
    const dame_frame_t *frame = cursor->top;
    const dame_prim_t *prim = frame->prim;
    const int64_t fitting = most / dame_iter_size(prim, frame->iter);
    const int64_t left = frame->count - frame->iter;
    rows->height = fitting < left ? fitting : left;
    if (rows->height > 1 && cursor->in_block == 0 && !dame_prim_has_list(prim) &&
        prim->prefix == NULL && prim->inner_deltas == NULL && prim->step != prim->iter_size) {
        rows->address = frame->origin + dame_iter_offset(prim, frame->iter);
        rows->width = prim->iter_size;
        rows->stride = prim->step;
        dame_cursor_seek(cursor, cursor->position + rows->height * rows->width);
    } else {
        dame_block_t block;
        (void) dame_cursor_blocks(cursor, &block, 1);
        *rows = (dame_rows_t){block.address, block.length < most ? block.length : most, 0, 1};
    }
}

int32_t dame_cursor_blocks(dame_cursor_t *cursor, dame_block_t *blocks, int32_t n)
{
    int32_t used = 0;
    bool room = true;
    while (room && cursor->position < cursor->total) {
        descend(cursor);
        room = list_level(cursor, blocks, &used, n);
    }
    return used;
}
