/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What engine/ counts: counters of threads (counts.c, thread.c), and the times that tallies believe
 * (tally.c). Worth running under ASan and TSan.
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "engine_tools.h"

static _Atomic int64_t readers_added, readers_removed, unwatched;

/* In the place of those of jit/ (--wrap). */
__typeof__(dame_reader_add) __wrap_dame_reader_add;
__typeof__(dame_reader_remove) __wrap_dame_reader_remove;

void __wrap_dame_reader_add(dame_reader_t *reader)
{
    readers_added += NULL == reader->link;
}

void __wrap_dame_reader_remove(dame_reader_t *reader)
{
    readers_removed += NULL == reader->link;
}

static void count_unwatched(void *unused)
{
    (void) unused;
    unwatched++;
}

static void count(dame_counter_t counter, int64_t n)
{
    static _Thread_local dame_thread_t thread;
    if (!thread.enlisted) {
        dame_thread_enlist(&engine.threads, &thread);
    }
    dame_cells_add(&thread.cells.count[counter], n);
}

/* A caller's. */
enum { OWN = DAME_ALL_COUNTERS - 1 };

/* ---- counters ------------------------------------------------------------------------------- */

enum { COUNTERS = 4, COUNTS = 30000 };

static void *counter(void *arg)
{
    int64_t step = (int64_t) (uintptr_t) arg + 1;
    for (int i = 0; i < COUNTS; i++) {
        count(DAME_COUNT_bytes_packed, step);
        count(DAME_COUNT_messages_packed, 1);
        if (0 == i % 3) {
            count((dame_counter_t) OWN, 1);
        }
    }
    return NULL;
}

static void counts_survive_their_threads(void)
{
    pthread_t threads[COUNTERS];
    int64_t last = 0;
    bool grows = true;
    for (int round = 1; round <= 3; round++) {
        for (int i = 0; i < COUNTERS; i++) {
            pthread_create(&threads[i], NULL, counter, (void *) (uintptr_t) i);
        }
        for (int i = 0; i < 300; i++) { /* while they count and end */
            int64_t now = total(DAME_COUNT_messages_packed);
            grows = grows && now >= last && now <= (int64_t) round * COUNTERS * COUNTS;
            last = now;
        }
        for (int i = 0; i < COUNTERS; i++) {
            pthread_join(threads[i], NULL);
        }
        int64_t steps = COUNTERS * (COUNTERS + 1) / 2;
        check(total(DAME_COUNT_messages_packed) == (int64_t) round * COUNTERS * COUNTS &&
                  total(DAME_COUNT_bytes_packed) == round * steps * COUNTS,
              "round %d: all counts of threads that ended are there", round);
        check(total((dame_counter_t) OWN) == (int64_t) round * COUNTERS * COUNTS / 3,
              "round %d: also a caller's", round);
    }
    check(grows, "totals only grow, and to no more than was counted");
    check(total(DAME_COUNT_bytes_unpacked) == 0, "other counters stay 0");
}

static pthread_key_t late_key;

/* Runs after the end that thread.h knows of: its key is older. */
static void count_late(void *value)
{
    (void) value;
    count(DAME_COUNT_seeks, 1);
}

static void *count_and_end(void *arg)
{
    pthread_setspecific(late_key, &late_key);
    count(DAME_COUNT_cut_blocks, 1);
    return arg;
}

static void a_thread_that_comes_back_at_its_end_is_in_no_list(void)
{
    pthread_t thread;
    int64_t added = readers_added;
    check(added == readers_removed, "all readers have left: %lld of %lld",
          (long long) readers_removed, (long long) added);
    check(unwatched == 0, "all ends so far were noticed");
    pthread_key_create(&late_key, count_late);
    pthread_create(&thread, NULL, count_and_end, NULL);
    pthread_join(thread, NULL);
    pthread_key_delete(late_key);
    check(total(DAME_COUNT_cut_blocks) == 1, "its earlier counts are there");
    check(added + 1 == readers_added && readers_removed == readers_added, "one reader more");
    check(unwatched == 1, "and it is known that its end will not be noticed");
}

