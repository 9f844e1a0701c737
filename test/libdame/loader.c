/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that is not linked with the library: it loads it, uses it, unloads it, and again. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dame/datatype.h"

/* A function of the library by its name, with the type that the header gives it. */
#define FUNCTION(name) ((__typeof__(&name)) find(library, #name))

static void *find(void *library, const char *name)
{
    void *function = dlsym(library, name);
    if (!function) {
        printf("FAILED: %s\n", dlerror());
        exit(EXIT_FAILURE);
    }
    return function;
}

static int use(void *library)
{
    dame_context_t *context;
    dame_datatype_t *basic, *column;
    int matrix[12], packed[3];
    for (int i = 0; i < 12; i++) {
        matrix[i] = i;
    }
    if (FUNCTION(dame_context_new)(NULL, &context) != DAME_OK ||
        FUNCTION(dame_datatype_basic)(context, "int", 0, &basic) != DAME_OK ||
        FUNCTION(dame_datatype_vector)(3, 1, 4, basic, &column) != DAME_OK ||
        FUNCTION(dame_datatype_commit)(column) != DAME_OK ||
        FUNCTION(dame_pack)(column, 1, matrix, 0, packed, sizeof packed, NULL) != DAME_OK) {
        printf("FAILED: %s\n", FUNCTION(dame_error_message)());
        return 0;
    }
    FUNCTION(dame_datatype_free)(column);
    FUNCTION(dame_datatype_free)(basic);
    FUNCTION(dame_context_free)(context);
    return packed[0] == 0 && packed[1] == 4 && packed[2] == 8;
}

/* What the library left behind does no harm to fork(). */
static int forks(void)
{
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0;
    for (int i = 0; argc == 2 && i < 50; i++) {
        void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            printf("FAILED: %s\n", dlerror());
            break;
        }
        if (use(library)) {
            passed++;
        } else {
            failed++;
        }
        dlclose(library);
    }
    failed += !forks();
    failed += passed + failed == 0;
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
