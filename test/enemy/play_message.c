/* SPDX-License-Identifier: BSD-3-Clause */
/* Point to point in a ring: every kind of send to every kind of receive. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"

enum send_kind {
    SEND,
    SSEND,
    RSEND,
    PACKED, /* these block; PACKED: packed before, and sent as bytes */
    ISEND,
    ISSEND,
    IRSEND,
    SEND_INIT,
    SSEND_INIT,
    RSEND_INIT,
    BSEND,
    IBSEND,
    BSEND_INIT, /* need a buffer of the process */
    SENDRECV,
    REPLACE, /* also receive */
    SEND_KINDS
};
enum { AT_ONCE = 1000 };
enum recv_kind { IRECV, RECV_INIT, RECV, PROBE, IPROBE, MPROBE, IMPROBE, RECV_KINDS };

static const char *const send_names[] = {
    "Send",   "Ssend",  "Rsend",      "MPI_PACKED", "Isend",
    "Issend", "Irsend", "Send_init",  "Ssend_init", "Rsend_init",
    "Bsend",  "Ibsend", "Bsend_init", "Sendrecv",   "Sendrecv_replace"};
static const char *const recv_names[] = {"Irecv",  "Recv_init", "Recv",   "Probe",
                                         "Iprobe", "Mprobe",    "Improbe"};

typedef struct message {
    play_t *p;
    int send_kind, recv_kind;
    int to, from, tag, source_asked, tag_asked;
    bool early; /* datatypes are freed while they are in use */
    const shape_t *a, *b;
    int64_t sent, room;  /* elements */
    int64_t bytes, fits; /* sent; received */
    buffer_t out, in;
    void *out_at, *in_at; /* what MPI is given: address, count and datatype */
    int out_count, in_count;
    MPI_Datatype out_type, in_type;
    bool out_own, in_own; /* the datatype is this step's */
    unsigned char *packed;
    int packed_size;
    MPI_Request sending, receiving;
    MPI_Status status;
    int code;       /* of the receive */
    char what[100]; /* for messages of differences */
} message_t;

/* ---- ways of sending ---- */

static bool is_ready(int kind)
{
    return kind == RSEND || kind == IRSEND || kind == RSEND_INIT;
}

static bool is_buffered(int kind)
{
    return kind == BSEND || kind == IBSEND || kind == BSEND_INIT;
}

/* The same without a persistent request or a buffer. */
static int plain(int kind)
{
    switch (kind) {
    case SSEND_INIT:
        return ISSEND;
    case RSEND_INIT:
        return IRSEND;
    default:
        return kind == SEND_INIT || is_buffered(kind) ? ISEND : kind;
    }
}

static void choose_kinds(message_t *m)
{
    m->send_kind = (int) pick(m->p, m->p->threaded ? (int) BSEND : (int) SEND_KINDS);
    if (!rules.persistent) {
        m->send_kind = plain(m->send_kind);
    }
    m->recv_kind = (int) pick(m->p, RECV_KINDS);
    if (m->recv_kind >= MPROBE && !rules.matched) {
        m->recv_kind = PROBE;
    }
    if (m->send_kind == BSEND_INIT && m->p->step->rounds > 1) {
        m->send_kind = IBSEND; /* started again, Open MPI's own sends the first bytes */
    }
    if (is_ready(m->send_kind)) {
        m->recv_kind = m->recv_kind % 2 ? RECV_INIT : IRECV;
    }
    if (m->recv_kind >= RECV && m->send_kind <= PACKED) { /* the receive is posted after the send */
        m->send_kind = m->send_kind % 2 ? ISSEND : ISEND;
    }
}

static void choose_amounts(message_t *m, bool may_truncate)
{
    const int64_t size = m->b->size;
    m->sent = m->send_kind == REPLACE && m->a->send_only ? 0 : m->p->step->count;
    m->bytes = m->sent * m->a->size;
    m->room = size ? (m->bytes + size - 1) / size : m->sent;
    /* Open MPI writes others behind the buffer: those to oneself, and those that it does not send
     * at once. */
    may_truncate = may_truncate && m->to != m->p->rank && m->bytes <= AT_ONCE &&
                   m->send_kind != SSEND && m->send_kind != ISSEND && m->send_kind != SSEND_INIT;
    if (pick(m->p, 12) == 0 && may_truncate && m->room > 0) {
        m->room = pick(m->p, m->room);
    } else if (m->send_kind != REPLACE) {
        m->room += pick(m->p, 2);
    }
    m->fits = m->room * size < m->bytes ? m->room * size : m->bytes;
}

