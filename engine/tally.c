/* SPDX-License-Identifier: BSD-3-Clause */
#include "tally.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/heap.h"
#include "base/lock.h"

/* An application that names every datatype differently must not fill the memory. */
enum { MOST_TALLIES = 1024 };

/* With fewer samples of the native engine, or of large fragments, the report has no time of it:
 * they may be untypical. */
enum { LEAST_NATIVE = 6, LEAST_LARGE = 3, LARGE = 1 << 20 /* bytes */ };

_Static_assert(offsetof(dame_tally_t, amounts) == 0, "dame_tally_of()");

static void hear_event(void *unused, const dame_event_t *event);

void dame_tallies_init(dame_tallies_t *tallies, dame_counts_t *counts)
{
    tallies->counts = counts;
    tallies->observer = (dame_observer_t){.event = hear_event};
}

void dame_tallies_start(dame_tallies_t *tallies, bool on, bool times)
{
    tallies->on = on;
    tallies->times = times;
}

void dame_tallies_stop(dame_tallies_t *tallies)
{
    dame_lock(DAME_LOCK_STATISTICS); /* also held while they are read for a report */
    dame_tally_t *tally = atomic_exchange(&tallies->first, NULL);
    dame_unlock(DAME_LOCK_STATISTICS);
    while (tally != NULL) {
        dame_tally_t *next = tally->next;
        dame_heap_free(tally->times);
        dame_heap_free(tally);
        tally = next;
    }
    memset(tallies->chains, 0, sizeof(tallies->chains));
    tallies->count = 0;
}

static dame_tally_t **chain_of(dame_tallies_t *tallies, const char *name, const char *words)
{
    const uint64_t hash =
        dame_hash_bytes(dame_hash_bytes(DAME_NO_BYTES, name, strlen(name)), words, strlen(words));
    return &tallies->chains[hash % DAME_TALLY_CHAINS];
}

static dame_tally_t *find_tally(dame_tallies_t *tallies, const char *name, const char *words,
                                int64_t size)
{
    dame_tally_t *tally = *chain_of(tallies, name, words);
    while (tally != NULL && (size != tally->size || strcmp(words, tally->words) != 0 ||
                             strcmp(name, tally->name) != 0)) {
        tally = tally->beside;
    }
    return tally;
}

static dame_tally_t *add_tally(dame_tallies_t *tallies, const char *name, const char *words,
                               int64_t size)
{
    dame_tally_t *tally = dame_heap_zalloc(sizeof(*tally));
    if (tally == NULL) {
        return NULL;
    }
    tally->times = tallies->times ? dame_heap_zalloc(sizeof(*tally->times)) : NULL;
    if (tallies->times && tally->times == NULL) {
        dame_heap_free(tally);
        return NULL;
    }
    memcpy(tally->name, name, DAME_TALLY_NAME);
    memcpy(tally->words, words, DAME_TALLY_WORDS);
    tally->size = size;
    for (int work = 0; tallies->times && work < DAME_WORKS; work++) {
        atomic_init(&tally->times->native[work].next, DAME_FIRST_SAMPLE);
    }
    dame_tally_t **chain = chain_of(tallies, tally->name, tally->words);
    tally->beside = *chain;
    *chain = tally;
    tally->next = atomic_load_explicit(&tallies->first, memory_order_relaxed);
    atomic_store_explicit(&tallies->first, tally, memory_order_release);
    tally->number = (uint64_t) ++tallies->count;
    return tally;
}

dame_tally_t *dame_tally_get(dame_tallies_t *tallies, const char *given, const char *given_words,
                             int64_t size)
{
    char name[DAME_TALLY_NAME] = "(all others)";
    char words[DAME_TALLY_WORDS] = "";
    if (!tallies->on) {
        return NULL;
    }
    if (tallies->count < MOST_TALLIES) {
        (void) snprintf(name, sizeof(name), "%s", given);
        (void) snprintf(words, sizeof(words), "%s", given_words);
    } else {
        size = 0;
    }
    dame_tally_t *tally = find_tally(tallies, name, words, size);
    return tally == NULL ? add_tally(tallies, name, words, size) : tally;
}

static dame_tally_t *tally_for(dame_tallies_t *tallies, const char *name,
                               const dame_program_t *program)
{
    char words[DAME_TALLY_WORDS] = "";
    if (tallies->on && tallies->count < MOST_TALLIES) {
        dame_words_of_layout(program, words, sizeof(words));
    }
    return dame_tally_get(tallies, name, words, program->size);
}

