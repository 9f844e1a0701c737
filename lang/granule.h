/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Granules: what offsets in a block have to be multiples of, so that no basic element is cut.
 * Private to lang/.
 */
#ifndef DAME_GRANULE_H
#define DAME_GRANULE_H

#include "dame/program.h"

/* Greatest common divisor of numbers >= 0, of which one is not 0. */
int64_t dame_gcd(int64_t a, int64_t b);

/* The least common multiple of two granules; DAME_NO_GRANULE when it is too large to be of use. */
int64_t dame_granule_common(int64_t a, int64_t b);

/* What the sizes of a program's CONTIGFINALs amount to, taken as basic elements: the granule of a
 * text that says nothing else. */
int64_t dame_granule_of_leaves(const dame_program_t *program);

#endif
