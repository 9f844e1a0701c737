/* SPDX-License-Identifier: BSD-3-Clause */
/* dame compile: a program and direction, compiled, timed and shown. */
#ifndef CODE_ROW_H
#define CODE_ROW_H

#include "dame/dame.h"
#include "jit/jit.h"
#include "jit/l/phases.h"

/* A row of the table. The caller sets path, dir, program, jit, candidate and variant. */
typedef struct code_row {
    const char *path;
    dame_dir_t dir;
    const dame_program_t *program; /* as in the file */
    dame_jit_t *jit;
    const dame_candidate_t *candidate; /* NULL if absent */
    char variant[DAME_CANDIDATE_NAME]; /* of DAME-L; "" of DAME-X */
    int is_found;                      /* in the code cache */
    double first_ns;   /* of the first compilation of this process, 0: that was another. Of DAME-L,
                          of the first of this code */
    int has_phases;    /* DAME-L made the code now */
    l_phases_t phases; /* of the first compilation */
    double median_ns;
    double worst_ns;
    dame_program_t *compiled; /* optimised, with machine code unless status says otherwise */
    dame_run_fn *before;      /* the kernels of its primitives without */
    dame_status_t status;
    int64_t levels;
    int64_t kernels; /* .. that are machine code */
    size_t bytes;    /* of machine code */
    const void *code;
} code_row_t;

/* The names of the directions. */
extern const char *const code_row_directions[2];

/* Compiles it once, to look at. An exit code of tool.h; code_row_end() in any case. */
int code_row_look(code_row_t *row);
void code_row_end(code_row_t *row);

/* Compiles it `repeats` times more. An exit code of tool.h. */
int code_row_time(code_row_t *row, int64_t repeats);

/* To standard output. */
void code_row_heading(dame_jit_t *jit);
void code_row_print(const code_row_t *row);
void code_row_json(const code_row_t *row, int is_first);

#endif
