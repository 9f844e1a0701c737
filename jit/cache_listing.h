/* SPDX-License-Identifier: BSD-3-Clause */
/* For tools: what a directory of the code cache (cache.h) has. */
#ifndef DAME_CACHE_LISTING_H
#define DAME_CACHE_LISTING_H

#include <stddef.h>
#include <stdint.h>

#include "dame/program.h"

typedef struct dame_cache_file {
    const char *name;
    const char *origin; /* "" when the file is damaged */
    const char *maker;  /* the same; "" also without one */
    dame_dir_t dir;
    size_t code_bytes;
    int64_t used_s;    /* last use, seconds since 1970; noted once an hour */
    const char *fault; /* NULL: good; else the defect */
} dame_cache_file_t;

/* Calls `each` for every file of code in a directory; its argument is valid during the call.
 * Returns 0 or an errno. */
int dame_cache_each(const char *directory, void (*each)(void *context, const dame_cache_file_t *),
                    void *context);

/* Removes all files of the cache, its temporary ones, and remains of profiles that dead processes
 * left in the directory. Held locks stay. Returns 0, an errno or a dame_file_error_t. */
int dame_cache_clear(const char *directory, int64_t *removed);

#endif
