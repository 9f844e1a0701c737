/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * opal-glue/table.c and engine/layout.c without Open MPI, against a model, among threads and in
 * children. Worth running under ASan and TSan.
 */
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"
#include "base/heap.h"
#include "base/lock.h"
#include "opal-glue/counters.h"
#include "table_stubs.h"
#include "test/lib/rng.h"
#include "test/lib/thread_sanitizer.h"

static bool has_extras;

/* The table is empty. */
static void set_extras(bool extras)
{
    has_extras = extras;
    dt_table_start(extras);
}

static void release_layout(dame_layout_t *layout)
{
    dame_promoter_free(&dt_engine.promoter, dame_layout_release(&dt_engine.layouts, layout));
}

static int64_t imports(void)
{
    return dt_stats_total(DT_COUNT_types_imported);
}

/* Is this the entry of the datatype as it is now? */
static bool is_entry_of(const dt_entry_t *entry, const datatype_t *datatype)
{
    return entry != NULL && datatype == atomic_load(&entry->key) &&
           entry->use.layout->program != NULL &&
           atomic_load(&entry->use.layout->declined) == DT_DECLINE_NONE &&
           bound_of(datatype->shape) == entry->use.layout->program->true_ub;
}

/* ---- one thread: random datatypes against a model ------------------------------------------- */

enum { MOST_TYPES = 100000, MOST_SHAPES = 1000, DECLINED = MOST_SHAPES, ALL_SHAPES };

/* A datatype, used or not. */
typedef struct subject {
    datatype_t datatype;
    const dt_entry_t *entry; /* NULL: the table must not know it */
} subject_t;

/* What the table must keep of a shape. */
typedef struct shape {
    dame_layout_t *layout; /* NULL: nothing */
    size_t bytes;          /* of that */
    int datatypes, holds;
    uint64_t unused_since; /* 0: it is in use */
} shape_t;

/* What must have been counted, in all. */
typedef struct counts {
    int64_t imported, declined, layouts, dropped, generation, dumps_begun;
} counts_t;

static struct {
    subject_t *subjects;
    shape_t shapes[ALL_SHAPES];
    counts_t counts;
    size_t room; /* bytes of unused layouts */
    uint64_t now, serial;
} model;

static counts_t counted(void)
{
    return (counts_t){imports(),
                      dt_stats_total(DT_COUNT_types_declined),
                      dt_stats_total(DT_COUNT_layouts_imported),
                      dt_stats_total(DT_COUNT_layouts_dropped),
                      (int64_t) dt_table_generation(),
                      dumps_begun};
}

static shape_t *shape_of(const subject_t *s)
{
    return &model.shapes[s->datatype.shape < 0 ? DECLINED : s->datatype.shape];
}

static void drop(shape_t *shape)
{
    *shape = (shape_t){.layout = NULL};
    model.counts.dropped++;
}

/* No datatype uses the shape any more: it stays, unless there is no room for it or an older one. */
static void leave(shape_t *shape)
{
    if (shape->datatypes > 0 || shape->holds > 0) {
        return;
    }
    shape->unused_since = ++model.now;
    while (true) {
        shape_t *oldest = NULL;
        size_t unused = 0;
        for (int i = 0; i < ALL_SHAPES; i++) {
            shape_t *one = &model.shapes[i];
            if (one->unused_since > 0) {
                unused += one->bytes;
                oldest = oldest == NULL || one->unused_since < oldest->unused_since ? one : oldest;
            }
        }
        if (unused <= model.room) {
            return;
        }
        drop(oldest);
    }
}

