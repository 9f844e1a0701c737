/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The times of single messages while code is found or compiled in the background. One process of
 * the runs of bench/background.
 *
 *   background_worker MESSAGES BLOCKS
 *
 * Packs another datatype four times, so that what happens once a process is over, then a vector of
 * BLOCKS blocks of 48 bytes, 80 bytes apart, MESSAGES times with MPI_Pack. Prints, in nanoseconds,
 * "once" with the second message of the former, "first" with the first four messages, "worst" with
 * the six worst of the others, "most" with the median and the 99.9th percentile, and "codes" with
 * the machine codes of LLVM that were installed by the end.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIRST = 4, WORST = 6 };

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

static void make_vector(int blocks, MPI_Datatype *type)
{
    MPI_Type_vector(blocks, 6, 10, MPI_DOUBLE, type);
    MPI_Type_commit(type);
}

int main(int argc, char **argv)
{
    MPI_Datatype type;
    const int messages = argc > 1 ? atoi(argv[1]) : 0, blocks = argc > 2 ? atoi(argv[2]) : 0;
    if (argc != 3 || messages < 100 || blocks < 2) {
        fprintf(stderr, "usage: background_worker MESSAGES BLOCKS\n");
        return 2;
    }
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
    make_vector(blocks / 2, &type);
    for (int i = 0; i < FIRST; i++) {
        int at = 0;
        const int64_t start = now_ns();
        MPI_Pack(memory, 1, type, packed, blocks * 48, &at, MPI_COMM_WORLD);
        times[i] = now_ns() - start;
    }
    printf("once %lld\n", (long long) times[1]);
    MPI_Type_free(&type);
    make_vector(blocks, &type);
    for (int i = 0; i < messages; i++) {
        int at = 0;
        const int64_t start = now_ns();
        MPI_Pack(memory, 1, type, packed, blocks * 48, &at, MPI_COMM_WORLD);
        times[i] = now_ns() - start;
    }
    printf("first");
    for (int i = 0; i < FIRST; i++) {
        printf(" %lld", (long long) times[i]);
    }
    qsort(times + FIRST, (size_t) (messages - FIRST), sizeof(*times), compare);
    printf("\nworst");
    for (int i = 1; i <= WORST; i++) {
        printf(" %lld", (long long) times[messages - i]);
    }
    printf("\nmost %lld %lld\ncodes %lld\n", (long long) times[FIRST + messages / 2],
           (long long) times[messages - 1 - messages / 1000], read_counter());
    MPI_Type_free(&type);
    const int64_t start = now_ns();
    MPI_Finalize();
    printf("finalize %lld\n", (long long) (now_ns() - start));
    free(times);
    free(memory);
    free(packed);
    return 0;
}
