/* SPDX-License-Identifier: BSD-3-Clause */
/* What moving a byte takes, estimated from samples of messages: for reports. Any thread adds and
 * reads. */
#ifndef DAME_RATES_H
#define DAME_RATES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What a byte costs, as samples say. 19 of 20 such estimates are within the root of error2 of the
 * result of all samples. */
typedef struct dame_rate {
    double ns; /* < 0: not known */
    double error2;
} dame_rate_t;

/* A reservoir sample: any time measured is as likely to be in it as any other. A sample is 32 bits
 * of nanoseconds and 32 bits of bytes. */
enum { DAME_KEPT = 64 };
typedef struct dame_kept {
    _Atomic uint32_t count; /* measured so far, kept or not */
    _Atomic uint64_t kept[DAME_KEPT];
} dame_kept_t;

/* Work that the native engine did. Its samples come in probes, during which it moves messages in
 * DAME's place. */
typedef struct dame_native {
    _Atomic int64_t next; /* the use at which a probe may open */
    dame_kept_t samples;
    _Atomic uint32_t at[DAME_KEPT]; /* the use at which the probe of each began */
    uint32_t probe;                 /* the last probe, and the samples it has so far; its
                                        owner's */
    uint32_t seen;
    _Atomic uint32_t began; /* at this use */
    uint32_t warm;          /* warm samples, which count; the same owner's */
} dame_native_t;

typedef struct dame_moved {
    _Atomic bool has_steady; /* `samples` has steady samples, and no early ones any more */
    dame_kept_t samples;
} dame_moved_t;

/* Uses of a tally before this one are early: they differ from later ones, for example by memory
 * that is touched for the first time. The native engine gets none, and DAME's count until there are
 * others. */
enum { DAME_FIRST_SAMPLE = 8 };

/* A sample: `bytes` took so long. */
void dame_moved_add(dame_moved_t *moved, int64_t ns, int64_t bytes, bool early);
void dame_native_add(dame_native_t *native, int64_t ns, int64_t bytes);

/* Returns whether there are samples enough to say what the native engine takes. */
bool dame_native_is_enough(const dame_native_t *native);

/* The rate of all samples that are no outliers. */
dame_rate_t dame_kept_rate(const dame_kept_t *samples);

/*
 * The same for the native engine. Probes are not spread evenly over the uses, early ones are
 * closer to each other: so a group of probes counts for the uses that are nearer to it than to
 * another.
 */
dame_rate_t dame_native_rate(const dame_native_t *native, int64_t uses);

#endif
