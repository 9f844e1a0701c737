#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "order.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "jit/background.h"
#include "jit/lock.h"
#include "log.h"
#include "measure/measured.h"

static struct {
    dame_jit_t *jit; /* NULL: there is no DAME-L */
    dame_costs_t *costs;
    int32_t provider;
    dt_llvm_compile_t compile;
    dame_background_t *background; /* NULL: none, or memory is out */
    char path[PATH_MAX];           /* of DAME-L */
    bool has_own_directory; /* the user did not name one, and need not hear of its problems */
} orders;

/* ---- What there is to complain about -------------------------------------------------------- */

enum { COMPLAINTS = 4, LONGEST = 700, NONE = 0, BEING_WRITTEN, TO_BE_TOLD, TOLD };

/* The thread in the background does not print: Open MPI's output may have no lock. */
static struct {
    _Atomic int state;
    char text[LONGEST];
} complaints[COMPLAINTS];

static _Atomic bool has_complaints;

void dt_order_complain(const char *message)
{
    for (int i = 0; i < COMPLAINTS; i++) {
        int none = NONE;
        if (atomic_compare_exchange_strong(&complaints[i].state, &none, BEING_WRITTEN)) {
            (void) snprintf(complaints[i].text, LONGEST, "%s", message);
            atomic_store(&complaints[i].state, TO_BE_TOLD);
            atomic_store(&has_complaints, true);
            return;
        }
    }
}

void dt_order_tell(void)
{
    if (!atomic_load_explicit(&has_complaints, memory_order_relaxed)) {
        return;
    }
    atomic_store(&has_complaints, false);
    for (int i = 0; i < COMPLAINTS; i++) {
        int to_tell = TO_BE_TOLD;
        if (atomic_compare_exchange_strong(&complaints[i].state, &to_tell, TOLD)) {
            const bool is_expected =
                orders.has_own_directory && NULL == strstr(complaints[i].text, orders.path);
            (is_expected ? dt_log : dt_log_once_a_node)("%s", complaints[i].text);
        }
    }
}

/* ---- Start and stop ------------------------------------------------------------------------- */

/* Beside the object that this function is part of. */
static bool beside(const char *name, char *path, size_t room)
{
    Dl_info info;
    if (0 == dladdr((void *) (uintptr_t) &dt_order_start, &info) || NULL == info.dli_fname) {
        return false;
    }
    const char *slash = strrchr(info.dli_fname, '/');
    const int length = NULL == slash ? 0 : (int) (slash - info.dli_fname) + 1;
    return snprintf(path, room, "%.*s%s", length, info.dli_fname, name) < (int) room;
}

void dt_order_start(dame_costs_t *costs, const dt_promote_options_t *options)
{
    dame_jit_t *jit = costs->jit;
    dame_status_t status = DAME_ERR_UNSUPPORTED;
    if (NULL == options->llvm) {
        return;
    }
    orders.has_own_directory = options->code_directory_is_standard;
    if (beside("dame_llvm.so", orders.path, sizeof(orders.path))) {
        status = dame_jit_offer_l(jit, orders.path, options->llvm, &orders.provider);
    }
    if (DAME_OK == status && NULL != options->code_directories) {
        status = dame_jit_set_cache(jit, options->code_directories, options->code_bytes);
    }
    if (DAME_OK != status) {
        dt_log_once_a_node("DAME-L is not used: %s", dame_status_text(status));
        return;
    }
    orders.jit = jit;
    orders.compile = options->llvm_compile;
    if (DT_LLVM_BACKGROUND == orders.compile) {
        orders.background = dame_background_new(jit, orders.provider);
    }
    orders.costs = costs;
    costs->slow_provider = orders.provider;
    costs->slow = DT_LLVM_NOW == options->llvm_compile          ? DAME_SLOW_INLINE
                  : DT_LLVM_BACKGROUND == options->llvm_compile ? DAME_SLOW_BACKGROUND
                                                                : DAME_SLOW_CACHED;
}

void dt_order_look(void)
{
    if (NULL != orders.jit) {
        dame_jit_look(orders.jit);
    }
}

