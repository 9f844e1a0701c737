/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many datatypes in one process, all alive and in use. One process of bench/run.
 *
 *   many_worker N       1 to 12000
 *
 * Makes N datatypes of N layouts: vectors, subarrays, and blocks at random displacements, of 16 to
 * 1248 bytes. Packs all of them, one after the other, again and again. Prints, in nanoseconds for
 * one datatype,
 *
 *   many N create mpi NANOSECONDS       MPI_Type_… and MPI_Type_commit
 *   many N first mpi NANOSECONDS        the first MPI_Pack of each
 *   many N use mpi|hand NANOSECONDS     one MPI_Pack, or the loops that know the layout, in turns
 *                                       after 100 uses of each; one line per sample
 *   many N free mpi NANOSECONDS
 *
 * and the growth of the resident set, in bytes for one datatype, after the constructors, and after
 * the 100 uses:
 *
 *   many N memory create|use BYTES
 *
 * The bytes of each datatype are compared with those packed by hand; a difference ends the program.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layouts.h"
#include "measure/turns.h"
#include "options.h"

enum { MOST = 12000, USES = 100, DATA = 4096, EDGE = 64, PACKED = 256 }; /* doubles */
enum { VECTOR, SUBARRAY, BLOCKS, KINDS };
enum { BY_MPI, BY_HAND };

/* Of count blocks (of a subarray: rows) of `length` doubles. */
typedef struct shape {
    int kind, count, length;
    int stride;        /* vector: from block to block */
    int row, column;   /* subarray: its first in a matrix of EDGE x EDGE */
    int *displacement; /* blocks */
} shape_t;

static struct {
    int n;
    shape_t *shape;
    MPI_Datatype *type;
    double *data;
    double packed[PACKED];
} many;

/* ---- layouts: no two are equal, up to MOST ---- */

static void make_blocks(shape_t *shape, unsigned state)
{
    int at = 0;

    shape->displacement = layout_buffer((size_t) shape->count * sizeof(int));
    for (int b = 0; b < shape->count; b++) {
        state = state * 1103515245u + 12345u;
        shape->displacement[b] = at;
        at += shape->length + 1 + (int) (state >> 16) % 16;
    }
}

static void make_shape(shape_t *shape, int i)
{
    const int m = i / KINDS;

    *shape = (shape_t){.kind = i % KINDS, .count = 8 + m % 32, .length = 1 + m / 32 % 4};
    if (shape->kind == VECTOR) {
        shape->stride = shape->length + 1 + m / 128 % 32;
    } else if (shape->kind == SUBARRAY) {
        shape->count = 2 + m % 16;
        shape->length = 1 + m / 16 % 8;
        shape->row = m / 128 % 16;
        shape->column = m / 2048 * 7;
    } else {
        make_blocks(shape, (unsigned) m);
    }
}

static void make_type(const shape_t *shape, MPI_Datatype *type)
{
    const int sizes[2] = {EDGE, EDGE};
    const int parts[2] = {shape->count, shape->length}, starts[2] = {shape->row, shape->column};

    if (shape->kind == VECTOR) {
        MPI_Type_vector(shape->count, shape->length, shape->stride, MPI_DOUBLE, type);
    } else if (shape->kind == SUBARRAY) {
        MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, type);
    } else {
        MPI_Type_create_indexed_block(shape->count, shape->length, shape->displacement, MPI_DOUBLE,
                                      type);
    }
    MPI_Type_commit(type);
}

/* ---- packing ---- */

static int pack_by_mpi(int i)
{
    int position = 0;

    MPI_Pack(many.data, 1, many.type[i], many.packed, sizeof(many.packed), &position,
             MPI_COMM_SELF);
    return position;
}

static int pack_by_hand(int i)
{
    const shape_t *shape = &many.shape[i];
    const int step = shape->kind == VECTOR ? shape->stride : EDGE;
    const double *from = many.data + EDGE * shape->row + shape->column;
    double *to = many.packed;

    for (int b = 0; b < shape->count; b++) {
        const double *block = from + (shape->kind == BLOCKS ? shape->displacement[b] : b * step);
        for (int e = 0; e < shape->length; e++) {
            *to++ = block[e];
        }
    }
    return (int) ((char *) to - (char *) many.packed);
}

