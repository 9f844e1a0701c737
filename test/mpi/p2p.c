/* SPDX-License-Identifier: BSD-3-Clause */
/* Point-to-point: every way of sending and of receiving moves every datatype's bytes, and no
   others. Needs two ranks. argv[1]: short leaves out a long message. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange.h"
#include "tests.h"
#include "types.h"

enum { EXTRA = 3 };

static void every_type_every_mode(const types_t *types)
{
    static const int counts[] = {0, 1, 2, 7, 31};
    int turn = 0;

    for (int i = 0; i < types_count(types); i++) {
        const type_case_t *c = types_at(types, i);
        for (int k = 0; k < 5; k++) {
            for (int from = 0; from < 2; from++, turn++) {
                int room = counts[k] + (turn / 2 % 2 ? EXTRA : 0);
                const layout_t *to = c->layout;
                layout_t *spread = NULL;
                if (c->send_only) {
                    to = spread = lay_spread(c->layout, 8);
                    lay_commit(spread);
                }
                exchange(c->layout, counts[k], to, room, turn % SEND_MODES, turn % RECV_MODES, from,
                         c->name);
                lay_free(spread);
            }
        }
    }
}

/* The same signature, other places: sent with one, received with the other, and the reverse. */
static void other_type_same_signature(const types_t *types)
{
    layout_t *packed = lay_basic(MPI_PACKED, 1, 1);

    for (int i = 0; i < types_count(types); i++) {
        const type_case_t *c = types_at(types, i);
        const layout_t *l = c->layout;
        int from = i % 2;
        if (l->nruns == 0) {
            continue;
        }
        layout_t *spread = lay_spread(l, 24);
        lay_commit(spread);
        exchange(l, 5, spread, 5, SEND, RECV, from, c->name);
        exchange(l, 5, packed, 5 * l->size, ISEND, IRECV, 1 - from, c->name);
        if (!c->send_only) {
            exchange(spread, 6, l, 7, SSEND, RECV, 1 - from, c->name);
            exchange(packed, 4 * l->size, l, 4, SEND, MPROBE, from, c->name);
        }
        if (lay_uniform(l) != MPI_DATATYPE_NULL) {
            const run_t *r = &l->runs[0];
            layout_t *basic = lay_basic(r->basic, r->elem, r->unit);
            exchange(l, 3, basic, 3 * l->elems, SEND, RECV, from, c->name);
            lay_free(basic);
        }
        lay_free(spread);
    }
    lay_free(packed);
}

/* Both ranks send 2 messages of every type at once and complete all in another order. */
static void many_in_flight(const types_t *types)
{
    int n = types_count(types), total = 0;
    MPI_Request *requests = must_calloc((size_t) n * 4, sizeof(*requests));
    message_t *messages = must_calloc((size_t) n * 4, sizeof(*messages));
    unsigned char **streams = must_calloc((size_t) n * 4, sizeof(*streams));
    uint64_t state = 5;
    int *received = must_calloc((size_t) n * 4, sizeof(int));

    for (int i = 0; my_rank < 2 && i < 2 * n; i++) {
        const type_case_t *c = types_at(types, i % n);
        if (c->send_only || c->layout->arena != NULL) { /* its memory is in use once */
            continue;
        }
        int64_t count = i < n ? 1 : 1 + 4000 / (1 + c->layout->size);
        for (int way = 0; way < 2; way++, total++) {
            message_t *m = &messages[total];
            *m = msg_new(c->layout, count);
            streams[total] = stream_new(c->layout, count, (unsigned) (i * 2 + (my_rank ^ way)));
            received[total] = way;
            if (way) {
                msg_clear(m);
                MPI_Irecv(m->buf, (int) count, c->layout->type, 1 - my_rank, i, MPI_COMM_WORLD,
                          &requests[total]);
            } else {
                msg_fill(m, streams[total]);
                MPI_Isend(m->buf, (int) count, c->layout->type, 1 - my_rank, i, MPI_COMM_WORLD,
                          &requests[total]);
            }
        }
    }
    for (int left = total; left > 0; left--) {
        int at = (int) (random_next(&state) % (uint64_t) total), done;
        while (requests[at] == MPI_REQUEST_NULL) {
            at = (at + 1) % total;
        }
        MPI_Test(&requests[at], &done, MPI_STATUS_IGNORE); /* some finish early, most in turn */
        if (!done) {
            MPI_Waitany(total, requests, &at, MPI_STATUS_IGNORE);
        }
    }
    for (int i = 0; i < total; i++) {
        check(msg_holds(&messages[i], streams[i], messages[i].bytes), "in flight, %s, size %ld",
              received[i] ? "received" : "sent", (long) messages[i].bytes);
        msg_free(&messages[i]);
        free(streams[i]);
    }
    free(received);
    free(streams);
    free(messages);
    free(requests);
}

static void sendrecv(const types_t *types, const types_t *more)
{
    for (int i = 0; my_rank < 2 && i < types_count(types); i++) {
        const type_case_t *c = types_at(types, i);
        const layout_t *in = types_at(more, i)->layout;
        int other = 1 - my_rank, n = 1 + i % 4;
        if (c->send_only) {
            continue;
        }
        unsigned char *mine = stream_new(c->layout, n, (unsigned) (i + my_rank));
        unsigned char *theirs = stream_new(c->layout, n, (unsigned) (i + other));
        message_t out = msg_new(c->layout, n), got = msg_new(in, n);
        msg_fill(&out, mine);
        msg_clear(&got);
        MPI_Sendrecv(out.buf, n, c->layout->type, other, EXCHANGE_TAG, got.buf, n, in->type, other,
                     EXCHANGE_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(msg_holds(&out, mine, out.bytes), "Sendrecv %s: send buffer", c->name);
        check(msg_holds(&got, theirs, got.bytes), "Sendrecv %s", c->name);
        MPI_Sendrecv_replace(out.buf, n, c->layout->type, other, EXCHANGE_TAG, other, EXCHANGE_TAG,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(msg_holds(&out, theirs, out.bytes), "Sendrecv_replace %s", c->name);
        msg_free(&out);
        msg_free(&got);
        free(mine);
        free(theirs);
    }
}

static void long_message(void)
{
    layout_t *doubles = lay_basic(MPI_DOUBLE, 8, 8), *big = lay_vector(4 << 20, 2, 3, doubles);
    lay_commit(big);
    exchange(big, 1, big, 1, SEND, RECV, 0, "64 MiB");
    lay_free(big);
    lay_free(doubles);
}

int p2p_main(int argc, char **argv)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 30); /* large blocks are used again: fewer page faults */
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    check_init(&argc, &argv);
    types_t *types = types_new(), *more = types_new();
    int room = 4 << 20;
    void *attached = must_malloc((size_t) room);

    MPI_Buffer_attach(attached, room);
    every_type_every_mode(types);
    MPI_Buffer_detach(&attached, &room);
    free(attached);
    other_type_same_signature(types);
    many_in_flight(types);
    sendrecv(types, more);
    if (argc < 2 || strcmp(argv[1], "short") != 0) {
        long_message();
    }
    types_free(more);
    types_free(types);
    return check_finish();
}
