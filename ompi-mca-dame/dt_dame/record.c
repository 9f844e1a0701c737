#include "record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dame_config.h"
#include "measure/clock.h"

/* ---- One rank ------------------------------------------------------------------------------- */

void dt_dame_record_fill(dt_dame_record_t *record)
{
    (void) snprintf(record->version, sizeof(record->version), "%s", DAME_VERSION);
    (void) snprintf(record->program, sizeof(record->program), "%s", program_invocation_name);
    record->ghz = 1e-9 * (double) dame_clock_hz();
    for (int i = 0; i < DT_COUNTERS; i++) {
        record->counters[i] = dt_stats_total((dt_counter_t) i);
    }
    for (int i = 0; i < DT_DECLINES; i++) {
        record->declined[i] = dt_stats_declined((dt_decline_t) i);
    }
    for (int i = 0; i < DT_CODE_STATS; i++) {
        record->code[i] = dt_code_stat((dt_code_stat_t) i);
    }
    for (int work = 0; work < DT_WORKS; work++) {
        record->ns[work] = dt_tally_ns((dt_work_t) work);
        for (int tier = 0; tier < DT_TIERS; tier++) {
            record->uses[work][tier] = dt_tally_total((dt_work_t) work, (dt_tier_t) tier, false);
            record->bytes[work][tier] = dt_tally_total((dt_work_t) work, (dt_tier_t) tier, true);
        }
    }
    const dame_limit_t limit = dt_stats_limit();
    if (NULL != limit.what) {
        (void) dame_limit_text(&limit, record->limit, sizeof(record->limit));
    }
    record->nrows = dt_tally_rows(record->rows, DT_DAME_ROWS);
}

/* ---- All ranks ------------------------------------------------------------------------------ */

static void extend(const dt_dame_sum_t *sum, dt_dame_range_t *range, int64_t value)
{
    const double v = (double) value;
    range->min = 0 == sum->found || v < range->min ? v : range->min;
    range->max = 0 == sum->found || v > range->max ? v : range->max;
    range->sum += v;
}

static dt_dame_sum_row_t *row_for(dt_dame_sum_t *sum, const dt_tally_row_t *row)
{
    for (int i = 0; i < sum->nrows; i++) {
        dt_dame_sum_row_t *at = &sum->rows[i];
        if (at->size == row->size && 0 == strcmp(at->name, row->name) &&
            0 == strcmp(at->words, row->words)) {
            return at;
        }
    }
    if (DT_DAME_SUM_ROWS == sum->nrows) {
        return NULL;
    }
    dt_dame_sum_row_t *at = &sum->rows[sum->nrows++];
    memcpy(at->name, row->name, sizeof(at->name));
    memcpy(at->words, row->words, sizeof(at->words));
    at->size = row->size;
    return at;
}

static void add_amount(dt_dame_amount_t *amount, int64_t uses, int64_t bytes, double ns_per_byte)
{
    amount->uses += uses;
    amount->bytes += bytes;
    if (ns_per_byte >= 0) {
        amount->timed_bytes += (double) bytes;
        amount->ns += (double) bytes * ns_per_byte;
    }
}

static void add_row(dt_dame_sum_row_t *at, const dt_tally_row_t *row)
{
    at->ranks++;
    at->datatypes += row->datatypes;
    at->compile_ns += row->compile_ns;
    at->undone += row->undone;
    for (int work = 0; work < DT_WORKS; work++) {
        int64_t uses = 0;
        int64_t bytes = 0;
        for (int tier = 0; tier < DT_TIERS; tier++) {
            const dt_row_moved_t *moved = &row->moved[work][tier];
            add_amount(&at->moved[work][tier], moved->uses, moved->bytes, moved->ns_per_byte);
            uses += moved->uses;
            bytes += moved->bytes;
        }
        add_amount(&at->native[work], uses, bytes, row->native[work].ns_per_byte);
        at->bytes += bytes;
    }
    for (int dir = 0; dir < 2; dir++) {
        const int64_t use = row->compiled_at[dir];
        if (0 == at->history[dir].nsteps) {
            at->history[dir] = row->history[dir];
        }
        if (0 != use) {
            at->compiled_ranks[dir]++;
            if (0 == at->compiled_at[dir] || use < at->compiled_at[dir]) {
                at->compiled_at[dir] = use;
            }
        }
    }
}

