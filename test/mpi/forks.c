/* SPDX-License-Identifier: BSD-3-Clause */
/* The application forks while its threads make, use and free datatypes: a child packs with
   datatypes of its parent, used before or not, and reads DAME's counters. argv[1]: how many
   children; argv[2]: compiled, when dt_dame_promotion_threshold is 1. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi_check.h"
#include "pvar.h"
#include "tests.h"
#include "types.h"

enum { THREADS = 3, CHILDREN = 100, LONGEST_CHILD = 20 };

static atomic_bool stop;

static layout_t *vector_of_ints(int n)
{
    layout_t *ints = lay_basic(MPI_INT, 4, 4);
    layout_t *l = lay_vector(n, 1, 2, ints);
    lay_commit(l);
    lay_free(ints);
    return l;
}

static void *make_use_and_free(void *arg)
{
    bool ok = true;
    for (int k = 0; !stop; k++) {
        layout_t *l = vector_of_ints(20 + k % 50);
        ok = packs_as(l->type, l) && ok;
        lay_free(l);
    }
    check(ok, "a thread's datatypes");
    return arg;
}

static long long compiled(void)
{
    return pvar_read("dt_dame_compiled_pack") + pvar_read("dt_dame_compiled_unpack");
}

/* No datatype is made or freed: that takes locks of Open MPI's own, which other threads may have
   had. The exit code is 0 when all is well. */
static int child(const layout_t *used, const layout_t *unused)
{
    alarm(LONGEST_CHILD);
    const long long codes = compiled();
    if (!moves_right(used, 2)) {
        return 1;
    }
    for (int i = 0; i < 3; i++) {
        if (!moves_right(unused, 2)) {
            return 2;
        }
    }
    const long long before = pvar_read("dt_dame_messages_packed");
    if (!packs_as(unused->type, unused)) {
        return 3;
    }
    const long long after = pvar_read("dt_dame_messages_packed");
    if (after >= 0 && before + 1 != after) {
        return 4;
    }
    return codes == compiled() ? 0 : 5; /* a child compiles nothing */
}

/* When no other thread may have had a lock. */
static int lonely_child(void)
{
    alarm(LONGEST_CHILD);
    const long long codes = compiled();
    layout_t *own = vector_of_ints(1000);
    const bool ok = moves_right(own, 4) && moves_right(own, 4);
    lay_free(own);
    return ok && codes == compiled() ? 0 : 6;
}

static bool ends_well(pid_t process, int *status)
{
    *status = -1;
    return process > 0 && process == waitpid(process, status, 0) && *status == 0;
}

int forks_main(int argc, char **argv)
{
    const int children = argc > 1 ? atoi(argv[1]) : CHILDREN;
    const bool at_once = argc > 2; /* programs are compiled at their first use */
    int status;
    pthread_t threads[THREADS];
    bool ended_well = true;

    check_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE);
    (void) pvar_start("dt_dame_");
    layout_t *used = vector_of_ints(100);
    check(packs_as(used->type, used), "before the first fork");
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, make_use_and_free, NULL);
    }
    for (int i = 0; i < children && ended_well; i++) {
        layout_t *unused = vector_of_ints(200 + i);
        MPI_Type_set_name(unused->type, "of a child");
        const pid_t process = fork();
        if (process == 0) {
            _exit(child(used, unused));
        }
        check(moves_right(used, 2), "the parent meanwhile");
        ended_well = ends_well(process, &status);
        check(ended_well, "child %d: status %d", i, status);
        lay_free(unused);
    }
    stop = true;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    const pid_t process = fork();
    if (process == 0) {
        _exit(lonely_child());
    }
    check(ends_well(process, &status), "a child with datatypes of its own: status %d", status);
    const long long codes = compiled();
    layout_t *own = vector_of_ints(1001);
    check(moves_right(used, 2) && moves_right(own, 2), "after the last fork");
    check(!at_once || codes + 2 == compiled(), "the parent compiles on");
    lay_free(own);
    lay_free(used);
    pvar_done();
    return check_finish();
}
