/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The times of single messages while code is found or compiled in the background. One process of
 * the figure `background`.
 *
 *   background_worker NAME MESSAGES BLOCKS
 *
 * Packs another datatype four times, so that what happens once a process is over, then a vector of
 * BLOCKS blocks of 48 bytes, 80 bytes apart, MESSAGES times with MPI_Pack. Prints lines
 *
 *   message ROW NAME NANOSECONDS
 *
 * once: the second message of the former. first, second, third: of the latter; worst, worst3, p99.9
 * and median: of those after the fourth. finalize: MPI_Finalize(). Fails if no code was installed,
 * except where NAME is never.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIRST = 4 };
static const char *name;

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;
    return x < y ? -1 : x > y;
}

static MPI_T_pvar_session session;
static MPI_T_pvar_handle codes = MPI_T_PVAR_HANDLE_NULL;

static void start_counter(const char *name)
{
    int index, count, provided;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    if (MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS) {
        MPI_T_pvar_handle_alloc(session, index, NULL, &codes, &count);
        MPI_T_pvar_start(session, codes);
    }
}

static long long read_counter(void)
{
    unsigned long long value = 0;
    if (codes != MPI_T_PVAR_HANDLE_NULL) {
        MPI_T_pvar_read(session, codes, &value);
        MPI_T_pvar_handle_free(session, &codes);
    }
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    return (long long) value;
}

static void print(const char *row, int64_t ns)
{
    printf("message %s %s %lld\n", row, name, (long long) ns);
}

/* Packs a vector of that many blocks `messages` times. */
static void pack(int blocks, const double *memory, double *packed, int messages, int64_t *times)
{
    MPI_Datatype type;
    MPI_Type_vector(blocks, 6, 10, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < messages; i++) {
        int at = 0;
        const int64_t start = now_ns();
        MPI_Pack(memory, 1, type, packed, blocks * 48, &at, MPI_COMM_WORLD);
        times[i] = now_ns() - start;
    }
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    const int messages = argc > 2 ? atoi(argv[2]) : 0, blocks = argc > 3 ? atoi(argv[3]) : 0;
    if (argc != 4 || messages < 100 || blocks < 2) {
        fprintf(stderr, "usage: background_worker NAME MESSAGES BLOCKS\n");
        return 2;
    }
    name = argv[1];
    cpu_set_t all; /* the thread needs another core than the one that mpirun binds to */
    memset(&all, 0xff, sizeof(all));
    (void) sched_setaffinity(0, sizeof(all), &all);
    MPI_Init(&argc, &argv);
    start_counter("dt_dame_compiled_pack");
    int64_t *times = calloc((size_t) messages, sizeof(*times));
    double *memory = calloc((size_t) blocks * 10, sizeof(double));
    double *packed = calloc((size_t) blocks * 6, sizeof(double));
    if (times == NULL || memory == NULL || packed == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(times, 1, (size_t) messages * sizeof(*times));
    memset(memory, 1, (size_t) blocks * 80);
    memset(packed, 1, (size_t) blocks * 48);
    pack(blocks / 2, memory, packed, FIRST, times);
    print("once", times[1]);
    pack(blocks, memory, packed, messages, times);
    print("first", times[0]);
    print("second", times[1]);
    print("third", times[2]);
    qsort(times + FIRST, (size_t) (messages - FIRST), sizeof(*times), compare);
    print("worst", times[messages - 1]);
    print("worst3", times[messages - 3]);
    print("p99.9", times[messages - 1 - messages / 1000]);
    print("median", times[FIRST + messages / 2]);
    const bool good = read_counter() > 0 || strcmp(name, "never") == 0;
    if (!good) {
        fprintf(stderr, "background_worker: %s: no code was installed; is a core free?\n", name);
    }
    const int64_t start = now_ns();
    MPI_Finalize();
    print("finalize", now_ns() - start);
    free(times);
    free(memory);
    free(packed);
    return good ? 0 : 1;
}
