/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which way moves a datatype's parts on a device, of those that can: a kernel, or copies by the
 * driver, each of rows at one stride. By measurement, for parts of about the same size between the
 * same kinds of memory. Pure decisions: no clock, no driver, no lock.
 *
 * A kernel has to be made. Where a few copies do, they are taken until they have cost as much time
 * as making a kernel (ski rental). Then each way is timed some times, the faster one stays, and now
 * and then the other one is timed again. Where there are many copies, the kernel is made at once.
 */
#ifndef DAME_CHOICE_H
#define DAME_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum dame_way { DAME_WAY_COPIES, DAME_WAY_KERNEL, DAME_WAYS } dame_way_t;

/* All zero: nothing is known. */
typedef struct dame_choice {
    float cost[DAME_WAYS]; /* ns a byte */
    float spent;           /* ns, before there is a kernel */
    uint32_t uses;
    uint8_t tries[DAME_WAYS];
    bool is_many; /* copies were too many to be a way beside a kernel */
} dame_choice_t;

/* The way of the next part. *most: so many copies are a way; if there are more, a kernel moves the
 * rest. has_kernel: it is made; kernel_ns: what that takes. */
dame_way_t dame_choice_next(dame_choice_t *choice, bool has_kernel, double kernel_ns,
                            int64_t *most);

/* A part of `bytes` took this way and `ns`. is_many: there were more copies than that, beside a
 * kernel that was there. Not to be told of a part that was the first to need one. */
void dame_choice_took(dame_choice_t *choice, dame_way_t way, bool is_many, double ns,
                      int64_t bytes);

#endif
