/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "cli/tool.h"

enum {
    MANY_ROWS = 160,
    MANY_COLUMNS = 160,
    PLAIN_COLUMNS = 128, /* where nothing lines up; half as many for small pictures */
    SMALL = 2048,        /* cells */
    STRIDES = 32,
    NEAR = 64 /* bytes: bounds up to this far from the data are drawn */
};

/* ---- the drawing ---- */

/* Regular blocks stay a picture; their gaps are what there is to see. */
static int is_regular(const survey_t *survey, int64_t from, int64_t to)
{
    return to > 2 && to + 1 == survey->regions &&
           survey->longest[from].length == survey->longest[to - 1].length;
}

/*
 * How many of the longest gaps are left out: as long as there is a clear cut between long ones and
 * ordinary ones, and leaving out those makes the picture half as long.
 */
static int64_t gaps_left_out(const survey_t *survey, int64_t span)
{
    int64_t left_out = 0;
    double rest = (double) span, sum = 0;
    for (int64_t i = 0; i < survey->long_gaps && i < PLAN_SEGMENTS - 1; i++) {
        sum += (double) survey->longest[i].length;
        int64_t next = i + 1 < survey->long_gaps ? survey->longest[i + 1].length : 0;
        if (survey->longest[i].length / 4 < next || survey->longest[i].length < 4 * SURVEY_LINE ||
            sum < rest / 2 || is_regular(survey, left_out, i + 1)) {
            continue;
        }
        left_out = i + 1;
        rest -= sum;
        sum = 0;
    }
    return left_out;
}

