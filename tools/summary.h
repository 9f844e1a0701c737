/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes of a job, as files of dt_dame_dump tell them. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include <stdio.h>

#include "layout.h"

/* Datatypes of one name and one program, on all ranks. */
typedef struct summary_row {
    char *name;  /* as in the file, "" for none */
    char *calls; /* of MPI's constructors, or NULL */
    char *path;  /* of the file of the lowest rank */
    char *text;  /* of the program, to tell rows apart */
    int64_t ranks, lowest, highest;
    int64_t datatypes;
    int64_t alive;                 /* ranks that have not said all their uses */
    int64_t messages[2], bytes[2]; /* packed, unpacked */
    int64_t code[2];               /* bytes of machine code, of the rank that has most; 0: none */
    int is_native;                 /* left to Open MPI's own engine in the end, on a rank */
    tool_layout_t layout;
} summary_row_t;

typedef struct summary {
    summary_row_t *row; /* most bytes first */
    int n;
    int files;
    int64_t bytes;
} summary_t;

/* Sentences on what could be better, one after another, with `separator` between; "" if nothing. */
void summary_advice(const summary_row_t *row, const char *separator, FILE *out);

/* The layout in words. */
void summary_words(const summary_row_t *row, FILE *out);

/* A page of its own: no scripts, no outside references. TOOL_SYSTEM after a message. */
int summary_write_html(const summary_t *summary, FILE *out);

#endif
