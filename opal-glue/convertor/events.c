/* SPDX-License-Identifier: BSD-3-Clause */
#include "events.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "opal-glue/import/contents.h"
#include "dame/dame.h"
#include "base/heap.h"
#include "engine/words.h"
#include "base/lock.h"
#include "opal-glue/log.h"
#include "measure/counters.h"
#include "opal-glue/name.h"
#include "opal-glue/table.h"

enum {
    MOST = 100,      /* datatypes that have counts of their own; the others share one record */
    NAME_ROOM = 128, /* bytes of a datatype's name and of its layout in words */
};

/* The counts of all datatypes with one name and layout. */
typedef struct dt_events dt_events_t;
struct dt_events {
    dt_events_t *next;
    char name[NAME_ROOM];
    _Atomic int64_t uses[2]; /* by dame_dir_t: fragments that were counted */
    _Atomic int64_t counts[2][DAME_COUNTERS];
};

static struct {
    bool on;
    _Atomic(dt_events_t *) first; /* the latest; added to under DAME_LOCK_COUNTERS */
    int n;
} all;

/* ---- Datatypes ------------------------------------------------------------------------------ */

/* "name: 20 x 8 B", as far as there is room. */
static void describe(char name[NAME_ROOM], const struct opal_datatype_t *datatype,
                     const dame_program_t *program)
{
    const char *given = dt_contents_name(datatype);
    (void) dt_name_text(given, name, NAME_ROOM / 2);
    (void) strcat(name, *given == '\0' ? "" : ": ");
    const size_t length = strlen(name);
    dame_words_of_layout(program, name + length, NAME_ROOM - length);
}

/* The record of that name, new or not; NULL when memory is out. */
static dt_events_t *record(const char *name)
{
    dt_events_t *first = atomic_load_explicit(&all.first, memory_order_relaxed);
    for (dt_events_t *events = first; events != NULL; events = events->next) {
        if (strcmp(name, events->name) == 0) {
            return events;
        }
    }
    dt_events_t *events = dame_heap_zalloc(sizeof(*events));
    if (events != NULL) {
        (void) strcpy(events->name, name);
        events->next = first;
        all.n++;
        atomic_store_explicit(&all.first, events, memory_order_release);
    }
    return events;
}

static dt_events_t *events_of(dt_entry_t *entry)
{
    char name[NAME_ROOM] = "other datatypes";
    dt_events_t *events = atomic_load_explicit(&entry->extra->events, memory_order_acquire);
    if (events == NULL) {
        dame_lock(DAME_LOCK_COUNTERS);
        if (all.n < MOST) {
            describe(name, atomic_load_explicit(&entry->key, memory_order_relaxed),
                     entry->use.layout->program);
        }
        events = record(name);
        atomic_store_explicit(&entry->extra->events, events, memory_order_release);
        dame_unlock(DAME_LOCK_COUNTERS);
    }
    return events;
}

/* ---- Uses ----------------------------------------------------------------------------------- */

static void add_count(_Atomic int64_t *to, int64_t n)
{
    atomic_fetch_add_explicit(to, n, memory_order_relaxed);
}

static convertor_advance_fct_t movers[2]; /* by dame_dir_t */

/* Only what is copied is counted, not the addresses of blocks. */
static int32_t move_and_count(opal_convertor_t *convertor, dame_dir_t dir, struct iovec *iov,
                              uint32_t *out_size, size_t *max_data)
{
    dt_entry_t *entry = dt_table_get(convertor->pDesc); /* never NULL: DAME handles the convertor */
    const bool copies = *out_size > 0 && iov[0].iov_base != NULL;
    dame_papi_use_t use;
    int64_t counts[DAME_COUNTERS];
    dt_events_t *events = copies ? events_of(entry) : NULL;
    const bool begun = events != NULL && dame_counters_begin(&use);
    const int32_t rc = movers[dir](convertor, iov, out_size, max_data);
    if (begun && dame_counters_end(&use, counts)) {
        add_count(&events->uses[dir], 1);
        for (int32_t i = 0; i < dame_counters_number(); i++) {
            add_count(&events->counts[dir][i], counts[i]);
        }
    }
    return rc;
}

int32_t dt_events_pack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                       size_t *max_data)
{
    return move_and_count(convertor, DAME_PACK, iov, out_size, max_data);
}

int32_t dt_events_unpack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                         size_t *max_data)
{
    return move_and_count(convertor, DAME_UNPACK, iov, out_size, max_data);
}

/* ---- The report ----------------------------------------------------------------------------- */

static void print_direction(const dt_events_t *events, int dir, FILE *out)
{
    const int64_t uses = atomic_load_explicit(&events->uses[dir], memory_order_relaxed);
    if (uses == 0) {
        return;
    }
    fprintf(out, "    %-8s %12" PRId64, dir == DAME_PACK ? "packed" : "unpacked", uses);
    for (int32_t i = 0; i < dame_counters_number(); i++) {
        const int64_t count = atomic_load_explicit(&events->counts[dir][i], memory_order_relaxed);
        fprintf(out, " %20.1f", (double) count / (double) uses);
    }
    fputc('\n', out);
}

void dt_events_print(FILE *out)
{
    const char *why;
    const int64_t missed = dame_counters_missed(&why);
    if (dame_counters_number() > 0) {
        fprintf(out, "\n  events of a fragment on this rank, on average\n    %-8s %12s", "",
                "fragments");
        for (int32_t i = 0; i < dame_counters_number(); i++) {
            fprintf(out, " %20s", dame_counters_name(i));
        }
        fputc('\n', out);
        const dt_events_t *events = atomic_load_explicit(&all.first, memory_order_acquire);
        for (; events != NULL; events = events->next) {
            fprintf(out, "    %s\n", events->name);
            print_direction(events, DAME_PACK, out);
            print_direction(events, DAME_UNPACK, out);
        }
    }
    if (missed != 0) {
        fprintf(out, "    not counted %9" PRId64 " fragments: PAPI said \"%s\"\n", missed, why);
    }
}

/* ---- Start and stop ------------------------------------------------------------------------- */

static void tell(const char *text)
{
    dt_log_once_a_node("dt_dame_papi_events: not counted: %s", text);
}

bool dt_events_start(const char *list, convertor_advance_fct_t pack, convertor_advance_fct_t unpack)
{
    movers[DAME_PACK] = pack;
    movers[DAME_UNPACK] = unpack;
    all.on = dame_counters_start(list, NULL, tell);
    return all.on;
}

void dt_events_stop(void)
{
    dame_counters_stop();
    dt_events_t *events = atomic_exchange(&all.first, NULL);
    all.n = 0;
    all.on = false;
    while (events != NULL) {
        dt_events_t *next = events->next;
        dame_heap_free(events);
        events = next;
    }
}
