/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks, the nodes that they are on, and events in time. A node is this process, with real time;
 * with a modelled network a process has many, each with a clock that its tasks' CPU time and the
 * arrival of messages advance. */
#ifndef BAMBOO_RT_TASK_H
#define BAMBOO_RT_TASK_H

#include <mpi.h>
#include <stddef.h>

#include "bamboo.h"
#include "stack.h"

typedef long long bamboo_ns_t;
typedef int bamboo_main_t(int argc, char **argv, char **environment);

struct bamboo_message;

#define BAMBOO_CONTEXTS                                                                            \
    16 /* communicators of a task at a time, the world and its own among them                      \
        */

typedef enum bamboo_phase { TASK_READY, TASK_RUNS, TASK_WAITS, TASK_FINISHED } bamboo_phase_t;

typedef struct bamboo_task {
    int rank, local;
    struct bamboo_node *node;
    bamboo_phase_t phase;
    int needs;               /* firing rule: completions still needed; 0: ready */
    bamboo_request_t **open; /* that it waits for, for reports */
    int open_count;
    bamboo_stack_t stack;
    bamboo_main_t *main;
    struct bamboo_task *next; /* in the queue of those that are ready */
    int status, tests;
    const char *call, *file; /* where it is, for reports */
    int line;
    int collective; /* in a collective operation, which `call` names */
    int initialised, finalised;
    size_t packed; /* bytes of messages that have arrived and were packed */
    bamboo_request_t *posted, **posted_end;        /* receives and probes, in order */
    struct bamboo_message *arrived, **arrived_end; /* sent and not received, in order */
    int wildcards[BAMBOO_CONTEXTS];      /* receives among posted that MPI does not know of */
    unsigned contexts;                   /* in use: bit C for context C */
    bamboo_comm_t *comms, *world, *self; /* that the task has; the others are among them */
    void *buffer;                        /* for buffered sends, which the program gave */
    int buffer_bytes;
    int argc;
    char **argv;
    void *copy; /* of the program, from dlopen() */
} bamboo_task_t;

typedef struct bamboo_event {
    bamboo_ns_t when;
    long number; /* of two events at the same time, the lower comes first */
    void (*fire)(void *);
    void *what;
} bamboo_event_t;

typedef struct bamboo_node {
    bamboo_ns_t clock;     /* modelled: the time until which it has run */
    bamboo_ns_t told;      /* modelled: the last time that was returned, which never goes back */
    bamboo_ns_t port_free; /* modelled: when its link has sent all its messages */
    bamboo_task_t *ready, **ready_end;
    bamboo_event_t *events; /* a heap, the first is the next */
    int event_count, event_room;
} bamboo_node_t;

extern bamboo_task_t *bamboo_current; /* NULL between tasks */
extern bamboo_task_t *bamboo_tasks;   /* of this process, in order of local, bamboo_task_count */
extern int bamboo_task_count;
extern int (*bamboo_in_parallel)(void); /* OpenMP's, or NULL */
extern bamboo_node_t *bamboo_nodes;
extern int bamboo_node_count;

/* Ends the job, with the error, the rank and the place. */
void bamboo_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void *bamboo_allocate(size_t bytes); /* zeroed; or ends the job */

void bamboo_task_start(void); /* on the stack of the task that runs; does not return */
bamboo_task_t *bamboo_enter(const char *call); /* the running task, which is in this call now */

void bamboo_make_ready(bamboo_task_t *task);
/* Another completion; the task becomes ready when it needs no more. */
void bamboo_fulfil(bamboo_task_t *task);
/* The running task goes on after `needs` completions; at once if it needs none. */
void bamboo_wait_for(int needs);
/* It goes on after the other tasks that are ready, and after MPI was asked. */
void bamboo_yield(void);

/* The time of a node; for the running task's, including its computing so far. */
bamboo_ns_t bamboo_now(bamboo_node_t *node);
void bamboo_at_time(bamboo_node_t *node, bamboo_ns_t when, void (*fire)(void *), void *what);

/* Runs every task to its end. poll() is called once a round (all ready tasks of a moment), and
 * idle() when no task is ready after it; idle() gets the time of the last progress. Both may make
 * tasks ready. */
void bamboo_schedule(void (*poll)(void), void (*idle)(bamboo_ns_t last));

extern struct bamboo_counts {
    long switches, rounds, local_messages, copies_through, remote_messages;
} bamboo_counts;

#endif
