/* SPDX-License-Identifier: BSD-3-Clause */
/* The tests' type trees as datatypes of the library. */
#ifndef TEST_MIRROR_H
#define TEST_MIRROR_H

#include "dame/datatype.h"
#include "dame/type.h"
#include "test/lib/rng.h"

/* The kind of a basic element of `size` bytes. */
const char *mirror_kind(int64_t size);

/* The same constructors, called through the public header; `rng` chooses between those that mean
 * the same. NULL: *who failed, and dame_error_message() says how. */
dame_datatype_t *mirror(rng_t *rng, dame_context_t *context, const dame_type_t *type);

#endif