/* What makes another epoch of a layout's, of the same number of revocations. Its lowest bits tell
 * where uses are counted (credit.h). */
static uint64_t bits_of(const dame_tally_t *tally)
{
    enum { COUNT_BITS = 11 };
    return tally->number << (DAME_EPOCH_NUMBER_BITS - COUNT_BITS) |
           tally->number % DAME_MOST_CREDITS;
}

void dame_tally_open(dame_tallies_t *tallies, dame_use_t *use, const char *name, bool own)
{
    dame_layout_t *layout = use->layout;
    dame_tally_t *first = atomic_load_explicit(&layout->tally, memory_order_relaxed);
    dame_tally_t *tally = first == NULL || own ? tally_for(tallies, name, layout->program) : first;
    use->tally_bits = 0;
    use->amounts = NULL;
    if (tally == NULL) {
        return;
    }
    if (first == NULL) {
        atomic_store_explicit(&layout->tally, tally, memory_order_release);
    } else if (first != tally) {
        use->tally_bits = bits_of(tally);
    }
    use->amounts = &tally->amounts;
    atomic_fetch_add_explicit(&tally->datatypes, 1, memory_order_relaxed);
}

/* The present counts of all threads. */
typedef struct sums {
    int64_t uses[DAME_WORKS][DAME_TIERS];
    int64_t bytes[DAME_WORKS][DAME_TIERS];
} sums_t;

static void sum_up(const dame_tallies_t *tallies, const dame_tally_t *tally, sums_t *sums)
{
    dame_counts_of(tallies->counts, &tally->amounts, NULL, sums->uses, sums->bytes);
}

static const dame_amounts_t *next_amounts(const dame_amounts_t *amounts)
{
    const dame_tally_t *next = ((const dame_tally_t *) amounts)->next; /* its first member */
    return next == NULL ? NULL : &next->amounts;
}

/* ---- What happens to codes; with the gate's lock held --------------------------------------- */

/* The use comes from settled counts, so that the message that compiles does not wait for all
 * threads' counts. */
static void note_compiled(dame_tally_t *tally, dame_dir_t dir, int64_t ns)
{
    int64_t never = 0;
    const int64_t use = 1 + atomic_load_explicit(&tally->amounts.of[dir][DAME_TIER_INTERP].uses,
                                                 memory_order_relaxed);
    (void) atomic_compare_exchange_strong(&tally->compiled_at[dir], &never, use);
    atomic_fetch_add_explicit(&tally->compile_ns, ns, memory_order_relaxed);
}

static void note_code(dame_tally_t *tally, dame_dir_t dir, dame_tier_t tier, const char *code)
{
    dame_history_t *history = &tally->history[dir];
    const int32_t n = history->nsteps;
    if (tier == DAME_TIER_INTERP && tally->runs[dir] != DAME_TIER_NATIVE) {
        atomic_fetch_add_explicit(&tally->demoted, 1, memory_order_relaxed);
    }
    tally->runs[dir] = tier;
    if (n == 0 ? tier == DAME_TIER_INTERP : strcmp(history->steps[n - 1].code, code) == 0) {
        return; /* another layout of the same name and words */
    }
    if (n == DAME_STEPS) {
        memmove(&history->steps[1], &history->steps[2],
                (DAME_STEPS - 2) * sizeof(dame_code_step_t));
        history->nsteps--;
    }
    dame_code_step_t *step = &history->steps[history->nsteps];
    (void) snprintf(step->code, sizeof(step->code), "%s", code);
    step->use = 1 + dame_tally_uses(tally, (dame_work_t) dir);
    history->nsteps++;
}

static void hear_event(void *unused, const dame_event_t *event)
{
    (void) unused;
    dame_tally_t *tally = event->use == NULL ? NULL : dame_tally_of(event->use);
    if (tally == NULL) {
        return;
    }
    dame_history_t *history = &tally->history[event->dir];
    switch (event->kind) {
    case DAME_EVENT_COMPILED:
        note_compiled(tally, event->dir, event->ns);
        break;
    case DAME_EVENT_RUNS:
        dame_lock(DAME_LOCK_STATISTICS);
        note_code(tally, event->dir, event->tier, event->code);
        dame_unlock(DAME_LOCK_STATISTICS);
        break;
    case DAME_EVENT_COSTS:
        dame_lock(DAME_LOCK_STATISTICS);
        memcpy(history->costs, event->costs, (size_t) event->ncosts * sizeof(*event->costs));
        history->ncosts = event->ncosts;
        dame_unlock(DAME_LOCK_STATISTICS);
        break;
    default:
        break;
    }
}

