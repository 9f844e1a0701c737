/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided communication with derived datatypes at the origin and at the target, over windows of
   every kind. Needs two ranks. argv: the kinds of window to use; none means all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_check.h"
#include "tests.h"
#include "types.h"

enum { WINDOW = 1 << 20, MANY = 3 };

/* How an operation is started and completed. */
enum sync { FENCE, LOCK, LOCK_ALL, REQUEST, SYNCS };
static const char *const sync_names[] = {"fence", "lock", "lock_all and flush", "request"};

typedef struct window {
    const char *kind;
    MPI_Win win, below; /* below: the shared window with the memory that `win` uses, if any */
    unsigned char *base;
} window_t;

static window_t window_new(const char *kind)
{
    window_t w = {.kind = kind, .win = MPI_WIN_NULL, .below = MPI_WIN_NULL};

    if (strcmp(kind, "create") == 0) {
        MPI_Alloc_mem(WINDOW, MPI_INFO_NULL, &w.base);
        MPI_Win_create(w.base, WINDOW, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w.win);
    } else if (strcmp(kind, "allocate") == 0) {
        MPI_Win_allocate(WINDOW, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w.base, &w.win);
    } else if (strcmp(kind, "shared") == 0) {
        MPI_Win_allocate_shared(WINDOW, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w.base, &w.win);
    } else if (strcmp(kind, "create-on-shared") == 0) {
        MPI_Win_allocate_shared(WINDOW, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w.base, &w.below);
        MPI_Win_create(w.base, WINDOW, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w.win);
    } else {
        fprintf(stderr, "no such kind of window: %s\n", kind);
        abort();
    }
    return w;
}

static void window_free(window_t *w)
{
    MPI_Win_free(&w->win);
    if (w->below != MPI_WIN_NULL) {
        MPI_Win_free(&w->below);
    } else if (strcmp(w->kind, "create") == 0) {
        MPI_Free_mem(w->base);
    }
}

static void epoch_begin(window_t *w, enum sync how, int target)
{
    if (how == FENCE) {
        MPI_Win_fence(0, w->win);
    } else if (how == LOCK) {
        MPI_Win_lock(target % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, w->win);
    } else {
        MPI_Win_lock_all(0, w->win);
    }
}

