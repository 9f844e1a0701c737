/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measured promotion of a program in one direction: asks the policy (policy.h) and follows it.
 *
 * A use that is to be timed is timed by the caller, with the clock of clock.h. The known costs of
 * compiling are in the caller's dame_costs_t. Threads: one at a time calls these functions, for all
 * programs of one dame_costs_t, as if under one lock, except dame_measured_first() and
 * dame_measured_record().
 */
#ifndef DAME_MEASURED_H
#define DAME_MEASURED_H

#include <stdatomic.h>
#include <stdint.h>

#include "jit/jit.h"
#include "base/heap.h"
#include "measure/clock.h"
#include "measure/policy.h"
#include "measure/profile.h"

enum { DAME_LEAST_REPEATS = 3, DAME_MOST_REPEATS = 15 };

typedef struct dame_measured {
    dame_policy_t policy;
    dame_candidate_t candidates[DAME_POLICY_CANDIDATES]; /* arms 1 and up */
    int64_t evictions;       /* dame_jit_evictions() when the policy was last informed */
    _Atomic uint32_t runs;   /* another for each change of the arm; odd: the native engine runs */
    _Atomic uint64_t sample; /* the last one that the policy was not told, 0: none */
    _Atomic int64_t brief;   /* see dame_measured_repeats() */
} dame_measured_t;

/* What the policy decided. */
typedef struct dame_measured_result {
    int32_t uses; /* to the next event, 0: none */
    int settled;  /* the search is over */
    int compiled; /* another code runs than before, or for the first time */
    int native;   /* the native engine moves all messages that it can */
    int sample;   /* the next use is to be timed */
    int orders;   /* `order` is to be compiled elsewhere: dame_measured_order_done() */
    dame_candidate_t order;
    dame_status_t status; /* of the last compilation that failed, else DAME_OK */
} dame_measured_result_t;

/* How code is acquired that takes a compiler much longer than a message. */
typedef enum dame_slow_how {
    DAME_SLOW_CACHED,     /* from the code cache only */
    DAME_SLOW_BACKGROUND, /* the same, or it is ordered */
    DAME_SLOW_INLINE      /* compiled as any other */
} dame_slow_how_t;

/* What programs share: what compiling costs, and where that is known from. */
typedef struct dame_costs {
    dame_jit_t *jit;
    dame_profile_t *profile; /* expectations about programs come from it, and measurements go to it;
                                NULL if absent. Not owned */
    const char *native;      /* name of the caller's other engine; NULL if absent */
    int32_t slow_provider;   /* number of the jit's provider with slow code; -1: absent */
    dame_slow_how_t slow;    /* .. how it is acquired */
    double compile_ns;       /* the rest is measured.c's: of one compilation, 0: not compiled yet */
    int64_t compilations;    /* the first one, which takes memory, is not in the mean */
} dame_costs_t;

/* Nothing is known. */
static inline void dame_costs_init(dame_costs_t *costs, dame_jit_t *jit, const char *native)
{
    *costs = (dame_costs_t){.jit = jit, .native = native, .slow_provider = -1};
}

/* The use at which a program should be looked at first, if its messages have `bytes` bytes.
 * Any thread. */
int32_t dame_measured_first(int64_t bytes);

/* The `uses`-th use begins, of a program that has no dame_measured_t yet: how many more uses to
 * leave it so. */
int32_t dame_measured_more(const dame_costs_t *costs, int64_t bytes, int32_t uses);

/* Starts the measurements of a program that was first asked about with such a message. explore:
 * share of the time. has_native: the caller has another engine that moves the same messages, or
 * some of them. NULL: memory is out. The caller frees it with dame_heap_free(). */
dame_measured_t *dame_measured_new(const dame_costs_t *costs, const dame_program_t *program,
                                   dame_dir_t dir, int64_t bytes, double explore, int has_native);

/* The user announces `uses` uses in all, or DAME_POLICY_MATTERS. */
static inline void dame_measured_promise(dame_measured_t *measured, double uses)
{
    dame_policy_promise(&measured->policy, uses);
}

/* The result of an order. DAME_OK: its code is installed, with rank 0. Compiling or finding it took
 * `ns`. */
