/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SpFFT: a sparse spectrum to space and back, exchanged by MPI_Alltoallw of datatypes. sparse [N [ROUNDS]]; prints a
 * hash of the bytes of both, and the seconds; ends with 1 if a number is wrong.
 */
#include <complex.h>
#include <math.h>
#include <spfft/spfft.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t hash(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++) {
        h = (h ^ at[i]) * UINT64_C(1099511628211);
    }
    return h;
}

static void check(SpfftError error, const char *what)
{
    if (error != SPFFT_SUCCESS) {
        fprintf(stderr, "sparse: %s: error %d of SpFFT\n", what, (int) error);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

/* The value of the coefficient at a frequency: few are not zero, so that space is easy to compute. */
static double complex coefficient(int x, int y, int z)
{
    return x == 1 && y == 2 ? z == 3 ? 1.0 + 0.5 * I : z == 0 ? -0.25 : 0 : x == 3 && y == 0 && z == 1 ? 2.0 * I : 0;
}

/* The sum of those above at a point. */
static double complex point(int x, int y, int z, int n)
{
    const double w = 2 * M_PI / n;
    return (1.0 + 0.5 * I) * cexp(I * w * (x + 2 * y + 3 * z)) - 0.25 * cexp(I * w * (x + 2 * y)) + 2.0 * I * cexp(I * w * (3 * x + z));
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 20, rounds = argc > 2 ? atoi(argv[2]) : 2;
    int rank, ranks, count = 0;
    uint64_t h = UINT64_C(14695981039346656037);
    double worst = 0, seconds = 0, slowest;
    SpfftTransform transform;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (n < 8 || n > 512 || rounds < 1) {
        fprintf(stderr, "sparse: N %d, ROUNDS %d: 8 to 512, and at least 1, are allowed\n", n, rounds);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    /* Sticks along z within a disc, dealt to the ranks in turn. */
    int *at = malloc(3 * sizeof(int) * (size_t) n * (size_t) n * (size_t) n);
    for (int x = 0, stick = 0; x < n; x++) {
        for (int y = 0; y < n; y++) {
            const int inside = (x * x + y * y) * 4 <= 3 * n * n;
            for (int z = 0; inside && stick % ranks == rank && z < n; z++, count++) {
                at[3 * count] = x;
                at[3 * count + 1] = y;
                at[3 * count + 2] = z;
            }
            stick += inside;
        }
    }
    double complex *values = malloc(sizeof(*values) * (size_t) count);
    for (int i = 0; i < count; i++) {
        values[i] = coefficient(at[3 * i], at[3 * i + 1], at[3 * i + 2]);
    }
    const int low = rank * n / ranks, planes = (rank + 1) * n / ranks - low;
    check(spfft_transform_create_independent_distributed(&transform, 1, MPI_COMM_WORLD, SPFFT_EXCH_UNBUFFERED, SPFFT_PU_HOST, SPFFT_TRANS_C2C, n, n, n,
                                                         planes, count, SPFFT_INDEX_TRIPLETS, at),
          "a distributed transform");
    double *raw;
    check(spfft_transform_get_space_domain(transform, SPFFT_PU_HOST, &raw), "its space");
    const double complex *space = (const double complex *) (const void *) raw;
    for (int round = 0; round < rounds; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        seconds -= MPI_Wtime();
        check(spfft_transform_backward(transform, (const double *) values, SPFFT_PU_HOST), "to space");
        check(spfft_transform_forward(transform, SPFFT_PU_HOST, (double *) values, SPFFT_FULL_SCALING), "to frequencies");
        seconds += MPI_Wtime();
        if (round > 0 && round < rounds - 1) {
            continue;
        }
        check(spfft_transform_backward(transform, (const double *) values, SPFFT_PU_HOST), "to space");
        for (int i = 0; i < planes * n * n; i++) {
            worst = fmax(worst, cabs(space[i] - point(i % n, i / n % n, low + i / n / n, n)));
        }
        h = hash(h, space, sizeof(*space) * (size_t) (planes * n * n));
        for (int i = 0; i < count; i++) {
            worst = fmax(worst, cabs(values[i] - coefficient(at[3 * i], at[3 * i + 1], at[3 * i + 2])));
        }
        h = hash(h, values, sizeof(*values) * (size_t) count);
    }
    printf("rank %d: %016llx %s\n", rank, (unsigned long long) h, worst < 1e-11 ? "right" : "WRONG");
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("seconds %.6f\n", slowest);
    }
    check(spfft_transform_destroy(transform), "its end");
    free(values);
    free(at);
    MPI_Finalize();
    return !(worst < 1e-11);
}
