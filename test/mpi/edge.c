/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Extreme datatypes and threads: nothing may crash, hang, cost memory out of proportion or move
 * wrong bytes.
 *
 *   edge [PLUGIN.so]
 */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "mpi_check.h"
#include "tests.h"

static long peak_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* Packs one element and unpacks it into cleared memory; both must agree where the type has data. */
static bool round_trip(MPI_Datatype type, char *memory, size_t size, char *packed, int bytes)
{
    char *other = must_calloc(1, size);
    int at = 0;
    MPI_Pack(memory, 1, type, packed, bytes, &at, MPI_COMM_SELF);
    bool good = at == bytes;
    at = 0;
    MPI_Unpack(packed, bytes, &at, other, 1, type, MPI_COMM_SELF);
    char *again = must_calloc(1, (size_t) bytes);
    at = 0;
    MPI_Pack(other, 1, type, again, bytes, &at, MPI_COMM_SELF);
    good = good && memcmp(packed, again, (size_t) bytes) == 0;
    free(again);
    free(other);
    return good;
}

/* Open MPI 4.1.4 has true bounds of its own for such vectors. DAME must pack the same bytes, also
 * within another type (the engine verify compares). */
static void test_wrong_bounds(void)
{
    MPI_Datatype backwards, type;
    char memory[256], packed[64];
    for (size_t i = 0; i < sizeof memory; i++) {
        memory[i] = (char) i;
    }
    for (int blocklength = 1; blocklength <= 3; blocklength++) {
        MPI_Type_vector(3, blocklength, -1, MPI_CHAR, &backwards);
        int ones[] = {1, 1, 1};
        MPI_Aint disps[] = {100, 0, 200};
        MPI_Datatype members[] = {backwards, MPI_INT, MPI_INT};
        MPI_Type_create_struct(3, ones, disps, members, &type);
        MPI_Type_commit(&type);
        int size, at = 0;
        MPI_Type_size(type, &size);
        MPI_Pack(memory, 1, type, packed, sizeof packed, &at, MPI_COMM_SELF);
        check(at == size && memcmp(packed + size - 8, memory, 4) == 0 &&
                  memcmp(packed + size - 4, memory + 200, 4) == 0,
              "stride -1, blocklength %d", blocklength);
        MPI_Type_free(&type);
        MPI_Type_free(&backwards);
    }
}

/* struct{t, dup of t}, twenty times over: 2^20 paths, a handful of objects. */
static void test_shared_members(void)
{
    enum { DEPTH = 20 };
    MPI_Datatype type, dup, next;
    MPI_Type_dup(MPI_SHORT, &type);
    for (int i = 0; i < DEPTH; i++) {
        MPI_Aint lb, extent;
        MPI_Type_get_extent(type, &lb, &extent);
        MPI_Type_dup(type, &dup);
        MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, extent},
                               (MPI_Datatype[]){type, dup}, &next);
        MPI_Type_free(&dup);
        MPI_Type_free(&type);
        type = next;
    }
    MPI_Type_create_hvector(2, 1, (2 << DEPTH) + 2, type, &next);
    MPI_Type_commit(&next);
    size_t size = 2 * (2 << DEPTH) + 2;
    char *memory = must_malloc(size);
    char *packed = must_malloc(size);
    pattern(1, 0, (int64_t) size, (unsigned char *) memory);
    memset(packed, 0, size);
    long before = peak_kib();
    int at = 0;
    MPI_Pack(memory, 1, next, packed, 4 << DEPTH, &at, MPI_COMM_SELF);
    check(at == 4 << DEPTH && memcmp(packed, memory, 2 << DEPTH) == 0 &&
              memcmp(packed + (2 << DEPTH), memory + (2 << DEPTH) + 2, 2 << DEPTH) == 0,
          "bytes of shared members");
    check(peak_kib() - before < 32 * 1024, "memory of shared members: %ld KiB",
          peak_kib() - before);
    MPI_Type_free(&next);
    MPI_Type_free(&type);
    free(memory);
    free(packed);
}

