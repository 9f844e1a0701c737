/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cursor: a position in the packed stream of a message, and the driver that moves data from
 * there. No other code knows about fragments.
 *
 * A cursor belongs to one call at a time. For programs of up to DAME_CURSOR_DEPTH levels it owns no
 * heap memory. Do not copy it by assignment: it may contain pointers into itself.
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
    int64_t count;    /* total iterations */
} dame_frame_t;

typedef struct dame_cursor {
    const dame_program_t *program;
    int64_t position; /* bytes of the packed stream before the cursor */
    int64_t total;    /* bytes of the packed stream */
    int64_t in_block; /* bytes done of the block at iteration top->iter of the top frame */
    dame_frame_t *top;
    dame_frame_t *frames; /* frames[0] is EXIT */
    dame_frame_t fixed[DAME_CURSOR_DEPTH];
} dame_cursor_t;

/* A contiguous piece of user memory, with the memory layout of a struct iovec. */
typedef struct __attribute__((may_alias)) dame_block {
    uintptr_t address;
    int64_t length; /* bytes */
} dame_block_t;

/*
 * Sets the cursor to position 0 of `count` elements at user address `base`.
 * Errors: DAME_ERR_NOMEM (only for programs deeper than DAME_CURSOR_DEPTH), DAME_ERR_ARGUMENT
 * (negative count), DAME_ERR_RANGE (count * size overflows). After DAME_OK the caller must call
 * dame_cursor_fini().
 */
dame_status_t dame_cursor_init(dame_cursor_t *cursor, const dame_program_t *program, uintptr_t base,
                               int64_t count);
void dame_cursor_fini(dame_cursor_t *cursor);

/* Moves the cursor to `position`, 0 <= position <= total, in O(depth + log entries). */
void dame_cursor_seek(dame_cursor_t *cursor, int64_t position);

/*
 * With this much room, packing cuts no block of up to a cache line: leaving the end of the fragment
 * unused is cheaper than copying the block in two parts on both sides.
 */
enum { DAME_SPARING_ROOM = 4096, DAME_SPARED_BLOCK = 64 }; /* bytes */

/*
 * Packs up to `length` bytes into `packed`, starting at the cursor, and advances. Returns the bytes
 * moved: min(length, total - position), or less if the last block does not fit. That block ends at
 * the last multiple of the program's granule, or is spared: left whole for the next call. May
 * return 0.
 */
int64_t dame_cursor_pack(dame_cursor_t *cursor, char *packed, int64_t length);

/* After dame_cursor_pack() has returned less than `length`: did it spare a block? */
int dame_cursor_spares(const dame_cursor_t *cursor, int64_t length);

/* Packs min(length, total - position) bytes and cuts blocks anywhere. Returns the bytes moved. */
int64_t dame_cursor_pack_exact(dame_cursor_t *cursor, char *packed, int64_t length);

/* True if the cursor is certainly not inside a basic element. False: the program cannot tell. */
int dame_cursor_on_boundary(const dame_cursor_t *cursor);

/* Unpacks min(length, total - position) bytes from `packed`, which may be cut anywhere. Returns the
 * bytes moved. */
int64_t dame_cursor_unpack(dame_cursor_t *cursor, const char *packed, int64_t length);

/*
 * Lists up to n contiguous pieces of user memory, in stream order from the cursor, and advances
 * past them. Adjacent pieces are merged. Returns the number of pieces written.
 */
int32_t dame_cursor_blocks(dame_cursor_t *cursor, dame_block_t *blocks, int32_t n);

/* Blocks of one length, `stride` bytes from each other. */
typedef struct dame_rows {
    uintptr_t address;
    int64_t width;  /* bytes of a block */
    int64_t stride; /* may be negative or 0; 0 also where there is one */
    int64_t height; /* blocks */
} dame_rows_t;

/* Lists the next blocks, as many as are alike and end within `most` bytes, 1 and more, of the
 * packed stream, and advances past them; one that does not fit is cut, and the cursor is then good
 * for nothing but the end. Not at the end. */
void dame_cursor_rows(dame_cursor_t *cursor, int64_t most, dame_rows_t *rows);

#endif
