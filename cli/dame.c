/* SPDX-License-Identifier: BSD-3-Clause */
/* dame(1): datatypes as programs, to check, see and measure. */
#include "tool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "dame_config.h"

static const tool_command_t *const commands[] = {
#define COMMAND(name) &tool_##name,
#include "cli/commands.def"
#undef COMMAND
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static void print_help(void)
{
    printf("Usage: dame COMMAND [OPTION]... [FILE]\n\n"
           "Programs of the DAME language say what an MPI datatype moves. FILE holds one as\n"
           "text; '-' is standard input. info, doctor, on and off are about DAME in\n"
           "Open MPI.\n\n");
    for (int i = 0; i < COMMANDS; i++) {
        printf("  dame %-10s %s\n", commands[i]->name, commands[i]->what);
    }
    printf("\n"
           "  dame COMMAND --help  what a command does, and its options\n"
           "  dame --help          this page\n"
           "  dame --version       the version\n\n"
           "Numbers of bytes and counts may end in k, M or G, powers of 1024, in either\n"
           "case.\n\n"
           "Exit codes: 0 success; 1 the input is wrong (not a program, a check failed);\n"
           "2 the command line is wrong; 3 the system failed (input, output,\n"
           "memory).\n");
}

static void print_command_help(const tool_command_t *command)
{
    printf("Usage: dame %s%s%s\n\n%s.\n", command->name, command->arguments[0] == '\0' ? "" : " ",
           command->arguments, command->what);
    if (command->help[0] != '\0') {
        printf("\n%s", command->help);
    }
}

static const tool_command_t *find_command(const char *name)
{
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(name, commands[i]->name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

/* Is --help among the arguments, before a "--"? */
static int asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return 1;
        }
    }
    return 0;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        return tool_error(TOOL_USAGE, "a command is missing; 'dame --help' shows them");
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        (strcmp(argv[1], "help") == 0 && argc == 2)) {
        print_help();
        return TOOL_OK;
    }
    const int help = strcmp(argv[1], "help") == 0; /* of another command */
    argc -= help;
    argv += help;
    if (strcmp(argv[1], "--version") == 0) {
        printf("dame %s\n", DAME_VERSION);
        return TOOL_OK;
    }
    const tool_command_t *command = find_command(argv[1]);
    if (command == NULL) {
        return tool_error(TOOL_USAGE, "'%s' is not a command; 'dame --help' shows them", argv[1]);
    }
    if (help || asks_for_help(argc - 1, argv + 1)) {
        print_command_help(command);
        return TOOL_OK;
    }
    return command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    int code = run(argc, argv);
    errno = 0;
    int failed = ferror(stdout);
    if ((fclose(stdout) != 0 || failed) && code != TOOL_SYSTEM) { /* which has been explained */
        return tool_error(TOOL_SYSTEM, "standard output: %s",
                          errno != 0 ? strerror(errno) : "write error");
    }
    return code;
}
