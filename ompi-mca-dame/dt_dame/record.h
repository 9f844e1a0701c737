/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one rank knows at MPI_Finalize, and all ranks' records added up.
 */
#ifndef DT_DAME_RECORD_H
#define DT_DAME_RECORD_H

#include <stdint.h>
#include <stdio.h>

#include "opal-glue/glue.h"

/* Values of the parameter `report`. */
typedef enum mca_dt_dame_report {
    MCA_DT_DAME_REPORT_NONE,
    MCA_DT_DAME_REPORT_SUMMARY,
    MCA_DT_DAME_REPORT_JSON
} mca_dt_dame_report_t;

/* More datatypes of a rank than that are not in its record. */
enum { DT_DAME_ROWS = 32, DT_DAME_TEXT = 320, DT_DAME_EVENTS = 4096 };

/* Plain data without pointers; written and read by processes of one job. */
typedef struct dt_dame_record {
    char version[16]; /* DAME's */
    int rank;
    int ranks;
    int report;                     /* mca_dt_dame_report_t that this rank was given */
    int last_run;                   /* not 0: it wants the last run to be recorded */
    char report_file[DT_DAME_TEXT]; /* for json */
    char program[DT_DAME_TEXT];     /* its name */
    char state[DT_DAME_TEXT];       /* "on: ..." */
    char limit[128];                /* the first that a datatype exceeded, or "" */
    char events[DT_DAME_EVENTS];    /* hardware events as lines of text, or "" */
    double seconds;                 /* from MPI_Init to MPI_Finalize */
    double ran;    /* of these, seconds that the thread in MPI_Finalize had a CPU */
    double waited; /* .. and that it wanted one in vain; both 0: not known */
    double ghz;    /* of the clock: ticks in a nanosecond */
    int64_t counters[DT_COUNTERS];
    int64_t declined[DT_DECLINES];
    int64_t code[DAME_CODE_STATS];
    int64_t uses[DAME_WORKS][DAME_TIERS]; /* of all datatypes, also of those without a row */
    int64_t bytes[DAME_WORKS][DAME_TIERS];
    int64_t ns[DAME_WORKS]; /* estimated; 0: no report was asked for */
    int nrows;
    dame_tally_row_t rows[DT_DAME_ROWS];
} dt_dame_record_t;

/* ---- All ranks ------------------------------------------------------------------------------ */

typedef struct dt_dame_range {
    double min;
    double sum;
    double max;
} dt_dame_range_t;

/* An amount of data of which a part was timed. */
typedef struct dt_dame_amount {
    int64_t uses;
    int64_t bytes;
    double timed_bytes; /* those of ranks that have samples */
    double ns;          /* that these took */
} dt_dame_amount_t;

/* Nanoseconds that data took in DAME, and would take in Open MPI's own engine: of the data that
 * both were timed for, rank by rank. */
typedef struct dt_dame_compared {
    double bytes; /* 0: no verdict */
    double dame;
    double native;
    double error2; /* of the difference: 19 of 20 are less than the root off */
} dt_dame_compared_t;

/* Datatypes of one name and layout, on all ranks. */
typedef struct dt_dame_sum_row {
    char name[DAME_TALLY_NAME];
    char words[DAME_TALLY_WORDS];
    int64_t size;
    int64_t datatypes;
    int ranks;
    int64_t bytes; /* also those that Open MPI's own engine moved */
    dt_dame_amount_t moved[DAME_WORKS][DAME_TIERS];
    dt_dame_amount_t
        native[DAME_WORKS]; /* the same data; ns: what Open MPI's own engine would take */
    dt_dame_compared_t compared[DAME_WORKS];
    int compiled_ranks[2];  /* [dame_dir_t] */
    int64_t compiled_at[2]; /* the least use */
    int64_t compile_ns;
    int64_t demoted;
    dame_history_t history[2];     /* of the lowest rank that has one */
    int64_t left_uses[DAME_WORKS]; /* of messages that Open MPI's own engine kept */
    int64_t left_bytes[DAME_WORKS];
    int32_t left_why; /* dt_left_text() */
} dt_dame_sum_row_t;

