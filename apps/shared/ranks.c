/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* mkdtemp */
#include "ranks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spawn.h"
#include "tool.h"

void ranks_library(const char *below, const char *name, char *directory, size_t room)
{
    char path[PATH_MAX], at[PATH_MAX], file[PATH_MAX + 64];
    snprintf(path, sizeof(path), "../%s/.libs", below);
    spawn_beside(path, at, sizeof(at));
    snprintf(file, sizeof(file), "%s/lib%s.so", at, name);
    if (access(file, R_OK) != 0) { /* it is installed */
        spawn_beside("", at, sizeof(at));
    }
    snprintf(directory, room, "%s", realpath(at, path) != NULL ? path : at);
}

int ranks_directory(const char *command, char prefix[RANKS_PATH])
{
    char directory[64], here[PATH_MAX];
    snprintf(directory, sizeof(directory), "./dame-%s-XXXXXX", command);
    if (getcwd(here, sizeof(here)) == NULL || mkdtemp(directory) == NULL) {
        return tool_error(TOOL_SYSTEM, "a directory for what ranks write: %s", strerror(errno));
    }
    snprintf(prefix, RANKS_PATH, "%.*s/%s/rank", RANKS_PATH - 96, here, directory + 2);
    return TOOL_OK;
}

void ranks_remove(const char *prefix)
{
    char directory[RANKS_PATH];
    snprintf(directory, sizeof(directory), "%s", prefix);
    *strrchr(directory, '/') = '\0';
    DIR *open = opendir(directory);
    for (struct dirent *file; open != NULL && (file = readdir(open)) != NULL;) {
        unlinkat(dirfd(open), file->d_name, 0);
    }
    if (open != NULL) {
        closedir(open);
    }
    rmdir(directory);
}

int ranks_run(char **argv)
{
    /* Ctrl-C ends the job, which says how; its files must be removed. */
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    fflush(NULL);
    sigaction(SIGINT, &ignore, &before);
    int said[2], error = 0; /* why it cannot be started */
    if (pipe2(said, O_CLOEXEC) != 0) {
        said[0] = said[1] = -1;
    }
    pid_t child = fork();
    if (child == 0) {
        sigaction(SIGINT, &before, NULL);
        execvp(argv[0], argv);
        error = errno;
        (void) !write(said[1], &error, sizeof(error));
        _exit(127);
    }
    close(said[1]);
    if (child < 0) {
        error = errno;
    } else if (read(said[0], &error, sizeof(error)) != sizeof(error)) {
        error = 0;
    }
    close(said[0]);
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    sigaction(SIGINT, &before, NULL);
    if (error != 0) {
        tool_error(TOOL_SYSTEM, "%s: %s", argv[0], strerror(error));
        return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
