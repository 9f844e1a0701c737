/* What mover_copy.c shares with mover.c. Private to these two. */
#ifndef LIBDAME_MOVER_PARTS_H
#define LIBDAME_MOVER_PARTS_H

#include "engine/thread.h"
#include "mover.h"

/* Between the two the calling thread may run kernels of the context's programs. NULL: as much, and
 * it is not counted. */
dame_thread_t *dame_mover_enter(const dame_mover_t *mover);
void dame_mover_leave(const dame_mover_t *mover, dame_thread_t *thread);

/* Copies a message to `to` by its program's copy kernels, and counts it. */
void dame_mover_copy_alike(const dame_message_t *from, uintptr_t to);

/* Counts a copy. */
void dame_mover_copied(const dame_mover_t *mover, dame_thread_t *thread, int64_t bytes);

#endif
