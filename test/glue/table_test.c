/*
 * opal-glue/table.c, layout.c and stats.c without Open MPI: keys of layouts, the importer,
 * promotion and the dump are stubs, datatypes are a struct of our own. Worth running under ASan and
 * TSan.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dame/heap.h"
#include "jit/lock.h"
#include "opal-glue/dump.h"
#include "opal-glue/import.h"
#include "opal-glue/layout_key.h"
#include "opal-glue/promote.h"
#include "opal-glue/table.h"
#include "opal-glue/tally.h"
#include "opal-glue/thread.h"
#include "test/glue/checks.h"

/* The table only ever passes the address on. */
struct opal_datatype_t {
    int64_t shape;   /* its layout: what the stub builds a program from; negative: it declines */
    uint64_t serial; /* of the last entry seen for this address */
};

typedef struct opal_datatype_t datatype_t;

static void *must(void *p)
{
    if (NULL == p) {
        fprintf(stderr, "out of memory\n");
        abort();
    }
    return p;
}

/* ---- the stubs ------------------------------------------------------------------------------ */

/* The program of two blocks of 4 bytes; its true upper bound tells the shape. */
static int64_t bound_of(int64_t shape)
{
    return 8 * (shape + 1) + 4;
}

/* As if memory had been out. */
enum { NO_MEMORY = -7 };

/* Bytes of unused layouts. */
enum { KEPT = 16 << 10 };

struct dt_layout_key {
    int64_t shape;
};

/* Seldom differs, so that it is the comparison that tells layouts apart. */
uint64_t dt_layout_key_hash(const datatype_t *datatype)
{
    return (uint64_t) datatype->shape % 13;
}

bool dt_layout_key_fits(const dt_layout_key_t *key, const datatype_t *datatype)
{
    return key->shape == datatype->shape;
}

dt_layout_key_t *dt_layout_key_new(const datatype_t *datatype)
{
    dt_layout_key_t *key = must(dame_heap_alloc(sizeof(*key)));
    key->shape = datatype->shape;
    return key;
}

size_t dt_layout_key_bytes(const dt_layout_key_t *key)
{
    return sizeof(*key);
}

dame_program_t *dt_import(dame_tree_t *tree, const datatype_t *datatype, dt_decline_t *declined)
{
    const dame_type_t *basic;
    const dame_type_t *vector;
    dame_program_t *program = NULL;
    *declined = NO_MEMORY == datatype->shape ? DT_DECLINE_MEMORY
                : datatype->shape < 0        ? DT_DECLINE_BOUNDS
                                             : DT_DECLINE_NONE;
    dt_count(DT_COUNT_layouts_imported, 1);
    if (datatype->shape < 0) {
        return NULL;
    }
    if (DAME_OK != dame_type_basic(tree, 4, &basic) ||
        DAME_OK != dame_type_vector(tree, 2, 1, 8 * (datatype->shape + 1), basic, &vector) ||
        DAME_OK != dame_program_build(vector, NULL, &program)) {
        fprintf(stderr, "the stub cannot build a program\n");
        abort();
    }
    dame_tree_reset(tree);
    return program;
}

static _Atomic int64_t dumps_begun, dumps_written, dumps_ended, dumps_wrong;
static _Atomic dt_decline_t dump_declined; /* of the last that ended */

/* Writing a file of this shape takes until somebody says that it is done. */
static struct {
    int64_t shape;
    sem_t begun, done;
    bool was_done;
} slow = {.shape = -1};

/* False after ten seconds. */
static bool wait_for(sem_t *event)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 10;
    return 0 == sem_timedwait(event, &end);
}

dt_dump_t *dt_dump_begin(dame_tree_t *tree, const datatype_t *datatype)
{
    (void) tree;
    if (datatype->shape > 30 && 0 != datatype->shape % 2) { /* the limit of files is reached */
        return NULL;
    }
    dt_dump_t *dump = must(calloc(1, sizeof(*dump)));
    dump->bytes[DAME_PACK] = bound_of(datatype->shape);
    dumps_begun++;
    return dump;
}

void dt_dump_write(const dt_dump_t *dump, const dame_program_t *program)
{
    if (NULL != dump) {
        dumps_wrong += NULL == program || dump->bytes[DAME_PACK] != program->true_ub;
        dumps_written++;
        if (slow.shape >= 0 && bound_of(slow.shape) == dump->bytes[DAME_PACK]) {
            sem_post(&slow.begun);
            slow.was_done = wait_for(&slow.done);
        }
    }
}