/* With a persistent request? */
static bool sends_again(const message_t *m)
{
    return m->send_kind == SEND_INIT || m->send_kind == SSEND_INIT || m->send_kind == RSEND_INIT ||
           m->send_kind == BSEND_INIT;
}

static bool receives_again(const message_t *m)
{
    return m->recv_kind == RECV_INIT && m->send_kind < SENDRECV;
}

static MPI_Datatype absolute(const buffer_t *b, MPI_Datatype type)
{
    int length = (int) b->parts[0].count;
    MPI_Aint where;
    MPI_Datatype out;
    MPI_Get_address(b->parts[0].zero, &where);
    MPI_Type_create_hindexed(1, &length, &where, type, &out);
    MPI_Type_commit(&out);
    return out;
}

/* The datatypes that MPI is given: those of the program, or others that this step makes. */
static void choose_types(message_t *m)
{
    const int kind = (int) pick(m->p, 6);
    m->out_at = m->out.parts[0].zero;
    m->in_at = m->in.parts[0].zero;
    m->out_count = (int) m->sent;
    m->in_count = (int) m->room;
    m->out_type = m->p->types[m->a - m->p->program->shapes];
    m->in_type = m->p->types[m->b - m->p->program->shapes];
    m->out_own = m->in_own = false;
    if (kind == 0 && m->send_kind != REPLACE &&
        (rules.displaced || !(is_contiguous(m->a) || is_contiguous(m->b)))) {
        m->in_type = absolute(&m->in, m->in_type);
        m->out_type = absolute(&m->out, m->out_type);
        m->in_count = m->out_count = 1;
        m->in_at = m->out_at = MPI_BOTTOM;
        m->in_own = m->out_own = true;
    } else if (kind <= 2) {
        m->in_type = datatype_made(m->b);
        m->in_own = true;
        if (kind == 1) {
            MPI_Type_dup(m->out_type, &m->out_type);
            m->out_own = true;
        }
    }
    /* Open MPI frees a persistent request that ends in an error: the next round makes another. */
    m->early = pick(m->p, 2) == 0 &&
               (m->p->step->rounds == 1 ||
                (sends_again(m) == receives_again(m) && (m->fits == m->bytes || !sends_again(m))));
}

static void free_types(message_t *m)
{
    if (m->in_own) {
        MPI_Type_free(&m->in_type);
    }
    if (m->out_own) {
        MPI_Type_free(&m->out_type);
    }
    m->in_own = m->out_own = false;
}

/* ---- calls ---- */

#define OUT m->out_at, m->out_count, m->out_type, m->to, m->tag, m->p->comm
#define IN  m->in_at, m->in_count, m->in_type, m->source_asked, m->tag_asked, m->p->comm

static void post_receive(message_t *m)
{
    if (m->send_kind == SENDRECV || m->send_kind == REPLACE) {
        return;
    }
    if (m->recv_kind == IRECV) {
        succeeded(m->p, MPI_Irecv(IN, &m->receiving), "MPI_Irecv");
    } else if (m->recv_kind == RECV_INIT) {
        if (m->receiving == MPI_REQUEST_NULL) {
            succeeded(m->p, MPI_Recv_init(IN, &m->receiving), "MPI_Recv_init");
        }
        succeeded(m->p, MPI_Start(&m->receiving), "MPI_Start");
    }
}

static void start(message_t *m,
                  int (*init)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *))
{
    if (m->sending == MPI_REQUEST_NULL) {
        succeeded(m->p, init(OUT, &m->sending), "MPI_Send_init or another");
    }
    succeeded(m->p, MPI_Startall(1, &m->sending), "MPI_Startall");
}

static int pack_and_send(message_t *m)
{
    int at = 0;
    MPI_Pack(m->out_at, m->out_count, m->out_type, m->packed, m->packed_size, &at, m->p->comm);
    return MPI_Send(m->packed, at, MPI_PACKED, m->to, m->tag, m->p->comm);
}

