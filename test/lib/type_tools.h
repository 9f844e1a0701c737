/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests do with type trees besides making them: move, describe, disguise.
 */
#ifndef TEST_TYPE_TOOLS_H
#define TEST_TYPE_TOOLS_H

#include <stdint.h>
#include <stdio.h>

#include "dame/program.h"
#include "dame/type.h"
#include "rng.h"

/*
 * The type with every displacement of its outermost constructor moved by `shift` bytes, as a
 * program writes it that takes displacements from MPI_Get_address. NULL when memory is out.
 */
const dame_type_t *type_shifted(dame_tree_t *tree, const dame_type_t *type, int64_t shift);

/* Prints the tree, one constructor a line, every line after `prefix`; long lists are cut short. */
void type_describe(FILE *out, const char *prefix, const dame_type_t *type);

/* A program's text; NULL when memory is out. The caller frees. */
char *program_text(const dame_program_t *program);

/* Calls the constructor that `type` describes; its sizes and bounds are not read. NULL when it
 * fails. */
const dame_type_t *type_made(dame_tree_t *tree, const dame_type_t *type);

/* A type of the same typemap and bounds, made by other constructors; NULL when memory is out. */
const dame_type_t *type_disguised(rng_t *rng, dame_tree_t *tree, const dame_type_t *type);

#endif
