/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by struct_find.c and struct_layout.c. */
#ifndef SUGGEST_C_STRUCT_LAYOUT_H
#define SUGGEST_C_STRUCT_LAYOUT_H

#include "parse.h"
#include "struct.h"

layout_place_t layout_place(reader_t *reader, CXCursor cursor);
/* With namespaces and classes. */
const char *layout_qualified_name(reader_t *reader, CXCursor declaration);
/* Adds the members of a complete record to a layout that has its names and size. */
void layout_read(reader_t *reader, CXType record, layout_t *layout);

#endif
