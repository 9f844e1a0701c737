/* SPDX-License-Identifier: BSD-3-Clause */
#include "tally.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/heap.h"
#include "base/lock.h"

/* An application that names every datatype differently must not fill the memory. */
enum { MOST_TALLIES = 1024 };

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
            to->rate = dame_kept_rate(&from->samples);
        }
        row->native[work] = dame_native_rate(&times_of(tally)->native[work], uses);
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
            const double cost = dame_kept_rate(&times_of(tally)->moved[work][tier].samples).ns;
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
    return dame_kept_rate(&times_of(tally)->moved[work][tier].samples).ns;
}