/* ---- texts ---------------------------------------------------------------------------------- */

static void texts_belong_to_their_numbers(void)
{
    check(strcmp("messages_packed", dame_counts_name(DAME_COUNT_messages_packed)) == 0 &&
              strcmp("seeks", dame_counts_name(DAME_COUNT_seeks)) == 0,
          "names of counters");
    bool all = true;
    for (int i = 0; i < DAME_ENGINE_COUNTERS; i++) {
        all = all && dame_counts_description((dame_counter_t) i) != NULL;
    }
    check(all, "every counter has a text");
}

/* ---- tallies -------------------------------------------------------------------------------- */

enum { BYTES = 1000, USUAL = 3000 };

/* Opens the first tally of a layout of BYTES. */
static dame_tally_t *open_tally(void)
{
    static dame_program_t *program;
    static dame_layout_t layout;
    dame_tree_t *tree = dame_tree_new();
    const dame_type_t *type;
    dame_use_t use = {.layout = &layout};
    if (program == NULL && (dame_type_basic(tree, BYTES, &type) != DAME_OK ||
                            dame_program_build(type, NULL, &program) != DAME_OK)) {
        abort();
    }
    dame_tree_free(tree);
    layout = (dame_layout_t){.program = program};
    dame_tallies_start(&engine.tallies, true, true);
    dame_tally_open(&engine.tallies, &use, "", false);
    return dame_tally_of(&use);
}

static void stop_tallies(void)
{
    dame_tallies_stop(&engine.tallies);
}

/* ---- reports while the engine stops ---- */

static _Thread_local bool lingers; /* in dame_counts_of(), which reads tallies */
static _Atomic int inside, stopping, stopped;
static bool stopped_meanwhile;

__typeof__(dame_counts_of) __real_dame_counts_of, __wrap_dame_counts_of;

void __wrap_dame_counts_of(dame_counts_t *counts, const dame_amounts_t *first,
                           const dame_amounts_t *(*next)(const dame_amounts_t *),
                           int64_t uses[DAME_WORKS][DAME_TIERS],
                           int64_t bytes[DAME_WORKS][DAME_TIERS])
{
    if (lingers) {
        atomic_store(&inside, 1);
        while (!atomic_load(&stopping)) {
            sched_yield();
        }
        usleep(20000);
        stopped_meanwhile |= atomic_load(&stopped) != 0;
    }
    __real_dame_counts_of(counts, first, next, uses, bytes);
}

static void *report_rows(void *row)
{
    lingers = true;
    return dame_tally_rows(&engine.tallies, row, 1) == 1 ? row : NULL;
}

static void *report_ns(void *row)
{
    lingers = true;
    return dame_tallies_ns(&engine.tallies, DAME_WORK_PACK) == 0 ? row : NULL;
}

static void *report_total(void *row)
{
    lingers = true;
    return dame_tallies_total(&engine.tallies, DAME_WORK_PACK, DAME_TIER_INTERP, true) == BYTES
               ? row
               : NULL;
}

static void stopping_waits_for_who_reports(void)
{
    static void *(*const reports[])(void *) = {report_rows, report_ns, report_total};
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        dame_tally_row_t row;
        void *result;
        atomic_store(&inside, 0);
        atomic_store(&stopping, 0);
        atomic_store(&stopped, 0);
        dame_amounts_add(&open_tally()->amounts, DAME_WORK_PACK, DAME_TIER_INTERP, 1, BYTES);
        pthread_create(&thread, NULL, reports[i], &row);
        while (!atomic_load(&inside)) {
            sched_yield();
        }
        atomic_store(&stopping, 1);
        stop_tallies();
        atomic_store(&stopped, 1);
        pthread_join(thread, &result);
        check(&row == result, "report %d is right", i);
        check(!stopped_meanwhile, "report %d: tallies stop after it", i);
    }
}

