/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types for every file of engine/ and its callers: works on a message, the tiers that do them, and
 * the counters.
 */
#ifndef DAME_ENGINE_TYPES_H
#define DAME_ENGINE_TYPES_H

#include "dame/program.h"

/* Works on a message; the first two are dame_dir_t's. */
typedef enum dame_work {
    DAME_WORK_PACK = DAME_PACK,
    DAME_WORK_UNPACK = DAME_UNPACK,
    DAME_WORK_COPY, /* from one place in user memory to another */
    DAME_WORKS
} dame_work_t;

/* By what. */
typedef enum dame_tier {
    DAME_TIER_INTERP,
    DAME_TIER_CODE,
    DAME_TIER_NATIVE, /* the caller's other engine, where it is tried or was measured to be faster
                       */
    DAME_TIERS
} dame_tier_t;

/* The engine's counters. A caller numbers its own from DAME_ENGINE_COUNTERS on. */
typedef enum dame_counter {
#define DAME_COUNTER(name, unit, description) DAME_COUNT_##name,
#include "counters.def"
#undef DAME_COUNTER
    DAME_ENGINE_COUNTERS
} dame_counter_t;

enum { DAME_ALL_COUNTERS = DAME_ENGINE_COUNTERS + 40 };

/* Facts about compiled programs. */
typedef enum dame_code_stat {
#define DAME_CODE_STAT(name, class, description, value) DAME_CODE_STAT_##name,
#include "code_stats.def"
#undef DAME_CODE_STAT
    DAME_CODE_STATS
} dame_code_stat_t;

#endif
