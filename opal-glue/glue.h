/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The face of opal-glue/: all that other rooms include of it. Files of this room include the
 * headers that they use, not this one.
 *
 * DAME inside Open MPI: from start to stop, DAME's programs move the data of convertors of
 * non-contiguous data. One start and one stop a process, by the thread that is in MPI_Init (or in
 * the call that starts late) or MPI_Finalize. Unless noted, the other functions may be called by
 * any thread, also before the start and after the stop.
 */
#ifndef DT_GLUE_H
#define DT_GLUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "counters.h"
#include "dame/options.h"
#include "datatype_counts.h"
#include "directory.h"
#include "engine/hints.h"
#include "engine/promoter.h"
#include "engine/words.h"
#include "info.h"
#include "deferred_start.h"
#include "log.h"
#include "name.h"
#include "opal-glue/abi/self_test.h"
#include "types.h"

/* The name of Open MPI's own engine among the codes of a datatype. */
#define DT_NATIVE_ARM "opal"

typedef struct dt_glue_options {
    dame_options_t program;           /* how programs are built */
    dame_promote_options_t promotion; /* when programs are compiled, and how */
    bool verify;                      /* compare every fragment with Open MPI's own engine */
    bool direct;                      /* take MPI_Pack and MPI_Unpack over (direct.h) */
    bool devices;                     /* move data in devices' memory (devices.h) */
    bool times;                       /* take times, also of Open MPI's own engine */
    bool tallies;                     /* count for each datatype */
    const char *dump;         /* directory for the programs of datatypes, or NULL: not written. The
                                 caller's, until dt_glue_start() returns */
    bool code_files;          /* write machine code to files beside those of `dump` */
    bool raw_files;           /* .. and programs before any pass */
    int32_t import_threshold; /* the use of a datatype that imports its layout, 1 being the first;
                                 0: when that pays */
    size_t layout_cache;      /* most bytes kept of layouts that no datatype has any more */
    const char *papi_events;  /* hardware events to count (measure/counters.h), "" for none. The
                                 caller's, until dt_glue_start() returns */
    void (*hear_time)(
        int64_t now);     /* NULL, or called now and then while data moves and times are
                       taken, by the thread that moves it: nanoseconds of CLOCK_MONOTONIC */
    int output;           /* opal_output stream for messages; open until dt_glue_stop() */
    const int *verbosity; /* may change; until dt_glue_stop() */
} dt_glue_options_t;

/* Where dt_openmpi_fits(). False, with one message on the output stream, when DAME cannot work
 * here; then nothing was changed and Open MPI's own engine does everything. */
bool dt_glue_start(const dt_glue_options_t *options);

/* Fills in what a patched Open MPI asks (abi/seam.h): from dt_glue_start() to dt_glue_stop(). */
struct opal_dt_base_module_1_0_0_t;
void dt_glue_answer(struct opal_dt_base_module_1_0_0_t *module);

/* In 4.1, MPI_Init opens some 60 components before any data of derived datatypes moves. Those
 * opened after `true` are looked at together at `false`, others each when it is opened. A component
 * that was not looked at yet has its data moved by Open MPI's own engine. */
void dt_glue_opens_components(bool opens);

/* Leaves every function pointer as it was found and frees everything. */
void dt_glue_stop(void);

/* Keeps a hint for an MPI_Datatype that the caller must not free meanwhile. `carrier` is what
 * MPI_Type_contiguous(1, ..) made of it. Between dt_glue_start() and dt_glue_stop(). False: DAME
 * has no use for it. */
bool dt_glue_hint(const void *carrier, dame_hint_t hint, intptr_t value);

/* The part of the report about hardware events; nothing when none were to be counted. Before
 * dt_glue_stop(). */
void dt_glue_print_events(FILE *out);

#endif
