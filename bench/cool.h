/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that the caches do not hold, as after a computation. */
#ifndef COOL_H
#define COOL_H

#include <stdbool.h>
#include <stddef.h>

/* Whether cool_lines() works on this kind of CPU: x86-64 and AArch64. */
bool cool_can_flush(void);

/* Writes the cache lines of `size` bytes back to memory and takes them out of all caches. */
void cool_lines(const void *from, size_t size);

/* Reads other memory, twice as much as the last-level cache holds, so that data, datatypes, lists
 * of displacements and code have to come from memory. Ends the program if memory is out. */
void cool_all(void);

#endif
