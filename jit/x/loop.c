#include "dame/memory_order.h"
#include "cpu.h"
#include "fault.h"
#include "maker.h"

#if DAME_X_HAVE_CPU

int64_t x_distance(int64_t step, int64_t n)
{
    int64_t bytes;
    return __builtin_mul_overflow(step, n, &bytes) || INT64_MIN == bytes ? INT64_MAX
           : bytes < 0                                                   ? -bytes
                                                                         : bytes;
}

int64_t x_turn_length(const x_maker_t *m, const dame_prim_t *prim, int64_t *window)
{
    enum { MOST_ITERATIONS = 4, MOST_WINDOWS = 2 };
    const dame_jit_options_t *options = m->context->options;
    const x_pieces_t *one = m->pieces; /* of one iteration */
    const int64_t vector = m->code->vectors.permute_bytes;
    const int64_t step = x_distance(prim->step, 1);
    const int64_t by_pieces = X_PIECES / one->n;
    int64_t turn = options->unroll_bytes / prim->isize;
    int64_t low = INT64_MAX;
    int64_t high = INT64_MIN;
    int64_t moves = 0;
    *window = 1;
    for (int i = 0; i < one->n; i++) {
        low = one->at[i].user < low ? one->at[i].user : low;
        high =
            one->at[i].user + one->at[i].bytes > high ? one->at[i].user + one->at[i].bytes : high;
        moves += x_moves(m->code, m->context->dir, one->at[i].bytes);
    }
    if (!dame_prim_has_list(prim) && step > 0 && step < vector && high - low <= vector) {
        const int64_t in_vector = (vector - (high - low)) / step + 1;
        if (in_vector * moves >= X_FEWEST_MOVES && in_vector * prim->isize <= vector &&
            in_vector <= by_pieces &&
            (DAME_PACK == m->context->dir || vector <= m->code->vectors.mask_bytes)) {
            *window = in_vector;
            return MOST_WINDOWS * in_vector <= by_pieces ? MOST_WINDOWS * in_vector : in_vector;
        }
    }
    turn = turn < MOST_ITERATIONS ? turn : MOST_ITERATIONS;
    turn = turn < by_pieces ? turn : by_pieces;
    return turn < 1 || x_distance(prim->step, turn + 1) > X_FAR ? 1 : turn;
}

/*
 * Walks gain from prefetching that touch at least so many cache lines, more than the first cache
 * has, but reach over no more bytes than the last one. A walk may reach over megabytes and touch
 * few lines: those stay in the first cache.
 */
enum { LEAST_LINES = 1 << 11, MOST_REACH = 1 << 22 };

/* Would it be worth prefetching in this loop, if it touched enough? Blocks of a line and more are
 * streams to the CPU, which fetches them ahead on its own. */
static int may_prefetch(const x_maker_t *m, const dame_prim_t *prim)
{
    const int64_t ahead = x_distance(prim->step, m->context->prefetch_distance);
    return !dame_prim_has_list(prim) && prim->isize < DAME_LINE && ahead > 0 && ahead < X_FAR / 2 &&
           !dame_is_near(prim->step);
}

/* Moves `n` iterations that start at `user`, as straight code; `more` iterations follow. */
static void turn(x_maker_t *m, const dame_prim_t *prim, x_reg_t user, int64_t n, int64_t more)
{
    int64_t packed = m->ahead;
    x_pieces_t *pieces = m->pieces;
    x_no_pieces(pieces);
    pieces->streams = m->streams;
    pieces->exact = x_distance(prim->step, 1) >= DAME_PAGE;
    m->code->full |= !x_append(m, prim, 0, n, 0, &packed, pieces);
    if (more > 0) {
        x_pieces_t *next = &m->context->next;
        x_no_pieces(next);
        x_append(m, prim, n, more, 0, &packed, next);
        memcpy(&pieces->at[pieces->n], next->at, (size_t) next->n * sizeof(next->at[0]));
        pieces->more = next->n;
    }
    if (m->prefetches) {
        for (int64_t i = 0; i < n; i++) {
            const int64_t ahead = m->context->prefetch_distance + i;
            x_prefetch(m->code, x_at(user, ahead * prim->step));
        }
    }
    x_move_straight(m, x_at(user, 0));
}

