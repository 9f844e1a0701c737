/*
 * What the suites share: types without error handling, programs as text.
 */
#ifndef TEST_TOOLS_H
#define TEST_TOOLS_H

#include <check.h>
#include <stdbool.h>
#include <stdint.h>

#include "dame/dame.h"

/* The tree of the running test: a fixture makes and frees it. */
extern dame_tree_t *tree;
void tree_setup(void);
void tree_teardown(void);

/* A test case with the tree fixture and time for slow machines. */
TCase *tree_case(const char *name);

/* The tag of cases that try so much of what the differential test tries, too, that builds on slow
 * machines leave them out: CK_EXCLUDE_TAGS=long. */
#define LONG_CASE "long"

/* Constructors that must succeed. Lists are copied into the tree. */
const dame_type_t *basic(int64_t size);
const dame_type_t *contig(int64_t count, const dame_type_t *child);
const dame_type_t *vector(int64_t count, int64_t blklen, int64_t stride, const dame_type_t *child);
const dame_type_t *blockindex(int64_t count, int64_t blklen, const int64_t *disps,
                              const dame_type_t *child);
const dame_type_t *index_type(int64_t count, const int64_t *blklens, const int64_t *disps,
                              const dame_type_t *child);
const dame_type_t *struct_type(int64_t count, const int64_t *blklens, const int64_t *disps,
                               const dame_type_t *const *children);
const dame_type_t *resized(int64_t lb, int64_t extent, const dame_type_t *child);

/*
 * Programs, verified; the caller frees. With the default options, with no pass, or with some of the
 * type; what some passes make of a program; and of a text, exactly as it is written.
 */
dame_program_t *program_of(const dame_type_t *type);
dame_program_t *plain_of(const dame_type_t *type);
dame_program_t *program_with(dame_passes_t passes, const dame_type_t *type);
dame_program_t *optimised_with(dame_passes_t passes, const dame_program_t *program);
dame_program_t *program_of_text(const char *text);

/* The program's text; the caller frees. */
char *text_of(const dame_program_t *program);

/* The set of one pass. */
#define ONLY(pass) ((dame_passes_t) 1 << DAME_PASS_##pass)

/* n bytes that differ from their neighbours and from those of another seed. */
void fill_pattern(char *bytes, int64_t n, unsigned seed);

#endif
