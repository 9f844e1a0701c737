#include "sample.h"

#include <stdatomic.h>

#include "native.h"
#include "recent.h"
#include "table.h"

bool dt_sample_on;

enum {
    MOST_BYTES = 1 << 30,   /* of a fragment that the native engine is given */
    WINDOW = 128,           /* fragments that count */
    LARGE = 1 << 20,        /* bytes of a fragment from which on .. */
    LARGE_COUNTS = 5,       /* .. it counts as so many */
    LEAST = 12,             /* .. before the window may be found to take too much of the time */
    FREE_AGAIN = 128,       /* uses */
    WINDOW_SHARE = 256,     /* .. which is one part in so many */
    WARMING = 512,          /* fragments that do not count, at most */
    COLD = 4,               /* messages of a kind that a window begins with do not count .. */
    COLD_LONG = 1,          /* .. of those that have .. */
    ENOUGH = 8,             /* fragments of a tally that count */
    LONG = 16384,           /* .. so many bytes */
    CLOSING = 128,          /* fragments until messages under way are given up */
    FOLLOWED = 32,          /* messages that may be under way at the same time */
    SAMPLE_CLOCKS = 7,      /* a sample costs as much as so many readings of the clock */
    SHARE = 100,            /* one part in so many of the time is spent on reading clocks */
    NATIVE_SHARE = 32,      /* .. and by the native engine */
    LONGEST_INTERVAL = 512, /* fragments */
    /* From 5.0 on, the native engine makes mistakes behind the first fragment. */
    WHOLE_ONLY = OMPI_MAJOR_VERSION >= 5
};

/* Nanoseconds, of all threads. */
static _Atomic int64_t moving;    /* estimate of the time that DAME has taken */
static _Atomic int64_t on_native; /* time of native samples */
static int64_t clock_cost;        /* that every time includes */

/* A message that the native engine moves. Any of its fragments may as well be DAME's: all that
 * came before is in its place. */
typedef struct followed {
    const opal_convertor_t *convertor; /* NULL: unused */
    bool counts;
    uint64_t generation; /* of the table, when the message began */
    opal_convertor_t native;
} followed_t;

/* The window that is open. */
static struct {
    _Atomic(dt_thread_t *) owner; /* NULL: none is; all else is the owner's */
    uint32_t number;
    bool closes;       /* no more messages */
    int32_t left;      /* fragments that count; may end below 0 */
    int32_t left_cold; /* .. and that do not; while it closes, all */
    bool is_free;      /* its time does not count */
    int64_t ns;        /* that it has taken */
    int32_t under_way; /* messages */
    uint32_t next;     /* of `followed`, for the next message when all are in use */
    followed_t followed[FOLLOWED];
} window;

/* The message that `native` moves has ended, or is lost. */
static void end_message(followed_t *message)
{
    if (NULL != message->convertor) {
        dt_native_destruct(&message->native);
        message->convertor = NULL;
        window.under_way--;
    }
}

static void end_messages(void)
{
    for (int i = 0; i < FOLLOWED; i++) {
        end_message(&window.followed[i]);
    }
}

/* Also when the thread ends. */
static void leave_window(dt_thread_t *thread)
{
    if (thread->has_window) {
        end_messages();
        thread->has_window = false;
        thread->until_sample = 2; /* the next fragment finds DAME's code in the caches */
        thread->interval = 2;
        atomic_store_explicit(&window.owner, NULL, memory_order_release);
    }
}

/* In the child of a fork(): another thread's window is nobody's, and may be half changed. */
static void forget_owner(const dt_thread_t *thread)
{
    if (thread != atomic_load_explicit(&window.owner, memory_order_relaxed)) {
        for (int i = 0; i < FOLLOWED; i++) {
            window.followed[i].convertor = NULL;
        }
        window.under_way = 0;
        atomic_store_explicit(&window.owner, NULL, memory_order_relaxed);
    }
}

