/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FFTW over MPI in two and three dimensions, complex and real, with transposed output and without, forwards and
 * backwards. The input is a few plane waves, so the spectrum is known. transform [N [ROUNDS]]; prints a hash of the
 * bytes of both results, and the seconds that all took; ends with 1 if a number is wrong.
 */
#include <complex.h>
#include <fftw3-mpi.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAVES = 3, DIMENSIONS = 3 };

static const ptrdiff_t waves[WAVES][DIMENSIONS] = {{1, 2, 3}, {5, 0, 1}, {0, 3, 2}};
static const double amplitudes[WAVES] = {1.0, 0.5, -0.25};

typedef struct {
    const char *name;
    int dimensions, real, transposed;
    ptrdiff_t n[DIMENSIONS]; /* of the array; the first is 1 in two dimensions */
} job_t;

static int rank, ranks;

static uint64_t hash(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++) {
        h = (h ^ at[i]) * UINT64_C(1099511628211);
    }
    return h;
}

/* What stands at a point: exp(2 pi i k x / n) for each wave; of a real array, the real part. */
static double complex input(const job_t *job, const ptrdiff_t *at)
{
    double complex sum = 0;
    for (int w = 0; w < WAVES; w++) {
        double phase = 0;
        for (int d = 3 - job->dimensions; d < DIMENSIONS; d++) {
            phase += (double) ((waves[w][d] * at[d]) % job->n[d]) / (double) job->n[d];
        }
        sum += amplitudes[w] * cexp(2 * M_PI * I * phase);
    }
    return job->real ? creal(sum) : sum;
}

/* What the spectrum has at a frequency: a wave's amplitude times the number of points, or half of it at k and at -k. */
static double spectrum(const job_t *job, const ptrdiff_t *at)
{
    double sum = 0;
    for (int w = 0; w < WAVES; w++) {
        int plus = 1, minus = 1;
        for (int d = 3 - job->dimensions; d < DIMENSIONS; d++) {
            plus &= at[d] == waves[w][d];
            minus &= at[d] == (job->n[d] - waves[w][d]) % job->n[d];
        }
        sum += amplitudes[w] * (job->real ? 0.5 * (plus + minus) : plus);
    }
    return sum * (double) (job->n[0] * job->n[1] * job->n[2]);
}

/* The transforms of one job; returns the seconds of ROUNDS pairs of them, and adds the errors to
 * *wrong. */
