/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create */
#endif
#include "guard.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory.h"

enum { FAILED = 1, ENDED = 2, SECONDS = 60, GIBIBYTES = 2, MOST_ENDED = 1000 };

typedef struct place {
    char path[PATH_MAX];
    char function[256]; /* "": the file */
} place_t;

typedef struct ended {
    place_t place;
    char why[100];
} ended_t;

static place_t *now; /* shared by the two processes; NULL: there is one */
static ended_t *ended;
static size_t n_ended;

static bool is_place(const place_t *place, const char *path, const char *function)
{
    return strcmp(place->path, path) == 0 && strcmp(place->function, function ? function : "") == 0;
}

const char *guard_ended(const char *path, const char *function)
{
    size_t i;

    for (i = 0; i < n_ended; i++) {
        if (is_place(&ended[i].place, path, function)) {
            return ended[i].why;
        }
    }
    return NULL;
}

static void write_why(char *why, size_t size, int status)
{
    int ending = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

    if (WIFEXITED(status)) {
        snprintf(why, size, "it takes more than %d GiB of memory", GIBIBYTES);
    } else if (ending == SIGPROF) {
        snprintf(why, size, "it takes more than %d seconds", SECONDS);
    } else {
        snprintf(why, size, "the process that reads it was ended by signal %d (%s)", ending,
                 strsignal(ending));
    }
}

/* Notes it; false: nothing is left out that could help. */
static bool may_help(const ended_t *one, int status)
{
    bool known = guard_ended(one->place.path, one->place.function) != NULL;
    bool asked = WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT ||
                                         WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGHUP);
    ended_t *more = known || asked || n_ended == MOST_ENDED
                        ? NULL
                        : realloc(ended, (n_ended + 1) * sizeof *ended);

    if (!more) {
        return false;
    }
    ended = more;
    ended[n_ended++] = *one;
    return true;
}

/* Prints what a process left; false: it cannot be written. */
static bool copy_output(int from, int to)
{
    char bytes[65536];
    ssize_t n, written, at;

    lseek(from, 0, SEEK_SET);
    while ((n = read(from, bytes, sizeof bytes)) > 0) {
        for (at = 0; at < n; at += written) {
            written = write(to, bytes + at, (size_t) (n - at));
            if (written < 0 && errno != EINTR) {
                return false;
            }
            written = written < 0 ? 0 : written;
        }
    }
    return n == 0;
}

/* Returns no more, unless the process is to be started again. OUTPUT: two files, or -1. */
static void wait_for(const char *program, pid_t reader, const int output[2])
{
    ended_t one = {.why = ""};
    int status = 0;

    while (waitpid(reader, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && (output[0] < 0 || WEXITSTATUS(status) != C_OUT_OF_MEMORY)) {
        status = WEXITSTATUS(status);
        if (output[0] >= 0 &&
            !(copy_output(output[1], STDERR_FILENO) && copy_output(output[0], STDOUT_FILENO))) {
            fprintf(stderr, "%s: standard output: %s\n", program, strerror(errno));
            status = status > FAILED ? status : FAILED;
        }
        _exit(n_ended > 0 ? ENDED : status);
    }
    one.place = *now;
    write_why(one.why, sizeof one.why, status);
    fprintf(stderr, "%s: %s%s%s%s%s\n", program, one.place.path, *one.place.path ? ": " : "",
            one.place.function, *one.place.function ? ": " : "", one.why);
    if (output[0] < 0 || !may_help(&one, status)) {
        _exit(ENDED);
    }
}

void guard_start(const char *program, bool again)
{
    int output[2] = {-1, -1}, i;
    pid_t reader;

    setenv("LIBCLANG_DISABLE_CRASH_RECOVERY", "1", 1); /* its message has many lines */
    signal(SIGCHLD, SIG_DFL); /* ignored, as some parents leave it, the status would be lost */
    now = mmap(NULL, sizeof *now, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (now == MAP_FAILED) {
        now = NULL;
        return;
    }
    fflush(stdout);
    do {
        for (i = 0; i < 2 && again; i++) {
            close(output[i]);
            output[i] = memfd_create("output", MFD_CLOEXEC);
        }
        again = again && output[0] >= 0 && output[1] >= 0;
        output[0] = again ? output[0] : -1;
        memset(now, 0, sizeof *now);
        reader = fork();
        if (reader > 0) {
            wait_for(program, reader, output);
        }
    } while (reader > 0);
    if (reader == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (i = 0; i < 2 && again; i++) {
            dup2(output[i], i == 0 ? STDOUT_FILENO : STDERR_FILENO);
        }
    } else {
        now = NULL;
    }
}

static void limit(rlim_t bytes, time_t seconds)
{
    const struct itimerval timer = {.it_value.tv_sec = seconds};
    struct rlimit memory;

    if (getrlimit(RLIMIT_AS, &memory) == 0) {
        memory.rlim_cur = bytes < memory.rlim_max ? bytes : memory.rlim_max;
        setrlimit(RLIMIT_AS, &memory);
    }
    setitimer(ITIMER_PROF, &timer, NULL);
}

/* Pages of the process; 0: not known. */
static unsigned long pages(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long n = 0;

    if (file) {
        n = fscanf(file, "%lu", &n) == 1 ? n : 0;
        fclose(file);
    }
    return n;
}

void guard_at(const char *path, const char *function)
{
    const rlim_t page = (rlim_t) sysconf(_SC_PAGESIZE);
    rlim_t n;

    if (now) {
        snprintf(now->path, sizeof now->path, "%s", path);
        snprintf(now->function, sizeof now->function, "%s", function ? function : "");
        n = pages();
        limit(n ? n * page + ((rlim_t) GIBIBYTES << 30) : RLIM_INFINITY, SECONDS);
    }
}

void guard_no_limits(void)
{
    limit(RLIM_INFINITY, 0);
}
