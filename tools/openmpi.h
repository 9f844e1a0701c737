/* SPDX-License-Identifier: BSD-3-Clause */
/* Open MPI's own programs, and what ompi_info prints. */
#ifndef OPENMPI_H
#define OPENMPI_H

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

/* The rest of the line of that text that starts with `prefix`, such as a parameter's value; the
 * caller frees. NULL if absent. */
char *openmpi_value(const char *text, const char *prefix);

#endif
