/*
 * What DAME knows of a layout: the program that moves its data, when that is compiled, and what was
 * counted of it.
 */
#ifndef DT_LAYOUT_H
#define DT_LAYOUT_H

#include <stdatomic.h>
#include <stdint.h>

#include "dame/program.h"
#include "dame/type.h"
#include "stats.h"

struct opal_datatype_t;

/* When the program is compiled for one direction. Only promote.c and promote.h use it. */
typedef struct dt_promotion {
    _Atomic int32_t countdown; /* uses until the next attempt; 0: never */
    int32_t period; /* uses from that attempt to the one after it; under the gate's lock */
} dt_promotion_t;

typedef struct dt_layout {
    dame_program_t *program;       /* owned; NULL: declined */
    _Atomic dt_decline_t declined; /* DT_DECLINE_NONE when DAME moves its data */
    dt_promotion_t promotions[2];  /* [dame_dir_t] */
} dt_layout_t;

/* The layout of a datatype, imported in memory of `tree`, which is empty before and after. NULL
 * when memory is out. With the table's lock held. */
dt_layout_t *dt_layout_new(dame_tree_t *tree, const struct opal_datatype_t *datatype);

/* No thread may be using the layout (NULL: there is none). */
void dt_layout_free(dt_layout_t *layout);

#endif
