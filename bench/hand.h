/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pack and unpack written by hand: what a good programmer writes without datatypes.
 *
 * Plain loops over typed elements; every index is computed before (in the plan). Compile hand.c
 * with -O3 -march=native when measuring. Units: element = the type of `start`; strides and offsets
 * count elements. Packed buffers are aligned for any element.
 */
#ifndef HAND_H
#define HAND_H

#include <stddef.h>
#include <stdint.h>

enum { HAND_MAX_PARTS = 9 };

/* The two loops of a plan. */
#define HAND_LOOPS(name)                                                                           \
    void hand_##name##_pack(const void *plan, void *packed);                                       \
    void hand_##name##_unpack(const void *plan, const void *packed)

/* parts boxes of n3 × n2 rows of n1 floats; a stride for each of the outer levels. */
struct hand_boxes_f32 {
    int parts;
    struct {
        float *start;
        size_t n1, n2, n3, stride2, stride3;
    } part[HAND_MAX_PARTS];
};
HAND_LOOPS(boxes_f32);

/* n3 × n2 rows of exactly 4 floats. */
struct hand_rows4_f32 {
    float *start;
    size_t n2, n3, stride2, stride3;
};
HAND_LOOPS(rows4_f32);

/* n blocks of exactly 3 or 6 floats, `stride` apart. */
struct hand_blocks_f32 {
    float *start;
    size_t n, stride;
};
HAND_LOOPS(blocks3_f32);
HAND_LOOPS(blocks6_f32);

/* n2 rows of n1 doubles, `stride` apart; n3 such planes, `stride3` apart. */
struct hand_rows_f64 {
    double *start;
    size_t n1, n2, n3, stride2, stride3;
};
HAND_LOOPS(rows_f64);

/* n blocks of exactly 5 or 8 doubles, `stride` apart. */
struct hand_blocks_f64 {
    double *start;
    size_t n, stride;
};
HAND_LOOPS(blocks5_f64);
HAND_LOOPS(blocks8_f64);

/* n2 columns of n1 single doubles: `stride1` between the doubles of a column, `stride2` between
 * columns. */
struct hand_columns_f64 {
    double *start;
    size_t n1, n2, stride1, stride2;
};
HAND_LOOPS(columns_f64);

/* The same for complex numbers (two doubles each). */
struct hand_complex {
    double re, im;
};
struct hand_columns_c64 {
    struct hand_complex *start;
    size_t n1, n2, stride1, stride2;
};
HAND_LOOPS(columns_c64);

/* parts lists, each of n floats start[index[i]]. */
struct hand_gather_f32 {
    int parts;
    struct {
        float *start;
        const int *index;
        size_t n;
    } part[2];
};
HAND_LOOPS(gather_f32);

/* The same with three floats from start[index[i]] on. */
HAND_LOOPS(gather3_f32);

/* Atoms: three doubles from x[index3[i]] on, then for each of `singles` arrays the doubles
 * single[a][index[i]]; n indices. */
struct hand_atoms {
    double *x;
    int singles;
    double *single[5];
    const int *index, *index3;
    size_t n;
};
HAND_LOOPS(atoms);

/* parts contiguous pieces of bytes. */
struct hand_pieces {
    int parts;
    struct {
        void *start;
        size_t size;
    } part[HAND_MAX_PARTS];
};
HAND_LOOPS(pieces);

/* n runs of length[i] doubles from start[offset[i]] on. */
struct hand_runs_f64 {
    double *start;
    const int *offset, *length;
    size_t n;
};
HAND_LOOPS(runs_f64);

/* Every second of 2n bytes. */
struct hand_odd_bytes {
    uint8_t *start;
    size_t n;
};
HAND_LOOPS(odd_bytes);

/* Arrays of C structs, packed field by field. */
struct hand_particle {
    int id;
    double v[3];
    char flag;
    char gap[15];
};
struct hand_gappy {
    char tag;
    double value;
    short code;
    float direction[3];
    int64_t id;
};
struct hand_dense {
    double value;
    int id;
    float weight;
    short code[2];
    char tag[4];
};
struct hand_dense_spread {
    struct hand_dense dense; /* 24 of 32 bytes */
    char gap[8];
};

_Static_assert(sizeof(struct hand_particle) == 48, "int, double[3], char in 48 bytes");
_Static_assert(sizeof(struct hand_dense) == 24, "no gap between the fields");
_Static_assert(sizeof(struct hand_dense_spread) == 32, "a gap after the fields");

/* n structs; `start` points to the struct type of the loop's name. */
struct hand_structs {
    void *start;
    size_t n;
};
HAND_LOOPS(particles);
HAND_LOOPS(gappy);
HAND_LOOPS(dense);
HAND_LOOPS(dense_spread);

#endif