/* ---- Times ---------------------------------------------------------------------------------- */

/* A number that is as good as random. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 32;
}

/* The n-th sample stays with the probability DAME_KEPT / n, in the place of any other. Returns
 * where it was put; < 0: nowhere. */
static int add_sample(dame_kept_t *samples, int64_t ns, int64_t bytes)
{
    const uint64_t time = ns < 0 ? 0 : ns < UINT32_MAX ? (uint64_t) ns : UINT32_MAX;
    const uint64_t amount = bytes < UINT32_MAX ? (uint64_t) bytes : UINT32_MAX;
    const uint32_t count = atomic_fetch_add_explicit(&samples->count, 1, memory_order_relaxed);
    const uint64_t at =
        count < DAME_KEPT ? count : mix(time << 32 ^ count) % ((uint64_t) count + 1);
    if (at >= DAME_KEPT) {
        return -1;
    }
    atomic_store_explicit(&samples->kept[at], time << 32 | amount, memory_order_relaxed);
    return (int) at;
}

void dame_moved_add(dame_moved_t *moved, int64_t ns, int64_t bytes, bool early)
{
    if (!early && !atomic_exchange_explicit(&moved->has_steady, true, memory_order_relaxed)) {
        atomic_store_explicit(&moved->samples.count, 0, memory_order_relaxed);
    }
    if (!early || !atomic_load_explicit(&moved->has_steady, memory_order_relaxed)) {
        (void) add_sample(&moved->samples, ns, bytes);
    }
}

void dame_native_add(dame_native_t *native, int64_t ns, int64_t bytes)
{
    const int at = add_sample(&native->samples, ns, bytes);
    if (at >= 0) {
        atomic_store_explicit(&native->at[at],
                              atomic_load_explicit(&native->began, memory_order_relaxed),
                              memory_order_relaxed);
    }
}

bool dame_native_is_enough(const dame_native_t *native)
{
    const uint32_t count = atomic_load_explicit(&native->samples.count, memory_order_relaxed);
    uint32_t large = 0;
    for (uint32_t i = 0; i < count && i < LEAST_NATIVE; i++) {
        large += (uint32_t) atomic_load_explicit(&native->samples.kept[i], memory_order_relaxed) >=
                 LARGE;
    }
    return count >= LEAST_NATIVE || large >= LEAST_LARGE;
}

typedef struct sample {
    double ns;
    double bytes;
    uint32_t at; /* the use, if known */
} sample_t;

static int compare_rates(const void *a, const void *b)
{
    const sample_t *x = a;
    const sample_t *y = b;
    const double difference = x->ns * y->bytes - y->ns * x->bytes;
    return (difference > 0) - (difference < 0);
}

/* Drops outliers: MUCH times slower than most and over LONG ns, since another process had the CPU
 * then. Returns the number kept. */
static size_t read_samples(const dame_kept_t *samples, const _Atomic uint32_t *at,
                           sample_t read[DAME_KEPT])
{
    static const double MUCH = 5;
    static const double LONG = 2000; /* nanoseconds */
    const uint32_t ever = atomic_load_explicit(&samples->count, memory_order_relaxed);
    size_t n = 0;
    for (uint32_t i = 0; i < DAME_KEPT && i < ever; i++) {
        const uint64_t sample = atomic_load_explicit(&samples->kept[i], memory_order_relaxed);
        if ((uint32_t) sample != 0) {
            read[n++] = (sample_t){
                .ns = (double) (sample >> 32),
                .bytes = (double) (uint32_t) sample,
                .at = at == NULL ? 0 : atomic_load_explicit(&at[i], memory_order_relaxed)};
        }
    }
    qsort(read, n, sizeof(read[0]), compare_rates);
    const sample_t most = n > 0 ? read[(n - 1) / 2] : (sample_t){.bytes = 1};
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (read[i].ns <= LONG || read[i].ns * most.bytes <= MUCH * most.ns * read[i].bytes) {
            read[kept++] = read[i];
        }
    }
    return kept;
}

/* Half of the interval in which 19 of 20 means of n samples are, in standard errors (Student's t).
 */
