/*
 * Straight code for blocks whose places are known. Private to jit/x/.
 */
#ifndef DAME_X_MOVE_H
#define DAME_X_MOVE_H

#include "dame/program.h"
#include "code.h"

/* A contiguous block. */
typedef struct x_piece {
    int64_t user;   /* from the user place */
    int64_t packed; /* from the packed register */
    int64_t bytes;
} x_piece_t;

/* Blocks that one or a few iterations of a level consist of. */
enum { X_PIECES = 64 };

/* Moves that one vector must replace to be faster than they are. */
enum { X_FEWEST_MOVES = 4 };

typedef struct x_pieces {
    int n;
    int streams; /* packed bytes are stored past the caches */
    int exact;   /* masks would often end in another page, which is slow */
    int more; /* pieces behind the n that will be moved later, by code that comes after: they only
                 tell what may be touched */
    x_piece_t at[2 * X_PIECES];
} x_pieces_t;

/* Starts over; `at` needs no initial value. */
static inline void x_no_pieces(x_pieces_t *pieces)
{
    pieces->n = 0;
    pieces->more = 0;
    pieces->exact = 0;
    pieces->streams = 0;
}

/*
 * Moves that a piece takes on its own. In user memory no byte too many is written, so that sizes
 * that are no power of two take two; with vectors of 64 bytes they are counted as one, since no
 * gain from fewer than four pieces has been measured.
 */
int64_t x_moves(const x_code_t *code, dame_dir_t dir, int64_t bytes);

/*
 * Moves n pieces in the order of the packed stream, where they follow each other. All displacements
 * fit places. Within the contract of dame_run_fn, packing may write behind a piece what later
 * pieces, `more` ones included, write again, and read beyond a piece up to the end of a later one
 * with less than a page between them. Nothing outside the pieces is written.
 */
void x_move_pieces(x_code_t *code, dame_dir_t dir, x_place_t user, x_reg_t packed,
                   const x_pieces_t *pieces);

#endif
