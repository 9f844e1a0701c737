/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The name of a report (parameter report_file): %j in it is the job, %p the process that writes, %%
 * a per cent sign.
 */
#ifndef DT_DAME_REPORT_NAME_H
#define DT_DAME_REPORT_NAME_H

#include <stddef.h>

/* The first % of the pattern that begins none of these; NULL: all do. */
const char *dt_dame_report_name_error(const char *pattern);

/*
 * Writes the name for `job` and `process`, with its 0, into `name`. Returns 0, or ENAMETOOLONG if
 * `room` bytes do not hold it. A % that begins none of the above stays.
 */
int dt_dame_report_name(char *name, size_t room, const char *pattern, const char *job,
                        long process);

#endif
