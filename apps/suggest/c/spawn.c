/* SPDX-License-Identifier: BSD-3-Clause */
#include "spawn.h"

#include <errno.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int spawn_run(const char *const *arguments, int input, int output, int *status)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int error = posix_spawn_file_actions_init(&actions);

    if (error) {
        return error;
    }
    if (input >= 0) {
        error = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    }
    if (!error && output >= 0) {
        error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
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
