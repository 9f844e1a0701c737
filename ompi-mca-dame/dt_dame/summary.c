/* The report as one page of text. */
#include "record.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

enum { SHOWN_ROWS = 8, WIDTH = 80 };

static const char *const works[DT_WORKS] = {"pack", "unpack", "copy"};

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
    (void) snprintf(text, NUMBER, "%.*f %s", 0 == unit && value == (int64_t) value ? 0 : digits,
                    value, units[unit]);
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

/* What a byte costs: nanoseconds for 1000 bytes, which are microseconds for a megabyte. */
static const char *rate_text(const dt_dame_amount_t *amount, char text[NUMBER])
{
    if (amount->timed_bytes <= 0) {
        return "?";
    }
    const double rate = 1000 * amount->ns / amount->timed_bytes;
    (void) snprintf(text, NUMBER, "%.*f", rate < 9.995 ? 2 : rate < 99.95 ? 1 : 0, rate);
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

static void write_moved(FILE *out, const char *what, const dt_dame_sum_t *sum, dt_work_t work,
                        dt_counter_t messages, dt_counter_t bytes)
{
    write_counter(out, what, sum, messages, count_text);
    write_counter(out, "  bytes", sum, bytes, bytes_text);
    if (sum->ns[work].sum > 0) {
        write_range(out, "  time, estimated", sum, &sum->ns[work], time_text);
    }
}

static void write_ranges(FILE *out, const dt_dame_sum_t *sum)
{
    fprintf(out, "\n  %-26s %12s %12s %12s %12s\n", "per rank", "min", "mean", "max", "all ranks");
    write_moved(out, "messages packed", sum, DT_PACK, DT_COUNT_messages_packed,
                DT_COUNT_bytes_packed);
    write_moved(out, "messages unpacked", sum, DT_UNPACK, DT_COUNT_messages_unpacked,
                DT_COUNT_bytes_unpacked);
    if (sum->counters[DT_COUNT_messages_copied].sum > 0) {
        write_moved(out, "local copies", sum, DT_COPY, DT_COUNT_messages_copied,
                    DT_COUNT_bytes_copied);
    }
    write_counter(out, "messages left to Open MPI", sum, DT_COUNT_messages_declined, count_text);
    write_counter(out, "datatypes imported", sum, DT_COUNT_types_imported, count_text);
    write_counter(out, "  time", sum, DT_COUNT_import_ns, time_text);
    if (sum->counters[DT_COUNT_verified].sum > 0) {
        write_counter(out, "fragments compared", sum, DT_COUNT_verified, count_text);
        write_counter(out, "  differences", sum, DT_COUNT_differences, count_text);
    }
    const dt_dame_range_t *compile = &sum->code[DT_CODE_compile_ns];
    if (compile->sum > 0) {
        dt_dame_range_t programs = sum->code[DT_CODE_compiled_pack];
        programs.min += sum->code[DT_CODE_compiled_unpack].min;
        programs.max += sum->code[DT_CODE_compiled_unpack].max;
        programs.sum += sum->code[DT_CODE_compiled_unpack].sum;
        write_range(out, "programs compiled", sum, &programs, count_text);
        write_range(out, "  time", sum, compile, time_text);
    }
    if (sum->code[DT_CODE_code_evicted].sum > 0) {
        write_range(out, "  evicted", sum, &sum->code[DT_CODE_code_evicted], count_text);
    }
}

/* ---- Datatypes ------------------------------------------------------------------------------ */

static void write_work(FILE *out, const dt_dame_sum_row_t *row, int work)
{
    const dt_dame_amount_t *interp = &row->moved[work][DT_INTERP];
    const dt_dame_amount_t *code = &row->moved[work][DT_CODE];
    char a[NUMBER], b[NUMBER], c[NUMBER];
    if (0 == interp->uses + code->uses) {
        return;
    }
    fprintf(out, "    %-6s  %9" PRId64 " uses: interp %s", works[work], interp->uses + code->uses,
            rate_text(interp, a));
    if (code->uses > 0) {
        fprintf(out, ", code from use %" PRId64 " %s", row->compiled_at[work], rate_text(code, b));
    }
    fprintf(out, "; Open MPI %s\n", rate_text(&row->native[work], c));
}

/* What compiling cost, and after how many uses it was repaid. */
static void write_compiled(FILE *out, const dt_dame_sum_row_t *row)
{
    const int compiled = row->compiled_ranks[0] + row->compiled_ranks[1];
    char text[NUMBER];
    double saves = 0; /* ns in a use, of the directions that were compiled */
    if (0 == compiled) {
        return;
    }
    for (int dir = 0; dir < 2; dir++) {
        const dt_dame_amount_t *interp = &row->moved[dir][DT_INTERP];
        const dt_dame_amount_t *code = &row->moved[dir][DT_CODE];
        if (interp->timed_bytes > 0 && code->timed_bytes > 0 && code->uses > 0) {
            saves += (interp->ns / interp->timed_bytes - code->ns / code->timed_bytes) *
                     (double) code->bytes / (double) code->uses / 2;
        }
    }
    const double cost = (double) row->compile_ns / compiled;
    fprintf(out, "    compiled in %s", time_text(cost, text));
    if (saves > 0) {
        fprintf(out, ", repaid after %.0f uses\n", cost / saves + 0.5);
    } else {
        fputs(", not repaid\n", out);
    }
}

static void write_row(FILE *out, const dt_dame_sum_row_t *row)
{
    char size[NUMBER], bytes[NUMBER], text[NUMBER];
    double dame, native, compared;
    fprintf(out, "\n  %.*s  (%.*s, %s)  %s on %d rank%s", 28,
            '\0' == row->name[0] ? "(no name)" : row->name, 28, row->words,
            bytes_text((double) row->size, size), bytes_text((double) row->bytes, bytes),
            row->ranks, 1 == row->ranks ? "" : "s");
    fputc('\n', out);
    for (int work = 0; work < DT_WORKS; work++) {
        write_work(out, row, work);
    }
    write_compiled(out, row);
    dt_dame_compare_row(row, &dame, &native, &compared);
    if (compared > 0) {
        fprintf(out, "    %s %s\n", dame <= native ? "saved" : "LOST",
                time_text(dame <= native ? native - dame : dame - native, text));
    }
}

static void write_rows(FILE *out, const dt_dame_sum_t *sum)
{
    fprintf(out,
            "\n  datatypes, busiest first; ns for 1000 bytes (1000 is 1 GB/s, 100 is 10 GB/s)\n");
    for (int i = 0; i < sum->nrows && i < SHOWN_ROWS; i++) {
        write_row(out, &sum->rows[i]);
    }
    if (sum->nrows > SHOWN_ROWS) {
        fprintf(out, "\n  and %d more, which json lists\n", sum->nrows - SHOWN_ROWS);
    }
}

/* ---- What it bought, and what was left ------------------------------------------------------ */

static void write_comparison(FILE *out, const dt_dame_sum_t *sum)
{
    double dame, native, compared, all = 0;
    char a[NUMBER], b[NUMBER];
    dt_dame_compare(sum, &dame, &native, &compared);
    for (int i = 0; i < sum->nrows; i++) {
        all += (double) sum->rows[i].bytes;
    }
    if (compared <= 0) {
        return;
    }
    fprintf(out,
            "\n  DAME moved the data in %s; Open MPI's own engine would take %s\n"
            "  (estimated by samples for %.0f %% of the bytes)\n",
            time_text(dame, a), time_text(native, b), 100 * compared / all);
    const double cost = dt_dame_set_up(sum);
    const double saved = native - dame - cost;
    fprintf(out, "  importing and compiling cost %s; in all DAME %s %s\n", time_text(cost, a),
            saved >= 0 ? "saved" : "LOST", time_text(saved >= 0 ? saved : -saved, b));
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
    if ('\0' != sum->first.limit[0]) {
        fprintf(out, "  the first datatype beyond a limit has %s\n", sum->first.limit);
    }
    static const struct {
        dt_counter_t counter;
        const char *text;
    } refusals[] = {
        {DT_COUNT_compile_full, "the code cache was full (dt_dame_code_cache_size)"},
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
                "    try --mca btl_vader_max_send_size 131072\n",
                sum->counters[DT_COUNT_types_wide_columns].sum);
    }
}

