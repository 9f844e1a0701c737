/* SPDX-License-Identifier: BSD-3-Clause */
#include "record.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dame_config.h"
#include "base/busy.h"
#include "measure/clock.h"

/* ---- One rank ------------------------------------------------------------------------------- */

/* As many whole lines as fit. */
static void fill_events(char events[DT_DAME_EVENTS])
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL) {
        return;
    }
    dt_glue_print_events(out);
    if (fclose(out) == 0) {
        length = length < DT_DAME_EVENTS ? length : DT_DAME_EVENTS - 1;
        while (0 < length && text[length - 1] != '\n') {
            length--;
        }
        memcpy(events, text, length);
    }
    free(text);
}

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
    for (int i = 0; i < DAME_CODE_STATS; i++) {
        record->code[i] = dt_code_stat((dame_code_stat_t) i);
    }
    for (int work = 0; work < DAME_WORKS; work++) {
        record->ns[work] = dt_tally_ns((dame_work_t) work);
        for (int tier = 0; tier < DAME_TIERS; tier++) {
            record->uses[work][tier] =
                dt_tally_total((dame_work_t) work, (dame_tier_t) tier, false);
            record->bytes[work][tier] =
                dt_tally_total((dame_work_t) work, (dame_tier_t) tier, true);
        }
    }
    const dame_limit_t limit = dt_stats_limit();
    if (limit.what != NULL) {
        (void) dame_limit_text(&limit, record->limit, sizeof(record->limit));
    }
    fill_events(record->events);
    record->nrows = dt_tally_rows(record->rows, DT_DAME_ROWS);
}

/* ---- All ranks ------------------------------------------------------------------------------ */

static void extend(const dt_dame_sum_t *sum, dt_dame_range_t *range, int64_t value)
{
    const double v = (double) value;
    range->min = sum->found == 0 || v < range->min ? v : range->min;
    range->max = sum->found == 0 || v > range->max ? v : range->max;
    range->sum += v;
}

static dt_dame_sum_row_t *row_for(dt_dame_sum_t *sum, const dame_tally_row_t *row)
{
    for (int i = 0; i < sum->nrows; i++) {
        dt_dame_sum_row_t *at = &sum->rows[i];
        if (at->size == row->size && strcmp(at->name, row->name) == 0 &&
            strcmp(at->words, row->words) == 0) {
            return at;
        }
    }
    if (sum->nrows == DT_DAME_SUM_ROWS) {
        return NULL;
    }
    dt_dame_sum_row_t *at = &sum->rows[sum->nrows++];
    memcpy(at->name, row->name, sizeof(at->name));
    memcpy(at->words, row->words, sizeof(at->words));
    at->size = row->size;
    return at;
}

static void add_amount(dt_dame_amount_t *amount, int64_t uses, int64_t bytes,
                       const dame_rate_t *rate)
{
    amount->uses += uses;
    amount->bytes += bytes;
    if (rate->ns >= 0) {
        amount->timed_bytes += (double) bytes;
        amount->ns += (double) bytes * rate->ns;
    }
}

static void add_compared(dt_dame_compared_t *to, const dt_dame_compared_t *from)
{
    to->bytes += from->bytes;
    to->dame += from->dame;
    to->native += from->native;
    to->error2 += from->error2;
}

/* One rank's. A tier that moved less than half of the data may be without a time; then the rest
 * gives the rate. */
static dt_dame_compared_t compare(const dame_tally_row_t *row, int work)
{
    const dame_rate_t *native = &row->native[work];
    dt_dame_compared_t timed = {0};
    double bytes = 0;
    for (int tier = 0; tier < DAME_TIERS; tier++) {
        const dame_row_moved_t *moved = &row->moved[work][tier];
        const double amount = (double) moved->bytes;
        bytes += amount;
        if (moved->rate.ns >= 0) {
            timed.bytes += amount;
            timed.dame += amount * moved->rate.ns;
            timed.error2 += amount * amount * moved->rate.error2;
        }
    }
    if (native->ns < 0 || timed.bytes <= 0 || 2 * timed.bytes < bytes) {
        return (dt_dame_compared_t){0};
    }
    const double all = bytes / timed.bytes;
    return (dt_dame_compared_t){.bytes = bytes,
                                .dame = timed.dame * all,
                                .native = bytes * native->ns,
                                .error2 =
                                    timed.error2 * all * all + bytes * bytes * native->error2};
}

