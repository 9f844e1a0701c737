/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that reads DAME's counters with PAPI, as software-defined events, while it sends. Two
 * ranks. argv[1]: "before", PAPI is initialised before MPI, and the
 * program has libsde, which PAPI looks for then; or "after".
 */
#include <mpi.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;

static void check(int ok, const char *what, long long value)
{
    passed += ok != 0;
    failed += ok == 0;
    if (!ok) {
        fprintf(stderr, "FAILED: %s: %lld\n", what, value);
    }
}

enum { MESSAGES = 25, BLOCKS = 100, STEP = 3, EVENTS = 4 };

static const struct {
    const char *name;
    long long value;
} expected[EVENTS] = {
    {"sde:::DAME::messages_packed", MESSAGES},
    {"sde:::DAME::bytes_packed", MESSAGES *BLOCKS * 8},
    {"sde:::DAME::pack_code_uses", MESSAGES - 9}, /* dt_dame_promotion_threshold is 10 */
    {"sde:::DAME::compiled_pack", 1},
};

static void exchange(int rank)
{
    static double sent[BLOCKS * STEP], received[BLOCKS * STEP];
    MPI_Datatype column;
    MPI_Type_vector(BLOCKS, 1, STEP, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    for (int m = 0; m < MESSAGES; m++) {
        for (int i = 0; i < BLOCKS * STEP; i++) {
            sent[i] = m + i + 1000 * rank;
        }
        MPI_Sendrecv(sent, 1, column, 1 - rank, 0, received, 1, column, 1 - rank, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        check(received[3] == m + 3 + 1000 * (1 - rank), "bytes", m);
    }
    MPI_Type_free(&column);
}

int main(int argc, char **argv)
{
    long long counts[EVENTS] = {0};
    int rank, set = PAPI_NULL, mine[2], sums[2];
    const int before = argc > 1 && strcmp(argv[1], "before") == 0;
    if (before) {
        check(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT, "PAPI", 0);
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!before) {
        check(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT, "PAPI", 0);
    }
    check(PAPI_create_eventset(&set) == PAPI_OK, "event set", 0);
    for (int i = 0; i < EVENTS; i++) {
        check(PAPI_add_named_event(set, expected[i].name) == PAPI_OK, expected[i].name, i);
    }
    check(PAPI_start(set) == PAPI_OK, "start", 0);
    exchange(rank);
    check(PAPI_stop(set, counts) == PAPI_OK, "stop", 0);
    for (int i = 0; i < EVENTS; i++) {
        check(counts[i] == expected[i].value, expected[i].name, counts[i]);
    }
    mine[0] = passed;
    mine[1] = failed;
    MPI_Reduce(mine, sums, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%d passed, %d failed\n", sums[0], sums[1]);
    }
    MPI_Finalize();
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
