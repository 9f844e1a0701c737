/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The C library's functions that copy memory, for the application's own objects (the linker's
 * --wrap), and those that allocate and free it, for the whole process.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "record.h"

#define PUBLIC __attribute__((visibility("default")))
#define PC     ((uintptr_t) __builtin_return_address(0))

#define COPIES(name, copy)                                                                         \
    PUBLIC void *name(void *to, const void *from, size_t n);                                       \
    PUBLIC void *name(void *to, const void *from, size_t n)                                        \
    {                                                                                              \
        copy(to, from, n);                                                                         \
        record_copied((uintptr_t) to, (uintptr_t) from, n, PC);                                    \
        return to;                                                                                 \
    }
COPIES(__wrap_memcpy, memcpy)
COPIES(__wrap_memmove, memmove)
COPIES(__tsan_memcpy, memcpy)
COPIES(__tsan_memmove, memmove)

#define CHECKED(name, copy)                                                                        \
    PUBLIC void *name(void *to, const void *from, size_t n, size_t room);                          \
    PUBLIC void *name(void *to, const void *from, size_t n, size_t room)                           \
    {                                                                                              \
        if (n > room) {                                                                            \
            abort(); /* as the C library does */                                                   \
        }                                                                                          \
        copy(to, from, n);                                                                         \
        record_copied((uintptr_t) to, (uintptr_t) from, n, PC);                                    \
        return to;                                                                                 \
    }
CHECKED(__wrap___memcpy_chk, memcpy)
CHECKED(__wrap___memmove_chk, memmove)

#define SETS(name)                                                                                 \
    PUBLIC void *name(void *to, int value, size_t n);                                              \
    PUBLIC void *name(void *to, int value, size_t n)                                               \
    {                                                                                              \
        memset(to, value, n);                                                                      \
        record_set((uintptr_t) to, n, PC);                                                         \
        return to;                                                                                 \
    }
SETS(__wrap_memset)
SETS(__tsan_memset)

/* ---- where memory begins and ends ---- */

/* Declares `original`, the function that would be called without us. */
#define ORIGINAL(name)                                                                             \
    static void *_Atomic found_##name;                                                             \
    __typeof__(&name) original;                                                                    \
    *(void **) &original = next(&found_##name, #name)

static void *next(void *_Atomic *slot, const char *name)
{
    void *found = atomic_load_explicit(slot, memory_order_relaxed);
    if (found == NULL) {
        found = dlsym(RTLD_NEXT, name);
        atomic_store(slot, found);
    }
    return found;
}

static void *allocated(void *memory, size_t bytes)
{
    allocation_add((uintptr_t) memory, bytes);
    return memory;
}

PUBLIC void *malloc(size_t bytes)
{
    ORIGINAL(malloc);
    return allocated(original(bytes), bytes);
}

PUBLIC void *calloc(size_t n, size_t bytes)
{
    ORIGINAL(calloc);
    return allocated(original(n, bytes), n * bytes);
}

PUBLIC void *aligned_alloc(size_t alignment, size_t bytes)
{
    ORIGINAL(aligned_alloc);
    return allocated(original(alignment, bytes), bytes);
}

PUBLIC void *memalign(size_t alignment, size_t bytes)
{
    ORIGINAL(memalign);
    return allocated(original(alignment, bytes), bytes);
}

PUBLIC void *valloc(size_t bytes)
{
    ORIGINAL(valloc);
    return allocated(original(bytes), bytes);
}

PUBLIC int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    ORIGINAL(posix_memalign);
    int error = original(out, alignment, bytes);
    allocated(error == 0 ? *out : NULL, bytes);
    return error;
}

#define MAPS(name)                                                                                 \
    PUBLIC void *name(void *at, size_t bytes, int access, int flags, int file, off_t offset)       \
    {                                                                                              \
        ORIGINAL(name);                                                                            \
        void *memory = original(at, bytes, access, flags, file, offset);                           \
        allocated(memory == MAP_FAILED ? NULL : memory, bytes);                                    \
        return memory;                                                                             \
    }
MAPS(mmap)
MAPS(mmap64)

PUBLIC void free(void *memory)
{
    if (memory != NULL) {
        ORIGINAL(free);
        record_freed((uintptr_t) memory, malloc_usable_size(memory));
        original(memory);
    }
}

PUBLIC void *realloc(void *memory, size_t bytes)
{
    ORIGINAL(realloc);
    if (memory != NULL) {
        record_freed((uintptr_t) memory, malloc_usable_size(memory));
    }
    return allocated(original(memory, bytes), bytes);
}

PUBLIC int munmap(void *memory, size_t bytes)
{
    ORIGINAL(munmap);
    record_freed((uintptr_t) memory, bytes);
    return original(memory, bytes);
}