static void send_it(message_t *m)
{
    int code = MPI_SUCCESS;
    switch (m->send_kind) {
    case SEND:
        code = MPI_Send(OUT);
        break;
    case SSEND:
        code = MPI_Ssend(OUT);
        break;
    case RSEND:
        code = MPI_Rsend(OUT);
        break;
    case BSEND:
        code = MPI_Bsend(OUT);
        break;
    case PACKED:
        code = pack_and_send(m);
        break;
    case ISEND:
        code = MPI_Isend(OUT, &m->sending);
        break;
    case ISSEND:
        code = MPI_Issend(OUT, &m->sending);
        break;
    case IRSEND:
        code = MPI_Irsend(OUT, &m->sending);
        break;
    case IBSEND:
        code = MPI_Ibsend(OUT, &m->sending);
        break;
    case SEND_INIT:
        start(m, MPI_Send_init);
        break;
    case SSEND_INIT:
        start(m, MPI_Ssend_init);
        break;
    case RSEND_INIT:
        start(m, MPI_Rsend_init);
        break;
    case BSEND_INIT:
        start(m, MPI_Bsend_init);
        break;
    case SENDRECV:
        m->code =
            MPI_Sendrecv(m->out_at, m->out_count, m->out_type, m->to, m->tag, m->in_at, m->in_count,
                         m->in_type, m->source_asked, m->tag_asked, m->p->comm, &m->status);
        return;
    default:
        m->code = MPI_Sendrecv_replace(m->in_at, m->in_count, m->in_type, m->to, m->tag,
                                       m->source_asked, m->tag_asked, m->p->comm, &m->status);
        return;
    }
    succeeded(m->p, code, "sending");
}

static void check_counts(message_t *m, const char *what)
{
    const int64_t size = m->b->size, basics = basics_in(m->p->program, m->bytes);
    const int64_t whole = size == 0 || m->bytes % size ? MPI_UNDEFINED : m->bytes / size;
    const MPI_Datatype type =
        m->p->types[m->b - m->p->program->shapes]; /* the one used may be freed */
    MPI_Count more = -1;
    int count = -1, elements = -1;

    same(m->p, m->from == m->status.MPI_SOURCE && m->tag == m->status.MPI_TAG,
         "%s: source %d, tag %d, and not %d, %d", what, m->status.MPI_SOURCE, m->status.MPI_TAG,
         m->from, m->tag);
    if (size == 0) {
        return;
    }
    MPI_Get_count(&m->status, type, &count);
    MPI_Get_elements(&m->status, type, &elements);
    MPI_Get_elements_x(&m->status, type, &more);
    same(m->p, count == whole, "%s: MPI_Get_count %d and not %lld", what, count, (long long) whole);
    same(m->p, elements == basics && more == basics,
         "%s: MPI_Get_elements %d, _x %lld and not %lld", what, elements, (long long) more,
         (long long) basics);
}

static void receive_now(message_t *m)
{
    MPI_Message matched;
    int flag = 0;

    switch (m->recv_kind) {
    case PROBE:
        MPI_Probe(m->source_asked, m->tag_asked, m->p->comm, &m->status);
        break;
    case IPROBE:
        while (!flag) {
            MPI_Iprobe(m->source_asked, m->tag_asked, m->p->comm, &flag, &m->status);
        }
        break;
    case MPROBE:
        MPI_Mprobe(m->source_asked, m->tag_asked, m->p->comm, &matched, &m->status);
        break;
    case IMPROBE:
        while (!flag) {
            MPI_Improbe(m->source_asked, m->tag_asked, m->p->comm, &flag, &matched, &m->status);
        }
        break;
    default:
        break;
    }
    if (m->recv_kind != RECV) {
        check_counts(m, "probed");
    }
    if (m->recv_kind == MPROBE) {
        m->code = MPI_Mrecv(m->in_at, m->in_count, m->in_type, &matched, &m->status);
    } else if (m->recv_kind == IMPROBE) {
        MPI_Imrecv(m->in_at, m->in_count, m->in_type, &matched, &m->receiving);
    } else {
        m->code = MPI_Recv(IN, &m->status);
    }
}

/* ---- one round ---- */

static uint64_t data_seed(const message_t *m, int round, int rank)
{
    return mixed(m->p->step->seed + m->p->threaded * (uint64_t) m->tag, (uint64_t) round,
                 (uint64_t) rank);
}

static void check_received(message_t *m, int round)
{
    const bool truncated = m->fits < m->bytes;
    const shape_t *sent = m->send_kind == REPLACE ? m->b : m->a;
    unsigned char *stream = stream_of(m->p, sent, m->sent, data_seed(m, round, m->from));

    if (truncated) {
        int class = MPI_SUCCESS;
        MPI_Error_class(m->code, &class);
        same(m->p, class == MPI_ERR_TRUNCATE,
             "%s: a message of %lld bytes received in %lld: error class %d", m->what,
             (long long) m->bytes, (long long) m->fits, class);
        unsigned char *before = must(malloc((size_t) m->in.bytes));
        memcpy(before, m->in.want, (size_t) m->in.bytes);
        expect(&m->in, 0, 0, stream, m->fits);
        for (int64_t i = 0; i < m->in.bytes; i++) { /* the standard does not say how much of it
                                                       arrives */
            if (m->in.block[i] == before[i]) {
                m->in.want[i] = before[i];
            }
        }
        free(before);
    } else if (succeeded(m->p, m->code, "receiving")) {
        check_counts(m, "received");
        expect(&m->in, 0, 0, stream, m->fits);
    }
    buffer_check(m->p, &m->in, m->what);
    if (m->send_kind != REPLACE) {
        buffer_check(m->p, &m->out, "send buffer");
    }
    free(stream);
}

