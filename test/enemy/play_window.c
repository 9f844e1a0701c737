/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided: each rank puts to one other rank, and gets from it, with a datatype on either side. */
#include <stdlib.h>
#include <string.h>

#include "play.h"

enum { PUT, GET, REPLACE_BY, SUM, OPERATIONS };

typedef struct onesided {
    play_t *p;
    int kind, to, from; /* this rank writes to, or reads from, `to`; `from` does so here */
    int a, b, n;
    buffer_t own, target;
} onesided_t;

static uint64_t seed_of(const play_t *p, bool target, int rank)
{
    return mixed(p->step->seed, target, (uint64_t) rank);
}

static int operate(onesided_t *o, MPI_Win win)
{
    play_t *p = o->p;
    const MPI_Aint at = o->target.parts[0].zero - o->target.block;
    void *own = o->own.parts[0].zero;
    const MPI_Datatype a = p->types[o->a], b = p->types[o->b];
    switch (o->kind) {
    case PUT:
        return MPI_Put(own, o->n, a, o->to, at, o->n, b, win);
    case GET:
        return MPI_Get(own, o->n, a, o->to, at, o->n, b, win);
    case REPLACE_BY:
        return MPI_Accumulate(own, o->n, a, o->to, at, o->n, b, MPI_REPLACE, win);
    default:
        return MPI_Accumulate(own, o->n, a, o->to, at, o->n, b, MPI_SUM, win);
    }
}

/* packed += stream, as integers of the only basic datatype. */
static void sum_integers(const play_t *p, unsigned char *sum, const unsigned char *stream,
                         int64_t bytes)
{
    const int size = basic_size(p->program->basics[0]);
    for (int64_t at = 0; at < bytes; at += size) {
        int64_t x = 0, y = 0;
        memcpy(&x, sum + at, (size_t) size);
        memcpy(&y, stream + at, (size_t) size);
        x = (int64_t) ((uint64_t) x + (uint64_t) y);
        memcpy(sum + at, &x, (size_t) size);
    }
}

static void expect_it(onesided_t *o)
{
    play_t *p = o->p;
    const int64_t bytes = o->n * o->own.parts[0].shape->size;
    const int peer = o->kind == GET ? o->to : o->from;
    unsigned char *stream =
        stream_of(p, o->kind == GET ? o->target.parts[0].shape : o->own.parts[0].shape, o->n,
                  seed_of(p, o->kind == GET, peer));
    if (o->kind == SUM) {
        unsigned char *sum = stream_at(&o->target, 0, 0, o->n);
        sum_integers(p, sum, stream, bytes);
        expect(&o->target, 0, 0, sum, bytes);
        free(sum);
    } else {
        expect(o->kind == GET ? &o->own : &o->target, 0, 0, stream, bytes);
    }
    free(stream);
}

/* Is any datatype that this one is made of empty? */
static bool has_empty_part(const shape_t *shape)
{
    int64_t n;
    MPI_Datatype *made = datatypes_of_records(shape, &n);
    bool empty = false;

    while (n > 0) {
        int size;
        MPI_Type_size(made[--n], &size);
        MPI_Type_free(&made[n]);
        empty = empty || size == 0;
    }
    free(made);
    return empty;
}

/*
 * MPI_Accumulate wants datatypes of one basic datatype (MPI 3.1, section 11.3.4), and that of Open
 * MPI 4.1.4 refuses those with empty parts. Sums of short integers overflow, and saturate there.
 */
static int kinds_of(const onesided_t *o)
{
    const program_t *program = o->p->program;
    const int basic = program->basics[0];
    if (program->nbasics != 1 || has_empty_part(&program->shapes[o->a]) ||
        has_empty_part(&program->shapes[o->b])) {
        return REPLACE_BY;
    }
    return basic == 3 || basic == 5 ? OPERATIONS : SUM;
}

/* The memory of the target's buffer becomes that of a window which MPI allocates. */
static void allocate(onesided_t *o, MPI_Win *win)
{
    unsigned char *memory, *old = o->target.block;
    MPI_Win_allocate(o->target.bytes, 1, MPI_INFO_NULL, o->p->comm, &memory, win);
    memcpy(memory, old, (size_t) o->target.bytes);
    o->target.parts[0].zero += memory - old;
    o->target.block = memory;
    free(old);
}

void op_window(play_t *p)
{
    const int shift = (int) pick(p, p->size), passive = (int) pick(p, 2);
    onesided_t o = {.p = p,
                    .to = (p->rank + shift) % p->size,
                    .from = (p->rank + p->size - shift) % p->size,
                    .a = near_shape(p, p->step->a),
                    .b = near_shape(p, p->step->b),
                    .n = p->step->count};
    const bool allocated = strcmp(rules.windows, "allocate") == 0;
    MPI_Win win;

    if (strcmp(rules.windows, "none") == 0) {
        return;
    }
    if (p->program->shapes[o.a].size != p->program->shapes[o.b].size) {
        o.a = o.b;
    }
    o.kind = (int) pick(p, kinds_of(&o));
    if (o.kind == GET && p->program->shapes[o.a].send_only) {
        o.a = o.b;
    }
    o.own = buffer_of(p, &p->program->shapes[o.a], o.n);
    o.target = buffer_of(p, &p->program->shapes[o.b], o.n);
    buffer_fill(&o.own, seed_of(p, false, p->rank));
    buffer_fill(&o.target, seed_of(p, true, p->rank));
    if (allocated) {
        allocate(&o, &win);
    } else {
        MPI_Win_create(o.target.block, o.target.bytes, 1, MPI_INFO_NULL, p->comm, &win);
    }
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    if (passive) {
        MPI_Barrier(p->comm);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, o.to, 0, win);
        succeeded(p, operate(&o, win), "an operation on a window");
        MPI_Win_unlock(o.to, win);
        MPI_Barrier(p->comm);
        MPI_Win_lock(MPI_LOCK_SHARED, p->rank, 0, win); /* makes its memory the public copy */
        MPI_Win_unlock(p->rank, win);
    } else {
        MPI_Win_fence(0, win);
        succeeded(p, operate(&o, win), "an operation on a window");
        MPI_Win_fence(0, win);
    }
    static const char *const names[] = {"MPI_Put", "MPI_Get", "MPI_Accumulate, MPI_REPLACE",
                                        "MPI_Accumulate, MPI_SUM"};
    expect_it(&o);
    buffer_check(p, &o.own, names[o.kind]);
    buffer_check(p, &o.target, names[o.kind]);
    MPI_Barrier(p->comm); /* no rank reads it any more */
    if (allocated) {
        o.target.block = NULL;
    }
    MPI_Win_free(&win);
    buffer_free(&o.own);
    buffer_free(&o.target);
}
