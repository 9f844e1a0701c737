/*
 * Memory that lives as long as datatypes do, and what is needed to make it. It is not malloc()'s:
 * small blocks that outlive their neighbours keep the C library from giving the top of the user's
 * heap back, and large ones that are freed there make it do so too often.
 *
 * Any thread. In builds with AddressSanitizer, or with -DDAME_HEAP_MALLOC (for valgrind), these are
 * malloc(), calloc() and free().
 */
#ifndef DAME_HEAP_H
#define DAME_HEAP_H

#include <stddef.h>

/* Aligned to 16, uninitialised; NULL when memory is out. */
void *dame_heap_alloc(size_t bytes);

/* The same, filled with zeros. */
void *dame_heap_zalloc(size_t bytes);

/* NULL is allowed. */
void dame_heap_free(void *memory);

/* Free memory is kept for the next allocations, 4 MiB of address space at most; this gives it
 * back. */
void dame_heap_trim(void);

/* Bytes of address space in use and kept; after dame_heap_trim() 0 if every block was freed. */
size_t dame_heap_mapped(void);

/* For handlers of fork() (pthread_atfork): the first takes the lock, the other gives it back, in
 * parent and child. No other lock is taken while this one is held. */
void dame_heap_before_fork(void);
void dame_heap_after_fork(void);

#endif
