/* SPDX-License-Identifier: BSD-3-Clause */
/* 2-D Fourier transforms of N x N complex numbers, of which each rank has rows: transforms of rows,
 * a transposition from array to array by MPI_Alltoall() on datatypes, transforms of rows again. The
 * paper's last section asks for it.
 *
 *     fft [VARIANT] N REPEATS
 *
 * N: a power of two that the number of ranks divides. VARIANT: blocking (the default), hand (sends
 * the first half of its rows while it transforms the second), nocomm (no data moves: the bound).
 * Rank 0 prints milliseconds a transform and a checksum of the result, which is the same for every
 * number of ranks. A wave is transformed first; status 1 if its result is not one peak. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bamboo/bench/motifs/either.h"

enum { BLOCKING, HAND, NOCOMM, VARIANTS };
static const char *const names[VARIANTS] = {"blocking", "hand", "nocomm"};

typedef struct complex_number {
    double re, im;
} complex_number_t;

struct fft {
    int variant, rank, size, n, rows, repeats;
    complex_number_t *a, *b, *roots; /* a is transformed into b, transposed, and back */
    MPI_Datatype number, send_block[2], recv_block[2]; /* of all rows; of half of them */
    MPI_Request *requests;
};

static const char *set_up(struct fft *f, int argc, char **argv)
{
    int argument = 1;
    for (int i = 0; i < VARIANTS && argc > 1; i++) {
        if (strcmp(argv[1], names[i]) == 0) {
            f->variant = i;
            argument = 2;
        }
    }
    if (argc - argument != 2) {
        return "arguments: [blocking|hand|nocomm] N REPEATS";
    }
    f->n = atoi(argv[argument]);
    f->repeats = atoi(argv[argument + 1]);
    if (f->n < 2 || (f->n & (f->n - 1)) != 0 || f->n % f->size != 0 || f->repeats < 1) {
        return "N must be a power of two and a multiple of the number of ranks, REPEATS 1 or more";
    }
    f->rows = f->n / f->size;
    if (f->variant == HAND && f->rows % 2 != 0) {
        return "by hand, each rank needs an even number of rows";
    }
    return NULL;
}

/* What goes to one rank, row by row, and where it goes there: to columns. */
static void make_blocks(struct fft *f, int half)
{
    const int rows = f->rows / (half ? 2 : 1);
    const MPI_Aint bytes = sizeof(complex_number_t), width = f->rows * bytes;
    MPI_Datatype part, column;
    MPI_Type_vector(rows, f->rows, f->n, f->number, &part);
    MPI_Type_create_resized(part, 0, width, &f->send_block[half]);
    MPI_Type_free(&part);
    MPI_Type_vector(f->rows, 1, f->n, f->number, &column);
    MPI_Type_create_hvector(rows, 1, bytes, column, &part);
    MPI_Type_create_resized(part, 0, width, &f->recv_block[half]);
    MPI_Type_free(&column);
    MPI_Type_free(&part);
    MPI_Type_commit(&f->send_block[half]);
    MPI_Type_commit(&f->recv_block[half]);
}

static void make(struct fft *f)
{
    const size_t count = (size_t) f->rows * (size_t) f->n;
    f->a = calloc(count, sizeof(*f->a));
    f->b = calloc(count, sizeof(*f->b));
    f->roots = calloc((size_t) f->n / 2, sizeof(*f->roots));
    f->requests = calloc(4 * (size_t) f->size, sizeof(MPI_Request));
    for (int i = 0; i < f->n / 2; i++) {
        f->roots[i].re = cos(2 * acos(-1) * i / f->n);
        f->roots[i].im = -sin(2 * acos(-1) * i / f->n);
    }
    MPI_Type_contiguous(2, MPI_DOUBLE, &f->number);
    MPI_Type_commit(&f->number);
    make_blocks(f, 0);
    make_blocks(f, 1);
}

static void end(struct fft *f)
{
    for (int half = 0; half < 2; half++) {
        MPI_Type_free(&f->send_block[half]);
        MPI_Type_free(&f->recv_block[half]);
    }
    MPI_Type_free(&f->number);
    free(f->a);
    free(f->b);
    free(f->roots);
    free(f->requests);
}

static void transform_row(const struct fft *f, complex_number_t *x)
{
    const int n = f->n;
    for (int i = 1, j = 0; i < n; i++) { /* to the order of reversed bits */
        int bit = n >> 1;
        for (; j & bit; bit >>= 1) {
            j ^= bit;
        }
        j ^= bit;
        if (i < j) {
            complex_number_t kept = x[i];
            x[i] = x[j];
            x[j] = kept;
        }
    }
    for (int half = 1; half < n; half *= 2) {
        const int stride = n / 2 / half;
        for (int first = 0; first < n; first += 2 * half) {
            for (int k = 0; k < half; k++) {
                const complex_number_t root = f->roots[k * stride];
                complex_number_t *even = &x[first + k], *odd = even + half;
                const double re = odd->re * root.re - odd->im * root.im;
                const double im = odd->re * root.im + odd->im * root.re;
                *odd = (complex_number_t){even->re - re, even->im - im};
                *even = (complex_number_t){even->re + re, even->im + im};
            }
        }
    }
}

