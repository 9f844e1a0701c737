/* How long it takes to compile a program. */
#ifndef COMPILE_TIME_H
#define COMPILE_TIME_H

#include <stdint.h>

#include "jit/dame_jit.h"

/* Nanoseconds. */
typedef struct compile_time {
    double first_ns;
    double median_ns;
    double worst_ns;
} compile_time_t;

/*
 * Of the program that the optimiser makes of `program`.
 *
 * The first compilation of a process, for which a child is made: the calling process must not have
 * compiled anything yet. 0 when nothing could be compiled. An exit code of tool.h, after a message.
 */
int compile_time_first(const dame_jit_options_t *options, const dame_program_t *program,
                       dame_dir_t dir, double *ns);

/* Median and worst of `repeats` compilations, each of a program made anew. As above. */
int compile_time_others(dame_jit_t *jit, const dame_program_t *program, dame_dir_t dir,
                        int64_t repeats, compile_time_t *out);

#endif
