/* Random schedules of messages, from a seed that all ranks share: each message is received, once,
 * in order, with the right bytes and status. Compiled with -DPLAIN, the same schedules run on MPI
 * itself.
 *
 *     schedules [--seed S] [--cases N] [--first F]
 *
 * A case has up to 60 messages in an order that all ranks go through; so a rank that waits, waits
 * for one that is earlier in the order or at it, and no schedule can hang. Messages with a tag
 * below WILD are received by source and tag. The others are received from anywhere; those of one
 * case and receiver have one size and datatype, since any may come. The last line of rank 0 is "N
 * passed, M failed". */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bamboo/bench/motifs/either.h"

enum { MOST = 60, WILD = 8, TAGS = 12, MOST_RANKS = 64, MOST_COUNT = 6000, MOST_OPEN = 18 };

struct message {
    int from, to, tag, count, strided, how_sent, how_received, other_comm;
    int order; /* among those with its source, destination, tag and communicator */
};

struct schedule_state {
    int argc, exit_status;
    char **argv;
    int rank, size, failed, all_failed, passed, index, which, flag, done, value, sum, swap;
    long seed, cases, first, number;
    MPI_Comm other, half, comm;
    MPI_Datatype every_second;
    struct message list[MOST], *m;
    int count;
    struct message came[MOST]; /* what a receive from anywhere got; without elements: unknown */
    MPI_Request open[MOST_OPEN], late[MOST];
    int late_count;
    int open_message[MOST_OPEN], open_count, indices[MOST_OPEN];
    MPI_Status status, statuses[MOST_OPEN];
    int *buffers[MOST], *extra;
    uint64_t state;
};

static uint32_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t) (*state >> 33);
}

static int below(uint64_t *state, int bound)
{
    return (int) (next(state) % (uint32_t) bound);
}

static void make(struct schedule_state *f)
{
    static const int sizes[] = {0, 1, 7, 100, 1000, 2500, MOST_COUNT};
    uint64_t state = (uint64_t) (f->seed * 1000003 + f->number);
    int counts[MOST_RANKS][2], strided[MOST_RANKS][2];
    f->count = 1 + below(&state, MOST);
    for (int rank = 0; rank < f->size; rank++) {
        for (int comm = 0; comm < 2; comm++) {
            counts[rank][comm] = sizes[below(&state, 7)];
            strided[rank][comm] = below(&state, 2);
        }
    }
    for (int i = 0; i < f->count; i++) {
        struct message *m = &f->list[i];
        *m = (struct message){.from = below(&state, f->size),
                              .to = below(&state, f->size),
                              .tag = below(&state, TAGS),
                              .how_sent = below(&state, 5),
                              .how_received = below(&state, 6),
                              .other_comm = below(&state, 2)};
        m->tag = m->from == m->to ? m->tag % WILD : m->tag;
        m->count = m->tag < WILD ? sizes[below(&state, 7)] : counts[m->to][m->other_comm];
        m->strided = m->tag < WILD ? below(&state, 2) : strided[m->to][m->other_comm];
        /* A rank that sends to itself must not wait for it. */
        m->how_sent = m->from == m->to ? 1 + m->how_sent % 2 : m->how_sent;
        m->how_sent = m->tag < WILD ? m->how_sent : 5 + m->how_sent % 2;
        m->order = 0;
        for (int j = 0; j < i; j++) {
            m->order += f->list[j].from == m->from && f->list[j].to == m->to &&
                        f->list[j].tag == m->tag && f->list[j].other_comm == m->other_comm;
        }
    }
}

static int value_of(const struct message *m, int i)
{
    return i == 0 ? m->order : m->from * 7919 + m->tag * 104729 + m->order * 31 + i;
}

/* Elements lie at every second int if the message is strided. */
static int step_of(const struct message *m)
{
    return m->strided ? 2 : 1;
}

static void fill(struct schedule_state *f, int i)
{
    const struct message *m = &f->list[i];
    int step = step_of(m);
    f->buffers[i] = malloc((2 * MOST_COUNT + 2) * sizeof(int));
    for (int j = 0; j < 2 * MOST_COUNT + 2; j++) {
        f->buffers[i][j] = -1;
    }
    for (int j = 0; j < m->count; j++) {
        f->buffers[i][j * step] = value_of(m, j);
    }
}

