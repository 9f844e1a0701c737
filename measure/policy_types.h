/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a policy (policy.h), shared by the files that decide, and their queries of it. */
#ifndef DAME_POLICY_TYPES_H
#define DAME_POLICY_TYPES_H

#include <stdint.h>

enum {
    DAME_POLICY_ARMS = 13, /* most arms, the interpreter and the native engine included */
    DAME_POLICY_CANDIDATES = DAME_POLICY_ARMS - 2,
    DAME_POLICY_CLASSES = 4, /* classes of messages that are distinguished, the commonest */
    DAME_POLICY_BATCH = 4    /* samples of an arm before another runs */
};

#define DAME_POLICY_MARGIN                                                                         \
    0.98                       /* of the interpreter's time: code that takes longer is demoted. Of \
                                  our best time: a native engine that takes longer is not chosen */
#define DAME_POLICY_DRIFT 1.25 /* times as slow or fast as when it was chosen: search again */

/* Expectations of a program before it is measured. */
typedef struct dame_policy_expect {
    double ticks;   /* a use with the interpreter takes, > 0 */
    double saved;   /* share of that which the first candidate saves, 0 to 1 */
    double certain; /* the same, as a low estimate: enough to compile before anything is measured */
    double cost;    /* ticks to compile one candidate and put it in place */
    double sample;  /* ticks that a sample adds to its use */
    double more;    /* ticks that one of the search adds besides */
    double part;    /* of its cost that the first candidate is to have saved before it is added, 0
                       to 1: dame_policy_part() */
} dame_policy_expect_t;

typedef enum dame_step_kind {
    DAME_STEP_WAIT,   /* nothing; ask again at the `uses`-th use from now, 0: never */
    DAME_STEP_SAMPLE, /* measure this use or the next one, and ask again as for WAIT */
    DAME_STEP_ORDER, /* have `arm` compiled elsewhere, which ends with dame_policy_order_done(); ask
                        again at once */
    DAME_STEP_ADD,   /* compile `arm`, call dame_policy_added(), ask again at once */
    DAME_STEP_RUN,   /* run on `arm` from now on, ask again at once */
    DAME_STEP_DROP   /* free the code of `arm`, ask again at once */
} dame_step_kind_t;

typedef struct dame_step {
    dame_step_kind_t kind;
    int32_t arm;
    int32_t uses;
} dame_step_t;

typedef enum dame_policy_phase {
    DAME_PHASE_RENT,
    DAME_PHASE_TRY,
    DAME_PHASE_SEARCH,
    DAME_PHASE_REST
} dame_policy_phase_t;

typedef enum dame_far {
    DAME_AT_HAND,
    DAME_FAR,    /* must be ordered */
    DAME_ORDERED /* ordered already */
} dame_far_t;

typedef struct dame_policy_arm {
    float mean[DAME_POLICY_CLASSES]; /* ticks of a use; valid where batches > 0 */
    uint8_t batches[DAME_POLICY_CLASSES];
    uint8_t tried;    /* batches of this search */
    uint8_t setbacks; /* evictions, and times without room */
    uint8_t lives;    /* its code can run */
    uint8_t in;       /* the search; never again when failed */
    uint8_t failed;
    uint8_t far; /* dame_far_t */
    float cost;  /* ticks to add it; 0: as expected of all arms */
} dame_policy_arm_t;

/* The fields are policy.c's. Moves with a plain copy. */
typedef struct dame_policy {
    dame_policy_expect_t expect;
    double explore;                    /* share of the time */
    double elapsed;                    /* ticks of all uses, estimated */
    double spent;                      /* ticks of the search */
    double rented;                     /* uses since renting began */
    double promised;                   /* uses that the user has announced */
    double checked;                    /* `elapsed` when the chosen arm was measured last */
    float weight[DAME_POLICY_CLASSES]; /* samples in each class */
    uint32_t key[DAME_POLICY_CLASSES];
    float batch_ticks[DAME_POLICY_BATCH];
    uint8_t batch_class[DAME_POLICY_BATCH];
    dame_policy_arm_t arms[DAME_POLICY_ARMS];
    dame_policy_phase_t phase;
    int8_t narms;
    int8_t native;   /* the arm of the native engine; narms if absent */
    int8_t current;  /* the arm that runs */
    int8_t fallback; /* the same, or while the native engine runs, what moves the rest */
    int8_t best;
    int8_t trying;
    int8_t round;
    int8_t nbatch;
    int8_t attempts;
    int8_t cold;      /* the arm has not run since the batch began */
    int8_t searching; /* the batch is not the trial of a promotion, and so the search pays */
    int8_t checking;  /* the chosen arm is measured again, for the first or the second time */
} dame_policy_t;

#endif
