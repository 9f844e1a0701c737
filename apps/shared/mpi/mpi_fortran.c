/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI's functions in Fortran: mpif.h and the module mpi, which call mpi_send_(), and with Open MPI
 * the module mpi_f08, which calls mpi_send_f08_() with the same arguments. They do not call
 * MPI_Send but PMPI_Send, so that the functions for C would not see them. All arguments are
 * addresses. Behind those of C comes the error code, which a caller in mpi_f08 may leave out.
 */
#include <stddef.h>

#include "intercept.h"
#include "real.h"

#define DECLARED(role, argument) void *argument
#define NUMBER                   *(const MPI_Fint *)
#define HANDLE                   *(const MPI_Fint *)
#define POINTEE                  *(const MPI_Fint *)

/* The error code is the last parameter, a1. */
#define BINDING(binding, kind_, text, declaration, fields, arguments)                              \
    PUBLIC void binding declaration;                                                               \
    void binding declaration                                                                       \
    {                                                                                              \
        mpi_call_t call = {.function = text, .kind = KIND_##kind_, .fortran = true, .pc = PC};     \
        fields;                                                                                    \
        intercept_enter(&call);                                                                    \
        REAL(binding) arguments;                                                                   \
        intercept_leave(&call, a1 == NULL ? MPI_SUCCESS : *(const MPI_Fint *) a1);                 \
    }
#define BOTH(name, ...)                                                                            \
    BINDING(mpi_##name##_, __VA_ARGS__)                                                            \
    BINDING(mpi_##name##_f08_, __VA_ARGS__)

#define CALL(kind, task, name, fortran, ...)                                                       \
    BOTH(fortran, kind, "MPI_" #name, (EACH(DECLARED, __VA_ARGS__, ERROR)),                        \
         (EACH(FIELD, __VA_ARGS__, ERROR)), (EACH(PASS, __VA_ARGS__, ERROR)))
#define LOCAL(kind, task, name)
#include "mpi.def"

BOTH(init, INIT, "MPI_Init", (void *a1), , (a1))
BOTH(init_thread, INIT, "MPI_Init_thread", (void *a3, void *a2, void *a1), , (a3, a2, a1))
BOTH(finalize, FINALIZE, "MPI_Finalize", (void *a1), , (a1))
