/* SPDX-License-Identifier: BSD-3-Clause */
/* The report as text. */
#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text.h"

enum { WIDTH = 92 };

/* Words, in lines of WIDTH characters. */
static void print_folded(const char *text, FILE *out)
{
    size_t column = 0;
    while (*text != '\0') {
        size_t word = strcspn(text, " \n"), space = strspn(text + word, " \n");
        if (column > 0 && column + 1 + word > WIDTH) {
            fputc('\n', out);
            column = 0;
        }
        column += (size_t) fprintf(out, "%s%.*s", column > 0 ? " " : "", (int) word, text);
        text += word + space;
    }
    fputc('\n', out);
}

/* ---- ranks ---- */

/* "Ranks 0 to 3 and 8". */
static void print_ranks(const overlap_group_t *group, const overlap_model_t *model, FILE *out)
{
    fprintf(out, "%s", group->nmembers == 1 ? "Rank" : "Ranks");
    for (int m = 0, last; m < group->nmembers; m = last + 1) {
        int first = model->ranks[group->members[m].rank].rank;
        for (last = m; last + 1 < group->nmembers &&
                       model->ranks[group->members[last + 1].rank].rank == first + last + 1 - m;
             last++) {
        }
        fprintf(out, "%s %d", m == 0 ? "" : last + 1 == group->nmembers ? " and" : ",", first);
        if (last > m) {
            fprintf(out, " to %d", first + last - m);
        }
    }
}

/* ---- where the time goes ---- */

static void print_time(const overlap_row_t *row, double ns, const char *what, FILE *out)
{
    char time[TEXT_NUMBER];
    if (ns > 0) {
        fprintf(out, "  %9s  %5.1f %%  %s\n", text_time(time, ns),
                row->step > 0 ? 100 * ns / row->step : 0, what);
    }
}

static void print_times(const overlap_group_t *group, FILE *out)
{
    const overlap_row_t *row = &group->mean;
    char what[128], bytes[TEXT_NUMBER];
    snprintf(what, sizeof(what), "starting messages: %.4g sent, %s", row->sent,
             text_bytes(bytes, (int64_t) row->bytes));
    print_time(row, row->compute, "computing: outside MPI", out);
    print_time(row, row->starts, what, out);
    print_time(row, row->copies, "receiving: calls and copies", out);
    print_time(row, row->wire, "waiting for messages under way: latency and transfer", out);
    print_time(row, row->late, "waiting for ranks that were late", out);
    print_time(row, row->collectives, "in collectives", out);
    print_time(row, row->other, "in other MPI calls", out);
}

/* ---- calls ---- */

static const overlap_calls_t *of_calls(const void *element)
{
    return *(const overlap_calls_t *const *) element;
}

static int by_time(const void *a, const void *b)
{
    return (of_calls(a)->ns < of_calls(b)->ns) - (of_calls(a)->ns > of_calls(b)->ns);
}

static int by_order(const void *a, const void *b)
{
    return of_calls(a)->order - of_calls(b)->order;
}

int overlap_list_calls(const overlap_group_t *group, const overlap_model_t *model, bool all,
                       const overlap_calls_t **calls)
{
    const overlap_phase_t *phase = group->members[0].phase;
    const overlap_rank_t *rank = &model->ranks[group->members[0].rank];
    int n = 0;
    for (int c = 0; c < phase->ncalls; c++) {
        if (all || rank->sites[phase->calls[c].site].class != OVERLAP_START) {
            calls[n++] = &phase->calls[c];
        }
    }
    qsort((void *) calls, (size_t) n, sizeof(*calls), all ? by_order : by_time);
    return n;
}

static void print_call(const overlap_calls_t *call, const overlap_group_t *group,
                       const overlap_model_t *model, bool all, FILE *out)
{
    const int r = group->members[0].rank;
    const overlap_rank_t *rank = &model->ranks[r];
    const overlap_site_t *site = &rank->sites[call->site];
    const overlap_waits_t *waits = &model->match->waits[r][call->site];
    double steps = group->phase < 0 ? 1 : (double) group->members[0].phase->steps;
    char time[TEXT_NUMBER], gap[TEXT_NUMBER];
    fprintf(out, "  %9s", text_time(time, (double) call->ns / steps));
    if (all) {
        fprintf(out, "  %9s", text_time(gap, (double) call->gap / steps));
    }
    fprintf(out, "  %4.4g times  %s  %s", (double) call->count / steps, site->function,
            site->place);
    if (site->class == OVERLAP_COLLECTIVE) {
        fputs(" (collective)", out);
    } else if (site->class == OVERLAP_WAIT && waits->ns > 0) {
        fprintf(out, " (late: %.0f %%)", 100 * (double) waits->late / (double) waits->ns);
    }
    fputc('\n', out);
}

static void print_calls(const overlap_group_t *group, const overlap_model_t *model, bool all,
                        FILE *out)
{
    enum { MOST = 8 };
    const overlap_phase_t *phase = group->members[0].phase;
    const overlap_calls_t **calls = malloc(((size_t) phase->ncalls + 1) * sizeof(*calls));
    int n = calls == NULL ? 0 : overlap_list_calls(group, model, all, calls);
    if (n > 0 && all) {
        fprintf(out,
                "\n  The calls of rank %d, in their order, with their time and that outside MPI "
                "before:\n",
                model->ranks[group->members[0].rank].rank);
    } else if (n > 0) {
        fprintf(out, "\n  Rank %d is blocked at:\n", model->ranks[group->members[0].rank].rank);
    }
    for (int c = 0; c < n && (all || c < MOST); c++) {
        print_call(calls[c], group, model, all, out);
    }
    if (n > MOST && !all) {
        fprintf(out, "  ... and at %d more; --steps prints all\n", n - MOST);
    }
    free(calls);
}

