/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The verdicts of the report, from records of ranks that are made up here: ompi-mca-dame/dt_dame/
 * record.c and summary.c. Expected values were computed by hand.
 */
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "ompi-mca-dame/dt_dame/record.h"

/* ---- what dt_dame_record_fill() asks others for, which is not tested here ------------------- */

int64_t dt_stats_total(dt_counter_t counter)
{
    return (int64_t) counter;
}

int64_t dt_stats_declined(dt_decline_t reason)
{
    return (int64_t) reason;
}

dame_limit_t dt_stats_limit(void)
{
    return (dame_limit_t){.what = NULL};
}

const char *dt_decline_text(dt_decline_t reason)
{
    (void) reason;
    return "";
}

const char *dt_left_text(int32_t why)
{
    return why == 7 ? "it is as fast" : "?";
}

int64_t dt_code_stat(dame_code_stat_t stat)
{
    return (int64_t) stat;
}

int64_t dt_tally_ns(dame_work_t work)
{
    return (int64_t) work;
}

int64_t dt_tally_total(dame_work_t work, dame_tier_t tier, bool bytes)
{
    return (int64_t) work + (int64_t) tier + bytes;
}

int dt_tally_rows(dame_tally_row_t *rows, int room)
{
    (void) rows;
    return 0 * room;
}

static int event_lines; /* that the rank has to tell, of 20 bytes */

void dt_glue_print_events(FILE *out)
{
    for (int i = 0; i < event_lines; i++) {
        fprintf(out, "  event %10d \n", i);
    }
}

/* ---- records -------------------------------------------------------------------------------- */

enum { RANKS = 2, USES = 1000 };

static const double MB = 1e6;
static const dame_rate_t unknown = {.ns = -1};

static dt_dame_record_t ranks[RANKS];
static dt_dame_sum_t sum;
static char *page;

/* Two ranks that ran for a second each, and have moved nothing. */
static void begin(void)
{
    memset(ranks, 0, sizeof(ranks));
    for (int rank = 0; rank < RANKS; rank++) {
        dt_dame_record_t *record = &ranks[rank];
        record->rank = rank;
        record->ranks = RANKS;
        record->seconds = 1;
        record->ghz = 2; /* so that clock cycles differ from nanoseconds */
    }
}

/* The rank has moved `mb` megabytes of a datatype, of which the report knows two costs. */
static void moved(int rank, const char *name, dame_work_t work, dame_tier_t tier, double mb,
                  dame_rate_t dame, dame_rate_t native)
{
    dt_dame_record_t *record = &ranks[rank];
    dame_tally_row_t *row = &record->rows[0];
    while (row < &record->rows[record->nrows] && strcmp(row->name, name) != 0) {
        row++;
    }
    if (row == &record->rows[record->nrows]) {
        record->nrows++;
        (void) snprintf(row->name, sizeof(row->name), "%s", name);
        for (int i = 0; i < DAME_WORKS * DAME_TIERS; i++) {
            row->moved[i / DAME_TIERS][i % DAME_TIERS].rate = unknown;
        }
        for (int i = 0; i < DAME_WORKS; i++) {
            row->native[i] = unknown;
        }
    }
    row->moved[work][tier] = (dame_row_moved_t){USES, (int64_t) (mb * MB), dame};
    row->native[work] = native;
    record->bytes[work][tier] += (int64_t) (mb * MB);
    record->ns[work] += (int64_t) (mb * MB * (dame.ns < 0 ? 1 : dame.ns));
}

static void set_up(double import_ms, double compile_ms)
{
    ranks[0].counters[DT_COUNT_import_ns] = (int64_t) (import_ms * 1e6);
    ranks[1].code[DAME_CODE_STAT_compile_ns] = (int64_t) (compile_ms * 1e6);
}

static void write_page(void)
{
    size_t size;
    FILE *out;
    free(page);
    memset(&sum, 0, sizeof(sum));
    for (int rank = 0; rank < RANKS; rank++) {
        dt_dame_sum_add(&sum, &ranks[rank]);
    }
    dt_dame_sum_finish(&sum);
    out = open_memstream(&page, &size);
    dt_dame_write_summary(&sum, out);
    fclose(out);
}