/* The datatype may be gone by now, its program not yet. */
void dt_dump_end(dt_dump_t *dump, const dame_program_t *program, dt_decline_t declined)
{
    if (NULL != dump) {
        dumps_wrong += NULL == program || dump->bytes[DAME_PACK] != program->true_ub;
        dump_declined = declined;
        dumps_ended++;
        free(dump);
    }
}

/* Promotion: counts what belongs to a program, and to a thread. */
static _Atomic int64_t promotions_begun, promotions_ended, promotions_wrong, forbidden;
static _Atomic int64_t readers_added, readers_removed;

dt_tally_t *dt_tally_of(const struct opal_datatype_t *datatype, const dame_program_t *program)
{
    (void) datatype;
    (void) program;
    return NULL;
}

void dt_tally_one_more(dt_tally_t *tally)
{
    (void) tally;
}

void dt_promote_prepare(void)
{
}

void dt_promote_layout_init(dt_layout_t *layout)
{
    promotions_begun += NULL != layout->program;
}

void dt_promote_layout_release(dt_layout_t *layout)
{
    promotions_ended += NULL != layout->program;
    promotions_wrong += NULL != layout->program && 3 > layout->program->nprims; /* freed before */
}

void dt_promote_dump_code(dt_dump_t *dump, const dt_layout_t *layout)
{
    dumps_wrong += NULL != dump && NULL == layout->program;
}

void dt_promote_disable(void)
{
    forbidden++;
}

void dame_reader_add(dame_reader_t *reader)
{
    readers_added += NULL == reader->link;
}

void dame_reader_remove(dame_reader_t *reader)
{
    readers_removed += NULL == reader->link;
}

static int64_t imports(void)
{
    return dt_stats_total(DT_COUNT_types_imported);
}

/* Is this the entry of the datatype as it is now? */
static bool is_entry_of(const dt_entry_t *entry, const datatype_t *datatype)
{
    return NULL != entry && datatype == atomic_load(&entry->key) &&
           NULL != entry->layout->program &&
           DT_DECLINE_NONE == atomic_load(&entry->layout->declined) &&
           bound_of(datatype->shape) == entry->layout->program->true_ub;
}

/* ---- one thread: random datatypes against a model ------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

enum { MOST_TYPES = 100000, MOST_SHAPES = 1000, DECLINED = MOST_SHAPES, ALL_SHAPES };

/* A datatype, used or not. */
typedef struct subject {
    datatype_t datatype;
    const dt_entry_t *entry; /* NULL: the table must not know it */
} subject_t;

/* What the table must keep of a shape. */
typedef struct shape {
    dt_layout_t *layout; /* NULL: nothing */
    size_t bytes;        /* of that */
    int datatypes, holds;
    uint64_t unused_since; /* 0: it is in use */
} shape_t;

/* What must have been counted, in all. */
typedef struct counts {
    int64_t imported, declined, layouts, dropped, generation, dumps_begun, dumps_ended;
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
                      dumps_begun,
                      dumps_ended};
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

/* Nobody uses the shape any more: it stays, unless there is no room for it or an older one. */
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
                oldest = NULL == oldest || one->unused_since < oldest->unused_since ? one : oldest;
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
    const bool is_new = NULL == s->entry, lacks_memory = NO_MEMORY == number;
    shape_t *shape = shape_of(s);
    const dt_entry_t *entry = dt_table_get(&s->datatype);
    if (!is_new) {
        return entry == s->entry;
    }
    s->entry = entry;
    model.counts.imported += number >= 0;
    model.counts.declined += number < 0;
    model.counts.layouts += lacks_memory || NULL == shape->layout;
    model.counts.dumps_begun += NULL != dt_entry_dump(entry);
    bool ok =
        NULL != entry && entry->serial > model.serial && &s->datatype == atomic_load(&entry->key);
    model.serial = entry->serial;
    ok = ok && (number >= 0 ? is_entry_of(entry, &s->datatype)
                            : NULL == entry->layout->program &&
                                  (lacks_memory ? DT_DECLINE_MEMORY : DT_DECLINE_BOUNDS) ==
                                      atomic_load(&entry->layout->declined));
    ok = ok && (NULL != dt_entry_dump(entry)) ==
                   (dt_entries_are_wide && number >= 0 && (number <= 30 || 0 == number % 2));
    if (lacks_memory) { /* which may pass */
        return ok;
    }
    if (NULL == shape->layout) {
        shape->layout = entry->layout;
        shape->bytes = entry->layout->bytes;
        entry->layout->promotions[DAME_PACK].period = (int32_t) number + 77;
    }
    shape->datatypes++;
    shape->unused_since = 0;
    return ok && entry->layout == shape->layout && /* with all that is known of it */
           (int32_t) number + 77 == entry->layout->promotions[DAME_PACK].period;
}

