/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions behind the library's own: those of the next object that has them, which is MPI, or
 * another tool for its profiling interface. A library that is not linked with MPI can be preloaded
 * into any process; predefined handles are looked up, too.
 */
#ifndef APPS_MPI_REAL_H
#define APPS_MPI_REAL_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* The address of a function: MPI_NAME or mpi_name_. Ends the process, after a message, when no
 * object has it, since somebody has just called it. */
void *real_symbol(const char *name);

/* The same for anything; NULL. */
void *real_find(const char *name);

/* The real function of a name, as a pointer of a type; REAL(MPI_Send) is the real MPI_Send. */
#define REAL_AS(type, name)                                                                        \
    ((type) (__extension__({                                                                       \
        static _Atomic(void *) cached_;                                                            \
        void *found_ = atomic_load_explicit(&cached_, memory_order_relaxed);                       \
        if (found_ == NULL) {                                                                      \
            found_ = real_symbol(name);                                                            \
            atomic_store_explicit(&cached_, found_, memory_order_relaxed);                         \
        }                                                                                          \
        found_;                                                                                    \
    })))
#define REAL(function) REAL_AS(__typeof__(&function), #function)

/* false, and the name of the process's MPI in `library`: it is not the one this was compiled for.
 * Handles must not be used then. */
bool real_is_ours(char *library, size_t room);

MPI_Comm real_world(void);
MPI_Comm real_self(void);
MPI_Comm real_comm_null(void);
MPI_Datatype real_byte(void);

/* Fortran's handles. Some MPIs have macros for these. */
MPI_Comm real_comm(MPI_Fint handle);
MPI_Datatype real_type(MPI_Fint handle);
MPI_Request real_request(MPI_Fint handle);

#endif