/* A first use, or a later one, which finds the same entry. */
static bool get_subject(subject_t *s)
{
    const int64_t number = s->datatype.shape;
    const bool is_new = s->entry == NULL, lacks_memory = number == NO_MEMORY;
    shape_t *shape = shape_of(s);
    const dt_entry_t *entry = dt_table_get(&s->datatype);
    if (!is_new) {
        return entry == s->entry;
    }
    s->entry = entry;
    model.counts.imported += number >= 0;
    model.counts.declined += number < 0;
    model.counts.layouts += lacks_memory || shape->layout == NULL;
    model.counts.dumps_begun += NULL != dt_entry_dump(entry);
    bool ok =
        entry != NULL && entry->serial > model.serial && &s->datatype == atomic_load(&entry->key);
    model.serial = entry->serial;
    ok = ok && (number >= 0 ? is_entry_of(entry, &s->datatype)
                            : entry->use.layout->program == NULL &&
                                  (lacks_memory ? DT_DECLINE_MEMORY : DT_DECLINE_BOUNDS) ==
                                      atomic_load(&entry->use.layout->declined));
    ok = ok && (dt_entry_dump(entry) != NULL) ==
                   (has_extras && number >= 0 && (number <= 30 || 0 == number % 2));
    if (lacks_memory) { /* which may pass */
        return ok;
    }
    if (shape->layout == NULL) {
        shape->layout = entry->use.layout;
        shape->bytes = entry->use.layout->bytes;
        entry->use.layout->promotions[DAME_PACK].period = (int32_t) number + 77;
    }
    shape->datatypes++;
    shape->unused_since = 0;
    return ok && entry->use.layout == shape->layout && /* with all that is known of it */
           (int32_t) number + 77 == entry->use.layout->promotions[DAME_PACK].period;
}

static void forget_subject(subject_t *s)
{
    shape_t *shape = shape_of(s);
    if (s->entry != NULL) {
        model.counts.generation++;
    }
    dt_table_forget(&s->datatype);
    if (s->entry != NULL && s->datatype.shape != NO_MEMORY) {
        shape->datatypes--;
        leave(shape);
    }
    s->entry = NULL;
}

static void release(shape_t *shape)
{
    dame_layout_t *layout = shape->layout;
    shape->holds--;
    leave(shape);
    release_layout(layout);
}

/* Holds the shape of a datatype, or gives up such a hold. */
static void hold_or_release(const subject_t *s)
{
    shape_t *shape = shape_of(s);
    if (shape->holds > 0) {
        release(shape);
    } else if (s->entry != NULL && s->datatype.shape != NO_MEMORY) {
        shape->holds++;
        dame_layout_hold(shape->layout);
    }
}

static void clear_all(int types)
{
    for (int i = 0; i < ALL_SHAPES; i++) {
        while (model.shapes[i].holds > 0) {
            release(&model.shapes[i]);
        }
    }
    for (int i = 0; i < types; i++) {
        model.subjects[i].entry = NULL;
    }
    for (int i = 0; i < ALL_SHAPES; i++) {
        if (model.shapes[i].layout != NULL) {
            drop(&model.shapes[i]);
        }
    }
    model.counts.generation++;
    dt_table_clear();
}

/* Many datatypes of several shapes are used, freed and made again, now and then as another one. The
 * table is cleared, and its bound for kept layouts changes. */
static void random_datatypes(int types, int shapes, int steps)
{
    rng_t rng = rng_seeded((uint64_t) types, 0);
    int wrong = 0;
    memset(model.shapes, 0, sizeof(model.shapes));
    memset(model.subjects, 0, (size_t) types * sizeof(*model.subjects));
    model.counts = counted();
    model.room = KEPT;
    int step = 0;
    for (; step < steps && wrong == 0; step++) {
        subject_t *s = &model.subjects[rng_next(&rng) % (uint64_t) types];
        const int what = (int) (rng_next(&rng) % 1000);
        if (step % (steps / 3 + 1) == 0) {
            clear_all(types);
        } else if (what < 5) {
            model.room = rng_next(&rng) % KEPT * (what != 0);
            dt_engine.layouts.most_unused = model.room;
        } else if (what < 100) {
            hold_or_release(s);
        } else if (what < 400) {
            forget_subject(s);
        } else {
            if (s->entry == NULL) {
                const int64_t shape = (int64_t) (rng_next(&rng) % (uint64_t) (shapes + 2));
                s->datatype.shape = shape < shapes ? shape : shape == shapes ? -1 : NO_MEMORY;
            }
            wrong += !get_subject(s);
        }
        const counts_t found = counted();
        wrong += 0 != memcmp(&found, &model.counts, sizeof(found));
    }
    check(wrong == 0, "%d datatypes of %d shapes: wrong after %d steps", types, shapes, step);
    clear_all(types);
    const counts_t found = counted();
    check(memcmp(&found, &model.counts, sizeof(found)) == 0, "at the end");
    dt_engine.layouts.most_unused = KEPT;
}

