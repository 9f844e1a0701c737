/*
 * The cursor: a place in the packed stream of a message, and the driver that moves data from there.
 * This is the only code that knows about fragments.
 *
 * A cursor belongs to one call at a time. It is plain data: up to DAME_CURSOR_DEPTH levels it owns
 * no heap memory; it must not be copied by assignment (frames may point into itself).
 */
#ifndef DAME_CURSOR_H
#define DAME_CURSOR_H

#include <stdint.h>

#include "dame/program.h"

#define DAME_CURSOR_DEPTH 16

/* One loop level in progress. */
typedef struct dame_frame {
    const dame_prim_t *prim;
    uintptr_t origin; /* address of the level's origin */
    int64_t iter;     /* iterations finished */
    int64_t count;    /* iterations in all */
} dame_frame_t;

typedef struct dame_cursor {
    const dame_program_t *program;
    int64_t position; /* bytes of the packed stream before the cursor */
    int64_t total;    /* bytes of the packed stream */
    int64_t in_block; /* bytes done of the contiguous block that iteration top->iter is */
    dame_frame_t *top;
    dame_frame_t *frames; /* frames[0] is EXIT */
    dame_frame_t fixed[DAME_CURSOR_DEPTH];
} dame_cursor_t;

/* A contiguous piece of user memory. May be a struct iovec, which is the same in memory. */
typedef struct __attribute__((may_alias)) dame_block {
    uintptr_t address;
    int64_t length; /* bytes */
} dame_block_t;

/*
 * A cursor at position 0 of `count` elements starting at user address `base`.
 * Errors: DAME_ERR_NOMEM (only for programs deeper than DAME_CURSOR_DEPTH), DAME_ERR_ARGUMENT
 * (negative count), DAME_ERR_RANGE (count * size overflows). After DAME_OK call dame_cursor_fini().
 */
dame_status_t dame_cursor_init(dame_cursor_t *cursor, const dame_program_t *program, uintptr_t base,
                               int64_t count);
void dame_cursor_fini(dame_cursor_t *cursor);

/* Moves to `position`, 0 <= position <= total, in O(depth + log entries). */
void dame_cursor_seek(dame_cursor_t *cursor, int64_t position);

/*
 * Packing with this much room cuts no block of up to a cache line: what the fragment loses is less
 * than the copies of both parts cost, here and at a receiver of the same datatype.
 */
enum { DAME_SPARING_ROOM = 4096, DAME_SPARED_BLOCK = 64 }; /* bytes */

/*
 * Packs up to `length` bytes from the cursor on into `packed` and advances. Returns the bytes
 * moved: min(length, total - position), less what lies behind the last multiple of the program's
 * granule in a block that does not fit, or less all of a block that is spared. May return 0.
 */
int64_t dame_cursor_pack(dame_cursor_t *cursor, char *packed, int64_t length);

/* dame_cursor_pack() has just returned less than `length`: does it spare a block? */
int dame_cursor_spares(const dame_cursor_t *cursor, int64_t length);

/* Packs min(length, total - position) bytes, and cuts whatever is there. Returns bytes moved. */
int64_t dame_cursor_pack_exact(dame_cursor_t *cursor, char *packed, int64_t length);

/* Is the cursor certainly not inside a basic element? False says that the program cannot tell. */
int dame_cursor_on_boundary(const dame_cursor_t *cursor);

/* Unpacks min(length, total - position) bytes from `packed`, cut anywhere. Returns bytes moved. */
int64_t dame_cursor_unpack(dame_cursor_t *cursor, const char *packed, int64_t length);

/*
 * Lists the next up to n contiguous pieces of user memory in stream order and advances over them;
 * pieces that touch are merged. Returns how many were written.
 */
int32_t dame_cursor_blocks(dame_cursor_t *cursor, dame_block_t *blocks, int32_t n);

#endif
