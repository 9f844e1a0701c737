/* Which message a receive gets: random receives by source or from anywhere, by tag or with any tag,
 * against the one matching that MPI allows. Compiled with -DPLAIN, the same cases run on MPI
 * itself.
 *
 *     order [--seed S] [--cases N]
 *
 * A case has one receiver and two communicators. Where one rank alone sends on a communicator,
 * receives there may be from anywhere; else they name their source. So the messages of each sender
 * meet receives in an order that make() knows, whenever they arrive. The last line of rank 0 is "N
 * passed, M failed". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bamboo/bench/motifs/either.h"

enum { MESSAGES = 40, TAGS = 4 };

struct message {
    int comm, from, tag, synchronous; /* in the order in which they are sent */
};

struct receive {
    int comm, from, tag, expected; /* in the order in which they are posted */
};

enum { AT_ONCE, RECEIVES_FIRST, SENDS_FIRST };

struct order_state {
    int argc, exit_status;
    char **argv;
    int rank, size, number, cases, seed, failed, all, i, flag;
    unsigned state;
    int receiver, when, probes, waits;
    struct message sent[MESSAGES];
    struct receive posted[MESSAGES];
    int out[MESSAGES], in[MESSAGES], sends;
    MPI_Comm comms[2];
    MPI_Request send[MESSAGES], recv[MESSAGES];
    MPI_Status statuses[MESSAGES], probed;
};

static int below(struct order_state *f, int bound)
{
    f->state = f->state * 1103515245u + 12345u;
    return (int) ((f->state >> 16) % (unsigned) bound);
}

static int matches(const struct receive *r, const struct message *m)
{
    return r->comm == m->comm && (r->from == MPI_ANY_SOURCE || r->from == m->from) &&
           (r->tag == MPI_ANY_TAG || r->tag == m->tag);
}

/* Each receive is made for a message that no one before it gets, so it gets that one or an earlier
 * one. */
static void make_receive(struct order_state *f, int i, int alone[2], int taken[MESSAGES])
{
    int left[MESSAGES], count = 0;
    for (int j = 0; j < MESSAGES; j++) {
        if (!taken[j]) {
            left[count++] = j;
        }
    }
    const struct message *m = &f->sent[left[below(f, count)]];
    struct receive *r = &f->posted[i];
    *r = (struct receive){.comm = m->comm, .from = m->from, .tag = m->tag};
    r->from = alone[m->comm] >= 0 && below(f, 2) ? MPI_ANY_SOURCE : r->from;
    r->tag = below(f, 2) ? MPI_ANY_TAG : r->tag;
    for (int j = 0; j < count; j++) {
        if (matches(r, &f->sent[left[j]])) {
            r->expected = left[j];
            taken[left[j]] = 1;
            return;
        }
    }
}

static void make(struct order_state *f)
{
    int alone[2], taken[MESSAGES] = {0};
    f->state = (unsigned) f->seed * 1000003u + (unsigned) f->number * 77u + 5;
    f->receiver = below(f, f->size);
    f->when = below(f, 3);
    f->probes = below(f, 2);
    f->waits = f->when == SENDS_FIRST && below(f, 2);
    for (int comm = 0; comm < 2; comm++) {
        alone[comm] = below(f, 3) > 0 ? below(f, f->size) : -1;
    }
    for (int i = 0; i < MESSAGES; i++) {
        struct message *m = &f->sent[i];
        *m = (struct message){
            .comm = below(f, 2), .tag = below(f, TAGS), .synchronous = below(f, 3) == 0};
        m->from = alone[m->comm] >= 0 ? alone[m->comm] : below(f, f->size);
    }
    for (int i = 0; i < MESSAGES; i++) {
        make_receive(f, i, alone, taken);
    }
}

