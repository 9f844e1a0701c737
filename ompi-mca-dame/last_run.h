/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file that says what the user's last job with DAME did: written by one process of the job
 * (dt_dame/), read in ompi_info (show_last_run.c).
 */
#ifndef DT_LAST_RUN_H
#define DT_LAST_RUN_H

#include <stdbool.h>
#include <stddef.h>

#define DT_LAST_RUN_FIRST_LINE "DAME last run 2\n"
#define DT_LAST_RUN_LAST_LINE  "end\n"

/* The file's name; false: HOME is not set, or too long. */
bool dt_last_run_file(char *name, size_t room);

#endif
