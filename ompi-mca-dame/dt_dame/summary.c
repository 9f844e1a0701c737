/* SPDX-License-Identifier: BSD-3-Clause */
/* The report as one page of text. */
#include "record.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "base/busy.h"

enum { SHOWN_ROWS = 5, SHORT_ROWS = 40, WIDTH = 80 };

static const char *const works[DAME_WORKS] = {"pack", "unpack", "copy"};

/* ---- Numbers -------------------------------------------------------------------------------- */

enum { NUMBER = 16 };

static const char *with_unit(double value, const char *const units[], int last, double step,
                             char text[NUMBER])
{
    int unit = 0;
    while (unit < last && value >= 0.9995 * step) {
        value /= step;
        unit++;
    }
    const int digits = (value < 9.995) + (value < 99.95);
    (void) snprintf(text, NUMBER, "%.*f %s",
                    unit == 0 && value == (double) (int64_t) value ? 0 : digits, value,
                    units[unit]);
    return text;
}

static const char *bytes_text(double bytes, char text[NUMBER])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    return with_unit(bytes, units, 5, 1000, text);
}

static const char *time_text(double ns, char text[NUMBER])
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    return with_unit(ns, units, 3, 1000, text);
}

static const char *count_text(double count, char text[NUMBER])
{
    (void) snprintf(text, NUMBER, "%.0f", count);
    return text;
}

/* Nanoseconds for a byte. */
static const char *rate_text(const dt_dame_amount_t *amount, char text[NUMBER])
{
    if (amount->timed_bytes <= 0) {
        return "?";
    }
    const double rate = amount->ns / amount->timed_bytes;
    (void) snprintf(text, NUMBER, "%.*f", rate < 0.9995 ? 3 : rate < 9.995 ? 2 : 1, rate);
    return text;
}

/* ---- All ranks ------------------------------------------------------------------------------ */

static void write_range(FILE *out, const char *what, const dt_dame_sum_t *sum,
                        const dt_dame_range_t *range,
                        const char *(*text)(double value, char text[NUMBER]))
{
    char min[NUMBER], mean[NUMBER], max[NUMBER], all[NUMBER];
    fprintf(out, "  %-26s %12s %12s %12s %12s\n", what, text(range->min, min),
            text(range->sum / sum->found, mean), text(range->max, max), text(range->sum, all));
}

static void write_counter(FILE *out, const char *what, const dt_dame_sum_t *sum,
                          dt_counter_t counter,
                          const char *(*text)(double value, char text[NUMBER]))
{
    write_range(out, what, sum, &sum->counters[counter], text);
}

static void write_moved(FILE *out, const char *what, const dt_dame_sum_t *sum, dame_work_t work,
                        dt_counter_t messages, dt_counter_t bytes)
{
    write_counter(out, what, sum, messages, count_text);
    write_counter(out, "  bytes", sum, bytes, bytes_text);
    if (sum->ns[work].sum > 0) {
        write_range(out, "  time, estimated", sum, &sum->ns[work], time_text);
    }
}

static dt_dame_range_t both(const dt_dame_sum_t *sum, dame_code_stat_t pack,
                            dame_code_stat_t unpack)
{
    const dt_dame_range_t *a = &sum->code[pack];
    const dt_dame_range_t *b = &sum->code[unpack];
    return (dt_dame_range_t){a->min + b->min, a->sum + b->sum, a->max + b->max};
}

/* What does not happen in most jobs. */
static void write_if_any(FILE *out, const char *what, const dt_dame_sum_t *sum,
                         const dt_dame_range_t *range,
                         const char *(*text)(double value, char text[NUMBER]))
{
    if (range->sum > 0) {
        write_range(out, what, sum, range, text);
    }
}

static void write_code(FILE *out, const dt_dame_sum_t *sum)
{
    const dt_dame_range_t programs =
        both(sum, DAME_CODE_STAT_compiled_pack, DAME_CODE_STAT_compiled_unpack);
    const dt_dame_range_t found = both(sum, DAME_CODE_STAT_found_pack, DAME_CODE_STAT_found_unpack);
    write_if_any(out, "codes compiled", sum, &programs, count_text);
    write_if_any(out, "  time", sum, &sum->code[DAME_CODE_STAT_compile_ns], time_text);
    write_if_any(out, "  .. making code", sum, &sum->code[DAME_CODE_STAT_compile_make_ns],
                 time_text);
    write_if_any(out, "  .. finding it in files", sum, &sum->code[DAME_CODE_STAT_compile_find_ns],
                 time_text);
    write_if_any(out, "  .. putting it in place", sum, &sum->code[DAME_CODE_STAT_compile_place_ns],
                 time_text);
    write_if_any(out, "  found in files", sum, &found, count_text);
    write_if_any(out, "  evicted", sum, &sum->code[DAME_CODE_STAT_code_evicted], count_text);
    write_if_any(out, "programs promoted", sum, &sum->counters[DT_COUNT_promoted], count_text);
    write_if_any(out, "  demoted", sum, &sum->counters[DT_COUNT_demoted], count_text);
    write_if_any(out, "  messages timed", sum, &sum->counters[DT_COUNT_samples], count_text);
}

