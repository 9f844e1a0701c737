/* Point-to-point: every way of sending and of receiving moves every datatype's bytes, and no
   others. Needs two ranks. argv[1]: short leaves out the long messages. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_check.h"
#include "tests.h"
#include "types.h"

enum { TAG = 7, READY = 8, EXTRA = 3 };

enum send_mode { SEND, SSEND, BSEND, RSEND, ISEND, ISSEND, SEND_PERSISTENT, SEND_MODES };
enum recv_mode { RECV, IRECV, RECV_PERSISTENT, MPROBE, IMPROBE, RECV_MODES };

static const char *const send_names[] = {"Send",  "Ssend",  "Bsend",    "Rsend",
                                         "Isend", "Issend", "Send_init"};
static const char *const recv_names[] = {"Recv", "Irecv", "Recv_init", "Mprobe", "Improbe"};

static void persistent(MPI_Request *request)
{
    MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    MPI_Request_free(request);
}

static void send_by(enum send_mode mode, const message_t *m, int to)
{
    MPI_Datatype type = m->layout->type;
    int n = (int) m->count;
    MPI_Request r;

    switch (mode) {
    case SSEND:
        MPI_Ssend(m->buf, n, type, to, TAG, MPI_COMM_WORLD);
        break;
    case BSEND:
        MPI_Bsend(m->buf, n, type, to, TAG, MPI_COMM_WORLD);
        break;
    case RSEND:
        MPI_Recv(NULL, 0, MPI_BYTE, to, READY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Rsend(m->buf, n, type, to, TAG, MPI_COMM_WORLD);
        break;
    case ISEND:
        MPI_Isend(m->buf, n, type, to, TAG, MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        break;
    case ISSEND:
        MPI_Issend(m->buf, n, type, to, TAG, MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        break;
    case SEND_PERSISTENT:
        MPI_Send_init(m->buf, n, type, to, TAG, MPI_COMM_WORLD, &r);
        persistent(&r);
        break;
    default:
        MPI_Send(m->buf, n, type, to, TAG, MPI_COMM_WORLD);
    }
}

static void recv_by(enum recv_mode mode, bool tell, const message_t *m, int from, MPI_Status *s)
{
    MPI_Datatype type = m->layout->type;
    int n = (int) m->count, flag = 0;
    MPI_Request r;
    MPI_Message found;

    switch (tell ? IRECV : mode) {
    case IRECV:
        MPI_Irecv(m->buf, n, type, from, TAG, MPI_COMM_WORLD, &r);
        if (tell) {
            MPI_Send(NULL, 0, MPI_BYTE, from, READY, MPI_COMM_WORLD);
        }
        MPI_Wait(&r, s);
        break;
    case RECV_PERSISTENT:
        MPI_Recv_init(m->buf, n, type, from, TAG, MPI_COMM_WORLD, &r);
        MPI_Start(&r);
        MPI_Wait(&r, s);
        MPI_Request_free(&r);
        break;
    case MPROBE:
        MPI_Mprobe(from, TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        MPI_Mrecv(m->buf, n, type, &found, s);
        break;
    case IMPROBE:
        while (!flag) {
            MPI_Improbe(from, TAG, MPI_COMM_WORLD, &flag, &found, MPI_STATUS_IGNORE);
        }
        MPI_Imrecv(m->buf, n, type, &found, &r);
        MPI_Wait(&r, s);
        break;
    default:
        MPI_Recv(m->buf, n, type, from, TAG, MPI_COMM_WORLD, s);
    }
}

static void check_status(MPI_Status *s, const layout_t *l, int64_t bytes, const char *name)
{
    int count, elements;
    MPI_Count wide;
    int64_t whole = l->size ? bytes / l->size : 0;
    int64_t expected = lay_elements(l, whole + 1, bytes);
    bool even = 0 == l->size || 0 == bytes % l->size;

    MPI_Get_count(s, l->type, &count);
    check(count == (even ? whole : MPI_UNDEFINED), "%s: Get_count gives %d", name, count);
    MPI_Get_elements(s, l->type, &elements);
    check(elements == expected, "%s: Get_elements gives %d, not %ld", name, elements,
          (long) expected);
    MPI_Get_elements_x(s, l->type, &wide);
    check(wide == expected, "%s: Get_elements_x gives %ld", name, (long) wide);
}

/* One message from rank `from` to the other of ranks 0 and 1. Layouts may differ. */
static void one_message(const layout_t *sent, int64_t count, const layout_t *received, int64_t room,
                        enum send_mode how, enum recv_mode what, int from, const char *name)
{
    unsigned seed = (unsigned) (count * 31 + sent->size);
    unsigned char *stream = stream_new(sent, count, seed);

