/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of a function, each with its copies, region and answer. */
#include "site_private.h"

#include <stdio.h>
#include <string.h>

/* Does MPI_Sendrecv_replace send and receive one datatype at one address? */
static bool is_in_place(const site_t *a, const site_t *b)
{
    return a->event == b->event && a->function->kind == KIND_SENDRECV_REPLACE &&
           strcmp(types_address_text(a->program, a->shape.type->origin),
                  types_address_text(b->program, b->shape.type->origin)) == 0 &&
           strcmp(site_type_text(a), site_type_text(b)) == 0;
}

/* Two decided calls that are under way together, or are one, must not share data when one receives.
 */
static void check_pairs(run_t *run, site_t *sites, size_t n)
{
    size_t i, j, k;

    for (i = 0; i < n; i++) {
        for (j = 0; j < n && !sites[i].refusal; j++) {
            if (i == j || sites[j].refusal || sites[i].kind != SITE_PACKS ||
                sites[j].kind != SITE_PACKS || !sites[i].function->receives ||
                sites[i].first > sites[j].last || sites[j].first > sites[i].last) {
                continue;
            }
            if (is_in_place(&sites[i], &sites[j])) {
                sites[i].in_place = sites[j].in_place = true;
                continue;
            }
            for (k = 0; k < sites[j].n_copies; k++) {
                const run_event_t *copy = &run->events[sites[j].copies[k]];
                const run_place_t *data = site_data(&sites[j], copy);
                const run_extent_t extent = site_extent(run, copy, data);

                run->needs = &sites[i].needs;
                if (site_touches(run, &sites[i], data, true, &extent, copy->node)) {
                    site_refuse(&sites[i], C_REFUSED_DESTINATION,
                                run->events[sites[j].copies[k]].node,
                                "%s is part of another message that is under way with this one",
                                run_base_name(run, data->base));
                }
            }
        }
    }
}

/* Does the loop copy, and another copy come behind it? */
static bool decides_position(const run_t *run, const site_t *site, const run_assumption_t *trip)
{
    size_t i;

    for (i = 0; i < site->n_copies && !run_within(run, &run->events[site->copies[i]], trip->where);
         i++) {
    }
    return i < site->n_copies && site->copies[site->n_copies - 1] >= trip->event;
}

/* The names of all memory that must be different, in one sentence: the buffer first. */
static void note_distinct(run_t *run, site_t *site)
{
    int bases[RUN_NAMES] = {site->buffer}, n = 1, more = 0, j, k;
    char text[500] = "";
    size_t i, kept = 0;

    for (i = 0; i < site->needs.n; i++) {
        const run_assumption_t *known = &run->assumptions[site->needs.index[i]];

        if (known->bases[0] == RUN_ANY) {
            site->needs.index[kept++] = site->needs.index[i];
            continue;
        }
        for (k = 0; k < 2; k++) {
            for (j = 0; j < n && strcmp(run_base_name(run, bases[j]),
                                        run_base_name(run, known->bases[k])) != 0;
                 j++) {
            }
            if (j == n && n < RUN_NAMES) {
                bases[n++] = known->bases[k];
            } else if (j == n) {
                more++;
            }
        }
    }
    site->needs.n = kept;
    if (n < 2) {
        return;
    }
    for (j = 0; j < n; j++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s",
                 j == 0                    ? ""
                 : j == n - 1 && more == 0 ? " and "
                                           : ", ",
                 run_base_name(run, bases[j]));
    }
    run_assume(run, RUN_ASSUMES_DISTINCT, site->call, "%s%s are different memory", text,
               more ? " and others in between" : "");
}

/* Besides those that the site asked for: what the run assumed while its data was packed. */
static void note_assumptions(run_t *run, site_t *site)
{
    size_t i;

    for (i = 0; i < run->n_assumptions; i++) {
        const run_assumption_t *known = &run->assumptions[i];

        if (known->number == RUN_ASSUMES_TRIP && !decides_position(run, site, known)) {
            continue;
        }
        if (known->first != (size_t) -1 && known->first < site->end && known->last >= site->begin) {
            run_need(&site->needs, i);
        }
    }
}

size_t site_find(run_t *run, site_t **sites)
{
    size_t i, j, n = 0, n_functions;

    *sites = NULL;
    for (i = 0; i < run->n_events; i++) {
        site_function_t functions[2], *function;

        n_functions = run->events[i].kind == RUN_MPI
                          ? site_functions(run->level, run->events[i].node, functions)
                          : 0;
        for (j = 0; j < n_functions; j++) {
            site_t site = {.run = run, .event = i, .any = SIZE_MAX};

            site.function = function = c_allocate(run->memory, sizeof *function);
            *function = functions[j];
            run->needs = &site.needs;
            site.call = run->events[i].node;
            site.kind = site_region(run, &site);
            if (site.kind != SITE_PACKS && !trusting(run)) {
                site_free(&site);
                continue;
            }
            if (site.kind == SITE_PACKS) {
                site_program(run, &site);
                note_assumptions(run, &site);
            }
            run->needs = NULL;
            *sites = c_resize(*sites, n + 1, sizeof **sites);
            (*sites)[n++] = site;
        }
    }
    check_pairs(run, *sites, n);
    for (i = 0; i < n; i++) {
        run->needs = &(*sites)[i].needs;
        note_distinct(run, &(*sites)[i]);
    }
    run->needs = NULL;
    return n;
}

size_t site_calls(run_level_t level, const c_node_t *node)
{
    site_function_t functions[2];
    size_t i, n = node && node->kind == C_CALL ? site_functions(level, node, functions) : 0;

    for (i = 0; node && i < node->n; i++) {
        n += site_calls(level, node->child[i]);
    }
    return n;
}
