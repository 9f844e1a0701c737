/* SPDX-License-Identifier: BSD-3-Clause */
/* The datatypes of all test programs, family by family. */
#include "types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_check.h"

enum { MOST_CASES = 96, MOST_PARTS = 256 };

struct types {
    type_case_t cases[MOST_CASES];
    int n;
    layout_t *parts[MOST_PARTS]; /* layouts that others are built of */
    int nparts;
    layout_t *chars, *bytes, *shorts, *ints, *longs, *floats, *doubles;
};

bool every_engine_is_right(void)
{
    return OMPI_MAJOR_VERSION < 5 || getenv("TEST_NATIVE_ENGINE") == NULL;
}

static bool has_mtl_ofi(void)
{
    return getenv("TEST_MTL_OFI") != NULL;
}

bool matched_receives_are_right(void)
{
    return !has_mtl_ofi();
}

bool truncated_messages_are_right(void)
{
    return !has_mtl_ofi();
}

bool requests_are_sent_right(const layout_t *l)
{
    return OMPI_MAJOR_VERSION >= 5 || !has_mtl_ofi() ||
           (l != NULL && (l->nruns == 0 || l->runs[0].offset == 0));
}

static layout_t *keep(types_t *t, layout_t *l)
{
    if (t->nparts == MOST_PARTS) {
        abort();
    }
    t->parts[t->nparts++] = l;
    return l;
}

static type_case_t *add(types_t *t, const char *name, layout_t *l)
{
    if (t->n == MOST_CASES) {
        abort();
    }
    lay_commit(l);
    t->cases[t->n] = (type_case_t){.name = name, .layout = l, .external = !OPEN_MPI_4_1_0};
    return &t->cases[t->n++];
}

static void add_vectors(types_t *t)
{
    add(t, "basic", lay_basic(MPI_DOUBLE, 8, 8));
    add(t, "contiguous", lay_contiguous(25, t->ints));
    add(t, "vector", lay_vector(20, 1, 3, t->doubles));
    add(t, "vector-3-of-bytes", lay_vector(30, 3, 7, t->chars));
    add(t, "vector-of-wide-blocks", lay_vector(5, 40, 64, t->ints));
    add(t, "vector-without-gaps", lay_vector(6, 4, 4, t->shorts));
    add(t, "vector-negative-stride", lay_vector(7, 2, -5, t->floats));
    if (every_engine_is_right()) {
        add(t, "hvector-odd-stride", lay_hvector(9, 2, 21, t->floats));
    }
    add(t, "hvector-negative-stride", lay_hvector(11, 3, -40, t->ints));
    add(t, "hvector-stride-0", lay_hvector(6, 2, 0, t->ints))->send_only = true;
    add(t, "vector-overlapping", lay_vector(5, 4, 3, t->shorts))->send_only = true;
    add(t, "vector-count-1", lay_vector(1, 5, 9, t->longs));
}

static void add_indexed(types_t *t)
{
    static const int lengths[] = {3, 0, 1, 7, 2, 0, 5};
    static const int up[] = {0, 4, 5, 8, 20, 23, 30};
    static const int shuffled[] = {30, 2, 0, 12, 25, 99, 5};
    static const MPI_Aint down[] = {400, 376, 304, 240, 120, 56, 0};
    static const MPI_Aint odd[] = {0, 13, 31, 67, 101, 130, 151};
    static const int even[] = {0, 3, 6, 9, 12};
    static const int uneven[] = {40, 0, 17, 8, 30};

    enum { LONG = 300 };
    static int far[LONG]; /* irregular, and each group of three goes down */
    uint64_t state = 1;
    for (int i = 0; i < LONG; i++) {
        far[i] = 4 * (i + 2 - 2 * (i % 3)) + (int) (random_next(&state) % 3);
    }

    add(t, "indexed", lay_indexed(7, lengths, up, t->ints));
    add(t, "indexed-shuffled", lay_indexed(7, lengths, shuffled, t->doubles));
    add(t, "hindexed-decreasing", lay_hindexed(7, lengths, down, t->doubles));
    add(t, "hindexed-odd-displacements", lay_hindexed(7, lengths, odd, t->shorts));
    add(t, "indexed-block-even", lay_indexed_block(5, 2, even, t->ints));
    add(t, "indexed-block-uneven", lay_indexed_block(5, 6, uneven, t->floats));
    add(t, "hindexed-block-1", lay_hindexed_block(7, 1, down, t->chars));
    add(t, "hindexed-block", lay_hindexed_block(7, 2, odd, t->floats));
    add(t, "indexed-block-long", lay_indexed_block(LONG, 1, far, t->ints));
}

