/*
 * The parts that write one kernel together: straight.c blocks without loops, loop.c loops around
 * them, call.c calls, level.c whole levels. Private to jit/x/.
 */
#ifndef DAME_X_MAKER_H
#define DAME_X_MAKER_H

#include "level.h"
#include "move.h"

/*
 * A kernel in the making. The packed register stands `ahead` bytes before the place that code has
 * reached: straight code counts on, loops first bring it up to date.
 */
typedef struct x_maker {
    x_context_t *context;
    x_code_t *code;
    x_reg_t packed;
    int64_t ahead;
    int has_calls;   /* values live in registers that calls keep */
    int wants_calls; /* sticky: this kernel needs to be made anew with has_calls */
    int wants_saved; /* sticky: and with more registers */
    int saved;       /* registers that are saved */
    int is_shallow;  /* inner loops are called */
    int64_t reach;   /* bytes that the loops around step over, of that which steps over most */
    int64_t lines;   /* iterations of the loops around: a line each, where blocks are far apart */
    x_reg_t free[X_VOLATILES + X_SAVED + 5]; /* registers that hold nothing */
    int nfree;
    int prefetches;     /* in the loop that is being written */
    int streams;        /* there, too: packed bytes are stored past the caches */
    x_pieces_t *pieces; /* being collected, or just moved */
} x_maker_t;

enum { X_FAR = 1 << 30 }; /* displacements in straight code lie within */

static inline int x_is_far(int64_t disp)
{
    return disp < -X_FAR || disp > X_FAR;
}

/* ---- registers: straight.c ---- */

/* A register that holds nothing; it is given back when it does so again. */
x_reg_t x_take(x_maker_t *m);
void x_give_back(x_maker_t *m, x_reg_t reg);

/* A register with user.base + user.disp: for code that moves along or could not reach so far. */
x_reg_t x_take_address(x_maker_t *m, x_place_t user);

/* The packed register moves up to the place that code has reached. */
void x_catch_up(x_maker_t *m);

/* ---- straight code: straight.c ---- */

/*
 * Appends the blocks of iterations first to first + n - 1 of a level, from `user` and `*packed` on.
 * Returns 0 when they are more than straight code is good for, or out of reach.
 */
int x_append(const x_maker_t *m, const dame_prim_t *prim, int64_t first, int64_t n, int64_t user,
             int64_t *packed, x_pieces_t *to);

/* Are these iterations good as straight code of up to `most` bytes? Then m->pieces has them. */
int x_is_straight(x_maker_t *m, const dame_prim_t *prim, int64_t first, int64_t n, x_place_t user,
                  int64_t most);

/* The same for one iteration of a level that starts at `user`, up to the option memcpy_bytes. */
int x_is_iteration_straight(x_maker_t *m, const dame_prim_t *prim, int64_t user);

/* Moves m->pieces; the packed place goes on by what they have. */
void x_move_straight(x_maker_t *m, x_place_t user);

/* ---- calls: call.c ---- */

/* All of a level through its own kernel, compiled or not. */
void x_call_level(x_maker_t *m, const dame_prim_t *prim, x_place_t user, int64_t count);

/* One block: straight code, or the C library's copy where that is better. */
void x_block(x_maker_t *m, x_place_t user, int64_t bytes);

/* ---- loops: loop.c ---- */

/* How often a loop runs: a constant, or what a register holds, which the loop uses up. */
typedef struct trips {
    int64_t constant; /* < 0: in reg */
    x_reg_t reg;
} x_trips_t;

/* Where a loop stands, in registers that move on with it. */
typedef struct walk {
    const dame_prim_t *prim;
    x_place_t user; /* without a table: of the next iteration, disp 0 */
    x_reg_t table;  /* of the next entry */
    x_reg_t at;     /* with a table: of an iteration */
} x_walk_t;

int64_t x_table_address(const dame_prim_t *prim);

/* Bytes of an entry of a level's table. */
static inline int x_entry_bytes(const dame_prim_t *prim)
{
    return NULL != prim->disps32 ? 4 : 8;
}

/*
 * Iterations of a turn, when m->pieces has one. Those of small steps: whole vectors of them, which
 * a permutation gathers; `window` is how many a vector has, or 1.
 */
int64_t x_turn_length(const x_maker_t *m, const dame_prim_t *prim, int64_t *window);

/* All iterations from where `walk` stands on. */
void x_loop(x_maker_t *m, const x_walk_t *walk, x_trips_t trips);

/* ---- levels: level.c ---- */

/* All n iterations of a level whose origin is at `user`. */
void x_all_of(x_maker_t *m, const dame_prim_t *prim, x_place_t user, int64_t n);

#endif
