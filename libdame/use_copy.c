/*
 * A message copied to another of the same signature, with no packed stream between.
 *
 * Two messages of one program are a copy kernel's. Otherwise both lists of blocks are walked, a few
 * blocks at a time. Where the blocks of one side are much longer than the other's, each of them is
 * itself a piece of a packed stream, which run kernels pack into or unpack from; otherwise bytes go
 * from block to block.
 */
#include "use.h"

#include <string.h>

#include "use_program.h"

enum { AT_A_TIME = 64 }; /* blocks */

/* A block is served as a stream if it is at least so many of the other side's and bytes: a cursor's
 * call costs what copying a few blocks costs. */
enum { STREAM_BLOCKS = 8, STREAM_BYTES = 128 };

typedef struct side {
    dame_cursor_t cursor;
    dame_block_t blocks[AT_A_TIME];
    int32_t listed;
    int64_t bytes; /* of the listed blocks */
} side_t;

/* Lists the side's next blocks from `position` on. */
static void list(side_t *side, int64_t position)
{
    if (side->cursor.position != position) {
        dame_cursor_seek(&side->cursor, position);
    }
    side->listed = dame_cursor_blocks(&side->cursor, side->blocks, AT_A_TIME);
    side->bytes = side->cursor.position - position;
}

/* Are the blocks of `side` pieces of a stream for those of `other`? */
static int is_stream(const side_t *side, const side_t *other)
{
    const int64_t block = side->bytes / side->listed;
    return block >= STREAM_BYTES && block / STREAM_BLOCKS >= other->bytes / other->listed;
}

/* Moves the other side's data between its own memory and the blocks of `side`. */
static void stream(side_t *side, side_t *other, dame_dir_t dir, int64_t position)
{
    dame_cursor_seek(&other->cursor, position);
    for (int32_t i = 0; i < side->listed; i++) {
        char *block = (char *) side->blocks[i].address;
        if (DAME_PACK == dir) {
            dame_cursor_pack_exact(&other->cursor, block, side->blocks[i].length);
        } else {
            dame_cursor_unpack(&other->cursor, block, side->blocks[i].length);
        }
    }
}

static inline void copy_bytes(uintptr_t to, uintptr_t from, int64_t bytes)
{
    char *at = (char *) to;
    const char *source = (const char *) from;
    switch (bytes) {
    case 4:
        memcpy(at, source, 4);
        break;
    case 8:
        memcpy(at, source, 8);
        break;
    case 16:
        memcpy(at, source, 16);
        break;
    default:
        memcpy(at, source, (size_t) bytes);
        break;
    }
}

/* Copies from block to block until one side has no more of them. Returns the bytes. */
static int64_t merge(const side_t *from, const side_t *to)
{
    const int64_t bytes = from->bytes < to->bytes ? from->bytes : to->bytes;
    const dame_block_t *source = from->blocks, *target = to->blocks;
    int64_t in_source = 0, in_target = 0;
    for (int64_t left = bytes; left > 0;) {
        const int64_t source_left = source->length - in_source;
        const int64_t target_left = target->length - in_target;
        const int64_t n = source_left < target_left ? source_left : target_left;
        copy_bytes(target->address + (uintptr_t) in_target, source->address + (uintptr_t) in_source,
                   n);
        left -= n;
        in_source = n == source_left ? 0 : in_source + n;
        source += n == source_left;
        in_target = n == target_left ? 0 : in_target + n;
        target += n == target_left;
    }
    return bytes;
}

static void copy_blocks(side_t *from, side_t *to)
{
    for (int64_t position = 0; position < from->cursor.total;) {
        list(from, position);
        list(to, position);
        if (is_stream(to, from)) {
            stream(to, from, DAME_PACK, position);
            position += to->bytes;
        } else if (is_stream(from, to)) {
            stream(from, to, DAME_UNPACK, position);
            position += from->bytes;
        } else {
            position += merge(from, to);
        }
    }
}

dame_status_t dame_use_copy(const dame_use_message_t *from, const dame_use_message_t *to)
{
    const dame_program_t *program = from->use->program;
    if (program == to->use->program && from->count == to->count &&
        dame_program_is_apart(program, from->count, (int64_t) (to->base - from->base))) {
        dame_program_copy(program, to->base, from->base, from->count);
        return DAME_OK;
    }
    side_t sides[2];
    dame_status_t status = dame_cursor_init(&sides[0].cursor, program, from->base, from->count);
    if (DAME_OK != status) {
        return status;
    }
    status = dame_cursor_init(&sides[1].cursor, to->use->program, to->base, to->count);
    if (DAME_OK == status) {
        copy_blocks(&sides[0], &sides[1]);
        dame_cursor_fini(&sides[1].cursor);
    }
    dame_cursor_fini(&sides[0].cursor);
    return status;
}