/* A buffer for this message alone. */
static void attach(message_t *m, bool on)
{
    void *old;
    int size;
    if (!is_buffered(m->send_kind)) {
        return;
    }
    if (on) {
        size = (int) m->bytes + MPI_BSEND_OVERHEAD + 1024;
        MPI_Buffer_attach(must(malloc((size_t) size)), size);
    } else {
        MPI_Buffer_detach(&old, &size);
        free(old);
    }
}

static void one_round(message_t *m, int round)
{
    buffer_fill(&m->in,
                data_seed(m, round, m->send_kind == REPLACE ? m->p->rank : 1000 + m->p->rank));
    buffer_fill(&m->out, data_seed(m, round, m->p->rank));
    m->code = MPI_SUCCESS;
    attach(m, true);
    post_receive(m);
    if (is_ready(m->send_kind)) {
        MPI_Barrier(m->p->comm);
    }
    send_it(m);
    if (m->recv_kind >= RECV && m->send_kind < SENDRECV) {
        receive_now(m);
    }
    if (m->early) {
        free_types(m);
    }
    if (m->receiving != MPI_REQUEST_NULL) {
        m->code = MPI_Wait(&m->receiving, &m->status);
    }
    if (m->sending != MPI_REQUEST_NULL) {
        succeeded(m->p, MPI_Wait(&m->sending, MPI_STATUS_IGNORE), "waiting for the send");
    }
    attach(m, false);
    check_received(m, round);
}

/* How many ranks further a message goes. In Open MPI 5, messages of several threads of a rank to
 * itself take each other's place. */
static int distance(play_t *p)
{
    const int shift = (int) pick(p, p->size);
#if defined(OMPI_MAJOR_VERSION) && 5 == OMPI_MAJOR_VERSION
    if (p->threaded && shift == 0) {
        return 1;
    }
#endif
    return shift;
}

void op_message(play_t *p)
{
    const int shift = distance(p);
    message_t m = {.p = p,
                   .to = (p->rank + shift) % p->size,
                   .from = (p->rank + p->size - shift) % p->size,
                   .tag = 10 + p->number,
                   .a = &p->program->shapes[p->step->a],
                   .b = &p->program->shapes[p->step->b],
                   .sending = MPI_REQUEST_NULL,
                   .receiving = MPI_REQUEST_NULL};
    const int any = (int) pick(p, 6);

    choose_kinds(&m);
    if (m.send_kind == REPLACE) {
        m.a = m.b;
    }
    choose_amounts(&m, rules.truncate && m.send_kind != REPLACE && !p->threaded);
    m.source_asked = any == 0 ? MPI_ANY_SOURCE : m.from;
    m.tag_asked = any == 1 ? MPI_ANY_TAG : m.tag;
    m.out = buffer_of(p, m.a, m.sent);
    m.in = buffer_of(p, m.b, m.room);
    m.packed_size = (int) m.bytes + 64;
    m.packed = must(malloc((size_t) m.packed_size));
    choose_types(&m);
    snprintf(m.what, sizeof m.what, "to rank +%d by %s, %s%s, %lld elements, room for %lld", shift,
             send_names[m.send_kind], recv_names[m.recv_kind], m.early ? ", datatypes freed" : "",
             (long long) m.sent, (long long) m.room);
    for (int round = 0; round < p->step->rounds; round++) {
        if (round > 0 && m.early && m.sending == MPI_REQUEST_NULL &&
            m.receiving == MPI_REQUEST_NULL) {
            free_types(&m);
            choose_types(&m);
        }
        one_round(&m, round);
    }
    if (m.source_asked == MPI_ANY_SOURCE) { /* it would take what a rank sends next */
        MPI_Barrier(p->comm);
    }
    if (m.sending != MPI_REQUEST_NULL) {
        MPI_Request_free(&m.sending);
    }
    if (m.receiving != MPI_REQUEST_NULL) {
        MPI_Request_free(&m.receiving);
    }
    free_types(&m);
    free(m.packed);
    buffer_free(&m.in);
    buffer_free(&m.out);
}
