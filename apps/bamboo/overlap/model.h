/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What V tasks a core would make of a step, from what its ranks did. Times are nanoseconds a step.
 *
 * Of each stretch between two collectives: T is the time the core is busy, L the time it waits for
 * messages under way. Today it takes T + L. With V tasks it takes at least T + C, and a task's own
 * part of the work takes L + (T + C) / V, where C is what more messages cost:
 *
 *   max(T + C, L + (T + C) / V)
 *
 * Waiting for a rank that is late, collectives and other calls stay. apps/bamboo/overlap/README.md has
 * the reasons.
 */
#ifndef OVERLAP_MODEL_H
#define OVERLAP_MODEL_H

#include <stdio.h>

#include "match.h"
#include "read.h"

enum { OVERLAP_FACTORS = 2 };
extern const int overlap_factors[OVERLAP_FACTORS]; /* V */

typedef struct overlap_row {
    double step;    /* all */
    double compute; /* outside MPI, without what measuring costs */
    double starts;  /* calls that start transfers, and tests */
    double waits;   /* = copies + late + wire */
    double copies;  /* the work that receiving is: calls, copies */
    double late;    /* until the other side was there, too */
    double wire;    /* latency and transfer: L */
    double collectives, other;
    double sent, bytes;           /* messages, and their bytes */
    double message_cost;          /* of one more message, sent or received */
    double local_cost, copy_cost; /* of a message within the process, and of its bytes */
    double transfers;             /* messages sent and received */
} overlap_row_t;

typedef struct overlap_prediction {
    double step, hidden, cost; /* hidden: of L; cost: C */
} overlap_prediction_t;

typedef struct overlap_member {
    int rank;                   /* index */
    const overlap_part_t *part; /* its steps, or the whole run */
    overlap_row_t row;
    overlap_prediction_t now[OVERLAP_FACTORS];
} overlap_member_t;

#define OVERLAP_GAIN     1.03 /* less is not worth it */
#define OVERLAP_SHORTEST 100e3

/* Ranks whose steps end at the same place; or all others. */
typedef struct overlap_group {
    const overlap_site_t *anchor; /* NULL: the whole run, no steps */
    overlap_member_t *members;
    int nmembers;
    double steps;              /* a mean over the ranks, as all that follows */
    double extra;              /* steps left out, being long */
    double share, extra_share; /* of the run's time */
    bool guessed;              /* late: compared between ranks only, not message by message */
    overlap_row_t mean;
    double longest;                            /* step of the slowest rank */
    overlap_prediction_t now[OVERLAP_FACTORS]; /* of the slowest rank */
    int best;                                  /* index of the fastest prediction */
    bool pays;                                 /* in these steps */
} overlap_group_t;

/* Of the whole run. */
typedef enum overlap_verdict {
    OVERLAP_PAYS,
    OVERLAP_PAYS_NOT, /* it would be less than OVERLAP_GAIN times as fast, or its steps are short */
    OVERLAP_UNKNOWN   /* ranks were without a core for longer than it would save */
} overlap_verdict_t;

typedef struct overlap_model {
    const overlap_rank_t *ranks;
    int nranks;
    const overlap_match_t *match;
    overlap_group_t *groups; /* the one with most time first */
    int ngroups;
    double run;                     /* of the slowest rank, ns */
    double faster[OVERLAP_FACTORS]; /* the whole run */
    int best;                       /* index of the largest of these */
    double core;                    /* CPU time of the ranks, as a part of their time; at most 1 */
    overlap_verdict_t verdict;
} overlap_model_t;

/* TOOL_SYSTEM after a message. overlap_model_free() frees, also after an error. */
int overlap_model(const overlap_rank_t *ranks, int n, const overlap_match_t *match,
                  overlap_model_t *out);
void overlap_model_free(overlap_model_t *model);

/* How many times as fast a step would be with overlap_factors[f] tasks a core. */
double overlap_faster(const overlap_group_t *group, int f);

/* Prints the report. */
void overlap_print(const overlap_model_t *model, FILE *out);

#endif
