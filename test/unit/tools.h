/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the suites share: types without error handling, programs as text, directories.
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

/* What flock() fails with; 0: it works. */
extern int refused_locks;

/* The program's text; the caller frees. */
char *text_of(const dame_program_t *program);

/* The program is what `wanted` says, however that is indented. Frees the program. */
void expect_text(dame_program_t *program, const char *wanted);

/* A new directory under /tmp, for files of one test; removed with all that is in it. */
enum { DIRECTORY = 40 };
void make_directory(char path[DIRECTORY]);
void remove_directory(const char *path);

/* The directory of the running test: a fixture makes it and the tree, and removes both. */
extern char directory[DIRECTORY];
void directory_setup(void);
void directory_teardown(void);

/* A file that must be there, at most room - 1 bytes, and '\0' behind them. Returns how many. */
size_t read_file(const char *path, char *text, size_t room);
void write_file(const char *path, const char *text, size_t size);

/* Waits for a child, which ends well. */
void expect_exit_0(pid_t child);

/* The number of entries of an array. */
#define COUNT_OF(array) ((int) (sizeof(array) / sizeof(array)[0]))

/* The set of one pass. */
#define ONLY(pass) ((dame_passes_t) 1 << DAME_PASS_##pass)

/* n bytes that differ from their neighbours and from those of another seed. */
void fill_pattern(char *bytes, int64_t n, unsigned seed);

#endif
