/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by conditions.c, copies.c, completion.c, refuse.c, region.c and sites.c. */
#ifndef SUGGEST_C_SITE_PRIVATE_H
#define SUGGEST_C_SITE_PRIVATE_H

#include "datatype.h"
#include "site.h"

static inline bool trusting(const struct run *run)
{
    return run->level == RUN_TRUSTING;
}

/* The side of a copy that is not the buffer. */
static inline const struct run_place *site_data(const struct site *site,
                                                const struct run_event *event)
{
    return site->function->receives ? &event->to : &event->from;
}

/* ---- conditions.c ---- */
bool site_excluded(struct run *run, const struct site *site, const struct run_event *event);
bool site_first_of_any(struct run *run, const struct run_event *event, size_t *first);
void site_check_conditions(struct run *run, struct site *site, const struct run_event *copy);

/* ---- copies.c ---- */
bool site_receiver(const struct run *run, const struct c_node *call,
                   struct site_function *function);
int site_argument(const struct run_event *event, int argument);
bool site_receives_into(const struct run *run, const struct run_event *event, int base);
bool site_mentions(const struct run_event *event, int base);
bool site_stores_into(const struct run_event *event, int base);
bool site_reads(const struct run_event *event, int base);
bool site_around(const struct run *run, int a, int b);
struct run_extent site_call_extent(struct run *run, const struct run_event *event,
                                   const struct site_function *function);
bool site_has_slice(struct run *run, const struct site *site, const struct run_extent *extent);
/* The bytes of PLACE that the event reads or writes. */
struct run_extent site_extent(struct run *run, const struct run_event *event,
                              const struct run_place *place);
void site_find_packing(struct run *run, struct site *site);
void site_find_unpacking(struct run *run, struct site *site);
void site_find_home(struct run *run, struct site *site);
enum site_kind site_kind_of_buffer(struct run *run, struct site *site);

/* ---- completion.c ---- */
bool site_may_complete(const struct run_event *event, const struct run_value *request);
size_t site_find_completion(struct run *run, struct site *site);
bool site_is_complete(struct run *run, size_t at, const struct run_value *request,
                      const struct run_event *wait);

/* ---- functions.c ---- */
mpi_kind_t site_kind_of(const struct c_node *call);

/* ---- region.c ---- */
const struct run_place *site_touches(struct run *run, const struct site *site,
                                     const struct run_place *place, bool bytes,
                                     const struct run_extent *extent, const struct c_node *where);

#endif
