/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When promotion is asked about a direction of a layout: one word, which threads read and count
 * down on the way of a message. Only this file knows how it is written.
 *
 * A value, which is all that a thread loads of it, says one of
 *
 *     off            nothing is asked any more
 *     without code   a number of uses, counted while the program runs no machine code; the last of
 *                    them is an event: promotion is asked
 *     uses           a number of uses, counted whatever runs; the last of them is an event
 *     timed          the next use is to be timed
 */
#ifndef DAME_COUNTDOWN_H
#define DAME_COUNTDOWN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dame_countdown {
    _Atomic int32_t word; /* > 0: without code; < 0: uses; 0: off */
} dame_countdown_t;

typedef int32_t dame_countdown_value_t;

/* ---- Values --------------------------------------------------------------------------------- */

enum { DAME_COUNTDOWN_OFF = 0, DAME_COUNTDOWN_TIMED = INT32_MIN };

/* 0: off. */
static inline dame_countdown_value_t dame_countdown_without_code(int32_t uses)
{
    return uses;
}

/* 1: the next use is an event; 0: off. */
static inline dame_countdown_value_t dame_countdown_uses(int32_t uses)
{
    return -uses;
}

static inline bool dame_countdown_is_without_code(dame_countdown_value_t value)
{
    return value > 0;
}

static inline bool dame_countdown_is_uses(dame_countdown_value_t value)
{
    return value < 0 && value != DAME_COUNTDOWN_TIMED;
}

/* Returns how many uses are left, the event's included. */
static inline int32_t dame_countdown_left(dame_countdown_value_t value)
{
    return -value;
}

/* Returns whether the next use is no event, and not timed. */
static inline bool dame_countdown_waits(dame_countdown_value_t value)
{
    return value > 1 || (value < -1 && value != DAME_COUNTDOWN_TIMED);
}

/* ---- The word ------------------------------------------------------------------------------- */

static inline dame_countdown_value_t dame_countdown_load(const dame_countdown_t *countdown)
{
    return atomic_load_explicit(&countdown->word, memory_order_relaxed);
}

/* A thread that loads this value and acts on it sees all earlier writes. */
static inline void dame_countdown_set(dame_countdown_t *countdown, dame_countdown_value_t value)
{
    atomic_store_explicit(&countdown->word, value, memory_order_release);
}

/* Unless another thread has changed it from `from`. */
static inline bool dame_countdown_change(dame_countdown_t *countdown, dame_countdown_value_t from,
                                         dame_countdown_value_t to)
{
    return atomic_compare_exchange_strong_explicit(&countdown->word, &from, to,
                                                   memory_order_acq_rel, memory_order_relaxed);
}

/* Returns whether uses are not counted. `code`: where the program keeps its code of this direction,
 * NULL if absent. */
static inline bool dame_countdown_is_settled(dame_countdown_value_t value,
                                             _Atomic(void *) const *code)
{
    return value >= 0 && (value == DAME_COUNTDOWN_OFF ||
                          atomic_load_explicit(code, memory_order_relaxed) != NULL);
}

/* A use begins where it is counted. True: it is not an event, and not timed. Counts that threads
 * lose to each other only delay the event. */
static inline bool dame_countdown_pass(dame_countdown_t *countdown, dame_countdown_value_t value)
{
    if (value > 1) {
        atomic_store_explicit(&countdown->word, value - 1, memory_order_relaxed);
    } else if (value < -1 && value != DAME_COUNTDOWN_TIMED) {
        atomic_store_explicit(&countdown->word, value + 1, memory_order_relaxed);
    } else {
        return false;
    }
    return true;
}

/* Uses that may begin without being counted, and be counted together later: none of them is an
 * event. A countdown of uses without code is at a fixed use, where each counts. */
static inline int32_t dame_countdown_may_skip(dame_countdown_value_t value)
{
    return dame_countdown_is_uses(value) ? -1 - value : 0;
}

/* `uses` of them began; the next use is an event, if these were all that were left. */
static inline void dame_countdown_skip(dame_countdown_t *countdown, int32_t uses)
{
    const dame_countdown_value_t value = dame_countdown_load(countdown);
    if (dame_countdown_may_skip(value) > 0) {
        (void) dame_countdown_change(countdown, value, value < -1 - uses ? value + uses : -1);
    }
}

#endif
