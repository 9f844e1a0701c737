/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known about functions by their names: MPI's, and the C library's hidden state. */
#include "translate.h"

#include <string.h>

#include "apps/mpi/functions.h"

static const struct {
    const char *name, *instead;
} states[] = {
#define STATE(name, instead) {#name, instead},
#include "libc.def"
};

enum call_kind tr_call_kind(const char *name, const char **advice)
{
    static const enum call_kind kinds[] = {[TASK_REFUSED] = CALL_UNKNOWN_MPI,
                                           [TASK_SUSPENDS] = CALL_SUSPENDS,
                                           [TASK_AT_ONCE] = CALL_AT_ONCE,
                                           [TASK_PASSES] = CALL_PASSES};
    size_t i;

    if (strncmp(name, "MPI_", 4) == 0 || strncmp(name, "PMPI_", 5) == 0 ||
        strncmp(name, "MPIX_", 5) == 0) {
        return kinds[mpi_function(name)->task];
    }
    if (strcmp(name, "exit") == 0 || strcmp(name, "_exit") == 0 || strcmp(name, "_Exit") == 0 ||
        strcmp(name, "quick_exit") == 0) {
        return CALL_EXIT;
    }
    for (i = 0; i < sizeof states / sizeof *states; i++) {
        if (strcmp(states[i].name, name) == 0) {
            if (advice) {
                *advice = states[i].instead;
            }
            return CALL_LIBC;
        }
    }
    return CALL_OTHER;
}

/* Which part a call has in the exchange of messages: decides where it may be in a region. */
unsigned tr_call_communicates(const char *name)
{
    const mpi_function_t *function = mpi_function(name);

    switch (function->kind) {
    case KIND_SEND:
    case KIND_ISEND:
        return COMMUNICATES_SEND;
    case KIND_RECV:
    case KIND_IRECV:
    case KIND_PROBE:
    case KIND_IPROBE:
        return COMMUNICATES_RECEIVE;
    case KIND_WAIT:
    case KIND_TEST:
        return COMMUNICATES_COMPLETE;
    default: /* MPI_Start sends or receives, as its request was made */
        return function->task == TASK_SUSPENDS ? COMMUNICATES_OTHER : 0;
    }
}
