/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The interpreter's run kernels. Private to lang/.
 *
 * Kernels are compiled once for the baseline of the architecture. What gains from wider registers
 * is compiled again for other instruction sets: wide_kernels.c and byte_permute.c.
 */
#ifndef DAME_KERNELS_H
#define DAME_KERNELS_H

#include "dame/program.h"
#include "widths.h"

/* Defines the run kernel `name`: run(prim, origin, packed, first, n, constants...). */
#define DAME_RUN(name, run, ...)                                                                   \
    static void name(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,       \
                     int64_t n)                                                                    \
    {                                                                                              \
        run(prim, origin, packed, first, n, __VA_ARGS__);                                          \
    }

/* Defines the copy kernel `name`, in the same way. */
#define DAME_COPY(name, copy, ...)                                                                 \
    static void name(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift, int64_t first,    \
                     int64_t n)                                                                    \
    {                                                                                              \
        copy(prim, origin, shift, first, n, __VA_ARGS__);                                          \
    }

/* Levels of blocks. Tables end with [dame_dir_t]. */

/* Blocks of DAME_WIDTHS_NARROW (kernels.c). */
extern const dame_run_fn dame_strided_narrow[DAME_WIDTH_NARROW_COUNT][2];
extern const dame_run_fn dame_listed_narrow[DAME_WIDTH_NARROW_COUNT][2]; /* DAME_TABLE_32 */

/* Blocks of any width: lists with DAME_TABLE_64, which reach over 2 GiB and more; lists with
 * visits; strided blocks of less than a cache line in one set of the L1 that exceed the L2, and one column
 * that is packed (kernels.c). */
extern const dame_run_fn dame_listed64[2];
extern const dame_run_fn dame_sorted[2];
extern const dame_run_fn dame_throttled[2];

/* Strided blocks of DAME_WIDTHS_NARROW whose lines are in few sets of the L1 (kernels.c). */
extern const dame_run_fn dame_paced[DAME_WIDTH_NARROW_COUNT][2];
const dame_run_fn *dame_paced_blocks(const dame_prim_t *prim); /* of any width (kernel_select.c) */
/* Unpacks blocks of any width so. */
void dame_unpack_paced(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,
                       int64_t n);

/* Blocks of DAME_WIDTHS_WIDE, and ragged lists (wide_kernels.c), for one instruction set. */
typedef struct dame_wide_kernels {
    dame_run_fn strided[DAME_WIDTH_WIDE_COUNT][2];
    dame_run_fn paced[DAME_WIDTH_WIDE_COUNT][2]; /* the same, but unpacking is paced */
    dame_run_fn listed[DAME_WIDTH_WIDE_COUNT][2]; /* DAME_TABLE_32 */
    dame_run_fn ragged[DAME_TABLE_COUNT][2];
    dame_copy_fn copy_strided[DAME_WIDTH_WIDE_COUNT];
    dame_copy_fn copy_listed[DAME_TABLE_COUNT][DAME_WIDTH_WIDE_COUNT];
    dame_copy_fn copy_ragged[DAME_TABLE_COUNT];
} dame_wide_kernels_t;

/* Copy kernels of blocks of DAME_WIDTHS_NARROW and of levels around levels (direct.c). */
extern const dame_copy_fn dame_copy_strided_narrow[DAME_WIDTH_NARROW_COUNT];
extern const dame_copy_fn dame_copy_listed_narrow[DAME_TABLE_COUNT][DAME_WIDTH_NARROW_COUNT];
extern const dame_copy_fn dame_copy_columns[DAME_WIDTH_IN_LINE_COUNT]; /* by the inner width */
void dame_copy_nothing(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift, int64_t first,
                       int64_t n); /* the EXIT of an empty type */
void dame_copy_outer_strided(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift,
                             int64_t first, int64_t n);
void dame_copy_outer_struct(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift,
                            int64_t first, int64_t n);
extern const dame_copy_fn dame_copy_outer_listed[DAME_TABLE_COUNT];
extern const dame_copy_fn dame_copy_outer_ragged[DAME_TABLE_COUNT];

extern const dame_wide_kernels_t dame_wide_baseline;
extern const dame_wide_kernels_t dame_wide_avx2;
extern const dame_wide_kernels_t dame_wide_avx512;

/* Short blocks with short gaps (byte_permute.c), with AVX-512 VBMI. */
extern const dame_run_fn dame_byte_permute[2];

/*
 * Levels around small bodies (struct_tile.c): leaf levels of blocks of up to DAME_BODY_BLOCK bytes.
 * Up to this many bodies, of unequal or equal blocks, take one call each; tiling costs more.
 */
enum { DAME_BODY_BLOCK = DAME_SHORT, DAME_FEW_BODIES = 3, DAME_FEW_EQUAL_BODIES = 15 };

extern const dame_run_fn dame_struct_tile_strided[2];
extern const dame_run_fn dame_struct_tile_listed[DAME_TABLE_COUNT][2];

/*
 * Walks over the columns of a matrix (columns.c): by_block of a level (dame/program.h) for blocks
 * of `bytes` bytes, less than a line.
 */
const dame_run_fn *dame_columns(int64_t bytes);

/*
 * How many rows ahead walks over columns fetch lines, on this CPU; 0: none, moves of few columns
 * and of blocks in one set of the cache are paced, and all fragments go from the first row to the
 * last. A test may set it. Any thread.
 */
int64_t dame_rows_ahead(void);
void dame_rows_ahead_set(int64_t rows);

/* Stores to a line that stays in the cache, between those to blocks `step` bytes apart (pace.c). */
int64_t dame_pacing_stores(int64_t step);

/* Levels around other levels (outer.c), which move no blocks themselves. */
extern const dame_run_fn dame_outer_nothing[2]; /* the EXIT of an empty type */
extern const dame_run_fn dame_outer_strided[2];
extern const dame_run_fn dame_outer_columns[2]; /* strided, with by_block */
extern const dame_run_fn dame_outer_listed[DAME_TABLE_COUNT][2];
extern const dame_run_fn dame_outer_ragged[DAME_TABLE_COUNT][2];
extern const dame_run_fn dame_outer_struct[2];

/*
 * Loops over blocks that are `pitch` bytes apart in the packed stream, for struct_tile.c and
 * kernels.c: strided ones start at `user` and are `step` apart; block i of listed ones starts at
 * starts[i] + disp.
 */
typedef void (*dame_strided_loop_fn)(uintptr_t user, uintptr_t step, char *packed, int64_t pitch,
                                     int64_t n, int64_t bytes);
typedef void (*dame_listed_loop_fn)(const int64_t *starts, uintptr_t disp, char *packed,
                                    int64_t pitch, int64_t n, int64_t bytes);

extern const dame_strided_loop_fn dame_strided_loops[DAME_WIDTH_SHORT_COUNT][2];
extern const dame_listed_loop_fn dame_listed_loops[DAME_WIDTH_SHORT_COUNT][2];

/*
 * Sets prim->run and prim->copy from the primitive's other fields; the inner level, if any, has its
 * own already. `options` says which passes may choose kernels of theirs; NULL for
 * dame_options_default().
 */
void dame_kernels_select(dame_prim_t *prim, const dame_options_t *options);

#endif
