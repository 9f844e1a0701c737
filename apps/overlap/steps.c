/* SPDX-License-Identifier: BSD-3-Clause */
#include "steps.h"

#include <string.h>

phase_t steps_whole;
phase_t steps_phases[PHASES];
int steps_nphases;

static event_t *ring;    /* EVENTS of them; event number n is ring[n % EVENTS] */
static int64_t added;    /* events so far */
static int64_t from;     /* the first event that belongs to no step yet */
static phase_t *current; /* NULL: an anchor is looked for */
static int tries;        /* times that an anchor was looked for */

/* Steps that make a phase; times that an anchor is looked for at most; calls that are worth it; see
 * try_anchor(). */
enum { FEWEST = 4, TRIES = 64, WORTHWHILE = 256, HEAVIEST = 64 };

static const event_t *event_at(int64_t number)
{
    return &ring[number % EVENTS];
}

static bool phase_open(phase_t *phase)
{
    phase->stats = overlap_map(SITES * sizeof(*phase->stats));
    phase->stretches = overlap_map(SITES * sizeof(*phase->stretches));
    return phase->stats != NULL && phase->stretches != NULL;
}

bool steps_open(void)
{
    ring = overlap_map(EVENTS * sizeof(*ring));
    return ring != NULL && phase_open(&steps_whole);
}

/* ---- sums ---- */

static void count_stretch(phase_t *phase, const event_t *event)
{
    stretch_t *open = &phase->open;
    open->gap += event->gap;
    open->starts += event->tests;
    switch (overlap_sites[event->site].class) {
    case CLASS_START:
        open->starts += event->end - event->begin;
        break;
    case CLASS_WAIT:
        open->waits += event->end - event->begin;
        break;
    default: {
        stretch_t *sum = &phase->stretches[event->site];
        sum->count++;
        sum->gap += open->gap;
        sum->starts += open->starts;
        sum->waits += open->waits;
        *open = (stretch_t){0};
    }
    }
}

static void count_event(phase_t *phase, const event_t *event)
{
    stats_t *stats = &phase->stats[event->site];
    int64_t ns = event->end - event->begin;
    if (stats->count++ == 0) {
        stats->order = ++phase->sites;
        stats->min = ns;
    }
    stats->ns += ns;
    stats->min = ns < stats->min ? ns : stats->min;
    stats->max = ns > stats->max ? ns : stats->max;
    stats->gap += event->gap;
    stats->tests += event->tests;
    stats->traffic.sent += event->traffic.sent;
    stats->traffic.sent_bytes += event->traffic.sent_bytes;
    stats->traffic.received += event->traffic.received;
    stats->traffic.received_bytes += event->traffic.received_bytes;
    count_stretch(phase, event);
}

static uint64_t mixed(uint64_t value)
{
    value = (value ^ (value >> 33)) * 0xff51afd7ed558ccd;
    value = (value ^ (value >> 33)) * 0xc4ceb9fe1a85ec53;
    return value ^ (value >> 33);
}

static unsigned bucket_of(int64_t ns)
{
    uint64_t value = ns < 8 ? 8 : (uint64_t) ns;
    unsigned power = 63 - (unsigned) __builtin_clzll(value);
    return power * 8 + (unsigned) (value >> (power - 3) & 7);
}

int64_t steps_quantile(const phase_t *phase, double part)
{
    int64_t before = 0;
    for (unsigned b = 8 * 3; b < BUCKETS; b++) {
        before += phase->buckets[b];
        if (phase->buckets[b] > 0 &&
            (double) before >= part * (double) (phase->steps + phase->extra)) {
            int64_t middle = (int64_t) ((uint64_t) (17 + 2 * (b % 8)) << (b / 8 - 3)) / 2;
            return middle < phase->max ? middle : phase->max;
        }
    }
    return phase->max;
}

