/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * affinity TIMES: all threads of the process, the library's own too, are moved from CPU to CPU, and
 * for some time none of them may run where it did before: as if CPUs had gone away.
 */
#include <dirent.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "hostile.h"
#include "traffic.h"

/* A CPU of `allowed`, or all of them. */
static cpu_set_t choose(const cpu_set_t *allowed, uint64_t number)
{
    int cpus[CPU_SETSIZE], n = 0;
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET(i, allowed)) {
            cpus[n++] = i;
        }
    }
    const int which = (int) (number % (uint64_t) (n + 1));
    if (which == n) {
        return *allowed;
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpus[which], &one);
    return one;
}

/* Threads that end meanwhile are none of ours to move. */
static int move_all(const cpu_set_t *to)
{
    int moved = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
        const pid_t tid = (pid_t) atol(task->d_name);
        moved += tid > 0 && sched_setaffinity(tid, sizeof(*to), to) == 0;
    }
    if (tasks != NULL) {
        closedir(tasks);
    }
    return moved;
}

int affinity_main(int argc, char **argv)
{
    const int times = argc > 1 ? atoi(argv[1]) : 200;
    uint64_t random = (uint64_t) getpid();
    cpu_set_t allowed, set;
    check_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE);
    check(sched_getaffinity(0, sizeof(allowed), &allowed) == 0, "the CPUs of this process");
    traffic_start(&(traffic_options_t){.threads = 3});
    for (int i = 0; i < times; i++) {
        usleep((useconds_t) (random_next(&random) % 4000));
        set = choose(&allowed, random_next(&random));
        if (0 == i % 2) {
            check(move_all(&set) > 3, "all threads are moved");
        } else if (traffic_tid(i % 3) > 0) {
            check(sched_setaffinity(traffic_tid(i % 3), sizeof(set), &set) == 0, "one is moved");
        }
    }
    move_all(&allowed);
    traffic_wait(100);
    traffic_stop();
    return check_finish();
}
