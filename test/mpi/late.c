/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When DAME starts. argv[1]: init, in MPI_Init; commit, at the first non-contiguous datatype;
 * never. argv[2]: mpit, MPI_T_init_thread comes before it; multiple, with MPI_THREAD_MULTIPLE;
 * serialized, threads use MPI one after the other; cleared, the environment no longer says so;
 * finalize, it comes in MPI_Finalize. Needs one rank or more.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_check.h"
#include "pvar.h"
#include "tests.h"

/* Is DAME's component in this process? */
static bool has_dame(void)
{
    char line[1024];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && !found && fgets(line, sizeof(line), maps) != NULL) {
        found = strstr(line, "/mca_dt_dame.so") != NULL;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return found;
}

static void commit_contiguous(void)
{
    MPI_Datatype type;
    MPI_Type_contiguous(10, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&type);
}

/* From and to this rank; how many messages DAME packed. */
static long long send_blocks(int n)
{
    enum { BLOCKS = 5000 }; /* its first message repays the import at any cost of a block */
    int from[2 * BLOCKS], to[2 * BLOCKS], errors = 0;
    MPI_Datatype type;
    MPI_Type_vector(BLOCKS, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    (void) pvar_start("dt_dame_");
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 2 * BLOCKS; j++) {
            from[j] = i + j;
            to[j] = -1;
        }
        MPI_Sendrecv(from, 1, type, my_rank, 0, to, 1, type, my_rank, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (int j = 0; j < 2 * BLOCKS; j++) {
            errors += to[j] != (0 == j % 2 ? i + j : -1);
        }
    }
    check(errors == 0, "%d ints are wrong", errors);
    const long long packed = pvar_read("dt_dame_messages_packed");
    pvar_done();
    MPI_Type_free(&type);
    return packed;
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF first. */
static int commit_in_finalize(MPI_Comm comm, int keyval, void *value, void *extra)
{
    MPI_Datatype type;
    (void) comm;
    (void) keyval;
    (void) value;
    (void) extra;
    MPI_Type_vector(3, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    check(!has_dame(), "too late");
    MPI_Type_free(&type);
    return MPI_SUCCESS;
}

static int finish_with_a_commit(void)
{
    int keyval;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, commit_in_finalize, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
    const int code = check_finish();
    return code != 0 || check_failures() != 0;
}

enum { MESSAGES = 10 };

static void *send_from_thread(void *packed)
{
    *(long long *) packed = send_blocks(MESSAGES);
    return NULL;
}

/* From this thread, or from another that ends before this one goes on. */
static long long send_some(bool from_another)
{
    long long packed = 0;
    pthread_t thread;
    if (!from_another) {
        return send_blocks(MESSAGES);
    }
    if (check(pthread_create(&thread, NULL, send_from_thread, &packed) == 0, "a thread")) {
        pthread_join(thread, NULL);
    }
    return packed;
}

static void start(const char *how, int *argc, char ***argv)
{
    if (strcmp(how, "multiple") == 0) {
        check_init_thread(argc, argv, MPI_THREAD_MULTIPLE);
    } else if (strcmp(how, "serialized") == 0) {
        check_init_thread(argc, argv, MPI_THREAD_SERIALIZED);
    } else {
        check_init(argc, argv);
    }
}

int late_main(int argc, char **argv)
{
    const char *when = argc > 1 ? argv[1] : "";
    const char *how = argc > 2 ? argv[2] : "";
    const bool never = strcmp(when, "never") == 0, init = strcmp(when, "init") == 0;
    const bool threads = strcmp(how, "serialized") == 0;
    start(how, &argc, &argv);
    check(init == has_dame(), "in MPI_Init");
    commit_contiguous();
    check(init == has_dame(), "for a contiguous datatype");
    if (strcmp(how, "finalize") == 0) {
        return finish_with_a_commit();
    }
    if (strcmp(how, "cleared") == 0) {
        unsetenv("OMPI_MCA_dt");
    }
    if (strcmp(how, "mpit") == 0) {
        check(!never == (0 < pvar_start("dt_dame_")), "performance variables");
        pvar_done();
        check(!never == has_dame(), "for MPI_T");
    }
    const long long packed = send_some(threads);
    check(!never == has_dame(), "for a non-contiguous datatype");
    check((never ? -1 : MESSAGES) == packed, "DAME has packed %lld messages", packed);
    check((never ? -1 : MESSAGES) == send_some(threads), "of another datatype");
    return check_finish();
}
