/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of dame overlap. */
#ifndef OVERLAP_REPORT_H
#define OVERLAP_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "model.h"

/* `steps`: also the calls of a step, in their order. */
void overlap_print(const overlap_model_t *model, bool steps, FILE *out);
void overlap_json(const overlap_model_t *model, FILE *out);

/* Part of both: calls `say` with each sentence about what the figures leave out. */
void overlap_notes(const overlap_model_t *model, void (*say)(const char *note, void *context),
                   void *context);

/* What would become of a group's steps, and the verdict on the whole run, in sentences; a reason
 * and the verdict as names. */
void overlap_say_group(const overlap_group_t *group, const overlap_model_t *model, FILE *out);
void overlap_say_run(const overlap_model_t *model, FILE *out);
const char *overlap_verdict_name(overlap_verdict_t verdict);
const char *overlap_reason_name(int bit);

/* The calls of a group's first rank that waited; or with `all` all calls. In the order of a step,
 * or else by time. `calls` has as many entries as the phase; returns how many it set. */
int overlap_list_calls(const overlap_group_t *group, const overlap_model_t *model, bool all,
                       const overlap_calls_t **calls);

#endif
