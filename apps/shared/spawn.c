/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* readlink */
#include "spawn.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void spawn_beside(const char *name, char *path, size_t room)
{
    const ssize_t n = readlink("/proc/self/exe", path, room - 1);
    path[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(path, '/');
    char *end = slash == NULL ? path : slash + 1;
    snprintf(end, room - (size_t) (end - path), "%s", name);
}

int spawn_run(const char *const *arguments, int input, int output, int errors, int *status)
{
    const int given[] = {input, output, errors};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int error = posix_spawn_file_actions_init(&actions);

    if (error) {
        return error;
    }
    for (int to = 0; to < 3 && !error; to++) {
        if (given[to] >= 0) {
            error = posix_spawn_file_actions_adddup2(&actions, given[to], to);
        }
    }
    if (!error) {
        error =
            posix_spawnp(&child, arguments[0], &actions, NULL, (char *const *) arguments, environ);
    }
    posix_spawn_file_actions_destroy(&actions);
    if (error) {
        return error;
    }
    while (waitpid(child, status, 0) < 0) {
        if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}
