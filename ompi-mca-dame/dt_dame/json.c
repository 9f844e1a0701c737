/* SPDX-License-Identifier: BSD-3-Clause */
/* The report as JSON. */
#include "record.h"

#include <ctype.h>
#include <inttypes.h>
#include <time.h>

static void write_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (int n; *text != '\0'; text += n > 0 ? n : 1) {
        n = dt_name_character(text);
        if (n == 0) { /* names are bytes, of no known encoding */
            fprintf(out, "\\u%04x", (unsigned char) *text);
        } else {
            fprintf(out, "%s%.*s", *text == '"' || *text == '\\' ? "\\" : "", n, text);
        }
    }
    fputc('"', out);
}

static void write_range(FILE *out, const char *comma, const char *name, const dt_dame_sum_t *sum,
                        const dt_dame_range_t *range)
{
    fprintf(out, "%s\n    ", comma);
    write_string(out, name);
    fprintf(out, ": {\"min\": %.0f, \"mean\": %.10g, \"max\": %.0f, \"sum\": %.0f}", range->min,
            range->sum / sum->found, range->max, range->sum);
}

static const char *const works[DAME_WORKS] = {"pack", "unpack", "copy"};
static const char *const tiers[DAME_TIERS] = {"interp", "code", "opal"};

static void write_counters(FILE *out, const dt_dame_sum_t *sum)
{
    const char *comma = "";
    fputs("  \"counters\": {", out);
    for (int i = 0; i < DT_COUNTERS; i++) {
        write_range(out, comma, dt_counter_name((dt_counter_t) i), sum, &sum->counters[i]);
        comma = ",";
    }
    for (int i = 0; i < DAME_CODE_STATS; i++) {
        write_range(out, comma, dame_code_stat_name((dame_code_stat_t) i), sum, &sum->code[i]);
    }
    for (int work = 0; work < DAME_WORKS; work++) {
        char estimate[32];
        (void) snprintf(estimate, sizeof(estimate), "%s_ns", works[work]);
        write_range(out, comma, estimate, sum, &sum->ns[work]);
        for (int tier = 0; tier < (work == DAME_WORK_COPY ? 1 : DAME_TIERS); tier++) {
            char name[64];
            (void) snprintf(name, sizeof(name), "%s_%s_uses", works[work], tiers[tier]);
            write_range(out, comma, name, sum, &sum->uses[work][tier]);
            (void) snprintf(name, sizeof(name), "%s_%s_bytes", works[work], tiers[tier]);
            write_range(out, comma, name, sum, &sum->bytes[work][tier]);
        }
    }
    fputs("\n  },\n  \"declined\": {", out);
    comma = "";
    for (int i = 1; i < DT_DECLINES; i++) {
        char name[64];
        (void) snprintf(name, sizeof(name), "%s", dt_decline_name((dt_decline_t) i));
        for (char *c = name; *c != '\0'; c++) {
            *c = (char) tolower((unsigned char) *c);
        }
        write_range(out, comma, name, sum, &sum->declined[i]);
        comma = ",";
    }
    fputs("\n  },\n", out);
}

/* null: without samples. */
static void write_rate(FILE *out, const dt_dame_amount_t *amount)
{
    if (amount->timed_bytes > 0) {
        fprintf(out, "%.6g", amount->ns / amount->timed_bytes);
    } else {
        fputs("null", out);
    }
}

/* Writes the history of the lowest rank that has one. */
static void write_history(FILE *out, const dame_history_t *history)
{
    fputs(",\n        \"history\": [", out);
    for (int i = 0; i < history->nsteps; i++) {
        fprintf(out, "%s{\"use\": %" PRId64 ", \"code\": \"%s\"}", i == 0 ? "" : ", ",
                history->steps[i].use, history->steps[i].code);
    }
    fputs("], \"cycles_per_byte\": {", out);
    for (int i = 0; i < history->ncosts; i++) {
        fprintf(out, "%s\"%s\": %.4g", i == 0 ? "" : ", ", history->costs[i].code,
                history->costs[i].ticks);
    }
    fputc('}', out);
}

