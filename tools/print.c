/* SPDX-License-Identifier: BSD-3-Clause */
/* dame print: a program's canonical text. */
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/program.h"

static int print(void *unused, const char *path)
{
    dame_program_t *program;
    (void) unused;
    int code = tool_load(path, &program);
    if (code == TOOL_OK) {
        dame_program_print(program, stdout);
        dame_program_free(program);
    }
    return code;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {{0}};
    if (tool_option(argc, argv, ":", longs) != -1) {
        return TOOL_USAGE;
    }
    return files_each(argc, argv, FILES_OPTIMISED, FILES_LINE, print, NULL);
}

const tool_command_t tool_print = {
    .name = "print",
    .arguments = "FILE...",
    .what = "prints a program in its canonical form; comments are lost",
    .help = "",
    .run = run,
};
