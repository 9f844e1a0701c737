/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run kernels of levels that walk a matrix column by column: a level of near steps around one of
 * far steps (dame/memory_order.h). Packed bytes keep their places; the moves are in an order in
 * which a cache line of user memory is used for several columns before it is evicted.
 *
 * Such a walk waits for memory, so it is compiled once, for the baseline: wider registers change
 * nothing. README.md, "What does not pay", has the measurements.
 */

#include "block.h"
#include "dame/memory_order.h"
#include "kernels.h"
#include "divide.h"

/* Widths of blocks: lowest, highest. A range takes two moves, which overlap. */
#define COLUMN_WIDTHS(WIDTH)                                                                       \
    WIDTH(1, 1)                                                                                    \
    WIDTH(2, 2)                                                                                    \
    WIDTH(3, 3)                                                                                    \
    WIDTH(4, 4)                                                                                    \
    WIDTH(5, 7)                                                                                    \
    WIDTH(8, 8)                                                                                    \
    WIDTH(9, 15)                                                                                   \
    WIDTH(16, 16)                                                                                  \
    WIDTH(17, 32)                                                                                  \
    WIDTH(33, 63)

/* Moves one block. `lowest` is a constant, so that one of the moves remains. */
DAME_INLINE void move(dame_dir_t dir, int64_t lowest, uintptr_t user, char *packed, int64_t bytes)
{
    char *to = dir == DAME_PACK ? packed : (char *) user;
    const char *from = dir == DAME_PACK ? (const char *) user : packed;
    switch (lowest) {
    case 1:
        dame_copy_1(to, from, bytes);
        break;
    case 2:
        dame_copy_2(to, from, bytes);
        break;
    case 3:
        dame_copy_3(to, from, bytes);
        break;
    case 4:
        dame_copy_4(to, from, bytes);
        break;
    case 5:
        dame_copy_5to7(to, from, bytes);
        break;
    case 8:
        dame_copy_8(to, from, bytes);
        break;
    case 9:
        dame_copy_9to15(to, from, bytes);
        break;
    case 16:
        dame_copy_16(to, from, bytes);
        break;
    case 17:
        DAME_MOVE_ENDS(bytes16_t, to, from, bytes);
        break;
    default:
        dame_copy_33to63(to, from, bytes);
    }
}

/* The bytes of a block, as a constant where its kernel has one width. */
DAME_INLINE int64_t constant(int64_t lowest, int64_t bytes)
{
#define WIDTH(low, high)                                                                           \
    if ((low) == lowest && (low) == (high)) {                                                      \
        return (low);                                                                              \
    }
    COLUMN_WIDTHS(WIDTH)
#undef WIDTH
    return bytes;
}

/* A rectangle of the matrix, and the steps in it. */
typedef struct area {
    uintptr_t user;
    char *packed;
    int64_t rows;
    int64_t columns;
    uintptr_t near; /* from one column to the next, in user memory */
    int64_t column; /* and in the packed stream */
    uintptr_t far;  /* from one row to the next */
    int64_t row;
    int64_t bytes;   /* of a block */
    uintptr_t ahead; /* from a row to the one prefetched meanwhile; 0: no prefetch */
    int64_t paced;   /* stores between rows of few columns; 0: none */
} area_t;

enum {
    STRIP = 4, /* columns that are walked together */
    CELL = 8   /* rows and columns */
};

/* A cell's loop, unrolled, needs more addresses than there are registers: 0.7 of the speed. */
#ifdef __clang__
#define DAME_KEEP_LOOP _Pragma("clang loop unroll(disable)")
#else
#define DAME_KEEP_LOOP _Pragma("GCC unroll 1")
#endif

/* What follows was measured on CPUs with lines of 64 bytes, 8 and 12 of them in a set. Where lines
 * are longer, half of one is used. */
enum { LINE = 64, ONE_SET = 4096 };

/*
 * Rows of a block, where rows are so far apart that all of them fall into one set of the L1 cache.
 * To unpack, as many as the set has ways; to pack, enough to fill a line or two of each column.
 */
enum { UNPACK_ROWS = 8, PACK_ROWS = CELL, PACK_ROWS_WIDE = 2 * CELL, WIDE = 16 };

/*
 * Blocks of rows take the packed stream piece by piece, which costs more than it gains when that
 * comes from memory: at most this many packed bytes. Narrow columns, of which a strip uses half a
 * line, are different: unpacked most of them gain, packed they lose earlier.
 */
