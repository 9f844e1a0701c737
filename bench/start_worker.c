/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What MPI_Init and MPI_Finalize take in a process that does nothing else. One process of
 * bench/run.
 *
 *   start_worker [commit]
 *
 * Prints "init WALL CPU" and "finalize WALL CPU", in nanoseconds; CPU is that of all threads. With
 * "commit", only "commit WALL CPU": making and committing the process's first datatype.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct instant {
    long long wall, cpu;
};

static long long clock_ns(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static struct instant now(void)
{
    return (struct instant){clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_PROCESS_CPUTIME_ID)};
}

static void print(const char *what, const struct instant *from, const struct instant *to)
{
    printf("%s %lld %lld\n", what, to->wall - from->wall, to->cpu - from->cpu);
}

static int times_commit(int argc, char **argv)
{
    struct instant at[2];
    MPI_Datatype type;

    MPI_Init(&argc, &argv);
    at[0] = now();
    MPI_Type_vector(100, 1, 2, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    at[1] = now();
    MPI_Type_free(&type);
    MPI_Finalize();
    print("commit", &at[0], &at[1]);
    return 0;
}

int main(int argc, char **argv)
{
    struct instant at[4];

    if (argc > 1 && strcmp(argv[1], "commit") == 0) {
        return times_commit(argc, argv);
    }
    at[0] = now();
    MPI_Init(&argc, &argv);
    at[1] = at[2] = now();
    MPI_Finalize();
    at[3] = now();
    print("init", &at[0], &at[1]);
    print("finalize", &at[2], &at[3]);
    return 0;
}
