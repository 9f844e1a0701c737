/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages: for every user, once a node or a job, and others at higher verbosity (parameter
 * verbose).
 */
#ifndef DT_LOG_H
#define DT_LOG_H

#include <stdbool.h>

/* Verbosity (parameter verbose) from which on messages are shown that not everybody needs. */
typedef enum dt_log_level {
    DT_LOG_STATE = 1,    /* is DAME on? One line a job */
    DT_LOG_TYPES = 5,    /* datatypes imported, and declined with the reason */
    DT_LOG_SETUP = 10,   /* set-up; programs compiled */
    DT_LOG_MESSAGES = 20 /* every message, and who moves it */
} dt_log_level_t;

/*
 * A message that every process of a node, or of a job, would print. One process prints it at any
 * verbosity, the others only from DT_LOG_SETUP on. Works before MPI_Init knows ranks: the
 * launcher's environment gives them. Without a launcher, the process prints it.
 */
__attribute__((format(printf, 1, 2))) void dt_log_once_a_node(const char *format, ...);
__attribute__((format(printf, 1, 2))) void dt_log_once_a_job(const char *format, ...);

/* Whether DAME is on: one process of a job prints it, `always` or from DT_LOG_STATE on. */
__attribute__((format(printf, 2, 3))) void dt_log_state(bool always, const char *format, ...);

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

/* Set-up and decisions, once a process: shown at DT_LOG_SETUP. */
__attribute__((format(printf, 1, 2))) void dt_log(const char *format, ...);

/* Returns whether this is the process of its node that speaks, and writes, for the others. */
bool dt_log_speaks_for_node(void);

/* The same about a datatype, at a verbosity. The line starts with the datatype's name; "" without a
 * name. */
__attribute__((format(printf, 3, 4))) void dt_log_of(dt_log_level_t level, const char *name,
                                                     const char *format, ...);

#endif
