/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Type signatures: the basic elements of a datatype in order, without their displacements (MPI-4.0,
 * section 5.1).
 *
 * A signature is kept as the repetition of a period, the shortest one there is, which makes two of
 * them comparable in the time that their periods are long. A period of more than DAME_MOST_RUNS
 * runs of equal elements is not kept; such signatures are compared by walking the constructors.
 * Private to this room.
 */
#ifndef LIBDAME_SIGNATURE_H
#define LIBDAME_SIGNATURE_H

#include <stdint.h>

#include "lib.h"

/* Makes the signature of one basic element. False: memory is out. */
int dame_signature_basic(dame_signature_t *signature, const dame_basic_t *basic);

/*
 * Makes the signature of a datatype with all other members set, from its children's. The bytes
 * of its elements fit in 64 bits. False: memory is out.
 */
int dame_signature_make(dame_datatype_t *type);

void dame_signature_fini(dame_signature_t *signature);

int dame_basic_same(const dame_basic_t *a, const dame_basic_t *b);
int dame_period_same(const dame_period_t *a, const dame_period_t *b);

/* Writes words such as "3 x (int32, 3 float64)", cut to `size` bytes. */
void dame_signature_text(const dame_signature_t *signature, int64_t count, char *text, size_t size);

/* Sets *same. The counts are not negative, the messages' bytes fit in 64 bits. Error:
 * DAME_ERR_NOMEM. */
dame_status_t dame_signature_compare(const dame_datatype_t *a, int64_t a_count,
                                     const dame_datatype_t *b, int64_t b_count, int *same);

#endif
