#include "level.h"

#include "dame/memory_order.h"
#include "cpu.h"
#include "maker.h"

#if DAME_X_HAVE_CPU

enum { KERNEL_ROOM = 8192 }; /* bytes of one kernel */

/* ---- levels ---- */

/* Levels that are better off with the interpreter's kernels: lists whose blocks have lengths of
 * their own or are visited in another order, and walks that must not be hurried. */
static int is_interpreted(const dame_prim_t *prim)
{
    return 0 == prim->isize || NULL != prim->prefix || NULL != prim->visits ||
           dame_walks_columns(prim) || dame_in_one_set(prim);
}

/* A level of few iterations that are not alike: one after the other. */
static int is_members(const x_maker_t *m, const dame_prim_t *prim)
{
    return NULL != prim->inners ||
           (NULL != prim->prefix && prim->count <= m->context->options->list_entries);
}

/* Iteration by iteration. */
static void all_members(x_maker_t *m, const dame_prim_t *prim, x_place_t user)
{
    for (int64_t i = 0; i < prim->count && !m->code->full; i++) {
        const dame_prim_t *inner = prim + dame_iter_inner(prim, i);
        const int64_t disp = dame_prim_disp(prim, i);
        x_place_t at = x_at(user.base, (int64_t) ((uint64_t) user.disp + (uint64_t) disp));
        const int is_far = x_is_far(at.disp);
        if (is_far) {
            at = x_at(x_take_address(m, at), 0);
        }
        if (inner != prim) {
            const int64_t count = dame_iter_inner_count(prim, i, inner);
            if (x_is_straight(m, inner, 0, count, at, m->context->options->straight_bytes)) {
                x_move_straight(m, x_at(at.base, 0));
            } else { /* a loop is much longer than a call, and may be that of many members */
                x_call_level(m, inner, at, count);
            }
        } else {
            x_block(m, at, dame_iter_size(prim, i));
        }
        if (is_far) {
            x_give_back(m, at.base);
        }
    }
}

void x_all_of(x_maker_t *m, const dame_prim_t *prim, x_place_t user, int64_t n)
{
    x_walk_t walk = {.prim = prim, .user = user};
    if (x_is_straight(m, prim, 0, n, user, m->context->options->straight_bytes)) {
        x_move_straight(m, x_at(user.base, 0));
    } else if (NULL != prim->prefix || is_interpreted(prim) || m->is_shallow) {
        x_call_level(m, prim, user, n);
    } else if (dame_prim_has_list(prim)) {
        walk.table = x_take(m);
        walk.at = x_take(m);
        x_set(m->code, walk.table, x_table_address(prim));
        x_loop(m, &walk, (x_trips_t){.constant = n});
        x_give_back(m, walk.at);
        x_give_back(m, walk.table);
    } else {
        walk.user = x_at(x_take_address(m, user), 0);
        x_loop(m, &walk, (x_trips_t){.constant = n});
        x_give_back(m, walk.user.base);
    }
}

/* ---- kernels ---- */

/* Which registers are free after the arguments but origin, packed and count have been looked at. */
static void share_out(x_maker_t *m, int has_table)
{
    m->nfree = 0;
    m->ahead = 0;
    m->packed = X_ARG_PACKED;
    for (int i = m->saved; i-- > 0;) {
        m->free[m->nfree++] = x_saved[i];
    }
    if (m->has_calls) {
        m->packed = x_take(m);
        x_move(m->code, m->packed, X_ARG_PACKED);
        return;
    }
    for (int i = X_VOLATILES; i-- > 0;) {
        m->free[m->nfree++] = x_volatile[i];
    }
    m->free[m->nfree++] = X_ARG_FIRST;
    if (!has_table) {
        m->free[m->nfree++] = X_ARG_PRIM;
    }
}

static void move_to_saved(x_maker_t *m, x_reg_t *reg)
{
    const x_reg_t to = x_take(m);
    x_move(m->code, to, *reg);
    *reg = to;
}

/* The part for any run of iterations: first and number are in registers. */
static void any_run(x_maker_t *m, const dame_prim_t *prim)
{
    x_code_t *code = m->code;
    x_walk_t walk = {.prim = prim, .user = x_at(X_ARG_ORIGIN, 0)};
    x_reg_t left = X_ARG_COUNT;
    x_enter(code, m->saved);
    if (dame_prim_has_list(prim)) {
        x_multiply(code, X_ARG_FIRST, x_entry_bytes(prim));
        x_set(code, X_ARG_PRIM, x_table_address(prim));
        x_add(code, X_ARG_PRIM, X_ARG_FIRST);
        walk.table = X_ARG_PRIM;
    } else {
        x_multiply(code, X_ARG_FIRST, prim->step);
        x_add(code, X_ARG_ORIGIN, X_ARG_FIRST);
    }
    share_out(m, dame_prim_has_list(prim));
    if (m->has_calls) {
        move_to_saved(m, &walk.user.base);
        move_to_saved(m, &left);
        if (dame_prim_has_list(prim)) {
            move_to_saved(m, &walk.table);
        }
    }
    if (dame_prim_has_list(prim)) {
        walk.at = x_take(m);
    }
    x_loop(m, &walk, (x_trips_t){-1, left});
    x_leave(code, m->saved);
}

