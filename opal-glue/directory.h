/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DT_DIRECTORY_H
#define DT_DIRECTORY_H

/* Why no file can be made in a directory, as an error number; 0: nothing is known to prevent it. */
int dt_directory_error(const char *path);

#endif
