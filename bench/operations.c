/*
 * What programs do with datatypes besides sending a message: halos of stencils, collectives,
 * one-sided operations, files, lists that are new in each step, threads. Two ranks.
 *
 *   operations [NAME]…      default: all but threads
 *
 * Each operation is done with derived datatypes and packed by hand, in turns. Before and after
 * timing, all that was received is compared with what it must be, untouched memory included. Prints
 *
 *   result NAME types|hand MICROSECONDS right|WRONG
 *
 * with the median of the slower rank. With names, MPI is told of threads. Exit code 1 when a byte
 * is wrong. Needs no DAME and no Open MPI.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app.h"

enum { SAMPLES_MAX = 200, SAMPLES_MIN = 5 };
static const double SECONDS = 0.4; /* for one operation */
static const double UNTOUCHED = -1;

static int rank, peer;

static double *doubles(size_t count)
{
    return app_memory(count * sizeof(double));
}

static double value(int owner, int q, int i, int j, int k)
{
    return owner + 2.0 * q + 64.0 * i + 8192.0 * j + 1048576.0 * k;
}

typedef struct operation {
    const char *name;
    int size; /* cells of a side, or as the functions say */
    int kind;
    void (*begin)(const struct operation *o);
    void (*step)(bool by_hand);
    bool (*is_right)(bool by_hand); /* does a step of its own */
    void (*end)(void);
} operation_t;

/* ---- halos of a cube: N cells a side and one layer of ghosts ---- */

/* Populations of the lattice-Boltzmann model D3Q19, one array each: those that move across a face
 * or an edge go there. */
enum { SEVEN_POINTS, TWENTY_SEVEN_POINTS, LATTICE_BOLTZMANN, PERSISTENT, NEIGHBOURS };
enum { DIRECTIONS = 26, POPULATIONS = 19 };

static struct {
    int n, m, kind, populations, directions;
    int d[DIRECTIONS][3];
    int moves[POPULATIONS][3];
    int count[DIRECTIONS], list[DIRECTIONS][POPULATIONS]; /* which go into a direction */
    double *f, *out[DIRECTIONS], *in[DIRECTIONS];
    int cells[DIRECTIONS]; /* sent */
    MPI_Datatype send[DIRECTIONS], receive[DIRECTIONS];
    MPI_Request requests[2][2 * DIRECTIONS]; /* persistent: by hand, types */
    MPI_Comm graph;
} halo;

static size_t cell(int q, int i, int j, int k)
{
    const size_t m = (size_t) halo.m;
    return (((size_t) q * m + (size_t) i) * m + (size_t) j) * m + (size_t) k;
}

/* The part of one axis that goes into direction d, or comes from the peer that sent it there. */
static void part(int d, bool ghosts, int *from, int *to)
{
    *from = 0 == d ? 1 : d > 0 ? (ghosts ? 0 : halo.n) : (ghosts ? halo.n + 1 : 1);
    *to = 0 == d ? halo.n : *from;
}

static MPI_Datatype region(int direction, bool ghosts)
{
    int sizes[3] = {halo.m, halo.m, halo.m}, parts[3], starts[3];
    MPI_Aint at[POPULATIONS];
    MPI_Datatype one, all;
    for (int axis = 0; axis < 3; axis++) {
        int to;
        part(halo.d[direction][axis], ghosts, &starts[axis], &to);
        parts[axis] = to - starts[axis] + 1;
    }
    MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &one);
    if (1 == halo.populations) {
        MPI_Type_commit(&one);
        return one;
    }
    for (int i = 0; i < halo.count[direction]; i++) {
        at[i] = (MPI_Aint) (cell(halo.list[direction][i], 0, 0, 0) * sizeof(double));
    }
    MPI_Type_create_hindexed_block(halo.count[direction], 1, at, one, &all);
    MPI_Type_free(&one);
    MPI_Type_commit(&all);
    return all;
}

static void copy_region(int direction, bool ghosts, double *buffer)
{
    const int *d = halo.d[direction];
    int from[3], to[3];
    for (int axis = 0; axis < 3; axis++) {
        part(d[axis], ghosts, &from[axis], &to[axis]);
    }
    for (int p = 0; p < halo.count[direction]; p++) {
        for (int i = from[0]; i <= to[0]; i++) {
            for (int j = from[1]; j <= to[1]; j++) {
                double *row = halo.f + cell(halo.list[direction][p], i, j, 0);
                for (int k = from[2]; k <= to[2]; k++) {
                    if (ghosts) {
                        row[k] = *buffer++;
                    } else {
                        *buffer++ = row[k];
                    }
                }
            }
        }
    }
}

static bool goes(const int *moves, const int *d)
{
    for (int axis = 0; axis < 3; axis++) {
        if (0 != d[axis] && moves[axis] != d[axis]) {
            return false;
        }
    }
    return true;
}

