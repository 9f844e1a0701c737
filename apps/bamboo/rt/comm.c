/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators of tasks: each task has its own objects. The context of a message tells them apart.
 */
#include <stdlib.h>

#include "comm.h"
#include "place.h"

static struct bamboo_comm world;
bamboo_comm_t *const bamboo_comm_world = &world;
enum { WORLD = 0, SELF = 1 };

void bamboo_comm_start(void)
{
    world.context = WORLD;
    world.size = bamboo_world_size;
    world.world = bamboo_allocate((size_t) bamboo_world_size * sizeof(int));
    for (int rank = 0; rank < bamboo_world_size; rank++) {
        world.world[rank] = rank;
    }
}

void bamboo_comm_stop(void)
{
    free(world.world);
    world.world = NULL;
}

int bamboo_comm_rank(const bamboo_comm_t *comm, int world_rank)
{
    return comm->rank_of == NULL ? world_rank : comm->rank_of[world_rank];
}

bamboo_comm_t *bamboo_comm_new(int context, int size, int *of)
{
    bamboo_comm_t *comm = bamboo_allocate(sizeof(*comm));
    bamboo_task_t *task = bamboo_current;
    *comm = (bamboo_comm_t){
        .context = context, .size = size, .world = of, .owner = task, .next = task->comms};
    comm->rank_of = bamboo_allocate((size_t) bamboo_world_size * sizeof(int));
    for (int rank = 0; rank < bamboo_world_size; rank++) {
        comm->rank_of[rank] = -1;
    }
    for (int rank = 0; rank < size; rank++) {
        comm->rank_of[of[rank]] = rank;
    }
    task->comms = comm;
    task->contexts |= 1u << context;
    return comm;
}

bamboo_comm_t *bamboo_comm_self(void)
{
    bamboo_task_t *task = bamboo_current;
    if (task->self == NULL) {
        int *of = bamboo_allocate(sizeof(int));
        of[0] = task->rank;
        task->self = bamboo_comm_new(SELF, 1, of);
    }
    return task->self;
}

int bamboo_mpi_comm_rank(bamboo_comm_t *comm, int *rank)
{
    bamboo_current->call = "MPI_Comm_rank";
    if (comm == NULL) {
        bamboo_fail("MPI_COMM_NULL is not a communicator");
    }
    *rank = bamboo_comm_rank(comm, bamboo_current->rank);
    return MPI_SUCCESS;
}

int bamboo_mpi_comm_size(bamboo_comm_t *comm, int *size)
{
    bamboo_current->call = "MPI_Comm_size";
    if (comm == NULL) {
        bamboo_fail("MPI_COMM_NULL is not a communicator");
    }
    *size = comm->size;
    return MPI_SUCCESS;
}

static void end_comm(bamboo_comm_t *comm)
{
    bamboo_task_t *task = comm->owner;
    bamboo_comm_t **link = &task->comms;
    while (*link != comm) {
        link = &(*link)->next;
    }
    *link = comm->next;
    task->contexts &= ~(1u << comm->context);
    free(comm->world);
    free(comm->rank_of);
    free(comm);
}

void bamboo_comm_hold(bamboo_comm_t *comm)
{
    comm->held++;
}

void bamboo_comm_release(bamboo_comm_t *comm)
{
    if (--comm->held == 0 && comm->freed) {
        end_comm(comm);
    }
}

int bamboo_mpi_comm_free(bamboo_comm_t **comm)
{
    bamboo_comm_t *freed = *comm;
    bamboo_current->call = "MPI_Comm_free";
    if (freed == NULL || freed->owner == NULL || freed == bamboo_current->self) {
        bamboo_fail("only communicators made by MPI_Comm_dup and MPI_Comm_split can be freed");
    }
    if (freed->owner != bamboo_current || freed->freed) {
        bamboo_fail("the communicator is not this rank's, or was freed before");
    }
    freed->freed = 1;
    *comm = NULL;
    if (freed->held == 0) {
        end_comm(freed);
    }
    return MPI_SUCCESS;
}

void bamboo_comm_end_all(bamboo_task_t *task)
{
    while (task->comms != NULL) {
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): end_comm() takes it from the list */
        end_comm(task->comms);
    }
}
