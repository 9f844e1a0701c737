/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "mpi.h"

static dame_tree_t *tree;

static void must(dame_status_t status)
{
    if (status != DAME_OK) {
        fprintf(stderr, "judge: a datatype of a layout: %s\n", dame_status_text(status));
        exit(EXIT_FAILURE);
    }
}

static dame_tree_t *types(void)
{
    if (!tree) {
        tree = dame_tree_new();
        must(tree ? DAME_OK : DAME_ERR_NOMEM);
    }
    return tree;
}

/* The numbers, multiplied by `unit`, in memory that lives as long as the types. */
static int64_t *list(int n, const int *from, int64_t unit)
{
    int64_t *numbers = dame_tree_array(types(), n);
    must(numbers ? DAME_OK : DAME_ERR_NOMEM);
    for (int i = 0; i < n; i++) {
        numbers[i] = from[i] * unit;
    }
    return numbers;
}

void judge_forget_types(void)
{
    dame_tree_free(tree);
    tree = NULL;
}

MPI_Datatype judge_basic(int size)
{
    MPI_Datatype type = NULL;
    must(dame_type_basic(types(), size, &type));
    return type;
}

int MPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype *type)
{
    must(dame_type_contig(types(), count, old, type));
    return 0;
}

int MPI_Type_vector(int count, int blklen, int stride, MPI_Datatype old, MPI_Datatype *type)
{
    return MPI_Type_create_hvector(count, blklen, stride * old->extent, old, type);
}

int MPI_Type_create_hvector(int count, int blklen, MPI_Aint stride, MPI_Datatype old,
                            MPI_Datatype *type)
{
    must(dame_type_vector(types(), count, blklen, stride, old, type));
    return 0;
}

int MPI_Type_indexed(int count, const int *blklens, const int *disps, MPI_Datatype old,
                     MPI_Datatype *type)
{
    must(dame_type_index(types(), count, list(count, blklens, 1), list(count, disps, old->extent),
                         old, type));
    return 0;
}

int MPI_Type_create_indexed_block(int count, int blklen, const int *disps, MPI_Datatype old,
                                  MPI_Datatype *type)
{
    must(dame_type_blockindex(types(), count, blklen, list(count, disps, old->extent), old, type));
    return 0;
}

int MPI_Type_create_struct(int count, const int *blklens, const MPI_Aint *disps,
                           const MPI_Datatype *old, MPI_Datatype *type)
{
    int64_t *places = dame_tree_array(types(), count);
    const dame_type_t **children = dame_tree_types(types(), count);
    must(places && children ? DAME_OK : DAME_ERR_NOMEM);
    for (int i = 0; i < count; i++) {
        places[i] = disps[i];
        children[i] = old[i];
    }
    must(dame_type_struct(types(), count, list(count, blklens, 1), places, children, type));
    return 0;
}

/* In C order the last dimension is the fastest. */
int MPI_Type_create_subarray(int dims, const int *sizes, const int *subsizes, const int *starts,
                             int order, MPI_Datatype old, MPI_Datatype *type)
{
    int64_t stride = old->extent;
    int64_t start = 0;
    MPI_Datatype box = old;
    (void) order;
    for (int d = dims; d-- > 0;) {
        MPI_Type_create_hvector(subsizes[d], 1, stride, box, &box);
        start += starts[d] * stride;
        stride *= sizes[d];
    }
    const int one = 1;
    const MPI_Aint at = start;
    MPI_Type_create_struct(1, &one, &at, &box, &box);
    return MPI_Type_create_resized(box, 0, stride, type);
}

int MPI_Type_create_resized(MPI_Datatype old, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *type)
{
    must(dame_type_resized(types(), lb, extent, old, type));
    return 0;
}

int MPI_Type_commit(MPI_Datatype *type)
{
    (void) type;
    return 0;
}

int MPI_Type_free(MPI_Datatype *type)
{
    *type = NULL;
    return 0;
}

int MPI_Get_address(const void *location, MPI_Aint *address)
{
    *address = (MPI_Aint) location;
    return 0;
}

MPI_Aint MPI_Aint_diff(MPI_Aint a, MPI_Aint b)
{
    return a - b;
}

int MPI_Abort(MPI_Comm comm, int code)
{
    (void) comm;
    exit(code);
}