static void add_structs(types_t *t)
{
    static const int one[] = {1, 1, 1, 1};
    static const int many[] = {3, 2, 5, 1};
    static const MPI_Aint gaps[] = {0, 8, 32, 56};
    static const MPI_Aint back[] = {200, 120, 64, 0};
    layout_t *mixed[] = {t->chars, t->doubles, t->ints, t->shorts};
    layout_t *parts[] = {keep(t, lay_vector(4, 1, 2, t->ints)), t->doubles,
                         keep(t, lay_contiguous(3, t->shorts)), t->bytes};
    static const MPI_Aint apart[] = {0, 96, 112, 203};

    add(t, "struct", lay_struct(4, one, gaps, mixed));
    add(t, "struct-of-blocks", lay_struct(4, many, gaps, mixed));
    add(t, "struct-decreasing", lay_struct(4, many, back, mixed));
    add(t, "struct-of-derived", lay_struct(4, many, apart, parts));
    add(t, "struct-absolute", lay_struct_absolute(4, many, gaps, mixed, TYPES_MAX_COUNT));
    add(t, "struct-absolute-of-derived",
        lay_struct_absolute(4, many, apart, parts, TYPES_MAX_COUNT));
}

static void add_subarrays(types_t *t)
{
    static const int sizes2[] = {9, 12}, sub2[] = {4, 5}, at2[] = {3, 2};
    static const int sizes3[] = {5, 7, 6}, sub3[] = {3, 2, 4}, at3[] = {1, 4, 2};
    static const int sizes4[] = {3, 4, 3, 5}, sub4[] = {2, 3, 1, 3}, at4[] = {1, 0, 2, 1};
    layout_t *columns = keep(t, lay_subarray(2, sizes2, sub2, at2, MPI_ORDER_C, t->ints));

    add(t, "subarray-2d-c", lay_subarray(2, sizes2, sub2, at2, MPI_ORDER_C, t->doubles));
    add(t, "subarray-2d-fortran", lay_subarray(2, sizes2, sub2, at2, MPI_ORDER_FORTRAN, t->floats));
    add(t, "subarray-3d-c", lay_subarray(3, sizes3, sub3, at3, MPI_ORDER_C, t->ints));
    add(t, "subarray-3d-fortran",
        lay_subarray(3, sizes3, sub3, at3, MPI_ORDER_FORTRAN, t->doubles));
    add(t, "subarray-4d-c", lay_subarray(4, sizes4, sub4, at4, MPI_ORDER_C, t->shorts));
    add(t, "subarray-whole",
        lay_subarray(2, sizes2, sizes2, (const int[]){0, 0}, MPI_ORDER_C, t->ints));
    add(t, "subarray-of-subarray",
        lay_subarray(2, (const int[]){3, 4}, (const int[]){2, 2}, (const int[]){0, 1}, MPI_ORDER_C,
                     columns));
}

