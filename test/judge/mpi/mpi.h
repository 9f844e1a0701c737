/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * As much of MPI's interface as bench/layouts*.c use, for the judge, which needs no MPI: datatypes
 * are type trees, one tree for all of them.
 */
#ifndef JUDGE_MPI_H
#define JUDGE_MPI_H

#include <stdint.h>

#include "dame/type.h"

typedef intptr_t MPI_Aint;
typedef const dame_type_t *MPI_Datatype;
typedef int MPI_Comm;

#define MPI_BOTTOM     ((void *) 0)
#define MPI_COMM_WORLD 0
#define MPI_ORDER_C    0

/* Basic types, made when they are asked for. */
MPI_Datatype judge_basic(int size);
#define MPI_CHAR    judge_basic(1)
#define MPI_BYTE    judge_basic(1)
#define MPI_SHORT   judge_basic(2)
#define MPI_INT     judge_basic(4)
#define MPI_FLOAT   judge_basic(4)
#define MPI_DOUBLE  judge_basic(8)
#define MPI_INT64_T judge_basic(8)

/* Errors end the program. */
int MPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_vector(int count, int blklen, int stride, MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_create_hvector(int count, int blklen, MPI_Aint stride, MPI_Datatype old,
                            MPI_Datatype *type);
int MPI_Type_indexed(int count, const int *blklens, const int *disps, MPI_Datatype old,
                     MPI_Datatype *type);
int MPI_Type_create_indexed_block(int count, int blklen, const int *disps, MPI_Datatype old,
                                  MPI_Datatype *type);
int MPI_Type_create_struct(int count, const int *blklens, const MPI_Aint *disps,
                           const MPI_Datatype *types, MPI_Datatype *type);
int MPI_Type_create_subarray(int dims, const int *sizes, const int *subsizes, const int *starts,
                             int order, MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_create_resized(MPI_Datatype old, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *type);
int MPI_Type_commit(MPI_Datatype *type);
int MPI_Type_free(MPI_Datatype *type);
int MPI_Get_address(const void *location, MPI_Aint *address);
MPI_Aint MPI_Aint_diff(MPI_Aint a, MPI_Aint b);
_Noreturn int MPI_Abort(MPI_Comm comm, int code);

/* Forgets all types. */
void judge_forget_types(void);

#endif
