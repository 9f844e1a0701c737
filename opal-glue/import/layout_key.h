/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What tells layouts apart: how a datatype was made, constructor by constructor (contents.h), with
 * sizes and bounds as Open MPI has them.
 *
 * Equal constructor calls have one typemap, so one program serves them all. A key names no other
 * datatype, so nothing of it ends with those that a datatype was made of. The converse does not
 * hold: one typemap may be made in several ways, and then has several layouts.
 *
 * No description is kept. A key is the value of a polynomial over the integers modulo the prime
 * 2^127 - 1, at a point that each process draws at random. Its coefficients are sums of
 * up to 16 numbers of the constructor calls, each times a factor that is drawn too, and the keys of
 * inner datatypes. Two different layouts of n numbers have one key with a probability of at most
 * (n + 1) / 2^119 (Schwartz and Zippel), whatever the program makes: 10^-26 for a billion.
 */
#ifndef DT_LAYOUT_KEY_H
#define DT_LAYOUT_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "dame/type.h"
#include "engine/layout.h"

struct opal_datatype_t;

/* Draws the point. Once a process, before the first key. */
void dt_layout_key_start(void);

/* Reads all of the constructor calls into memory of `tree`, which is empty before and after. False:
 * memory is out, or they are nested deeper than any that are imported. */
bool dt_layout_key(dame_tree_t *tree, const struct opal_datatype_t *datatype,
                   dame_layout_key_t *key);

/* A hash of a few items of Open MPI's description (`desc`, as the constructors left it), the same
 * number of them for all that are long: equal for equal layouts, and seldom for different ones. */
uint64_t dt_layout_fingerprint(const struct opal_datatype_t *datatype);

#endif
