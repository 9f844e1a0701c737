#include "table.h"

#include <pthread.h>
#include <stdlib.h>

#include "import.h"

/*
 * Hash chains. Entries are never freed while the table is in use, only recycled, and the bucket
 * arrays that were outgrown are kept: a reader that is overtaken by a change may walk into another
 * chain and miss, but never into freed memory. What it missed it finds again under the lock.
 */
typedef struct buckets {
    struct buckets *older;
    size_t mask;
    _Atomic(dt_entry_t *) heads[];
} buckets_t;

static struct {
    pthread_mutex_t lock;
    _Atomic(buckets_t *) buckets;
    size_t entries;
    dt_entry_t *unused;
    dame_tree_t *tree; /* to import in, under the lock */
    uint64_t serial;
    _Atomic uint64_t changes; /* odd while chains are being changed */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

_Atomic uint64_t dt_table_left;

enum { FIRST_BUCKETS = 1024 };

static _Atomic(dt_entry_t *) *head_of(buckets_t *buckets, const struct opal_datatype_t *datatype)
{
    uint64_t hash = (uint64_t) (uintptr_t) datatype * UINT64_C(0x9E3779B97F4A7C15);
    return &buckets->heads[(hash >> 32) & buckets->mask];
}

static inline dt_entry_t *find(const struct opal_datatype_t *datatype)
{
    buckets_t *buckets = atomic_load_explicit(&table.buckets, memory_order_acquire);
    if (NULL == buckets) {
        return NULL;
    }
    dt_entry_t *entry = atomic_load_explicit(head_of(buckets, datatype), memory_order_acquire);
    while (NULL != entry && datatype != atomic_load_explicit(&entry->key, memory_order_acquire)) {
        entry = atomic_load_explicit(&entry->next, memory_order_acquire);
    }
    return entry;
}

static void link_entry(buckets_t *buckets, dt_entry_t *entry)
{
    const struct opal_datatype_t *key = atomic_load_explicit(&entry->key, memory_order_relaxed);
    _Atomic(dt_entry_t *) *head = head_of(buckets, key);
    atomic_store_explicit(&entry->next, atomic_load_explicit(head, memory_order_relaxed),
                          memory_order_release);
    atomic_store_explicit(head, entry, memory_order_release);
}

/* Twice the buckets, or the first ones. The table stays as it is when memory is out. */
static void grow(void)
{
    buckets_t *old = atomic_load_explicit(&table.buckets, memory_order_relaxed);
    size_t n = NULL == old ? FIRST_BUCKETS : 2 * (old->mask + 1);
    buckets_t *buckets = calloc(1, sizeof(*buckets) + n * sizeof(buckets->heads[0]));
    if (NULL == buckets) {
        return;
    }
    buckets->older = old;
    buckets->mask = n - 1;
    for (size_t i = 0; NULL != old && i <= old->mask; i++) {
        dt_entry_t *entry = atomic_load_explicit(&old->heads[i], memory_order_relaxed);
        while (NULL != entry) {
            dt_entry_t *next = atomic_load_explicit(&entry->next, memory_order_relaxed);
            link_entry(buckets, entry);
            entry = next;
        }
    }
    atomic_store_explicit(&table.buckets, buckets, memory_order_release);
}

static void begin_change(void)
{
    atomic_fetch_add_explicit(&table.changes, 1, memory_order_acq_rel);
}

static void end_change(void)
{
    atomic_fetch_add_explicit(&table.changes, 1, memory_order_acq_rel);
}

/* Certainly not in the table: a walk that no change has overtaken did not find it. */
static bool is_absent(const struct opal_datatype_t *datatype)
{
    uint64_t before = atomic_load_explicit(&table.changes, memory_order_acquire);
    if (0 != (before & 1) || NULL != find(datatype)) {
        return false;
    }
    atomic_thread_fence(memory_order_acquire);
    return before == atomic_load_explicit(&table.changes, memory_order_relaxed);
}

static dt_entry_t *new_entry(const struct opal_datatype_t *datatype)
{
    buckets_t *buckets = atomic_load_explicit(&table.buckets, memory_order_relaxed);
    if (NULL == buckets || table.entries > buckets->mask) {
        grow();
        buckets = atomic_load_explicit(&table.buckets, memory_order_relaxed);
    }
    if (NULL == table.tree) {
        table.tree = dame_tree_new();
    }
    dt_entry_t *entry = table.unused;
    if (NULL == buckets || NULL == table.tree) {
        return NULL;
    }
    if (NULL != entry) {
        table.unused = atomic_load_explicit(&entry->next, memory_order_relaxed);
    } else if (NULL == (entry = calloc(1, sizeof(*entry)))) {
        return NULL;
    }
    dt_decline_t declined;
    entry->program = dt_import(table.tree, datatype, &declined);
    entry->serial = ++table.serial;
    atomic_store_explicit(&entry->declined, declined, memory_order_relaxed);
    atomic_store_explicit(&entry->key, datatype, memory_order_release);
    link_entry(buckets, entry);
    table.entries++;
    return entry;
}

dt_entry_t *dt_table_get(const struct opal_datatype_t *datatype)
{
    dt_entry_t *entry = find(datatype);
    if (NULL != entry) {
        return entry;
    }
    pthread_mutex_lock(&table.lock);
    entry = find(datatype);
    if (NULL == entry) {
        begin_change();
        entry = new_entry(datatype);
        end_change();
    }
    pthread_mutex_unlock(&table.lock);
    return entry;
}

void dt_table_forget(const struct opal_datatype_t *datatype)
{
    if (is_absent(datatype)) { /* most datatypes are only steps on the way to another */
        return;
    }
    dame_program_t *program = NULL;
    pthread_mutex_lock(&table.lock);
    begin_change();
    buckets_t *buckets = atomic_load_explicit(&table.buckets, memory_order_relaxed);
    _Atomic(dt_entry_t *) *at = head_of(buckets, datatype);
    dt_entry_t *entry;
    while (NULL != (entry = atomic_load_explicit(at, memory_order_relaxed))) {
        if (datatype == atomic_load_explicit(&entry->key, memory_order_relaxed)) {
            atomic_store_explicit(at, atomic_load_explicit(&entry->next, memory_order_relaxed),
                                  memory_order_release);
            atomic_store_explicit(&entry->key, NULL, memory_order_release);
            atomic_fetch_add_explicit(&dt_table_left, 1, memory_order_release);
            program = entry->program;
            entry->program = NULL;
            atomic_store_explicit(&entry->next, table.unused, memory_order_release);
            table.unused = entry;
            table.entries--;
            break;
        }
        at = &entry->next;
    }
    end_change();
    pthread_mutex_unlock(&table.lock);
    dame_program_free(program);
}

static void free_chain(dt_entry_t *entry)
{
    while (NULL != entry) {
        dt_entry_t *next = atomic_load_explicit(&entry->next, memory_order_relaxed);
        dame_program_free(entry->program);
        free(entry);
        entry = next;
    }
}

void dt_table_clear(void)
{
    buckets_t *buckets = atomic_exchange(&table.buckets, NULL);
    for (size_t i = 0; NULL != buckets && i <= buckets->mask; i++) {
        free_chain(atomic_load_explicit(&buckets->heads[i], memory_order_relaxed));
    }
    free_chain(table.unused);
    dame_tree_free(table.tree);
    table.tree = NULL;
    table.unused = NULL;
    table.entries = 0;
    while (NULL != buckets) {
        buckets_t *older = buckets->older;
        free(buckets);
        buckets = older;
    }
}