/* The events from `from` to number `last`, a call of the anchor, are a step. */
static void count_step(phase_t *phase, int64_t last)
{
    uint64_t calls = 0;
    int64_t begin = phase->end, end = event_at(last)->end;
    phase->end = end;
    phase->buckets[bucket_of(end - begin)]++;
    if (phase->longest > 0 && end - begin > phase->longest) {
        phase->extra++;
        phase->extra_ns += end - begin;
        phase->open = (stretch_t){0};
        from = last + 1;
        return;
    }
    for (; from <= last; from++) {
        calls = mixed(calls + event_at(from)->site + 1);
        count_event(phase, event_at(from));
    }
    phase->min = phase->steps == 0 || end - begin < phase->min ? end - begin : phase->min;
    phase->max = end - begin > phase->max ? end - begin : phase->max;
    phase->same += calls == phase->last_calls;
    phase->last_calls = calls;
    phase->steps++;
    if (phase->steps >= 16 && (phase->steps & (phase->steps - 1)) == 0) {
        phase->longest = LONG * steps_quantile(phase, 0.5);
    }
}

/* ---- the anchor ---- */

typedef struct candidate {
    unsigned site;
    int64_t steps, calls; /* calls: that the steps have */
} candidate_t;

/* A part that ends with an end of the anchor. */
typedef struct part {
    uint64_t sites; /* that it calls, as a sum that knows no order */
    int64_t ns;
} part_t;

static int64_t until; /* events from here on are not looked at */

/* Where a step ends: with a call of the anchor, or, of several one after the other, with the last;
 * whether it is the last, the next call tells. */
static bool is_end(int64_t number, unsigned anchor, bool runs)
{
    return event_at(number)->site == anchor &&
           (!runs || (number + 1 < added && event_at(number + 1)->site != anchor));
}

/* The part from event *number on; false: none ends any more. Needs SITES numbers. */
static bool next_part(int64_t *number, unsigned anchor, bool runs, int64_t *seen, part_t *part)
{
    const int64_t start = *number;
    part->sites = 0;
    for (; *number < until; ++*number) {
        unsigned site = event_at(*number)->site;
        if (seen[site] <= start) {
            seen[site] = *number + 1;
            part->sites += mixed(site + 1);
        }
        if (is_end(*number, anchor, runs)) {
            part->ns = event_at(*number)->end - event_at(start - 1)->end;
            ++*number;
            return true;
        }
    }
    return false;
}

static int64_t first_end(unsigned anchor, bool runs)
{
    int64_t number = from;
    while (number < until && !is_end(number, anchor, runs)) {
        number++;
    }
    return number;
}

/* A time that half of the parts are not longer than, times HEAVIEST. */
static int64_t long_time(const uint32_t powers[64], int64_t parts)
{
    int64_t before = 0;
    int power = 0;
    while (power < 50 && 2 * (before += powers[power]) < parts) {
        power++;
    }
    return (int64_t) HEAVIEST << power;
}

/*
 * Is `site` an anchor? The same sites must be called in 8 of 10 parts, and in those that have 8
 * tenths of the time: a loop over neighbours has many equal parts, but little time between them.
 * A part counts for no more than HEAVIEST usual ones, so that a pause does not decide. The majority
 * vote finds the sites, if they are those of most parts.
 */
static bool try_anchor(unsigned site, bool runs, int64_t *seen, candidate_t *out)
{
    const int64_t first = first_end(site, runs) + 1;
    uint32_t powers[64] = {0};
    uint64_t common = 0;
    int64_t votes = 0, equal = 0, number = first;
    double all_ns = 0, equal_ns = 0;
    part_t part;
    *out = (candidate_t){.site = site};
    memset(seen, 0, SITES * sizeof(*seen));
    while (next_part(&number, site, runs, seen, &part)) {
        common = votes == 0 ? part.sites : common;
        votes += part.sites == common ? 1 : -1;
        powers[part.ns < 1 ? 0 : 63 - __builtin_clzll((uint64_t) part.ns)]++;
        out->steps++;
        out->calls = number - first;
    }
    if (out->steps < FEWEST) {
        return false;
    }
    const int64_t longest = long_time(powers, out->steps);
    memset(seen, 0, SITES * sizeof(*seen));
    for (number = first; next_part(&number, site, runs, seen, &part);) {
        const double ns = (double) (part.ns < longest ? part.ns : longest);
        all_ns += ns;
        if (part.sites == common) {
            equal++;
            equal_ns += ns;
        }
    }
    return 10 * equal >= 8 * out->steps && equal_ns >= 0.8 * all_ns;
}

