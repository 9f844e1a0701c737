/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files in a directory of the code cache, which is open. Private to jit/.
 */
#ifndef DAME_CACHE_DIRECTORY_H
#define DAME_CACHE_DIRECTORY_H

#include <stddef.h>
#include <stdint.h>

/* A file of code has a name of this many hexadecimal digits and this suffix. */
enum { DAME_CACHE_DIGITS = 32 };
#define DAME_CACHE_SUFFIX ".code"

/* The digits of some, in their order. All zero at first; the caller frees `names`. */
typedef struct dame_cache_names {
    char (*names)[DAME_CACHE_DIGITS];
    size_t n;
    size_t room;
} dame_cache_names_t;

/* Adds those of a directory, as far as memory reaches. */
void dame_cache_names_add(dame_cache_names_t *names, int directory);

/* Returns whether a file among them begins with these digits. */
int dame_cache_names_have(const dame_cache_names_t *names, const char *digits, size_t n);

/* Removes those not used for longest until the others have at most `limit` bytes, and what dead
 * processes left behind. Returns how many were removed. */
int64_t dame_cache_trim(int directory, int64_t limit);

#endif