static void epoch_end(window_t *w, enum sync how, int target)
{
    if (how == FENCE) {
        MPI_Win_fence(0, w->win);
    } else if (how == LOCK) {
        MPI_Win_unlock(target, w->win);
    } else {
        MPI_Win_flush(target, w->win);
        MPI_Win_unlock_all(w->win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The window's memory may be looked at: with separate memory a lock makes it the public copy. */
static void own_begin(window_t *w)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, my_rank, 0, w->win);
}

static void own_end(window_t *w)
{
    MPI_Win_unlock(my_rank, w->win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static unsigned seed_of(int rank, int salt)
{
    return (unsigned) (rank * 59 + salt * 7 + 1);
}

/* One operation's arguments: the origin's message, and the shape of the target's. */
typedef struct op {
    window_t *w;
    enum sync how;
    message_t origin, target; /* target lies in this rank's window; the other's is like it */
    int n, to;
    MPI_Aint at;
    const char *name;
    unsigned char *mine, *theirs; /* streams */
} op_t;

static op_t op_new(window_t *w, enum sync how, const layout_t *from, const layout_t *to, int n,
                   const char *name)
{
    op_t o = {.w = w, .how = how, .n = n, .to = 1 - my_rank, .name = name};
    o.origin = msg_new(from, n);
    o.target = msg_in(to, n, w->base, WINDOW);
    o.at = o.target.zero - w->base;
    o.mine = stream_new(to, n, seed_of(my_rank, n));
    o.theirs = stream_new(to, n, seed_of(1 - my_rank, n));
    return o;
}

static void op_free(op_t *o)
{
    msg_free(&o->origin);
    msg_free(&o->target);
    free(o->mine);
    free(o->theirs);
}

/* An operation that suits the elements: random bytes are not good floats, and overflow of short is
   not defined. */
static MPI_Op op_for(MPI_Datatype basic)
{
    return basic == MPI_INT ? MPI_SUM : basic == MPI_SHORT ? MPI_BXOR : MPI_REPLACE;
}

/* What op_for's operation makes of the target's stream a and the origin's stream b, into a. */
static void combine(MPI_Datatype basic, unsigned char *a, const unsigned char *b, int64_t bytes)
{
    if (basic != MPI_INT) {
        for (int64_t i = 0; i < bytes; i++) {
            a[i] = basic == MPI_SHORT ? a[i] ^ b[i] : b[i];
        }
        return;
    }
    for (int64_t i = 0; i < bytes; i += 4) {
        uint32_t x, y;
        memcpy(&x, a + i, 4);
        memcpy(&y, b + i, 4);
        x += y;
        memcpy(a + i, &x, 4);
    }
}

enum kind { PUT, GET, ACCUMULATE, GET_ACCUMULATE, FETCH /* Get_accumulate with MPI_NO_OP */ };
static const char *const kind_names[] = {"Put", "Get", "Accumulate", "Get_accumulate",
                                         "Get_accumulate with MPI_NO_OP"};

static void start(op_t *o, enum kind kind, message_t *result)
{
    const MPI_Datatype from = o->origin.layout->type, to = o->target.layout->type;
    const MPI_Op op = kind == FETCH        ? MPI_NO_OP
                      : ACCUMULATE <= kind ? op_for(lay_uniform(o->target.layout))
                                           : MPI_OP_NULL;
    const MPI_Win w = o->w->win;
    void *origin = o->origin.buf;
    const int n = o->n, to_rank = o->to;
    MPI_Request r = MPI_REQUEST_NULL;

    switch (kind) {
    case PUT:
        o->how == REQUEST ? MPI_Rput(origin, n, from, to_rank, o->at, n, to, w, &r)
                          : MPI_Put(origin, n, from, to_rank, o->at, n, to, w);
        break;
    case GET:
        o->how == REQUEST ? MPI_Rget(origin, n, from, to_rank, o->at, n, to, w, &r)
                          : MPI_Get(origin, n, from, to_rank, o->at, n, to, w);
        break;
    case ACCUMULATE:
        o->how == REQUEST ? MPI_Raccumulate(origin, n, from, to_rank, o->at, n, to, op, w, &r)
                          : MPI_Accumulate(origin, n, from, to_rank, o->at, n, to, op, w);
        break;
    default: /* The result comes back in the target's layout. */
        MPI_Get_accumulate(origin, n, from, result->buf, n, to, to_rank, o->at, n, to, op, w);
    }
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* Both ranks do it to each other: memory of the origin, of the target and the result are as they
 * must be. */
static void operate(op_t *o, enum kind kind)
{
    const int64_t bytes = o->target.bytes;
    const char *how = sync_names[o->how], *name = kind_names[kind];
    message_t result = msg_new(o->target.layout, o->n);
    unsigned char *sum = must_malloc((size_t) bytes);

    memcpy(sum, o->mine, (size_t) bytes);
    if (kind == ACCUMULATE || kind == GET_ACCUMULATE) {
        combine(lay_uniform(o->target.layout), sum, o->theirs, bytes);
    }
    own_begin(o->w);
    kind == PUT ? msg_clear(&o->target) : msg_fill(&o->target, o->mine);
    own_end(o->w);
    kind == GET ? msg_clear(&o->origin) : msg_fill(&o->origin, o->mine);
    msg_clear(&result);
    epoch_begin(o->w, o->how, o->to);
    start(o, kind, &result);
    epoch_end(o->w, o->how, o->to);
    check(msg_holds(&o->origin, kind == GET ? o->theirs : o->mine, o->origin.bytes),
          "%s, %s, window %s: %s of %d at the origin", name, how, o->w->kind, o->name, o->n);
    check(kind < GET_ACCUMULATE || msg_holds(&result, o->theirs, result.bytes),
          "%s, %s, window %s: %s of %d", name, how, o->w->kind, o->name, o->n);
    own_begin(o->w);
    check(msg_holds(&o->target, kind == PUT ? o->theirs : sum, bytes),
          "%s, %s, window %s: %s of %d at the target", name, how, o->w->kind, o->name, o->n);
    own_end(o->w);
    free(sum);
    msg_free(&result);
}

/* Known defects of Open MPI 4.1.4 with Get_accumulate of derived datatypes, engine or not: osc/rdma
   returns wrong results when the target's memory is not mapped here (its ompi_osc_rdma_gacc_amo
   advances `result` before it unpacks), osc/pt2pt crashes on long messages, osc/ucx replaces data
   before it has got it. All give their windows a name. */
static bool has_get_accumulate(const window_t *w, bool is_long)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;

    MPI_Win_get_name(w->win, name, &length);
    if (strncmp(name, "rdma", 4) == 0) {
        return strcmp(w->kind, "allocate") == 0;
    }
    return strncmp(name, "ucx", 3) != 0 && (!is_long || strncmp(name, "pt2pt", 5) != 0);
}

/* Known defect of Open MPI 4.1.4's osc/ucx, engine or not: MPI_Accumulate and Get_accumulate make
   room for one element of the target's datatype, however many there are. */
static bool has_accumulate(const window_t *w, int n)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;

    MPI_Win_get_name(w->win, name, &length);
    return n == 1 || strncmp(name, "ucx", 3) != 0;
}

static void every_operation(window_t *w, const type_case_t *c, int turn)
{
    layout_t *spread = lay_spread(c->layout, 16);
    bool shaped = !c->send_only && c->layout->arena == NULL; /* may be a target */
    const layout_t *target = shaped ? c->layout : spread;
    const layout_t *origin = shaped && turn % 2 ? spread : c->layout;
    enum sync how = (enum sync)(turn % SYNCS);
    int n = turn % 3 ? MANY : 1;
    /* One predefined type, and not a pair: MPI-3.1 section 11.3.4 */
    bool uniform = c->external && lay_uniform(c->layout) != MPI_DATATYPE_NULL;

    lay_commit(spread);
    op_t o = op_new(w, how, origin, target, n, c->name);
    if (!c->send_only) {
        operate(&o, PUT);
        operate(&o, GET);
    }
    if (uniform && !c->send_only && has_accumulate(w, n)) {
        operate(&o, ACCUMULATE);
        if (has_get_accumulate(w, false)) {
            operate(&o, 0 == turn % 5 ? FETCH : GET_ACCUMULATE);
        }
    }
    op_free(&o);
    lay_free(spread);
}

/* Long enough to be cut into fragments on every way to the target. Of few blocks: osc rdma locks
 * for each. */
static void long_transfer(window_t *w)
{
    layout_t *ints = lay_basic(MPI_INT, 4, 4);
    layout_t *l = lay_vector(6000, 20, 40, ints), *spread = lay_vector(4000, 30, 50, ints);

    lay_commit(l);
    lay_commit(spread);
    for (int how = 0; how < SYNCS; how++) {
        op_t o = op_new(w, (enum sync) how, spread, l, 1, "480 kB vector");
        operate(&o, PUT);
        operate(&o, GET);
        operate(&o, ACCUMULATE);
        if (has_get_accumulate(w, true)) {
            operate(&o, GET_ACCUMULATE);
        }
        op_free(&o);
    }
    lay_free(spread);
    lay_free(l);
    lay_free(ints);
}

int onesided_main(int argc, char **argv)
{
    static char *all[] = {"allocate", "create", "shared", "create-on-shared"};

    check_init(&argc, &argv);
    types_t *types = types_new();
    char **kinds = argc > 1 ? argv + 1 : all;
    int nkinds = argc > 1 ? argc - 1 : 4;

    for (int k = 0; k < nkinds; k++) {
        window_t w = window_new(kinds[k]);
        for (int i = 0; i < types_count(types); i++) {
            const type_case_t *c = types_at(types, i);
            if (c->layout->nruns != 0 && requests_are_sent_right(c->layout)) {
                every_operation(&w, c, i + k);
            }
        }
        long_transfer(&w);
        window_free(&w);
    }
    types_free(types);
    return check_finish();
}