static void write_ranges(FILE *out, const dt_dame_sum_t *sum)
{
    fprintf(out, "\n  %-26s %12s %12s %12s %12s\n", "per rank", "min", "mean", "max", "all ranks");
    write_moved(out, "messages packed", sum, DAME_WORK_PACK, DT_COUNT_messages_packed,
                DT_COUNT_bytes_packed);
    write_moved(out, "messages unpacked", sum, DAME_WORK_UNPACK, DT_COUNT_messages_unpacked,
                DT_COUNT_bytes_unpacked);
    if (sum->counters[DT_COUNT_messages_copied].sum > 0) {
        write_moved(out, "local copies", sum, DAME_WORK_COPY, DT_COUNT_messages_copied,
                    DT_COUNT_bytes_copied);
    }
    write_range(out, "left to Open MPI", sum, &sum->left, count_text);
    write_if_any(out, "  bytes", sum, &sum->counters[DT_COUNT_bytes_left], bytes_text);
    write_if_any(out, "  before import", sum, &sum->counters[DT_COUNT_messages_before_import],
                 count_text);
    write_if_any(out, "  declined", sum, &sum->counters[DT_COUNT_messages_declined], count_text);
    write_if_any(out, "  copies, faster there", sum, &sum->counters[DT_COUNT_copies_left],
                 count_text);
    write_if_any(out, "moved by opal, faster", sum, &sum->counters[DT_COUNT_messages_native],
                 count_text);
    write_counter(out, "datatypes imported", sum, DT_COUNT_types_imported, count_text);
    write_counter(out, "  time", sum, DT_COUNT_import_ns, time_text);
    if (sum->counters[DT_COUNT_verified].sum > 0) {
        write_counter(out, "fragments compared", sum, DT_COUNT_verified, count_text);
        write_counter(out, "  differences", sum, DT_COUNT_differences, count_text);
        write_if_any(out, "  Open MPI was wrong", sum, &sum->counters[DT_COUNT_native_differences],
                     count_text);
    }
    write_code(out, sum);
    if (sum->left.sum > 0 || sum->counters[DT_COUNT_messages_native].sum > 0) {
        const double percent = 100 * dt_dame_share(sum);
        fprintf(out, "\n  DAME moved %.1f %% of the bytes; %.1f %% stayed with Open MPI's engine\n",
                percent, 100 - percent);
    }
}

/* ---- Datatypes ------------------------------------------------------------------------------ */

enum { VERDICT = 80 };

static const char *verdict_text(double saved, double error, char text[VERDICT])
{
    char a[NUMBER], b[NUMBER];
    const char *amount = time_text(fabs(saved), a);
    const char *off = time_text(error, b);
    if (fabs(saved) <= error) {
        (void) snprintf(text, VERDICT, "no clear difference (%s%s +- %s)", saved < 0 ? "-" : "",
                        amount, off);
    } else {
        (void) snprintf(text, VERDICT, "%s %s +- %s", saved > 0 ? "saved" : "LOST", amount, off);
    }
    return text;
}

/* "interp 3 uses, x:plain at 4, x:prefetch at 37; saved 1.8 ms +- 100 us"; the history is one
 * rank's. */
static void write_history(FILE *out, const dt_dame_sum_row_t *row, int work)
{
    const dame_history_t *history = work == DAME_WORK_COPY ? NULL : &row->history[work];
    const dt_dame_compared_t *compared = &row->compared[work];
    const bool has_steps = history != NULL && history->nsteps > 0;
    char verdict[VERDICT];
    int width = 0;
    if (has_steps) {
        width = fprintf(out, "            interp %" PRId64 " uses", history->steps[0].use - 1);
    }
    for (int i = 0; has_steps && i < history->nsteps; i++) {
        const dame_code_step_t *step = &history->steps[i];
        if (width + 15 + (int) strlen(step->code) > WIDTH - 2) {
            width = fprintf(out, ",\n              ") - 2;
        } else {
            width += fprintf(out, ", ");
        }
        width += fprintf(out, "%s at %" PRId64, step->code, step->use);
    }
    if (compared->bytes > 0) {
        (void) verdict_text(compared->native - compared->dame, dt_dame_error(compared), verdict);
        fprintf(out, "%s%s",
                !has_steps                                      ? "            "
                : width + 2 + (int) strlen(verdict) > WIDTH - 1 ? ";\n              "
                                                                : "; ",
                verdict);
    }
    fputs(has_steps || compared->bytes > 0 ? "\n" : "", out);
}

