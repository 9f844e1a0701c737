/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "order.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/lock.h"

/* ---- What there is to complain about -------------------------------------------------------- */

enum { NONE = 0, BEING_WRITTEN, TO_BE_TOLD, TOLD };

/* The thread in the background does not print: the caller's output may have no lock. */
void dame_orders_complain(void *argument, const char *message)
{
    dame_orders_t *orders = argument;
    for (int i = 0; i < DAME_COMPLAINTS; i++) {
        dame_complaint_t *complaint = &orders->complaints[i];
        int none = NONE;
        if (atomic_compare_exchange_strong(&complaint->state, &none, BEING_WRITTEN)) {
            (void) snprintf(complaint->text, DAME_LONGEST_COMPLAINT, "%s", message);
            atomic_store(&complaint->state, TO_BE_TOLD);
            atomic_store(&orders->has_complaints, true);
            return;
        }
    }
}

void dame_orders_flush_messages(dame_orders_t *orders)
{
    if (!atomic_load_explicit(&orders->has_complaints, memory_order_relaxed)) {
        return;
    }
    atomic_store(&orders->has_complaints, false);
    for (int i = 0; i < DAME_COMPLAINTS; i++) {
        dame_complaint_t *complaint = &orders->complaints[i];
        int to_tell = TO_BE_TOLD;
        if (atomic_compare_exchange_strong(&complaint->state, &to_tell, TOLD)) {
            const bool is_detail =
                orders->directory_is_standard && strstr(complaint->text, orders->path) == NULL;
            dame_observer_log(orders->observer, is_detail ? DAME_LOG_DETAIL : DAME_LOG_PROBLEM,
                              "%s", complaint->text);
        }
    }
}

/* ---- Start and stop ------------------------------------------------------------------------- */

/* Writes the path of an object beside the one that this function is part of. */
static bool path_beside(const char *name, char *path, size_t room)
{
    Dl_info info;
    if (dladdr((void *) (uintptr_t) &dame_orders_start, &info) == 0 || info.dli_fname == NULL) {
        return false;
    }
    const char *slash = strrchr(info.dli_fname, '/');
    const int length = slash == NULL ? 0 : (int) (slash - info.dli_fname) + 1;
    return snprintf(path, room, "%.*s%s", length, info.dli_fname, name) < (int) room;
}

bool dame_order_object(const char *object, char *path, size_t room)
{
    return object == NULL ? path_beside("dame_llvm.so", path, room)
                          : snprintf(path, room, "%s", object) < (int) room;
}

void dame_orders_start(dame_orders_t *orders, dame_costs_t *costs, dame_layouts_t *layouts,
                       const dame_observer_t *observer, const dame_order_options_t *options)
{
    dame_status_t status = DAME_ERR_UNSUPPORTED;
    orders->observer = observer;
    if (options->llvm == NULL) {
        return;
    }
    orders->directory_is_standard = options->code_directory_is_standard;
    if (dame_order_object(options->object, orders->path, sizeof(orders->path))) {
        status = dame_jit_offer_l(costs->jit, orders->path, options->llvm, &orders->provider);
    }
    if (status == DAME_OK && options->code_directories != NULL) {
        status = dame_jit_set_cache(costs->jit, options->code_directories, options->code_bytes);
    }
    if (status != DAME_OK) {
        dame_observer_log(observer, DAME_LOG_PROBLEM, "DAME-L is not used: %s",
                          dame_status_text(status));
        return;
    }
    orders->jit = costs->jit;
    orders->costs = costs;
    orders->layouts = layouts;
    orders->how = options->how;
    if (orders->how == DAME_SLOW_BACKGROUND) {
        orders->background = dame_background_new(costs->jit, orders->provider);
    }
    costs->slow_provider = orders->provider;
    costs->slow = options->how;
}

void dame_orders_scan(const dame_orders_t *orders)
{
    if (orders->jit != NULL) {
        dame_jit_look(orders->jit);
    }
}

bool dame_orders_stop(dame_orders_t *orders, dame_layout_t **surplus)
{
    bool ended = true;
    if (orders->background != NULL) {
        ended = dame_background_stop(orders->background);
        for (dame_order_t *order;
             (order = dame_background_take_rest(orders->background)) != NULL;) {
            order->next = NULL;
            dame_orders_release(orders, order, surplus);
        }
        if (ended) {
            dame_background_free(orders->background);
        }
        orders->background = NULL;
    }
    orders->jit = NULL;
    if (orders->observer != NULL) {
        dame_orders_flush_messages(orders);
    }
    return ended;
}

/* ---- Placing orders ------------------------------------------------------------------------- */

