/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiler arguments from compile_commands.json. */
#include "tree.h"

#include <clang-c/CXCompilationDatabase.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char *copy_of(CXString string)
{
    char *copy = c_checked(strdup(clang_getCString(string) ? clang_getCString(string) : ""));

    clang_disposeString(string);
    return copy;
}

static bool is_the_file(const char *argument, const char *file)
{
    const char *a = strrchr(argument, '/'), *b = strrchr(file, '/');

    return strcmp(argument, file) == 0 || strcmp(a ? a + 1 : argument, b ? b + 1 : file) == 0;
}

/* What follows a command's compiler, without what names outputs and the file. */
static int arguments_of(CXCompileCommand command, const char *path, char **arguments)
{
    unsigned i, n = clang_CompileCommand_getNumArgs(command);
    int used = 0;

    for (i = 1; i < n; i++) {
        char *argument = copy_of(clang_CompileCommand_getArg(command, i));

        if (strcmp(argument, "-o") == 0 || strcmp(argument, "-MF") == 0 ||
            strcmp(argument, "-MT") == 0 || strcmp(argument, "-MQ") == 0) {
            i++;
        } else if (strcmp(argument, "-c") != 0 && strcmp(argument, "--") != 0 &&
                   strncmp(argument, "-M", 2) != 0 && !is_the_file(argument, path)) {
            arguments[used++] = argument;
            continue;
        }
        free(argument);
    }
    return used;
}

int c_database(const char *build, const char *path, char ***arguments)
{
    CXCompilationDatabase_Error error;
    CXCompilationDatabase database;
    CXCompileCommands commands;
    char *whole = realpath(path, NULL);
    int n = -1;

    *arguments = NULL;
    if (!whole) {
        fprintf(stderr, "dame suggest: %s: no such file\n", path);
        return -1;
    }
    database = clang_CompilationDatabase_fromDirectory(build, &error);
    if (error != CXCompilationDatabase_NoError) {
        struct stat status;
        char file[4096];

        snprintf(file, sizeof file, "%s/compile_commands.json", build);
        fprintf(stderr, "dame suggest: -p %s: %s\n", build,
                stat(file, &status) ? "there is no compile_commands.json"
                                    : "compile_commands.json is not a compilation database");
        free(whole);
        return -1;
    }
    commands = clang_CompilationDatabase_getCompileCommands(database, whole);
    if (!commands || clang_CompileCommands_getSize(commands) == 0) {
        fprintf(stderr, "dame suggest: -p %s: no command for %s in compile_commands.json\n", build,
                whole);
    } else {
        CXCompileCommand command = clang_CompileCommands_getCommand(commands, 0);
        unsigned size = clang_CompileCommand_getNumArgs(command);
        char *directory = copy_of(clang_CompileCommand_getDirectory(command));

        *arguments = c_checked(calloc(size + 3, sizeof **arguments));
        n = arguments_of(command, whole, *arguments);
        if (directory[0]) {
            (*arguments)[n++] = c_printed("-working-directory=%s", directory);
        }
        free(directory);
    }
    if (commands) {
        clang_CompileCommands_dispose(commands);
    }
    clang_CompilationDatabase_dispose(database);
    free(whole);
    return n;
}

void c_database_free(char **arguments, int n)
{
    int i;

    for (i = 0; i < n; i++) {
        free(arguments[i]);
    }
    free(arguments);
}
