#include "sample.h"

#include <stdatomic.h>

#include "native.h"
#include "table.h"

bool dt_sample_on;

enum {
    MOST_BYTES = 1 << 20,   /* of a fragment that the native engine is given */
    WINDOW = 32,            /* fragments */
    SAMPLE_CLOCKS = 6,      /* a sample costs as much as so many readings of the clock */
    COLD = 2,               /* fragments of a kind of work in a window that are not counted */
    FEW_SAMPLES = 4,        /* of a tally, whatever they cost */
    SHARE = 100,            /* one part in so many of the time is spent on reading clocks */
    NATIVE_SHARE = 32,      /* .. and on the native engine: less than 1 % of a message's time */
    LONGEST_INTERVAL = 256, /* fragments */
    /* From 5.0 on, the native engine makes mistakes behind the first fragment. */
    FIRST_ONLY = OMPI_MAJOR_VERSION >= 5
};

/* Nanoseconds, of all threads. */
static _Atomic int64_t moving;    /* estimate of the time that DAME has taken */
static _Atomic int64_t on_native; /* time of native samples */
static int64_t clock_cost;        /* that every time includes */

/* The window that is open. */
static struct {
    _Atomic(dt_thread_t *) owner;   /* NULL: none is; all else is the owner's */
    int32_t fragments[DT_WORKS];    /* that the native engine has moved */
    const opal_datatype_t *follows; /* of the message that `native` can go on with; NULL: none */
    uint64_t generation;            /* of the table, when that message began */
    opal_convertor_t native;
} window;

/* The message that `native` moves has ended, or is lost. */
static void end_message(void)
{
    if (NULL != window.follows) {
        dt_native_destruct(&window.native);
        window.follows = NULL;
    }
}

/* Also when the thread ends. */
static void leave_window(dt_thread_t *thread)
{
    if (thread->window > 0) {
        end_message();
        thread->window = 0;
        atomic_store_explicit(&window.owner, NULL, memory_order_release);
    }
}

void dt_sample_start(bool on)
{
    enum { READINGS = 100 };
    dt_sample_on = on;
    if (!on) {
        return;
    }
    dt_thread_at_end = leave_window;
    clock_cost = INT64_MAX;
    for (int i = 0; i < READINGS; i++) {
        const int64_t start = dt_now();
        const int64_t cost = dt_now() - start;
        clock_cost = cost < clock_cost ? cost : clock_cost;
    }
}

void dt_sample_stop(void)
{
    dt_sample_on = false;
    dt_thread_at_end = NULL;
    end_message();
    atomic_store_explicit(&window.owner, NULL, memory_order_relaxed);
}

static int64_t elapsed(int64_t start)
{
    const int64_t ns = dt_now() - start - clock_cost;
    return ns > 0 ? ns : 0;
}

/* A random number of fragments, so that no pattern of messages is always met at the same place. */
static void choose_interval(dt_thread_t *thread, int64_t ns)
{
    int64_t mean = 1 + SAMPLE_CLOCKS * clock_cost * SHARE / (ns + 1);
    mean = mean < LONGEST_INTERVAL ? mean : LONGEST_INTERVAL;
    thread->random = thread->random * 1664525 + 1013904223;
    thread->interval = (int32_t) (1 + (thread->random >> 8) % (uint32_t) (2 * mean - 1));
    thread->until_sample = thread->interval;
}

static void close_window(dt_thread_t *thread)
{
    leave_window(thread);
    thread->until_sample = 2; /* the next fragment finds its data in the caches */
    thread->interval = 2;
}

void dt_sample_took(dt_thread_t *thread, dt_tally_t *tally, dt_work_t work, bool compiled,
                    int64_t start, int64_t bytes)
{
    const int64_t ns = elapsed(start);
    if (thread->window > 0) {
        if (1 == thread->window) {
            close_window(thread);
        } else {
            thread->window--;
        }
        return;
    }
    atomic_fetch_add_explicit(&moving, ns * thread->interval, memory_order_relaxed);
    if (NULL != tally) {
        dt_samples_add(&tally->moved[work][compiled].samples, ns, bytes);
    }
    choose_interval(thread, ns);
}

/* ---- Open MPI's own engine ------------------------------------------------------------------ */

/* May it take the time? Says which use is asked for next. */
static bool native_may(dt_tally_t *tally, dt_work_t work, int64_t use)
{
    const uint32_t taken = atomic_load_explicit(&tally->native[work].count, memory_order_relaxed);
    atomic_store_explicit(&tally->next_native[work],
                          taken < FEW_SAMPLES ? 2 * use : use + WINDOW + use / 64,
                          memory_order_relaxed);
    return taken < FEW_SAMPLES ||
           atomic_load_explicit(&on_native, memory_order_relaxed) * NATIVE_SHARE <
               atomic_load_explicit(&moving, memory_order_relaxed);
}

