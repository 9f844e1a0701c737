/* SPDX-License-Identifier: BSD-3-Clause */
/* From main() to the last task's end, and the message when nothing goes on. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "calls.h"
#include "comm.h"
#include "copy.h"
#include "options.h"
#include "place.h"
#include "remote.h"

struct program { /* a function, or a shared object */
    bamboo_main_t *main;
    const void *image;
    size_t bytes;
};

/* ---- tasks ---- */

/* A task has the stack that a process has. */
static size_t stack_size(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
               ? (size_t) limit.rlim_cur
               : (size_t) 8 << 20;
}

static void make_task(int index, int rank, const struct program *program, int argc, char **argv)
{
    bamboo_task_t *task = &bamboo_tasks[index];
    task->rank = rank;
    task->local = index;
    task->node = &bamboo_nodes[bamboo_options.nodes > 0 ? bamboo_places[rank].node : 0];
    task->posted_end = &task->posted;
    task->arrived_end = &task->arrived;
    task->contexts = 3;
    task->argc = argc;
    task->argv = bamboo_allocate(((size_t) argc + 1) * sizeof(char *));
    for (int i = 0; i < argc; i++) {
        size_t length = strlen(argv[i]) + 1;
        task->argv[i] = memcpy(bamboo_allocate(length), argv[i], length);
    }
    if (!bamboo_stack_make(&task->stack, stack_size(), bamboo_task_start)) {
        bamboo_fail("no memory for a stack of %zu bytes (ulimit -s)", stack_size());
    }
    if (program->image != NULL) {
        task->copy = bamboo_copy_open(program->image, program->bytes, index);
        bamboo_in_parallel = bamboo_copy_in_parallel(task->copy);
    }
    task->main = program->image != NULL ? bamboo_copy_main(task->copy) : program->main;
}

static void make_tasks(const struct program *program, int process, int argc, char **argv)
{
    bamboo_task_count = bamboo_options.nodes > 0 ? bamboo_world_size : bamboo_options.vf;
    bamboo_node_count = bamboo_options.nodes > 0 ? bamboo_options.nodes : 1;
    bamboo_nodes = bamboo_allocate((size_t) bamboo_node_count * sizeof(*bamboo_nodes));
    bamboo_tasks = bamboo_allocate((size_t) bamboo_task_count * sizeof(*bamboo_tasks));
    for (int i = 0; i < bamboo_node_count; i++) {
        bamboo_nodes[i].ready_end = &bamboo_nodes[i].ready;
    }
    for (int i = 0; i < bamboo_task_count; i++) {
        int node = bamboo_options.nodes > 0 ? i / bamboo_options.vf : process;
        make_task(i, bamboo_rank_at(node, i % bamboo_options.vf), program, argc, argv);
    }
}

static void free_tasks(void)
{
    for (int i = 0; i < bamboo_task_count; i++) {
        bamboo_task_t *task = bamboo_current = &bamboo_tasks[i];
        bamboo_comm_end_all(task);
        while (task->arrived != NULL) {
            bamboo_message_t *message = task->arrived;
            task->arrived = message->next;
            bamboo_message_delete(message);
        }
        /* The program may have moved the pointers of argv, and its copy stays: threads of libraries
         * and functions that run at exit may be in it. */
        bamboo_stack_free(&task->stack);
        free(task->argv);
    }
    bamboo_current = NULL;
    for (int i = 0; i < bamboo_node_count; i++) {
        free(bamboo_nodes[i].events);
    }
    free(bamboo_tasks);
    free(bamboo_nodes);
}

/* ---- waiting ---- */

/* Ranks are those of the world. */
static void print_request(FILE *out, const bamboo_request_t *request)
{
    fputs(request->kind == REQUEST_SEND ? "; to rank " : "; from rank ", out);
    if (request->peer == MPI_ANY_SOURCE) {
        fputs("any", out);
    } else {
        fprintf(out, "%d", request->peer);
    }
    if (request->context % 2 == 0 && request->tag == MPI_ANY_TAG) {
        fputs(", any tag", out);
    } else if (request->context % 2 == 0) {
        fprintf(out, ", tag %d", request->tag);
    }
}

static void print_pending(FILE *out, bamboo_request_t *const *requests, int count)
{
    int more = 0;
    for (int i = 0, printed = 0; i < count; i++) {
        if (bamboo_is_pending(requests[i]) && printed < 4) {
            print_request(out, requests[i]);
            printed++;
        } else {
            more += bamboo_is_pending(requests[i]);
        }
    }
    if (more > 0) {
        fprintf(out, "; and %d more", more);
    }
}

static void report(const char *why)
{
    char *text = NULL;
    size_t bytes;
    FILE *memory = open_memstream(&text, &bytes); /* so that processes do not mix their lines */
    FILE *out = memory != NULL ? memory : stderr;
    fprintf(out, "bamboo: %s\n", why);
    for (int i = 0; i < bamboo_task_count; i++) {
        const bamboo_task_t *task = &bamboo_tasks[i];
        if (task->phase == TASK_FINISHED) {
            continue;
        }
        fprintf(out, "bamboo:   rank %d waits in %s at %s:%d", task->rank,
                task->call != NULL ? task->call : "?", task->file != NULL ? task->file : "?",
                task->line);
        print_pending(out, task->open, task->open_count);
        fputc('\n', out);
    }
    if (memory != NULL && fclose(memory) == 0) {
        fputs(text, stderr);
    }
    fflush(stderr);
    free(text);
}

static int waits_for_any(const bamboo_task_t *task)
{
    int wild = 0;
    for (int context = 0; context < BAMBOO_CONTEXTS; context++) {
        wild += task->wildcards[context];
    }
    return wild > 0 && bamboo_world_size > bamboo_task_count;
}