    if (my_rank == from) {
        message_t m = msg_new(sent, count);
        msg_fill(&m, stream);
        send_by(how, &m, 1 - from);
        check(msg_holds(&m, stream, m.bytes), "%s: %s changed the send buffer", name,
              send_names[how]);
        msg_free(&m);
    } else if (my_rank == 1 - from) {
        MPI_Status status;
        message_t m = msg_new(received, room);
        msg_clear(&m);
        recv_by(what, RSEND == how, &m, from, &status);
        check_status(&status, received, count * sent->size, name);
        check(msg_holds(&m, stream, count * sent->size), "%s, count %ld: %s to %s", name,
              (long) count, send_names[how], recv_names[what]);
        msg_free(&m);
    }
    free(stream);
}

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
                one_message(c->layout, counts[k], to, room, turn % SEND_MODES, turn % RECV_MODES,
                            from, c->name);
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
        if (0 == l->nruns) {
            continue;
        }
        layout_t *spread = lay_spread(l, 24);
        lay_commit(spread);
        one_message(l, 5, spread, 5, SEND, RECV, from, c->name);
        one_message(l, 5, packed, 5 * l->size, ISEND, IRECV, 1 - from, c->name);
        if (!c->send_only) {
            one_message(spread, 6, l, 7, SSEND, RECV, 1 - from, c->name);
            one_message(packed, 4 * l->size, l, 4, SEND, MPROBE, from, c->name);
        }
        if (MPI_DATATYPE_NULL != lay_uniform(l)) {
            const run_t *r = &l->runs[0];
            layout_t *basic = lay_basic(r->basic, r->elem, r->unit);
            one_message(l, 3, basic, 3 * l->elems, SEND, RECV, from, c->name);
            lay_free(basic);
        }
        lay_free(spread);
    }
    lay_free(packed);
}

