/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks: an MPI program with ranks that are functions. They can stop and be resumed; each MPI
 * process runs several. While one waits for a message, another computes (T. Nguyen, P. Cicotti, E.
 * Bylaska, D. Quinlan, S. Baden: Bamboo).
 *
 * A function that waits keeps its parameters and variables in a frame. Where it waits, it notes the
 * place in the frame and returns; called again with the frame, it goes on there. By hand:
 *
 *     struct ring_frame { struct bamboo_main_frame main; int rank, size, left; };
 *
 *     static bamboo_state_t ring(struct bamboo_frame *frame)
 *     {
 *         struct ring_frame *f = (struct ring_frame *)frame;
 *         BAMBOO_BEGIN(frame);
 *         bamboo_mpi_comm_rank(bamboo_comm_world, &f->rank);
 *         ...
 *         BAMBOO_AWAIT(frame, bamboo_mpi_recv(&f->left, 1, MPI_INT, ..., bamboo_comm_world,
 * MPI_STATUS_IGNORE)); BAMBOO_END;
 *     }
 *
 *     int main(int argc, char **argv)
 *     {
 *         static const bamboo_program_t program = {"ring", sizeof(struct ring_frame), ring, 0};
 *         return bamboo_run(argc, argv, &program);
 *     }
 *
 * bamboocc writes such functions from annotated C. One thread of a process runs all its tasks
 * (MPI_THREAD_FUNNELED); no function here may be called by another thread. */
#ifndef BAMBOO_RT_BAMBOO_H
#define BAMBOO_RT_BAMBOO_H

#include <mpi.h>
#include <stddef.h>

typedef enum bamboo_state {
    BAMBOO_DONE, /* the function has returned; its frame holds the result */
    BAMBOO_WAITS /* to be called again with the same frame; the runtime knows the event that it
                    waits for */
} bamboo_state_t;

/* Begins every frame. */
struct bamboo_frame {
    int at;                      /* where to go on; 0: at its beginning */
    struct bamboo_frame *callee; /* of the resumable function that this one waits for */
};

typedef bamboo_state_t bamboo_function_t(struct bamboo_frame *frame);

/* Begins the frame of a program's main function. argc and argv are the task's own copy, without the
 * options of the runtime; result is the exit status. */
struct bamboo_main_frame {
    struct bamboo_frame head;
    int argc;
    char **argv;
    int result;
};

typedef struct bamboo_program {
    const char *name;   /* in messages */
    size_t frame_bytes; /* of the frame of run, which begins with a struct bamboo_main_frame */
    bamboo_function_t *run;
    int max_local; /* most tasks of one process, for variables that every task has for itself; 0:
                      any number */
} bamboo_program_t;

/* Runs V tasks in each process, with V from --vf N among the arguments (before a "--") or from
 * BAMBOO_VF, else 1; initialises MPI and finalises it. Other options: bamboocc(1). A bad
 * option ends the job with a message and status 2. Returns the first exit status of a task of this
 * process that is not 0, or 0. */
int bamboo_run(int argc, char **argv, const bamboo_program_t *program);

/* ---- frames ---- */

/* Memory for the frame of a callee, zeroed, aligned to 64 bytes, of the running task; it is never
 * moved. Ends the job if memory is out. pop() frees the frame and all that were pushed after it. */
void *bamboo_push(size_t bytes);
void bamboo_pop(void *frame);

/* The result of the last call of MPI that was waited for: MPI_SUCCESS, since errors end the job. */
int bamboo_result(void);

/* The running task: its index among those of its process, 0 to V - 1 (with a modelled network: to N
 * * V - 1). Variables that every task has for itself are arrays with this index, of max_local
 * elements; bamboocc makes BAMBOO_MAX_VF. */
extern int bamboo_local;
#define BAMBOO_MAX_VF 64

/* Names the place in the source of the next call, for reports. file must stay. */
void bamboo_at(const char *file, int line);

/* Ends the running task with this status. The caller then returns BAMBOO_WAITS, as do its callers.
 */
void bamboo_exit(int status);

/* In functions written by hand. No variable outside the frame survives AWAIT and CALL, and neither
 * may stand within a switch statement of the function's own; one of them a line. */
