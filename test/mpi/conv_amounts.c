/* SPDX-License-Identifier: BSD-3-Clause */
/* How much a sender packs, and where it stands: as Open MPI's own engine, for random datatypes. */
#include "conv_tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DATATYPES = 400, CALLS = 60, MESSAGE = 12000, MOST_FIELDS = 4 };

enum { BASICS = 7, ALWAYS_RIGHT = 5 /* with every engine (types.h); the first */ };

static layout_t *basics[BASICS];
static int usable; /* of them; the first */

/* A struct of one to four kinds of elements, touching or apart. */
static layout_t *random_fields(void)
{
    int lengths[MOST_FIELDS];
    MPI_Aint disps[MOST_FIELDS];
    layout_t *olds[MOST_FIELDS];
    const int n = (int) random_from(1, MOST_FIELDS);
    const int64_t widest_gap = 5 * random_from(0, 3);
    MPI_Aint at = 0;
    for (int i = 0; i < n; i++) {
        olds[i] = basics[random_from(0, usable - 1)];
        lengths[i] = (int) random_from(1, random_from(0, 5) == 0 ? 60 : 5);
        disps[i] = at;
        at += lengths[i] * lay_extent(olds[i]) + random_from(0, widest_gap);
    }
    layout_t *fields = lay_struct(n, lengths, disps, olds);
    layout_t *layout = lay_resized(fields, 0, at); /* which neighbours may touch */
    lay_free(fields);
    return layout;
}

static layout_t *random_outer(const layout_t *old)
{
    int lengths[] = {2, (int) random_from(0, 3), 1, (int) random_from(1, 9)};
    int disps[4] = {(int) random_from(0, 3)};
    for (int i = 1; i < 4; i++) {
        disps[i] = disps[i - 1] + lengths[i - 1] + (int) random_from(0, 2);
    }
    const int length = (int) random_from(1, 9);
    switch (random_from(0, 4)) {
    case 0:
        return lay_contiguous(length, old);
    case 1:
        return lay_vector((int) random_from(1, 7), length, length + (int) random_from(0, 2), old);
    case 2:
        return lay_indexed(4, lengths, disps, old);
    case 3:
        return lay_indexed_block(4, 1, disps, old);
    default:
        return lay_resized(old, 0, old->ub + random_from(0, 9));
    }
}

static layout_t *random_layout(void)
{
    layout_t *layout = random_fields();
    for (int64_t depth = random_from(0, 2); depth > 0; depth--) {
        layout_t *inner = layout;
        layout = random_outer(inner);
        lay_free(inner);
    }
    lay_commit(layout);
    return layout;
}

/* Rooms on both sides of much room (4 KiB), down to less than an element. */
static size_t random_room(void)
{
    switch (random_from(0, 3)) {
    case 0:
        return (size_t) random_from(4000, 4200);
    case 1:
        return (size_t) random_from(1, MESSAGE);
    default:
        return (size_t) random_from(1, 200);
    }
}

/* One fragment; Open MPI's own engine packs the same one. */
static void compare(opal_convertor_t *c, subject_t *s)
{
    static unsigned char packed[MESSAGE];
    const size_t room = random_room();
    size_t position = c->bConverted;
    size_t most = native_pack(s, &position, packed, room);
    size_t moved = conv_move_one(c, s, room);
    if (!conv_full(room, moved, most)) {
        subject_fault(s, "at %zu with room for %zu %zu bytes are packed, natively %zu", position,
                      room, moved, most);
    }
}

static void anywhere(subject_t *s)
{
    static unsigned char packed[1];
    opal_convertor_t c;
    conv_start(&c, s, true);
    for (int i = 0; i < CALLS; i++) {
        size_t position = (size_t) random_from(0, subject_bytes(s) - 1);
        size_t native = position;
        (void) native_pack(s, &native, packed, 0);
        conv_seek(&c, s, position);
        if (c.bConverted != native && !(c.flags & CONVERTOR_NO_OP)) {
            subject_fault(s, "set to %zu, stands at %zu, natively %zu", position, c.bConverted,
                          native);
        }
        for (int64_t n = random_from(1, 3); n > 0 && !(c.flags & CONVERTOR_COMPLETED); n--) {
            compare(&c, s);
        }
    }
    conv_end(&c);
    subject_check(s, "amounts");
}

/* Open MPI 6.0's own engine sometimes packs one element less than fits, and merges blocks between
 * which DAME may end a fragment. */
enum { ENDS_AS_NATIVE = OMPI_MAJOR_VERSION < 6 };

void test_amounts(void)
{
    const struct {
        MPI_Datatype type;
        int size;
    } kinds[BASICS] = {{MPI_CHAR, 1},        {MPI_SHORT, 2},  {MPI_INT, 4},
                       {MPI_FLOAT, 4},       {MPI_DOUBLE, 8}, {MPI_C_DOUBLE_COMPLEX, 16},
                       {MPI_LONG_DOUBLE, 16}};
    usable = every_engine_is_right() ? BASICS : ALWAYS_RIGHT;
    for (int i = 0; i < BASICS; i++) {
        basics[i] = lay_basic(kinds[i].type, kinds[i].size, kinds[i].size);
    }
    const int datatypes = with_dame && ENDS_AS_NATIVE ? DATATYPES : 0;
    for (int i = 0; i < datatypes; i++) {
        char name[32];
        layout_t *layout = random_layout();
        snprintf(name, sizeof(name), "random datatype %d", i);
        subject_t *s = subject_new(name, layout, 1 + MESSAGE / (layout->size + 1), true);
        if (subject_bytes(s) < 4 * MESSAGE) {
            subject_fill(s, (unsigned) i);
            anywhere(s);
        }
        subject_free(s);
        lay_free(layout);
    }
    for (int i = 0; i < BASICS; i++) {
        lay_free(basics[i]);
    }
}
