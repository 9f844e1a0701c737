/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells whether there is memory for a library that ends the process when it gets none. */
#ifndef DAME_SPARE_H
#define DAME_SPARE_H

#include <stddef.h>

/*
 * The process could map `bytes` bytes more: RLIMIT_AS, RLIMIT_DATA and the system's limit on
 * promised memory allow it. Nothing is kept: another thread may take them. What a control group
 * allows is not known.
 */
int dame_has_spare(size_t bytes);

#endif