static void transform_rows(const struct fft *f, complex_number_t *x, int low, int high)
{
    for (int i = low; i < high; i++) {
        transform_row(f, x + (long) i * f->n);
    }
}

/* Transforms the rows and sends each half when it is ready. */
static void transform_and_send(struct fft *f, complex_number_t *from, complex_number_t *to)
{
    const int half = f->rows / 2;
    int count = 0;
    for (int part = 0; part < 2; part++) {
        for (int rank = 0; rank < f->size; rank++) {
            MPI_Irecv(to + rank * f->rows + part * half, 1, f->recv_block[1], rank, part,
                      MPI_COMM_WORLD, &f->requests[count++]);
        }
    }
    for (int part = 0; part < 2; part++) {
        transform_rows(f, from, part * half, (part + 1) * half);
        for (int rank = 0; rank < f->size; rank++) {
            MPI_Isend(from + (long) part * half * f->n + rank * f->rows, 1, f->send_block[1], rank,
                      part, MPI_COMM_WORLD, &f->requests[count++]);
        }
    }
    MPI_Waitall(count, f->requests, MPI_STATUSES_IGNORE);
}

/* From a to b, transposed. */
static void transform(struct fft *f)
{
    if (f->variant == HAND) {
        transform_and_send(f, f->a, f->b);
    } else {
        const int blocks = f->variant == NOCOMM ? 0 : 1;
        transform_rows(f, f->a, 0, f->rows);
        MPI_Alltoall(f->a, blocks, f->send_block[0], f->b, blocks, f->recv_block[0],
                     MPI_COMM_WORLD);
    }
    transform_rows(f, f->b, 0, f->rows);
}

/* One wave has one peak, and the transposed one is at the transposed place. */
static int transforms_a_wave(struct fft *f)
{
    const int kx = 3 % f->n, ky = 1;
    int right = 1, all;
    for (int i = 0; i < f->rows; i++) {
        for (int j = 0; j < f->n; j++) {
            const double angle = 2 * acos(-1) * (kx * (f->rank * f->rows + i) + ky * j) / f->n;
            f->a[(long) i * f->n + j] = (complex_number_t){cos(angle), sin(angle)};
        }
    }
    transform(f);
    for (int i = 0; i < f->rows; i++) {
        for (int j = 0; j < f->n; j++) {
            const complex_number_t got = f->b[(long) i * f->n + j];
            const int peak = f->rank * f->rows + i == ky && j == kx;
            right &= fabs(got.re - (peak ? (double) f->n * f->n : 0)) < 1e-6 * f->n * f->n &&
                     fabs(got.im) < 1e-6 * f->n * f->n;
        }
    }
    MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all || f->variant == NOCOMM;
}

static void fill(struct fft *f)
{
    for (int i = 0; i < f->rows; i++) {
        for (int j = 0; j < f->n; j++) {
            const int x = (f->rank * f->rows + i) * 7919 + j * 104729;
            f->a[(long) i * f->n + j] = (complex_number_t){x % 1009, x % 757};
        }
    }
}

static uint64_t sum_of(const struct fft *f)
{
    uint64_t sum = 0, bits[2];
    for (long i = 0; i < (long) f->rows * f->n; i++) {
        memcpy(bits, &f->b[i], sizeof(bits));
        sum += (bits[0] + 3 * bits[1]) *
               (0x9e3779b97f4a7c15u + 2 * (uint64_t) (i + (long) f->rank * f->rows * f->n));
    }
    return sum;
}

static int fft(int argc, char **argv)
{
    struct fft state = {0}, *f = &state;
    double start, elapsed = 0, longest;
    uint64_t sum, all;
    MPI_Comm_rank(MPI_COMM_WORLD, &f->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &f->size);
    const char *wrong = set_up(f, argc, argv);
    if (wrong != NULL) {
        if (f->rank == 0) {
            fprintf(stderr, "fft: %s\n", wrong);
        }
        return 2;
    }
    make(f);
    const int right = transforms_a_wave(f);
    for (int repeat = -1; repeat < f->repeats; repeat++) { /* one to warm up */
        fill(f);
        MPI_Barrier(MPI_COMM_WORLD);
        start = MPI_Wtime();
        transform(f);
        elapsed += repeat < 0 ? 0 : MPI_Wtime() - start;
    }
    sum = sum_of(f);
    MPI_Reduce(&elapsed, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&sum, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (f->rank == 0) {
        printf("%.6f %016llx\n", 1e3 * longest / f->repeats, (unsigned long long) all);
    }
    end(f);
    return !right;
}

PROGRAM(fft)