void dt_sample_start(bool on)
{
    enum { READINGS = 100 };
    dt_sample_on = on;
    dt_recent_samples = on;
    if (!on) {
        return;
    }
    dt_thread_at_end = leave_window;
    dt_thread_in_child = forget_owner;
    clock_cost = INT64_MAX;
    for (int i = 0; i < READINGS; i++) {
        const int64_t start = dt_now();
        const int64_t cost = dt_now() - start;
        clock_cost = cost < clock_cost ? cost : clock_cost;
    }
}

void dt_sample_stop(void)
{
    dt_thread_t *owner = atomic_load_explicit(&window.owner, memory_order_acquire);
    dt_sample_on = false;
    dt_thread_at_end = NULL;
    dt_thread_in_child = NULL;
    if (NULL != owner) {
        leave_window(owner);
    }
}

static int64_t without_clock(int64_t time)
{
    return time > clock_cost ? time - clock_cost : 0;
}

/* ---- DAME ----------------------------------------------------------------------------------- */

/* A random number of fragments, so that no pattern of messages is always met at the same place. */
static void choose_interval(dt_thread_t *thread, int64_t ns)
{
    int64_t mean = 1 + SAMPLE_CLOCKS * clock_cost * SHARE / (ns + 1);
    mean = mean < LONGEST_INTERVAL ? mean : LONGEST_INTERVAL;
    thread->random = thread->random * 1664525 + 1013904223;
    thread->interval = (int32_t) (1 + (thread->random >> 8) % (uint32_t) (2 * mean - 1));
    thread->until_sample = thread->interval;
}

void dt_sample_took(dt_thread_t *thread, dt_tally_t *tally, dt_work_t work, dt_tier_t tier,
                    int64_t time, int64_t bytes)
{
    const int64_t ns = without_clock(time);
    const int64_t passed = (int64_t) thread->interval - thread->until_sample; /* since the last */
    atomic_fetch_add_explicit(&moving, ns * passed, memory_order_relaxed);
    if (NULL != tally) {
        dt_moved_add(&tally->moved[work][tier], ns, bytes,
                     dt_tally_uses(tally, work) < DT_FIRST_SAMPLE);
    }
    choose_interval(thread, ns);
}

/* ---- Open MPI's own engine ------------------------------------------------------------------ */

/* Is a tally without a sample, or with too few of large fragments, which come one by one? */
static bool is_wanting(const dt_native_t *native)
{
    const uint64_t first = atomic_load_explicit(&native->samples.kept[0], memory_order_relaxed);
    return 0 == atomic_load_explicit(&native->samples.count, memory_order_relaxed) ||
           ((uint32_t) first >= LARGE && !dt_native_is_enough(native));
}

/* Is a window free, whatever it costs? The first of a tally is, since a poor estimate is better
 * than none; and, so that short runs are not known by their first messages only, one more. */
static bool is_free(const dt_native_t *native, int64_t use)
{
    return is_wanting(native) ||
           (use >= FREE_AGAIN &&
            atomic_load_explicit(&native->began, memory_order_relaxed) < FREE_AGAIN / 2);
}

/* May it take the time? Says which use is asked for next. */
static bool native_may(dt_native_t *native, bool free, int64_t use)
{
    atomic_store_explicit(&native->next, is_wanting(native) ? 2 * use : use + FREE_AGAIN + use / 64,
                          memory_order_relaxed);
    return free || atomic_load_explicit(&on_native, memory_order_relaxed) * NATIVE_SHARE <
                       atomic_load_explicit(&moving, memory_order_relaxed);
}

void dt_sample_open_window(dt_thread_t *thread, dt_tally_t *tally, dt_work_t work, int64_t use)
{
    dt_thread_t *nobody = NULL;
    dt_native_t *native = &tally->native[work];
    const bool free = is_free(native, use);
    if (!thread->ended && native_may(native, free, use) &&
        atomic_compare_exchange_strong(&window.owner, &nobody, thread)) {
        window.number++;
        window.closes = false;
        window.left = WINDOW;
        window.left_cold = WARMING;
        window.ns = 0;
        window.is_free = free;
        thread->has_window = true;
        thread->until_sample = INT32_MAX;
        dt_recent_end_grants(thread);
    }
}

