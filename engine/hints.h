/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the user has announced of a layout's messages (include/mpi-dame.h). Changes when code is
 * made and which messages it is chosen for, never which bytes move. Datatypes of one layout share
 * its hints. Without effect when code is compiled at a fixed use.
 */
#ifndef DAME_HINTS_H
#define DAME_HINTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout.h"

/* What a user may know of a datatype (include/mpi-dame.h has the words), and its value. */
typedef enum dame_hint {
    DAME_HINTED_USES,   /* messages expected in all */
    DAME_HINTED_COUNT,  /* elements of each message */
    DAME_HINTED_BASE,   /* address of each message */
    DAME_HINTED_MATTERS /* without a value */
} dame_hint_t;

/* The hints of a layout, which frees them. Any thread may change and read the fields. */
struct dame_hints {
    _Atomic double uses;    /* expected; 0: not known */
    _Atomic int64_t count;  /* of elements in a message; 0: not known */
    _Atomic uintptr_t base; /* of messages in user memory */
    atomic_bool has_base;
    _Atomic int32_t mismatches; /* messages in a row that were different */
};

/* Keeps a hint for a layout with a program that the caller holds. False: memory is out. */
bool dame_hints_keep(dame_layout_t *layout, dame_hint_t hint, intptr_t value);

/* Returns whether this is a message as announced. The code is chosen for those. When none is, the
 * announcement is forgotten. */
bool dame_hints_fit(dame_hints_t *hints, size_t count, const void *base);

/* The packed bytes of a message as announced, or `bytes`. */
static inline size_t dame_hints_bytes(const dame_layout_t *layout, size_t bytes)
{
    const dame_hints_t *hints = atomic_load_explicit(&layout->hints, memory_order_acquire);
    const int64_t count =
        hints == NULL ? 0 : atomic_load_explicit(&hints->count, memory_order_relaxed);
    size_t announced;
    return count == 0 || __builtin_mul_overflow((size_t) count, (size_t) layout->program->size,
                                                &announced)
               ? bytes
               : announced;
}

#endif
