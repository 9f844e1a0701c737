/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes that requests hold: one that the program frees meanwhile goes when the last of them
 * lets go. */
#ifndef BAMBOO_RT_TYPES_H
#define BAMBOO_RT_TYPES_H

#include <mpi.h>

void bamboo_type_hold(MPI_Datatype type);
void bamboo_type_release(MPI_Datatype type);

#endif
