/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every way into MPI leads to DAME: MPI_Init_thread, sessions, spawned processes, large counts.
 * Uses nothing but MPI, so that it can also be compiled for the standard's ABI. argv[1]: the way;
 * argv[2]: dame or native, who must have moved the data. Two ranks. The last line is "N passed, M
 * failed".
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 20000 };

static int passed, failed;

static void check(int holds, const char *what)
{
    passed += !!holds;
    failed += !holds;
    if (!holds) {
        printf("FAILED: %s\n", what);
    }
}

/* ---- Who moves the data --------------------------------------------------------------------- */

/* DAME's counter of messages, from now on; absent without DAME. */
static MPI_T_pvar_session counters;
static MPI_T_pvar_handle messages;
static int counts;

static void start_counting(void)
{
    int n = 0;
    counts = 0;
    MPI_T_pvar_get_num(&n);
    for (int i = 0; i < n && !counts; i++) {
        char name[128];
        int length = sizeof(name), verbosity, class, bind, readonly, continuous, atomic, count;
        MPI_Datatype type;
        MPI_T_enum values;
        counts = MPI_T_pvar_get_info(i, name, &length, &verbosity, &class, &type, &values, NULL,
                                     NULL, &bind, &readonly, &continuous, &atomic) == MPI_SUCCESS &&
                 strcmp(name, "dt_dame_messages_packed") == 0;
        if (counts) {
            MPI_T_pvar_session_create(&counters);
            MPI_T_pvar_handle_alloc(counters, i, NULL, &messages, &count);
        }
    }
}

static void check_mover(const char *who)
{
    unsigned long long moved = 0;
    if (counts) {
        MPI_T_pvar_read(counters, messages, &moved);
        MPI_T_pvar_handle_free(counters, &messages);
        MPI_T_pvar_session_free(&counters);
    }
    check((strcmp(who, "dame") == 0) == (moved > 0), "the data was moved by another engine");
}

/* ---- Messages ------------------------------------------------------------------------------- */

static void exchange(MPI_Comm comm, int peer, MPI_Datatype type, const char *what)
{
    int *out = calloc(2 * BLOCKS, sizeof(int)), *in = calloc(2 * BLOCKS, sizeof(int));
    int good = 1;
    for (int i = 0; i < 2 * BLOCKS; i++) {
        out[i] = 7 * i + 3;
    }
    MPI_Sendrecv(out, 1, type, peer, 5, in, 1, type, peer, 5, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < BLOCKS; i++) {
        good = good && 14 * i + 3 == in[2 * i] && in[2 * i + 1] == 0;
    }
    check(good, what);
    free(out);
    free(in);
}

static void exchange_vector(MPI_Comm comm, int peer, const char *what)
{
    MPI_Datatype type;
    MPI_Type_vector(BLOCKS, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    exchange(comm, peer, type, what);
    MPI_Type_free(&type);
}

/* ---- Ways ----------------------------------------------------------------------------------- */

static void by_thread(int *argc, char ***argv)
{
    int provided, rank;
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
    check(provided == MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE");
    start_counting();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    exchange_vector(MPI_COMM_WORLD, 1 - rank, "a message after MPI_Init_thread");
    check_mover((*argv)[2]);
    MPI_Finalize();
}

#if (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5) || MPI_VERSION >= 4
#define HAVE_SESSIONS 1
static void by_session(char **argv)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    /* MPI ends with the first session, and begins with the second; but not in 5.0.7. */
    for (int i = 0; i < (MPI_VERSION < 4 ? 1 : 2); i++) {
        int rank;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
        MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
        MPI_Comm_create_from_group(group, "dame", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
        MPI_Group_free(&group);
        MPI_Comm_rank(comm, &rank);
        start_counting();
        exchange_vector(comm, 1 - rank, "a message in a session");
        check_mover(argv[2]);
        MPI_Comm_free(&comm);
        MPI_Session_finalize(&session);
    }
}

#endif

#if MPI_VERSION >= 4
static void by_large_counts(int *argc, char ***argv)
{
    MPI_Datatype vector, list;
    int rank;
    MPI_Count *lengths = calloc(BLOCKS, sizeof(*lengths));
    MPI_Count *disps = calloc(BLOCKS, sizeof(*disps));
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    start_counting();
    MPI_Type_vector_c(BLOCKS, 1, 2, MPI_INT, &vector);
    MPI_Type_commit(&vector);
    exchange(MPI_COMM_WORLD, 1 - rank, vector, "a vector made with large counts");
    for (int i = 0; i < BLOCKS; i++) {
        lengths[i] = 1;
        disps[i] = 2 * i;
    }
    MPI_Type_indexed_c(BLOCKS, lengths, disps, MPI_INT, &list);
    MPI_Type_commit(&list);
    exchange(MPI_COMM_WORLD, 1 - rank, list, "a list made with large counts");
    check_mover((*argv)[2]);
    MPI_Type_free(&vector);
    MPI_Type_free(&list);
    MPI_Finalize();
    free(lengths);
    free(disps);
}
#endif

static void by_spawn(int *argc, char ***argv)
{
    MPI_Comm parent, others;
    int rank, left = 0;
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    start_counting();
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn((*argv)[0], *argv + 1, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                       MPI_ERRCODES_IGNORE);
        exchange_vector(others, rank, "a message to a spawned process");
    } else {
        others = parent;
        exchange_vector(others, rank, "a message to the parent");
    }
    exchange_vector(MPI_COMM_WORLD, 1 - rank, "a message beside the others");
    check_mover((*argv)[2]);
    MPI_Sendrecv(&failed, 1, MPI_INT, rank, 6, &left, 1, MPI_INT, rank, 6, others,
                 MPI_STATUS_IGNORE);
    check(left == 0, "a check in the other process");
    MPI_Comm_disconnect(&others);
    MPI_Finalize();
    if (parent != MPI_COMM_NULL) {
        exit(0); /* its checks were counted by the parent */
    }
}

int main(int argc, char **argv)
{
    const char *way = argc == 3 ? argv[1] : "";
    int provided;
    MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
    if (strcmp(way, "thread") == 0) {
        by_thread(&argc, &argv);
    } else if (strcmp(way, "spawn") == 0) {
        by_spawn(&argc, &argv);
#ifdef HAVE_SESSIONS
    } else if (strcmp(way, "session") == 0) {
        by_session(argv);
#endif
#if MPI_VERSION >= 4
    } else if (strcmp(way, "large") == 0) {
        by_large_counts(&argc, &argv);
#endif
    } else {
        fprintf(stderr, "ways thread|spawn|session|large dame|native\n");
        return 2;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
