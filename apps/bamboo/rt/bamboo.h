/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks: the ranks of an MPI program, several in each process, each with a stack of its own. While
 * one waits for a message, another computes (T. Nguyen, P. Cicotti, E. Bylaska, D. Quinlan, S.
 * Baden: Bamboo).
 *
 * bamboocc compiles programs with bamboo_mpi.h before their first line, which gives the functions
 * below MPI's names, and gives each task its own copy of the program's variables. A program without
 * variables of static storage can do without bamboocc:
 *
 *     #include <bamboo/bamboo_mpi.h>
 *
 *     static int ring(int argc, char **argv) { ... MPI_Recv(...); ... }
 *
 *     int main(int argc, char **argv) { return bamboo_run(argc, argv, ring); }
 *
 * One thread of a process runs all its tasks (MPI_THREAD_FUNNELED); no function here may be called
 * by another thread. */
#ifndef BAMBOO_RT_BAMBOO_H
#define BAMBOO_RT_BAMBOO_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs V tasks in each process, with V from --vf N among the arguments (before a "--") or from
 * BAMBOO_VF, else 1; initialises MPI and finalises it. Other options: bamboocc(1). Each task has
 * its own copy of the arguments, without those options. A bad option ends the job with a message
 * and status 2. Returns the first exit status of a task of this process that is not 0, or 0. */
int bamboo_run(int argc, char **argv, int (*program)(int argc, char **argv));

/* The same for a program that is a shared object, of which every task gets a copy: bamboocc makes
 * such programs. The image stays in memory. */
int bamboo_run_image(int argc, char **argv, const void *image, size_t bytes);

/* Names the place in the source of the next call, for reports. file must stay. */
void bamboo_at(const char *file, int line);

/* Ends the running task with this status; does not return. */
void bamboo_exit(int status) __attribute__((noreturn));

/* ---- MPI between tasks ----
 *
 * As MPI's functions of the same names, on ranks that are tasks. Errors end the job, as MPI's
 * default error handler does. Datatypes, operations and statuses are MPI's. Inside a process a send
 * of up to the eager limit (--eager) completes before it is received, a longer one when it is
 * received; between processes MPI decides. */

typedef struct bamboo_comm bamboo_comm_t;
typedef struct bamboo_group bamboo_group_t;
typedef struct bamboo_request bamboo_request_t;

/* Only their addresses are handles. */
extern struct bamboo_comm bamboo_world, bamboo_self;
extern struct bamboo_group bamboo_group_empty;

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

int bamboo_mpi_bsend(const void *buf, int count, MPI_Datatype type, int to, int tag,
                     bamboo_comm_t *comm);
int bamboo_mpi_ibsend(const void *buf, int count, MPI_Datatype type, int to, int tag,
                      bamboo_comm_t *comm, bamboo_request_t **made);
int bamboo_mpi_buffer_attach(void *buffer, int bytes);
int bamboo_mpi_buffer_detach(void *buffer, int *bytes);
int bamboo_mpi_request_get_status(bamboo_request_t *request, int *flag, MPI_Status *status);
int bamboo_mpi_sendrecv_replace(void *buf, int count, MPI_Datatype type, int to, int send_tag,
                                int from, int recv_tag, bamboo_comm_t *comm, MPI_Status *status);

/* collective */
int bamboo_mpi_scan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                    bamboo_comm_t *comm);
int bamboo_mpi_exscan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                      bamboo_comm_t *comm);
int bamboo_mpi_gather(const void *in, int in_count, MPI_Datatype in_type, void *out, int count,
                      MPI_Datatype type, int root, bamboo_comm_t *comm);
int bamboo_mpi_gatherv(const void *in, int in_count, MPI_Datatype in_type, void *out,
                       const int *counts, const int *displacements, MPI_Datatype type, int root,
                       bamboo_comm_t *comm);
int bamboo_mpi_scatter(const void *in, int in_count, MPI_Datatype in_type, void *out, int count,
                       MPI_Datatype type, int root, bamboo_comm_t *comm);
