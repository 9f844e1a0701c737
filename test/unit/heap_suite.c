/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of DAME's own: blocks, threads, what goes back to the system. With AddressSanitizer it is
 * malloc()'s, and tests about mappings have nothing to look at.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "jit/jit.h"
#include "base/heap.h"
#include "jit_tools.h"
#include "suites.h"
#include "test/lib/thread_sanitizer.h"
#include "tools.h"

static const size_t MiB = 1 << 20;
static const size_t most_kept = 4 << 20;

static bool is_malloc(void)
{
    void *block = dame_heap_alloc(1);
    const bool mapped = dame_heap_mapped() != 0;
    dame_heap_free(block);
    return !mapped;
}

/* Bytes of address space of this process (proc(5)). */
static size_t address_space(void)
{
    size_t pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    ck_assert_ptr_nonnull(statm);
    ck_assert_int_eq(fscanf(statm, "%zu", &pages), 1);
    fclose(statm);
    return pages * (size_t) sysconf(_SC_PAGESIZE);
}

/* Bytes that only the block with this number has. */
static void mark(unsigned char *block, size_t bytes, unsigned number)
{
    for (size_t i = 0; i < bytes; i++) {
        block[i] = (unsigned char) (number * 31 + i * 7 + i / 256);
    }
}

static bool is_marked(const unsigned char *block, size_t bytes, unsigned number)
{
    size_t i = 0;
    while (i < bytes && block[i] == (unsigned char) (number * 31 + i * 7 + i / 256)) {
        i++;
    }
    return i == bytes;
}

/* ---- blocks ---- */

enum { SIZES = 400 };

/* Every small size, then sizes around powers of two up to 1 MiB. */
static size_t size_of(unsigned number)
{
    return number < 300 ? number
                        : ((size_t) 256 << (number - 300) / 8) + (number - 300) % 8 * 8 - 28;
}

TEST(blocks_of_any_size_are_aligned_and_apart)
{
    unsigned char *blocks[2 * SIZES];
    for (unsigned i = 0; i < 2 * SIZES; i++) {
        blocks[i] = dame_heap_alloc(size_of(i / 2));
        ck_assert_ptr_nonnull(blocks[i]);
        ck_assert_uint_eq((uintptr_t) blocks[i] % 16, 0);
        mark(blocks[i], size_of(i / 2), i);
    }
    for (unsigned i = 0; i < 2 * SIZES; i += 2) { /* others take their places */
        dame_heap_free(blocks[i]);
    }
    for (unsigned i = 0; i < 2 * SIZES; i += 2) {
        blocks[i] = dame_heap_alloc(size_of(i / 2));
        mark(blocks[i], size_of(i / 2), i);
    }
    for (unsigned i = 0; i < 2 * SIZES; i++) {
        ck_assert_msg(is_marked(blocks[i], size_of(i / 2), i), "%zu bytes", size_of(i / 2));
        dame_heap_free(blocks[i]);
    }
    dame_heap_free(NULL);
}

TEST(zeroed_blocks_are_zero_and_impossible_ones_refused)
{
    static const unsigned char zeros[100000];
    const size_t sizes[] = {1, 100, 5000, 16384, 16385, 100000};
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        unsigned char *block = dame_heap_alloc(sizes[i]);
        memset(block, 0xa5, sizes[i]);
        dame_heap_free(block);
        block = dame_heap_zalloc(sizes[i]);
        ck_assert_int_eq(memcmp(block, zeros, sizes[i]), 0);
        dame_heap_free(block);
    }
    for (unsigned bits = 0; !is_malloc() && bits < 17; bits++) { /* which a header makes small */
        ck_assert_ptr_null(dame_heap_alloc(SIZE_MAX - ((size_t) 1 << bits) + 1));
        ck_assert_ptr_null(dame_heap_zalloc(SIZE_MAX / 2));
    }
}

/* ---- mappings ---- */

TEST(what_is_freed_is_used_again)
{
    const size_t sizes[] = {64, 3000, 16000, 20000, 300000, MiB};
    for (size_t i = 0; i < (size_t) COUNT_OF(sizes); i++) {
        dame_heap_free(dame_heap_alloc(sizes[i]));
        const size_t before = dame_heap_mapped();
        const size_t space = address_space();
        for (int round = 0; round < 1000; round++) {
            dame_heap_free(dame_heap_alloc(sizes[i]));
        }
        ck_assert_uint_eq(dame_heap_mapped(), before);
        ck_assert(is_malloc() || address_space() == space);
    }
}

/* Blocks of one size, in the order in which they were made, or every third one first. */
static void fill_and_empty(size_t size, size_t n)
{
    unsigned char **blocks = malloc(n * sizeof(*blocks));
    for (size_t i = 0; i < n; i++) {
        blocks[i] = dame_heap_alloc(size);
        ck_assert_ptr_nonnull(blocks[i]);
        blocks[i][0] = 1;
    }
    for (size_t first = 0; first < 3; first++) {
        for (size_t i = first; i < n; i += 3) {
            dame_heap_free(blocks[i]);
        }
    }
    free(blocks);
}

