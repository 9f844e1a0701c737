/* SPDX-License-Identifier: BSD-3-Clause */
/* DAME's counters and parameters, read as any tool would: through MPI_T, by name. */
#ifndef TEST_MPI_PVAR_H
#define TEST_MPI_PVAR_H

#include <stdbool.h>

/* Starts all performance variables whose name has the prefix; returns how many there are. Open MPI
   gives counters as what was counted since their start. */
int pvar_start(const char *prefix);
/* Since pvar_start: one variable, -1 if it is not there; the sum of those whose name holds a word.
 */
long long pvar_read(const char *name);
long long pvar_sum(const char *word);
void pvar_done(void);

/* A control variable as text, between pvar_start and pvar_done; false if there is none. */
bool cvar_read(const char *name, char *text, int room);
/* What MPI_T_cvar_write says to another value; MPI_T_ERR_INVALID_NAME if there is no such int. */
int cvar_write(const char *name, int value);

#endif
