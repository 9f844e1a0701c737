/* SPDX-License-Identifier: BSD-3-Clause */
/* The report. */
#include <inttypes.h>
#include <stdlib.h>

#include "model.h"

/* ---- numbers, into buffers of TEXT_NUMBER bytes ---- */

enum { TEXT_NUMBER = 32 };

static const char *text_number(char *buffer, int64_t number)
{
    char digits[TEXT_NUMBER];
    int n = snprintf(digits, sizeof(digits), "%" PRId64, number);
    int sign = digits[0] == '-';
    char *out = buffer;
    for (int i = 0; i < n; i++) {
        if (i > sign && (n - i) % 3 == 0) {
            *out++ = ',';
        }
        *out++ = digits[i];
    }
    *out = '\0';
    return buffer;
}

static const char *text_bytes(char *buffer, int64_t bytes)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    if (bytes < 10000) {
        char number[TEXT_NUMBER];
        snprintf(buffer, TEXT_NUMBER, "%s byte%s", text_number(number, bytes),
                 bytes == 1 ? "" : "s");
        return buffer;
    }
    double value = (double) bytes / 1000;
    int unit = 0;
    for (; value >= 999.5; unit++) {
        value /= 1000;
    }
    snprintf(buffer, TEXT_NUMBER, value < 9.95 ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return buffer;
}

static const char *text_time(char *buffer, double ns)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    int unit = 0;
    for (; unit < 3 && (ns >= 999.5 || ns <= -999.5); unit++) {
        ns /= 1000;
    }
    const double size = ns < 0 ? -ns : ns;
    snprintf(buffer, TEXT_NUMBER, size >= 0.001 && size < 99.95 ? "%#.3g %s" : "%.3g %s", ns,
             units[unit]);
    return buffer;
}

