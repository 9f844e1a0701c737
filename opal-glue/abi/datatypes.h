/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datatypes and convertors of Open MPI 4.1, 5.0, 6.0, and 6.1 as the main branch was in August 2026
 * (opal/datatype/opal_datatype.h, opal_datatype_internal.h, opal_convertor.h;
 * ompi/datatype/ompi_datatype.h). Included by abi.h.
 */
#ifndef DT_ABI_DATATYPES_H
#define DT_ABI_DATATYPES_H

#if OMPI_MAJOR_VERSION == 4
#define DT_ABI_SERIES "4.1"
#elif OMPI_MAJOR_VERSION == 5
#define DT_ABI_SERIES "5.0"
#elif OMPI_MINOR_VERSION == 0
#define DT_ABI_SERIES "6.0"
#else
#define DT_ABI_SERIES "6.1"
#endif

/* 1 if the functions that programs call are in libmpi, whatever they were linked with. */
#define DT_ABI_LIBMPI_HAS_MPI (OMPI_MAJOR_VERSION <= 5)

#ifndef DT_ABI_INTERNAL
/* ---- Datatypes ------------------------------------------------------------------------------ */

enum {
    OPAL_DATATYPE_FLAG_PREDEFINED = 0x0002,
    OPAL_DATATYPE_FLAG_COMMITTED = 0x0004,
    OPAL_DATATYPE_FLAG_CONTIGUOUS = 0x0010,
    OPAL_DATATYPE_FLAG_NO_GAPS = 0x0020,
    OPAL_DATATYPE_FLAG_DATA = 0x0100,
#if OMPI_MAJOR_VERSION <= 5
    OMPI_DATATYPE_FLAG_PREDEFINED = 0x0200,
    OPAL_DATATYPE_OPTIMIZED_RESTRICTED = 0x1000,
#else
    OPAL_DATATYPE_OPTIMIZED_RESTRICTED = 0x00010000,
    OMPI_DATATYPE_FLAG_PREDEFINED = 0x00040000,
#endif
};

/* Kinds of items in a description, and indices of opal_datatype_basicDatatypes. */
enum {
    OPAL_DATATYPE_LOOP = 0,
    OPAL_DATATYPE_END_LOOP = 1,
    OPAL_DATATYPE_INT1 = 4,
    OPAL_DATATYPE_INT2 = 5,
    OPAL_DATATYPE_INT4 = 6,
    OPAL_DATATYPE_INT8 = 7,
};

typedef size_t opal_datatype_count_t;

typedef struct ddt_elem_id_description {
    uint16_t flags;
    uint16_t type;
} ddt_elem_id_description;

typedef struct ddt_elem_desc {
    ddt_elem_id_description common;
    uint32_t count;  /* blocks */
    size_t blocklen; /* elements of a block */
    ptrdiff_t extent;
    ptrdiff_t disp;
} ddt_elem_desc_t;

typedef struct ddt_loop_desc {
    ddt_elem_id_description common;
    uint32_t items; /* up to its end */
    uint32_t loops;
    size_t unused;
    ptrdiff_t extent;
} ddt_loop_desc_t;

typedef struct ddt_endloop_desc {
    ddt_elem_id_description common;
    uint32_t items;
    uint32_t unused;
    size_t size; /* bytes of one iteration's data */
    ptrdiff_t first_elem_disp;
} ddt_endloop_desc_t;

typedef union dt_elem_desc {
    ddt_elem_desc_t elem;
    ddt_loop_desc_t loop;
    ddt_endloop_desc_t end_loop;
} dt_elem_desc_t;

typedef struct dt_type_desc_t {
    opal_datatype_count_t length;
    opal_datatype_count_t used;
    dt_elem_desc_t *desc;
} dt_type_desc_t;

