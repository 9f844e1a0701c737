/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

enum {
    ONE_OF = 12,     /* of this number of messages, one .. */
    LONGEST = 20000, /* .. of up to this number of bytes */
    CHANGES = 12,    /* by each of two threads .. */
    MOVERS = 4       /* .. while this number of threads uses the program */
};

/* A thread that packs or unpacks again and again. */
typedef struct mover {
    const message_t *m;
    dame_dir_t dir;
    char *memory;     /* packed bytes, or another arena */
    atomic_long done; /* messages */
    atomic_int stop;
    int64_t wrong; /* the first byte that is not as it should be, or -1 */
    pthread_t thread;
} mover_t;

static int64_t first_difference(const char *a, const char *b, int64_t n)
{
    int64_t i = 0;
    while (i < n && a[i] == b[i]) {
        i++;
    }
    return i < n ? i : -1;
}

static void move_once(mover_t *mover, dame_reader_t *reader)
{
    const message_t *m = mover->m;
    const bool packs = mover->dir == DAME_PACK;
    if (packs) {
        memset(mover->memory, 0, (size_t) m->total);
    } else {
        memcpy(mover->memory, m->image, (size_t) m->arena_size);
    }
    dame_reader_enter(reader);
    dame_program_run(m->program, mover->dir, packs ? m->base : message_base_in(m, mover->memory),
                     m->count, packs ? mover->memory : m->stream);
    dame_reader_leave(reader);
    mover->wrong = packs ? first_difference(mover->memory, m->expected, m->total)
                         : first_difference(mover->memory, m->after, m->arena_size);
}

static void *move(void *argument)
{
    mover_t *mover = argument;
    dame_reader_t reader = {0};
    dame_reader_add(&reader);
    while (!atomic_load(&mover->stop) && mover->wrong < 0) {
        move_once(mover, &reader);
        atomic_fetch_add(&mover->done, 1);
    }
    dame_reader_remove(&reader);
    atomic_store(&mover->stop, 1);
    return NULL;
}

static bool begin(check_t *check, mover_t *mover, const message_t *m, dame_dir_t dir)
{
    const int64_t size = dir == DAME_PACK ? m->total : m->arena_size;
    *mover = (mover_t){.m = m, .dir = dir, .memory = malloc((size_t) size), .wrong = -1};
    if (!mover->memory || pthread_create(&mover->thread, NULL, move, mover) != 0) {
        free(mover->memory);
        return check_fail(check, "no memory for another thread");
    }
    return true;
}

static bool end(check_t *check, mover_t *mover)
{
    atomic_store(&mover->stop, 1);
    pthread_join(mover->thread, NULL);
    free(mover->memory);
    return mover->wrong < 0 ||
           check_fail(check, "%s while code comes and goes: byte %lld is wrong",
                      mover->dir == DAME_PACK ? "packing" : "unpacking", (long long) mover->wrong);
}

/* Until the thread has moved n messages from now on, or has found a fault. */
static void wait_for_messages(mover_t *mover, long n)
{
    const long now = atomic_load(&mover->done);
    while (atomic_load(&mover->done) < now + n && !atomic_load(&mover->stop)) {
        sched_yield();
    }
}

/* ---- what happens meanwhile ---- */

/* A thread that changes the program's codes. */
typedef struct changer {
    const message_t *m;
    mover_t *packer;
    rng_t rng;
    const char *fault;
    pthread_t thread;
} changer_t;

static void *change(void *argument)
{
    changer_t *changer = argument;
    for (int i = 0; !changer->fault && i < CHANGES; i++) {
        changer->fault = compiled_change(&changer->m->compiled, &changer->rng);
        wait_for_messages(changer->packer, rng_range(&changer->rng, 0, 1));
    }
    return NULL;
}

static bool change_by_two(check_t *check, const message_t *m, mover_t *packer)
{
    changer_t changers[2];
    for (uint64_t i = 0; i < 2; i++) {
        changers[i] =
            (changer_t){.m = m, .packer = packer, .rng = rng_seeded(rng_next(&check->rng), i)};
    }
    if (pthread_create(&changers[1].thread, NULL, change, &changers[1]) != 0) {
        return check_fail(check, "no other thread");
    }
    change(&changers[0]);
    pthread_join(changers[1].thread, NULL);
    const char *fault = changers[0].fault ? changers[0].fault : changers[1].fault;
    return !fault || check_fail(check, "changing codes: %s", fault);
}

bool check_threads(check_t *check, message_t *m)
{
    const bool unpacks = !m->overlapping && m->tree == NULL; /* else they would share the memory */
    mover_t movers[MOVERS];
    int n = 0;
    if (!check->tier->changes || rng_range(&check->rng, 1, ONE_OF) > 1 || m->total == 0 ||
        m->total > LONGEST || m->arena_size > 10 * LONGEST) {
        return true;
    }
    dame_jit_release(m->compiled.jit, m->program);
    while (n < MOVERS &&
           begin(check, &movers[n], m, n % 2 == 1 && unpacks ? DAME_UNPACK : DAME_PACK)) {
        n++;
    }
    bool ok = n == MOVERS;
    if (ok) {
        checked.threads++;
        wait_for_messages(&movers[0], 1);
        ok = change_by_two(check, m, &movers[0]);
    }
    for (int i = 0; i < n; i++) {
        ok = end(check, &movers[i]) && ok;
    }
    return ok;
}
