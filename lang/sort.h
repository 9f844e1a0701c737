/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists visited in the order of their addresses, a window of the packed stream at a time. Private
 * to lang/.
 */
#ifndef DAME_SORT_H
#define DAME_SORT_H

#include "dame/program.h"

/* Entries of a window for a list of n blocks of `bytes` bytes, or 0 when it shall not be sorted. */
int64_t dame_sort_window(int64_t n, int64_t bytes, const dame_options_t *options);

/* The entries of all whole windows of `count` displacements. */
static inline int64_t dame_sort_entries(int64_t count, int64_t window)
{
    return window == 0 ? 0 : count - count % window;
}

/* Fills visits[dame_sort_entries()]. */
void dame_sort_visits(const int32_t *disps, int64_t count, int64_t window, dame_visit_t *visits);

#endif