/* ---- predictions ---- */

static void print_predictions(const overlap_group_t *group, const overlap_model_t *model,
                              bool given, FILE *out)
{
    char step[TEXT_NUMBER], hidden[TEXT_NUMBER], cost[TEXT_NUMBER];
    const char *what = group->phase < 0 ? "run" : "step";
    double today = given ? group->given_longest : group->longest;
    fprintf(out, "  %12s  %9s  %7s  %9s  %20s\n", "tasks a core", what, "faster", "hidden",
            "cost of more messages");
    fprintf(out, "  %12d  %9s  %7.2f\n", 1, text_time(step, today), 1.0);
    for (int f = 0; f < model->wishes->nfactors; f++) {
        const overlap_prediction_t *one = given ? &group->given[f] : &group->now[f];
        fprintf(out, "  %12d  %9s  %7.2f  %9s  %20s\n", one->factor, text_time(step, one->step),
                given ? overlap_given_faster(group, f) : overlap_faster(group, f),
                text_time(hidden, one->hidden), text_time(cost, one->cost));
    }
}

static void print_given(const overlap_group_t *group, const overlap_model_t *model, FILE *out)
{
    char latency[TEXT_NUMBER], wire[TEXT_NUMBER];
    const overlap_network_t *network = &model->wishes->network;
    fprintf(out, "\n  In a network where a message takes %s", text_time(latency, network->latency));
    if (network->byte_ns > 0) {
        fprintf(out, " and %.4g GB/s", 1 / network->byte_ns);
    }
    if (group->guessed) {
        fputs(": unknown, since messages could not be compared.\n", out);
        return;
    }
    fprintf(out, ", it would wait %s for messages under way:\n",
            text_time(wire, group->mean.given_wire));
    print_predictions(group, model, true, out);
}

/* NULL: of the whole run. */
static void print_verdict(const overlap_group_t *group, const overlap_model_t *model, FILE *out)
{
    char *text = NULL;
    size_t length;
    FILE *memory = open_memstream(&text, &length);
    if (memory != NULL) {
        if (group != NULL) {
            overlap_say_group(group, model, memory);
        } else {
            overlap_say_run(model, memory);
        }
        fclose(memory);
        print_folded(text, out);
    }
    free(text);
}

static void print_head(const overlap_group_t *group, const overlap_model_t *model, FILE *out)
{
    char steps[TEXT_NUMBER], time[TEXT_NUMBER], low[TEXT_NUMBER], high[TEXT_NUMBER];
    print_ranks(group, model, out);
    if (group->phase < 0) {
        fprintf(out, ": no steps were found; the run took %s.\n",
                text_time(time, group->mean.step));
        return;
    }
    fprintf(out, ": %s steps of %s, %.0f %% of the run.\n",
            text_number(steps, (int64_t) (group->steps + 0.5)), text_time(time, group->mean.step),
            100 * group->share);
    if (group->extra >= 0.5) {
        fprintf(out,
                "%.0f steps more took over 4 times the median, %.0f %% of the run; they are left "
                "out.\n",
                group->extra, 100 * group->extra_share);
    }
    fprintf(out, "A step ends with %s at %s; 8 of 10 take %s to %s.\n", group->anchor->function,
            group->anchor->place, text_time(low, group->p10), text_time(high, group->p90));
}

static void print_note(const char *note, void *context)
{
    print_folded(note, context);
}

static void print_measuring(const overlap_model_t *model, FILE *out)
{
    char a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER];
    double calls = 0, cost = 0, message = 0, byte = 0, run = 0;
    for (int r = 0; r < model->nranks; r++) {
        const overlap_rank_t *rank = &model->ranks[r];
        for (int i = 0; i < rank->whole.ncalls; i++) {
            calls += (double) rank->whole.calls[i].count;
        }
        cost += rank->cost_ns / model->nranks;
        message += rank->message_ns / model->nranks;
        byte += rank->byte_ns / model->nranks;
        run += (double) (rank->end - rank->begin);
    }
    fprintf(out, "Measuring cost %s a call, %.2f %% of the run", text_time(a, cost),
            run > 0 ? 100 * calls * cost / run : 0);
    if (model->match->one_way_ns > 0) {
        fprintf(out, "; a message was received %s after it was sent (median)",
                text_time(b, model->match->one_way_ns));
    }
    fprintf(out,
            ".\nWithin a process a short message costs %s, and a byte is copied at %.3g GB/s.\n",
            text_time(c, message), byte > 0 ? 1 / byte : 0);
}

void overlap_print(const overlap_model_t *model, bool steps, FILE *out)
{
    for (int g = 0; g < model->ngroups; g++) {
        const overlap_group_t *group = &model->groups[g];
        print_head(group, model, out);
        print_times(group, out);
        print_calls(group, model, steps, out);
        fputc('\n', out);
        print_predictions(group, model, false, out);
        if (model->wishes->network.given) {
            print_given(group, model, out);
        }
        fputc('\n', out);
        print_verdict(group, model, out);
        fputc('\n', out);
    }
    print_verdict(NULL, model, out);
    print_measuring(model, out);
    overlap_notes(model, print_note, out);
}
