/* Fragments of every length, at every position, in any order. */
#include "conv_tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The whole message in calls with n iovecs of one length; where not one element fits, with more
 * room. */
static void in_fragments(subject_t *s, bool send, size_t length, uint32_t n)
{
    opal_convertor_t c;
    char what[80];
    size_t more = 0;
    conv_start(&c, s, send);
    while (!(c.flags & CONVERTOR_COMPLETED) && more < 20) {
        size_t rooms[CONV_IOVS];
        for (uint32_t i = 0; i < n; i++) {
            rooms[i] = length + more;
        }
        more = 0 == conv_move(&c, s, rooms, n) ? more + 1 : 0;
    }
    if (more > 0) {
        subject_fault(s, "no progress at %zu", c.bConverted);
    }
    (void) conv_move_one(&c, s, length);
    conv_end(&c);
    snprintf(what, sizeof(what), "%s in fragments of %zu, %u at once", send ? "pack" : "unpack",
             length, n);
    subject_check(s, what);
}

static void every_length(subject_t *s, bool send)
{
    static const size_t longer[] = {41, 47, 48, 63, 64, 65, 96, 100, 127, 128, 129, 255, 500, 1000};
    size_t total = (size_t) subject_bytes(s);
    subject_fill(s, 3);
    for (size_t length = 1; length <= 40; length++) {
        in_fragments(s, send, length, 1);
        in_fragments(s, send, length, 2 + (uint32_t) length % 5);
    }
    for (size_t i = 0; i < sizeof(longer) / sizeof(longer[0]); i++) {
        in_fragments(s, send, longer[i], 1);
        in_fragments(s, send, longer[i], 3);
    }
    for (size_t length = total > 3 ? total - 3 : 1; length < total + 3; length++) {
        in_fragments(s, send, length, 1);
        in_fragments(s, send, length, 2);
    }
}

void test_fragments(const subjects_t *set)
{
    for (int i = 0; i < set->n; i++) {
        every_length(set->all[i], true);
        if (!set->all[i]->send_only) {
            every_length(set->all[i], false);
        }
    }
}

/* ---- positions ------------------------------------------------------------------------------ */

/* A place for a sender to go to, or for a fragment to start at the receiver. */
static size_t any_place(const subject_t *s)
{
    return (size_t) random_from(0, subject_bytes(s) + 2);
}

/* Goes to all positions in order, with and without moving data between, then to some at random. */
static void go_everywhere(subject_t *s, bool send)
{
    opal_convertor_t c;
    size_t end = (size_t) subject_bytes(s) + 2;
    size_t step = 1 + end / 3000;
    subject_fill(s, 4);
    conv_start(&c, s, send);
    for (size_t p = 0; p <= end; p += step) {
        conv_seek(&c, s, p);
    }
    subject_check(s, "positions forwards");
    for (size_t p = end + 1; p-- > 0; p -= p < step ? p : step - 1) {
        conv_seek(&c, s, p);
    }
    subject_check(s, "positions backwards");
    for (size_t p = 0; p <= end; p += step) {
        conv_seek(&c, s, p);
        (void) conv_move_some(&c, s, 30);
    }
    subject_check(s, "fragments from positions forwards");
    for (size_t p = end + 1; p-- > 0; p -= p < step ? p : step - 1) {
        conv_seek(&c, s, p);
        (void) conv_move_some(&c, s, 30);
    }
    subject_check(s, "fragments from positions backwards");
    for (int i = 0; i < 200; i++) {
        conv_seek(&c, s, 0 == i % 17 ? 0 : 0 == i % 23 ? end : any_place(s));
        for (int64_t n = random_from(0, 3); n > 0; n--) {
            (void) conv_move_some(&c, s, 100);
        }
    }
    subject_check(s, "fragments from random positions");
    conv_seek(&c, s, 0);
    conv_finish(&c, s, 200);
    subject_check(s, "the whole message at last");
    conv_end(&c);
}

enum { MOST_CUTS = 40 };

/* Ascending places from 0 to the end. */
static int random_cuts(const subject_t *s, size_t *cuts)
{
    int n = (int) random_from(1, MOST_CUTS - 2);
    bool used_twice = true;
    for (int i = 0; i < n; i++) {
        cuts[i] = (size_t) random_from(0, subject_bytes(s));
        if (!with_dame) {
            /* Open MPI 4.1.4's own engine loses track of elements that are cut when fragments
               overtake each other (issues 8442, 8466, 8769). */
            cuts[i] = (size_t) subject_boundary(s, (int64_t) cuts[i]);
        }
    }
    cuts[n++] = 0;
    cuts[n++] = (size_t) subject_bytes(s);
    while (used_twice) { /* sorts */
        used_twice = false;
        for (int i = 1; i < n; i++) {
            if (cuts[i - 1] > cuts[i]) {
                size_t larger = cuts[i - 1];
                cuts[i - 1] = cuts[i];
                cuts[i] = larger;
                used_twice = true;
            }
        }
    }
    return n - 1;
}

/* A receiver gets all fragments, in an order of its own. */
static void any_order(subject_t *s)
{
    opal_convertor_t c;
    size_t cuts[MOST_CUTS];
    int order[MOST_CUTS];
    conv_start(&c, s, false);
    for (int round = 0; round < 12; round++) {
        int n = random_cuts(s, cuts);
        subject_fill(s, (unsigned) round);
        for (int i = 0; i < n; i++) {
            int other = (int) random_from(0, i);
            order[i] = order[other];
            order[other] = i;
        }
        for (int i = 0; i < n; i++) {
            size_t from = cuts[order[i]];
            size_t length = cuts[order[i] + 1] - from;
            conv_seek(&c, s, from);
            if (length > 0 && length != conv_move_one(&c, s, length)) {
                subject_fault(s, "fragment [%zu, %zu) not taken", from, from + length);
            }
        }
        subject_check(s, "unpack in any order");
    }
    conv_end(&c);
}

void test_positions(const subjects_t *set)
{
    for (int i = 0; i < set->n; i++) {
        go_everywhere(set->all[i], true);
        if (!set->all[i]->send_only) {
            if (with_dame) { /* as in random_cuts() */
                go_everywhere(set->all[i], false);
            }
            any_order(set->all[i]);
        }
    }
}
