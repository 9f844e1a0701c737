/* SPDX-License-Identifier: BSD-3-Clause */
/* Hashes: of addresses, and of bytes. */
#ifndef DT_HASH_H
#define DT_HASH_H

#include <stddef.h>
#include <stdint.h>

/* For tables (Fibonacci hashing): use its upper bits. */
static inline uint64_t dt_hash(const void *address)
{
    return (uint64_t) (uintptr_t) address * UINT64_C(0x9E3779B97F4A7C15);
}

/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/; files keep it as a checksum. Of the bytes
 * behind those that `hash` is of, DAME_NO_BYTES at first. */
#define DAME_NO_BYTES UINT64_C(0xcbf29ce484222325)
static inline uint64_t dame_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

#endif
