/*
 * The interpreter's run kernels. Private to dame/.
 *
 * Kernels that move blocks are compiled once for each instruction set (kernels.c, columns.c,
 * spread.c, thin.c); those of levels with an inner level only call on (nest.c).
 */
#ifndef DAME_KERNELS_H
#define DAME_KERNELS_H

#include "dame_program.h"

/*
 * Block widths with kernels of their own: DAME_WIDTH(name, lowest, highest). A range of one width
 * is a constant in its kernel; in a wider range blocks are copied with two (or four) moves that
 * overlap.
 */
#define DAME_WIDTHS_IN_LINE(DAME_WIDTH) /* less than a cache line */                               \
    DAME_WIDTH(1, 1, 1)                                                                            \
    DAME_WIDTH(2, 2, 2)                                                                            \
    DAME_WIDTH(3, 3, 3)                                                                            \
    DAME_WIDTH(4, 4, 4)                                                                            \
    DAME_WIDTH(5to7, 5, 7)                                                                         \
    DAME_WIDTH(8, 8, 8)                                                                            \
    DAME_WIDTH(12, 12, 12)                                                                         \
    DAME_WIDTH(9to15, 9, 15)                                                                       \
    DAME_WIDTH(16, 16, 16)                                                                         \
    DAME_WIDTH(24, 24, 24)                                                                         \
    DAME_WIDTH(17to31, 17, 31)                                                                     \
    DAME_WIDTH(32, 32, 32)                                                                         \
    DAME_WIDTH(40, 40, 40)                                                                         \
    DAME_WIDTH(48, 48, 48)                                                                         \
    DAME_WIDTH(33to63, 33, 63)

#define DAME_WIDTHS_SHORT(DAME_WIDTH) /* up to a cache line */                                     \
    DAME_WIDTHS_IN_LINE(DAME_WIDTH)                                                                \
    DAME_WIDTH(64, 64, 64)

#define DAME_WIDTHS(DAME_WIDTH)                                                                    \
    DAME_WIDTHS_SHORT(DAME_WIDTH)                                                                  \
    DAME_WIDTH(65to128, 65, 128)                                                                   \
    DAME_WIDTH(129to256, 129, 256)                                                                 \
    DAME_WIDTH(long, 257, INT64_MAX)

typedef enum dame_width {
#define DAME_WIDTH(name, lowest, highest) DAME_WIDTH_##name,
    DAME_WIDTHS(DAME_WIDTH)
#undef DAME_WIDTH
        DAME_WIDTH_COUNT,
    DAME_WIDTH_IN_LINE_COUNT = DAME_WIDTH_64
} dame_width_t;

/* Which of a level's two tables of displacements a kernel reads. */
typedef enum dame_table { DAME_TABLE_64, DAME_TABLE_32, DAME_TABLE_COUNT } dame_table_t;

/*
 * Levels around small bodies (spread.c): leaf levels of blocks of up to DAME_BODY_BLOCK bytes. So
 * few bodies, of unequal or equal blocks, are not worth it.
 */
enum { DAME_BODY_BLOCK = 64, DAME_FEW_BODIES = 3, DAME_FEW_EQUAL_BODIES = 15 };

typedef struct dame_spread {
    dame_run_fn strided[2]; /* [dame_dir_t] */
    dame_run_fn listed[DAME_TABLE_COUNT][2];
} dame_spread_t;

/* Short blocks with short gaps (thin.c), [dame_dir_t]: NULL where the instruction set has none. */
extern const dame_run_fn dame_thin_baseline[2];
extern const dame_run_fn dame_thin_avx2[2];
extern const dame_run_fn dame_thin_avx512[2];

/*
 * Walks over the columns of a matrix (columns.c): what by_block of dame_program.h is for blocks of
 * `bytes` bytes, less than a line. NULL: the baseline's serves.
 */
typedef const dame_run_fn *(*dame_columns_fn)(int64_t bytes);
const dame_run_fn *dame_columns_baseline(int64_t bytes);
const dame_run_fn *dame_columns_avx2(int64_t bytes);
const dame_run_fn *dame_columns_avx512(int64_t bytes);

/* How many rows ahead they fetch lines; 0: none, and stores of few columns are paced. */
extern _Atomic int64_t dame_columns_ahead;

extern const dame_spread_t dame_spread_baseline;
extern const dame_spread_t dame_spread_avx2;
extern const dame_spread_t dame_spread_avx512;

/* The block-moving kernels for one instruction set. */
typedef struct dame_kernels {
    dame_run_fn strided[DAME_WIDTH_COUNT][2]; /* [dame_dir_t] */
    dame_run_fn listed[DAME_TABLE_COUNT][DAME_WIDTH_COUNT][2];
    dame_run_fn sorted[DAME_WIDTH_COUNT][2]; /* listed, with visits */
    dame_run_fn ragged[DAME_TABLE_COUNT][2];
    dame_run_fn paced[2]; /* strided, blocks of any width in one L1 set */
    dame_columns_fn columns;
    const dame_spread_t *spread;
    const dame_run_fn *thin;
} dame_kernels_t;

extern const dame_kernels_t dame_kernels_baseline;
extern const dame_kernels_t dame_kernels_avx2;
extern const dame_kernels_t dame_kernels_avx512;

/* Kernels of levels that move no blocks themselves, in nest.c. */
extern const dame_run_fn dame_nest_nothing[2]; /* the EXIT of an empty type */
extern const dame_run_fn dame_nest_strided[2];
extern const dame_run_fn dame_nest_columns[2]; /* strided, with by_block */
extern const dame_run_fn dame_nest_listed[DAME_TABLE_COUNT][2];
extern const dame_run_fn dame_nest_ragged[DAME_TABLE_COUNT][2];
extern const dame_run_fn dame_nest_struct[2];

/*
 * Sets prim->run from the primitive's other fields; the inner level, if any, has its own already.
 * `options` says which passes may choose kernels of theirs; NULL for dame_options_default().
 */
void dame_kernels_select(dame_prim_t *prim, const dame_options_t *options);

#endif