static void empty(struct schedule_state *f, int i)
{
    f->buffers[i] = malloc((2 * MOST_COUNT + 2) * sizeof(int));
    for (int j = 0; j < 2 * MOST_COUNT + 2; j++) {
        f->buffers[i][j] = -2;
    }
}

static void complain(struct schedule_state *f, int i, const char *what)
{
    const struct message *m = &f->list[i];
    f->failed++;
    fprintf(stderr,
            "seed %ld, case %ld, message %d (%d to %d, tag %d, %d elements, sent %d, received %d): "
            "rank %d: %s\n",
            f->seed, f->number, i, m->from, m->to, m->tag, m->count, m->how_sent, m->how_received,
            f->rank, what);
}

/* What came: from a rank and with a tag that the status names. */
static void check(struct schedule_state *f, int i, const MPI_Status *status)
{
    const struct message *expected = &f->list[i];
    struct message came = *expected;
    int count, step = step_of(expected), *buffer = f->buffers[i];
    MPI_Get_count(status, expected->strided ? f->every_second : MPI_INT, &count);
    if (expected->tag >= WILD) {
        came.from = status->MPI_SOURCE;
        came.tag = status->MPI_TAG;
        if (came.from < 0 || came.from >= f->size || came.tag < WILD || came.tag >= TAGS) {
            complain(f, i, "status of a message that was not sent");
            return;
        }
        if (came.count > 0) {
            came.order = buffer[0];
            f->came[i] = came;
        }
    } else if (status->MPI_SOURCE != expected->from || status->MPI_TAG != expected->tag) {
        complain(f, i, "status: other source or tag");
    }
    if (count != expected->count) {
        complain(f, i, "status: other count");
    }
    for (int j = 0; j < 2 * MOST_COUNT + 2; j++) {
        int inside = j % step == 0 && j / step < expected->count;
        int value = inside ? value_of(&came, j / step) : -2;
        if (buffer[j] != value) {
            complain(f, i, "other bytes");
            return;
        }
    }
}

/* Receives are posted in the order of the schedule, whenever they complete. */
static void check_order(struct schedule_state *f)
{
    for (int i = 0; i < f->count; i++) {
        for (int j = 0; j < i && f->came[i].count > 0; j++) {
            if (f->came[j].count > 0 && f->came[j].from == f->came[i].from &&
                f->came[j].tag == f->came[i].tag &&
                f->came[j].other_comm == f->came[i].other_comm &&
                f->came[j].order >= f->came[i].order) {
                complain(f, i, "overtaken");
            }
        }
    }
}

static void close_one(struct schedule_state *f, int open, const MPI_Status *status)
{
    int i = f->open_message[open];
    if (i >= 0 && f->list[i].to == f->rank && f->open_message[open] < MOST) {
        check(f, i, status);
    }
    f->open_message[open] = -1;
}

/* Sends are noted as -1: their buffers live until the case ends. */
static int open_slot(struct schedule_state *f, int message)
{
    f->open_message[f->open_count] = message;
    return f->open_count++;
}

static MPI_Datatype type_of(const struct schedule_state *f, const struct message *m)
{
    return m->strided ? f->every_second : MPI_INT;
}

static int source_of(const struct message *m)
{
    return m->tag < WILD ? m->from : MPI_ANY_SOURCE;
}

/* MPI_ANY_TAG would take messages that are received by their tag. */
static int tag_of(const struct message *m)
{
    return m->tag;
}

