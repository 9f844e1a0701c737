/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Machine code for perf inject --jit, with the unwind information that perf's callers of
 * --call-graph dwarf need: a file jit-<pid>.dump of records (Linux,
 * tools/perf/Documentation/jitdump-specification.txt).
 *
 * perf finds the file by a mapping of it that may be executed, which exists from the first record
 * on, and which nothing uses. No other descriptor or memory stays.
 *
 * Private to jit/. Not thread-safe: jit.c holds its lock.
 */
#ifndef DAME_PERF_DUMP_H
#define DAME_PERF_DUMP_H

#include <stddef.h>
#include <stdint.h>

#include "dame/status.h"

typedef struct dame_perf_dump dame_perf_dump_t;

/* The file of this process in a directory; it comes with the first record. DAME_ERR_NOMEM. */
dame_status_t dame_perf_dump_create(const char *directory, dame_perf_dump_t **out);

/* Accepts NULL. The file stays: perf reads it when the process is gone. */
void dame_perf_dump_destroy(dame_perf_dump_t *dump);

/* `size` and `unwind` as in provider.h. Returns 0 or an error number (whole_file.h): then the file
 * lacks the code. If files of the directory cannot be mapped for execution, no file is written,
 * without an error. */
int dame_perf_dump_add(dame_perf_dump_t *dump, const char *code, size_t size, uint32_t unwind,
                       const char *name);

#endif
