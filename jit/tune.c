/* SPDX-License-Identifier: BSD-3-Clause */
/* The values measured on each make of CPU. */
#include "tune.h"

/*
 * Intel: a masked store of 64 bytes that crosses a cache line costs 4 cycles more, one of 32 bytes
 * 2: every second byte off a line unpacks in 149 instead of 242 ns, and no slower on a line. Blocks
 * of 64 bytes in one move instead of two: 62 instead of 100 ns on a line, 120 instead of 183 off
 * it. Prefetching gains up to a third to unpack and loses up to a tenth to pack.
 * Packing 64 bytes from two vectors instead of one: structs of 1, 10 and 20 of 40 bytes in half the
 * time, 8 of 16 bytes in 0.85 of it, every second byte in 0.95 to 1.
 *
 * AMD: wide moves gain nothing and lose where they cross lines; prefetching gains both ways.
 * Packing from two vectors: structs of 1, 10 and 20 of 40 bytes in 0.85 of the time, 12 of 24 bytes
 * in 0.96, 8 of 16 bytes and every second byte in 1 to 1.03, 4 of 12 bytes in 1.12: not the
 * likeliest, but tried. Masked stores that cross lines have not been measured.
 */
static const dame_tune_t tunes[DAME_MAKES] = {
    [DAME_MAKE_OTHER] =
        {
            .measured_on = "unmeasured: values safe on all measured CPUs",
            .move_bytes = 32,
            .scatter_bytes = 32,
            .prefetches = {[DAME_PACK] = 0, [DAME_UNPACK] = 0},
        },
    [DAME_MAKE_AMD] =
        {
            .measured_on = "Zen 4, L2 of 1 MiB, virtual machine",
            .move_bytes = 32,
            .scatter_bytes = 64,
            .prefetches = {[DAME_PACK] = 1, [DAME_UNPACK] = 1},
        },
    [DAME_MAKE_INTEL] =
        {
            .measured_on = "Sapphire or Emerald Rapids, L2 of 2 MiB, virtual machine",
            .move_bytes = 64,
            .gathers_pairs = 1,
            .scatter_bytes = 32,
            .prefetches = {[DAME_PACK] = 0, [DAME_UNPACK] = 1},
        },
};

const dame_tune_t *dame_tune_of(dame_make_t make)
{
    return &tunes[make];
}
