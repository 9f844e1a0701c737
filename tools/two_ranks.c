/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What dame doctor runs with mpirun: two ranks exchange messages of a vector. Rank 0 prints one
 * line: "two ranks: right|wrong, PACKED messages packed by DAME, COMPILED programs compiled,
 * DENIED".
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MESSAGES = 20, BLOCKS = 2000, STEP = 3 };

/* Performance variables of this process. They count from the time when their handle is made. */
enum { PACKED, COMPILED, REFUSED, COUNTERS };
static const char *const names[COUNTERS] = {"dt_dame_messages_packed", "dt_dame_compiled_pack",
                                            "dt_dame_compile_denied"};
static MPI_T_pvar_session session;
static MPI_T_pvar_handle handles[COUNTERS];

static void start_counting(void)
{
    int provided;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    for (int i = 0; i < COUNTERS; i++) {
        int index;
        int count;
        handles[i] = MPI_T_PVAR_HANDLE_NULL;
        if (MPI_T_pvar_get_index(names[i], MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS) {
            MPI_T_pvar_handle_alloc(session, index, NULL, &handles[i], &count);
        }
    }
}

/* -1: no variable has that name. */
static long long read_counter(int i)
{
    unsigned long long value = 0;
    if (handles[i] == MPI_T_PVAR_HANDLE_NULL ||
        MPI_T_pvar_read(session, handles[i], &value) != MPI_SUCCESS) {
        return -1;
    }
    return (long long) value;
}

/* Returns how many bytes are not as they must be. */
static long exchange(int rank, MPI_Datatype column)
{
    static double sent[BLOCKS * STEP], received[BLOCKS * STEP];
    const int other = 1 - rank;
    long wrong = 0;
    for (int m = 0; m < MESSAGES; m++) {
        for (int i = 0; i < BLOCKS * STEP; i++) {
            sent[i] = 1e6 * rank + 1e3 * m + i;
            received[i] = -1;
        }
        MPI_Sendrecv(sent, 1, column, other, 0, received, 1, column, other, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (int i = 0; i < BLOCKS * STEP; i++) {
            const double expected = i % STEP == 0 ? 1e6 * other + 1e3 * m + i : -1;
            wrong += received[i] != expected;
        }
    }
    return wrong;
}

int main(int argc, char **argv)
{
    int rank;
    int size;
    MPI_Datatype column;
    MPI_Init(&argc, &argv);
    start_counting();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2) {
        fprintf(stderr, "two_ranks: needs two ranks, as \"dame doctor\" starts it\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    MPI_Type_vector(BLOCKS, 1, STEP, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    const long mine = exchange(rank, column);
    long wrong = 0;
    MPI_Reduce(&mine, &wrong, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf(
            "two ranks: %s, %lld messages packed by DAME, %lld programs compiled, %lld refused\n",
            wrong == 0 ? "right" : "wrong", read_counter(PACKED), read_counter(COMPILED),
            read_counter(REFUSED));
    }
    MPI_Type_free(&column);
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    MPI_Finalize();
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