/* What is there before an exchange: this rank's cells, and ghosts that nothing has touched. */
static void halo_fill(void)
{
    for (int q = 0; q < halo.populations; q++) {
        for (int i = 0; i < halo.m; i++) {
            for (int j = 0; j < halo.m; j++) {
                for (int k = 0; k < halo.m; k++) {
                    const bool ghost =
                        0 == i || 0 == j || 0 == k || i > halo.n || j > halo.n || k > halo.n;
                    halo.f[cell(q, i, j, k)] = ghost ? UNTOUCHED : value(rank, q, i, j, k);
                }
            }
        }
    }
}

static void halo_begin(const operation_t *o)
{
    const int most = TWENTY_SEVEN_POINTS == o->kind ? 3 : LATTICE_BOLTZMANN == o->kind ? 2 : 1;
    memset(&halo, 0, sizeof(halo));
    halo.n = o->size;
    halo.m = o->size + 2;
    halo.kind = o->kind;
    halo.populations = 1;
    for (int code = 0; code < 27; code++) {
        const int d[3] = {code / 9 - 1, code / 3 % 3 - 1, code % 3 - 1};
        const int axes = abs(d[0]) + abs(d[1]) + abs(d[2]);
        if (axes > 0 && axes <= most) {
            memcpy(halo.d[halo.directions++], d, sizeof(d));
            if (LATTICE_BOLTZMANN == o->kind) {
                memcpy(halo.moves[halo.populations++], d, sizeof(d));
            }
        }
    }
    halo.f =
        doubles((size_t) halo.populations * (size_t) halo.m * (size_t) halo.m * (size_t) halo.m);
    for (int a = 0; a < halo.directions; a++) {
        halo.cells[a] = 1;
        for (int axis = 0; axis < 3; axis++) {
            halo.cells[a] *= 0 == halo.d[a][axis] ? halo.n : 1;
        }
        for (int q = 0; q < halo.populations; q++) {
            if (1 == halo.populations || (q > 0 && goes(halo.moves[q], halo.d[a]))) {
                halo.list[a][halo.count[a]++] = q;
            }
        }
        halo.cells[a] *= halo.count[a];
        halo.out[a] = doubles((size_t) halo.cells[a]);
        halo.in[a] = doubles((size_t) halo.cells[a]);
        halo.send[a] = region(a, false);
        halo.receive[a] = region(a, true);
    }
    for (int types = 0; types < 2 && PERSISTENT == o->kind; types++) {
        for (int a = 0; a < halo.directions; a++) {
            MPI_Recv_init(types ? halo.f : halo.in[a], types ? 1 : halo.cells[a],
                          types ? halo.receive[a] : MPI_DOUBLE, peer, a, MPI_COMM_WORLD,
                          &halo.requests[types][a]);
            MPI_Send_init(types ? halo.f : halo.out[a], types ? 1 : halo.cells[a],
                          types ? halo.send[a] : MPI_DOUBLE, peer, a, MPI_COMM_WORLD,
                          &halo.requests[types][halo.directions + a]);
        }
    }
    if (NEIGHBOURS == o->kind) {
        int peers[DIRECTIONS], weights[DIRECTIONS];
        for (int a = 0; a < DIRECTIONS; a++) {
            peers[a] = peer;
            weights[a] = 1;
        }
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, halo.directions, peers, weights,
                                       halo.directions, peers, weights, MPI_INFO_NULL, 0,
                                       &halo.graph);
    }
    halo_fill();
}

static void halo_collective(bool by_hand)
{
    int counts[DIRECTIONS];
    MPI_Aint out[DIRECTIONS], in[DIRECTIONS];
    MPI_Datatype packed[DIRECTIONS];
    for (int a = 0; a < halo.directions; a++) {
        counts[a] = by_hand ? halo.cells[a] : 1;
        out[a] = by_hand ? (char *) halo.out[a] - (char *) halo.out[0] : 0;
        in[a] = by_hand ? (char *) halo.in[a] - (char *) halo.in[0] : 0;
        packed[a] = MPI_DOUBLE;
    }
    MPI_Neighbor_alltoallw(by_hand ? halo.out[0] : halo.f, counts, out,
                           by_hand ? packed : halo.send, by_hand ? halo.in[0] : halo.f, counts, in,
                           by_hand ? packed : halo.receive, halo.graph);
}