static void add_darrays(types_t *t)
{
    static const int sizes[] = {10, 12, 5};
    static const int grid4[] = {2, 2, 1}, grid6[] = {2, 3, 1};
    static const int block[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE};
    static const int cyclic[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
    static const int mixed[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE};
    static const int plain[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG,
                                MPI_DISTRIBUTE_DFLT_DARG};
    static const int by_k[] = {3, 2, MPI_DISTRIBUTE_DFLT_DARG};
    static const int by_4[] = {2, 4, MPI_DISTRIBUTE_DFLT_DARG};

    add(t, "darray-block-c-0",
        lay_darray(4, 0, 3, sizes, block, plain, grid4, MPI_ORDER_C, t->doubles));
    add(t, "darray-block-c-3",
        lay_darray(4, 3, 2, sizes, block, plain, grid4, MPI_ORDER_C, t->ints));
    add(t, "darray-block-fortran-2",
        lay_darray(4, 2, 3, sizes, block, plain, grid4, MPI_ORDER_FORTRAN, t->ints));
    add(t, "darray-cyclic-c-1",
        lay_darray(4, 1, 2, sizes, cyclic, plain, grid4, MPI_ORDER_C, t->doubles));
    add(t, "darray-cyclic-k-c-2",
        lay_darray(6, 2, 2, sizes, cyclic, by_k, grid6, MPI_ORDER_C, t->floats));
    add(t, "darray-cyclic-k-fortran-5",
        lay_darray(6, 5, 3, sizes, cyclic, by_k, grid6, MPI_ORDER_FORTRAN, t->ints));
    add(t, "darray-mixed-c-4",
        lay_darray(6, 4, 3, sizes, mixed, by_4, grid6, MPI_ORDER_C, t->shorts));
}

static void add_resized(types_t *t)
{
    static const int lengths[] = {2, 1};
    static const MPI_Aint at[] = {0, 48};
    layout_t *vector = keep(t, lay_vector(3, 1, 2, t->ints));
    layout_t *column = keep(t, lay_vector(8, 1, 40, t->doubles));
    layout_t *narrow = keep(t, lay_resized(column, 0, 8));
    layout_t *wide = keep(t, lay_resized(t->doubles, 0, 24));
    layout_t *holey = keep(t, lay_struct(2, lengths, at, (layout_t *[]){t->ints, t->chars}));

    add(t, "resized-larger", lay_resized(vector, 0, 64));
    add(t, "resized-negative-lb", lay_resized(vector, -12, 40));
    add(t, "resized-positive-lb", lay_resized(vector, 4, 32));
    add(t, "resized-negative-extent", lay_resized(vector, 0, -24));
    add(t, "resized-column", lay_resized(column, 0, 8));
    add(t, "contiguous-with-gaps", lay_resized(t->doubles, 0, 24));
    add(t, "contiguous-of-gaps", lay_contiguous(7, wide));
    add(t, "transpose", lay_resized(keep(t, lay_contiguous(6, narrow)), 0, 8 * 40 * 8));
    add(t, "contiguous-of-structs", lay_contiguous(9, holey));
    add(t, "interleaved-elements", lay_resized(keep(t, lay_vector(40, 1, 40, t->ints)), 0, 4));
}

static void add_nested(types_t *t)
{
    static const int disps[] = {0, 3, 4, 9};
    static const int lengths[] = {2, 1, 3};
    static const int where[] = {7, 0, 11};
    layout_t *v1 = keep(t, lay_vector(3, 2, 3, t->shorts));
    layout_t *v2 = keep(t, lay_hvector(4, 1, 40, v1));
    layout_t *v3 = keep(t, lay_vector(2, 2, 3, v2));
    layout_t *b1 = keep(t, lay_indexed_block(4, 1, disps, t->doubles));
    layout_t *b2 = keep(t, lay_indexed(3, lengths, where, b1));
    layout_t *r2 = keep(t, lay_resized(b2, -16, lay_extent(b2) + 32));
    layout_t *s3 = keep(t, lay_struct(3, lengths, (const MPI_Aint[]){4096, 0, 20000},
                                      (layout_t *[]){r2, v2, t->ints}));

    add(t, "nested-2-vectors", lay_dup(v2));
    add(t, "nested-3-vectors", lay_dup(v3));
    add(t, "nested-indexed", lay_dup(b2));
    add(t, "nested-resized-indexed", lay_vector(2, 1, 2, r2));
    add(t, "nested-4-levels", lay_hvector(2, 1, 40000, s3));
    add(t, "dup", lay_dup(keep(t, lay_vector(5, 1, 4, t->ints))));
    add(t, "dup-of-basic", lay_dup(t->doubles));
}

static void add_odd_elements(types_t *t)
{
    layout_t *double_int = keep(t, lay_pair(MPI_DOUBLE_INT, MPI_DOUBLE, 8));
    layout_t *short_int = keep(t, lay_pair(MPI_SHORT_INT, MPI_SHORT, 2));
    layout_t *long_int = keep(t, lay_pair(MPI_LONG_INT, MPI_LONG, 8));
    layout_t *two_int = keep(t, lay_pair(MPI_2INT, MPI_INT, 4));
    layout_t *quad = keep(t, lay_basic(MPI_LONG_DOUBLE, 16, 16));
    layout_t *cfloat = keep(t, lay_basic(MPI_C_FLOAT_COMPLEX, 8, 4));
    layout_t *cdouble = keep(t, lay_basic(MPI_C_DOUBLE_COMPLEX, 16, 8));
    layout_t *truth = keep(t, lay_basic(MPI_C_BOOL, 1, 1));
    static const int lengths[] = {2, 1, 3};
    static const int disps[] = {4, 0, 9};

    add(t, "pair-double-int", lay_dup(double_int))->external = false;
    add(t, "vector-of-double-int", lay_vector(6, 2, 3, double_int))->external = false;
    add(t, "indexed-of-short-int", lay_indexed(3, lengths, disps, short_int))->external = false;
    add(t, "struct-of-long-int",
        lay_struct(3, lengths, (const MPI_Aint[]){0, 48, 112},
                   (layout_t *[]){long_int, short_int, double_int}))
        ->external = false;
    add(t, "vector-of-2int", lay_vector(5, 1, 2, two_int))->external = false;
    if (every_engine_is_right()) {
        add(t, "vector-of-long-double", lay_vector(5, 1, 2, quad))->external = false;
    }
    add(t, "vector-of-float-complex", lay_vector(5, 3, 4, cfloat))->external = false;
    add(t, "indexed-of-double-complex", lay_indexed(3, lengths, disps, cdouble))->external = false;
    if (every_engine_is_right()) {
        add(t, "hvector-of-float-complex", lay_hvector(6, 2, 20, cfloat))->external = false;
        add(t, "double-complex-with-gaps", lay_hvector(7, 1, 24, cdouble))->external = false;
    }
    add(t, "vector-of-bool", lay_vector(17, 1, 2, truth))->external = false;
}

static void add_fortran(types_t *t)
{
    MPI_Datatype real, complex, integer;
    layout_t *f_int = keep(t, lay_basic(MPI_INTEGER, 4, 4));
    layout_t *f_real = keep(t, lay_basic(MPI_REAL, 4, 4));
    layout_t *f_complex = keep(t, lay_basic(MPI_COMPLEX, 8, 4));
    layout_t *f_double = keep(t, lay_basic(MPI_DOUBLE_PRECISION, 8, 8));
    layout_t *f_logical = keep(t, lay_basic(MPI_LOGICAL, 4, 4));
    layout_t *f_char = keep(t, lay_basic(MPI_CHARACTER, 1, 1));

    MPI_Type_create_f90_real(15, 307, &real);
    MPI_Type_create_f90_complex(6, 37, &complex);
    MPI_Type_create_f90_integer(9, &integer);
    layout_t *f90_real = keep(t, lay_basic(real, 8, 8));
    layout_t *f90_complex = keep(t, lay_basic(complex, 8, 4));
    layout_t *f90_integer = keep(t, lay_basic(integer, 4, 4));

    add(t, "fortran-vector-integer", lay_vector(9, 1, 2, f_int))->external = false;
    add(t, "fortran-struct",
        lay_struct(5, (const int[]){2, 1, 3, 1, 5}, (const MPI_Aint[]){0, 16, 32, 72, 88},
                   (layout_t *[]){f_real, f_complex, f_double, f_logical, f_char}))
        ->external = false;
    add(t, "fortran-f90",
        lay_struct(3, (const int[]){2, 2, 3}, (const MPI_Aint[]){0, 32, 64},
                   (layout_t *[]){f90_real, f90_complex, f90_integer}))
        ->external = false;
}

static void add_empty(types_t *t)
{
    static const int none[] = {0, 0, 0};
    static const int some[] = {0, 2, 0};
    static const int disps[] = {5, 1, 9};
    static const MPI_Aint at[] = {0, 16, 64};
    layout_t *nothing = keep(t, lay_contiguous(0, t->ints));
    layout_t *hole = keep(t, lay_resized(nothing, 0, 24));
    layout_t *olds[] = {t->doubles, hole, t->ints};

    add(t, "empty-contiguous", lay_contiguous(0, t->ints));
    add(t, "empty-indexed", lay_indexed(3, none, disps, t->ints));
    add(t, "empty-struct", lay_struct(0, none, at, olds));
    add(t, "empty-resized", lay_resized(nothing, 0, 24));
    add(t, "empty-blocks", lay_indexed(3, some, disps, t->doubles));
    add(t, "empty-child", lay_struct(3, (const int[]){1, 2, 3}, at, olds));
}

types_t *types_new(void)
{
    types_t *t = must_calloc(1, sizeof(*t));

    t->chars = keep(t, lay_basic(MPI_CHAR, 1, 1));
    t->bytes = keep(t, lay_basic(MPI_BYTE, 1, 1));
    t->shorts = keep(t, lay_basic(MPI_SHORT, 2, 2));
    t->ints = keep(t, lay_basic(MPI_INT, 4, 4));
    t->longs = keep(t, lay_basic(MPI_INT64_T, 8, 8));
    t->floats = keep(t, lay_basic(MPI_FLOAT, 4, 4));
    t->doubles = keep(t, lay_basic(MPI_DOUBLE, 8, 8));
    add_vectors(t);
    add_indexed(t);
    add_structs(t);
    add_subarrays(t);
    add_darrays(t);
    add_resized(t);
    add_nested(t);
    add_odd_elements(t);
    add_fortran(t);
    add_empty(t);
    for (int i = 0; i < t->nparts; i++) { /* a committed type needs none of its parts */
        layout_t *l = t->parts[i];
        if (!l->predefined) {
            MPI_Type_free(&l->type);
            lay_release(l);
        }
    }
    return t;
}

void types_free(types_t *t)
{
    for (int i = 0; i < t->n; i++) {
        lay_free(t->cases[i].layout);
    }
    for (int i = 0; i < t->nparts; i++) {
        lay_free(t->parts[i]);
    }
    free(t);
}

int types_count(const types_t *t)
{
    return t->n;
}

const type_case_t *types_at(const types_t *t, int i)
{
    return &t->cases[i];
}

const type_case_t *types_find(const types_t *t, const char *name)
{
    for (int i = 0; i < t->n; i++) {
        if (strcmp(t->cases[i].name, name) == 0) {
            return &t->cases[i];
        }
    }
    fprintf(stderr, "no type %s in the set\n", name);
    abort();
}
