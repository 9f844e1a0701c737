/* SPDX-License-Identifier: BSD-3-Clause */
/* A profiling library, to be preloaded: counts the program's calls of MPI_Pack and MPI_Unpack. */
#include <mpi.h>

extern int wrapper_calls;
int wrapper_calls;

int MPI_Pack(const void *inbuf, int incount, MPI_Datatype type, void *outbuf, int outsize,
             int *position, MPI_Comm comm)
{
    wrapper_calls++;
    return PMPI_Pack(inbuf, incount, type, outbuf, outsize, position, comm);
}

int MPI_Unpack(const void *inbuf, int insize, int *position, void *outbuf, int outcount,
               MPI_Datatype type, MPI_Comm comm)
{
    wrapper_calls++;
    return PMPI_Unpack(inbuf, insize, position, outbuf, outcount, type, comm);
}
