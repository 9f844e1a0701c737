/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of ranks: lists of ranks of the world. */
#include <stdlib.h>
#include <string.h>

#include "comm.h"

struct bamboo_group bamboo_group_empty;

static bamboo_group_t *new_group(int most)
{
    bamboo_group_t *group = bamboo_allocate(sizeof(*group));
    group->world = bamboo_allocate((size_t) most * sizeof(int));
    return group;
}

static const bamboo_group_t *check_group(const char *call, const bamboo_group_t *group)
{
    bamboo_enter(call);
    if (group == NULL) {
        bamboo_fail("MPI_GROUP_NULL is not a group");
    }
    return group;
}

static int place_of(const bamboo_group_t *group, int world)
{
    for (int i = 0; i < group->size; i++) {
        if (group->world[i] == world) {
            return i;
        }
    }
    return MPI_UNDEFINED;
}

static int member(const bamboo_group_t *group, int rank)
{
    if (rank < 0 || rank >= group->size) {
        bamboo_fail("rank %d: the group has ranks 0 to %d", rank, group->size - 1);
    }
    return group->world[rank];
}

int bamboo_mpi_comm_group(bamboo_comm_t *comm, bamboo_group_t **made)
{
    bamboo_enter("MPI_Comm_group");
    comm = bamboo_comm_of(comm);
    *made = new_group(comm->size);
    for (int rank = 0; rank < comm->size; rank++) {
        (*made)->world[(*made)->size++] = bamboo_comm_world_rank(comm, rank);
    }
    return MPI_SUCCESS;
}

int bamboo_mpi_group_size(bamboo_group_t *group, int *size)
{
    *size = check_group("MPI_Group_size", group)->size;
    return MPI_SUCCESS;
}

int bamboo_mpi_group_rank(bamboo_group_t *group, int *rank)
{
    *rank = place_of(check_group("MPI_Group_rank", group), bamboo_current->rank);
    return MPI_SUCCESS;
}

int bamboo_mpi_group_translate_ranks(bamboo_group_t *from, int n, const int *ranks,
                                     bamboo_group_t *to, int *result)
{
    check_group("MPI_Group_translate_ranks", from);
    for (int i = 0; i < n; i++) {
        result[i] =
            ranks[i] == MPI_PROC_NULL
                ? MPI_PROC_NULL
                : place_of(check_group("MPI_Group_translate_ranks", to), member(from, ranks[i]));
    }
    return MPI_SUCCESS;
}

int bamboo_mpi_group_compare(bamboo_group_t *one, bamboo_group_t *other, int *result)
{
    check_group("MPI_Group_compare", one);
    check_group("MPI_Group_compare", other);
    *result = one->size == other->size ? MPI_IDENT : MPI_UNEQUAL;
    for (int i = 0; i < one->size && *result != MPI_UNEQUAL; i++) {
        int at = place_of(other, one->world[i]);
        *result = at == MPI_UNDEFINED ? MPI_UNEQUAL : at == i ? *result : MPI_SIMILAR;
    }
    return MPI_SUCCESS;
}

int bamboo_mpi_group_free(bamboo_group_t **group)
{
    check_group("MPI_Group_free", *group);
    if (*group != &bamboo_group_empty) {
        free((*group)->world);
        free(*group);
    }
    *group = NULL;
    return MPI_SUCCESS;
}

int bamboo_mpi_group_incl(bamboo_group_t *group, int n, const int *ranks, bamboo_group_t **made)
{
    check_group("MPI_Group_incl", group);
    *made = new_group(n);
    for (int i = 0; i < n; i++) {
        (*made)->world[(*made)->size++] = member(group, ranks[i]);
    }
    return MPI_SUCCESS;
}

/* Those of one, and with `which` 1 that are, or with 0 are not in the other. */
static bamboo_group_t *select_members(const bamboo_group_t *one, const bamboo_group_t *other,
                                      int which)
{
    bamboo_group_t *made = new_group(one->size);
    for (int i = 0; i < one->size; i++) {
        if ((place_of(other, one->world[i]) != MPI_UNDEFINED) == which) {
            made->world[made->size++] = one->world[i];
        }
    }
    return made;
}

int bamboo_mpi_group_excl(bamboo_group_t *group, int n, const int *ranks, bamboo_group_t **made)
{
    bamboo_group_t *without;
    bamboo_mpi_group_incl(group, n, ranks, &without);
    *made = select_members(group, without, 0);
    return bamboo_mpi_group_free(&without);
}

int bamboo_mpi_group_intersection(bamboo_group_t *one, bamboo_group_t *other, bamboo_group_t **made)
{
    *made = select_members(check_group("MPI_Group_intersection", one),
                           check_group("MPI_Group_intersection", other), 1);
    return MPI_SUCCESS;
}

int bamboo_mpi_group_difference(bamboo_group_t *one, bamboo_group_t *other, bamboo_group_t **made)
{
    *made = select_members(check_group("MPI_Group_difference", one),
                           check_group("MPI_Group_difference", other), 0);
    return MPI_SUCCESS;
}

int bamboo_mpi_group_union(bamboo_group_t *one, bamboo_group_t *other, bamboo_group_t **made)
{
    bamboo_group_t *more = select_members(check_group("MPI_Group_union", other),
                                          check_group("MPI_Group_union", one), 0);
    *made = new_group(one->size + more->size);
    (*made)->size = one->size + more->size;
    memcpy((*made)->world, one->world, (size_t) one->size * sizeof(int));
    memcpy((*made)->world + one->size, more->world, (size_t) more->size * sizeof(int));
    return bamboo_mpi_group_free(&more);
}

/* The ranks of ranges of first, last, stride. */
static int *in_ranges(int n, int ranges[][3], int *count)
{
    int most = 0;
    for (int i = 0; i < n; i++) {
        if (ranges[i][2] == 0) {
            bamboo_fail("a range with stride 0");
        }
        most += abs(ranges[i][1] - ranges[i][0]) / abs(ranges[i][2]) + 1;
    }
    int *ranks = bamboo_allocate((size_t) most * sizeof(int));
    *count = 0;
    for (int i = 0; i < n; i++) {
        const int stride = ranges[i][2];
        for (int rank = ranges[i][0]; stride > 0 ? rank <= ranges[i][1] : rank >= ranges[i][1];
             rank += stride) {
            ranks[(*count)++] = rank;
        }
    }
    return ranks;
}

int bamboo_mpi_group_range_incl(bamboo_group_t *group, int n, int ranges[][3],
                                bamboo_group_t **made)
{
    int count, *ranks = in_ranges(n, ranges, &count);
    bamboo_mpi_group_incl(group, count, ranks, made);
    free(ranks);
    return MPI_SUCCESS;
}

int bamboo_mpi_group_range_excl(bamboo_group_t *group, int n, int ranges[][3],
                                bamboo_group_t **made)
{
    int count, *ranks = in_ranges(n, ranges, &count);
    bamboo_mpi_group_excl(group, count, ranks, made);
    free(ranks);
    return MPI_SUCCESS;
}
