/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes from records, by every constructor of MPI. */
#include <stdlib.h>

#include "play.h"

MPI_Datatype basic_type(int basic)
{
    switch (basic) {
    case 0:
        return MPI_BYTE;
    case 1:
        return MPI_SIGNED_CHAR;
    case 2:
        return MPI_SHORT;
    case 3:
        return MPI_INT;
    case 4:
        return MPI_FLOAT;
    case 5:
        return MPI_INT64_T;
    case 6:
        return MPI_DOUBLE;
    default:
        return MPI_C_DOUBLE_COMPLEX;
    }
}

int basic_size(int basic)
{
    static const int sizes[] = {1, 1, 2, 4, 4, 8, 8, 16};
    return sizes[basic];
}

int basic_unit(int basic)
{
    return basic_size(basic) < 8 ? basic_size(basic) : 8;
}

static int *ints(const int64_t *words, int64_t n)
{
    int *out = must(malloc(((size_t) n + 1) * sizeof *out));
    for (int64_t i = 0; i < n; i++) {
        out[i] = (int) words[i];
    }
    return out;
}

static MPI_Aint *aints(const int64_t *words, int64_t n)
{
    MPI_Aint *out = must(malloc(((size_t) n + 1) * sizeof *out));
    for (int64_t i = 0; i < n; i++) {
        out[i] = (MPI_Aint) words[i];
    }
    return out;
}

/* Lists of blocks of one child: w[1] blocks. */
static MPI_Datatype of_blocks(int64_t combiner, const int64_t *w, MPI_Datatype child)
{
    const int64_t n = w[1];
    const bool lengths = combiner == INDEXED || combiner == HINDEXED;
    const int64_t *places = lengths ? w + 2 + n : w + 3;
    int *blocks = ints(w + 2, lengths ? n : 1), *elements = ints(places, n);
    MPI_Aint *bytes = aints(places, n);
    MPI_Datatype type = MPI_DATATYPE_NULL;

    switch (combiner) {
    case INDEXED:
        MPI_Type_indexed((int) n, blocks, elements, child, &type);
        break;
    case HINDEXED:
        MPI_Type_create_hindexed((int) n, blocks, bytes, child, &type);
        break;
    case INDEXED_BLOCK:
        MPI_Type_create_indexed_block((int) n, blocks[0], elements, child, &type);
        break;
    default:
        MPI_Type_create_hindexed_block((int) n, blocks[0], bytes, child, &type);
        break;
    }
    free(blocks);
    free(elements);
    free(bytes);
    return type;
}

static MPI_Datatype of_members(const int64_t *w, const MPI_Datatype *made)
{
    const int64_t n = w[0];
    MPI_Datatype *children = must(malloc(((size_t) n + 1) * sizeof(MPI_Datatype)));
    int *lengths = ints(w + 1, n);
    MPI_Aint *places = aints(w + 1 + n, n);
    MPI_Datatype type = MPI_DATATYPE_NULL;

    for (int64_t i = 0; i < n; i++) {
        children[i] = made[w[1 + 2 * n + i]];
    }
    MPI_Type_create_struct((int) n, lengths, places, children, &type);
    free(children);
    free(lengths);
    free(places);
    return type;
}

static MPI_Datatype of_array(int64_t combiner, const int64_t *w, MPI_Datatype child)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;

    if (combiner == SUBARRAY) {
        const int n = (int) w[1];
        int *sizes = ints(w + 3, 3 * n);
        MPI_Type_create_subarray(n, sizes, sizes + n, sizes + 2 * n,
                                 w[2] ? MPI_ORDER_FORTRAN : MPI_ORDER_C, child, &type);
        free(sizes);
    } else {
        int elements = (int) w[3], distribution = MPI_DISTRIBUTE_CYCLIC, block = (int) w[4],
            processes = (int) w[1];
        MPI_Type_create_darray(processes, (int) w[2], 1, &elements, &distribution, &block,
                               &processes, MPI_ORDER_C, child, &type);
    }
    return type;
}

MPI_Datatype type_of_record(const int64_t *record, const MPI_Datatype *made)
{
    const int64_t *w = record + 2;
    MPI_Datatype type = MPI_DATATYPE_NULL;

    switch (record[0]) {
    case BASIC:
        MPI_Type_dup(basic_type((int) w[0]), &type);
        break;
    case DUP:
        MPI_Type_dup(made[w[0]], &type);
        break;
    case CONTIGUOUS:
        MPI_Type_contiguous((int) w[1], made[w[0]], &type);
        break;
    case VECTOR:
        MPI_Type_vector((int) w[1], (int) w[2], (int) w[3], made[w[0]], &type);
        break;
    case HVECTOR:
        MPI_Type_create_hvector((int) w[1], (int) w[2], (MPI_Aint) w[3], made[w[0]], &type);
        break;
    case STRUCT:
        return of_members(w, made);
    case SUBARRAY:
    case DARRAY:
        return of_array(record[0], w, made[w[0]]);
    case RESIZED:
        MPI_Type_create_resized(made[w[0]], (MPI_Aint) w[1], (MPI_Aint) w[2], &type);
        break;
    default:
        return of_blocks(record[0], w, made[w[0]]);
    }
    return type;
}

MPI_Datatype *datatypes_of_records(const shape_t *shape, int64_t *n)
{
    MPI_Datatype *made = must(malloc((size_t) shape->nrecipe * sizeof *made));

    *n = 0;
    for (int64_t at = 0; at < shape->nrecipe; at += 2 + shape->recipe[at + 1]) {
        made[*n] = type_of_record(shape->recipe + at, made);
        ++*n;
    }
    return made;
}

MPI_Datatype datatype_made(const shape_t *shape)
{
    int64_t n;
    MPI_Datatype *made = datatypes_of_records(shape, &n), type = made[--n];

    while (n > 0) {
        MPI_Type_free(&made[--n]);
    }
    free(made);
    MPI_Type_commit(&type);
    return type;
}
