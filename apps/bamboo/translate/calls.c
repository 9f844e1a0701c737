/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known about functions by their names: the runtime's list of calls, and the C library's
 * hidden state. */
#include "translate.h"

#include <string.h>

struct known {
    const char *name;
    enum call_kind kind;
};

static const struct known calls[] = {
#define SUSPENDS(name, function) {#name, CALL_SUSPENDS},
#define AT_ONCE(name, function)  {#name, CALL_AT_ONCE},
#define PASSES(name)             {#name, CALL_PASSES},
#include "apps/bamboo/rt/calls.def"
};

static const struct {
    const char *name, *instead;
} states[] = {
#define STATE(name, instead) {#name, instead},
#include "libc.def"
};

enum call_kind call_kind(const char *name, const char **advice)
{
    size_t i;

    if (strncmp(name, "MPI_", 4) == 0 || strncmp(name, "PMPI_", 5) == 0 ||
        strncmp(name, "MPIX_", 5) == 0) {
        for (i = 0; i < sizeof calls / sizeof *calls; i++) {
            if (strcmp(calls[i].name, name) == 0) {
                return calls[i].kind;
            }
        }
        return CALL_UNKNOWN_MPI;
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

/* Which part a call has in the exchange of messages: decides where it may stand in a region. */
unsigned call_communicates(const char *name)
{
    static const struct {
        const char *name;
        unsigned what;
    } parts[] = {
        {"MPI_Send", COMMUNICATES_SEND},        {"MPI_Isend", COMMUNICATES_SEND},
        {"MPI_Ssend", COMMUNICATES_SEND},       {"MPI_Issend", COMMUNICATES_SEND},
        {"MPI_Recv", COMMUNICATES_RECEIVE},     {"MPI_Irecv", COMMUNICATES_RECEIVE},
        {"MPI_Probe", COMMUNICATES_RECEIVE},    {"MPI_Iprobe", COMMUNICATES_RECEIVE},
        {"MPI_Wait", COMMUNICATES_COMPLETE},    {"MPI_Waitall", COMMUNICATES_COMPLETE},
        {"MPI_Waitany", COMMUNICATES_COMPLETE}, {"MPI_Waitsome", COMMUNICATES_COMPLETE},
        {"MPI_Test", COMMUNICATES_COMPLETE},    {"MPI_Testall", COMMUNICATES_COMPLETE},
        {"MPI_Testany", COMMUNICATES_COMPLETE}, {"MPI_Testsome", COMMUNICATES_COMPLETE},
    };
    size_t i;

    for (i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(parts[i].name, name) == 0) {
            return parts[i].what;
        }
    }
    if (strcmp(name, "MPI_Start") == 0 || strcmp(name, "MPI_Startall") == 0) {
        return 0; /* sends or receives, as their requests were made */
    }
    return call_kind(name, NULL) == CALL_SUSPENDS ? COMMUNICATES_OTHER : 0;
}
