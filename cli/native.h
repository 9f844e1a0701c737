/* SPDX-License-Identifier: BSD-3-Clause */
/* How fast Open MPI's own engine moves a datatype, measured in a process of its own. */
#ifndef NATIVE_H
#define NATIVE_H

#include <stddef.h>
#include <stdint.h>

enum { NATIVE_LONGEST = 100000 }; /* bytes of an expression */

typedef struct native {
    double pack, unpack; /* nanoseconds of all elements */
    char missing[160];   /* "": measured; else why not */
} native_t;

/* Of `count` elements of the datatype that `expression` makes, `size` bytes each; NULL: its
 * constructor is not known. */
void native_measure(const char *expression, int64_t size, int64_t count, native_t *native);

#endif
