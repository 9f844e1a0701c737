/* SPDX-License-Identifier: BSD-3-Clause */
#include "timing.h"
#include "apps/clang/guard.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Starts dame(1), which has said where it is when it started this program. */
static int start(const char *path, const char *with, int output, pid_t *child)
{
    const char *dame = getenv("DAME_PROGRAM");
    const char *argv[] = {dame ? dame : "dame",   "suggest", "--program", path,
                          with ? "--with" : NULL, with,      NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);

    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
        if (error == 0) {
            error = posix_spawnp(child, argv[0], &actions, NULL, (char *const *) argv, environ);
        }
        posix_spawn_file_actions_destroy(&actions);
    }
    return error;
}

/* The lines from "measured" on; false if absent. */
static bool copy_lines(FILE *in, FILE *out)
{
    char *line = NULL;
    size_t room = 0;
    bool measured = false;

    while (getline(&line, &room, in) > 0) {
        measured |= strncmp(line, "  measured ", 11) == 0;
        if (measured) {
            fputs(line, out);
        }
    }
    free(line);
    return measured;
}

static bool run(const char *path, const char *with, FILE *out)
{
    int ends[2], status, error = pipe(ends) == 0 ? 0 : errno;
    bool measured = false;
    pid_t child;
    FILE *in;

    if (error == 0) {
        error = start(path, with, ends[1], &child);
        close(ends[1]);
        in = fdopen(ends[0], "r");
        if (in) {
            measured = copy_lines(in, out);
            fclose(in);
        }
        if (error == 0) {
            waitpid(child, &status, 0);
        }
    }
    if (error != 0) {
        fprintf(out, "  not measured: dame(1) cannot be started: %s\n", strerror(error));
    }
    return measured || error != 0;
}

void timing_print(const struct site *site, const char *with, FILE *out)
{
    char path[] = "/tmp/dame-suggest.XXXXXX";
    int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    bool written = file && access_print(site->program, file) == 0;

    fflush(out);
    guard_no_limits();
    if (file) {
        written = fclose(file) == 0 && written;
    }
    if (!written) {
        fprintf(out, "  not measured: %s cannot be written\n", path);
    } else if (!run(path, with, out)) {
        fprintf(out, "  not measured\n");
    }
    if (descriptor >= 0) {
        unlink(path);
    }
}
