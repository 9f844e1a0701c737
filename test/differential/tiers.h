/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways to obtain programs that the cases are shared out among.
 */
#ifndef TEST_TIERS_H
#define TEST_TIERS_H

#include "message.h"

/* All tiers; the last has no name. */
extern const tier_t tiers[];

/* A set of tiers: bit `1 << i` for tiers[i]. Never empty. */
typedef uint32_t tier_set_t;

/* All but those of DAME-L, which take long; those that DAME-X compiles; those of DAME-L. */
tier_set_t tiers_all(void);
tier_set_t tiers_compiled(void);
tier_set_t tiers_of_llvm(void);

/* Names with commas between, or "any" for tiers_all(); false when one is not a tier's. */
bool tiers_parse(const char *text, tier_set_t *out);

/* One of the set, drawn from the seed, with what options it draws from the seed. */
tier_t tier_of_case(tier_set_t set, uint64_t seed);

/* The passes that are on, as users write them. Valid until the next call. */
const char *tier_passes(const tier_t *tier);

/* ", " and the options of the compiler, or "" for tiers that do not compile. Valid until the next
 * call. */
const char *tier_jit(const tier_t *tier);

#endif
