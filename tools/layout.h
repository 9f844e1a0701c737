/* SPDX-License-Identifier: BSD-3-Clause */
/* A file with a program: its datatype, and what DAME makes of it. */
#ifndef LAYOUT_H
#define LAYOUT_H

#include "datatype.h"
#include "facts.h"

typedef struct tool_layout {
    tool_datatype_t datatype;
    facts_t facts;
    char *name; /* the datatype's, of the field "name"; NULL if absent */
} tool_layout_t;

/* As tool_datatype_load(). The caller frees with tool_layout_free(). */
int tool_layout_load(const char *path, tool_layout_t *layout);

void tool_layout_free(tool_layout_t *layout);

#endif
