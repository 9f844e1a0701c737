/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program has on devices. */
#ifndef DAME_KERNELS_H
#define DAME_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

/* A program's code on devices (kernel.h), and when it is used. All zero: none so far. */
typedef struct dame_kernels {
    struct dame_kernel *first;
    struct dame_choices *choices; /* device.c's; NULL: none so far */
    int32_t grain;                /* once `first` is there (jit/g/image.h) */
    bool is_hopeless;             /* there is no code for it */
} dame_kernels_t;

#endif