static void halo_step(bool by_hand)
{
    MPI_Request requests[2 * DIRECTIONS], *all = requests;
    MPI_Status statuses[2 * DIRECTIONS];
    const int n = halo.directions;
    for (int a = 0; a < n && (by_hand && (PERSISTENT == halo.kind || NEIGHBOURS == halo.kind));
         a++) {
        copy_region(a, false, halo.out[a]);
    }
    if (NEIGHBOURS == halo.kind) {
        halo_collective(by_hand);
    } else if (PERSISTENT == halo.kind) {
        all = halo.requests[!by_hand];
        MPI_Startall(2 * n, all);
        MPI_Waitall(2 * n, all, statuses);
    } else {
        for (int a = 0; a < n; a++) {
            MPI_Irecv(by_hand ? halo.in[a] : halo.f, by_hand ? halo.cells[a] : 1,
                      by_hand ? MPI_DOUBLE : halo.receive[a], peer, a, MPI_COMM_WORLD, &all[a]);
        }
        for (int a = 0; a < n; a++) {
            if (by_hand) {
                copy_region(a, false, halo.out[a]);
            }
            MPI_Isend(by_hand ? halo.out[a] : halo.f, by_hand ? halo.cells[a] : 1,
                      by_hand ? MPI_DOUBLE : halo.send[a], peer, a, MPI_COMM_WORLD, &all[n + a]);
        }
        MPI_Waitall(2 * n, all, statuses);
    }
    for (int a = 0; a < n && by_hand; a++) {
        copy_region(a, true, halo.in[a]);
    }
}

/* The ghost of direction d is the peer's cell at the opposite side. */
static double halo_expected(int q, const int at[3])
{
    int d[3], from[3];
    bool ghost = false;
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = 0 == at[axis] ? 1 : at[axis] > halo.n ? -1 : 0;
        from[axis] = 0 == d[axis] ? at[axis] : d[axis] > 0 ? halo.n : 1;
        ghost = ghost || 0 != d[axis];
    }
    if (!ghost) {
        return value(rank, q, at[0], at[1], at[2]);
    }
    for (int a = 0; a < halo.directions; a++) {
        for (int p = 0; p < halo.count[a]; p++) {
            if (0 == memcmp(d, halo.d[a], sizeof(d)) && halo.list[a][p] == q) {
                return value(peer, q, from[0], from[1], from[2]);
            }
        }
    }
    return UNTOUCHED;
}

static bool halo_is_right(bool by_hand)
{
    bool right = true;
    halo_fill();
    for (int a = 0; a < halo.directions; a++) {
        for (int i = 0; i < halo.cells[a]; i++) {
            halo.in[a][i] = UNTOUCHED;
        }
    }
    halo_step(by_hand);
    for (int q = 0; q < halo.populations; q++) {
        for (int i = 0; i < halo.m; i++) {
            for (int j = 0; j < halo.m; j++) {
                for (int k = 0; k < halo.m; k++) {
                    const int at[3] = {i, j, k};
                    right = right && halo.f[cell(q, i, j, k)] == halo_expected(q, at);
                }
            }
        }
    }
    return right;
}

static void halo_end(void)
{
    for (int a = 0; a < halo.directions; a++) {
        MPI_Type_free(&halo.send[a]);
        MPI_Type_free(&halo.receive[a]);
        free(halo.out[a]);
        free(halo.in[a]);
    }
    for (int i = 0; PERSISTENT == halo.kind && i < 4 * halo.directions; i++) {
        MPI_Request_free(&halo.requests[i / (2 * halo.directions)][i % (2 * halo.directions)]);
    }
    if (NEIGHBOURS == halo.kind) {
        MPI_Comm_free(&halo.graph);
    }
    free(halo.f);
}

/* ---- a matrix: columns gathered, slabs turned, columns put, got and added ---- */

enum { GATHERV, ALLTOALLW, PUT, GET, ACCUMULATE };
enum { EDGE = 2 }; /* columns of one-sided operations */

static struct {
    int n, half, kind;
    double *a, *b, *out, *in;
    size_t cells_a, cells_b;
    MPI_Datatype column, parts[2];
    MPI_Win window, staging;
} matrix;

static MPI_Datatype resized(MPI_Datatype type, MPI_Aint extent)
{
    MPI_Datatype made;
    MPI_Type_create_resized(type, 0, extent, &made);
    MPI_Type_free(&type);
    MPI_Type_commit(&made);
    return made;
}

static void matrix_fill(void)
{
    for (size_t i = 0; i < matrix.cells_a; i++) {
        matrix.a[i] = (double) i + 0.25 * rank;
    }
    for (size_t i = 0; i < matrix.cells_b; i++) {
        matrix.b[i] = matrix.out[i] = matrix.in[i] = UNTOUCHED;
    }
}