/* The tally's work is met in this window. */
static dt_native_t *enter(dt_tally_t *tally, dt_work_t work)
{
    dt_native_t *native = &tally->native[work];
    if (native->window != window.number) {
        native->window = window.number;
        native->seen = 0;
        atomic_store_explicit(&native->began, (uint32_t) dt_tally_uses(tally, work),
                              memory_order_relaxed);
    }
    return native;
}

/* A message of so many bytes begins: does it count? The first of their kind find the datatype's
 * description, the data and the engine's predictions colder than without DAME. */
static bool message_counts(dt_tally_t *tally, dt_work_t work, size_t bytes)
{
    return NULL != tally && ++enter(tally, work)->seen > (bytes < LONG ? COLD : COLD_LONG);
}

/* What does not count is better than nothing: until there is enough that does. */
static void keep(dt_tally_t *tally, dt_work_t work, bool counts, int64_t ns, size_t bytes)
{
    if (NULL == tally) {
        return;
    }
    dt_native_t *native = &tally->native[work];
    native->warm += counts;
    if (counts || (native->warm < ENOUGH && WARMING - window.left_cold >= COLD)) {
        dt_native_add(native, ns, (int64_t) bytes);
    }
}

/* A fragment has passed, of which the native engine may have moved `bytes`, and taken `ns`. */
static void pass(dt_thread_t *thread, size_t bytes, bool counts, int64_t ns)
{
    const bool is_moved = bytes > 0;
    dt_stats_add(&thread->stats.count[DT_COUNT_fragments_sampled], is_moved);
    window.ns += ns;
    atomic_fetch_add_explicit(&on_native, window.is_free ? 0 : ns, memory_order_relaxed);
    window.left -= !counts ? 0 : bytes < LARGE ? 1 : LARGE_COUNTS;
    window.left_cold -= !counts || window.closes;
    const bool dear =
        window.left < WINDOW - LEAST &&
        window.ns * WINDOW_SHARE > atomic_load_explicit(&moving, memory_order_relaxed);
    if (!window.closes && (window.left <= 0 || 0 == window.left_cold || dear)) {
        window.closes = true;
        window.left_cold = CLOSING;
    }
    if (window.closes && (0 == window.under_way || window.left_cold <= 0)) {
        leave_window(thread);
    }
}

/* May the native engine be stopped, or started, behind so many bytes of a message? Some releases
 * lose track of basic elements that are cut. */
static bool is_between_elements(const opal_convertor_t *convertor, size_t position)
{
    dt_native_mark_t mark = {.item = NULL};
    return 0 == position || position >= convertor->local_size ||
           dt_native_boundary(convertor, position, &mark) == position;
}

/* The first that is unused, so that it is in the caches as a request's convertor is. When all are
 * in use, one of a message that may be lost. */
static followed_t *unused(void)
{
    for (int i = 0; i < FOLLOWED && window.under_way < FOLLOWED; i++) {
        if (NULL == window.followed[i].convertor) {
            return &window.followed[i];
        }
    }
    followed_t *message = &window.followed[window.next++ % FOLLOWED];
    end_message(message);
    return message;
}

/* The native engine begins with a message where the convertor stands. NULL: it does not. */
static followed_t *follow(dt_tally_t *tally, const opal_convertor_t *convertor, dame_dir_t dir)
{
    if (window.closes || !is_between_elements(convertor, convertor->bConverted)) {
        return NULL;
    }
    followed_t *message = unused();
    (void) dt_native_construct(&message->native, convertor, DAME_PACK == dir,
                               convertor->bConverted);
    message->convertor = convertor;
    message->generation = dt_table_generation();
    message->counts = 0 == convertor->bConverted
                          ? message_counts(tally, (dt_work_t) dir, convertor->local_size)
                          : NULL != tally && enter(tally, (dt_work_t) dir)->seen > 0;
    window.under_way++;
    return message;
}