static void add_row(dt_dame_sum_row_t *at, const dame_tally_row_t *row)
{
    at->ranks++;
    at->datatypes += row->datatypes;
    at->compile_ns += row->compile_ns;
    at->demoted += row->demoted;
    for (int work = 0; work < DAME_WORKS; work++) {
        int64_t uses = 0;
        int64_t bytes = 0;
        for (int tier = 0; tier < DAME_TIERS; tier++) {
            const dame_row_moved_t *moved = &row->moved[work][tier];
            add_amount(&at->moved[work][tier], moved->uses, moved->bytes, &moved->rate);
            uses += moved->uses;
            bytes += moved->bytes;
        }
        add_amount(&at->native[work], uses, bytes, &row->native[work]);
        const dt_dame_compared_t compared = compare(row, work);
        add_compared(&at->compared[work], &compared);
        at->left_uses[work] += row->left_uses[work];
        at->left_bytes[work] += row->left_bytes[work];
        at->bytes += bytes + row->left_bytes[work];
        at->left_why = row->left_uses[work] > 0 ? row->left_why : at->left_why;
    }
    for (int dir = 0; dir < 2; dir++) {
        const int64_t use = row->compiled_at[dir];
        if (at->history[dir].nsteps == 0) {
            at->history[dir] = row->history[dir];
        }
        if (use != 0) {
            at->compiled_ranks[dir]++;
            if (at->compiled_at[dir] == 0 || use < at->compiled_at[dir]) {
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
    const char *comma = length == 0 ? "" : ", ";
    enum { LONGEST = 32 }; /* of one more, and the dots behind it */
    if (end <= sum->next) {
        return;
    }
    if (room < LONGEST) {
        if (room >= sizeof(" ...") && at[-1] != '.') {
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
    if (sum->found == 0) {
        sum->first = *record;
        sum->ranks = record->ranks;
    }
    if (record->report > sum->report) {
        sum->report = record->report;
        memcpy(sum->report_file, record->report_file, sizeof(sum->report_file));
    }
    sum->last_run |= record->last_run;
    sum->seconds += record->seconds;
    sum->ran += record->ran;
    sum->waited += record->waited;
    for (int i = 0; i < DT_COUNTERS; i++) {
        extend(sum, &sum->counters[i], record->counters[i]);
    }
    extend(sum, &sum->left,
           record->counters[DT_COUNT_messages_declined] +
               record->counters[DT_COUNT_messages_before_import] +
               record->counters[DT_COUNT_copies_left]);
    for (int i = 0; i < DT_DECLINES; i++) {
        extend(sum, &sum->declined[i], record->declined[i]);
    }
    for (int i = 0; i < DAME_CODE_STATS; i++) {
        extend(sum, &sum->code[i], record->code[i]);
    }
    for (int work = 0; work < DAME_WORKS; work++) {
        extend(sum, &sum->ns[work], record->ns[work]);
        for (int tier = 0; tier < DAME_TIERS; tier++) {
            extend(sum, &sum->uses[work][tier], record->uses[work][tier]);
            extend(sum, &sum->bytes[work][tier], record->bytes[work][tier]);
        }
    }
    for (int i = 0; i < record->nrows && i < DT_DAME_ROWS; i++) {
        dt_dame_sum_row_t *at = row_for(sum, &record->rows[i]);
        if (at != NULL) {
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

dt_dame_compared_t dt_dame_compare_row(const dt_dame_sum_row_t *row)
{
    dt_dame_compared_t all = {0};
    for (int work = 0; work < DAME_WORKS; work++) {
        add_compared(&all, &row->compared[work]);
    }
    return all;
}

dt_dame_compared_t dt_dame_compare(const dt_dame_sum_t *sum)
{
    dt_dame_compared_t all = {0};
    for (int i = 0; i < sum->nrows; i++) {
        const dt_dame_compared_t row = dt_dame_compare_row(&sum->rows[i]);
        add_compared(&all, &row);
    }
    return all;
}

double dt_dame_compared_part(const dt_dame_sum_t *sum, const dt_dame_compared_t *compared)
{
    double bytes = 0;
    for (int work = 0; work < DAME_WORKS; work++) {
        for (int tier = 0; tier < DAME_TIERS; tier++) {
            bytes += sum->bytes[work][tier].sum;
        }
    }
    return bytes > 0 ? compared->bytes / bytes : 0;
}

double dt_dame_share(const dt_dame_sum_t *sum)
{
    const double native = sum->bytes[DAME_WORK_PACK][DAME_TIER_NATIVE].sum +
                          sum->bytes[DAME_WORK_UNPACK][DAME_TIER_NATIVE].sum;
    const double moved = sum->counters[DT_COUNT_bytes_packed].sum +
                         sum->counters[DT_COUNT_bytes_unpacked].sum +
                         sum->counters[DT_COUNT_bytes_copied].sum;
    const double all = moved + sum->counters[DT_COUNT_bytes_left].sum;
    return all > 0 ? (moved - native) / all : 0;
}

double dt_dame_error(const dt_dame_compared_t *compared)
{
    return sqrt(compared->error2);
}

double dt_dame_error_in_all(const dt_dame_sum_t *sum, const dt_dame_compared_t *compared)
{
    const double part = dt_dame_compared_part(sum, compared);
    const double saved = compared->native - compared->dame;
    const double rest = part > 0 && part < 1 ? saved * (1 / part - 1) : 0;
    return sqrt(compared->error2 + rest * rest);
}

double dt_dame_busy(const dt_dame_sum_t *sum)
{
    return dame_busy((dame_waited_t){sum->ran, sum->waited});
}

double dt_dame_moving(const dt_dame_sum_t *sum)
{
    double ns = 0;
    for (int work = 0; work < DAME_WORKS; work++) {
        ns += sum->ns[work].sum;
    }
    return ns;
}

double dt_dame_set_up(const dt_dame_sum_t *sum)
{
    return sum->counters[DT_COUNT_import_ns].sum + sum->code[DAME_CODE_STAT_compile_ns].sum;
}
