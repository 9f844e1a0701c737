/*
 * Messages for those who asked for them (parameter verbose); glue.h has those for everybody.
 */
#ifndef DT_LOG_H
#define DT_LOG_H

#include "glue.h"

/*
 * From now on: the opal_output stream for messages that depend on the verbosity, and where the
 * verbosity is. It may change at any time, and must stay where it is.
 */
void dt_log_start(int stream, const int *verbosity);
int dt_log_stream(void);

extern const int *dt_log_verbosity; /* never NULL */

static inline bool dt_log_wants(dt_log_level_t level)
{
    return __builtin_expect(*(const volatile int *) dt_log_verbosity >= (int) level, 0);
}

/* What is set up or decided, once a process: shown at DT_LOG_SETUP. */
__attribute__((format(printf, 1, 2))) void dt_log(const char *format, ...);

/* Is this the process of its node that speaks, and writes, for the others? */
bool dt_log_speaks_for_node(void);

/* The same about a datatype, at a verbosity. The line starts with the datatype's name; "" when it
 * has none. */
__attribute__((format(printf, 3, 4))) void dt_log_of(dt_log_level_t level, const char *name,
                                                     const char *format, ...);

#endif
