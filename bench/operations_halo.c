/* SPDX-License-Identifier: BSD-3-Clause */
/* Halos of stencils; a part of operations.c. A cube of N cells a side and one layer of ghosts. */
#include "operations.h"

/* Populations of the lattice-Boltzmann model D3Q19, one array each: those that move across a face
 * or an edge go there. */
enum { DIRECTIONS = 26, POPULATIONS = 19 };
/* Open MPI 6.0.0rc2 goes from partition to partition by the datatype's size, not its extent. */
#ifdef OPEN_MPI
enum { PARTITIONS = 1 };
#else
enum { PARTITIONS = 4 };
#endif

static struct {
    int n, m, kind, populations, directions;
    int d[DIRECTIONS][3];
    int moves[POPULATIONS][3];
    int count[DIRECTIONS], list[DIRECTIONS][POPULATIONS]; /* which go into a direction */
    double *f, *out[DIRECTIONS], *in[DIRECTIONS];
    int cells[DIRECTIONS]; /* sent */
    MPI_Datatype send[DIRECTIONS], receive[DIRECTIONS];
    MPI_Request requests[2][2 * DIRECTIONS]; /* persistent, partitioned: by hand, types */
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
    *from = d == 0 ? 1 : d > 0 ? (ghosts ? 0 : halo.n) : (ghosts ? halo.n + 1 : 1);
    *to = d == 0 ? halo.n : *from;
}

/* The axis along which a face is cut into partitions. */
static int cut(int direction)
{
    return halo.d[direction][0] == 0 ? 0 : 1;
}

