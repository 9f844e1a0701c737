/* Lists of pieces of user memory instead of copies: opal_convertor_raw, and pack without a buffer.
 */
#include "conv_tools.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_PIECES = 1000 };

/* The piece is the message's bytes [at, at + length), and ends where memory jumps. */
static void check_piece(subject_t *s, const struct iovec *piece, size_t at)
{
    const unsigned char *start = piece->iov_base;
    size_t total = (size_t) subject_bytes(s);
    if (0 == piece->iov_len || at + piece->iov_len > total) {
        subject_fault(s, "piece of %zu bytes at %zu", piece->iov_len, at);
        return;
    }
    for (size_t b = 0; b < piece->iov_len; b++) {
        if (start + b != subject_at(s, (int64_t) (at + b))) {
            subject_fault(s, "byte %zu of a piece of %zu at %zu is elsewhere", b, piece->iov_len,
                          at);
            return;
        }
    }
    size_t end = at + piece->iov_len;
    if (end < total && !s->run_start[end % (size_t) s->layout->size]) {
        subject_fault(s, "piece [%zu, %zu) ends inside a run", at, end);
    }
}

/* One call; its pieces go on from the convertor's position. */
static void list_pieces(opal_convertor_t *c, subject_t *s, uint32_t n)
{
    static struct iovec iov[MOST_PIECES];
    uint32_t used = n;
    size_t start = c->bConverted;
    size_t at = start;
    size_t length = 12345;
    int32_t rc = opal_convertor_raw(c, iov, &used, &length);
    for (uint32_t i = 0; i < used && i < n; i++) {
        check_piece(s, &iov[i], at);
        at += iov[i].iov_len;
    }
    bool complete = at == (size_t) subject_bytes(s);
    if (used > n || length != at - start || c->bConverted != at || (complete ? 1 : 0) != rc ||
        complete != (0 != (c->flags & CONVERTOR_COMPLETED)) || (used < n && !complete)) {
        subject_fault(s, "[%zu, %zu) in %u of %u pieces: returns %d, length %zu, position %zu",
                      start, at, used, n, rc, length, c->bConverted);
    }
}

static void list_all(opal_convertor_t *c, subject_t *s, uint32_t n)
{
    for (size_t last = c->bConverted + 1;
         !(c->flags & CONVERTOR_COMPLETED) && last != c->bConverted;) {
        last = c->bConverted;
        list_pieces(c, s, n);
    }
    if (!(c->flags & CONVERTOR_COMPLETED)) {
        subject_fault(s, "no progress at %zu", c->bConverted);
    }
    list_pieces(c, s, n);
}

static void every_count(subject_t *s, bool send)
{
    opal_convertor_t c;
    char what[80];
    for (uint32_t n = 1; n <= 11; n++) {
        uint32_t count = n < 11 ? n : MOST_PIECES;
        conv_start(&c, s, send);
        list_all(&c, s, count);
        /* 4.1.4's own raw loses its place when it starts inside a block, and may never end. */
        for (int i = 0; with_dame && i < 6; i++) {
            conv_seek(&c, s, (size_t) random_from(0, subject_bytes(s)));
            if (0 == i % 2) {
                (void) conv_move_some(&c, s, 50);
                list_pieces(&c, s, count);
                (void) conv_move_some(&c, s, 50);
            }
            list_all(&c, s, count);
        }
        conv_end(&c);
        snprintf(what, sizeof(what), "raw %s, %u pieces", send ? "to send" : "to receive", count);
        subject_check(s, what);
    }
}

/* A caller of pack without a buffer is given pointers (opal_datatype_pack.c, contiguous with gaps).
 */
static void pack_without_buffer(subject_t *s)
{
    opal_convertor_t c;
    conv_start(&c, s, true);
    for (size_t at = 0; !(c.flags & (CONVERTOR_COMPLETED | CONVERTOR_NO_OP));) {
        struct iovec iov[2] = {{.iov_base = NULL}, {.iov_base = NULL}};
        uint32_t used = 2;
        size_t length = 0;
        (void) opal_convertor_pack(&c, iov, &used, &length);
        for (uint32_t i = 0; i < used && i < 2; i++) {
            check_piece(s, &iov[i], at);
            at += iov[i].iov_len;
        }
        if (0 == length || c.bConverted != at) {
            subject_fault(s, "position %zu after pieces up to %zu", c.bConverted, at);
            break;
        }
    }
    conv_end(&c);
    subject_check(s, "pack without a buffer");
}

void test_raw(const subjects_t *set)
{
    for (int i = 0; i < set->n; i++) {
        subject_t *s = set->all[i];
        subject_fill(s, 5);
        every_count(s, true);
        if (!s->send_only) {
            every_count(s, false);
        }
        if (s->layout->type->super.flags & OPAL_DATATYPE_FLAG_CONTIGUOUS) {
            pack_without_buffer(s);
        }
    }
}
