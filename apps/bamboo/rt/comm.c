/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators of tasks: each task has its own objects. The context of a message tells them apart.
 */
#include "comm.h"

#include <stdlib.h>
#include <string.h>

#include "place.h"

/* Only their addresses are used. */
struct bamboo_comm bamboo_world, bamboo_self;

bamboo_comm_t *bamboo_comm_new(int context, int size, int *world)
{
    bamboo_comm_t *comm = bamboo_allocate(sizeof(*comm));
    bamboo_task_t *task = bamboo_current;
    *comm = (bamboo_comm_t){.context = context,
                            .size = size,
                            .world = world,
                            .owner = task,
                            .errhandler = MPI_ERRORS_ARE_FATAL,
                            .next = task->comms};
    if (world != NULL) {
        comm->rank_of = bamboo_allocate((size_t) bamboo_world_size * sizeof(int));
        memset(comm->rank_of, -1, (size_t) bamboo_world_size * sizeof(int));
        for (int rank = 0; rank < size; rank++) {
            comm->rank_of[world[rank]] = rank;
        }
    }
    task->comms = comm;
    task->contexts |= 1u << context;
    return comm;
}

bamboo_comm_t *bamboo_comm_of(bamboo_comm_t *handle)
{
    bamboo_task_t *task = bamboo_current;
    if (handle == NULL) {
        bamboo_fail("MPI_COMM_NULL is not a communicator");
    }
    if (handle == &bamboo_world) {
        if (task->world == NULL) {
            task->world = bamboo_comm_new(WORLD, bamboo_world_size, NULL);
        }
        return task->world;
    }
    if (handle == &bamboo_self) {
        if (task->self == NULL) {
            int *world = bamboo_allocate(sizeof(int));
            world[0] = task->rank;
            task->self = bamboo_comm_new(SELF, 1, world);
        }
        return task->self;
    }
    return handle;
}

int bamboo_comm_rank(const bamboo_comm_t *comm, int world_rank)
{
    return comm->rank_of == NULL ? world_rank : comm->rank_of[world_rank];
}

int bamboo_comm_world_rank(const bamboo_comm_t *comm, int rank)
{
    return comm->world == NULL ? rank : comm->world[rank];
}

/* ---- the end ---- */

static int *copy_ints(const int *list, int n)
{
    int *copy = bamboo_allocate((size_t) n * sizeof(int));
    if (n > 0) {
        memcpy(copy, list, (size_t) n * sizeof(int));
    }
    return copy;
}

bamboo_topology_t *bamboo_topology_copy(const bamboo_topology_t *topology)
{
    if (topology == NULL) {
        return NULL;
    }
    bamboo_topology_t *copy = bamboo_allocate(sizeof(*copy));
    const bamboo_topology_t *t = topology;
    *copy = *t;
    copy->dims = copy_ints(t->dims, t->dimensions);
    copy->periods = copy_ints(t->periods, t->dimensions);
    copy->index = copy_ints(t->index, t->nodes);
    copy->edges = copy_ints(t->edges, t->nodes > 0 ? t->index[t->nodes - 1] : 0);
    copy->from = copy_ints(t->from, t->indegree);
    copy->to = copy_ints(t->to, t->outdegree);
    copy->weights_in = copy_ints(t->weights_in, t->weighted ? t->indegree : 0);
    copy->weights_out = copy_ints(t->weights_out, t->weighted ? t->outdegree : 0);
    return copy;
}

static void free_topology(bamboo_topology_t *topology)
{
    if (topology != NULL) {
        free(topology->dims);
        free(topology->periods);
        free(topology->index);
        free(topology->edges);
        free(topology->from);
        free(topology->to);
        free(topology->weights_in);
        free(topology->weights_out);
        free(topology);
    }
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
    while (comm->attributes != NULL) {
        struct bamboo_attribute *next = comm->attributes->next;
        free(comm->attributes);
        comm->attributes = next;
    }
    free_topology(comm->topology);
    free(comm->name);
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

void bamboo_comm_free(bamboo_comm_t *comm)
{
    comm->freed = 1;
    if (comm->held == 0) {
        end_comm(comm);
    }
}

void bamboo_comm_end_all(bamboo_task_t *task)
{
    while (task->comms != NULL) {
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): end_comm() takes it from the list */
        end_comm(task->comms);
    }
}
