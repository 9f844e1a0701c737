/*
 * Messages for those who asked for them (parameter verbose); glue.h has those for everybody.
 */
#ifndef DT_LOG_H
#define DT_LOG_H

#include "glue.h"

/* The opal_output stream to use from now on for messages that depend on the verbosity. */
void dt_log_start(int stream);
int dt_log_stream(void);

/* What is set up or decided, once a process or a datatype: shown at DT_LOG_SETUP. */
__attribute__((format(printf, 1, 2))) void dt_log(const char *format, ...);

#endif