/* ---- a new datatype -------------------------------------------------------------------------- */

static void a_known_layout_is_not_imported_again(void)
{
    datatype_t one = {.shape = 31}, other = {.shape = 31}, like = {.shape = 32},
               unlike = {.shape = 32 + 13};
    check(is_entry_of(dt_table_get(&one), &one), "imported");
    const int64_t before = dt_stats_total(DT_COUNT_layouts_imported);
    check(is_entry_of(dt_table_get(&other), &other), "as the other was");
    check(before == dt_stats_total(DT_COUNT_layouts_imported), "it is not imported again");
    check(is_entry_of(dt_table_get(&like), &like) && is_entry_of(dt_table_get(&unlike), &unlike),
          "two layouts with one fingerprint");
    check(before + 2 == dt_stats_total(DT_COUNT_layouts_imported), "are both imported");
    dt_table_forget(&one);
    dt_table_forget(&other);
    dt_table_forget(&like);
    dt_table_forget(&unlike);
}

static datatype_t shared_by_users;

static void *get_shared(void *unused)
{
    (void) unused;
    check(is_entry_of(dt_table_get(&shared_by_users), &shared_by_users), "its entry");
    return NULL;
}

static void threads_that_use_a_new_datatype_import_it_once(void)
{
    enum { USERS = 4, TIMES = 300 };
    for (int i = 0; i < TIMES; i++) {
        pthread_t users[USERS];
        const int64_t before = dt_stats_total(DT_COUNT_layouts_imported), types = imports();
        dt_table_clear(); /* else the layout is known */
        shared_by_users.shape = 28;
        for (int u = 0; u < USERS; u++) {
            pthread_create(&users[u], NULL, get_shared, NULL);
        }
        for (int u = 0; u < USERS; u++) {
            pthread_join(users[u], NULL);
        }
        check(before + 1 == dt_stats_total(DT_COUNT_layouts_imported), "once");
        check(types + 1 == imports(), "and opened once");
        dt_table_forget(&shared_by_users);
    }
}

static void *get(void *datatype)
{
    check(is_entry_of(dt_table_get(datatype), datatype), "its file is slow, but it is entered");
    return NULL;
}

static void a_slow_file_holds_up_nobody_else(void)
{
    datatype_t one = {.shape = 11};
    datatype_t other = {.shape = 12};
    pthread_t writer;
    sem_init(&slow.begun, 0, 0);
    sem_init(&slow.done, 0, 0);
    slow.shape = one.shape;
    pthread_create(&writer, NULL, get, &one);
    check(wait_for(&slow.begun), "the file is being written");
    check(is_entry_of(dt_table_get(&one), &one), "another thread may use its datatype");
    check(is_entry_of(dt_table_get(&other), &other), "enter another one");
    dt_table_forget(&other);
    sem_post(&slow.done);
    pthread_join(writer, NULL);
    check(slow.was_done, "and free it, meanwhile");
    slow.shape = -1;
    dt_table_forget(&one);
}

/* ---- threads -------------------------------------------------------------------------------- */

enum { CREATORS = 4, FINDERS = 2, OWN = 400, LONG_LIVED = 300, POOL = 16, ROUNDS = 10000 };

