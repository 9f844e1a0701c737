/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tests' own provider of machine code; provider.c describes it.
 */
#ifndef TEST_PROVIDER_H
#define TEST_PROVIDER_H

#include <stdatomic.h>

#include "jit/provider.h"

enum { TEST_VARIANTS = 4 };

/* Each code has at least this number of bytes. */
extern atomic_size_t test_provider_bytes;

/* What compiling answers instead, unless DAME_OK. */
extern dame_status_t test_provider_answer;

/* As it is linked in; dame_provider(), as it is loaded. */
extern const dame_provider_t test_provider;
const dame_provider_t *dame_provider(void);

#endif
