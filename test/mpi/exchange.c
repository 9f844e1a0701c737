/* SPDX-License-Identifier: BSD-3-Clause */
/* One message between two ranks, sent and received in every way. */
#include <stdlib.h>

#include "exchange.h"
#include "types.h"

enum { READY = 8 };

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
        MPI_Ssend(m->buf, n, type, to, EXCHANGE_TAG, MPI_COMM_WORLD);
        break;
    case BSEND:
        MPI_Bsend(m->buf, n, type, to, EXCHANGE_TAG, MPI_COMM_WORLD);
        break;
    case RSEND:
        MPI_Recv(NULL, 0, MPI_BYTE, to, READY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Rsend(m->buf, n, type, to, EXCHANGE_TAG, MPI_COMM_WORLD);
        break;
    case ISEND:
        MPI_Isend(m->buf, n, type, to, EXCHANGE_TAG, MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        break;
    case ISSEND:
        MPI_Issend(m->buf, n, type, to, EXCHANGE_TAG, MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        break;
    case SEND_PERSISTENT:
        MPI_Send_init(m->buf, n, type, to, EXCHANGE_TAG, MPI_COMM_WORLD, &r);
        persistent(&r);
        break;
    default:
        MPI_Send(m->buf, n, type, to, EXCHANGE_TAG, MPI_COMM_WORLD);
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
        MPI_Irecv(m->buf, n, type, from, EXCHANGE_TAG, MPI_COMM_WORLD, &r);
        if (tell) {
            MPI_Send(NULL, 0, MPI_BYTE, from, READY, MPI_COMM_WORLD);
        }
        MPI_Wait(&r, s);
        break;
    case RECV_PERSISTENT:
        MPI_Recv_init(m->buf, n, type, from, EXCHANGE_TAG, MPI_COMM_WORLD, &r);
        MPI_Start(&r);
        MPI_Wait(&r, s);
        MPI_Request_free(&r);
        break;
    case MPROBE:
        MPI_Mprobe(from, EXCHANGE_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        MPI_Mrecv(m->buf, n, type, &found, s);
        break;
    case IMPROBE:
        while (!flag) {
            MPI_Improbe(from, EXCHANGE_TAG, MPI_COMM_WORLD, &flag, &found, MPI_STATUS_IGNORE);
        }
        MPI_Imrecv(m->buf, n, type, &found, &r);
        MPI_Wait(&r, s);
        break;
    default:
        MPI_Recv(m->buf, n, type, from, EXCHANGE_TAG, MPI_COMM_WORLD, s);
    }
}

static void check_status(MPI_Status *s, const layout_t *l, int64_t bytes, const char *name)
{
    int count, elements;
    MPI_Count wide;
    int64_t whole = l->size ? bytes / l->size : 0;
    int64_t expected = lay_elements(l, whole + 1, bytes);
    bool even = l->size == 0 || bytes % l->size == 0;

    MPI_Get_count(s, l->type, &count);
    check(count == (even ? whole : MPI_UNDEFINED), "%s: Get_count gives %d", name, count);
    MPI_Get_elements(s, l->type, &elements);
    check(elements == expected, "%s: Get_elements gives %d, not %ld", name, elements,
          (long) expected);
    MPI_Get_elements_x(s, l->type, &wide);
    check(wide == expected, "%s: Get_elements_x gives %ld", name, (long) wide);
}

/* A datatype that this transport sends correctly, else a similar one. */
static enum send_mode sent_by(enum send_mode mode, const layout_t *l)
{
    return (mode == BSEND || mode == SEND_PERSISTENT) && !requests_are_sent_right(l) ? ISEND : mode;
}

static enum recv_mode received_by(enum recv_mode mode)
{
    return (mode == MPROBE || mode == IMPROBE) && !matched_receives_are_right() ? IRECV : mode;
}

void exchange(const layout_t *sent, int64_t count, const layout_t *received, int64_t room,
              enum send_mode how, enum recv_mode what, int from, const char *name)
{
    unsigned seed = (unsigned) (count * 31 + sent->size);
    unsigned char *stream = stream_new(sent, count, seed);

    how = sent_by(how, sent);
    what = received_by(what);
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
        recv_by(what, how == RSEND, &m, from, &status);
        check_status(&status, received, count * sent->size, name);
        check(msg_holds(&m, stream, count * sent->size), "%s, count %ld: %s to %s", name,
              (long) count, send_names[how], recv_names[what]);
        msg_free(&m);
    }
    free(stream);
}
