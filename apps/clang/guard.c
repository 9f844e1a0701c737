/* SPDX-License-Identifier: BSD-3-Clause */
#include "guard.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ENDED_BY_SIGNAL = 2 };

static char *file; /* shared by the two processes; NULL: there is one */

/* Returns no more. */
static void wait_for(const char *program, pid_t reader)
{
    int status = 0;

    while (waitpid(reader, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) {
        _exit(WEXITSTATUS(status));
    }
    fprintf(stderr, "%s: %s%sthe process that reads it was ended by signal %d (%s)\n", program,
            file, *file ? ": " : "", WTERMSIG(status), strsignal(WTERMSIG(status)));
    _exit(ENDED_BY_SIGNAL);
}

void guard_start(const char *program)
{
    pid_t reader;

    setenv("LIBCLANG_DISABLE_CRASH_RECOVERY", "1", 1); /* its message has many lines */
    signal(SIGCHLD, SIG_DFL); /* ignored, as some parents leave it, the status would be lost */
    file = mmap(NULL, PATH_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (file == MAP_FAILED) {
        file = NULL;
        return;
    }
    fflush(stdout);
    reader = fork();
    if (reader > 0) {
        wait_for(program, reader);
    } else if (reader == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
}

void guard_file(const char *path)
{
    if (file) {
        snprintf(file, PATH_MAX, "%s", path);
    }
}