static double width(size_t n)
{
    static const double t[] = {12.7, 4.3, 3.2, 2.8, 2.6, 2.4, 2.4, 2.3, 2.3, 2.2};
    return n < 2 ? 0 : n - 2 < sizeof(t) / sizeof(t[0]) ? t[n - 2] : 2.1;
}

/* The square of what a mean may be off by, as far as groups of samples tell: those of one probe
 * may all be of a time when the machine was slow. `at` in order; 0: a group of its own. */
static double variance(const sample_t *samples, size_t n, double mean, bool grouped)
{
    double squares = 0;
    double bytes = 0;
    size_t groups = 0;
    for (size_t i = 0, next; i < n; i = next, groups++) {
        double off = 0;
        next = i;
        do {
            off += samples[next].ns - mean * samples[next].bytes;
            bytes += samples[next].bytes;
            next++;
        } while (next < n && grouped && samples[i].at != 0 && samples[i].at == samples[next].at);
        squares += off * off;
    }
    return groups < 2 ? 0 : squares / (bytes * bytes) * (double) groups / (double) (groups - 1);
}

/* For each byte. One sample alone says nothing of its error. */
static dame_rate_t rate_of(const sample_t *samples, size_t n)
{
    double ns = 0;
    double bytes = 0;
    for (size_t i = 0; i < n; i++) {
        ns += samples[i].ns;
        bytes += samples[i].bytes;
    }
    if (bytes <= 0) {
        return (dame_rate_t){.ns = -1};
    }
    const double mean = ns / bytes;
    const double alone = variance(samples, n, mean, false);
    const double grouped = variance(samples, n, mean, true);
    const double most = alone > grouped ? alone : grouped;
    return (dame_rate_t){.ns = mean, .error2 = n < 2 ? mean * mean : width(n) * width(n) * most};
}

static dame_rate_t rate(const dame_kept_t *samples)
{
    sample_t read[DAME_KEPT];
    return rate_of(read, read_samples(samples, NULL, read));
}

