/* SPDX-License-Identifier: BSD-3-Clause */
#include "table.h"
#include "base/heap.h"

#include "opal-glue/import/break_even.h"
#include "dump.h"
#include "engine/credit.h"
#include "opal-glue/import/import.h"
#include "base/lock.h"
#include "opal-glue/import/layout_key.h"
#include "thread.h"
#include "opal-glue/import/contents.h"

_Atomic(dt_buckets_t *) dt_table_buckets;
_Atomic uint64_t dt_table_generation_count;

/* Under DAME_LOCK_LAYOUTS, except `changes`. */
static struct {
    size_t entries;
    dt_entry_t *unused;
    dame_tree_t *tree;              /* to import in */
    bool has_extras;                /* entries have more than what the engine needs */
    _Atomic(dame_tally_t *) seldom; /* the row of small datatypes without an entry */
    struct described *described;    /* DESCRIBED of them; owned; NULL: no report names layouts */
    int32_t descriptions;           /* that were made */
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
static void grow_buckets(void)
{
    dt_buckets_t *old = atomic_load_explicit(&dt_table_buckets, memory_order_relaxed);
    size_t n = old == NULL ? FIRST_BUCKETS : 2 * (old->mask + 1);
    dt_buckets_t *buckets = dame_heap_zalloc(sizeof(*buckets) + n * sizeof(buckets->heads[0]));
    if (buckets == NULL) {
        return;
    }
    buckets->older = old;
    buckets->mask = n - 1;
    for (size_t i = 0; old != NULL && i <= old->mask; i++) {
        dt_entry_t *entry = atomic_load_explicit(&old->heads[i], memory_order_relaxed);
        while (entry != NULL) {
            dt_entry_t *next = atomic_load_explicit(&entry->next, memory_order_relaxed);
            link_entry(buckets, entry);
            entry = next;
        }
    }
    atomic_store_explicit(&dt_table_buckets, buckets, memory_order_release);
}

/* Only the holder of the lock changes chains, so no addition of `changes` needs to be atomic. */
static void begin_change(void)
{
    const uint64_t changes = atomic_load_explicit(&table.changes, memory_order_relaxed);
    atomic_store_explicit(&table.changes, changes + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
}

static void end_change(void)
{
    const uint64_t changes = atomic_load_explicit(&table.changes, memory_order_relaxed);
    atomic_store_explicit(&table.changes, changes + 1, memory_order_release);
    atomic_thread_fence(memory_order_release); /* see is_absent() */
}

static void count_generation(void)
{
    const uint64_t count = atomic_load_explicit(&dt_table_generation_count, memory_order_relaxed);
    atomic_store_explicit(&dt_table_generation_count, count + 1, memory_order_release);
}

/* Certainly not in the table: a walk that no change has overtaken did not find it. */
static bool is_absent(const struct opal_datatype_t *datatype)
{
    /* The thread that entered the datatype has given up its reference to it since, but reference
       counts need not order anything on their own: this fence and that of end_change() do. */
    atomic_thread_fence(memory_order_acquire);
    uint64_t before = atomic_load_explicit(&table.changes, memory_order_acquire);
    if ((before & 1) != 0 || dt_table_find(datatype) != NULL) {
        return false;
    }
    atomic_thread_fence(memory_order_acquire);
    return before == atomic_load_explicit(&table.changes, memory_order_relaxed);
}

/* An entry that is not in use, or NULL: out of memory. */
static dt_entry_t *take_entry(void)
{
    dt_entry_t *entry = table.unused;
    if (entry != NULL) {
        table.unused = atomic_load_explicit(&entry->next, memory_order_relaxed);
        return entry;
    }
    entry = dame_heap_zalloc(sizeof(*entry));
    if (entry != NULL && table.has_extras) {
        entry->extra = dame_heap_zalloc(sizeof(*entry->extra));
        if (entry->extra == NULL) {
            dame_heap_free(entry);
            return NULL;
        }
    }
    return entry;
}

/* Readers may be walking over it. */
static void give_entry(dt_entry_t *entry)
{
    atomic_store_explicit(&entry->next, table.unused, memory_order_release);
    table.unused = entry;
}

/* Room for one more entry, and memory to import in; false: out of memory. */
static bool is_ready(void)
{
    dt_buckets_t *buckets = atomic_load_explicit(&dt_table_buckets, memory_order_relaxed);
    if (buckets == NULL || table.entries > buckets->mask) {
        begin_change();
        grow_buckets();
        end_change();
        buckets = atomic_load_explicit(&dt_table_buckets, memory_order_relaxed);
    }
    if (table.tree == NULL) {
        table.tree = dame_tree_new();
    }
    return buckets != NULL && table.tree != NULL;
}

/* ---- Layouts -------------------------------------------------------------------------------- */

/* Makes a key for the engine, under the lock that protects the tree. */
static bool key_of(const void *datatype, dame_layout_key_t *key)
{
    return dt_layout_key(table.tree, datatype, key);
}

static dame_program_t *build(const void *datatype, int32_t *declined)
{
    dt_decline_t reason;
    const int cancel_state = dame_cancel_defer(); /* it may log */
    dame_program_t *program = dt_import(table.tree, datatype, &reason);
    dame_cancel_restore(cancel_state);
    *declined = (int32_t) reason;
    return program;
}

/* Memory may be there again the next time. */
static const dame_layout_source_t source = {
    .key = key_of, .build = build, .passing = DT_DECLINE_MEMORY};

/* Imports the layout of a datatype, which is not known, and counts the time. */
static dame_layout_t *import_layout(const struct opal_datatype_t *datatype, uint64_t fingerprint)
{
    const int64_t start = dame_ns_now();
    dame_layout_t *layout = dame_engine_new_layout(&dt_engine, &source, datatype, fingerprint);
    dt_count(DT_COUNT_import_ns, dame_ns_now() - start);
    return layout;
}

static void keep_extra(dt_extra_t *extra, dt_dump_t *dump)
{
    if (extra != NULL) {
        extra->dump = dump;
        atomic_store_explicit(&extra->events, NULL, memory_order_relaxed);
    }
}

static void count_layout(const dt_entry_t *entry)
{
    const dt_decline_t declined = (dt_decline_t) dt_entry_declined(entry);
    if (declined == DT_DECLINE_NONE) {
        dt_count(DT_COUNT_types_imported, 1);
    } else {
        dt_count(DT_COUNT_types_declined, 1);
        dt_count_declined(declined);
    }
}

/* ---- For the report ------------------------------------------------------------------------- */

enum { DESCRIBED = 256 };

/* Layouts in words, by their fingerprint; while entries have extras. */
typedef struct described {
    uint64_t fingerprint; /* 0: unused */
    int64_t size;         /* bytes of an element */
    char words[DAME_TALLY_WORDS];
} described_t;

/* The row of a datatype that has no program, which is built for its words; not for all of them, if
 * there are very many. NULL: without a report. */
static dame_tally_t *row_of(const struct opal_datatype_t *datatype, uint64_t fingerprint)
{
    described_t *at = table.described == NULL ? NULL : &table.described[fingerprint % DESCRIBED];
    if (at == NULL || !dt_engine.tallies.on) {
        return NULL;
    }
    const int cancel_state = dame_cancel_defer(); /* it may log */
    if (fingerprint != at->fingerprint && table.descriptions < 4 * DESCRIBED) {
        table.descriptions++;
        at->fingerprint = fingerprint;
        at->size = dt_import_words(table.tree, datatype, at->words, sizeof(at->words));
    }
    const bool has_words = fingerprint == at->fingerprint;
    dame_tally_t *tally =
        dame_tally_get(&dt_engine.tallies, dt_contents_name(datatype),
                       has_words ? at->words : "(not looked at)", has_words ? at->size : 0);
    dame_cancel_restore(cancel_state);
    return tally;
}

/* ---- Entries -------------------------------------------------------------------------------- */

static void give_layout(dt_entry_t *entry, const struct opal_datatype_t *datatype,
                        dame_layout_t *layout)
{
    const bool moves = layout->program != NULL;
    dame_use_t *use = &entry->use;
    use->layout = layout;
    use->tally_bits = 0;
    use->amounts = NULL;
    if (moves) {
        dame_tally_open(&dt_engine.tallies, use, dt_contents_name(datatype), entry->extra != NULL);
    } else {
        dame_tally_t *tally = row_of(datatype, layout->fingerprint);
        use->amounts = tally == NULL ? NULL : &tally->amounts;
    }
    use->slot = dame_credit_slot(use);
    atomic_store_explicit(&use->trust, DAME_TRUST_UNKNOWN, memory_order_relaxed);
    keep_extra(entry->extra,
               moves && entry->extra != NULL ? dt_dump_begin(table.tree, datatype) : NULL);
    entry->serial = ++table.serial;
    count_layout(entry);
}

static dt_entry_t *new_entry(const struct opal_datatype_t *datatype, uint64_t fingerprint,
                             bool imports)
{
    dt_entry_t *entry = is_ready() ? take_entry() : NULL;
    if (entry == NULL) {
        return NULL;
    }
    dame_layout_t *layout = dame_layout_find(&dt_engine.layouts, &source, datatype, fingerprint);
    if (layout == NULL && imports) {
        layout = import_layout(datatype, fingerprint);
    }
    if (layout == NULL) {
        give_entry(entry);
        return NULL;
    }
    give_layout(entry, datatype, layout);
    begin_change();
    atomic_store_explicit(&entry->key, datatype, memory_order_release);
    link_entry(atomic_load_explicit(&dt_table_buckets, memory_order_relaxed), entry);
    end_change();
    table.entries++;
    return entry;
}

dt_entry_t *dt_table_open(const struct opal_datatype_t *datatype, uint64_t fingerprint,
                          bool imports)
{
    dame_lock_briefly(DAME_LOCK_LAYOUTS);
    dt_entry_t *entry = dt_table_find(datatype);
    const bool is_new = entry == NULL;
    if (is_new) {
        entry = new_entry(datatype, fingerprint, imports);
    }
    dame_unlock_briefly(DAME_LOCK_LAYOUTS);
    if (is_new && entry != NULL) {
        dt_dump_write(dt_entry_dump(entry), entry->use.layout->program);
        if (entry->use.layout->program != NULL) {
            dame_promoter_prepare(&dt_engine.promoter);
        }
    }
    return entry;
}

dt_entry_t *dt_table_get(const struct opal_datatype_t *datatype)
{
    dt_entry_t *entry = dt_table_find(datatype);
    return entry != NULL ? entry : dt_table_open(datatype, dt_layout_fingerprint(datatype), true);
}

void dt_table_leave(const struct opal_datatype_t *datatype, dame_work_t work, int64_t bytes)
{
    if (!table.has_extras || !dt_engine.tallies.on) {
        return;
    }
    dame_tally_t *row = atomic_load_explicit(&table.seldom, memory_order_acquire);
    const bool is_short = bytes < DT_BREAK_EVEN_SHORT;
    if (!is_short || row == NULL) {
        dame_lock_briefly(DAME_LOCK_LAYOUTS);
        row = is_short || !is_ready()
                  ? dame_tally_get(&dt_engine.tallies, "(small, used seldom)", "", 0)
                  : row_of(datatype, dt_layout_fingerprint(datatype));
        if (is_short) {
            atomic_store_explicit(&table.seldom, row, memory_order_release);
        }
        dame_unlock_briefly(DAME_LOCK_LAYOUTS);
    }
    dame_tally_leave(row, work, bytes, DT_LEFT_UNPAID);
}

static dame_layout_t *put_layout(dame_layout_t *layout)
{
    return dame_layout_put(&dt_engine.layouts, layout);
}

static void free_layouts(dame_layout_t *layouts)
{
    dame_promoter_free(&dt_engine.promoter, layouts);
}

/* Ends the dump of a datatype, and its hold of the layout. */
static void end_dump(dt_dump_t *dump, dame_layout_t *layout)
{
    dt_dump_codes(dump, layout);
    dame_lock_briefly(DAME_LOCK_LAYOUTS);
    dame_layout_t *surplus = put_layout(layout);
    dame_unlock_briefly(DAME_LOCK_LAYOUTS);
    free_layouts(surplus);
}

/* Takes the datatype's entry out of its chain; NULL if it has no entry. */
static dt_entry_t *unlink_entry(const struct opal_datatype_t *datatype)
{
    dt_buckets_t *buckets = atomic_load_explicit(&dt_table_buckets, memory_order_relaxed);
    _Atomic(dt_entry_t *) *at = buckets != NULL ? dt_table_head(buckets, datatype) : NULL;
    dt_entry_t *entry;
    while (at != NULL && (entry = atomic_load_explicit(at, memory_order_relaxed)) != NULL) {
        if (datatype == atomic_load_explicit(&entry->key, memory_order_relaxed)) {
            atomic_store_explicit(at, atomic_load_explicit(&entry->next, memory_order_relaxed),
                                  memory_order_release);
            atomic_store_explicit(&entry->key, NULL, memory_order_release);
            count_generation();
            return entry;
        }
        at = &entry->next;
    }
    return NULL;
}

void dt_table_forget(const struct opal_datatype_t *datatype)
{
    if (is_absent(datatype)) { /* most datatypes are only steps on the way to another */
        return;
    }
    dt_dump_t *dump = NULL;
    dame_layout_t *layout = NULL;
    dame_layout_t *surplus = NULL;
    dame_lock_briefly(DAME_LOCK_LAYOUTS);
    begin_change();
    dt_entry_t *entry = unlink_entry(datatype);
    if (entry != NULL) {
        dump = dt_entry_dump(entry);
        layout = entry->use.layout;
        give_entry(entry);
        table.entries--;
    }
    end_change();
    if (layout != NULL && dump == NULL) {
        surplus = put_layout(layout);
    }
    dame_unlock_briefly(DAME_LOCK_LAYOUTS);
    free_layouts(surplus);
    if (dump != NULL) {
        end_dump(dump, layout);
    }
}

static void free_chain(dt_entry_t *entry)
{
    while (entry != NULL) {
        dt_entry_t *next = atomic_load_explicit(&entry->next, memory_order_relaxed);
        if (atomic_load_explicit(&entry->key, memory_order_relaxed) != NULL) {
            end_dump(dt_entry_dump(entry), entry->use.layout);
        }
        dame_heap_free(entry->extra);
        dame_heap_free(entry);
        entry = next;
    }
}

void dt_table_start(bool has_extras)
{
    table.has_extras = has_extras;
    table.descriptions = 0;
    if (has_extras) { /* without memory, layouts have no words */
        table.described = dame_heap_zalloc(DESCRIBED * sizeof(*table.described));
    }
}

void dt_table_clear(void)
{
    dt_buckets_t *buckets = atomic_exchange(&dt_table_buckets, NULL);
    count_generation();
    for (size_t i = 0; buckets != NULL && i <= buckets->mask; i++) {
        free_chain(atomic_load_explicit(&buckets->heads[i], memory_order_relaxed));
    }
    free_chain(table.unused);
    free_layouts(dame_layouts_clear(&dt_engine.layouts));
    dame_tree_free(table.tree);
    table.tree = NULL;
    table.unused = NULL;
    table.entries = 0;
    dame_heap_free(table.described);
    table.described = NULL;
    atomic_store_explicit(&table.seldom, NULL, memory_order_relaxed);
    while (buckets != NULL) {
        dt_buckets_t *older = buckets->older;
        dame_heap_free(buckets);
        buckets = older;
    }
}