int bamboo_mpi_scatterv(const void *in, const int *counts, const int *displacements,
                        MPI_Datatype in_type, void *out, int count, MPI_Datatype type, int root,
                        bamboo_comm_t *comm);
int bamboo_mpi_reduce_scatter(const void *in, void *out, const int *counts, MPI_Datatype type,
                              MPI_Op op, bamboo_comm_t *comm);
int bamboo_mpi_reduce_scatter_block(const void *in, void *out, int count, MPI_Datatype type,
                                    MPI_Op op, bamboo_comm_t *comm);
int bamboo_mpi_allgather(const void *in, int in_count, MPI_Datatype in_type, void *out, int count,
                         MPI_Datatype type, bamboo_comm_t *comm);
int bamboo_mpi_allgatherv(const void *in, int in_count, MPI_Datatype in_type, void *out,
                          const int *counts, const int *displacements, MPI_Datatype type,
                          bamboo_comm_t *comm);
int bamboo_mpi_alltoall(const void *in, int in_count, MPI_Datatype in_type, void *out, int count,
                        MPI_Datatype type, bamboo_comm_t *comm);
int bamboo_mpi_alltoallv(const void *in, const int *in_counts, const int *in_displacements,
                         MPI_Datatype in_type, void *out, const int *counts,
                         const int *displacements, MPI_Datatype type, bamboo_comm_t *comm);
int bamboo_mpi_alltoallw(const void *in, const int *in_counts, const int *in_displacements,
                         const MPI_Datatype *in_types, void *out, const int *counts,
                         const int *displacements, const MPI_Datatype *types, bamboo_comm_t *comm);
int bamboo_mpi_neighbor_allgather(const void *in, int in_count, MPI_Datatype in_type, void *out,
                                  int count, MPI_Datatype type, bamboo_comm_t *comm);
int bamboo_mpi_neighbor_allgatherv(const void *in, int in_count, MPI_Datatype in_type, void *out,
                                   const int *counts, const int *displacements, MPI_Datatype type,
                                   bamboo_comm_t *comm);
int bamboo_mpi_neighbor_alltoall(const void *in, int in_count, MPI_Datatype in_type, void *out,
                                 int count, MPI_Datatype type, bamboo_comm_t *comm);
int bamboo_mpi_neighbor_alltoallv(const void *in, const int *in_counts, const int *in_displacements,
                                  MPI_Datatype in_type, void *out, const int *counts,
                                  const int *displacements, MPI_Datatype type, bamboo_comm_t *comm);
int bamboo_mpi_neighbor_alltoallw(const void *in, const int *in_counts, const MPI_Aint *in_places,
                                  const MPI_Datatype *in_types, void *out, const int *counts,
                                  const MPI_Aint *places, const MPI_Datatype *types,
                                  bamboo_comm_t *comm);

/* communicators and groups */
typedef void bamboo_errhandler_function_t(bamboo_comm_t **comm, int *error, ...);
int bamboo_mpi_comm_dup_with_info(bamboo_comm_t *comm, MPI_Info info, bamboo_comm_t **made);
int bamboo_mpi_comm_create_errhandler(bamboo_errhandler_function_t *function,
                                      MPI_Errhandler *errhandler);
int bamboo_mpi_errhandler_free(MPI_Errhandler *errhandler);
int bamboo_mpi_comm_get_parent(bamboo_comm_t **parent);
int bamboo_mpi_comm_split_type(bamboo_comm_t *comm, int type, int key, MPI_Info info,
                               bamboo_comm_t **made);
int bamboo_mpi_comm_create_group(bamboo_comm_t *comm, bamboo_group_t *group, int tag,
                                 bamboo_comm_t **made);
