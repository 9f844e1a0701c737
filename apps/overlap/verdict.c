/* SPDX-License-Identifier: BSD-3-Clause */
/* What the figures mean, in sentences. */
#define _GNU_SOURCE /* vasprintf */
#include "report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text.h"

static const char *const reason_names[OVERLAP_REASONS] = {
    "no_messages", "little_waiting", "collectives", "late_ranks", "short_steps", "costs"};

const char *overlap_reason_name(int bit)
{
    return reason_names[bit];
}

static void say_reasons(const overlap_group_t *group, FILE *out)
{
    char a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER];
    const overlap_row_t *row = &group->mean;
    double percent = row->step > 0 ? 100 / row->step : 0;
    if (group->reasons & OVERLAP_NO_MESSAGES) {
        fputs(" There are no messages between two ranks whose waiting could be hidden.", out);
    } else if (group->reasons & OVERLAP_LITTLE_WAITING) {
        fprintf(out, " Only %.1f %% of the time is spent waiting for messages under way.",
                row->wire * percent);
    }
    if (group->reasons & OVERLAP_SHORT) {
        fprintf(out,
                " Steps of %s are short: below about %s the cost of more tasks eats what they "
                "hide.",
                text_time(a, row->step), text_time(b, OVERLAP_SHORTEST));
    }
    if ((group->reasons & OVERLAP_COSTS) && row->transfers > 0) {
        fprintf(out, " More and smaller messages would cost %s, and hide %s.",
                text_time(a, group->now[group->best].cost),
                text_time(b, group->now[group->best].hidden));
    }
    if (group->reasons & OVERLAP_COLLECTIVES &&
        row->collectives * percent >= 100 * OVERLAP_LITTLE) {
        fprintf(out, " It waits %s in collectives, which more tasks do not shorten.",
                text_time(c, row->collectives));
    }
    if (group->reasons & OVERLAP_LATE && row->late * percent >= 100 * OVERLAP_LITTLE) {
        fprintf(out,
                " It waits %s for ranks that are late: the load is uneven, or something else runs "
                "on their cores. More tasks change little of that.",
                text_time(a, row->late));
    }
}

const char *overlap_verdict_name(overlap_verdict_t verdict)
{
    static const char *const names[] = {"pays", "pays_not", "unknown"};
    return names[verdict];
}

void overlap_say_run(const overlap_model_t *model, FILE *out)
{
    char time[TEXT_NUMBER];
    fprintf(out, "The whole run, %s:", text_time(time, model->run));
    for (int f = 0; f < model->wishes->nfactors; f++) {
        fprintf(out, "%s %.2f times as fast with %d tasks a core", f == 0 ? "" : ",",
                model->faster[f], model->wishes->factors[f]);
    }
    if (model->verdict == OVERLAP_PAYS) {
        fprintf(out, ". It would pay, with %d tasks a core.\n",
                model->wishes->factors[model->best]);
    } else if (model->verdict == OVERLAP_PAYS_NOT) {
        fputs(". It would not pay.\n", out);
    } else {
        fprintf(out,
                ". Whether it would pay cannot be said: ranks had %.0f %% of a core, and waited "
                "for cores at least as long as that would save. Measure with a core for each "
                "rank.\n",
                100 * model->core);
    }
}

