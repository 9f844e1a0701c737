/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a datatype, in a stock Open MPI: its entry in the table ends with it. */
#ifndef DT_TYPE_END_H
#define DT_TYPE_END_H

#include <stdbool.h>

/* False, with a message once a job: Open MPI is not as expected, and nothing was changed. */
bool dt_type_end_start(void);
void dt_type_end_stop(void);

#endif
