/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ARMCI-MPI, which Global Arrays can use: patches of a distributed matrix by strided and listed put, get and accumulate,
 * each an MPI_Put, MPI_Get or MPI_Accumulate of subarrays or lists. strided [N [ROUNDS]]; prints a hash of the
 * matrices, and the seconds; ends with 1 if a number is wrong.
 */
#include <armci.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEVELS = 2, LISTED = 16 };

static int n; /* of each of the three dimensions */

static double value(int rank, int i)
{
    return rank * 1e6 + i;
}

static uint64_t hash(const void *data, size_t bytes)
{
    uint64_t h = UINT64_C(14695981039346656037);
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++) {
        h = (h ^ at[i]) * UINT64_C(1099511628211);
    }
    return h;
}

/* Is a cell in the patch? It begins at (1, 2, 3) and has n / 2 cells along each dimension. */
static int in_patch(int i)
{
    const int x = i / n / n - 1, y = i / n % n - 2, z = i % n - 3;
    return x >= 0 && x < n / 2 && y >= 0 && y < n / 2 && z >= 0 && z < n / 2;
}

int main(int argc, char **argv)
{
    int rank, ranks, wrong = 0, rounds = argc > 2 ? atoi(argv[2]) : 3;
    double seconds, slowest, scale = 2.0;

    MPI_Init(&argc, &argv);
    ARMCI_Init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    n = argc > 1 ? atoi(argv[1]) : 16;
    if (n < 12 || n > 512 || rounds < 1) {
        fprintf(stderr, "strided: N %d, ROUNDS %d: 12 to 512, and at least 1, are allowed\n", n, rounds);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const int cells = n * n * n, right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    void **all = malloc(sizeof(*all) * (size_t) ranks);
    double *local = ARMCI_Malloc_local((armci_size_t) sizeof(double) * cells), *got = ARMCI_Malloc_local((armci_size_t) sizeof(double) * cells);
    ARMCI_Malloc(all, (armci_size_t) sizeof(double) * cells);
    double *mine = all[rank];
    ARMCI_Access_begin(mine);
    for (int i = 0; i < cells; i++) {
        mine[i] = -1;
        got[i] = -2;
        local[i] = value(rank, i);
    }
    ARMCI_Access_end(mine);
    ARMCI_Barrier();

    int strides[LEVELS] = {n * (int) sizeof(double), n * n * (int) sizeof(double)};
    int counts[LEVELS + 1] = {n / 2 * (int) sizeof(double), n / 2, n / 2};
    const int at = (1 * n + 2) * n + 3;
    void *from[LISTED], *to[LISTED];
    for (int i = 0; i < LISTED; i++) { /* in the last plane, which the patch leaves alone; unevenly far apart */
        const int cell = (n - 1) * n * n + i * (i + 5) / 2 % n + i % (n / 2) * n;
        from[i] = local + cell;
        to[i] = (double *) all[right] + cell;
    }
    armci_giov_t list = {.src_ptr_array = from, .dst_ptr_array = to, .bytes = (int) sizeof(double), .ptr_array_len = LISTED};
    seconds = -MPI_Wtime();
    for (int round = 0; round < rounds; round++) {
        ARMCI_PutS(local + at, strides, (double *) all[right] + at, strides, counts, LEVELS, right);
        ARMCI_AccS(ARMCI_ACC_DBL, &scale, local + at, strides, (double *) all[right] + at, strides, counts, LEVELS, right);
        ARMCI_PutV(&list, 1, right);
        ARMCI_Fence(right);
        ARMCI_GetS((double *) all[right] + at, strides, got + at, strides, counts, LEVELS, right);
    }
    ARMCI_Barrier();
    seconds += MPI_Wtime();

    int listed[LISTED];
    for (int i = 0; i < LISTED; i++) {
        listed[i] = (int) ((double *) from[i] - local);
    }
    ARMCI_Access_begin(mine);
    for (int i = 0; i < cells; i++) {
        double want = in_patch(i) ? 3 * value(left, i) : -1;
        for (int k = 0; k < LISTED; k++) {
            want = listed[k] == i ? value(left, i) : want;
        }
        wrong += mine[i] != want;
        wrong += got[i] != (in_patch(i) ? 3 * value(rank, i) : -2);
    }
    printf("rank %d: %016llx %016llx, %d cells are wrong\n", rank, (unsigned long long) hash(mine, sizeof(double) * (size_t) cells),
           (unsigned long long) hash(got, sizeof(double) * (size_t) cells), wrong);
    ARMCI_Access_end(mine);
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("seconds %.6f\n", slowest);
    }
    ARMCI_Barrier();
    ARMCI_Free_local(got);
    ARMCI_Free_local(local);
    ARMCI_Free(mine);
    free(all);
    ARMCI_Finalize();
    MPI_Finalize();
    return wrong != 0;
}
