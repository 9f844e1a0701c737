/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every allocation fails once: each time the call that needed it says so, writes no output, and all
 * that was allocated is freed again. This program's malloc() and mmap() also serve the library.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "dame/datatype.h"
#include "test/lib/thread_sanitizer.h"

#if defined(__SANITIZE_ADDRESS__) || defined(THREAD_SANITIZER) || !defined(__GLIBC__)
int main(void)
{
    printf("skipped: no_memory, malloc() is another one's\n");
    return 77;
}
#else

enum { MOST = 2000, NEVER = -1 };

static int countdown = NEVER; /* allocations until one fails */
static int64_t live;          /* blocks */

void *__libc_malloc(size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *block);

static int fails(void)
{
    return countdown != NEVER && countdown-- == 0;
}

static void *counted(void *block)
{
    live += block != NULL;
    return block;
}

void *malloc(size_t bytes)
{
    return fails() ? NULL : counted(__libc_malloc(bytes));
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return fails() ? NULL : counted(__libc_memalign(alignment, bytes));
}

void *calloc(size_t n, size_t bytes)
{
    void *block = fails() ? NULL : counted(__libc_malloc(n * bytes));
    return block ? memset(block, 0, n * bytes) : NULL;
}

void *realloc(void *block, size_t bytes)
{
    if (fails()) {
        return NULL;
    }
    live += block == NULL;
    return __libc_realloc(block, bytes);
}

void free(void *block)
{
    live -= block != NULL;
    __libc_free(block);
}

void *mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset)
{
    if (fails()) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *) syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
}

/* ---- a bit of everything ---- */

enum { BLOCKS = 3000, TYPES = 12 };

static int64_t lengths[BLOCKS], places[BLOCKS];
static char memory[1 << 20], copy[1 << 20], packed[1 << 20];

/* More levels than a cursor has frames of its own: blocks in blocks, unevenly spread. */
static dame_status_t deep(dame_context_t *context, const dame_datatype_t *old,
                          dame_datatype_t **out)
{
    dame_datatype_t *type, *next;
    dame_status_t status = dame_datatype_dup(old, &type);
    for (int i = 0; status == DAME_OK && i < 10; i++) {
        const int64_t one[] = {1, 1}, at[] = {0, 1000 * (i + 1)};
        const dame_datatype_t *both[] = {type, old};
        status = dame_datatype_struct(context, 2, one, at, both, &next);
        if (status == DAME_OK) {
            dame_datatype_free(type);
            type = next;
        }
        if (status == DAME_OK) {
            status = dame_datatype_hvector(2, 1, 40 + i, type, &next);
        }
        if (status == DAME_OK) {
            dame_datatype_free(type);
            type = next;
        }
    }
    if (status != DAME_OK) {
        dame_datatype_free(type);
        return status;
    }
    *out = type;
    return DAME_OK;
}

/* The next call, unless one has failed. */
#define STEP(call) status = status == DAME_OK ? (call) : status

static const dame_datatype_t *const *types_of(dame_datatype_t **types)
{
    return (const dame_datatype_t *const *) types;
}

/* Makes datatypes until a call fails. */
static dame_status_t make(dame_context_t *context, dame_datatype_t **t)
{
    static const char text[] = "EXIT STRUCT(2, [1, 2], [0, 64], [8, 8], [8, 32]) RETURNTO(1) "
                               "CONTIGFINAL(8) BOTTOM RETURNTO(1) VECTORFINAL(2, 1, 16, 4, 4) "
                               "CONTIGFINAL(4) BOTTOM BOTTOM";
    const int64_t sizes[] = {8, 8, 8}, part[] = {2, 3, 4}, one[] = {1, 1}, at[] = {0, 16};
    dame_status_t status = DAME_OK;
    STEP(dame_datatype_basic(context, "double", 0, &t[0]));
    STEP(dame_datatype_basic(context, "int", 0, &t[1]));
    STEP(dame_datatype_struct(context, 2, one, at, types_of(t), &t[2]));
    STEP(dame_datatype_resized(0, 32, t[2], &t[3]));
    STEP(dame_datatype_hindexed(BLOCKS, lengths, places, t[0], &t[4]));
    STEP(dame_datatype_indexed_block(3, 1, part, t[3], &t[5]));
    STEP(dame_datatype_subarray(3, sizes, part, part, DAME_ORDER_C, t[0], &t[6]));
    STEP(dame_datatype_parse(context, text, sizeof text - 1, NULL, &t[7]));
    STEP(dame_datatype_vector(BLOCKS, 1, 2, t[0], &t[8]));
    STEP(deep(context, t[0], &t[9]));
    STEP(dame_datatype_contiguous(2000, t[3], &t[10]));
    STEP(dame_datatype_struct(context, 2, one, at, types_of(t + 9), &t[11]));
    for (int i = 0; status == DAME_OK && i < TYPES; i++) {
        status = dame_datatype_commit(t[i]);
    }
    return status;
}

/* Moves them until a call fails. */
static dame_status_t move(dame_datatype_t *const *t)
{
    struct iovec blocks[4];
    int64_t position = 3, listed, bytes;
    int same;
    char *words = NULL, *program = NULL;
    dame_status_t status = DAME_OK;
    STEP(dame_packed_size(t[4], 1, &bytes));
    STEP(dame_pack(t[4], 1, memory, 5, packed, 1000, NULL));
    STEP(dame_pack(t[9], 1, memory, 5, packed, 1000, NULL));
    STEP(dame_blocks(t[9], 1, memory, &position, blocks, 4, &listed));
    STEP(dame_copy(t[4], 1, memory, t[0], bytes / 8, copy));
    STEP(dame_copy(t[8], 1, memory, t[4], 1, copy));
    STEP(dame_datatype_same_signature(t[11], 1, t[11], 1, &same));
    STEP(dame_datatype_explain(t[5], &words));
    STEP(dame_datatype_print(t[11], &program));
    dame_free(words);
    dame_free(program);
    return status;
}

static dame_status_t everything(void)
{
    dame_context_t *context;
    dame_datatype_t *types[TYPES] = {NULL};
    dame_status_t status = dame_context_new(NULL, &context);
    if (status != DAME_OK) {
        return status;
    }
    status = make(context, types);
    status = status == DAME_OK ? move(types) : status;
    for (int i = 0; i < TYPES; i++) {
        dame_datatype_free(types[i]);
    }
    dame_context_free(context);
    return status;
}

int main(void)
{
    int passed = 0, failed = 0;
    for (int i = 0; i < BLOCKS; i++) {
        lengths[i] = 1;
        places[i] = 16 * i + 8 * (i % 3 == 0);
    }
    setvbuf(stdout, NULL, _IONBF, 0);
    dame_status_t status = everything(); /* also allocates memory that is kept for ever */
    for (int k = 0; k < MOST && failed == 0; k++) {
        const int64_t before = live;
        countdown = k;
        status = everything();
        const int reached = countdown == NEVER; /* it counts down past 0 to NEVER, and stays */
        countdown = NEVER;
        if (live != before || (status != DAME_OK && status != DAME_ERR_NOMEM)) {
            printf("FAILED: allocation %d: %lld blocks left, status %d: %s\n", k,
                   (long long) (live - before), (int) status, dame_error_message());
            failed++;
        } else if (!reached) {
            break; /* there are fewer */
        } else {
            passed++;
        }
    }
    failed += status != DAME_OK;
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 && passed > 50 ? EXIT_SUCCESS : EXIT_FAILURE;
}
#endif
