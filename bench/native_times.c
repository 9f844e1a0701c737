/*
 * How long Open MPI's own engine takes in a run without DAME: a library to preload (LD_PRELOAD),
 * for bench/estimate. Each call of the convertor on data that is not contiguous, and each local
 * copy of such data, is timed. At its end, a process that has moved any appends a line to the file
 * that the environment variable NATIVE_TIMES names:
 *
 *   BYTES NANOSECONDS
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "opal-glue/abi/abi.h"

typedef int32_t (*move_t)(opal_convertor_t *convertor, struct iovec *iov, uint32_t *n,
                          size_t *bytes);
typedef int32_t (*copy_t)(const opal_datatype_t *datatype, int32_t count, char *to, char *from);

/* Nanoseconds; a call that took longer was interrupted. Its bytes do not count either. */
enum { PREEMPTED = 1000000 };

static int64_t clock_cost;
static int64_t all_bytes;
static int64_t all_ns;

static int64_t now(void)
{
    struct timespec time;
    (void) clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t) time.tv_sec * 1000000000 + time.tv_nsec;
}

static void add(int64_t start, size_t bytes)
{
    const int64_t ns = now() - start - clock_cost;
    if (ns > PREEMPTED) {
        return;
    }
    all_ns += ns > 0 ? ns : 0;
    all_bytes += (int64_t) bytes;
}

static void *next(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (NULL == function) {
        fprintf(stderr, "native_times: Open MPI has no %s\n", name);
        abort();
    }
    return function;
}

/* *original: Open MPI's function of that name, once it has been looked up. */
static int32_t move(move_t *original, const char *name, opal_convertor_t *convertor,
                    struct iovec *iov, uint32_t *n, size_t *bytes)
{
    if (NULL == *original) {
        *original = (move_t) next(name);
    }
    if (0 != (convertor->flags & (CONVERTOR_COMPLETED | CONVERTOR_NO_OP))) {
        return (*original)(convertor, iov, n, bytes);
    }
    const int64_t start = now();
    const int32_t rc = (*original)(convertor, iov, n, bytes);
    add(start, *bytes);
    return rc;
}

int32_t opal_convertor_pack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *n,
                            size_t *bytes)
{
    static move_t original;
    return move(&original, __func__, convertor, iov, n, bytes);
}

int32_t opal_convertor_unpack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *n,
                              size_t *bytes)
{
    static move_t original;
    return move(&original, __func__, convertor, iov, n, bytes);
}

int32_t opal_datatype_copy_content_same_ddt(const opal_datatype_t *datatype, int32_t count,
                                            char *to, char *from)
{
    static copy_t original;
    if (NULL == original) {
        original = (copy_t) next("opal_datatype_copy_content_same_ddt");
    }
    if (0 != (datatype->flags & OPAL_DATATYPE_FLAG_NO_GAPS) ||
        (1 == count && 0 != (datatype->flags & OPAL_DATATYPE_FLAG_CONTIGUOUS))) {
        return original(datatype, count, to, from);
    }
    const int64_t start = now();
    const int32_t rc = original(datatype, count, to, from);
    add(start, datatype->size * (size_t) count);
    return rc;
}

__attribute__((constructor)) static void start(void)
{
    enum { READINGS = 1000 };
    clock_cost = INT64_MAX;
    for (int i = 0; i < READINGS; i++) {
        const int64_t begun = now();
        const int64_t cost = now() - begun;
        clock_cost = cost < clock_cost ? cost : clock_cost;
    }
}

__attribute__((destructor)) static void stop(void)
{
    const char *name = getenv("NATIVE_TIMES");
    FILE *out = NULL == name || 0 == all_bytes ? NULL : fopen(name, "a");
    if (NULL != out) {
        fprintf(out, "%lld %lld\n", (long long) all_bytes, (long long) all_ns);
        (void) fclose(out);
    }
}
