#include "sample.h"

#include <stdatomic.h>

#include "dame/heap.h"
#include "native.h"
#include "opal/datatype/opal_datatype.h"

bool dt_sample_on;

enum {
    MOST_BYTES = 1 << 20,  /* of a message that the native engine is given */
    FEW_SAMPLES = 4,       /* of the native engine, whatever they cost */
    SHARE = 100,           /* one part in so many of the time is spent on samples */
    LONGEST_INTERVAL = 256 /* fragments */
};

/* Nanoseconds, of all threads. */
static _Atomic int64_t moving;    /* estimate of the time that DAME has taken */
static _Atomic int64_t on_native; /* time of native samples */
static int64_t clock_cost;        /* that every time includes */

/* The holder may use the memory that native samples pack into. */
static atomic_flag busy = ATOMIC_FLAG_INIT;
static char *scratch;

void dt_sample_start(bool on)
{
    enum { READINGS = 100 };
    dt_sample_on = on;
    if (!on) {
        return;
    }
    scratch = dame_heap_zalloc(MOST_BYTES);
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
    dame_heap_free(scratch);
    scratch = NULL;
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

/* Is it time for another sample? Says when the next one is. */
static bool native_is_due(dt_tally_t *tally, dt_work_t work, int64_t use)
{
    if (use < atomic_load_explicit(&tally->next_native[work], memory_order_relaxed)) {
        return false;
    }
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

/* In pieces of `room` bytes, as the transport asks for them. Returns the bytes packed. */
static int64_t pack(opal_convertor_t *native, size_t room)
{
    size_t done = 0;
    room = room < MOST_BYTES ? room : MOST_BYTES;
    while (done < MOST_BYTES) {
        struct iovec iov = {.iov_base = scratch, .iov_len = room};
        uint32_t n = 1;
        size_t bytes = 0;
        const int32_t completed = opal_convertor_pack(native, &iov, &n, &bytes);
        done += bytes;
        if (0 != completed || 0 == bytes) {
            break;
        }
    }
    return (int64_t) done;
}

/* What DAME will unpack to the same places. It ends with a whole basic element. */
static int64_t unpack(opal_convertor_t *native, const opal_convertor_t *convertor,
                      const struct iovec *iov)
{
    dt_native_mark_t mark = {.item = NULL};
    size_t length = iov->iov_len < convertor->local_size ? iov->iov_len : convertor->local_size;
    length = length < MOST_BYTES ? length : MOST_BYTES;
    if (length < convertor->local_size) {
        length = dt_native_boundary(convertor, length, &mark);
    }
    struct iovec part = {.iov_base = iov->iov_base, .iov_len = length};
    uint32_t n = 1;
    size_t bytes = 0;
    if (length > 0) {
        (void) opal_convertor_unpack(native, &part, &n, &bytes);
    }
    return (int64_t) bytes;
}

void dt_sample_native(dt_thread_t *thread, dt_tally_t *tally, int64_t use,
                      const opal_convertor_t *convertor, dame_dir_t dir, const struct iovec *iov)
{
    opal_convertor_t native;
    if (!native_is_due(tally, (dt_work_t) dir, use) || NULL == scratch ||
        atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) {
        return;
    }
    (void) dt_native_construct(&native, convertor, DAME_PACK == dir, 0);
    const int64_t start = dt_now();
    const int64_t bytes =
        DAME_PACK == dir ? pack(&native, iov->iov_len) : unpack(&native, convertor, iov);
    const int64_t ns = elapsed(start);
    dt_native_destruct(&native);
    atomic_flag_clear_explicit(&busy, memory_order_release);
    if (bytes > 0) {
        keep(thread, tally, (dt_work_t) dir, ns, bytes);
    }
}

void dt_sample_native_copy(dt_thread_t *thread, dt_tally_t *tally, int64_t use,
                           const opal_datatype_t *datatype, int32_t count, char *to,
                           const char *from)
{
    if (!native_is_due(tally, DT_COPY, use)) {
        return;
    }
    const int64_t start = dt_now();
    (void) opal_datatype_copy_content_same_ddt(datatype, count, to, (char *) (uintptr_t) from);
    keep(thread, tally, DT_COPY, elapsed(start), (int64_t) datatype->size * count);
}