static void says(const char *text)
{
    check(strstr(page, text) != NULL, "missing: \"%s\" in\n%s", text, page);
}

static void does_not_say(const char *text)
{
    check(strstr(page, text) == NULL, "found: \"%s\" in\n%s", text, page);
}

/* ---- verdicts ------------------------------------------------------------------------------- */

/* Rank 0: 3 ms instead of 5, rank 1: 4 ms instead of 10; off by 0.3 and 0.4, so together by 0.5. */
static void what_was_timed_on_all_ranks_has_a_verdict(void)
{
    begin();
    moved(0, "a", DAME_WORK_PACK, DAME_TIER_CODE, 1, (dame_rate_t){3, 0}, (dame_rate_t){5, 0.09});
    moved(1, "a", DAME_WORK_PACK, DAME_TIER_CODE, 1, (dame_rate_t){4, 0.16}, (dame_rate_t){10, 0});
    set_up(1, 2);
    write_page();
    says("saved 8.00 ms +- 500 us");
    says("moving DAME's bytes");
    says("7.00 ms, 0.35 % of the run time");
    says("3.00 ms, 0.15 %");
    says("100 % of those bytes, DAME   7.00 ms");
    says("Open MPI's own engine    15.0 ms");
    says("in all: saved 5.00 ms +- 500 us");
    does_not_say("no verdict");
    does_not_say("not certain");
}

static void a_difference_within_the_error_is_none(void)
{
    begin();
    moved(0, "a", DAME_WORK_PACK, DAME_TIER_CODE, 1, (dame_rate_t){3, 0}, (dame_rate_t){5, 0});
    moved(0, "b", DAME_WORK_UNPACK, DAME_TIER_INTERP, 1, (dame_rate_t){6, 2.25},
          (dame_rate_t){5, 1});
    write_page();
    says("saved 2.00 ms +- 0 ns");
    says("no clear difference (-1.00 ms +- 1.80 ms)");
    says("in all: no clear difference (1.00 ms +- 1.80 ms)");
    set_up(5, 0);
    write_page();
    says("in all: LOST 4.00 ms +- 1.80 ms");
}

/* What 1 MB of a costs is known; of the other MB only what DAME took. Importing and compiling is
 * for both, so it must not be subtracted from what the first has saved. */
static void what_has_no_native_time_is_not_mixed_in(void)
{
    begin();
    moved(0, "a", DAME_WORK_PACK, DAME_TIER_CODE, 1, (dame_rate_t){3, 0}, (dame_rate_t){5, 0});
    moved(1, "b", DAME_WORK_PACK, DAME_TIER_CODE, 1, (dame_rate_t){3, 0}, unknown);
    set_up(3, 0);
    write_page();
    says("50 % of those bytes, DAME   3.00 ms");
    says("of these: saved 2.00 ms +- 0 ns, before importing and compiling");
    says("in all: no verdict; Open MPI's engine was not timed for 50 % of the bytes");
    does_not_say("LOST");
}

/* 9 MB have saved 18 ms; the tenth may have saved or lost 2. */
static void a_small_part_that_was_not_timed_makes_the_whole_less_certain(void)
{
    begin();
    moved(0, "a", DAME_WORK_PACK, DAME_TIER_CODE, 9, (dame_rate_t){3, 0}, (dame_rate_t){5, 0});
    moved(1, "b", DAME_WORK_PACK, DAME_TIER_CODE, 1, (dame_rate_t){3, 0}, unknown);
    set_up(3, 0);
    write_page();
    says(" 90 % of those bytes, DAME");
    says("in all: saved 15.0 ms +- 2.00 ms");
    set_up(19, 0);
    write_page();
    says("in all: no clear difference (-1.00 ms +- 2.00 ms)");
}