/* No rank from sum->next up to below `end` has a record. */
static void miss(dt_dame_sum_t *sum, int end)
{
    const size_t length = strlen(sum->missing);
    char *at = sum->missing + length;
    const size_t room = sizeof(sum->missing) - length;
    const char *comma = 0 == length ? "" : ", ";
    enum { LONGEST = 32 }; /* of one more, and the dots behind it */
    if (end <= sum->next) {
        return;
    }
    if (room < LONGEST) {
        if (room >= sizeof(" ...") && '.' != at[-1]) {
            (void) snprintf(at, room, " ...");
        }
    } else if (end == sum->next + 1) {
        (void) snprintf(at, room, "%s%d", comma, sum->next);
    } else {
        (void) snprintf(at, room, "%s%d-%d", comma, sum->next, end - 1);
    }
}

void dt_dame_sum_add(dt_dame_sum_t *sum, const dt_dame_record_t *record)
{
    miss(sum, record->rank);
    sum->next = record->rank + 1;
    if (0 == sum->found) {
        sum->first = *record;
        sum->ranks = record->ranks;
    }
    if (record->report > sum->report) {
        sum->report = record->report;
        memcpy(sum->report_file, record->report_file, sizeof(sum->report_file));
    }
    sum->last_run |= record->last_run;
    for (int i = 0; i < DT_COUNTERS; i++) {
        extend(sum, &sum->counters[i], record->counters[i]);
    }
    for (int i = 0; i < DT_DECLINES; i++) {
        extend(sum, &sum->declined[i], record->declined[i]);
    }
    for (int i = 0; i < DT_CODE_STATS; i++) {
        extend(sum, &sum->code[i], record->code[i]);
    }
    for (int work = 0; work < DT_WORKS; work++) {
        extend(sum, &sum->ns[work], record->ns[work]);
        for (int tier = 0; tier < DT_TIERS; tier++) {
            extend(sum, &sum->uses[work][tier], record->uses[work][tier]);
            extend(sum, &sum->bytes[work][tier], record->bytes[work][tier]);
        }
    }
    for (int i = 0; i < record->nrows && i < DT_DAME_ROWS; i++) {
        dt_dame_sum_row_t *at = row_for(sum, &record->rows[i]);
        if (NULL != at) {
            add_row(at, &record->rows[i]);
        }
    }
    sum->found++;
}

static int compare_rows(const void *a, const void *b)
{
    const int64_t x = ((const dt_dame_sum_row_t *) a)->bytes;
    const int64_t y = ((const dt_dame_sum_row_t *) b)->bytes;
    return (x < y) - (x > y);
}

void dt_dame_sum_finish(dt_dame_sum_t *sum)
{
    miss(sum, sum->ranks);
    qsort(sum->rows, (size_t) sum->nrows, sizeof(sum->rows[0]), compare_rows);
}

void dt_dame_compare_work(const dt_dame_sum_row_t *row, int work, double *dame, double *native,
                          double *bytes)
{
    const dt_dame_amount_t *other = &row->native[work];
    double timed = 0;
    double ns = 0;
    for (int tier = 0; tier < DT_TIERS; tier++) {
        timed += row->moved[work][tier].timed_bytes;
        ns += row->moved[work][tier].ns;
    }
    const bool both = timed > 0 && other->timed_bytes > 0;
    *bytes = both ? (double) other->bytes : 0;
    *dame = both ? ns / timed * *bytes : 0;
    *native = both ? other->ns / other->timed_bytes * *bytes : 0;
}

void dt_dame_compare_row(const dt_dame_sum_row_t *row, double *dame, double *native, double *bytes)
{
    *dame = *native = *bytes = 0;
    for (int work = 0; work < DT_WORKS; work++) {
        double work_dame, work_native, work_bytes;
        dt_dame_compare_work(row, work, &work_dame, &work_native, &work_bytes);
        *dame += work_dame;
        *native += work_native;
        *bytes += work_bytes;
    }
}

void dt_dame_compare(const dt_dame_sum_t *sum, double *dame, double *native, double *bytes)
{
    *dame = *native = *bytes = 0;
    for (int i = 0; i < sum->nrows; i++) {
        double row_dame, row_native, row_bytes;
        dt_dame_compare_row(&sum->rows[i], &row_dame, &row_native, &row_bytes);
        *dame += row_dame;
        *native += row_native;
        *bytes += row_bytes;
    }
}

double dt_dame_set_up(const dt_dame_sum_t *sum)
{
    return sum->counters[DT_COUNT_import_ns].sum + sum->code[DT_CODE_compile_ns].sum;
}
