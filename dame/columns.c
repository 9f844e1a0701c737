/*
 * Run kernels of levels that walk a matrix column by column: a level of near steps around one of
 * far steps (memory_order.h). Packed bytes keep their places; the moves are in an order in which a
 * cache line of user memory is used for several columns before it is evicted. Compiled once for
 * each instruction set.
 *
 * README.md, "What does not pay", has what was measured.
 */
#include "block.h"
#include "dame/memory_order.h"

/* Where a walk stands, and its steps. */
typedef struct walk {
    uintptr_t user;
    char *packed;
    uintptr_t near; /* from one column to the next, in user memory */
    int64_t column; /* and in the packed stream */
    uintptr_t far;  /* from one row to the next */
} walk_t;

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

/*
 * Rows of a block, where rows are so far apart that all of them fall into one set of the L1 cache.
 * To unpack, as many as the set has ways; to pack, enough to fill a line or two of each column.
 */
enum { UNPACK_ROWS = DAME_WAYS, PACK_ROWS = CELL, PACK_ROWS_WIDE = 2 * CELL, WIDE = 16 };

/*
 * Blocks of rows take the packed stream piece by piece, which costs more than it gains when that
 * comes from memory: so many packed bytes at most. Narrow columns, of which a strip uses half a
 * line, are different: unpacked most of them gain, packed they lose earlier.
 */
enum { BLOCKED_BYTES = 8 << 20, BLOCKED_BYTES_PACK_NARROW = 4 << 20 };

DAME_INLINE int pays_in_blocks(const dame_prim_t *prim, int64_t n, dame_dir_t dir)
{
    if (n < 2 * STRIP || 0 != prim[prim->inner].step % DAME_ONE_SET) {
        return 0;
    }
    const int64_t near = prim->step < 0 ? -prim->step : prim->step;
    if (2 * STRIP * near > DAME_LINE) {
        return n <= BLOCKED_BYTES / prim->isize;
    }
    return DAME_UNPACK == dir || n <= BLOCKED_BYTES_PACK_NARROW / prim->isize;
}

#define FOUR(MOVE_BLOCK, user, user_step, packed, packed_step, bytes)                              \
    do {                                                                                           \
        MOVE_BLOCK(user, packed, bytes);                                                           \
        MOVE_BLOCK((user) + (user_step), (packed) + (packed_step), bytes);                         \
        MOVE_BLOCK((user) + 2 * (user_step), (packed) + 2 * (packed_step), bytes);                 \
        MOVE_BLOCK((user) + 3 * (user_step), (packed) + 3 * (packed_step), bytes);                 \
    } while (0)

#define REST_OF_ROW(MOVE_BLOCK, at, first, n, bytes)                                               \
    for (int64_t i = (first); i < (n); i++) {                                                      \
        MOVE_BLOCK((at).user + (uintptr_t) i * (at).near, (at).packed + i * (at).column, bytes);   \
    }

#define NEXT_ROW(at, bytes)                                                                        \
    do {                                                                                           \
        (at).user += (at).far;                                                                     \
        (at).packed += (bytes);                                                                    \
    } while (0)

/*
 * Rows of n < 2 * STRIP columns, each row from its first column to its last. Fewer columns than a
 * strip leave nothing but misses, all in one set of the cache, and these must not come as fast as
 * they can be issued: a store to a line that stays in the cache paces them.
 */
#define WALK_STRIP(name, MOVE_BLOCK)                                                               \
    DAME_INLINE void name(walk_t at, int64_t rows, int64_t n, int64_t bytes)                       \
    {                                                                                              \
        if (STRIP == n) {                                                                          \
            for (; rows > 0; rows--) {                                                             \
                FOUR(MOVE_BLOCK, at.user, at.near, at.packed, at.column, bytes);                   \
                NEXT_ROW(at, bytes);                                                               \
            }                                                                                      \
        } else if (n > STRIP) {                                                                    \
            for (; rows > 0; rows--) {                                                             \
                FOUR(MOVE_BLOCK, at.user, at.near, at.packed, at.column, bytes);                   \
                REST_OF_ROW(MOVE_BLOCK, at, STRIP, n, bytes)                                       \
                NEXT_ROW(at, bytes);                                                               \
            }                                                                                      \
        } else {                                                                                   \
            volatile char pace = 0;                                                                \
            (void) pace;                                                                           \
            for (; rows > 0; rows--) {                                                             \
                REST_OF_ROW(MOVE_BLOCK, at, 0, n, bytes)                                           \
                pace = 0;                                                                          \
                NEXT_ROW(at, bytes);                                                               \
            }                                                                                      \
        }                                                                                          \
    }