bool dt_order_stop(void)
{
    bool ended = true;
    if (NULL != orders.background) {
        ended = dame_background_stop(orders.background);
        for (dame_order_t *order; NULL != (order = dame_background_take(orders.background));) {
            order->next = NULL;
            dt_order_end(order);
        }
        if (ended) {
            dame_background_free(orders.background);
        }
        orders.background = NULL;
    }
    orders.jit = NULL;
    dt_order_tell();
    return ended;
}

/* ---- Placing orders ------------------------------------------------------------------------- */

bool dt_order_place(dt_layout_t *layout, dame_dir_t dir, const dame_candidate_t *candidate)
{
    if (NULL == orders.background) {
        return false;
    }
    dt_layout_hold(layout);
    const dame_status_t status =
        dame_background_order(orders.background, layout->program, dir, candidate, layout);
    if (DAME_OK != status) { /* the caller's datatype keeps the layout */
        atomic_fetch_sub_explicit(&layout->holds, 1, memory_order_relaxed);
        return false;
    }
    layout->promotions[dir].is_ordered = true;
    dt_layout_call_in(layout); /* it is looked for more often from now on */
    return true;
}

static bool get_first(const dame_program_t *program, dame_dir_t dir, dame_candidate_t *first)
{
    return NULL != orders.jit && dame_jit_candidates(orders.jit, program, dir, first, 1) > 0 &&
           orders.provider == first->provider;
}

bool dt_order_is_first(const dame_program_t *program, dame_dir_t dir)
{
    dame_candidate_t first;
    return DT_LLVM_NOW != orders.compile && get_first(program, dir, &first);
}

dame_status_t dt_order_compile(dt_layout_t *layout, dame_dir_t dir, const char *name)
{
    dame_candidate_t first;
    int64_t ns;
    dame_status_t status = DAME_ERR_BUSY;
    if (!get_first(layout->program, dir, &first)) {
        return DAME_ERR_UNSUPPORTED;
    }
    if (layout->promotions[dir].is_ordered) {
        return DAME_ERR_BUSY;
    }
    if (dame_jit_rank(orders.jit, layout->program, dir, &first, 1)) { /* it has come */
        return DAME_OK;
    }
    if (dame_jit_has(orders.jit, layout->program, dir, &first)) {
        status = dame_jit_find(orders.jit, layout->program, dir, &first, name, &ns);
    }
    if (DAME_OK == status) {
        return dame_jit_rank(orders.jit, layout->program, dir, &first, 1) ? DAME_OK : DAME_ERR_FULL;
    }
    if (DAME_ERR_BUSY == status && DT_LLVM_BACKGROUND == orders.compile) {
        (void) dt_order_place(layout, dir, &first);
        return DAME_ERR_BUSY;
    }
    return DAME_ERR_BUSY == status ? DAME_ERR_UNSUPPORTED : status;
}

/* ---- What comes back ------------------------------------------------------------------------ */

static void take_in(dame_order_t *order)
{
    dt_layout_t *layout = order->owner;
    dt_promotion_t *state = &layout->promotions[order->dir];
    dame_status_t status = order->status;
    if (DAME_OK == status) {
        status = dame_order_install(orders.jit, order, NULL);
    }
    state->is_ordered = false;
    if (NULL != state->measured) {
        dame_measured_order_done(orders.costs, state->measured, &order->candidate, status,
                                 order->ns, order->is_compiled);
    } else if (DAME_ERR_UNSUPPORTED == status) {
        state->period = 0; /* it is not tried again */
        atomic_store_explicit(&state->countdown, 0, memory_order_release);
        return;
    }
    state->period = 1;
    atomic_store_explicit(&state->countdown, -1, memory_order_release);
}

dame_order_t *dt_order_come(void)
{
    dame_order_t *come = NULL, *order;
    while (NULL != orders.background && NULL != (order = dame_background_take(orders.background))) {
        take_in(order);
        order->next = come;
        come = order;
    }
    return come;
}

void dt_order_end(dame_order_t *come)
{
    while (NULL != come) {
        dame_order_t *next = come->next;
        dt_layout_t *layout = come->owner;
        dame_order_free(come);
        dt_layout_release(layout);
        come = next;
    }
}
