/* SPDX-License-Identifier: BSD-3-Clause */
/* What libdame-record wrote: the layouts of the messages of one process. */
#ifndef RECORD_READ_H
#define RECORD_READ_H

#include <stdint.h>

/* A line of the source; file NULL: unknown. */
typedef struct record_place {
    char *file;
    int64_t line; /* 0: unknown, then `file` is a module and an offset */
} record_place_t;

typedef enum record_kind {
    RECORD_COPIED,
    RECORD_COMPUTED, /* stored, but not what a load gave */
    RECORD_UNSEEN,   /* not stored by code that was compiled for the recorder */
    RECORD_RECEIVED, /* another message, sent on */
    RECORD_READ,     /* received, and loaded for something else than a copy */
    RECORD_KINDS
} record_kind_t;

/* `count` blocks of `length` bytes, `step` bytes apart in one allocation (where they were copied),
 * one behind the other in the message. */
typedef struct record_run {
    record_kind_t kind;
    int allocation;
    int64_t address; /* from the first byte of that allocation that was copied */
    int64_t length, step, count;
} record_run_t;

enum {
    RECORD_SITES_MAX = 16,
    RECORD_ALLOCATIONS = 64 /* the last has all others */
};

typedef struct record_message {
    int receives;
    char function[40];
    int64_t bytes, element; /* element: bytes of the basic datatype */
    char type[64];
    int64_t messages; /* that were like this */
    record_place_t call;
    int64_t late, reads, changed, twice;
    record_place_t late_at, read_at;
    struct {
        record_place_t place;
        int64_t copied, computed;
    } sites[RECORD_SITES_MAX];
    int nsites;
    record_run_t *runs;
    int64_t nruns;
    int whole; /* no run is missing for lack of memory */
} record_message_t;

/* pages, threads, layouts, regions, long messages, derived datatypes, allocations */
enum { RECORD_LOST = 7 };

typedef struct record_rank {
    int rank, size;
    char library[128], program[256];
    int64_t lost[RECORD_LOST];
    record_message_t *messages;
    int64_t nmessages;
} record_rank_t;

/*
 * Reads "PREFIX.RANK" and finds the lines of its places, by addr2line(1) where that is there.
 * TOOL_WRONG or TOOL_SYSTEM after a message. record_free() frees, also after an error.
 */
int record_read(const char *prefix, int rank, record_rank_t *out);
void record_free(record_rank_t *rank);

#endif