/* Addresses that any creator may use next: nothing in the table has them. */
static struct {
    pthread_mutex_t lock;
    datatype_t *all[POOL];
    int n;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static datatype_t long_lived[LONG_LIVED];
static dt_entry_t *long_entries[LONG_LIVED];
static _Atomic int creators_left;

static datatype_t *take_from_pool(uint64_t choice)
{
    pthread_mutex_lock(&pool.lock);
    datatype_t *taken = NULL;
    if (pool.n > 0) {
        int i = (int) (choice % (uint64_t) pool.n);
        taken = pool.all[i];
        pool.all[i] = pool.all[--pool.n];
    }
    pthread_mutex_unlock(&pool.lock);
    return taken;
}

static void give_to_pool(datatype_t *datatype)
{
    pthread_mutex_lock(&pool.lock);
    pool.all[pool.n++] = datatype;
    pthread_mutex_unlock(&pool.lock);
}

/* The whole life of a datatype. */
static bool live_and_die(datatype_t *datatype, int64_t shape)
{
    datatype->shape = shape;
    const dt_entry_t *entry = dt_table_get(datatype);
    bool ok = is_entry_of(entry, datatype) && entry->serial > datatype->serial;
    datatype->serial = entry->serial;
    uint64_t generation = dt_table_generation();
    ok = entry == dt_table_get(datatype) && entry->serial == datatype->serial && ok;
    dame_layout_t *layout = entry->use.layout;
    dame_layout_hold(layout);
    dt_table_forget(datatype);
    ok = bound_of(shape) == layout->program->true_ub && ok; /* held beyond the datatype */
    release_layout(layout);
    return ok && dt_table_generation() > generation;
}

/* Own datatypes come and go, so that chains change and the table grows; so do those at addresses
   that other threads have just left. */
static void *creator(void *arg)
{
    rng_t rng = rng_seeded(77, (uintptr_t) arg);
    datatype_t *own = must(calloc(OWN, sizeof(*own)));
    bool *known = must(calloc(OWN, sizeof(*known)));
    long wrong = 0;
    long handed = 0;
    for (int round = 0; round < ROUNDS; round++) {
        datatype_t *one = &own[rng_next(&rng) % OWN];
        if (known[one - own]) {
            wrong += !is_entry_of(dt_table_get(one), one);
            dt_table_forget(one);
        } else {
            one->shape = (int64_t) (rng_next(&rng) % 500);
            wrong += !is_entry_of(dt_table_get(one), one);
        }
        known[one - own] = !known[one - own];
        datatype_t *shared = take_from_pool(rng_next(&rng));
        if (shared != NULL) {
            wrong += !live_and_die(shared, (int64_t) (rng_next(&rng) % 500));
            give_to_pool(shared);
            handed++;
        }
    }
    for (int i = 0; i < OWN; i++) {
        wrong += known[i] && !is_entry_of(dt_table_get(&own[i]), &own[i]);
        dt_table_forget(&own[i]); /* a no-op for those not known */
    }
    check(wrong == 0, "a creating thread saw %ld wrong entries", wrong);
    check(handed > ROUNDS / 2, "addresses went round: %ld", handed);
    free(known);
    free(own);
    atomic_fetch_sub(&creators_left, 1);
    return NULL;
}

/* Datatypes that stay are found whatever happens around them. */
static void *finder(void *arg)
{
    rng_t rng = rng_seeded(7777, (uintptr_t) arg);
    long wrong = 0;
    long found = 0;
    while (atomic_load(&creators_left) > 0 || found < 1000) {
        int i = (int) (rng_next(&rng) % LONG_LIVED);
        const dt_entry_t *entry = dt_table_get(&long_lived[i]);
        wrong += entry != long_entries[i] || !is_entry_of(entry, &long_lived[i]);
        found++;
    }
    check(wrong == 0, "%ld of %ld long-lived datatypes wrong", wrong, found);
    return NULL;
}

static void threads_share_the_table(void)
{
    pthread_t threads[CREATORS + FINDERS];
    datatype_t *addresses = must(calloc(POOL, sizeof(*addresses)));
    int64_t before = imports();
    dt_table_clear(); /* so that it grows meanwhile */
    for (int i = 0; i < LONG_LIVED; i++) {
        long_lived[i].shape = i;
        long_entries[i] = dt_table_get(&long_lived[i]);
    }
    pool.n = 0;
    for (int i = 0; i < POOL; i++) {
        give_to_pool(&addresses[i]);
    }
    atomic_store(&creators_left, CREATORS);
    for (int i = 0; i < CREATORS + FINDERS; i++) {
        pthread_create(&threads[i], NULL, i < CREATORS ? creator : finder, (void *) (uintptr_t) i);
    }
    for (int i = 0; i < CREATORS + FINDERS; i++) {
        pthread_join(threads[i], NULL);
    }
    check(LONG_LIVED + CREATORS * ROUNDS < imports() - before, "every new datatype was imported");
    dt_table_clear();
    free(addresses);
}

/* ---- fork() --------------------------------------------------------------------------------- */

enum { FORKS = 200, HAMMERS = 2, LONGEST_CHILD = 30 };

static atomic_bool forks_done;

/* Has the table's lock, and that of the counters, most of the time. */
static void *hammer(void *arg)
{
    datatype_t own[8];
    long wrong = 0;
    while (!atomic_load(&forks_done)) {
        for (int i = 0; i < 8; i++) {
            own[i].shape = i;
            wrong += !is_entry_of(dt_table_get(&own[i]), &own[i]);
            (void) dt_stats_total(DT_COUNT_fragments_packed);
        }
        for (int i = 0; i < 8; i++) {
            dt_table_forget(&own[i]);
        }
    }
    check(wrong == 0, "%ld of a thread's datatypes wrong", wrong);
    return arg;
}

static void *count_fragment(void *arg)
{
    dt_count(DT_COUNT_fragments_packed, 1);
    return arg;
}

/* The child's only thread takes the stacks of those that are gone for its new ones.
 * ThreadSanitizer lets such a child make none. */
static bool counts_with_threads(int64_t counted)
{
#ifndef THREAD_SANITIZER
    for (int i = 0; i < 2 * HAMMERS; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, count_fragment, NULL) != 0) {
            return false;
        }
        pthread_join(thread, NULL);
        counted++;
    }
