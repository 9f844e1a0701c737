/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared objects that export a provider. Private to jit/.
 *
 * Each is tried once in a process and marked as failed before the attempt, so an escape from it,
 * such as exit() in a constructor of the object, leaves it failed. A loaded object stays until the
 * process ends.
 */
#ifndef DAME_LOADER_H
#define DAME_LOADER_H

#include "provider.h"

enum { DAME_LOADER_MESSAGE = 600 };

/*
 * The provider that the shared object `path` exports. On failure NULL, and a sentence that says why
 * in `message`, which is empty when the object is not there, has failed before or is being tried by
 * another thread. Without a lock held.
 */
const dame_provider_t *dame_loader_load(const char *path, char message[DAME_LOADER_MESSAGE]);

/*
 * Around every call of a provider that was loaded, without a lock held from DAME_LOCK_LOADER on.
 * exit() and fork() wait for other threads that are inside, for ten seconds at most: exit() then
 * destroys what the provider's library needs, and a child of fork() would find the locks of the C
 * library and of the provider's taken for ever. 0: exit() has begun, or memory is out, and nothing
 * may be called.
 */
int dame_loader_enter(void);
void dame_loader_leave(void);

/*
 * Makes exit() wait before it runs any handler that is registered by now. A library also registers
 * such handlers while it compiles, one for each object that it makes at its first use. In the main
 * thread, it waits before those that are registered later as well.
 */
void dame_loader_wait_at_exit(void);

/* It does not work after all: from now on it counts as failed. */
void dame_loader_fail(const dame_provider_t *provider);

#endif
