/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* setenv */
#include "openmpi.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"

static const char *program(const char *configured, const char *name)
{
    return *configured != '\0' && access(configured, X_OK) == 0 ? configured : name;
}

const char *openmpi_info(void)
{
    return program(TOOL_OMPI_INFO, "ompi_info");
}

const char *openmpi_mpirun(void)
{
    return program(TOOL_MPIRUN, "mpirun");
}

char *openmpi_parameters(const char *framework, const char *component)
{
    const char *const argv[] = {openmpi_info(), "--parsable", "--param", framework,
                                component,      "--level",    "9",       NULL};
    int code;
    return command_output(argv, OPENMPI_INFO_SECONDS, &code);
}

const char *openmpi_base(void)
{
    static char *text;
    if (text == NULL) {
        text = openmpi_parameters("mca", "base");
    }
    return text;
}

void openmpi_allow_root(void)
{
    static const char *const names[] = {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                                        "PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"};
    for (size_t i = 0; geteuid() == 0 && i < sizeof(names) / sizeof(names[0]); i++) {
        setenv(names[i], "1", 1);
    }
}

char *openmpi_rank_variable(const char *name)
{
    char prefix[128];
    const char *const argv[] = {openmpi_mpirun(), "-np", "1", "env", NULL};
    int code;
    openmpi_allow_root();
    snprintf(prefix, sizeof(prefix), "%s=", name);
    char *text = command_output(argv, OPENMPI_INFO_SECONDS, &code);
    char *value = code == 0 ? command_line(text, prefix) : NULL;
    free(text);
    return value;
}

int openmpi_next_in(const char **path, const char *name, char *found, size_t room)
{
    while (*path != NULL && **path != '\0') {
        const size_t length = strcspn(*path, ":");
        snprintf(found, room, "%.*s/%s", (int) length, *path, name);
        *path += length + ((*path)[length] == ':');
        if (access(found, F_OK) == 0) {
            return 1;
        }
    }
    return 0;
}

char *openmpi_value(const char *text, const char *prefix)
{
    char *value = command_line(text, prefix);
    const size_t length = value == NULL ? 0 : strlen(value);
    if (length >= 2 && value[0] == '"' && value[length - 1] == '"') { /* it has a colon */
        memmove(value, value + 1, length - 2);
        value[length - 2] = '\0';
    }
    return value;
}
