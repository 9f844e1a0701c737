/* SPDX-License-Identifier: BSD-3-Clause */
/* The last run's file as ompi_info reads it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "damage.h"
#include "ompi-mca-dame/show_last_run.h"
#include "opal-glue/abi/abi.h"

static char *values[32]; /* that ompi_info would show */
static int nvalues;

/* In place of Open MPI's. */
int mca_base_var_register(const char *project, const char *framework, const char *component,
                          const char *name, const char *description, mca_base_var_type_t type,
                          mca_base_var_enum_t *enumerator, int bind, mca_base_var_flag_t flags,
                          mca_base_var_info_lvl_t level, mca_base_var_scope_t scope, void *storage)
{
    (void) project, (void) framework, (void) component, (void) name, (void) description;
    (void) type, (void) enumerator, (void) bind, (void) flags, (void) level, (void) scope;
    values[nvalues++] = *(char **) storage;
    return 0;
}

/* As the file has it: "\nNAME=VALUE\n"? */
static int is_in_file(const char *value)
{
    char line[1000];
    const int length = snprintf(line, sizeof(line), "=%s\n", value);
    return (size_t) length < sizeof(line) &&
           memmem(damage_original, damage_size, line, (size_t) length) != NULL;
}

static int read_last_run(int same, char *why, size_t room)
{
    int none = 0, found = 0;
    nvalues = 0;
    dt_last_run_register();
    for (int i = 0; i < nvalues; i++) {
        none += NULL != values[i] && strcmp(values[i], "none recorded") == 0;
        found += NULL != values[i] && is_in_file(values[i]);
    }
    snprintf(why, room, "of %d values %d are none and %d the file's", nvalues, none, found);
    /* A byte of a value that is another is shown as it is. */
    return nvalues > 0 && (same ? found == nvalues : none == nvalues || found >= nvalues - 1);
}

static void prepare(void)
{
    setenv("HOME", damage_directory, 1);
    snprintf(damage_path, sizeof(damage_path), "%s/.openmpi", damage_directory);
    mkdir(damage_path, 0700);
    snprintf(damage_path, sizeof(damage_path), "%s/.openmpi/dame-last-run", damage_directory);
}

const damage_kind_t damage_last_run = {
    .name = "last-run", .read = read_last_run, .prepare = prepare};
