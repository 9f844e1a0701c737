/* SPDX-License-Identifier: BSD-3-Clause */
#include "sample.h"

#include <stdatomic.h>

#include "native.h"
#include "engine/credit.h"
#include "base/lock.h"
#include "opal-glue/table.h"

enum {
    MOST_BYTES = 1 << 30, /* of a fragment that the native engine is given */
    PROBE = 128,          /* fragments that count */
    LARGE = 1 << 20,      /* bytes of a fragment from which on .. */
    LARGE_COUNTS = 5,     /* .. it counts as LARGE_COUNTS fragments */
    LEAST = 12,           /* .. before the probe may be found to take too much of the time */
    FREE_AGAIN = 128,     /* uses */
    PROBE_SHARE = 256,    /* .. the probe may use 1/256 of the moving time */
    WARMING = 512,        /* fragments that do not count, at most */
    COLD = 4,             /* first messages of a kind in a probe, which do not count */
    COLD_LONG = 1,        /* .. if they have LONG bytes and more */
    ENOUGH = 8,           /* fragments of a tally that count */
    LONG = 16384,         /* bytes */
    CLOSING = 128,        /* fragments until messages under way are given up */
    FOLLOWED = 32,        /* messages that may be in flight at the same time */
    NATIVE_SHARE = 32,    /* the native engine may use 1/32 of the time */
    /* From 5.0 on, the native engine moves wrong bytes after the first fragment. */
    FIRST_ONLY = OMPI_MAJOR_VERSION >= 5 /* the first fragment begins as a whole message does */
};

/* A handler of a signal may jump out of a fragment, which leaves `native` somewhere inside it. */
#define UNKNOWN UINT64_MAX

static _Atomic int64_t on_native; /* nanoseconds of native samples, of all threads */

/* A message that the native engine moves. Any of its fragments may as well be DAME's: all that
 * came before is in its place. */
typedef struct native_message {
    const opal_convertor_t *convertor; /* NULL: unused */
    bool counts;
    uint64_t generation; /* of the table, when the message began; UNKNOWN while a fragment moves */
    opal_convertor_t native;
} native_message_t;

/* The probe that is open. */
static struct {
    _Atomic(dt_thread_t *) owner; /* NULL: no probe is open; the owner alone uses the other
                                     fields */
    uint32_t number;
    bool closes;       /* no more messages */
    int32_t to_count;  /* fragments; may end below 0 */
    int32_t to_skip;   /* fragments that do not count; while it closes, all */
    bool is_free;      /* its time does not count */
    int64_t ns;        /* that it has taken */
    int32_t under_way; /* messages */
    uint32_t next;     /* of `followed`, for the next message when all are in use */
    native_message_t followed[FOLLOWED];
} probe;

/* The message that `native` moves has ended, or is lost. */
static void end_message(native_message_t *message)
{
    if (message->convertor != NULL) {
        dt_native_destruct(&message->native);
        message->convertor = NULL;
        probe.under_way--;
    }
}

static void end_messages(void)
{
    for (int i = 0; i < FOLLOWED; i++) {
        end_message(&probe.followed[i]);
    }
}

/* Also when the thread ends; then DAME_LOCK_THREADS is held. */
static void leave_probe(dame_thread_t *base)
{
    dt_thread_t *thread = (dt_thread_t *) base; /* its first member */
    if (thread->has_probe) {
        end_messages();
        thread->has_probe = false;
        base->until_sample = 2; /* the next fragment finds DAME's code in the caches */
        base->interval = 2;
        atomic_store_explicit(&probe.owner, NULL, memory_order_release);
    }
}

/* In the child of a fork(): another thread's probe has no owner there, and may be half changed. */
static void forget_owner(void *unused, dame_thread_t *thread)
{
    (void) unused;
    if ((dt_thread_t *) thread != atomic_load_explicit(&probe.owner, memory_order_relaxed)) {
        for (int i = 0; i < FOLLOWED; i++) {
            probe.followed[i].convertor = NULL;
        }
        probe.under_way = 0;
        atomic_store_explicit(&probe.owner, NULL, memory_order_relaxed);
    }
}

