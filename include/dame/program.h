/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs for the stack machine.
 *
 * A program is an array of primitives in text order (DAME paper, Fig. 5):
 *
 *     Program    := EXIT Type BOTTOM
 *     Type       := Base Type | OtherFinal CONTIGFINAL | CONTIGFINAL | STRUCT Subprogram+
 *     Subprogram := RETURNTO(n) Type BOTTOM             n = index of the STRUCT primitive
 *
 * Read as a machine it is a nest of loop levels. Iteration i of a level starts in user memory at
 *     origin + (the level has a list ? dame_prim_disp(level, i) : i * step)
 * and in the packed stream of the level at
 *     prefix != NULL ? prefix[i] : i * iter_size. An iteration is one contiguous block when its
 *     inner_delta is 0 (for a STRUCT: inner_deltas[i]), otherwise all iterations of the level
 *     `inner_delta` primitives further on, with the start of this iteration as origin. EXIT is the
 *     outermost level: its iterations are the elements of a message. Where a Base has blocklength >
 *     1 a CONTIGCHILD level stands between it and its inner Type; text leaves it out.
 *
 * Programs are immutable once built, except their run kernels, and may be shared by any number of
 * threads. Another provider of kernels may replace the interpreter's at any time, each with one
 * atomic store: all kernels of a level keep the contract of dame_run_fn, so any mixture is right.
 */
#ifndef DAME_PROGRAM_H
#define DAME_PROGRAM_H

#include <stdatomic.h>
#include <stdint.h>

#include "dame/options.h"
#include "dame/status.h"
#include "dame/type.h"

typedef enum dame_op {
#define DAME_OP(name, class, params) DAME_OP_##name,
#include "dame/ops.def"
    DAME_OP_COUNT
} dame_op_t;

typedef enum dame_dir { DAME_PACK = 0, DAME_UNPACK = 1 } dame_dir_t;

typedef struct dame_prim dame_prim_t;

/*
 * A run kernel moves n consecutive iterations of one level, starting with `first`, between user
 * memory and the packed stream. `origin` is the address of the level's origin, as a number because
 * absolute types (MPI_BOTTOM) start from 0. `packed` is the position of iteration `first` in the
 * stream. The caller keeps 0 <= first, 0 <= n, first + n <= number of iterations.
 *
 * The contract of every kernel. The bytes of a run are those of its iterations' blocks in user
 * memory, and as many in the stream, from `packed` on.
 *
 *  - User memory, packing: the kernel reads every byte of the run. It may also read other bytes
 *    between the lowest and the highest of them, on pages of DAME_PAGE bytes that have a byte of
 *    the run; such reads cannot fault, and their values have no effect. It writes nothing.
 *  - User memory, unpacking: it writes the bytes of the run and no others. It reads nothing.
 *  - The stream, packing: it writes the bytes of the run and no others. It may write a byte several
 *    times; only when it returns do all of them have their values. It reads nothing.
 *  - The stream, unpacking: it reads the bytes of the run and no others. It writes nothing.
 *  - The program: it reads primitives and their tables, within their entries, and writes nothing.
 *    What a level moves follows from count, step, iter_size, disps or disps32, prefix, inner_delta
 *    and inner_deltas alone. visits and window suggest an order. params describe the level in text.
 *  - It may call other run kernels with runs inside its own, or the same, and the C library's
 *    memcpy(). The kernels that `interpreted` has are always there; those in `run` only until they
 *    are replaced, so each call looks them up again.
 *  - It keeps no state, so any number of threads may run it. Its stores are ordinary ones to other
 *    threads once it returns, even if they bypassed the caches.
 *
 * Checkers of uninitialised or freed memory may notice reads between blocks.
 */
enum { DAME_PAGE = 4096 }; /* the smallest page of any system */

typedef void (*dame_run_fn)(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,
                            int64_t n);

/*
 * A copy kernel copies the data of n consecutive iterations from their level at `origin` to the
 * same places `shift` bytes away, in any order; otherwise as a run kernel. No byte it reads may be
 * one it writes.
 */
typedef void (*dame_copy_fn)(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift,
                             int64_t first, int64_t n);

/* One entry of a list, in the order in which memory is visited. */
typedef struct dame_visit {
    int32_t disp;
    int32_t slot; /* which entry of its window */
} dame_visit_t;

enum { DAME_LONGEST_WINDOW = 4096 };

