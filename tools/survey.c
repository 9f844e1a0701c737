/* SPDX-License-Identifier: BSD-3-Clause */
#include "survey.h"

#include <stdlib.h>
#include <string.h>

#include "cli/tool.h"

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0 ? 1 : 0);
}

static int compare_numbers(const void *a, const void *b)
{
    int64_t left = *(const int64_t *) a, right = *(const int64_t *) b;
    return (left > right) - (left < right);
}

static int compare_ranges(const void *a, const void *b)
{
    const range_t *left = a, *right = b;
    if (left->address != right->address) {
        return left->address < right->address ? -1 : 1;
    }
    return (left->length > right->length) - (left->length < right->length);
}

/* ---- spreads ---- */

static void spread_add(spread_t *spread, int64_t value)
{
    spread->min = spread->n == 0 || value < spread->min ? value : spread->min;
    spread->max = spread->n == 0 || value > spread->max ? value : spread->max;
    spread->n++;
}

/* Sorts; a sorted list, as most lists of lengths and gaps are, costs next to nothing. */
static void sort_numbers(int64_t *values, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        if (values[i - 1] > values[i]) {
            qsort(values, (size_t) n, sizeof(*values), compare_numbers);
            return;
        }
    }
}

/* The lower median of n values, which are sorted on the way. */
static int64_t median_of(int64_t *values, int64_t n)
{
    sort_numbers(values, n);
    return values[(n - 1) / 2];
}

/* ---- lines and pages ---- */

typedef struct last_unit {
    int known;
    int64_t number;
} last_unit_t;

/* The units of a range that are not the unit that came last. */
static int64_t new_units(last_unit_t *last, int64_t size, int64_t address, int64_t length)
{
    int64_t first = floor_div(address, size);
    int64_t n = floor_div(address + (length - 1), size) - first + 1;
    int64_t again = last->known && last->number == first;
    last->known = 1;
    last->number = first + n - 1;
    return n - again;
}

/* ---- first walk: the stream ---- */

typedef struct stream {
    survey_t *survey;
    int64_t before; /* where the piece before starts */
    last_unit_t line, page;
    int64_t *steps; /* all of them */
} stream_t;

static void stream_piece(void *context, const piece_t *piece)
{
    stream_t *stream = context;
    survey_t *survey = stream->survey;
    survey->sorted[piece->index] = (range_t){piece->address, piece->length};
    survey->bytes += piece->length;
    spread_add(&survey->pieces, piece->length);
    if (piece->index > 0) {
        int64_t step = piece->address - stream->before;
        survey->forward += step >= 0;
        stream->steps[survey->steps++] = step;
    }
    survey->lines.visits += new_units(&stream->line, SURVEY_LINE, piece->address, piece->length);
    survey->pages.visits += new_units(&stream->page, SURVEY_PAGE, piece->address, piece->length);
    stream->before = piece->address;
}

/* Puts a step among the most frequent ones, of which the first is the most frequent. */
static void note_step(survey_t *survey, step_t step)
{
    int64_t i = survey->ordinary < SURVEY_STEPS ? survey->ordinary++ : SURVEY_STEPS;
    for (; i > 0 && survey->common[i - 1].times < step.times; i--) {
        if (i < SURVEY_STEPS) {
            survey->common[i] = survey->common[i - 1];
        }
    }
    if (i < SURVEY_STEPS) {
        survey->common[i] = step;
    }
}

/* Sorts the steps: first by value for how often each is met, then by length for the median. */
static void rank_steps(survey_t *survey, int64_t *steps)
{
    int64_t n = survey->steps;
    if (n == 0) {
        return;
    }
    sort_numbers(steps, n);
    for (int64_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && steps[next] == steps[i]; next++) {
        }
        note_step(survey, (step_t){steps[i], next - i});
    }
    for (int64_t i = 0; i < n && steps[i] < 0; i++) {
        steps[i] = steps[i] == INT64_MIN ? INT64_MAX : -steps[i];
    }
    survey->median_step = median_of(steps, n);
}

/* ---- second walk: the addresses ---- */

