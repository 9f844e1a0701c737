/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing a program: one allocation, the tables behind the primitives. Private to lang/.
 *
 * First all that the program needs is counted, then the memory is taken, then primitives and tables
 * are filled in.
 */
#ifndef DAME_EMIT_H
#define DAME_EMIT_H

#include "dame/program.h"

/* Programs have at most this many primitives: nested structs of unlike members double with every
 * level, and a program beyond this would be useless. */
enum { DAME_MAX_PRIMS = 1 << 20 };

/* What a program needs of memory. */
typedef struct dame_need {
    int64_t prims;
    int64_t words;  /* 64-bit table entries */
    int64_t halves; /* 32-bit table entries */
} dame_need_t;

typedef struct dame_emitter {
    dame_program_t *program;
    int64_t *words;
    int32_t *halves;
    int32_t next; /* index of the next primitive */
} dame_emitter_t;

/* Adds what the displacements of a primitive need: a STRUCT's are 64-bit, others 32-bit where all
 * fit. */
void dame_need_disps(dame_need_t *need, dame_op_t op, const int64_t *disps, int64_t n);

/* Allocates the program, its primitives zero. At most DAME_MAX_PRIMS of them; DAME_ERR_NOMEM. The
 * caller frees emitter->program with dame_program_free() unless it is passed on. */
dame_status_t dame_emitter_init(dame_emitter_t *emitter, const dame_need_t *need);

/* The next primitive. */
dame_prim_t *dame_emit_prim(dame_emitter_t *emitter, dame_op_t op);

/* Uninitialised room for tables of n entries. */
int64_t *dame_emit_words(dame_emitter_t *emitter, int64_t n);
int32_t *dame_emit_halves(dame_emitter_t *emitter, int64_t n);

/* Copies the displacements of a primitive and sets prim->disps or prim->disps32. */
void dame_emit_disps(dame_emitter_t *emitter, dame_prim_t *prim, const int64_t *disps, int64_t n);

/* Completes a program with size, extent and other primitives already set: its EXIT, and
 * `has_by_block`. `inner_delta` is 0 when it has only one CONTIGFINAL, otherwise 1. */
void dame_emit_exit(dame_program_t *program, int32_t inner_delta, const dame_options_t *options);

#endif
