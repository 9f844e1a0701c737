/*
 * fork(): no lock of this room may be held, and no list be half changed, at the moment when the
 * child becomes a copy. Private to jit/.
 */
#ifndef DAME_FORK_H
#define DAME_FORK_H

/* Installs the handlers, once a process. Returns 0 when memory is out. */
int dame_fork_guard(void);

/* What the handlers do, in jit.c and reader.c: the first takes the lock, the other gives it back.
 * Who takes both takes that of jit.c first. */
void dame_jit_before_fork(void);
void dame_jit_after_fork(int is_child);
void dame_readers_before_fork(void);
void dame_readers_after_fork(int is_child);

#endif
