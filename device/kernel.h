/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program's code on devices: a module for each direction and the program's image (jit/g/image.h),
 * in each of the driver's contexts in which it has moved data. Private to device/.
 */
#ifndef DAME_KERNEL_H
#define DAME_KERNEL_H

#include "driver.h"
#include "kernels.h"

typedef struct dame_kernel {
    struct dame_kernel *next;
    cu_context_t context;
    cu_address_t image;
    cu_module_t modules[2]; /* [dame_dir_t]; NULL: not loaded */
    cu_function_t functions[2];
} dame_kernel_t;

/* Where code comes from. */
typedef struct dame_kernel_source {
    const dame_driver_t *driver;
    dame_jit_t *jit;
    int32_t provider; /* DAME-L's number in jit */
} dame_kernel_source_t;

/* The program's code for a direction in `context`, which is current. Compiled or found, and loaded,
 * at the first call. The caller holds a lock. NULL: there is none, by now or ever, or the driver
 * does not take it; copies move the data. */
dame_kernel_t *dame_kernel_get(const dame_kernel_source_t *source, dame_kernels_t *kernels,
                               const dame_program_t *program, dame_dir_t dir, cu_context_t context);

/* Returns whether the kernel is made. */
bool dame_kernel_is_there(const dame_kernels_t *kernels, dame_dir_t dir, cu_context_t context);

/* Enqueues the move of bytes [first, last) of the stream, `first` being at `packed`. */
cu_result_t dame_kernel_launch(const dame_driver_t *driver, const dame_kernels_t *kernels,
                               const dame_kernel_t *kernel, dame_dir_t dir, uint64_t base,
                               uint64_t packed, int64_t first, int64_t last, cu_stream_t stream);

/* Takes all of a program's code and images off the devices. The caller holds a lock. */
void dame_kernels_end(const dame_driver_t *driver, dame_kernels_t *kernels);

#endif
