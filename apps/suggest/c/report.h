/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/report.h: the results, as diagnostics, SARIF or a patch. */
#ifndef SUGGEST_C_REPORT_H
#define SUGGEST_C_REPORT_H

#include "evidence.h"
#include "patch.h"
#include "sarif.h"

#include <stdio.h>

struct report {
    FILE *out;
    bool explain, sarif, measure;
    enum run_level level;
    struct evidence *evidence; /* of a run, or NULL */
    const char *with;          /* sizes to measure with, or NULL */
    enum patch_mode patch;
    unsigned long only; /* line; 0: all */
    size_t files;       /* that were analysed */
    size_t seen;        /* calls that send or receive */
    size_t decided, refused, direct, computed;
    json_t *results;     /* of SARIF */
    struct patch *edits; /* of the file */
    bool failed;         /* a patch is missing, after a message */
};

void report_begin(struct report *report);
void report_begin_file(struct report *report, struct c_unit *unit);
/* The sites of a function that are not skipped. */
void report_function(struct report *report, struct run *run, struct site *sites, size_t n);
/* A function that is not followed: from WHERE on, for the reason WHY. */
void report_unfollowed(struct report *report, const struct c_unit *unit, const struct c_node *where,
                       const char *name, const char *why);
void report_end_file(struct report *report, struct c_unit *unit);
void report_end(struct report *report);

#endif
