/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The emulation of machine code: all its kernels, for many runs of each.
 */
#ifndef JUDGE_EMULATION_H
#define JUDGE_EMULATION_H

#include <stdbool.h>
#include <stdint.h>

#include "footprint.h"
#include "listing.h"

/* What stays from one emulation to the next. Zero at first. */
typedef struct emulation {
    listing_t listing;
    footprint_t footprint;
    int64_t kernels;      /* counted up: that were judged, */
    int64_t runs;         /* runs of them, */
    int64_t moved;        /* bytes of these, */
    int64_t steps;        /* instructions of these, */
    int64_t skipped;      /* runs that were too large, */
    int64_t only_decoded; /* kernels with all runs tried, except those of no iterations */
} emulation_t;

enum {
    EMULATION_BYTES = 1 << 16,      /* of most runs, each block counted as 16 more */
    EMULATION_FULL_BYTES = 1 << 21, /* of the one with all iterations of a level */
    EMULATION_MOST_BYTES = 1 << 25, /* of one iteration without a smaller run */
    EMULATION_SOME = 40             /* runs of 0 to this many iterations are tried */
};

/* Judges `code`, which was written for the program, the direction and the CPU. False: verdict has
 * the error, and emulation->footprint.run is the run it is wrong for, if it is about one. */
bool emulation_judge(emulation_t *emulation, const dame_program_t *program, dame_dir_t dir,
                     const dame_jit_options_t *options, cpu_model_t model,
                     const dame_machine_code_t *code, rng_t *rng, verdict_t *verdict);
void emulation_free(emulation_t *emulation);

/* Prints the violated rule, its run, and the instructions around. */
void emulation_explain(FILE *out, const emulation_t *emulation, const dame_machine_code_t *code,
                       const verdict_t *verdict);

#endif
