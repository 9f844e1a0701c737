/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How memory is laid out on paper: how many bytes a cell has, how many cells make a row, and which
 * long empty ranges are left out.
 */
#ifndef PLAN_H
#define PLAN_H

#include "facts.h"
#include "survey.h"

enum { PLAN_SEGMENTS = SURVEY_GAPS };

typedef struct plan {
    int64_t cell;                   /* bytes of one */
    int64_t columns;                /* cells in a row */
    int64_t period;                 /* stride of the data that rows line up with, 0: none */
    int segments;                   /* ranges of memory that are drawn, by address */
    range_t segment[PLAN_SEGMENTS]; /* whole rows */
} plan_t;

/*
 * Chooses; `columns` is 0, or how many cells a row shall have. `most` is how many cells the picture
 * may have. TOOL_WRONG after a message when the memory takes more.
 */
int plan_make(plan_t *plan, const pieces_t *pieces, const survey_t *survey, const facts_t *facts,
              int64_t columns, int64_t most);

#endif
