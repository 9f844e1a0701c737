/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of dame doctor share. */
#ifndef DOCTOR_H
#define DOCTOR_H

#include <limits.h>

typedef struct doctor {
    char *parameters;         /* what ompi_info prints of the framework dt and both engines */
    char directory[PATH_MAX]; /* of mca_dt_dame.so; "": not found */
    char advice[4096];        /* lines: obstacles, remarks, commands to type */
    int has_seam;             /* Open MPI has a framework dt of its own (doc/seam.md) */
    int is_chosen;            /* by what ompi_info shows of the parameter dt */
    int stands;               /* something prevents its use */
} doctor_t;

/* A line about `subject`; "" continues the one before. */
__attribute__((format(printf, 2, 3))) void doctor_say(const char *subject, const char *format, ...);

/* One obstacle. */
__attribute__((format(printf, 2, 3))) void doctor_advise(doctor_t *doctor, const char *format, ...);

/* One thing with which DAME works. */
__attribute__((format(printf, 2, 3))) void doctor_note(doctor_t *doctor, const char *format, ...);

/* The value of a parameter, such as "dt_dame_profile"; the caller frees. NULL: ompi_info does not
 * know it. */
char *doctor_parameter(const doctor_t *doctor, const char *name);

/* Open MPI, and the one that DAME was compiled for. Returns 0 without ompi_info. */
int doctor_look_at_openmpi(doctor_t *doctor);

/* Where Open MPI looks for components, and where DAME's two are. */
void doctor_look_at_files(doctor_t *doctor);

/* The CPU, memory for machine code, LLVM, PAPI; and where jobs keep their measurements and code. */
void doctor_look_at_machine(doctor_t *doctor);

#endif