bool dame_orders_place(dame_orders_t *orders, dame_layout_t *layout, dame_dir_t dir,
                       const dame_candidate_t *candidate)
{
    if (orders->background == NULL) {
        return false;
    }
    dame_layout_hold(layout);
    const dame_status_t status =
        dame_background_order(orders->background, layout->program, dir, candidate, layout);
    if (status != DAME_OK) { /* the caller's datatype keeps the layout */
        atomic_fetch_sub_explicit(&layout->holds, 1, memory_order_relaxed);
        return false;
    }
    layout->promotions[dir].is_ordered = true;
    dame_layout_revoke_credits(layout); /* it is looked for more often from now on */
    return true;
}

static bool get_first(const dame_orders_t *orders, const dame_program_t *program, dame_dir_t dir,
                      dame_candidate_t *first)
{
    return orders->jit != NULL && dame_jit_candidates(orders->jit, program, dir, first, 1) > 0 &&
           orders->provider == first->provider;
}

bool dame_orders_provide_first(const dame_orders_t *orders, const dame_program_t *program,
                               dame_dir_t dir)
{
    dame_candidate_t first;
    return get_first(orders, program, dir, &first);
}

bool dame_orders_are_first(const dame_orders_t *orders, const dame_program_t *program,
                           dame_dir_t dir)
{
    return orders->how != DAME_SLOW_INLINE && dame_orders_provide_first(orders, program, dir);
}

dame_status_t dame_orders_compile(dame_orders_t *orders, dame_layout_t *layout, dame_dir_t dir,
                                  const char *name)
{
    dame_candidate_t first;
    int64_t ns;
    dame_status_t status = DAME_ERR_BUSY;
    if (!get_first(orders, layout->program, dir, &first)) {
        return DAME_ERR_UNSUPPORTED;
    }
    if (layout->promotions[dir].is_ordered) {
        return DAME_ERR_BUSY;
    }
    if (dame_jit_rank(orders->jit, layout->program, dir, &first, 1)) { /* it is installed */
        return DAME_OK;
    }
    if (dame_jit_has(orders->jit, layout->program, dir, &first)) {
        status = dame_jit_find(orders->jit, layout->program, dir, &first, name, &ns);
    }
    if (status == DAME_OK) {
        return dame_jit_rank(orders->jit, layout->program, dir, &first, 1) ? DAME_OK
                                                                           : DAME_ERR_FULL;
    }
    if (status == DAME_ERR_BUSY && orders->how == DAME_SLOW_BACKGROUND) {
        (void) dame_orders_place(orders, layout, dir, &first);
        return DAME_ERR_BUSY;
    }
    return status == DAME_ERR_BUSY ? DAME_ERR_UNSUPPORTED : status;
}

/* ---- What comes back ------------------------------------------------------------------------ */

/* At a fixed use: code that came is made to run at the next use; what may work later is ordered
 * again, after more uses each time. */
static void order_done_at_fixed_use(dame_promotion_t *state, dame_status_t status)
{
    if (status == DAME_OK) {
        atomic_store_explicit(&state->runs_code, 0, memory_order_relaxed); /* what did is evicted */
        dame_countdown_set(&state->countdown, dame_countdown_uses(1));
    } else if (status == DAME_ERR_UNSUPPORTED) {
        dame_countdown_set(&state->countdown, DAME_COUNTDOWN_OFF);
        state->period = 0; /* it is not tried again */
    } else {
        dame_promotion_back_off(state);
    }
}

static void apply_order(const dame_orders_t *orders, dame_order_t *order)
{
    dame_layout_t *layout = order->owner;
    dame_promotion_t *state = &layout->promotions[order->dir];
    dame_status_t status = order->status;
    if (status == DAME_OK) {
        status = dame_order_install(orders->jit, order, NULL);
    }
    state->is_ordered = false;
    if (state->measured == NULL) {
        order_done_at_fixed_use(state, status);
        return;
    }
    dame_measured_order_done(orders->costs, state->measured, &order->candidate, status, order->ns,
                             order->is_compiled);
    state->period = 1;
    dame_countdown_set(&state->countdown, dame_countdown_uses(1));
}

dame_order_t *dame_orders_collect(dame_orders_t *orders)
{
    dame_order_t *done = NULL, *order;
    while (orders->background != NULL &&
           (order = dame_background_take(orders->background)) != NULL) {
        apply_order(orders, order);
        order->next = done;
        done = order;
    }
    return done;
}

void dame_orders_release(dame_orders_t *orders, dame_order_t *done, dame_layout_t **surplus)
{
    while (done != NULL) {
        dame_order_t *next = done->next;
        dame_layout_t *layout = done->owner;
        dame_order_free(done);
        dame_layout_t *unused = dame_layout_release(orders->layouts, layout);
        while (unused != NULL) {
            dame_layout_t *after = unused->next;
            unused->next = *surplus;
            *surplus = unused;
            unused = after;
        }
        done = next;
    }
}
