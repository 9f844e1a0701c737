/* SPDX-License-Identifier: BSD-3-Clause */
/* The variables dt_dame_last_run_<name> of ompi_info. */
#ifndef DT_SHOW_LAST_RUN_H
#define DT_SHOW_LAST_RUN_H

/* Reads the file and registers them, as constants. A file that is missing or damaged: "none
 * recorded". Once a process. */
void dt_last_run_register(void);

#endif