/* Which of the sites of a step it ends with: all ranks of a program must choose the same. */
static bool comes_first(unsigned a, unsigned b)
{
    static const int order[CLASSES] = {
        [CLASS_WAIT] = 0, [CLASS_COLLECTIVE] = 1, [CLASS_OTHER] = 2, [CLASS_START] = 3};
    int first = order[overlap_sites[a].class], second = order[overlap_sites[b].class];
    return first != second ? first < second : a > b;
}

/* More calls covered; if about as many, shorter steps; if the same, by what the site is. */
static bool is_better(const candidate_t *a, const candidate_t *b)
{
    if (10 * a->calls < 9 * b->calls || 9 * a->calls > 10 * b->calls) {
        return a->calls > b->calls;
    }
    int64_t more = a->steps > b->steps ? a->steps - b->steps : b->steps - a->steps;
    return more > 1 ? a->steps > b->steps : comes_first(a->site, b->site);
}

/* Of the events since `from`; 0: there is none. */
static unsigned find_anchor(int64_t end, bool runs)
{
    static int64_t seen[SITES];
    static uint32_t calls[SITES];
    candidate_t best = {0}, one;
    until = end;
    memset(calls, 0, sizeof(calls));
    for (int64_t number = from; number < until; number++) {
        calls[event_at(number)->site]++;
    }
    for (unsigned site = CLASSES; site < overlap_nsites; site++) {
        if (calls[site] > FEWEST && try_anchor(site, runs, seen, &one) &&
            (best.steps == 0 || is_better(&one, &best))) {
            best = one;
        }
    }
    return best.site;
}

/* Opens a phase with the steps of the events from `from` to `until`. */
static bool open_phase(unsigned anchor, bool runs)
{
    phase_t *phase = &steps_phases[steps_nphases];
    const int64_t end = until;
    if (steps_nphases == PHASES || !phase_open(phase)) {
        return false;
    }
    steps_nphases++;
    current = phase;
    phase->anchor = anchor;
    phase->runs = runs;
    from = first_end(anchor, runs);
    phase->begin = phase->end = event_at(from)->end;
    for (int64_t number = ++from; number < end; number++) {
        if (is_end(number, anchor, runs)) {
            count_step(phase, number);
        }
    }
    return true;
}

/* An anchor that ends steps with its runs, or else with each call: in a program that calls nothing
 * else. */
static unsigned find_any_anchor(int64_t end, bool *runs)
{
    *runs = true;
    unsigned anchor = find_anchor(end, true);
    if (anchor == 0) {
        *runs = false;
        anchor = find_anchor(end, false);
    }
    return anchor;
}

/* Opens a phase with the events since `from`, or forgets them. Before the first step there may have
 * been steps of another kind. */
static void look_for_steps(void)
{
    bool runs, runs_before;
    unsigned anchor = tries++ < TRIES ? find_any_anchor(added, &runs) : 0;
    if (anchor != 0) {
        const int64_t first = first_end(anchor, runs);
        unsigned before = first - from < WORTHWHILE ? 0 : find_any_anchor(first, &runs_before);
        if (before != 0) {
            (void) open_phase(before, runs_before);
        }
        until = added;
    }
    if (anchor == 0 || !open_phase(anchor, runs)) {
        current = NULL;
        from = added;
    }
}

/* The last event ends a step, or shows that the one before it did. */
static void look_for_end(void)
{
    int64_t number = current->runs ? added - 2 : added - 1;
    if (number >= from && is_end(number, current->anchor, current->runs)) {
        count_step(current, number);
    }
}

void steps_add(const event_t *event)
{
    count_event(&steps_whole, event);
    ring[added % EVENTS] = *event;
    added++;
    if (current != NULL) {
        look_for_end();
    }
    if (added - from == EVENTS) {
        current = NULL;
        look_for_steps();
    }
}

/* No call comes behind the last one. */
static void close_phase(void)
{
    if (current != NULL && current->runs && added > from &&
        event_at(added - 1)->site == current->anchor) {
        count_step(current, added - 1);
    }
    current = NULL;
}

void steps_finish(void)
{
    close_phase();
    while (steps_nphases == 0 || added - from >= WORTHWHILE) {
        look_for_steps();
        if (current == NULL) {
            break;
        }
        close_phase();
    }
}

void steps_calibrate(void)
{
    static phase_t phase;
    current = phase_open(&phase) ? &phase : NULL;
    phase.anchor = overlap_nsites; /* the first of the calls that come, if it is a new site */
}
