/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic operations, which -fsanitize=thread leaves to its library. All are sequentially
 * consistent, which is at least what the program asked for.
 */
#include "record.h"

#define PUBLIC __attribute__((visibility("default")))
#define ORDER  __attribute__((unused)) int order
#define STORED(a, bits)                                                                            \
    record_set((uintptr_t) (a), (bits) / 8, (uintptr_t) __builtin_return_address(0))

#define FETCH(bits, type, name, FETCHED)                                                           \
    PUBLIC type __tsan_atomic##bits##_fetch_##name(volatile type *a, type v, ORDER);               \
    PUBLIC type __tsan_atomic##bits##_fetch_##name(volatile type *a, type v, ORDER)                \
    {                                                                                              \
        STORED(a, bits);                                                                           \
        return FETCHED(name, a, v);                                                                \
    }

#define COMPARE(bits, type, name)                                                                  \
    PUBLIC int __tsan_atomic##bits##_compare_exchange_##name(volatile type *a, type *expected,     \
                                                             type v, ORDER, int failed);           \
    PUBLIC int __tsan_atomic##bits##_compare_exchange_##name(                                      \
        volatile type *a, type *expected, type v, ORDER, int failed __attribute__((unused)))       \
    {                                                                                              \
        STORED(a, bits);                                                                           \
        type before = __sync_val_compare_and_swap(a, *expected, v);                                \
        int done = before == *expected;                                                            \
        *expected = before;                                                                        \
        return done;                                                                               \
    }

#define ALL(bits, type, FETCHED)                                                                   \
    PUBLIC type __tsan_atomic##bits##_load(const volatile type *a, ORDER);                         \
    PUBLIC type __tsan_atomic##bits##_load(const volatile type *a, ORDER)                          \
    {                                                                                              \
        return LOAD##bits(type, a);                                                                \
    }                                                                                              \
    PUBLIC void __tsan_atomic##bits##_store(volatile type *a, type v, ORDER);                      \
    PUBLIC void __tsan_atomic##bits##_store(volatile type *a, type v, ORDER)                       \
    {                                                                                              \
        STORED(a, bits);                                                                           \
        (void) EXCHANGE##bits(type, a, v);                                                         \
    }                                                                                              \
    PUBLIC type __tsan_atomic##bits##_exchange(volatile type *a, type v, ORDER);                   \
    PUBLIC type __tsan_atomic##bits##_exchange(volatile type *a, type v, ORDER)                    \
    {                                                                                              \
        STORED(a, bits);                                                                           \
        return EXCHANGE##bits(type, a, v);                                                         \
    }                                                                                              \
    FETCH(bits, type, add, FETCHED)                                                                \
    FETCH(bits, type, sub, FETCHED)                                                                \
    FETCH(bits, type, and, FETCHED)                                                                \
    FETCH(bits, type, or, FETCHED)                                                                 \
    FETCH(bits, type, xor, FETCHED)                                                                \
    COMPARE(bits, type, strong)                                                                    \
    COMPARE(bits, type, weak)                                                                      \
    PUBLIC type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type expected,        \
                                                           type v, ORDER, int failed);             \
    PUBLIC type __tsan_atomic##bits##_compare_exchange_val(                                        \
        volatile type *a, type expected, type v, ORDER, int failed __attribute__((unused)))        \
    {                                                                                              \
        STORED(a, bits);                                                                           \
        return __sync_val_compare_and_swap(a, expected, v);                                        \
    }

#define PLAIN_LOAD(type, a)        __atomic_load_n(a, __ATOMIC_SEQ_CST)
#define PLAIN_EXCHANGE(type, a, v) __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST)
#define LOAD8                      PLAIN_LOAD
#define LOAD16                     PLAIN_LOAD
#define LOAD32                     PLAIN_LOAD
#define LOAD64                     PLAIN_LOAD
#define EXCHANGE8                  PLAIN_EXCHANGE
#define EXCHANGE16                 PLAIN_EXCHANGE
#define EXCHANGE32                 PLAIN_EXCHANGE
#define EXCHANGE64                 PLAIN_EXCHANGE

#define PLAIN(name, a, v) __atomic_fetch_##name(a, v, __ATOMIC_SEQ_CST)
ALL(8, unsigned char, PLAIN)
ALL(16, unsigned short, PLAIN)
ALL(32, unsigned int, PLAIN)
ALL(64, unsigned long, PLAIN)
FETCH(8, unsigned char, nand, PLAIN)
FETCH(16, unsigned short, nand, PLAIN)
FETCH(32, unsigned int, nand, PLAIN)
FETCH(64, unsigned long, nand, PLAIN)

#ifdef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_16 /* the builtins of __atomic would need libatomic */
__extension__ typedef unsigned __int128 record_wide_t;

static record_wide_t exchange_wide(volatile record_wide_t *a, record_wide_t v)
{
    record_wide_t before = *a;
    for (record_wide_t seen; (seen = __sync_val_compare_and_swap(a, before, v)) != before;) {
        before = seen;
    }
    return before;
}

#define LOAD128(type, a)        __sync_val_compare_and_swap((volatile type *) (uintptr_t) (a), 0, 0)
#define EXCHANGE128(type, a, v) exchange_wide(a, v)
#define WIDE(name, a, v)        __sync_fetch_and_##name(a, v)
ALL(128, record_wide_t, WIDE)
#endif

PUBLIC void __tsan_atomic_thread_fence(ORDER);
PUBLIC void __tsan_atomic_thread_fence(ORDER)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

PUBLIC void __tsan_atomic_signal_fence(ORDER);
PUBLIC void __tsan_atomic_signal_fence(ORDER)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
