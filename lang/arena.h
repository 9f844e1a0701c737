/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that is allocated piece by piece and freed at once. Private to lang/.
 */
#ifndef DAME_ARENA_H
#define DAME_ARENA_H

#include <stddef.h>

typedef struct dame_arena_chunk dame_arena_chunk_t;

typedef struct dame_arena {
    char *next;
    char *end;
    dame_arena_chunk_t *chunks; /* newest first */
    size_t chunk_bytes;         /* in all chunks */
    size_t pieces;              /* allocated since the start */
    char *first;                /* where to start again */
    char *first_end;
} dame_arena_t;

/* `first` is memory of the caller's to use before any chunk, aligned for any type. */
void dame_arena_init(dame_arena_t *arena, void *first, size_t size);
void dame_arena_fini(dame_arena_t *arena);

/* Frees every piece, but keeps memory for as much again, up to 1 MiB, so that the next round of the
 * same size costs no system calls or page faults. */
void dame_arena_reset(dame_arena_t *arena);

/* n pieces of `size` bytes, aligned to 16, uninitialised; NULL when memory is out or n * size
 * overflows. */
void *dame_arena_alloc(dame_arena_t *arena, size_t n, size_t size);

#endif
