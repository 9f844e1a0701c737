/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory comes from the system in runs, aligned to 64 KiB so that a block's run is found by its
 * address. A run has blocks of one size class, or is one large block. Empty runs are kept, up to a
 * limit, and then unmapped.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "heap.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/queue.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DAME_HEAP_MALLOC
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define DAME_HEAP_MALLOC
#endif

#ifdef DAME_HEAP_MALLOC

void *dame_heap_alloc(size_t bytes)
{
    return malloc(bytes);
}

void *dame_heap_zalloc(size_t bytes)
{
    return calloc(1, bytes);
}

void dame_heap_free(void *memory)
{
    free(memory);
}

void dame_heap_trim(void)
{
}

size_t dame_heap_mapped(void)
{
    return 0;
}

void dame_heap_before_fork(void)
{
}

void dame_heap_after_fork(void)
{
}

#else

#define RUN_BYTES     ((size_t) 64 << 10)
#define LARGEST_BLOCK ((size_t) 16 << 10) /* larger ones have a run of their own */
#define KEPT_BYTES    ((size_t) 4 << 20)

/* Classes are 16 bytes apart up to 256 bytes, then eight between a power of two and the next. */
enum { UNIT = 16, STEPS_LOG2 = 3, CLASSES = 64 };

typedef struct block {
    struct block *next;
} block_t;

typedef struct run {
    TAILQ_ENTRY(run) in_kept;
    LIST_ENTRY(run) in_class; /* while it has room */
    size_t bytes;
    unsigned class;     /* CLASSES: one large block */
    size_t block_bytes; /* of its class */
    block_t *freed;
    size_t fresh; /* offset of the blocks that were never used */
    size_t live;
    _Alignas(UNIT) char blocks[];
} run_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(, run) with_room[CLASSES];
static TAILQ_HEAD(kept_runs,
                  run) kept = TAILQ_HEAD_INITIALIZER(kept); /* empty runs, the latest first */
static size_t kept_bytes;
static size_t mapped_bytes;
static uintptr_t next_end; /* where a new run should end: beside others, hence aligned */

/* ---- runs ---- */