typedef struct opal_datatype_t {
    opal_object_t super;
#if OMPI_MAJOR_VERSION <= 5
    uint16_t flags;
    uint16_t id;
#else
    uint32_t flags;
#endif
    uint32_t bdt_used;
    size_t size;
    ptrdiff_t true_lb;
    ptrdiff_t true_ub;
    ptrdiff_t lb;
    ptrdiff_t ub;
    size_t nbElems;
#if OMPI_MAJOR_VERSION <= 5
    uint32_t align;
    uint32_t loops;
#else
    uint16_t id;
    uint16_t align;
    uint32_t stack_depth;
#endif
    char name[MPI_MAX_OBJECT_NAME];
    dt_type_desc_t desc;
    dt_type_desc_t opt_desc;
    size_t *ptypes;
} opal_datatype_t;

typedef struct ompi_datatype_t {
    opal_datatype_t super;
    int32_t id;
    int32_t d_f_to_c_index;
    void *d_keyhash;
    void *args;
    intptr_t packed_description; /* in 4.1 a pointer */
    uint64_t pml_data;
#if OMPI_MAJOR_VERSION <= 5
    char name[MPI_MAX_OBJECT_NAME];
#else
    char *name;
#endif
} ompi_datatype_t;

/* ---- Communicators (ompi/communicator/communicator.h) --------------------------------------- */

enum {
    OMPI_COMM_INTRINSIC = 0x00000004, /* predefined */
    OMPI_COMM_ISFREED = 0x00000010,
    OMPI_COMM_INVALID = 0x00000020,
};

/* Only the fields that are read. */
typedef struct ompi_communicator_t {
    char unused[OMPI_MAJOR_VERSION == 4 ? 232 : 224];
    uint32_t c_flags;
} ompi_communicator_t;

/* ---- Convertors ----------------------------------------------------------------------------- */

enum {
#if OMPI_MAJOR_VERSION <= 5
    CONVERTOR_SEND_CONVERSION = 0x00010000,
    CONVERTOR_RECV = 0x00020000,
    CONVERTOR_SEND = 0x00040000,
    CONVERTOR_HOMOGENEOUS = 0x00080000,
    CONVERTOR_NO_OP = 0x00100000,
    CONVERTOR_WITH_CHECKSUM = 0x00200000,
    CONVERTOR_ACCELERATOR = 0x00400000,
    CONVERTOR_ACCELERATOR_ASYNC = 0x00800000,
    CONVERTOR_COMPLETED = 0x08000000,
    CONVERTOR_ACCELERATOR_UNIFIED = 0x10000000,
#else
    CONVERTOR_SEND_CONVERSION = 0x00200000,
    CONVERTOR_RECV = 0x00400000,
    CONVERTOR_SEND = 0x00800000,
    CONVERTOR_HOMOGENEOUS = 0x01000000,
    CONVERTOR_NO_OP = 0x02000000,
    CONVERTOR_COMPLETED = 0x04000000,
    CONVERTOR_ACCELERATOR = 0x10000000,
    CONVERTOR_ACCELERATOR_ASYNC = 0x20000000,
    CONVERTOR_ACCELERATOR_UNIFIED = 0x40000000,
#endif
#if OMPI_MAJOR_VERSION == 4 /* its names */
    CONVERTOR_CUDA = CONVERTOR_ACCELERATOR,
    CONVERTOR_CUDA_ASYNC = CONVERTOR_ACCELERATOR_ASYNC,
    CONVERTOR_CUDA_UNIFIED = CONVERTOR_ACCELERATOR_UNIFIED,
#endif
};

enum { DT_STATIC_STACK_SIZE = 5 };

typedef struct opal_convertor_t opal_convertor_t;
typedef int32_t (*convertor_advance_fct_t)(opal_convertor_t *convertor, struct iovec *iov,
                                           uint32_t *out_size, size_t *max_data);
typedef int32_t (*convertor_position_fct_t)(opal_convertor_t *convertor, size_t *position);

typedef struct dt_stack_t {
    int32_t index;
    int16_t type;
    int16_t padding;
    size_t count;
    ptrdiff_t disp;
} dt_stack_t;