#endif
    dt_count(DT_COUNT_fragments_packed, 1);
    return counted + 1 == dt_stats_total(DT_COUNT_fragments_packed);
}

/* The exit code: 0 when all is well. Prints nothing. */
static int use_in_child(datatype_t *known, const dt_entry_t *entry, int64_t counted)
{
    datatype_t own = {.shape = 77};
    alarm(LONGEST_CHILD);
    if (entry != dt_table_get(known) || !is_entry_of(entry, known)) {
        return 1;
    }
    const int64_t before = imports();
    if (!is_entry_of(dt_table_get(&own), &own) || before + 1 != imports()) {
        return 2;
    }
    const uint64_t generation = dt_table_generation();
    dt_table_forget(&own);
    if (generation + 1 != dt_table_generation()) {
        return 3;
    }
    own.shape = 78;
    if (!is_entry_of(dt_table_get(&own), &own)) {
        return 4;
    }
    return counts_with_threads(counted) ? 0 : 5;
}

static void children_find_the_table_and_the_counters_whole(void)
{
    if (getenv("UNDER_QEMU") != NULL) { /* where children of a process with threads end with 127 */
        return;
    }
    pthread_t threads[HAMMERS];
    datatype_t known = {.shape = 9};
    check(dame_lock_innermost_at_fork(dame_heap_before_fork, dame_heap_after_fork),
          "the heap's lock is not known to fork()"); /* as in dt_glue_start() */
    const dt_entry_t *entry = dt_table_get(&known);
    pthread_t counting;
    pthread_create(&counting, NULL, count_fragment, NULL);
    pthread_join(counting, NULL);
    dt_count(DT_COUNT_fragments_packed, 1);
    for (int i = 0; i < HAMMERS; i++) {
        pthread_create(&threads[i], NULL, hammer, NULL);
    }
    int status = 0;
    for (int i = 0; i < FORKS && status == 0; i++) {
        const pid_t child = fork();
        if (child == 0) {
            _exit(use_in_child(&known, entry, 2));
        }
        const bool ended = child == waitpid(child, &status, 0);
        check(ended && status == 0, "child %d: status %x", i, (unsigned) status);
    }
    atomic_store(&forks_done, true);
    for (int i = 0; i < HAMMERS; i++) {
        pthread_join(threads[i], NULL);
    }
    dt_table_forget(&known);
}

