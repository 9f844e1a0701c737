/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Machine code that takes much longer to make than a message: DAME-L's. It is found in the code
 * cache, or a thread in the background makes it (jit/background.h), and the program runs on as it
 * is meanwhile.
 *
 * Unless noted, the caller holds the gate's lock (base/lock.h).
 */
#ifndef DAME_ENGINE_ORDER_H
#define DAME_ENGINE_ORDER_H

#include <limits.h>
#include <stdbool.h>

#include "jit/background.h"
#include "layout.h"
#include "measure/measured.h"
#include "observer.h"

typedef struct dame_order_options {
    const char *llvm;    /* options of DAME-L (jit/l/options.h); NULL: it is not used */
    const char *object;  /* where DAME-L is; NULL: dame_llvm.so beside the object that this code is
                            part of */
    dame_slow_how_t how; /* when LLVM compiles what the code cache does not have */
    const char *code_directories;    /* of the code cache (jit/cache.h), or NULL */
    bool code_directory_is_standard; /* the user named none: its problems are details */
    int64_t code_bytes;              /* most bytes in the first of them */
} dame_order_options_t;

/* The path of DAME-L, `object` being as in the options. Any thread, no lock. False: it does not fit
 * into the room. */
bool dame_order_object(const char *object, char *path, size_t room);

enum { DAME_ORDERED_USES = 64 }; /* between looks for code that was ordered */

enum { DAME_COMPLAINTS = 4, DAME_LONGEST_COMPLAINT = 700 };

/* A message that was kept. */
typedef struct dame_complaint {
    _Atomic int state; /* order.c's */
    char text[DAME_LONGEST_COMPLAINT];
} dame_complaint_t;

/* The part of an engine. */
typedef struct dame_orders {
    dame_jit_t *jit; /* NULL: without DAME-L */
    dame_costs_t *costs;
    dame_layouts_t *layouts;
    const dame_observer_t *observer;
    int32_t provider;
    dame_slow_how_t how;
    dame_background_t *background; /* NULL: absent, or memory is out */
    char path[PATH_MAX];           /* of DAME-L */
    bool directory_is_standard;
    atomic_bool has_complaints;
    dame_complaint_t complaints[DAME_COMPLAINTS];
} dame_orders_t;

/* The jit's `complain`, for these orders: keeps messages of DAME-L and the code cache for
 * dame_orders_flush_messages(), which passes them to the observer without a lock. Any thread. */
void dame_orders_complain(void *orders, const char *message);
void dame_orders_flush_messages(dame_orders_t *orders);

/* Once: offers DAME-L to the jit of `costs`. All arguments but the options stay. */
void dame_orders_start(dame_orders_t *orders, dame_costs_t *costs, dame_layouts_t *layouts,
                       const dame_observer_t *observer, const dame_order_options_t *options);

/* Once, before code is asked for, with the gate's lock held: looks which code there is in files. */
void dame_orders_scan(const dame_orders_t *orders);

/* Without a lock, before the last layout ends: ends the thread. Layouts that were held for it alone
 * are added to *surplus. False: it is at work still, so that the jit has to stay. */
bool dame_orders_stop(dame_orders_t *orders, dame_layout_t **surplus);

/* Orders code for a layout that the caller holds a datatype of. False: not now. */
bool dame_orders_place(dame_orders_t *orders, dame_layout_t *layout, dame_dir_t dir,
                       const dame_candidate_t *candidate);

/* Returns whether the code for a fixed use is DAME-L's, ordered or not. */
bool dame_orders_provide_first(const dame_orders_t *orders, const dame_program_t *program,
                               dame_dir_t dir);

/* Returns whether it is DAME-L's turn at a fixed use, and ordered. */
bool dame_orders_are_first(const dame_orders_t *orders, const dame_program_t *program,
                           dame_dir_t dir);

/* Then: as dame_jit_compile(). DAME_ERR_BUSY: it was ordered. */
dame_status_t dame_orders_compile(dame_orders_t *orders, dame_layout_t *layout, dame_dir_t dir,
                                  const char *name);

/* Gives code that is done to its programs, and has them ask what to do with it at their next use.
 * Pass the result to dame_orders_release() without a lock. Adds layouts that were held for an order
 * alone to *surplus. */
dame_order_t *dame_orders_collect(dame_orders_t *orders);
void dame_orders_release(dame_orders_t *orders, dame_order_t *done, dame_layout_t **surplus);

#endif