void survey_regions(const survey_t *survey, range_fn region, range_fn twice, void *context)
{
    const range_t *sorted = survey->sorted;
    for (int64_t i = 0, n = survey->pieces.n; i < n;) {
        int64_t start = sorted[i].address, end = start + sorted[i].length;
        for (i++; i < n && sorted[i].address <= end; i++) {
            int64_t behind = sorted[i].address + sorted[i].length;
            int64_t both = (behind < end ? behind : end) - sorted[i].address;
            if (twice != NULL && both > 0) {
                twice(context, sorted[i].address, both);
            }
            end = behind > end ? behind : end;
        }
        if (region != NULL) {
            region(context, start, end - start);
        }
    }
}

typedef struct by_address {
    survey_t *survey;
    int64_t end; /* of the region before */
    last_unit_t line, page;
    int64_t *gaps; /* all of them */
} by_address_t;

static void note_gap(survey_t *survey, range_t gap)
{
    int64_t i = survey->long_gaps < SURVEY_GAPS ? survey->long_gaps++ : SURVEY_GAPS;
    for (; i > 0 && survey->longest[i - 1].length < gap.length; i--) {
        if (i < SURVEY_GAPS) {
            survey->longest[i] = survey->longest[i - 1];
        }
    }
    if (i < SURVEY_GAPS) {
        survey->longest[i] = gap;
    }
}

static void address_region(void *context, int64_t address, int64_t length)
{
    by_address_t *walk = context;
    survey_t *survey = walk->survey;
    if (survey->regions > 0) {
        range_t gap = {walk->end, address - walk->end};
        walk->gaps[survey->gaps.n] = gap.length;
        spread_add(&survey->gaps, gap.length);
        note_gap(survey, gap);
    }
    survey->regions++;
    survey->distinct += length;
    survey->lines.touched += new_units(&walk->line, SURVEY_LINE, address, length);
    survey->pages.touched += new_units(&walk->page, SURVEY_PAGE, address, length);
    walk->end = address + length;
}

/* ---- all of it ---- */

static int is_sorted(const range_t *ranges, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        if (compare_ranges(&ranges[i - 1], &ranges[i]) > 0) {
            return 0;
        }
    }
    return 1;
}

/* `numbers` is room for one number for each piece. */
static int take(survey_t *survey, const pieces_t *pieces, int64_t *numbers)
{
    stream_t stream = {.survey = survey, .steps = numbers};
    int code = pieces_walk(pieces, stream_piece, &stream);
    if (code != TOOL_OK) {
        return code;
    }
    rank_steps(survey, numbers);
    for (int64_t i = 0; i < survey->pieces.n; i++) {
        numbers[i] = survey->sorted[i].length;
    }
    survey->pieces.median = survey->pieces.min == survey->pieces.max
                                ? survey->pieces.min
                                : median_of(numbers, survey->pieces.n);
    if (!is_sorted(survey->sorted, survey->pieces.n)) {
        qsort(survey->sorted, (size_t) survey->pieces.n, sizeof(range_t), compare_ranges);
    }
    by_address_t walk = {.survey = survey, .gaps = numbers};
    survey_regions(survey, address_region, NULL, &walk);
    if (survey->gaps.n > 0) {
        survey->gaps.median = median_of(numbers, survey->gaps.n);
    }
    return TOOL_OK;
}

int survey_init(survey_t *survey, const pieces_t *pieces)
{
    memset(survey, 0, sizeof(*survey));
    survey->lines.size = SURVEY_LINE;
    survey->pages.size = SURVEY_PAGE;
    if (pieces->walks == 0) {
        return TOOL_OK;
    }
    size_t n = (size_t) pieces->walks;
    int64_t *numbers = malloc(n * sizeof(*numbers));
    survey->sorted = malloc(n * sizeof(*survey->sorted));
    int code = TOOL_SYSTEM;
    if (numbers == NULL || survey->sorted == NULL) {
        tool_error(code, "no memory for %zu pieces", n);
    } else {
        code = take(survey, pieces, numbers);
    }
    free(numbers);
    if (code != TOOL_OK) {
        survey_fini(survey);
    }
    return code;
}

void survey_fini(survey_t *survey)
{
    free(survey->sorted);
    survey->sorted = NULL;
}
