/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From an access program to a type tree. The buffer drives it: a loop is absorbed if its stride in
 * the buffer is the length of its piece; neighbours in the buffer become one; until one piece is
 * left. So the order of loops, their splitting and reversal do not matter. Where positions are
 * `next`, the order of the text is the order in the buffer.
 */
#ifndef SUGGEST_SHAPE_H
#define SUGGEST_SHAPE_H

#include "types.h"

typedef enum shape_refusal {
    SHAPE_DECIDED = 0,
#define SHAPE_REFUSAL(number, name, text) SHAPE_REFUSED_##name = number,
#include "refusals.def"
#undef SHAPE_REFUSAL
} shape_refusal_t;

typedef enum shape_count {
    SHAPE_COUNT_PROVED,  /* the type's size is the call's count times its datatype's size */
    SHAPE_COUNT_ASSERTED /* to be compared with MPI_Type_size() where the program runs */
} shape_count_t;

/* All texts and nodes belong to the program's space. */
typedef struct shape {
    shape_refusal_t refusal;
    const char *reason;       /* of a refusal: the fact found, and the fact that is missing; one
                                 line without full stop */
    access_place_t place;     /* that the reason is about */
    const types_node_t *type; /* when decided; its origin is the address to call with */
    shape_count_t count;
    const poly_t *size;   /* bytes, where no trip is negative; NULL: decided where it runs */
    const poly_t *extent; /* bytes from one of several to the next, set by the caller; NULL: one */
    int nconditions;      /* what must hold besides, and was not proved */
    const char *const *conditions;
} shape_t;

/* What a refusal means in general, static storage. */
const char *shape_refusal_text(shape_refusal_t refusal);

/* Finds the type of a finished program. Does not check it: eval.h does. */
shape_t shape_find(access_program_t *program);

#endif
