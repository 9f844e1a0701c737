/*
 * The ways to obtain programs that the cases are shared out among.
 */
#ifndef TEST_TIERS_H
#define TEST_TIERS_H

#include "message.h"

/* All tiers; the last has no name. */
extern const tier_t tiers[];

/* The tier of that name, or NULL. */
const tier_t *tier_find(const char *name);

/* `tier`, or one drawn from the seed if NULL, with what options it draws from the seed. */
tier_t tier_of_case(const tier_t *tier, uint64_t seed);

/* The passes that are on, as users write them. Valid until the next call. */
const char *tier_passes(const tier_t *tier);

#endif
