/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Convertors at random: fragments of any length, positions, pieces of memory instead of copies,
 * clones, many at once, in two threads, and one message after another in the same convertor.
 * conv_tools.c checks what each call promises; which calls came before must not show.
 */
#include "conv_tools.h"

#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 24, STEPS = 4000, STEPS_OF_A_CHECK = 50, MEMBERS = 4, MOST_PIECES = 1000 };

/* Messages of one datatype: one with an element more than the subject; the same without that
   element, in the same memory; the subject, in other memory; and one without elements. The memory
   of an absolute layout can only serve the first two. */
typedef struct family {
    subject_t *members[MEMBERS];
    int n;
    bool send_only;
} family_t;

typedef struct slot {
    opal_convertor_t c;
    subject_t *s; /* NULL: prepared for nothing, but perhaps for something before */
    bool constructed, send;
} slot_t;

static slot_t slots[SLOTS];

static family_t family_of(subject_t *s)
{
    const bool absolute = s->layout->arena != NULL;
    const bool more = !absolute || s->count < TYPES_MAX_COUNT;
    family_t f = {.n = absolute ? 2 : MEMBERS, .send_only = s->send_only};
    f.members[0] = subject_new(s->name, s->layout, s->count + more, s->send_only);
    f.members[1] = must_malloc(sizeof(*s));
    f.members[2] = s;
    f.members[3] = subject_new(s->name, s->layout, 0, s->send_only);
    subject_fill(f.members[3], 3);
    subject_fill(s, 4);
    subject_fill(f.members[0], 5);
    *f.members[1] = *f.members[0];
    f.members[1]->count = s->count;
    return f;
}

static void family_free(family_t *f)
{
    subject_free(f->members[0]);
    free(f->members[1]);
    subject_free(f->members[3]);
}

/* ---- Pieces of memory ----------------------------------------------------------------------- */

