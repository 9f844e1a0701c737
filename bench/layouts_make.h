/* SPDX-License-Identifier: BSD-3-Clause */
/* For the files that define layouts (layouts_*.c) only; layouts_make.c also has what layouts.h
 * declares of a layout. */
#ifndef LAYOUTS_MAKE_H
#define LAYOUTS_MAKE_H

#include "layouts.h"

/* The tables of the families; each ends with an entry without a name. */
extern const struct layout_spec layouts_wrf[];
extern const struct layout_spec layouts_grid[];
extern const struct layout_spec layouts_indexed[];
extern const struct layout_spec layouts_fft[];
extern const struct layout_spec layouts_more[];

/* Zeroed memory that lives as long as the layout. */
void *layout_keep(struct layout *layout, size_t size);

/* The next user array of a side, page-aligned except a stagger that keeps arrays off each other's
 * cache sets; the first bytes are aligned to 64. */
void *layout_array(struct layout *layout, int side, size_t size);

/* A plan of `size` bytes copied from `plan`, and its two loops, for one side. */
void layout_hand(struct layout *layout, int side, const void *plan, size_t size,
                 void (*pack)(const void *, void *), void (*unpack)(const void *, const void *));

/* The numbers 0 … n-1 in no order: each i is swapped with a pseudo-random position. The first k of
 * them are a list of k distinct indices. Lives as long as the layout. */
int *layout_shuffled(struct layout *layout, int n, uint32_t seed);

/* The next number of a fixed pseudo-random sequence. */
uint32_t layout_random(uint32_t *state);

/* For types that hold absolute addresses: sets the base of a side to MPI_BOTTOM. MPI_Pack of MPICH
 * refuses MPI_BOTTOM as a null pointer (4.0.2), so there it is the first array. Call it when the
 * arrays are made. */
void layout_use_absolute(struct layout *layout, int side);

/* The displacement of a location from the base of its side. */
MPI_Aint layout_displacement(const struct layout_side *side, const void *location);

/* Replaces *type by `made`: frees the old one. For chains of constructors. */
void layout_replace(MPI_Datatype *type, MPI_Datatype made);

#endif
