/*
 * Machine code that takes much longer to make than a message: DAME-L's. It is found in the code
 * cache, or a thread in the background makes it (jit/background.h), and the program runs on as it
 * is meanwhile.
 *
 * Unless noted, the caller holds the gate's lock (promote.c).
 */
#ifndef DT_ORDER_H
#define DT_ORDER_H

#include <stdbool.h>

#include "glue.h"
#include "layout.h"

struct dame_costs;

/* Whose messages of DAME-L and the code cache are kept for dt_order_tell(). Any thread. */
void dt_order_complain(const char *message);

/* Without a lock: tells them. */
void dt_order_tell(void);

/* Once a process: offers DAME-L to the jit of `costs`, which stays, as the options say. */
void dt_order_start(struct dame_costs *costs, const dt_promote_options_t *options);

/* Once, before code is asked for, with the gate's lock held: looks which code there is in files. */
void dt_order_look(void);

/* Without a lock, before the last layout ends: ends the thread. False: it is at work still, so that
 * the jit has to stay. */
bool dt_order_stop(void);

/* Orders code for a layout that the caller holds a datatype of. False: not now. */
bool dt_order_place(dt_layout_t *layout, dame_dir_t dir, const dame_candidate_t *candidate);

/* Is it DAME-L's turn at a fixed use? */
bool dt_order_is_first(const dame_program_t *program, dame_dir_t dir);

/* Then: as dame_jit_compile(). DAME_ERR_BUSY: it was ordered. */
dame_status_t dt_order_compile(dt_layout_t *layout, dame_dir_t dir, const char *name);

/* Gives code that has come to its programs, and has them ask what to do with it at their next use.
 * What it returns is for dt_order_end(), which is called without a lock. */
struct dame_order *dt_order_come(void);
void dt_order_end(struct dame_order *orders);

#endif
