/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by struct_find.c and struct_layout.c. */
#ifndef SUGGEST_C_STRUCT_LAYOUT_H
#define SUGGEST_C_STRUCT_LAYOUT_H

#include "parse.h"
#include "struct.h"

struct layout_place layout_place(struct reader *reader, CXCursor cursor);
/* With namespaces and classes. */
const char *layout_qualified_name(struct reader *reader, CXCursor declaration);
/* Adds the members of a complete record to a layout that has its names and size. */
void layout_read(struct reader *reader, CXType record, struct layout *layout);

#endif
