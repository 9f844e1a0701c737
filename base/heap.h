/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that lives as long as datatypes, and working memory for building programs. It does not
 * come from malloc(): small blocks that outlive their neighbours would keep the C library from
 * trimming the application's heap, and freeing large ones would make it trim too often.
 *
 * All functions may be called by any thread. In builds with AddressSanitizer, or with
 * -DDAME_HEAP_MALLOC (for valgrind), they call malloc(), calloc() and free().
 */
#ifndef DAME_HEAP_H
#define DAME_HEAP_H

#include <stddef.h>

/* Uninitialised memory, aligned to 16 bytes; NULL if memory is out. */
void *dame_heap_alloc(size_t bytes);

/* The same, zeroed. */
void *dame_heap_zalloc(size_t bytes);

/* Accepts NULL. */
void dame_heap_free(void *memory);

/* Returns free memory to the system. Without this call, up to 4 MiB of address space are kept for
 * later allocations. */
void dame_heap_trim(void);

/* Bytes of address space in use or kept. 0 after dame_heap_trim() if every block was freed. */
size_t dame_heap_mapped(void);

/* For the handlers of fork() (pthread_atfork): the first takes the lock, the second releases it in
 * parent and child. While it is held, no other lock is taken. */
void dame_heap_before_fork(void);
void dame_heap_after_fork(void);

#endif
