/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs for some minutes, and a line each minute: the work done, and the process's resources. */
#ifndef TEST_ENEMY_SOAK_H
#define TEST_ENEMY_SOAK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct soak {
    int rank;
    bool runs; /* minutes were asked for */
    double begun, ends, next;
    long long types, steps, differences, programs;
} soak_t;

/* Before MPI's first datatype; minutes 0: it only counts. */
void soak_begin(soak_t *soak, double minutes, int rank);
/* Collective: is there time for another program? Prints the lines. */
bool soak_goes_on(soak_t *soak);
/* Each rank prints how many of its messages DAME has moved. */
void soak_end(soak_t *soak);

#endif
