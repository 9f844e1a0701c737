/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that -fsanitize=thread calls, of gcc and clang, but for atomics. */
#include "record.h"

#define PUBLIC __attribute__((visibility("default")))
#define PC     ((uintptr_t) __builtin_return_address(0))

#define NOTHING(name, parameters)                                                                  \
    PUBLIC void name parameters;                                                                   \
    PUBLIC void name parameters                                                                    \
    {                                                                                              \
    }

#define LOAD(name, size)                                                                           \
    PUBLIC void name(const void *address);                                                         \
    PUBLIC void name(const void *address)                                                          \
    {                                                                                              \
        record_load((uintptr_t) address, size, PC);                                                \
    }

#define STORE(name, size)                                                                          \
    PUBLIC void name(void *address);                                                               \
    PUBLIC void name(void *address)                                                                \
    {                                                                                              \
        record_store((uintptr_t) address, size, PC);                                               \
    }

#define BOTH(name, size)                                                                           \
    PUBLIC void name(void *address);                                                               \
    PUBLIC void name(void *address)                                                                \
    {                                                                                              \
        record_load((uintptr_t) address, size, PC);                                                \
        record_store((uintptr_t) address, size, PC);                                               \
    }

#define FOR_SIZES(MACRO, prefix)                                                                   \
    MACRO(prefix##1, 1)                                                                            \
    MACRO(prefix##2, 2)                                                                            \
    MACRO(prefix##4, 4)                                                                            \
    MACRO(prefix##8, 8)                                                                            \
    MACRO(prefix##16, 16)

/* Reading a volatile object once more may change it. */
#define VOLATILE_LOAD(name, size) NOTHING(name, (const void *address __attribute__((unused))))
#define VOLATILE_STORE(name, size)                                                                 \
    PUBLIC void name(void *address);                                                               \
    PUBLIC void name(void *address)                                                                \
    {                                                                                              \
        record_set((uintptr_t) address, size, PC);                                                 \
    }

FOR_SIZES(LOAD, __tsan_read)
FOR_SIZES(LOAD, __tsan_unaligned_read)
FOR_SIZES(STORE, __tsan_write)
FOR_SIZES(STORE, __tsan_unaligned_write)
FOR_SIZES(BOTH, __tsan_read_write)
FOR_SIZES(BOTH, __tsan_unaligned_read_write)
FOR_SIZES(VOLATILE_LOAD, __tsan_volatile_read)
FOR_SIZES(VOLATILE_LOAD, __tsan_unaligned_volatile_read)
FOR_SIZES(VOLATILE_STORE, __tsan_volatile_write)
FOR_SIZES(VOLATILE_STORE, __tsan_unaligned_volatile_write)

NOTHING(__tsan_init, (void) )
NOTHING(__tsan_func_entry, (void *pc __attribute__((unused))))
NOTHING(__tsan_func_exit, (void) )
NOTHING(__tsan_ignore_thread_begin, (void) )
NOTHING(__tsan_ignore_thread_end, (void) )
NOTHING(__tsan_vptr_read, (void **address __attribute__((unused))))

PUBLIC void __tsan_vptr_update(void **address, void *value);
PUBLIC void __tsan_vptr_update(void **address, void *value)
{
    (void) value;
    record_store((uintptr_t) address, sizeof(*address), PC);
}

PUBLIC void __tsan_read_range(const void *address, unsigned long length);
PUBLIC void __tsan_read_range(const void *address, unsigned long length)
{
    record_load((uintptr_t) address, length, PC);
}

PUBLIC void __tsan_write_range(void *address, unsigned long length);
PUBLIC void __tsan_write_range(void *address, unsigned long length)
{
    record_store((uintptr_t) address, length, PC);
}
