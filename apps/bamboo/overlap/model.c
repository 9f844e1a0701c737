/* SPDX-License-Identifier: BSD-3-Clause */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#include "shared/tool.h"

const int overlap_factors[OVERLAP_FACTORS] = {2, 4};

static double above_zero(double value)
{
    return value > 0 ? value : 0;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* ---- where the time of a step goes ---- */

/* Sums of the steps; some are only of some classes. */
typedef struct sums {
    double calls, gap, tests, ns[OVERLAP_CLASSES];
    double start_calls, start_bytes;  /* of OVERLAP_START */
    double wait_messages, wait_bytes; /* of OVERLAP_WAIT */
    double late, compared, total;     /* of waits: total ns, and those with a known part late */
    double sent, bytes, received;
} sums_t;

/* `ns`: the time in these calls, without that of measuring. */
static void sum_wait(const overlap_calls_t *calls, double ns, const overlap_waits_t *waits,
                     sums_t *sums)
{
    sums->wait_messages += (double) (calls->sent + calls->received);
    sums->wait_bytes += (double) (calls->sent_bytes + calls->received_bytes);
    sums->total += ns;
    if (waits->count > 0) {
        double late = waits->ns > 0 ? (double) waits->late / (double) waits->ns : 0;
        sums->compared += ns;
        sums->late += ns * late;
    }
}

static sums_t sum_calls(const overlap_rank_t *rank, const overlap_part_t *part,
                        const overlap_waits_t *waits)
{
    sums_t sums = {0};
    for (int c = 0; c < part->ncalls; c++) {
        const overlap_calls_t *calls = &part->calls[c];
        overlap_class_t class = rank->sites[calls->site].class;
        double ns = above_zero((double) calls->ns - (double) calls->count * rank->clock_ns);
        sums.calls += (double) calls->count;
        sums.gap += (double) calls->gap;
        sums.tests += (double) calls->tests;
        sums.ns[class] += ns;
        sums.sent += (double) calls->sent;
        sums.received += (double) calls->received;
        sums.bytes += (double) calls->sent_bytes;
        if (class == OVERLAP_START) {
            sums.start_calls += (double) calls->count;
            sums.start_bytes += (double) calls->sent_bytes;
        } else if (class == OVERLAP_WAIT) {
            sum_wait(calls, ns, &waits[calls->site], &sums);
        }
    }
    if (part == &rank->whole) { /* also after the last call, and in tests behind it */
        sums.gap = (double) rank->gaps;
        sums.tests = (double) rank->tests_ns;
    }
    return sums;
}

/* Measured, but at least half of what a message of a process to itself costs: one side of it. */
static double cost_of_message(const sums_t *sums, const overlap_rank_t *rank)
{
    double started =
        sums->start_calls == 0
            ? 0
            : (sums->ns[OVERLAP_START] - sums->start_bytes * rank->byte_ns) / sums->start_calls;
    return larger(started, rank->message_ns / 2);
}

/* `compared`: are most waits? */
static overlap_row_t row_of(const overlap_rank_t *rank, const overlap_part_t *part,
                            const overlap_waits_t *waits, bool *compared)
{
    sums_t sums = sum_calls(rank, part, waits);
    double steps = (double) part->steps;
    double byte_ns = rank->byte_ns, message = rank->message_ns / 2;
    overlap_row_t row = {
        .compute = above_zero(sums.gap - sums.calls * (rank->cost_ns - rank->clock_ns)) / steps,
        .starts = (sums.ns[OVERLAP_START] + sums.tests) / steps,
        .waits = sums.total / steps,
        .collectives = sums.ns[OVERLAP_COLLECTIVE] / steps,
        .other = sums.ns[OVERLAP_OTHER] / steps,
        .sent = sums.sent / steps,
        .bytes = sums.bytes / steps,
        .transfers = (sums.sent + sums.received) / steps,
        .message_cost = cost_of_message(&sums, rank),
        .local_cost = rank->message_ns,
        .copy_cost = byte_ns,
    };
    *compared = sums.compared * 2 >= sums.total;
    if (*compared) {
        double scale = sums.compared > 0 ? sums.total / sums.compared / steps : 0;
        row.late = sums.late * scale;
    }
    row.copies = (sums.wait_messages * message + sums.wait_bytes * byte_ns) / steps;
    row.copies = smaller(row.copies, row.waits - row.late);
    row.wire = row.waits - row.late - row.copies;
    row.step = row.compute + row.starts + row.waits + row.collectives + row.other;
    return row;
}

/* Where messages cannot be compared: the rank that waits least waits for nobody. */
static void guess_late(overlap_group_t *group)
{
    double least = group->members[0].row.waits;
    for (int m = 1; m < group->nmembers; m++) {
        least = smaller(least, group->members[m].row.waits);
    }
    for (int m = 0; m < group->nmembers; m++) {
        overlap_row_t *row = &group->members[m].row;
        row->late = row->waits - least;
        row->copies = smaller(row->copies, least);
        row->wire = least - row->copies;
    }
    group->guessed = true;
}

/* ---- predictions ---- */

/* More messages: V times as many, and 2 (V - 1) between the tasks of the process, of mean length.
 */
static double cost_of_tasks(const overlap_row_t *row, int factor)
{
    double length = row->sent > 0 ? row->bytes / row->sent : 0;
    double outside = row->transfers * row->message_cost;
    double inside = row->sent > 0 ? 2 * (length * row->copy_cost + row->local_cost) : 0;
    return (factor - 1) * (outside + inside);
}

typedef struct span {
    double busy, wire; /* of all of its times, divided by the steps */
} span_t;

/* The stretches between collectives, such that they add up to the row's busy time and L. */
static int spans_of(const overlap_part_t *part, const overlap_row_t *row, double cost,
                    span_t *spans)
{
    double gaps = 0, starts = 0, waits = 0;
    for (int s = 0; s < part->nstretches; s++) {
        gaps += (double) part->stretches[s].gap;
        starts += (double) part->stretches[s].starts;
        waits += (double) part->stretches[s].waits;
    }
    if (gaps + starts + waits <= 0) {
        spans[0] = (span_t){row->compute + row->starts + row->copies + cost, row->wire};
        return 1;
    }
    for (int s = 0; s < part->nstretches; s++) {
        const overlap_stretch_t *stretch = &part->stretches[s];
        double gap = gaps > 0 ? (double) stretch->gap / gaps : 0;
        double wait = waits > 0 ? (double) stretch->waits / waits : 0;
        double start = starts > 0 ? (double) stretch->starts / starts : wait;
        spans[s] = (span_t){row->compute * gap + (row->starts + cost) * start + row->copies * wait,
                            row->wire * wait};
    }
    return part->nstretches;
}

static int predict_member(overlap_member_t *member)
{
    const overlap_row_t *row = &member->row;
    span_t *spans = malloc(((size_t) member->part->nstretches + 1) * sizeof(*spans));
    if (spans == NULL) {
        return tool_no_memory("overlap");
    }
    for (int f = 0; f < OVERLAP_FACTORS; f++) {
        const int factor = overlap_factors[f];
        overlap_prediction_t *now = &member->now[f];
        now->cost = cost_of_tasks(row, factor);
        int n = spans_of(member->part, row, now->cost, spans);
        for (int s = 0; s < n; s++) {
            double one = larger(spans[s].busy, spans[s].wire + spans[s].busy / factor);
            now->hidden += spans[s].busy + spans[s].wire - one;
        }
        now->step = row->step + now->cost - now->hidden;
    }
    free(spans);
    return TOOL_OK;
}

/* ---- groups ---- */

static overlap_group_t *group_of(overlap_model_t *model, const overlap_site_t *anchor)
{
    for (int g = 0; g < model->ngroups; g++) {
        const overlap_site_t *other = model->groups[g].anchor;
        if (anchor == NULL || other == NULL ? anchor == other
                                            : strcmp(other->place, anchor->place) == 0 &&
                                                  strcmp(other->function, anchor->function) == 0) {
            return &model->groups[g];
        }
    }
    overlap_group_t *grown =
        realloc(model->groups, ((size_t) model->ngroups + 1) * sizeof(*model->groups));
    if (grown == NULL) {
        return NULL;
    }
    model->groups = grown;
    grown[model->ngroups] = (overlap_group_t){.anchor = anchor};
    return &grown[model->ngroups++];
}

/* Rank number r of the array, with its steps, or else its run. */
static int add_member(overlap_model_t *model, int r)
{
    const overlap_rank_t *rank = &model->ranks[r];
    const bool steps = rank->steps.steps > 0;
    const overlap_part_t *part = steps ? &rank->steps : &rank->whole;
    overlap_group_t *group = group_of(model, steps ? &rank->sites[part->anchor] : NULL);
    overlap_member_t *grown =
        group == NULL
            ? NULL
            : realloc(group->members, ((size_t) group->nmembers + 1) * sizeof(*group->members));
    if (grown == NULL) {
        return tool_no_memory("overlap");
    }
    bool compared;
    group->members = grown;
    overlap_member_t *member = &grown[group->nmembers++];
    *member = (overlap_member_t){.rank = r, .part = part};
    member->row = row_of(rank, part, model->match->waits[r], &compared);
    group->guessed |= !compared;
    return TOOL_OK;
}

static void add_row(overlap_row_t *sum, const overlap_row_t *row, double part)
{
    sum->step += part * row->step;
    sum->compute += part * row->compute;
    sum->starts += part * row->starts;
    sum->waits += part * row->waits;
    sum->copies += part * row->copies;
    sum->late += part * row->late;
    sum->wire += part * row->wire;
    sum->collectives += part * row->collectives;
    sum->other += part * row->other;
    sum->sent += part * row->sent;
    sum->bytes += part * row->bytes;
    sum->message_cost += part * row->message_cost;
    sum->local_cost += part * row->local_cost;
    sum->copy_cost += part * row->copy_cost;
    sum->transfers += part * row->transfers;
}

static void sum_members(overlap_group_t *group, const overlap_model_t *model)
{
    double part = 1.0 / group->nmembers;
    for (int m = 0; m < group->nmembers; m++) {
        const overlap_member_t *member = &group->members[m];
        const overlap_rank_t *rank = &model->ranks[member->rank];
        const overlap_part_t *steps = member->part;
        double run = larger((double) (rank->end - rank->begin), 1);
        double in = (double) (steps->end - steps->begin - steps->extra_ns);
        group->extra += part * (double) steps->extra;
        group->extra_share += part * (double) steps->extra_ns / run;
        group->steps += part * (double) steps->steps;
        group->share += part * (group->anchor == NULL ? 1 : in / run);
        group->longest = larger(group->longest, member->row.step);
        add_row(&group->mean, &member->row, part);
        for (int f = 0; f < OVERLAP_FACTORS; f++) {
            overlap_prediction_t *now = &group->now[f];
            now->step = larger(now->step, member->now[f].step);
            now->hidden += part * member->now[f].hidden;
            now->cost += part * member->now[f].cost;
        }
    }
}

double overlap_faster(const overlap_group_t *group, int f)
{
    double step = group->now[f].step;
    return step > 0 ? group->longest / step : 1;
}

static int finish_group(overlap_group_t *group, const overlap_model_t *model)
{
    if (group->guessed) {
        guess_late(group);
    }
    for (int m = 0; m < group->nmembers; m++) {
        int code = predict_member(&group->members[m]);
        if (code != TOOL_OK) {
            return code;
        }
    }
    sum_members(group, model);
    for (int f = 1; f < OVERLAP_FACTORS; f++) {
        group->best = group->now[f].step < group->now[group->best].step ? f : group->best;
    }
    group->pays = overlap_faster(group, group->best) >= OVERLAP_GAIN &&
                  (group->anchor == NULL || group->mean.step >= OVERLAP_SHORTEST);
    return TOOL_OK;
}

/* ---- the run ---- */

/* What a rank would save. */
static double saved_by(const overlap_model_t *model, int rank, int factor)
{
    double saved = 0;
    for (int g = 0; g < model->ngroups; g++) {
        const overlap_group_t *group = &model->groups[g];
        for (int m = 0; m < group->nmembers; m++) {
            const overlap_member_t *member = &group->members[m];
            if (member->rank == rank) {
                saved += (double) member->part->steps * member->row.step *
                         (1 - 1 / overlap_faster(group, factor));
            }
        }
    }
    return saved;
}

static void predict_run(overlap_model_t *model)
{
    for (int r = 0; r < model->nranks; r++) {
        model->run = larger(model->run, (double) (model->ranks[r].end - model->ranks[r].begin));
    }
    for (int f = 0; f < OVERLAP_FACTORS; f++) {
        double longest = 0;
        for (int r = 0; r < model->nranks; r++) {
            longest = larger(longest, (double) (model->ranks[r].end - model->ranks[r].begin) -
                                          saved_by(model, r, f));
        }
        model->faster[f] = longest > 0 ? model->run / longest : 1;
        model->best = model->faster[f] > model->faster[model->best] ? f : model->best;
    }
}

/* A rank that has no core waits, and so do those that wait for it: what looks like waiting for
 * messages may be as long as that. */
static void judge_run(overlap_model_t *model)
{
    double run = 0, cpu = 0, faster = model->faster[model->best];
    bool pays = false;
    for (int r = 0; r < model->nranks; r++) {
        run += (double) (model->ranks[r].end - model->ranks[r].begin);
        cpu += (double) model->ranks[r].cpu;
    }
    for (int g = 0; g < model->ngroups; g++) {
        pays |= model->groups[g].pays;
    }
    model->core = run > 0 ? smaller(cpu / run, 1) : 1;
    model->verdict = !pays || faster < OVERLAP_GAIN      ? OVERLAP_PAYS_NOT
                     : 1 - 1 / faster <= 1 - model->core ? OVERLAP_UNKNOWN
                                                         : OVERLAP_PAYS;
}

static int compare_groups(const void *a, const void *b)
{
    const overlap_group_t *x = a, *y = b;
    double one = x->share * x->nmembers, other = y->share * y->nmembers;
    return (one < other) - (one > other);
}

int overlap_model(const overlap_rank_t *ranks, int n, const overlap_match_t *match,
                  overlap_model_t *out)
{
    int code = TOOL_OK;
    *out = (overlap_model_t){.ranks = ranks, .nranks = n, .match = match};
    for (int r = 0; r < n && code == TOOL_OK; r++) {
        code = add_member(out, r);
    }
    for (int g = 0; g < out->ngroups && code == TOOL_OK; g++) {
        code = finish_group(&out->groups[g], out);
    }
    if (code == TOOL_OK) {
        qsort(out->groups, (size_t) out->ngroups, sizeof(*out->groups), compare_groups);
        predict_run(out);
        judge_run(out);
    }
    return code;
}

void overlap_model_free(overlap_model_t *model)
{
    for (int g = 0; g < model->ngroups; g++) {
        free(model->groups[g].members);
    }
    free(model->groups);
    *model = (overlap_model_t){0};
}
