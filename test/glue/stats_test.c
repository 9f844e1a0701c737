/*
 * What opal-glue/ counts, without Open MPI: counters of threads (stats.c, thread.c), and the times
 * that tallies believe (tally.c). Worth running under ASan and TSan.
 */
#include <pthread.h>
#include <string.h>

#include "checks.h"
#include "opal-glue/contents.h"
#include "opal-glue/table.h"
#include "opal-glue/tally.h"
#include "opal-glue/thread.h"
#include "opal-glue/words.h"

/* ---- what they ask others for --------------------------------------------------------------- */

const char *dt_contents_name(const struct opal_datatype_t *datatype)
{
    (void) datatype;
    return "";
}

void dt_words_of_layout(const dame_program_t *program, char *text, size_t room)
{
    (void) snprintf(text, room, "%d levels", (int) program->nprims);
}

_Atomic(dt_buckets_t *) dt_table_buckets; /* an empty table */
bool dt_entries_are_wide;

static _Atomic int64_t readers_added, readers_removed, unwatched;

void dame_reader_add(dame_reader_t *reader)
{
    readers_added += NULL == reader->link;
}

void dame_reader_remove(dame_reader_t *reader)
{
    readers_removed += NULL == reader->link;
}

static void count_unwatched(void)
{
    unwatched++;
}

/* ---- counters ------------------------------------------------------------------------------- */

enum { COUNTERS = 4, COUNTS = 30000 };

static void *counter(void *arg)
{
    int64_t step = (int64_t) (uintptr_t) arg + 1;
    for (int i = 0; i < COUNTS; i++) {
        dt_count(DT_COUNT_bytes_packed, step);
        dt_count(DT_COUNT_messages_packed, 1);
        if (0 == i % 3) {
            dt_count_declined(DT_DECLINE_CHECKSUM);
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
            int64_t now = dt_stats_total(DT_COUNT_messages_packed);
            grows = grows && now >= last && now <= (int64_t) round * COUNTERS * COUNTS;
            last = now;
        }
        for (int i = 0; i < COUNTERS; i++) {
            pthread_join(threads[i], NULL);
        }
        int64_t steps = COUNTERS * (COUNTERS + 1) / 2;
        check(dt_stats_total(DT_COUNT_messages_packed) == (int64_t) round * COUNTERS * COUNTS &&
                  dt_stats_total(DT_COUNT_bytes_packed) == round * steps * COUNTS,
              "round %d: all counts of threads that ended are there", round);
        check(dt_stats_declined(DT_DECLINE_CHECKSUM) == (int64_t) round * COUNTERS * COUNTS / 3,
              "round %d: all reasons too", round);
    }
    check(grows, "totals only grow, and to no more than was counted");
    check(0 == dt_stats_total(DT_COUNT_bytes_unpacked) && 0 == dt_stats_declined(DT_DECLINE_DEVICE),
          "other counters stay 0");
}

static pthread_key_t late_key;

/* Runs after the end that thread.h knows of, whose key is older. */
static void count_late(void *value)
{
    (void) value;
    dt_count(DT_COUNT_seeks, 1);
}

static void *count_and_end(void *arg)
{
    pthread_setspecific(late_key, &late_key);
    dt_count(DT_COUNT_cut_blocks, 1);
    return arg;
}

static void a_thread_that_comes_back_at_its_end_is_in_no_list(void)
{
    pthread_t thread;
    int64_t added = readers_added;
    check(added == readers_removed, "all readers have left: %lld of %lld",
          (long long) readers_removed, (long long) added);
    check(0 == unwatched, "all ends so far were noticed");
    pthread_key_create(&late_key, count_late);
    pthread_create(&thread, NULL, count_and_end, NULL);
    pthread_join(thread, NULL);
    pthread_key_delete(late_key);
    check(1 == dt_stats_total(DT_COUNT_cut_blocks), "what it counted before is there");
    check(added + 1 == readers_added && readers_removed == readers_added, "one reader more");
    check(1 == unwatched, "and it is known that its end will not be noticed");
}

/* ---- texts ---------------------------------------------------------------------------------- */