static void write_work(FILE *out, const dt_dame_sum_row_t *row, int work)
{
    const dt_dame_amount_t *interp = &row->moved[work][DAME_TIER_INTERP];
    const dt_dame_amount_t *code = &row->moved[work][DAME_TIER_CODE];
    const dt_dame_amount_t *opal = &row->moved[work][DAME_TIER_NATIVE];
    const int64_t uses = interp->uses + code->uses + opal->uses;
    char a[NUMBER], b[NUMBER], c[NUMBER];
    if (uses == 0) {
        return;
    }
    fprintf(out, "    %-6s  %9" PRId64 " uses: interp %s", works[work], uses, rate_text(interp, a));
    if (code->uses > 0) {
        fprintf(out, ", code %s", rate_text(code, b));
    }
    if (opal->uses > 0) {
        fprintf(out, ", opal %s", rate_text(opal, b));
    }
    fprintf(out, "; Open MPI %s\n", rate_text(&row->native[work], c));
    write_history(out, row, work);
}

/* "    pack         2000 left to Open MPI: it moves their long blocks as fast" */
static void write_left(FILE *out, const dt_dame_sum_row_t *row)
{
    for (int work = 0; work < DAME_WORKS; work++) {
        if (row->left_uses[work] > 0) {
            fprintf(out, "    %-6s  %9" PRId64 " left to Open MPI: %s\n", works[work],
                    row->left_uses[work], dt_left_text(row->left_why));
        }
    }
}

/* What compiling cost, and after how many uses it was repaid. */
static void write_compiled(FILE *out, const dt_dame_sum_row_t *row)
{
    const int compiled = row->compiled_ranks[0] + row->compiled_ranks[1];
    char text[NUMBER];
    double saves = 0; /* ns in a use, of the directions that were compiled */
    if (compiled == 0) {
        return;
    }
    for (int dir = 0; dir < 2; dir++) {
        const dt_dame_amount_t *interp = &row->moved[dir][DAME_TIER_INTERP];
        const dt_dame_amount_t *code = &row->moved[dir][DAME_TIER_CODE];
        if (interp->timed_bytes > 0 && code->timed_bytes > 0 && code->uses > 0) {
            saves += (interp->ns / interp->timed_bytes - code->ns / code->timed_bytes) *
                     (double) code->bytes / (double) code->uses / 2;
        }
    }
    const double cost = (double) row->compile_ns / compiled;
    fprintf(out, "    compiled in %s", time_text(cost, text));
    if (saves > 0) {
        fprintf(out, ", repaid after %.0f uses", cost / saves + 0.5);
    } else {
        fputs(", not repaid", out);
    }
    if (row->demoted > 0) {
        fprintf(out, "; demoted %" PRId64 " times", row->demoted);
    }
    fputc('\n', out);
}

/* Nanoseconds that its data took; untimed data is assumed to be as fast as the rest. */
static double time_of_row(const dt_dame_sum_row_t *row)
{
    double ns = 0, timed = 0, bytes = 0;
    for (int work = 0; work < DAME_WORKS; work++) {
        for (int tier = 0; tier < DAME_TIERS; tier++) {
            ns += row->moved[work][tier].ns;
            timed += row->moved[work][tier].timed_bytes;
            bytes += (double) row->moved[work][tier].bytes;
        }
    }
    return timed > 0 ? ns * bytes / timed : 0;
}

static void write_summary_row(FILE *out, const dt_dame_sum_t *sum, const dt_dame_sum_row_t *row)
{
    const double run = 1e9 * sum->seconds, ns = time_of_row(row);
    char size[NUMBER], bytes[NUMBER], name[29];
    fprintf(out, "\n  %s  %s on %d rank%s",
            row->name[0] == '\0' ? "(no name)" : dt_name_text(row->name, name, sizeof(name)),
            bytes_text((double) row->bytes, bytes), row->ranks, row->ranks == 1 ? "" : "s");
    if (ns > 0 && run > 0) {
        fprintf(out, ", %.2g %% of the run time", 100 * ns / run);
    }
    fprintf(out, "\n    %s; %s\n", row->words, bytes_text((double) row->size, size));
    for (int work = 0; work < DAME_WORKS; work++) {
        write_work(out, row, work);
    }
    write_left(out, row);
    write_compiled(out, row);
}