void overlap_say_group(const overlap_group_t *group, const overlap_model_t *model, FILE *out)
{
    char a[TEXT_NUMBER], b[TEXT_NUMBER];
    const overlap_prediction_t *best = &group->now[group->best];
    const char *what = group->phase < 0 ? "the run" : "a step";
    if (group->pays) {
        fprintf(out,
                "%d tasks a core would hide %s of the %s that %s waits for messages under way, and "
                "make it %.2f times as fast.",
                best->factor, text_time(a, best->hidden), text_time(b, group->mean.wire), what,
                overlap_faster(group, group->best));
    } else {
        fprintf(out, "With %d tasks a core %s would take %s instead of %s.",
                best->factor, what, text_time(a, best->step), text_time(b, group->longest));
    }
    say_reasons(group, out);
    if (group->phase >= 0 && group->median * 2 < group->mean.step) {
        fprintf(out, " Steps differ widely: half of them take at most %s, the mean is %s.",
                text_time(a, group->median), text_time(b, group->mean.step));
    }
    for (int f = 0; f < model->wishes->nfactors && model->wishes->network.given; f++) {
        if (group->guessed) {
            break;
        }
        fprintf(out, "%s %.2f times with %d tasks a core%s",
                f == 0 ? " In the given network it would be" : ",", overlap_given_faster(group, f),
                model->wishes->factors[f], f + 1 == model->wishes->nfactors ? "." : "");
    }
    fputc('\n', out);
}

/* ---- what the figures leave out ---- */

typedef struct speaker {
    void (*say)(const char *, void *);
    void *context;
} speaker_t;

static void say(const speaker_t *speaker, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(const speaker_t *speaker, const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) >= 0) {
        speaker->say(text, speaker->context);
        free(text);
    }
    va_end(arguments);
}

static void note_ranks(const overlap_model_t *model, const speaker_t *speaker)
{
    int size = model->ranks[0].size, unfinished = 0;
    for (int r = 0; r < model->nranks; r++) {
        unfinished += !model->ranks[r].finalized;
    }
    if (model->nranks < size) {
        say(speaker,
            "%d of %d ranks wrote nothing: they ended before MPI_Finalize, or run on hosts that "
            "got no LD_PRELOAD and DAME_OVERLAP (mpirun -x) or do not share this directory.",
            size - model->nranks, size);
    }
    if (unfinished > 0) {
        say(speaker, "%d %s ended without MPI_Finalize; %s figures end there.", unfinished,
            text_plural(unfinished, "rank", "ranks"), text_plural(unfinished, "its", "their"));
    }
}

static void note_calls(const overlap_model_t *model, const speaker_t *speaker)
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
        say(speaker,
            "%" PRId64 " MPI calls came from other threads than the one that called MPI_Init, and "
            "are not in these figures: such a program may overlap already.",
            threads);
    }
    if (tests > 0) {
        say(speaker,
            "%" PRId64 " calls of MPI_Test and its relatives count as the cost of messages (%.1f "
            "%% of the run), what is between them as computing.",
            tests, run > 0 ? 100 * tested / run : 0);
    }
    if (wild > 0) {
        say(speaker,
            "%d %s MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_Mprobe or MPI_Cancel: which message they "
            "waited for is unknown.",
            wild, text_plural(wild, "rank used", "ranks used"));
    }
    if (lost > 0) {
        say(speaker, "%" PRId64 " messages were not followed: there are too many at a time.", lost);
    }
    if (run > 0 && cpu < 0.9 * run) {
        say(speaker,
            "Ranks had %.0f %% of a core: they slept, or shared it. Waiting looks longer then, "
            "mostly as ranks that are late.",
            100 * cpu / run);
    }
}

void overlap_notes(const overlap_model_t *model, void (*fn)(const char *, void *), void *context)
{
    const speaker_t speaker = {fn, context};
    bool guessed = false, whole = false;
    for (int g = 0; g < model->ngroups; g++) {
        guessed |= model->groups[g].guessed;
        whole |= model->groups[g].phase < 0;
    }
    note_ranks(model, &speaker);
    if (whole) {
        say(&speaker,
            "No sequence of calls repeats at least 4 times: where there are no steps, the figures "
            "are those of the whole run.");
    }
    if (guessed) {
        say(&speaker,
            "Messages of some ranks could not be compared with their senders' times: what "
            "they wait longer than the rank that waits least counts as ranks being late.");
    }
    if (model->match->hosts > 1) {
        say(&speaker,
            "The clocks of %d hosts were related by the fastest messages between them, as if these "
            "were equally fast both ways.",
            model->match->hosts);
    }
    note_calls(model, &speaker);
}