/* Of one row, the ranks that have no time of the native engine, or none of DAME's for most data. */
static void ranks_without_times_are_not_compared(void)
{
    begin();
    moved(0, "a", DAME_WORK_PACK, DAME_TIER_CODE, 9, (dame_rate_t){1, 0}, (dame_rate_t){2, 0});
    moved(0, "a", DAME_WORK_PACK, DAME_TIER_INTERP, 1, unknown, (dame_rate_t){2, 0});
    moved(1, "a", DAME_WORK_PACK, DAME_TIER_CODE, 6, unknown, (dame_rate_t){2, 0});
    moved(1, "a", DAME_WORK_PACK, DAME_TIER_INTERP, 4, (dame_rate_t){50, 0}, (dame_rate_t){2, 0});
    write_page();
    says("50 % of those bytes, DAME   10.0 ms");
    says("of these: saved 10.0 ms");
    begin();
    moved(0, "a", DAME_WORK_PACK, DAME_TIER_CODE, 9, (dame_rate_t){1, 0}, unknown);
    write_page();
    says("no verdict: Open MPI's own engine was not timed");
    does_not_say("saved");
}

/* Bytes of datatypes that have no row in the record count as well. */
static void datatypes_without_a_row_have_no_verdict(void)
{
    begin();
    moved(0, "a", DAME_WORK_PACK, DAME_TIER_CODE, 1, (dame_rate_t){3, 0}, (dame_rate_t){5, 0});
    ranks[1].bytes[DAME_WORK_UNPACK][DAME_TIER_CODE] = (int64_t) (3 * MB);
    write_page();
    says(" 25 % of those bytes, DAME");
    says("not timed for 75 % of the bytes");
}

static void a_busy_machine_is_told(void)
{
    begin();
    moved(0, "a", DAME_WORK_PACK, DAME_TIER_CODE, 1, (dame_rate_t){3, 0}, (dame_rate_t){5, 0});
    ranks[0].ran = 0.7;
    ranks[0].waited = 0.1;
    ranks[1].ran = 0.8;
    ranks[1].waited = 0.4;
    write_page();
    says("not certain: the machine was busy; ranks waited 25 % of the time for a CPU");
    ranks[0].waited = ranks[1].waited = 0.01;
    write_page();
    does_not_say("not certain");
}

/* Of 12 MB, DAME moves 1 of one datatype and 3 of another, of which Open MPI's engine was faster
 * in 2. */
static void bytes_that_dame_did_not_move_are_told(void)
{
    char text[4096] = "";
    begin();
    moved(0, "a", DAME_WORK_PACK, DAME_TIER_CODE, 1, (dame_rate_t){3, 0}, (dame_rate_t){5, 0});
    moved(0, "b", DAME_WORK_PACK, DAME_TIER_CODE, 1, (dame_rate_t){3, 0}, (dame_rate_t){5, 0});
    moved(0, "b", DAME_WORK_UNPACK, DAME_TIER_NATIVE, 2, (dame_rate_t){5, 0}, (dame_rate_t){5, 0});
    moved(1, "long", DAME_WORK_PACK, DAME_TIER_CODE, 0, unknown, unknown);
    dame_tally_row_t *row = &ranks[1].rows[0];
    row->moved[DAME_WORK_PACK][DAME_TIER_CODE].uses = 0;
    row->left_uses[DAME_WORK_UNPACK] = 40;
    row->left_bytes[DAME_WORK_UNPACK] = (int64_t) (8 * MB);
    row->left_why = 7;
    ranks[0].counters[DT_COUNT_bytes_packed] = (int64_t) (2 * MB);
    ranks[0].counters[DT_COUNT_bytes_unpacked] = (int64_t) (2 * MB);
    ranks[0].counters[DT_COUNT_messages_native] = 1;
    ranks[0].counters[DT_COUNT_messages_declined] = 30;
    ranks[1].counters[DT_COUNT_messages_before_import] = 40;
    ranks[1].counters[DT_COUNT_bytes_left] = (int64_t) (8 * MB);
    write_page();
    says("datatypes, busiest first; ns/B\n");
    says("    pack         1000 uses: interp ?, code 3.00; Open MPI 5.00\n");
    says("DAME moved 16.7 % of the bytes; 83.3 % stayed with Open MPI's engine");
    says("  long  8.00 MB on 1 rank\n");
    says("    unpack         40 left to Open MPI: it is as fast\n");
    says("left to Open MPI                     30           35           40           70\n");
    FILE *out = fmemopen(text, sizeof(text), "w");
    dt_dame_write_last_run(&sum, out);
    fclose(out);
    check(strstr(text, "percent=16.7\n") != NULL &&
              strstr(text, "datatype_1=long: , 40 uses, 8000000 bytes, opal\n") != NULL,
          "%s", text);
    for (char name[2] = "c"; *name < 'h'; (*name)++) { /* more rows than are shown whole */
        moved(0, name, DAME_WORK_PACK, DAME_TIER_CODE, 9, (dame_rate_t){3, 0}, (dame_rate_t){5, 0});
    }
    write_page();
    says("  long  8.00 MB by Open MPI: it is as fast\n");
    says("  b  3.00 MB by Open MPI: it was measured to be faster\n");
    says("  a  1.00 MB by DAME: saved ");
}

