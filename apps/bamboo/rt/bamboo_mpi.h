/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI's names, for code that bamboocc wrote: they mean tasks. Comes before every other header, so
 * that headers of the program that use MPI_Comm or MPI_Request mean the same. */
#ifndef BAMBOO_RT_BAMBOO_MPI_H
#define BAMBOO_RT_BAMBOO_MPI_H

#include "bamboo.h"

#undef MPI_COMM_WORLD
#undef MPI_COMM_SELF
#undef MPI_COMM_NULL
#undef MPI_REQUEST_NULL
typedef bamboo_comm_t *bamboo_comm_handle_t;
typedef bamboo_request_t *bamboo_request_handle_t;
#define MPI_Comm         bamboo_comm_handle_t
#define MPI_Request      bamboo_request_handle_t
#define MPI_COMM_WORLD   bamboo_comm_world
#define MPI_COMM_SELF    bamboo_comm_self()
#define MPI_COMM_NULL    ((bamboo_comm_t *) 0)
#define MPI_REQUEST_NULL ((bamboo_request_t *) 0)

/* Calls that do not wait name their place themselves; the others do so in BAMBOO_AWAIT. */
#define BAMBOO_HERE(function) (bamboo_at(__FILE__, __LINE__), function)

#define MPI_Send         bamboo_mpi_send
#define MPI_Ssend        bamboo_mpi_ssend
#define MPI_Recv         bamboo_mpi_recv
#define MPI_Sendrecv     bamboo_mpi_sendrecv
#define MPI_Wait         bamboo_mpi_wait
#define MPI_Waitall      bamboo_mpi_waitall
#define MPI_Waitany      bamboo_mpi_waitany
#define MPI_Waitsome     bamboo_mpi_waitsome
#define MPI_Test         bamboo_mpi_test
#define MPI_Testall      bamboo_mpi_testall
#define MPI_Testany      bamboo_mpi_testany
#define MPI_Testsome     bamboo_mpi_testsome
#define MPI_Probe        bamboo_mpi_probe
#define MPI_Iprobe       bamboo_mpi_iprobe
#define MPI_Barrier      bamboo_mpi_barrier
#define MPI_Bcast        bamboo_mpi_bcast
#define MPI_Reduce       bamboo_mpi_reduce
#define MPI_Allreduce    bamboo_mpi_allreduce
#define MPI_Comm_dup     bamboo_mpi_comm_dup
#define MPI_Comm_split   bamboo_mpi_comm_split
#define MPI_Init         bamboo_mpi_init
#define MPI_Init_thread  bamboo_mpi_init_thread
#define MPI_Initialized  bamboo_mpi_initialized
#define MPI_Finalize     bamboo_mpi_finalize
#define MPI_Finalized    bamboo_mpi_finalized
#define MPI_Abort        bamboo_mpi_abort
#define MPI_Wtime        bamboo_mpi_wtime
#define MPI_Comm_rank    BAMBOO_HERE(bamboo_mpi_comm_rank)
#define MPI_Comm_size    BAMBOO_HERE(bamboo_mpi_comm_size)
#define MPI_Comm_free    BAMBOO_HERE(bamboo_mpi_comm_free)
#define MPI_Isend        BAMBOO_HERE(bamboo_mpi_isend)
#define MPI_Issend       BAMBOO_HERE(bamboo_mpi_issend)
#define MPI_Irecv        BAMBOO_HERE(bamboo_mpi_irecv)
#define MPI_Send_init    BAMBOO_HERE(bamboo_mpi_send_init)
#define MPI_Ssend_init   BAMBOO_HERE(bamboo_mpi_ssend_init)
#define MPI_Recv_init    BAMBOO_HERE(bamboo_mpi_recv_init)
#define MPI_Start        BAMBOO_HERE(bamboo_mpi_start)
#define MPI_Startall     BAMBOO_HERE(bamboo_mpi_startall)
#define MPI_Request_free BAMBOO_HERE(bamboo_mpi_request_free)
#define MPI_Pack         bamboo_mpi_pack
#define MPI_Unpack       bamboo_mpi_unpack
#define MPI_Pack_size    bamboo_mpi_pack_size
#define MPI_Type_free    bamboo_mpi_type_free

#endif
