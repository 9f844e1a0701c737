/* SPDX-License-Identifier: BSD-3-Clause */
/* A part of an array, as MPI-4.0 defines it in section 5.1.3: a constructor for each dimension. */
#include <inttypes.h>

#include "make.h"

static dame_status_t check_dimension(const char *who, int d, int64_t size, int64_t subsize,
                                     int64_t start)
{
    if (size < 0) {
        return dame_fail(DAME_ERR_ARGUMENT, who, "sizes[%d] is %" PRId64 "; it must be 0 or more",
                         d, size);
    }
    if (subsize < 0 || subsize > size) {
        return dame_fail(DAME_ERR_ARGUMENT, who,
                         "subsizes[%d] is %" PRId64 "; it must be 0 to sizes[%d], %" PRId64, d,
                         subsize, d, size);
    }
    if (start < 0 || start > size - subsize) {
        return dame_fail(DAME_ERR_ARGUMENT, who,
                         "starts[%d] is %" PRId64
                         "; it must be 0 to sizes[%d] - subsizes[%d], %" PRId64,
                         d, start, d, d, size - subsize);
    }
    return DAME_OK;
}

static dame_status_t check(const char *who, int ndims, const int64_t *sizes,
                           const int64_t *subsizes, const int64_t *starts, dame_array_order_t order)
{
    if (ndims < 1) {
        return dame_fail(DAME_ERR_ARGUMENT, who, "ndims is %d; it must be 1 or more", ndims);
    }
    if (sizes == NULL || subsizes == NULL || starts == NULL) {
        return dame_fail(DAME_ERR_ARGUMENT, who, "%s is NULL",
                         sizes == NULL ? "sizes" : (subsizes == NULL ? "subsizes" : "starts"));
    }
    if (order != DAME_ORDER_C && order != DAME_ORDER_FORTRAN) {
        return dame_fail(DAME_ERR_ARGUMENT, who,
                         "order is %d; it must be DAME_ORDER_C or DAME_ORDER_FORTRAN", (int) order);
    }
    dame_status_t status = DAME_OK;
    for (int d = 0; status == DAME_OK && d < ndims; d++) {
        status = check_dimension(who, d, sizes[d], subsizes[d], starts[d]);
    }
    return status;
}

/* The part inside one more dimension. `*stride` is the distance of its elements, afterwards that of
 * the next dimension's; `*start` grows by where the part begins. */
static dame_status_t wrap(const char *who, int64_t size, int64_t subsize, int64_t first,
                          int64_t *stride, int64_t *start, dame_datatype_t **part)
{
    dame_datatype_t *outer;
    int64_t offset;
    dame_status_t status = *stride == (*part)->node.extent
                               ? dame_make_contiguous(who, subsize, *part, &outer)
                               : dame_make_hvector(who, subsize, 1, *stride, *part, &outer);
    if (status != DAME_OK) {
        return status;
    }
    dame_datatype_free(*part);
    *part = outer;
    return __builtin_mul_overflow(first, *stride, &offset) ||
                   __builtin_add_overflow(*start, offset, start) ||
                   __builtin_mul_overflow(*stride, size, stride)
               ? dame_fail(DAME_ERR_RANGE, who, "the array's size does not fit in 64 bits")
               : DAME_OK;
}

/* The part at its place, with the whole array's bounds. */
static dame_status_t place(const char *who, int64_t start, int64_t extent, dame_datatype_t **part)
{
    dame_datatype_t *placed, *resized;
    dame_status_t status = dame_make_indexed_block(who, 1, 1, &start, 1, *part, &placed);
    if (status != DAME_OK) {
        return status;
    }
    status = dame_make_resized(who, 0, extent, placed, &resized);
    dame_datatype_free(placed);
    if (status == DAME_OK) {
        dame_datatype_free(*part);
        *part = resized;
    }
    return status;
}

dame_status_t dame_datatype_subarray(int ndims, const int64_t *sizes, const int64_t *subsizes,
                                     const int64_t *starts, dame_array_order_t order,
                                     const dame_datatype_t *old, dame_datatype_t **out)
{
    dame_datatype_t *part;
    dame_status_t status = dame_check_old(__func__, old, out);
    if (status == DAME_OK) {
        status = check(__func__, ndims, sizes, subsizes, starts, order);
    }
    if (status == DAME_OK) {
        status = dame_datatype_dup(old, &part);
    }
    if (status != DAME_OK) {
        return status;
    }
    int64_t stride = old->node.extent, start = 0;
    for (int i = 0; status == DAME_OK && i < ndims; i++) { /* the fastest first */
        const int d = order == DAME_ORDER_C ? ndims - 1 - i : i;
        status = wrap(__func__, sizes[d], subsizes[d], starts[d], &stride, &start, &part);
    }
    if (status == DAME_OK) {
        status = place(__func__, start, stride, &part);
    }
    if (status != DAME_OK) {
        dame_datatype_free(part);
        return status;
    }
    *out = part;
    return DAME_OK;
}
