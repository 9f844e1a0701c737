/* What a modelled network, or added latency, promises of time: one fact a run, by name, with V and
 * the network as the runtime's options say. Prints "right", or the measurement.
 *
 *     modelled NAME [LATENCY-US [GB/s]]     as --latency and --bandwidth
 *
 * These are not timed tests. A modelled clock is the CPU time of the node's own tasks plus the
 * network's time, so load on the machine and its speed do not change it: tasks take CPU time until
 * the CPU clock says that it is enough. What little the runtime itself computes is in the bounds,
 * and medians leave out the step that an interrupt hit. With added latency, clocks are real, and
 * only lower bounds are checked. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bamboo/bench/motifs/either.h"

enum { STEPS = 21, BYTES = 4000000 };

struct modelled_state {
    int argc, exit_status;
    char **argv;
    int rank, size, i, j, flag, right, all;
    double latency, rate, start, sent, times[STEPS];
    char *bytes;
    MPI_Request requests[2];
    MPI_Status status;
};

static double cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static void compute(double seconds)
{
    double end = cpu() + seconds;
    while (cpu() < end) {
    }
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double median(double *times, int count)
{
    qsort(times, (size_t) count, sizeof(*times), compare);
    return times[count / 2];
}

/* low <= seconds < high */
static int within(const char *what, double seconds, double low, double high)
{
    if (seconds >= low && seconds < high) {
        return 1;
    }
    fprintf(stderr, "%s: %.3f ms; %.3f to %.3f ms expected\n", what, 1e3 * seconds, 1e3 * low,
            1e3 * high);
    return 0;
}

/* Rank 0 sends at 2 ms from the other node, rank 3 at 4 ms from rank 2's own: that one is there
 * first, whether rank 2 receives, or probes, and whenever it begins to. */
static void first(struct modelled_state *f)
{
    f->right = 1;
    for (f->i = 0; f->i < 3; f->i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        f->start = MPI_Wtime();
        if (f->rank == 0 || f->rank == 3) {
            compute(f->rank == 0 ? 0.002 : 0.004);
            MPI_Iprobe(2, 9, MPI_COMM_WORLD, &f->flag, MPI_STATUS_IGNORE);
            MPI_Send(&f->rank, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
        } else if (f->rank == 2) {
            f->flag = 0;
            if (f->i == 1) {
                while (!f->flag) {
                    MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &f->flag, &f->status);
                }
                f->right &= f->status.MPI_SOURCE == 3;
            } else if (f->i == 2) {
                MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &f->status);
                f->right &= f->status.MPI_SOURCE == 3;
            }
            for (f->j = 3; f->j >= 0; f->j -= 3) {
                MPI_Recv(&f->flag, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &f->status);
                if (f->status.MPI_SOURCE != f->j) {
                    f->right = 0;
                    fprintf(stderr, "%d: from rank %d; %d expected\n", f->i, f->status.MPI_SOURCE,
                            f->j);
                }
            }
        }
    }
}

