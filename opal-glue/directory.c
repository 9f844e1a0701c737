/* SPDX-License-Identifier: BSD-3-Clause */
/* Directories that users name (glue.h). */
#include "directory.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

int dt_directory_error(const char *path)
{
    struct stat found;
    if (stat(path, &found) != 0) {
        return errno;
    }
    if (!S_ISDIR(found.st_mode)) {
        return ENOTDIR;
    }
    return access(path, W_OK | X_OK) == 0 ? 0 : errno;
}
