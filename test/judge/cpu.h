/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A CPU that runs kernels without memory: general registers, flags, masks and the stack are exact;
 * of vectors, and of values loaded from user memory or the stream, only whether they were set.
 *
 * Every access is checked for exactly the bytes that it touches. Control flow and addresses must
 * not depend on the bytes that are moved (rule DATA), so they depend on the arguments of the
 * kernel, constants and tables alone: one run proves the kernel for all contents of memory, and
 * for all addresses of the same alignment as long as code compares no addresses.
 */
#ifndef JUDGE_CPU_H
#define JUDGE_CPU_H

#include "footprint.h"
#include "listing.h"

/* Runs the kernel at `entry` for the run that footprint_place() placed; false, with a verdict, when
 * a rule is broken. `steps` grows by the instructions that were run. */
bool cpu_run(const listing_t *listing, footprint_t *footprint, uint32_t entry, rng_t *rng,
             int64_t *steps, verdict_t *verdict);

#endif
