/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of CUDA's driver that this room calls. Their types are written down here, from the
 * driver API's documentation (version 12), so that nothing of CUDA is needed to build. Private to
 * device/.
 */
#ifndef DAME_DRIVER_H
#define DAME_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "jit/jit.h"

typedef int cu_result_t; /* 0: success */
typedef uint64_t cu_address_t;
typedef struct cu_context *cu_context_t;
typedef struct cu_module *cu_module_t;
typedef struct cu_function *cu_function_t;
typedef struct cu_stream *cu_stream_t;
typedef struct cu_event *cu_event_t;

enum { CU_CONTEXT = 1, CU_MEMORY_TYPE = 2, CU_IS_MANAGED = 8, CU_ORDINAL = 9 }; /* of pointers */
enum { CU_HOST = 1, CU_DEVICE = 2 };                                            /* memory types */

/* CUDA_MEMCPY2D. */
typedef struct cu_side {
    size_t x, y;
    unsigned type;       /* a memory type */
    void *host;          /* .. and where: this, or */
    cu_address_t device; /* .. this */
    void *array;
    size_t pitch; /* bytes from a row to the next */
} cu_side_t;

typedef struct cu_rows {
    cu_side_t from, to;
    size_t width, height; /* bytes, rows */
} cu_rows_t;

/* F(field, symbol, arguments): each returns a cu_result_t. */
#define DAME_DRIVER_FUNCTIONS(F)                                                                   \
    F(pointer_attributes, "cuPointerGetAttributes",                                                \
      (unsigned n, int *attributes, void **data, cu_address_t address))                            \
    F(current, "cuCtxGetCurrent", (cu_context_t * context))                                        \
    F(push, "cuCtxPushCurrent_v2", (cu_context_t context))                                         \
    F(pop, "cuCtxPopCurrent_v2", (cu_context_t * context))                                         \
    F(retain, "cuDevicePrimaryCtxRetain", (cu_context_t * context, int device))                    \
    F(load, "cuModuleLoadData", (cu_module_t * module, const void *image))                         \
    F(unload, "cuModuleUnload", (cu_module_t module))                                              \
    F(function, "cuModuleGetFunction",                                                             \
      (cu_function_t * function, cu_module_t module, const char *name))                            \
    F(launch, "cuLaunchKernel",                                                                    \
      (cu_function_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,                  \
       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, cu_stream_t stream,  \
       void **arguments, void **extra))                                                            \
    F(alloc, "cuMemAlloc_v2", (cu_address_t * address, size_t bytes))                              \
    F(free, "cuMemFree_v2", (cu_address_t address))                                                \
    F(alloc_host, "cuMemHostAlloc", (void **memory, size_t bytes, unsigned flags))                 \
    F(free_host, "cuMemFreeHost", (void *memory))                                                  \
    F(copy, "cuMemcpyAsync",                                                                       \
      (cu_address_t to, cu_address_t from, size_t bytes, cu_stream_t stream))                      \
    F(copy_rows, "cuMemcpy2DAsync_v2", (const cu_rows_t *rows, cu_stream_t stream))                \
    F(stream, "cuStreamCreate", (cu_stream_t * stream, unsigned flags))                            \
    F(end_stream, "cuStreamDestroy_v2", (cu_stream_t stream))                                      \
    F(wait, "cuStreamSynchronize", (cu_stream_t stream))                                           \
    F(record, "cuEventRecord", (cu_event_t event, cu_stream_t stream))                             \
    F(error_name, "cuGetErrorName", (cu_result_t error, const char **name))

typedef struct dame_driver {
#define DAME_DRIVER_FIELD(field, symbol, arguments) cu_result_t(*field) arguments;
    DAME_DRIVER_FUNCTIONS(DAME_DRIVER_FIELD)
#undef DAME_DRIVER_FIELD
    /* NULL but for the tests' stand-in, where it loads code for the host's grid in place of PTX. */
    cu_result_t (*load_host_code)(cu_module_t *module, const void *code, size_t bytes,
                                  size_t entry);
} dame_driver_t;

/* The driver that this process has loaded; NULL: none. Nothing loads one. Static storage. Any
 * thread. */
const dame_driver_t *dame_driver_find(void);

/* The code's name, such as "CUDA_ERROR_OUT_OF_MEMORY". Static storage. */
const char *dame_driver_error(const dame_driver_t *driver, cu_result_t error);

#endif
