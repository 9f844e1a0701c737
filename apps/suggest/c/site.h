/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/site.h: calls that send or receive a buffer which the same function packs or
 * unpacks.
 */
#ifndef SUGGEST_C_SITE_H
#define SUGGEST_C_SITE_H

#include "run.h"
#include "shared/mpi/functions.h"
#include "suggest/shape.h"

typedef enum c_refusal {
#define C_REFUSAL(number, name, text) C_REFUSED_##name = number,
#include "refusals.def"
#undef C_REFUSAL
} c_refusal_t;

/* A buffer of a function of MPI; parameters count from 1. */
typedef struct site_function {
    mpi_kind_t kind;
    int buffer, count, type,
        request;   /* count: 0: an array, of each process; request: 0: blocking */
    int root;      /* of a collective call; 0: none */
    int processes; /* the communicator, of which each process has `count` elements; 0: one message
                    */
    bool receives;
    bool of_root; /* other processes neither read nor write it */
} site_function_t;

typedef enum site_kind {
    SITE_PACKS,    /* what looks like packing, or unpacking: decided, or refused */
    SITE_DIRECT,   /* the buffer is sent, or used, as it is */
    SITE_COMPUTED, /* it is filled with values that are computed */
} site_kind_t;

typedef struct site {
    const run_t *run;
    site_kind_t kind;
    const site_function_t *function;
    const c_node_t *call;
    size_t event;       /* of the call */
    run_extent_t slice; /* of the buffer, that the call moves */
    int home;           /* the frame with both the copies and the call */
    const c_node_t *at; /* there: the call, or that of the function it is in */
    size_t first, last; /* the region's events, inclusive */
    size_t begin, end;  /* the region's time; `end` is exclusive */
    run_needs_t needs;  /* assumptions */
    int buffer;         /* base */
    size_t *copies;     /* events */
    size_t n_copies;
    size_t any; /* the call of MPI_Waitany() whose index decides when data is unpacked; SIZE_MAX:
                   none */
    const c_node_t *elsewhere; /* the buffer is filled or read there, out of the call's reach */
    const c_node_t
        *earlier; /* fills the buffer before the copies do: what they leave of it is also sent */
    const char *directive; /* of the preprocessor, in between */
    bool shared;           /* the buffer can be seen by other code, so packing stays */
    bool in_place;         /* of MPI_Sendrecv_replace, whose data goes back to where it was */
    int refusal;           /* 0: decided */
    const char *reason;
    const c_node_t *where;     /* what the reason is about */
    access_program_t *program; /* freed by site_free() */
    shape_t shape;
    int checks[2]; /* eval_verdict_t: the identity, random sizes */
    bool skipped;  /* not asked for */
} site_t;

/* Sites of a run, in the order of the calls. The caller frees each with site_free(), and the array.
 */
size_t site_find(run_t *run, site_t **sites);
void site_free(site_t *site);
/* The type of a decided site in one line. */
const char *site_type_text(const site_t *site);
/* The buffers of a call, at most two; below RUN_TRUSTING those of messages only. */
size_t site_functions(run_level_t level, const c_node_t *call, site_function_t functions[2]);
/* The argument with the process that a message goes to or comes from; 0: none. */
int site_peer(const site_t *site);
/* How many buffers the calls of MPI in the subtree send and receive. */
size_t site_calls(run_level_t level, const c_node_t *node);
const char *site_refusal_text(int number);

/* region.c: fills in region and copies; refuses events that are not on the whitelist. */
site_kind_t site_region(run_t *run, site_t *site);
/* In the function of the site: the outermost loop around a copy, or the statement or call that
 * makes it. */
const c_node_t *site_statement(const run_t *run, const site_t *site, const run_event_t *copy);
void site_refuse(site_t *site, int number, const c_node_t *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* processes.c: a collective call has `part` bytes for each process, at equal distances of *extent
 * in the data. Sets trips[loop] of the loops that go from one to the next: iterations for each.
 * Returns the first of these loops; -1: refused. */
int site_split(run_t *run, site_t *site, const poly_t *part, const poly_t **trips,
               const poly_t **extent);

/* program.c: the access program and its shape. */
void site_program(run_t *run, site_t *site);
/* The value where the call's conditions decide choices in it. */
const poly_t *site_given(run_t *run, const site_t *site, const poly_t *poly);
/* How a guard of a copy relates to the call: 1 holds, 0 does not, -1 not known. */
int site_guard(run_t *run, const site_t *site, int guard);
/* Is it a condition, outside of loops, that holds if the other process is not MPI_PROC_NULL? */
bool site_of_message(run_t *run, const site_t *site, int guard);
/* Is it a condition, outside of loops, under which the root of a collective call has its buffer? */
bool site_of_root(run_t *run, const site_t *site, int guard);

#endif
