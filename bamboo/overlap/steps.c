#include "bamboo/overlap/steps.h"

#include <string.h>

phase_t steps_whole;
phase_t steps_phases[PHASES];
int steps_nphases;

static event_t *ring;          /* EVENTS of them; event number n is ring[n % EVENTS] */
static int64_t added;          /* events so far */
static int64_t from;           /* the first event that belongs to no step yet */
static phase_t *current;       /* NULL: an anchor is looked for */
enum { FEWEST = 4, TRIES = 64 }; /* steps that make a phase; times that an anchor is looked for */
static int tries;

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
        if (phase->buckets[b] > 0 && (double) before >= part * (double) (phase->steps + phase->extra)) {
            int64_t upper = (int64_t) ((uint64_t) (9 + b % 8) << (b / 8 - 3));
            return upper < phase->max ? upper : phase->max;
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
    int64_t steps, calls, waits; /* calls: that the steps have; waits: time in the anchor */
} candidate_t;

/* The sites that are called after one anchor, up to the next, as a sum that knows no order. */
static uint64_t sites_until(int64_t *number, unsigned anchor, int64_t *seen)
{
    uint64_t sites = 0;
    for (int64_t start = *number; *number < added; ++*number) {
        unsigned site = event_at(*number)->site;
        if (seen[site] <= start) {
            seen[site] = *number + 1;
            sites += mixed(site + 1);
        }
        if (site == anchor) {
            ++*number;
            return sites;
        }
    }
    return 0; /* no further anchor */
}

static int64_t first_call(unsigned site)
{
    int64_t number = from;
    while (number < added && event_at(number)->site != site) {
        number++;
    }
    return number;
}

/* Is `site` an anchor? Needs SITES numbers. Most steps being equal, the majority vote finds them. */
static bool try_anchor(unsigned site, int64_t *seen, candidate_t *out)
{
    uint64_t common = 0, sites;
    int64_t first = first_call(site) + 1, votes = 0, equal = 0, number = first;
    *out = (candidate_t){.site = site};
    memset(seen, 0, SITES * sizeof(*seen));
    while ((sites = sites_until(&number, site, seen)) != 0) {
        common = votes == 0 ? sites : common;
        votes += sites == common ? 1 : -1;
        out->steps++;
        out->calls = number - first;
        out->waits += event_at(number - 1)->end - event_at(number - 1)->begin;
    }
    if (out->steps < FEWEST) {
        return false;
    }
    memset(seen, 0, SITES * sizeof(*seen));
    for (number = first; (sites = sites_until(&number, site, seen)) != 0;) {
        equal += sites == common;
    }
    return 10 * equal >= 8 * out->steps;
}

/* More calls covered; if about as many, shorter steps; if the same, the one that waits longest. */
static bool is_better(const candidate_t *a, const candidate_t *b)
{
    if (10 * a->calls < 9 * b->calls || 9 * a->calls > 10 * b->calls) {
        return a->calls > b->calls;
    }
    int64_t more = a->steps > b->steps ? a->steps - b->steps : b->steps - a->steps;
    return more > 1 ? a->steps > b->steps : a->waits > b->waits;
}

/* 0: there is none. */
static unsigned find_anchor(void)
{
    static int64_t seen[SITES];
    static uint32_t calls[SITES];
    candidate_t best = {0}, one;
    memset(calls, 0, sizeof(calls));
    for (int64_t number = from; number < added; number++) {
        calls[event_at(number)->site]++;
    }
    for (unsigned site = CLASSES; site < overlap_nsites; site++) {
        if (calls[site] > FEWEST && overlap_sites[site].class != CLASS_START &&
            try_anchor(site, seen, &one) && (best.steps == 0 || is_better(&one, &best))) {
            best = one;
        }
    }
    return best.site;
}

/* Opens a phase with the events since `from`, or forgets them. */
static void look_for_steps(void)
{
    int64_t end = added;
    unsigned anchor =
        steps_nphases < PHASES && tries++ < TRIES ? find_anchor() : 0;
    phase_t *phase = &steps_phases[steps_nphases];
    if (anchor == 0 || !phase_open(phase)) {
        from = added;
        return;
    }
    steps_nphases++;
    current = phase;
    phase->anchor = anchor;
    from = first_call(anchor);
    phase->begin = phase->end = event_at(from)->end;
    for (int64_t number = ++from; number < end; number++) {
        if (event_at(number)->site == anchor) {
            count_step(phase, number);
        }
    }
}

void steps_add(const event_t *event)
{
    count_event(&steps_whole, event);
    ring[added % EVENTS] = *event;
    added++;
    if (current != NULL && event->site == current->anchor) {
        count_step(current, added - 1);
    } else if (added - from == EVENTS) {
        current = NULL;
        look_for_steps();
    }
}

void steps_finish(void)
{
    const int64_t rest = 256; /* calls that are worth another phase */
    do {
        current = NULL;
        if (added - from < rest && steps_nphases > 0) {
            break;
        }
        look_for_steps();
    } while (current != NULL);
}

void steps_calibrate(void)
{
    static phase_t phase;
    current = phase_open(&phase) ? &phase : NULL;
    phase.anchor = overlap_nsites; /* the first of the calls that come, if it is a new site */
}
