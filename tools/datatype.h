/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datatypes of libdame, for the commands about data: they use only the headers that libdame
 * installs (test/house checks it).
 */
#ifndef DATATYPE_H
#define DATATYPE_H

#include "dame/datatype.h"
#include "cli/tool.h"

/* A committed datatype. */
typedef struct tool_datatype {
    dame_datatype_t *type;
    tool_bounds_t bounds;
} tool_datatype_t;

/* The context of all datatypes of this process: interpreted, no file is touched. NULL after a
 * message. */
dame_context_t *tool_context(void);

/*
 * The datatype of the program in a file of up to 1 GiB; "-" is standard input. TOOL_WRONG after a
 * message "dame: FILE:LINE:COLUMN: the error", or TOOL_SYSTEM. The caller frees with
 * tool_datatype_free().
 */
int tool_datatype_load(const char *path, tool_datatype_t *out);

/* The same of a text; `path` is what messages call it. */
int tool_datatype_parse(const char *path, const char *text, size_t length, tool_datatype_t *out);

/* Commits a datatype and takes it over, on an error too. TOOL_WRONG or TOOL_SYSTEM after a message
 * about `thing`. */
int tool_datatype_take(const char *thing, dame_datatype_t *type, tool_datatype_t *out);

/* Accepts an all-zero structure. */
void tool_datatype_free(tool_datatype_t *datatype);

/* Says why the last function of libdame failed; returns the exit code that fits its status. */
int tool_library_error(const char *thing, dame_status_t status);

#endif
