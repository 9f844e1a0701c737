/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open MPI 6.0, and 6.1 as the main branch was in August 2026: datatypes and convertors
 * (opal/datatype/opal_datatype.h, opal_datatype_internal.h, opal_convertor.h;
 * ompi/datatype/ompi_datatype.h). Included by abi.h.
 */
#ifndef DT_ABI_SERIES_6_0_H
#define DT_ABI_SERIES_6_0_H

#if OMPI_MINOR_VERSION == 0
#define DT_ABI_SERIES "6.0"
#else
#define DT_ABI_SERIES "6.1"
#endif

/* Are the functions that programs call in libmpi, whatever they were linked with? */
#define DT_ABI_LIBMPI_HAS_MPI 0

#ifndef DT_ABI_INTERNAL
/* ---- Datatypes ------------------------------------------------------------------------------ */

enum {
    OPAL_DATATYPE_FLAG_PREDEFINED = 0x0002,
    OPAL_DATATYPE_FLAG_COMMITTED = 0x0004,
    OPAL_DATATYPE_FLAG_CONTIGUOUS = 0x0010,
    OPAL_DATATYPE_FLAG_NO_GAPS = 0x0020,
    OPAL_DATATYPE_FLAG_DATA = 0x0100,
    OPAL_DATATYPE_OPTIMIZED_RESTRICTED = 0x00010000,
    OMPI_DATATYPE_FLAG_PREDEFINED = 0x00040000,
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
    uint32_t flags;
    uint32_t bdt_used;
    size_t size;
    ptrdiff_t true_lb;
    ptrdiff_t true_ub;
    ptrdiff_t lb;
    ptrdiff_t ub;
    size_t nbElems;
    uint16_t id;
    uint16_t align;
    uint32_t stack_depth;
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
    intptr_t packed_description;
    uint64_t pml_data;
    char *name;
} ompi_datatype_t;

/* ---- Communicators (ompi/communicator/communicator.h) --------------------------------------- */

enum {
    OMPI_COMM_INTRINSIC = 0x00000004, /* predefined */
    OMPI_COMM_ISFREED = 0x00000010,
    OMPI_COMM_INVALID = 0x00000020,
};

/* Only the fields that are read. */
typedef struct ompi_communicator_t {
    char unused[224];
    uint32_t c_flags;
} ompi_communicator_t;

/* ---- Convertors ----------------------------------------------------------------------------- */

enum {
    CONVERTOR_SEND_CONVERSION = 0x00200000,
    CONVERTOR_RECV = 0x00400000,
    CONVERTOR_SEND = 0x00800000,
    CONVERTOR_HOMOGENEOUS = 0x01000000,
    CONVERTOR_NO_OP = 0x02000000,
    CONVERTOR_COMPLETED = 0x04000000,
    CONVERTOR_ACCELERATOR = 0x10000000,
    CONVERTOR_ACCELERATOR_ASYNC = 0x20000000,
    CONVERTOR_ACCELERATOR_UNIFIED = 0x40000000,
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
    void *stream;
};

#endif
/* ---- What else differs between series ------------------------------------------------------- */

#define DT_ABI_STATIC_COMPONENTS_ARE_POINTERS_TO_POINTERS 1
typedef const struct mca_base_component_2_1_0_t ***dt_abi_static_components_t;
typedef ssize_t dt_abi_desc_count_t; /* of opal_datatype_create() */

struct mca_base_var_enum_t;
#define DT_ABI_DUMP_ARGUMENTS                                                                      \
    struct mca_base_var_enum_t *self, char **text, int style __attribute__((unused))
#define DT_ABI_DUMP_STYLE , 0 /* for a call of dump() */

#define DT_ABI_GET_ARGS_ARGUMENTS                                                                  \
    const ompi_datatype_t *type, int32_t which, size_t *n_ints, int *ints, size_t *n_counts,       \
        MPI_Count *counts, size_t *n_aints, ptrdiff_t *aints, size_t *n_types,                     \
        ompi_datatype_t **types, int32_t *combiner

#ifndef DT_ABI_INTERNAL
/* Only its first member is declared: 1 and more: device memory. */
extern struct dt_abi_accelerator {
    int (*check_addr)(const void *address, int *device, uint64_t *flags);
} opal_accelerator __attribute__((weak)); /* 4.1 has none, and the test allows it
                                             (../self_test.c) */
#endif

#endif