static void matrix_begin(const operation_t *o)
{
    const int n = o->size, half = n / 2;
    const size_t cells = (size_t) n * (size_t) n;
    MPI_Datatype type;
    memset(&matrix, 0, sizeof(matrix));
    matrix.n = n;
    matrix.half = half;
    matrix.kind = o->kind;
    matrix.cells_a = ALLTOALLW == o->kind ? cells * (size_t) half
                     : GATHERV == o->kind ? cells / 2
                                          : cells;
    matrix.cells_b = ALLTOALLW == o->kind ? matrix.cells_a : cells;
    matrix.a = doubles(matrix.cells_a);
    matrix.b = doubles(matrix.cells_b);
    matrix.out = doubles(matrix.cells_b);
    matrix.in = doubles(matrix.cells_b);
    if (GATHERV == o->kind) { /* a: n rows of half; b: n rows of n */
        MPI_Type_vector(n, half, n, MPI_DOUBLE, &type);
        matrix.column = resized(type, (MPI_Aint) ((size_t) half * sizeof(double)));
    } else if (ALLTOALLW == o->kind) { /* a: half, n, n; b: n, half, n */
        for (int p = 0; p < 2; p++) {
            int sizes[3] = {half, n, n}, part_of[3] = {half, half, n}, starts[3] = {0, p * half, 0};
            MPI_Type_create_subarray(3, sizes, part_of, starts, MPI_ORDER_C, MPI_DOUBLE,
                                     &matrix.parts[p]);
            MPI_Type_commit(&matrix.parts[p]);
        }
    } else {
        MPI_Type_vector(n, EDGE, n, MPI_DOUBLE, &matrix.column);
        MPI_Type_commit(&matrix.column);
        MPI_Win_create(matrix.b, (MPI_Aint) (cells * sizeof(double)), sizeof(double), MPI_INFO_NULL,
                       MPI_COMM_WORLD, &matrix.window);
        MPI_Win_create(matrix.in, (MPI_Aint) (cells * sizeof(double)), sizeof(double),
                       MPI_INFO_NULL, MPI_COMM_WORLD, &matrix.staging);
    }
    matrix_fill();
}

/* The ranks' blocks of columns, side by side. */
static void gatherv(bool by_hand)
{
    const int n = matrix.n, half = matrix.half, block = n * half;
    const int counts[2] = {by_hand ? block : 1, by_hand ? block : 1}, at[2] = {0, counts[0]};

    MPI_Gatherv(matrix.a, block, MPI_DOUBLE, by_hand ? matrix.in : matrix.b, counts, at,
                by_hand ? MPI_DOUBLE : matrix.column, 0, MPI_COMM_WORLD);
    for (int p = 0; p < 2 && by_hand && 0 == rank; p++) {
        for (int r = 0; r < n; r++) {
            memcpy(matrix.b + r * n + p * half, matrix.in + (p * n + r) * half,
                   (size_t) half * sizeof(double));
        }
    }
}

static void alltoallw(bool by_hand)
{
    const size_t n = (size_t) matrix.n, half = (size_t) matrix.half, row = half * n;
    const int block = (int) (half * row), bytes = block * (int) sizeof(double);
    const int ones[2] = {1, 1}, zeros[2] = {0, 0}, at[2] = {0, bytes};
    const MPI_Datatype packed[2] = {MPI_DOUBLE, MPI_DOUBLE};
    int blocks[2] = {block, block};

    if (by_hand) { /* its own block goes where it belongs */
        for (size_t p = 0; p < 2; p++) {
            double *to =
                p == (size_t) rank ? matrix.b + p * half * row : matrix.out + p * half * row;
            for (size_t i = 0; i < half; i++) {
                memcpy(to + i * row, matrix.a + (i * n + p * half) * n, row * sizeof(double));
            }
        }
        blocks[rank] = 0;
    }
    MPI_Alltoallw(by_hand ? matrix.out : matrix.a, by_hand ? blocks : ones, by_hand ? at : zeros,
                  by_hand ? packed : matrix.parts, matrix.b, blocks, at, packed, MPI_COMM_WORLD);
}

/* Two columns of this rank's a into the first two of the peer's b, or the other way round. */
static void one_sided(bool by_hand)
{
    const size_t n = (size_t) matrix.n;
    const int count = EDGE * matrix.n;
    MPI_Win window = by_hand ? matrix.staging : matrix.window;
    double *own = GET == matrix.kind ? matrix.b : matrix.a;
    if (by_hand && GET == matrix.kind) { /* what the peer shall get lies ready in the window */
        for (size_t i = 0; i < n; i++) {
            memcpy(matrix.in + EDGE * i, matrix.b + n * i, EDGE * sizeof(double));
        }
    } else if (by_hand) {
        for (size_t i = 0; i < n; i++) {
            memcpy(matrix.out + EDGE * i, own + n * i, EDGE * sizeof(double));
        }
    }
    MPI_Win_fence(0, window);
    if (GET == matrix.kind) {
        MPI_Get(by_hand ? matrix.out : matrix.a, by_hand ? count : 1,
                by_hand ? MPI_DOUBLE : matrix.column, peer, 0, by_hand ? count : 1,
                by_hand ? MPI_DOUBLE : matrix.column, window);
    } else if (PUT == matrix.kind || by_hand) {
        MPI_Put(by_hand ? matrix.out : matrix.a, by_hand ? count : 1,
                by_hand ? MPI_DOUBLE : matrix.column, peer, 0, by_hand ? count : 1,
                by_hand ? MPI_DOUBLE : matrix.column, window);
    } else {
        MPI_Accumulate(matrix.a, 1, matrix.column, peer, 0, 1, matrix.column, MPI_SUM, window);
    }
    MPI_Win_fence(0, window);
    for (size_t i = 0; by_hand && i < n; i++) {
        if (GET == matrix.kind) {
            memcpy(matrix.a + n * i, matrix.out + EDGE * i, EDGE * sizeof(double));
        } else if (PUT == matrix.kind) {
            memcpy(matrix.b + n * i, matrix.in + EDGE * i, EDGE * sizeof(double));
        } else {
            for (size_t c = 0; c < EDGE; c++) {
                matrix.b[n * i + c] += matrix.in[EDGE * i + c];
            }
        }
    }
}

