/* SPDX-License-Identifier: BSD-3-Clause */
/* dame summary: a datatype's layout and advice, in words. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/text.h"
#include "summary.h"
#include "survey.h"

void summary_words(const summary_row_t *row, FILE *out)
{
    fputs(row->layout.facts.words, out);
}

static void say(FILE *out, const char *separator, int *n, const char *text)
{
    fprintf(out, "%s%s", (*n)++ > 0 ? separator : "", text);
}

/* As many as fill a few cache lines: one small element says nothing of them. */
static int64_t elements_of(const summary_row_t *row)
{
    enum { BYTES = 4096 };
    const int64_t extent = row->layout.datatype.bounds.extent;
    return extent > 0 && extent < BYTES ? BYTES / extent : 1;
}

static void advise_memory(const summary_row_t *row, const char *separator, int *n, FILE *out)
{
    pieces_t pieces;
    survey_t survey;
    if (pieces_init(&pieces, &row->layout.datatype, elements_of(row)) != TOOL_OK ||
        survey_init(&survey, &pieces) != TOOL_OK) {
        return;
    }
    char text[200];
    const double lines = (double) survey.lines.touched * SURVEY_LINE;
    const double used = lines > 0 ? (double) survey.distinct / lines : 1;
    if (pieces.whole) {
        say(out, separator, n, "One contiguous block: Open MPI needs no datatype for it.");
    } else if (used < 0.5) {
        snprintf(text, sizeof(text),
                 "Uses %.0f %% of the bytes of each cache line: data that is sent together would "
                 "move faster if it were stored together.",
                 100 * used);
        say(out, separator, n, text);
    }
    if (survey.lines.touched > 0 &&
        (double) survey.lines.visits > 1.5 * (double) survey.lines.touched) {
        say(out, separator, n,
            "Comes back to cache lines it has left: another order of the data in the message would "
            "be cheaper.");
    }
    survey_fini(&survey);
}

void summary_advice(const summary_row_t *row, const char *separator, FILE *out)
{
    enum { MANY = 100 };
    char text[200];
    int n = 0;
    advise_memory(row, separator, &n, out);
    if (row->layout.facts.wide_column > 0) {
        say(out, separator, &n,
            "Columns of a wide matrix: larger fragments help (mpirun --mca btl_vader_max_send_size "
            "131072).");
    }
    if (row->ranks > 0 && row->datatypes / row->ranks >= MANY) {
        snprintf(text, sizeof(text),
                 "Created %" PRId64 " times on each rank: keep one and use it again.",
                 row->datatypes / row->ranks);
        say(out, separator, &n, text);
    }
    if (row->is_native) {
        say(out, separator, &n, "Left to Open MPI's own engine in the end; its file says why.");
    }
    if (row->alive > 0) {
        snprintf(text, sizeof(text),
                 "On %" PRId64 " %s in use when its file was last written: later uses are missing.",
                 row->alive, text_plural(row->alive, "rank", "ranks"));
        say(out, separator, &n, text);
    }
}