TEST(empty_pages_go_back_to_the_system)
{
    const size_t sizes[] = {16, 500, 10000, 16384, 16385, 70000, 3 * MiB};
    free(malloc(32 * MiB)); /* malloc's own thresholds grow now, not later */
    if (is_malloc()) {
        return;
    }
    dame_heap_trim();
    const size_t mapped = dame_heap_mapped(); /* the tree of the fixture */
    const size_t space = address_space();
    for (size_t i = 0; i < (size_t) COUNT_OF(sizes); i++) {
        fill_and_empty(sizes[i], 24 * MiB / sizes[i]);
        ck_assert_uint_le(dame_heap_mapped(), mapped + most_kept);
    }
    dame_heap_trim();
    ck_assert_uint_eq(dame_heap_mapped(), mapped);
    ck_assert_uint_lt(address_space(), space + 16 * MiB); /* 24 MiB seven times would be 168 */
}

/* No more than a quarter of the memory of many blocks is not theirs. */
TEST(small_blocks_waste_little)
{
    enum { BLOCKS = 20000 };
    static void *blocks[BLOCKS];
    if (is_malloc()) {
        return;
    }
    dame_heap_trim();
    for (size_t size = 100; size < 5000; size += 777) {
        const size_t before = dame_heap_mapped();
        for (int i = 0; i < BLOCKS; i++) {
            blocks[i] = dame_heap_alloc(size);
        }
        ck_assert_uint_lt(dame_heap_mapped() - before, BLOCKS * size / 4 * 5);
        for (int i = 0; i < BLOCKS; i++) {
            dame_heap_free(blocks[i]);
        }
        dame_heap_trim();
    }
}

/* ---- memory is out ---- */

#ifndef THREAD_SANITIZER
typedef struct list {
    struct list *next;
} list_t;

static const char *use_up(void *argument)
{
    const dame_type_t *type = argument;
    dame_program_t *program = NULL;
    list_t *blocks = NULL;
    list_t *block;
    struct rlimit limit = {.rlim_cur = address_space(), .rlim_max = RLIM_INFINITY};
    if (setrlimit(RLIMIT_AS, &limit) != 0) {
        return "setrlimit";
    }
    for (size_t size = 256 * MiB; size >= 16; size /= 2) { /* also kept memory */
        while ((block = dame_heap_alloc(size)) != NULL) {
            block->next = blocks;
            blocks = block;
        }
    }
    if (dame_program_build(type, NULL, &program) != DAME_ERR_NOMEM) {
        return "memory was out, and a program was made";
    }
    while (blocks != NULL) {
        block = blocks;
        blocks = block->next;
        dame_heap_free(block);
    }
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_AS, &limit);
    if (dame_program_build(type, NULL, &program) != DAME_OK) {
        return "memory was back, and no program was made";
    }
    dame_program_free(program);
    return NULL;
}

TEST(no_memory_is_an_error_and_no_more)
{
    enum { BLOCKS = 5000 };
    int64_t disps[BLOCKS];
    for (int64_t i = 0; i < BLOCKS; i++) {
        disps[i] = 16 * i + i * i % 7;
    }
    if (!is_malloc()) {
        expect_in_child(use_up, (void *) blockindex(BLOCKS, 1, disps, basic(8)));
    }
}
#endif

/* ---- threads ---- */

enum { THREADS = 4, SLOTS = 512, STEPS = 20000 };

static _Atomic(unsigned char *) slots[SLOTS];
static atomic_bool stop;

/* The first bytes of a block say how long it is. */
static unsigned char *new_marked(unsigned number)
{
    const size_t size = 16 + number * 7919 % 3000 + (number % 97 == 0 ? 20000 : 0);
    unsigned char *block = dame_heap_alloc(size);
    memcpy(block, &size, sizeof(size));
    mark(block + sizeof(size), size - sizeof(size), (unsigned) size);
    return block;
}

static bool free_marked(unsigned char *block)
{
    size_t size;
    memcpy(&size, block, sizeof(size));
    const bool good = is_marked(block + sizeof(size), size - sizeof(size), (unsigned) size);
    dame_heap_free(block);
    return good;
}

/* Puts blocks into slots that all threads share, and frees the former ones. */
static void *exchange_blocks(void *argument)
{
    unsigned number = *(unsigned *) argument;
    bool good = true;
    for (int i = 0; i < STEPS; i++) {
        number = number * 1664525 + 1013904223;
        unsigned char *block = atomic_exchange(&slots[number % SLOTS], new_marked(number >> 8));
        good = good && (block == NULL || free_marked(block));
    }
    return good ? NULL : argument;
}

TEST(threads_free_what_others_allocated)
{
    pthread_t threads[THREADS];
    unsigned seeds[THREADS] = {1, 2, 3, 4};
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, exchange_blocks, &seeds[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *fault;
        pthread_join(threads[i], &fault);
        ck_assert_ptr_null(fault);
    }
    for (int i = 0; i < SLOTS; i++) {
        unsigned char *block = atomic_exchange(&slots[i], NULL);
        ck_assert(block == NULL || free_marked(block));
    }
}

static void *allocate_on(void *argument)
{
    while (!atomic_load(&stop)) {
        dame_heap_free(dame_heap_alloc(100));
    }
    return argument;
}

TEST(a_child_can_allocate_whatever_its_parent_was_doing)
{
    pthread_t threads[THREADS];
    dame_jit_t *jit; /* brings the handlers of fork() */
    ck_assert_int_eq(dame_jit_create(NULL, &jit), DAME_OK);
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, allocate_on, NULL), 0);
    }
    for (int i = 0; i < 100; i++) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(10); /* ends a child that waits for a lock without a holder */
            dame_heap_free(dame_heap_alloc(100));
            _exit(0);
        }
        expect_exit_0(child);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    dame_jit_destroy(jit);
}

SUITE_OF(heap, 1, tree_setup, tree_teardown)