#define BAMBOO_BEGIN(frame)                                                                        \
    switch ((frame)->at) {                                                                         \
    case 0:
#define BAMBOO_AWAIT(frame, call)                                                                  \
    do {                                                                                           \
        bamboo_at(__FILE__, __LINE__);                                                             \
        BAMBOO_AWAIT_INSIDE(frame, call);                                                          \
    } while (0)
/* The same in a function of a library: reports go on naming the caller's place. */
#define BAMBOO_AWAIT_INSIDE(frame, call)                                                           \
    do {                                                                                           \
        if (!(call)) {                                                                             \
            (frame)->at = __LINE__;                                                                \
            return BAMBOO_WAITS;                                                                   \
        case __LINE__:;                                                                            \
        }                                                                                          \
    } while (0)
/* The callee's frame was pushed, filled and stored in (frame)->callee. After it, the frame holds
 * the result, and is to be popped. */
#define BAMBOO_CALL(frame, function)                                                               \
    do {                                                                                           \
        (frame)->at = __LINE__;                                                                    \
        /* fall through */                                                                         \
    case __LINE__:                                                                                 \
        if (function((frame)->callee) == BAMBOO_WAITS) {                                           \
            return BAMBOO_WAITS;                                                                   \
        }                                                                                          \
    } while (0)
#define BAMBOO_END                                                                                 \
    }                                                                                              \
    return BAMBOO_DONE

/* The same for functions that bamboocc writes: they begin with a switch that goes to the label
 * resume_N for every number N, so these may stand within any statement. */
#define BAMBOO_AWAIT_AT(frame, number, call)                                                       \
    do {                                                                                           \
        bamboo_at(__FILE__, __LINE__);                                                             \
        if (!(call)) {                                                                             \
            (frame)->at = number;                                                                  \
            return BAMBOO_WAITS;                                                                   \
            resume_##number:;                                                                      \
        }                                                                                          \
    } while (0)
#define BAMBOO_CALL_AT(frame, number, function)                                                    \
    do {                                                                                           \
        (frame)->at = number;                                                                      \
        resume_##number : if (function((frame)->callee) == BAMBOO_WAITS)                           \
        {                                                                                          \
            return BAMBOO_WAITS;                                                                   \
        }                                                                                          \
    } while (0)

/* ---- MPI between tasks ----
 *
 * As MPI's functions of the same names, on ranks that are tasks; apps/mpi/mpi.def says which
 * of them suspend. These return whether they are complete, and read all of their arguments at once; what
 * the arguments point to (requests, statuses, flags) is written before the task is resumed and must
 * outlive the wait. Errors end the job, as MPI's default error handler does. Datatypes, operations
 * and statuses are MPI's. Inside a process a send of up to the eager limit (--eager)
 * completes before it is received, a longer one when it is received; between processes MPI
 * decides. */

typedef struct bamboo_comm bamboo_comm_t;
typedef struct bamboo_request bamboo_request_t;

extern bamboo_comm_t *const bamboo_comm_world;
bamboo_comm_t *bamboo_comm_self(void); /* the running task's */

int bamboo_mpi_send(const void *buf, int count, MPI_Datatype type, int to, int tag,
                    bamboo_comm_t *comm);
int bamboo_mpi_ssend(const void *buf, int count, MPI_Datatype type, int to, int tag,
                     bamboo_comm_t *comm);
int bamboo_mpi_recv(void *buf, int count, MPI_Datatype type, int from, int tag, bamboo_comm_t *comm,
                    MPI_Status *status);
int bamboo_mpi_sendrecv(const void *send_buf, int send_count, MPI_Datatype send_type, int to,
                        int send_tag, void *recv_buf, int recv_count, MPI_Datatype recv_type,
                        int from, int recv_tag, bamboo_comm_t *comm, MPI_Status *status);
int bamboo_mpi_wait(bamboo_request_t **request, MPI_Status *status);
int bamboo_mpi_waitall(int count, bamboo_request_t **requests, MPI_Status *statuses);
int bamboo_mpi_waitany(int count, bamboo_request_t **requests, int *index, MPI_Status *status);
int bamboo_mpi_waitsome(int count, bamboo_request_t **requests, int *done, int *indices,
                        MPI_Status *statuses);
int bamboo_mpi_test(bamboo_request_t **request, int *flag, MPI_Status *status);
int bamboo_mpi_testall(int count, bamboo_request_t **requests, int *flag, MPI_Status *statuses);
int bamboo_mpi_testany(int count, bamboo_request_t **requests, int *index, int *flag,
                       MPI_Status *status);
int bamboo_mpi_testsome(int count, bamboo_request_t **requests, int *done, int *indices,
                        MPI_Status *statuses);