#define WALK_STRIPS(name, STRIP_WALK)                                                              \
    DAME_INLINE void name(walk_t at, int64_t rows, int64_t n, int64_t bytes)                       \
    {                                                                                              \
        for (; n >= 2 * STRIP; n -= STRIP) {                                                       \
            STRIP_WALK(at, rows, STRIP, bytes);                                                    \
            at.user += STRIP * at.near;                                                            \
            at.packed += STRIP * at.column;                                                        \
        }                                                                                          \
        STRIP_WALK(at, rows, n, bytes);                                                            \
    }

/* Blocks of rows to pack: cells of elements, column after column, so that stores fill lines. */
#define WALK_PACK_BLOCK(name, MOVE_BLOCK)                                                          \
    DAME_INLINE void name(walk_t at, int64_t rows, int64_t n, int64_t bytes)                       \
    {                                                                                              \
        const uintptr_t near = at.near, far = at.far;                                              \
        const int64_t column = at.column;                                                          \
        for (; n >= CELL; n -= CELL) {                                                             \
            walk_t cell = at;                                                                      \
            int64_t left = rows;                                                                   \
            for (; left >= CELL; left -= CELL) {                                                   \
                DAME_KEEP_LOOP                                                                     \
                for (int i = 0; i < CELL; i++) {                                                   \
                    const uintptr_t user = cell.user + (uintptr_t) i * near;                       \
                    char *packed = cell.packed + i * column;                                       \
                    FOUR(MOVE_BLOCK, user, far, packed, bytes, bytes);                             \
                    FOUR(MOVE_BLOCK, user + 4 * far, far, packed + 4 * bytes, bytes, bytes);       \
                }                                                                                  \
                cell.user += CELL * far;                                                           \
                cell.packed += CELL * bytes;                                                       \
            }                                                                                      \
            for (; left > 0; left--) {                                                             \
                FOUR(MOVE_BLOCK, cell.user, near, cell.packed, column, bytes);                     \
                FOUR(MOVE_BLOCK, cell.user + 4 * near, near, cell.packed + 4 * column, column,     \
                     bytes);                                                                       \
                NEXT_ROW(cell, bytes);                                                             \
            }                                                                                      \
            at.user += CELL * near;                                                                \
            at.packed += CELL * column;                                                            \
        }                                                                                          \
        for (; rows > 0 && n > 0; rows--) {                                                        \
            REST_OF_ROW(MOVE_BLOCK, at, 0, n, bytes)                                               \
            NEXT_ROW(at, bytes);                                                                   \
        }                                                                                          \
    }

/* Blocks of rows to unpack: strips, row after row. Rolled, this is half as fast from memory. */
#define WALK_UNPACK_BLOCK(name, MOVE_BLOCK)                                                        \
    DAME_INLINE void name(walk_t at, int64_t rows, int64_t n, int64_t bytes)                       \
    {                                                                                              \
        const uintptr_t near = at.near, far = at.far;                                              \
        const int64_t column = at.column;                                                          \
        for (; n >= STRIP; n -= STRIP) {                                                           \
            uintptr_t user = at.user;                                                              \
            char *packed = at.packed;                                                              \
            int64_t left = rows;                                                                   \
            for (; left >= 4; left -= 4) {                                                         \
                FOUR(MOVE_BLOCK, user, near, packed, column, bytes);                               \
                FOUR(MOVE_BLOCK, user + far, near, packed + bytes, column, bytes);                 \
                FOUR(MOVE_BLOCK, user + 2 * far, near, packed + 2 * bytes, column, bytes);         \
                FOUR(MOVE_BLOCK, user + 3 * far, near, packed + 3 * bytes, column, bytes);         \
                user += 4 * far;                                                                   \
                packed += 4 * bytes;                                                               \
            }                                                                                      \
            for (; left > 0; left--) {                                                             \
                FOUR(MOVE_BLOCK, user, near, packed, column, bytes);                               \
                user += far;                                                                       \
                packed += bytes;                                                                   \
            }                                                                                      \
            at.user += STRIP * near;                                                               \
            at.packed += STRIP * column;                                                           \
        }                                                                                          \
        for (; rows > 0 && n > 0; rows--) {                                                        \
            REST_OF_ROW(MOVE_BLOCK, at, 0, n, bytes)                                               \
            NEXT_ROW(at, bytes);                                                                   \
        }                                                                                          \
    }