/* Threads may end at the same time. */
void dt_sample_start(void)
{
    if (dt_engine.timing.on) {
        dame_lock(DAME_LOCK_THREADS);
        dt_engine.threads.at_end = leave_probe;
        dt_engine.threads.in_child = forget_owner;
        dame_unlock(DAME_LOCK_THREADS);
    }
}

void dt_sample_stop(void)
{
    dame_lock(DAME_LOCK_THREADS);
    dt_thread_t *owner = atomic_load_explicit(&probe.owner, memory_order_acquire);
    dt_engine.threads.at_end = NULL;
    dt_engine.threads.in_child = NULL;
    if (owner != NULL) {
        leave_probe(&owner->base);
    }
    dame_unlock(DAME_LOCK_THREADS);
}

/* ---- Open MPI's own engine ------------------------------------------------------------------ */

/* Returns whether a tally is without a sample, or has too few of large fragments, which come one by
 * one. */
static bool is_wanting(const dame_native_t *native)
{
    const uint64_t first = atomic_load_explicit(&native->samples.kept[0], memory_order_relaxed);
    return atomic_load_explicit(&native->samples.count, memory_order_relaxed) == 0 ||
           ((uint32_t) first >= LARGE && !dame_native_is_enough(native));
}

/* Returns whether a probe is free, whatever it costs. The first of a tally is, since a poor
 * estimate is better than none; and, so that short runs are not known by their first messages only,
 * one more. */
static bool is_free(const dame_native_t *native, int64_t use)
{
    return is_wanting(native) ||
           (use >= FREE_AGAIN &&
            atomic_load_explicit(&native->began, memory_order_relaxed) < FREE_AGAIN / 2);
}

/* Returns whether the probe may take the time. Says which use is asked for next. */
static bool native_may(dame_native_t *native, bool free, int64_t use)
{
    atomic_store_explicit(&native->next, is_wanting(native) ? 2 * use : use + FREE_AGAIN + use / 64,
                          memory_order_relaxed);
    return free || atomic_load_explicit(&on_native, memory_order_relaxed) * NATIVE_SHARE <
                       atomic_load_explicit(&dt_engine.timing.moving, memory_order_relaxed);
}

void dt_sample_open_probe(dt_thread_t *thread, dame_tally_t *tally, dame_work_t work, int64_t use)
{
    dt_thread_t *nobody = NULL;
    dame_native_t *native = &tally->times->native[work];
    const bool free = is_free(native, use);
    /* listed: its end will be noticed, or else the probe would be its for ever */
    if (thread->base.cells.listed && native_may(native, free, use) &&
        atomic_compare_exchange_strong(&probe.owner, &nobody, thread)) {
        probe.number++;
        probe.closes = false;
        probe.to_count = PROBE;
        probe.to_skip = WARMING;
        probe.ns = 0;
        probe.is_free = free;
        thread->has_probe = true;
        thread->base.until_sample = INT32_MAX;
        dame_credit_end_all(&thread->base);
    }
}

/* The tally's work is met in this probe. */
static dame_native_t *enter_tally(dame_tally_t *tally, dame_work_t work)
{
    dame_native_t *native = &tally->times->native[work];
    if (native->probe != probe.number) {
        native->probe = probe.number;
        native->seen = 0;
        atomic_store_explicit(&native->began, (uint32_t) dame_tally_uses(tally, work),
                              memory_order_relaxed);
    }
    return native;
}

/* A message of `bytes` bytes begins: does it count? The first of their kind find the datatype's
 * description, the data and the engine's predictions colder than without DAME. */