static void send_one(struct schedule_state *f, int i)
{
    MPI_Request request;
    const struct message *m = &f->list[i];
    MPI_Datatype type = type_of(f, m);
    MPI_Comm comm = m->other_comm ? f->other : MPI_COMM_WORLD;
    fill(f, i);
    if (m->how_sent == 0) {
        MPI_Send(f->buffers[i], m->count, type, m->to, m->tag, comm);
    } else if (m->how_sent == 1) {
        MPI_Isend(f->buffers[i], m->count, type, m->to, m->tag, comm, &f->open[f->open_count]);
        open_slot(f, -1);
    } else if (m->how_sent == 2) {
        MPI_Issend(f->buffers[i], m->count, type, m->to, m->tag, comm, &f->open[f->open_count]);
        open_slot(f, -1);
    } else if (m->how_sent == 5) {
        MPI_Isend(f->buffers[i], m->count, type, m->to, m->tag, comm, &f->late[f->late_count++]);
    } else if (m->how_sent == 6) {
        MPI_Issend(f->buffers[i], m->count, type, m->to, m->tag, comm, &f->late[f->late_count++]);
    } else if (m->how_sent == 3) {
        MPI_Ssend(f->buffers[i], m->count, type, m->to, m->tag, comm);
    } else {
        MPI_Send_init(f->buffers[i], m->count, type, m->to, m->tag, comm, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
}

static void receive_one(struct schedule_state *f, int i)
{
    MPI_Request request;
    const struct message *m = &f->list[i];
    MPI_Datatype type = type_of(f, m);
    MPI_Comm comm = m->other_comm ? f->other : MPI_COMM_WORLD;
    empty(f, i);
    if (m->how_received == 0) {
        MPI_Recv(f->buffers[i], m->count, type, source_of(m), tag_of(m), comm, &f->status);
        check(f, i, &f->status);
    } else if (m->how_received == 1) {
        /* more room than is sent */
        MPI_Probe(source_of(m), tag_of(m), comm, &f->status);
        MPI_Recv(f->buffers[i], MOST_COUNT, type, f->status.MPI_SOURCE, f->status.MPI_TAG, comm,
                 &f->status);
        check(f, i, &f->status);
    } else if (m->how_received == 2) {
        f->flag = 0;
        while (!f->flag) {
            MPI_Iprobe(source_of(m), tag_of(m), comm, &f->flag, &f->status);
        }
        MPI_Recv(f->buffers[i], m->count, type, f->status.MPI_SOURCE, f->status.MPI_TAG, comm,
                 &f->status);
        check(f, i, &f->status);
    } else if (m->how_received == 3) {
        MPI_Recv_init(f->buffers[i], m->count, type, source_of(m), tag_of(m), comm, &request);
        MPI_Startall(1, &request);
        f->flag = 0;
        while (!f->flag) {
            MPI_Test(&request, &f->flag, &f->status);
        }
        check(f, i, &f->status);
        MPI_Request_free(&request);
    } else {
        MPI_Irecv(f->buffers[i], m->count, type, source_of(m), tag_of(m), comm,
                  &f->open[f->open_count]);
        open_slot(f, i);
    }
}

/* Ends some of the messages that are open. */
static void complete_some(struct schedule_state *f)
{
    int how = below(&f->state, 5);
    if (how == 0) {
        MPI_Waitall(f->open_count, f->open, f->statuses);
        for (int open = 0; open < f->open_count; open++) {
            close_one(f, open, &f->statuses[open]);
        }
    } else if (how == 1) {
        for (;;) {
            MPI_Waitany(f->open_count, f->open, &f->which, &f->status);
            if (f->which == MPI_UNDEFINED) {
                break;
            }
            close_one(f, f->which, &f->status);
        }
    } else if (how == 2) {
        for (;;) {
            MPI_Waitsome(f->open_count, f->open, &f->done, f->indices, f->statuses);
            if (f->done == MPI_UNDEFINED) {
                break;
            }
            for (int i = 0; i < f->done; i++) {
                close_one(f, f->indices[i], &f->statuses[i]);
            }
        }
    } else if (how == 3) {
        for (;;) {
            MPI_Testany(f->open_count, f->open, &f->which, &f->flag, &f->status);
            if (f->flag && f->which == MPI_UNDEFINED) {
                break;
            }
            if (f->flag) {
                close_one(f, f->which, &f->status);
            }
        }
    } else {
        for (;;) {
            MPI_Testsome(f->open_count, f->open, &f->done, f->indices, f->statuses);
            if (f->done == MPI_UNDEFINED) {
                break;
            }
            for (int i = 0; i < f->done; i++) {
                close_one(f, f->indices[i], &f->statuses[i]);
            }
        }
    }
    f->open_count = 0;
}

/* Messages that are open must be ended where the order of waiting could close a circle: in the
 * order, a rank is only to wait for a message after all others before it can go on without it. So
 * all are ended before the next wait. */
static int schedules(int argc, char **argv)
{
    struct schedule_state state = {.argc = argc, .argv = argv}, *f = &state;
    MPI_Comm_rank(MPI_COMM_WORLD, &f->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &f->size);
    f->seed = 1;
    f->cases = 100;
    for (int i = 1; i + 1 < f->argc; i += 2) {
        long value = atol(f->argv[i + 1]);
        f->seed = strcmp(f->argv[i], "--seed") == 0 ? value : f->seed;
        f->cases = strcmp(f->argv[i], "--cases") == 0 ? value : f->cases;
        f->first = strcmp(f->argv[i], "--first") == 0 ? value : f->first;
    }
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &f->every_second);
    MPI_Type_commit(&f->every_second);
    MPI_Comm_split(MPI_COMM_WORLD, f->rank % 2, -f->rank, &f->half);
    MPI_Comm_dup(MPI_COMM_WORLD, &f->other);
    for (f->number = f->first; f->number < f->first + f->cases; f->number++) {
        int failed_before = f->failed;
        make(f);
        f->swap = failed_before;
        f->state = (uint64_t) (f->seed * 77 + f->number * 1009 + f->rank);
        memset(f->came, 0, sizeof(f->came));
        for (f->index = 0; f->index < f->count; f->index++) {
            f->m = &f->list[f->index];
            if (f->m->to == f->rank && f->m->from == f->rank) {
                /* opened before it is sent, or it would wait for itself */
                empty(f, f->index);
                f->extra = f->buffers[f->index];
                MPI_Irecv(f->extra, f->m->count, type_of(f, f->m), f->m->from, f->m->tag,
                          f->m->other_comm ? f->other : MPI_COMM_WORLD, &f->open[f->open_count]);
                open_slot(f, MOST + f->index);
                send_one(f, f->index);
                f->indices[0] = f->open_count;
                MPI_Waitall(f->open_count, f->open, f->statuses);
                for (int open = 0; open < f->open_count; open++) {
                    int message = f->open_message[open];
                    if (message >= MOST) {
                        int *sent = f->buffers[f->index];
                        f->buffers[f->index] = f->extra;
                        check(f, message - MOST, &f->statuses[open]);
                        f->buffers[f->index] = sent;
                        free(f->extra);
                    } else {
                        close_one(f, open, &f->statuses[open]);
                    }
                }
                f->open_count = 0;
            } else if (f->m->from == f->rank) {
                send_one(f, f->index);
            } else if (f->m->to == f->rank) {
                receive_one(f, f->index);
            }
            if (f->open_count > 0 && (f->open_count >= MOST_OPEN - 2 || f->index == f->count - 1 ||
                                      below(&f->state, 4) == 0)) {
                complete_some(f);
            }
        }
        if (f->open_count > 0) {
            complete_some(f);
        }
        MPI_Waitall(f->late_count, f->late, MPI_STATUSES_IGNORE);
        f->late_count = 0;
        check_order(f);
        for (int i = 0; i < f->count; i++) {
            free(f->buffers[i]);
            f->buffers[i] = NULL;
        }
        /* One collective operation a case: over all, or over the half of the ranks that is like
         * mine, backwards. */
        f->comm = f->number % 2 ? f->half : f->other;
        f->value = f->rank + 1;
        if (f->number % 3 == 0) {
            MPI_Allreduce(&f->value, &f->sum, 1, MPI_INT, MPI_SUM, f->comm);
            int expected = 0;
            for (int rank = 0; rank < f->size; rank++) {
                expected += f->number % 2 == 0 || rank % 2 == f->rank % 2 ? rank + 1 : 0;
            }
            f->failed += f->sum != expected;
        } else if (f->number % 3 == 1) {
            MPI_Bcast(&f->value, 1, MPI_INT, 0, f->comm);
            int highest =
                (f->size - 1 - f->rank % 2) / 2 * 2 + f->rank % 2; /* rank 0 of the half */
            f->failed += f->value != (f->number % 2 ? highest + 1 : 1);
        } else {
            MPI_Barrier(f->comm);
        }
        f->passed += f->failed == f->swap;
        MPI_Barrier(MPI_COMM_WORLD); /* no message is received from anywhere in another case */
    }
    MPI_Comm_free(&f->half);
    MPI_Comm_free(&f->other);
    MPI_Type_free(&f->every_second);
    MPI_Allreduce(&f->failed, &f->all_failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (f->rank == 0) {
        printf("%ld passed, %d failed\n", f->all_failed == 0 ? f->cases : f->passed, f->all_failed);
    }
    f->exit_status = f->all_failed != 0;
    return f->exit_status;
}

PROGRAM(schedules)
