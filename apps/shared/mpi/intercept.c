/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "intercept.h"

#include <stdatomic.h>
#include <sys/mman.h>

#include "real.h"

/* Handles of requests as they are before the call, which overwrites them. */
struct kept {
    int room;
    MPI_Request requests[];
};

static _Thread_local int depth __attribute__((tls_model("initial-exec")));
static _Atomic(struct kept *) spare; /* for the next call, of any thread */

MPI_Datatype intercept_type(const mpi_call_t *call, uintptr_t type)
{
    return call->fortran ? real_type((MPI_Fint) type) : (MPI_Datatype) type;
}

MPI_Comm intercept_comm(const mpi_call_t *call)
{
    return call->fortran ? real_comm((MPI_Fint) call->comm) : (MPI_Comm) call->comm;
}

MPI_Request intercept_request(const mpi_call_t *call, int i)
{
    return call->fortran ? real_request(((const MPI_Fint *) call->requests)[i])
                         : ((const MPI_Request *) call->requests)[i];
}

static size_t bytes_of(int room)
{
    return sizeof(struct kept) + (size_t) room * sizeof(MPI_Request);
}

static void give_back(struct kept *kept)
{
    struct kept *other = atomic_exchange(&spare, kept);
    if (other != NULL) {
        munmap(other, bytes_of(other->room));
    }
}

/* Not on the program's heap. NULL: memory is out. */
static struct kept *keep(const mpi_call_t *call)
{
    struct kept *kept = atomic_exchange(&spare, NULL);
    if (kept != NULL && kept->room < call->n) {
        munmap(kept, bytes_of(kept->room));
        kept = NULL;
    }
    if (kept == NULL) {
        int room = call->n < 1024 ? 1024 : call->n;
        kept =
            mmap(NULL, bytes_of(room), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (kept == MAP_FAILED) {
            return NULL;
        }
        kept->room = room;
    }
    for (int i = 0; i < call->n; i++) {
        kept->requests[i] = intercept_request(call, i);
    }
    return kept;
}

bool intercept_completed(const mpi_call_t *call, int i, MPI_Request *request)
{
    int n = call->flag != NULL && !*call->flag ? 0
            : call->done != NULL               ? *call->done /* MPI_UNDEFINED is negative */
            : call->indices != NULL            ? *call->indices != MPI_UNDEFINED
                                               : call->n;
    int at = call->indices == NULL || i >= n ? i : call->indices[i] - call->fortran;
    if (call->kept == NULL || i >= n || at < 0 || at >= call->n) {
        return false;
    }
    *request = call->kept->requests[at];
    return true;
}

void intercept_enter(mpi_call_t *call)
{
    call->wanted = depth == 0 && intercept_before(call);
    if (call->wanted && (call->kind == KIND_WAIT || call->kind == KIND_TEST)) {
        call->kept = keep(call);
    }
    depth++;
}

void intercept_leave(mpi_call_t *call, int code)
{
    if (call->wanted) {
        intercept_after(call, code);
    }
    depth--;
    if (call->kept != NULL) {
        give_back(call->kept);
    }
}