static bool message_counts(dame_tally_t *tally, dame_work_t work, size_t bytes)
{
    return tally != NULL && ++enter_tally(tally, work)->seen > (bytes < LONG ? COLD : COLD_LONG);
}

/* What does not count is better than nothing: until there is enough that does. */
static void keep_sample(dame_tally_t *tally, dame_work_t work, bool counts, int64_t ns,
                        size_t bytes)
{
    if (tally == NULL) {
        return;
    }
    dame_native_t *native = &tally->times->native[work];
    native->warm += counts;
    if (counts || (native->warm < ENOUGH && WARMING - probe.to_skip >= COLD)) {
        dame_native_add(native, ns, (int64_t) bytes);
    }
}

/* Counts a fragment. The native engine moved `bytes` of it, or 0, in `ns`. */
static void pass(dt_thread_t *thread, size_t bytes, bool counts, int64_t ns)
{
    const bool is_moved = bytes > 0;
    dt_thread_add(thread, DT_COUNT_fragments_sampled, is_moved);
    probe.ns += ns;
    atomic_fetch_add_explicit(&on_native, probe.is_free ? 0 : ns, memory_order_relaxed);
    probe.to_count -= !counts ? 0 : bytes < LARGE ? 1 : LARGE_COUNTS;
    probe.to_skip -= !counts || probe.closes;
    const bool over_budget = probe.to_count < PROBE - LEAST &&
                             probe.ns * PROBE_SHARE > atomic_load_explicit(&dt_engine.timing.moving,
                                                                           memory_order_relaxed);
    if (!probe.closes && (probe.to_count <= 0 || probe.to_skip == 0 || over_budget)) {
        probe.closes = true;
        probe.to_skip = CLOSING;
    }
    if (probe.closes && (probe.under_way == 0 || probe.to_skip <= 0)) {
        leave_probe(&thread->base);
    }
}

/* Returns whether the native engine may stop or start after `position` bytes of a message. Some
 * releases lose track of basic elements that are cut. */
static bool is_between_elements(const opal_convertor_t *convertor, size_t position)
{
    dt_native_mark_t mark = {.item = NULL};
    return position == 0 || position >= convertor->local_size ||
           dt_native_boundary(convertor, position, &mark) == position;
}

/* The first that is unused, so that it is in the caches as a request's convertor is. When all are
 * in use, one of a message that may be lost. */
static native_message_t *unused(void)
{
    for (int i = 0; i < FOLLOWED && probe.under_way < FOLLOWED; i++) {
        if (probe.followed[i].convertor == NULL) {
            return &probe.followed[i];
        }
    }
    native_message_t *message = &probe.followed[probe.next++ % FOLLOWED];
    end_message(message);
    return message;
}

/* The native engine begins with a message where the convertor stands. NULL: it does not. */
static native_message_t *follow(dame_tally_t *tally, const opal_convertor_t *convertor,
                                dame_dir_t dir)
{
    if (probe.closes || !is_between_elements(convertor, convertor->bConverted)) {
        return NULL;
    }
    native_message_t *message = unused();
    (void) dt_native_construct(&message->native, convertor, dir == DAME_PACK,
                               convertor->bConverted);
    message->convertor = convertor;
    message->generation = dt_table_generation();
    message->counts = convertor->bConverted == 0
                          ? message_counts(tally, (dame_work_t) dir, convertor->local_size)
                          : tally != NULL && enter_tally(tally, (dame_work_t) dir)->seen > 0;
    probe.under_way++;
    return message;
}

/* Returns whether `native` stands where the convertor does. */
static bool fits_convertor(const native_message_t *message, const opal_convertor_t *convertor,
                           dame_dir_t dir)
{
    const opal_convertor_t *native = &message->native;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): callers have one */
    return message->generation == dt_table_generation() && native->pDesc == convertor->pDesc &&
           native->bConverted == convertor->bConverted && native->pBaseBuf == convertor->pBaseBuf &&
           native->count == convertor->count &&
           (dir == DAME_PACK) == ((native->flags & CONVERTOR_SEND) != 0);
}

