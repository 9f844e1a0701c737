/* SPDX-License-Identifier: BSD-3-Clause */
/* What libdame-overlap wrote: the calls of one rank. Times are nanoseconds. */
#ifndef OVERLAP_READ_H
#define OVERLAP_READ_H

#include <stdbool.h>
#include <stdint.h>

/* As in apps/bamboo/overlap/overlap.h. */
typedef enum overlap_class {
    OVERLAP_START,
    OVERLAP_WAIT,
    OVERLAP_COLLECTIVE,
    OVERLAP_OTHER,
    OVERLAP_CLASSES
} overlap_class_t;

typedef struct overlap_site {
    overlap_class_t class;
    uint64_t address;
    char function[40];
    char *place; /* "FILE:LINE", "FUNCTION (MODULE+0xOFFSET)" or "unknown place" */
} overlap_site_t;

/* The calls of a site. */
typedef struct overlap_calls {
    int site;
    int64_t count, ns;
    int64_t gap, tests; /* before them: outside MPI, and in MPI_Test and its relatives */
    int64_t sent, sent_bytes, received, received_bytes;
} overlap_calls_t;

/* What lies between two collectives. */
typedef struct overlap_stretch {
    int64_t gap, starts, waits;
} overlap_stretch_t;

/* The steps of a run, or all of it. */
typedef struct overlap_part {
    int anchor;    /* site that ends a step */
    int64_t steps; /* 0: none was found; 1 for the whole run */
    int64_t begin, end, median;
    int64_t extra, extra_ns; /* steps that took over 4 times the median: only here */
    overlap_calls_t *calls;
    int ncalls;
    overlap_stretch_t *stretches;
    int nstretches;
} overlap_part_t;

/* The message number n times the channel's stride. */
typedef struct overlap_sample {
    int64_t ready;      /* sent, or its receive posted */
    int64_t begin, end; /* of the call that waited; 0: none did */
    int site;
} overlap_sample_t;

typedef struct overlap_channel {
    bool sends;
    int peer, tag, size; /* peer: rank in MPI_COMM_WORLD */
    int64_t count, bytes, stride;
    overlap_sample_t *samples;
    int nsamples;
} overlap_channel_t;

typedef struct overlap_rank {
    int rank, size;
    char host[64]; /* ranks with the same one have the same clock */
    bool complete, finalized;
    int64_t begin, end, cpu, gaps, tests, tests_ns, other_threads, lost;
    bool wild;
    double cost_ns, clock_ns, message_ns, byte_ns; /* 0: unknown */
    overlap_site_t *sites;
    int nsites;
    overlap_part_t whole, steps;
    overlap_channel_t *channels;
    int nchannels;
} overlap_rank_t;

/*
 * Reads "PREFIX.RANK" and finds the lines of its sites, by addr2line(1) where that is there. A file
 * that ends early is no error: `complete` is false then. TOOL_WRONG or TOOL_SYSTEM after a message.
 * overlap_free() frees, also after an error.
 */
int overlap_read(const char *prefix, int rank, overlap_rank_t *out);
void overlap_free(overlap_rank_t *rank);

#endif
