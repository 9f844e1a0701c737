#include "jit/x/level.h"

#include "dame/memory_order.h"
#include "jit/x/cpu.h"
#include "jit/x/move.h"

#if DAME_X_HAVE_CPU

/*
 * A kernel in the making. The packed register stands `ahead` bytes before the place that code has
 * reached: straight code counts on, loops first bring it up to date.
 */
typedef struct maker {
    x_context_t *context;
    x_code_t *code;
    x_reg_t packed;
    int64_t ahead;
    int has_calls;   /* values live in registers that calls keep */
    int wants_calls; /* sticky: this kernel needs to be made anew with has_calls */
    int wants_saved; /* sticky: and with more registers */
    int saved;       /* registers that are saved */
    int is_shallow;  /* inner loops are called */
    int64_t reach;   /* bytes that the loops around step over, of that which steps over most */
    x_reg_t free[X_VOLATILES + X_SAVED + 5]; /* registers that hold nothing */
    int nfree;
    int prefetches; /* for the loop that is being written */
    x_pieces_t pieces;
} maker_t;

enum {
    KERNEL_ROOM = 8192, /* bytes of one kernel */
    PAGE = 4096,
    FAR = 1 << 30 /* displacements in straight code */
};

/* ---- registers ---- */

static x_reg_t take(maker_t *m)
{
    if (0 == m->nfree) {
        m->wants_saved = 1;
        return X_TEMP; /* this attempt is thrown away */
    }
    return m->free[--m->nfree];
}

static void give_back(maker_t *m, x_reg_t reg)
{
    if (X_TEMP != reg) {
        m->free[m->nfree++] = reg;
    }
}

static void catch_up(maker_t *m)
{
    x_add_constant(m->code, m->packed, m->packed, m->ahead);
    m->ahead = 0;
}

/* A register with user + disp: for code that moves along or whose displacements would not fit. */
static x_reg_t take_address(maker_t *m, x_place_t user)
{
    const x_reg_t reg = take(m);
    x_add_constant(m->code, reg, user.base, user.disp);
    return reg;
}

/* ---- straight code ---- */

static int64_t iteration_disp(const dame_prim_t *prim, int64_t i)
{
    return dame_prim_has_list(prim) ? dame_prim_disp(prim, i)
                                    : (int64_t) ((uint64_t) i * (uint64_t) prim->step);
}

static int64_t iteration_size(const dame_prim_t *prim, int64_t i)
{
    return NULL != prim->prefix ? prim->prefix[i + 1] - prim->prefix[i] : prim->isize;
}

/* Iterations of a level as a level of its own: for CONTIGCHILD, whose count the one above has. */
static int64_t inner_count(const dame_prim_t *prim, int64_t i, const dame_prim_t *inner)
{
    return 0 != inner->count ? inner->count : iteration_size(prim, i) / inner->isize;
}

/*
 * Appends the blocks of iterations first to first + n - 1 of a level. Returns 0 when they are more
 * than straight code is good for, or out of reach.
 */
static int append(const maker_t *m, const dame_prim_t *prim, int64_t first, int64_t n, int64_t user,
                  int64_t *packed, x_pieces_t *to)
{
    if (n > X_PIECES ||
        (dame_prim_has_list(prim) && n > 1 && n > m->context->options->list_entries)) {
        return 0;
    }
    for (int64_t i = first; i < first + n; i++) {
        const int32_t inner = NULL != prim->inners ? prim->inners[i] : prim->inner;
        int64_t at;
        if (__builtin_add_overflow(user, iteration_disp(prim, i), &at)) {
            return 0;
        }
        if (0 != inner) {
            if (!append(m, prim + inner, 0, inner_count(prim, i, prim + inner), at, packed, to)) {
                return 0;
            }
            continue;
        }
        const int64_t bytes = iteration_size(prim, i);
        x_piece_t *last = to->n > 0 ? &to->at[to->n - 1] : NULL;
        if (bytes > m->context->options->memcpy_bytes || at < -FAR || at > FAR) {
            return 0;
        }
        if (NULL != last && last->user + last->bytes == at) {
            last->bytes += bytes;
        } else if (to->n == X_PIECES) {
            return 0;
        } else {
            to->at[to->n++] = (x_piece_t){at, *packed, bytes};
        }
        *packed += bytes;
    }
    return 1;
}

