/* SPDX-License-Identifier: BSD-3-Clause */
#include "steps.h"

#include <string.h>

part_t steps_whole;

static event_t *ring;   /* EVENTS of them; event number n is ring[n % EVENTS] */
static int64_t added;   /* events so far */
static int64_t from;    /* the first event that belongs to no step yet */
static part_t parts[2]; /* the steps that are counted, and the longest ones before them */
static part_t *current; /* NULL: an anchor is looked for */
static part_t *best;    /* NULL: there were no steps before */
static int tries;       /* times that an anchor was looked for */

/* Steps that an anchor must have; times that an anchor is looked for at most; see try_anchor(). */
enum { FEWEST = 4, TRIES = 64, HEAVIEST = 64 };

static const event_t *event_at(int64_t number)
{
    return &ring[number % EVENTS];
}

static bool part_open(part_t *part)
{
    part->stats = overlap_map(SITES * sizeof(*part->stats));
    part->stretches = overlap_map(SITES * sizeof(*part->stretches));
    return part->stats != NULL && part->stretches != NULL;
}

bool steps_open(void)
{
    ring = overlap_map(EVENTS * sizeof(*ring));
    return ring != NULL && part_open(&steps_whole) && part_open(&parts[0]) && part_open(&parts[1]);
}

/* ---- sums ---- */

static void count_stretch(part_t *part, const event_t *event)
{
    stretch_t *open = &part->open;
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
        stretch_t *sum = &part->stretches[event->site];
        sum->gap += open->gap;
        sum->starts += open->starts;
        sum->waits += open->waits;
        *open = (stretch_t){0};
    }
    }
}

