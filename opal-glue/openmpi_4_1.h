/* Open MPI 4.1; see openmpi.h, which includes this. */
#ifndef DT_OPENMPI_4_1_H
#define DT_OPENMPI_4_1_H

enum {
    DT_OPENMPI_CHECKSUM = CONVERTOR_WITH_CHECKSUM,
    DT_OPENMPI_DEVICE = CONVERTOR_CUDA | CONVERTOR_CUDA_ASYNC | CONVERTOR_CUDA_UNIFIED
};

/* Every caller positions a convertor through a function in its GOT, which glue.c replaces. */
#define DT_OPENMPI_POSITION_IN_GOT 1

typedef int32_t (*dt_openmpi_position_t)(opal_convertor_t *convertor, size_t *position);

static inline void dt_openmpi_take(opal_convertor_t *convertor, convertor_advance_fct_t advance,
                                   dt_openmpi_position_t position)
{
    (void) position;
    convertor->fAdvance = advance;
}

static inline int32_t dt_openmpi_set_position(opal_convertor_t *convertor, size_t *position)
{
    if (*position >= convertor->local_size) {
        convertor->flags |= CONVERTOR_COMPLETED;
        convertor->bConverted = *position = convertor->local_size;
        return OPAL_SUCCESS;
    }
    if (*position == convertor->bConverted) {
        return OPAL_SUCCESS;
    }
    convertor->flags &= ~(uint32_t) CONVERTOR_COMPLETED;
    if ((convertor->flags & OPAL_DATATYPE_FLAG_NO_GAPS) &&
        (convertor->flags & (CONVERTOR_SEND | CONVERTOR_HOMOGENEOUS))) {
        convertor->bConverted = *position;
        return OPAL_SUCCESS;
    }
    return opal_convertor_set_position_nocheck(convertor, position);
}

/* Only there in an Open MPI with CUDA. */
extern bool opal_cuda_check_bufs(char *to, char *from) __attribute__((weak));

/* With CUDA, the first convertor that is prepared decides for good whether there are devices, and the
 * components that know are opened after us. May we prepare one of our own now? */
static inline bool dt_openmpi_may_convert_early(void)
{
    return NULL == opal_cuda_check_bufs;
}

/* Is one of the buffers of a local copy device memory? */
static inline bool dt_openmpi_on_device(char *to, char *from)
{
    return NULL != opal_cuda_check_bufs && opal_cuda_check_bufs(to, from);
}

/* The constructor of a datatype and its arguments; see MPI_Type_get_envelope() for `which` 0 and
 * MPI_Type_get_contents() for 1. False: they are not to be had. */
static inline bool dt_openmpi_get_args(const ompi_datatype_t *datatype, int which, int *n_ints,
                                       int *ints, int *n_aints, ptrdiff_t *aints, int *n_types,
                                       ompi_datatype_t **types, int *combiner)
{
    return OMPI_SUCCESS == ompi_datatype_get_args(datatype, which, n_ints, ints, n_aints, aints,
                                                  n_types, types, combiner);
}

#endif
