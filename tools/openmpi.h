/* SPDX-License-Identifier: BSD-3-Clause */
/* Open MPI's own programs, and what ompi_info prints. */
#ifndef OPENMPI_H
#define OPENMPI_H

#include <stddef.h>

enum { OPENMPI_INFO_SECONDS = 60 };

/* As configured where that is still there, else what PATH has. */
const char *openmpi_info(void);
const char *openmpi_mpirun(void);

/* What ompi_info prints of all parameters of a component; the caller frees. NULL: it does not run.
 */
char *openmpi_parameters(const char *framework, const char *component);

/* The same of Open MPI's own, such as the places of components and parameter files; asked once, and
 * not to be freed. */
const char *openmpi_base(void);

/* A variable of the environment in a process that mpirun starts; the caller frees. NULL: it is not
 * set there, or mpirun does not run. */
char *openmpi_rank_variable(const char *name);

/* For root, whom mpirun refuses unless told twice. */
void openmpi_allow_root(void);

/* The next place of a file in the colon-separated list at *path, which moves behind it. Returns 0
 * at the end of the list. `room` as for snprintf(). */
int openmpi_next_in(const char **path, const char *name, char *found, size_t room);

/* The rest of the line of that text that starts with `prefix`, such as a parameter's value; the
 * caller frees. NULL if absent. */
char *openmpi_value(const char *text, const char *prefix);

#endif
