/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The verifier's steps, for those who have more to say about a fault than its primitive's number.
 * Private to lang/.
 */
#ifndef DAME_VERIFY_H
#define DAME_VERIFY_H

#include "dame/program.h"
#include "wide.h"

/* A broken rule. */
typedef struct dame_fault {
    int32_t prim;   /* the primitive at fault, nprims: behind the last */
    char text[160]; /* value and rule */
} dame_fault_t;

/* What a verified Type amounts to. */
typedef struct dame_span {
    int64_t size;     /* packed bytes */
    wide_t low, high; /* bytes touched, from the origin on: [low, high); both and their
                         difference fit in 64 bits */
    int32_t next;     /* index behind the Type */
    int32_t depth;    /* loop levels */
} dame_span_t;

/*
 * All of a program except the facts of its header: size, extent, bounds, granule and the EXIT.
 * program->depth bounds the recursion. DAME_ERR_VERIFY with `fault` filled in.
 */
dame_status_t dame_verify_type(const dame_program_t *program, dame_span_t *span,
                               dame_fault_t *fault);

/* The header, against what the Type amounts to. */
dame_status_t dame_verify_exit(const dame_program_t *program, const dame_span_t *span,
                               dame_fault_t *fault);

#endif
