/*
 * When the framework starts. Private to mca_hook_dt.so.
 *
 * A job that commits no datatype of blocks shall pay neither for the framework nor for DAME. So the
 * start may be late (dt_late_wait() in opal-glue/glue.h), at the first such datatype; and where
 * Open MPI's own engine is used anyway, there is none.
 *
 * All must then be as if the start had been in MPI_Init. So it is put off only in MPI_Init, and
 * where the parameter dt alone is set: other parameters of the framework in the environment may
 * have a word to say at once (those in files are heard late). Tools look for its variables:
 * MPI_T_init_thread starts it, and in a program that has PAPI it is not late. Nor is it where
 * several threads may call MPI, because registering is not thread-safe.
 */
#ifndef DT_PLAN_H
#define DT_PLAN_H

typedef enum dt_plan {
    DT_PLAN_NOW,  /* the framework starts where it stands */
    DT_PLAN_LATE, /* late, if MPI has one thread; in MPI_Init otherwise */
    DT_PLAN_NEVER /* Open MPI's own engine is used */
} dt_plan_t;

/* DT_PLAN_LATE where the environment says so, else DT_PLAN_NOW. Touches nothing of MCA. */
dt_plan_t dt_plan_by_environment(void);

/* `selection`: the parameter dt, which is registered. NULL or "": it is not set. */
dt_plan_t dt_plan_for(const char *selection);

#endif