/* The piece is the message's bytes [at, at + length), and ends where memory jumps. */
static void check_piece(subject_t *s, const struct iovec *piece, size_t at)
{
    const unsigned char *start = piece->iov_base;
    const size_t total = (size_t) subject_bytes(s), end = at + piece->iov_len;
    if (piece->iov_len == 0 || end > total) {
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
    if (end < total && !s->run_start[end % (size_t) s->layout->size]) {
        subject_fault(s, "piece [%zu, %zu) ends inside a run", at, end);
    }
}

/* One call; its pieces go on from the convertor's position. */
static void list_pieces(opal_convertor_t *c, subject_t *s, uint32_t n)
{
    static struct iovec iov[MOST_PIECES];
    uint32_t used = n;
    size_t start = c->bConverted, at = start, length = 12345;
    int32_t rc = opal_convertor_raw(c, iov, &used, &length);
    for (uint32_t i = 0; i < used && i < n; i++) {
        check_piece(s, &iov[i], at);
        at += iov[i].iov_len;
    }
    bool complete = at == (size_t) subject_bytes(s);
    if (used > n || length != at - start || c->bConverted != at || (complete ? 1 : 0) != rc ||
        complete != ((c->flags & CONVERTOR_COMPLETED) != 0) || (used < n && !complete)) {
        subject_fault(s, "[%zu, %zu) in %u of %u pieces: returns %d, length %zu, position %zu",
                      start, at, used, n, rc, length, c->bConverted);
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
        if (length == 0 || c.bConverted != at) {
            subject_fault(s, "position %zu after pieces up to %zu", c.bConverted, at);
            break;
        }
    }
    conv_end(&c);
    subject_check(s, "pack without a buffer");
}

/* ---- Steps of a walk ------------------------------------------------------------------------ */

/* What a PML does with the convertor of a request: clean up, and prepare for the next message. */
static void prepare(slot_t *slot, const family_t *f)
{
    if (!slot->constructed || random_from(0, 3) == 0) {
        conv_construct(&slot->c);
        slot->constructed = true;
    }
    slot->s = f->members[random_from(0, f->n - 1)];
    slot->send = f->send_only || random_from(0, 1) == 0;
    conv_prepare(&slot->c, slot->s, slot->send);
}

static void end(slot_t *slot)
{
    conv_end(&slot->c);
    slot->s = NULL;
}

/* Anywhere, and behind the end. Open MPI 4.1.4's own engine loses track of elements that are cut
   when fragments overtake each other (issues 8442, 8466, 8769). */
static void seek(slot_t *slot, size_t position)
{
    if (!with_dame && !slot->send) {
        position = (size_t) subject_boundary(slot->s, (int64_t) position);
    }
    conv_seek(&slot->c, slot->s, position);
}

static size_t any_place(const slot_t *slot)
{
    const int64_t bytes = subject_bytes(slot->s);
    return (size_t) (random_from(0, 9) == 0
                         ? 0
                         : random_from(0, bytes + 2 * (with_dame || slot->send)));
}

/* The same convertor, datatype and position, but perhaps another message. */
static void take_over(slot_t *slot, const family_t *f)
{
    const size_t position = slot->c.bConverted;
    end(slot);
    prepare(slot, f);
    seek(slot, position);
}

static void make_clone(slot_t *slot)
{
    slot_t *copy = &slots[random_from(0, SLOTS - 1)];
    const bool with_stack = random_from(0, 1) != 0;
    if (copy->s != NULL) {
        return;
    }
    if (!with_dame) { /* which would forget partial_length */
        seek(slot, slot->c.bConverted);
    }
    conv_construct(&copy->c);
    const int rc = opal_convertor_clone(&slot->c, &copy->c, with_stack);
    if (rc != OPAL_SUCCESS || (with_stack && copy->c.bConverted != slot->c.bConverted)) {
        subject_fault(slot->s, "clone gives %d, position %zu, not %zu", rc, copy->c.bConverted,
                      slot->c.bConverted);
    }
    copy->s = slot->s;
    copy->send = slot->send;
    copy->constructed = true;
    if (!with_stack) {
        seek(copy, any_place(copy));
    }
}

/* 4.1.4's own raw loses its place when it starts inside a block, and may never end. */
static void list(slot_t *slot)
{
    if (with_dame || slot->c.bConverted == 0) {
        do {
            list_pieces(&slot->c, slot->s,
                        random_from(0, 3) == 0 ? MOST_PIECES : (uint32_t) random_from(1, 10));
        } while (!(slot->c.flags & CONVERTOR_COMPLETED) && (!with_dame || random_from(0, 3) != 0) &&
                 slot->s->fault[0] == '\0');
    }
}

static void move_some(slot_t *slot)
{
    static const size_t most[] = {8, 40, 100, 1000};
    if (!conv_move_some(&slot->c, slot->s, most[random_from(0, 3)])) {
        (void) conv_move_one(&slot->c, slot->s, 10); /* nothing more */
    }
}

static void step(void *context)
{
    const family_t *f = context;
    slot_t *slot = &slots[random_from(0, SLOTS - 1)];
    if (slot->s == NULL) {
        prepare(slot, f);
        return;
    }
    switch (random_from(0, 15)) {
    case 0:
        end(slot);
        break;
    case 1:
        conv_finish(&slot->c, slot->s, 300);
        end(slot);
        break;
    case 2:
        take_over(slot, f);
        break;
    case 3:
        make_clone(slot);
        break;
    case 4:
        list(slot);
        break;
    case 5:
    case 6:
        seek(slot, any_place(slot));
        break;
    default:
        move_some(slot);
        break;
    }
}

/* Every position in order, and back. */
static void every_position(subject_t *s)
{
    opal_convertor_t c;
    const size_t last = (size_t) subject_bytes(s) + 2, stride = 1 + last / 3000;
    conv_start(&c, s, true);
    for (size_t p = 0; p <= last; p += stride) {
        conv_seek(&c, s, p);
    }
    for (size_t p = 0; p <= last; p += stride) {
        conv_seek(&c, s, last - p);
    }
    conv_finish(&c, s, 200);
    conv_end(&c);
    subject_check(s, "every position");
}

void test_walks(const subjects_t *set)
{
    for (int i = 0; i < set->n; i++) {
        family_t f = family_of(set->all[i]);
        char what[80];
        every_position(f.members[0]);
        if (f.members[0]->layout->type->super.flags & OPAL_DATATYPE_FLAG_CONTIGUOUS) {
            pack_without_buffer(f.members[0]);
        }
        for (int n = 1; n <= STEPS; n++) {
            if (random_from(0, 4) == 0) {
                second_thread(step, &f);
            } else {
                step(&f);
            }
            for (int m = 0; 0 == n % STEPS_OF_A_CHECK && m < f.n; m++) {
                snprintf(what, sizeof(what), "walk of %d steps, message %d", n, m);
                subject_check(f.members[m], what);
            }
        }
        for (int k = 0; k < SLOTS; k++) {
            if (slots[k].s != NULL) {
                end(&slots[k]);
            }
        }
        family_free(&f);
    }
}
