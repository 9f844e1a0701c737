/* SPDX-License-Identifier: BSD-3-Clause */
#include "break_even.h"

#include <stdatomic.h>
#include <string.h>

#include "opal-glue/abi/abi.h"
#include "contents.h"
#include "engine/layout.h"
#include "engine/staging.h"

/*
 * Nanoseconds on a Zen 5 (bench/run --only lives,fresh). Only their ratios count, and those are of
 * one CPU's work with itself.
 */
static const float IMPORT = 2000, IMPORT_ITEM = 16; /* a layout that is new */
static const float FIND = 300, FIND_ITEM = 1;       /* one that earlier datatypes had */
/* What DAME saves with a short block, a line of a fragment (0 to 12), and besides. */
static const float BLOCK = 2.5F, LINE = 1, MESSAGE = 10;

enum {
    LONGEST_BLOCK = 512, /* bytes; longer ones are copied by memcpy() in both engines */
    DRAWN = 8,           /* items that are looked at in a long description */
    SKETCHES = 1024,
    MOST_MESSAGES = 1 << 24 /* that a float counts one by one */
};

/* Bits of a mark, whose other bits are the fingerprint's. MISSED: its layout is not a known one.
 * The lease grows with each message of the fingerprint and shrinks with each of another's; at 0, as
 * after an import, the other takes the place. So of two that alternate, one stays until its import,
 * and then the other. */
enum { MISSED = 1, LEASE = 2, MOST_LEASE = 16, LOW = 255 };

typedef struct saved {
    uint32_t mark;
    float amount; /* nanoseconds; or messages, if the user has said how many */
} saved_t;

static int32_t fixed; /* of dt_break_even_start() */
bool dt_break_even_looks_at_all;
static _Atomic uint64_t table[SKETCHES]; /* saved_t, by the fingerprint */

void dt_break_even_start(int32_t messages, bool looks_at_all)
{
    fixed = messages < MOST_MESSAGES ? messages : MOST_MESSAGES;
    dt_break_even_looks_at_all = messages != 0 || looks_at_all;
    for (int i = 0; i < SKETCHES; i++) {
        atomic_store_explicit(&table[i], 0, memory_order_relaxed);
    }
}

static saved_t load_sum(uint64_t fingerprint)
{
    const uint64_t word =
        atomic_load_explicit(&table[fingerprint % SKETCHES], memory_order_relaxed);
    saved_t saved;
    memcpy(&saved, &word, sizeof(saved));
    return saved;
}

/* Threads that add at the same time may lose one of their sums. */
static void store(uint64_t fingerprint, saved_t saved)
{
    uint64_t word;
    memcpy(&word, &saved, sizeof(word));
    atomic_store_explicit(&table[fingerprint % SKETCHES], word, memory_order_relaxed);
}

static uint32_t mark_of(uint64_t fingerprint)
{
    return (uint32_t) (fingerprint >> 32) & ~(uint32_t) LOW;
}

/* The fingerprint's sum so far, for one more message. False: the place stays another's. */
static bool lease(uint64_t fingerprint, saved_t *saved)
{
    const uint32_t mark = mark_of(fingerprint);
    *saved = load_sum(fingerprint);
    if (mark == (saved->mark & ~(uint32_t) LOW)) {
        saved->mark += (saved->mark & LOW) < MOST_LEASE - 2 * LEASE ? 2 * LEASE : 0;
        return true;
    }
    const bool stays = (saved->mark & LOW) >= LEASE;
    if (stays) {
        saved->mark -= LEASE;
        store(fingerprint, *saved);
    }
    *saved = (saved_t){mark | LEASE, 0};
    return !stays;
}

void dt_break_even_missed(uint64_t fingerprint)
{
    saved_t saved = load_sum(fingerprint);
    if (mark_of(fingerprint) == (saved.mark & ~(uint32_t) LOW)) {
        saved.mark |= MISSED;
        saved.amount += 0 != fixed ? 1 : 0; /* the message that looked */
        store(fingerprint, saved);
    }
}

/* Short blocks of an element. Exact for short descriptions. */
static float blocks_of(const opal_datatype_t *datatype)
{
    const dt_type_desc_t *items =
        datatype->opt_desc.used != 0 ? &datatype->opt_desc : &datatype->desc;
    float blocks = 0, times[DRAWN + 1] = {1};
    size_t i = 0;
    int depth = 0;
    for (; i < items->used && i < DRAWN; i++) {
        const dt_elem_desc_t *item = &items->desc[i];
        if (item->elem.common.type == OPAL_DATATYPE_LOOP) {
            times[depth + 1] = times[depth] * (float) item->loop.loops;
            depth++;
        } else if (item->elem.common.type == OPAL_DATATYPE_END_LOOP) {
            depth -= depth > 0;
        } else if (item->elem.common.flags & OPAL_DATATYPE_FLAG_DATA) {
            const float bytes = (float) item->elem.blocklen *
                                (float) opal_datatype_basicDatatypes[item->elem.common.type]->size;
            const float part = bytes < LONGEST_BLOCK ? 1 - bytes / LONGEST_BLOCK : 0;
            blocks += times[depth] * (float) item->elem.count * part;
        }
    }
    return i == 0 ? 0 : blocks * (float) items->used / (float) i;
}

/* The numbers that an import reads: of the constructor's call, and nested lists show in the
 * description, where Open MPI has joined blocks that touch. */
static float items_of(const opal_datatype_t *datatype)
{
    const int64_t items = dt_contents_items(datatype), described = (int64_t) datatype->desc.used;
    return (float) (items > described ? items : described);
}

/* Nanoseconds that DAME would save with a message. */
static float saves(const opal_datatype_t *datatype, size_t count, int64_t bytes)
{
    const float lines = bytes < DAME_STAGING_LEAST ? 0 : (float) (bytes / DAME_STAGING_LINE);
    return MESSAGE + BLOCK * blocks_of(datatype) * (float) count + LINE * lines;
}

dt_due_t dt_break_even(const opal_datatype_t *datatype, uint64_t fingerprint, size_t count,
                       int64_t bytes)
{
    const bool is_sample = bytes < DT_BREAK_EVEN_SHORT && !dt_break_even_looks_at_all;
    const float messages = is_sample ? DT_BREAK_EVEN_OF_SHORT : 1;
    const float items = items_of(datatype);
    saved_t saved;
    const bool has_place = lease(fingerprint, &saved);
    const bool known =
        (saved.mark & MISSED) == 0 && dame_layout_may_be_known(&dt_engine.layouts, fingerprint);
    const float cost = fixed != 0 ? (float) (known ? 1 : fixed)
                       : known    ? FIND + FIND_ITEM * items
                                  : IMPORT + IMPORT_ITEM * items;
    saved.amount += 0 != fixed ? 1 : messages * saves(datatype, count, bytes);
    const bool is_due = saved.amount >= cost;
    if (is_due) {
        saved.mark &= ~(uint32_t) LOW;
        saved.amount = known && fixed != 0 ? saved.amount - 1 : 0;
    }
    if (has_place) {
        store(fingerprint, saved);
    }
    return !is_due ? DT_DUE_NOTHING : known && fixed != 1 ? DT_DUE_LOOK : DT_DUE_IMPORT;
}
