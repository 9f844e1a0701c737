/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a message does to memory, in numbers.
 *
 * A *region* is a contiguous range of memory that is touched; pieces that touch or overlap make one
 * region. A *gap* lies between two regions. A *step* leads from the start of a piece to the start
 * of the next one in the stream. Lines and pages are counted as if the user buffer started at one.
 */
#ifndef SURVEY_H
#define SURVEY_H

#include "pieces.h"

enum { SURVEY_LINE = 64, SURVEY_PAGE = 4096, SURVEY_STEPS = 4, SURVEY_GAPS = 17 };

typedef struct range {
    int64_t address;
    int64_t length;
} range_t;

/* n values. With n == 0 the others are 0. */
typedef struct spread {
    int64_t n;
    int64_t min, median, max;
} spread_t;

/* Use of memory in units of a cache line or a page. */
typedef struct units {
    int64_t size;    /* bytes of one */
    int64_t touched; /* different ones */
    int64_t visits;  /* how often the stream goes to one that is not the one before */
} units_t;

typedef struct step {
    int64_t bytes;
    int64_t times;
} step_t;

typedef struct survey {
    int64_t bytes;    /* of all pieces */
    int64_t distinct; /* of memory; less than bytes where some is sent twice */
    int64_t regions;
    spread_t pieces; /* lengths */
    spread_t gaps;   /* lengths */
    units_t lines, pages;
    int64_t steps;                /* between pieces that follow each other */
    int64_t forward;              /* steps that do not lead back */
    int64_t ordinary;             /* how many of common[] are set */
    step_t common[SURVEY_STEPS];  /* the steps met most often, most frequent first */
    int64_t median_step;          /* of their absolute values */
    int64_t long_gaps;            /* how many of longest[] are set */
    range_t longest[SURVEY_GAPS]; /* the longest gaps, longest first */
    range_t *sorted;              /* all pieces by address, pieces.n of them */
} survey_t;

/* TOOL_SYSTEM after a message when memory is out. The caller frees with survey_fini(). */
int survey_init(survey_t *survey, const pieces_t *pieces);
void survey_fini(survey_t *survey);

/*
 * Walks the regions by address: `region` is called for each, `twice` for each range that is in more
 * than one piece (a range in three pieces is given twice). Either may be NULL.
 */
typedef void (*range_fn)(void *context, int64_t address, int64_t length);
void survey_regions(const survey_t *survey, range_fn region, range_fn twice, void *context);

#endif
