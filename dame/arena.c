#include "arena.h"

#include <stdint.h>
#include <stdlib.h>

#define ALIGNMENT ((size_t)16)
#define CHUNK_SIZE ((size_t)16384)

struct dame_arena_chunk {
    dame_arena_chunk_t *older;
    size_t unused; /* keeps the memory behind it aligned */
};

void dame_arena_init(dame_arena_t *arena, void *first, size_t size)
{
    arena->next = first;
    arena->end = arena->next + (size & ~(ALIGNMENT - 1));
    arena->chunks = NULL;
}

void dame_arena_fini(dame_arena_t *arena)
{
    while (NULL != arena->chunks) {
        dame_arena_chunk_t *chunk = arena->chunks;
        arena->chunks = chunk->older;
        free(chunk);
    }
}

void *dame_arena_alloc(dame_arena_t *arena, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2) {
        return NULL;
    }
    bytes = (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    if (bytes <= (size_t)(arena->end - arena->next)) {
        void *result = arena->next;
        arena->next += bytes;
        return result;
    }

    /* A large piece gets a chunk of its own, so that the rest of the current one stays in use. */
    size_t room = bytes > CHUNK_SIZE / 4 ? bytes : CHUNK_SIZE;
    dame_arena_chunk_t *chunk = malloc(sizeof(*chunk) + room);
    if (NULL == chunk) {
        return NULL;
    }
    chunk->older = arena->chunks;
    arena->chunks = chunk;
    char *memory = (char *)(chunk + 1);
    if (room != bytes) {
        arena->next = memory + bytes;
        arena->end = memory + room;
    }
    return memory;
}
