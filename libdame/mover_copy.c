/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A message copied to another of the same signature.
 *
 * Two messages of one layout are a copy kernel's. Otherwise a few blocks of both sides are looked
 * at. Where those of one side are long, each of them is itself a piece of a packed stream, which
 * run kernels pack into or unpack from. Where all are short, their bytes pass through a window of a
 * few KiB that stays in the first cache: run kernels move short blocks several times faster than a
 * loop that goes from block to block. No memory grows with the message.
 */
#include <string.h>

#include "mover.h"

/*
 * AT_A_TIME blocks of a side are looked at. From STREAM_BYTES on, a cursor's call for each block
 * costs less than moving all bytes twice. Through the window go WINDOWS times its bytes before
 * blocks are looked at again. libdame/README.md has the measurement.
 */
enum { AT_A_TIME = 32, STREAM_BYTES = 512, WINDOW = 4096, WINDOWS = 16 };

typedef struct side {
    dame_cursor_t cursor;
    dame_block_t blocks[AT_A_TIME];
    int32_t listed;
    int64_t bytes; /* of the listed blocks */
} side_t;

/* Lists the side's next blocks from `position` on. Returns their average length. */
static int64_t list(side_t *side, int64_t position)
{
    dame_cursor_seek(&side->cursor, position);
    side->listed = dame_cursor_blocks(&side->cursor, side->blocks, AT_A_TIME);
    side->bytes = side->cursor.position - position;
    return side->bytes / side->listed;
}

/* Moves the other side's data between its own memory and the blocks of `side`. */
static void stream(side_t *side, side_t *other, dame_dir_t dir, int64_t position)
{
    dame_cursor_seek(&other->cursor, position);
    for (int32_t i = 0; i < side->listed; i++) {
        char *block = (char *) side->blocks[i].address;
        if (dir == DAME_PACK) {
            dame_cursor_pack_exact(&other->cursor, block, side->blocks[i].length);
        } else {
            dame_cursor_unpack(&other->cursor, block, side->blocks[i].length);
        }
    }
}

/* Copies short blocks from `position` on. Returns the bytes. */
static int64_t through_window(side_t *from, side_t *to, int64_t position)
{
    char window[WINDOW];
    int64_t moved = 0, n = WINDOW;
    dame_cursor_seek(&from->cursor, position);
    dame_cursor_seek(&to->cursor, position);
    for (int i = 0; i < WINDOWS && n == WINDOW; i++) {
        n = dame_cursor_pack_exact(&from->cursor, window, WINDOW);
        dame_cursor_unpack(&to->cursor, window, n);
        moved += n;
    }
    return moved;
}

static void copy_all(side_t *from, side_t *to)
{
    for (int64_t position = 0; position < from->cursor.total;) {
        const int64_t source = list(from, position);
        const int64_t target = list(to, position);
        if (source < STREAM_BYTES && target < STREAM_BYTES) {
            position += through_window(from, to, position);
        } else if (target >= source) {
            stream(to, from, DAME_PACK, position);
            position += to->bytes;
        } else {
            stream(from, to, DAME_UNPACK, position);
            position += from->bytes;
        }
    }
}

static int same_numbers(const int64_t *a, const int64_t *b, int64_t n)
{
    return (a == NULL) == (b == NULL) && (a == NULL || memcmp(a, b, (size_t) n * sizeof(*a)) == 0);
}

static int same_halves(const int32_t *a, const int32_t *b, int64_t n)
{
    return (a == NULL) == (b == NULL) && (a == NULL || memcmp(a, b, (size_t) n * sizeof(*a)) == 0);
}

/* Returns whether two levels move the same bytes. What moves them follows from these parameters
 * alone (see dame_run_fn). */
static int same_level(const dame_prim_t *a, const dame_prim_t *b)
{
    return a->params->op == b->params->op && a->count == b->count && a->step == b->step &&
           a->iter_size == b->iter_size && a->inner_delta == b->inner_delta &&
           same_numbers(a->disps, b->disps, a->count) &&
           same_halves(a->disps32, b->disps32, a->count) &&
           same_numbers(a->prefix, b->prefix, a->count + 1) &&
           same_halves(a->inner_deltas, b->inner_deltas, a->count);
}

/* One layout has one program, whichever constructors made it; but each datatype has its own copy.
 */
static int same_program(const dame_program_t *a, const dame_program_t *b)
{
    if (a == b) {
        return 1;
    }
    if (a->nprims != b->nprims || a->size != b->size || a->extent != b->extent) {
        return 0;
    }
    for (int32_t i = 0; i < a->nprims; i++) {
        if (!same_level(&a->prims[i], &b->prims[i])) {
            return 0;
        }
    }
    return 1;
}

static dame_status_t copy(const dame_message_t *from, const dame_message_t *to)
{
    side_t sides[2];
    dame_status_t status = dame_cursor_init(&sides[0].cursor, dame_mover_program(from->mover),
                                            from->base, from->count);
    if (status != DAME_OK) {
        return status;
    }
    status = dame_cursor_init(&sides[1].cursor, dame_mover_program(to->mover), to->base, to->count);
    if (status == DAME_OK) {
        copy_all(&sides[0], &sides[1]);
        dame_cursor_fini(&sides[1].cursor);
    }
    dame_cursor_fini(&sides[0].cursor);
    return status;
}

dame_status_t dame_mover_copy(const dame_message_t *from, const dame_message_t *to)
{
    const dame_program_t *program = dame_mover_program(from->mover);
    if (from->count == to->count && same_program(program, dame_mover_program(to->mover)) &&
        dame_program_is_apart(program, from->count, (int64_t) (to->base - from->base))) {
        dame_mover_copy_alike(from, to->base);
        return DAME_OK;
    }
    struct dame_thread *thread = dame_mover_enter(from->mover);
    const dame_status_t status = copy(from, to);
    dame_mover_leave(from->mover, thread);
    if (status == DAME_OK) {
        dame_mover_copied(from->mover, thread, from->count * program->size);
    }
    return status;
}
