/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long Open MPI's own engine takes in a run without DAME: a library to preload (LD_PRELOAD),
 * for bench/estimate. Each call of the convertor on data that is not contiguous, and each local
 * copy of such data, is timed. At its end, a process appends a line for each kind of work on
 * datatypes of one name and size to the file that the environment variable NATIVE_TIMES names:
 *
 *   pack|unpack|copy SIZE BYTES NANOSECONDS LEFT_OUT NAME
 *
 * As in the report, calls that took MUCH longer for a byte than most, and LONG, do not count: new
 * pages, interrupts and other processes say nothing about the engine. LEFT_OUT are their
 * nanoseconds. (Asking the system what happened would disturb the caches: with two calls of
 * getrusage() around it, a fragment of 4 KiB took half as long again.)
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "opal-glue/abi/abi.h"

typedef int32_t (*move_t)(opal_convertor_t *convertor, struct iovec *iov, uint32_t *n,
                          size_t *bytes);
typedef int32_t (*copy_t)(const opal_datatype_t *datatype, int32_t count, char *to, char *from);

enum {
    STEPS = 4, /* bins for each factor of two */
    BINS = 64 * STEPS,
    MUCH = 2 * STEPS + 1, /* bins: about five times as long */
    LONG = 2000           /* nanoseconds */
};

/* Calls of about the same time for a byte. */
typedef struct bin {
    int64_t calls, bytes, ns;
} bin_t;

/* Work on datatypes of one name and size. */
typedef struct sum {
    const char *work;
    size_t size;
    char name[MPI_MAX_OBJECT_NAME];
    bin_t quick[BINS], longer[BINS]; /* than LONG */
} sum_t;

enum { MOST_SUMS = 256 };
static sum_t sums[MOST_SUMS]; /* the last one: also all others */
static int nsums;
static int64_t clock_cost;

static int64_t now(void)
{
    struct timespec time;
    (void) clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t) time.tv_sec * 1000000000 + time.tv_nsec;
}

static const char *name_of(const opal_datatype_t *datatype)
{
    return strcmp("ompi_datatype_t", datatype->super.obj_class->cls_name) == 0
               ? ((const ompi_datatype_t *) datatype)->name
               : "";
}

static sum_t *sum_for(const opal_datatype_t *datatype, const char *work)
{
    const char *name = name_of(datatype);
    int i = 0;
    while (i < nsums && (datatype->size != sums[i].size || work != sums[i].work ||
                         strcmp(name, sums[i].name) != 0)) {
        i++;
    }
    if (i == nsums && nsums < MOST_SUMS) {
        sums[nsums].work = work;
        sums[nsums].size = datatype->size;
        (void) snprintf(sums[nsums++].name, sizeof(sums[0].name), "%s", name);
    }
    return &sums[i < MOST_SUMS ? i : MOST_SUMS - 1];
}

static int bin_of(int64_t ns, size_t bytes)
{
    const uint64_t rate = ((uint64_t) ns << 10) / (bytes > 0 ? bytes : 1) + STEPS;
    const int bit = 63 - __builtin_clzll(rate);
    return bit * STEPS + (int) (rate >> (bit - 2)) % STEPS;
}

static int64_t begin(void)
{
    (void) now(); /* the first reading finds the clock cold */
    return now();
}

static void end(int64_t start, const opal_datatype_t *datatype, const char *work, size_t bytes)
{
    const int64_t time = now() - start - clock_cost;
    const int64_t ns = time > 0 ? time : 0;
    sum_t *sum = sum_for(datatype, work);
    bin_t *bin = &(ns > LONG ? sum->longer : sum->quick)[bin_of(ns, bytes)];
    bin->calls++;
    bin->bytes += (int64_t) bytes;
    bin->ns += ns;
}

static void *next(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (function == NULL) {
        fprintf(stderr, "native_times: Open MPI has no %s\n", name);
        abort();
    }
    return function;
}

/* *original: Open MPI's function of that name, once it has been looked up. */
static int32_t move(move_t *original, const char *name, const char *work,
                    opal_convertor_t *convertor, struct iovec *iov, uint32_t *n, size_t *bytes)
{
    if (*original == NULL) {
        *original = (move_t) next(name);
    }
    if ((convertor->flags & (CONVERTOR_COMPLETED | CONVERTOR_NO_OP)) != 0) {
        return (*original)(convertor, iov, n, bytes);
    }
    const int64_t start = begin();
    const int32_t rc = (*original)(convertor, iov, n, bytes);
    end(start, convertor->pDesc, work, *bytes);
    return rc;
}

int32_t opal_convertor_pack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *n,
                            size_t *bytes)
{
    static move_t original;
    return move(&original, __func__, "pack", convertor, iov, n, bytes);
}

int32_t opal_convertor_unpack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *n,
                              size_t *bytes)
{
    static move_t original;
    return move(&original, __func__, "unpack", convertor, iov, n, bytes);
}

int32_t opal_datatype_copy_content_same_ddt(const opal_datatype_t *datatype, int32_t count,
                                            char *to, char *from)
{
    static copy_t original;
    if (original == NULL) {
        original = (copy_t) next("opal_datatype_copy_content_same_ddt");
    }
    if ((datatype->flags & OPAL_DATATYPE_FLAG_NO_GAPS) != 0 ||
        (count == 1 && (datatype->flags & OPAL_DATATYPE_FLAG_CONTIGUOUS) != 0)) {
        return original(datatype, count, to, from);
    }
    const int64_t start = begin();
    const int32_t rc = original(datatype, count, to, from);
    end(start, datatype, "copy", datatype->size * (size_t) count);
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

/* The bin of the call that half of all are quicker than. */
static int median(const sum_t *sum)
{
    int64_t calls = 0, below = 0;
    int bin = 0;
    for (int i = 0; i < BINS; i++) {
        calls += sum->quick[i].calls + sum->longer[i].calls;
    }
    while (bin < BINS && 2 * (below += sum->quick[bin].calls + sum->longer[bin].calls) < calls) {
        bin++;
    }
    return bin;
}

static void print(FILE *out, const sum_t *sum)
{
    const int most = median(sum) + MUCH;
    int64_t bytes = 0, ns = 0, left_out = 0;
    for (int i = 0; i < BINS; i++) {
        const bin_t *longer = &sum->longer[i];
        bytes += sum->quick[i].bytes + (i <= most ? longer->bytes : 0);
        ns += sum->quick[i].ns + (i <= most ? longer->ns : 0);
        left_out += i <= most ? 0 : longer->ns;
    }
    fprintf(out, "%s %zu %lld %lld %lld %s\n", sum->work, sum->size, (long long) bytes,
            (long long) ns, (long long) left_out, sum->name);
}

__attribute__((destructor)) static void stop(void)
{
    const char *name = getenv("NATIVE_TIMES");
    FILE *out = name == NULL || nsums == 0 ? NULL : fopen(name, "a");
    if (out == NULL) {
        return;
    }
    for (int i = 0; i < nsums; i++) {
        print(out, &sums[i]);
    }
    (void) fclose(out);
}
