/*
 * The C library's functions that copy memory, for the application's own objects (the linker's
 * --wrap), and those that free it, for the whole process.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "suggest/record/record.h"

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

/* ---- the end of memory ---- */

static void *_Atomic next_free, *_Atomic next_realloc, *_Atomic next_munmap;

/* The function that would be called without us. */
static void *next(void *_Atomic *slot, const char *name)
{
    void *found = atomic_load_explicit(slot, memory_order_relaxed);
    if (found == NULL) {
        found = dlsym(RTLD_NEXT, name);
        atomic_store(slot, found);
    }
    return found;
}

PUBLIC void free(void *memory)
{
    void (*original)(void *);
    if (memory != NULL) {
        record_freed((uintptr_t) memory, malloc_usable_size(memory));
        *(void **) &original = next(&next_free, "free");
        original(memory);
    }
}

PUBLIC void *realloc(void *memory, size_t bytes)
{
    void *(*original)(void *, size_t);
    if (memory != NULL) {
        record_freed((uintptr_t) memory, malloc_usable_size(memory));
    }
    *(void **) &original = next(&next_realloc, "realloc");
    return original(memory, bytes);
}

PUBLIC int munmap(void *memory, size_t bytes)
{
    int (*original)(void *, size_t);
    record_freed((uintptr_t) memory, bytes);
    *(void **) &original = next(&next_munmap, "munmap");
    return original(memory, bytes);
}