/* Partitioned: the first of them, with the extent from one to the next. */
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
    if (halo.kind == PARTITIONED) {
        parts[cut(direction)] /= PARTITIONS;
    }
    MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &one);
    if (halo.kind == PARTITIONED) {
        const size_t cells = cut(direction) == 0 ? cell(0, 1, 0, 0) : cell(0, 0, 1, 0);
        const size_t extent = (size_t) parts[cut(direction)] * cells * sizeof(double);
        MPI_Type_create_resized(one, 0, (MPI_Aint) extent, &all);
        MPI_Type_free(&one);
        one = all;
    }
    if (halo.populations == 1) {
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

/* One partition of a region that is cut into `partitions`. */
static void copy_part(int direction, bool ghosts, double *buffer, int partition, int partitions)
{
    const int *d = halo.d[direction], axis_cut = cut(direction);
    int from[3], to[3];
    for (int axis = 0; axis < 3; axis++) {
        part(d[axis], ghosts, &from[axis], &to[axis]);
    }
    if (partitions > 1) {
        const int length = halo.n / partitions;
        from[axis_cut] += partition * length;
        to[axis_cut] = from[axis_cut] + length - 1;
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

static void copy_region(int direction, bool ghosts, double *buffer)
{
    copy_part(direction, ghosts, buffer, 0, 1);
}

static bool goes(const int *moves, const int *d)
{
    for (int axis = 0; axis < 3; axis++) {
        if (d[axis] != 0 && moves[axis] != d[axis]) {
            return false;
        }
    }
    return true;
}

/* The state before an exchange: this rank's cells, and untouched ghosts. */
static void halo_fill(void)
{
    for (int q = 0; q < halo.populations; q++) {
        for (int i = 0; i < halo.m; i++) {
            for (int j = 0; j < halo.m; j++) {
                for (int k = 0; k < halo.m; k++) {
                    const bool ghost =
                        i == 0 || j == 0 || k == 0 || i > halo.n || j > halo.n || k > halo.n;
                    halo.f[cell(q, i, j, k)] = ghost ? UNTOUCHED : value(rank, q, i, j, k);
                }
            }
        }
    }
}

static void begin_persistent(bool types)
{
    for (int a = 0; a < halo.directions; a++) {
        MPI_Recv_init(types ? halo.f : halo.in[a], types ? 1 : halo.cells[a],
                      types ? halo.receive[a] : MPI_DOUBLE, peer, a, MPI_COMM_WORLD,
                      &halo.requests[types][a]);
        MPI_Send_init(types ? halo.f : halo.out[a], types ? 1 : halo.cells[a],
                      types ? halo.send[a] : MPI_DOUBLE, peer, a, MPI_COMM_WORLD,
                      &halo.requests[types][halo.directions + a]);
    }
}

#if MPI_VERSION >= 4
static void begin_partitioned(bool types)
{
    for (int a = 0; a < halo.directions; a++) {
        const int tag = a + (types ? DIRECTIONS : 0);
        const MPI_Count count = types ? 1 : halo.cells[a] / PARTITIONS;
        MPI_Precv_init(types ? halo.f : halo.in[a], PARTITIONS, count,
                       types ? halo.receive[a] : MPI_DOUBLE, peer, tag, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &halo.requests[types][a]);
        MPI_Psend_init(types ? halo.f : halo.out[a], PARTITIONS, count,
                       types ? halo.send[a] : MPI_DOUBLE, peer, tag, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &halo.requests[types][halo.directions + a]);
    }
}

/* By hand, each partition goes when it has been packed. */
static void exchange_partitioned(bool by_hand)
{
    MPI_Request *all = halo.requests[!by_hand];
    MPI_Status statuses[2 * DIRECTIONS];
    const int n = halo.directions;
    for (int i = 0; i < 2 * n; i++) { /* with Open MPI 6.0.0rc2's MPI_Startall() this hangs */
        MPI_Start(&all[i]);
    }
    for (int a = 0; a < n; a++) {
        for (int p = 0; p < PARTITIONS && by_hand; p++) {
            copy_part(a, false, halo.out[a] + p * (halo.cells[a] / PARTITIONS), p, PARTITIONS);
            MPI_Pready(p, all[n + a]);
        }
        if (!by_hand) {
            MPI_Pready_range(0, PARTITIONS - 1, all[n + a]);
        }
    }
    MPI_Waitall(2 * n, all, statuses);
}

/* With Open MPI 6.0.0rc2, a rank that is ahead of its peer can complete its first receive before
 * anything was received. So each kind has a first exchange after a barrier. */
static void introduce_partitioned(void)
{
    for (int by_hand = 0; by_hand < 2; by_hand++) {
        MPI_Barrier(MPI_COMM_WORLD);
        exchange_partitioned(by_hand);
    }
}
#else
static void begin_partitioned(bool types)
{
    (void) types;
}

static void introduce_partitioned(void)
{
}

static void exchange_partitioned(bool by_hand)
{
    (void) by_hand;
}
#endif

void halo_begin(const operation_t *o)
{
    const int most = o->kind == TWENTY_SEVEN_POINTS ? 3 : o->kind == LATTICE_BOLTZMANN ? 2 : 1;
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
            if (o->kind == LATTICE_BOLTZMANN) {
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
            if (halo.populations == 1 || (q > 0 && goes(halo.moves[q], halo.d[a]))) {
                halo.list[a][halo.count[a]++] = q;
            }
        }
        halo.cells[a] *= halo.count[a];
        halo.out[a] = doubles((size_t) halo.cells[a]);
        halo.in[a] = doubles((size_t) halo.cells[a]);
        halo.send[a] = region(a, false);
        halo.receive[a] = region(a, true);
    }
    for (int types = 0; types < 2; types++) {
        if (o->kind == PERSISTENT) {
            begin_persistent(types);
        } else if (o->kind == PARTITIONED) {
            begin_partitioned(types);
        }
    }
    if (o->kind == NEIGHBOURS) {
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
    if (halo.kind == PARTITIONED) {
        introduce_partitioned();
    }
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

void halo_step(bool by_hand)
{
    MPI_Request requests[2 * DIRECTIONS], *all = requests;
    MPI_Status statuses[2 * DIRECTIONS];
    const int n = halo.directions;
    for (int a = 0; a < n && (by_hand && (halo.kind == PERSISTENT || halo.kind == NEIGHBOURS));
         a++) {
        copy_region(a, false, halo.out[a]);
    }
    if (halo.kind == NEIGHBOURS) {
        halo_collective(by_hand);
    } else if (halo.kind == PARTITIONED) {
        exchange_partitioned(by_hand);
    } else if (halo.kind == PERSISTENT) {
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
        d[axis] = at[axis] == 0 ? 1 : at[axis] > halo.n ? -1 : 0;
        from[axis] = d[axis] == 0 ? at[axis] : d[axis] > 0 ? halo.n : 1;
        ghost = ghost || d[axis] != 0;
    }
    if (!ghost) {
        return value(rank, q, at[0], at[1], at[2]);
    }
    for (int a = 0; a < halo.directions; a++) {
        for (int p = 0; p < halo.count[a]; p++) {
            if (memcmp(d, halo.d[a], sizeof(d)) == 0 && halo.list[a][p] == q) {
                return value(peer, q, from[0], from[1], from[2]);
            }
        }
    }
    return UNTOUCHED;
}

bool halo_is_right(bool by_hand)
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

void halo_end(void)
{
    for (int a = 0; a < halo.directions; a++) {
        MPI_Type_free(&halo.send[a]);
        MPI_Type_free(&halo.receive[a]);
        turns_free(halo.out[a]);
        turns_free(halo.in[a]);
    }
    const bool keeps_requests = halo.kind == PERSISTENT || halo.kind == PARTITIONED;
    for (int i = 0; keeps_requests && i < 4 * halo.directions; i++) {
        MPI_Request_free(&halo.requests[i / (2 * halo.directions)][i % (2 * halo.directions)]);
    }
    if (halo.kind == NEIGHBOURS) {
        MPI_Comm_free(&halo.graph);
    }
    turns_free(halo.f);
}
