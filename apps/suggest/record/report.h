/* SPDX-License-Identifier: BSD-3-Clause */
/* What a recorded run says about a program's messages. */
#ifndef RECORD_REPORT_H
#define RECORD_REPORT_H

#include <stdio.h>

#include "read.h"

typedef struct record_report record_report_t;

/* NULL when memory is out. */
record_report_t *record_report_new(void);
void record_report_free(record_report_t *report);

/* Adds a rank's messages; those of one call and layout are one entry. TOOL_SYSTEM or TOOL_WRONG
 * after a message. */
int record_report_add(record_report_t *report, const record_rank_t *rank);

/* Like a compiler's messages, or one JSON object. */
void record_report_print(const record_report_t *report, FILE *out);
void record_report_json(const record_report_t *report, FILE *out);

#endif