/* Are these iterations good as straight code of up to `most` bytes? Then m->pieces has them. */
static int is_straight(maker_t *m, const dame_prim_t *prim, int64_t first, int64_t n,
                       x_place_t user, int64_t most)
{
    int64_t packed = m->ahead;
    m->pieces.n = 0;
    m->pieces.more = 0;
    m->pieces.exact = 0;
    return append(m, prim, first, n, user.disp, &packed, &m->pieces) && packed - m->ahead <= most;
}

/* One iteration of a level, at `user`: is it straight code? Then m->pieces has its blocks. */
static int is_iteration_straight(maker_t *m, const dame_prim_t *prim, int64_t user)
{
    const int64_t most = m->context->options->memcpy_bytes;
    int64_t packed = m->ahead;
    x_pieces_t *pieces = &m->pieces;
    pieces->n = 0;
    pieces->more = 0;
    pieces->exact = 0;
    if (user < -FAR || user > FAR) {
        return 0;
    }
    if (0 == prim->inner) {
        if (prim->isize > most) {
            return 0;
        }
        pieces->at[pieces->n++] = (x_piece_t){user, packed, prim->isize};
        return 1;
    }
    return append(m, prim + prim->inner, 0, prim[prim->inner].count, user, &packed, pieces);
}

/* Moves the pieces; the packed place goes on by what they have. */
static void move_pieces(maker_t *m, x_place_t user)
{
    const x_pieces_t *pieces = &m->pieces;
    x_move_pieces(m->code, m->context->dir, user, m->packed, pieces);
    if (pieces->n > 0) {
        m->ahead = pieces->at[pieces->n - 1].packed + pieces->at[pieces->n - 1].bytes;
    }
}

/* ---- calls ---- */

/* The arguments are set in an order in which none is lost: all sources are saved registers. */
static void call_level(maker_t *m, const dame_prim_t *prim, x_place_t user, int64_t count)
{
    x_context_t *context = m->context;
    x_code_t *code = m->code;
    const int32_t kernel = context->kernels[prim - context->program->prims];
    if (!m->has_calls) {
        m->wants_calls = 1;
        return;
    }
    catch_up(m);
    x_set(code, X_ARG_PRIM, (int64_t) (uintptr_t) prim);
    x_add_constant(code, X_ARG_ORIGIN, user.base, user.disp);
    x_move(code, X_ARG_PACKED, m->packed);
    x_set(code, X_ARG_FIRST, 0);
    x_set(code, X_ARG_COUNT, count);
    if (kernel >= 0) {
        x_call_code(code, (x_label_t) kernel);
    } else {
        x_call(code, (uintptr_t) dame_prim_run(prim, context->dir));
    }
    m->ahead = NULL != prim->prefix ? prim->prefix[count] : count * prim->isize;
}

static void call_memcpy(maker_t *m, x_place_t user, int64_t bytes)
{
    x_code_t *code = m->code;
    const int packs = DAME_PACK == m->context->dir; /* the first argument is where bytes go */
    const x_reg_t in_user = packs ? X_ARG_ORIGIN : X_ARG_PRIM;
    const x_reg_t in_stream = packs ? X_ARG_PRIM : X_ARG_ORIGIN;
    if (!m->has_calls) {
        m->wants_calls = 1;
        return;
    }
    catch_up(m);
    x_add_constant(code, in_user, user.base, user.disp);
    x_move(code, in_stream, m->packed);
    x_set(code, X_ARG_PACKED, bytes);
    x_call(code, (uintptr_t) memcpy);
    m->ahead = bytes;
}

/* ---- loops ---- */

/* How often a loop runs: a constant, or what a register holds, which the loop uses up. */
typedef struct trips {
    int64_t constant; /* < 0: in reg */
    x_reg_t reg;
} trips_t;

static int64_t distance(int64_t step, int64_t n)
{
    int64_t bytes;
    return __builtin_mul_overflow(step, n, &bytes) || INT64_MIN == bytes ? INT64_MAX
           : bytes < 0                                                   ? -bytes
                                                                         : bytes;
}

