/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What DAME makes of a program, in numbers and words, for commands that are about its data. A
 * datatype has no primitives: this is all that they know of them.
 */
#ifndef FACTS_H
#define FACTS_H

#include <stddef.h>
#include <stdint.h>

enum { FACTS_STRIDES = 28, FACTS_WORDS = 120 };

typedef struct form {
    int32_t primitives;
    int32_t depth; /* loop levels on the longest path */
    size_t memory; /* bytes, tables included */
} form_t;

typedef struct facts {
    form_t program;       /* as written */
    form_t optimised;     /* as DAME runs it */
    int64_t fragment;     /* bytes that programs are optimised for */
    int64_t wide_column;  /* bytes of the longest column of which a fragment holds few, or 0 */
    int64_t
        stride[FACTS_STRIDES]; /* bytes at which levels of the program repeat, outermost first */
    int strides;
    char words[FACTS_WORDS]; /* the optimised program as people say it (engine/words.h) */
} facts_t;

/* Those of the program in `text`, which libdame has accepted; `path` is what messages call it. */
int facts_find(const char *path, const char *text, size_t length, facts_t *facts);

#endif