/* Returns whether it is certain that DAME took longer than Open MPI's own engine. */
static bool has_lost(const dt_dame_sum_row_t *row)
{
    const dt_dame_compared_t compared = dt_dame_compare_row(row);
    return compared.bytes > 0 && compared.dame - compared.native > dt_dame_error(&compared);
}

/* "  y face  1.57 MB by Open MPI: it moves their long blocks as fast" */
static void write_short_row(FILE *out, const dt_dame_sum_row_t *row)
{
    const dt_dame_compared_t compared = dt_dame_compare_row(row);
    int64_t left = 0, native = 0;
    char bytes[NUMBER], name[29], verdict[VERDICT];
    for (int work = 0; work < DAME_WORKS; work++) {
        left += row->left_bytes[work];
        native += row->moved[work][DAME_TIER_NATIVE].bytes;
    }
    fprintf(out, "  %s  %s by ",
            row->name[0] == '\0' ? "(no name)" : dt_name_text(row->name, name, sizeof(name)),
            bytes_text((double) row->bytes, bytes));
    if (2 * (left + native) > row->bytes) {
        fprintf(out, "Open MPI: %s\n",
                left > native ? dt_left_text(row->left_why) : "it was measured to be faster");
    } else if (compared.bytes > 0) {
        fprintf(out, "DAME: %s\n",
                verdict_text(compared.native - compared.dame, dt_dame_error(&compared), verdict));
    } else {
        fprintf(out, "DAME\n");
    }
}

static void write_rows(FILE *out, const dt_dame_sum_t *sum)
{
    fprintf(out, "\n  datatypes, busiest first; ns/B\n");
    for (int i = 0; i < sum->nrows; i++) {
        if (i < SHOWN_ROWS || has_lost(&sum->rows[i])) {
            write_summary_row(out, sum, &sum->rows[i]);
        }
    }
    int left_out = 0;
    for (int i = SHOWN_ROWS; i < sum->nrows; i++) {
        if (!has_lost(&sum->rows[i]) && ++left_out <= SHORT_ROWS) {
            fputs(left_out == 1 ? "\n" : "", out);
            write_short_row(out, &sum->rows[i]);
        }
    }
    if (left_out > SHORT_ROWS) {
        fprintf(out, "  and %d more, which json lists; none of them LOST\n", left_out - SHORT_ROWS);
    }
}

/* ---- Savings, and data left to Open MPI ----------------------------------------------------- */

static void write_costs(FILE *out, const dt_dame_sum_t *sum)
{
    const double run = 1e9 * sum->seconds, moving = dt_dame_moving(sum),
                 set_up = dt_dame_set_up(sum);
    char a[NUMBER];
    fprintf(out, "\n  CPU time of all ranks together, which ran for %s; estimated by samples\n",
            time_text(run, a));
    fprintf(out, "    moving DAME's bytes        %10s, %.2g %% of the run time\n",
            time_text(moving, a), run > 0 ? 100 * moving / run : 0);
    fprintf(out, "    importing and compiling    %10s, %.2g %%\n", time_text(set_up, a),
            run > 0 ? 100 * set_up / run : 0);
}

/* What has no time of Open MPI's engine has no part in it: a verdict on the whole needs nearly all.
 */
static void write_verdict(FILE *out, const dt_dame_sum_t *sum)
{
    const dt_dame_compared_t compared = dt_dame_compare(sum);
    const double percent = 100 * dt_dame_compared_part(sum, &compared), busy = dt_dame_busy(sum),
                 saved = compared.native - compared.dame, error = dt_dame_error(&compared);
    char a[NUMBER], verdict[VERDICT];
    if (compared.bytes <= 0) {
        fputs("  no verdict: Open MPI's own engine was not timed\n", out);
        return;
    }
    fprintf(out, "    %3.0f %% of those bytes, DAME %9s\n", percent, time_text(compared.dame, a));
    fprintf(out, "      .. Open MPI's own engine %10s\n", time_text(compared.native, a));
    if (percent >= 100 * DT_DAME_ENOUGH) {
        fprintf(out, "  in all: %s\n",
                verdict_text(saved - dt_dame_set_up(sum), dt_dame_error_in_all(sum, &compared),
                             verdict));
    } else {
        fprintf(out,
                "  of these: %s, before importing and compiling\n"
                "  in all: no verdict; Open MPI's engine was not timed for %.0f %% of the "
                "bytes\n",
                verdict_text(saved, error, verdict), 100 - percent);
    }
    if (busy > DAME_BUSY) {
        fprintf(out,
                "  not certain: the machine was busy; ranks waited %.0f %% of the time for a CPU\n",
                100 * busy);
    }
}

