/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of machine code for perf(1), which reads /tmp/perf-<pid>.map: a line "start size name" for
 * each piece, the numbers in hexadecimal (Linux, tools/perf/Documentation/jit-interface.txt).
 *
 * Lines are only appended, as every program does that perf reads such files of. The convention has
 * no line that takes a name away, so after an eviction an address may have several names; the last
 * one is right. perf gives names only to code in anonymous memory (DAME_JIT_MEMORY_OWN).
 *
 * Private to jit/. Not thread-safe: jit.c holds its lock.
 */
#ifndef DAME_PERF_MAP_H
#define DAME_PERF_MAP_H

#include <stddef.h>

#include "dame/status.h"

typedef struct dame_perf_map dame_perf_map_t;

/* The file of this process in a directory; it comes with the first name. DAME_ERR_NOMEM. */
dame_status_t dame_perf_map_create(const char *directory, dame_perf_map_t **out);

/* Accepts NULL. The file stays: perf reads it when the process is gone. */
void dame_perf_map_destroy(dame_perf_map_t *map);

/* Returns 0 or an error number (whole_file.h): then the file lacks the name. Control characters
 * become '?'. */
int dame_perf_map_add(dame_perf_map_t *map, const void *start, size_t size, const char *name);

#endif