int bamboo_mpi_probe(int from, int tag, bamboo_comm_t *comm, MPI_Status *status);
int bamboo_mpi_iprobe(int from, int tag, bamboo_comm_t *comm, int *flag, MPI_Status *status);
int bamboo_mpi_barrier(bamboo_comm_t *comm);
int bamboo_mpi_bcast(void *buf, int count, MPI_Datatype type, int root, bamboo_comm_t *comm);
/* Combines in the order of ranks, the same for every V: by a binomial tree. */
int bamboo_mpi_reduce(const void *send_buf, void *recv_buf, int count, MPI_Datatype type, MPI_Op op,
                      int root, bamboo_comm_t *comm);
int bamboo_mpi_allreduce(const void *send_buf, void *recv_buf, int count, MPI_Datatype type,
                         MPI_Op op, bamboo_comm_t *comm);
int bamboo_mpi_comm_dup(bamboo_comm_t *comm, bamboo_comm_t **result);
int bamboo_mpi_comm_split(bamboo_comm_t *comm, int color, int key, bamboo_comm_t **result);

int bamboo_mpi_init(int *argc, char ***argv);
int bamboo_mpi_init_thread(int *argc, char ***argv, int required, int *provided);
int bamboo_mpi_initialized(int *flag);
int bamboo_mpi_finalize(void);
int bamboo_mpi_finalized(int *flag);
int bamboo_mpi_abort(bamboo_comm_t *comm, int code);
double bamboo_mpi_wtime(void); /* with a modelled network: the node's own clock */
int bamboo_mpi_comm_rank(bamboo_comm_t *comm, int *rank);
int bamboo_mpi_comm_size(bamboo_comm_t *comm, int *size);
int bamboo_mpi_comm_free(bamboo_comm_t **comm);
int bamboo_mpi_isend(const void *buf, int count, MPI_Datatype type, int to, int tag,
                     bamboo_comm_t *comm, bamboo_request_t **request);
int bamboo_mpi_issend(const void *buf, int count, MPI_Datatype type, int to, int tag,
                      bamboo_comm_t *comm, bamboo_request_t **request);
int bamboo_mpi_irecv(void *buf, int count, MPI_Datatype type, int from, int tag,
                     bamboo_comm_t *comm, bamboo_request_t **request);
int bamboo_mpi_send_init(const void *buf, int count, MPI_Datatype type, int to, int tag,
                         bamboo_comm_t *comm, bamboo_request_t **request);
int bamboo_mpi_ssend_init(const void *buf, int count, MPI_Datatype type, int to, int tag,
                          bamboo_comm_t *comm, bamboo_request_t **request);
int bamboo_mpi_recv_init(void *buf, int count, MPI_Datatype type, int from, int tag,
                         bamboo_comm_t *comm, bamboo_request_t **request);
int bamboo_mpi_start(bamboo_request_t **request);
int bamboo_mpi_startall(int count, bamboo_request_t **requests);
int bamboo_mpi_request_free(bamboo_request_t **request);
/* A datatype that a request uses goes when the request is complete. */
int bamboo_mpi_type_free(MPI_Datatype *type);
int bamboo_mpi_pack(const void *in, int count, MPI_Datatype type, void *out, int out_bytes,
                    int *position, bamboo_comm_t *comm);
int bamboo_mpi_unpack(const void *in, int in_bytes, int *position, void *out, int count,
                      MPI_Datatype type, bamboo_comm_t *comm);
int bamboo_mpi_pack_size(int count, MPI_Datatype type, bamboo_comm_t *comm, int *bytes);

/* ---- where tasks are ----
 *
 * Called by main() before bamboo_run(). The world has P * V ranks. By default process p has ranks p
 * * V to p * V + V - 1. With a geometry, its extents are those of MPI_Dims_create(), and a rank is
 * the row-major index. Layouts name the dimensions along which the tasks of a process are
 * neighbours, so that messages of these dimensions stay inside. Where V cannot be shared out among
 * them, the default holds. */
typedef enum bamboo_layout {
    BAMBOO_NEAREST_NEIGHBOUR, /* NN, NearestNeighbor: tasks exchange with both neighbours along the
                                 dimension */
    BAMBOO_ONE_NEIGHBOUR_BACKWARD, /* OneNeighborBackward: with the one before, as Cannon's
                                      algorithm shifts */
    BAMBOO_MIN_HEAP /* MinHeap: task i with its parent (i - 1) / 2 and its children; ranks stay
                       where they are */
} bamboo_layout_t;