/* Does `native` stand where the convertor does? */
static bool fits(const followed_t *message, const opal_convertor_t *convertor, dame_dir_t dir)
{
    const opal_convertor_t *native = &message->native;
    return message->generation == dt_table_generation() && native->pDesc == convertor->pDesc &&
           native->bConverted == convertor->bConverted && native->pBaseBuf == convertor->pBaseBuf &&
           native->count == convertor->count &&
           (DAME_PACK == dir) == (0 != (native->flags & CONVERTOR_SEND));
}

/* The message whose next fragment it is; NULL: the native engine has not moved it up to there. */
static followed_t *find(const opal_convertor_t *convertor, dame_dir_t dir)
{
    for (int32_t i = 0, left = window.under_way; left > 0; i++) {
        followed_t *message = &window.followed[i];
        left -= NULL != message->convertor;
        if (convertor == message->convertor) {
            if (fits(message, convertor, dir)) {
                return message;
            }
            end_message(message);
        }
    }
    return NULL;
}

/* May the native engine move this fragment? */
static bool is_native(const opal_convertor_t *convertor, dame_dir_t dir, const struct iovec *iov,
                      uint32_t n)
{
    return 1 == n && NULL != iov->iov_base && iov->iov_len > 0 &&
           (iov->iov_len <= MOST_BYTES || convertor->local_size <= MOST_BYTES) &&
           (!WHOLE_ONLY || (0 == convertor->bConverted && iov->iov_len >= convertor->local_size)) &&
           (DAME_PACK == dir ||
            is_between_elements(convertor, convertor->bConverted + iov->iov_len));
}

bool dt_sample_by_native(dt_thread_t *thread, dt_entry_t *entry, const opal_convertor_t *convertor,
                         dame_dir_t dir, struct iovec *iov, uint32_t n, size_t *bytes)
{
    const int64_t begun = dt_now();
    dt_tally_t *tally = dt_entry_tally(entry);
    followed_t *message = NULL;
    if (is_native(convertor, dir, iov, n)) {
        message = find(convertor, dir);
        message = NULL == message && dt_native_is_trusted(entry, convertor)
                      ? follow(tally, convertor, dir)
                      : message;
    }
    if (NULL == message) {
        pass(thread, 0, false, 0);
        return false;
    }
    const bool counts = message->counts;
    const size_t left = convertor->local_size - convertor->bConverted;
    const size_t most = iov->iov_len < left ? iov->iov_len : left;
    struct iovec piece = *iov;
    uint32_t used = 1;
    const int64_t start = dt_now();
    if (DAME_PACK == dir) {
        (void) opal_convertor_pack(&message->native, &piece, &used, bytes);
    } else {
        (void) opal_convertor_unpack(&message->native, &piece, &used, bytes);
    }
    const int64_t ns = without_clock(dt_now() - start);
    const bool is_done = DAME_PACK == dir ? *bytes > 0 : *bytes == most;
    if (!is_done || *bytes == left || WHOLE_ONLY) {
        end_message(message);
    }
    if (is_done) {
        iov->iov_len = *bytes;
        keep(tally, (dt_work_t) dir, counts, ns, *bytes);
    }
    const int64_t spent = dt_now() - begun;
    pass(thread, is_done ? *bytes : 0, counts, spent);
    return is_done;
}

bool dt_sample_copy_by_native(dt_thread_t *thread, dt_tally_t *tally,
                              const opal_datatype_t *datatype, int32_t count, char *to,
                              const char *from)
{
    const size_t bytes = datatype->size * (size_t) count;
    if (window.closes || bytes > MOST_BYTES) {
        pass(thread, 0, false, 0);
        return false;
    }
    const bool counts = message_counts(tally, DT_COPY, bytes);
    const int64_t start = dt_now();
    (void) opal_datatype_copy_content_same_ddt(datatype, count, to, (char *) (uintptr_t) from);
    const int64_t ns = without_clock(dt_now() - start);
    keep(tally, DT_COPY, counts, ns, bytes);
    pass(thread, bytes, counts, dt_now() - start);
    return true;
}
