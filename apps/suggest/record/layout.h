/* SPDX-License-Identifier: BSD-3-Clause */
/* The layouts of messages: where the bytes of a message come from or go to, once for all messages
 * of one call that are alike. */
#ifndef RECORD_LAYOUT_H
#define RECORD_LAYOUT_H

#include "record.h"

typedef enum run_kind { RUN_COPIED, RUN_COMPUTED, RUN_UNSEEN, RUN_RECEIVED, RUN_READ } run_kind_t;

/* `count` times `length` bytes, one behind the other in the message; those that were copied are
 * `step` bytes apart in one allocation, the first at `address` from the base of that. */
typedef struct run {
    run_kind_t kind;
    int allocation; /* index of its base */
    int64_t address;
    int64_t length, step, count;
} run_t;

enum {
    LAYOUT_SITES = 12,
    LAYOUT_ALLOCATIONS = 64 /* the last has all others */
};

/* Of one message: its allocations, by the first byte of each that was copied. */
typedef struct layout_bases {
    uintptr_t base[LAYOUT_ALLOCATIONS];
    int n;
} layout_bases_t;

typedef struct layout {
    struct layout *next;
    uint64_t hash;
    bool receives;
    const char *function;
    uintptr_t pc;
    int64_t bytes;
    int element;
    char type[48];
    int64_t nruns;
    int64_t runs_listed; /* less than nruns: the bound was reached */
    const run_t *runs;
    struct {
        unsigned site;
        int64_t copied, computed;
    } sites[LAYOUT_SITES];
    int nsites;
    /* Of all its messages: */
    int64_t messages;
    int64_t late; /* stores to bytes that MPI might still have read */
    unsigned late_site;
    int64_t reads; /* loads from the buffer after it was sent */
    uintptr_t read_pc;
    int64_t changed; /* bytes whose source differs from the message when it is sent */
    int64_t twice;   /* received bytes that were copied to a second place */
} layout_t;

/* All of them, in the order in which they were seen first. */
layout_t *layouts_first(void);

/*
 * The layout of a message whose bytes have these origins, and the message's bases. NULL when there
 * is no room. The caller holds the lock of messages.
 */
layout_t *layout_of(const record_call_t *call, bool receives, const record_origin_t *origins,
                    layout_bases_t *bases);

/* Calls `fn` for each block of a message that was copied. */
void layout_walk(const layout_t *layout, const layout_bases_t *bases,
                 void (*fn)(void *data, uintptr_t address, size_t length, int64_t position),
                 void *data);

#endif
