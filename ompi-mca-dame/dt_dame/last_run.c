/* SPDX-License-Identifier: BSD-3-Clause */
/* The last run, for ompi_info. */
#include "record.h"

#include <inttypes.h>
#include <time.h>

enum { BUSIEST = 10 };

static void write_last_run_row(FILE *out, int i, const dt_dame_sum_row_t *row)
{
    const int64_t code = row->moved[DAME_WORK_PACK][DAME_TIER_CODE].uses +
                         row->moved[DAME_WORK_UNPACK][DAME_TIER_CODE].uses;
    const int64_t opal = row->moved[DAME_WORK_PACK][DAME_TIER_NATIVE].uses +
                         row->moved[DAME_WORK_UNPACK][DAME_TIER_NATIVE].uses;
    const char *tier = opal > code ? "opal" : code > 0 ? "code" : "interp";
    int64_t uses = 0, left = 0;
    for (int work = 0; work < DAME_WORKS; work++) {
        for (int by = 0; by < DAME_TIERS; by++) {
            uses += row->moved[work][by].uses;
        }
        uses += row->left_uses[work];
        left += row->left_uses[work];
    }
    tier = 2 * left > uses ? "opal" : tier;
    char name[4 * DAME_TALLY_NAME]; /* a value ends with its line */
    fprintf(out, "datatype_%d=%s: %s, %" PRId64 " uses, %" PRId64 " bytes, %s\n", i,
            row->name[0] == '\0' ? "(no name)" : dt_name_text(row->name, name, sizeof(name)),
            row->words, uses, row->bytes, tier);
}

void dt_dame_write_last_run(const dt_dame_sum_t *sum, FILE *out)
{
    char when[40] = "";
    char program[4 * sizeof(sum->first.program)];
    const time_t now = time(NULL);
    struct tm broken;
    double uses = 0, bytes = 0;
    if (localtime_r(&now, &broken) != NULL) {
        (void) strftime(
            when, sizeof(when),
            sum->still_runs ? "running at %Y-%m-%d %H:%M:%S %z" : "%Y-%m-%d %H:%M:%S %z", &broken);
    }
    for (int work = 0; work < DAME_WORKS; work++) {
        for (int tier = 0; tier < DAME_TIERS; tier++) {
            uses += sum->uses[work][tier].sum;
            bytes += sum->bytes[work][tier].sum;
        }
    }
    fprintf(out,
            "program=%s\nended=%s\nranks=%d of "
            "%d\nuses=%.0f\nbytes=%.0f\npercent=%.1f\npromotions=%.0f\n",
            dt_name_text(sum->first.program, program, sizeof(program)), when, sum->found,
            sum->ranks, uses, bytes, 100 * dt_dame_share(sum),
            sum->code[DAME_CODE_STAT_compiled_pack].sum +
                sum->code[DAME_CODE_STAT_compiled_unpack].sum);
    const dt_dame_compared_t compared = dt_dame_compare(sum);
    if (compared.bytes <= 0) {
        fprintf(out, "seconds_saved=not estimated: %s\n",
                sum->report == MCA_DT_DAME_REPORT_NONE ? "dt_dame_report was none"
                                                       : "Open MPI's engine was never timed");
    } else if (dt_dame_compared_part(sum, &compared) < DT_DAME_ENOUGH) {
        fprintf(out,
                "seconds_saved=not known: Open MPI's engine was timed for %.0f %% of the bytes\n",
                100 * dt_dame_compared_part(sum, &compared));
    } else {
        fprintf(out, "seconds_saved=%.6f\n",
                (compared.native - compared.dame - dt_dame_set_up(sum)) / 1e9);
    }
    for (int i = 0; i < BUSIEST; i++) {
        if (i < sum->nrows) {
            write_last_run_row(out, i + 1, &sum->rows[i]);
        } else {
            fprintf(out, "datatype_%d=none\n", i + 1);
        }
    }
}