static int compare_uses(const void *a, const void *b)
{
    const sample_t *x = a;
    const sample_t *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/*
 * The same for the native engine. Probes are not spread evenly over the uses, early ones are
 * closer to each other: so a group of probes counts for the uses that are nearer to it than to
 * another.
 */
static dame_rate_t native_rate(const dame_native_t *native, int64_t uses)
{
    sample_t read[DAME_KEPT];
    const size_t n = read_samples(&native->samples, native->at, read);
    if (!dame_native_is_enough(native)) {
        return (dame_rate_t){.ns = -1};
    }
    const size_t least = n < 4 * LEAST_NATIVE ? LEAST_NATIVE : n / 4; /* of a group */
    double sum = 0;
    double from = 0;
    qsort(read, n, sizeof(read[0]), compare_uses);
    for (size_t i = 0, next; i < n; i = next) {
        double ns = 0;
        double bytes = 0;
        for (next = i; next < n &&
                       (next < i + least || n - next < least || read[next].at == read[next - 1].at);
             next++) {
            ns += read[next].ns;
            bytes += read[next].bytes;
        }
        const double to =
            next < n ? ((double) read[next - 1].at + (double) read[next].at) / 2 : (double) uses;
        sum += (to - from) * ns / bytes;
        from = to;
    }
    return (dame_rate_t){.ns = from > 0 ? sum / from : -1, .error2 = rate_of(read, n).error2};
}

/* ---- For the report ------------------------------------------------------------------------- */

static const dame_times_t *times_of(const dame_tally_t *tally)
{
    static const dame_times_t none;
    return tally->times != NULL ? tally->times : &none;
}

static int64_t bytes_of(const dame_tally_row_t *row)
{
    int64_t bytes = 0;
    for (int work = 0; work < DAME_WORKS; work++) {
        for (int tier = 0; tier < DAME_TIERS; tier++) {
            bytes += row->moved[work][tier].bytes;
        }
        bytes += row->left_bytes[work];
    }
    return bytes;
}

static void fill_row(const dame_tallies_t *tallies, const dame_tally_t *tally,
                     dame_tally_row_t *row)
{
    sums_t sums;
    sum_up(tallies, tally, &sums);
    memset(row, 0, sizeof(*row));
    memcpy(row->name, tally->name, sizeof(row->name));
    memcpy(row->words, tally->words, sizeof(row->words));
    row->size = tally->size;
    row->datatypes = atomic_load_explicit(&tally->datatypes, memory_order_relaxed);
    for (int work = 0; work < DAME_WORKS; work++) {
        int64_t uses = 0;
        for (int tier = 0; tier < DAME_TIERS; tier++) {
            const dame_moved_t *from = &times_of(tally)->moved[work][tier];
            dame_row_moved_t *to = &row->moved[work][tier];
            to->uses = sums.uses[work][tier];
            uses += to->uses;
            to->bytes = sums.bytes[work][tier];
            to->rate = rate(&from->samples);
        }
        row->native[work] = native_rate(&times_of(tally)->native[work], uses);
        row->left_uses[work] = atomic_load_explicit(&tally->left[work].uses, memory_order_relaxed);
        row->left_bytes[work] =
            atomic_load_explicit(&tally->left[work].bytes, memory_order_relaxed);
    }
    row->left_why = atomic_load_explicit(&tally->left_why, memory_order_relaxed);
    for (int dir = 0; dir < 2; dir++) {
        row->compiled_at[dir] =
            atomic_load_explicit(&tally->compiled_at[dir], memory_order_relaxed);
    }
    row->compile_ns = atomic_load_explicit(&tally->compile_ns, memory_order_relaxed);
    row->demoted = atomic_load_explicit(&tally->demoted, memory_order_relaxed);
    memcpy(row->history, tally->history, sizeof(row->history));
}

int dame_tally_rows(const dame_tallies_t *tallies, dame_tally_row_t *rows, int room)
{
    int n = 0;
    dame_lock(DAME_LOCK_STATISTICS);
    const dame_tally_t *tally = atomic_load_explicit(&tallies->first, memory_order_acquire);
    for (; tally != NULL; tally = tally->next) {
        dame_tally_row_t row;
        fill_row(tallies, tally, &row);
        const int64_t bytes = bytes_of(&row);
        if (n < room) {
            n++;
        } else if (bytes <= bytes_of(&rows[n - 1])) {
            continue;
        }
        int at = n - 1;
        for (; at > 0 && bytes > bytes_of(&rows[at - 1]); at--) {
            rows[at] = rows[at - 1];
        }
        rows[at] = row;
    }
    dame_unlock(DAME_LOCK_STATISTICS);
    return n;
}

int64_t dame_tallies_ns(const dame_tallies_t *tallies, dame_work_t work)
{
    double ns = 0;
    double timed = 0;
    double all = 0;
    dame_lock(DAME_LOCK_STATISTICS);
    const dame_tally_t *tally = atomic_load_explicit(&tallies->first, memory_order_acquire);
    for (; tally != NULL; tally = tally->next) {
        sums_t sums;
        sum_up(tallies, tally, &sums);
        for (int tier = 0; tier < DAME_TIERS; tier++) {
            const double bytes = (double) sums.bytes[work][tier];
            const double cost = rate(&times_of(tally)->moved[work][tier].samples).ns;
            all += bytes;
            if (cost >= 0) {
                timed += bytes;
                ns += cost * bytes;
            }
        }
    }
    dame_unlock(DAME_LOCK_STATISTICS);
    return timed > 0 ? (int64_t) (ns * all / timed) : 0;
}

int64_t dame_tally_total(const dame_tallies_t *tallies, const dame_tally_t *tally, dame_work_t work,
                         dame_tier_t tier, bool bytes)
{
    sums_t sums;
    sum_up(tallies, tally, &sums);
    return bytes ? sums.bytes[work][tier] : sums.uses[work][tier];
}

int64_t dame_tallies_total(const dame_tallies_t *tallies, dame_work_t work, dame_tier_t tier,
                           bool bytes)
{
    sums_t sums = {.uses = {{0}}};
    dame_lock(DAME_LOCK_STATISTICS);
    const dame_tally_t *first = atomic_load_explicit(&tallies->first, memory_order_acquire);
    if (first != NULL) {
        dame_counts_of(tallies->counts, &first->amounts, next_amounts, sums.uses, sums.bytes);
    }
    dame_unlock(DAME_LOCK_STATISTICS);
    return bytes ? sums.bytes[work][tier] : sums.uses[work][tier];
}

double dame_tally_rate(const dame_tally_t *tally, dame_work_t work, dame_tier_t tier)
{
    return rate(&times_of(tally)->moved[work][tier].samples).ns;
}
