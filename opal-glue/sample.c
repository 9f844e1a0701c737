#include "sample.h"

#include <stdatomic.h>

#include "native.h"

bool dt_sample_on;

enum {
    MOST_BYTES = 1 << 20,  /* of a fragment that the native engine is given */
    FEW_BYTES = 1 << 10,   /* that it is given before, untimed */
    FEW_SAMPLES = 4,       /* of the native engine, whatever they cost */
    SHARE = 100,           /* one part in so many of the time is spent on samples */
    LONGEST_INTERVAL = 256 /* fragments */
};

/* Nanoseconds, of all threads. */
static _Atomic int64_t moving;    /* estimate of the time that DAME has taken */
static _Atomic int64_t on_native; /* time of native samples */
static int64_t clock_cost;        /* that every time includes */

void dt_sample_start(bool on)
{
    enum { READINGS = 100 };
    dt_sample_on = on;
    if (!on) {
        return;
    }
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
}

static int64_t elapsed(int64_t start)
{
    const int64_t ns = dt_now() - start - clock_cost;
    return ns > 0 ? ns : 0;
}

/* A random number of fragments, so that no pattern of messages is always met at the same place. */
static void choose_interval(dt_thread_t *thread, int64_t ns)
{
    int64_t mean = 1 + 2 * clock_cost * SHARE / (ns + 1);
    mean = mean < LONGEST_INTERVAL ? mean : LONGEST_INTERVAL;
    thread->random = thread->random * 1664525 + 1013904223;
    thread->interval = (int32_t) (1 + (thread->random >> 8) % (uint32_t) (2 * mean - 1));
    thread->until_sample = thread->interval;
}

void dt_sample_took(dt_thread_t *thread, dt_tally_t *tally, dt_work_t work, bool compiled,
                    int64_t start, int64_t bytes)
{
    const int64_t ns = elapsed(start);
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
    atomic_store_explicit(&tally->next_native[work], taken < FEW_SAMPLES ? 2 * use : use + use / 4,
                          memory_order_relaxed);
    return taken < FEW_SAMPLES || atomic_load_explicit(&on_native, memory_order_relaxed) * SHARE <
                                      atomic_load_explicit(&moving, memory_order_relaxed);
}

static void keep(dt_thread_t *thread, dt_tally_t *tally, dt_work_t work, int64_t ns, int64_t bytes)
{
    dt_samples_add(&tally->native[work], ns, bytes);
    atomic_fetch_add_explicit(&on_native, ns, memory_order_relaxed);
    thread->until_sample = 2; /* the next fragment finds its data in the caches */
    thread->interval = 2;
}

/* Moves the first bytes, at most `length`. Returns the nanoseconds it took, and how many there
 * were. */
static int64_t time_native(const opal_convertor_t *convertor, dame_dir_t dir, char *packed,
                           size_t length, int64_t *moved)
{
    opal_convertor_t native;
    struct iovec iov = {.iov_base = packed, .iov_len = length};
    uint32_t n = 1;
    size_t bytes = 0;
    (void) dt_native_construct(&native, convertor, DAME_PACK == dir, 0);
    const int64_t start = dt_now();
    if (DAME_PACK == dir) {
        (void) opal_convertor_pack(&native, &iov, &n, &bytes);
    } else {
        (void) opal_convertor_unpack(&native, &iov, &n, &bytes);
    }
    const int64_t ns = elapsed(start);
    dt_native_destruct(&native);
    *moved = (int64_t) bytes;
    return ns;
}

/* The bytes of the fragment's first `most` that end with a whole basic element. */
static size_t whole_elements(const opal_convertor_t *convertor, size_t room, size_t most)
{
    dt_native_mark_t mark = {.item = NULL};
    size_t length = room < most ? room : most;
    return length < convertor->local_size ? dt_native_boundary(convertor, length, &mark)
                                          : convertor->local_size;
}

bool dt_sample_native(dt_thread_t *thread, dt_tally_t *tally, int64_t use,
                      const opal_convertor_t *convertor, dame_dir_t dir, const struct iovec *iov)
{
    int64_t bytes;
    if (!native_may(tally, (dt_work_t) dir, use)) {
        return false;
    }
    const size_t few = whole_elements(convertor, iov->iov_len, FEW_BYTES);
    const size_t all = whole_elements(convertor, iov->iov_len, MOST_BYTES);
    if (few > 0) { /* its code has not been run for a long time */
        (void) time_native(convertor, dir, iov->iov_base, few, &bytes);
    }
    if (all > 0) {
        const int64_t ns = time_native(convertor, dir, iov->iov_base, all, &bytes);
        if (bytes > 0) {
            keep(thread, tally, (dt_work_t) dir, ns, bytes);
        }
    }
    return few > 0 || all > 0;
}

void dt_sample_native_copy(dt_thread_t *thread, dt_tally_t *tally, int64_t use,
                           const opal_datatype_t *datatype, int32_t count, char *to,
                           const char *from)
{
    if (!native_may(tally, DT_COPY, use)) {
        return;
    }
    const int64_t start = dt_now();
    (void) opal_datatype_copy_content_same_ddt(datatype, count, to, (char *) (uintptr_t) from);
    keep(thread, tally, DT_COPY, elapsed(start), (int64_t) datatype->size * count);
}