/* The message ends inside an element of the datatype. */
static void partial_element(const types_t *types)
{
    static const char *const names[] = {
        "vector", "indexed", "struct", "subarray-3d-c", "nested-3-vectors", "vector-of-double-int"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const layout_t *l = types_find(types, names[i])->layout;
        layout_t *packed = lay_basic(MPI_PACKED, 1, 1);
        int64_t bytes = 0;
        for (int64_t k = 0; k < l->nruns; k++) { /* after every element of every run */
            for (int64_t e = l->runs[k].elem; e <= l->runs[k].length; e += l->runs[k].elem) {
                bytes += l->runs[k].elem;
                one_message(packed, bytes, l, 2, SEND, RECV, (int) (k % 2), names[i]);
                one_message(packed, l->size + bytes, l, 3, SEND, RECV, (int) (k % 2), names[i]);
            }
        }
        lay_free(packed);
    }
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
        if (c->send_only || NULL != c->layout->arena) { /* its memory is in use once */
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
        while (MPI_REQUEST_NULL == requests[at]) {
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
        MPI_Sendrecv(out.buf, n, c->layout->type, other, TAG, got.buf, n, in->type, other, TAG,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(msg_holds(&out, mine, out.bytes), "Sendrecv %s: send buffer", c->name);
        check(msg_holds(&got, theirs, got.bytes), "Sendrecv %s", c->name);
        MPI_Sendrecv_replace(out.buf, n, c->layout->type, other, TAG, other, TAG, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        check(msg_holds(&out, theirs, out.bytes), "Sendrecv_replace %s", c->name);
        msg_free(&out);
        msg_free(&got);
        free(mine);
        free(theirs);
    }
}

static void self_sends(const types_t *types, const types_t *more)
{
    for (int i = 0; i < types_count(types); i++) {
        const type_case_t *c = types_at(types, i);
        layout_t *spread = lay_spread(types_at(more, i)->layout, 8);
        const layout_t *in = c->send_only ? spread : types_at(more, i)->layout;
        lay_commit(spread);
        for (int n = 1; n < 40; n += 37) {
            unsigned char *stream = stream_new(c->layout, n, (unsigned) i);
            message_t out = msg_new(c->layout, n), got = msg_new(in, n);
            MPI_Request r;
            msg_fill(&out, stream);
            msg_clear(&got);
            MPI_Irecv(got.buf, n, in->type, 0, TAG, MPI_COMM_SELF, &r);
            MPI_Send(out.buf, n, c->layout->type, 0, TAG, MPI_COMM_SELF);
            MPI_Wait(&r, MPI_STATUS_IGNORE);
            check(msg_holds(&got, stream, got.bytes), "to itself: %s", c->name);
            msg_clear(&got);
            MPI_Sendrecv(out.buf, n, c->layout->type, my_rank, TAG, got.buf, n, in->type, my_rank,
                         TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            check(msg_holds(&got, stream, got.bytes), "Sendrecv to itself: %s", c->name);
            msg_free(&out);
            msg_free(&got);
            free(stream);
        }
        lay_free(spread);
    }
}

/* Messages from 1 byte to 64 MiB: one long datatype, or many elements of a short one. */
static void sizes(const types_t *types)
{
    layout_t *chars = lay_basic(MPI_CHAR, 1, 1), *doubles = lay_basic(MPI_DOUBLE, 8, 8);

    for (int64_t bytes = 1, k = 0; bytes <= 64 << 20; bytes = bytes * 4 + (k % 3), k++) {
        char name[64];
        int from = (int) (k % 2);
        snprintf(name, sizeof(name), "%lld bytes", (long long) bytes);
        if (bytes <= 300000) {
            layout_t *l = lay_vector((int) bytes, 1, 2, chars);
            lay_commit(l);
            one_message(l, 1, l, 1, SEND, RECV, from, name);
            one_message(l, 1, l, 2, ISEND, MPROBE, 1 - from, name);
            lay_free(l);
        }
        if (bytes >= 16) {
            layout_t *l = lay_vector((int) (bytes / 16), 2, 3, doubles);
            lay_commit(l);
            one_message(l, 1, l, 1, SEND, RECV, from, name);
            lay_free(l);
        }
        static const char *const names[] = {"indexed", "struct-of-blocks", "contiguous-of-gaps"};
        for (int i = 0; i < 3 && bytes < 20 << 20; i++) {
            const layout_t *l = types_find(types, names[i])->layout;
            one_message(l, 1 + bytes / l->size, l, 1 + bytes / l->size, SEND, IRECV, from, name);
        }
    }
    layout_t *big = lay_vector(4 << 20, 2, 3, doubles);
    lay_commit(big);
    one_message(big, 1, big, 1, SEND, RECV, 0, "64 MiB");
    lay_free(big);
    lay_free(chars);
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
    partial_element(types);
    many_in_flight(types);
    sendrecv(types, more);
    self_sends(types, more);
    if (argc < 2 || 0 != strcmp(argv[1], "short")) {
        sizes(types);
    }
    types_free(more);
    types_free(types);
    return check_finish();
}
