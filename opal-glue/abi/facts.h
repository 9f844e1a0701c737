/* SPDX-License-Identifier: BSD-3-Clause */
/* The facts of facts.def as two tables: ours (facts.c) and Open MPI's (facts_internal.c), which
 * compare.c compares when the build is made. */
#ifndef DT_ABI_FACTS_H
#define DT_ABI_FACTS_H

typedef struct dt_fact {
    const char *what;
    long value;
    long size; /* of a field; 0: it is none */
} dt_fact_t;

/* Both end with what = NULL. */
extern const dt_fact_t dt_facts_ours[];
extern const dt_fact_t dt_facts_internal[];

#define DT_SIZE(type)      {"size of " #type, (long) sizeof(type), 0},
#define DT_VALUE(constant) {#constant, (long) (constant), 0},
#define DT_FIELD(type, field)                                                                      \
    {"offset of " #type "." #field, (long) offsetof(type, field),                                  \
     (long) sizeof(((type *) 0)->field)},

#endif