/*
 * Iterations of a turn. Those of small steps: whole vectors of them, which a permutation gathers;
 * `window` is how many a vector has, or 1.
 */
static int64_t turn_length(const maker_t *m, const dame_prim_t *prim, int64_t *window)
{
    enum { MOST_ITERATIONS = 4, MOST_WINDOWS = 2, FEWEST_BLOCKS = 4 };
    const dame_jit_options_t *options = m->context->options;
    const x_pieces_t *one = &m->pieces; /* of one iteration */
    const int64_t vector = m->code->vectors.permute_bytes;
    const int64_t step = distance(prim->step, 1);
    const int64_t by_pieces = X_PIECES / one->n;
    int64_t turn = options->unroll_bytes / prim->isize;
    int64_t low = INT64_MAX;
    int64_t high = INT64_MIN;
    *window = 1;
    for (int i = 0; i < one->n; i++) {
        low = one->at[i].user < low ? one->at[i].user : low;
        high =
            one->at[i].user + one->at[i].bytes > high ? one->at[i].user + one->at[i].bytes : high;
    }
    if (!dame_prim_has_list(prim) && step > 0 && step < vector && high - low <= vector) {
        const int64_t in_vector = (vector - (high - low)) / step + 1;
        if (in_vector * one->n >= FEWEST_BLOCKS && in_vector * prim->isize <= vector &&
            in_vector <= by_pieces &&
            (DAME_PACK == m->context->dir || vector <= m->code->vectors.mask_bytes)) {
            *window = in_vector;
            return MOST_WINDOWS * in_vector <= by_pieces ? MOST_WINDOWS * in_vector : in_vector;
        }
    }
    turn = turn < MOST_ITERATIONS ? turn : MOST_ITERATIONS;
    turn = turn < by_pieces ? turn : by_pieces;
    return turn < 1 || distance(prim->step, turn + 1) > FAR ? 1 : turn;
}

/* Walks over so many bytes gain from prefetching: they have left the first cache but not the last.
 */
enum { LEAST_REACH = 1 << 18, MOST_REACH = 1 << 22 };

/* Would it be worth prefetching in this loop, if it stepped over enough? */
static int may_prefetch(const maker_t *m, const dame_prim_t *prim)
{
    const int64_t ahead = distance(prim->step, m->context->options->prefetch_distance);
    return !dame_prim_has_list(prim) && ahead > 0 && ahead < FAR / 2 && !dame_is_near(prim->step);
}

/* Moves `n` iterations that start at `user`, as straight code; `more` iterations follow. */
static void turn(maker_t *m, const dame_prim_t *prim, x_reg_t user, int64_t n, int64_t more)
{
    int64_t packed = m->ahead;
    x_pieces_t *pieces = &m->pieces;
    pieces->n = 0;
    pieces->more = 0;
    pieces->exact = distance(prim->step, 1) >= PAGE;
    append(m, prim, 0, n, 0, &packed, pieces);
    if (more > 0) {
        x_pieces_t next = {.n = 0};
        append(m, prim, n, more, 0, &packed, &next);
        memcpy(&pieces->at[pieces->n], next.at, (size_t) next.n * sizeof(next.at[0]));
        pieces->more = next.n;
    }
    if (m->prefetches) {
        for (int64_t i = 0; i < n; i++) {
            const int64_t ahead = m->context->options->prefetch_distance + i;
            x_prefetch(m->code, x_at(user, ahead * prim->step));
        }
    }
    move_pieces(m, x_at(user, 0));
}

/* The same by a table of displacements; `table` stands at the first one. */
static void listed_turn(maker_t *m, const dame_prim_t *prim, x_place_t user, x_reg_t table,
                        x_reg_t at, int64_t n, int64_t more)
{
    const int bytes = NULL != prim->disps32 ? 4 : 8;
    for (int64_t i = 0; i < n; i++) {
        const int64_t behind = (n - 1 - i + more) * prim->isize;
        x_pieces_t *pieces = &m->pieces;
        x_load_entry(m->code, at, x_at(table, i * bytes), bytes);
        (void) is_iteration_straight(m, prim, user.disp); /* for its pieces */
        pieces->exact = 1;
        if (behind > 0) { /* elsewhere in user memory */
            pieces->at[pieces->n] = (x_piece_t){INT64_MIN, m->ahead + prim->isize, behind};
            pieces->more = 1;
        }
        move_pieces(m, x_element(m->code, user.base, at));
    }
}

