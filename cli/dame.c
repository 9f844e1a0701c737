/* SPDX-License-Identifier: BSD-3-Clause */
/* dame(1): datatypes as programs, to check, see and measure. */
#include "tool.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "commands.h"
#include "dame_config.h"

static const tool_command_t *const commands[] = {
#define COMMAND(name) &tool_##name,
#include "cli/commands.def"
#undef COMMAND
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

/* ---- commands that are programs: dame-NAME beside this one, or where its programs are ---- */

enum { PROGRAMS = 32, PROGRAM_NAME = 32 };

/* Returns 0 when there is none. */
static int path_of(const char *name, char path[PATH_MAX])
{
    char program[PROGRAM_NAME + 8];
    snprintf(program, sizeof(program), "dame-%s", name);
    command_of_ours(program, path, PATH_MAX);
    return strlen(name) < PROGRAM_NAME &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyz")] == '\0' && access(path, X_OK) == 0;
}

/* Their names; returns how many. */
static int list_programs(char names[PROGRAMS][PROGRAM_NAME])
{
    char patterns[2][PATH_MAX + 8], path[PATH_MAX];
    int n = 0;
    command_beside("dame-*", patterns[0], PATH_MAX);
    snprintf(patterns[1], sizeof(patterns[1]), "%s/dame-*", command_directory());
    for (int i = 0; i < 2; i++) {
        glob_t found = {0};
        for (size_t k = 0; (k > 0 || glob(patterns[i], 0, NULL, &found) == 0) && k < found.gl_pathc;
             k++) {
            const char *name = strrchr(found.gl_pathv[k], '/') + strlen("/dame-");
            if (n < PROGRAMS && path_of(name, path) && strcmp(path, found.gl_pathv[k]) == 0) {
                snprintf(names[n++], PROGRAM_NAME, "%s", name);
            }
        }
        globfree(&found);
    }
    return n;
}

/* Its --help has what it does behind the usage. */
static void print_program(const char *name)
{
    char path[PATH_MAX];
    int code;
    (void) path_of(name, path);
    char *text = command_output((const char *const[]){path, "--help", NULL}, 10, &code);
    const char *what = text == NULL || code != 0 ? NULL : strstr(text, "\n\n");
    if (what != NULL) {
        printf("  dame %-10s %.*s\n", name, (int) strcspn(what + 2, ".\n"), what + 2);
    }
    free(text);
}

/* Becomes the program, if there is one. */
static void start_program(char **argv, int help)
{
    char path[PATH_MAX];
    if (path_of(argv[0], path)) {
        execv(path, help ? (char *[]){argv[0], (char *) (uintptr_t) "--help", NULL} : argv);
    }
}

/* ---- all commands ---- */

static void print_help(void)
{
    printf("Usage: dame COMMAND [OPTION]... [FILE]\n\n"
           "Programs of the DAME language say what an MPI datatype moves. FILE holds one as\n"
           "text; '-' is standard input. info, doctor, on and off are about DAME in\n"
           "Open MPI.\n\n");
    for (int i = 0; i < COMMANDS; i++) {
        printf("  dame %-10s %s\n", commands[i]->name, commands[i]->what);
    }
    char programs[PROGRAMS][PROGRAM_NAME];
    const int n = list_programs(programs);
    for (int i = 0; i < n; i++) {
        print_program(programs[i]);
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
        start_program(argv + 1, help);
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
