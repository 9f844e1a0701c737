/* SPDX-License-Identifier: BSD-3-Clause */
/* Readers: after the wait, no thread runs the old code. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "jit/reader.h"
#include "jit_tools.h"
#include "suites.h"

TEST(waiting_ends_when_nobody_is_inside)
{
    dame_reader_t reader = {.link = NULL};
    ck_assert_int_eq(dame_readers_wait(), 1);
    dame_reader_add(&reader);
    ck_assert_int_eq(dame_readers_wait(), 1);
    dame_reader_enter(&reader);
    dame_reader_leave(&reader);
    ck_assert_int_eq(dame_readers_wait(), 1);
    dame_reader_remove(&reader);
    dame_reader_remove(&reader); /* twice does no harm */
    ck_assert_int_eq(dame_readers_wait(), 1);
}

TEST(waiting_gives_up_on_a_reader_that_stays_inside)
{
    guest_t first, second;
    start_guest(&first);
    start_guest(&second);
    ck_assert_int_eq(dame_readers_wait(), 0);
    end_guest(&second);
    ck_assert_int_eq(dame_readers_wait(), 0);
    end_guest(&first);
    ck_assert_int_eq(dame_readers_wait(), 1);
}

static sigjmp_buf outside;

static void jump_out(int signal)
{
    (void) signal;
    siglongjmp(outside, 1);
}

static void enter_and_jump_out(dame_reader_t *reader)
{
    if (sigsetjmp(outside, 1) == 0) {
        dame_reader_enter(reader);
        raise(SIGUSR1);
    }
}

TEST(who_jumped_out_counts_as_inside_until_it_leaves)
{
    const struct sigaction action = {.sa_handler = jump_out};
    dame_reader_t reader = {.link = NULL};
    ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
    dame_reader_add(&reader);
    for (int jumps = 0; jumps < 4; jumps++) {
        for (int i = 0; i < jumps; i++) {
            enter_and_jump_out(&reader);
            ck_assert_int_eq(dame_readers_wait(), 0);
        }
        const uint64_t before = atomic_load(&reader.epoch);
        dame_reader_enter(&reader);
        ck_assert_uint_ne(atomic_load(&reader.epoch), before); /* who waits sees that it moved on */
        ck_assert_int_eq(dame_readers_wait(), 0);
        dame_reader_leave(&reader);
        ck_assert_int_eq(dame_readers_wait(), 1);
    }
    dame_reader_leave(&reader); /* once too often does no harm */
    ck_assert_int_eq(dame_readers_wait(), 1);
    dame_reader_remove(&reader);
}

/*
 * One thread takes something away from another again and again, as an eviction does: whatever a
 * reader finds through `shared` between enter and leave is alive.
 */
enum { ALIVE = 1234, DEAD = 5678, ROUNDS = 3000, VISITORS = 2 };

typedef struct thing {
    atomic_int state;
} thing_t;

static _Atomic(thing_t *) shared;
static atomic_int done;
static atomic_long visits;
static atomic_int corpses;

static void *look(void *argument)
{
    (void) argument;
    dame_reader_t reader = {.link = NULL};
    dame_reader_add(&reader);
    while (!atomic_load(&done)) {
        dame_reader_enter(&reader);
        thing_t *thing = atomic_load_explicit(&shared, memory_order_acquire);
        for (int i = 0; i < 20; i++) {
            if (atomic_load_explicit(&thing->state, memory_order_relaxed) != ALIVE) {
                atomic_fetch_add(&corpses, 1);
            }
        }
        dame_reader_leave(&reader);
        atomic_fetch_add_explicit(&visits, 1, memory_order_relaxed);
    }
    dame_reader_remove(&reader);
    return NULL;
}

TEST(nothing_is_taken_away_from_a_reader_that_is_inside)
{
    static thing_t things[2];
    atomic_store(&things[0].state, ALIVE);
    atomic_store(&shared, &things[0]);
    pthread_t visitors[VISITORS];
    for (int i = 0; i < VISITORS; i++) {
        ck_assert_int_eq(pthread_create(&visitors[i], NULL, look, NULL), 0);
    }
    int waited = 0;
    for (int round = 0; round < ROUNDS || atomic_load(&visits) < ROUNDS; round++) {
        thing_t *old = &things[round % 2];
        thing_t *new = &things[1 - round % 2];
        atomic_store_explicit(&new->state, ALIVE, memory_order_relaxed);
        atomic_store_explicit(&shared, new, memory_order_release);
        if (dame_readers_wait()) {
            atomic_store_explicit(&old->state, DEAD, memory_order_relaxed);
            waited++;
        }
    }
    atomic_store(&done, 1);
    for (int i = 0; i < VISITORS; i++) {
        ck_assert_int_eq(pthread_join(visitors[i], NULL), 0);
    }
    ck_assert_int_eq(atomic_load(&corpses), 0);
    ck_assert_int_gt(waited, 0);
}

