/* Where tasks are. */
#define _GNU_SOURCE /* asprintf */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bamboo.h"
#include "place.h"

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
    geometry = dimensions;
}

void bamboo_layout(bamboo_layout_t layout, int dimension)
{
    if (layout_count < MOST) {
        layouts[layout_count].layout = layout;
        layouts[layout_count++].dimension = dimension;
    }
}

/* The tasks of a node are neighbours along one dimension. */
static void place_along(const int *dims, int dimension, int vf)
{
    int inner = 1, extent = dims[dimension];
    for (int d = dimension + 1; d < geometry; d++) {
        inner *= dims[d];
    }
    for (int rank = 0; rank < bamboo_world_size; rank++) {
        int low = rank % inner, along = rank / inner % extent, high = rank / inner / extent;
        bamboo_places[rank] = (bamboo_place_t){
            .node = (high * (extent / vf) + along / vf) * inner + low, .local = along % vf};
    }
}

/* Returns NULL, or a message. */
static char *choose(int vf)
{
    int dims[MOST] = {0};
    char *message = NULL;
    for (int rank = 0; rank < bamboo_world_size; rank++) {
        bamboo_places[rank] = (bamboo_place_t){.node = rank / vf, .local = rank % vf};
    }
    if (layout_count == 0) {
        return NULL;
    }
    if (geometry < 1 || geometry > MOST) {
        return asprintf(&message, "geometry of %d dimensions: 1 to %d are possible", geometry,
                        MOST) < 0
                   ? NULL
                   : message;
    }
    for (int i = 0; i < layout_count; i++) {
        if (layouts[i].dimension < 0 || layouts[i].dimension >= geometry) {
            return asprintf(&message, "layout along dimension %d: the geometry has %d",
                            layouts[i].dimension, geometry) < 0
                       ? NULL
                       : message;
        }
    }
    MPI_Dims_create(bamboo_world_size, geometry, dims);
    for (int i = 0; i < layout_count; i++) {
        if (layouts[i].layout != BAMBOO_MIN_HEAP && dims[layouts[i].dimension] % vf == 0) {
            place_along(dims, layouts[i].dimension, vf);
            return NULL;
        }
    }
    return NULL;
}

char *bamboo_place_all(int nodes, int vf)
{
    bamboo_world_size = nodes * vf;
    per_node = vf;
    bamboo_places = malloc((size_t) bamboo_world_size * sizeof(*bamboo_places));
    rank_at = malloc((size_t) bamboo_world_size * sizeof(*rank_at));
    if (bamboo_places == NULL || rank_at == NULL) {
        return strdup("no memory");
    }
    char *message = choose(vf);
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
