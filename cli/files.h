/* SPDX-License-Identifier: BSD-3-Clause */
/* Operands that are files or directories. */
#ifndef FILES_H
#define FILES_H

#include <stdio.h>

/* Paths in the order in which they are to be read. */
typedef struct files {
    char **path;
    int n;
    int several; /* headings are needed: more than one operand, or a directory */
} files_t;

/* Which of two files a directory offers of a datatype (dt_dame_dump raw): with all passes, or
 * before any, where both are there. */
typedef enum files_form { FILES_OPTIMISED, FILES_RAW } files_form_t;

/*
 * The operands argv[first] to argv[last - 1]; a directory means its files *.dame in the order of
 * their names. TOOL_SYSTEM after a message: a directory cannot be read or has no such files, or
 * memory is out. The caller frees with files_free().
 */
int files_find(char **argv, int first, int last, files_form_t form, files_t *files);
void files_free(files_t *files);

/* How the outputs of several files are distinguished. */
typedef enum files_heading {
    FILES_NONE,
    FILES_LINE, /* a line "# FILE" before each, and an empty one between */
    FILES_JSON  /* elements of an array, null where `fn` fails */
} files_heading_t;

/* Calls `fn` for each file of the operands from optind on, at least one. Returns the worst code. */
int files_each(int argc, char **argv, files_form_t form, files_heading_t heading,
               int (*fn)(void *context, const char *path), void *context);

#endif