/* A synchronous send, to a receiver that waits and to one that is late. */
static void ssend(struct modelled_state *f)
{
    const double arrival = f->latency + (f->rate > 0 ? BYTES / f->rate : 0);
    f->right = 1;
    f->bytes = calloc(1, BYTES);
    for (f->i = 0; f->i < 2; f->i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (f->rank == 0) {
            /* The other node runs until then, and waits. */
            compute(f->i == 0 ? 0.004 : 0);
            MPI_Iprobe(1, 9, MPI_COMM_WORLD, &f->flag, MPI_STATUS_IGNORE);
            f->start = MPI_Wtime();
            MPI_Ssend(f->bytes, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            f->right &= within("MPI_Ssend", MPI_Wtime() - f->start, arrival, 3600);
        } else if (f->rank == 1) {
            compute(f->i == 1 ? 0.002 : 0);
            MPI_Recv(f->bytes, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    free(f->bytes);
}

static void wtime(struct modelled_state *f)
{
    f->right = 1;
    for (f->i = 0; f->i < 20; f->i++) {
        int back = 0;
        for (int i = 0; i < 5000; i++) {
            double now = MPI_Wtime();
            back += now < f->start;
            f->start = now;
        }
        if (back > 0) {
            f->right = 0;
            fprintf(stderr, "rank %d: %d of 5000 times before the last one\n", f->rank, back);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* A message is not seen before its latency has passed, by either probe. */
static void probe(struct modelled_state *f)
{
    f->right = 1;
    for (f->i = 0; f->i < 4; f->i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (f->rank == 0) {
            f->sent = MPI_Wtime();
            MPI_Send(&f->sent, 1, MPI_DOUBLE, f->size - 1, 1, MPI_COMM_WORLD);
        } else if (f->rank == f->size - 1) {
            f->flag = 0;
            if (f->i % 2 == 0) {
                MPI_Probe(f->i < 2 ? 0 : MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &f->status);
            }
            while (f->i % 2 == 1 && !f->flag) {
                MPI_Iprobe(f->i < 2 ? 0 : MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &f->flag, &f->status);
            }
            f->start = MPI_Wtime();
            MPI_Recv(&f->sent, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &f->status);
            f->right &= within(f->i % 2 ? "MPI_Iprobe" : "MPI_Probe", f->start - f->sent,
                               0.999 * f->latency, 3600);
        }
    }
}

/* There and back, without bytes and with many. */
static void pingpong(struct modelled_state *f)
{
    f->right = 1;
    f->bytes = calloc(1, BYTES);
    for (f->j = 0; f->j <= BYTES; f->j += BYTES) {
        for (f->i = 0; f->i < STEPS; f->i++) {
            f->start = MPI_Wtime();
            if (f->rank == 0) {
                MPI_Send(f->bytes, f->j, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
                MPI_Recv(f->bytes, f->j, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                f->times[f->i] = MPI_Wtime() - f->start;
            } else if (f->rank == 1) {
                MPI_Recv(f->bytes, f->j, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(f->bytes, f->j, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
            }
        }
        if (f->rank == 0) {
            double network = 2 * (f->latency + (f->rate > 0 ? f->j / f->rate : 0));
            double middle = median(f->times, STEPS);
            f->right &= within("shortest", f->times[0], 0.9999 * network, 3600);
            /* 2 ms, and two copies at 0.4 GB/s or faster */
            f->right &= within("median", middle, network, network + 0.002 + 2 * f->j / 4e8);
        }
    }
    free(f->bytes);
}

/* Each of V tasks of a node computes T / V, then exchanges with the same task of the other node:
 * the messages of one are on their way while the others compute. */
static void overlap(struct modelled_state *f)
{
    const double all = 0.008;
    const int v = f->size / 2;
    f->right = 1;
    f->start = MPI_Wtime();
    for (f->i = 0; f->i < STEPS; f->i++) {
        MPI_Irecv(&f->j, 1, MPI_INT, (f->rank + v) % f->size, 1, MPI_COMM_WORLD, f->requests);
        MPI_Isend(&f->rank, 1, MPI_INT, (f->rank + v) % f->size, 1, MPI_COMM_WORLD,
                  &f->requests[1]);
        MPI_Waitall(2, f->requests, MPI_STATUSES_IGNORE);
        compute(all / v);
        f->times[f->i] = MPI_Wtime() - f->start;
        f->start = MPI_Wtime();
    }
    if (f->rank == 0) {
        double expected = f->latency + all / v > all ? f->latency + all / v : all;
        f->right = within("step", median(f->times, STEPS), 0.85 * expected, 1.15 * expected);
    }
}

static const struct {
    const char *name;
    void (*run)(struct modelled_state *f);
} facts[] = {{"first", first}, {"ssend", ssend},       {"wtime", wtime},
             {"probe", probe}, {"pingpong", pingpong}, {"overlap", overlap}};
enum { FACTS = sizeof(facts) / sizeof(facts[0]) };

static int named(const struct modelled_state *f)
{
    int i = 0;
    while (i < FACTS && (f->argc < 2 || strcmp(f->argv[1], facts[i].name) != 0)) {
        i++;
    }
    return i;
}

static int modelled(int argc, char **argv)
{
    struct modelled_state state = {.argc = argc, .argv = argv}, *f = &state;
    MPI_Comm_rank(MPI_COMM_WORLD, &f->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &f->size);
    f->latency = f->argc > 2 ? 1e-6 * atof(f->argv[2]) : 0;
    f->rate = f->argc > 3 ? 1e9 * atof(f->argv[3]) : 0;
    if (named(f) == FACTS) {
        fprintf(stderr, "no such fact\n");
        f->exit_status = 2;
        return f->exit_status;
    }
    facts[named(f)].run(f);
    MPI_Allreduce(&f->right, &f->all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (f->rank == 0 && f->all) {
        printf("right\n");
    }
    f->exit_status = !f->all;
    return f->exit_status;
}

PROGRAM(modelled)
