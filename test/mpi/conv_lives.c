/* Convertors are copied, many are used at once, they move between threads and serve one message
   after another. Nothing of that may show in the data. */
#include "conv_tools.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- clones --------------------------------------------------------------------------------- */

/* A clone in the middle of a message; then both go on, by turns, in fragments of their own. */
static void clone_and_go_on(subject_t *s, bool send, bool copy_stack)
{
    opal_convertor_t first;
    opal_convertor_t copy;
    char what[80];
    conv_start(&first, s, send);
    conv_seek(&first, s, (size_t) random_from(0, subject_bytes(s)));
    if (!with_dame && !send) {
        /* 4.1.4's own engine forgets partial_length when it clones. */
        conv_seek(&first, s, (size_t) subject_boundary(s, (int64_t) first.bConverted));
    } else {
        (void) conv_move_some(&first, s, 60);
    }
    conv_construct(&copy);
    int rc = opal_convertor_clone(&first, &copy, copy_stack);
    if (OPAL_SUCCESS != rc || (copy_stack && copy.bConverted != first.bConverted)) {
        subject_fault(s, "clone gives %d, position %zu, not %zu", rc, copy.bConverted,
                      first.bConverted);
    }
    if (!copy_stack) {
        conv_seek(&copy, s, (size_t) random_from(0, subject_bytes(s)));
    }
    while (!(first.flags & copy.flags & CONVERTOR_COMPLETED)) {
        (void) conv_move_some(random_from(0, 1) ? &first : &copy, s, 60);
    }
    conv_seek(&copy, s, (size_t) random_from(0, subject_bytes(s)));
    conv_end(&first); /* the copy outlives it */
    conv_finish(&copy, s, 60);
    conv_end(&copy);
    snprintf(what, sizeof(what), "clone to %s, %s", send ? "send" : "receive",
             copy_stack ? "with its stack" : "without stack");
    subject_check(s, what);
}

void test_clones(const subjects_t *set)
{
    for (int i = 0; i < set->n; i++) {
        subject_t *s = set->all[i];
        subject_fill(s, 6);
        for (int round = 0; round < 12; round++) {
            clone_and_go_on(s, true, round % 2);
            if (!s->send_only) {
                clone_and_go_on(s, false, round % 2);
            }
        }
    }
}

/* ---- many at once --------------------------------------------------------------------------- */

/* n convertors on one message, each in its own fragments, some repositioned meanwhile. */
static void interleave(subject_t *s, bool send, int n)
{
    opal_convertor_t *all = must_calloc((size_t) n, sizeof(*all));
    char what[80];
    int left = n;
    int repositioned = 0;
    for (int i = 0; i < n; i++) {
        conv_start(&all[i], s, send);
    }
    while (left > 0) {
        opal_convertor_t *c = &all[random_from(0, n - 1)];
        if (c->flags & CONVERTOR_COMPLETED) {
            continue;
        }
        if (with_dame && repositioned < n && 0 == random_from(0, 9)) {
            conv_seek(c, s, (size_t) random_from(0, subject_bytes(s) - 1));
            repositioned++;
        }
        (void) conv_move_some(c, s, (size_t) (1 + subject_bytes(s) / 8));
        left -= 0 != (c->flags & CONVERTOR_COMPLETED);
    }
    for (int i = 0; i < n; i++) {
        conv_end(&all[i]);
    }
    free(all);
    snprintf(what, sizeof(what), "%d convertors at once, %s", n, send ? "sending" : "receiving");
    subject_check(s, what);
}

void test_interleaved(const subjects_t *set)
{
    for (int i = 0; i < set->n; i++) {
        subject_t *s = set->all[i];
        if (0 == subject_bytes(s)) {
            continue;
        }
        subject_fill(s, 7);
        for (int send = s->send_only; send < 2; send++) {
            interleave(s, send, 2);
            interleave(s, send, 2);
            interleave(s, send, 40);
        }
    }
}

/* ---- threads -------------------------------------------------------------------------------- */

typedef struct errand {
    opal_convertor_t *convertor;
    subject_t *subject;
} errand_t;

static void move_there(void *argument)
{
    errand_t *errand = argument;
    (void) conv_move_some(errand->convertor, errand->subject, 40);
}

static void prepare_there(void *argument)
{
    errand_t *errand = argument;
    conv_start(errand->convertor, errand->subject, true);
}

static void finish_there(void *argument)
{
    errand_t *errand = argument;
    conv_finish(errand->convertor, errand->subject, 100);
    conv_end(errand->convertor);
}

