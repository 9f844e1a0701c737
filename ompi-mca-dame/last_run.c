/* SPDX-License-Identifier: BSD-3-Clause */
#include "last_run.h"

#include <stdio.h>
#include <stdlib.h>

bool dt_last_run_file(char *name, size_t room)
{
    const char *home = getenv("HOME");
    return home != NULL && *home == '/' &&
           (size_t) snprintf(name, room, "%s/.openmpi/dame-last-run", home) < room;
}
