/*
 * Memory for machine code: written through one address, executed at another. Private to jit/.
 *
 * Not thread-safe: jit.c holds its lock.
 */
#ifndef DAME_CODE_ARENA_H
#define DAME_CODE_ARENA_H

#include <stddef.h>

#include "jit/dame_jit.h"

typedef struct dame_code_arena dame_code_arena_t;

/* A piece of memory for code, 64-byte aligned. */
typedef struct dame_code_block dame_code_block_t;
struct dame_code_block {
    char *execute; /* where it runs */
    size_t size;   /* bytes asked for */
    void *owner;   /* the caller's */
};

/* Takes no memory for code yet. `bytes`: the most it will take. DAME_ERR_NOMEM. */
dame_status_t dame_code_arena_create(size_t bytes, dame_code_arena_t **out);
void dame_code_arena_destroy(dame_code_arena_t *arena);

/*
 * Copies `size` bytes of position-independent code in, ready to be executed by any thread.
 * Errors: DAME_ERR_FULL, DAME_ERR_DENIED, DAME_ERR_NOMEM.
 */
dame_status_t dame_code_arena_put(dame_code_arena_t *arena, const void *code, size_t size,
                                  void *owner, dame_code_block_t **out);

/* Nothing runs it any more. */
void dame_code_arena_free(dame_code_arena_t *arena, dame_code_block_t *block);

/* The block that was put in first, of those that are there, or NULL. It is the first to go when
 * the arena is full. */
dame_code_block_t *dame_code_arena_oldest(dame_code_arena_t *arena);

/* What memory it has; until the first put what it will try first. */
dame_jit_memory_t dame_code_arena_memory(const dame_code_arena_t *arena, int *error);
size_t dame_code_arena_taken(const dame_code_arena_t *arena); /* bytes, from the system */

/* In the child of a fork(): the memory is the parent's, too, so nothing is written there any more;
 * put answers DAME_ERR_DENIED from now on. */
void dame_code_arena_abandon(dame_code_arena_t *arena);

#endif
