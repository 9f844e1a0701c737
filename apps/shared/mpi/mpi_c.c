/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI's functions in C. In a process of another MPI than this library's, they must hand on handles
 * of any size: such as are passed by value are as wide as a pointer. Hence functions with names and
 * prototypes of their own, which only the linker knows by MPI's names.
 */
#include "intercept.h"
#include "real.h"

#ifdef OPEN_MPI
#define WIDE(handle) handle
#else
#define WIDE(handle) uintptr_t
#endif

#define C_IN         const void *
#define C_OUT        void *
#define C_COUNT      int
#define C_TYPE       WIDE(MPI_Datatype)
#define C_PEER       int
#define C_TAG        int
#define C_SENT_COUNT int
#define C_SENT_TYPE  WIDE(MPI_Datatype)
#define C_SENT_PEER  int
#define C_SENT_TAG   int
#define C_COMM       WIDE(MPI_Comm)
#define C_FREED_COMM MPI_Comm *
#define C_NEW_COMM   MPI_Comm *
#define C_REQUEST    MPI_Request *
#define C_N          int
#define C_REQUESTS   MPI_Request *
#define C_INDEX      int *
#define C_DONE       int *
#define C_INDICES    int *
#define C_FLAG       int *
#define C_STATUS     MPI_Status *
#define C_STATUSES   MPI_Status *
#define C_MESSAGE    MPI_Message *
#define C_ROOT       int
#define C_OP         WIDE(MPI_Op)
#define C_GROUP      WIDE(MPI_Group)
#define C_WIN        WIDE(MPI_Win)
#define C_FILE       WIDE(MPI_File)
#define C_OFFSET     MPI_Offset
#define C_INT        int
#define C_INTS       const int *
#define C_PLACES     const MPI_Aint *
#define C_TYPES      const MPI_Datatype *

#define DECLARED(role, argument) C_##role argument
#define NUMBER
#define HANDLE
#define POINTEE *

#define FUNCTION(kind_, name, declaration, fields, arguments)                                      \
    PUBLIC int wide_##name declaration __asm__("MPI_" #name);                                      \
    int wide_##name declaration                                                                    \
    {                                                                                              \
        mpi_call_t call = {.function = "MPI_" #name, .kind = KIND_##kind_, .pc = PC};              \
        fields;                                                                                    \
        intercept_enter(&call);                                                                    \
        int code = REAL_AS(__typeof__(&wide_##name), "MPI_" #name) arguments;                      \
        intercept_leave(&call, code);                                                              \
        return code;                                                                               \
    }
#define CALL(kind, task, name, fortran, ...)                                                       \
    FUNCTION(kind, name, (EACH(DECLARED, __VA_ARGS__)), (EACH(FIELD, __VA_ARGS__)),                \
             (EACH(PASS, __VA_ARGS__)))
#define LOCAL(kind, task, name)
#include "mpi.def"

FUNCTION(INIT, Init, (int *argc, char ***argv), , (argc, argv))
FUNCTION(INIT, Init_thread, (int *argc, char ***argv, int required, int *provided), ,
         (argc, argv, required, provided))
FUNCTION(FINALIZE, Finalize, (void), , ())
