/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Constructors for the files of this room: as the public ones, with the public function that errors
 * shall name. Private to libdame/.
 */
#ifndef LIBDAME_MAKE_H
#define LIBDAME_MAKE_H

#include "lib.h"

/* A datatype in the making, with room for lists behind it; free() ends it. NULL: *status is an
 * error. */
dame_datatype_t *dame_draft(const char *who, dame_context_t *context, int64_t numbers,
                            int64_t children, dame_status_t *status);

/* Makes it a datatype with this node; on an error, it is freed. */
dame_status_t dame_finish(const char *who, dame_datatype_t *draft, const dame_type_t *node,
                          dame_datatype_t **out);

dame_status_t dame_check_old(const char *who, const dame_datatype_t *old, dame_datatype_t **out);
dame_status_t dame_check_number(const char *who, const char *name, int64_t value);

/* The name is short enough, the size at least 1. */
dame_status_t dame_make_basic(const char *who, dame_context_t *context, const char *name,
                              int64_t size, dame_datatype_t **out);
dame_status_t dame_make_contiguous(const char *who, int64_t count, const dame_datatype_t *old,
                                   dame_datatype_t **out);
dame_status_t dame_make_hvector(const char *who, int64_t count, int64_t blocklength, int64_t stride,
                                const dame_datatype_t *old, dame_datatype_t **out);
dame_status_t dame_make_resized(const char *who, int64_t lb, int64_t extent,
                                const dame_datatype_t *old, dame_datatype_t **out);

/* Displacements are in `unit` bytes; `old` and `out` are not NULL. */
dame_status_t dame_make_indexed(const char *who, int64_t count, const int64_t *blocklengths,
                                const int64_t *displacements, int64_t unit,
                                const dame_datatype_t *old, dame_datatype_t **out);
dame_status_t dame_make_indexed_block(const char *who, int64_t count, int64_t blocklength,
                                      const int64_t *displacements, int64_t unit,
                                      const dame_datatype_t *old, dame_datatype_t **out);
dame_status_t dame_make_struct(const char *who, dame_context_t *context, int64_t count,
                               const int64_t *blocklengths, const int64_t *displacements,
                               const dame_datatype_t *const *types, dame_datatype_t **out);

#endif