static void matrix_step(bool by_hand)
{
    if (GATHERV == matrix.kind) {
        gatherv(by_hand);
    } else if (ALLTOALLW == matrix.kind) {
        alltoallw(by_hand);
    } else {
        one_sided(by_hand);
    }
}

static bool matrix_is_right(bool by_hand)
{
    const size_t n = (size_t) matrix.n, half = (size_t) matrix.half;
    bool right = true;
    matrix_fill();
    MPI_Barrier(MPI_COMM_WORLD); /* nobody puts into what is being filled */
    matrix_step(by_hand);
    for (size_t i = 0; i < matrix.cells_b; i++) {
        double expected = UNTOUCHED;
        const size_t row = i / n, column = i % n;
        if (GATHERV == matrix.kind && 0 == rank) {
            expected = (double) (row * half + column % half) + 0.25 * (column >= half);
        } else if (ALLTOALLW == matrix.kind) { /* b(i, j, k): the owner of i's a(i, j, k) */
            const size_t plane = i / (half * n), j = i / n % half;
            expected = (double) ((plane % half * n + (size_t) rank * half + j) * n + column) +
                       0.25 * (plane >= half);
        } else if (column < EDGE && (PUT == matrix.kind || ACCUMULATE == matrix.kind)) {
            expected = (double) i + 0.25 * peer + (ACCUMULATE == matrix.kind ? UNTOUCHED : 0);
        }
        right = right && matrix.b[i] == expected;
    }
    for (size_t i = 0; i < matrix.cells_a; i++) {
        const bool got = GET == matrix.kind && i % n < EDGE;
        right = right && matrix.a[i] == (got ? UNTOUCHED : (double) i + 0.25 * rank);
    }
    return right;
}

static void matrix_end(void)
{
    if (matrix.kind >= PUT) {
        MPI_Win_free(&matrix.window);
        MPI_Win_free(&matrix.staging);
    }
    for (int p = 0; p < 2 && ALLTOALLW == matrix.kind; p++) {
        MPI_Type_free(&matrix.parts[p]);
    }
    if (ALLTOALLW != matrix.kind) {
        MPI_Type_free(&matrix.column);
    }
    free(matrix.a);
    free(matrix.b);
    free(matrix.out);
    free(matrix.in);
}

/* ---- particles: another list in each step ---- */

enum { PARTICLE = 6, SHARE = 4 }; /* doubles; one in SHARE leaves */

static struct {
    int count, leaving;
    double *all, *out, *in;
    int *list;
    unsigned state;
} particles;

static void particles_begin(const operation_t *o)
{
    particles.count = o->size;
    particles.leaving = o->size / SHARE;
    particles.all = doubles((size_t) (PARTICLE * o->size));
    particles.out = doubles((size_t) (PARTICLE * o->size));
    particles.in = doubles((size_t) (PARTICLE * o->size));
    particles.list = app_memory((size_t) o->size * sizeof(int));
    particles.state = 0;
    for (int i = 0; i < PARTICLE * o->size; i++) {
        particles.all[i] = value(rank, 0, i, 0, 0);
    }
}

/* One of each SHARE, at random; the same list on both ranks, so that it can be checked. */
static void new_list(void)
{
    for (int i = 0; i < particles.leaving; i++) {
        particles.state = particles.state * 1103515245u + 12345u;
        particles.list[i] = PARTICLE * (SHARE * i + (int) (particles.state >> 16) % SHARE);
    }
}

static void particles_step(bool by_hand)
{
    const int count = PARTICLE * particles.leaving;
    MPI_Datatype type = MPI_DOUBLE;
    new_list();
    if (by_hand) {
        for (int i = 0; i < particles.leaving; i++) {
            memcpy(particles.out + PARTICLE * i, particles.all + particles.list[i],
                   PARTICLE * sizeof(double));
        }
    } else {
        MPI_Type_create_indexed_block(particles.leaving, PARTICLE, particles.list, MPI_DOUBLE,
                                      &type);
        MPI_Type_commit(&type);
    }
    MPI_Sendrecv(by_hand ? particles.out : particles.all, by_hand ? count : 1, type, peer, 0,
                 particles.in, count, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!by_hand) {
        MPI_Type_free(&type);
    }
}