static int64_t table_address(const dame_prim_t *prim)
{
    return NULL != prim->disps32 ? (int64_t) (uintptr_t) prim->disps32
                                 : (int64_t) (uintptr_t) prim->disps;
}

/* Where a loop stands, in registers that move on with it. */
typedef struct walk {
    const dame_prim_t *prim;
    x_place_t user; /* without a table: of the next iteration, disp 0 */
    x_reg_t table;  /* of the next entry */
    x_reg_t at;     /* with a table: of an iteration */
} walk_t;

static void walk_turn(maker_t *m, const walk_t *walk, int64_t n, int64_t more)
{
    const dame_prim_t *prim = walk->prim;
    if (dame_prim_has_list(prim)) {
        const int64_t bytes = NULL != prim->disps32 ? 4 : 8;
        listed_turn(m, prim, walk->user, walk->table, walk->at, n, more);
        x_add_constant(m->code, walk->table, walk->table, n * bytes);
    } else {
        turn(m, prim, walk->user.base, n, more);
        x_add_constant(m->code, walk->user.base, walk->user.base, n * prim->step);
    }
    catch_up(m);
}

/* Turns of n iterations as long as `left`, the register, has more than `spare` beside them. */
static void turns(maker_t *m, const walk_t *walk, x_reg_t left, int64_t n, int64_t spare)
{
    x_code_t *code = m->code;
    x_subtract(code, left, (int32_t) (n + spare));
    const x_label_t skip = x_branch_ahead(code, X_LESS);
    const x_label_t again = x_here(code);
    walk_turn(m, walk, n, spare);
    x_subtract(code, left, (int32_t) n);
    x_branch_back(code, X_NOT_LESS, again);
    x_land(code, skip);
    x_add_constant(code, left, left, n + spare);
}

/* Turns that prefetch, when what is left steps over a good number of bytes for that. */
static void prefetching_turns(maker_t *m, const walk_t *walk, x_reg_t left, int64_t n,
                              int64_t spare)
{
    x_code_t *code = m->code;
    const int64_t step = distance(walk->prim->step, 1);
    x_compare(code, left, LEAST_REACH / step);
    const x_label_t few = x_branch_ahead(code, X_LESS);
    x_compare(code, left, MOST_REACH / step);
    const x_label_t many = x_branch_ahead(code, X_GREATER);
    m->prefetches = 1;
    turns(m, walk, left, n, spare);
    m->prefetches = 0;
    x_land(code, few);
    x_land(code, many);
}