static void write_work(FILE *out, const dt_dame_sum_row_t *row, int work)
{
    fprintf(out, ",\n     \"%s\": {", works[work]);
    for (int tier = 0; tier < (work == DAME_WORK_COPY ? 1 : DAME_TIERS); tier++) {
        const dt_dame_amount_t *moved = &row->moved[work][tier];
        fprintf(out, "\"%s\": {\"uses\": %" PRId64 ", \"bytes\": %" PRId64 ", \"ns_per_byte\": ",
                tiers[tier], moved->uses, moved->bytes);
        write_rate(out, moved);
        fputs("}, ", out);
    }
    fputs("\"native_ns_per_byte\": ", out);
    write_rate(out, &row->native[work]);
    if (work != DAME_WORK_COPY) {
        write_history(out, &row->history[work]);
    }
    if (work != DAME_WORK_COPY) {
        fprintf(out, ", \"compiled_at_use\": %" PRId64 ", \"compiled_on_ranks\": %d",
                row->compiled_at[work], row->compiled_ranks[work]);
    }
    fputc('}', out);
}

/* The members of an object. */
static void write_compared(FILE *out, const dt_dame_compared_t *compared)
{
    fprintf(out, "\"bytes\": %.0f, \"dame_ns\": %.0f, \"native_ns\": %.0f, \"error_ns\": %.0f",
            compared->bytes, compared->dame, compared->native, dt_dame_error(compared));
}

static void write_json_row(FILE *out, const char *comma, const dt_dame_sum_row_t *row)
{
    const dt_dame_compared_t compared = dt_dame_compare_row(row);
    fprintf(out, "%s\n    {\"name\": ", comma);
    write_string(out, row->name);
    fputs(", \"layout\": ", out);
    write_string(out, row->words);
    fprintf(out,
            ", \"size\": %" PRId64 ", \"ranks\": %d, \"datatypes\": %" PRId64
            ", \"bytes\": %" PRId64,
            row->size, row->ranks, row->datatypes, row->bytes);
    for (int work = 0; work < DAME_WORKS; work++) {
        write_work(out, row, work);
    }
    fputs(",\n     \"left\": {", out);
    for (int work = 0; work < DAME_WORKS; work++) {
        fprintf(out, "\"%s_uses\": %" PRId64 ", \"%s_bytes\": %" PRId64 ", ", works[work],
                row->left_uses[work], works[work], row->left_bytes[work]);
    }
    fprintf(out, "\"why\": \"%s\"}", row->left_why == 0 ? "" : dt_left_text(row->left_why));
    fprintf(out, ",\n     \"compile_ns\": %" PRId64 ", \"demoted\": %" PRId64 ", \"compared\": {",
            row->compile_ns, row->demoted);
    write_compared(out, &compared);
    fputs("}}", out);
}

void dt_dame_write_json(const dt_dame_sum_t *sum, FILE *out)
{
    const dt_dame_compared_t compared = dt_dame_compare(sum);
    fprintf(out, "{\n  \"format\": 1,\n  \"dame\": \"%s\",\n  \"program\": ", sum->first.version);
    write_string(out, sum->first.program);
    fputs(",\n  \"state\": ", out);
    write_string(out, sum->first.state);
    fprintf(out,
            ",\n  \"%s\": %lld,\n  \"clock_ghz\": %.4f,\n  \"seconds\": %.6f,\n  \"ranks\": "
            "%d,\n  \"reporting\": %d,\n",
            sum->still_runs ? "running" : "ended", (long long) time(NULL), sum->first.ghz,
            sum->first.seconds, sum->ranks, sum->found);
    write_counters(out, sum);
    fputs("  \"events\": ", out);
    write_string(out, sum->first.events);
    fputs(",\n  \"datatypes\": [", out);
    for (int i = 0; i < sum->nrows; i++) {
        write_json_row(out, i == 0 ? "" : ",", &sum->rows[i]);
    }
    fprintf(out, "\n  ],\n  \"share_of_bytes\": %.4f,\n  \"compared\": {", dt_dame_share(sum));
    write_compared(out, &compared);
    fprintf(out,
            ", \"part\": %.4f, \"set_up_ns\": %.0f},\n  \"all_ranks\": {\"run_ns\": %.0f, "
            "\"moving_ns\": %.0f, \"cpu_ns\": %.0f, \"waited_for_cpu_ns\": %.0f}\n}\n",
            dt_dame_compared_part(sum, &compared), dt_dame_set_up(sum), 1e9 * sum->seconds,
            dt_dame_moving(sum), 1e9 * sum->ran, 1e9 * sum->waited);
}