static void count_event(part_t *part, const event_t *event)
{
    stats_t *stats = &part->stats[event->site];
    int64_t ns = event->end - event->begin;
    stats->count++;
    stats->ns += ns;
    stats->gap += event->gap;
    stats->tests += event->tests;
    stats->traffic.sent += event->traffic.sent;
    stats->traffic.sent_bytes += event->traffic.sent_bytes;
    stats->traffic.received += event->traffic.received;
    stats->traffic.received_bytes += event->traffic.received_bytes;
    count_stretch(part, event);
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

int64_t steps_median(const part_t *part)
{
    int64_t before = 0;
    for (unsigned b = 8 * 3; b < BUCKETS; b++) {
        before += part->buckets[b];
        if (part->buckets[b] > 0 && 2 * before >= part->steps + part->extra) {
            int64_t middle = (int64_t) ((uint64_t) (17 + 2 * (b % 8)) << (b / 8 - 3)) / 2;
            return middle < part->max ? middle : part->max;
        }
    }
    return part->max;
}

/* The events from `from` to number `last`, a call of the anchor, are a step. */
static void count_step(part_t *part, int64_t last)
{
    int64_t begin = part->end, end = event_at(last)->end;
    part->end = end;
    part->buckets[bucket_of(end - begin)]++;
    if (part->longest > 0 && end - begin > part->longest) {
        part->extra++;
        part->extra_ns += end - begin;
        part->open = (stretch_t){0};
        from = last + 1;
        return;
    }
    for (; from <= last; from++) {
        count_event(part, event_at(from));
    }
    part->max = end - begin > part->max ? end - begin : part->max;
    part->steps++;
    if (part->steps >= 16 && (part->steps & (part->steps - 1)) == 0) {
        part->longest = LONG * steps_median(part);
    }
}

/* ---- the anchor ---- */

typedef struct candidate {
    unsigned site;
    int64_t steps, calls; /* calls: that the steps have */
} candidate_t;

/* Calls up to an end of the anchor. */
typedef struct lap {
    uint64_t sites; /* that it calls, as a sum that knows no order */
    int64_t ns;
} lap_t;

/* Where a step ends: with a call of the anchor, or, of several one after the other, with the last;
 * whether it is the last, the next call tells. */
static bool is_end(int64_t number, unsigned anchor, bool runs)
{
    return event_at(number)->site == anchor &&
           (!runs || (number + 1 < added && event_at(number + 1)->site != anchor));
}

/* The lap from event *number on; false: none ends any more. Needs SITES numbers. */
static bool next_lap(int64_t *number, unsigned anchor, bool runs, int64_t *seen, lap_t *lap)
{
    const int64_t start = *number;
    lap->sites = 0;
    for (; *number < added; ++*number) {
        unsigned site = event_at(*number)->site;
        if (seen[site] <= start) {
            seen[site] = *number + 1;
            lap->sites += mixed(site + 1);
        }
        if (is_end(*number, anchor, runs)) {
            lap->ns = event_at(*number)->end - event_at(start - 1)->end;
            ++*number;
            return true;
        }
    }
    return false;
}

static int64_t first_end(unsigned anchor, bool runs)
{
    int64_t number = from;
    while (number < added && !is_end(number, anchor, runs)) {
        number++;
    }
    return number;
}

/* A time that half of the laps are not longer than, times HEAVIEST. */
static int64_t long_time(const uint32_t powers[64], int64_t laps)
{
    int64_t before = 0;
    int power = 0;
    while (power < 50 && 2 * (before += powers[power]) < laps) {
        power++;
    }
    return (int64_t) HEAVIEST << power;
}

/*
 * Is `site` an anchor? The same sites must be called in 8 of 10 laps, and in those that have 8
 * tenths of the time: a loop over neighbours has many equal laps, but little time between them.
 * A lap counts for no more than HEAVIEST usual ones, so that a pause does not decide. The majority
 * vote finds the sites, if they are those of most laps.
 */
static bool try_anchor(unsigned site, bool runs, int64_t *seen, candidate_t *out)
{
    const int64_t first = first_end(site, runs) + 1;
    uint32_t powers[64] = {0};
    uint64_t common = 0;
    int64_t votes = 0, equal = 0, number = first;
    double all_ns = 0, equal_ns = 0;
    lap_t lap;
    *out = (candidate_t){.site = site};
    memset(seen, 0, SITES * sizeof(*seen));
    while (next_lap(&number, site, runs, seen, &lap)) {
        common = votes == 0 ? lap.sites : common;
        votes += lap.sites == common ? 1 : -1;
        powers[lap.ns < 1 ? 0 : 63 - __builtin_clzll((uint64_t) lap.ns)]++;
        out->steps++;
        out->calls = number - first;
    }
    if (out->steps < FEWEST) {
        return false;
    }
    const int64_t longest = long_time(powers, out->steps);
    memset(seen, 0, SITES * sizeof(*seen));
    for (number = first; next_lap(&number, site, runs, seen, &lap);) {
        const double ns = (double) (lap.ns < longest ? lap.ns : longest);
        all_ns += ns;
        if (lap.sites == common) {
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
static unsigned find_anchor(bool runs)
{
    static int64_t seen[SITES];
    static uint32_t calls[SITES];
    candidate_t found = {0}, one;
    memset(calls, 0, sizeof(calls));
    for (int64_t number = from; number < added; number++) {
        calls[event_at(number)->site]++;
    }
    for (unsigned site = CLASSES; site < overlap_nsites; site++) {
        if (calls[site] > FEWEST && try_anchor(site, runs, seen, &one) &&
            (found.steps == 0 || is_better(&one, &found))) {
            found = one;
        }
    }
    return found.site;
}

/* Counts the steps of the events since `from`. */
static void open_part(unsigned anchor, bool runs)
{
    part_t *part = best == &parts[0] ? &parts[1] : &parts[0];
    stats_t *stats = part->stats;
    stretch_t *stretches = part->stretches;
    const int64_t end = added;
    memset(stats, 0, SITES * sizeof(*stats));
    memset(stretches, 0, SITES * sizeof(*stretches));
    *part = (part_t){.anchor = anchor, .runs = runs, .stats = stats, .stretches = stretches};
    current = part;
    from = first_end(anchor, runs);
    part->begin = part->end = event_at(from)->end;
    for (int64_t number = ++from; number < end; number++) {
        if (is_end(number, anchor, runs)) {
            count_step(part, number);
        }
    }
}

/* Opens steps with the events since `from`, or forgets these. An anchor ends steps with its runs,
 * or else with each call: in a program that calls nothing else. */
static void look_for_steps(void)
{
    bool runs = true;
    unsigned anchor = tries++ < TRIES ? find_anchor(runs) : 0;
    if (anchor == 0 && tries <= TRIES) {
        runs = false;
        anchor = find_anchor(runs);
    }
    if (anchor != 0) {
        open_part(anchor, runs);
    } else {
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

/* No call follows the last one. */
static void close_part(void)
{
    if (current == NULL) {
        return;
    }
    if (current->runs && added > from && event_at(added - 1)->site == current->anchor) {
        count_step(current, added - 1);
    }
    if (current->steps > 0 &&
        (best == NULL || current->end - current->begin > best->end - best->begin)) {
        best = current;
    }
    current = NULL;
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
        close_part();
        look_for_steps();
    }
}

void steps_finish(void)
{
    close_part();
    if (best == NULL) {
        look_for_steps();
        close_part();
    }
}

const part_t *steps_longest(void)
{
    return best;
}

void steps_calibrate(void)
{
    current = best == &parts[0] ? &parts[1] : &parts[0];
    current->runs = false;
    current->anchor = overlap_nsites; /* the first of the calls that come, if it is a new site */
}
