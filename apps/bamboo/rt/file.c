/* SPDX-License-Identifier: BSD-3-Clause */
/* Files: every task opens the file for itself, and MPI's other functions work on what it opened. */
#include "calls.h"
#include "comm.h"

/* Rank 0 is the first, so that it creates the file and the others find it. */
int bamboo_mpi_file_open(bamboo_comm_t *comm, const char *name, int mode, MPI_Info info,
                         MPI_File *file)
{
    int me, result = MPI_SUCCESS;
    bamboo_mpi_comm_rank(comm, &me);
    bamboo_enter("MPI_File_open");
    bamboo_current->collective++;
    if (me == 0) {
        result = MPI_File_open(MPI_COMM_SELF, name, mode, info, file);
    }
    bamboo_mpi_bcast(&result, 1, MPI_INT, 0, comm);
    if (me != 0 && result == MPI_SUCCESS) {
        result = MPI_File_open(MPI_COMM_SELF, name, mode & ~MPI_MODE_EXCL, info, file);
    }
    bamboo_current->collective--;
    return result;
}
