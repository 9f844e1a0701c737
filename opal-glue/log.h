/*
 * Messages: for those who asked for them (parameter verbose), and for everybody, once a node or
 * once a job where every process has the same to tell.
 */
#ifndef DT_LOG_H
#define DT_LOG_H

/* The opal_output stream to use from now on for what depends on the verbosity. */
void dt_log_start(int stream);
int dt_log_stream(void);

/* What is set up or decided, once a process or a datatype: shown at verbosity 10. */
__attribute__((format(printf, 1, 2))) void dt_log(const char *format, ...);

/*
 * What all processes of a node, or of a job, find out alike: one of them shows it whatever the
 * verbosity, and the others at verbosity 10. Also before MPI_Init has asked the runtime who is who:
 * the launcher's environment tells. A process that no launcher has numbered shows it.
 */
__attribute__((format(printf, 1, 2))) void dt_log_once_a_node(const char *format, ...);
__attribute__((format(printf, 1, 2))) void dt_log_once_a_job(const char *format, ...);

#endif
