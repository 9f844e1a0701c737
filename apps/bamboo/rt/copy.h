/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of a program, one for each task, so that each has variables of its own. */
#ifndef BAMBOO_RT_COPY_H
#define BAMBOO_RT_COPY_H

#include <stddef.h>

#include "task.h"

/* A copy of the image, a shared object, from dlopen(); the same for the same index. Ends the job if
 * that cannot be had. */
void *bamboo_copy_open(const void *image, size_t bytes, int index);
bamboo_main_t *bamboo_copy_main(void *copy);
/* OpenMP's omp_in_parallel(), or NULL if the program has no OpenMP. */
int (*bamboo_copy_in_parallel(void *copy))(void);

#endif