static bool particles_are_right(bool by_hand)
{
    bool right = true;
    for (int i = 0; i < PARTICLE * particles.count; i++) {
        particles.in[i] = particles.out[i] = UNTOUCHED;
    }
    particles_step(by_hand);
    for (int i = PARTICLE * particles.leaving; i < PARTICLE * particles.count; i++) {
        right = right && particles.in[i] == UNTOUCHED;
    }
    for (int i = 0; i < PARTICLE * particles.leaving; i++) {
        right = right && particles.in[i] ==
                             value(peer, 0, particles.list[i / PARTICLE] + i % PARTICLE, 0, 0);
    }
    return right;
}

static void particles_end(void)
{
    free(particles.all);
    free(particles.out);
    free(particles.in);
    free(particles.list);
}

/* ---- a file: the cells of both ranks, side by side along the last axis ---- */

enum { WRITE, READ };

static struct {
    int n, kind;
    char name[64];
    double *f, *out;
    MPI_File file;
    MPI_Datatype inner, view;
} file;

static size_t in_file(int i, int j, int k)
{
    const size_t n = (size_t) file.n, m = n + 2;
    return ((size_t) (i + 1) * m + (size_t) (j + 1)) * m + (size_t) (k + 1);
}

static void file_fill(void)
{
    for (size_t i = 0, m = (size_t) file.n + 2; i < m * m * m; i++) {
        file.f[i] = UNTOUCHED;
    }
    for (int i = 0; i < file.n; i++) {
        for (int j = 0; j < file.n; j++) {
            for (int k = 0; k < file.n; k++) {
                file.f[in_file(i, j, k)] = value(rank, 0, i, j, k);
            }
        }
    }
}

static void file_move(bool by_hand, bool write)
{
    const int n = file.n, cells = n * n * n;
    void *from = by_hand ? file.out : file.f;
    const int count = by_hand ? cells : 1;
    MPI_Datatype type = by_hand ? MPI_DOUBLE : file.inner;
    for (int i = 0; i < n && by_hand && write; i++) {
        for (int j = 0; j < n; j++) {
            memcpy(file.out + (i * n + j) * n, file.f + in_file(i, j, 0),
                   (size_t) n * sizeof(double));
        }
    }
    const int code = write
                         ? MPI_File_write_at_all(file.file, 0, from, count, type, MPI_STATUS_IGNORE)
                         : MPI_File_read_at_all(file.file, 0, from, count, type, MPI_STATUS_IGNORE);
    if (MPI_SUCCESS != code) {
        fprintf(stderr, "operations: %s: error %d\n", file.name, code);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < n && by_hand && !write; i++) {
        for (int j = 0; j < n; j++) {
            memcpy(file.f + in_file(i, j, 0), file.out + (i * n + j) * n,
                   (size_t) n * sizeof(double));
        }
    }
}

