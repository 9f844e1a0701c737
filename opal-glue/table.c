#include "table.h"

#include "dump.h"
#include "import.h"
#include "jit/lock.h"
#include "promote.h"
#include "tally.h"

_Atomic(dt_buckets_t *) dt_table_buckets;
_Atomic uint64_t dt_table_generation_count;

/* Under DAME_LOCK_TABLE, but for `changes`. */
static struct {
    size_t entries;
    dt_entry_t *unused;
    dame_tree_t *tree; /* to import in */
    uint64_t serial;
    _Atomic uint64_t changes; /* odd while chains are being changed */
} table;

enum { FIRST_BUCKETS = 1024 };

static void link_entry(dt_buckets_t *buckets, dt_entry_t *entry)
{
    const struct opal_datatype_t *key = atomic_load_explicit(&entry->key, memory_order_relaxed);
    _Atomic(dt_entry_t *) *head = dt_table_head(buckets, key);
    atomic_store_explicit(&entry->next, atomic_load_explicit(head, memory_order_relaxed),
                          memory_order_release);
    atomic_store_explicit(head, entry, memory_order_release);
}

/* Twice the buckets, or the first ones. The table stays as it is when memory is out. */
static void grow(void)
{
    dt_buckets_t *old = atomic_load_explicit(&dt_table_buckets, memory_order_relaxed);
    size_t n = NULL == old ? FIRST_BUCKETS : 2 * (old->mask + 1);
    dt_buckets_t *buckets = dame_heap_zalloc(sizeof(*buckets) + n * sizeof(buckets->heads[0]));
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
    atomic_store_explicit(&dt_table_buckets, buckets, memory_order_release);
}

static void begin_change(void)
{
    atomic_fetch_add_explicit(&table.changes, 1, memory_order_acq_rel);
}

static void end_change(void)
{
    atomic_fetch_add_explicit(&table.changes, 1, memory_order_acq_rel);
    atomic_thread_fence(memory_order_seq_cst); /* see is_absent() */
}

/* Certainly not in the table: a walk that no change has overtaken did not find it. */
static bool is_absent(const struct opal_datatype_t *datatype)
{
    /* The thread that entered the datatype has given up its reference to it since, but reference
       counts need not order anything on their own. */
    atomic_thread_fence(memory_order_seq_cst);
    uint64_t before = atomic_load_explicit(&table.changes, memory_order_acquire);
    if (0 != (before & 1) || NULL != dt_table_find(datatype)) {
        return false;
    }
    atomic_thread_fence(memory_order_acquire);
    return before == atomic_load_explicit(&table.changes, memory_order_relaxed);
}

static dt_entry_t *new_entry(const struct opal_datatype_t *datatype)
{
    dt_buckets_t *buckets = atomic_load_explicit(&dt_table_buckets, memory_order_relaxed);
    if (NULL == buckets || table.entries > buckets->mask) {
        begin_change();
        grow();
        end_change();
        buckets = atomic_load_explicit(&dt_table_buckets, memory_order_relaxed);
    }
    if (NULL == table.tree) {
        table.tree = dame_tree_new();
    }
    if (NULL == buckets || NULL == table.tree) {
        return NULL;
    }
    dt_layout_t *layout = dt_layout_new(table.tree, datatype);
    if (NULL == layout) {
        return NULL;
    }
    dt_entry_t *entry = table.unused;
    if (NULL != entry) {
        table.unused = atomic_load_explicit(&entry->next, memory_order_relaxed);
    } else if (NULL == (entry = dame_heap_zalloc(sizeof(*entry)))) {
        dt_layout_free(layout);
        return NULL;
    }
    entry->layout = layout;
    entry->dump = NULL == layout->program ? NULL : dt_dump_begin(table.tree, datatype);
    entry->tally = NULL == layout->program ? NULL : dt_tally_of(datatype, layout->program);
    entry->serial = ++table.serial;
    begin_change();
    atomic_store_explicit(&entry->key, datatype, memory_order_release);
    link_entry(buckets, entry);
    end_change();
    table.entries++;
    return entry;
}

dt_entry_t *dt_table_enter(const struct opal_datatype_t *datatype)
{
    dame_lock(DAME_LOCK_TABLE);
    dt_entry_t *entry = dt_table_find(datatype);
    const bool is_new = NULL == entry;
    if (is_new) {
        entry = new_entry(datatype);
    }
    dame_unlock(DAME_LOCK_TABLE);
    if (is_new && NULL != entry) { /* which stays, since the caller holds its datatype */
        dt_dump_write(entry->dump, entry->layout->program);
    }
    return entry;
}

/* Frees what belongs to an entry that nobody can find any more. */
static void end_entry(dt_entry_t *entry)
{
    const dt_layout_t *layout = entry->layout;
    if (NULL != layout) {
        dt_dump_end(entry->dump, layout->program,
                    atomic_load_explicit(&layout->declined, memory_order_relaxed));
    }
    dt_layout_free(entry->layout);
}

void dt_table_forget(const struct opal_datatype_t *datatype)
{
    if (is_absent(datatype)) { /* most datatypes are only steps on the way to another */
        return;
    }
    dt_entry_t ended = {.layout = NULL};
    dame_lock(DAME_LOCK_TABLE);
    begin_change();
    dt_buckets_t *buckets = atomic_load_explicit(&dt_table_buckets, memory_order_relaxed);
    _Atomic(dt_entry_t *) *at = NULL != buckets ? dt_table_head(buckets, datatype) : NULL;
    dt_entry_t *entry;
    while (NULL != at && NULL != (entry = atomic_load_explicit(at, memory_order_relaxed))) {
        if (datatype == atomic_load_explicit(&entry->key, memory_order_relaxed)) {
            atomic_store_explicit(at, atomic_load_explicit(&entry->next, memory_order_relaxed),
                                  memory_order_release);
            atomic_store_explicit(&entry->key, NULL, memory_order_release);
            atomic_fetch_add_explicit(&dt_table_generation_count, 1, memory_order_release);
            ended.layout = entry->layout;
            ended.dump = entry->dump;
            entry->layout = NULL;
            entry->dump = NULL;
            atomic_store_explicit(&entry->next, table.unused, memory_order_release);
            table.unused = entry;
            table.entries--;
            break;
        }
        at = &entry->next;
    }
    end_change();
    dame_unlock(DAME_LOCK_TABLE);
    end_entry(&ended);
}

static void free_chain(dt_entry_t *entry)
{
    while (NULL != entry) {
        dt_entry_t *next = atomic_load_explicit(&entry->next, memory_order_relaxed);
        end_entry(entry);
        dame_heap_free(entry);
        entry = next;
    }
}

void dt_table_clear(void)
{
    dt_buckets_t *buckets = atomic_exchange(&dt_table_buckets, NULL);
    atomic_fetch_add_explicit(&dt_table_generation_count, 1, memory_order_release);
    for (size_t i = 0; NULL != buckets && i <= buckets->mask; i++) {
        free_chain(atomic_load_explicit(&buckets->heads[i], memory_order_relaxed));
    }
    free_chain(table.unused);
    dame_tree_free(table.tree);
    table.tree = NULL;
    table.unused = NULL;
    table.entries = 0;
    while (NULL != buckets) {
        dt_buckets_t *older = buckets->older;
        dame_heap_free(buckets);
        buckets = older;
    }
}
