/* SPDX-License-Identifier: BSD-3-Clause */
#include "show_last_run.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ompi-mca-dame/last_run.h"
#include "opal-glue/abi/abi.h"

static const struct {
    const char *name;
    const char *description;
} variables[] = {
#define DT_LAST_RUN(name, description) {#name, description},
#include "ompi-mca-dame/last_run.def"
#undef DT_LAST_RUN
};

enum { VARIABLES = sizeof(variables) / sizeof(variables[0]), LARGEST_FILE = 64 << 10 };

static char *values[VARIABLES]; /* MCA's */
static char text[LARGEST_FILE];

/* Nothing but a regular file: ompi_info would wait for what a pipe has to say. */
static bool read_file(void)
{
    char name[4096];
    struct stat about;
    const int fd =
        dt_last_run_file(name, sizeof(name)) ? open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (0 > fd) {
        return false;
    }
    const ssize_t n =
        fstat(fd, &about) == 0 && S_ISREG(about.st_mode) ? read(fd, text, sizeof(text) - 1) : -1;
    (void) close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 && strlen(text) == (size_t) n;
}

/* `line` is "name=value\n" and becomes "value"; returns the next line, or NULL: it is not. */
static char *take_value(char *line, const char *name, char **value)
{
    const size_t length = strlen(name);
    char *end = strchr(line, '\n');
    if (end == NULL || strncmp(line, name, length) != 0 || line[length] != '=') {
        return NULL;
    }
    *end = '\0';
    *value = line + length + 1;
    return end + 1;
}

/* Whole or not at all. */
static bool parse_last_run(void)
{
    char *at = text;
    if (strncmp(at, DT_LAST_RUN_FIRST_LINE, sizeof(DT_LAST_RUN_FIRST_LINE) - 1) != 0) {
        return false;
    }
    at += sizeof(DT_LAST_RUN_FIRST_LINE) - 1;
    for (int i = 0; i < VARIABLES && at != NULL; i++) {
        at = take_value(at, variables[i].name, &values[i]);
    }
    return at != NULL && strcmp(at, DT_LAST_RUN_LAST_LINE) == 0;
}

void dt_last_run_register(void)
{
    static char none[] = "none recorded";
    const bool recorded = read_file() && parse_last_run();
    for (int i = 0; i < VARIABLES; i++) {
        char name[64];
        if (!recorded) {
            values[i] = none;
        }
        (void) snprintf(name, sizeof(name), "last_run_%s", variables[i].name);
        (void) mca_base_var_register("opal", "dt", "dame", name, variables[i].description,
                                     MCA_BASE_VAR_TYPE_STRING, NULL, 0,
                                     MCA_BASE_VAR_FLAG_DEFAULT_ONLY, OPAL_INFO_LVL_4,
                                     MCA_BASE_VAR_SCOPE_CONSTANT, &values[i]);
    }
}
