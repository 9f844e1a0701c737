/* SPDX-License-Identifier: BSD-3-Clause */
/* Open MPI 4.1; see openmpi.h, which includes this. */
#ifndef DT_OPENMPI_4_1_H
#define DT_OPENMPI_4_1_H

enum {
    DT_OPENMPI_CHECKSUM = CONVERTOR_WITH_CHECKSUM,
    DT_OPENMPI_DEVICE = CONVERTOR_CUDA | CONVERTOR_CUDA_ASYNC | CONVERTOR_CUDA_UNIFIED
};

/* Does the native engine move every byte of an item of a description, with elements of `size`
 * bytes, in a whole message? */
static inline bool dt_openmpi_moves_right(const ddt_elem_desc_t *item, size_t size)
{
    (void) item;
    (void) size;
    return true;
}

/* Only there in an Open MPI with CUDA. */
extern bool opal_cuda_check_bufs(char *to, char *from) __attribute__((weak));

/* With CUDA, the first convertor that is prepared decides for good whether there are devices, and
 * the components that know are opened after us. May we prepare one of our own now? */
static inline bool dt_openmpi_may_convert_early(void)
{
    return NULL == opal_cuda_check_bufs;
}

/* Is one of the buffers of a local copy device memory? */
static inline bool dt_openmpi_on_device(char *to, char *from)
{
    return NULL != opal_cuda_check_bufs && opal_cuda_check_bufs(to, from);
}

#endif