static void forget_subject(subject_t *s)
{
    shape_t *shape = shape_of(s);
    if (NULL != s->entry) {
        model.counts.generation++;
        model.counts.dumps_ended += NULL != dt_entry_dump((dt_entry_t *) (uintptr_t) s->entry);
    }
    dt_table_forget(&s->datatype);
    if (NULL != s->entry && NO_MEMORY != s->datatype.shape) {
        shape->datatypes--;
        leave(shape);
    }
    s->entry = NULL;
}

static void release(shape_t *shape)
{
    dt_layout_t *layout = shape->layout;
    shape->holds--;
    leave(shape);
    dt_layout_release(layout);
}

/* Holds the shape of a datatype, or gives up such a hold. */
static void hold_or_release(const subject_t *s)
{
    shape_t *shape = shape_of(s);
    if (shape->holds > 0) {
        release(shape);
    } else if (NULL != s->entry && NO_MEMORY != s->datatype.shape) {
        shape->holds++;
        dt_layout_hold(shape->layout);
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
        subject_t *s = &model.subjects[i];
        model.counts.dumps_ended +=
            NULL != s->entry && NULL != dt_entry_dump((dt_entry_t *) (uintptr_t) s->entry);
        s->entry = NULL;
    }
    for (int i = 0; i < ALL_SHAPES; i++) {
        if (NULL != model.shapes[i].layout) {
            drop(&model.shapes[i]);
        }
    }
    model.counts.generation++;
    dt_table_clear();
}

/* So many datatypes of so many shapes are used, freed and made again, now and then as another one;
   the table is cleared, and what it may keep changes. */
static void random_datatypes(int types, int shapes, int steps)
{
    uint64_t state = (uint64_t) types;
    int wrong = 0;
    memset(model.shapes, 0, sizeof(model.shapes));
    memset(model.subjects, 0, (size_t) types * sizeof(*model.subjects));
    model.counts = counted();
    model.room = KEPT;
    int step = 0;
    for (; step < steps && 0 == wrong; step++) {
        subject_t *s = &model.subjects[next_random(&state) % (uint64_t) types];
        const int what = (int) (next_random(&state) % 1000);
        if (0 == step % (steps / 3 + 1)) {
            clear_all(types);
        } else if (what < 5) {
            model.room = next_random(&state) % KEPT * (0 != what);
            dt_layout_start(model.room);
        } else if (what < 100) {
            hold_or_release(s);
        } else if (what < 400) {
            forget_subject(s);
        } else {
            if (NULL == s->entry) {
                const int64_t shape = (int64_t) (next_random(&state) % (uint64_t) (shapes + 2));
                s->datatype.shape = shape < shapes ? shape : shape == shapes ? -1 : NO_MEMORY;
            }
            wrong += !get_subject(s);
        }
        const counts_t found = counted();
        wrong += 0 != memcmp(&found, &model.counts, sizeof(found));
    }
    check(0 == wrong, "%d datatypes of %d shapes: wrong after %d steps", types, shapes, step);
    clear_all(types);
    const counts_t found = counted();
    check(0 == memcmp(&found, &model.counts, sizeof(found)), "at the end");
    dt_layout_start(KEPT);
}

static void a_dump_is_told_why_its_datatype_was_left_to_others(void)
{
    datatype_t one = {.shape = 2}, other = {.shape = 3};
    (void) dt_table_get(&other);
    atomic_store(&dt_table_get(&one)->layout->declined, DT_DECLINE_DIFFERS);
    dt_table_forget(&one);
    check(DT_DECLINE_DIFFERS == dump_declined, "by another engine");
    dt_table_clear();
    check(DT_DECLINE_NONE == dump_declined, "or that it was not");
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
    dt_layout_t *layout = entry->layout;
    dt_layout_hold(layout);
    dt_table_forget(datatype);
    ok = bound_of(shape) == layout->program->true_ub && ok; /* held beyond the datatype */
    dt_layout_release(layout);
    return ok && dt_table_generation() > generation;
}

/* Own datatypes come and go, so that chains change and the table grows; so do those at addresses
   that other threads have just left. */
