/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* mkdtemp */
#include "ranks.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
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
    posix_spawnattr_t attributes;
    sigset_t again;
    pid_t child;
    int status = 0;
    fflush(NULL);
    sigaction(SIGINT, &ignore, &before);
    sigemptyset(&again);
    if (before.sa_handler != SIG_IGN) {
        sigaddset(&again, SIGINT);
    }
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &again);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    const int error = posix_spawnp(&child, argv[0], NULL, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    while (error == 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    sigaction(SIGINT, &before, NULL);
    if (error != 0) {
        tool_error(TOOL_SYSTEM, "%s: %s", argv[0], strerror(error));
        return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