/* The message of this fragment; NULL: the native engine has not moved it up to there. */
static native_message_t *find_message(const opal_convertor_t *convertor, dame_dir_t dir)
{
    for (int32_t i = 0, left = probe.under_way; left > 0; i++) {
        native_message_t *message = &probe.followed[i];
        left -= NULL != message->convertor;
        if (convertor == message->convertor) {
            if (fits_convertor(message, convertor, dir)) {
                return message;
            }
            end_message(message);
        }
    }
    return NULL;
}

/* Returns whether the native engine may move this fragment. */
static bool is_native(const opal_convertor_t *convertor, dame_dir_t dir, const struct iovec *iov,
                      uint32_t n)
{
    return n == 1 && iov->iov_base != NULL && iov->iov_len > 0 &&
           (iov->iov_len <= MOST_BYTES || convertor->local_size <= MOST_BYTES) &&
           (!FIRST_ONLY || convertor->bConverted == 0) &&
           (dir == DAME_PACK ||
            is_between_elements(convertor, convertor->bConverted + iov->iov_len));
}

bool dt_sample_by_native(dt_thread_t *thread, dt_entry_t *entry, const opal_convertor_t *convertor,
                         dame_dir_t dir, struct iovec *iov, uint32_t n, size_t *bytes)
{
    const int64_t begun = dame_ns_now();
    dame_tally_t *tally = dame_tally_of(&entry->use);
    native_message_t *message = NULL;
    if (is_native(convertor, dir, iov, n)) {
        message = find_message(convertor, dir);
        message = message == NULL && dt_native_is_trusted(entry, convertor)
                      ? follow(tally, convertor, dir)
                      : message;
    }
    if (message == NULL) {
        pass(thread, 0, false, 0);
        return false;
    }
    const bool counts = message->counts;
    const uint64_t generation = message->generation;
    const size_t left = convertor->local_size - convertor->bConverted;
    const size_t most = iov->iov_len < left ? iov->iov_len : left;
    struct iovec piece = *iov;
    uint32_t used = 1;
    const int64_t start = dame_ns_now();
    message->generation = UNKNOWN;
    if (dir == DAME_PACK) {
        (void) opal_convertor_pack(&message->native, &piece, &used, bytes);
    } else {
        (void) opal_convertor_unpack(&message->native, &piece, &used, bytes);
    }
    message->generation = generation;
    const int64_t ns = dame_timing_net(&dt_engine.timing, dame_ns_now() - start);
    const bool is_done = dir == DAME_PACK ? *bytes > 0 : *bytes == most;
    if (!is_done || *bytes == left || FIRST_ONLY) {
        end_message(message);
    }
    if (is_done) {
        iov->iov_len = *bytes;
        keep_sample(tally, (dame_work_t) dir, counts, ns, *bytes);
    }
    const int64_t spent = dame_ns_now() - begun;
    pass(thread, is_done ? *bytes : 0, counts, spent);
    return is_done;
}

bool dt_sample_copy_by_native(dt_thread_t *thread, dame_tally_t *tally,
                              const opal_datatype_t *datatype, int32_t count, char *to,
                              const char *from)
{
    const size_t bytes = datatype->size * (size_t) count;
    if (probe.closes || bytes > MOST_BYTES) {
        pass(thread, 0, false, 0);
        return false;
    }
    const bool counts = message_counts(tally, DAME_WORK_COPY, bytes);
    const int64_t start = dame_ns_now();
    dt_native_copy(datatype, count, to, from);
    const int64_t ns = dame_timing_net(&dt_engine.timing, dame_ns_now() - start);
    keep_sample(tally, DAME_WORK_COPY, counts, ns, bytes);
    pass(thread, bytes, counts, dame_ns_now() - start);
    return true;
}
