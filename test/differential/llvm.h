/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DAME-L for the differential test: code is compiled once and used for all programs of its shape,
 * as by the code cache, since compiling takes milliseconds.
 */
#ifndef TEST_LLVM_H
#define TEST_LLVM_H

#include <stdbool.h>
#include <stdint.h>

#include "jit/provider.h"
#include "test/lib/rng.h"

/* Is dame_llvm.so there? Not without LLVM. */
bool llvm_is_there(void);

/* Options of DAME-L, pipelines among them. */
const char *llvm_random_options(rng_t *rng);

/* DAME-L with these options, and the variant number `choice` modulo the number of those it offers.
 * For states that are opened before the next call; in one thread. */
const dame_provider_t *llvm_provider(const char *options, uint64_t choice);

/* A grid's code for the host (jit/g/grid.h), valid until the next call; NULL: the program is too
 * large. */
const dame_machine_code_t *llvm_grid(const dame_program_t *program, dame_dir_t dir);

/* How many codes LLVM has compiled, and how many of these were used again. */
extern int64_t llvm_compiled, llvm_used_again;

#endif
