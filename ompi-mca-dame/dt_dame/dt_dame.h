/* SPDX-License-Identifier: BSD-3-Clause */
/* The dt/dame component; private to its files. */
#ifndef DT_DAME_H
#define DT_DAME_H

#include "ompi-mca-dame/dt.h"
#include "opal-glue/glue.h"
#include "record.h"

/* Values of the parameter `dump`: the set of files to write. */
enum {
    MCA_DT_DAME_DUMP_NONE = 0,
    MCA_DT_DAME_DUMP_PROGRAM = 1,
    MCA_DT_DAME_DUMP_ASM = 2,
    MCA_DT_DAME_DUMP_LLVM = 4,
    MCA_DT_DAME_DUMP_RAW = 8
};

/* Values of the parameter `tiers`: a set of what moves data. */
enum {
    MCA_DT_DAME_TIER_INTERP = 1,
    MCA_DT_DAME_TIER_X = 2,
    MCA_DT_DAME_TIER_L = 4,
    MCA_DT_DAME_TIER_OPAL = 8
};

/* The parameters dt_dame_<name>, as registered: MCA writes them. */
typedef struct mca_dt_dame_params {
#define DT_NUMBER(name, level, change, low, high, standard, help) int name;
#define DT_BYTES(name, level, change, low, high, standard, help)  int name;
#define DT_BOOL(name, level, change, standard, help)              int name;
#define DT_CHOICE(name, level, change, names, standard, help)     int name;
#define DT_SET(name, level, change, names, standard, help)        int name;
#define DT_TEXT(name, level, change, check, standard, help)       char *name;
#include "dt_dame_params.def"
#undef DT_NUMBER
#undef DT_BYTES
#undef DT_BOOL
#undef DT_CHOICE
#undef DT_SET
#undef DT_TEXT
} mca_dt_dame_params_t;

/* A directory of the user's own, as a value. */
#define MCA_DT_DAME_AUTO "auto"

extern mca_dt_dame_params_t mca_dt_dame_params;

/* Sets the parameters to their defaults and registers them; see param.h for bad values. */
void mca_dt_dame_register_params(const mca_base_component_t *component);

/* What the parameters say about programs. After registering. */
dame_options_t mca_dt_dame_program_options(void);

/* The parameter promotion_threshold, but 0 when there is nothing to choose from (tiers). */
int mca_dt_dame_threshold(void);

/* The parameter import_threshold as a number of uses, 1 and more; 0: when it pays. */
int mca_dt_dame_import_threshold(void);

/* The parameters about machine code. The strings in it are the parameters'. After registering. */
dame_promote_options_t mca_dt_dame_promote_options(void);

/* One line that says what DAME works with in this process. Returns `text`. */
const char *mca_dt_dame_state(char *text, size_t room);

/* Registers the component's performance variables. False: they are not as we declare them. */
bool mca_dt_dame_register_pvars(const mca_base_component_t *component);

/* MPI_Init; MPI_Finalize begins, MPI must still be initialised; it has passed its barrier. */
void mca_dt_dame_finish_start(void);
void mca_dt_dame_publish(void);
void mca_dt_dame_collect(void);

/* MPI_Init ends: there may be snapshots, which call MPI. */
void mca_dt_dame_snapshots_start(void);

/* While data moves, if there shall be snapshots: nanoseconds of CLOCK_MONOTONIC. Any thread. */
void mca_dt_dame_hear_time(int64_t now);

/* The program may give hints (include/mpi-dame.h); no more. MPI must be initialised. */
void mca_dt_dame_hints_open(void);
void mca_dt_dame_hints_close(void);

/* Offers the counters to PAPI, if the program has it. */
void mca_dt_dame_offer_sde(void);

#endif
