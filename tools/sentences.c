/* SPDX-License-Identifier: BSD-3-Clause */
#include "sentences.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text.h"
#include "cli/tool.h"

enum {
    COLUMNS = 80,
    INDENT = 11, /* of text beside a heading */
    /* Sizes for words, not for decisions: what processors of today have at least. */
    SMALL_CACHE = 32 << 10, /* bytes, first level */
    LARGE_CACHE = 1 << 20,  /* second level */
    TLB_PAGES = 1536
};

/* A paragraph is collected as one string, then wrapped. */
typedef struct paragraph {
    FILE *memory;
    char *text;
    size_t length;
} paragraph_t;

typedef struct teller {
    const pieces_t *pieces;
    const survey_t *survey;
    const facts_t *facts;
    FILE *out;
    paragraph_t now;
    int failed;
} teller_t;

static void begin(teller_t *teller)
{
    teller->now.memory = open_memstream(&teller->now.text, &teller->now.length);
    teller->failed |= teller->now.memory == NULL;
}

__attribute__((format(printf, 2, 3))) static void say(teller_t *teller, const char *format, ...)
{
    if (teller->now.memory != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vfprintf(teller->now.memory, format, arguments);
        va_end(arguments);
    }
}

/* Prints the paragraph, broken at spaces. */
static void end(teller_t *teller, const char *heading)
{
    if (teller->now.memory == NULL) {
        return;
    }
    if (fclose(teller->now.memory) != 0) {
        teller->failed = 1;
        return;
    }
    int column = fprintf(teller->out, "%-*s", INDENT - 1, heading);
    for (char *word = strtok(teller->now.text, " "); word != NULL; word = strtok(NULL, " ")) {
        int length = (int) strlen(word);
        if (column + 1 + length > COLUMNS && column >= INDENT) {
            column = fprintf(teller->out, "\n%*s", INDENT - 1, "") - 1;
        }
        column += fprintf(teller->out, " %s", word);
    }
    fputc('\n', teller->out);
    free(teller->now.text);
}

/* Numbers in sentences: each call within one statement needs a buffer of its own. */
typedef struct buffer {
    char text[TEXT_NUMBER];
} buffer_t;
#define N(number) text_number((buffer_t){{0}}.text, (number))
#define B(bytes)  text_bytes((buffer_t){{0}}.text, (bytes))

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 100;
}

/* "all", "99.6 %", "12.5 %", "less than 0.1 %" */
static const char *share(buffer_t *buffer, double part, double whole)
{
    double value = percent(part, whole);
    if (part >= whole) {
        return "all";
    }
    if (value < 0.1) {
        return "less than 0.1 %";
    }
    snprintf(buffer->text, sizeof(buffer->text), "%.3g %%", value > 99.9 ? 99.9 : value);
    return buffer->text;
}
#define SHARE(part, whole) share(&(buffer_t){{0}}, (double) (part), (double) (whole))

/* ---- what moves ---- */

static void tell_what(teller_t *teller)
{
    const pieces_t *pieces = teller->pieces;
    const tool_bounds_t *bounds = &pieces->datatype->bounds;
    int64_t span = pieces->high - pieces->low, distinct = teller->survey->distinct;
    begin(teller);
    say(teller, "%s %s of %s bytes: %s %s of data", N(pieces->count),
        text_plural(pieces->count, "element", "elements"), N(bounds->size), N(pieces->total),
        text_plural(pieces->total, "byte", "bytes"));
    if (pieces->whole || distinct == span) {
        say(teller, ", which is every byte from %s to %s.", N(pieces->low), N(pieces->high));
    } else {
        say(teller, " in a span of %s bytes, from %s to %s (%s of it).", N(span), N(pieces->low),
            N(pieces->high), SHARE(pieces->total, span));
    }
    if (distinct < teller->survey->bytes) {
        say(teller, " Some bytes are sent more than once: only %s are different ones.",
            N(distinct));
    }
    if (bounds->extent == span && pieces->count == 1) {
        say(teller, " The next element would start right behind.");
    } else {
        say(teller, " Elements are %s bytes apart.", N(bounds->extent));
    }
    end(teller, "Data:");
}

/* ---- pieces ---- */

