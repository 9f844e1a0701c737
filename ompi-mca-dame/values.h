/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What values a parameter may have, as MCA enumerators, which ompi_info and MPI_T show: whole
 * numbers in a range, one of some names, or a set of them. All become an int.
 *
 * MCA asks an enumerator for the value of a text. These remember a text that they do not allow
 * instead of refusing it, so that param.h can say everything about it at once; MCA does not ask for
 * an empty text, and stores 0.
 */
#ifndef DT_VALUES_H
#define DT_VALUES_H

#include <stdbool.h>

#include "opal-glue/abi/abi.h"

/* A name for a value, in any case; the value's first name is the one that is shown. */
typedef struct dt_value_name {
    int value; /* in a set: one bit, or 0 for the empty set */
    const char *name;
} dt_value_name_t;

typedef enum dt_values_answer {
    DT_VALUES_NOT_ASKED,
    DT_VALUES_ALLOWED,
    DT_VALUES_REFUSED
} dt_values_answer_t;

typedef struct dt_values {
    mca_base_var_enum_t super;
    bool (*parse)(const struct dt_values *values, const char *text, int *value);
    int low;
    int high;
    bool bytes;                   /* K, M and G after a number mean powers of 1024 */
    const dt_value_name_t *names; /* the first ones all have different values */
    int count;                    /* of values with names */
    dt_values_answer_t answer;    /* to MCA's last question */
    char refused[64];             /* the text, or the start of it */
} dt_values_t;

/*
 * Each makes `values` an enumerator, which must live as long as the parameter: give it, and
 * `names`, which ends with a NULL name, static storage.
 */
void dt_values_numbers(dt_values_t *values, int low, int high);
void dt_values_bytes(dt_values_t *values, int low, int high);
void dt_values_choice(dt_values_t *values, const dt_value_name_t *names);
void dt_values_set(dt_values_t *values, const dt_value_name_t *names); /* a,b,... */
void dt_values_bool(dt_values_t *values);                              /* 0 and 1 */

#endif