/*
 * The parameters of a primitive that only its text needs; what the machine runs by is in
 * dame_prim_t. Lists belong to the program.
 */
typedef struct dame_params {
    dame_op_t op;
    int64_t blklen;            /* VECTOR*, BLOCKINDEX* */
    int64_t size;              /* bytes of the inner type; CONTIGFINAL: its own */
    int64_t extent;            /* bytes, of the inner type */
    const int64_t *blklens;    /* STRUCT: count entries (INDEX: derived from prefix) */
    const int64_t *extents;    /* STRUCT: count entries, bytes */
    const int32_t *sub_deltas; /* STRUCT: count distances, in primitives, to the RETURNTO of each
                                  block's subprogram; blocks alike may share one, which text then
                                  repeats */
    int64_t struct_index;      /* RETURNTO: index of its STRUCT primitive */
} dame_params_t;

/*
 * A primitive as the machine and the compilers read it: a loop level, unless its kernels are NULL.
 * Tables and parameters belong to the program, and live as long as it does.
 */
struct dame_prim {
    _Atomic(dame_run_fn) run[2]; /* [dame_dir_t]; NULL for primitives that are not a loop level */
    int64_t count;     /* iterations. 0 for EXIT (the message decides) and for a CONTIGCHILD under
                          INDEX (the iteration above decides) */
    int64_t step;      /* bytes between iterations without a list of displacements */
    int64_t iter_size; /* packed bytes of an iteration when prefix is NULL */
    const int64_t *disps;   /* count entries, or NULL; a level with a list has one of the two */
    const int32_t *disps32; /* the same in 32 bits, where all entries fit; never for a STRUCT */
    const int64_t *prefix;  /* count + 1 entries: packed bytes before each iteration, or NULL */
    const int32_t *inner_deltas; /* STRUCT: `inner_delta` of each iteration */
    int32_t inner_delta;        /* distance to the inner level in primitives, 0: contiguous block */
    const dame_visit_t *visits; /* the entries of disps32 sorted by address within each whole window
                                   of `window` entries, or NULL */
    int64_t window;             /* 1 to DAME_LONGEST_WINDOW, 0 without visits */
    dame_copy_fn copy;          /* NULL where run is */
    const dame_run_fn *interpreted; /* [dame_dir_t]; the interpreter's run kernels; NULL where run
                                       is. Static storage */
    /* [dame_dir_t]: moves n blocks, numbered through all iterations, of a level of matrix columns
     * that are best walked together; else NULL. Static storage */
    const dame_run_fn *by_block;
    dame_params_t *params; /* never NULL */
};

static inline dame_run_fn dame_prim_run(const dame_prim_t *prim, dame_dir_t dir)
{
    return atomic_load_explicit(&prim->run[dir], memory_order_acquire);
}

static inline void dame_prim_set_run(dame_prim_t *prim, dame_dir_t dir, dame_run_fn run)
{
    atomic_store_explicit(&prim->run[dir], run, memory_order_release);
}

static inline int dame_prim_has_list(const dame_prim_t *prim)
{
    return prim->disps != NULL || prim->disps32 != NULL;
}

/* Displacement of iteration i of a level that has a list of them. */
static inline int64_t dame_prim_disp(const dame_prim_t *prim, int64_t i)
{
    return prim->disps32 != NULL ? prim->disps32[i] : prim->disps[i];
}

/*
 * Iteration i of a loop level, 0 <= i < number of iterations. These hold for every level, EXIT and
 * CONTIGCHILD included, of a program that is built; they are undefined for primitives that are not
 * a level.
 */

/* Packed bytes of iteration i. */
static inline int64_t dame_iter_size(const dame_prim_t *prim, int64_t i)
{
    return prim->prefix != NULL ? prim->prefix[i + 1] - prim->prefix[i] : prim->iter_size;
}

/* Bytes from the level's origin to the start of iteration i. It wraps around, as addresses do: add
 * it to the origin. */
static inline uintptr_t dame_iter_offset(const dame_prim_t *prim, int64_t i)
{
    return dame_prim_has_list(prim) ? (uintptr_t) dame_prim_disp(prim, i)
                                    : (uintptr_t) i * (uintptr_t) prim->step;
}

/* The level that iteration i consists of, in primitives from this one on; 0: the iteration is one
 * contiguous block. */
static inline int32_t dame_iter_inner(const dame_prim_t *prim, int64_t i)
{
    return prim->inner_deltas != NULL ? prim->inner_deltas[i] : prim->inner_delta;
}

