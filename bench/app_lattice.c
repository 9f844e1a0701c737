/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conjugate gradients on a four-dimensional lattice, in the style of MILC's su3_rmd (DAME paper,
 * Figures 19 and 20): each site has a vector of three complex numbers, each link a 3 x 3 matrix; an
 * application of the operator needs the vectors of eight faces. Ranks divide z and t. As datatypes,
 * faces are sent out of the lattice; by hand they are copied.
 *
 *   app_lattice [L [SOLUTIONS]]      default 8, 3: L^4 sites a rank, with a rim of ghosts in z and
 * t; 4 ranks, or 1 or 2
 *
 * The operator is M^2 + 8 - the sum of U v(x + mu) + U^+ v(x - mu). Links are a diagonal matrix of
 * phases, so that plane waves are eigenvectors: first it is applied to one. Then b = A w of random
 * w is solved for w.
 */
#include <complex.h>
#include <math.h>
#include <stdint.h>

#include "app.h"

typedef double complex number;
typedef struct vector {
    number c[3];
} vector_t;
typedef struct matrix {
    number e[3][3];
} matrix_t;

enum { X, Y, Z, T, DIMENSIONS, SIDES = 4 /* faces that are sent: down and up, in z and in t */ };

typedef struct lattice {
    int l, m; /* sites of a side; with the rim */
    int ranks_z, ranks_t;
    int rank, at_z, at_t;
    int neighbour[SIDES];
    matrix_t link[DIMENSIONS]; /* the same at all sites */
    MPI_Datatype send[SIDES], receive[SIDES];
    vector_t *out, *in; /* faces that were copied by hand, two each */
    app_times_t times;
    bool by_hand;
} lattice_t;

static const double mass = 0.5;
/* Of the plane wave, per dimension; and phases of the three colours in a link. */
static const int momentum[DIMENSIONS] = {1, 2, 1, 3};
static const double phase[3] = {0.1, -0.3, 0.2};

/* [t][z][y][x], the rim in z and t only */
static size_t site(const lattice_t *a, int t, int z, int y, int x)
{
    return (((size_t) t * (size_t) a->m + (size_t) z) * (size_t) a->l + (size_t) y) *
               (size_t) a->l +
           (size_t) x;
}

static size_t sites(const lattice_t *a)
{
    return (size_t) a->m * (size_t) a->m * (size_t) a->l * (size_t) a->l;
}

static void face_type(const lattice_t *a, int dimension, int at, MPI_Datatype *face)
{
    const int sizes[] = {a->m, a->m, a->l, a->l, (int) sizeof(vector_t)};
    int part[] = {a->l, a->l, a->l, a->l, (int) sizeof(vector_t)}, start[] = {1, 1, 0, 0, 0};
    part[dimension == T ? 0 : 1] = 1;
    start[dimension == T ? 0 : 1] = at;
    MPI_Type_create_subarray(5, sizes, part, start, MPI_ORDER_C, MPI_BYTE, face);
    MPI_Type_commit(face);
}

/* Sides 0 and 1: z - 1 and z + 1; 2 and 3: t. */
static void make_types(lattice_t *a)
{
    for (int side = 0; side < SIDES; side++) {
        face_type(a, side < 2 ? Z : T, 0 == side % 2 ? 1 : a->l, &a->send[side]);
        face_type(a, side < 2 ? Z : T, 0 == side % 2 ? 0 : a->l + 1, &a->receive[side]);
    }
}

/* A face between lattice and buffer; its rows in x and y are contiguous. */
static void copy_face(const lattice_t *a, vector_t *v, int side, int at, vector_t *buffer, bool out)
{
    const size_t row = (size_t) a->l * (size_t) a->l;
    for (int i = 1; i <= a->l; i++) {
        vector_t *plane = v + (side < 2 ? site(a, i, at, 0, 0) : site(a, at, i, 0, 0));
        memcpy(out ? buffer : plane, out ? plane : buffer, row * sizeof(vector_t));
        buffer += row;
    }
}

static void exchange(lattice_t *a, vector_t *v)
{
    const size_t face = (size_t) a->l * (size_t) a->l * (size_t) a->l;
    MPI_Request requests[2 * SIDES];
    MPI_Status statuses[2 * SIDES];
    app_begins_to_send(&a->times);
    for (int side = 0; side < SIDES; side++) {
        if (a->by_hand) {
            MPI_Irecv(a->in + (size_t) side * face, (int) (face * sizeof(vector_t)), MPI_BYTE,
                      a->neighbour[side], side, MPI_COMM_WORLD, &requests[side]);
        } else {
            MPI_Irecv(v, 1, a->receive[side], a->neighbour[side], side, MPI_COMM_WORLD,
                      &requests[side]);
        }
    }
    for (int side = 0; side < SIDES; side++) {
        const int tag = side ^ 1; /* what goes down comes from above */
        if (a->by_hand) {
            copy_face(a, v, side, 0 == side % 2 ? 1 : a->l, a->out + (size_t) side * face, true);
            MPI_Isend(a->out + (size_t) side * face, (int) (face * sizeof(vector_t)), MPI_BYTE,
                      a->neighbour[side], tag, MPI_COMM_WORLD, &requests[SIDES + side]);
        } else {
            MPI_Isend(v, 1, a->send[side], a->neighbour[side], tag, MPI_COMM_WORLD,
                      &requests[SIDES + side]);
        }
    }
    MPI_Waitall(2 * SIDES, requests, statuses);
    for (int side = 0; a->by_hand && side < SIDES; side++) {
        copy_face(a, v, side, 0 == side % 2 ? 0 : a->l + 1, a->in + (size_t) side * face, false);
    }
    app_has_sent(&a->times);
}

