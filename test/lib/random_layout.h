/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random numbers with the habits of datatypes: block lengths, gaps, orders, displacements.
 */
#ifndef TEST_RANDOM_LAYOUT_H
#define TEST_RANDOM_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "dame/type.h"
#include "rng.h"

/* The data of a block lies in [low, low + width), counted from where the block is put. */
typedef struct footprint {
    int64_t low;
    int64_t width;
} footprint_t;

/* Of `blklen` instances of child in a row. */
footprint_t footprint(const dame_type_t *child, int64_t blklen);

/* 1, n, or something between; n >= 1. */
int64_t random_divisor(rng_t *rng, int64_t n);

/* Shares `total` out over n blocks, none of them empty; total >= n >= 1. */
void random_lengths(rng_t *rng, int64_t total, int64_t n, int64_t *lengths);

/*
 * Displacements for n blocks with these footprints, within about `budget` bytes where the blocks
 * leave room. They do not overlap unless `overlap` is set. `order` is n entries of scratch memory.
 */
void random_places(rng_t *rng, bool overlap, int64_t n, const footprint_t *feet, int64_t budget,
                   int64_t *order, int64_t *disps);

/* A displacement for a block without data: it must not matter. */
int64_t random_empty_place(rng_t *rng);

#endif