/* Iterations of `inner`, the level inside iteration i: a CONTIGCHILD under INDEX has as many as the
 * iteration has bytes for. */
static inline int64_t dame_iter_inner_count(const dame_prim_t *prim, int64_t i,
                                            const dame_prim_t *inner)
{
    return inner->count != 0 ? inner->count : dame_iter_size(prim, i) / inner->iter_size;
}

#define DAME_NO_GRANULE INT64_MAX

typedef struct dame_program {
    int32_t nprims;
    int32_t depth;        /* loop levels on the longest path, EXIT included */
    int32_t has_by_block; /* a level has kernels for columns, by_block */
    int64_t size;         /* packed bytes of one element; 0 for an empty type */
    int64_t extent;       /* bytes from one element to the next; may be negative or 0 */
    int64_t true_lb;      /* all bytes of an element lie in [true_lb, true_ub) */
    int64_t true_ub;
    int64_t granule; /* offsets in a block that are multiples of it never lie inside a basic
                        element, or DAME_NO_GRANULE if that is not a useful number */
    size_t memory;   /* bytes of this allocation, tables included */
    _Atomic(void *) codes[2]; /* [dame_dir_t]; what another provider of kernels keeps there. NULL:
                                 all kernels are the interpreter's, and always so to
                                 dame_program_free() */
    dame_prim_t prims[];
} dame_program_t;

/*
 * Builds the program of a type. The type's tree is not needed afterwards. Empty blocks, levels of
 * one iteration and levels that turn out contiguous disappear on the way; the rest is up to
 * `options`, NULL for dame_options_default(). The caller frees with dame_program_free() (accepts
 * NULL).
 *
 * Errors: DAME_ERR_NOMEM; DAME_ERR_LIMIT, with the limit in options->limit: more than 2^20
 * primitives, more than 1000 nested constructors, or tables beyond 64 MiB and 32 bytes for every
 * entry of the type's own lists (a list that many members share may occur many times in a program),
 * or more work than that amounts to.
 */
dame_status_t dame_program_build(const dame_type_t *type, const dame_options_t *options,
                                 dame_program_t **out);
void dame_program_free(dame_program_t *program);

/* A program that moves the same bytes in the same order, optimised; otherwise the same. `program`
 * must be one that dame_program_verify() accepts. Errors as dame_program_build(). */
dame_status_t dame_program_optimise(const dame_program_t *program, const dame_options_t *options,
                                    dame_program_t **out);

/*
 * Checks grammar, nesting, matching BOTTOMs, sizes, prefix sums and that every byte lies inside
 * [true_lb, true_ub). On DAME_ERR_VERIFY `message` (if not NULL, message_size bytes) names
 * primitive, value and rule.
 */
dame_status_t dame_program_verify(const dame_program_t *program, char *message,
                                  size_t message_size);

/* Name of an operation as in program text; static storage. */
const char *dame_op_name(dame_op_t op);

/*
 * Moves `count` whole elements at once: one call of an outermost run kernel. `packed` has room for,
 * or holds, count * program->size bytes. User memory starts at `base`. The contract of dame_run_fn
 * says which bytes are read and written. The two must not overlap.
 */
static inline void dame_program_run(const dame_program_t *program, dame_dir_t dir, uintptr_t base,
                                    int64_t count, char *packed)
{
    const dame_prim_t *level = program->prims;
    if (count == 1 && level->inner_delta != 0) { /* most messages: one level less */
        level += level->inner_delta;
        count = level->count;
    }
    dame_prim_run(level, dir)(level, base, packed, 0, count);
}

/*
 * Copies `count` whole elements from user address `from` to the same places at `to`; gaps stay as
 * they are. dame_program_is_apart(program, count, to - from) must hold.
 */
static inline void dame_program_copy(const dame_program_t *program, uintptr_t to, uintptr_t from,
                                     int64_t count)
{
    const dame_prim_t *level = program->prims;
    if (count == 1 && level->inner_delta != 0) {
        level += level->inner_delta;
        count = level->count;
    }
    level->copy(level, from, to - from, 0, count);
}

/*
 * Returns whether the bytes of `count` elements are disjoint from those of the same elements
 * `shift` bytes away. False also where that would take long to find out: where a list of
 * displacements spans the shift.
 */
int dame_program_is_apart(const dame_program_t *program, int64_t count, int64_t shift);

#endif