static void the_last_run_knows_no_more(void)
{
    char text[4096] = "";
    begin();
    moved(0, "a", DAME_WORK_PACK, DAME_TIER_CODE, 1, (dame_rate_t){3, 0}, (dame_rate_t){5, 0});
    moved(1, "b", DAME_WORK_PACK, DAME_TIER_CODE, 1, (dame_rate_t){3, 0}, unknown);
    write_page();
    FILE *out = fmemopen(text, sizeof(text), "w");
    dt_dame_write_last_run(&sum, out);
    fclose(out);
    check(strstr(text, "seconds_saved=not known: Open MPI's engine was timed for 50 %") != NULL,
          "%s", text);
    ranks[1].rows[0].native[DAME_WORK_PACK] = (dame_rate_t){4, 0};
    write_page();
    out = fmemopen(text, sizeof(text), "w");
    dt_dame_write_last_run(&sum, out);
    fclose(out);
    check(strstr(text, "seconds_saved=0.003000") != NULL, "%s", text);
}

static void the_last_run_says_why_nothing_was_estimated(void)
{
    char text[4096] = "";
    begin();
    moved(0, "a", DAME_WORK_PACK, DAME_TIER_CODE, 1, (dame_rate_t){3, 0}, unknown);
    write_page();
    for (int report = 0; report < 2; report++) {
        sum.report = report ? MCA_DT_DAME_REPORT_JSON : MCA_DT_DAME_REPORT_NONE;
        FILE *out = fmemopen(text, sizeof(text), "w");
        dt_dame_write_last_run(&sum, out);
        fclose(out);
        const char *why = report ? "Open MPI's engine was never timed" : "dt_dame_report was none";
        check(strstr(text, why) != NULL && strstr(text, "seconds_saved=not estimated: ") != NULL,
              "%s", text);
    }
}

/* As many lines as there is room for, none of them cut. */
static void events_are_told_in_whole_lines(void)
{
    const int most = (DT_DAME_EVENTS - 1) / 20;
    for (event_lines = 0; event_lines < most + 2; event_lines += most) {
        begin();
        dt_dame_record_fill(&ranks[0]);
        check(strlen(ranks[0].events) == (size_t) (20 * event_lines), "%d lines", event_lines);
    }
    event_lines = most + 1;
    begin();
    dt_dame_record_fill(&ranks[0]);
    write_page();
    check(strlen(ranks[0].events) == (size_t) (20 * most), "more than fit");
    says("  event          0 \n");
    event_lines = 0;
}

int main(void)
{
    events_are_told_in_whole_lines();
    the_last_run_says_why_nothing_was_estimated();
    what_was_timed_on_all_ranks_has_a_verdict();
    a_difference_within_the_error_is_none();
    what_has_no_native_time_is_not_mixed_in();
    a_small_part_that_was_not_timed_makes_the_whole_less_certain();
    ranks_without_times_are_not_compared();
    datatypes_without_a_row_have_no_verdict();
    a_busy_machine_is_told();
    the_last_run_knows_no_more();
    bytes_that_dame_did_not_move_are_told();
    free(page);
    printf("%ld passed, %ld failed\n", passed, failed);
    return failed != 0;
}
