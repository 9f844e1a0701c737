/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A two-dimensional FFT of n x n complex numbers, with rows distributed over the ranks, as in the
 * DAME paper's Figure 18: FFT of all rows, transpose, FFT, transpose. Sent as datatypes, the
 * transpose is one MPI_Alltoall from columns into rows without another copy (T. Hoefler, S.
 * Gottlieb, EuroMPI 2010); by hand, blocks are transposed into a buffer and out of one.
 *
 *   app_fft [N [STEPS]]      default 512, 20; N: a multiple of the ranks, powers of 2 times powers
 * of 3
 *
 * A step transforms forth and back. The field is a sum of two plane waves, with a known transform,
 * and must be the same after the last step.
 */
#include <complex.h>
#include <math.h>

#include "app.h"

typedef double complex number;

typedef struct field {
    int n, ranks, rank, rows; /* rows of this rank */
    number *a, *b, *packed, *received;
    number *roots; /* exp(-2 pi i k / n) */
    MPI_Datatype columns,
        rows_of; /* one rank's columns of this rank's rows; where they go, transposed */
} field_t;

/* out[0 .. n) = FFT of in[0], in[stride] ...; of the roots every `step`-th is used. */
static void transform(const field_t *f, const number *in, number *out, int n, int stride, int step,
                      bool back)
{
    const int radix = 0 == n % 2 ? 2 : 3, m = n / radix;
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    for (int r = 0; r < radix; r++) {
        transform(f, in + r * stride, out + r * m, m, stride * radix, step * radix, back);
    }
    for (int k = 0; k < m; k++) {
        number part[3] = {0};
        for (int r = 0; r < radix; r++) {
            const number root = f->roots[r * k * step % f->n];
            part[r] = out[r * m + k] * (back ? conj(root) : root);
        }
        for (int q = 0; q < radix; q++) {
            number sum = part[0];
            for (int r = 1; r < radix; r++) {
                const number root = f->roots[r * q * m * step % f->n];
                sum += part[r] * (back ? conj(root) : root);
            }
            out[q * m + k] = sum;
        }
    }
}

static void transform_rows(field_t *f, bool back)
{
    for (int row = 0; row < f->rows; row++) {
        transform(f, f->a + (size_t) row * (size_t) f->n, f->b, f->n, 1, 1, back);
        memcpy(f->a + (size_t) row * (size_t) f->n, f->b, (size_t) f->n * sizeof(number));
    }
}

/* a = its transpose. */
static void transpose(field_t *f, bool by_hand)
{
    const size_t n = (size_t) f->n, rows = (size_t) f->rows;
    if (!by_hand) {
        MPI_Alltoall(f->a, 1, f->columns, f->b, 1, f->rows_of, MPI_COMM_WORLD);
        number *t = f->a;
        f->a = f->b;
        f->b = t;
        return;
    }
    number *to = f->packed;
    for (size_t p = 0; p < (size_t) f->ranks; p++) {
        for (size_t c = 0; c < rows; c++) {
            for (size_t r = 0; r < rows; r++) {
                *to++ = f->a[r * n + p * rows + c];
            }
        }
    }
    const int bytes = (int) (rows * rows * sizeof(number));
    MPI_Alltoall(f->packed, bytes, MPI_BYTE, f->received, bytes, MPI_BYTE, MPI_COMM_WORLD);
    const number *from = f->received;
    for (size_t p = 0; p < (size_t) f->ranks; p++) {
        for (size_t c = 0; c < rows; c++, from += rows) {
            memcpy(f->a + c * n + p * rows, from, rows * sizeof(number));
        }
    }
}

/* Columns in the order of the packed stream: each is a column of this rank's rows, which becomes
 * part of a row. */
static void make_types(field_t *f)
{
    MPI_Datatype column, block;
    MPI_Type_vector(f->rows, 1, f->n, MPI_C_DOUBLE_COMPLEX, &column);
    MPI_Type_create_hvector(f->rows, 1, sizeof(number), column, &block);
    MPI_Type_create_resized(block, 0, (MPI_Aint) ((size_t) f->rows * sizeof(number)), &f->columns);
    MPI_Type_commit(&f->columns);
    MPI_Type_free(&column);
    MPI_Type_free(&block);
    MPI_Type_vector(f->rows, f->rows, f->n, MPI_C_DOUBLE_COMPLEX, &block);
    MPI_Type_create_resized(block, 0, (MPI_Aint) ((size_t) f->rows * sizeof(number)), &f->rows_of);
    MPI_Type_commit(&f->rows_of);
    MPI_Type_free(&block);
}

