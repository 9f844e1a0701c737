/*
 * Promotion: each direction of a program is compiled to machine code (jit/) at its
 * promotion_threshold-th use. A use is a message packed, or unpacked, whole or in fragments.
 *
 * The thread whose use reaches the threshold compiles, for some microseconds; one thread of the
 * process at a time. The others go on with the interpreter and never wait. A program that cannot be
 * compiled stays with the interpreter.
 */
#ifndef DT_PROMOTE_H
#define DT_PROMOTE_H

#include <stdint.h>

#include "entry.h"
#include "glue.h"

/* Once a process, before the first datatype is entered. If dame_jit_create() rejects the options,
 * logs why and leaves promotion disabled. Copies the options, but not their strings. */
void dt_promote_start(const dt_promote_options_t *options);

/* After the last dt_promote_layout_release(), with no thread inside. What was counted stays. */
void dt_promote_stop(void);

/* A new layout: it has not been used yet. */
void dt_promote_layout_init(dt_layout_t *layout);

/* A layout that no thread uses any more: its machine code is freed. Any thread. */
void dt_promote_layout_release(dt_layout_t *layout);

/* From now on nothing is compiled any more, and so nothing is taken away from programs that live:
 * they keep the kernels that they have. Returns when no thread compiles. Any thread. */
void dt_promote_disable(void);

/* Compiles, unless another thread does. For dt_promote_use() only. */
void dt_promote(dt_entry_t *entry, dame_dir_t dir);

/*
 * A message begins. The caller holds the datatype, which DAME moves data of, and is not inside its
 * reader. Lost counts of threads that use one datatype at the same time do not matter.
 */
static inline void dt_promote_use(dt_entry_t *entry, dame_dir_t dir)
{
    dt_layout_t *layout = entry->layout;
    if (NULL != atomic_load_explicit(&layout->program->codes[dir], memory_order_relaxed)) {
        return;
    }
    _Atomic int32_t *countdown = &layout->promotions[dir].countdown;
    const int32_t uses = atomic_load_explicit(countdown, memory_order_relaxed);
    if (uses > 1) {
        atomic_store_explicit(countdown, uses - 1, memory_order_relaxed);
    } else if (1 == uses) {
        dt_promote(entry, dir);
    }
}

#endif