static void start_sends(struct order_state *f)
{
    for (int i = 0; i < MESSAGES; i++) {
        const struct message *m = &f->sent[i];
        if (m->from != f->rank) {
            continue;
        }
        f->out[i] = i;
        if (m->synchronous) {
            MPI_Issend(&f->out[i], 1, MPI_INT, f->receiver, m->tag, f->comms[m->comm],
                       &f->send[f->sends++]);
        } else {
            MPI_Isend(&f->out[i], 1, MPI_INT, f->receiver, m->tag, f->comms[m->comm],
                      &f->send[f->sends++]);
        }
    }
}

static void check(struct order_state *f)
{
    int failed = 0;
    for (int i = 0; i < MESSAGES; i++) {
        const struct receive *r = &f->posted[i];
        const struct message *m = &f->sent[r->expected];
        if (f->in[i] == r->expected && f->statuses[i].MPI_SOURCE == m->from &&
            f->statuses[i].MPI_TAG == m->tag) {
            continue;
        }
        failed = 1;
        fprintf(stderr,
                "seed %d, case %d: rank %d: receive %d (communicator %d, source %d, tag %d) got "
                "message %d of rank %d, tag %d; message %d of rank %d, tag %d expected\n",
                f->seed, f->number, f->rank, i, r->comm, r->from, r->tag, f->in[i],
                f->statuses[i].MPI_SOURCE, f->statuses[i].MPI_TAG, r->expected, m->from, m->tag);
    }
    f->failed += failed;
}

static void receive_all(struct order_state *f)
{
    for (f->i = 0; f->i < MESSAGES; f->i++) {
        MPI_Irecv(&f->in[f->i], 1, MPI_INT, f->posted[f->i].from, f->posted[f->i].tag,
                  f->comms[f->posted[f->i].comm], &f->recv[f->i]);
        if (f->probes && f->i % 7 == 0) {
            MPI_Iprobe(f->posted[f->i].from, f->posted[f->i].tag, f->comms[f->i % 2], &f->flag,
                       &f->probed);
        }
        if (f->waits && f->i % 10 == 4) {
            MPI_Wait(&f->recv[f->i], &f->statuses[f->i]);
        }
    }
}

static int order(int argc, char **argv)
{
    struct order_state state = {.argc = argc, .argv = argv}, *f = &state;
    MPI_Comm_rank(MPI_COMM_WORLD, &f->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &f->size);
    f->seed = 1;
    f->cases = 100;
    for (int i = 1; i + 1 < f->argc; i += 2) {
        int value = atoi(f->argv[i + 1]);
        f->seed = strcmp(f->argv[i], "--seed") == 0 ? value : f->seed;
        f->cases = strcmp(f->argv[i], "--cases") == 0 ? value : f->cases;
    }
    f->comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &f->comms[1]);
    for (f->number = 0; f->number < f->cases; f->number++) {
        make(f);
        f->sends = 0;
        if (f->when != RECEIVES_FIRST) {
            start_sends(f);
        }
        if (f->when == SENDS_FIRST) {
            MPI_Barrier(MPI_COMM_WORLD);
        }
        if (f->rank == f->receiver) {
            receive_all(f);
        }
        if (f->when == RECEIVES_FIRST) {
            MPI_Barrier(MPI_COMM_WORLD);
            start_sends(f);
        }
        if (f->rank == f->receiver) {
            /* Those that receive_all() waited for have their statuses. */
            for (f->i = 0; f->i < MESSAGES; f->i++) {
                if (f->recv[f->i] != MPI_REQUEST_NULL) {
                    MPI_Wait(&f->recv[f->i], &f->statuses[f->i]);
                }
            }
            check(f);
        }
        MPI_Waitall(f->sends, f->send, MPI_STATUSES_IGNORE);
        /* A receive from anywhere must not get a message of the next case. */
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Comm_free(&f->comms[1]);
    MPI_Allreduce(&f->failed, &f->all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (f->rank == 0) {
        printf("%d passed, %d failed\n", f->cases - f->all, f->all);
    }
    f->exit_status = f->all != 0;
    return f->exit_status;
}

PROGRAM(order)
