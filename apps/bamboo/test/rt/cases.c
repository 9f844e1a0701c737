/* One case a run, by name: what the random schedules do not reach, and programs that are wrong.
 * Rank 0 of a right one prints "right". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bamboo/bench/motifs/either.h"

struct case_state {
    int argc, exit_status;
    char **argv;
    int rank, size, value, other, flag, i, right, all, depth;
    int list[64], result[64];
    MPI_Comm comm, comms[20];
    MPI_Request requests[4];
    MPI_Status status;
    MPI_Op op;
    double before;
};

/* Work between two tests. */
static void work(double seconds)
{
    nanosleep(&(struct timespec){(time_t) seconds, (long) (1e9 * (seconds - (long) seconds))},
              NULL);
}

/* Affine functions modulo 10007: composing them is associative and does not commute. */
static void compose(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const int *left = in;
    int *right = inout;
    (void) type;
    for (int i = 0; i + 1 < *count; i += 2) {
        int a = left[i] * right[i] % 10007, b = (left[i] * right[i + 1] + left[i + 1]) % 10007;
        right[i] = a;
        right[i + 1] = b;
    }
}

static int is(const struct case_state *f, const char *name)
{
    return f->argc > 1 && strcmp(f->argv[1], name) == 0;
}

/* Calls of many levels, in each of which a message is waited for. */
static int deep(int depth)
{
    char large[20000];
    int sum = 0;
    memset(large, depth, sizeof(large));
    MPI_Barrier(MPI_COMM_WORLD);
    if (depth > 0) {
        sum = deep(depth - 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t i = 0; i < sizeof(large); i++) {
        sum += large[i] == (char) depth;
    }
    return sum;
}

static int wrong_argument(struct case_state *f)
{
    if (is(f, "rank")) {
        return MPI_Isend(&f->value, 1, MPI_INT, f->size, 3, MPI_COMM_WORLD, f->requests);
    } else if (is(f, "tag")) {
        return MPI_Irecv(&f->value, 1, MPI_INT, 0, -7, MPI_COMM_WORLD, f->requests);
    } else if (is(f, "count")) {
        return MPI_Isend(&f->value, -2, MPI_INT, 0, 0, MPI_COMM_WORLD, f->requests);
    } else if (is(f, "comm")) {
        return MPI_Isend(&f->value, 1, MPI_INT, 0, 0, MPI_COMM_NULL, f->requests);
    } else if (is(f, "free")) {
        f->comm = MPI_COMM_WORLD;
        return MPI_Comm_free(&f->comm);
    } else if (is(f, "start")) {
        MPI_Isend(&f->value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, f->requests);
        return MPI_Start(f->requests);
    }
    return 0;
}

static void wrong(struct case_state *f)
{
    if (is(f, "root")) {
        MPI_Bcast(&f->value, 1, MPI_INT, -1, MPI_COMM_WORLD);
    } else if (is(f, "long")) {
        MPI_Isend(f->list, 5, MPI_INT, f->rank, 0, MPI_COMM_WORLD, f->requests);
        MPI_Recv(f->result, 4, MPI_INT, f->rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (is(f, "many")) {
        for (f->i = 0; f->i < 20; f->i++) {
            MPI_Comm_dup(MPI_COMM_WORLD, &f->comms[f->i]);
        }
    } else if (is(f, "hang")) {
        MPI_Recv(&f->value, 1, MPI_INT, (f->rank + 1) % f->size, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    } else if (is(f, "names")) {
        /* Ranks of a half, of which 1 is rank 3 of the world; the first request is complete. */
        MPI_Comm_split(MPI_COMM_WORLD, f->rank / 2, 0, &f->comm);
        if (f->rank == 2) {
            MPI_Recv(&f->value, 1, MPI_INT, 1, 5, f->comm, MPI_STATUS_IGNORE);
        } else if (f->rank == 1) {
            MPI_Isend(&f->value, 1, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD, f->requests);
            MPI_Irecv(&f->other, 1, MPI_INT, 3, 7, MPI_COMM_WORLD, &f->requests[1]);
            MPI_Waitall(2, f->requests, MPI_STATUSES_IGNORE);
        } else if (f->rank == 0) {
            MPI_Allreduce(&f->rank, &f->other, 1, MPI_INT, MPI_SUM, f->comm);
        }
        MPI_Barrier(f->comm);
    } else if (is(f, "works")) {
        MPI_Irecv(&f->value, 1, MPI_INT, (f->rank + 1) % f->size, 1, MPI_COMM_WORLD, f->requests);
        for (f->i = 0; f->i < 15; f->i++) {
            MPI_Test(f->requests, &f->flag, MPI_STATUS_IGNORE);
            work(0.1);
        }
        MPI_Isend(&f->rank, 1, MPI_INT, (f->rank + f->size - 1) % f->size, 1, MPI_COMM_WORLD,
                  &f->requests[1]);
        MPI_Waitall(2, f->requests, MPI_STATUSES_IGNORE);
        f->right = f->value == (f->rank + 1) % f->size;
#ifndef PLAIN
    } else if (is(f, "exit")) {
        bamboo_exit(f->rank == f->size - 1 ? 3 : 0);
#endif
    } else if (is(f, "result")) {
        f->exit_status = f->rank == f->size - 1 ? 4 : 0;
    }
}

/* Messages to MPI_PROC_NULL, to oneself, without elements, and statuses of null requests. */
static void edges(struct case_state *f)
{
    f->right = 1;
    MPI_Sendrecv(&f->rank, 1, MPI_INT, MPI_PROC_NULL, 0, &f->value, 1, MPI_INT, MPI_PROC_NULL, 0,
                 MPI_COMM_WORLD, &f->status);
    f->right &= f->status.MPI_SOURCE == MPI_PROC_NULL && f->status.MPI_TAG == MPI_ANY_TAG;
    MPI_Probe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &f->status);
    f->right &= f->status.MPI_SOURCE == MPI_PROC_NULL;
    MPI_Sendrecv(&f->rank, 1, MPI_INT, 0, 9, &f->value, 1, MPI_INT, 0, 9, MPI_COMM_SELF,
                 &f->status);
    f->right &= f->value == f->rank && f->status.MPI_SOURCE == 0 && f->status.MPI_TAG == 9;
    MPI_Sendrecv(NULL, 0, MPI_INT, f->rank, 2, NULL, 0, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
                 MPI_COMM_WORLD, &f->status);
    MPI_Get_count(&f->status, MPI_INT, &f->value);
    f->right &= f->value == 0 && f->status.MPI_SOURCE == f->rank && f->status.MPI_TAG == 2;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &f->flag, &f->status);
    f->right &= !f->flag;
    f->requests[0] = f->requests[1] = MPI_REQUEST_NULL;
    MPI_Waitall(2, f->requests, MPI_STATUSES_IGNORE);
    MPI_Waitany(2, f->requests, &f->i, &f->status);
    f->right &= f->i == MPI_UNDEFINED;
    MPI_Testall(2, f->requests, &f->flag, MPI_STATUSES_IGNORE);
    f->right &= f->flag;
    /* Nothing is received from anywhere after it. */
    MPI_Barrier(MPI_COMM_WORLD);
    /* A send that is freed before it is received. */
    f->value = f->rank + 70;
    MPI_Issend(&f->value, 1, MPI_INT, (f->rank + 1) % f->size, 4, MPI_COMM_WORLD, f->requests);
    MPI_Request_free(f->requests);
    MPI_Recv(&f->other, 1, MPI_INT, (f->rank + f->size - 1) % f->size, 4, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    f->right &= f->other == (f->rank + f->size - 1) % f->size + 70;
    /* Never received: it ends with the program. */
    MPI_Send(&f->value, 1, MPI_INT, f->rank, 77, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void reductions(struct case_state *f)
{
    int a = 1, b = 0;
    f->right = 1;
    f->list[0] = 3 + f->rank;
    f->list[1] = 5 * f->rank + 1;
    MPI_Op_create(compose, 0, &f->op);
    MPI_Reduce(f->list, f->result, 2, MPI_INT, f->op, f->size - 1, MPI_COMM_WORLD);
    for (int rank = 0; rank < f->size; rank++) {
        b = (a * (5 * rank + 1) + b) % 10007;
        a = a * (3 + rank) % 10007;
    }
    f->right &= f->rank != f->size - 1 || (f->result[0] == a && f->result[1] == b);
    MPI_Op_free(&f->op);
    f->value = f->rank;
    MPI_Allreduce(MPI_IN_PLACE, &f->value, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    f->right &= f->value == f->size - 1;
    f->value = 1;
    MPI_Reduce(f->rank == 0 ? MPI_IN_PLACE : &f->value, &f->value, 1, MPI_INT, MPI_SUM, 0,
               MPI_COMM_WORLD);
    f->right &= f->rank != 0 || f->value == f->size;
    /* Of three kinds of ranks, one takes no part; each asks its own halves again. */
    MPI_Comm_split(MPI_COMM_WORLD, f->rank % 3 == 2 ? MPI_UNDEFINED : f->rank % 3, -f->rank,
                   &f->comms[0]);
    f->right &= (f->rank % 3 == 2) == (f->comms[0] == MPI_COMM_NULL);
    if (f->comms[0] != MPI_COMM_NULL) {
        MPI_Comm_split(f->comms[0], f->rank / 3 % 2, 0, &f->comms[1]);
        f->value = f->rank;
        MPI_Allreduce(&f->value, &f->other, 1, MPI_INT, MPI_SUM, f->comms[1]);
        a = 0;
        for (int rank = 0; rank < f->size; rank++) {
            a += rank % 3 == f->rank % 3 && rank / 3 % 2 == f->rank / 3 % 2 ? rank : 0;
        }
        f->right &= f->other == a;
        MPI_Comm_free(&f->comms[1]);
        MPI_Comm_free(&f->comms[0]);
    }
}

/* A rank that only tests lets the others run, which send the messages that it tests for. */
static void tests(struct case_state *f)
{
    f->before = MPI_Wtime();
    for (f->i = 0; f->i < 50; f->i++) {
        MPI_Irecv(&f->value, 1, MPI_INT, (f->rank + f->size - 1) % f->size, f->i, MPI_COMM_WORLD,
                  f->requests);
        MPI_Isend(&f->i, 1, MPI_INT, (f->rank + 1) % f->size, f->i, MPI_COMM_WORLD,
                  &f->requests[1]);
        for (f->flag = 0; !f->flag;) {
            MPI_Testall(2, f->requests, &f->flag, MPI_STATUSES_IGNORE);
        }
        f->right += f->value == f->i;
    }
    f->right = f->right == 50 && MPI_Wtime() >= f->before;
}

static int cases(int argc, char **argv)
{
    struct case_state state = {.argc = argc, .argv = argv}, *f = &state;
    MPI_Comm_rank(MPI_COMM_WORLD, &f->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &f->size);
    wrong_argument(f);
    if (is(f, "edges")) {
        edges(f);
    } else if (is(f, "reductions")) {
        reductions(f);
    } else if (is(f, "tests")) {
        tests(f);
    } else if (is(f, "deep")) {
        f->right = deep(40) == 41 * 20000;
    } else {
        wrong(f);
    }
    MPI_Allreduce(&f->right, &f->all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (f->rank == 0 && f->all == 1) {
        printf("right\n");
    }
    return f->exit_status;
}

PROGRAM(cases)
