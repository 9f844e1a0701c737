/* SPDX-License-Identifier: BSD-3-Clause */
/* Caches of several CPUs, some so small that small types exceed them. */
#ifndef TEST_CACHES_H
#define TEST_CACHES_H

#include <stdint.h>

#include "dame/cpu.h"

/* One of them, the same for the same number; static storage. */
static inline const dame_data_cache_t *test_caches(uint64_t number)
{
    static const dame_data_cache_t caches[] = {
        {.line = 64, .ways = 8, .l1 = 32 << 10, .l2 = 1 << 20},
        {.line = 64, .ways = 12, .l1 = 48 << 10, .l2 = 2 << 20},
        {.line = 128, .ways = 4, .l1 = 64 << 10, .l2 = 4 << 20},
        {.line = 64, .ways = 2, .l1 = 1024, .l2 = 4096},
        {.line = 32, .ways = 1, .l1 = 256, .l2 = 1024},
    };
    return &caches[number % (sizeof(caches) / sizeof(caches[0]))];
}

#endif
