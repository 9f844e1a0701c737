/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The variants of DAME-X: the choices for which the best value differs between CPUs, or between
 * addresses, which a program does not contain. Private to jit/x/ and the tests.
 */
#ifndef DAME_X_VARIANT_H
#define DAME_X_VARIANT_H

#include <stddef.h>
#include <stdint.h>

#include "dame/cpu.h"
#include "dame/program.h"
#include "parameters.h"

/* Each field of a variant has two bits in its number; 0 is the plain choice. */
typedef enum x_choice {
    X_PREFETCH, /* loops over short blocks fetch no lines ahead, or some (X_AHEAD) */
    X_MOVE,     /* widest vectors for whole blocks: 32 bytes, 64 (X_WIDE) */
    X_PERMUTE,  /* widest vectors that hold several blocks: 32 bytes, 64 (X_WIDE), none (X_SINGLE),
                   64 that are gathered from two (X_PAIRS) */
    X_TAILS,    /* the rest of a block is moved with a mask, or in two moves (X_SPLIT) */
    X_UNROLL,   /* loops copy up to 4 iterations at a time, 1 (X_ONCE), 8 (X_TWICE) */
    X_CHOICES
} x_choice_t;

enum { X_AHEAD = 1, X_WIDE = 1, X_SINGLE = 2, X_PAIRS = 3, X_SPLIT = 1, X_ONCE = 1, X_TWICE = 2 };

static inline int x_choice(uint32_t variant, x_choice_t choice)
{
    return (int) (variant >> (2 * choice) & 3);
}

static inline uint32_t x_with(uint32_t variant, x_choice_t choice, int value)
{
    return (variant & ~(UINT32_C(3) << (2 * choice))) | (uint32_t) value << (2 * choice);
}

/* Returns whether the last `bytes` of a block, that fill no vector of a line, are faster in one
 * than in two moves. Only if these would be of half a line each: one of a quarter crosses lines
 * less often. */
static inline int x_fills_line(int64_t bytes)
{
    return bytes > 48 && bytes < 64;
}

/* Returns whether it is the number of a variant. */
int x_variant_exists(uint32_t variant);

/* See variant_name in jit/provider.h. */
void x_variant_name(uint32_t variant, char *name);

/* The number of the variant that has the first `length` bytes of `name` as its name, -1: none. */
int64_t x_variant_named(const char *name, size_t length);

/* See variants in jit/provider.h. The first is what jit/tune.h says. An option that has not its
 * default is not varied; with an option `variant`, it is the only one. */
int32_t x_variants(const dame_cpu_t *cpu, const x_options_t *options, const dame_program_t *program,
                   dame_dir_t dir, uint32_t *out, int32_t room);

/* The options of a variant. */
x_options_t x_variant_options(uint32_t variant, const x_options_t *options);

#endif
