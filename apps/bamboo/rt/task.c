/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks, nodes, events, and the order in which all run. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "options.h"
#include "task.h"

bamboo_task_t *bamboo_current, *bamboo_tasks;
bamboo_node_t *bamboo_nodes;
int bamboo_task_count, bamboo_node_count;
struct bamboo_counts bamboo_counts;

static bamboo_ns_t cpu_start; /* the thread's CPU time when the running node's clock was last set */
static long event_number;

void bamboo_fail(const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    if (bamboo_current != NULL && bamboo_current->call != NULL) {
        fprintf(stderr, "bamboo: rank %d: %s at %s:%d: %s\n", bamboo_current->rank,
                bamboo_current->call, bamboo_current->file, bamboo_current->line, text);
    } else {
        fprintf(stderr, "bamboo: %s\n", text);
    }
    fflush(NULL);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

void *bamboo_allocate(size_t bytes)
{
    void *memory = calloc(1, bytes > 0 ? bytes : 1);
    if (memory == NULL) {
        bamboo_fail("no memory for %zu bytes", bytes);
    }
    return memory;
}

/* ---- the running task ---- */

void bamboo_at(const char *file, int line)
{
    if (bamboo_current != NULL) {
        bamboo_current->file = file;
        bamboo_current->line = line;
    }
}

bamboo_task_t *bamboo_enter(const char *call)
{
    if (bamboo_current == NULL) {
        bamboo_fail("%s: called outside a task", call);
    }
    if (!bamboo_current->collective) {
        bamboo_current->call = call;
    }
    return bamboo_current;
}

static bamboo_stack_t scheduler;

int (*bamboo_in_parallel)(void);

/* OpenMP keeps in the thread which region it is in, and other tasks would be in it, too. */
static void suspend(void)
{
    if (bamboo_in_parallel != NULL && bamboo_in_parallel()) {
        bamboo_fail("a call that waits inside an OpenMP parallel region");
    }
    int kept = errno; /* the thread's, and so every task's */
    bamboo_stack_switch(&bamboo_current->stack, &scheduler);
    errno = kept;
}

void bamboo_exit(int status)
{
    bamboo_current->phase = TASK_FINISHED;
    bamboo_current->status = status;
    suspend();
    abort(); /* no task that has finished is run */
}

void bamboo_task_start(void)
{
    bamboo_exit(bamboo_current->main(bamboo_current->argc, bamboo_current->argv, environ));
}

void bamboo_make_ready(bamboo_task_t *task)
{
    bamboo_node_t *node = task->node;
    task->phase = TASK_READY;
    task->next = NULL;
    *node->ready_end = task;
    node->ready_end = &task->next;
}

void bamboo_fulfil(bamboo_task_t *task)
{
    if (--task->needs == 0 && task->phase == TASK_WAITS) {
        bamboo_make_ready(task);
    }
}

void bamboo_wait_for(int needs)
{
    if (needs > 0) {
        bamboo_current->needs = needs;
        bamboo_current->phase = TASK_WAITS;
        suspend();
    }
}

void bamboo_yield(void)
{
    bamboo_make_ready(bamboo_current);
    suspend();
}

static void run_task(bamboo_task_t *task)
{
    bamboo_current = task;
    task->phase = TASK_RUNS;
    bamboo_counts.switches++;
    bamboo_stack_switch(&scheduler, &task->stack);
    bamboo_current = NULL;
}

/* ---- time ---- */

static bamboo_ns_t read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (bamboo_ns_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The CPU time that the running node has taken since its clock was set. Reading this clock is a
 * call of the system, as long as a short message; what the readings take is not the node's. */
static bamboo_ns_t reading; /* how long one takes */
static int readings;

static bamboo_ns_t computed(void)
{
    bamboo_ns_t time = read_clock(CLOCK_THREAD_CPUTIME_ID) - cpu_start - readings * reading;
    readings++;
    return time > 0 ? time : 0;
}

static void start_computing(void)
{
    readings = 0;
    cpu_start = read_clock(CLOCK_THREAD_CPUTIME_ID);
}

static int compare_times(const void *a, const void *b)
{
    const bamboo_ns_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void time_readings(void)
{
    enum { COUNT = 501 };
    bamboo_ns_t times[COUNT], last = read_clock(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < COUNT; i++) {
        bamboo_ns_t now = read_clock(CLOCK_THREAD_CPUTIME_ID);
        times[i] = now - last;
        last = now;
    }
    qsort(times, COUNT, sizeof(times[0]), compare_times);
    reading = times[COUNT / 2];
}

bamboo_ns_t bamboo_now(bamboo_node_t *node)
{
    if (bamboo_options.nodes == 0) {
        return read_clock(CLOCK_MONOTONIC);
    }
    if (bamboo_current == NULL || bamboo_current->node != node) {
        return node->clock;
    }
    bamboo_ns_t now = node->clock + computed();
    node->told = now > node->told ? now : node->told;
    return node->told;
}

static int before(const bamboo_event_t *a, const bamboo_event_t *b)
{
    return a->when != b->when ? a->when < b->when : a->number < b->number;
}

void bamboo_at_time(bamboo_node_t *node, bamboo_ns_t when, void (*fire)(void *), void *what)
{
    if (node->event_count == node->event_room) {
        int room = node->event_room > 0 ? 2 * node->event_room : 16;
        bamboo_event_t *events = bamboo_allocate((size_t) room * sizeof(*events));
        if (node->event_count > 0) {
            memcpy(events, node->events, (size_t) node->event_count * sizeof(*events));
        }
        free(node->events);
        node->events = events;
        node->event_room = room;
    }
    bamboo_event_t event = {when, event_number++, fire, what};
    int i = node->event_count++;
    for (; i > 0 && before(&event, &node->events[(i - 1) / 2]); i = (i - 1) / 2) {
        node->events[i] = node->events[(i - 1) / 2];
    }
    node->events[i] = event;
}

static bamboo_event_t next_event(bamboo_node_t *node)
{
    bamboo_event_t first = node->events[0], last = node->events[--node->event_count];
    int i = 0;
    for (;;) {
        int child = 2 * i + 1;
        if (child + 1 < node->event_count &&
            before(&node->events[child + 1], &node->events[child])) {
            child++;
        }
        if (child >= node->event_count || !before(&node->events[child], &last)) {
            break;
        }
        node->events[i] = node->events[child];
        i = child;
    }
    if (node->event_count > 0) {
        node->events[i] = last;
    }
    return first;
}

static int fire_until(bamboo_node_t *node, bamboo_ns_t now)
{
    int fired = 0;
    while (node->event_count > 0 && node->events[0].when <= now) {
        bamboo_event_t event = next_event(node);
        event.fire(event.what);
        fired++;
    }
    return fired;
}

/* ---- the order ---- */

static bamboo_task_t *take_ready(bamboo_node_t *node)
{
    bamboo_task_t *task = node->ready;
    if (task != NULL && (node->ready = task->next) == NULL) {
        node->ready_end = &node->ready;
    }
    return task;
}

/* The node with the earliest next step: a message that it sends cannot reach another one before
 * that one's time. */
static bamboo_node_t *earliest(void)
{
    bamboo_node_t *best = NULL;
    bamboo_ns_t best_time = 0;
    for (int i = 0; i < bamboo_node_count; i++) {
        bamboo_node_t *node = &bamboo_nodes[i];
        bamboo_ns_t time = node->clock;
        if (node->ready == NULL) {
            if (node->event_count == 0) {
                continue;
            }
            time = node->events[0].when > time ? node->events[0].when : time;
        }
        if (best == NULL || time < best_time) {
            best = node;
            best_time = time;
        }
    }
    if (best != NULL) {
        best->clock = best_time;
    }
    return best;
}

static int schedule_modelled(void (*idle)(bamboo_ns_t last))
{
    bamboo_node_t *node = earliest();
    if (node == NULL) {
        idle(0);
        return 0;
    }
    fire_until(node, node->clock);
    bamboo_task_t *task = take_ready(node);
    if (task == NULL) {
        return 0;
    }
    start_computing();
    run_task(task);
    node->clock += computed();
    node->clock = node->clock > node->told ? node->clock : node->told;
    return task->phase == TASK_FINISHED;
}

/* A round: the tasks that are ready now, but none twice, so that MPI is asked in between. */
static int schedule_real(void (*poll)(void), void (*idle)(bamboo_ns_t last))
{
    static bamboo_ns_t last;
    bamboo_node_t *node = bamboo_nodes;
    int finished = 0, ran = 0;
    bamboo_task_t *task = node->ready;
    node->ready = NULL;
    node->ready_end = &node->ready;
    while (task != NULL) {
        bamboo_task_t *next = task->next;
        run_task(task);
        finished += task->phase == TASK_FINISHED;
        ran += task->tests == 0;
        task = next;
    }
    bamboo_counts.rounds++;
    poll();
    if (node->event_count > 0) {
        fire_until(node, read_clock(CLOCK_MONOTONIC));
    }
    if (ran > 0) {
        last = 0;
    } else if (node->ready == NULL || node->ready->tests > 0) {
        last = last != 0 ? last : read_clock(CLOCK_MONOTONIC);
        idle(last);
    }
    return finished;
}

void bamboo_schedule(void (*poll)(void), void (*idle)(bamboo_ns_t last))
{
    for (int i = 0; i < bamboo_task_count; i++) {
        bamboo_make_ready(&bamboo_tasks[i]);
    }
    if (bamboo_options.nodes > 0) {
        time_readings();
    }
    for (int left = bamboo_task_count; left > 0;) {
        left -= bamboo_options.nodes > 0 ? schedule_modelled(idle) : schedule_real(poll, idle);
    }
}
