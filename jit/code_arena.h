/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory for machine code: written through one address, executed at another, never both through
 * one. Private to jit/.
 *
 * Not thread-safe: jit.c holds its lock. What holds no code holds instructions that trap, so a
 * stale jump stops the process instead of running something else.
 *
 * Unwinders find their way through all code (unwind.h). The memory for codes that are leaves has
 * one table; each other code has its own. Unwinders cannot have both for one address, so such code
 * runs at a third address of the memory.
 *
 * fork(): a child goes on executing older code, even if its fork handlers did not run. It never
 * writes there: the memory may be the parent's.
 */
#ifndef DAME_CODE_ARENA_H
#define DAME_CODE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "jit_types.h"

typedef struct dame_code_arena dame_code_arena_t;

/* A piece of memory for code, 64-byte aligned. */
typedef struct dame_code_block dame_code_block_t;
struct dame_code_block {
    char *execute; /* where it runs */
    size_t size;   /* bytes asked for */
    /* the arena's own */
    int own;                                 /* not 0: it has pages of its own */
    struct dame_unwind_registration *unwind; /* NULL: absent */
    size_t offset;                           /* in the arena */
    size_t room;                             /* bytes it takes */
    dame_code_block_t *next;                 /* by offset, in a ring through the arena itself */
    dame_code_block_t *prev;
};

/*
 * Takes no addresses and no memory for code yet. `bytes`: the most it will take, rounded up to
 * whole pages. `best`: the kind of memory it tries first. DAME_ERR_NOMEM.
 */
dame_status_t dame_code_arena_create(size_t bytes, dame_jit_memory_t best, dame_code_arena_t **out);

/* From now on exceptions and backtrace(3) find their way through new code. To be called before the
 * first code; the caller has called dame_unwind_prepare(). */
void dame_code_arena_tell_unwinder(dame_code_arena_t *arena);

/* In a handler of a signal that came from `pc`: if that is in a leaf of the arena, makes
 * backtrace(3) find its caller. It allocates memory; the thread was in no function that could hold
 * a lock. */
void dame_code_arena_show(dame_code_arena_t *arena, uintptr_t pc);

void dame_code_arena_destroy(dame_code_arena_t *arena);

/*
 * Copies `size` bytes, 1 and more, of position-independent code in, ready to be executed by any
 * thread; `unwind` as in a dame_machine_code_t. Errors: DAME_ERR_FULL (blocks must be freed first),
 * DAME_ERR_DENIED (execution is refused, or this process is a fork of the one that made the arena),
 * DAME_ERR_NOMEM.
 */
dame_status_t dame_code_arena_put(dame_code_arena_t *arena, const void *code, size_t size,
                                  uint32_t unwind, dame_code_block_t **out);

/* Nothing runs it any more. */
void dame_code_arena_free(dame_code_arena_t *arena, dame_code_block_t *block);

/* What memory it has, or will try: whether a kind can be had shows when the first code is put, and
 * what could be had may be refused later. *error is why the kind before was refused, 0: none was.
 */
dame_jit_memory_t dame_code_arena_memory(const dame_code_arena_t *arena, int *error);

/* Returns whether a fork brought this process the arena. Asked of the system, because clone() runs
 * no handlers. */
int dame_code_arena_is_inherited(const dame_code_arena_t *arena);

/* Most bytes it will take. */
size_t dame_code_arena_limit(const dame_code_arena_t *arena);

/* Bytes taken from the system for code. */
size_t dame_code_arena_taken(const dame_code_arena_t *arena);

#endif