static void test_unlike_members(void)
{
    enum { N = 50000, STEP = 48 };
    static int ones[N];
    static MPI_Aint disps[N];
    static MPI_Datatype members[N];
    MPI_Datatype kinds[2], type;
    MPI_Type_vector(2, 1, 2, MPI_INT, &kinds[0]);
    MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &kinds[1]);
    for (int i = 0; i < N; i++) {
        ones[i] = 1;
        disps[i] = (MPI_Aint) i * STEP;
        members[i] = kinds[i % 2];
    }
    MPI_Type_create_struct(N, ones, disps, members, &type);
    MPI_Type_commit(&type);
    char *memory = must_malloc((size_t) N * STEP);
    char *packed = must_calloc(1, (size_t) N * 12);
    pattern(2, 0, (int64_t) N * STEP, (unsigned char *) memory);
    long before = peak_kib();
    check(round_trip(type, memory, (size_t) N * STEP, packed, N / 2 * 24), "unlike members");
    bool good = true;
    for (int i = 0; i < N / 2; i++) {
        const char *p = packed + i * 24;
        const char *m = memory + 2 * i * STEP;
        good = good && memcmp(p, m, 4) == 0 && memcmp(p + 4, m + 8, 4) == 0 &&
               memcmp(p + 8, m + STEP, 8) == 0 && memcmp(p + 16, m + STEP + 16, 8) == 0;
    }
    check(good, "bytes of unlike members");
    check(peak_kib() - before < 16 * 1024, "memory of unlike members: %ld KiB",
          peak_kib() - before);
    MPI_Type_free(&type);
    MPI_Type_free(&kinds[0]);
    MPI_Type_free(&kinds[1]);
    free(memory);
    free(packed);
}

static void *pack_nested(void *context)
{
    char memory[64], packed[64];
    int at = 0;
    memset(memory, 7, sizeof memory);
    memset(packed, 0, sizeof packed);
    MPI_Pack(memory, 1, *(MPI_Datatype *) context, packed, sizeof packed, &at, MPI_COMM_SELF);
    return at == 8 && packed[7] == 7 && packed[8] == 0 ? context : NULL;
}

/* Nested datatypes first used by threads that have next to no stack. */
static void test_small_stacks(void)
{
    for (int depth = 1; depth <= 200; depth = 3 * depth / 2 + 1) {
        MPI_Datatype type, next;
        MPI_Type_vector(2, 1, 2, MPI_INT, &type);
        for (int i = 1; i < depth; i++) {
            MPI_Type_create_resized(type, 0, 12 + 4 * (i % 2), &next);
            MPI_Type_free(&type);
            type = next;
        }
        MPI_Type_commit(&type);
        pthread_attr_t attributes;
        pthread_t thread;
        void *result = NULL;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, depth < 20 ? 24 << 10 : 64 << 10);
        if (pthread_create(&thread, &attributes, pack_nested, &type) == 0) {
            pthread_join(thread, &result);
        }
        pthread_attr_destroy(&attributes);
        check(result != NULL, "small stack, nesting %d", depth);
        MPI_Type_free(&type);
    }
}

static volatile int stop;

static void *use_types(void *context)
{
    int memory[64], packed[64];
    (void) context;
    memset(memory, 1, sizeof memory);
    while (!stop) {
        MPI_Datatype type;
        int at = 0;
        MPI_Type_vector(4, 1, 2, MPI_INT, &type);
        MPI_Type_commit(&type);
        MPI_Pack(memory, 1, type, packed, sizeof packed, &at, MPI_COMM_SELF);
        MPI_Type_free(&type);
    }
    return NULL;
}

/* First uses of datatypes while the dynamic linker is at work in another thread. */
static void test_loading(const char *plugin)
{
    pthread_t thread;
    int loaded = 0;
    pthread_create(&thread, NULL, use_types, NULL);
    for (int i = 0; i < 1000; i++) {
        void *handle = dlopen(plugin, (i % 2 ? RTLD_LAZY : RTLD_NOW) | RTLD_LOCAL);
        int (*run)(void) = handle ? (int (*)(void)) dlsym(handle, "edge_plugin") : NULL;
        loaded += run ? run() : 0;
        if (handle) {
            dlclose(handle);
        }
    }
    stop = 1;
    pthread_join(thread, NULL);
    check(loaded == 1000, "plugin loaded %d of 1000 times", loaded);
}

int edge_main(int argc, char **argv)
{
    check_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE);
    test_wrong_bounds();
    test_shared_members();
    test_unlike_members();
    test_small_stacks();
    if (argc > 1) {
        test_loading(argv[1]);
    }
    return check_finish();
}