/* No task of this process is ready, MPI has no message to move, and nothing can come from other
 * processes. */
static int nothing_can_come(void)
{
    if (bamboo_options.nodes > 0) {
        return 1;
    }
    if (bamboo_remote_active() > 0 || bamboo_nodes[0].event_count > 0) {
        return 0;
    }
    for (int i = 0; i < bamboo_task_count; i++) {
        if (waits_for_any(&bamboo_tasks[i]) || bamboo_tasks[i].tests > 0) {
            return 0;
        }
    }
    return 1;
}

/* A task that tests may compute between its tests. */
static int somebody_tests(void)
{
    for (int i = 0; i < bamboo_task_count; i++) {
        if (bamboo_tasks[i].tests > 0) {
            return 1;
        }
    }
    return 0;
}

static void complain(bamboo_ns_t last)
{
    static bamboo_ns_t reported; /* what began then */
    char why[160];
    if (bamboo_options.patience <= 0 || reported == last || somebody_tests() ||
        (double) (bamboo_now(bamboo_nodes) - last) < 1e9 * bamboo_options.patience) {
        return;
    }
    reported = last;
    snprintf(why, sizeof(why),
             "nothing has happened in this process for %g s (--patience), and the job goes on; "
             "ranks that wait:",
             bamboo_options.patience);
    report(why);
}

static void idle(bamboo_ns_t last)
{
    if (nothing_can_come()) {
        report("these ranks wait for each other, and nothing else can come: the program hangs");
        MPI_Abort(MPI_COMM_WORLD, 1);
        abort();
    }
    complain(last);
    sched_yield();
}

/* ---- all of it ---- */

static void print_stats(int process)
{
    fprintf(stderr,
            "bamboo: process %d: %d tasks, %ld switches in %ld rounds; %ld messages inside, %ld of "
            "them "
            "through memory, %ld to other processes; %ld pairs of ranks foreseen\n",
            process, bamboo_task_count, bamboo_counts.switches, bamboo_counts.rounds,
            bamboo_counts.local_messages, bamboo_counts.copies_through,
            bamboo_counts.remote_messages, bamboo_edges());
}

static void refuse(int process, const char *message)
{
    if (process == 0) {
        fprintf(stderr, "bamboo: %s\n", message);
    }
    MPI_Finalize();
    exit(2);
}

/* Where options are given to some processes only, for instance by an environment that does not
 * reach other hosts. */
static void agree(int process, const char *message)
{
    bamboo_options_t first;
    memcpy(&first, &bamboo_options, sizeof(first)); /* with its padding, since bytes are compared */
    char text[256];
    int wrong = message != NULL, any;
    MPI_Bcast(&first, (int) sizeof(first), MPI_BYTE, 0, MPI_COMM_WORLD);
    if (message != NULL) {
        fprintf(stderr, "bamboo: %s\n", message);
        /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c) */
    } else if (memcmp(&first, &bamboo_options, sizeof(first)) != 0) {
        snprintf(
            text, sizeof(text),
            "process %d has other options than process 0: --vf %d, there %d; every process needs "
            "the same (mpirun -x BAMBOO_VF)",
            process, bamboo_options.vf, first.vf);
        fprintf(stderr, "bamboo: %s\n", text);
        wrong = 1;
    }
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (any) {
        MPI_Finalize();
        exit(2);
    }
}

static void check_processes(int process, int processes)
{
    char message[256];
    if (bamboo_options.nodes > 0 && processes > 1) {
        snprintf(message, sizeof(message),
                 "--nodes %d: a modelled network is for one process, here are %d",
                 bamboo_options.nodes, processes);
        refuse(process, message);
    }
    if (bamboo_options.link.ns_byte > 0 && bamboo_options.nodes == 0) {
        refuse(process, "--bandwidth: only a modelled network has one (--nodes)");
    }
}

/* Sends without a wait go on; receives without an answer end. */
static void end_messages(void)
{
    bamboo_ns_t start = bamboo_now(bamboo_nodes);
    bamboo_remote_cancel_receives();
    while (bamboo_remote_active() > 0) {
        bamboo_remote_poll();
        complain(start);
        sched_yield();
    }
}

static int run_program(int argc, char **argv, const struct program *program)
{
    int provided, process, processes, status = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &process);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    const char *message = bamboo_options_read(&argc, argv);
    agree(process, message);
    check_processes(process, processes);
    if (program->image != NULL) { /* which says where tasks are when it is loaded */
        bamboo_copy_open(program->image, program->bytes, 0);
    }
    message = bamboo_place_all(bamboo_options.nodes > 0 ? bamboo_options.nodes : processes,
                               bamboo_options.vf);
    if (message != NULL) {
        refuse(process, message);
    }
    const char *cannot = bamboo_remote_start();
    if (cannot != NULL) {
        refuse(process, cannot);
    }
    make_tasks(program, process, argc, argv);
    bamboo_schedule(bamboo_remote_poll, idle);
    end_messages();
    for (int i = 0; i < bamboo_task_count && status == 0; i++) {
        status = bamboo_tasks[i].status;
    }
    if (bamboo_options.stats) {
        print_stats(process);
    }
    free_tasks();
    bamboo_remote_stop();
    MPI_Finalize();
    return status;
}

int bamboo_run(int argc, char **argv, int (*program)(int, char **))
{
    /* It does not read the third argument. */
    const struct program one = {.main = (bamboo_main_t *) (void (*)(void)) program};
    return run_program(argc, argv, &one);
}

int bamboo_run_image(int argc, char **argv, const void *image, size_t bytes)
{
    const struct program one = {.image = image, .bytes = bytes};
    return run_program(argc, argv, &one);
}