/* Clauses, as many to a line as fit. */
static void write_wrapped(FILE *out, const char *text)
{
    size_t used = 0;
    while ('\0' != *text) {
        const size_t length = strcspn(text, ";");
        const size_t clause = length + (';' == text[length]);
        if (0 != used && used + clause > WIDTH - 2) {
            fputs("\n", out);
            used = 0;
            text += ' ' == *text;
            continue;
        }
        fprintf(out, "%s%.*s", 0 == used ? "  " : "", (int) clause, text);
        used += clause;
        text += clause;
    }
    fputc('\n', out);
}

void dt_dame_write_summary(const dt_dame_sum_t *sum, FILE *out)
{
    char when[32] = "";
    char seconds[NUMBER];
    const time_t now = time(NULL);
    struct tm broken;
    const char *slash = strrchr(sum->first.program, '/');
    if (NULL != localtime_r(&now, &broken)) {
        (void) strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &broken);
    }
    fprintf(out, "DAME report: %.*s, %d of %d ranks, %s, %s\n", 30,
            NULL == slash ? sum->first.program : slash + 1, sum->found, sum->ranks,
            time_text(1e9 * sum->first.seconds, seconds), when);
    write_wrapped(out, sum->first.state);
    if (sum->found < sum->ranks) {
        fprintf(out, "  the other %d ranks did not use DAME, or did not reach MPI_Finalize\n",
                sum->ranks - sum->found);
    }
    write_ranges(out, sum);
    write_rows(out, sum);
    write_comparison(out, sum);
    write_declined(out, sum);
}
