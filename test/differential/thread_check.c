#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "thread_check.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

int64_t threads_checked;

enum { ONE_OF = 60, LONGEST = 20000 }; /* of so many messages, one of up to so many bytes */

typedef struct packer {
    const message_t *m;
    char *packed;
    atomic_long packs; /* done */
    atomic_int stop;
    int64_t wrong; /* the first byte that is not as it should be, or -1 */
} packer_t;

static int64_t first_difference(const message_t *m, const char *packed)
{
    int64_t i = 0;
    while (i < m->total && packed[i] == m->expected[i]) {
        i++;
    }
    return i < m->total ? i : -1;
}

static void *pack_on(void *argument)
{
    packer_t *packer = argument;
    const message_t *m = packer->m;
    dame_reader_t reader = {0};
    dame_reader_add(&reader);
    while (!atomic_load(&packer->stop) && packer->wrong < 0) {
        memset(packer->packed, 0, (size_t) m->total);
        dame_reader_enter(&reader);
        dame_program_run(m->program, DAME_PACK, m->base, m->count, packer->packed);
        dame_reader_leave(&reader);
        packer->wrong = first_difference(m, packer->packed);
        atomic_fetch_add(&packer->packs, 1);
    }
    dame_reader_remove(&reader);
    atomic_store(&packer->stop, 1);
    return NULL;
}

/* Until the other thread has finished n packs from now on, or has found a fault. */
static void wait_for_packs(packer_t *packer, long n)
{
    long now = atomic_load(&packer->packs);
    while (atomic_load(&packer->packs) < now + n && !atomic_load(&packer->stop)) {
        sched_yield();
    }
}

static bool compile_meanwhile(check_t *check, message_t *m, packer_t *packer)
{
    for (int i = 0; i < 2; i++) {
        dame_dir_t dir = i == 0 ? DAME_PACK : DAME_UNPACK;
        dame_status_t status = dame_jit_compile(m->compiled.jit, m->program, dir, "threads");
        if (status != DAME_OK && status != DAME_ERR_UNSUPPORTED && status != DAME_ERR_FULL) {
            return check_fail(check, "compiling while another thread packs: %s",
                              dame_status_text(status));
        }
        wait_for_packs(packer, 2);
    }
    return true;
}

bool check_threads(check_t *check, message_t *m)
{
    if (!check->tier->compiles || rng_range(&check->rng, 1, ONE_OF) > 1 || m->total == 0 ||
        m->total > LONGEST) {
        return true;
    }
    packer_t packer = {.m = m, .packed = malloc((size_t) m->total), .wrong = -1};
    pthread_t thread;
    dame_jit_release(m->compiled.jit, m->program);
    if (!packer.packed || pthread_create(&thread, NULL, pack_on, &packer) != 0) {
        free(packer.packed);
        return check_fail(check, "no memory for another thread");
    }
    threads_checked++;
    wait_for_packs(&packer, 1);
    bool ok = compile_meanwhile(check, m, &packer);
    atomic_store(&packer.stop, 1);
    pthread_join(thread, NULL);
    free(packer.packed);
    if (packer.wrong >= 0) {
        ok = check_fail(check, "packing while the program is compiled: byte %lld of %lld is wrong",
                        (long long) packer.wrong, (long long) m->total);
    }
    return ok;
}
