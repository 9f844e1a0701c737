/* Is the running Open MPI the one we were compiled for? */
#ifndef DT_VERSION_H
#define DT_VERSION_H

#include <stdbool.h>

/* False, with a message once a job, when it is not: then nothing of its internals may be touched.
 */
bool dt_version_agrees(void);

#endif
