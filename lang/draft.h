/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program while its text is read: primitives and lists in memory that grows, then a program.
 * Private to lang/.
 */
#ifndef DAME_DRAFT_H
#define DAME_DRAFT_H

#include <stddef.h>

#include "dame/program.h"

typedef struct dame_draft_prim {
    dame_prim_t prim;     /* its tables and parameters not yet there */
    dame_params_t params; /* likewise */
    int64_t line; /* its position in the text; of a CONTIGCHILD, which is not text: its parent's */
    int64_t column;
    size_t lists; /* the first entry of its lists, which follow each other in text order, prim.count
                     entries each, in dame_draft_t.words */
    size_t inners; /* STRUCT: its count `inners`, then count `subs`, in dame_draft_t.inners */
} dame_draft_prim_t;

/* Zero is an empty draft. */
typedef struct dame_draft {
    dame_draft_prim_t *prims;
    int64_t *words;
    int32_t *inners;
    size_t nprims, nwords, ninners;
    size_t prims_room, words_room, inners_room;
} dame_draft_t;

void dame_draft_fini(dame_draft_t *draft);

/* Adds a primitive, number draft->nprims - 1, zero except its operation, with lists that start with
 * the next word. DAME_ERR_LIMIT beyond DAME_MAX_PRIMS, DAME_ERR_NOMEM. */
dame_status_t dame_draft_add(dame_draft_t *draft, dame_op_t op, int64_t line, int64_t column);

/* Adds an entry of a list. DAME_ERR_NOMEM. */
dame_status_t dame_draft_word(dame_draft_t *draft, int64_t value);

/* Makes room for the inners and subs of primitive `at`, a STRUCT with its lists. DAME_ERR_NOMEM. */
dame_status_t dame_draft_inners(dame_draft_t *draft, size_t at);

/* The list of `letter` in dame/ops.def, or NULL; valid until the next word. */
const int64_t *dame_draft_list(const dame_draft_t *draft, size_t at, char letter);

/*
 * A program with these primitives and their tables and kernels; its header and EXIT are left to be
 * filled in. DAME_ERR_NOMEM; DAME_ERR_RANGE when the size of primitive *at exceeds 64 bits.
 */
dame_status_t dame_draft_assemble(const dame_draft_t *draft, dame_program_t **out, int32_t *at);

#endif
