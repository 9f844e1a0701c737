/*
 * Programs of which apps/bamboo/test/overlap/run knows which calls they make.
 *
 *   cases NAME [STEPS]
 *
 * Rank 0 prints a checksum of what the ranks received. The marks at the ends of lines are those
 * that the test looks for.
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LENGTH = 512 };

static int rank, size, steps = 200;
static double out[2][LENGTH], in[2][LENGTH], sum;

static int left(void)
{
    return (rank + size - 1) % size;
}

static int right(void)
{
    return (rank + 1) % size;
}

static void work(int step)
{
    for (int i = 0; i < LENGTH; i++) {
        sum += in[0][i] - 2 * in[1][i];
        out[0][i] = rank + step * 0.5 + i;
        out[1][i] = out[0][i] * 3;
    }
}

static void exchange(MPI_Comm comm)
{
    MPI_Request requests[4];
    MPI_Irecv(in[0], LENGTH, MPI_DOUBLE, right(), 1, comm, &requests[0]);
    MPI_Irecv(in[1], LENGTH, MPI_DOUBLE, left(), 2, comm, &requests[1]);
    MPI_Isend(out[0], LENGTH, MPI_DOUBLE, left(), 1, comm, &requests[2]);
    MPI_Isend(out[1], LENGTH, MPI_DOUBLE, right(), 2, comm, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE); /* exchange */
}

static void halo(void)
{
    for (int step = 0; step < steps; step++) {
        work(step);
        exchange(MPI_COMM_WORLD);
    }
}

/* A communicator of its own, with ranks the other way round. */
static void split(void)
{
    MPI_Comm other;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &other);
    rank = size - 1 - rank;
    for (int step = 0; step < steps; step++) {
        work(step);
        exchange(other);
    }
    rank = size - 1 - rank;
    MPI_Comm_free(&other);
}

/* Three exchanges by one function, and a collective. */
static void fields(void)
{
    for (int step = 0; step < steps; step++) {
        for (int field = 0; field < 3; field++) {
            work(step + field);
            exchange(MPI_COMM_WORLD);
        }
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* fields */
    }
}

