/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registers parameters, all of which treat a bad value alike, wherever it comes from: one message a
 * job names the parameter, the value and the allowed values. The default is used, and ompi_info and
 * MPI_T show it. MPI_T can change those that say so.
 */
#ifndef DT_PARAM_H
#define DT_PARAM_H

#include <stdbool.h>

#include "opal-glue/abi/abi.h"
#include "values.h"

typedef struct dt_param {
    const mca_base_component_t *owner;
    const char *name; /* without the component's */
    const char *text; /* the help; the default is added to it */
    mca_base_var_info_lvl_t level;
    bool changes; /* MPI_T may change it while the job runs */
} dt_param_t;

/* `storage`, which must live as long as the parameter, has the default and gets the value. An empty
 * value is a bad one. */
void dt_param_register(const dt_param_t *param, dt_values_t *values, int *storage);

/* Why a text is not a value for a parameter, for its message. */
typedef struct dt_refusal {
    char why[512]; /* half a sentence: the defect, and the allowed values */
    bool of_node;  /* other nodes may allow it, so that each has a message */
} dt_refusal_t;

/* False and why: the text (never NULL) is not allowed. */
typedef bool dt_param_check_t(const char *text, dt_refusal_t *refusal);

/* The same for a string. *storage: MCA's, NULL when the string is empty. */
void dt_param_register_string(const dt_param_t *param, dt_param_check_t *check,
                              const char *standard, char **storage);

#endif
