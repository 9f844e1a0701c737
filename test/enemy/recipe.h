/* SPDX-License-Identifier: BSD-3-Clause */
/* From a type tree of test/lib to the calls of MPI's constructors, and the bytes that it means. */
#ifndef TEST_ENEMY_RECIPE_H
#define TEST_ENEMY_RECIPE_H

#include "dame/type.h"
#include "test/lib/rng.h"

#include "play.h"

/* Fills *shape; the caller frees its recipe and runs. False when memory is out. */
bool make_recipe(rng_t *rng, const dame_type_t *type, const program_t *program, shape_t *shape);

#endif