/* dimensions from 0; several calls add up. Ends the program with a message if a dimension is not of
 * the geometry. */
void bamboo_geometry(int dimensions);
void bamboo_layout(bamboo_layout_t layout, int dimension);

/* Number of pairs of tasks between which messages are foreseen: all of them, or those of the
 * layouts (B7). Valid in a task. */
long bamboo_edges(void);

/* ---- MPI's names ---- */

#ifdef BAMBOO_MPI_NAMES
#undef MPI_COMM_WORLD
#undef MPI_COMM_SELF
#undef MPI_COMM_NULL
#undef MPI_REQUEST_NULL
typedef bamboo_comm_t *bamboo_comm_handle_t;
typedef bamboo_request_t *bamboo_request_handle_t;
#define MPI_Comm         bamboo_comm_handle_t
#define MPI_Request      bamboo_request_handle_t
#define MPI_COMM_WORLD   bamboo_comm_world
#define MPI_COMM_SELF    bamboo_comm_self()
#define MPI_COMM_NULL    ((bamboo_comm_t *) 0)
#define MPI_REQUEST_NULL ((bamboo_request_t *) 0)

/* Calls that do not wait name their place themselves; the others do so in BAMBOO_AWAIT. */
#define BAMBOO_HERE(function) (bamboo_at(__FILE__, __LINE__), function)

#define MPI_Send         bamboo_mpi_send
#define MPI_Ssend        bamboo_mpi_ssend
#define MPI_Recv         bamboo_mpi_recv
#define MPI_Sendrecv     bamboo_mpi_sendrecv
#define MPI_Wait         bamboo_mpi_wait
#define MPI_Waitall      bamboo_mpi_waitall
#define MPI_Waitany      bamboo_mpi_waitany
#define MPI_Waitsome     bamboo_mpi_waitsome
#define MPI_Test         bamboo_mpi_test
#define MPI_Testall      bamboo_mpi_testall
#define MPI_Testany      bamboo_mpi_testany
#define MPI_Testsome     bamboo_mpi_testsome
#define MPI_Probe        bamboo_mpi_probe
#define MPI_Iprobe       bamboo_mpi_iprobe
#define MPI_Barrier      bamboo_mpi_barrier
#define MPI_Bcast        bamboo_mpi_bcast
#define MPI_Reduce       bamboo_mpi_reduce
#define MPI_Allreduce    bamboo_mpi_allreduce
#define MPI_Comm_dup     bamboo_mpi_comm_dup
#define MPI_Comm_split   bamboo_mpi_comm_split
#define MPI_Init         bamboo_mpi_init
#define MPI_Init_thread  bamboo_mpi_init_thread
#define MPI_Initialized  bamboo_mpi_initialized
#define MPI_Finalize     bamboo_mpi_finalize
#define MPI_Finalized    bamboo_mpi_finalized
#define MPI_Abort        bamboo_mpi_abort
#define MPI_Wtime        bamboo_mpi_wtime
#define MPI_Comm_rank    BAMBOO_HERE(bamboo_mpi_comm_rank)
#define MPI_Comm_size    BAMBOO_HERE(bamboo_mpi_comm_size)
#define MPI_Comm_free    BAMBOO_HERE(bamboo_mpi_comm_free)
#define MPI_Isend        BAMBOO_HERE(bamboo_mpi_isend)
#define MPI_Issend       BAMBOO_HERE(bamboo_mpi_issend)
#define MPI_Irecv        BAMBOO_HERE(bamboo_mpi_irecv)
#define MPI_Send_init    BAMBOO_HERE(bamboo_mpi_send_init)
#define MPI_Ssend_init   BAMBOO_HERE(bamboo_mpi_ssend_init)
#define MPI_Recv_init    BAMBOO_HERE(bamboo_mpi_recv_init)
#define MPI_Start        BAMBOO_HERE(bamboo_mpi_start)
#define MPI_Startall     BAMBOO_HERE(bamboo_mpi_startall)
#define MPI_Request_free BAMBOO_HERE(bamboo_mpi_request_free)
#define MPI_Pack         bamboo_mpi_pack
#define MPI_Unpack       bamboo_mpi_unpack
#define MPI_Pack_size    bamboo_mpi_pack_size
#define MPI_Type_free    bamboo_mpi_type_free
#endif

#endif