int bamboo_mpi_comm_create(bamboo_comm_t *comm, bamboo_group_t *group, bamboo_comm_t **made);
int bamboo_mpi_comm_set_name(bamboo_comm_t *comm, const char *name);
int bamboo_mpi_comm_get_name(bamboo_comm_t *comm, char *name, int *length);
int bamboo_mpi_comm_set_errhandler(bamboo_comm_t *comm, MPI_Errhandler errhandler);
int bamboo_mpi_comm_get_errhandler(bamboo_comm_t *comm, MPI_Errhandler *errhandler);
int bamboo_mpi_comm_test_inter(bamboo_comm_t *comm, int *flag);
int bamboo_mpi_comm_compare(bamboo_comm_t *one, bamboo_comm_t *other, int *result);
int bamboo_mpi_comm_group(bamboo_comm_t *comm, bamboo_group_t **made);
int bamboo_mpi_group_size(bamboo_group_t *group, int *size);
int bamboo_mpi_group_rank(bamboo_group_t *group, int *rank);
int bamboo_mpi_group_translate_ranks(bamboo_group_t *from, int n, const int *ranks,
                                     bamboo_group_t *to, int *result);
int bamboo_mpi_group_compare(bamboo_group_t *one, bamboo_group_t *other, int *result);
int bamboo_mpi_group_free(bamboo_group_t **group);
int bamboo_mpi_group_incl(bamboo_group_t *group, int n, const int *ranks, bamboo_group_t **made);
int bamboo_mpi_group_excl(bamboo_group_t *group, int n, const int *ranks, bamboo_group_t **made);
int bamboo_mpi_group_intersection(bamboo_group_t *one, bamboo_group_t *other,
                                  bamboo_group_t **made);
int bamboo_mpi_group_difference(bamboo_group_t *one, bamboo_group_t *other, bamboo_group_t **made);
int bamboo_mpi_group_union(bamboo_group_t *one, bamboo_group_t *other, bamboo_group_t **made);
int bamboo_mpi_group_range_incl(bamboo_group_t *group, int n, int ranges[][3],
                                bamboo_group_t **made);
int bamboo_mpi_group_range_excl(bamboo_group_t *group, int n, int ranges[][3],
                                bamboo_group_t **made);

/* topologies */
int bamboo_mpi_topo_test(bamboo_comm_t *comm, int *kind);
int bamboo_mpi_cart_create(bamboo_comm_t *comm, int dimensions, const int *dims, const int *periods,
                           int reorder, bamboo_comm_t **made);
int bamboo_mpi_cart_sub(bamboo_comm_t *comm, const int *remain, bamboo_comm_t **made);
int bamboo_mpi_cartdim_get(bamboo_comm_t *comm, int *dimensions);
int bamboo_mpi_cart_get(bamboo_comm_t *comm, int most, int *dims, int *periods, int *coords);
int bamboo_mpi_cart_rank(bamboo_comm_t *comm, const int *coords, int *rank);
int bamboo_mpi_cart_coords(bamboo_comm_t *comm, int rank, int most, int *coords);
int bamboo_mpi_cart_shift(bamboo_comm_t *comm, int dimension, int distance, int *source,
                          int *destination);
int bamboo_mpi_cart_map(bamboo_comm_t *comm, int dimensions, const int *dims, const int *periods,
                        int *rank);
int bamboo_mpi_graph_create(bamboo_comm_t *comm, int nodes, const int *index, const int *edges,
                            int reorder, bamboo_comm_t **made);
int bamboo_mpi_graphdims_get(bamboo_comm_t *comm, int *nodes, int *edges);
int bamboo_mpi_graph_get(bamboo_comm_t *comm, int most_nodes, int most_edges, int *index,
                         int *edges);
int bamboo_mpi_graph_neighbors_count(bamboo_comm_t *comm, int rank, int *count);
int bamboo_mpi_graph_neighbors(bamboo_comm_t *comm, int rank, int most, int *neighbours);
int bamboo_mpi_dist_graph_create_adjacent(bamboo_comm_t *comm, int indegree, const int *from,
                                          const int *weights_in, int outdegree, const int *to,
                                          const int *weights_out, MPI_Info info, int reorder,
                                          bamboo_comm_t **made);
int bamboo_mpi_dist_graph_neighbors_count(bamboo_comm_t *comm, int *indegree, int *outdegree,
                                          int *weighted);