enum { DT_DAME_SUM_ROWS = 128 };

typedef struct dt_dame_sum {
    int found;              /* records */
    int ranks;              /* of the job */
    int next;               /* behind the highest rank so far */
    char missing[64];       /* ranks without a record, "0, 3-5", after dt_dame_sum_finish() */
    bool many_nodes;        /* on which the job ran */
    bool still_runs;        /* the job */
    dt_dame_record_t first; /* the record of the lowest rank */
    int report;             /* the strongest wish of any rank */
    int last_run;
    char report_file[DT_DAME_TEXT];
    dt_dame_range_t counters[DT_COUNTERS];
    dt_dame_range_t left; /* messages and copies that Open MPI's own engine kept */
    dt_dame_range_t declined[DT_DECLINES];
    dt_dame_range_t code[DAME_CODE_STATS];
    dt_dame_range_t uses[DAME_WORKS][DAME_TIERS];
    dt_dame_range_t bytes[DAME_WORKS][DAME_TIERS];
    dt_dame_range_t ns[DAME_WORKS];
    double seconds; /* these three of all ranks */
    double ran;
    double waited;
    int nrows;
    dt_dame_sum_row_t rows[DT_DAME_SUM_ROWS]; /* the most bytes first, after dt_dame_sum_finish() */
} dt_dame_sum_t;

/* Everything but what comes from MPI and the parameters. */
void dt_dame_record_fill(dt_dame_record_t *record);

/* `sum` starts as zeros. In the order of ranks. */
void dt_dame_sum_add(dt_dame_sum_t *sum, const dt_dame_record_t *record);
void dt_dame_sum_finish(dt_dame_sum_t *sum);

/* Compares all data of a row, and all rows. */
dt_dame_compared_t dt_dame_compare_row(const dt_dame_sum_row_t *row);
dt_dame_compared_t dt_dame_compare(const dt_dame_sum_t *sum);

/* Part of all bytes moved, also of datatypes that have no row, that `compared` is of: 0 to 1. */
double dt_dame_compared_part(const dt_dame_sum_t *sum, const dt_dame_compared_t *compared);

/* Part of all bytes, except contiguous data, that DAME moved: 0 to 1. */
double dt_dame_share(const dt_dame_sum_t *sum);

/* With less than this part compared the report gives no verdict on the whole: importing and
 * compiling have a cost for all data, but the gain is known only for timed data. */
#define DT_DAME_ENOUGH 0.8

/* Nanoseconds by which a difference may be off; and the same for all data, since untimed data may
 * have saved or lost at the same rate. */
double dt_dame_error(const dt_dame_compared_t *compared);
double dt_dame_error_in_all(const dt_dame_sum_t *sum, const dt_dame_compared_t *compared);

/* Part of the time in which ranks wanted a CPU and did not have one: 0 to 1, < 0: not known. Where
 * it is more than DAME_BUSY, times are not certain. */
double dt_dame_busy(const dt_dame_sum_t *sum);

/* Nanoseconds of all work, estimated. */
double dt_dame_moving(const dt_dame_sum_t *sum);

/* Nanoseconds that it took to import and compile, on all ranks. */
double dt_dame_set_up(const dt_dame_sum_t *sum);

/* ---- Output --------------------------------------------------------------------------------- */

/* One page of 80 columns. */
void dt_dame_write_summary(const dt_dame_sum_t *sum, FILE *out);

/* An object; doc/tuning.md describes its members. */
void dt_dame_write_json(const dt_dame_sum_t *sum, FILE *out);

/* Lines "name=value", the variables dt_dame_last_run_<name> of ompi_info. */
void dt_dame_write_last_run(const dt_dame_sum_t *sum, FILE *out);

#endif
