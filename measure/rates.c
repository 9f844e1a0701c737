/* SPDX-License-Identifier: BSD-3-Clause */
#include "rates.h"

#include <stdlib.h>

/* With fewer samples of the native engine, or of large fragments, the report has no time of it:
 * they may be untypical. */
enum { LEAST_NATIVE = 6, LEAST_LARGE = 3, LARGE = 1 << 20 /* bytes */ };

/* A number that is as good as random. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 32;
}

/* The n-th sample stays with the probability DAME_KEPT / n, in the place of any other. Returns
 * where it was put; < 0: nowhere. */
static int add_sample(dame_kept_t *samples, int64_t ns, int64_t bytes)
{
    const uint64_t time = ns < 0 ? 0 : ns < UINT32_MAX ? (uint64_t) ns : UINT32_MAX;
    const uint64_t amount = bytes < UINT32_MAX ? (uint64_t) bytes : UINT32_MAX;
    const uint32_t count = atomic_fetch_add_explicit(&samples->count, 1, memory_order_relaxed);
    const uint64_t at =
        count < DAME_KEPT ? count : mix(time << 32 ^ count) % ((uint64_t) count + 1);
    if (at >= DAME_KEPT) {
        return -1;
    }
    atomic_store_explicit(&samples->kept[at], time << 32 | amount, memory_order_relaxed);
    return (int) at;
}

void dame_moved_add(dame_moved_t *moved, int64_t ns, int64_t bytes, bool early)
{
    if (!early && !atomic_exchange_explicit(&moved->has_steady, true, memory_order_relaxed)) {
        atomic_store_explicit(&moved->samples.count, 0, memory_order_relaxed);
    }
    if (!early || !atomic_load_explicit(&moved->has_steady, memory_order_relaxed)) {
        (void) add_sample(&moved->samples, ns, bytes);
    }
}

void dame_native_add(dame_native_t *native, int64_t ns, int64_t bytes)
{
    const int at = add_sample(&native->samples, ns, bytes);
    if (at >= 0) {
        atomic_store_explicit(&native->at[at],
                              atomic_load_explicit(&native->began, memory_order_relaxed),
                              memory_order_relaxed);
    }
}

bool dame_native_is_enough(const dame_native_t *native)
{
    const uint32_t count = atomic_load_explicit(&native->samples.count, memory_order_relaxed);
    uint32_t large = 0;
    for (uint32_t i = 0; i < count && i < LEAST_NATIVE; i++) {
        large += (uint32_t) atomic_load_explicit(&native->samples.kept[i], memory_order_relaxed) >=
                 LARGE;
    }
    return count >= LEAST_NATIVE || large >= LEAST_LARGE;
}

typedef struct sample {
    double ns;
    double bytes;
    uint32_t at; /* the use, if known */
} sample_t;

static int compare_rates(const void *a, const void *b)
{
    const sample_t *x = a;
    const sample_t *y = b;
    const double difference = x->ns * y->bytes - y->ns * x->bytes;
    return (difference > 0) - (difference < 0);
}

/* Drops outliers: MUCH times slower than most and over LONG ns, since another process had the CPU
 * then. Returns the number kept. */
static size_t read_samples(const dame_kept_t *samples, const _Atomic uint32_t *at,
                           sample_t read[DAME_KEPT])
{
    static const double MUCH = 5;
    static const double LONG = 2000; /* nanoseconds */
    const uint32_t ever = atomic_load_explicit(&samples->count, memory_order_relaxed);
    size_t n = 0;
    for (uint32_t i = 0; i < DAME_KEPT && i < ever; i++) {
        const uint64_t sample = atomic_load_explicit(&samples->kept[i], memory_order_relaxed);
        if ((uint32_t) sample != 0) {
            read[n++] = (sample_t){
                .ns = (double) (sample >> 32),
                .bytes = (double) (uint32_t) sample,
                .at = at == NULL ? 0 : atomic_load_explicit(&at[i], memory_order_relaxed)};
        }
    }
    qsort(read, n, sizeof(read[0]), compare_rates);
    const sample_t most = n > 0 ? read[(n - 1) / 2] : (sample_t){.bytes = 1};
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (read[i].ns <= LONG || read[i].ns * most.bytes <= MUCH * most.ns * read[i].bytes) {
            read[kept++] = read[i];
        }
    }
    return kept;
}

/* Half of the interval in which 19 of 20 means of n samples are, in standard errors (Student's t).
 */
static double width(size_t n)
{
    static const double t[] = {12.7, 4.3, 3.2, 2.8, 2.6, 2.4, 2.4, 2.3, 2.3, 2.2};
    return n < 2 ? 0 : n - 2 < sizeof(t) / sizeof(t[0]) ? t[n - 2] : 2.1;
}

/* The square of what a mean may be off by, as far as groups of samples tell: those of one probe
 * may all be of a time when the machine was slow. `at` in order; 0: a group of its own. */
static double variance(const sample_t *samples, size_t n, double mean, bool grouped)
{
    double squares = 0;
    double bytes = 0;
    size_t groups = 0;
    for (size_t i = 0, next; i < n; i = next, groups++) {
        double off = 0;
        next = i;
        do {
            off += samples[next].ns - mean * samples[next].bytes;
            bytes += samples[next].bytes;
            next++;
        } while (next < n && grouped && samples[i].at != 0 && samples[i].at == samples[next].at);
        squares += off * off;
    }
    return groups < 2 ? 0 : squares / (bytes * bytes) * (double) groups / (double) (groups - 1);
}

/* For each byte. One sample alone says nothing of its error. */
static dame_rate_t rate_of(const sample_t *samples, size_t n)
{
    double ns = 0;
    double bytes = 0;
    for (size_t i = 0; i < n; i++) {
        ns += samples[i].ns;
        bytes += samples[i].bytes;
    }
    if (bytes <= 0) {
        return (dame_rate_t){.ns = -1};
    }
    const double mean = ns / bytes;
    const double alone = variance(samples, n, mean, false);
    const double grouped = variance(samples, n, mean, true);
    const double most = alone > grouped ? alone : grouped;
    return (dame_rate_t){.ns = mean, .error2 = n < 2 ? mean * mean : width(n) * width(n) * most};
}

dame_rate_t dame_kept_rate(const dame_kept_t *samples)
{
    sample_t read[DAME_KEPT];
    return rate_of(read, read_samples(samples, NULL, read));
}

static int compare_uses(const void *a, const void *b)
{
    const sample_t *x = a;
    const sample_t *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

dame_rate_t dame_native_rate(const dame_native_t *native, int64_t uses)
{
    sample_t read[DAME_KEPT];
    const size_t n = read_samples(&native->samples, native->at, read);
    if (!dame_native_is_enough(native)) {
        return (dame_rate_t){.ns = -1};
    }
    const size_t least = n < 4 * LEAST_NATIVE ? LEAST_NATIVE : n / 4; /* of a group */
    double sum = 0;
    double from = 0;
    qsort(read, n, sizeof(read[0]), compare_uses);
    for (size_t i = 0, next; i < n; i = next) {
        double ns = 0;
        double bytes = 0;
        for (next = i; next < n &&
                       (next < i + least || n - next < least || read[next].at == read[next - 1].at);
             next++) {
            ns += read[next].ns;
            bytes += read[next].bytes;
        }
        const double to =
            next < n ? ((double) read[next - 1].at + (double) read[next].at) / 2 : (double) uses;
        sum += (to - from) * ns / bytes;
        from = to;
    }
    return (dame_rate_t){.ns = from > 0 ? sum / from : -1, .error2 = rate_of(read, n).error2};
}
