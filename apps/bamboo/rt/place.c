/* SPDX-License-Identifier: BSD-3-Clause */
/* Where tasks are. */
#include <stdio.h>

#include "bamboo.h"
#include "place.h"
#include "task.h"

bamboo_place_t *bamboo_places;
int bamboo_world_size;
static int *rank_at, per_node; /* [node * per_node + local] */

#define MOST 8
static int geometry;
static struct {
    bamboo_layout_t layout;
    int dimension;
} layouts[MOST];
static int layout_count;

void bamboo_geometry(int dimensions)
{
    if (bamboo_places == NULL) {
        geometry = dimensions;
    }
}

void bamboo_layout(bamboo_layout_t layout, int dimension)
{
    for (int i = 0; i < layout_count && i < MOST; i++) {
        if (layouts[i].layout == layout && layouts[i].dimension == dimension) {
            return;
        }
    }
    if (bamboo_places != NULL) {
        return;
    }
    if (layout_count < MOST) {
        layouts[layout_count].layout = layout;
        layouts[layout_count].dimension = dimension;
    }
    layout_count++;
}

/* The tasks of a node are a block of the geometry, with these sizes in each dimension. */
static void place_blocks(const int *dims, const int *block)
{
    for (int rank = 0; rank < bamboo_world_size; rank++) {
        bamboo_place_t place = {0, 0};
        int stride = bamboo_world_size, left = rank;
        for (int d = 0; d < geometry; d++) {
            stride /= dims[d];
            int at = left / stride;
            left %= stride;
            place.node = place.node * (dims[d] / block[d]) + at / block[d];
            place.local = place.local * block[d] + at % block[d];
        }
        bamboo_places[rank] = place;
    }
}

/* Shares the tasks of a node out among the dimensions of layouts. Returns whether that goes without
 * remainder. */
static int share_out(const int *dims, int *block, int vf)
{
    int shares[MOST] = {0}, count = 0, named[MOST];
    for (int i = 0; i < layout_count; i++) {
        int dimension = layouts[i].dimension, known = layouts[i].layout == BAMBOO_MIN_HEAP;
        for (int j = 0; j < count; j++) {
            known |= named[j] == dimension;
        }
        if (!known) {
            named[count++] = dimension;
        }
    }
    if (count == 0) {
        return 0;
    }
    MPI_Dims_create(vf, count, shares);
    for (int d = 0; d < geometry; d++) {
        block[d] = 1;
    }
    for (int i = 0; i < count; i++) {
        block[named[i]] = shares[i];
        if (dims[named[i]] % shares[i] != 0) {
            return 0;
        }
    }
    return 1;
}

/* Returns NULL, or a message. */
static const char *choose(int vf)
{
    static char message[160]; /* memory may be out */
    int dims[MOST] = {0}, block[MOST];
    for (int rank = 0; rank < bamboo_world_size; rank++) {
        bamboo_places[rank] = (bamboo_place_t){.node = rank / vf, .local = rank % vf};
    }
    if (layout_count == 0) {
        return NULL;
    }
    if (geometry < 1 || geometry > MOST) {
        snprintf(message, sizeof(message), "geometry of %d dimensions: 1 to %d are possible",
                 geometry, MOST);
        return message;
    }
    if (layout_count > MOST) {
        snprintf(message, sizeof(message), "%d layouts: up to %d are possible", layout_count, MOST);
        return message;
    }
    for (int i = 0; i < layout_count; i++) {
        if (layouts[i].dimension < 0 || layouts[i].dimension >= geometry) {
            snprintf(message, sizeof(message), "layout along dimension %d: the geometry has %d",
                     layouts[i].dimension, geometry);
            return message;
        }
    }
    MPI_Dims_create(bamboo_world_size, geometry, dims);
    if (share_out(dims, block, vf)) {
        place_blocks(dims, block);
    }
    return NULL;
}

const char *bamboo_place_all(int nodes, int vf)
{
    bamboo_world_size = nodes * vf;
    per_node = vf;
    bamboo_places = bamboo_allocate((size_t) bamboo_world_size * sizeof(*bamboo_places));
    rank_at = bamboo_allocate((size_t) bamboo_world_size * sizeof(*rank_at));
    const char *message = choose(vf);
    for (int rank = 0; rank < bamboo_world_size; rank++) {
        rank_at[bamboo_places[rank].node * vf + bamboo_places[rank].local] = rank;
    }
    return message;
}

int bamboo_rank_at(int node, int local)
{
    return rank_at[node * per_node + local];
}

long bamboo_edges(void)
{
    long ranks = bamboo_world_size, edges = 0;
    for (int i = 0; i < layout_count; i++) {
        switch (layouts[i].layout) {
        case BAMBOO_NEAREST_NEIGHBOUR:
            edges += 2 * ranks;
            break;
        case BAMBOO_ONE_NEIGHBOUR_BACKWARD:
            edges += ranks;
            break;
        case BAMBOO_MIN_HEAP:
            edges += 2 * (ranks - 1);
            break;
        }
    }
    return layout_count > 0 ? edges : ranks * ranks;
}
