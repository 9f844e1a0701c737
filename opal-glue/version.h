/* Is the running Open MPI the one we were compiled for? */
#ifndef DT_VERSION_H
#define DT_VERSION_H

#include <stdbool.h>
#include <stddef.h>

/* "4.1.4": what we were compiled for. Static storage. */
const char *dt_version_compiled(void);

/* Writes the running version, or "unknown", to `running` and returns whether the two agree. */
bool dt_version_agrees(char *running, size_t size);

#endif