/* Adds samples of BYTES each, `early` of them early; returns the nanoseconds for a byte. */
static double rate(int n, int early, const int64_t ns[])
{
    dame_tally_row_t row;
    dame_tally_t *tally = open_tally();
    for (int i = 0; i < n; i++) {
        dame_amounts_add(&tally->amounts, DAME_WORK_UNPACK, DAME_TIER_INTERP, 1, BYTES);
        dame_moved_add(&tally->times->moved[DAME_WORK_UNPACK][DAME_TIER_INTERP], ns[i], BYTES,
                       i < early);
    }
    check(dame_tally_rows(&engine.tallies, &row, 1) == 1, "one row");
    check(row.moved[DAME_WORK_PACK][DAME_TIER_INTERP].rate.ns < 0, "a rate without a sample");
    stop_tallies();
    return row.moved[DAME_WORK_UNPACK][DAME_TIER_INTERP].rate.ns;
}

/* Untouched memory makes the first uses of many tallies hundreds of times as slow. */
static void early_samples_count_until_there_are_others(void)
{
    const int64_t fault = 200 * USUAL;
    check(200.0 * USUAL / BYTES == rate(1, 1, (int64_t[]){fault}), "an early one alone");
    check(1.0 * USUAL / BYTES == rate(2, 1, (int64_t[]){fault, USUAL}), "one before another");
    check(1.0 * USUAL / BYTES == rate(4, 3, (int64_t[]){fault, fault, fault, USUAL}), "three");
    check(2.0 * USUAL / BYTES == rate(3, 1, (int64_t[]){fault, USUAL, 3 * USUAL}), "before two");
}

static void times_in_which_the_cpu_was_away_do_not_count(void)
{
    const int64_t away = 1000 * USUAL;
    check(1.0 * USUAL / BYTES == rate(2, 0, (int64_t[]){away, USUAL}), "one of two");
    check(1.0 * USUAL / BYTES == rate(3, 0, (int64_t[]){USUAL, away, USUAL}), "one of three");
    check(1.0 * USUAL / BYTES == rate(4, 0, (int64_t[]){away, USUAL, USUAL, away}), "two of four");
}

/* ---- what a rate may be off by -------------------------------------------------------------- */

typedef struct native_sample {
    int64_t ns;
    int64_t bytes;
    uint32_t at; /* the use at which its window began */
} native_sample_t;

/* The rate of the native engine after these samples. */
static dame_rate_t native_rate(int n, const native_sample_t samples[])
{
    dame_tally_row_t row;
    dame_tally_t *tally = open_tally();
    dame_native_t *native = &tally->times->native[DAME_WORK_PACK];
    dame_amounts_add(&tally->amounts, DAME_WORK_PACK, DAME_TIER_CODE, 1000, 1000 * BYTES);
    for (int i = 0; i < n; i++) {
        native->began = samples[i].at;
        dame_native_add(native, samples[i].ns, samples[i].bytes);
    }
    check(dame_tally_rows(&engine.tallies, &row, 1) == 1, "one row");
    stop_tallies();
    return row.native[DAME_WORK_PACK];
}

static bool is_near(double a, double b)
{
    return a > b - 1e-9 && a < b + 1e-9;
}

/* Six samples, or three large ones, are enough. */
static void few_samples_of_the_native_engine_say_nothing(void)
{
    enum { LARGE = 1 << 20, MOST = 6 };
    native_sample_t samples[MOST];
    for (int i = 0; i < MOST; i++) {
        samples[i] = (native_sample_t){2 * BYTES, BYTES, 10};
    }
    check(native_rate(0, samples).ns < 0 && native_rate(5, samples).ns < 0, "five");
    check(native_rate(6, samples).ns == 2 && native_rate(6, samples).error2 == 0, "six");
    for (int i = 0; i < 3; i++) {
        samples[i] = (native_sample_t){3 * LARGE, LARGE, 10};
    }
    check(native_rate(2, samples).ns < 0, "two large ones");
    check(native_rate(3, samples).ns == 3, "three large ones");
    samples[2].bytes--;
    check(native_rate(3, samples).ns < 0, "two large ones and another");
}

