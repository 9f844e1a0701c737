/* SPDX-License-Identifier: BSD-3-Clause */
/* How fast Open MPI's own engine moves a datatype, in turns with what is measured here: it runs in
 * a process of its own. */
#ifndef NATIVE_H
#define NATIVE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/busy.h"

enum { NATIVE_LONGEST = 100000 }; /* bytes of an expression */

typedef struct native {
    char missing[160];    /* "": it is measured; else why not */
    dame_waited_t waited; /* by that process, for a CPU */
    pid_t process;        /* private: 0: none */
    int line;             /* to it, and from it */
} native_t;

/* Of `count` elements of the datatype that `expression` makes, `size` bytes each; NULL: its
 * constructor is not known. native_end() ends it, also when it is missing. */
void native_start(native_t *native, const char *expression, int64_t size, int64_t count);

/* Seconds of packing, or unpacking, all elements so often. Any number once it is missing. */
double native_seconds(native_t *native, int unpacks, int64_t times);

void native_end(native_t *native);

#endif
