/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators of tasks. */
#ifndef BAMBOO_RT_COMM_H
#define BAMBOO_RT_COMM_H

#include "task.h"

struct bamboo_comm {
    int context; /* the same in all its tasks, and of no other of their communicators */
    int size;
    int *world;           /* the rank in the world of each rank */
    int *rank_of;         /* the rank of each rank of the world, or -1; NULL: the same */
    bamboo_task_t *owner; /* NULL: the world */
    long held;            /* by requests */
    int freed;            /* goes when no request holds it */
    bamboo_comm_t *next;  /* of the owner's */
};

void bamboo_comm_start(void); /* after the tasks are made */
void bamboo_comm_stop(void);

/* The rank of one of the world's ranks. */
int bamboo_comm_rank(const bamboo_comm_t *comm, int world_rank);
void bamboo_comm_hold(bamboo_comm_t *comm);
void bamboo_comm_release(bamboo_comm_t *comm);

void bamboo_comm_end_all(bamboo_task_t *task);

/* For the running task. world is taken over. */
bamboo_comm_t *bamboo_comm_new(int context, int size, int *world);

#endif
