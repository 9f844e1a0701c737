/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libdame-overlap: where a rank of an MPI program spends its time, for `dame overlap`.
 *
 * The library is preloaded. It takes the place of MPI's functions, notes when each call begins and
 * ends, and calls the function behind it (apps/shared/mpi/). It sends no message of its own, so that a job
 * in which some ranks lack it runs as ever. Only the thread that initialised MPI is measured; calls
 * of other threads are counted. In a process without MPI nothing happens.
 *
 * Times are nanoseconds of CLOCK_MONOTONIC, which all processes of a host share, or, for
 * experiments with a network that is modelled on a loaded machine, of the process's CPU time.
 * Memory comes from mappings, not from the program's heap, and is bounded; what does not fit is
 * counted.
 */
#ifndef OVERLAP_H
#define OVERLAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* What a call's time is. */
typedef enum overlap_class {
    CLASS_START,      /* starts a transfer and returns: the cost of messages */
    CLASS_WAIT,       /* blocked until a point-to-point transfer is complete, or matched */
    CLASS_COLLECTIVE, /* blocked in a collective, or for a nonblocking one */
    CLASS_OTHER,      /* communicators, one-sided synchronisation, files */
    CLASSES
} overlap_class_t;

extern clockid_t overlap_clock;

static inline int64_t overlap_now(void)
{
    struct timespec now;
    clock_gettime(overlap_clock, &now);
    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Zeroed memory from a mapping of its own; NULL. */
void *overlap_map(size_t bytes);

/* ---- sites.c: the places of calls ---- */

enum { SITES = 1024 }; /* the first CLASSES are of calls that there was no room for */

typedef struct site {
    const char *function;
    uintptr_t pc;
    overlap_class_t class;
} site_t;

extern site_t overlap_sites[SITES];
extern unsigned overlap_nsites;

typedef struct call {
    const char *function; /* static storage */
    uintptr_t pc;         /* behind the call in the program */
    int64_t begin, end;
} call_t;

/* The number of a call's site, which is a new one's class if there is no room. */
unsigned overlap_site(const call_t *call, overlap_class_t class);

/* ---- call.c: one call ---- */

/* Is the running thread the one that is measured? Counts calls of others. */
bool call_is_measured(void);

/* The messages of a call: those that it sends, counted when they are started, and those that were
 * received with it, counted when they are complete. */
typedef struct traffic {
    int64_t sent, sent_bytes, received, received_bytes;
} traffic_t;

/* Enters a call. Returns its site. */
unsigned call_enter(const call_t *call, overlap_class_t class, traffic_t traffic);

/* The same for a test, which is part of the cost of messages, but of no sequence of calls. */
void call_enter_test(const call_t *call);

typedef struct overlap_rank overlap_rank_t;

/* Calls of the running thread are measured, and counted in *rank, from here on. */
void call_start(overlap_rank_t *rank);
/* Ends the run: false if it was not begun by this thread, or has ended. Calls of this thread still
 * enter steps, for calibrate(), until call_leave(). */
bool call_stop(void);
void call_leave(void);

/* ---- run.c: behind MPI_Init, of the calling thread; and before MPI_Finalize ---- */

void overlap_start(void);
void overlap_finish(bool finalized);

/* ---- output.c ---- */

struct overlap_rank {
    int rank, size;
    char library[256];
    int64_t begin, end;      /* behind MPI_Init, before MPI_Finalize */
    int64_t cpu;             /* of this thread between them */
    int64_t other_threads;   /* calls */
    int64_t tests, tests_ns; /* calls, and their time */
    int64_t gaps;            /* time outside MPI */
    bool finalized;
    double cost_ns;    /* what measuring adds to a call; 0: unknown, as the next three */
    double clock_ns;   /* of that, what is part of the time of a call; the rest comes before it */
    double message_ns; /* a short message of the process to itself */
    double byte_ns;    /* a byte that is copied */
};

/* The file that DAME_OVERLAP names, and its three parts: who this is, at the start; what was
 * measured; what measuring costs. */
void overlap_write_begin(const overlap_rank_t *rank);
void overlap_write(const overlap_rank_t *rank);
void overlap_write_end(const overlap_rank_t *rank);
/* Instead of a file, for a program of another MPI than this library's. */
void overlap_write_refusal(const char *library);

#endif