static void file_begin(const operation_t *o)
{
    const char *directory = getenv("TMPDIR");
    const int n = o->size;
    int sizes[3] = {n + 2, n + 2, n + 2}, parts[3] = {n, n, n}, starts[3] = {1, 1, 1};
    file.n = n;
    file.kind = o->kind;
    if (0 == rank) {
        snprintf(file.name, sizeof(file.name), "%s/dame-bench-XXXXXX",
                 NULL != directory && strlen(directory) < 40 ? directory : "/tmp");
        const int made = mkstemp(file.name);
        if (made < 0) {
            fprintf(stderr, "operations: %s cannot be made\n", file.name);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        close(made);
    }
    MPI_Bcast(file.name, sizeof(file.name), MPI_CHAR, 0, MPI_COMM_WORLD);
    file.f = doubles((size_t) (n + 2) * (size_t) (n + 2) * (size_t) (n + 2));
    file.out = doubles((size_t) n * (size_t) n * (size_t) n);
    MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &file.inner);
    MPI_Type_commit(&file.inner);
    sizes[0] = sizes[1] = n;
    sizes[2] = 2 * n;
    starts[0] = starts[1] = 0;
    starts[2] = rank * n;
    MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &file.view);
    MPI_Type_commit(&file.view);
    if (MPI_SUCCESS !=
        MPI_File_open(MPI_COMM_WORLD, file.name, MPI_MODE_RDWR, MPI_INFO_NULL, &file.file)) {
        fprintf(stderr, "operations: %s cannot be opened\n", file.name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_File_set_view(file.file, 0, MPI_DOUBLE, file.view, "native", MPI_INFO_NULL);
    file_fill();
    file_move(true, true);
}

static void file_step(bool by_hand)
{
    file_move(by_hand, WRITE == file.kind);
}

/* All of the file, read by each rank without MPI; and memory. */
static bool file_is_right(bool by_hand)
{
    const int n = file.n;
    const size_t cells = (size_t) n * (size_t) n * (size_t) n;
    double *all = doubles(2 * cells);
    bool right = true;
    file_fill();
    if (WRITE == file.kind) { /* so that old bytes are seen */
        memset(file.out, 0, cells * sizeof(double));
        MPI_File_write_at_all(file.file, 0, file.out, (int) cells, MPI_DOUBLE, MPI_STATUS_IGNORE);
    } else {
        file_move(true, true);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                memset(file.f + in_file(i, j, 0), 0, (size_t) n * sizeof(double));
            }
        }
        memset(file.out, 0, cells * sizeof(double));
    }
    file_step(by_hand);
    MPI_File_sync(file.file);
    MPI_Barrier(MPI_COMM_WORLD);
    FILE *plain = fopen(file.name, "rb");
    right = NULL != plain && 2 * cells == fread(all, sizeof(double), 2 * cells, plain);
    if (NULL != plain) {
        fclose(plain);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < 2 * n; k++) {
                right = right && all[(i * n + j) * 2 * n + k] == value(k >= n, 0, i, j, k % n);
            }
        }
    }
    for (int i = -1; i <= n; i++) {
        for (int j = -1; j <= n; j++) {
            for (int k = -1; k <= n; k++) {
                const bool ghost = i < 0 || j < 0 || k < 0 || i == n || j == n || k == n;
                right = right &&
                        file.f[in_file(i, j, k)] == (ghost ? UNTOUCHED : value(rank, 0, i, j, k));
            }
        }
    }
    free(all);
    MPI_Barrier(MPI_COMM_WORLD);
    return right;
}

static void file_end(void)
{
    MPI_File_close(&file.file);
    MPI_Type_free(&file.inner);
    MPI_Type_free(&file.view);
    if (0 == rank) {
        remove(file.name);
    }
    free(file.f);
    free(file.out);
}

/* ---- two threads a rank, each with messages of its own ---- */

enum { THREADS = 2, TRIPS = 50, THREAD_STRIDE = 8 };

static struct {
    int count;
    double *out[THREADS], *in[THREADS], *packed[THREADS];
    MPI_Datatype type;
    bool by_hand;
} threads;

static void threads_begin(const operation_t *o)
{
    threads.count = o->size;
    MPI_Type_vector(o->size, 1, THREAD_STRIDE, MPI_DOUBLE, &threads.type);
    MPI_Type_commit(&threads.type);
    for (int t = 0; t < THREADS; t++) {
        threads.out[t] = doubles((size_t) (THREAD_STRIDE * o->size));
        threads.in[t] = doubles((size_t) (THREAD_STRIDE * o->size));
        threads.packed[t] = doubles((size_t) o->size);
        for (int i = 0; i < THREAD_STRIDE * o->size; i++) {
            threads.out[t][i] = value(rank, t, i, 0, 0);
        }
    }
}

static void thread_sends(int t)
{
    if (!threads.by_hand) {
        MPI_Send(threads.out[t], 1, threads.type, peer, t, MPI_COMM_WORLD);
        return;
    }
    for (int i = 0; i < threads.count; i++) {
        threads.packed[t][i] = threads.out[t][THREAD_STRIDE * i];
    }
    MPI_Send(threads.packed[t], threads.count, MPI_DOUBLE, peer, t, MPI_COMM_WORLD);
}

