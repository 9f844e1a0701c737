/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the program operations share. */
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"

/* What one does, with derived datatypes or packed by hand. */
typedef struct operation {
    const char *name;
    int size; /* cells of a side, or as the functions say */
    int kind;
    void (*begin)(const struct operation *o);
    void (*step)(bool by_hand);
    bool (*is_right)(bool by_hand); /* does a step of its own */
    void (*end)(void);
} operation_t;

extern int rank, peer; /* of two */

#define UNTOUCHED (-1.0)

static inline double *doubles(size_t count)
{
    return app_memory(count * sizeof(double));
}

static inline double value(int owner, int q, int i, int j, int k)
{
    return owner + 2.0 * q + 64.0 * i + 8192.0 * j + 1048576.0 * k;
}

/* operations_halo.c */
enum { SEVEN_POINTS, TWENTY_SEVEN_POINTS, LATTICE_BOLTZMANN, PERSISTENT, NEIGHBOURS, PARTITIONED };
void halo_begin(const operation_t *o);
void halo_step(bool by_hand);
bool halo_is_right(bool by_hand);
void halo_end(void);

/* operations_matrix.c */
enum { GATHERV, ALLTOALLW, PUT, GET, ACCUMULATE };
void matrix_begin(const operation_t *o);
void matrix_step(bool by_hand);
bool matrix_is_right(bool by_hand);
void matrix_end(void);

#endif
