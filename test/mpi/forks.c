/* The application forks while its threads make, use and free datatypes: a child packs with
   datatypes of its parent, used before or not, and reads DAME's counters. argv[1]: how many
   children. */
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

/* No datatype is made or freed: that takes locks of Open MPI's own, which other threads may have
   had. The exit code is 0 when all is well. */
static int child(const layout_t *used, const layout_t *unused)
{
    alarm(LONGEST_CHILD);
    if (!packs_as(used->type, used)) {
        return 1;
    }
    for (int i = 0; i < 3; i++) {
        if (!packs_as(unused->type, unused)) {
            return 2;
        }
    }
    const long long before = pvar_read("dt_dame_messages_packed");
    if (!packs_as(unused->type, unused)) {
        return 3;
    }
    const long long after = pvar_read("dt_dame_messages_packed");
    return after < 0 || before + 1 == after ? 0 : 4;
}

int forks_main(int argc, char **argv)
{
    const int children = argc > 1 ? atoi(argv[1]) : CHILDREN;
    pthread_t threads[THREADS];
    bool ended_well = true;

    check_init_thread(&argc, &argv);
    (void) pvar_start("dt_dame_");
    layout_t *used = vector_of_ints(100);
    check(packs_as(used->type, used), "before the first fork");
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, make_use_and_free, NULL);
    }
    for (int i = 0; i < children && ended_well; i++) {
        layout_t *unused = vector_of_ints(200 + i);
        MPI_Type_set_name(unused->type, "of a child");
        int status = -1;
        const pid_t process = fork();
        if (0 == process) {
            _exit(child(used, unused));
        }
        ended_well = process > 0 && process == waitpid(process, &status, 0) && 0 == status;
        check(ended_well, "child %d: status %d", i, status);
        lay_free(unused);
    }
    stop = true;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    check(packs_as(used->type, used), "after the last fork");
    lay_free(used);
    pvar_done();
    return check_finish();
}