static void texts_belong_to_their_numbers(void)
{
    check(0 == strcmp("types_imported", dt_counter_name(DT_COUNT_types_imported)) &&
              0 == strcmp("differences", dt_counter_name(DT_COUNT_differences)),
          "names of counters");
    bool all = true;
    for (int i = 0; i < DT_COUNTERS; i++) {
        all = all && NULL != dt_counter_description((dt_counter_t) i);
    }
    for (int i = 0; i < DT_DECLINES; i++) {
        all = all && NULL != dt_decline_text((dt_decline_t) i);
    }
    check(all, "every counter and reason has a text");
    check(0 == strcmp("device memory", dt_decline_text(DT_DECLINE_DEVICE)), "the last reason");
}

static void the_first_limit_is_kept_for_the_report(void)
{
    const dame_limit_t first = {"primitives", 10, 11};
    const dame_limit_t second = {"nested levels", 16, 17};
    check(NULL == dt_stats_limit().what, "no limit was exceeded");
    dt_stats_tell_limit(&first);
    dt_stats_tell_limit(&second);
    const dame_limit_t kept = dt_stats_limit();
    check(first.what == kept.what && 10 == kept.limit && 11 == kept.value, "the first is kept");
}

/* ---- tallies -------------------------------------------------------------------------------- */

enum { BYTES = 1000, USUAL = 3000 };

/* Adds samples of BYTES each, `early` of them early; returns the nanoseconds for a byte. */
static double rate(int n, int early, const int64_t ns[])
{
    dame_program_t program = {.size = BYTES};
    dt_tally_row_t row;
    dt_tally_start(true);
    dt_tally_t *tally = dt_tally_of(NULL, &program);
    for (int i = 0; i < n; i++) {
        dt_tally_add(tally, DT_UNPACK, DT_INTERP, 1, BYTES);
        dt_moved_add(&tally->moved[DT_UNPACK][DT_INTERP], ns[i], BYTES, i < early);
    }
    check(1 == dt_tally_rows(&row, 1), "one row");
    check(row.moved[DT_PACK][DT_INTERP].rate.ns < 0, "a rate without a sample");
    dt_tally_stop();
    return row.moved[DT_UNPACK][DT_INTERP].rate.ns;
}

/* Memory that nobody has touched makes the first uses of many tallies hundreds of times as dear. */
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

/* What is said of the native engine after these samples. */
static dt_rate_t native_rate(int n, const native_sample_t samples[])
{
    dame_program_t program = {.size = BYTES};
    dt_tally_row_t row;
    dt_tally_start(true);
    dt_tally_t *tally = dt_tally_of(NULL, &program);
    dt_native_t *native = &tally->native[DT_PACK];
    dt_tally_add(tally, DT_PACK, DT_CODE, 1000, 1000 * BYTES);
    for (int i = 0; i < n; i++) {
        native->began = samples[i].at;
        dt_native_add(native, samples[i].ns, samples[i].bytes);
    }
    check(1 == dt_tally_rows(&row, 1), "one row");
    dt_tally_stop();
    return row.native[DT_PACK];
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
    check(2 == native_rate(6, samples).ns && 0 == native_rate(6, samples).error2, "six");
    for (int i = 0; i < 3; i++) {
        samples[i] = (native_sample_t){3 * LARGE, LARGE, 10};
    }
    check(native_rate(2, samples).ns < 0, "two large ones");
    check(3 == native_rate(3, samples).ns, "three large ones");
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
    dame_program_t program = {.size = BYTES};
    dt_tally_row_t row;
    dt_tally_start(true);
    dt_tally_t *tally = dt_tally_of(NULL, &program);
    dt_tally_add(tally, DT_PACK, DT_CODE, 2, 2 * BYTES);
    dt_moved_add(&tally->moved[DT_PACK][DT_CODE], 3 * BYTES, BYTES, false);
    check(1 == dt_tally_rows(&row, 1) && 3 == row.moved[DT_PACK][DT_CODE].rate.ns &&
              9 == row.moved[DT_PACK][DT_CODE].rate.error2,
          "one sample");
    dt_tally_stop();
}

int main(void)
{
    dt_thread_start(count_unwatched);
    counts_survive_their_threads();
    a_thread_that_comes_back_at_its_end_is_in_no_list();
    texts_belong_to_their_numbers();
    the_first_limit_is_kept_for_the_report();
    early_samples_count_until_there_are_others();
    times_in_which_the_cpu_was_away_do_not_count();
    few_samples_of_the_native_engine_say_nothing();
    samples_of_one_window_are_not_independent();
    one_sample_may_be_off_by_all_of_it();
    printf("%ld passed, %ld failed\n", passed, failed);
    return 0 != failed;
}
