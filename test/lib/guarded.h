/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers of exactly the size asked for that lie, on request, directly against a page which faults.
 * What such buffers were made of is kept for the next ones. Not thread-safe.
 */
#ifndef TEST_GUARDED_H
#define TEST_GUARDED_H

#include <stddef.h>

typedef enum edge {
    EDGE_NONE, /* from malloc(), which a sanitizer guards */
    EDGE_LOW,  /* the byte before the first faults */
    EDGE_HIGH  /* the byte behind the last faults */
} edge_t;

typedef struct guarded {
    char *bytes;
    size_t size;
    edge_t edge;
    size_t room;   /* bytes of whole pages between the guards; 0: from malloc() */
    size_t offset; /* from malloc(): bytes before the first */
} guarded_t;

/* False when memory is out; guarded_free() accepts a zeroed or failed one. */
int guarded_alloc(guarded_t *buffer, size_t size, edge_t edge);

/* The same without an edge, `offset` bytes behind the start of a cache line. */
int guarded_alloc_at(guarded_t *buffer, size_t size, size_t offset);
void guarded_free(guarded_t *buffer);

/* The first of the pages; NULL: from malloc(). */
char *guarded_pages(const guarded_t *buffer);

#endif