static void tell_pieces(teller_t *teller)
{
    const spread_t *lengths = &teller->survey->pieces;
    begin(teller);
    if (lengths->n == 1) {
        say(teller, "One contiguous piece.");
    } else if (lengths->min == lengths->max) {
        say(teller, "%s contiguous pieces, each of %s %s.", N(lengths->n), N(lengths->min),
            text_plural(lengths->min, "byte", "bytes"));
    } else {
        say(teller, "%s contiguous pieces of %s to %s bytes, median %s.", N(lengths->n),
            N(lengths->min), N(lengths->max), N(lengths->median));
    }
    end(teller, "Pieces:");
}

/* The steps after the most frequent one, as far as they matter. */
static void tell_other_steps(teller_t *teller)
{
    const survey_t *survey = teller->survey;
    for (int64_t i = 1; i < survey->ordinary && i < 3; i++) {
        if (survey->common[i].times >= survey->steps / 200 + 1) {
            say(teller, ", %s are %s bytes", SHARE(survey->common[i].times, survey->steps),
                N(survey->common[i].bytes));
        }
    }
}

static void tell_steps(teller_t *teller)
{
    const survey_t *survey = teller->survey;
    const step_t *step = survey->common;
    if (survey->steps == 0) {
        return;
    }
    begin(teller);
    if (step->times == survey->steps) {
        say(teller, "Regular: every piece starts %s bytes after the one before.", N(step->bytes));
    } else if (step->times > survey->steps / 10) {
        say(teller, "%s regular: %s of the steps from piece to piece are %s bytes",
            step->times > survey->steps - survey->steps / 4 ? "Mostly" : "Partly",
            SHARE(step->times, survey->steps), N(step->bytes));
        tell_other_steps(teller);
        say(teller, ".");
    } else {
        say(teller,
            "Irregular: no step from piece to piece is frequent; the median one is %s bytes.",
            N(survey->median_step));
    }
    end(teller, "Steps:");
}

static void tell_gaps(teller_t *teller)
{
    const spread_t *gaps = &teller->survey->gaps;
    begin(teller);
    if (gaps->n == 0) {
        say(teller, "None.");
    } else if (gaps->n == 1 || gaps->min == gaps->max) {
        say(teller, "%s %s of %s bytes.", N(gaps->n), text_plural(gaps->n, "gap", "gaps"),
            N(gaps->min));
    } else {
        say(teller, "%s gaps of %s to %s bytes, median %s.", N(gaps->n), N(gaps->min), N(gaps->max),
            N(gaps->median));
    }
    end(teller, "Gaps:");
}

static void tell_order(teller_t *teller)
{
    const survey_t *survey = teller->survey;
    int64_t back = survey->steps - survey->forward;
    if (survey->steps == 0) {
        return;
    }
    const char *once = survey->distinct < survey->bytes ? "" : " once";
    begin(teller);
    if (survey->common[0].bytes == 0 && survey->common[0].times == survey->steps) {
        say(teller, "In place: the stream goes to the same memory again and again.");
        end(teller, "Order:");
        return;
    }
    if (back == 0) {
        say(teller, "Ascending: the stream goes through memory%s, upward", once);
    } else if (survey->forward == 0) {
        say(teller, "Descending: the stream goes through memory%s, downward", once);
    } else if (back <= survey->steps / 3) {
        say(teller, "The stream goes upward through memory in %s sweeps", N(back + 1));
    } else {
        say(teller, "Scattered: the stream goes up and down (%s of its steps lead back)",
            SHARE(back, survey->steps));
    }
    say(teller, "; a typical step is %s bytes.", N(survey->median_step));
    end(teller, "Order:");
}

/* ---- lines and pages ---- */

static double used_of(const survey_t *survey, const units_t *units)
{
    return (double) survey->distinct / ((double) units->touched * (double) units->size);
}

static double visits_of(const units_t *units)
{
    return (double) units->visits / (double) units->touched;
}

static void tell_units(teller_t *teller, const units_t *units, const char *one, const char *many)
{
    const survey_t *survey = teller->survey;
    begin(teller);
    say(teller, "%s %s touched (%s), %s of %s bytes used.", N(units->touched),
        text_plural(units->touched, one, many), B(units->touched * units->size),
        SHARE(used_of(survey, units), 1), text_plural(units->touched, "its", "their"));
    if (visits_of(units) >= 1.05) {
        say(teller, " In stream order each is visited %.1f times on average.", visits_of(units));
    }
    end(teller, units->size == SURVEY_LINE ? "Lines:" : "Pages:");
}

