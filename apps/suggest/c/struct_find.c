/* SPDX-License-Identifier: BSD-3-Clause */
/* The struct that a name means. */
#include "struct_layout.h"

#include <string.h>

typedef struct search {
    reader_t *reader;
    const char *name;
    bool tag_only;  /* the name was given with `struct` or `class` before it */
    bool in_bodies; /* of functions */
    int rank;       /* of the best so far */
    CXType type;
    CXCursor declaration;
    const char *written;
    const char *problem;
} search_t;

static bool ends_with_name(const char *qualified, const char *name)
{
    size_t length = strlen(qualified), wanted = strlen(name);

    return length > wanted + 2 && strcmp(qualified + length - wanted, name) == 0 &&
           strncmp(qualified + length - wanted - 2, "::", 2) == 0;
}

static void consider(search_t *search, CXCursor cursor, CXType type, bool is_typedef)
{
    reader_t *reader = search->reader;
    const char *qualified = layout_qualified_name(reader, cursor);
    bool exact = strcmp(qualified, search->name) == 0;
    int rank = exact ? 2 + (is_typedef && !reader->cxx) : ends_with_name(qualified, search->name);

    if (rank == 0 || rank < search->rank || (is_typedef && search->tag_only)) {
        return;
    }
    type = clang_getCanonicalType(type);
    if (clang_getCursorKind(cursor) == CXCursor_ClassTemplate) {
        search->problem = "a template: name an instance of it by a typedef";
    } else if (type.kind != CXType_Record) {
        search->problem = "not a struct";
    } else if (clang_getCursorKind(clang_getTypeDeclaration(type)) == CXCursor_UnionDecl) {
        search->problem = "a union: send the member in use with a datatype of its own";
    } else if (ask_size(type) < 0) {
        search->problem = "declared, and neither defined nor, if it is of a template, used here";
    } else if (search->written && rank == search->rank && !clang_equalTypes(type, search->type)) {
        search->problem =
            c_format(reader->unit->memory, "ambiguous: %s or %s", search->written, qualified);
    } else {
        const char *last = search->in_bodies ? strrchr(qualified, ':') : NULL;

        qualified = last ? last + 1 : qualified; /* as it is where the struct is moved to */
        search->problem = NULL;
        search->type = type;
        search->declaration = cursor;
        search->written = is_typedef || reader->cxx
                              ? qualified
                              : c_format(reader->unit->memory, "struct %s", qualified);
    }
    search->rank = rank;
}

static enum CXChildVisitResult look_at_cursor(CXCursor cursor, CXCursor parent, CXClientData data)
{
    search_t *search = data;

    (void) parent;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_StructDecl:
    case CXCursor_ClassDecl:
    case CXCursor_UnionDecl:
    case CXCursor_ClassTemplate:
        consider(search, cursor, clang_getCursorType(cursor), false);
        return clang_getCursorKind(cursor) == CXCursor_ClassTemplate ? CXChildVisit_Continue
                                                                     : CXChildVisit_Recurse;
    case CXCursor_TypedefDecl:
    case CXCursor_TypeAliasDecl:
        consider(search, cursor, clang_getTypedefDeclUnderlyingType(cursor), true);
        return CXChildVisit_Continue;
    case CXCursor_Namespace:
    case CXCursor_LinkageSpec:
        return CXChildVisit_Recurse;
    default:
        return search->in_bodies ? CXChildVisit_Recurse : CXChildVisit_Continue;
    }
}

typedef struct question {
    const char *name;
    const layout_t **layout;
    const char **problem;
    bool *found;
} question_t;

static void answer(void *data, reader_t *reader)
{
    question_t *question = data;
    search_t search = {.reader = reader, .name = question->name};
    CXCursor whole = clang_getTranslationUnitCursor(reader->translation);
    layout_t *layout = c_allocate(reader->unit->memory, sizeof *layout);
    const char *last;

    if (strncmp(search.name, "struct ", 7) == 0 || strncmp(search.name, "class ", 6) == 0) {
        search.name = strchr(search.name, ' ') + 1;
        search.tag_only = true;
    }
    clang_visitChildren(whole, look_at_cursor, &search);
    if (search.rank == 0) {
        search.in_bodies = true;
        clang_visitChildren(whole, look_at_cursor, &search);
    }
    *question->found = search.rank > 0;
    *question->problem = search.problem;
    if (search.rank == 0 || search.problem) {
        return;
    }
    last = strrchr(search.written, ':');
    last = last ? last : strrchr(search.written, ' ');
    layout->type = search.written;
    layout->name = last ? last + 1 : search.written;
    layout->canonical = read_string(reader, clang_getTypeSpelling(ask_unqualified(search.type)));
    layout->size = ask_size(search.type);
    layout->is_local = search.in_bodies;
    layout->place = layout_place(reader, search.declaration);
    layout_read(reader, search.type, layout);
    *question->layout = layout;
}

c_unit_t *layout_parse(const char *path, const char *const *arguments, int n_arguments,
                       const char *name, const layout_t **layout, const char **problem, bool *found)
{
    question_t question = {name, layout, problem, found};

    *layout = NULL;
    *problem = NULL;
    *found = false;
    return read_unit(path, arguments, n_arguments, answer, &question);
}