/* The same by a table of displacements; `table` stands at the first one. */
static void listed_turn(x_maker_t *m, const dame_prim_t *prim, x_place_t user, x_reg_t table,
                        x_reg_t at, int64_t n, int64_t more)
{
    const int bytes = x_entry_bytes(prim);
    for (int64_t i = 0; i < n; i++) {
        const int64_t behind = (n - 1 - i + more) * prim->isize;
        x_pieces_t *pieces = m->pieces;
        x_load_entry(m->code, at, x_at(table, (i + X_FAULT(next_table_entry, 0, 1)) * bytes),
                     bytes);
        (void) x_is_iteration_straight(m, prim, user.disp); /* for its pieces */
        pieces->exact = 1;
        pieces->streams = m->streams;
        if (behind > 0) { /* elsewhere in user memory */
            pieces->at[pieces->n] = (x_piece_t){INT64_MIN, m->ahead + prim->isize, behind};
            pieces->more = 1;
        }
        x_move_straight(m, x_element(m->code, user.base, at));
    }
}

int64_t x_table_address(const dame_prim_t *prim)
{
    return NULL != prim->disps32 ? (int64_t) (uintptr_t) prim->disps32
                                 : (int64_t) (uintptr_t) prim->disps;
}

static void walk_turn(x_maker_t *m, const x_walk_t *walk, int64_t n, int64_t more)
{
    const dame_prim_t *prim = walk->prim;
    if (dame_prim_has_list(prim)) {
        const int bytes = x_entry_bytes(prim);
        listed_turn(m, prim, walk->user, walk->table, walk->at, n, more);
        x_add_constant(m->code, walk->table, walk->table, n * bytes);
    } else {
        turn(m, prim, walk->user.base, n, more);
        x_add_constant(m->code, walk->user.base, walk->user.base,
                       n * prim->step + X_FAULT(stride_off_by_one, 0, 1));
    }
    x_catch_up(m);
}

/* Turns of n iterations as long as `left`, the register, has more than `spare` beside them. */
static void turns(x_maker_t *m, const x_walk_t *walk, x_reg_t left, int64_t n, int64_t spare)
{
    x_code_t *code = m->code;
    x_subtract(code, left, (int32_t) (n + spare - X_FAULT(loop_ends_late, 0, 1)));
    const x_label_t skip = x_branch_ahead(code, X_LESS);
    x_loop_head(code);
    const x_label_t again = x_here(code);
    walk_turn(m, walk, n, spare);
    x_subtract(code, left, X_FAULT(loop_without_end, (int32_t) n, 0));
    x_branch_back(code, X_FAULT(loop_ends_early, X_NOT_LESS, X_GREATER), again);
    x_land(code, skip);
    x_add_constant(code, left, left, n + spare);
}

/* Turns that prefetch, when what is left touches a good number of lines for that. */
static void prefetching_turns(x_maker_t *m, const x_walk_t *walk, x_reg_t left, int64_t n,
                              int64_t spare)
{
    x_code_t *code = m->code;
    const int64_t step = x_distance(walk->prim->step, 1);
    x_compare(code, left, LEAST_LINES);
    const x_label_t few = x_branch_ahead(code, X_LESS);
    x_compare(code, left, MOST_REACH / step);
    const x_label_t many = x_branch_ahead(code, X_GREATER);
    m->prefetches = 1;
    turns(m, walk, left, n, spare);
    m->prefetches = 0;
    x_land(code, few);
    x_land(code, many);
}

/* Packed bytes of a run from which on they are not worth keeping in the caches, INT64_MAX: none. */
static int64_t streamed_from(const x_maker_t *m, const dame_prim_t *prim)
{
    const int64_t bytes = m->context->options->nontemporal_bytes;
    return DAME_PACK == m->context->dir && bytes > 0 && prim->isize >= X_STREAMED ? bytes
                                                                                  : INT64_MAX;
}

/* Turns that store past the caches, when enough is left. */
static void streaming_turns(x_maker_t *m, const x_walk_t *walk, x_reg_t left, int64_t n)
{
    x_code_t *code = m->code;
    x_compare(code, left, streamed_from(m, walk->prim) / walk->prim->isize);
    const x_label_t few = x_branch_ahead(code, X_LESS);
    m->streams = 1;
    turns(m, walk, left, n, 0);
    m->streams = 0;
    x_fence(code);
    x_land(code, few);
}