/* ---- the program, and how fast it is ---- */

static void tell_program(teller_t *teller)
{
    begin(teller);
    say(teller, "%s; %s with its tables.", teller->facts->words,
        B((int64_t) teller->facts->optimised.memory));
    end(teller, "Optimised:");
}

/* doc/administrator.md, "Columns of wide matrices" */
static void tell_wide_columns(teller_t *teller)
{
    const int64_t fragment = teller->facts->fragment, column = teller->facts->wide_column;
    if (column == 0) {
        return;
    }
    begin(teller);
    say(teller,
        "The columns of a wide matrix: one of %s bytes, and four exceed a fragment of Open MPI's "
        "shared memory transport (%s bytes), so a fragment uses few bytes of each cache line. "
        "mpirun --mca btl_vader_max_send_size 131072 about halves the time of such messages.",
        N(column), N(fragment));
    end(teller, "Columns:");
}

static void tell_memory(teller_t *teller)
{
    const survey_t *survey = teller->survey;
    double used = used_of(survey, &survey->lines);
    int64_t most = survey->pieces.n - survey->pieces.n / 10;
    if (used > 0.85) {
        say(teller, "Nearly all of the cache lines it touches is data: from memory expect the "
                    "bandwidth of a plain copy.");
    } else if (survey->pieces.max <= SURVEY_LINE && survey->lines.touched >= most) {
        say(teller,
            "Every piece costs a cache line: from memory expect %s of the bandwidth or less.",
            SHARE(used, 1));
    } else {
        say(teller,
            "From memory expect %s of the bandwidth at most: as much of the cache lines it "
            "touches is data.",
            SHARE(used, 1));
    }
}

/* The meaning of lines that are visited again. */
static void tell_visits(teller_t *teller)
{
    const survey_t *survey = teller->survey;
    double bytes = (double) survey->lines.touched * SURVEY_LINE;
    if (visits_of(&survey->lines) < 1.5) {
        return;
    }
    if (bytes <= SMALL_CACHE) {
        say(teller, " Lines are visited again, which is harmless: all of them fit into a "
                    "first-level cache.");
    } else if (bytes <= LARGE_CACHE) {
        say(teller, " Lines are visited again, and all of them fit into a second-level cache but "
                    "not a first-level one: expect its speed for each visit.");
    } else {
        say(teller, " Lines are visited again and do not all fit into a second-level cache: walked "
                    "as the stream goes, lines are loaded several times. This is what the pass "
                    "order is for, which works on loops, not on lists.");
    }
}

static void tell_speed(teller_t *teller)
{
    const survey_t *survey = teller->survey;
    begin(teller);
    if (survey->pieces.n == 1) {
        say(teller, "A plain memory copy.");
    } else {
        tell_memory(teller);
        tell_visits(teller);
        if (survey->pages.touched > TLB_PAGES && used_of(survey, &survey->pages) < 0.125) {
            say(teller, " It touches more pages than the TLB of most processors holds, and little "
                        "of each: address translation costs too.");
        }
    }
    end(teller, "Speed:");
}

int sentences_write(const pieces_t *pieces, const survey_t *survey, const facts_t *facts, FILE *out)
{
    teller_t teller = {.pieces = pieces, .survey = survey, .facts = facts, .out = out};
    if (pieces->walks == 0) {
        fputs("Data:      None: nothing is moved.\n", out);
        return TOOL_OK;
    }
    tell_what(&teller);
    tell_pieces(&teller);
    tell_steps(&teller);
    tell_gaps(&teller);
    tell_order(&teller);
    tell_units(&teller, &survey->lines, "cache line of 64 bytes", "cache lines of 64 bytes");
    tell_units(&teller, &survey->pages, "page of 4096 bytes", "pages of 4096 bytes");
    tell_program(&teller);
    tell_wide_columns(&teller);
    tell_speed(&teller);
    return teller.failed ? tool_error(TOOL_SYSTEM, "no memory for the text") : TOOL_OK;
}
