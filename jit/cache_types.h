/* SPDX-License-Identifier: BSD-3-Clause */
/* What the code cache finds and keeps (cache.h). */
#ifndef DAME_CACHE_TYPES_H
#define DAME_CACHE_TYPES_H

#include <stddef.h>

#include "provider.h"

enum { DAME_CACHE_MAKER = 32 };

/* Everything that code is made from, as bytes, and the name of its file. Do not copy it: `bytes`
 * may point into it. */
typedef struct dame_cache_key {
    char *bytes; /* `few` or owned; dame_cache_key_free() */
    size_t size;
    char name[40];
    /* Who makes the code (provider.h), which is in the file but not in its name. To find: its code
     * or that of a newer one will do; "", the beginning: any. To store: who made it. */
    char maker[DAME_CACHE_MAKER];
    char few[1024];
} dame_cache_key_t;

/* Code as it is in memory; owned by its reader, dame_cache_code_free(). */
typedef struct dame_cache_code {
    dame_machine_code_t code;
    void *memory; /* NULL: the reader's room */
} dame_cache_code_t;

/* Memory of the reader's, in which a file is read that fits. It lasts as long as the code. */
typedef struct dame_cache_room {
    char *bytes; /* aligned as malloc()'s */
    size_t size;
} dame_cache_room_t;

#endif
