/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI's functions of communicators. */
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "comm.h"
#include "place.h"

int bamboo_mpi_comm_rank(bamboo_comm_t *comm, int *rank)
{
    bamboo_enter("MPI_Comm_rank");
    *rank = bamboo_comm_rank(bamboo_comm_of(comm), bamboo_current->rank);
    return MPI_SUCCESS;
}

int bamboo_mpi_comm_size(bamboo_comm_t *comm, int *size)
{
    bamboo_enter("MPI_Comm_size");
    *size = bamboo_comm_of(comm)->size;
    return MPI_SUCCESS;
}

int bamboo_mpi_comm_free(bamboo_comm_t **comm)
{
    bamboo_enter("MPI_Comm_free");
    bamboo_comm_t *freed = *comm;
    if (freed == NULL || freed == &bamboo_world || freed == &bamboo_self) {
        bamboo_fail("only communicators that the program made can be freed");
    }
    if (freed->owner != bamboo_current || freed->freed) {
        bamboo_fail("the communicator is not this rank's, or was freed before");
    }
    bamboo_attributes_delete(freed);
    bamboo_comm_free(freed);
    *comm = NULL;
    return MPI_SUCCESS;
}

/* ---- new ones ---- */

static int lowest_free(unsigned used)
{
    for (int context = 0; context < BAMBOO_CONTEXTS; context++) {
        if (!(used & (1u << context))) {
            return context;
        }
    }
    bamboo_fail("more than %d communicators at a time, MPI_COMM_WORLD and MPI_COMM_SELF among them",
                BAMBOO_CONTEXTS);
}

struct member {
    int color, key, rank;
    unsigned contexts; /* in use */
};

static int compare_ranks(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : x->rank - y->rank;
}

bamboo_comm_t *bamboo_comm_divide(bamboo_comm_t *comm, int color, int key)
{
    enum { INTS = sizeof(struct member) / sizeof(int) };
    const struct member mine = {color, key, bamboo_comm_rank(comm, bamboo_current->rank),
                                bamboo_current->contexts};
    struct member *all = bamboo_allocate((size_t) comm->size * sizeof(*all));
    bamboo_mpi_allgather(&mine, INTS, MPI_INT, all, INTS, MPI_INT, comm);
    unsigned used = 0;
    int size = 0, *world = bamboo_allocate((size_t) comm->size * sizeof(int));
    for (int i = 0; i < comm->size; i++) {
        used |= all[i].contexts;
        if (all[i].color == color) {
            all[size++] = all[i];
        }
    }
    qsort(all, (size_t) size, sizeof(*all), compare_ranks);
    for (int i = 0; i < size; i++) {
        world[i] = bamboo_comm_world_rank(comm, all[i].rank);
    }
    free(all);
    int context = lowest_free(used);
    if (color == MPI_UNDEFINED) {
        free(world);
        return NULL;
    }
    bamboo_comm_t *made = bamboo_comm_new(context, size, world);
    made->errhandler = comm->errhandler;
    return made;
}

static int begin(const char *call, bamboo_comm_t **comm)
{
    bamboo_enter(call);
    *comm = bamboo_comm_of(*comm);
    bamboo_current->collective++;
    return bamboo_comm_rank(*comm, bamboo_current->rank);
}

static int end_call(void)
{
    bamboo_current->collective--;
    return MPI_SUCCESS;
}

int bamboo_mpi_comm_split(bamboo_comm_t *comm, int color, int key, bamboo_comm_t **made)
{
    begin("MPI_Comm_split", &comm);
    if (color < 0 && color != MPI_UNDEFINED) {
        bamboo_fail("color %d is negative", color);
    }
    *made = bamboo_comm_divide(comm, color, key);
    return end_call();
}

/* Tasks of a process share memory. */
int bamboo_mpi_comm_split_type(bamboo_comm_t *comm, int type, int key, MPI_Info info,
                               bamboo_comm_t **made)
{
    begin("MPI_Comm_split_type", &comm);
    (void) info;
    if (type != MPI_COMM_TYPE_SHARED && type != MPI_UNDEFINED) {
        bamboo_fail("tasks know only MPI_COMM_TYPE_SHARED");
    }
    *made = bamboo_comm_divide(
        comm, type == MPI_UNDEFINED ? type : bamboo_places[bamboo_current->rank].node, key);
    return end_call();
}

int bamboo_mpi_comm_dup(bamboo_comm_t *comm, bamboo_comm_t **made)
{
    const int me = begin("MPI_Comm_dup", &comm);
    *made = bamboo_comm_divide(comm, 0, me);
    (*made)->topology = bamboo_topology_copy(comm->topology);
    bamboo_attributes_copy(comm, *made);
    return end_call();
}

int bamboo_mpi_comm_dup_with_info(bamboo_comm_t *comm, MPI_Info info, bamboo_comm_t **made)
{
    (void) info;
    return bamboo_mpi_comm_dup(comm, made);
}

