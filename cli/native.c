/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "native.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "text.h"

enum { PATIENCE = 30000 }; /* ms */

static void lose(native_t *native, const char *why)
{
    snprintf(native->missing, sizeof(native->missing), "%s",
             *why == '\0' ? "native_time failed" : why);
}

/* The next line that begins with `prefix`, without it. 0: there is none; then it is missing, for
 * the reason that the last line gave. */
static int read_answer(native_t *native, const char *prefix, char *line, size_t room)
{
    const size_t length = strlen(prefix);
    char byte, last[sizeof(native->missing)] = "";
    size_t n = 0;
    for (;;) {
        struct pollfd poller = {.fd = native->line, .events = POLLIN};
        const int ready = poll(&poller, 1, PATIENCE);
        const ssize_t got = ready > 0 ? read(native->line, &byte, 1) : -1;
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            lose(native, ready == 0 ? "native_time does not answer" : last);
            return 0;
        }
        if (byte != '\n') {
            line[n] = byte;
            n += n + 1 < room;
            continue;
        }
        line[n] = '\0';
        if (strncmp(line, prefix, length) == 0) {
            memmove(line, line + length, n - length + 1);
            return 1;
        }
        snprintf(last, sizeof(last), "%s", line);
        n = 0;
    }
}

static void run(native_t *native, const char *program, const char *expression, int64_t size,
                int64_t count)
{
    char numbers[2][TEXT_NUMBER], line[256];
    snprintf(numbers[0], TEXT_NUMBER, "%lld", (long long) count);
    snprintf(numbers[1], TEXT_NUMBER, "%lld", (long long) size);
    const char *argv[] = {program, numbers[0], numbers[1], expression, NULL};
    native->process = command_start(argv, &native->line);
    if (native->process < 0) {
        native->process = 0;
        lose(native, strerror(errno));
    } else {
        (void) read_answer(native, "ready", line, sizeof(line));
    }
}

void native_start(native_t *native, const char *expression, int64_t size, int64_t count)
{
    char program[4096];
    *native = (native_t){.missing = ""};
    const char *missing = NULL;
    command_of_ours("native_time", program, sizeof(program));
    if (expression == NULL) {
        missing = "the calls that make the datatype are not known";
    } else if (strlen(expression) > NATIVE_LONGEST) {
        missing = "the calls that make the datatype are too long";
    } else if (size > INT_MAX / count) {
        missing = "MPI_Pack counts bytes in an int";
    } else if (access(program, X_OK) != 0) {
        missing = "built without Open MPI";
    }
    if (missing != NULL) {
        lose(native, missing);
    } else {
        run(native, program, expression, size, count);
    }
}

double native_seconds(native_t *native, int unpacks, int64_t times)
{
    char line[256];
    double seconds = 1;
    const int n = snprintf(line, sizeof(line), "%d %lld\n", unpacks, (long long) times);
    if (native->missing[0] != '\0' ||
        (send(native->line, line, (size_t) n, MSG_NOSIGNAL) != n &&
         (lose(native, "native_time ended"), 1)) ||
        !read_answer(native, "took: ", line, sizeof(line))) {
        return seconds;
    }
    if (sscanf(line, "%lf %lf %lf", &seconds, &native->waited.ran, &native->waited.waited) != 3 ||
        seconds < 0) {
        lose(native, "native_time prints something else");
        seconds = 1;
    }
    return seconds;
}

void native_end(native_t *native)
{
    if (native->process > 0) {
        close(native->line); /* it ends where its input does */
        if (native->missing[0] != '\0') {
            kill(-native->process, SIGKILL);
        }
        while (waitpid(native->process, NULL, 0) < 0 && errno == EINTR) {
        }
        native->process = 0;
    }
}