static void subtract(vector_t *to, const matrix_t *u, const vector_t *v, bool adjoint)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            to->c[i] -= (adjoint ? conj(u->e[j][i]) : u->e[i][j]) * v->c[j];
        }
    }
}

/* to = A v; fills the rim of v. */
static void apply(lattice_t *a, vector_t *v, vector_t *to)
{
    const int l = a->l;
    exchange(a, v);
    for (int t = 1; t <= l; t++) {
        for (int z = 1; z <= l; z++) {
            for (int y = 0; y < l; y++) {
                for (int x = 0; x < l; x++) {
                    vector_t sum = v[site(a, t, z, y, x)];
                    for (int i = 0; i < 3; i++) {
                        sum.c[i] *= mass * mass + 2 * DIMENSIONS;
                    }
                    subtract(&sum, &a->link[X], &v[site(a, t, z, y, (x + 1) % l)], false);
                    subtract(&sum, &a->link[X], &v[site(a, t, z, y, (x + l - 1) % l)], true);
                    subtract(&sum, &a->link[Y], &v[site(a, t, z, (y + 1) % l, x)], false);
                    subtract(&sum, &a->link[Y], &v[site(a, t, z, (y + l - 1) % l, x)], true);
                    subtract(&sum, &a->link[Z], &v[site(a, t, z + 1, y, x)], false);
                    subtract(&sum, &a->link[Z], &v[site(a, t, z - 1, y, x)], true);
                    subtract(&sum, &a->link[T], &v[site(a, t + 1, z, y, x)], false);
                    subtract(&sum, &a->link[T], &v[site(a, t - 1, z, y, x)], true);
                    to[site(a, t, z, y, x)] = sum;
                }
            }
        }
    }
}

/* Calls for all sites of this rank. */
#define EACH_SITE(a, i)                                                                            \
    for (int t_ = 1; t_ <= (a)->l; t_++)                                                           \
        for (int z_ = 1; z_ <= (a)->l; z_++)                                                       \
            for (size_t i = site(a, t_, z_, 0, 0), end_ = i + (size_t) (a)->l * (size_t) (a)->l;   \
                 i < end_; i++)

