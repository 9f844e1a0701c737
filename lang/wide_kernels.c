/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run kernels of levels of blocks of half a cache line and more, or of different lengths. Compiled
 * once for each instruction set, with DAME_ISA naming it.
 */
#include "block.h"
#include "kernels.h"

#define DAME_WIDTH(name, lowest, highest)                                                          \
    DAME_RUN(pack_strided_##name, dame_run_strided, DAME_WIDTH_##name, DAME_PACK)                  \
    DAME_RUN(unpack_strided_##name, dame_run_strided, DAME_WIDTH_##name, DAME_UNPACK)              \
    DAME_RUN(pack_listed_##name, dame_run_listed, DAME_TABLE_32, DAME_WIDTH_##name, DAME_PACK)     \
    DAME_RUN(unpack_listed_##name, dame_run_listed, DAME_TABLE_32, DAME_WIDTH_##name, DAME_UNPACK) \
    DAME_COPY(copy_strided_##name, dame_copy_strided, DAME_WIDTH_##name)                           \
    DAME_COPY(copy_listed64_##name, dame_copy_listed, DAME_TABLE_64, DAME_WIDTH_##name)            \
    DAME_COPY(copy_listed32_##name, dame_copy_listed, DAME_TABLE_32, DAME_WIDTH_##name)
DAME_WIDTHS_WIDE(DAME_WIDTH)
#undef DAME_WIDTH

DAME_RUN(pack_ragged64, dame_run_ragged, DAME_TABLE_64, DAME_PACK)
DAME_RUN(unpack_ragged64, dame_run_ragged, DAME_TABLE_64, DAME_UNPACK)
DAME_RUN(pack_ragged32, dame_run_ragged, DAME_TABLE_32, DAME_PACK)
DAME_RUN(unpack_ragged32, dame_run_ragged, DAME_TABLE_32, DAME_UNPACK)

DAME_COPY(copy_ragged64, dame_copy_ragged, DAME_TABLE_64)
DAME_COPY(copy_ragged32, dame_copy_ragged, DAME_TABLE_32)

#define NAME_(isa) dame_wide_##isa
#define NAME(isa)  NAME_(isa)

const dame_wide_kernels_t NAME(DAME_ISA) = {
#define DAME_WIDTH(name, lowest, highest) {pack_strided_##name, unpack_strided_##name},
    .strided = {DAME_WIDTHS_WIDE(DAME_WIDTH)},
#undef DAME_WIDTH
#define DAME_WIDTH(name, lowest, highest) {pack_strided_##name, dame_unpack_paced},
    .paced = {DAME_WIDTHS_WIDE(DAME_WIDTH)},
#undef DAME_WIDTH
#define DAME_WIDTH(name, lowest, highest) {pack_listed_##name, unpack_listed_##name},
    .listed = {DAME_WIDTHS_WIDE(DAME_WIDTH)},
#undef DAME_WIDTH
    .ragged =
        {
            [DAME_TABLE_64] = {pack_ragged64, unpack_ragged64},
            [DAME_TABLE_32] = {pack_ragged32, unpack_ragged32},
        },
#define DAME_WIDTH(name, lowest, highest) copy_strided_##name,
    .copy_strided = {DAME_WIDTHS_WIDE(DAME_WIDTH)},
#undef DAME_WIDTH
    .copy_listed =
        {
#define DAME_WIDTH(name, lowest, highest) copy_listed64_##name,
            [DAME_TABLE_64] = {DAME_WIDTHS_WIDE(DAME_WIDTH)},
#undef DAME_WIDTH
#define DAME_WIDTH(name, lowest, highest) copy_listed32_##name,
            [DAME_TABLE_32] = {DAME_WIDTHS_WIDE(DAME_WIDTH)},
#undef DAME_WIDTH
        },
    .copy_ragged = {[DAME_TABLE_64] = copy_ragged64, [DAME_TABLE_32] = copy_ragged32},
};
