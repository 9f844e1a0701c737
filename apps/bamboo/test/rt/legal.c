/* Correct programs that use MPI in rare ways, one a run, by name. Rank 0 prints "right"; the exit
 * status of a rank for which it is not right is 1. Compiled with -DPLAIN, they run on MPI itself.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "bamboo/bench/motifs/either.h"

enum { COMMS = 6, INTS = 8, TYPES = 50, EAGER = 8192 };

struct legal_state {
    int argc, exit_status;
    char **argv;
    int rank, size, last, left, next, i, right, all, flag, value, other, got[COMMS], out[COMMS];
    int list[INTS], result[INTS];
    MPI_Datatype type, types[TYPES];
    MPI_Comm comm, rest, comms[COMMS];
    MPI_Request requests[2 * COMMS];
    MPI_Status status;
    char bytes[EAGER];
};

/* A receive from anywhere is open while others on another communicator name their source. */
static void two_wild(struct legal_state *f)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &f->comm);
    if (f->rank == f->last) {
        MPI_Irecv(&f->value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, f->requests);
    }
    MPI_Barrier(f->comm);
    MPI_Barrier(f->comm);
    f->i = f->rank + 10;
    MPI_Isend(&f->i, 1, MPI_INT, f->next, 1, f->comm, &f->requests[1]);
    MPI_Recv(&f->other, 1, MPI_INT, f->left, 1, f->comm, MPI_STATUS_IGNORE);
    MPI_Wait(&f->requests[1], MPI_STATUS_IGNORE);
    f->right = f->other == f->left + 10;
    MPI_Isend(&f->i, 1, MPI_INT, f->last, f->rank == 0 ? 1 : 2, MPI_COMM_WORLD, &f->requests[1]);
    if (f->rank == f->last) {
        MPI_Wait(f->requests, &f->status);
        f->right &= f->value == 10 && f->status.MPI_SOURCE == 0;
        for (f->i = 1; f->i < f->size; f->i++) {
            MPI_Recv(&f->value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        f->i = f->rank + 10;
    }
    MPI_Wait(&f->requests[1], MPI_STATUS_IGNORE);
    MPI_Comm_free(&f->comm);
}

/* A datatype of every second int; and others, which take the memory of one that is freed. */
static void every_second(struct legal_state *f)
{
    MPI_Type_vector(INTS / 2, 1, 2, MPI_INT, &f->type);
    MPI_Type_commit(&f->type);
    memset(f->result, 0, sizeof(f->result));
}

static void free_and_reuse(struct legal_state *f)
{
    MPI_Type_free(&f->type);
    for (int i = 0; i < TYPES; i++) {
        MPI_Type_vector(2, 2, 3, MPI_INT, &f->types[i]);
        MPI_Type_commit(&f->types[i]);
    }
}

static void free_others(struct legal_state *f)
{
    for (int i = 0; i < TYPES; i++) {
        MPI_Type_free(&f->types[i]);
    }
}

static int holds_every_second(const int *list, const int *packed)
{
    int holds = 1;
    for (int i = 0; i < INTS; i++) {
        holds &= list[i] == (i % 2 == 0 ? packed[i / 2] : 0);
    }
    return holds;
}

/* Datatypes freed while a request uses them: a receive before its message arrives, a persistent one
 * before it is started, and one with its message already there; and a send that waits for its
 * receiver. */
static void free_type(struct legal_state *f)
{
    f->right = 1;
    for (f->i = 0; f->i < 3; f->i++) {
        for (int i = 0; i < INTS; i++) {
            f->list[i] = 100 * f->i + i + 1;
        }
        if (f->i == 2 && f->rank == f->last) {
            MPI_Isend(f->list, INTS / 2, MPI_INT, 0, 1, MPI_COMM_WORLD, f->requests);
        }
        if (f->i == 2) {
            MPI_Barrier(MPI_COMM_WORLD);
        }
        if (f->rank == 0) {
            every_second(f);
            if (f->i == 0) {
                MPI_Irecv(f->result, 1, f->type, f->last, 1, MPI_COMM_WORLD, f->requests);
            } else {
                MPI_Recv_init(f->result, 1, f->type, f->last, 1, MPI_COMM_WORLD, f->requests);
            }
            free_and_reuse(f);
            if (f->i > 0) {
                MPI_Start(f->requests);
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (f->i < 2 && f->rank == f->last) {
            MPI_Isend(f->list, INTS / 2, MPI_INT, 0, 1, MPI_COMM_WORLD, f->requests);
        }
        if (f->rank == 0 || f->rank == f->last) {
            MPI_Wait(f->requests, MPI_STATUS_IGNORE);
        }
        if (f->rank == 0) {
            f->right &= holds_every_second(f->result, f->list);
            if (f->i > 0) {
                MPI_Request_free(f->requests);
            }
            free_others(f);
        }
    }
    if (f->rank == f->last) {
        every_second(f);
        for (int i = 0; i < INTS; i++) {
            f->result[i] = i;
        }
        MPI_Issend(f->result, 1, f->type, 0, 2, MPI_COMM_WORLD, f->requests);
        free_and_reuse(f);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (f->rank == 0) {
        MPI_Recv(f->list, INTS / 2, MPI_INT, f->last, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < INTS / 2; i++) {
            f->right &= f->list[i] == 2 * i;
        }
    }
    if (f->rank == f->last) {
        MPI_Wait(f->requests, MPI_STATUS_IGNORE);
        free_others(f);
    }
}

/* Rank 0 frees a communicator on which a receive from anywhere is open, and makes another with all
 * but the last rank. The last rank's message on the first comes late. None of the other may be
 * taken for it.
 */
static void free_comm(struct legal_state *f)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &f->comm);
    MPI_Comm_split(MPI_COMM_WORLD, f->rank == f->last, 0, &f->rest);
    if (f->rank == 0) {
        MPI_Irecv(&f->value, 1, MPI_INT, MPI_ANY_SOURCE, 1, f->comm, f->requests);
    } else if (f->rank == f->last) {
        for (f->i = 0; f->i < 300; f->i++) {
            MPI_Iprobe(MPI_ANY_SOURCE, 99, f->comm, &f->flag, MPI_STATUS_IGNORE);
        }
        f->out[0] = 70;
        MPI_Issend(f->out, 1, MPI_INT, 0, 1, f->comm, f->requests);
    }
    MPI_Comm_free(&f->comm);
    MPI_Comm_dup(f->rest, &f->comm);
    f->right = 1;
    if (f->rank == (f->size > 2 ? 1 : 0)) {
        f->out[1] = 80;
        MPI_Isend(&f->out[1], 1, MPI_INT, 0, 1, f->comm, &f->requests[1]);
    }
    if (f->rank == 0) {
        MPI_Recv(&f->other, 1, MPI_INT, MPI_ANY_SOURCE, 1, f->comm, &f->status);
        MPI_Wait(f->requests, &f->status);
        f->right = f->other == 80 && f->value == 70;
    }
    MPI_Waitall(2, f->requests, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&f->comm);
    MPI_Comm_free(&f->rest);
}

/* Persistent requests of each kind, started many times; every second time waited for together. */
static void persistent(struct legal_state *f)
{
    MPI_Recv_init(&f->got[0], 1, MPI_INT, f->left, 1, MPI_COMM_WORLD, &f->requests[0]);
    MPI_Recv_init(&f->got[1], 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &f->requests[1]);
    MPI_Send_init(&f->out[0], 1, MPI_INT, f->next, 1, MPI_COMM_WORLD, &f->requests[2]);
    MPI_Ssend_init(&f->out[1], 1, MPI_INT, f->next, 2, MPI_COMM_WORLD, &f->requests[3]);
    f->right = 1;
    for (f->i = 0; f->i < 20; f->i++) {
        f->out[0] = 100 * f->rank + f->i;
        f->out[1] = 100 * f->rank - f->i;
        MPI_Startall(4, f->requests);
        if (f->i % 2 == 0) {
            MPI_Waitall(4, f->requests, MPI_STATUSES_IGNORE);
        } else {
            MPI_Wait(&f->requests[1], &f->status);
            f->right &= f->status.MPI_SOURCE == f->left;
            MPI_Wait(&f->requests[0], MPI_STATUS_IGNORE);
            MPI_Waitall(2, &f->requests[2], MPI_STATUSES_IGNORE);
        }
        f->right &= f->got[0] == 100 * f->left + f->i && f->got[1] == 100 * f->left - f->i;
    }
    for (int i = 0; i < 4; i++) {
        MPI_Request_free(&f->requests[i]);
    }
}

/* A receive of anything is open while its communicator does collective operations. */
static void collectives(struct legal_state *f)
{
    MPI_Irecv(&f->value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, f->requests);
    MPI_Barrier(MPI_COMM_WORLD);
    f->out[0] = f->rank == f->last ? 12345 : 0;
    MPI_Bcast(f->out, 1, MPI_INT, f->last, MPI_COMM_WORLD);
    MPI_Allreduce(&f->rank, &f->out[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(&f->rank, &f->out[2], 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, f->rank % 2, 0, &f->comm);
    f->right = f->out[0] == 12345 && f->out[1] == f->size * (f->size - 1) / 2 &&
               (f->rank != 0 || f->out[2] == f->last);
    MPI_Test(f->requests, &f->flag, MPI_STATUS_IGNORE);
    f->right &= !f->flag;
    MPI_Barrier(MPI_COMM_WORLD);
    f->out[3] = f->rank + 5;
    MPI_Isend(&f->out[3], 1, MPI_INT, f->next, f->rank, MPI_COMM_WORLD, &f->requests[1]);
    MPI_Wait(f->requests, &f->status);
    MPI_Wait(&f->requests[1], MPI_STATUS_IGNORE);
    f->right &=
        f->value == f->left + 5 && f->status.MPI_SOURCE == f->left && f->status.MPI_TAG == f->left;
    MPI_Comm_free(&f->comm);
}

/* Messages of one tag in many communicators, received in another order than sent. */
static void comms(struct legal_state *f)
{
    for (f->i = 0; f->i < COMMS; f->i++) {
        MPI_Comm_split(f->i % 3 == 2 ? f->comms[f->i - 1] : MPI_COMM_WORLD, 0,
                       f->i % 2 ? -f->rank : f->rank, &f->comms[f->i]);
    }
    f->right = 1;
    for (int i = 0; i < COMMS; i++) {
        int me;
        MPI_Comm_rank(f->comms[i], &me);
        f->right &= me == (i % 2 ? f->size - 1 - f->rank : f->rank);
        f->out[i] = 100 * f->rank + i;
        MPI_Isend(&f->out[i], 1, MPI_INT, (me + 1) % f->size, 3, f->comms[i], &f->requests[i]);
    }
    for (int i = COMMS - 1; i >= 0; i--) {
        int me;
        MPI_Comm_rank(f->comms[i], &me);
        MPI_Irecv(&f->got[i], 1, MPI_INT, i % 3 ? (me + f->size - 1) % f->size : MPI_ANY_SOURCE, 3,
                  f->comms[i], &f->requests[COMMS + i]);
    }
    MPI_Waitall(2 * COMMS, f->requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < COMMS; i++) {
        /* Backwards, the one before is the next of the world. */
        f->right &= f->got[i] == 100 * (i % 2 ? f->next : f->left) + i;
        MPI_Comm_free(&f->comms[i]);
    }
}

/* Each rank is initialised and finalised by itself; the last one long after the others. */
static void initialised(struct legal_state *f)
{
    f->right = 1;
#ifndef PLAIN
    MPI_Initialized(&f->flag);
    f->right &= !f->flag;
    MPI_Init(NULL, NULL);
#endif
    MPI_Initialized(&f->flag);
    f->right &= f->flag;
    MPI_Barrier(MPI_COMM_WORLD);
    for (f->i = 0; f->i < 100 && f->rank == f->last; f->i++) {
        MPI_Iprobe(0, 99, MPI_COMM_WORLD, &f->flag, MPI_STATUS_IGNORE);
    }
    MPI_Finalized(&f->flag);
    f->right &= !f->flag;
#ifndef PLAIN
    MPI_Finalize();
    MPI_Finalized(&f->flag);
    f->right &= f->flag;
#endif
}

/* Receives without an answer; plain MPI ends. */
static void unanswered(struct legal_state *f)
{
    MPI_Irecv(&f->value, 1, MPI_INT, f->next, 1, MPI_COMM_WORLD, &f->requests[0]);
    MPI_Irecv(&f->other, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &f->requests[1]);
    f->right = 1;
}

/* 800 MB of messages that may be sent before they are received. */
static void flood(struct legal_state *f)
{
    struct rusage usage;
    f->right = 1;
    for (f->i = 0; f->i < 100000 && f->rank < 2; f->i++) {
        if (f->rank == 0) {
            memcpy(f->bytes, &f->i, sizeof(f->i));
            MPI_Send(f->bytes, EAGER, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        } else {
            MPI_Recv(f->bytes, EAGER, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            f->right &= memcmp(f->bytes, &f->i, sizeof(f->i)) == 0;
        }
    }
    getrusage(RUSAGE_SELF, &usage);
    f->right &= usage.ru_maxrss < 300 * 1024;
    if (!f->right) {
        fprintf(stderr, "rank %d: %ld KB of memory\n", f->rank, usage.ru_maxrss);
    }
}

static const struct {
    const char *name;
    void (*run)(struct legal_state *f);
    int ends; /* whether the ranks can no longer agree after it */
} cases[] = {
    {"two_wild", two_wild, 0},     {"free_type", free_type, 0},     {"free_comm", free_comm, 0},
    {"persistent", persistent, 0}, {"collectives", collectives, 0}, {"comms", comms, 0},
    {"flood", flood, 0},           {"initialised", initialised, 1}, {"unanswered", unanswered, 1}};
enum { CASES = sizeof(cases) / sizeof(cases[0]) };

static int named(const struct legal_state *f)
{
    int i = 0;
    while (i < CASES && (f->argc < 2 || strcmp(f->argv[1], cases[i].name) != 0)) {
        i++;
    }
    return i;
}

static int legal(int argc, char **argv)
{
    struct legal_state state = {.argc = argc, .argv = argv}, *f = &state;
    MPI_Comm_rank(MPI_COMM_WORLD, &f->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &f->size);
    f->last = f->size - 1;
    f->left = (f->rank + f->last) % f->size;
    f->next = (f->rank + 1) % f->size;
    for (int i = 0; i < 2 * COMMS; i++) {
        f->requests[i] = MPI_REQUEST_NULL;
    }
    if (named(f) == CASES) {
        fprintf(stderr, "no such case\n");
        f->exit_status = 2;
        return f->exit_status;
    }
    cases[named(f)].run(f);
    f->all = f->right;
    if (!cases[named(f)].ends) {
        MPI_Allreduce(&f->right, &f->all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    }
    if (f->rank == 0 && f->all) {
        printf("right\n");
    }
    f->exit_status = !f->all;
    return f->exit_status;
}

PROGRAM(legal)