/* ---- fork() ---- */

static const char *use_readers(void *argument)
{
    dame_reader_t *own = argument;
    dame_reader_t another = {.link = NULL};
    if (!dame_readers_wait()) {
        return "the child waits for a thread that it does not have";
    }
    dame_reader_enter(own);
    if (dame_readers_wait()) {
        return "the child has forgotten its own reader";
    }
    dame_reader_leave(own);
    dame_reader_add(&another);
    dame_reader_remove(own);
    dame_reader_remove(&another);
    return dame_readers_wait() ? NULL : "wait";
}

TEST(a_child_has_only_the_reader_of_the_thread_that_forked)
{
    dame_reader_t own = {.link = NULL};
    guest_t before, after;
    start_guest(&before);
    dame_reader_add(&own);
    start_guest(&after);
    expect_in_child(use_readers, &own);
    ck_assert_int_eq(dame_readers_wait(), 0);
    end_guest(&before);
    end_guest(&after);
    ck_assert_int_eq(dame_readers_wait(), 1);
    dame_reader_remove(&own);
}

/* Each in memory of its own, which a sanitizer watches. */
static dame_reader_t *new_reader(void)
{
    dame_reader_t *reader = calloc(1, sizeof(*reader));
    ck_assert_ptr_nonnull(reader);
    dame_reader_add(reader);
    return reader;
}

enum { OWN = 3 };

static const char *use_and_end_readers(void *argument)
{
    dame_reader_t **own = argument;
    for (int i = 0; i < OWN; i++) {
        dame_reader_enter(own[i]);
        if (dame_readers_wait()) {
            return "the child has forgotten a reader";
        }
        dame_reader_leave(own[i]);
    }
    for (int i = 0; i < OWN; i++) { /* the middle, the last that came, the first */
        static const int order[OWN] = {1, 2, 0};
        dame_reader_t *ends = own[order[i]];
        dame_reader_remove(ends);
        if (ends->link != NULL) {
            return "a reader that was removed is in the list";
        }
        memset(ends, 0xff, sizeof(*ends)); /* as its memory's next owner might */
        if (!dame_readers_wait()) {
            return "the list leads to a reader that was removed";
        }
        for (size_t at = 0; at < sizeof(*ends); at++) {
            if (((unsigned char *) ends)[at] != 0xff) {
                return "the list changed a reader that was removed";
            }
        }
    }
    return NULL;
}

/* As with several contexts of libdame. */
TEST(a_child_has_all_readers_of_the_thread_that_forked)
{
    dame_reader_t *own[OWN];
    guest_t between, last;
    own[0] = new_reader();
    own[1] = new_reader();
    start_guest(&between);
    own[2] = new_reader();
    start_guest(&last);
    expect_in_child(use_and_end_readers, own);
    end_guest(&between);
    end_guest(&last);
    for (int i = 0; i < OWN; i++) {
        dame_reader_remove(own[i]);
        free(own[i]);
    }
}

/* What another thread's memory is freed for later, such as a context's, meets a reader that the
 * child does not have. */
static const char *remove_others(void *argument)
{
    guest_t *guests = argument;
    dame_reader_t own = {.link = NULL};
    dame_reader_add(&own);
    dame_reader_remove(&guests[0].reader);
    dame_reader_remove(&guests[1].reader);
    dame_reader_enter(&own);
    if (dame_readers_wait()) {
        return "the child has lost its own reader";
    }
    dame_reader_leave(&own);
    dame_reader_remove(&own);
    return dame_readers_wait() ? NULL : "wait";
}

TEST(a_child_may_remove_readers_of_threads_that_it_does_not_have)
{
    guest_t guests[2];
    start_guest(&guests[0]);
    start_guest(&guests[1]);
    expect_in_child(remove_others, guests);
    end_guest(&guests[0]);
    end_guest(&guests[1]);
}

/* ---- a system without membarrier ---- */

static const char *wait_without_membarrier(void *argument)
{
    (void) argument;
    const refusal_t refusal = {.call = SYS_membarrier, .argument = 0, .bits = ~0u, .error = ENOSYS};
    if (!refuse_calls(&refusal, 1)) {
        fprintf(stderr, "skipped: no seccomp filters here\n");
        return NULL;
    }
    dame_reader_t reader = {.link = NULL};
    if (!dame_readers_wait()) {
        return "no reader is inside, and yet it waits";
    }
    dame_reader_add(&reader);
    if (dame_readers_wait()) {
        return "it cannot know";
    }
    dame_reader_remove(&reader);
    return NULL;
}

TEST(without_membarrier_only_an_empty_list_is_sure)
{
    expect_in_child(wait_without_membarrier, NULL);
}

SUITE_OF(reader, 1, NULL, NULL)