enum { BLOCKED_BYTES = 8 << 20, BLOCKED_BYTES_PACK_NARROW = 4 << 20 };

static inline int64_t columns_apart(const area_t *a)
{
    return (int64_t) a->near < 0 ? -(int64_t) a->near : (int64_t) a->near;
}

/* Returns whether a strip uses less than half of a line. */
static inline int is_narrow(const area_t *a)
{
    return 2 * STRIP * columns_apart(a) < LINE;
}

DAME_INLINE int pays_in_blocks(const area_t *a, dame_dir_t dir)
{
    if (a->columns < 2 * STRIP || 0 != a->far % ONE_SET) {
        return 0;
    }
    const int64_t packed = a->columns * a->column;
    if (2 * STRIP * columns_apart(a) > LINE) {
        return packed <= BLOCKED_BYTES;
    }
    return dir == DAME_UNPACK || packed <= BLOCKED_BYTES_PACK_NARROW;
}

DAME_INLINE void fetch(uintptr_t address)
{
    __builtin_prefetch((const void *) address, 0, 2); /* not into L1: its set is too small */
}

DAME_INLINE void four(dame_dir_t dir, int64_t lowest, uintptr_t user, uintptr_t user_step,
                      char *packed, int64_t packed_step, int64_t bytes)
{
    move(dir, lowest, user, packed, bytes);
    move(dir, lowest, user + user_step, packed + packed_step, bytes);
    move(dir, lowest, user + 2 * user_step, packed + 2 * packed_step, bytes);
    move(dir, lowest, user + 3 * user_step, packed + 3 * packed_step, bytes);
}

/*
 * n columns, fewer than 2 * STRIP, a row at a time; by the bits of n, so that one loop serves every
 * n without one inside it. Few columns leave nothing but misses, all in one set of the cache.
 * Some CPUs fetch the lines of waiting stores so early that they evict each other: there a store to
 * a line that stays in the cache paces them. On others that costs more than half of the speed, and
 * lines fetched ahead into the second cache gain.
 */
DAME_INLINE void walk_rows(dame_dir_t dir, int64_t lowest, area_t a, int64_t n)
{
    const uintptr_t last = (uintptr_t) (n - 1) * a.near + (uintptr_t) a.bytes - 1;
    uintptr_t user = a.user;
    char *packed = a.packed;
    volatile char pace = 0;
    (void) pace;
    for (int64_t left = a.rows; left > 0; left--) {
        for (int64_t i = a.paced > 1 ? n : n >= STRIP; i < a.paced; i++) {
            pace = 0;
        }
        if (dir == DAME_UNPACK && a.ahead != 0) {
            fetch(user + a.ahead);
            if (n > 1 || lowest > 16) { /* often on two lines */
                fetch(user + a.ahead + last);
            }
        }
        uintptr_t at = user;
        char *to = packed;
        if (n & STRIP) {
            four(dir, lowest, at, a.near, to, a.column, a.bytes);
            at += STRIP * a.near;
            to += STRIP * a.column;
        }
        if (n & 2) {
            move(dir, lowest, at, to, a.bytes);
            move(dir, lowest, at + a.near, to + a.column, a.bytes);
            at += 2 * a.near;
            to += 2 * a.column;
        }
        if (n & 1) {
            move(dir, lowest, at, to, a.bytes);
        }
        user += a.far;
        packed += a.row;
    }
}

/* One column to pack: nothing to share, but loads that wait for memory side by side. */
DAME_INLINE void pack_column(int64_t lowest, area_t a)
{
    for (; !a.paced && a.rows >= 4; a.rows -= 4) {
        four(DAME_PACK, lowest, a.user, a.far, a.packed, a.row, a.bytes);
        a.user += 4 * a.far;
        a.packed += 4 * a.row;
    }
    walk_rows(DAME_PACK, lowest, a, 1);
}

/*
 * Walks over an area, for one direction and width. Within them areas are values: if an area's
 * address were known, its fields would be read again after every move. Outside, no area is copied:
 * the copy would load two fields at a time, and wait until the stores of the fragment before are
 * through.
 */
typedef void (*walk_fn)(const area_t *a);

/* Fewer than 2 * STRIP columns. */
DAME_INLINE void walk_few(dame_dir_t dir, int64_t lowest, area_t a)
{
    if (dir == DAME_PACK && a.columns == 1) {
        pack_column(lowest, a);
    } else {
        walk_rows(dir, lowest, a, a.columns);
    }
}

