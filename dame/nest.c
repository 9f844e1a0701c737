/*
 * Run kernels of levels whose iterations are levels themselves: they find each iteration and run
 * all of the inner level there.
 */
#include "block.h"

#define NEST(dir, DIR)                                                                             \
    static void dir##_strided(const dame_prim_t *prim, uintptr_t origin, char *packed,             \
                              int64_t first, int64_t n)                                            \
    {                                                                                              \
        const dame_prim_t *inner = prim + prim->inner;                                             \
        const dame_run_fn run = dame_prim_run(inner, DIR);                                         \
        const int64_t count = inner->count;                                                        \
        const int64_t isize = prim->isize;                                                         \
        const uintptr_t step = (uintptr_t) prim->step;                                             \
        uintptr_t at = origin + (uintptr_t) first * step;                                          \
        for (int64_t i = 0; i < n; i++) {                                                          \
            run(inner, at, packed, 0, count);                                                      \
            at += step;                                                                            \
            packed += isize;                                                                       \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void dir##_struct(const dame_prim_t *prim, uintptr_t origin, char *packed,              \
                             int64_t first, int64_t n)                                             \
    {                                                                                              \
        for (int64_t i = first; i < first + n; i++) {                                              \
            const uintptr_t at = origin + (uintptr_t) prim->disps[i];                              \
            const int64_t bytes = prim->prefix[i + 1] - prim->prefix[i];                           \
            if (0 == prim->inners[i]) {                                                            \
                dir##_block_any(at, packed, bytes);                                                \
            } else {                                                                               \
                const dame_prim_t *inner = prim + prim->inners[i];                                 \
                dame_prim_run(inner, DIR)(inner, at, packed, 0, inner->count);                     \
            }                                                                                      \
            packed += bytes;                                                                       \
        }                                                                                          \
    }

#define NEST_COLUMNS(dir, DIR)                                                                     \
    static void dir##_columns(const dame_prim_t *prim, uintptr_t origin, char *packed,             \
                              int64_t first, int64_t n)                                            \
    {                                                                                              \
        const int64_t rows = prim[prim->inner].count;                                              \
        first *= rows;                                                                             \
        n *= rows;                                                                                 \
        prim->by_block[DIR](prim, origin, packed, first, n);                                       \
    }

#define NEST_LISTS(dir, DIR, listed, ragged, entry_t, table)                                       \
    static void dir##_##listed(const dame_prim_t *prim, uintptr_t origin, char *packed,            \
                               int64_t first, int64_t n)                                           \
    {                                                                                              \
        const dame_prim_t *inner = prim + prim->inner;                                             \
        const dame_run_fn run = dame_prim_run(inner, DIR);                                         \
        const int64_t count = inner->count;                                                        \
        const int64_t isize = prim->isize;                                                         \
        const entry_t *disps = prim->table + first;                                                \
        for (int64_t i = 0; i < n; i++) {                                                          \
            run(inner, origin + (uintptr_t) disps[i], packed, 0, count);                           \
            packed += isize;                                                                       \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    /* INDEX: the inner level is a CONTIGCHILD of as many instances as the block has. */           \
    static void dir##_##ragged(const dame_prim_t *prim, uintptr_t origin, char *packed,            \
                               int64_t first, int64_t n)                                           \
    {                                                                                              \
        const dame_prim_t *inner = prim + prim->inner;                                             \
        const dame_run_fn run = dame_prim_run(inner, DIR);                                         \
        for (int64_t i = first; i < first + n; i++) {                                              \
            const int64_t bytes = prim->prefix[i + 1] - prim->prefix[i];                           \
            run(inner, origin + (uintptr_t) prim->table[i], packed, 0, bytes / inner->isize);      \
            packed += bytes;                                                                       \
        }                                                                                          \
    }

NEST(pack, DAME_PACK)
NEST(unpack, DAME_UNPACK)
NEST_COLUMNS(pack, DAME_PACK)
NEST_COLUMNS(unpack, DAME_UNPACK)
NEST_LISTS(pack, DAME_PACK, listed, ragged, int64_t, disps)
NEST_LISTS(unpack, DAME_UNPACK, listed, ragged, int64_t, disps)
NEST_LISTS(pack, DAME_PACK, listed32, ragged32, int32_t, disps32)
NEST_LISTS(unpack, DAME_UNPACK, listed32, ragged32, int32_t, disps32)

static void nothing(const dame_prim_t *prim, uintptr_t origin, char *packed, int64_t first,
                    int64_t n)
{
    (void) prim;
    (void) origin;
    (void) packed;
    (void) first;
    (void) n;
}

const dame_run_fn dame_nest_nothing[2] = {nothing, nothing};
const dame_run_fn dame_nest_strided[2] = {pack_strided, unpack_strided};
const dame_run_fn dame_nest_columns[2] = {pack_columns, unpack_columns};
const dame_run_fn dame_nest_listed[DAME_TABLE_COUNT][2] = {
    [DAME_TABLE_64] = {pack_listed, unpack_listed},
    [DAME_TABLE_32] = {pack_listed32, unpack_listed32},
};
const dame_run_fn dame_nest_ragged[DAME_TABLE_COUNT][2] = {
    [DAME_TABLE_64] = {pack_ragged, unpack_ragged},
    [DAME_TABLE_32] = {pack_ragged32, unpack_ragged32},
};
const dame_run_fn dame_nest_struct[2] = {pack_struct, unpack_struct};
