/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How moves that wait for memory are paced.
 *
 * Makes of CPUs differ most in this. Pacing gains up to a factor of 2.5 on Zen 4. On Emerald Rapids
 * it costs up to a factor of 2 to unpack and 3.5 to pack (blocks in one set of the cache), and
 * walks over columns fetch lines ahead instead, 8 to 32 rows equally well. Others are treated like
 * Zen 4, but for the numbers of stores, which are AMD's.
 */
#include <stdatomic.h>

#include "dame/cpu.h"
#include "dame/memory_order.h"
#include "kernels.h"

enum { ROWS_AHEAD = 16, NOT_KNOWN = -1 };

static _Atomic int64_t ahead = NOT_KNOWN;

int64_t dame_rows_ahead(void)
{
    int64_t rows = atomic_load_explicit(&ahead, memory_order_relaxed);
    if (rows == NOT_KNOWN) {
#ifdef DAME_HAVE_X86_KERNELS
        rows = dame_cpu_detect().make == DAME_MAKE_INTEL ? ROWS_AHEAD : 0;
#else
        rows = 0;
#endif
        dame_rows_ahead_set(rows);
    }
    return rows;
}

void dame_rows_ahead_set(int64_t rows)
{
    atomic_store_explicit(&ahead, rows, memory_order_relaxed);
}

int64_t dame_pacing_stores(int64_t step)
{
    const int64_t sets = dame_sets_of(step);
    if (dame_cpu_detect().make != DAME_MAKE_AMD) {
        return 1;
    }
    return sets == 1 ? 6 : sets <= DAME_FEW_SETS ? 16 / sets : 0;
}