/* The part for all iterations. */
static void all_run(x_maker_t *m, const dame_prim_t *prim)
{
    x_reg_t origin = X_ARG_ORIGIN;
    x_enter(m->code, m->saved);
    share_out(m, 0);
    if (m->has_calls) {
        move_to_saved(m, &origin);
    }
    if (is_members(m, prim)) {
        all_members(m, prim, x_at(origin, 0));
    } else {
        x_all_of(m, prim, x_at(origin, 0), prim->count);
    }
    x_leave(m->code, m->saved);
}

/* One attempt. Where only all iterations at once are compiled, the interpreter does the rest. */
static void write_kernel(x_maker_t *m, const dame_prim_t *prim, int is_whole)
{
    x_code_t *code = m->code;
    const int has_rest = !is_interpreted(prim);
    x_entry(code);
    x_hold_constants(code);
    if (is_whole) {
        x_compare(code, X_ARG_COUNT, prim->count);
        const x_label_t otherwise = x_branch_ahead(code, X_NOT_EQUAL);
        if (x_is_straight(m, prim, 0, prim->count, x_at(X_ARG_ORIGIN, 0),
                          m->context->options->straight_bytes)) {
            m->packed = X_ARG_PACKED;
            x_move_straight(m, x_at(X_ARG_ORIGIN, 0));
            x_leave(code, 0);
            m->ahead = 0;
        } else {
            all_run(m, prim);
        }
        x_land(code, otherwise);
    }
    if (has_rest) {
        any_run(m, prim);
    } else {
        x_jump(code, (uintptr_t) dame_prim_run(prim, m->context->dir));
    }
    x_place_constants(code);
}

/* The next attempt has what the last one missed; 0 when there is nothing more to try. */
static int try_harder(x_maker_t *m)
{
    if (m->wants_calls && !m->has_calls) {
        m->has_calls = 1;
        m->saved = X_SAVED;
    } else if (m->wants_saved && 0 == m->saved) {
        m->saved = X_SAVED;
    } else if ((m->wants_saved || m->code->full) && !m->is_shallow) {
        m->is_shallow = 1;
        m->has_calls = 1;
        m->saved = X_SAVED;
    } else if (m->wants_saved || m->wants_calls || m->code->full) {
        return 0;
    }
    return 1;
}

static int is_good(const x_maker_t *m)
{
    return !m->wants_calls && !m->wants_saved && !m->code->full && !x_wants_constants(m->code);
}

/*
 * Is all of a level worth code of its own, beside that for any run? Short levels are straight code;
 * levels of members are nothing but that; where vectors hold many iterations, the last few, which
 * fill none, are known.
 */
static int is_whole_better(x_maker_t *m, const dame_prim_t *prim)
{
    int64_t window = 1;
    if (0 == prim->count) { /* not known */
        return 0;
    }
    if (x_is_straight(m, prim, 0, prim->count, x_at(X_ARG_ORIGIN, 0),
                      m->context->options->straight_bytes) ||
        is_members(m, prim)) {
        return 1;
    }
    if (!is_interpreted(prim) && x_is_iteration_straight(m, prim, 0)) {
        (void) x_turn_length(m, prim, &window);
    }
    return window > 1;
}

int32_t x_level(x_context_t *context, int32_t index)
{
    enum { ATTEMPTS = 6 };
    x_code_t *code = &context->code;
    uint8_t *const start = code->at;
    uint8_t *const end = code->end;
    const dame_prim_t *prim = &context->program->prims[index];
    x_maker_t m = {.context = context,
                   .code = code,
                   .packed = X_ARG_PACKED,
                   .pieces = &context->pieces,
                   .lines = 1};
    const int is_whole = is_whole_better(&m, prim);
    if (!is_whole && is_interpreted(prim)) {
        return -1;
    }
    code->constants = (x_constants_t){.none = 0};
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (m.has_calls && !code->constants.none) {
            code->constants = (x_constants_t){.none = 1};
        }
        code->at = start;
        code->end = end - start < KERNEL_ROOM ? end : start + KERNEL_ROOM;
        code->full = 0;
        m.wants_calls = 0;
        m.wants_saved = 0;
        write_kernel(&m, prim, is_whole);
        code->end = end;
        if (is_good(&m)) {
            const uint32_t offset = (uint32_t) (start - code->start);
            return (int32_t) ((offset + X_ENTRY_ALIGNMENT - 1) / X_ENTRY_ALIGNMENT *
                              X_ENTRY_ALIGNMENT);
        }
        if (!try_harder(&m)) {
            break;
        }
    }
    code->at = start;
    code->full = 0;
    return -1;
}

#endif