struct opal_convertor_t {
    opal_object_t super;
#if OMPI_MAJOR_VERSION <= 5
    uint32_t remoteArch;
    uint32_t flags;
    size_t local_size; /* bytes of the message */
    size_t remote_size;
    const opal_datatype_t *pDesc;
    const dt_type_desc_t *use_desc;
    opal_datatype_count_t count;
    uint32_t stack_size;
    unsigned char *pBaseBuf;
    dt_stack_t *pStack;
    convertor_advance_fct_t fAdvance;
    struct opal_convertor_master_t *master;
    uint32_t stack_pos;
    size_t partial_length;
    size_t bConverted; /* bytes moved so far */
    uint32_t checksum;
    uint32_t csum_ui1;
    size_t csum_ui2;
    dt_stack_t static_stack[DT_STATIC_STACK_SIZE];
    void *cbmemcpy; /* in 4.1 this and the next only with CUDA */
#else
    const opal_datatype_t *pDesc;
    const dt_type_desc_t *use_desc;
    opal_datatype_count_t count;
    size_t remote_size;
    struct opal_convertor_master_t *master;
    convertor_advance_fct_t fAdvance;
    size_t bConverted; /* bytes moved so far */
    size_t partial_length;
    size_t local_size; /* bytes of the message */
    unsigned char *pBaseBuf;
    dt_stack_t *pStack;
    void *cbmemcpy;
    uint32_t flags;
    uint32_t stack_pos;
    uint32_t stack_size;
    uint32_t remoteArch;
    const size_t *sizes;
    convertor_position_fct_t fPosition; /* NULL: a position is only stored */
    dt_stack_t static_stack[DT_STATIC_STACK_SIZE];
#endif
    void *stream;
};

#endif
/* ---- What else differs between series ------------------------------------------------------- */

#define DT_ABI_STATIC_COMPONENTS_ARE_POINTERS_TO_POINTERS (OMPI_MAJOR_VERSION >= 6)
struct mca_base_var_enum_t;

#if OMPI_MAJOR_VERSION == 4
#define DT_ABI_DUMP_ARGUMENTS struct mca_base_var_enum_t *self, char **text
#define DT_ABI_DUMP_STYLE
#else
#define DT_ABI_DUMP_ARGUMENTS                                                                      \
    struct mca_base_var_enum_t *self, char **text, int style __attribute__((unused))
#define DT_ABI_DUMP_STYLE , 0 /* for a call of dump() */
#endif

#if OMPI_MAJOR_VERSION <= 5
typedef const struct mca_base_component_2_1_0_t **dt_abi_static_components_t;
typedef int32_t dt_abi_desc_count_t; /* of opal_datatype_create() */
#define DT_ABI_GET_ARGS_ARGUMENTS                                                                  \
    const ompi_datatype_t *type, int32_t which, int32_t *n_ints, int32_t *ints, int32_t *n_aints,  \
        ptrdiff_t *aints, int32_t *n_types, ompi_datatype_t **types, int32_t *combiner

/* In later series a convertor has its own: fPosition. */
int32_t opal_convertor_set_position_nocheck(opal_convertor_t *convertor, size_t *position);
#else
typedef const struct mca_base_component_2_1_0_t ***dt_abi_static_components_t;
typedef ssize_t dt_abi_desc_count_t;
#define DT_ABI_GET_ARGS_ARGUMENTS                                                                  \
    const ompi_datatype_t *type, int32_t which, size_t *n_ints, int *ints, size_t *n_counts,       \
        MPI_Count *counts, size_t *n_aints, ptrdiff_t *aints, size_t *n_types,                     \
        ompi_datatype_t **types, int32_t *combiner
#endif

#if !defined(DT_ABI_INTERNAL) && OMPI_MAJOR_VERSION >= 5
/* Only its first member is declared: 1 and more: device memory. 4.1 has none, and the test allows
 * it (self_test.c). */
extern struct dt_abi_accelerator {
    int (*check_addr)(const void *address, int *device, uint64_t *flags);
} opal_accelerator __attribute__((weak));
#endif

#endif
