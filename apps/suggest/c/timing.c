/* SPDX-License-Identifier: BSD-3-Clause */
#include "timing.h"
#include "shared/spawn.h"
#include "shared/clang/guard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

void timing_print(const site_t *site, const char *with, FILE *out)
{
    char path[4096];
    const char *given = getenv("DAME_PROGRAM"); /* dame-suggest, which starts this program */
    const char *arguments[] = {given ? given : path,   "--program", "-",
                               with ? "--with" : NULL, with,        NULL};
    FILE *program = tmpfile(), *lines = tmpfile();
    int status, error;

    spawn_beside("dame-suggest", path, sizeof(path));
    fflush(out);
    guard_no_limits();
    if (!program || !lines || access_print(site->program, program) != 0 || fflush(program) != 0 ||
        fseek(program, 0, SEEK_SET) != 0) {
        fprintf(out, "  not measured: a temporary file: %s\n", strerror(errno));
    } else if ((error = spawn_run(arguments, fileno(program), fileno(lines), -1, &status)) != 0) {
        fprintf(out, "  not measured: dame-suggest cannot be started: %s\n", strerror(error));
    } else {
        rewind(lines);
        if (!copy_lines(lines, out)) {
            fprintf(out, "  not measured\n");
        }
    }
    if (program) {
        fclose(program);
    }
    if (lines) {
        fclose(lines);
    }
}
