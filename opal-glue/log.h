/*
 * Messages for those who asked for them (parameter verbose), on the component's output stream.
 */
#ifndef DT_LOG_H
#define DT_LOG_H

/* The opal_output stream to use from now on. */
void dt_log_start(int stream);
int dt_log_stream(void);

/* What is set up or decided, once a process or a datatype: shown at verbosity 10. */
__attribute__((format(printf, 1, 2))) void dt_log(const char *format, ...);

/* What all processes of a node find out alike: one of them, the first on the node, shows it
 * whatever the verbosity, and the others at verbosity 10. */
__attribute__((format(printf, 1, 2))) void dt_log_once_a_node(const char *format, ...);

#endif