/* By turns in two threads; the second one also keeps places of this message from before. */
static void between_threads(subject_t *s, bool send)
{
    opal_convertor_t c;
    errand_t errand = {&c, s};
    conv_start(&c, s, send);
    for (int i = 0; i < 30; i++) {
        if (random_from(0, 1)) {
            second_thread(move_there, &errand);
        } else {
            (void) conv_move_some(&c, s, 40);
        }
        if (with_dame && 0 == random_from(0, 3)) {
            conv_seek(&c, s, (size_t) random_from(0, subject_bytes(s)));
        }
    }
    conv_seek(&c, s, 0);
    second_thread(finish_there, &errand);
    subject_check(s, send ? "two threads by turns, sending" : "two threads by turns, receiving");
    second_thread(prepare_there, &errand);
    conv_finish(&c, s, 100);
    conv_end(&c);
    subject_check(s, "prepared by another thread");
}

void test_threads(const subjects_t *set)
{
    for (int i = 0; i < set->n; i++) {
        subject_t *s = set->all[i];
        subject_fill(s, 8);
        between_threads(s, true);
        if (!s->send_only) {
            between_threads(s, false);
        }
    }
}

/* ---- one after another ---------------------------------------------------------------------- */

/* What a PML does with the convertor of a request: clean up, and prepare for the next message. */
static void use_once(opal_convertor_t *c, subject_t *s, bool send)
{
    conv_prepare(c, s, send);
    for (int64_t n = random_from(0, 4); n > 0; n--) {
        if (with_dame && random_from(0, 1)) {
            conv_seek(c, s, (size_t) random_from(0, subject_bytes(s) + 1));
        }
        (void) conv_move_some(c, s, 50);
    }
    switch (random_from(0, 2)) {
    case 0:
        conv_finish(c, s, 300);
        break;
    case 1:
        conv_seek(c, s, (size_t) subject_bytes(s) + 5);
        break;
    default: /* abandoned */
        break;
    }
    dt_object_destruct(c);
    subject_check(s, "a convertor that served other messages before");
}

/* Nothing to move, while fAdvance is still that of the last message. */
static void use_for_nothing(opal_convertor_t *c, const subject_t *s)
{
    subject_t *none = subject_new(s->name, s->layout, 0, s->send_only);
    struct iovec iov[2] = {{0}};
    uint32_t used = 2;
    size_t length = 12345;
    subject_fill(none, 1);
    conv_prepare(c, none, true);
    (void) conv_move_one(c, none, 10);
    conv_seek(c, none, 0);
    conv_seek(c, none, 7);
    (void) conv_move_one(c, none, 10);
    int32_t rc = opal_convertor_raw(c, iov, &used, &length);
    if (1 != rc || 0 != used || 0 != length) {
        subject_fault(none, "raw of nothing: returns %d, %u pieces, %zu bytes", rc, used, length);
    }
    dt_object_destruct(c);
    subject_check(none, "nothing, after other messages");
    subject_free(none);
}

/* The same convertor, type and position, but another message: other memory, or another count. */
static void take_over(subject_t *s, bool send)
{
    opal_convertor_t c;
    subject_t *others[] = {subject_new(s->name, s->layout, s->count, s->send_only),
                           subject_new(s->name, s->layout, s->count + 1, s->send_only)};
    conv_construct(&c);
    for (int round = 0; round < 6; round++) {
        subject_t *other = others[round % 2];
        subject_fill(s, 11);
        conv_prepare(&c, s, send);
        (void) conv_move_some(&c, s, (size_t) (1 + subject_bytes(s) / 3));
        size_t position = c.bConverted;
        dt_object_destruct(&c);
        subject_check(s, "a message that is abandoned");
        subject_fill(other, 12);
        conv_prepare(&c, other, send);
        conv_seek(&c, other, position);
        conv_finish(&c, other, (size_t) (1 + subject_bytes(s) / 2));
        dt_object_destruct(&c);
        subject_check(other, round % 2 ? "more elements, from the same position"
                                       : "in other memory, from the same position");
    }
    dt_object_destruct(&c);
    subject_free(others[0]);
    subject_free(others[1]);
}

void test_reuse(const subjects_t *set)
{
    opal_convertor_t sender;
    opal_convertor_t receiver;
    conv_construct(&sender);
    conv_construct(&receiver);
    for (int i = 0; i < set->n; i++) {
        subject_fill(set->all[i], (unsigned) i);
    }
    for (int round = 0; round < 6000; round++) {
        subject_t *s = set->all[random_from(0, set->n - 1)];
        if (NULL != s->layout->arena) { /* all subjects of an absolute layout share its memory */
            subject_fill(s, (unsigned) round);
        }
        use_once(&sender, s, true);
        if (!s->send_only) {
            use_once(&receiver, s, false);
        }
        if (0 == round % 7) {
            use_for_nothing(&sender, s);
        }
    }
    dt_object_destruct(&sender);
    dt_object_destruct(&receiver);
    for (int i = 0; i < set->n; i++) {
        subject_t *s = set->all[i];
        if (s->count < TYPES_MAX_COUNT) {
            take_over(s, true);
            if (!s->send_only) {
                take_over(s, false);
            }
        }
    }
}
