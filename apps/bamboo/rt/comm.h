/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators of tasks, groups and topologies. */
#ifndef BAMBOO_RT_COMM_H
#define BAMBOO_RT_COMM_H

#include "task.h"

typedef struct bamboo_topology {
    int kind;                                /* MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH */
    int dimensions, *dims, *periods;         /* of MPI_CART */
    int nodes, *index, *edges;               /* of MPI_GRAPH, as the program gave them */
    int weighted, *weights_in, *weights_out; /* of MPI_DIST_GRAPH */
    int indegree, *from; /* my neighbours, in the order of neighbourhood collectives */
    int outdegree, *to;
} bamboo_topology_t;

struct bamboo_attribute {
    int key;
    void *value;
    struct bamboo_attribute *next;
};

struct bamboo_comm {
    int context; /* the same in all its tasks, and of no other of their communicators */
    int size;
    int *world;   /* the rank in the world of each rank; NULL: the same */
    int *rank_of; /* the rank of each rank of the world, or -1; NULL: the same */
    bamboo_task_t *owner;
    long held; /* by requests */
    int freed; /* goes when no request holds it */
    char *name;
    MPI_Errhandler errhandler;
    struct bamboo_attribute *attributes;
    bamboo_topology_t *topology;
    bamboo_comm_t *next; /* of the owner's */
};

struct bamboo_group {
    int size, *world;
};

enum { WORLD = 0, SELF = 1 }; /* contexts */

/* For the running task. world is taken over. */
bamboo_comm_t *bamboo_comm_new(int context, int size, int *world);

/* What a handle names for the running task; ends the job for MPI_COMM_NULL. */
bamboo_comm_t *bamboo_comm_of(bamboo_comm_t *handle);

/* The rank of one of the world's ranks, -1: none; and the opposite. */
int bamboo_comm_rank(const bamboo_comm_t *comm, int world_rank);
int bamboo_comm_world_rank(const bamboo_comm_t *comm, int rank);
void bamboo_comm_hold(bamboo_comm_t *comm);
void bamboo_comm_release(bamboo_comm_t *comm);
void bamboo_comm_free(bamboo_comm_t *comm); /* when no request holds it */

void bamboo_comm_end_all(bamboo_task_t *task);

/* The ranks of my color, by key and then by rank; NULL for MPI_UNDEFINED. Collective. */
bamboo_comm_t *bamboo_comm_divide(bamboo_comm_t *comm, int color, int key);

bamboo_topology_t *bamboo_topology_copy(const bamboo_topology_t *topology);
void bamboo_attributes_copy(bamboo_comm_t *from, bamboo_comm_t *to);
void bamboo_attributes_delete(bamboo_comm_t *comm); /* calls the program's functions for it */

#endif
