/*
 * Times MPI_Accumulate with a vector at the target; one run of bench/onesided.
 *
 *   onesided_worker OSC
 *
 * OSC is the one-sided component that the run was started with (OMPI_MCA_osc); it becomes part of
 * the names. Rank 0 adds contiguous doubles to every second block of the last rank's window, in a
 * passive epoch for each operation. Prints "layout NAME BYTES" for each message and a line per
 * sample:
 *
 *   NAME accumulate mpi NANOSECONDS           for lock, accumulate and unlock
 *
 * Before timing, the window is compared with what it must hold; a difference ends the job.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "options.h"

enum { SMALLEST = 4 << 10, LARGEST = 1 << 20, SAMPLES = 21, DOUBLES_LONG_BLOCK = 16 };

static const double SAMPLE_SECONDS = 300e-6;

typedef struct job {
    MPI_Win win;
    MPI_Datatype vector;
    const double *origin;
    int doubles; /* of a message */
    int target;  /* rank */
} job_t;

static void accumulate(const job_t *job)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, job->target, 0, job->win);
    MPI_Accumulate(job->origin, job->doubles, MPI_DOUBLE, job->target, 0, 1, job->vector, MPI_SUM,
                   job->win);
    MPI_Win_unlock(job->target, job->win);
}

static double time_of(const job_t *job, long repetitions)
{
    const double start = bench_now();
    for (long r = 0; r < repetitions; r++)
        accumulate(job);
    return bench_now() - start;
}

static void measure(const job_t *job, const char *name)
{
    long repetitions = 1;
    while (time_of(job, repetitions) < SAMPLE_SECONDS)
        repetitions *= 2;
    printf("layout %s %zu\n", name, (size_t) job->doubles * sizeof(double));
    for (int s = 0; s < SAMPLES; s++)
        printf("%s accumulate mpi %.1f\n", name,
               1e9 * time_of(job, repetitions) / (double) repetitions);
}

/* The window after one operation: block i of the origin is in block 2 i. */
static void check(const double *window, const double *origin, int doubles, int block)
{
    for (int i = 0; i < 2 * doubles; i++) {
        const bool data = 0 == i / block % 2;
        const double wanted = data ? 1 + origin[i / (2 * block) * block + i % block] : 1;
        if (wanted != window[i]) {
            fprintf(stderr, "onesided_worker: double %d is %g, not %g\n", i, window[i], wanted);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

static void run(const char *osc, int rank, int target, int doubles, int block)
{
    char name[64];
    double *window;
    double *origin = malloc((size_t) doubles * sizeof(*origin));
    job_t job = {.origin = origin, .doubles = doubles, .target = target};
    if (NULL == origin)
        MPI_Abort(MPI_COMM_WORLD, 1);
    snprintf(name, sizeof(name), "%s_%dx%d", osc, doubles / block, block);
    MPI_Type_vector(doubles / block, block, 2 * block, MPI_DOUBLE, &job.vector);
    MPI_Type_commit(&job.vector);
    MPI_Win_allocate(2 * doubles * (MPI_Aint) sizeof(double), 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &window, &job.win);
    for (int i = 0; i < doubles; i++)
        origin[i] = i % 1000;
    for (int i = 0; i < 2 * doubles; i++)
        window[i] = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == rank)
        accumulate(&job);
    MPI_Barrier(MPI_COMM_WORLD);
    if (target == rank)
        check(window, origin, doubles, block);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == rank)
        measure(&job, name);
    MPI_Win_free(&job.win);
    MPI_Type_free(&job.vector);
    free(origin);
}

int main(int argc, char **argv)
{
    int rank;
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (2 != argc) {
        fprintf(stderr, "onesided_worker: an osc component's name is needed\n");
        MPI_Finalize();
        return 2;
    }
    for (int bytes = SMALLEST; bytes <= LARGEST; bytes *= 4) {
        run(argv[1], rank, ranks - 1, bytes / (int) sizeof(double), 1);
        run(argv[1], rank, ranks - 1, bytes / (int) sizeof(double), DOUBLES_LONG_BLOCK);
    }
    MPI_Finalize();
    return 0;
}
