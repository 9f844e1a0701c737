/* SPDX-License-Identifier: BSD-3-Clause */
/* A matrix: columns gathered, slabs turned, columns put, got and added; a part of operations.c. */
#include "operations.h"

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

void matrix_begin(const operation_t *o)
{
    const int n = o->size, half = n / 2;
    const size_t cells = (size_t) n * (size_t) n;
    MPI_Datatype type;
    memset(&matrix, 0, sizeof(matrix));
    matrix.n = n;
    matrix.half = half;
    matrix.kind = o->kind;
    matrix.cells_a = o->kind == ALLTOALLW ? cells * (size_t) half
                     : o->kind == GATHERV ? cells / 2
                                          : cells;
    matrix.cells_b = o->kind == ALLTOALLW ? matrix.cells_a : cells;
    matrix.a = doubles(matrix.cells_a);
    matrix.b = doubles(matrix.cells_b);
    matrix.out = doubles(matrix.cells_b);
    matrix.in = doubles(matrix.cells_b);
    if (o->kind == GATHERV) { /* a: n rows of half; b: n rows of n */
        MPI_Type_vector(n, half, n, MPI_DOUBLE, &type);
        matrix.column = resized(type, (MPI_Aint) ((size_t) half * sizeof(double)));
    } else if (o->kind == ALLTOALLW) { /* a: half, n, n; b: n, half, n */
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
    for (int p = 0; p < 2 && by_hand && rank == 0; p++) {
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
    double *own = matrix.kind == GET ? matrix.b : matrix.a;
    if (by_hand && matrix.kind == GET) { /* the peer's data is ready in the window */
        for (size_t i = 0; i < n; i++) {
            memcpy(matrix.in + EDGE * i, matrix.b + n * i, EDGE * sizeof(double));
        }
    } else if (by_hand) {
        for (size_t i = 0; i < n; i++) {
            memcpy(matrix.out + EDGE * i, own + n * i, EDGE * sizeof(double));
        }
    }
    MPI_Win_fence(0, window);
    if (matrix.kind == GET) {
        MPI_Get(by_hand ? matrix.out : matrix.a, by_hand ? count : 1,
                by_hand ? MPI_DOUBLE : matrix.column, peer, 0, by_hand ? count : 1,
                by_hand ? MPI_DOUBLE : matrix.column, window);
    } else if (matrix.kind == PUT || by_hand) {
        MPI_Put(by_hand ? matrix.out : matrix.a, by_hand ? count : 1,
                by_hand ? MPI_DOUBLE : matrix.column, peer, 0, by_hand ? count : 1,
                by_hand ? MPI_DOUBLE : matrix.column, window);
    } else {
        MPI_Accumulate(matrix.a, 1, matrix.column, peer, 0, 1, matrix.column, MPI_SUM, window);
    }
    MPI_Win_fence(0, window);
    for (size_t i = 0; by_hand && i < n; i++) {
        if (matrix.kind == GET) {
            memcpy(matrix.a + n * i, matrix.out + EDGE * i, EDGE * sizeof(double));
        } else if (matrix.kind == PUT) {
            memcpy(matrix.b + n * i, matrix.in + EDGE * i, EDGE * sizeof(double));
        } else {
            for (size_t c = 0; c < EDGE; c++) {
                matrix.b[n * i + c] += matrix.in[EDGE * i + c];
            }
        }
    }
}

void matrix_step(bool by_hand)
{
    if (matrix.kind == GATHERV) {
        gatherv(by_hand);
    } else if (matrix.kind == ALLTOALLW) {
        alltoallw(by_hand);
    } else {
        one_sided(by_hand);
    }
}

bool matrix_is_right(bool by_hand)
{
    const size_t n = (size_t) matrix.n, half = (size_t) matrix.half;
    bool right = true;
    matrix_fill();
    MPI_Barrier(MPI_COMM_WORLD); /* no rank puts into a buffer that is being filled */
    matrix_step(by_hand);
    for (size_t i = 0; i < matrix.cells_b; i++) {
        double expected = UNTOUCHED;
        const size_t row = i / n, column = i % n;
        if (matrix.kind == GATHERV && rank == 0) {
            expected = (double) (row * half + column % half) + 0.25 * (column >= half);
        } else if (matrix.kind == ALLTOALLW) { /* b(i, j, k): the owner of i's a(i, j, k) */
            const size_t plane = i / (half * n), j = i / n % half;
            expected = (double) ((plane % half * n + (size_t) rank * half + j) * n + column) +
                       0.25 * (plane >= half);
        } else if (column < EDGE && (matrix.kind == PUT || matrix.kind == ACCUMULATE)) {
            expected = (double) i + 0.25 * peer + (matrix.kind == ACCUMULATE ? UNTOUCHED : 0);
        }
        right = right && matrix.b[i] == expected;
    }
    for (size_t i = 0; i < matrix.cells_a; i++) {
        const bool got = matrix.kind == GET && i % n < EDGE;
        right = right && matrix.a[i] == (got ? UNTOUCHED : (double) i + 0.25 * rank);
    }
    return right;
}

void matrix_end(void)
{
    if (matrix.kind >= PUT) {
        MPI_Win_free(&matrix.window);
        MPI_Win_free(&matrix.staging);
    }
    for (int p = 0; p < 2 && matrix.kind == ALLTOALLW; p++) {
        MPI_Type_free(&matrix.parts[p]);
    }
    if (matrix.kind != ALLTOALLW) {
        MPI_Type_free(&matrix.column);
    }
    turns_free(matrix.a);
    turns_free(matrix.b);
    turns_free(matrix.out);
    turns_free(matrix.in);
}
