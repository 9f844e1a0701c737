/*
 * What the user has announced of a layout's messages (include/mpi-dame.h). Changes when code is
 * made and which messages it is chosen for, never which bytes move. Datatypes of one layout share
 * its hints. Without effect when code is compiled at a fixed use.
 */
#ifndef DT_HINTS_H
#define DT_HINTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "glue.h"
#include "layout.h"

/* Of a layout, which frees it. Any thread may change and read the fields. */
struct dt_hints {
    _Atomic double uses;    /* expected; 0: not known */
    _Atomic int64_t count;  /* of elements in a message; 0: not known */
    _Atomic uintptr_t base; /* of messages in user memory */
    atomic_bool has_base;
    _Atomic int32_t strangers; /* messages in a row that were different */
};

/* Keeps a hint for a layout with a program that the caller holds. False: memory is out. */
bool dt_hints_keep(dt_layout_t *layout, dt_hint_t hint, intptr_t value);

/* Is this a message as announced? The code is chosen for those. When none is, the announcement is
 * forgotten. */
bool dt_hints_fit(dt_hints_t *hints, size_t count, const void *base);

/* The packed bytes of a message as announced, or `bytes`. */
static inline size_t dt_hints_bytes(const dt_layout_t *layout, size_t bytes)
{
    const dt_hints_t *hints = atomic_load_explicit(&layout->hints, memory_order_acquire);
    const int64_t count =
        NULL == hints ? 0 : atomic_load_explicit(&hints->count, memory_order_relaxed);
    size_t announced;
    return 0 == count || __builtin_mul_overflow((size_t) count, (size_t) layout->program->size,
                                                &announced)
               ? bytes
               : announced;
}

#endif
