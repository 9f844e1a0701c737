/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the functions of MPI have their buffers, as apps/shared/mpi/mpi.def says. */
#include "site_private.h"

#include <string.h>
#include <strings.h>

mpi_kind_t site_kind_of(const c_node_t *call)
{
    return mpi_function(c_callee(call))->kind;
}

static int find_role(const mpi_function_t *function, mpi_role_t role)
{
    int i;

    for (i = 0; function->roles[i] != ROLE_NONE; i++) {
        if (function->roles[i] == role) {
            return i + 1;
        }
    }
    return 0;
}

static bool is_message(mpi_kind_t kind)
{
    return kind == KIND_SEND || kind == KIND_ISEND || kind == KIND_RECV || kind == KIND_IRECV ||
           kind == KIND_SENDRECV;
}

/* Calls of MPI_Start move the data of persistent requests. Reductions compute, MPI_Bcast does not
 * say here who sends, and neighbours have a part each, but are not counted here. */
static bool moves_buffers(const mpi_function_t *function)
{
    return function->kind != KIND_SEND_INIT && function->kind != KIND_RECV_INIT &&
           !find_role(function, ROLE_OP) && !strstr(function->name, "eighbor") &&
           !(find_role(function, ROLE_ROOT) && !find_role(function, ROLE_IN));
}

/* Has the buffer of this role a part for each process? */
static bool is_of_each(const char *name, bool receives)
{
    name += strlen("MPI_") + (name[4] == 'I');
    return strcasecmp(name, "alltoall") == 0 ||
           (receives ? strcasecmp(name, "gather") == 0 || strcasecmp(name, "allgather") == 0
                     : strcasecmp(name, "scatter") == 0);
}

int site_peer(const site_t *site)
{
    const mpi_function_t *known = mpi_function(c_callee(site->call));
    int sent = site->function->receives ? 0 : find_role(known, ROLE_SENT_PEER);

    return sent ? sent : find_role(known, ROLE_PEER);
}

size_t site_functions(run_level_t level, const c_node_t *call, site_function_t functions[2])
{
    const mpi_function_t *known = mpi_function(c_callee(call));
    const unsigned char *roles = known->roles;
    size_t n = 0;
    int i, pass;

    if (!(is_message(known->kind) || (level == RUN_TRUSTING && moves_buffers(known)))) {
        return 0;
    }
    for (i = 0; roles[i] != ROLE_NONE; i++) {
        bool of_each = roles[i + 1] == ROLE_INTS;
        site_function_t function = {.kind = known->kind,
                                    .buffer = i + 1,
                                    .count = of_each ? 0 : i + 2,
                                    .type = of_each ? i + 4 : i + 3,
                                    .request = find_role(known, ROLE_REQUEST),
                                    .root = find_role(known, ROLE_ROOT)};

        if ((roles[i] != ROLE_IN && roles[i] != ROLE_OUT) || call->n <= (size_t) function.type) {
            continue;
        }
        for (pass = 0; pass < 2 && n < 2;
             pass++) { /* MPI_Sendrecv_replace sends and receives one */
            function.receives = pass == 1;
            if (roles[i] == (pass ? ROLE_OUT : ROLE_IN) || known->kind == KIND_SENDRECV_REPLACE) {
                function.processes =
                    is_of_each(known->name, function.receives) ? find_role(known, ROLE_COMM) : 0;
                function.of_root = function.root && (function.processes || of_each);
                functions[n++] = function;
            }
        }
    }
    return n;
}