/* Half of the samples take 1 ns for a byte, the others 3: each is off by 1. Taken one by one, the
 * variance of their mean is 1 / 15; if they are of two windows, it is 1: 2 / (2 - 1) of 8 * 8 + 8 *
 * 8 by 16 * 16. 2.1 standard errors are the half of the interval for 16. */
static void samples_of_one_window_are_not_independent(void)
{
    enum { N = 16 };
    native_sample_t mixed[N], apart[N];
    for (int i = 0; i < N; i++) {
        mixed[i] = (native_sample_t){(1 + 2 * (i % 2)) * BYTES, BYTES, i < N / 2 ? 10 : 900};
        apart[i] = (native_sample_t){(1 + 2 * (i / (N / 2))) * BYTES, BYTES, i < N / 2 ? 10 : 900};
    }
    check(is_near(native_rate(N, mixed).error2, 2.1 * 2.1 / 15), "mixed: %g",
          native_rate(N, mixed).error2);
    check(is_near(native_rate(N, apart).error2, 2.1 * 2.1), "apart: %g",
          native_rate(N, apart).error2);
}

static void one_sample_may_be_off_by_all_of_it(void)
{
    dame_tally_row_t row;
    dame_tally_t *tally = open_tally();
    dame_amounts_add(&tally->amounts, DAME_WORK_PACK, DAME_TIER_CODE, 2, 2 * BYTES);
    dame_moved_add(&tally->times->moved[DAME_WORK_PACK][DAME_TIER_CODE], 3 * BYTES, BYTES, false);
    check(dame_tally_rows(&engine.tallies, &row, 1) == 1 &&
              row.moved[DAME_WORK_PACK][DAME_TIER_CODE].rate.ns == 3 &&
              row.moved[DAME_WORK_PACK][DAME_TIER_CODE].rate.error2 == 9,
          "one sample");
    stop_tallies();
}

/* Granted and not used up: the rest is taken back, of every credit and kind of work. */
static void all_credits_end_with_the_uses_that_they_have_had(void)
{
    static dame_thread_t thread;
    dame_cells_prepare(&thread.cells);
    for (int i = 0; i < DAME_FIRST_CREDITS; i++) {
        for (int work = 0; work < DAME_WORKS; work++) {
            atomic_store(&thread.cells.credits[i].uses[work],
                         (uint64_t) (100 + i + work) << 32 | (uint64_t) (30 + work));
        }
    }
    dame_credit_end_all(&thread);
    for (int i = 0; i < DAME_FIRST_CREDITS; i++) {
        for (int work = 0; work < DAME_WORKS; work++) {
            const uint64_t uses = atomic_load(&thread.cells.credits[i].uses[work]);
            check((uint64_t) (70 + i) << 32 == uses, "credit %d, work %d", i, work);
        }
    }
}

int main(void)
{
    start_engine(&(dame_promote_options_t){.threshold = 0});
    engine.threads.on_unwatched = count_unwatched;
    counts_survive_their_threads();
    a_thread_that_comes_back_at_its_end_is_in_no_list();
    texts_belong_to_their_numbers();
    early_samples_count_until_there_are_others();
    times_in_which_the_cpu_was_away_do_not_count();
    few_samples_of_the_native_engine_say_nothing();
    samples_of_one_window_are_not_independent();
    one_sample_may_be_off_by_all_of_it();
    all_credits_end_with_the_uses_that_they_have_had();
    stopping_waits_for_who_reports();
    printf("%ld passed, %ld failed\n", passed, failed);
    return failed != 0;
}
