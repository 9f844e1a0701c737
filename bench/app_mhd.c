/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fields on a staggered grid, in the style of a magnetohydrodynamics code: eight arrays of doubles
 * with two layers of ghost cells. Their thin faces go to the six neighbours with MPI_Sendrecv,
 * field by field, in each step. As datatypes, faces are subarrays; by hand they are copied.
 *
 *   app_mhd [N [STEPS]]      default 48, 100: N^3 cells a rank
 *
 * Each field is carried along one axis by the scheme of Lax and Wendroff, with a step of one cell's
 * time, at which the scheme is exact: after the last step each field is the first one, moved by one
 * cell a step.
 */
#include <math.h>

#include "app.h"

enum { FIELDS = 8, AXES = 3, GHOSTS = 2, SIDES = 2 * AXES };

typedef struct grid {
    int n, m; /* cells of a side; with ghosts */
    int dims[AXES], at[AXES];
    int neighbour[SIDES];
    MPI_Comm comm;
    double *field[FIELDS], *next;
    MPI_Datatype send[SIDES], receive[SIDES];
    double *out, *in;
    app_times_t times;
    bool by_hand;
} grid_t;

/* The last axis is contiguous. */
static size_t index_of(const grid_t *g, int i, int j, int k)
{
    return ((size_t) i * (size_t) g->m + (size_t) j) * (size_t) g->m + (size_t) k;
}

/* Where a face begins along its axis: the one sent to, and received from, side 2 * axis or 2 * axis
 * + 1. */
static int start_of(const grid_t *g, int side, bool ghosts)
{
    if (0 == side % 2) {
        return ghosts ? 0 : GHOSTS;
    }
    return ghosts ? g->n + GHOSTS : g->n;
}

static void make_types(grid_t *g)
{
    for (int side = 0; side < SIDES; side++) {
        for (int ghosts = 0; ghosts < 2; ghosts++) {
            const int sizes[] = {g->m, g->m, g->m};
            int part[] = {g->n, g->n, g->n}, start[] = {GHOSTS, GHOSTS, GHOSTS};
            part[side / 2] = GHOSTS;
            start[side / 2] = start_of(g, side, ghosts);
            MPI_Datatype *type = ghosts ? &g->receive[side] : &g->send[side];
            MPI_Type_create_subarray(AXES, sizes, part, start, MPI_ORDER_C, MPI_DOUBLE, type);
            MPI_Type_commit(type);
        }
    }
}

static void copy_face(const grid_t *g, double *field, int side, bool ghosts, double *buffer)
{
    int from[] = {GHOSTS, GHOSTS, GHOSTS}, to[] = {GHOSTS + g->n, GHOSTS + g->n, GHOSTS + g->n};
    from[side / 2] = start_of(g, side, ghosts);
    to[side / 2] = from[side / 2] + GHOSTS;
    for (int i = from[0]; i < to[0]; i++) {
        for (int j = from[1]; j < to[1]; j++) {
            double *row = field + index_of(g, i, j, 0);
            for (int k = from[2]; k < to[2]; k++) {
                if (ghosts) {
                    row[k] = *buffer++;
                } else {
                    *buffer++ = row[k];
                }
            }
        }
    }
}

/* To one side, and from the other. */
static void exchange_side(grid_t *g, double *field, int side)
{
    const int bytes = GHOSTS * g->n * g->n * (int) sizeof(double), other = side ^ 1;
    if (!g->by_hand) {
        MPI_Sendrecv(field, 1, g->send[side], g->neighbour[side], side, field, 1, g->receive[other],
                     g->neighbour[other], side, g->comm, MPI_STATUS_IGNORE);
        return;
    }
    copy_face(g, field, side, false, g->out);
    MPI_Sendrecv(g->out, bytes, MPI_BYTE, g->neighbour[side], side, g->in, bytes, MPI_BYTE,
                 g->neighbour[other], side, g->comm, MPI_STATUS_IGNORE);
    copy_face(g, field, other, true, g->in);
}