/* As a solver: 10 to 29 iterations a step, each with an exchange and two dot products. */
static void solver(void)
{
    double dot[2] = {1, 1};
    for (int step = 0; step < steps; step++) {
        for (int iteration = 0; iteration < 10 + step % 20; iteration++) {
            exchange(MPI_COMM_WORLD);
            MPI_Allreduce(&dot[0], &dot[1], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD); /* first dot */
            MPI_Allreduce(&dot[1], &dot[0], 1, MPI_DOUBLE, MPI_MAX,
                          MPI_COMM_WORLD); /* second dot */
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    sum += dot[0];
}

/* The second loop makes more calls than are kept. */
static void phases(void)
{
    for (int step = 0; step < steps; step++) {
        work(step);
        /* first phase */ MPI_Sendrecv(out[0], LENGTH, MPI_DOUBLE, left(), 3, in[0], LENGTH,
                                       MPI_DOUBLE, right(), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int step = 0; step < 20000; step++) {
        double token = step;
        MPI_Sendrecv_replace(&token, 1, MPI_DOUBLE, rank, 4, rank, 4, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        /* second phase */ MPI_Allreduce(MPI_IN_PLACE, &token, 1, MPI_DOUBLE, MPI_MAX,
                                         MPI_COMM_SELF);
        sum += token;
    }
}

static void persistent(void)
{
    MPI_Request requests[4];
    MPI_Recv_init(in[0], LENGTH, MPI_DOUBLE, right(), 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(in[1], LENGTH, MPI_DOUBLE, left(), 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Send_init(out[0], LENGTH, MPI_DOUBLE, left(), 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Send_init(out[1], LENGTH, MPI_DOUBLE, right(), 2, MPI_COMM_WORLD, &requests[3]);
    for (int step = 0; step < steps; step++) {
        work(step);
        MPI_Startall(4, requests);
        for (int done = 0, index; done < 4; done++) {
            MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE); /* persistent */
        }
    }
    for (int i = 0; i < 4; i++) {
        MPI_Request_free(&requests[i]);
    }
}

/* Eight messages, each waited for alone: most calls of MPI_Wait follow another. */
static void neighbours(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    enum { MESSAGES = 8 };
    for (int step = 0; step < steps; step++) {
        MPI_Request requests[2 * MESSAGES];
        for (int m = 0; m < MESSAGES; m++) {
            MPI_Irecv(&in[0][m], 1, MPI_DOUBLE, right(), m, MPI_COMM_WORLD, &requests[m]);
            MPI_Isend(&out[0][m], 1, MPI_DOUBLE, left(), m, MPI_COMM_WORLD,
                      &requests[MESSAGES + m]);
        }
        for (int m = 0; m < 2 * MESSAGES; m++) {
            MPI_Wait(&requests[m], MPI_STATUS_IGNORE);
        }
        nanosleep(&pause, NULL);
        work(step);
    }
}

/* Odd ranks are late. */
static void late(void)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    for (int step = 0; step < steps; step++) {
        if (rank % 2 == 1) {
            nanosleep(&pause, NULL);
        }
        if (rank % 2 == 0) {
            MPI_Recv(in[0], LENGTH, MPI_DOUBLE, right(), 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE); /* late */
            MPI_Send(out[0], LENGTH, MPI_DOUBLE, right(), 2, MPI_COMM_WORLD);
        } else {
            MPI_Send(out[0], LENGTH, MPI_DOUBLE, left(), 1, MPI_COMM_WORLD);
            MPI_Recv(in[0], LENGTH, MPI_DOUBLE, left(), 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        work(step);
    }
}

static void wild(void)
{
    for (int step = 0; step < steps; step++) {
        MPI_Request request;
        MPI_Isend(out[0], LENGTH, MPI_DOUBLE, left(), 1, MPI_COMM_WORLD, &request);
        MPI_Recv(in[0], LENGTH, MPI_DOUBLE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        work(step);
    }
}

static void *other_thread(void *unused)
{
    (void) unused;
    for (int i = 0; i < 40; i++) {
        int token = i;
        MPI_Bcast(&token, 1, MPI_INT, 0, MPI_COMM_SELF);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other_thread, NULL);
    halo();
    pthread_join(thread, NULL);
}

static void *halo_thread(void *unused)
{
    (void) unused;
    halo();
    return NULL;
}

/* All but MPI_Init and the end in another thread. */
static void elsewhere(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, halo_thread, NULL);
    pthread_join(thread, NULL);
}

/* Waits by testing. */
static void polling(void)
{
    for (int step = 0; step < steps; step++) {
        MPI_Request request;
        int flag = 0;
        MPI_Irecv(in[0], LENGTH, MPI_DOUBLE, right(), 1, MPI_COMM_WORLD, &request);
        MPI_Send(out[0], LENGTH, MPI_DOUBLE, left(), 1, MPI_COMM_WORLD); /* polling */
        while (!flag) {
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        }
        work(step);
    }
}

static void nothing(void)
{
    MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void fails(void)
{
    halo();
    MPI_Finalize();
    exit(3);
}

static void crashes(void)
{
    halo();
    if (rank == 1) {
        raise(SIGKILL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void aborts(void)
{
    halo();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Abort(MPI_COMM_WORLD, 5);
    }
    sleep(60);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {{"halo", halo},
             {"split", split},
             {"fields", fields},
             {"solver", solver},
             {"phases", phases},
             {"late", late},
             {"persistent", persistent},
             {"neighbours", neighbours},
             {"wild", wild},
             {"polling", polling},
             {"threads", threads},
             {"elsewhere", elsewhere},
             {"nothing", nothing},
             {"fails", fails},
             {"crashes", crashes},
             {"aborts", aborts}};

int main(int argc, char **argv)
{
    int given;
    double all;
    MPI_Init_thread(&argc, &argv,
                    argc > 1 &&
                            (strcmp(argv[1], "threads") == 0 || strcmp(argv[1], "elsewhere") == 0)
                        ? MPI_THREAD_MULTIPLE
                        : MPI_THREAD_FUNNELED,
                    &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    steps = argc > 2 ? atoi(argv[2]) : steps;
    for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strcmp(cases[i].name, argv[1]) == 0) {
            cases[i].run();
        }
    }
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%s %.17g\n", argc > 1 ? argv[1] : "", all);
    }
    MPI_Finalize();
    return 0;
}
