/* SPDX-License-Identifier: BSD-3-Clause */
/* Topologies: grids, and graphs that say who are neighbours. Ranks are never reordered: layouts say
 * where tasks are. */
#include <stdlib.h>
#include <string.h>

#include "comm.h"

/* ---- any topology ---- */

static const bamboo_topology_t *topology_of(const char *call, bamboo_comm_t *comm, int kind)
{
    bamboo_enter(call);
    const bamboo_topology_t *topology = bamboo_comm_of(comm)->topology;
    if (topology == NULL || topology->kind != kind) {
        bamboo_fail("the communicator has no topology of this kind");
    }
    return topology;
}

int bamboo_mpi_topo_test(bamboo_comm_t *comm, int *kind)
{
    bamboo_enter("MPI_Topo_test");
    comm = bamboo_comm_of(comm);
    *kind = comm->topology != NULL ? comm->topology->kind : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

/* A communicator of the first `size` ranks, to which the topology is given; else NULL. */
static bamboo_comm_t *make_comm(const char *call, bamboo_comm_t *comm, int size,
                                const bamboo_topology_t *topology)
{
    bamboo_enter(call);
    comm = bamboo_comm_of(comm);
    const int me = bamboo_comm_rank(comm, bamboo_current->rank);
    if (size > comm->size) {
        bamboo_fail("a topology of %d ranks: the communicator has %d", size, comm->size);
    }
    bamboo_current->collective++;
    bamboo_comm_t *made = bamboo_comm_divide(comm, me < size ? 0 : MPI_UNDEFINED, me);
    bamboo_current->collective--;
    if (made != NULL) {
        made->topology = bamboo_topology_copy(topology);
    }
    return made;
}

/* ---- grids ---- */

/* MPI_PROC_NULL: outside of the grid. */
static int rank_at(const bamboo_topology_t *grid, const int *coords)
{
    int rank = 0;
    for (int d = 0; d < grid->dimensions; d++) {
        int at = coords[d], extent = grid->dims[d];
        if (grid->periods[d]) {
            at = (at % extent + extent) % extent;
        } else if (at < 0 || at >= extent) {
            return MPI_PROC_NULL;
        }
        rank = rank * extent + at;
    }
    return rank;
}

static void coords_of(const bamboo_topology_t *grid, int rank, int *coords)
{
    for (int d = grid->dimensions - 1; d >= 0; d--) {
        coords[d] = rank % grid->dims[d];
        rank /= grid->dims[d];
    }
}

/* The rank `distance` further in a dimension. */
static int shifted(const bamboo_topology_t *grid, int rank, int dimension, int distance)
{
    int *coords = bamboo_allocate((size_t) grid->dimensions * sizeof(int));
    coords_of(grid, rank, coords);
    coords[dimension] += distance;
    rank = rank_at(grid, coords);
    free(coords);
    return rank;
}

/* In each dimension, the neighbour below and the one above. */
static void find_neighbours(bamboo_comm_t *comm)
{
    bamboo_topology_t *grid = comm->topology;
    const int me = bamboo_comm_rank(comm, bamboo_current->rank);
    grid->indegree = grid->outdegree = 2 * grid->dimensions;
    free(grid->from);
    free(grid->to);
    grid->from = bamboo_allocate((size_t) grid->indegree * sizeof(int));
    for (int i = 0; i < grid->indegree; i++) {
        grid->from[i] = shifted(grid, me, i / 2, i % 2 ? 1 : -1);
    }
    grid->to = bamboo_allocate((size_t) grid->outdegree * sizeof(int));
    memcpy(grid->to, grid->from, (size_t) grid->outdegree * sizeof(int));
}

int bamboo_mpi_cart_create(bamboo_comm_t *comm, int dimensions, const int *dims, const int *periods,
                           int reorder, bamboo_comm_t **made)
{
    bamboo_topology_t grid = {.kind = MPI_CART,
                              .dimensions = dimensions,
                              .dims = (int *) dims,
                              .periods = (int *) periods};
    int size = 1;
    (void) reorder;
    bamboo_enter("MPI_Cart_create");
    for (int d = 0; d < dimensions; d++) {
        if (dims[d] <= 0) {
            bamboo_fail("dimension %d has %d ranks", d, dims[d]);
        }
        size *= dims[d];
    }
    *made = make_comm("MPI_Cart_create", comm, size, &grid);
    if (*made != NULL) {
        find_neighbours(*made);
    }
    return MPI_SUCCESS;
}

int bamboo_mpi_cart_sub(bamboo_comm_t *comm, const int *remain, bamboo_comm_t **made)
{
    const bamboo_topology_t *grid = topology_of("MPI_Cart_sub", comm, MPI_CART);
    const int n = grid->dimensions;
    comm = bamboo_comm_of(comm);
    bamboo_topology_t *sub = bamboo_topology_copy(grid);
    const int me = bamboo_comm_rank(comm, bamboo_current->rank);
    int *coords = bamboo_allocate((size_t) n * sizeof(int)), color = 0, key = 0;
    coords_of(grid, me, coords);
    sub->dimensions = 0;
    for (int d = 0; d < n; d++) {
        if (remain[d]) {
            sub->dims[sub->dimensions] = grid->dims[d];
            sub->periods[sub->dimensions++] = grid->periods[d];
            key = key * grid->dims[d] + coords[d];
        } else {
            color = color * grid->dims[d] + coords[d];
        }
    }
    free(coords);
    bamboo_current->collective++;
    *made = bamboo_comm_divide(comm, color, key);
    bamboo_current->collective--;
    (*made)->topology = sub;
    find_neighbours(*made);
    return MPI_SUCCESS;
}

int bamboo_mpi_cartdim_get(bamboo_comm_t *comm, int *dimensions)
{
    *dimensions = topology_of("MPI_Cartdim_get", comm, MPI_CART)->dimensions;
    return MPI_SUCCESS;
}

int bamboo_mpi_cart_get(bamboo_comm_t *comm, int most, int *dims, int *periods, int *coords)
{
    const bamboo_topology_t *grid = topology_of("MPI_Cart_get", comm, MPI_CART);
    if (most < grid->dimensions) {
        bamboo_fail("room for %d dimensions, the grid has %d", most, grid->dimensions);
    }
    if (grid->dimensions > 0) {
        memcpy(dims, grid->dims, (size_t) grid->dimensions * sizeof(int));
        memcpy(periods, grid->periods, (size_t) grid->dimensions * sizeof(int));
    }
    coords_of(grid, bamboo_comm_rank(bamboo_comm_of(comm), bamboo_current->rank), coords);
    return MPI_SUCCESS;
}

int bamboo_mpi_cart_rank(bamboo_comm_t *comm, const int *coords, int *rank)
{
    *rank = rank_at(topology_of("MPI_Cart_rank", comm, MPI_CART), coords);
    if (*rank == MPI_PROC_NULL) {
        bamboo_fail("coordinates outside of the grid");
    }
    return MPI_SUCCESS;
}

int bamboo_mpi_cart_coords(bamboo_comm_t *comm, int rank, int most, int *coords)
{
    const bamboo_topology_t *grid = topology_of("MPI_Cart_coords", comm, MPI_CART);
    if (rank < 0 || rank >= bamboo_comm_of(comm)->size || most < grid->dimensions) {
        bamboo_fail("rank %d, room for %d dimensions: the grid has %d ranks in %d dimensions", rank,
                    most, bamboo_comm_of(comm)->size, grid->dimensions);
    }
    coords_of(grid, rank, coords);
    return MPI_SUCCESS;
}

int bamboo_mpi_cart_shift(bamboo_comm_t *comm, int dimension, int distance, int *source,
                          int *destination)
{
    const bamboo_topology_t *grid = topology_of("MPI_Cart_shift", comm, MPI_CART);
    const int me = bamboo_comm_rank(bamboo_comm_of(comm), bamboo_current->rank);
    if (dimension < 0 || dimension >= grid->dimensions) {
        bamboo_fail("dimension %d: the grid has %d", dimension, grid->dimensions);
    }
    *source = shifted(grid, me, dimension, -distance);
    *destination = shifted(grid, me, dimension, distance);
    return MPI_SUCCESS;
}

int bamboo_mpi_cart_map(bamboo_comm_t *comm, int dimensions, const int *dims, const int *periods,
                        int *rank)
{
    int size = 1;
    (void) periods;
    bamboo_mpi_comm_rank(comm, rank);
    for (int d = 0; d < dimensions; d++) {
        size *= dims[d];
    }
    *rank = *rank < size ? *rank : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

/* ---- graphs ---- */

int bamboo_mpi_graph_create(bamboo_comm_t *comm, int nodes, const int *index, const int *edges,
                            int reorder, bamboo_comm_t **made)
{
    int me, first;
    (void) reorder;
    bamboo_mpi_comm_rank(comm, &me);
    bamboo_topology_t graph = {
        .kind = MPI_GRAPH, .nodes = nodes, .index = (int *) index, .edges = (int *) edges};
    if (me < nodes) {
        first = me > 0 ? index[me - 1] : 0;
        graph.indegree = graph.outdegree = index[me] - first;
        graph.from = graph.to = (int *) edges + first;
    }
    *made = make_comm("MPI_Graph_create", comm, nodes, &graph);
    return MPI_SUCCESS;
}

int bamboo_mpi_graphdims_get(bamboo_comm_t *comm, int *nodes, int *edges)
{
    const bamboo_topology_t *graph = topology_of("MPI_Graphdims_get", comm, MPI_GRAPH);
    *nodes = graph->nodes;
    *edges = graph->nodes > 0 ? graph->index[graph->nodes - 1] : 0;
    return MPI_SUCCESS;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

int bamboo_mpi_graph_get(bamboo_comm_t *comm, int most_nodes, int most_edges, int *index,
                         int *edges)
{
    const bamboo_topology_t *graph = topology_of("MPI_Graph_get", comm, MPI_GRAPH);
    const int count = graph->nodes > 0 ? graph->index[graph->nodes - 1] : 0;
    memcpy(index, graph->index, (size_t) least(most_nodes, graph->nodes) * sizeof(int));
    memcpy(edges, graph->edges, (size_t) least(most_edges, count) * sizeof(int));
    return MPI_SUCCESS;
}

/* The edges of a rank; returns their number. */
static int edges_of(const char *call, bamboo_comm_t *comm, int rank, const int **edges)
{
    const bamboo_topology_t *graph = topology_of(call, comm, MPI_GRAPH);
    if (rank < 0 || rank >= graph->nodes) {
        bamboo_fail("rank %d: the graph has ranks 0 to %d", rank, graph->nodes - 1);
    }
    const int first = rank > 0 ? graph->index[rank - 1] : 0;
    *edges = graph->edges + first;
    return graph->index[rank] - first;
}

int bamboo_mpi_graph_neighbors_count(bamboo_comm_t *comm, int rank, int *count)
{
    const int *edges;
    *count = edges_of("MPI_Graph_neighbors_count", comm, rank, &edges);
    return MPI_SUCCESS;
}

int bamboo_mpi_graph_neighbors(bamboo_comm_t *comm, int rank, int most, int *neighbours)
{
    const int *edges;
    const int count = edges_of("MPI_Graph_neighbors", comm, rank, &edges);
    memcpy(neighbours, edges, (size_t) least(most, count) * sizeof(int));
    return MPI_SUCCESS;
}

int bamboo_mpi_dist_graph_create_adjacent(bamboo_comm_t *comm, int indegree, const int *from,
                                          const int *weights_in, int outdegree, const int *to,
                                          const int *weights_out, MPI_Info info, int reorder,
                                          bamboo_comm_t **made)
{
    bamboo_topology_t graph = {.kind = MPI_DIST_GRAPH,
                               .indegree = indegree,
                               .from = (int *) from,
                               .outdegree = outdegree,
                               .to = (int *) to};
    (void) info, (void) reorder;
    if (weights_in != MPI_UNWEIGHTED && weights_out != MPI_UNWEIGHTED) {
        graph.weighted = 1;
        graph.weights_in = (int *) weights_in;
        graph.weights_out = (int *) weights_out;
    }
    bamboo_enter("MPI_Dist_graph_create_adjacent");
    *made = make_comm("MPI_Dist_graph_create_adjacent", comm, bamboo_comm_of(comm)->size, &graph);
    return MPI_SUCCESS;
}

int bamboo_mpi_dist_graph_neighbors_count(bamboo_comm_t *comm, int *indegree, int *outdegree,
                                          int *weighted)
{
    const bamboo_topology_t *graph =
        topology_of("MPI_Dist_graph_neighbors_count", comm, MPI_DIST_GRAPH);
    *indegree = graph->indegree;
    *outdegree = graph->outdegree;
    *weighted = graph->weighted;
    return MPI_SUCCESS;
}

int bamboo_mpi_dist_graph_neighbors(bamboo_comm_t *comm, int most_in, int *from, int *weights_in,
                                    int most_out, int *to, int *weights_out)
{
    const bamboo_topology_t *graph = topology_of("MPI_Dist_graph_neighbors", comm, MPI_DIST_GRAPH);
    const size_t in = (size_t) least(most_in, graph->indegree) * sizeof(int),
                 out = (size_t) least(most_out, graph->outdegree) * sizeof(int);
    memcpy(from, graph->from, in);
    memcpy(to, graph->to, out);
    if (graph->weighted && weights_in != MPI_UNWEIGHTED && weights_out != MPI_UNWEIGHTED) {
        memcpy(weights_in, graph->weights_in, in);
        memcpy(weights_out, graph->weights_out, out);
    }
    return MPI_SUCCESS;
}
