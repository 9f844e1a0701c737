/* SPDX-License-Identifier: BSD-3-Clause */
/* A task's begin and end: main, exit and atexit. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bamboo/rt/bamboo.h"

/* The program's; a third parameter that it does not declare is not read. */
int main(int argc, char **argv, char **environment);
int bamboo_program(int argc, char **argv, char **environment);

static struct function {
    void (*run)(void);
    struct function *before;
} * functions;

int atexit(void (*run)(void))
{
    struct function *function = malloc(sizeof(*function));
    if (function == NULL) {
        return -1;
    }
    *function = (struct function){run, functions};
    functions = function;
    return 0;
}

/* Ends the task, and no other. */
void exit(int status)
{
    while (functions != NULL) {
        struct function *function = functions;
        functions = function->before;
        function->run();
        free(function);
    }
    fflush(NULL);
    bamboo_exit(status);
}

void _exit(int status)
{
    bamboo_exit(status);
}

void _Exit(int status)
{
    bamboo_exit(status);
}

int bamboo_program(int argc, char **argv, char **environment)
{
    exit(main(argc, argv, environment));
}