/* A loop over iterations that are straight code; m->pieces has one of them. */
static void loop_straight(x_maker_t *m, const x_walk_t *walk, x_trips_t trips)
{
    x_code_t *code = m->code;
    int64_t window;
    const int64_t n = x_turn_length(m, walk->prim, &window);
    if (trips.constant < 0) {
        if (streamed_from(m, walk->prim) < INT64_MAX) {
            streaming_turns(m, walk, trips.reg, n);
        }
        if (may_prefetch(m, walk->prim) && m->reach < MOST_REACH &&
            (0 == walk->prim->count || walk->prim->count >= LEAST_LINES)) {
            prefetching_turns(m, walk, trips.reg, n, window);
        }
        if (n > 1) {
            turns(m, walk, trips.reg, n, window);
        }
        if (window > 1) {
            turns(m, walk, trips.reg, window, 0);
        }
        turns(m, walk, trips.reg, 1, 0);
        return;
    }
    int64_t rest = trips.constant;
    const int64_t whole = rest > window ? (rest - window) / n : 0;
    m->prefetches =
        may_prefetch(m, walk->prim) && m->lines >= LEAST_LINES && m->reach <= MOST_REACH;
    if (whole > 1) {
        const x_reg_t left = x_take(m);
        x_set(code, left, whole);
        x_loop_head(code);
        const x_label_t again = x_here(code);
        walk_turn(m, walk, n, window);
        x_subtract(code, left, 1);
        x_branch_back(code, X_NOT_EQUAL, again);
        x_give_back(m, left);
    } else if (1 == whole) {
        walk_turn(m, walk, n, window);
    }
    for (rest -= whole * n; rest > 0; rest -= n) { /* at most two turns */
        walk_turn(m, walk, rest < n ? rest : n, 0);
    }
    m->prefetches = 0;
}

/* A loop over iterations that are loops, or long blocks. */
static void loop_nest(x_maker_t *m, const x_walk_t *walk, x_trips_t trips)
{
    x_code_t *code = m->code;
    const dame_prim_t *prim = walk->prim;
    const dame_prim_t *inner = prim + prim->inner;
    const int bytes = x_entry_bytes(prim);
    x_label_t skip = 0;
    x_place_t user = walk->user;
    x_reg_t left = trips.reg;
    if (trips.constant < 0) {
        x_subtract(code, left, 1);
        skip = x_branch_ahead(code, X_LESS);
    } else {
        left = x_take(m);
        x_set(code, left, trips.constant - 1);
    }
    x_loop_head(code);
    const x_label_t again = x_here(code);
    if (dame_prim_has_list(prim)) {
        x_load_entry(code, walk->at, x_at(walk->table, 0), bytes);
        x_add(code, walk->at, user.base);
        user.base = walk->at;
    }
    if (0 == prim->inner) {
        x_block(m, user, prim->isize);
    } else {
        x_all_of(m, inner, user, inner->count);
    }
    x_catch_up(m);
    if (dame_prim_has_list(prim)) {
        x_add_constant(code, walk->table, walk->table, bytes);
    } else {
        x_add_constant(code, walk->user.base, walk->user.base, prim->step);
    }
    x_subtract(code, left, 1);
    x_branch_back(code, X_FAULT(loop_ends_early, X_NOT_LESS, X_GREATER), again);
    if (trips.constant < 0) {
        x_land(code, skip);
    } else {
        x_give_back(m, left);
    }
}

void x_loop(x_maker_t *m, const x_walk_t *walk, x_trips_t trips)
{
    const dame_prim_t *prim = walk->prim;
    const int64_t reach = m->reach;
    const int64_t lines = m->lines;
    const int64_t n = trips.constant >= 0 ? trips.constant : prim->count;
    const int64_t here = dame_prim_has_list(prim) ? 0 : x_distance(prim->step, n);
    m->reach = here > reach ? here : reach;
    m->lines = x_distance(lines, n > 0 ? n : 1);
    x_catch_up(m);
    if (x_is_iteration_straight(m, prim, walk->user.disp)) {
        loop_straight(m, walk, trips);
    } else {
        loop_nest(m, walk, trips);
    }
    m->reach = reach;
    m->lines = lines;
}

#endif
