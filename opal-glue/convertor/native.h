/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open MPI's own engine, asked about the data of a convertor that DAME moves, or given a whole
 * message of it. All but dt_native_move() is slow, and never on the usual path of a fragment.
 */
#ifndef DT_NATIVE_H
#define DT_NATIVE_H

#include <stdbool.h>

#include "opal-glue/abi/abi.h"
#include "opal-glue/entry.h"
#include "native_mark.h"

/* Prepares a convertor for the native engine, whether or not Open MPI would ask DAME about it
 * (abi/seam.h). */
void dt_native_prepare(opal_convertor_t *convertor, const opal_datatype_t *datatype, size_t count,
                       const void *buffer, bool send);

/* The same for a local copy of `count` elements. */
void dt_native_copy(const opal_datatype_t *datatype, int32_t count, char *to, const char *from);

/*
 * Makes `native` a convertor of the native engine on the same data as `convertor`, to send or to
 * receive, at `position`; a sending one at the last boundary of a basic element up to there.
 * Returns where it is. End with dt_native_destruct().
 */
size_t dt_native_construct(opal_convertor_t *native, const opal_convertor_t *convertor, bool send,
                           size_t position);
void dt_native_destruct(opal_convertor_t *native);

/* Returns whether the native engine moves every byte when it is given a whole message of this
 * datatype. The first time it reads all of the description, so that the next time that is as cold
 * as without DAME. Datatypes of one layout may have several descriptions. */
bool dt_native_is_trusted(dt_entry_t *entry, const opal_convertor_t *convertor);

/* Positions a convertor of the native engine, as that engine does: opal_convertor.h has dealt with
 * the end of the message. */
int32_t dt_native_position(opal_convertor_t *convertor, size_t *position);

/* The native engine moves the whole message, for which there is room in iov, of a convertor of
 * DAME. The convertor stands at its beginning, before and after. Returns the bytes. */
size_t dt_native_move(opal_convertor_t *convertor, dame_dir_t dir, struct iovec *iov);

/*
 * The last place at or before `position`, which is not the end, where the engine would end or start
 * a packed fragment: between elements of its optimised description, which are bytes where it has
 * joined neighbours of several kinds. Reads that description from `*mark` on, where the last call
 * for the same datatype ended, so that fragments in sequence read it once.
 */
size_t dt_native_boundary(const opal_convertor_t *convertor, size_t position,
                          dt_native_mark_t *mark);

#endif
