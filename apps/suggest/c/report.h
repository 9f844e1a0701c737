/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/report.h: the results, as diagnostics, SARIF or a patch. */
#ifndef SUGGEST_C_REPORT_H
#define SUGGEST_C_REPORT_H

#include "evidence.h"
#include "patch.h"
#include "sarif.h"

#include <stdio.h>

typedef struct report {
    FILE *out;
    bool explain, sarif, measure;
    run_level_t level;
    evidence_t *evidence; /* of a run, or NULL */
    const char *with;     /* sizes to measure with, or NULL */
    patch_mode_t patch;
    unsigned long only; /* line; 0: all */
    size_t files;       /* that were analysed */
    size_t seen;        /* calls that send or receive */
    size_t decided, refused, direct, computed;
    json_t *results; /* of SARIF */
    patch_t *edits;  /* of the file */
    bool failed;     /* a patch is missing, after a message */
} report_t;

void report_begin(report_t *report);
void report_begin_file(report_t *report, c_unit_t *unit);
/* The sites of a function that are not skipped. */
void report_function(report_t *report, run_t *run, site_t *sites, size_t n);
/* A function that is not followed: from WHERE on, for the reason WHY. */
void report_unfollowed(report_t *report, const c_unit_t *unit, const c_node_t *where,
                       const char *name, const char *why);
void report_end_file(report_t *report, c_unit_t *unit);
void report_end(report_t *report);

#endif
