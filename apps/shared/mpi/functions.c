/* SPDX-License-Identifier: BSD-3-Clause */
#include "functions.h"

#include <stddef.h>
#include <string.h>

#define ROLE_OF(role, name) ROLE_##role

static const mpi_function_t functions[] = {
#define CALL(kind, task, name, fortran, ...)                                                       \
    {"MPI_" #name, KIND_##kind, TASK_##task, {EACH(ROLE_OF, __VA_ARGS__)}},
#define LOCAL(kind, task, name) {"MPI_" #name, KIND_##kind, TASK_##task, {ROLE_NONE}},
#include "mpi.def"
};

const mpi_function_t *mpi_function(const char *name)
{
    static const mpi_function_t unknown = {"", KIND_UNKNOWN, TASK_REFUSED, {ROLE_NONE}};
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (strcmp(functions[i].name, name) == 0) {
            return &functions[i];
        }
    }
    return &unknown;
}
