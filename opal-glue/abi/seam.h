/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open MPI's framework dt, where packaging/openmpi/'s patch has given it one (doc/seam.md):
 * opal/mca/dt/dt.h says what each function is asked. Included by abi.h.
 */
#ifndef DT_ABI_SEAM_H
#define DT_ABI_SEAM_H

#ifndef OPAL_DT_H
/* Those that return a value return OPAL_ERR_NOT_SUPPORTED to leave the work to Open MPI. */

typedef struct opal_dt_base_module_1_0_0_t {
    mca_base_module_t super;
    int (*enable)(void);
    void (*disable)(void);
    void (*prepared)(opal_convertor_t *convertor);
#if OMPI_MAJOR_VERSION <= 5 /* later a convertor has its own: fPosition */
    int32_t (*position)(opal_convertor_t *convertor, size_t *position);
#endif
    int32_t (*raw)(opal_convertor_t *convertor, struct iovec *iov, uint32_t *iov_count,
                   size_t *length);
    int32_t (*copy)(const opal_datatype_t *datatype, int32_t count, char *to, char *from);
    int32_t (*pack)(const opal_datatype_t *datatype, size_t count, const void *user, void *packed,
                    size_t size, size_t *position);
    int32_t (*unpack)(const opal_datatype_t *datatype, size_t count, void *user, const void *packed,
                      size_t size, size_t *position);
    void (*destroyed)(const opal_datatype_t *datatype);
} opal_dt_base_module_t;
#endif

extern mca_base_framework_t opal_dt_base_framework __attribute__((weak));

static inline bool dt_abi_has_seam(void)
{
    return &opal_dt_base_framework != NULL;
}

#endif
