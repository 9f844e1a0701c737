/* SPDX-License-Identifier: BSD-3-Clause */
/* Where tasks are: which ranks of the world a process (or a modelled node) has. */
#ifndef BAMBOO_RT_PLACE_H
#define BAMBOO_RT_PLACE_H

typedef struct bamboo_place {
    int node;  /* process or modelled node */
    int local; /* 0 to V - 1 there */
} bamboo_place_t;

/* Lays nodes * vf ranks out, by what bamboo_geometry() and bamboo_layout() said. Returns NULL, or a
 * message about the layouts; the ranks are in blocks then. */
const char *bamboo_place_all(int nodes, int vf);

extern bamboo_place_t *bamboo_places; /* of each rank of the world */
extern int bamboo_world_size;

int bamboo_rank_at(int node, int local);

#endif
