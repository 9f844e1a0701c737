/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Judges all the code that the emitter writes for a set of programs: layouts of the corpus and
 * random types, both directions, all CPUs, all vector widths and other options. A case is made of
 * its seed and number alone.
 */
#ifndef JUDGE_SESSION_H
#define JUDGE_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "jit/provider.h"
#include "emulation.h"

typedef struct session_plan {
    const dame_provider_t *provider; /* of DAME-L; NULL: DAME-X */
    int64_t cases;                   /* random types */
    uint64_t seed;
    int64_t only;       /* the one case to run, or -1 */
    const char *layout; /* the one layout, or the start of names; NULL: all */
    bool no_layouts;
    int64_t most_failures;
} session_plan_t;

/* Zero at first, except `out`. */
typedef struct session {
    FILE *out; /* receives the report */
    const dame_provider_t *provider;
    void *states[CPU_MODELS][DAME_MAKES]; /* of a provider other than DAME-X */
    emulation_t emulation;
    int64_t passed;
    int64_t failed;
    int64_t without;    /* programs that DAME-X has no kernel for */
    judge_rule_t first; /* the rule that was broken first; RULE_NONE: none */
} session_t;

/* False: something was wrong, and the report says what. */
bool session_run(session_t *session, const session_plan_t *plan);
void session_free(session_t *session);

#endif