int bamboo_mpi_comm_create(bamboo_comm_t *comm, bamboo_group_t *group, bamboo_comm_t **made)
{
    int at = 0;
    begin("MPI_Comm_create", &comm);
    while (at < group->size && group->world[at] != bamboo_current->rank) {
        at++;
    }
    /* Groups of one call do not overlap. */
    *made = bamboo_comm_divide(comm, at < group->size ? group->world[0] : MPI_UNDEFINED, at);
    return end_call();
}

/* Only the group takes part: its first rank collects the contexts in use. Others get no
 * communicator. */
int bamboo_mpi_comm_create_group(bamboo_comm_t *comm, bamboo_group_t *group, int tag,
                                 bamboo_comm_t **made)
{
    begin("MPI_Comm_create_group", &comm);
    unsigned used = bamboo_current->contexts;
    int me = -1, *world = bamboo_allocate((size_t) group->size * sizeof(int));
    for (int i = 0; i < group->size; i++) {
        world[i] = group->world[i];
        me = world[i] == bamboo_current->rank ? i : me;
    }
    if (me < 0) {
        free(world);
        *made = NULL;
        return end_call();
    }
    for (int i = 1; i < group->size; i++) {
        unsigned others;
        const int rank = bamboo_comm_rank(comm, world[me == 0 ? i : 0]);
        if (me == 0) {
            bamboo_mpi_recv(&others, 1, MPI_UNSIGNED, rank, tag, comm, MPI_STATUS_IGNORE);
            used |= others;
        } else if (i == me) {
            bamboo_mpi_send(&used, 1, MPI_UNSIGNED, rank, tag, comm);
            bamboo_mpi_recv(&used, 1, MPI_UNSIGNED, rank, tag, comm, MPI_STATUS_IGNORE);
        }
    }
    for (int i = 1; i < group->size && me == 0; i++) {
        bamboo_mpi_send(&used, 1, MPI_UNSIGNED, bamboo_comm_rank(comm, world[i]), tag, comm);
    }
    *made = bamboo_comm_new(lowest_free(used), group->size, world);
    return end_call();
}

/* ---- names, errors, comparison ---- */

int bamboo_mpi_comm_set_name(bamboo_comm_t *comm, const char *name)
{
    bamboo_enter("MPI_Comm_set_name");
    comm = bamboo_comm_of(comm);
    free(comm->name);
    comm->name = bamboo_allocate(MPI_MAX_OBJECT_NAME);
    strncat(comm->name, name, MPI_MAX_OBJECT_NAME - 1);
    return MPI_SUCCESS;
}

int bamboo_mpi_comm_get_name(bamboo_comm_t *comm, char *name, int *length)
{
    bamboo_enter("MPI_Comm_get_name");
    comm = bamboo_comm_of(comm);
    strcpy(name, comm->name != NULL       ? comm->name
                 : comm->context == WORLD ? "MPI_COMM_WORLD"
                 : comm->context == SELF  ? "MPI_COMM_SELF"
                                          : "");
    *length = (int) strlen(name);
    return MPI_SUCCESS;
}

/* Kept for MPI_Comm_get_errhandler(): an error ends the job, whatever the handler is. */
int bamboo_mpi_comm_set_errhandler(bamboo_comm_t *comm, MPI_Errhandler errhandler)
{
    bamboo_enter("MPI_Comm_set_errhandler");
    bamboo_comm_of(comm)->errhandler = errhandler;
    return MPI_SUCCESS;
}

int bamboo_mpi_comm_get_errhandler(bamboo_comm_t *comm, MPI_Errhandler *errhandler)
{
    bamboo_enter("MPI_Comm_get_errhandler");
    *errhandler = bamboo_comm_of(comm)->errhandler;
    return MPI_SUCCESS;
}

int bamboo_mpi_comm_create_errhandler(bamboo_errhandler_function_t *function,
                                      MPI_Errhandler *errhandler)
{
    (void) function;
    *errhandler = MPI_ERRORS_ARE_FATAL;
    return MPI_SUCCESS;
}

int bamboo_mpi_errhandler_free(MPI_Errhandler *errhandler)
{
    *errhandler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}

/* No task was started by another program. */
int bamboo_mpi_comm_get_parent(bamboo_comm_t **parent)
{
    *parent = NULL;
    return MPI_SUCCESS;
}

int bamboo_mpi_comm_test_inter(bamboo_comm_t *comm, int *flag)
{
    bamboo_enter("MPI_Comm_test_inter");
    (void) bamboo_comm_of(comm);
    *flag = 0;
    return MPI_SUCCESS;
}

int bamboo_mpi_comm_compare(bamboo_comm_t *one, bamboo_comm_t *other, int *result)
{
    bamboo_group_t *a, *b;
    bamboo_mpi_comm_group(one, &a);
    bamboo_mpi_comm_group(other, &b);
    bamboo_enter("MPI_Comm_compare");
    bamboo_mpi_group_compare(a, b, result);
    if (*result == MPI_IDENT && bamboo_comm_of(one) != bamboo_comm_of(other)) {
        *result = MPI_CONGRUENT;
    }
    bamboo_mpi_group_free(&a);
    bamboo_mpi_group_free(&b);
    return MPI_SUCCESS;
}
