/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that perf(1) reads of a process: a name of its own in a directory where others may write,
 * and bytes that are only ever appended.
 *
 * Private to jit/.
 */
#ifndef DAME_PERF_FILE_H
#define DAME_PERF_FILE_H

#include <stddef.h>

/* "DIRECTORY/PREFIX-<pid>.SUFFIX", which the caller frees (base/heap.h); NULL: out of memory. */
char *dame_perf_file_name(const char *directory, const char *prefix, const char *suffix);

/* Removes a regular file of the user's own, if there is one; nothing else. Returns as below. */
int dame_perf_file_remove(const char *path);

/*
 * Appends to a regular file of the user's own that has no other name. `flags` are open()'s,
 * besides: O_CREAT where the file may be missing, with O_EXCL where it must be. No descriptor stays
 * open, and no link is followed and no pipe waited for. Returns 0 or an error number
 * (whole_file.h): DAME_FILE_FOREIGN, EMLINK.
 */
int dame_perf_file_append(const char *path, int flags, const void *bytes, size_t size);

#endif
