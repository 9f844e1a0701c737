/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tests' own random numbers: xoshiro256** seeded through splitmix64 (Blackman and Vigna, public
 * domain), so that a seed means the same case on every machine.
 */
#ifndef TEST_RNG_H
#define TEST_RNG_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rng {
    uint64_t s[4];
} rng_t;

static inline uint64_t rng_splitmix(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The stream number `stream` of seed `seed`; streams are independent of each other. */
static inline rng_t rng_seeded(uint64_t seed, uint64_t stream)
{
    rng_t rng;
    uint64_t state = seed;
    uint64_t mixed = rng_splitmix(&state) ^ (stream * 0xd1342543de82ef95u + 1);
    for (int i = 0; i < 4; i++) {
        rng.s[i] = rng_splitmix(&mixed);
    }
    return rng;
}

static inline uint64_t rng_next(rng_t *rng)
{
    uint64_t *s = rng->s;
    uint64_t five = s[1] * 5;
    uint64_t result = ((five << 7) | (five >> 57)) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return result;
}

/* A number in [low, high], both ends included. The tiny bias of the remainder does not matter here.
 */
static inline int64_t rng_range(rng_t *rng, int64_t low, int64_t high)
{
    uint64_t width = (uint64_t) high - (uint64_t) low + 1;
    uint64_t r = rng_next(rng);
    return (int64_t) ((uint64_t) low + (width ? r % width : r));
}

/* True in `percent` of 100 calls. */
static inline bool rng_chance(rng_t *rng, int percent)
{
    return rng_range(rng, 0, 99) < percent;
}

static inline void rng_fill(rng_t *rng, char *bytes, int64_t n)
{
    for (int64_t i = 0; i < n;) {
        uint64_t r = rng_next(rng);
        for (int k = 0; k < 8 && i < n; k++, i++) {
            bytes[i] = (char) (r >> (8 * k));
        }
    }
}

#endif