static char *map_at(uintptr_t address, size_t bytes)
{
    void *memory =
        mmap((void *) address, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static run_t *map_run(size_t bytes)
{
    char *memory = map_at(next_end > bytes ? next_end - bytes : 0, bytes);
    const size_t over = (uintptr_t) memory % RUN_BYTES;
    if (over != 0) {
        (void) munmap(memory, bytes);
        memory = map_at(0, bytes + RUN_BYTES);
        if (memory == NULL) {
            return NULL;
        }
        const size_t before = -(uintptr_t) memory % RUN_BYTES;
        if (before != 0) {
            (void) munmap(memory, before);
        }
        memory += before;
        (void) munmap(memory + bytes, RUN_BYTES - before);
    }
    return (run_t *) memory;
}

static void unmap_run(run_t *run)
{
    const size_t bytes = run->bytes;
    next_end = (uintptr_t) run + bytes;
    mapped_bytes -= bytes;
    if (munmap(run, bytes) != 0) { /* a hole would be a mapping too many (vm.max_map_count) */
        (void) madvise(run, bytes, MADV_DONTNEED);
    }
}

/* A run of that size, or up to a quarter more; NULL when memory is out. */
static run_t *take_run(size_t bytes)
{
    run_t *run;
    TAILQ_FOREACH(run, &kept, in_kept)
    {
        if (run->bytes >= bytes && run->bytes - bytes <= bytes / 4) {
            TAILQ_REMOVE(&kept, run, in_kept);
            kept_bytes -= run->bytes;
            return run;
        }
    }
    run = map_run(bytes);
    if (run != NULL) {
        run->bytes = bytes;
        mapped_bytes += bytes;
        next_end = (uintptr_t) run;
    }
    return run;
}

/* Gives back the oldest empty runs until `most` bytes are kept. */
static void keep_only(size_t most)
{
    while (kept_bytes > most) {
        run_t *run = TAILQ_LAST(&kept, kept_runs);
        TAILQ_REMOVE(&kept, run, in_kept);
        kept_bytes -= run->bytes;
        unmap_run(run);
    }
}

static void give_run(run_t *run)
{
    if (run->bytes > KEPT_BYTES / 2) { /* would drive all others out */
        unmap_run(run);
        return;
    }
    TAILQ_INSERT_HEAD(&kept, run, in_kept);
    kept_bytes += run->bytes;
    keep_only(KEPT_BYTES);
}

/* ---- blocks ---- */

static void *alloc_large(size_t bytes)
{
    if (bytes > SIZE_MAX / 2) {
        return NULL;
    }
    bytes += sizeof(run_t);
    run_t *run = take_run((bytes + RUN_BYTES - 1) & ~(RUN_BYTES - 1));
    if (run == NULL) {
        return NULL;
    }
    run->class = CLASSES;
    return run->blocks;
}

static run_t *new_run(unsigned class, size_t block_bytes)
{
    run_t *run = take_run(RUN_BYTES);
    if (run != NULL) {
        run->class = class;
        run->block_bytes = block_bytes;
        run->freed = NULL;
        run->fresh = sizeof(*run);
        run->live = 0;
        LIST_INSERT_HEAD(&with_room[class], run, in_class);
    }
    return run;
}

static int is_full(const run_t *run)
{
    return run->freed == NULL && run->fresh + run->block_bytes > RUN_BYTES;
}

static void *alloc_small(size_t bytes)
{
    const size_t last = bytes > UNIT ? (bytes - 1) / UNIT : 0; /* unit of the block */
    const unsigned shift = last >> STEPS_LOG2 != 0 ? 60 - (unsigned) __builtin_clzl(last) : 0;
    const unsigned class = (shift << STEPS_LOG2) + (unsigned) (last >> shift);
    run_t *run = LIST_FIRST(&with_room[class]);
    if (run == NULL) {
        run = new_run(class, ((last >> shift) + 1) * UNIT << shift);
        if (run == NULL) {
            return NULL;
        }
    }
    block_t *block = run->freed;
    if (block != NULL) {
        run->freed = block->next;
    } else {
        block = (block_t *) ((char *) run + run->fresh);
        run->fresh += run->block_bytes;
    }
    run->live++;
    if (is_full(run)) {
        LIST_REMOVE(run, in_class);
    }
    return block;
}

static void free_small(run_t *run, block_t *block)
{
    if (is_full(run)) {
        LIST_INSERT_HEAD(&with_room[run->class], run, in_class);
    }
    block->next = run->freed;
    run->freed = block;
    if (--run->live == 0) {
        LIST_REMOVE(run, in_class);
        give_run(run);
    }
}

void *dame_heap_alloc(size_t bytes)
{
    pthread_mutex_lock(&lock);
    void *memory = bytes > LARGEST_BLOCK ? alloc_large(bytes) : alloc_small(bytes);
    pthread_mutex_unlock(&lock);
    return memory;
}

void *dame_heap_zalloc(size_t bytes)
{
    void *memory = dame_heap_alloc(bytes);
    return memory == NULL ? NULL : memset(memory, 0, bytes);
}

void dame_heap_free(void *memory)
{
    if (memory == NULL) {
        return;
    }
    run_t *run = (run_t *) ((uintptr_t) memory & ~(RUN_BYTES - 1));
    pthread_mutex_lock(&lock);
    if (run->class == CLASSES) {
        give_run(run);
    } else {
        free_small(run, memory);
    }
    pthread_mutex_unlock(&lock);
}

void dame_heap_trim(void)
{
    pthread_mutex_lock(&lock);
    keep_only(0);
    pthread_mutex_unlock(&lock);
}

size_t dame_heap_mapped(void)
{
    pthread_mutex_lock(&lock);
    const size_t bytes = mapped_bytes;
    pthread_mutex_unlock(&lock);
    return bytes;
}

void dame_heap_before_fork(void)
{
    pthread_mutex_lock(&lock);
}

void dame_heap_after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

#endif
