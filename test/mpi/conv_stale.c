/* SPDX-License-Identifier: BSD-3-Clause */
/* A datatype ends while a message of it is half done and abandoned; another one, with other
   displacements, gets its address. A message of that one, in the same memory and at the same
   position, must not find the old one's place. */
#include "conv_tools.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_TRIES = 1000, BLOCKS = 12, COUNT = 5, ROUNDS = 150 };

/* Blocks of `width` ints in one of many orders. All layouts of one width have the same size, extent
   and true bounds. */
static layout_t *shuffled(const layout_t *ints, int width)
{
    int places[BLOCKS];
    places[0] = 0;
    for (int i = 1; i < BLOCKS - 1; i++) {
        int other = (int) random_from(1, i);
        places[i] = places[other];
        places[other] = 4 * i;
    }
    places[BLOCKS - 1] = 4 * (BLOCKS - 1);
    layout_t *l = lay_indexed_block(BLOCKS, width, places, ints);
    lay_commit(l);
    return l;
}

/* A layout with its datatype at `address`, or NULL. */
static layout_t *shuffled_at(const void *address, const layout_t *ints, int width)
{
    layout_t *tries[MOST_TRIES];
    layout_t *found = NULL;
    int n = 0;
    while (found == NULL && n < MOST_TRIES) {
        tries[n] = shuffled(ints, width);
        if (address == tries[n]->type) {
            found = tries[n];
        } else {
            n++;
        }
    }
    while (n > 0) {
        lay_free(tries[--n]);
    }
    return found;
}

typedef struct half {
    opal_convertor_t *convertor;
    subject_t *subject;
    bool send;
    size_t position;
} half_t;

static void first_half(void *argument)
{
    half_t *half = argument;
    conv_start(half->convertor, half->subject, half->send);
    (void) conv_move_one(half->convertor, half->subject, half->position);
    half->position = half->convertor->bConverted;
    conv_end(half->convertor);
}

static void second_half(void *argument)
{
    half_t *half = argument;
    conv_start(half->convertor, half->subject, half->send);
    conv_seek(half->convertor, half->subject, half->position);
    conv_finish(half->convertor, half->subject, 40);
    conv_seek(half->convertor, half->subject, 0);
    conv_finish(half->convertor, half->subject, 500);
    conv_end(half->convertor);
}

static void in_thread(bool other, void (*work)(void *), void *argument)
{
    if (other) {
        second_thread(work, argument);
    } else {
        work(argument);
    }
}

/* False: the allocator did not give the address again. */
static bool once(const layout_t *ints, bool send, bool other_thread)
{
    opal_convertor_t c; /* both messages' */
    int width = (int) random_from(1, 3);
    layout_t *old = shuffled(ints, width);
    subject_t *first = subject_new("shuffled blocks", old, COUNT, false);
    half_t half = {&c, first, send, (size_t) random_from(4, subject_bytes(first) - 4)};
    subject_fill(first, 9);
    in_thread(other_thread, first_half, &half);
    subject_check(first, "first half");

    const void *address = old->type;
    MPI_Type_free(&old->type);
    lay_release(old);
    layout_t *new = shuffled_at(address, ints, width);
    if (new != NULL) {
        subject_t *second = subject_new("shuffled blocks", new, COUNT, false);
        msg_free(&second->memory);
        second->memory = first->memory; /* the same user buffer */
        second->memory.owned = false;
        second->memory.layout = new;
        subject_fill(second, 10);
        half.subject = second;
        in_thread(other_thread, second_half, &half);
        subject_check(second, "the rest, of another datatype at the same address");
        subject_free(second);
    }
    subject_free(first);
    lay_free(new);
    lay_free(old);
    return new != NULL;
}

void test_stale(void)
{
    layout_t *ints = lay_basic(MPI_INT, 4, 4);
    int reused = 0;
    for (int round = 0; round < ROUNDS; round++) {
        reused += once(ints, 0 == round % 2, 0 == round % 3);
    }
    if (reused == 0) {
        printf("skipped: no datatype got the address of another in %d tries\n", MOST_TRIES);
    } else {
        printf("%d of %d datatypes got the address of one that was freed\n", reused, ROUNDS);
    }
    lay_free(ints);
}