static const char *text_plural(int64_t n, const char *one, const char *many)
{
    return n == 1 ? one : many;
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

static int by_time(const void *a, const void *b)
{
    const overlap_calls_t *const *x = a, *const *y = b;
    return ((*x)->ns < (*y)->ns) - ((*x)->ns > (*y)->ns);
}

static void print_call(const overlap_calls_t *call, const overlap_member_t *member,
                       const overlap_model_t *model, FILE *out)
{
    const overlap_site_t *site = &model->ranks[member->rank].sites[call->site];
    const overlap_waits_t *waits = &model->match->waits[member->rank][call->site];
    double steps = (double) member->part->steps;
    char time[TEXT_NUMBER];
    fprintf(out, "  %9s  %4.4g times  %s  %s", text_time(time, (double) call->ns / steps),
            (double) call->count / steps, site->function, site->place);
    if (site->class == OVERLAP_COLLECTIVE) {
        fputs(" (collective)", out);
    } else if (site->class == OVERLAP_WAIT && waits->ns > 0) {
        fprintf(out, " (late: %.0f %%)", 100 * (double) waits->late / (double) waits->ns);
    }
    fputc('\n', out);
}

/* Where the first rank of a group waits longest. */
static void print_calls(const overlap_group_t *group, const overlap_model_t *model, FILE *out)
{
    enum { MOST = 8 };
    const overlap_member_t *member = &group->members[0];
    const overlap_part_t *part = member->part;
    const overlap_rank_t *rank = &model->ranks[member->rank];
    const overlap_calls_t **calls = malloc(((size_t) part->ncalls + 1) * sizeof(*calls));
    int n = 0;
    for (int c = 0; calls != NULL && c < part->ncalls; c++) {
        if (rank->sites[part->calls[c].site].class != OVERLAP_START) {
            calls[n++] = &part->calls[c];
        }
    }
    if (n > 0) {
        qsort((void *) calls, (size_t) n, sizeof(*calls), by_time);
        fprintf(out, "\n  Rank %d is blocked at:\n", rank->rank);
    }
    for (int c = 0; c < n && c < MOST; c++) {
        print_call(calls[c], member, model, out);
    }
    if (n > MOST) {
        fprintf(out, "  ... and at %d more\n", n - MOST);
    }
    free(calls);
}

/* ---- predictions ---- */

static void print_predictions(const overlap_group_t *group, FILE *out)
{
    char step[TEXT_NUMBER], hidden[TEXT_NUMBER], cost[TEXT_NUMBER];
    const char *what = group->anchor == NULL ? "run" : "step";
    fprintf(out, "\n  %12s  %9s  %7s  %9s  %20s\n", "tasks a core", what, "faster", "hidden",
            "cost of more messages");
    fprintf(out, "  %12d  %9s  %7.2f\n", 1, text_time(step, group->longest), 1.0);
    for (int f = 0; f < OVERLAP_FACTORS; f++) {
        const overlap_prediction_t *now = &group->now[f];
        fprintf(out, "  %12d  %9s  %7.2f  %9s  %20s\n", overlap_factors[f],
                text_time(step, now->step), overlap_faster(group, f),
                text_time(hidden, now->hidden), text_time(cost, now->cost));
    }
    if (group->anchor != NULL && group->mean.step < OVERLAP_SHORTEST) {
        fprintf(out,
                "  Steps below about %s are short: the cost of more tasks eats what they hide.\n",
                text_time(cost, OVERLAP_SHORTEST));
    }
    fputc('\n', out);
}

static void print_verdict(const overlap_model_t *model, FILE *out)
{
    char time[TEXT_NUMBER];
    fprintf(out, "The whole run, %s:", text_time(time, model->run));
    for (int f = 0; f < OVERLAP_FACTORS; f++) {
        fprintf(out, "%s %.2f times as fast with %d tasks a core", f == 0 ? "" : ",",
                model->faster[f], overlap_factors[f]);
    }
    if (model->verdict == OVERLAP_PAYS) {
        fprintf(out, ".\nIt would pay, with %d tasks a core.\n", overlap_factors[model->best]);
    } else if (model->verdict == OVERLAP_PAYS_NOT) {
        fputs(".\nIt would not pay.\n", out);
    } else {
        fprintf(out,
                ".\nWhether it would pay cannot be said: ranks had %.0f %% of a core, and waited "
                "for cores at least\nas long as that would save. Measure with a core for each "
                "rank.\n",
                100 * model->core);
    }
}

static void print_head(const overlap_group_t *group, const overlap_model_t *model, FILE *out)
{
    char steps[TEXT_NUMBER], time[TEXT_NUMBER];
    print_ranks(group, model, out);
    if (group->anchor == NULL) {
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
    fprintf(out, "A step ends with %s at %s.\n", group->anchor->function, group->anchor->place);
}

/* ---- what the figures leave out ---- */

static void print_missing(const overlap_model_t *model, FILE *out)
{
    int size = model->ranks[0].size, unfinished = 0;
    for (int r = 0; r < model->nranks; r++) {
        unfinished += !model->ranks[r].finalized;
    }
    if (model->nranks < size) {
        fprintf(out,
                "%d of %d ranks wrote nothing: they ended before MPI_Finalize, or run on hosts "
                "that got no\nLD_PRELOAD and DAME_OVERLAP (mpirun -x) or do not share this "
                "directory.\n",
                size - model->nranks, size);
    }
    if (unfinished > 0) {
        fprintf(out, "%d %s ended without MPI_Finalize; %s figures end there.\n", unfinished,
                text_plural(unfinished, "rank", "ranks"), text_plural(unfinished, "its", "their"));
    }
}

static void print_untold(const overlap_model_t *model, FILE *out)
{
    int64_t threads = 0, tests = 0, lost = 0;
    double tested = 0, run = 0, cpu = 0;
    int wild = 0;
    for (int r = 0; r < model->nranks; r++) {
        const overlap_rank_t *rank = &model->ranks[r];
        threads += rank->other_threads;
        tests += rank->tests;
        tested += (double) rank->tests_ns;
        lost += rank->lost;
        wild += rank->wild;
        run += (double) (rank->end - rank->begin);
        cpu += (double) rank->cpu;
    }
    if (threads > 0) {
        fprintf(out,
                "%" PRId64 " MPI calls came from other threads than the one that called MPI_Init, "
                "and are not in these\nfigures: such a program may overlap already.\n",
                threads);
    }
    if (tests > 0) {
        fprintf(out,
                "%" PRId64 " calls of MPI_Test and its relatives count as the cost of messages "
                "(%.1f %% of the run), what is\nbetween them as computing.\n",
                tests, run > 0 ? 100 * tested / run : 0);
    }
    if (wild > 0) {
        fprintf(out,
                "%d %s MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_Mprobe or MPI_Cancel: which message they "
                "waited for\nis unknown.\n",
                wild, text_plural(wild, "rank used", "ranks used"));
    }
    if (lost > 0) {
        fprintf(out, "%" PRId64 " messages were not followed: there are too many at a time.\n",
                lost);
    }
    if (run > 0 && cpu < 0.9 * run) {
        fprintf(out,
                "Ranks had %.0f %% of a core: they slept, or shared it. Waiting looks longer then, "
                "mostly as ranks that\nare late.\n",
                100 * cpu / run);
    }
}

static void print_notes(const overlap_model_t *model, FILE *out)
{
    bool guessed = false, whole = false;
    for (int g = 0; g < model->ngroups; g++) {
        guessed |= model->groups[g].guessed;
        whole |= model->groups[g].anchor == NULL;
    }
    print_missing(model, out);
    if (whole) {
        fputs("No sequence of calls repeats at least 4 times: where there are no steps, the "
              "figures are those of\nthe whole run.\n",
              out);
    }
    if (guessed) {
        fputs("Messages of some ranks, as between hosts, could not be compared with their senders' "
              "times: what they\nwait longer than the rank that waits least counts as ranks being "
              "late.\n",
              out);
    }
    print_untold(model, out);
}

static void print_measuring(const overlap_model_t *model, FILE *out)
{
    char a[TEXT_NUMBER];
    double calls = 0, cost = 0, run = 0;
    for (int r = 0; r < model->nranks; r++) {
        const overlap_rank_t *rank = &model->ranks[r];
        for (int i = 0; i < rank->whole.ncalls; i++) {
            calls += (double) rank->whole.calls[i].count;
        }
        cost += rank->cost_ns / model->nranks;
        run += (double) (rank->end - rank->begin);
    }
    fprintf(out, "Measuring cost %s a call, %.2f %% of the run.\n", text_time(a, cost),
            run > 0 ? 100 * calls * cost / run : 0);
}

void overlap_print(const overlap_model_t *model, FILE *out)
{
    for (int g = 0; g < model->ngroups; g++) {
        const overlap_group_t *group = &model->groups[g];
        print_head(group, model, out);
        print_times(group, out);
        print_calls(group, model, out);
        print_predictions(group, out);
    }
    print_verdict(model, out);
    print_measuring(model, out);
    print_notes(model, out);
}
