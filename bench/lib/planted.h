/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes an engine slower: every move of data takes PLANTED per cent longer. bench/planted has
 * opal-glue/ compiled with `-include` of this file, to see whether comparisons find that.
 */
#ifndef PLANTED_H
#define PLANTED_H

#include <x86intrin.h>

#include "jit/reader.h"

static __thread uint64_t planted_begin;

static inline void planted_wait(void)
{
    const uint64_t taken = __rdtsc() - planted_begin;
    while (100 * (__rdtsc() - planted_begin) < (100 + PLANTED) * taken) {
    }
}

/* Data is moved between these two. */
#define dame_reader_enter(reader) (planted_begin = __rdtsc(), dame_reader_enter(reader))
#define dame_reader_leave(reader) (planted_wait(), dame_reader_leave(reader))

#endif
