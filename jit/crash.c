/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "crash.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

#include "base/machine.h"

static _Atomic(dame_code_arena_t *) watched;

typedef struct watch {
    int signal;
    bool stands; /* ours is there, perhaps behind a later one */
    struct sigaction before;
} watch_t;

static watch_t watches[] = {{.signal = SIGSEGV}, {.signal = SIGBUS}};
enum { WATCHES = sizeof(watches) / sizeof(watches[0]) };

static void on_crash(int signal, siginfo_t *info, void *context)
{
    static atomic_flag shown = ATOMIC_FLAG_INIT;
    dame_code_arena_t *arena = atomic_load(&watched);
    if (arena != NULL && !atomic_flag_test_and_set(&shown)) { /* other threads may crash, too */
        dame_code_arena_show(arena, dame_machine_pc(context));
    }
    for (int i = 0; i < WATCHES; i++) {
        const struct sigaction *before = &watches[i].before;
        if (signal != watches[i].signal) {
            continue;
        }
        if ((before->sa_flags & SA_SIGINFO) != 0) {
            before->sa_sigaction(signal, info, context);
        } else {
            before->sa_handler(signal);
        }
    }
}

static bool is_our_code(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) != 0 && on_crash == action->sa_sigaction;
}

/* Not on a stack of its own, which may be small. */
static bool is_handled(const struct sigaction *action)
{
    return (action->sa_flags & SA_ONSTACK) == 0 &&
           ((action->sa_flags & SA_SIGINFO) != 0 ||
            (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN));
}

void dame_crash_watch(dame_code_arena_t *arena)
{
    dame_code_arena_t *none = NULL;
    if (!atomic_compare_exchange_strong(&watched, &none, arena)) {
        return;
    }
    for (int i = 0; i < WATCHES; i++) {
        struct sigaction now;
        if (!watches[i].stands && sigaction(watches[i].signal, NULL, &now) == 0 &&
            is_handled(&now)) {
            watches[i].stands = true;
            watches[i].before = now;
            now.sa_flags |= SA_SIGINFO;
            now.sa_sigaction = on_crash;
            (void) sigaction(watches[i].signal, &now, NULL);
        }
    }
}

void dame_crash_unwatch(const dame_code_arena_t *arena)
{
    if (arena == NULL || arena != atomic_load(&watched)) {
        return;
    }
    for (int i = 0; i < WATCHES; i++) {
        struct sigaction now;
        if (sigaction(watches[i].signal, NULL, &now) == 0 && is_our_code(&now)) {
            (void) sigaction(watches[i].signal, &watches[i].before, NULL);
            watches[i].stands = false;
        }
    }
    atomic_store(&watched, NULL);
}