static void thread_receives(int t)
{
    if (!threads.by_hand) {
        MPI_Recv(threads.in[t], 1, threads.type, peer, t, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Recv(threads.packed[t], threads.count, MPI_DOUBLE, peer, t, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    for (int i = 0; i < threads.count; i++) {
        threads.in[t][THREAD_STRIDE * i] = threads.packed[t][i];
    }
}

static void *thread_main(void *number)
{
    const int t = *(const int *) number;
    for (int trip = 0; trip < TRIPS; trip++) {
        if (0 == rank) {
            thread_sends(t);
            thread_receives(t);
        } else {
            thread_receives(t);
            thread_sends(t);
        }
    }
    return NULL;
}

static void threads_step(bool by_hand)
{
    static const int numbers[THREADS] = {0, 1};
    pthread_t other;
    threads.by_hand = by_hand;
    if (0 != pthread_create(&other, NULL, thread_main, (void *) &numbers[1])) {
        fprintf(stderr, "operations: a thread cannot be made\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    thread_main((void *) &numbers[0]);
    pthread_join(other, NULL);
}

static bool threads_are_right(bool by_hand)
{
    bool right = true;
    for (int t = 0; t < THREADS; t++) {
        for (int i = 0; i < THREAD_STRIDE * threads.count; i++) {
            threads.in[t][i] = UNTOUCHED;
        }
        for (int i = 0; i < threads.count; i++) {
            threads.packed[t][i] = UNTOUCHED;
        }
    }
    threads_step(by_hand);
    for (int t = 0; t < THREADS; t++) {
        for (int i = 0; i < THREAD_STRIDE * threads.count; i++) {
            const bool sent = 0 == i % THREAD_STRIDE;
            right = right && threads.in[t][i] == (sent ? value(peer, t, i, 0, 0) : UNTOUCHED);
        }
    }
    return right;
}

static void threads_end(void)
{
    MPI_Type_free(&threads.type);
    for (int t = 0; t < THREADS; t++) {
        free(threads.out[t]);
        free(threads.in[t]);
        free(threads.packed[t]);
    }
}

/* ---- measuring ---- */

#define HALO         halo_begin, halo_step, halo_is_right, halo_end
#define MATRIX       matrix_begin, matrix_step, matrix_is_right, matrix_end
#define PARTICLES    particles_begin, particles_step, particles_are_right, particles_end
#define FILES        file_begin, file_step, file_is_right, file_end
#define WITH_THREADS threads_begin, threads_step, threads_are_right, threads_end

static const operation_t operations[] = {
    {"halo_7_points", 48, SEVEN_POINTS, HALO},
    {"halo_27_points", 48, TWENTY_SEVEN_POINTS, HALO},
    {"halo_D3Q19", 32, LATTICE_BOLTZMANN, HALO},
    {"halo_persistent", 48, PERSISTENT, HALO},
    {"halo_neighbours", 48, NEIGHBOURS, HALO},
    {"gatherv_columns", 512, GATHERV, MATRIX},
    {"alltoallw_slabs", 64, ALLTOALLW, MATRIX},
    {"put_columns", 512, PUT, MATRIX},
    {"get_columns", 512, GET, MATRIX},
    {"accumulate_columns", 512, ACCUMULATE, MATRIX},
    {"particles", 4000, 0, PARTICLES},
    {"file_write", 32, WRITE, FILES},
    {"file_read", 32, READ, FILES},
    {"threads", 64, 0, WITH_THREADS},
};
enum { OPERATIONS = sizeof(operations) / sizeof(operations[0]) };

static bool is_chosen(const operation_t *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (0 == strcmp(argv[i], o->name)) {
            return true;
        }
    }
    return argc < 2 && o->step != threads_step;
}

static double slower(double mine)
{
    double both;
    MPI_Allreduce(&mine, &both, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return both;
}

static bool measure(const operation_t *o)
{
    double samples[2][SAMPLES_MAX];
    int good, all_good;
    o->begin(o);
    good = o->is_right(false);
    good = o->is_right(true) && good;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = bench_now();
    o->step(true);
    o->step(false);
    int n = (int) (SECONDS / slower(bench_now() - start + 1e-9));
    n = n > SAMPLES_MAX ? SAMPLES_MAX : n < SAMPLES_MIN ? SAMPLES_MIN : n;
    for (int i = 0; i < n; i++) {
        for (int by_hand = 0; by_hand < 2; by_hand++) {
            MPI_Barrier(MPI_COMM_WORLD);
            start = bench_now();
            o->step(by_hand);
            samples[by_hand][i] = bench_now() - start;
        }
    }
    good = o->is_right(false) && good;
    good = o->is_right(true) && good;
    MPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    for (int by_hand = 0; by_hand < 2; by_hand++) {
        const double seconds = slower(bench_median(samples[by_hand], n));
        if (0 == rank) {
            printf("result %s %s %.2f %s\n", o->name, by_hand ? "hand" : "types", 1e6 * seconds,
                   all_good ? "right" : "WRONG");
            fflush(stdout);
        }
    }
    o->end();
    return all_good;
}

int main(int argc, char **argv)
{
    int ranks, provided, known = 0, code = 0;
    const bool alone = argc < 2; /* so that nothing else pays for locks */
    MPI_Init_thread(&argc, &argv, alone ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    peer = 1 - rank;
    for (int i = 0; i < OPERATIONS; i++) {
        known += !alone && is_chosen(&operations[i], argc, argv);
    }
    if (2 != ranks || known != argc - 1) {
        for (int i = 0; i < OPERATIONS && 0 == rank; i++) {
            fprintf(stderr, "%s%s%s", 0 == i ? "operations: two ranks; any of " : "",
                    operations[i].name, OPERATIONS - 1 == i ? "\n" : ", ");
        }
        code = 2;
    }
    for (int i = 0; i < OPERATIONS && 0 == code; i++) {
        const bool possible = threads_step != operations[i].step || MPI_THREAD_MULTIPLE == provided;
        if (possible && is_chosen(&operations[i], argc, argv) && !measure(&operations[i])) {
            code = 1;
        }
    }
    MPI_Finalize();
    return code;
}
