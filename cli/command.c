/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int command_beside(const char *name, char *path, size_t room)
{
    const ssize_t n = readlink("/proc/self/exe", path, room - 1);
    path[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash != NULL) {
        snprintf(slash + 1, room - (size_t) (slash + 1 - path), "%s", name);
    }
    return slash != NULL;
}

const char *command_directory(void)
{
    static char path[PATH_MAX];
    return command_beside("../libexec/dame", path, sizeof(path)) && access(path, X_OK) == 0
               ? path
               : TOOL_LIBEXECDIR;
}

void command_of_ours(const char *name, char *path, size_t room)
{
    if (!command_beside(name, path, room) || access(path, X_OK) != 0) {
        snprintf(path, room, "%s/%s", command_directory(), name);
    }
}

/* `input`: -1: none. */
static pid_t start(const char *const argv[], int input, int output)
{
    const pid_t child = fork();
    if (child != 0) {
        return child;
    }
    setpgid(0, 0);
    input = input < 0 ? open("/dev/null", O_RDONLY) : input;
    if (input >= 0 && dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
        dup2(output, STDERR_FILENO) >= 0) {
        execvp(argv[0], (char *const *) (uintptr_t) argv);
    }
    _exit(127);
}

static long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Copies what comes from `input` until its end. Returns 0 when it has not ended in time. */
static int collect(int input, FILE *out, int seconds)
{
    const long end = now_ms() + 1000L * seconds;
    for (;;) {
        char bytes[4096];
        struct pollfd poller = {.fd = input, .events = POLLIN};
        const long left = end - now_ms();
        if (left <= 0 || (poll(&poller, 1, (int) left) == 0)) {
            return 0;
        }
        const ssize_t n = read(input, bytes, sizeof(bytes));
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return 1;
        }
        if (n > 0) {
            fwrite(bytes, 1, (size_t) n, out);
        }
    }
}

char *command_output(const char *const argv[], int seconds, int *code)
{
    char *text = NULL;
    size_t length;
    int ends[2];
    int status = 0;
    *code = -1;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return NULL;
    }
    const pid_t child = start(argv, -1, ends[1]);
    close(ends[1]);
    FILE *out = child < 0 ? NULL : open_memstream(&text, &length);
    if (out == NULL || !collect(ends[0], out, seconds)) {
        if (child > 0) {
            kill(-child, SIGKILL);
        }
    }
    close(ends[0]);
    if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)) {
        *code = WEXITSTATUS(status);
    }
    if (out != NULL && fclose(out) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

pid_t command_start(const char *const argv[], int *line)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return -1;
    }
    const pid_t child = start(argv, ends[1], ends[1]);
    close(ends[1]);
    *line = ends[0];
    if (child < 0) {
        close(ends[0]);
    }
    return child;
}

char *command_line(const char *text, const char *prefix)
{
    const size_t length = strlen(prefix);
    while (text != NULL && *text != '\0') {
        const size_t line = strcspn(text, "\n");
        if (strncmp(text, prefix, length) == 0) {
            return strndup(text + length, line - length);
        }
        text += line + (text[line] == '\n');
    }
    return NULL;
}