static void advance(grid_t *g, int f)
{
    const int axis = f % AXES;
    const size_t step = axis == 0 ? index_of(g, 1, 0, 0) : axis == 1 ? index_of(g, 0, 1, 0) : 1;
    const double *old = g->field[f];
    const double c = 1;
    for (int i = GHOSTS; i < GHOSTS + g->n; i++) {
        for (int j = GHOSTS; j < GHOSTS + g->n; j++) {
            for (size_t at = index_of(g, i, j, GHOSTS), end = at + (size_t) g->n; at < end; at++) {
                const double before = old[at - step], here = old[at], behind = old[at + step];
                g->next[at] =
                    here - c / 2 * (behind - before) + c * c / 2 * (behind - 2 * here + before);
            }
        }
    }
    double *t = g->field[f];
    g->field[f] = g->next;
    g->next = t;
}

static double value(const grid_t *g, int f, int moved, int i, int j, int k)
{
    int at[] = {g->at[0] * g->n + i, g->at[1] * g->n + j, g->at[2] * g->n + k};
    const int axis = f % AXES, length = g->dims[axis] * g->n;
    at[axis] = ((at[axis] - moved) % length + length) % length;
    return f + sin(0.7 * at[0] + f) + cos(1.3 * at[1]) * sin(0.3 * at[2] + 1);
}

static void solve(grid_t *g, int steps, bool by_hand)
{
    bool right = true;
    g->by_hand = by_hand;
    for (int f = 0; f < FIELDS; f++) {
        for (int i = 0; i < g->n; i++) {
            for (int j = 0; j < g->n; j++) {
                for (int k = 0; k < g->n; k++) {
                    g->field[f][index_of(g, i + GHOSTS, j + GHOSTS, k + GHOSTS)] =
                        value(g, f, 0, i, j, k);
                }
            }
        }
    }
    app_begin(&g->times);
    for (int step = 0; step < steps; step++) {
        app_begins_to_send(&g->times);
        for (int f = 0; f < FIELDS; f++) {
            for (int side = 0; side < SIDES; side++) {
                exchange_side(g, g->field[f], side);
            }
        }
        app_has_sent(&g->times);
        for (int f = 0; f < FIELDS; f++) {
            advance(g, f);
        }
    }
    for (int f = 0; f < FIELDS; f++) {
        for (int i = 0; i < g->n; i++) {
            for (int j = 0; j < g->n; j++) {
                for (int k = 0; k < g->n; k++) {
                    const double is = g->field[f][index_of(g, i + GHOSTS, j + GHOSTS, k + GHOSTS)];
                    right = right && fabs(is - value(g, f, steps, i, j, k)) < 1e-9;
                }
            }
        }
    }
    app_print("mhd", g->n, by_hand, &g->times, right);
}

int main(int argc, char **argv)
{
    grid_t g = {.n = argc > 1 ? atoi(argv[1]) : 48};
    const int steps = argc > 2 ? atoi(argv[2]) : 100, around[] = {1, 1, 1};
    int ranks, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    turns_join(rank, ranks);
    if (g.n < 4 || g.n > 512 || steps < 1) {
        fprintf(stderr, "app_mhd: N: 4 to 512; STEPS: 1 and more\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    g.m = g.n + 2 * GHOSTS;
    MPI_Dims_create(ranks, AXES, g.dims);
    MPI_Cart_create(MPI_COMM_WORLD, AXES, g.dims, around, 0, &g.comm);
    MPI_Comm_rank(g.comm, &rank);
    MPI_Cart_coords(g.comm, rank, AXES, g.at);
    for (int axis = 0; axis < AXES; axis++) {
        MPI_Cart_shift(g.comm, axis, 1, &g.neighbour[2 * axis], &g.neighbour[2 * axis + 1]);
    }
    const size_t cells = (size_t) g.m * (size_t) g.m * (size_t) g.m * sizeof(double);
    for (int f = 0; f < FIELDS; f++) {
        g.field[f] = app_memory(cells);
    }
    g.next = app_memory(cells);
    g.out = app_memory(cells);
    g.in = app_memory(cells);
    make_types(&g);
    app_introduce();
    turns_next();
    for (int turn = 0; turn < turns_count(); turn++) {
        solve(&g, steps, 0 != turn % 2);
        solve(&g, steps, 0 == turn % 2);
        turns_next();
    }
    for (int side = 0; side < SIDES; side++) {
        MPI_Type_free(&g.send[side]);
        MPI_Type_free(&g.receive[side]);
    }
    for (int f = 0; f < FIELDS; f++) {
        turns_free(g.field[f]);
    }
    turns_free(g.next);
    turns_free(g.out);
    turns_free(g.in);
    MPI_Comm_free(&g.comm);
    turns_leave();
    MPI_Finalize();
    return 0;
}
