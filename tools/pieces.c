#include "pieces.h"

#include <string.h>

#include "tool.h"

enum { WINDOWS = 1 << 16, WINDOW_PIECES = PIECES_MAX / WINDOWS };

typedef struct walk {
    piece_fn fn;
    void *context;
    int64_t most; /* pieces to walk at most, in all */
    int64_t index;
} walk_t;

/* Gives the pieces from the cursor on that start before `end`, up to `most` of them. */
static void walk_window(walk_t *walk, dame_cursor_t *cursor, int64_t end, int64_t most)
{
    dame_block_t batch[PIECES_BATCH];
    int follows = 0;
    while (cursor->position < end && most > 0) {
        int64_t position = cursor->position;
        int32_t room = most < PIECES_BATCH ? (int32_t) most : PIECES_BATCH;
        int32_t n = dame_cursor_blocks(cursor, batch, room);
        for (int32_t i = 0; i < n && position < end; i++) {
            piece_t piece = {.address = (int64_t) batch[i].address,
                             .length = batch[i].length,
                             .position = position,
                             .index = walk->index++,
                             .follows = follows};
            walk->fn(walk->context, &piece);
            position += piece.length;
            follows = 1;
        }
        most -= n;
    }
}

static void walk_samples(const pieces_t *pieces, walk_t *walk, dame_cursor_t *cursor)
{
    for (int64_t start = 0; start < pieces->total;) {
        int64_t end =
            pieces->total - start > pieces->window ? start + pieces->window : pieces->total;
        dame_cursor_seek(cursor, start);
        if (cursor->in_block != 0) { /* its other part belongs to the window before */
            dame_block_t cut;
            dame_cursor_blocks(cursor, &cut, 1);
        }
        walk_window(walk, cursor, end, WINDOW_PIECES);
        start = end;
    }
}

static int run_walk(const pieces_t *pieces, walk_t *walk)
{
    if (pieces->whole) {
        piece_t all = {.address = pieces->low, .length = pieces->total};
        walk->fn(walk->context, &all);
        return TOOL_OK;
    }
    dame_cursor_t cursor;
    dame_status_t status = dame_cursor_init(&cursor, pieces->walked, 0, pieces->count);
    if (status != DAME_OK) {
        return tool_status_error("walking the message", status);
    }
    if (pieces->sampled) {
        walk_samples(pieces, walk, &cursor);
    } else {
        walk_window(walk, &cursor, pieces->total, walk->most);
    }
    dame_cursor_fini(&cursor);
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
static int is_whole(const pieces_t *pieces)
{
    const dame_program_t *program = pieces->program;
    if (program->size != program->true_ub - program->true_lb ||
        (pieces->count > 1 && program->extent != program->size)) {
        return 0;
    }
    dame_cursor_t cursor;
    dame_block_t blocks[2];
    if (dame_cursor_init(&cursor, pieces->walked, 0, 1) != DAME_OK) {
        return 0;
    }
    int32_t n = dame_cursor_blocks(&cursor, blocks, 2);
    dame_cursor_fini(&cursor);
    return n == 1;
}

int pieces_open(pieces_t *pieces, const dame_program_t *program, int64_t count)
{
    memset(pieces, 0, sizeof(*pieces));
    pieces->program = program;
    pieces->count = count;
    int code = tool_span(program, count, &pieces->low, &pieces->high, &pieces->total);
    if (code != TOOL_OK || pieces->total == 0) {
        return code;
    }
    code = tool_optimised("optimising the program", program, NULL, &pieces->walked);
    if (code != TOOL_OK) {
        return code;
    }
    pieces->whole = is_whole(pieces);
    return TOOL_OK;
}

int pieces_init(pieces_t *pieces, const dame_program_t *program, int64_t count)
{
    int code = pieces_open(pieces, program, count);
    if (code != TOOL_OK || pieces->total == 0) {
        return code;
    }
    code = count_pieces(pieces, &pieces->walks);
    if (code == TOOL_OK && pieces->walks > PIECES_MAX) {
        pieces->sampled = 1;
        pieces->window = pieces->total / WINDOWS;
        code = count_pieces(pieces, &pieces->walks);
    }
    if (code != TOOL_OK) {
        pieces_fini(pieces);
    }
    return code;
}

void pieces_fini(pieces_t *pieces)
{
    dame_program_free(pieces->walked);
    pieces->walked = NULL;
}

int64_t pieces_lower_bound(const dame_program_t *program)
{
    return program->extent == program->true_ub - program->true_lb ? program->true_lb : 0;
}