int bamboo_mpi_dist_graph_neighbors(bamboo_comm_t *comm, int most_in, int *from, int *weights_in,
                                    int most_out, int *to, int *weights_out);

/* files */
int bamboo_mpi_file_open(bamboo_comm_t *comm, const char *name, int mode, MPI_Info info,
                         MPI_File *file);

/* attributes */
typedef int bamboo_copy_function_t(bamboo_comm_t *comm, int key, void *state, void *value,
                                   void *copy, int *flag);
typedef int bamboo_delete_function_t(bamboo_comm_t *comm, int key, void *value, void *state);
int bamboo_mpi_comm_create_keyval(bamboo_copy_function_t *copy, bamboo_delete_function_t *delete,
                                  int *key, void *state);
int bamboo_mpi_comm_free_keyval(int *key);
int bamboo_mpi_comm_set_attr(bamboo_comm_t *comm, int key, void *value);
int bamboo_mpi_comm_delete_attr(bamboo_comm_t *comm, int key);
int bamboo_mpi_comm_get_attr(bamboo_comm_t *comm, int key, void *value, int *flag);
bamboo_copy_function_t bamboo_attribute_dup; /* MPI_COMM_DUP_FN */

/* ---- where tasks are ----
 *
 * Called before bamboo_run(); later calls change nothing, and the same layout may be
 * given again. The world has P * V ranks. By default process p has ranks p
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
#undef MPI_GROUP_NULL
#undef MPI_GROUP_EMPTY
#undef MPI_COMM_NULL_COPY_FN
#undef MPI_COMM_DUP_FN
#undef MPI_COMM_NULL_DELETE_FN
#undef MPI_NULL_COPY_FN
#undef MPI_DUP_FN
#undef MPI_NULL_DELETE_FN
typedef bamboo_comm_t *bamboo_comm_handle_t;
typedef bamboo_group_t *bamboo_group_handle_t;
typedef bamboo_request_t *bamboo_request_handle_t;
#define MPI_Comm                      bamboo_comm_handle_t
#define MPI_Group                     bamboo_group_handle_t
#define MPI_Request                   bamboo_request_handle_t
#define MPI_COMM_WORLD                (&bamboo_world)
#define MPI_COMM_SELF                 (&bamboo_self)
#define MPI_COMM_NULL                 ((bamboo_comm_t *) 0)
#define MPI_REQUEST_NULL              ((bamboo_request_t *) 0)
#define MPI_GROUP_NULL                ((bamboo_group_t *) 0)
#define MPI_GROUP_EMPTY               (&bamboo_group_empty)
#define MPI_Comm_copy_attr_function   bamboo_copy_function_t
#define MPI_Comm_delete_attr_function bamboo_delete_function_t
#define MPI_Comm_errhandler_function  bamboo_errhandler_function_t
#define MPI_Copy_function             bamboo_copy_function_t
#define MPI_Delete_function           bamboo_delete_function_t
#define MPI_COMM_NULL_COPY_FN         ((bamboo_copy_function_t *) 0)
#define MPI_COMM_NULL_DELETE_FN       ((bamboo_delete_function_t *) 0)
#define MPI_COMM_DUP_FN               bamboo_attribute_dup
#define MPI_NULL_COPY_FN              MPI_COMM_NULL_COPY_FN
#define MPI_NULL_DELETE_FN            MPI_COMM_NULL_DELETE_FN
#define MPI_DUP_FN                    MPI_COMM_DUP_FN

#define BAMBOO_HERE(function) (bamboo_at(__FILE__, __LINE__), function)

#define MPI_Send                       BAMBOO_HERE(bamboo_mpi_send)
#define MPI_Ssend                      BAMBOO_HERE(bamboo_mpi_ssend)
#define MPI_Recv                       BAMBOO_HERE(bamboo_mpi_recv)
#define MPI_Sendrecv                   BAMBOO_HERE(bamboo_mpi_sendrecv)
#define MPI_Wait                       BAMBOO_HERE(bamboo_mpi_wait)
#define MPI_Waitall                    BAMBOO_HERE(bamboo_mpi_waitall)
#define MPI_Waitany                    BAMBOO_HERE(bamboo_mpi_waitany)
#define MPI_Waitsome                   BAMBOO_HERE(bamboo_mpi_waitsome)
#define MPI_Test                       BAMBOO_HERE(bamboo_mpi_test)
#define MPI_Testall                    BAMBOO_HERE(bamboo_mpi_testall)
#define MPI_Testany                    BAMBOO_HERE(bamboo_mpi_testany)
#define MPI_Testsome                   BAMBOO_HERE(bamboo_mpi_testsome)
#define MPI_Probe                      BAMBOO_HERE(bamboo_mpi_probe)
#define MPI_Iprobe                     BAMBOO_HERE(bamboo_mpi_iprobe)
#define MPI_Barrier                    BAMBOO_HERE(bamboo_mpi_barrier)
#define MPI_Bcast                      BAMBOO_HERE(bamboo_mpi_bcast)
#define MPI_Reduce                     BAMBOO_HERE(bamboo_mpi_reduce)
#define MPI_Allreduce                  BAMBOO_HERE(bamboo_mpi_allreduce)
#define MPI_Comm_dup                   BAMBOO_HERE(bamboo_mpi_comm_dup)
#define MPI_Comm_split                 BAMBOO_HERE(bamboo_mpi_comm_split)
#define MPI_Init                       BAMBOO_HERE(bamboo_mpi_init)
#define MPI_Init_thread                BAMBOO_HERE(bamboo_mpi_init_thread)
#define MPI_Initialized                BAMBOO_HERE(bamboo_mpi_initialized)
#define MPI_Finalize                   BAMBOO_HERE(bamboo_mpi_finalize)
#define MPI_Finalized                  BAMBOO_HERE(bamboo_mpi_finalized)
#define MPI_Abort                      BAMBOO_HERE(bamboo_mpi_abort)
#define MPI_Wtime                      BAMBOO_HERE(bamboo_mpi_wtime)
#define MPI_Comm_rank                  BAMBOO_HERE(bamboo_mpi_comm_rank)
#define MPI_Comm_size                  BAMBOO_HERE(bamboo_mpi_comm_size)
#define MPI_Comm_free                  BAMBOO_HERE(bamboo_mpi_comm_free)
#define MPI_Isend                      BAMBOO_HERE(bamboo_mpi_isend)
#define MPI_Issend                     BAMBOO_HERE(bamboo_mpi_issend)
#define MPI_Irecv                      BAMBOO_HERE(bamboo_mpi_irecv)
#define MPI_Send_init                  BAMBOO_HERE(bamboo_mpi_send_init)
#define MPI_Ssend_init                 BAMBOO_HERE(bamboo_mpi_ssend_init)
#define MPI_Recv_init                  BAMBOO_HERE(bamboo_mpi_recv_init)
#define MPI_Start                      BAMBOO_HERE(bamboo_mpi_start)
#define MPI_Startall                   BAMBOO_HERE(bamboo_mpi_startall)
#define MPI_Request_free               BAMBOO_HERE(bamboo_mpi_request_free)
#define MPI_Type_free                  BAMBOO_HERE(bamboo_mpi_type_free)
#define MPI_Pack                       BAMBOO_HERE(bamboo_mpi_pack)
#define MPI_Unpack                     BAMBOO_HERE(bamboo_mpi_unpack)
#define MPI_Pack_size                  BAMBOO_HERE(bamboo_mpi_pack_size)
#define MPI_Scan                       BAMBOO_HERE(bamboo_mpi_scan)
#define MPI_Exscan                     BAMBOO_HERE(bamboo_mpi_exscan)
#define MPI_Gather                     BAMBOO_HERE(bamboo_mpi_gather)
#define MPI_Gatherv                    BAMBOO_HERE(bamboo_mpi_gatherv)
#define MPI_Scatter                    BAMBOO_HERE(bamboo_mpi_scatter)
#define MPI_Scatterv                   BAMBOO_HERE(bamboo_mpi_scatterv)
#define MPI_Reduce_scatter             BAMBOO_HERE(bamboo_mpi_reduce_scatter)
#define MPI_Reduce_scatter_block       BAMBOO_HERE(bamboo_mpi_reduce_scatter_block)
#define MPI_Allgather                  BAMBOO_HERE(bamboo_mpi_allgather)
#define MPI_Allgatherv                 BAMBOO_HERE(bamboo_mpi_allgatherv)
#define MPI_Alltoall                   BAMBOO_HERE(bamboo_mpi_alltoall)
#define MPI_Alltoallv                  BAMBOO_HERE(bamboo_mpi_alltoallv)
#define MPI_Alltoallw                  BAMBOO_HERE(bamboo_mpi_alltoallw)
#define MPI_Neighbor_allgather         BAMBOO_HERE(bamboo_mpi_neighbor_allgather)
#define MPI_Neighbor_allgatherv        BAMBOO_HERE(bamboo_mpi_neighbor_allgatherv)
#define MPI_Neighbor_alltoall          BAMBOO_HERE(bamboo_mpi_neighbor_alltoall)
#define MPI_Neighbor_alltoallv         BAMBOO_HERE(bamboo_mpi_neighbor_alltoallv)
#define MPI_Neighbor_alltoallw         BAMBOO_HERE(bamboo_mpi_neighbor_alltoallw)
#define MPI_Comm_split_type            BAMBOO_HERE(bamboo_mpi_comm_split_type)
#define MPI_Comm_create_group          BAMBOO_HERE(bamboo_mpi_comm_create_group)
#define MPI_Comm_create                BAMBOO_HERE(bamboo_mpi_comm_create)
#define MPI_Comm_set_name              BAMBOO_HERE(bamboo_mpi_comm_set_name)
#define MPI_Comm_get_name              BAMBOO_HERE(bamboo_mpi_comm_get_name)
#define MPI_Comm_set_errhandler        BAMBOO_HERE(bamboo_mpi_comm_set_errhandler)
#define MPI_Comm_get_errhandler        BAMBOO_HERE(bamboo_mpi_comm_get_errhandler)
#define MPI_Comm_test_inter            BAMBOO_HERE(bamboo_mpi_comm_test_inter)
#define MPI_Comm_compare               BAMBOO_HERE(bamboo_mpi_comm_compare)
#define MPI_Comm_group                 BAMBOO_HERE(bamboo_mpi_comm_group)
#define MPI_Group_size                 BAMBOO_HERE(bamboo_mpi_group_size)
#define MPI_Group_rank                 BAMBOO_HERE(bamboo_mpi_group_rank)
#define MPI_Group_translate_ranks      BAMBOO_HERE(bamboo_mpi_group_translate_ranks)
#define MPI_Group_compare              BAMBOO_HERE(bamboo_mpi_group_compare)
#define MPI_Group_free                 BAMBOO_HERE(bamboo_mpi_group_free)
#define MPI_Group_incl                 BAMBOO_HERE(bamboo_mpi_group_incl)
#define MPI_Group_excl                 BAMBOO_HERE(bamboo_mpi_group_excl)
#define MPI_Group_intersection         BAMBOO_HERE(bamboo_mpi_group_intersection)
#define MPI_Group_difference           BAMBOO_HERE(bamboo_mpi_group_difference)
#define MPI_Group_union                BAMBOO_HERE(bamboo_mpi_group_union)
#define MPI_Group_range_incl           BAMBOO_HERE(bamboo_mpi_group_range_incl)
#define MPI_Group_range_excl           BAMBOO_HERE(bamboo_mpi_group_range_excl)
#define MPI_Topo_test                  BAMBOO_HERE(bamboo_mpi_topo_test)
#define MPI_Cart_create                BAMBOO_HERE(bamboo_mpi_cart_create)
#define MPI_Cart_sub                   BAMBOO_HERE(bamboo_mpi_cart_sub)
#define MPI_Cartdim_get                BAMBOO_HERE(bamboo_mpi_cartdim_get)
#define MPI_Cart_get                   BAMBOO_HERE(bamboo_mpi_cart_get)
#define MPI_Cart_rank                  BAMBOO_HERE(bamboo_mpi_cart_rank)
#define MPI_Cart_coords                BAMBOO_HERE(bamboo_mpi_cart_coords)
#define MPI_Cart_shift                 BAMBOO_HERE(bamboo_mpi_cart_shift)
#define MPI_Cart_map                   BAMBOO_HERE(bamboo_mpi_cart_map)
#define MPI_Graph_create               BAMBOO_HERE(bamboo_mpi_graph_create)
#define MPI_Graphdims_get              BAMBOO_HERE(bamboo_mpi_graphdims_get)
#define MPI_Graph_get                  BAMBOO_HERE(bamboo_mpi_graph_get)
#define MPI_Graph_neighbors_count      BAMBOO_HERE(bamboo_mpi_graph_neighbors_count)
#define MPI_Graph_neighbors            BAMBOO_HERE(bamboo_mpi_graph_neighbors)
#define MPI_Dist_graph_create_adjacent BAMBOO_HERE(bamboo_mpi_dist_graph_create_adjacent)
#define MPI_Dist_graph_neighbors_count BAMBOO_HERE(bamboo_mpi_dist_graph_neighbors_count)
#define MPI_Dist_graph_neighbors       BAMBOO_HERE(bamboo_mpi_dist_graph_neighbors)
#define MPI_Comm_create_keyval         BAMBOO_HERE(bamboo_mpi_comm_create_keyval)
#define MPI_Comm_free_keyval           BAMBOO_HERE(bamboo_mpi_comm_free_keyval)
#define MPI_Comm_set_attr              BAMBOO_HERE(bamboo_mpi_comm_set_attr)
#define MPI_Comm_delete_attr           BAMBOO_HERE(bamboo_mpi_comm_delete_attr)
#define MPI_Comm_get_attr              BAMBOO_HERE(bamboo_mpi_comm_get_attr)
#define MPI_Bsend                      BAMBOO_HERE(bamboo_mpi_bsend)
#define MPI_Ibsend                     BAMBOO_HERE(bamboo_mpi_ibsend)
#define MPI_Buffer_attach              BAMBOO_HERE(bamboo_mpi_buffer_attach)
#define MPI_Buffer_detach              BAMBOO_HERE(bamboo_mpi_buffer_detach)
#define MPI_Request_get_status         BAMBOO_HERE(bamboo_mpi_request_get_status)
#define MPI_Sendrecv_replace           BAMBOO_HERE(bamboo_mpi_sendrecv_replace)
#define MPI_Comm_dup_with_info         BAMBOO_HERE(bamboo_mpi_comm_dup_with_info)
#define MPI_Comm_create_errhandler     BAMBOO_HERE(bamboo_mpi_comm_create_errhandler)
#define MPI_Errhandler_free            BAMBOO_HERE(bamboo_mpi_errhandler_free)
#define MPI_Comm_get_parent            BAMBOO_HERE(bamboo_mpi_comm_get_parent)
#define MPI_File_open                  BAMBOO_HERE(bamboo_mpi_file_open)
#define MPI_Rsend                      BAMBOO_HERE(bamboo_mpi_send)
#define MPI_Irsend                     BAMBOO_HERE(bamboo_mpi_isend)
#define MPI_Rsend_init                 BAMBOO_HERE(bamboo_mpi_send_init)
#define MPI_Comm_disconnect            BAMBOO_HERE(bamboo_mpi_comm_free)
#define MPI_Keyval_create              BAMBOO_HERE(bamboo_mpi_comm_create_keyval)
#define MPI_Keyval_free                BAMBOO_HERE(bamboo_mpi_comm_free_keyval)
#define MPI_Attr_put                   BAMBOO_HERE(bamboo_mpi_comm_set_attr)
#define MPI_Attr_get                   BAMBOO_HERE(bamboo_mpi_comm_get_attr)
#define MPI_Attr_delete                BAMBOO_HERE(bamboo_mpi_comm_delete_attr)
#endif

#ifdef __cplusplus
}
#endif

#endif
