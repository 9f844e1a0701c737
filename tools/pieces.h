/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A message as a list of pieces: contiguous runs of user memory in stream order, each as long as
 * can be. Which pieces there are depends on the layout alone, not on how its datatype was made.
 *
 * Addresses are bytes from the user buffer's address.
 */
#ifndef PIECES_H
#define PIECES_H

#include "datatype.h"

enum { PIECES_MAX = 1 << 24, PIECES_BATCH = 512 };

typedef struct piece {
    int64_t address;
    int64_t length;   /* >= 1 */
    int64_t position; /* bytes of the stream before it */
    int64_t index;    /* in the stream, from 0 */
} piece_t;

typedef struct pieces {
    const tool_datatype_t *datatype;
    int64_t count;     /* elements of the message */
    int64_t total;     /* bytes of the message */
    int64_t low, high; /* its bytes lie in [low, high) */
    int64_t walks;     /* pieces that a walk gives */
    int whole;         /* is the message one piece? */
} pieces_t;

/*
 * Prepares to walk `count` elements; counts their pieces. TOOL_WRONG after a message when addresses
 * or sizes do not fit into 64 bits or there are more than PIECES_MAX pieces, TOOL_SYSTEM when
 * memory is out. The datatype must live as long as the pieces, which own nothing.
 */
int pieces_init(pieces_t *pieces, const tool_datatype_t *datatype, int64_t count);

/* The same without counting them, for callers that limit the walk themselves: walks is 0, and
 * pieces_walk() gives up to PIECES_MAX. */
int pieces_open(pieces_t *pieces, const tool_datatype_t *datatype, int64_t count);

/*
 * The lower bound of an element. A program says how long the extent is, not where it starts: that
 * is taken to be where the data starts if it is as long as the data, and 0 otherwise.
 */
int64_t pieces_lower_bound(const tool_bounds_t *bounds);

/* What a walk calls for each piece. */
typedef void (*piece_fn)(void *context, const piece_t *piece);

/* Walks the pieces in stream order, each time the same ones. TOOL_SYSTEM after a message. */
int pieces_walk(const pieces_t *pieces, piece_fn fn, void *context);

#endif