static void pass(void *context, int which, int64_t times)
{
    (void) context;
    for (int64_t t = 0; t < times; t++) {
        for (int i = 0; i < many.n; i++) {
            (void) (which == BY_MPI ? pack_by_mpi(i) : pack_by_hand(i));
        }
    }
}

static void check(void)
{
    double expected[PACKED];

    for (int i = 0; i < many.n; i++) {
        const int bytes = pack_by_hand(i);
        memcpy(expected, many.packed, sizeof(expected));
        memset(many.packed, 0, sizeof(many.packed));
        if (pack_by_mpi(i) != bytes || memcmp(expected, many.packed, (size_t) bytes) != 0) {
            fprintf(stderr, "many_worker: datatype %d of %d: wrong bytes\n", i, many.n);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

/* ---- measuring ---- */

static void print(const char *what, const char *how, double seconds)
{
    printf("many %d %s %s %.2f\n", many.n, what, how, 1e9 * seconds / many.n);
}

static void measure_uses(void)
{
    dame_turns_t turns = {
        .n = 2, .run = pass, .sample = 200e-6, .seconds = 0.2, .least = 5, .most = 15};

    if (dame_turns_run(&turns) != 0) {
        fprintf(stderr, "many_worker: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int which = BY_MPI; which <= BY_HAND; which++) {
        for (int s = 0; s < turns.rounds; s++) {
            print("use", which == BY_MPI ? "mpi" : "hand", turns.samples[which * turns.rounds + s]);
        }
    }
    dame_turns_free(&turns);
}

static void measure(void)
{
    const double before = bench_resident();
    double start = bench_now(), created, used;

    for (int i = 0; i < many.n; i++) {
        make_type(&many.shape[i], &many.type[i]);
    }
    print("create", "mpi", bench_now() - start);
    created = bench_resident();
    start = bench_now();
    pass(NULL, BY_MPI, 1);
    print("first", "mpi", bench_now() - start);
    pass(NULL, BY_MPI, USES - 1);
    used = bench_resident();
    printf("many %d memory create %.1f\n", many.n, (created - before) / many.n);
    printf("many %d memory use %.1f\n", many.n, (used - before) / many.n);
    check();
    measure_uses();
    start = bench_now();
    for (int i = 0; i < many.n; i++) {
        MPI_Type_free(&many.type[i]);
    }
    print("free", "mpi", bench_now() - start);
}

/* Everything but the datatypes is resident before they are made, and what an engine sets up once
 * has been set up. */
static void prepare(int n)
{
    MPI_Datatype type;

    many.n = n;
    many.shape = layout_buffer((size_t) n * sizeof(*many.shape));
    many.type = layout_buffer((size_t) n * sizeof(MPI_Datatype));
    many.data = layout_buffer(DATA * sizeof(double));
    memset(many.type, 1, (size_t) n * sizeof(MPI_Datatype));
    for (int i = 0; i < DATA; i++) {
        many.data[i] = i;
    }
    for (int i = 0; i < n; i++) {
        make_shape(&many.shape[i], i);
    }
    MPI_Type_vector(3, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int i = 0, position; i < USES; i++) {
        position = 0;
        MPI_Pack(many.data, 1, type, many.packed, sizeof(many.packed), &position, MPI_COMM_SELF);
    }
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    char *end = NULL;
    const long n = argc == 2 ? strtol(argv[1], &end, 10) : 0;

    MPI_Init(&argc, &argv);
    if (end == NULL || *end != '\0' || n < 1 || n > MOST) {
        fprintf(stderr, "many_worker: '%s': a number of datatypes from 1 to %d is allowed\n",
                argc > 1 ? argv[1] : "", MOST);
        MPI_Finalize();
        return 2;
    }
    prepare((int) n);
    measure();
    for (int i = 0; i < many.n; i++) {
        free(many.shape[i].displacement);
    }
    free(many.shape);
    free(many.type);
    free(many.data);
    MPI_Finalize();
    return 0;
}