DAME_INLINE walk_t start_of(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first)
{
    return (walk_t){
        .user = origin + (uintptr_t) first * (uintptr_t) prim->step,
        .packed = packed,
        .near = (uintptr_t) prim->step,
        .column = prim->isize,
        .far = (uintptr_t) prim[prim->inner].step,
    };
}

/* A block has up to half as many rows again where otherwise few would be left. */
#define RUN_COLUMNS(name, dir, lowest, highest, block_rows, BLOCK_WALK, STRIPS_WALK)               \
    static void name(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,       \
                     int64_t n)                                                                    \
    {                                                                                              \
        const dame_prim_t *inner = prim + prim->inner;                                             \
        const int64_t bytes = DAME_BYTES(lowest, highest, inner->isize);                           \
        const int64_t most = block_rows;                                                           \
        walk_t at = start_of(prim, origin, packed, first);                                         \
        if (DAME_PACK == dir && 1 == n) { /* the leaf's own kernel is the faster one */            \
            dame_prim_run(inner, dir)(inner, at.user, packed, 0, inner->count);                    \
            return;                                                                                \
        }                                                                                          \
        if (!pays_in_blocks(prim, n, dir)) {                                                       \
            STRIPS_WALK(at, inner->count, n, bytes);                                               \
            return;                                                                                \
        }                                                                                          \
        for (int64_t left = inner->count, rows; left > 0; left -= rows) {                          \
            rows = left < most + most / 2 ? left : most;                                           \
            BLOCK_WALK(at, rows, n, bytes);                                                        \
            at.user += (uintptr_t) rows * at.far;                                                  \
            at.packed += rows * bytes;                                                             \
        }                                                                                          \
    }

#define DAME_WIDTH(name, lowest, highest)                                                          \
    WALK_STRIP(pack_strip_##name, pack_block_##name)                                               \
    WALK_STRIP(unpack_strip_##name, unpack_block_##name)                                           \
    WALK_STRIPS(pack_strips_##name, pack_strip_##name)                                             \
    WALK_STRIPS(unpack_strips_##name, unpack_strip_##name)                                         \
    WALK_PACK_BLOCK(pack_rows_##name, pack_block_##name)                                           \
    WALK_UNPACK_BLOCK(unpack_rows_##name, unpack_block_##name)                                     \
    RUN_COLUMNS(pack_##name, DAME_PACK, lowest, highest,                                           \
                bytes < WIDE ? PACK_ROWS : PACK_ROWS_WIDE, pack_rows_##name, pack_strips_##name)   \
    RUN_COLUMNS(unpack_##name, DAME_UNPACK, lowest, highest, UNPACK_ROWS, unpack_rows_##name,      \
                unpack_strips_##name)
DAME_WIDTHS_IN_LINE(DAME_WIDTH)
#undef DAME_WIDTH

#define COLUMNS_NAME_(isa) dame_columns_##isa
#define COLUMNS_NAME(isa)  COLUMNS_NAME_(isa)

const dame_run_fn COLUMNS_NAME(DAME_ISA)[DAME_WIDTH_IN_LINE_COUNT][2] = {
#define DAME_WIDTH(name, lowest, highest) {pack_##name, unpack_##name},
    DAME_WIDTHS_IN_LINE(DAME_WIDTH)
#undef DAME_WIDTH
};