void dame_measured_order_done(const dame_costs_t *costs, dame_measured_t *measured,
                              const dame_candidate_t *candidate, dame_status_t status, int64_t ns,
                              int is_compiled);

/* The class of a use, for dame_measured_record(): uses that are compared with each other. Sizes up
 * to a quarter apart, whole messages and first fragments, packed bytes on and off a cache line. */
static inline uint32_t dame_measured_class(size_t bytes, int whole, const void *packed)
{
    enum { LINE = 64 };
    const uint32_t log2 = 63 - (uint32_t) __builtin_clzll(bytes | 4);
    const uint32_t quarter = (uint32_t) (bytes >> (log2 - 2)) & 3;
    return log2 << 4 | quarter << 2 | (uint32_t) (whole != 0) << 1 |
           ((uintptr_t) packed % LINE == 0);
}

/* Adds the measurements to the profile. The program still has its codes. */
void dame_measured_learn(const dame_costs_t *costs, const dame_measured_t *measured,
                         const dame_program_t *program, dame_dir_t dir);

/* Returns whether it was the native engine's time, when `runs` was what it says. */
static inline int dame_measured_is_native(uint32_t runs)
{
    return (int) (runs & 1);
}

/* Returns whether machine code runs, or would if the native engine did not. */
static inline int dame_measured_has_code(const dame_measured_t *measured)
{
    return measured->policy.fallback != 0;
}

/* Writes the name of an arm, "interp", costs->native or as dame_jit_candidate_name(), and returns
 * it. */
const char *dame_measured_name(const dame_costs_t *costs, const dame_measured_t *measured,
                               int32_t arm, char name[DAME_CANDIDATE_NAME]);

/* Ticks for a byte with an arm, as measured; 0: not measured. */
double dame_measured_cost(const dame_measured_t *measured, int32_t arm);

/* A use begins, the `uses`-th since the last event. `name`: of machine code, for perf and GDB. */
dame_measured_result_t dame_measured_event(dame_costs_t *costs, dame_measured_t *measured,
                                           dame_program_t *program, dame_dir_t dir,
                                           const char *name, int32_t uses);

/*
 * The clock to time uses with: where that is cheap, without waiting for earlier instructions to
 * end. Uses overlap with the CPU's work before and after them, and that overlap is part of their
 * cost: fenced, two codes of 150 and 175 ns both took 190.
 */
static inline int64_t dame_measured_now(void)
{
    if (atomic_load_explicit(&dame_clock_source, memory_order_relaxed) == DAME_CLOCK_COUNTER) {
        return dame_machine_counter_now();
    }
    return dame_clock_now();
}

/*
 * How many more times the same move is to be made, to be timed with a use that took `ticks`. What
 * overlaps at the two ends of an interval is too large a part of a short use, and so is what the
 * decision before it leaves to do to the CPU: two codes of 170 and 150 ns, one message after the
 * other, both took 175 when each message was timed alone.
 */
static inline int dame_measured_repeats(const dame_measured_t *measured, int64_t ticks)
{
    const int64_t brief = atomic_load_explicit(&measured->brief, memory_order_relaxed);
    return ticks >= brief                       ? 0
           : ticks * DAME_MOST_REPEATS < brief  ? DAME_MOST_REPEATS
           : ticks * DAME_LEAST_REPEATS > brief ? DAME_LEAST_REPEATS
                                                : (int) (brief / ticks);
}

/*
 * A use of class `key`, below 2^16, took `ticks`. `runs` is the value at its start. Any thread that
 * keeps `measured`; of several samples before the next event, the last counts.
 */
static inline void dame_measured_record(dame_measured_t *measured, uint32_t runs, uint32_t key,
                                        int64_t ticks)
{
    const uint64_t most = UINT32_MAX;
    const uint64_t taken = ticks < 1 ? 1 : (uint64_t) ticks < most ? (uint64_t) ticks : most;
    if (runs == atomic_load_explicit(&measured->runs, memory_order_relaxed)) {
        atomic_store_explicit(&measured->sample,
                              (uint64_t) (runs & 0xffff) << 48 | (uint64_t) key << 32 | taken,
                              memory_order_relaxed);
    }
}

#endif
