/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by parse.c, parse_cxx.c, struct_find.c and struct_layout.c, the only files that see
 * libclang. */
#ifndef SUGGEST_C_PARSE_H
#define SUGGEST_C_PARSE_H

#include "tree.h"
#include "shared/clang/ask.h"

struct reader {
    struct c_unit *unit;
    CXTranslationUnit translation;
    CXFile main_file;
    struct c_type **types;
    CXType *seen_types;
    size_t n_types;
    size_t depth;
    size_t order;
    bool cxx;
    struct c_symbol *self; /* `this` of the method that is read, or NULL */
    bool returns_reference;
    struct c_file **files;
    CXFile *seen_files;
    size_t n_files;
};

const char *read_string(struct reader *reader, CXString string); /* disposes of it */
const struct c_type *read_type(struct reader *reader, CXType type);
struct c_symbol *read_symbol(struct reader *reader, CXCursor cursor);
struct c_node *read_expression(struct reader *reader, CXCursor cursor);
struct c_node *read_node(struct reader *reader, enum c_kind kind, CXCursor cursor, size_t n);
void read_set_child(struct c_node *node, size_t i, struct c_node *child);
/* KIND with the cursor's children, of which there must be N (or any number: N < 0). */
struct c_node *read_with_children(struct reader *reader, CXCursor cursor, enum c_kind kind, int n);
struct c_node *read_other(struct reader *reader, CXCursor cursor);
struct c_node *read_cast(struct reader *reader, CXCursor cursor);

/* c_parse(), which lets SEE, if it is not NULL, look at the translation unit before it is freed. */
struct c_unit *read_unit(const char *path, const char *const *arguments, int n_arguments,
                         void (*see)(void *data, struct reader *reader), void *data);

/* ---- parse_cxx.c ---- */
/* An expression of C++ that C has not; NULL: it is none. */
struct c_node *cxx_expression(struct reader *reader, CXCursor cursor);
/* A member without an object in the source: that of `this`. NULL: there is none. */
struct c_node *cxx_self(struct reader *reader, CXCursor cursor);
/* *REFERENCE, of a pointer that C++ writes without *; other nodes as they are. */
struct c_node *cxx_object(struct reader *reader, CXCursor cursor, struct c_node *reference);
/* &OBJECT, for a reference to it; without the cursor's text. */
struct c_node *cxx_address(struct reader *reader, CXCursor cursor, struct c_node *object);
/* Arguments of a call from its child FIRST on: addresses where the parameter is a reference; and
 * its result. */
struct c_node *cxx_arguments(struct reader *reader, CXCursor cursor, struct c_node *call,
                             size_t first);
/* Parameters of a method have `this` first. */
struct c_symbol *cxx_make_self(struct reader *reader, CXCursor method);

#endif
