/*
 * DAME inside Open MPI: from start to stop, the convertors of non-contiguous data are moved by dame
 * programs. One start and one stop a process, from the thread that is in MPI_Init or MPI_Finalize.
 */
#ifndef DT_GLUE_H
#define DT_GLUE_H

#include <stdbool.h>

#include "dame/options.h"
#include "promote.h"

typedef struct dt_glue_options {
    dame_options_t program;         /* how programs are built */
    dt_promote_options_t promotion; /* when programs are compiled, and how */
    bool verify;                    /* compare every fragment with Open MPI's own engine */
    bool times;                     /* take the time of every fragment */
    const char *dump; /* directory for the programs of datatypes, or NULL: not written */
    int dump_limit;   /* at most so many */
    int output;       /* opal_output stream for messages */
} dt_glue_options_t;

/* False, with one message on the output stream, when DAME cannot work here; then nothing was
 * changed and Open MPI's own engine does everything. */
bool dt_glue_start(const dt_glue_options_t *options);

/* Leaves every function pointer as it was found and frees everything. */
void dt_glue_stop(void);

#endif