/* Strips of columns, each from the first to the last row. */
static void walk_strips(walk_fn few, area_t *a)
{
    for (int64_t left = a->columns; left > 0; left -= a->columns) {
        a->columns = left < 2 * STRIP ? left : STRIP;
        few(a);
        a->user += STRIP * a->near;
        a->packed += STRIP * a->column;
    }
}

/* Blocks of rows to pack: cells of elements, column after column, so that stores fill lines. */
DAME_INLINE void pack_block(int64_t lowest, walk_fn few, area_t a)
{
    const uintptr_t near = a.near, far = a.far;
    const int64_t column = a.column, bytes = constant(lowest, a.bytes);
    for (; a.columns >= CELL; a.columns -= CELL) {
        uintptr_t user = a.user;
        char *packed = a.packed;
        int64_t left = a.rows;
        for (; left >= CELL; left -= CELL) {
            DAME_KEEP_LOOP
            for (int i = 0; i < CELL; i++) {
                const uintptr_t from = user + (uintptr_t) i * near;
                char *to = packed + i * column;
                four(DAME_PACK, lowest, from, far, to, bytes, bytes);
                four(DAME_PACK, lowest, from + 4 * far, far, to + 4 * bytes, bytes, bytes);
            }
            user += CELL * far;
            packed += CELL * bytes;
        }
        DAME_KEEP_LOOP
        for (; left > 0; left--) {
            four(DAME_PACK, lowest, user, near, packed, column, bytes);
            four(DAME_PACK, lowest, user + 4 * near, near, packed + 4 * column, column, bytes);
            user += far;
            packed += bytes;
        }
        a.user += CELL * near;
        a.packed += CELL * column;
    }
    if (a.columns > 0) {
        const area_t rest = a;
        few(&rest);
    }
}

/* Blocks of rows to unpack: strips, row after row. Rolled, this is half as fast from memory. */
DAME_INLINE void unpack_block(int64_t lowest, walk_fn few, area_t a)
{
    const uintptr_t near = a.near, far = a.far;
    const int64_t column = a.column, bytes = constant(lowest, a.bytes);
    for (; a.columns >= STRIP; a.columns -= STRIP) {
        uintptr_t user = a.user;
        char *packed = a.packed;
        int64_t left = a.rows;
        for (; left >= 4; left -= 4) {
            for (int i = 0; i < 4; i++) {
                four(DAME_UNPACK, lowest, user, near, packed + i * bytes, column, bytes);
                user += far;
                __asm__("" : "+r"(user)); /* one address, not sixteen that are computed before */
            }
            packed += 4 * bytes;
        }
        DAME_KEEP_LOOP
        for (; left > 0; left--) {
            four(DAME_UNPACK, lowest, user, near, packed, column, bytes);
            user += far;
            packed += bytes;
        }
        a.user += STRIP * near;
        a.packed += STRIP * column;
    }
    if (a.columns > 0) {
        const area_t rest = a;
        few(&rest);
    }
}

/* A block has up to half as many rows again where otherwise few would be left. */
DAME_INLINE void walk_blocks(dame_dir_t dir, int64_t lowest, walk_fn few, area_t a)
{
    const int64_t most = dir == DAME_UNPACK ? UNPACK_ROWS
                         : a.bytes < WIDE   ? PACK_ROWS
                                            : PACK_ROWS_WIDE;
    for (int64_t left = a.rows; left > 0; left -= a.rows) {
        a.rows = left < most + most / 2 ? left : most;
        if (dir == DAME_PACK) {
            pack_block(lowest, few, a);
        } else {
            unpack_block(lowest, few, a);
        }
        a.user += (uintptr_t) a.rows * a.far;
        a.packed += a.rows * a.bytes;
    }
}

/*
 * A run of blocks may begin and end inside a column. Its rows are of three kinds: those above both
 * cuts, between them and below both; each kind is a rectangle. So every line is visited once,
 * however columns are cut.
 */
typedef struct cuts {
    int64_t rows;
    int64_t column; /* the first */
    int64_t begin;  /* rows of it that are left out */
    int64_t whole;  /* columns from there to the last one */
    int64_t end;    /* rows of that one, which may be 0 */
} cuts_t;

enum { AREAS = 3 };