static double product(const lattice_t *a, const vector_t *v, const vector_t *w)
{
    double sum = 0, all;
    EACH_SITE(a, i)
    {
        for (int c = 0; c < 3; c++) {
            sum += creal(conj(v[i].c[c]) * w[i].c[c]);
        }
    }
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static void add(const lattice_t *a, vector_t *to, double s, const vector_t *v, double r,
                const vector_t *w)
{
    EACH_SITE(a, i)
    {
        for (int c = 0; c < 3; c++) {
            to[i].c[c] = s * v[i].c[c] + r * w[i].c[c];
        }
    }
}

/* The wave at a site of this rank, and the operator's eigenvalue for one of its colours. */
static number wave(const lattice_t *a, int t, int z, int y, int x)
{
    const double turns = (double) (momentum[X] * x + momentum[Y] * y) / a->l +
                         (double) (momentum[Z] * (a->at_z * a->l + z)) / (a->l * a->ranks_z) +
                         (double) (momentum[T] * (a->at_t * a->l + t)) / (a->l * a->ranks_t);
    return cexp(2 * acos(-1) * I * turns);
}

static double eigenvalue(const lattice_t *a, int colour)
{
    const int lengths[] = {a->l, a->l, a->l * a->ranks_z, a->l * a->ranks_t};
    double value = mass * mass + 2 * DIMENSIONS;
    for (int d = 0; d < DIMENSIONS; d++) {
        value -= 2 * cos(2 * acos(-1) * momentum[d] / lengths[d] + phase[colour]);
    }
    return value;
}

/* Different from site to site, the same for any number of ranks. */
static number noise(const lattice_t *a, int t, int z, int y, int x, int colour)
{
    uint64_t state =
        (uint64_t) ((((a->at_t * a->l + t) * 4096 + a->at_z * a->l + z) * 4096 + y) * 4096L + x) *
            3 +
        (uint64_t) colour;
    double part[2];
    for (int i = 0; i < 2; i++) { /* splitmix64 (G. Steele et al., 2014) */
        uint64_t bits = state += 0x9e3779b97f4a7c15u;
        bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
        bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
        part[i] = (double) (bits >> 11) / (double) (UINT64_C(1) << 53) - 0.5;
    }
    return part[0] + I * part[1];
}

typedef number value_t(const lattice_t *a, int t, int z, int y, int x, int colour);

static number wave_of(const lattice_t *a, int t, int z, int y, int x, int colour)
{
    return (colour + 1) * wave(a, t, z, y, x);
}

static void fill(const lattice_t *a, vector_t *v, value_t *value)
{
    for (int t = 0; t < a->l; t++) {
        for (int z = 0; z < a->l; z++) {
            for (int y = 0; y < a->l; y++) {
                for (int x = 0; x < a->l; x++) {
                    for (int c = 0; c < 3; c++) {
                        v[site(a, t + 1, z + 1, y, x)].c[c] = value(a, t, z, y, x, c);
                    }
                }
            }
        }
    }
}

/* x = A^-1 b by conjugate gradients; b is used up. */
static void solve_for(lattice_t *a, vector_t *b, vector_t *x, vector_t *p, vector_t *ap)
{
    double rr = product(a, b, b);
    const double small = 1e-26 * rr;
    memset(x, 0, sites(a) * sizeof(*x));
    add(a, p, 1, b, 0, b);
    for (int step = 0; step < 1000 && rr > small; step++) {
        apply(a, p, ap);
        const double alpha = rr / product(a, p, ap);
        add(a, x, 1, x, alpha, p);
        add(a, b, 1, b, -alpha, ap);
        const double next = product(a, b, b);
        add(a, p, 1, b, next / rr, p);
        rr = next;
    }
}

static void solve(lattice_t *a, int solutions, bool by_hand)
{
    const size_t bytes = sites(a) * sizeof(vector_t);
    vector_t *w = app_memory(bytes), *b = app_memory(bytes), *x = app_memory(bytes),
             *p = app_memory(bytes), *ap = app_memory(bytes);
    bool right = true;
    a->by_hand = by_hand;
    fill(a, w, wave_of);
    apply(a, w, b);
    for (int c = 0; c < 3; c++) {
        const double lambda = eigenvalue(a, c);
        EACH_SITE(a, i)
        {
            right = right && cabs(lambda * w[i].c[c] - b[i].c[c]) < 1e-10 * (c + 1);
        }
    }
    fill(a, w, noise);
    app_begin(&a->times);
    for (int solution = 0; solution < solutions; solution++) {
        apply(a, w, b);
        solve_for(a, b, x, p, ap);
    }
    EACH_SITE(a, i)
    {
        for (int c = 0; c < 3; c++) {
            right = right && cabs(x[i].c[c] - w[i].c[c]) < 1e-9;
        }
    }
    app_print("lattice", a->l, by_hand, &a->times, right);
    turns_free(w);
    turns_free(b);
    turns_free(x);
    turns_free(p);
    turns_free(ap);
}

int main(int argc, char **argv)
{
    lattice_t a = {.l = argc > 1 ? atoi(argv[1]) : 8};
    const int solutions = argc > 2 ? atoi(argv[2]) : 3;
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &a.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    turns_join(a.rank, ranks);
    if (a.l < 2 || a.l > 48 || solutions < 1 || (ranks != 1 && ranks != 2 && ranks != 4)) {
        fprintf(stderr, "app_lattice: 1, 2 or 4 ranks; L: 2 to 48; SOLUTIONS: 1 and more\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    a.m = a.l + 2;
    a.ranks_z = ranks > 1 ? 2 : 1;
    a.ranks_t = ranks / a.ranks_z;
    a.at_z = a.rank % a.ranks_z;
    a.at_t = a.rank / a.ranks_z;
    for (int side = 0; side < SIDES; side++) {
        const int by = 0 == side % 2 ? -1 : 1;
        const int z = side < 2 ? (a.at_z + by + a.ranks_z) % a.ranks_z : a.at_z;
        const int t = side < 2 ? a.at_t : (a.at_t + by + a.ranks_t) % a.ranks_t;
        a.neighbour[side] = t * a.ranks_z + z;
    }
    for (int d = 0; d < DIMENSIONS; d++) {
        for (int c = 0; c < 3; c++) {
            a.link[d].e[c][c] = cexp(I * phase[c]);
        }
    }
    make_types(&a);
    const size_t face = (size_t) a.l * (size_t) a.l * (size_t) a.l * sizeof(vector_t);
    a.out = app_memory(SIDES * face);
    a.in = app_memory(SIDES * face);
    app_introduce();
    turns_next();
    for (int turn = 0; turn < turns_count(); turn++) {
        solve(&a, solutions, 0 != turn % 2);
        solve(&a, solutions, 0 == turn % 2);
        turns_next();
    }
    for (int side = 0; side < SIDES; side++) {
        MPI_Type_free(&a.send[side]);
        MPI_Type_free(&a.receive[side]);
    }
    turns_free(a.out);
    turns_free(a.in);
    turns_leave();
    MPI_Finalize();
    return 0;
}