/* A loop over iterations that are straight code; m->pieces has one of them. */
static void loop_straight(maker_t *m, const walk_t *walk, trips_t trips)
{
    x_code_t *code = m->code;
    int64_t window;
    const int64_t n = turn_length(m, walk->prim, &window);
    if (trips.constant < 0) {
        if (may_prefetch(m, walk->prim) && m->reach < MOST_REACH) {
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
        may_prefetch(m, walk->prim) && m->reach >= LEAST_REACH && m->reach <= MOST_REACH;
    if (whole > 1) {
        const x_reg_t left = take(m);
        x_set(code, left, whole);
        const x_label_t again = x_here(code);
        walk_turn(m, walk, n, window);
        x_subtract(code, left, 1);
        x_branch_back(code, X_NOT_EQUAL, again);
        give_back(m, left);
    } else if (1 == whole) {
        walk_turn(m, walk, n, window);
    }
    for (rest -= whole * n; rest > 0; rest -= n) { /* at most two turns */
        walk_turn(m, walk, rest < n ? rest : n, 0);
    }
    m->prefetches = 0;
}

static void all_of(maker_t *m, const dame_prim_t *prim, x_place_t user, int64_t n);

/* A loop over iterations that are loops, or long blocks. */
static void loop_nest(maker_t *m, const walk_t *walk, trips_t trips)
{
    x_code_t *code = m->code;
    const dame_prim_t *prim = walk->prim;
    const dame_prim_t *inner = prim + prim->inner;
    const int64_t bytes = NULL != prim->disps32 ? 4 : 8;
    x_label_t skip = 0;
    x_place_t user = walk->user;
    x_reg_t left = trips.reg;
    if (trips.constant < 0) {
        x_subtract(code, left, 1);
        skip = x_branch_ahead(code, X_LESS);
    } else {
        left = take(m);
        x_set(code, left, trips.constant - 1);
    }
    const x_label_t again = x_here(code);
    if (dame_prim_has_list(prim)) {
        x_load_entry(code, walk->at, x_at(walk->table, 0), (int) bytes);
        x_add(code, walk->at, user.base);
        user.base = walk->at;
    }
    if (0 == prim->inner) {
        call_memcpy(m, user, prim->isize);
    } else {
        all_of(m, inner, user, inner->count);
    }
    catch_up(m);
    if (dame_prim_has_list(prim)) {
        x_add_constant(code, walk->table, walk->table, bytes);
    } else {
        x_add_constant(code, walk->user.base, walk->user.base, prim->step);
    }
    x_subtract(code, left, 1);
    x_branch_back(code, X_NOT_LESS, again);
    if (trips.constant < 0) {
        x_land(code, skip);
    } else {
        give_back(m, left);
    }
}

static void loop(maker_t *m, const walk_t *walk, trips_t trips)
{
    const dame_prim_t *prim = walk->prim;
    const int64_t reach = m->reach;
    const int64_t n = trips.constant >= 0 ? trips.constant : prim->count;
    const int64_t here = dame_prim_has_list(prim) ? 0 : distance(prim->step, n);
    m->reach = here > reach ? here : reach;
    catch_up(m);
    if (is_iteration_straight(m, prim, walk->user.disp)) {
        loop_straight(m, walk, trips);
    } else {
        loop_nest(m, walk, trips);
    }
    m->reach = reach;
}

/* ---- levels ---- */

/* Levels that are better off with the interpreter's kernels: lists whose blocks have lengths of
 * their own or are visited in another order, and walks that must not be hurried. */
static int is_interpreted(const dame_prim_t *prim)
{
    return 0 == prim->isize || NULL != prim->prefix || NULL != prim->visits ||
           dame_walks_columns(prim) || dame_in_one_set(prim);
}

static void all_of(maker_t *m, const dame_prim_t *prim, x_place_t user, int64_t n);

/* A level of few iterations that are not alike, as straight code around their loops. */
static int is_members(const maker_t *m, const dame_prim_t *prim)
{
    return NULL != prim->inners ||
           (NULL != prim->prefix && prim->count <= m->context->options->list_entries);
}

static void all_members(maker_t *m, const dame_prim_t *prim, x_place_t user)
{
    for (int64_t i = 0; i < prim->count && !m->code->full; i++) {
        const dame_prim_t *inner = prim + (NULL != prim->inners ? prim->inners[i] : prim->inner);
        const int64_t disp = dame_prim_disp(prim, i);
        x_place_t at = x_at(user.base, (int64_t) ((uint64_t) user.disp + (uint64_t) disp));
        const int is_far = at.disp < -FAR || at.disp > FAR;
        if (is_far) {
            at = x_at(take_address(m, at), 0);
        }
        if (inner != prim) {
            all_of(m, inner, at, inner_count(prim, i, inner));
        } else if (is_straight(m, prim, i, 1, x_at(at.base, at.disp - disp),
                               m->context->options->memcpy_bytes)) {
            move_pieces(m, x_at(at.base, 0));
        } else {
            call_memcpy(m, at, iteration_size(prim, i));
        }
        if (is_far) {
            give_back(m, at.base);
        }
    }
}

/* All iterations of a level whose origin is at `user`. */
static void all_of(maker_t *m, const dame_prim_t *prim, x_place_t user, int64_t n)
{
    walk_t walk = {.prim = prim, .user = user};
    if (is_straight(m, prim, 0, n, user, m->context->options->straight_bytes)) {
        move_pieces(m, x_at(user.base, 0));
    } else if (is_members(m, prim) && !m->is_shallow) {
        all_members(m, prim, user);
    } else if (is_interpreted(prim) || m->is_shallow) {
        call_level(m, prim, user, n);
    } else if (dame_prim_has_list(prim)) {
        walk.table = take(m);
        walk.at = take(m);
        x_set(m->code, walk.table, table_address(prim));
        loop(m, &walk, (trips_t){.constant = n});
        give_back(m, walk.at);
        give_back(m, walk.table);
    } else {
        walk.user = x_at(take_address(m, user), 0);
        loop(m, &walk, (trips_t){.constant = n});
        give_back(m, walk.user.base);
    }
}

/* ---- kernels ---- */

/* Which registers are free after the arguments but origin, packed and count have been looked at. */
static void share_out(maker_t *m, int has_table)
{
    m->nfree = 0;
    m->ahead = 0;
    m->packed = X_ARG_PACKED;
    for (int i = m->saved; i-- > 0;) {
        m->free[m->nfree++] = x_saved[i];
    }
    if (m->has_calls) {
        m->packed = take(m);
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

static void move_to_saved(maker_t *m, x_reg_t *reg)
{
    const x_reg_t to = take(m);
    x_move(m->code, to, *reg);
    *reg = to;
}

/* The part for any run of iterations: first and number are in registers. */
static void any_run(maker_t *m, const dame_prim_t *prim)
{
    x_code_t *code = m->code;
    walk_t walk = {.prim = prim, .user = x_at(X_ARG_ORIGIN, 0)};
    x_reg_t left = X_ARG_COUNT;
    x_enter(code, m->saved);
    if (dame_prim_has_list(prim)) {
        x_multiply(code, X_ARG_FIRST, NULL != prim->disps32 ? 4 : 8);
        x_set(code, X_ARG_PRIM, table_address(prim));
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
        walk.at = take(m);
        loop(m, &walk, (trips_t){-1, left});
    } else {
        loop(m, &walk, (trips_t){-1, left});
    }
    x_leave(code, m->saved);
}

/* The part for all iterations of a level of members. */
static void all_run(maker_t *m, const dame_prim_t *prim)
{
    x_reg_t origin = X_ARG_ORIGIN;
    x_enter(m->code, m->saved);
    share_out(m, 0);
    if (m->has_calls) {
        move_to_saved(m, &origin);
    }
    all_members(m, prim, x_at(origin, 0));
    x_leave(m->code, m->saved);
}

/* One attempt. Where only all iterations at once are compiled, the interpreter does the rest. */
static void write_kernel(maker_t *m, const dame_prim_t *prim, int is_whole)
{
    x_code_t *code = m->code;
    const int has_rest = !is_interpreted(prim);
    x_entry(code);
    x_hold_constants(code);
    if (is_whole) {
        x_compare(code, X_ARG_COUNT, prim->count);
        const x_label_t otherwise = x_branch_ahead(code, X_NOT_EQUAL);
        if (is_straight(m, prim, 0, prim->count, x_at(X_ARG_ORIGIN, 0),
                        m->context->options->straight_bytes)) {
            m->packed = X_ARG_PACKED;
            move_pieces(m, x_at(X_ARG_ORIGIN, 0));
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
static int try_harder(maker_t *m)
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

static int is_good(const maker_t *m)
{
    return !m->wants_calls && !m->wants_saved && !m->code->full && !x_wants_constants(m->code);
}

int32_t x_level(x_context_t *context, int32_t index)
{
    enum { ATTEMPTS = 6 };
    x_code_t *code = &context->code;
    uint8_t *const start = code->at;
    uint8_t *const end = code->end;
    const dame_prim_t *prim = &context->program->prims[index];
    maker_t m = {.context = context, .code = code, .packed = X_ARG_PACKED};
    const int is_whole =
        prim->count > 0 && (is_straight(&m, prim, 0, prim->count, x_at(X_ARG_ORIGIN, 0),
                                        context->options->straight_bytes) ||
                            NULL != prim->inners);
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
