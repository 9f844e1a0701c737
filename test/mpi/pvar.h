/* SPDX-License-Identifier: BSD-3-Clause */
/* DAME's counters and parameters, read as any tool would: through MPI_T, by name. */
#ifndef TEST_MPI_PVAR_H
#define TEST_MPI_PVAR_H

#include <stdbool.h>

/* Starts all performance variables with the prefix in their name; returns their number. Open MPI
 * gives counters as counts since their start. */
int pvar_start(const char *prefix);
/* Since pvar_start: one variable, -1 if it is not there; the sum of those with a word in their
 * name.
 */
long long pvar_read(const char *name);
long long pvar_sum(const char *word);
void pvar_done(void);

/* A control variable as text, between pvar_start and pvar_done; false if absent. */
bool cvar_read(const char *name, char *text, int room);
/* MPI_T_cvar_write's result for another value; MPI_T_ERR_INVALID_NAME if no such int exists. */
int cvar_write(const char *name, int value);

#endif
