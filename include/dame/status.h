/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Typed results of every fallible function of this library.
 *
 * The function that first decides that something is an error returns the code; callers pass it on.
 * Outputs are written on DAME_OK only.
 */
#ifndef DAME_STATUS_H
#define DAME_STATUS_H

#include <stddef.h>
#include <stdint.h>

#include "dame/errors.h"

/* Which limit DAME_ERR_LIMIT is about. All zero: none. */
typedef struct dame_limit {
    const char *what; /* a plural, static storage: "primitives" */
    int64_t limit;    /* the greatest value that is accepted */
    int64_t value;    /* the value that exceeded it; counting stops there */
} dame_limit_t;

/* Writes "1048577 primitives, at most 1048576 are allowed" into `text`, cut to `size` bytes, and
 * returns `text`. */
char *dame_limit_text(const dame_limit_t *limit, char *text, size_t size);

/* A short English phrase, static storage. */
const char *dame_status_text(dame_status_t status);

#endif
