/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What emits one kernel: straight.c allocates registers and emits straight-line code, loop.c loops,
 * call.c calls, level.c whole levels. Private to jit/x/.
 */
#ifndef DAME_X_COMPILER_H
#define DAME_X_COMPILER_H

#include "context.h"
#include "move.h"

/*
 * The state of a kernel that is being emitted. Straight-line code does not advance the packed
 * register; it addresses the stream with displacements from packed_offset on. Loops first flush the
 * offset into the register.
 */
typedef struct x_compiler {
    x_context_t *context;
    x_code_t *code;
    x_reg_t packed;
    int64_t packed_offset; /* bytes from the packed register to the next byte of the stream */
    int has_calls;         /* values live in registers that calls keep */
    int needs_calls;       /* sticky: emit the kernel again with has_calls */
    int needs_saved;       /* sticky: emit it again with more registers */
    int saved;             /* number of registers that the prologue saves */
    int is_shallow;        /* inner loops are called */
    int64_t reach;         /* the largest address range, in bytes, that an enclosing loop walks */
    int64_t lines;         /* iterations of all enclosing loops: a cache line each, where blocks are
                              far apart */
    x_reg_t free[X_VOLATILES + X_SAVED + 5]; /* stack of free registers */
    int nfree;
    int prefetches;     /* the current loop prefetches */
    x_blocks_t *blocks; /* scratch for the straight-line code that is emitted next */
} x_compiler_t;

enum { X_FAR = 1 << 30 }; /* displacements in straight-line code lie within */

static inline int x_is_far(int64_t disp)
{
    return disp < -X_FAR || disp > X_FAR;
}

/* ---- registers: straight.c ---- */

/* A free register; without one, notes needs_saved. The caller frees it. */
x_reg_t x_reg_alloc(x_compiler_t *c);
void x_reg_free(x_compiler_t *c, x_reg_t reg);

/* A register with the value user.base + user.disp. The caller frees it. */
x_reg_t x_reg_alloc_address(x_compiler_t *c, x_mem_t user);

/* Adds packed_offset to the packed register. */
void x_flush_packed_offset(x_compiler_t *c);

/* ---- straight-line code: straight.c ---- */

/*
 * Appends the blocks of iterations first to first + n - 1 of a level, from `user` and `*packed` on.
 * Returns 0, with *to incomplete, when they are too many or too long for straight-line code, or out
 * of reach of its displacements.
 */
int x_append_blocks(const x_compiler_t *c, const dame_prim_t *prim, int64_t first, int64_t n,
                    int64_t user, int64_t *packed, x_blocks_t *to);

/* Makes *to the blocks of the first n iterations of a level with its origin at displacement `user`.
 * Returns 0, with *to incomplete, when straight-line code of at most max_bytes cannot copy them. */
int x_collect_blocks(const x_compiler_t *c, const dame_prim_t *prim, int64_t n, int64_t user,
                     int64_t max_bytes, x_blocks_t *to);

/* The same for one iteration that starts at displacement `user`, up to the option memcpy_bytes. */
int x_collect_iteration(const x_compiler_t *c, const dame_prim_t *prim, int64_t user,
                        x_blocks_t *to);

/* Emits the copies of all blocks; packed_offset advances behind them. */
void x_copy_blocks(x_compiler_t *c, x_mem_t user, const x_blocks_t *blocks);

/* ---- calls: call.c ---- */

/* Calls a level's own kernel, compiled or not, for all its iterations. */
void x_emit_level_call(x_compiler_t *c, const dame_prim_t *prim, x_mem_t user, int64_t count);

/* Copies one block: straight-line code, or the C library's memcpy() where that is better. */
void x_emit_block(x_compiler_t *c, x_mem_t user, int64_t bytes);

/* ---- loops: loop.c ---- */

/* The number of iterations of a loop: a constant, or in a register, which the loop changes. */
typedef struct trips {
    int64_t constant; /* < 0: in reg */
    x_reg_t reg;
} x_trips_t;

/* The registers that a loop advances. */
typedef struct walk {
    const dame_prim_t *prim;
    x_mem_t user;  /* without a table: the next iteration, disp 0; with one: the level's origin */
    x_reg_t table; /* address of the next entry */
    x_reg_t at;    /* with a table: address of an iteration */
} x_walk_t;

int64_t x_table_address(const dame_prim_t *prim);

/* Bytes of an entry of a level's table. */
static inline int x_entry_bytes(const dame_prim_t *prim)
{
    return prim->disps32 != NULL ? 4 : 8;
}

/*
 * How many iterations the loop body copies; `one` has the blocks of one. Where a permutation copies
 * several iterations in one vector, it is a multiple of their number, *chunk, otherwise *chunk is
 * 1.
 */
int64_t x_unroll_factor(const x_compiler_t *c, const dame_prim_t *prim, const x_blocks_t *one,
                        int64_t *chunk);

/* Emits all iterations from where `walk` stands. */
void x_emit_loop(x_compiler_t *c, const x_walk_t *walk, x_trips_t trips);

/* ---- levels: level.c ---- */

/* Emits all n iterations of a level with its origin at `user`. */
void x_emit_all(x_compiler_t *c, const dame_prim_t *prim, x_mem_t user, int64_t n);

#endif
