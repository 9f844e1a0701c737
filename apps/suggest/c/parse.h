/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by parse.c, parse_cxx.c, struct_find.c and struct_layout.c, the only files that see
 * libclang. */
#ifndef SUGGEST_C_PARSE_H
#define SUGGEST_C_PARSE_H

#include "tree.h"
#include "shared/clang/ask.h"

typedef struct reader {
    c_unit_t *unit;
    CXTranslationUnit translation;
    CXFile main_file;
    c_type_t **types;
    CXType *seen_types;
    size_t n_types;
    size_t depth;
    size_t order;
    bool cxx;
    c_symbol_t *self; /* `this` of the method that is read, or NULL */
    bool returns_reference;
    c_file_t **files;
    CXFile *seen_files;
    size_t n_files;
} reader_t;

const char *read_string(reader_t *reader, CXString string); /* disposes of it */
const c_type_t *read_type(reader_t *reader, CXType type);
c_symbol_t *read_symbol(reader_t *reader, CXCursor cursor);
c_node_t *read_expression(reader_t *reader, CXCursor cursor);
c_node_t *read_node(reader_t *reader, c_kind_t kind, CXCursor cursor, size_t n);
void read_set_child(c_node_t *node, size_t i, c_node_t *child);
/* KIND with the cursor's children, of which there must be N (or any number: N < 0). */
c_node_t *read_with_children(reader_t *reader, CXCursor cursor, c_kind_t kind, int n);
c_node_t *read_other(reader_t *reader, CXCursor cursor);
c_node_t *read_cast(reader_t *reader, CXCursor cursor);

/* c_parse(), which lets SEE, if it is not NULL, look at the translation unit before it is freed. */
c_unit_t *read_unit(const char *path, const char *const *arguments, int n_arguments,
                    void (*see)(void *data, reader_t *reader), void *data);

/* ---- parse_cxx.c ---- */
/* An expression of C++ that C has not; NULL: it is none. */
c_node_t *cxx_expression(reader_t *reader, CXCursor cursor);
/* A member without an object in the source: that of `this`. NULL: there is none. */
c_node_t *cxx_self(reader_t *reader, CXCursor cursor);
/* *REFERENCE, of a pointer that C++ writes without *; other nodes as they are. */
c_node_t *cxx_object(reader_t *reader, CXCursor cursor, c_node_t *reference);
/* &OBJECT, for a reference to it; without the cursor's text. */
c_node_t *cxx_address(reader_t *reader, CXCursor cursor, c_node_t *object);
/* Arguments of a call from its child FIRST on: addresses where the parameter is a reference; and
 * its result. */
c_node_t *cxx_arguments(reader_t *reader, CXCursor cursor, c_node_t *call, size_t first);
/* Parameters of a method have `this` first. */
c_symbol_t *cxx_make_self(reader_t *reader, CXCursor method);

#endif