enum { WAVE_X = 3, WAVE_Y = 5 }; /* and its mirror image, half as strong */

static number wave(const field_t *f, int row, int column)
{
    const int phase = (int) (((long) WAVE_Y * row + (long) WAVE_X * column) % f->n);
    return conj(f->roots[phase]) + 0.5 * f->roots[phase];
}

static bool is_close(number x, number y)
{
    return cabs(x - y) < 1e-9 * (1 + cabs(y));
}

/* Transposed twice by then, so in its place. */
static bool spectrum_is_right(const field_t *f)
{
    bool right = true;
    for (int row = 0; row < f->rows; row++) {
        for (int k = 0; k < f->n; k++) {
            const int at = f->rank * f->rows + row;
            const double size = (double) f->n * f->n;
            const number expected = at == WAVE_Y && k == WAVE_X                 ? size
                                    : f->n - WAVE_Y == at && f->n - WAVE_X == k ? 0.5 * size
                                                                                : 0;
            right = right &&
                    cabs(f->a[(size_t) row * (size_t) f->n + (size_t) k] - expected) < 1e-9 * size;
        }
    }
    return right;
}

static void solve(field_t *f, int steps, bool by_hand)
{
    app_times_t times;
    bool right = true;
    for (int row = 0; row < f->rows; row++) {
        for (int k = 0; k < f->n; k++) {
            f->a[(size_t) row * (size_t) f->n + (size_t) k] = wave(f, f->rank * f->rows + row, k);
        }
    }
    app_begin(&times);
    for (int step = 0; step < steps; step++) {
        for (int half = 0; half < 2; half++) {
            for (int dimension = 0; dimension < 2; dimension++) {
                transform_rows(f, half == 1);
                app_begins_to_send(&times);
                transpose(f, by_hand);
                app_has_sent(&times);
            }
            if (half == 0 && steps - 1 == step) {
                right = spectrum_is_right(f);
            }
        }
        for (size_t i = 0; i < (size_t) f->rows * (size_t) f->n; i++) {
            f->a[i] /= (double) f->n * f->n;
        }
    }
    for (int row = 0; row < f->rows; row++) {
        for (int k = 0; k < f->n; k++) {
            right = right && is_close(f->a[(size_t) row * (size_t) f->n + (size_t) k],
                                      wave(f, f->rank * f->rows + row, k));
        }
    }
    app_print("fft2", f->n, by_hand, &times, right);
}

int main(int argc, char **argv)
{
    field_t f = {.n = argc > 1 ? atoi(argv[1]) : 512};
    const int steps = argc > 2 ? atoi(argv[2]) : 20;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &f.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &f.ranks);
    turns_join(f.rank, f.ranks);
    int rest = f.n;
    for (; rest > 1 && (0 == rest % 2 || 0 == rest % 3); rest /= 0 == rest % 2 ? 2 : 3) {
    }
    if (f.n < 8 || f.n > 8192 || rest != 1 || f.n % f.ranks != 0 || steps < 1) {
        fprintf(stderr, "app_fft: N: 8 to 8192, powers of 2 times powers of 3, a multiple of the "
                        "ranks; STEPS: 1 and more\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    f.rows = f.n / f.ranks;
    const size_t bytes = (size_t) f.rows * (size_t) f.n * sizeof(number);
    f.a = app_memory(bytes);
    f.b = app_memory(bytes);
    f.packed = app_memory(bytes);
    f.received = app_memory(bytes);
    f.roots = app_memory((size_t) f.n * sizeof(number));
    for (int k = 0; k < f.n; k++) {
        f.roots[k] = cexp(-2 * acos(-1) * I * k / f.n);
    }
    make_types(&f);
    app_introduce();
    turns_next();
    for (int turn = 0; turn < turns_count(); turn++) {
        solve(&f, steps, 0 != turn % 2);
        solve(&f, steps, 0 == turn % 2);
        turns_next();
    }
    MPI_Type_free(&f.columns);
    MPI_Type_free(&f.rows_of);
    turns_free(f.a);
    turns_free(f.b);
    turns_free(f.packed);
    turns_free(f.received);
    turns_free(f.roots);
    turns_leave();
    MPI_Finalize();
    return 0;
}