static void *creator(void *arg)
{
    uint64_t state = 77 + (uint64_t) (uintptr_t) arg;
    datatype_t *own = must(calloc(OWN, sizeof(*own)));
    bool *known = must(calloc(OWN, sizeof(*known)));
    long wrong = 0;
    long handed = 0;
    for (int round = 0; round < ROUNDS; round++) {
        datatype_t *one = &own[next_random(&state) % OWN];
        if (known[one - own]) {
            wrong += !is_entry_of(dt_table_get(one), one);
            dt_table_forget(one);
        } else {
            one->shape = (int64_t) (next_random(&state) % 500);
            wrong += !is_entry_of(dt_table_get(one), one);
        }
        known[one - own] = !known[one - own];
        datatype_t *shared = take_from_pool(next_random(&state));
        if (NULL != shared) {
            wrong += !live_and_die(shared, (int64_t) (next_random(&state) % 500));
            give_to_pool(shared);
            handed++;
        }
    }
    for (int i = 0; i < OWN; i++) {
        wrong += known[i] && !is_entry_of(dt_table_get(&own[i]), &own[i]);
        dt_table_forget(&own[i]); /* a no-op for those not known */
    }
    check(0 == wrong, "a creating thread saw %ld wrong entries", wrong);
    check(handed > ROUNDS / 2, "addresses went round: %ld", handed);
    free(known);
    free(own);
    atomic_fetch_sub(&creators_left, 1);
    return NULL;
}

/* Datatypes that stay are found whatever happens around them. */
static void *finder(void *arg)
{
    uint64_t state = 7777 + (uint64_t) (uintptr_t) arg;
    long wrong = 0;
    long found = 0;
    while (atomic_load(&creators_left) > 0 || found < 1000) {
        int i = (int) (next_random(&state) % LONG_LIVED);
        const dt_entry_t *entry = dt_table_get(&long_lived[i]);
        wrong += entry != long_entries[i] || !is_entry_of(entry, &long_lived[i]);
        found++;
    }
    check(0 == wrong, "%ld of %ld long-lived datatypes wrong", wrong, found);
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
    check(added == readers_removed + 1, "all readers but this thread's have left: %lld of %lld",
          (long long) readers_removed, (long long) added);
    check(0 == forbidden, "all ends so far were noticed");
    pthread_key_create(&late_key, count_late);
    pthread_create(&thread, NULL, count_and_end, NULL);
    pthread_join(thread, NULL);
    pthread_key_delete(late_key);
    check(1 == dt_stats_total(DT_COUNT_cut_blocks), "what it counted before is there");
    check(added + 1 == readers_added && readers_removed + 1 == readers_added, "one reader more");
    check(1 == forbidden, "nothing is compiled from then on");
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
    check(0 == wrong, "%ld of a thread's datatypes wrong", wrong);
    return arg;
}

static void *count_fragment(void *arg)
{
    dt_count(DT_COUNT_fragments_packed, 1);
    return arg;
}

/* ThreadSanitizer lets such a child make no thread. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

/* The child's only thread takes the stacks of those that are gone for its new ones. */
static bool counts_with_threads(int64_t counted)
{
#ifndef __SANITIZE_THREAD__
    for (int i = 0; i < 2 * HAMMERS; i++) {
        pthread_t thread;
        if (0 != pthread_create(&thread, NULL, count_fragment, NULL)) {
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
    if (NULL != getenv("UNDER_QEMU")) { /* whose children of a process with threads end with 127 */
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
    for (int i = 0; i < FORKS && 0 == status; i++) {
        const pid_t child = fork();
        if (0 == child) {
            _exit(use_in_child(&known, entry, 2));
        }
        const bool ended = child == waitpid(child, &status, 0);
        check(ended && 0 == status, "child %d: status %x", i, (unsigned) status);
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

int main(void)
{
    model.subjects = must(calloc(MOST_TYPES, sizeof(*model.subjects)));
    dt_entries_are_wide = true;
    dt_thread_start(dt_promote_disable);
    dt_layout_start(KEPT);
    random_datatypes(30, 20, 60000);
    random_datatypes(300, MOST_SHAPES, 20000);
    random_datatypes(MOST_TYPES, MOST_SHAPES, 100000);
    a_dump_is_told_why_its_datatype_was_left_to_others();
    a_slow_file_holds_up_nobody_else();
    free(model.subjects);
    threads_share_the_table();
    dt_entries_are_wide = false; /* the table is empty */
    threads_share_the_table();
    check(dumps_begun == dumps_ended && 0 == dumps_wrong, "every dump ended, with its program");
    check(dumps_begun == dumps_written, "and was written once before");
    check(promotions_begun == promotions_ended && 0 == promotions_wrong &&
              promotions_begun < dumps_begun / 2,
          "the promotion of every program, of which there were fewer, ended before the program");
    check(0 < dt_stats_total(DT_COUNT_layouts_dropped), "some programs were not kept");
    counts_survive_their_threads();
    children_find_the_table_and_the_counters_whole();
    a_thread_that_comes_back_at_its_end_is_in_no_list();
    texts_belong_to_their_numbers();
    the_first_limit_is_kept_for_the_report();
    printf("%ld passed, %ld failed\n", passed, failed);
    return 0 != failed;
}