void dt_sample_open_window(dt_thread_t *thread, dt_tally_t *tally, dt_work_t work, int64_t use)
{
    dt_thread_t *nobody = NULL;
    if (native_may(tally, work, use) &&
        atomic_compare_exchange_strong(&window.owner, &nobody, thread)) {
        for (int i = 0; i < DT_WORKS; i++) {
            window.fragments[i] = 0;
        }
        thread->window = WINDOW;
        thread->until_sample = 0;
    }
}

static void keep(dt_tally_t *tally, dt_work_t work, int64_t ns, int64_t bytes)
{
    if (++window.fragments[work] > COLD && NULL != tally && bytes > 0) {
        dt_samples_add(&tally->native[work], ns, bytes);
    }
}

/* Makes `native` ready for a fragment. False: it cannot move it. The message that opened the window
 * is none that it would be fair to begin with: the native engine has not seen its datatype lately.
 */
static bool is_ready(const dt_thread_t *thread, const opal_convertor_t *convertor, dame_dir_t dir)
{
    const opal_convertor_t *native = &window.native;
    if (0 == convertor->bConverted && thread->window < WINDOW) {
        end_message();
        (void) dt_native_construct(&window.native, convertor, DAME_PACK == dir, 0);
        window.follows = convertor->pDesc;
        window.generation = dt_table_generation();
        return true;
    }
    return window.follows == convertor->pDesc && window.generation == dt_table_generation() &&
           native->bConverted == convertor->bConverted && native->pBaseBuf == convertor->pBaseBuf &&
           native->count == convertor->count &&
           (DAME_PACK == dir) == (0 != (native->flags & CONVERTOR_SEND));
}

/* The bytes of the fragment that end with a whole basic element. */
static size_t whole_elements(const opal_convertor_t *convertor, size_t bytes)
{
    dt_native_mark_t mark = {.item = NULL};
    const size_t end = convertor->bConverted + bytes;
    return end < convertor->local_size
               ? dt_native_boundary(convertor, end, &mark) - convertor->bConverted
               : convertor->local_size - convertor->bConverted;
}

/* The native engine moves the fragment. */
static void compare(const opal_convertor_t *convertor, dame_dir_t dir, const struct iovec *iov)
{
    const size_t room = iov->iov_len < MOST_BYTES ? iov->iov_len : MOST_BYTES;
    struct iovec piece = {.iov_base = iov->iov_base, .iov_len = whole_elements(convertor, room)};
    uint32_t n = 1;
    size_t bytes = 0;
    if (0 == piece.iov_len) {
        return;
    }
    const int64_t start = dt_now();
    if (DAME_PACK == dir) {
        (void) opal_convertor_pack(&window.native, &piece, &n, &bytes);
    } else {
        (void) opal_convertor_unpack(&window.native, &piece, &n, &bytes);
    }
    const int64_t ns = elapsed(start);
    keep(dt_entry_tally(dt_table_get(convertor->pDesc)), (dt_work_t) dir, ns, (int64_t) bytes);
}

/* All that the window takes, also what is not part of a sample. Returns dt_now(). */
static int64_t spent_since(int64_t start)
{
    const int64_t now = dt_now();
    atomic_fetch_add_explicit(&on_native, now - start, memory_order_relaxed);
    return now;
}

int64_t dt_sample_begin(dt_thread_t *thread, const opal_convertor_t *convertor, dame_dir_t dir,
                        const struct iovec *iov, uint32_t n)
{
    const int64_t start = dt_now();
    if (0 == thread->window) {
        return start;
    }
    if (n > 0 && is_ready(thread, convertor, dir)) {
        compare(convertor, dir, iov);
    }
    if (n != 1 || FIRST_ONLY) {
        end_message();
    }
    return spent_since(start);
}

int64_t dt_sample_begin_copy(dt_thread_t *thread, dt_tally_t *tally,
                             const opal_datatype_t *datatype, int32_t count, char *to,
                             const char *from)
{
    const int64_t start = dt_now();
    if (0 == thread->window) {
        return start;
    }
    (void) opal_datatype_copy_content_same_ddt(datatype, count, to, (char *) (uintptr_t) from);
    keep(tally, DT_COPY, elapsed(start), (int64_t) datatype->size * count);
    return spent_since(start);
}
