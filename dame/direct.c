/*
 * Copy kernels: blocks from one buffer to the same places of another, with no packed stream
 * between. Compiled once for each instruction set, as kernels.c is.
 *
 * Through a stream every byte would be moved twice; and since there is none, blocks may be copied
 * in the order that suits memory.
 */
#include "block.h"
#include "dame/memory_order.h"

#define DIRECT(name, at, shift, bytes)                                                             \
    dame_copy_##name((char *) ((at) + (shift)), (const char *) (at), bytes)

static inline uintptr_t strided_at(const dame_prim_t *prim, uintptr_t origin, int64_t i)
{
    return origin + (uintptr_t) i * (uintptr_t) prim->step;
}

/* ---- Levels of blocks ----------------------------------------------------------------------- */

#define LEAF(name, lowest, highest)                                                                \
    static void strided_##name(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift,         \
                               int64_t first, int64_t n)                                           \
    {                                                                                              \
        const int64_t bytes = DAME_BYTES(lowest, highest, prim->isize);                            \
        const uintptr_t step = (uintptr_t) prim->step;                                             \
        uintptr_t at = strided_at(prim, origin, first);                                            \
        for (int64_t i = 0; i < n; i++) {                                                          \
            DIRECT(name, at, shift, bytes);                                                        \
            at += step;                                                                            \
        }                                                                                          \
    }                                                                                              \
    LISTED_LEAF(name, lowest, highest, listed, disps)                                              \
    LISTED_LEAF(name, lowest, highest, listed32, disps32)

#define LISTED_LEAF(name, lowest, highest, listed, table)                                          \
    static void listed##_##name(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift,        \
                                int64_t first, int64_t n)                                          \
    {                                                                                              \
        const int64_t bytes = DAME_BYTES(lowest, highest, prim->isize);                            \
        for (int64_t i = first; i < first + n; i++) {                                              \
            const uintptr_t at = origin + (uintptr_t) prim->table[i];                              \
            DIRECT(name, at, shift, bytes);                                                        \
        }                                                                                          \
    }

#define DAME_WIDTH LEAF
DAME_WIDTHS(DAME_WIDTH)
#undef DAME_WIDTH

/* Columns of a matrix, row by row. */
#define COLUMNS(name, lowest, highest)                                                             \
    static void columns_##name(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift,         \
                               int64_t first, int64_t n)                                           \
    {                                                                                              \
        const dame_prim_t *rows = prim + prim->inner;                                              \
        for (int64_t row = 0; row < rows->count; row++) {                                          \
            uintptr_t at = strided_at(prim, strided_at(rows, origin, row), first);                 \
            if (prim->step == rows->isize) {                                                       \
                dame_copy_any((char *) (at + shift), (const char *) at, n * rows->isize);          \
                continue;                                                                          \
            }                                                                                      \
            const int64_t bytes = DAME_BYTES(lowest, highest, rows->isize);                        \
            for (int64_t i = 0; i < n; i++) {                                                      \
                DIRECT(name, at, shift, bytes);                                                    \
                at += (uintptr_t) prim->step;                                                      \
            }                                                                                      \
        }                                                                                          \
    }

#define DAME_WIDTH COLUMNS
DAME_WIDTHS_IN_LINE(DAME_WIDTH)
#undef DAME_WIDTH

/* ---- Levels around levels, and lists of unequal blocks -------------------------------------- */

static void nothing(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift, int64_t first,
                    int64_t n)
{
    (void) prim;
    (void) origin;
    (void) shift;
    (void) first;
    (void) n;
}

static void nest_strided(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift, int64_t first,
                         int64_t n)
{
    const dame_prim_t *inner = prim + prim->inner;
    uintptr_t at = strided_at(prim, origin, first);
    for (int64_t i = 0; i < n; i++) {
        inner->copy(inner, at, shift, 0, inner->count);
        at += (uintptr_t) prim->step;
    }
}

static void nest_struct(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift, int64_t first,
                        int64_t n)
{
    for (int64_t i = first; i < first + n; i++) {
        const uintptr_t at = origin + (uintptr_t) prim->disps[i];
        const dame_prim_t *inner = prim + prim->inners[i];
        if (inner == prim) {
            DIRECT(any, at, shift, prim->prefix[i + 1] - prim->prefix[i]);
        } else {
            inner->copy(inner, at, shift, 0, inner->count);
        }
    }
}

#define LISTS(listed, ragged, table)                                                               \
    static void nest_##listed(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift,          \
                              int64_t first, int64_t n)                                            \
    {                                                                                              \
        const dame_prim_t *inner = prim + prim->inner;                                             \
        for (int64_t i = first; i < first + n; i++) {                                              \
            inner->copy(inner, origin + (uintptr_t) prim->table[i], shift, 0, inner->count);       \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    /* INDEX: the inner level is a CONTIGCHILD of as many instances as the block has. */           \
    static void nest_##ragged(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift,          \
                              int64_t first, int64_t n)                                            \
    {                                                                                              \
        const dame_prim_t *inner = prim + prim->inner;                                             \
        for (int64_t i = first; i < first + n; i++) {                                              \
            const int64_t bytes = prim->prefix[i + 1] - prim->prefix[i];                           \
            inner->copy(inner, origin + (uintptr_t) prim->table[i], shift, 0,                      \
                        bytes / inner->isize);                                                     \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void ragged(const dame_prim_t *prim, uintptr_t origin, uintptr_t shift, int64_t first,  \
                       int64_t n)                                                                  \
    {                                                                                              \
        for (int64_t i = first; i < first + n; i++) {                                              \
            const uintptr_t at = origin + (uintptr_t) prim->table[i];                              \
            DIRECT(any, at, shift, prim->prefix[i + 1] - prim->prefix[i]);                         \
        }                                                                                          \
    }

LISTS(listed, ragged, disps)
LISTS(listed32, ragged32, disps32)

#define DIRECT_NAME_(isa) dame_direct_##isa
#define DIRECT_NAME(isa)  DIRECT_NAME_(isa)

const dame_direct_t DIRECT_NAME(DAME_ISA) = {
    .strided =
        {
#define DAME_WIDTH(name, lowest, highest) strided_##name,
            DAME_WIDTHS(DAME_WIDTH)
#undef DAME_WIDTH
        },
    .listed =
        {
#define DAME_WIDTH(name, lowest, highest) listed_##name,
            [DAME_TABLE_64] = {DAME_WIDTHS(DAME_WIDTH)},
#undef DAME_WIDTH
#define DAME_WIDTH(name, lowest, highest) listed32_##name,
            [DAME_TABLE_32] = {DAME_WIDTHS(DAME_WIDTH)},
#undef DAME_WIDTH
        },
    .columns =
        {
#define DAME_WIDTH(name, lowest, highest) columns_##name,
            DAME_WIDTHS_IN_LINE(DAME_WIDTH)
#undef DAME_WIDTH
        },
    .ragged = {[DAME_TABLE_64] = ragged, [DAME_TABLE_32] = ragged32},
    .nothing = nothing,
    .nest_strided = nest_strided,
    .nest_listed = {[DAME_TABLE_64] = nest_listed, [DAME_TABLE_32] = nest_listed32},
    .nest_ragged = {[DAME_TABLE_64] = nest_ragged, [DAME_TABLE_32] = nest_ragged32},
    .nest_struct = nest_struct,
};