static int compare_addresses(const void *a, const void *b)
{
    const range_t *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

/* Widens [*low, *high) to `bound` when that is near. */
static void widen(int64_t *low, int64_t *high, int64_t bound)
{
    int64_t far = *high - *low > NEAR ? *high - *low : NEAR;
    if (bound < *low && bound >= *low - far) {
        *low = bound;
    } else if (bound > *high && bound - far <= *high) {
        *high = bound;
    }
}

static void set_segments(plan_t *plan, const pieces_t *pieces, const survey_t *survey)
{
    int64_t low = pieces->low, high = pieces->high, end;
    range_t gaps[SURVEY_GAPS];
    int64_t n = gaps_left_out(survey, high - low);
    memcpy(gaps, survey->longest, (size_t) n * sizeof(*gaps));
    qsort(gaps, (size_t) n, sizeof(*gaps), compare_addresses);
    if (n == 0) {
        widen(&low, &high, 0);
        const tool_bounds_t *bounds = &pieces->datatype->bounds;
        if (bounds->extent > 0 && !__builtin_mul_overflow(pieces->count, bounds->extent, &end) &&
            !__builtin_add_overflow(end, pieces_lower_bound(bounds), &end)) {
            widen(&low, &high, end);
        }
    }
    plan->segments = (int) n + 1;
    for (int64_t i = 0; i <= n; i++) {
        plan->segment[i].address = i == 0 ? low : gaps[i - 1].address + gaps[i - 1].length;
        plan->segment[i].length = (i == n ? high : gaps[i].address) - plan->segment[i].address;
    }
}

/* ---- how ---- */

static int64_t floor_to(int64_t value, int64_t unit)
{
    int64_t over = value % unit;
    return value - (over < 0 ? over + unit : over);
}

/* Where the first row of a segment starts: where the rows of a matrix at 0 would, unless the data
 * is so far from there that nothing is known of its matrix. */
static int64_t first_row(const plan_t *plan, const range_t *segment)
{
    int64_t row = plan->cell * plan->columns, at = segment->address;
    if (plan->period == 0 || (plan->segments == 1 && at >= -row && at < 4 * row)) {
        return floor_to(at, row);
    }
    return row % SURVEY_LINE == 0 ? floor_to(at, SURVEY_LINE) : at;
}

static int64_t segment_rows(const plan_t *plan, const range_t *segment)
{
    int64_t row = plan->cell * plan->columns;
    int64_t from = segment->address - first_row(plan, segment);
    return (segment->length - 1 + from) / row + 1;
}

static int64_t plan_rows(const plan_t *plan)
{
    int64_t rows = 0;
    for (int i = 0; i < plan->segments; i++) {
        rows += segment_rows(plan, &plan->segment[i]);
    }
    return rows;
}

/* Distances at which the data repeats, from the levels of the program and the steps met. */
static int find_strides(int64_t *strides, const pieces_t *pieces, const survey_t *survey,
                        const facts_t *facts)
{
    const int64_t extent = pieces->datatype->bounds.extent;
    int n = 0;
    if (pieces->count > 1 && extent != INT64_MIN) {
        strides[n++] = llabs(extent);
    }
    for (int i = 0; i < facts->strides && n < STRIDES - SURVEY_STEPS; i++) {
        strides[n++] = facts->stride[i];
    }
    for (int64_t i = 0; i < survey->ordinary; i++) {
        if (survey->common[i].times > survey->steps / 2 && survey->common[i].bytes != INT64_MIN) {
            strides[n++] = llabs(survey->common[i].bytes);
        }
    }
    return n;
}

static int log2_of(int64_t value)
{
    return value < 1 ? 0 : 63 - __builtin_clzll((unsigned long long) value);
}

/* Does each stride start a row, or each row a stride? */
static int lines_up(int64_t row, const int64_t *strides, int n)
{
    int all = 1;
    for (int i = 0; i < n; i++) {
        all &= strides[i] == 0 || row % strides[i] == 0 || strides[i] % row == 0;
    }
    return all;
}

/* How bad a plan is, in no unit: small cells, rows that line up, and a shape like a page's. */
static int64_t badness(const plan_t *plan, const int64_t *strides, int n)
{
    int64_t row = plan->cell * plan->columns, rows = plan_rows(plan);
    int64_t bad = 10 * log2_of(plan->cell);
    if ((plan->cell & (plan->cell - 1)) != 0) {
        bad += 12;
    } else if (log2_of(plan->cell) % 3 != 0) { /* a byte, a double, a line, ..., a page */
        bad += 12;
    }
    if (plan->period != 0) {
        int64_t periods = row / plan->period;
        bad -= 25 + (periods == 1 ? 10 : 0) + (lines_up(row, strides, n) ? 15 : 0);
        bad += (periods & (periods - 1)) != 0 ? 3 : 0;
    }
    if (plan->columns < 8 && rows > 8) {
        bad += 20;
    }
    if (rows > 64) {
        bad += 8 * log2_of(rows / plan->columns);
    }
    return bad;
}

typedef struct search {
    plan_t best;
    int64_t badness; /* INT64_MAX: nothing found */
    int64_t most;    /* cells */
    int64_t strides[STRIDES];
    int n;
} search_t;

static void consider(search_t *search, plan_t plan)
{
    int64_t rows = plan_rows(&plan);
    int64_t most = plan.period != 0 ? search->most : search->most / 5 * 2;
    if (rows > MANY_ROWS || rows * plan.columns > most) {
        return;
    }
    int64_t bad = badness(&plan, search->strides, search->n);
    if (bad < search->badness) {
        search->badness = bad;
        search->best = plan;
    }
}

/* Rows that line up with a stride, for one size of a cell. */
static void consider_stride(search_t *search, plan_t plan, int64_t stride, int64_t columns)
{
    if (stride < 2 || stride % plan.cell != 0) {
        return;
    }
    int64_t unit = stride / plan.cell;
    plan.period = stride;
    for (int64_t k = 1; unit * k <= MANY_COLUMNS; k++) {
        plan.columns = unit * k;
        if (plan.columns >= 4 && (columns == 0 || columns == plan.columns)) {
            consider(search, plan);
        }
    }
}

/* Rows that only wrap: as many columns as suit the length. */
static void consider_plain(search_t *search, plan_t plan, int64_t columns)
{
    double cells = 0;
    for (int i = 0; i < plan.segments; i++) {
        cells += (double) plan.segment[i].length / (double) plan.cell;
    }
    plan.period = 0;
    if (columns != 0) {
        plan.columns = columns;
    } else if (2 * cells <= PLAIN_COLUMNS) {
        plan.columns = 8 * ((int64_t) cells / 8 + 1);
    } else {
        plan.columns = cells <= SMALL ? PLAIN_COLUMNS / 2 : PLAIN_COLUMNS;
    }
    consider(search, plan);
}

static void consider_cell(search_t *search, plan_t plan, int64_t cell, int64_t columns)
{
    plan.cell = cell;
    consider_plain(search, plan, columns);
    for (int i = 0; i < search->n; i++) {
        consider_stride(search, plan, search->strides[i], columns);
    }
}

/* Segments become whole rows. The last row of one may hold the start of the next one. */
static void round_segments(plan_t *plan)
{
    int64_t row = plan->cell * plan->columns, behind = INT64_MIN;
    int used = 0;
    for (int i = 0; i < plan->segments; i++) {
        int64_t end = plan->segment[i].address + plan->segment[i].length;
        int64_t from = first_row(plan, &plan->segment[i]);
        from = from < behind ? behind : from;
        if (end > from) {
            behind = from + ((end - from - 1) / row + 1) * row;
            plan->segment[used++] = (range_t){from, behind - from};
        }
    }
    plan->segments = used;
}

int plan_make(plan_t *plan, const pieces_t *pieces, const survey_t *survey, const facts_t *facts,
              int64_t columns, int64_t most)
{
    search_t search = {.badness = INT64_MAX, .most = most};
    plan_t start = {0};
    set_segments(&start, pieces, survey);
    search.n = find_strides(search.strides, pieces, survey, facts);
    for (int64_t power = 1; power > 0 && power < INT64_MAX / (2 * MANY_COLUMNS); power *= 2) {
        consider_cell(&search, start, power, columns);
    }
    for (int i = 0; i < search.n; i++) {
        /* Cells that a stride has a whole number of, so that rows line up. */
        for (int64_t part = 1; part <= MANY_COLUMNS; part++) {
            const int64_t bytes = search.strides[i] / part;
            if (bytes > 1 && search.strides[i] % part == 0 && (part == 1 || bytes % 8 == 0) &&
                bytes < INT64_MAX / (2 * MANY_COLUMNS)) {
                consider_cell(&search, start, bytes, columns);
            }
        }
    }
    if (search.badness == INT64_MAX) {
        return tool_error(TOOL_WRONG, "too much memory for a picture of %lld cells",
                          (long long) most);
    }
    *plan = search.best;
    round_segments(plan);
    return TOOL_OK;
}
