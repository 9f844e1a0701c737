/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash of addresses for the tables of this room (Fibonacci hashing): use its upper bits. */
#ifndef DT_HASH_H
#define DT_HASH_H

#include <stdint.h>

static inline uint64_t dt_hash(const void *address)
{
    return (uint64_t) (uintptr_t) address * UINT64_C(0x9E3779B97F4A7C15);
}

#endif