/* ---- texts ---------------------------------------------------------------------------------- */

static void texts_belong_to_their_numbers(void)
{
    check(strcmp("types_imported", dt_counter_name(DT_COUNT_types_imported)) == 0 &&
              strcmp("messages_packed", dt_counter_name(DT_COUNT_messages_packed)) == 0 &&
              strcmp("differences", dt_counter_name(DT_COUNT_differences)) == 0,
          "names of counters");
    bool all = true;
    for (int i = 0; i < DT_COUNTERS; i++) {
        all = all && dt_counter_description((dt_counter_t) i) != NULL;
    }
    for (int i = 0; i < DT_DECLINES; i++) {
        all = all && dt_decline_text((dt_decline_t) i) != NULL;
    }
    check(all, "every counter and reason has a text");
    check(strcmp("device memory", dt_decline_text(DT_DECLINE_DEVICE)) == 0, "the last reason");
    dt_count_declined(DT_DECLINE_DEVICE);
    check(dt_stats_declined(DT_DECLINE_DEVICE) == 1, "and is counted by itself");
}

static void the_first_limit_is_kept_for_the_report(void)
{
    const dame_limit_t first = {"primitives", 10, 11};
    const dame_limit_t second = {"nested levels", 16, 17};
    check(dt_stats_limit().what == NULL, "no limit was exceeded");
    dt_stats_tell_limit(&first);
    dt_stats_tell_limit(&second);
    const dame_limit_t kept = dt_stats_limit();
    check(first.what == kept.what && kept.limit == 10 && kept.value == 11, "the first is kept");
}

int main(void)
{
    model.subjects = must(calloc(MOST_TYPES, sizeof(*model.subjects)));
    dame_engine_start(&dt_engine, &(dame_engine_options_t){.layout_cache = KEPT});
    set_extras(true);
    random_datatypes(30, 20, 60000);
    random_datatypes(300, MOST_SHAPES, 20000);
    random_datatypes(MOST_TYPES, MOST_SHAPES, 100000);
    a_slow_file_holds_up_nobody_else();
    for (int wide = 1; wide >= 0; wide--) {
        dt_table_clear();
        set_extras(wide);
        a_known_layout_is_not_imported_again();
        threads_that_use_a_new_datatype_import_it_once();
    }
    dt_table_clear();
    set_extras(true);
    free(model.subjects);
    threads_share_the_table();
    set_extras(false); /* the table is empty */
    threads_share_the_table();
    check(dumps_begun == dumps_written && dumps_wrong == 0, "every dump was written, its program");
    /* one in five when the threads run one after another, which share least */
    const int64_t types = dt_stats_total(DT_COUNT_types_imported);
    check(promotions_begun == promotions_ended && promotions_wrong == 0 &&
              promotions_begun < types / 4,
          "the promotion of every program, of which there were fewer, ended before the program");
    check(0 < dt_stats_total(DT_COUNT_layouts_dropped), "some programs were not kept");
    children_find_the_table_and_the_counters_whole();
    texts_belong_to_their_numbers();
    the_first_limit_is_kept_for_the_report();
    printf("%ld passed, %ld failed\n", passed, failed);
    return failed != 0;
}
