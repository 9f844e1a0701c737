/*
 * Run kernels of levels whose iterations are small bodies: a few short blocks each, like the fields
 * of a C struct. Compiled once for each instruction set, as kernels.c is.
 *
 * A call of the inner level's kernel for every body costs more than its copies. So a tile of bodies
 * is moved block by block: first the first block of all of them, a loop of copies of one width,
 * then the second. A tile stays in the L1 cache meanwhile.
 */
#include "block.h"

/* Moves a block of `bytes` bytes in n bodies; in the packed stream they are `pitch` apart. */
typedef void (*column_fn)(uintptr_t at, uintptr_t step, char *packed, int64_t pitch, int64_t n,
                          int64_t bytes);
/* The same with block i at bodies[i] + disp. */
typedef void (*listed_column_fn)(const uintptr_t *bodies, uintptr_t disp, char *packed,
                                 int64_t pitch, int64_t n, int64_t bytes);

#define COLUMN(name, lowest, highest, MOVE_BLOCK)                                                  \
    static void column_##name(uintptr_t at, uintptr_t step, char *packed, int64_t pitch,           \
                              int64_t n, int64_t any)                                              \
    {                                                                                              \
        const int64_t bytes = DAME_BYTES(lowest, highest, any);                                    \
        for (; n >= 4; n -= 4) {                                                                   \
            MOVE_BLOCK(at, packed, bytes);                                                         \
            MOVE_BLOCK(at + step, packed + pitch, bytes);                                          \
            MOVE_BLOCK(at + 2 * step, packed + 2 * pitch, bytes);                                  \
            MOVE_BLOCK(at + 3 * step, packed + 3 * pitch, bytes);                                  \
            at += 4 * step;                                                                        \
            packed += 4 * pitch;                                                                   \
        }                                                                                          \
        for (; n > 0; n--) {                                                                       \
            MOVE_BLOCK(at, packed, bytes);                                                         \
            at += step;                                                                            \
            packed += pitch;                                                                       \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void listed_##name(const uintptr_t *bodies, uintptr_t disp, char *packed,               \
                              int64_t pitch, int64_t n, int64_t any)                               \
    {                                                                                              \
        const int64_t bytes = DAME_BYTES(lowest, highest, any);                                    \
        for (; n >= 4; n -= 4) {                                                                   \
            MOVE_BLOCK(bodies[0] + disp, packed, bytes);                                           \
            MOVE_BLOCK(bodies[1] + disp, packed + pitch, bytes);                                   \
            MOVE_BLOCK(bodies[2] + disp, packed + 2 * pitch, bytes);                               \
            MOVE_BLOCK(bodies[3] + disp, packed + 3 * pitch, bytes);                               \
            bodies += 4;                                                                           \
            packed += 4 * pitch;                                                                   \
        }                                                                                          \
        for (; n > 0; n--) {                                                                       \
            MOVE_BLOCK(*bodies + disp, packed, bytes);                                             \
            bodies++;                                                                              \
            packed += pitch;                                                                       \
        }                                                                                          \
    }

#define DAME_WIDTH(name, lowest, highest)                                                          \
    COLUMN(pack_##name, lowest, highest, pack_block_##name)                                        \
    COLUMN(unpack_##name, lowest, highest, unpack_block_##name)
DAME_WIDTHS_SHORT(DAME_WIDTH)
#undef DAME_WIDTH

enum { WIDTHS = DAME_WIDTH_64 + 1 };

static const column_fn columns[WIDTHS][2] = {
#define DAME_WIDTH(name, lowest, highest) {column_pack_##name, column_unpack_##name},
    DAME_WIDTHS_SHORT(DAME_WIDTH)
#undef DAME_WIDTH
};

static const listed_column_fn listed_columns[WIDTHS][2] = {
#define DAME_WIDTH(name, lowest, highest) {listed_pack_##name, listed_unpack_##name},
    DAME_WIDTHS_SHORT(DAME_WIDTH)
#undef DAME_WIDTH
};

/* By bytes of a block: the narrowest width that has it. A new width has to stand here, too. */
_Static_assert(DAME_WIDTH_64 == 15, "width_of[] has all widths");
static const uint8_t width_of[DAME_BODY_BLOCK + 1] = {
    [1] = DAME_WIDTH_1,
    [2] = DAME_WIDTH_2,
    [3] = DAME_WIDTH_3,
    [4] = DAME_WIDTH_4,
    [5 ... 7] = DAME_WIDTH_5to7,
    [8] = DAME_WIDTH_8,
    [9 ... 11] = DAME_WIDTH_9to15,
    [12] = DAME_WIDTH_12,
    [13 ... 15] = DAME_WIDTH_9to15,
    [16] = DAME_WIDTH_16,
    [17 ... 23] = DAME_WIDTH_17to31,
    [24] = DAME_WIDTH_24,
    [25 ... 31] = DAME_WIDTH_17to31,
    [32] = DAME_WIDTH_32,
    [33 ... 39] = DAME_WIDTH_33to63,
    [40] = DAME_WIDTH_40,
    [41 ... 47] = DAME_WIDTH_33to63,
    [48] = DAME_WIDTH_48,
    [49 ... 63] = DAME_WIDTH_33to63,
    [64] = DAME_WIDTH_64,
};

DAME_INLINE int64_t block_bytes(const dame_prim_t *body, int64_t j)
{
    return NULL != body->prefix ? body->prefix[j + 1] - body->prefix[j] : body->isize;
}

DAME_INLINE uintptr_t block_disp(const dame_prim_t *body, int64_t j)
{
    return dame_prim_has_list(body) ? (uintptr_t) dame_prim_disp(body, j)
                                    : (uintptr_t) j * (uintptr_t) body->step;
}

enum { TILE = 64, SHORTEST_TILE = 4, TILE_BYTES = 16384, LINE = 64 };

/* A run of so few bodies is left to a call for each. */
DAME_INLINE int are_few(const dame_prim_t *prim, int64_t n)
{
    const dame_prim_t *body = prim + prim->inner;
    return n <= (NULL != body->prefix ? DAME_FEW_BODIES : DAME_FEW_EQUAL_BODIES);
}

/*
 * Bodies in a tile, so that it takes half of a small L1 cache: what a body covers in user memory
 * and in the stream, where bodies that are a large power of two apart share sets.
 */
DAME_INLINE int64_t tile_length(const dame_prim_t *prim, int64_t apart)
{
    const uint64_t distance = apart < 0 ? -(uint64_t) apart : (uint64_t) apart;
    const uint64_t power = distance & -distance;
    uint64_t reach = 2 * LINE * (uint64_t) prim[prim->inner].count;
    reach = distance < reach ? distance : reach;
    reach = (power > reach ? power : reach) + (uint64_t) prim->isize;
    int64_t tile = TILE;
    while (tile > SHORTEST_TILE && (uint64_t) tile * reach > TILE_BYTES) {
        tile /= 2;
    }
    return tile;
}

#define SPREAD_STRIDED(name, dir)                                                                  \
    static void name(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,       \
                     int64_t n)                                                                    \
    {                                                                                              \
        if (are_few(prim, n)) {                                                                    \
            dame_nest_strided[dir](prim, origin, packed, first, n);                                \
            return;                                                                                \
        }                                                                                          \
        const dame_prim_t *body = prim + prim->inner;                                              \
        const uintptr_t step = (uintptr_t) prim->step;                                             \
        uintptr_t at = origin + (uintptr_t) first * step;                                          \
        for (int64_t tile = tile_length(prim, prim->step); n > 0; n -= tile) {                     \
            tile = n < tile ? n : tile;                                                            \
            char *stream = packed;                                                                 \
            for (int64_t j = 0; j < body->count; j++) {                                            \
                const int64_t bytes = block_bytes(body, j);                                        \
                columns[width_of[bytes]][dir](at + block_disp(body, j), step, stream, prim->isize, \
                                              tile, bytes);                                        \
                stream += bytes;                                                                   \
            }                                                                                      \
            at += (uintptr_t) tile * step;                                                         \
            packed += tile * prim->isize;                                                          \
        }                                                                                          \
    }

#define SPREAD_LISTED(name, dir, entries, entry_t, table)                                          \
    static void name(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,       \
                     int64_t n)                                                                    \
    {                                                                                              \
        if (are_few(prim, n)) {                                                                    \
            dame_nest_listed[entries][dir](prim, origin, packed, first, n);                        \
            return;                                                                                \
        }                                                                                          \
        uintptr_t bodies[TILE];                                                                    \
        const dame_prim_t *body = prim + prim->inner;                                              \
        const entry_t *disps = prim->table + first;                                                \
        for (int64_t tile = tile_length(prim, prim->extent); n > 0; n -= tile) {                   \
            tile = n < tile ? n : tile;                                                            \
            for (int64_t i = 0; i < tile; i++) {                                                   \
                bodies[i] = origin + (uintptr_t) disps[i];                                         \
            }                                                                                      \
            char *stream = packed;                                                                 \
            for (int64_t j = 0; j < body->count; j++) {                                            \
                const int64_t bytes = block_bytes(body, j);                                        \
                listed_columns[width_of[bytes]][dir](bodies, block_disp(body, j), stream,          \
                                                     prim->isize, tile, bytes);                    \
                stream += bytes;                                                                   \
            }                                                                                      \
            disps += tile;                                                                         \
            packed += tile * prim->isize;                                                          \
        }                                                                                          \
    }

SPREAD_STRIDED(pack_strided, DAME_PACK)
SPREAD_STRIDED(unpack_strided, DAME_UNPACK)
SPREAD_LISTED(pack_listed, DAME_PACK, DAME_TABLE_64, int64_t, disps)
SPREAD_LISTED(unpack_listed, DAME_UNPACK, DAME_TABLE_64, int64_t, disps)
SPREAD_LISTED(pack_listed32, DAME_PACK, DAME_TABLE_32, int32_t, disps32)
SPREAD_LISTED(unpack_listed32, DAME_UNPACK, DAME_TABLE_32, int32_t, disps32)

#define SPREAD_NAME_(isa) dame_spread_##isa
#define SPREAD_NAME(isa)  SPREAD_NAME_(isa)

const dame_spread_t SPREAD_NAME(DAME_ISA) = {
    .strided = {pack_strided, unpack_strided},
    .listed =
        {
            [DAME_TABLE_64] = {pack_listed, unpack_listed},
            [DAME_TABLE_32] = {pack_listed32, unpack_listed32},
        },
};
