/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting for the first non-contiguous datatype, or for tools (deferred_start.h): two functions
 * that libmpi calls are replaced in its own GOT. MPI_Type_commit calls the one
 * (ompi/datatype/ompi_datatype.h), and MPI_T_init_thread the other (ompi/mpi/tool/init_thread.c).
 */
#include "deferred_start.h"

#include <pthread.h>
#include <stdatomic.h>

#include "opal-glue/interpose/got.h"
#include "jit/reader.h"
#include "opal-glue/abi/openmpi.h"

typedef void start_t(void);

static _Atomic(start_t *) waiting;
static pthread_mutex_t starts = PTHREAD_MUTEX_INITIALIZER;

static start_t *stop_waiting(void)
{
    start_t *const start = atomic_exchange(&waiting, NULL);
    if (start != NULL) {
        dt_got_restore();
    }
    return start;
}

/* A tool may call MPI_T from a thread of its own: one of them starts, and MPI_Finalize waits for it
 * (dt_deferred_stop()). */
static void end_waiting(void)
{
    if (atomic_load(&waiting) == NULL) {
        return;
    }
    (void) pthread_mutex_lock(&starts);
    start_t *const start = stop_waiting();
    if (start != NULL) {
        start();
    }
    (void) pthread_mutex_unlock(&starts);
}

static int32_t commit(opal_datatype_t *datatype)
{
    const int32_t rc = opal_datatype_commit(datatype);
    if (!dt_openmpi_is_contiguous(datatype, 2)) {
        end_waiting();
    }
    return rc;
}

static int register_params(opal_pointer_array_t *component_map)
{
    end_waiting();
    return ompi_info_register_framework_params(component_map);
}

void dt_deferred_prepare(void)
{
    (void) dame_readers_prepare();
}

bool dt_deferred_wait(void (*start)(void))
{
    static const dt_got_hook_t hooks[] = {
        {"opal_datatype_commit", (uintptr_t) commit, "libmpi.so", 0},
        {"ompi_info_register_framework_params", (uintptr_t) register_params, "libmpi.so", 0},
    };
    enum { HOOKS = sizeof(hooks) / sizeof(hooks[0]) };
    if (dt_got_install(hooks, HOOKS) != DT_GOT_OK) {
        return false;
    }
    if (dt_got_slots() < HOOKS) {
        dt_got_restore();
        return false;
    }
    atomic_store(&waiting, start);
    return true;
}

void dt_deferred_stop(void)
{
    (void) pthread_mutex_lock(&starts);
    (void) stop_waiting();
    (void) pthread_mutex_unlock(&starts);
}