static void write_comparison(FILE *out, const dt_dame_sum_t *sum)
{
    if (dt_dame_moving(sum) > 0) {
        write_costs(out, sum);
        write_verdict(out, sum);
    }
}

static void write_declined(FILE *out, const dt_dame_sum_t *sum)
{
    for (int i = 1; i < DT_DECLINES; i++) {
        const double n = sum->declined[i].sum;
        if (n > 0) {
            fprintf(out, "  declined %.0f %s: %s\n", n,
                    dt_decline_is_of_message((dt_decline_t) i) ? "messages" : "datatypes",
                    dt_decline_text((dt_decline_t) i));
        }
    }
    if (sum->first.limit[0] != '\0') {
        fprintf(out, "  the first datatype beyond a limit has %s\n", sum->first.limit);
    }
    static const struct {
        dt_counter_t counter;
        const char *text;
    } refusals[] = {
        {DT_COUNT_compile_full, "the memory for machine code was full (dt_dame_code_cache_size)"},
        {DT_COUNT_compile_denied, "the system denies execution of machine code"},
        {DT_COUNT_compile_memory, "out of memory"},
    };
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        const double n = sum->counters[refusals[i].counter].sum;
        if (n > 0) {
            fprintf(out, "  %.0f programs not compiled: %s\n", n, refusals[i].text);
        }
    }
    if (sum->counters[DT_COUNT_types_wide_columns].sum > 0) {
        fprintf(out,
                "  %.0f datatypes have columns of which fewer than four fit a fragment:\n"
                "    try --mca btl_vader_max_send_size 65536 or 131072, and measure\n",
                sum->counters[DT_COUNT_types_wide_columns].sum);
    }
    if (sum->counters[DT_COUNT_raw_blocks].sum > 0) {
        fprintf(out,
                "  %.0f blocks were moved one by one, by one-sided calls or files:\n"
                "    doc/tuning.md, \"Slow paths outside DAME\"\n",
                sum->counters[DT_COUNT_raw_blocks].sum);
    }
}

static void write_devices(FILE *out, const dt_dame_sum_t *sum)
{
    const dt_dame_range_t *counters = sum->counters;
    char bytes[NUMBER];
    if (counters[DT_COUNT_device_moves].sum > 0) {
        fprintf(out,
                "  on devices: %s in %.0f moves, by %.0f kernels and %.0f copies; see\n"
                "    doc/tuning.md, \"Data on GPUs\"\n",
                bytes_text(counters[DT_COUNT_device_bytes].sum, bytes),
                counters[DT_COUNT_device_moves].sum, counters[DT_COUNT_device_launches].sum,
                counters[DT_COUNT_device_copies].sum);
    }
}

/* Clauses, as many to a line as fit. */
static void write_wrapped(FILE *out, const char *text)
{
    size_t used = 0;
    while (*text != '\0') {
        const size_t length = strcspn(text, ";");
        const size_t clause = length + (text[length] == ';');
        if (used != 0 && used + clause > WIDTH - 2) {
            fputs("\n", out);
            used = 0;
            text += ' ' == *text;
            continue;
        }
        fprintf(out, "%s%.*s", used == 0 ? "  " : "", (int) clause, text);
        used += clause;
        text += clause;
    }
    fputc('\n', out);
}

void dt_dame_write_summary(const dt_dame_sum_t *sum, FILE *out)
{
    char when[32] = "";
    char seconds[NUMBER], program[31];
    const time_t now = time(NULL);
    struct tm broken;
    const char *slash = strrchr(sum->first.program, '/');
    if (localtime_r(&now, &broken) != NULL) {
        (void) strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &broken);
    }
    fprintf(out, "DAME report: %s, %d of %d ranks, %s, %s\n",
            dt_name_text(slash == NULL ? sum->first.program : slash + 1, program, sizeof(program)),
            sum->found, sum->ranks, time_text(1e9 * sum->first.seconds, seconds), when);
    write_wrapped(out, sum->first.state);
    if (sum->found < sum->ranks) {
        fprintf(out,
                "  the other %d ranks did not use DAME, or did not reach MPI_Finalize%s:\n  %s\n",
                sum->ranks - sum->found,
                sum->many_nodes ? ",\n  or do not share $HOME with rank 0" : "", sum->missing);
    }
    write_ranges(out, sum);
    write_rows(out, sum);
    write_comparison(out, sum);
    write_devices(out, sum);
    write_declined(out, sum);
    fputs(sum->first.events, out);
}
