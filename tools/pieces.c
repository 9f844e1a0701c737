/* SPDX-License-Identifier: BSD-3-Clause */
#include "pieces.h"

#include "cli/tool.h"

typedef struct walk {
    piece_fn fn;
    void *context;
    int64_t most; /* pieces to walk at most, in all */
    int64_t index;
} walk_t;

/* The next pieces of the message from *position on. */
static int next_pieces(const pieces_t *pieces, int64_t *position, struct iovec *batch, int64_t room,
                       int64_t *n)
{
    const dame_status_t status =
        dame_blocks(pieces->datatype->type, pieces->count, NULL, position, batch, room, n);
    return status == DAME_OK ? TOOL_OK : tool_library_error("walking the message", status);
}

static int run_walk(const pieces_t *pieces, walk_t *walk)
{
    struct iovec batch[PIECES_BATCH];
    int64_t position = 0;
    if (pieces->whole) {
        piece_t all = {.address = pieces->low, .length = pieces->total};
        walk->fn(walk->context, &all);
        return TOOL_OK;
    }
    while (position < pieces->total && walk->index < walk->most) {
        const int64_t left = walk->most - walk->index;
        int64_t next = position, n;
        const int code =
            next_pieces(pieces, &next, batch, left < PIECES_BATCH ? left : PIECES_BATCH, &n);
        if (code != TOOL_OK) {
            return code;
        }
        for (int64_t i = 0; i < n; i++) {
            piece_t piece = {.address = (int64_t) (uintptr_t) batch[i].iov_base,
                             .length = (int64_t) batch[i].iov_len,
                             .position = position,
                             .index = walk->index++};
            walk->fn(walk->context, &piece);
            position += piece.length;
        }
    }
    return TOOL_OK;
}

int pieces_walk(const pieces_t *pieces, piece_fn fn, void *context)
{
    walk_t walk = {.fn = fn, .context = context, .most = PIECES_MAX};
    return run_walk(pieces, &walk);
}

static void count_piece(void *context, const piece_t *piece)
{
    int64_t *n = context;
    *n = piece->index + 1;
}

/* Pieces of the message, walked as it stands: up to PIECES_MAX + 1. */
static int count_pieces(pieces_t *pieces, int64_t *n)
{
    walk_t walk = {.fn = count_piece, .context = n, .most = PIECES_MAX + 1};
    *n = 0;
    return run_walk(pieces, &walk);
}

/* Elements without a gap that follow each other without one are one piece, and may be too many to
 * find that out one by one. */
static int find_whole(pieces_t *pieces)
{
    const tool_bounds_t *bounds = &pieces->datatype->bounds;
    struct iovec blocks[2];
    int64_t position = 0, n;
    if (bounds->size != bounds->true_ub - bounds->true_lb ||
        (pieces->count > 1 && bounds->extent != bounds->size)) {
        return TOOL_OK;
    }
    const dame_status_t status =
        dame_blocks(pieces->datatype->type, 1, NULL, &position, blocks, 2, &n);
    if (status != DAME_OK) {
        return tool_library_error("walking the message", status);
    }
    pieces->whole = n == 1;
    return TOOL_OK;
}

int pieces_open(pieces_t *pieces, const tool_datatype_t *datatype, int64_t count)
{
    *pieces = (pieces_t){.datatype = datatype, .count = count};
    const int code =
        tool_span(&datatype->bounds, count, &pieces->low, &pieces->high, &pieces->total);
    return code != TOOL_OK || pieces->total == 0 ? code : find_whole(pieces);
}

int pieces_init(pieces_t *pieces, const tool_datatype_t *datatype, int64_t count)
{
    int code = pieces_open(pieces, datatype, count);
    if (code != TOOL_OK || pieces->total == 0) {
        return code;
    }
    code = count_pieces(pieces, &pieces->walks);
    return code != TOOL_OK || pieces->walks <= PIECES_MAX
               ? code
               : tool_error(TOOL_WRONG, "more than %d contiguous pieces; as many are allowed",
                            PIECES_MAX);
}

int64_t pieces_lower_bound(const tool_bounds_t *bounds)
{
    return bounds->extent == bounds->true_ub - bounds->true_lb ? bounds->true_lb : 0;
}
