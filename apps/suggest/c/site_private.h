/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by conditions.c, copies.c, completion.c, refuse.c, region.c and sites.c. */
#ifndef SUGGEST_C_SITE_PRIVATE_H
#define SUGGEST_C_SITE_PRIVATE_H

#include "datatype.h"
#include "site.h"

static inline bool trusting(const run_t *run)
{
    return run->level == RUN_TRUSTING;
}

/* The side of a copy that is not the buffer. */
static inline const run_place_t *site_data(const site_t *site, const run_event_t *event)
{
    return site->function->receives ? &event->to : &event->from;
}

/* ---- conditions.c ---- */
bool site_excluded(run_t *run, const site_t *site, const run_event_t *event);
bool site_first_of_any(run_t *run, const run_event_t *event, size_t *first);
void site_check_conditions(run_t *run, site_t *site, const run_event_t *copy);

/* ---- copies.c ---- */
bool site_receiver(const run_t *run, const c_node_t *call, site_function_t *function);
int site_argument(const run_event_t *event, int argument);
bool site_receives_into(const run_t *run, const run_event_t *event, int base);
bool site_mentions(const run_event_t *event, int base);
bool site_stores_into(const run_event_t *event, int base);
bool site_reads(const run_event_t *event, int base);
bool site_around(const run_t *run, int a, int b);
run_extent_t site_call_extent(run_t *run, const run_event_t *event,
                              const site_function_t *function);
bool site_has_slice(run_t *run, const site_t *site, const run_extent_t *extent);
/* The bytes of PLACE that the event reads or writes. */
run_extent_t site_extent(run_t *run, const run_event_t *event, const run_place_t *place);
void site_find_packing(run_t *run, site_t *site);
void site_find_unpacking(run_t *run, site_t *site);
void site_find_home(run_t *run, site_t *site);
site_kind_t site_kind_of_buffer(run_t *run, site_t *site);

/* ---- completion.c ---- */
bool site_may_complete(const run_event_t *event, const run_value_t *request);
size_t site_find_completion(run_t *run, site_t *site);
bool site_is_complete(run_t *run, size_t at, const run_value_t *request, const run_event_t *wait);

/* ---- functions.c ---- */
mpi_kind_t site_kind_of(const c_node_t *call);

/* ---- region.c ---- */
const run_place_t *site_touches(run_t *run, const site_t *site, const run_place_t *place,
                                bool bytes, const run_extent_t *extent, const c_node_t *where);

#endif
