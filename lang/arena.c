/* SPDX-License-Identifier: BSD-3-Clause */
#include "arena.h"

#include <stdint.h>

#include "base/heap.h"

#define ALIGNMENT  ((size_t) 16)
#define CHUNK_SIZE ((size_t) 16368) /* 16 KiB with the header */
#define KEPT_SIZE  ((size_t) 1 << 20)

struct dame_arena_chunk {
    dame_arena_chunk_t *older;
    size_t bytes; /* with this header; its size keeps the memory behind it aligned */
};

static dame_arena_chunk_t *new_chunk(dame_arena_t *arena, size_t room)
{
    size_t bytes = sizeof(dame_arena_chunk_t) + room;
    dame_arena_chunk_t *chunk = dame_heap_alloc(bytes);
    if (chunk != NULL) {
        chunk->older = arena->chunks;
        chunk->bytes = bytes;
        arena->chunks = chunk;
        arena->chunk_bytes += bytes;
    }
    return chunk;
}

static void free_chunks(dame_arena_t *arena)
{
    while (arena->chunks != NULL) {
        dame_arena_chunk_t *chunk = arena->chunks;
        arena->chunks = chunk->older;
        dame_heap_free(chunk);
    }
    arena->chunk_bytes = 0;
}

void dame_arena_init(dame_arena_t *arena, void *first, size_t size)
{
    arena->first = first;
    arena->first_end = arena->first + (size & ~(ALIGNMENT - 1));
    arena->next = arena->first;
    arena->end = arena->first_end;
    arena->chunks = NULL;
    arena->chunk_bytes = 0;
    arena->pieces = 0;
}

void dame_arena_fini(dame_arena_t *arena)
{
    free_chunks(arena);
}

void dame_arena_reset(dame_arena_t *arena)
{
    /* One chunk of the right size serves every round; several mean that it has to grow. */
    if (arena->chunks != NULL && arena->chunks->older != NULL) {
        size_t most = KEPT_SIZE - sizeof(dame_arena_chunk_t);
        size_t room = arena->chunk_bytes < most ? arena->chunk_bytes : most;
        free_chunks(arena);
        (void) new_chunk(arena, room);
    } else if (arena->chunks != NULL && arena->chunks->bytes > KEPT_SIZE) {
        free_chunks(arena);
    }
    arena->pieces = 0;
    arena->next = arena->first;
    arena->end = arena->first_end;
    if (arena->chunks != NULL) {
        arena->next = (char *) (arena->chunks + 1);
        arena->end = (char *) arena->chunks + (arena->chunks->bytes & ~(ALIGNMENT - 1));
    }
}

void *dame_arena_alloc(dame_arena_t *arena, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2) {
        return NULL;
    }
    arena->pieces++;
    bytes = (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    if (bytes <= (size_t) (arena->end - arena->next)) {
        void *result = arena->next;
        arena->next += bytes;
        return result;
    }

    /* A large piece gets a chunk of its own, so that the rest of the current one stays in use. */
    size_t room = bytes > CHUNK_SIZE / 4 ? bytes : CHUNK_SIZE;
    dame_arena_chunk_t *chunk = new_chunk(arena, room);
    if (chunk == NULL) {
        return NULL;
    }
    char *memory = (char *) (chunk + 1);
    if (room != bytes) {
        arena->next = memory + bytes;
        arena->end = memory + room;
    }
    return memory;
}
