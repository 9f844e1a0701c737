/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code that no message waits for: a thread of low priority finds it in the code cache, or compiles
 * it and keeps it there. The thread is started by the first order. It holds no lock while it works.
 *
 * Threads: all functions but dame_background_stop() and dame_background_free() may be called by
 * several at once. The child of a fork() does not have that thread, and orders fail there.
 */
#ifndef DAME_BACKGROUND_H
#define DAME_BACKGROUND_H

#include "jit.h"

typedef struct dame_background dame_background_t;

enum { DAME_BACKGROUND_ORDERS = 64 }; /* most that wait */

/* Code for a program that was asked for. */
typedef struct dame_order dame_order_t;
struct dame_order {
    dame_program_t *program;
    dame_dir_t dir;
    dame_candidate_t candidate;
    void *owner;              /* the caller's */
    dame_status_t status;     /* as of dame_jit_add(); DAME_ERR_DENIED: it was not begun */
    int64_t ns;               /* how long it took */
    int is_compiled;          /* it was not found in a file */
    struct dame_found *found; /* owned; NULL: it was not begun */
    int cpu;                  /* that the thread ran on that ordered it */
    dame_order_t *next;
};

/* For one provider of a jit, which stay until dame_background_free(). Starts no thread yet. The
 * other thread may run on the processors that the calling thread may run on then. NULL: memory is
 * out. */
dame_background_t *dame_background_new(dame_jit_t *jit, int32_t provider);

/*
 * Orders code. Does not wait, not even for a lock, and calls no system. The first order starts the
 * thread. The program stays until the order comes back,
 * with its owner. DAME_ERR_FULL, DAME_ERR_BUSY (a lock is taken): later it may be accepted;
 * DAME_ERR_DENIED: no thread can be started; DAME_ERR_NOMEM.
 */
dame_status_t dame_background_order(dame_background_t *background, dame_program_t *program,
                                    dame_dir_t dir, const dame_candidate_t *candidate, void *owner);

/* A finished order, or NULL if no order is finished or a lock is taken. Without a finished order,
 * one load. The caller frees it. */
dame_order_t *dame_background_take(dame_background_t *background);

/* The same after dame_background_stop(): it waits for the lock. */
dame_order_t *dame_background_take_rest(dame_background_t *background);

/* Gives the code of an order with status DAME_OK to its program, with rank 0. Errors as
 * dame_jit_add(). */
dame_status_t dame_order_install(dame_jit_t *jit, const dame_order_t *order, const char *name);
void dame_order_free(dame_order_t *order);

/*
 * Ends the thread. All orders are done then. Returns 0 if one takes longer than a tenth of a
 * second. Its program, the jit and what the jit was given then have to stay for ever; the thread
 * ends as soon as it can, and exit() waits until it has left the provider.
 */
int dame_background_stop(dame_background_t *background);

/* After it was stopped and all orders were taken; accepts NULL. */
void dame_background_free(dame_background_t *background);

#endif