static inline void set_area(area_t *a, const dame_prim_t *prim, const cuts_t *cuts, int i,
                            uintptr_t origin, char *packed)
{
    const dame_prim_t *inner = prim + prim->inner_delta;
    const int64_t low = cuts->begin < cuts->end ? cuts->begin : cuts->end;
    const int64_t high = cuts->begin < cuts->end ? cuts->end : cuts->begin;
    int64_t column = 0, row = high, behind = cuts->rows, columns = cuts->whole;
    if (i == 0) {
        column = 1;
        row = 0;
        behind = low;
    } else if (i == 1) {
        column = cuts->begin > cuts->end;
        row = low;
        behind = high;
        columns += column ? -1 : 1;
    }
    a->user = origin + (uintptr_t) (cuts->column + column) * (uintptr_t) prim->step +
              (uintptr_t) row * (uintptr_t) inner->step;
    a->packed = packed + (column * cuts->rows + row - cuts->begin) * inner->iter_size;
    a->rows = columns > 0 ? behind - row : 0;
    a->columns = columns;
    a->near = (uintptr_t) prim->step;
    a->column = prim->iter_size;
    a->far = (uintptr_t) inner->step;
    a->row = a->bytes = inner->iter_size;
}

/* From the last row to the first. */
static inline void turn(area_t *a)
{
    a->user += (uintptr_t) (a->rows - 1) * a->far;
    a->packed += (a->rows - 1) * a->row;
    a->far = -a->far;
    a->row = -a->row;
}

/*
 * Every other fragment of one size goes from the last row to the first: it finds in the cache
 * the lines that the one before it visited last. Where walks are paced that gains nothing, and
 * costs up to a quarter (README.md). One function for all widths.
 */
static __attribute__((noinline)) void run_blocks(dame_dir_t dir, walk_fn few, walk_fn blocks,
                                                 const dame_prim_t *prim, uintptr_t origin,
                                                 char *packed, int64_t first, int64_t n)
{
    if (n == 0) {
        return;
    }
    cuts_t cuts = {.rows = prim[prim->inner_delta].count};
    cuts.column = dame_divide(first, cuts.rows);
    cuts.begin = first - cuts.column * cuts.rows;
    cuts.whole = dame_divide(cuts.begin + n, cuts.rows);
    cuts.end = cuts.begin + n - cuts.whole * cuts.rows;
    const int64_t rows = dame_rows_ahead();
    const int paced = rows == 0;
    const int upwards = !paced && dame_divide(first, n) % 2;
    for (int i = 0; i < AREAS; i++) {
        area_t a;
        set_area(&a, prim, &cuts, upwards ? AREAS - 1 - i : i, origin, packed);
        if (a.rows == 0) {
            continue;
        }
        const int in_blocks = pays_in_blocks(&a, dir);
        if (upwards && !in_blocks) {
            turn(&a);
        }
        a.paced = !paced ? 0
                  : dir == DAME_PACK || dame_sets_of((int64_t) a.far) != 1
                      ? 1
                      : dame_pacing_stores((int64_t) a.far);
        a.ahead = is_narrow(&a) ? 0 : (uintptr_t) rows * a.far;
        if (in_blocks) {
            blocks(&a);
        } else if (dir == DAME_PACK && a.columns == 1 && paced) { /* calls pace better */
            dame_throttled[DAME_PACK](prim + prim->inner_delta, a.user, a.packed, 0, a.rows);
        } else {
            walk_strips(few, &a);
        }
    }
}

#define KERNEL(name, dir, lowest)                                                                  \
    static __attribute__((noinline)) void few_##name(const area_t *a)                              \
    {                                                                                              \
        walk_few(dir, lowest, *a);                                                                 \
    }                                                                                              \
    static void blocks_##name(const area_t *a)                                                     \
    {                                                                                              \
        walk_blocks(dir, lowest, few_##name, *a);                                                  \
    }                                                                                              \
    static void name(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,       \
                     int64_t n)                                                                    \
    {                                                                                              \
        run_blocks(dir, few_##name, blocks_##name, prim, origin, packed, first, n);                \
    }

#define WIDTH(lowest, highest)                                                                     \
    KERNEL(pack_##lowest, DAME_PACK, lowest)                                                       \
    KERNEL(unpack_##lowest, DAME_UNPACK, lowest)
COLUMN_WIDTHS(WIDTH)
#undef WIDTH

/* By the first width that is not too narrow. */
const dame_run_fn *dame_columns(int64_t bytes)
{
    static const struct {
        int64_t highest;
        dame_run_fn run[2];
    } kernels[] = {
#define WIDTH(lowest, highest) {highest, {pack_##lowest, unpack_##lowest}},
        COLUMN_WIDTHS(WIDTH)
#undef WIDTH
    };
    int i = 0;
    while (kernels[i].highest < bytes) {
        i++;
    }
    return kernels[i].run;
}
