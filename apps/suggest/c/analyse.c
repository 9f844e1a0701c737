/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse.h"
#include "shared/clang/guard.h"

#include <stdlib.h>

/* What the analysis of one function says of a call of MPI. Where another function packs for it, AT
 * is the call there of the function that it is in, and each is an answer of its own; else the best
 * is reported. */
typedef struct verdict {
    const c_node_t *call, *at;
    bool receives;
    const c_function_t *function;
    site_kind_t kind;
    bool refused;
    bool own; /* the function has the call itself */
} verdict_t;

typedef struct verdicts {
    verdict_t *verdict;
    size_t n;
} verdicts_t;

static verdict_t verdict_of(const site_t *site, const c_function_t *function)
{
    return (verdict_t){site->call,
                       site->at,
                       site->function->receives,
                       function,
                       site->kind,
                       site->refusal != 0,
                       site->run->events[site->event].frame == 0};
}

static int rank(const verdict_t *verdict)
{
    return verdict->kind != SITE_PACKS ? 0 : verdict->refused ? 1 : 2;
}

/* Is it the one to report? */
static bool is_best(const verdicts_t *verdicts, const verdict_t *verdict)
{
    const verdict_t *best = NULL;
    size_t i;

    for (i = 0; i < verdicts->n; i++) {
        const verdict_t *other = &verdicts->verdict[i];

        if (other->call != verdict->call || other->receives != verdict->receives) {
            continue;
        }
        if (other->at != verdict->at) { /* packing elsewhere says more than none here */
            if (verdict->at == verdict->call && rank(other) > 0 && rank(verdict) == 0) {
                return false;
            }
            continue;
        }
        if (!best || rank(other) > rank(best) ||
            (rank(other) == rank(best) && other->own && !best->own)) {
            best = other;
        }
    }
    return best && best->function == verdict->function && rank(best) == rank(verdict);
}

typedef struct visit {
    report_t *report;
    verdicts_t verdicts;
    bool reports; /* the second time; the first one collects verdicts */
} visit_t;

static void add_verdict(verdicts_t *verdicts, verdict_t verdict)
{
    verdicts->verdict = c_resize(verdicts->verdict, verdicts->n + 1, sizeof *verdicts->verdict);
    verdicts->verdict[verdicts->n++] = verdict;
}

/* Has the function something to report? What does not pack is only counted. */
static bool is_reported(const verdicts_t *verdicts, const c_function_t *function)
{
    size_t i;

    for (i = 0; i < verdicts->n; i++) {
        const verdict_t *verdict = &verdicts->verdict[i];

        if (verdict->function == function &&
            (!verdict->call || (rank(verdict) > 0 && is_best(verdicts, verdict)))) {
            return true;
        }
    }
    return false;
}

static void visit_function(visit_t *visit, c_unit_t *unit, const c_function_t *function)
{
    report_t *report = visit->report;
    const char *ended = guard_ended(unit->path, function->symbol->name);
    run_t *run;
    site_t *sites = NULL;
    size_t n, j;

    if (ended) {
        const c_node_t line = {.span = {.line = function->body->span.line, .column = 1}};

        if (visit->reports) {
            report_unfollowed(report, unit, &line, function->symbol->name, ended);
        }
        return;
    }
    guard_at(unit->path, function->symbol->name);
    run = run_function(unit, function, report->level);
    n = run->refused ? 0 : site_find(run, &sites);
    if (run->refused && visit->reports) {
        report_unfollowed(report, unit, run->refused_at, function->symbol->name, run->refused);
    } else if (run->refused) {
        add_verdict(&visit->verdicts, (verdict_t){.function = function});
    }
    for (j = 0; j < n; j++) {
        verdict_t verdict;

        if (report->evidence) {
            evidence_judge(report->evidence, &sites[j]);
        }
        verdict = verdict_of(&sites[j], function);
        if (!visit->reports) {
            add_verdict(&visit->verdicts, verdict);
        } else {
            sites[j].skipped = rank(&verdict) == 0 ||
                               (report->only && sites[j].call->span.line != report->only) ||
                               !is_best(&visit->verdicts, &verdict);
        }
    }
    if (visit->reports) {
        report_function(report, run, sites, n);
    }
    for (j = 0; j < n; j++) {
        site_free(&sites[j]);
    }
    free(sites);
    run_free(run);
}

static void visit_unit(visit_t *visit, c_unit_t *unit)
{
    size_t i;

    if (visit->reports) {
        report_begin_file(visit->report, unit);
    }
    for (i = 0; i < unit->n_functions; i++) {
        if (run_has_mpi(unit->functions[i].body) &&
            (!visit->reports || is_reported(&visit->verdicts, &unit->functions[i]) ||
             guard_ended(unit->path, unit->functions[i].symbol->name))) {
            visit_function(visit, unit, &unit->functions[i]);
        }
        visit->report->seen +=
            visit->reports ? site_calls(visit->report->level, unit->functions[i].body) : 0;
    }
    if (visit->reports) {
        report_end_file(visit->report, unit);
    }
}

/* Each function is visited twice: which one says most about a call is known only when all were
 * seen. */
void analyse(report_t *report, c_unit_t **units, size_t n)
{
    visit_t visit = {.report = report};
    size_t i;

    for (i = 0; i < n; i++) {
        c_find_uses(units[i]);
        c_find_owners(units[i]);
    }
    if (report->level == RUN_TRUSTING) {
        c_link(units, n);
        for (i = 0; i < n; i++) {
            c_find_callers(units[i]);
        }
    }
    for (i = 0; i < 2 * n; i++) {
        visit.reports = i >= n;
        visit_unit(&visit, units[i % n]);
    }
    for (i = 0; i < visit.verdicts.n; i++) {
        const verdict_t *verdict = &visit.verdicts.verdict[i];

        if (verdict->call && rank(verdict) == 0 && is_best(&visit.verdicts, verdict)) {
            *(verdict->kind == SITE_DIRECT ? &report->direct : &report->computed) += 1;
        }
    }
    free(visit.verdicts.verdict);
}
