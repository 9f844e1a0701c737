/* SPDX-License-Identifier: BSD-3-Clause */
#include "openmpi.h"

#include <stddef.h>
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
