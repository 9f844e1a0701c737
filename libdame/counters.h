/*
 * Counters of a context. Each thread adds to one of several groups of cells, so that threads that
 * move data do not wait for each other's cache lines. Private to this room.
 */
#ifndef LIBDAME_COUNTERS_H
#define LIBDAME_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

typedef enum dame_counter {
#define DAME_COUNTER(name, text) DAME_COUNTER_##name,
#include "counters.def"
#undef DAME_COUNTER
    DAME_COUNTERS
} dame_counter_t;

enum { DAME_COUNTER_GROUPS = 8 };

typedef struct dame_counter_group {
    _Alignas(64) _Atomic(int64_t) values[DAME_COUNTERS];
} dame_counter_group_t;

typedef struct dame_counters {
    dame_counter_group_t groups[DAME_COUNTER_GROUPS];
} dame_counters_t;

void dame_count(dame_counters_t *counters, dame_counter_t counter, int64_t n);

#endif
