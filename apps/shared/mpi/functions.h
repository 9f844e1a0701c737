/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI's functions by name: what mpi.def says of them. Needs no MPI. */
#ifndef APPS_MPI_FUNCTIONS_H
#define APPS_MPI_FUNCTIONS_H

typedef enum mpi_kind {
    KIND_UNKNOWN, /* not in the table */
    KIND_SEND,
    KIND_ISEND,
    KIND_SEND_INIT,
    KIND_RECV,
    KIND_IRECV,
    KIND_RECV_INIT,
    KIND_SENDRECV,
    KIND_SENDRECV_REPLACE,
    KIND_PROBE,
    KIND_IPROBE,
    KIND_MPROBE,
    KIND_IMPROBE,
    KIND_MRECV,
    KIND_START,
    KIND_REQUEST_FREE,
    KIND_CANCEL,
    KIND_WAIT,
    KIND_TEST,
    KIND_COLLECTIVE,
    KIND_ICOLLECTIVE,
    KIND_OTHER, /* communicators, one-sided synchronisation, collective file access */
    KIND_COMM_FREE,
    KIND_INIT,
    KIND_FINALIZE,
    KIND_ABORT,
    KIND_QUERY, /* touches no memory except what its arguments point to, and only while it runs */
    KIND_LOCAL  /* any other that waits for no process */
} mpi_kind_t;

typedef enum mpi_task { TASK_REFUSED, TASK_OWN, TASK_PASSES } mpi_task_t;

typedef enum mpi_role {
    ROLE_NONE, /* behind the last parameter */
    ROLE_IN,   /* the buffers */
    ROLE_OUT,
    ROLE_COUNT, /* of the message; of the received one in calls that also send one: */
    ROLE_TYPE,
    ROLE_PEER,
    ROLE_TAG,
    ROLE_SENT_COUNT,
    ROLE_SENT_TYPE,
    ROLE_SENT_PEER,
    ROLE_SENT_TAG,
    ROLE_COMM,
    ROLE_FREED_COMM,
    ROLE_NEW_COMM,
    ROLE_REQUEST,
    ROLE_N, /* of REQUESTS */
    ROLE_REQUESTS,
    ROLE_INDEX, /* the one that is complete */
    ROLE_DONE,  /* how many are, and which */
    ROLE_INDICES,
    ROLE_FLAG,
    ROLE_STATUS,
    ROLE_STATUSES,
    ROLE_MESSAGE,
    ROLE_ROOT,
    ROLE_OP,
    ROLE_GROUP,
    ROLE_WIN,
    ROLE_FILE,
    ROLE_OFFSET,
    ROLE_INT,
    ROLE_INTS,
    ROLE_PLACES, /* MPI_Aint[] */
    ROLE_TYPES
} mpi_role_t;

typedef struct mpi_function {
    const char *name; /* "MPI_Send" */
    mpi_kind_t kind;
    mpi_task_t task;
    unsigned char roles[16]; /* mpi_role_t, one for each parameter in C; none: LOCAL */
} mpi_function_t;

/* The function "MPI_Send", say; one of KIND_UNKNOWN if the table lacks it. */
const mpi_function_t *mpi_function(const char *name);

/* EACH(MACRO, ROLE...): MACRO(ROLE, aN), for the last parameter MACRO(ROLE, a1), with commas. */
#define EACH1(M, r)       M(r, a1)
#define EACH2(M, r, ...)  M(r, a2), EACH1(M, __VA_ARGS__)
#define EACH3(M, r, ...)  M(r, a3), EACH2(M, __VA_ARGS__)
#define EACH4(M, r, ...)  M(r, a4), EACH3(M, __VA_ARGS__)
#define EACH5(M, r, ...)  M(r, a5), EACH4(M, __VA_ARGS__)
#define EACH6(M, r, ...)  M(r, a6), EACH5(M, __VA_ARGS__)
#define EACH7(M, r, ...)  M(r, a7), EACH6(M, __VA_ARGS__)
#define EACH8(M, r, ...)  M(r, a8), EACH7(M, __VA_ARGS__)
#define EACH9(M, r, ...)  M(r, a9), EACH8(M, __VA_ARGS__)
#define EACH10(M, r, ...) M(r, a10), EACH9(M, __VA_ARGS__)
#define EACH11(M, r, ...) M(r, a11), EACH10(M, __VA_ARGS__)
#define EACH12(M, r, ...) M(r, a12), EACH11(M, __VA_ARGS__)
#define EACH13(M, r, ...) M(r, a13), EACH12(M, __VA_ARGS__)
#define EACH(M, ...)                                                                               \
    EACH_OF(__VA_ARGS__, EACH13, EACH12, EACH11, EACH10, EACH9, EACH8, EACH7, EACH6, EACH5, EACH4, \
            EACH3, EACH2, EACH1, 0)                                                                \
    (M, __VA_ARGS__)
#define EACH_OF(a, b, c, d, e, f, g, h, i, j, k, l, m, N, ...) N

#endif
