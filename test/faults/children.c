/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * children NUMBER: the process makes children in every way while its threads move data: those of
 * fork() and of the raw system call pack and end, the others execute a program.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hostile.h"
#include "traffic.h"

enum { USED = 11, NEW = 100, COUNT = 3, ROOM = 1 << 20, LONGEST = 60, STACK = 1 << 16 };

extern char **environ;
static char *const executed[] = {"/proc/self/exe", "child", NULL};

/* Memory that a child needs, taken before: after a raw clone() the C library must not be asked for
 * any. */
static layout_t *used;
static message_t message;
static unsigned char *stream, *packed;

static bool packs_without_memory(void)
{
    for (int i = 0; i < 20; i++) {
        int at = 0;
        memset(packed, 0, (size_t) message.bytes);
        MPI_Pack(message.buf, COUNT, used->type, packed, (int) message.bytes, &at, MPI_COMM_SELF);
        if (at != message.bytes || memcmp(packed, stream, (size_t) message.bytes) != 0) {
            return false;
        }
    }
    return true;
}

static int pack_in_child(const layout_t *fresh)
{
    alarm(LONGEST);
    bool right = true;
    for (int i = 0; i < 5; i++) {
        right = moves_right(used, COUNT) && moves_right(fresh, COUNT) && right;
    }
    return right ? 0 : 1;
}

static int execute(void *unused)
{
    (void) unused;
    execve(executed[0], executed, environ);
    _exit(99);
}

enum way { FORK, FORK_EXIT, FORK_EXEC, VFORK, SPAWN, RAW_CLONE, CLONE_VM_EXEC, WAYS };
static const char *const names[WAYS] = {"fork",          "fork and exit", "fork and exec",
                                        "vfork",         "posix_spawn",   "the system call clone",
                                        "clone and exec"};

static pid_t make_child(enum way way, const layout_t *fresh)
{
    static _Alignas(16) char stack[STACK];
    pid_t pid = -1;
    switch (way) {
    case FORK:
    case FORK_EXIT:
        pid = fork();
        if (pid == 0) {
            const int code = pack_in_child(fresh);
            if (way == FORK_EXIT) {
                exit(code);
            }
            _exit(code);
        }
        break;
    case FORK_EXEC:
        pid = fork();
        if (pid == 0) {
            execute(NULL);
        }
        break;
    case VFORK:
        pid = vfork();
        if (pid == 0) {
            execve(executed[0], executed, environ);
            _exit(99);
        }
        break;
    case SPAWN:
        if (posix_spawn(&pid, executed[0], NULL, NULL, executed, environ) != 0) {
            pid = -1;
        }
        break;
    case RAW_CLONE:
        pid = (pid_t) syscall(SYS_clone, (unsigned long) SIGCHLD, NULL, NULL, NULL, 0UL);
        if (pid == 0) {
            alarm(LONGEST);
            _exit(packs_without_memory() ? 0 : 1);
        }
        break;
    default:
        pid = clone(execute, stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
    }
    return pid;
}

static int wait_for(pid_t pid)
{
    int status = -1;
    while (pid > 0 && 0 > waitpid(pid, &status, 0) && errno == EINTR) {
    }
    return status;
}

int children_main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 70;
    uint64_t random = (uint64_t) getpid();
    check_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE);
    used = traffic_layout(USED);
    message = msg_new(used, COUNT);
    stream = stream_new(used, COUNT, 5);
    packed = must_malloc((size_t) message.bytes);
    msg_fill(&message, stream);
    check(moves_right(used, COUNT), "before the first child");
    traffic_start(&(traffic_options_t){.threads = 2});
    for (int i = 0; i < n; i++) {
        const enum way way = (enum way)(i % WAYS);
        layout_t *fresh = traffic_layout(NEW + (unsigned) i);
        usleep((useconds_t) (random_next(&random) % 5000));
        const pid_t pid = make_child(way, fresh);
        check(packs_without_memory() && moves_right(fresh, COUNT), "the parent meanwhile, %s",
              names[way]);
        const int status = wait_for(pid);
        check(status == 0, "a child by %s: status %x", names[way], (unsigned) status);
        lay_free(fresh);
    }
    traffic_stop();
    check(packs_without_memory() && moves_right(used, COUNT), "after the last child");
    msg_free(&message);
    lay_free(used);
    free(stream);
    free(packed);
    return check_finish();
}