static double transform(const job_t *job, int rounds, int *wrong)
{
    const int first = 3 - job->dimensions; /* the dimension that is distributed, and the next when transposed */
    const ptrdiff_t *n = job->n, last = job->real ? n[2] / 2 + 1 : n[2];
    ptrdiff_t in_rows, in_start, out_rows, out_start, shape[DIMENSIONS] = {n[0], n[1], last};
    const ptrdiff_t room =
        fftw_mpi_local_size_transposed(job->dimensions, shape + first, MPI_COMM_WORLD, &in_rows, &in_start, &out_rows, &out_start);
    fftw_complex *data = fftw_alloc_complex((size_t) room);
    const unsigned out = FFTW_ESTIMATE | (job->transposed ? FFTW_MPI_TRANSPOSED_OUT : 0);
    const unsigned in = FFTW_ESTIMATE | (job->transposed ? FFTW_MPI_TRANSPOSED_IN : 0);
    fftw_plan forward = job->real ? fftw_mpi_plan_dft_r2c(job->dimensions, n + first, (double *) data, data, MPI_COMM_WORLD, out)
                                  : fftw_mpi_plan_dft(job->dimensions, n + first, data, data, MPI_COMM_WORLD, FFTW_FORWARD, out);
    fftw_plan backward = job->real ? fftw_mpi_plan_dft_c2r(job->dimensions, n + first, data, (double *) data, MPI_COMM_WORLD, in)
                                   : fftw_mpi_plan_dft(job->dimensions, n + first, data, data, MPI_COMM_WORLD, FFTW_BACKWARD, in);
    const double points = (double) (n[0] * n[1] * n[2]);
    const ptrdiff_t row_length = job->real ? 2 * last : n[2]; /* of numbers, with FFTW's padding of real rows */
    const ptrdiff_t middle = job->dimensions == 3 ? n[1] : 1;
    uint64_t h = UINT64_C(14695981039346656037);
    double seconds = 0, worst = 0;

    for (int round = 0; round < rounds; round++) {
        memset(data, 0, (size_t) room * sizeof(*data));
        for (ptrdiff_t i = 0; i < in_rows * middle * n[2]; i++) {
            const ptrdiff_t row = i / n[2], at3[] = {in_start + row / middle, row % middle, i % n[2]};
            const ptrdiff_t at2[] = {0, in_start + row, i % n[2]};
            const double complex value = input(job, job->dimensions == 3 ? at3 : at2);
            if (job->real) {
                ((double *) data)[row * row_length + i % n[2]] = creal(value);
            } else {
                data[i] = value;
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
        seconds -= MPI_Wtime();
        fftw_execute(forward);
        seconds += MPI_Wtime();
        /* Transposed, the first two dimensions change places: of two, these are all. */
        const ptrdiff_t rows = job->transposed ? out_rows : in_rows, start = job->transposed ? out_start : in_start;
        const ptrdiff_t second = job->dimensions == 3 ? (job->transposed ? n[0] : n[1]) : (job->transposed ? n[1] : last);
        const ptrdiff_t third = job->dimensions == 3 ? last : 1;
        for (ptrdiff_t i = 0; i < rows * second * third; i++) {
            ptrdiff_t a = start + i / third / second, b = i / third % second;
            const ptrdiff_t at3[] = {job->transposed ? b : a, job->transposed ? a : b, i % third};
            const ptrdiff_t at2[] = {0, job->transposed ? b : a, job->transposed ? a : b};
            worst = fmax(worst, cabs(data[i] - spectrum(job, job->dimensions == 3 ? at3 : at2)) / points);
        }
        h = hash(h, data, (size_t) (rows * second * third) * sizeof(*data));
        MPI_Barrier(MPI_COMM_WORLD);
        seconds -= MPI_Wtime();
        fftw_execute(backward);
        seconds += MPI_Wtime();
        for (ptrdiff_t i = 0; i < in_rows * middle * n[2]; i++) {
            const ptrdiff_t row = i / n[2], at3[] = {in_start + row / middle, row % middle, i % n[2]};
            const ptrdiff_t at2[] = {0, in_start + row, i % n[2]};
            const double complex want = points * input(job, job->dimensions == 3 ? at3 : at2);
            const double complex is = job->real ? ((double *) data)[row * row_length + i % n[2]] : data[i];
            worst = fmax(worst, cabs(is - want) / points);
            h = hash(h, &is, job->real ? sizeof(double) : sizeof(is));
        }
    }
    printf("rank %d: %s %016llx %s\n", rank, job->name, (unsigned long long) h, worst < 1e-12 ? "right" : "WRONG");
    *wrong |= !(worst < 1e-12);
    fftw_destroy_plan(forward);
    fftw_destroy_plan(backward);
    fftw_free(data);
    return seconds;
}

int main(int argc, char **argv)
{
    const ptrdiff_t n = argc > 1 ? atol(argv[1]) : 16;
    const int rounds = argc > 2 ? atoi(argv[2]) : 1;
    const job_t jobs[] = {
        {"2-D", 2, 0, 0, {1, 4 * n, 6 * n}},
        {"2-D transposed", 2, 0, 1, {1, 4 * n, 6 * n}},
        {"3-D", 3, 0, 0, {n, n + 2, n + 4}},
        {"3-D transposed", 3, 0, 1, {n, n + 2, n + 4}},
        {"2-D real", 2, 1, 1, {1, 4 * n, 6 * n}},
        {"3-D real", 3, 1, 0, {n, n + 2, n + 4}},
        {"3-D real transposed", 3, 1, 1, {n, n + 2, n + 4}},
    };
    int wrong = 0;
    double seconds = 0, slowest;

    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (n < 8 || n > 512 || rounds < 1) {
        fprintf(stderr, "transform: N '%s', ROUNDS '%s': 8 to 512, and at least 1, are allowed\n", argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
        seconds += transform(&jobs[i], rounds, &wrong);
    }
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("seconds %.6f\n", slowest);
    }
    fftw_mpi_cleanup();
    MPI_Finalize();
    return wrong;
}
