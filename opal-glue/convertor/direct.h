/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Pack and MPI_Unpack of a datatype that DAME knows, without Open MPI's convertor: the direct
 * entry. Most of a short message's time is Open MPI's: it makes a convertor, prepares it and ends
 * it. The functions here take the place of libmpi's in GOT slots of their callers.
 *
 * They move a call that Open MPI would accept, and that credit covers (engine/credit.h), so it is
 * counted as any message. Every other call they pass on to Open MPI as it came: wrong arguments,
 * which are Open MPI's to report, new and contiguous datatypes, messages that are timed, sampled or
 * left to the native engine, device memory, calls before MPI_Init has ended or after MPI_Finalize
 * has begun, and all calls of programs that only use sessions.
 */
#ifndef DT_DIRECT_H
#define DT_DIRECT_H

#include <stdbool.h>
#include <stddef.h>

#include "opal-glue/abi/abi.h"
#include "opal-glue/interpose/got.h"

enum { DT_DIRECT_HOOKS = 4 };

/* Asked by Open MPI through the seam (abi/seam.h), after it has checked the arguments; answered
 * after dt_direct_answer(true). */
void dt_direct_answer(bool on);
int32_t dt_direct_pack(const opal_datatype_t *datatype, size_t count, const void *user,
                       void *packed, size_t size, size_t *position);
int32_t dt_direct_unpack(const opal_datatype_t *datatype, size_t count, void *user,
                         const void *packed, size_t size, size_t *position);

/* Fills hooks[DT_DIRECT_HOOKS], which put the functions into place. Returns how many there are: 0
 * where libmpi's own are not found, because something else defines them. */
size_t dt_direct_hooks(dt_got_hook_t *hooks);

#endif
