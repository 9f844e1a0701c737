/* SPDX-License-Identifier: BSD-3-Clause */
/* The members of a struct, from libclang. */
#include "struct_layout.h"

#include <limits.h>
#include <string.h>

enum { MOST_NESTED = 40 };

typedef struct fields {
    reader_t *reader;
    layout_t *layout;
    const char *hidden_in; /* of all members, in a private base: the derived class */
    int64_t base;          /* the offset of the base class that is read; -1: not known */
    bool other_base;       /* another base class, with members, comes before */
    int depth;
} fields_t;

static void read_record(fields_t *fields, CXType record);

static c_memory_t *memory_of(const fields_t *fields)
{
    return fields->reader->unit->memory;
}

layout_place_t layout_place(reader_t *reader, CXCursor cursor)
{
    layout_place_t place = {.file = reader->unit->path};
    CXFile file;

    clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, &place.line, &place.column,
                               NULL);
    if (file && !clang_File_isEqual(file, reader->main_file)) {
        place.file = read_string(reader, clang_getFileName(file));
    }
    return place;
}

static layout_member_t *add_member(fields_t *fields, layout_member_t member)
{
    layout_t *layout = fields->layout;
    layout_member_t *members = c_allocate(memory_of(fields), (layout->n + 1) * sizeof *members);

    if (layout->n > 0) {
        memcpy(members, layout->members, layout->n * sizeof *members);
    }
    layout->members = members;
    members[layout->n] = member;
    return &members[layout->n++];
}

/* ---- names of types ---- */

/* With namespaces and classes. */
const char *layout_qualified_name(reader_t *reader, CXCursor declaration)
{
    const char *name = read_string(reader, clang_getCursorSpelling(declaration));
    CXCursor parent = clang_getCursorSemanticParent(declaration);

    for (; clang_isDeclaration(clang_getCursorKind(parent));
         parent = clang_getCursorSemanticParent(parent)) {
        const char *outer = read_string(reader, clang_getCursorSpelling(parent));

        if (*outer && !clang_Cursor_isAnonymous(parent)) {
            name = c_format(reader->unit->memory, "%s::%s", outer, name);
        }
    }
    return name;
}

static bool is_hidden(CXCursor declaration)
{
    enum CX_CXXAccessSpecifier access = clang_getCXXAccessSpecifier(declaration);

    return access == CX_CXXPrivate || access == CX_CXXProtected;
}

/* How code outside of functions and classes writes the record; NULL: it cannot. */
static const char *written_name(reader_t *reader, CXType type)
{
    CXCursor declaration = clang_getTypeDeclaration(type), outer;
    const char *name;

    if (clang_Cursor_isAnonymous(declaration) ||
        !clang_Cursor_isNull(clang_getSpecializedCursorTemplate(declaration))) {
        return NULL;
    }
    name = read_string(reader, clang_getTypeSpelling(ask_unqualified(type)));
    if (strpbrk(name, "(<")) {
        return NULL;
    }
    for (outer = declaration; clang_isDeclaration(clang_getCursorKind(outer));
         outer = clang_getCursorSemanticParent(outer)) {
        if (clang_getCursorKind(outer) == CXCursor_FunctionDecl || is_hidden(outer) ||
            !clang_Cursor_isNull(clang_getSpecializedCursorTemplate(outer))) {
            return NULL;
        }
    }
    return name;
}

/* ---- basic types ---- */

static const char *by_kind(reader_t *reader, CXType type)
{
    switch (type.kind) {
    case CXType_Bool:
        return reader->cxx ? "MPI_CXX_BOOL" : "MPI_C_BOOL";
    case CXType_Char_S:
    case CXType_Char_U:
        return "MPI_CHAR";
    case CXType_SChar:
        return "MPI_SIGNED_CHAR";
    case CXType_UChar:
        return "MPI_UNSIGNED_CHAR";
    case CXType_Short:
        return "MPI_SHORT";
    case CXType_UShort:
        return "MPI_UNSIGNED_SHORT";
    case CXType_Int:
        return "MPI_INT";
    case CXType_UInt:
        return "MPI_UNSIGNED";
    case CXType_Long:
        return "MPI_LONG";
    case CXType_ULong:
        return "MPI_UNSIGNED_LONG";
    case CXType_LongLong:
        return "MPI_LONG_LONG";
    case CXType_ULongLong:
        return "MPI_UNSIGNED_LONG_LONG";
    case CXType_WChar:
        return "MPI_WCHAR";
    case CXType_Char16:
        return "MPI_UINT16_T";
    case CXType_Char32:
        return "MPI_UINT32_T";
    case CXType_Float:
        return "MPI_FLOAT";
    case CXType_Double:
        return "MPI_DOUBLE";
    case CXType_LongDouble:
        return "MPI_LONG_DOUBLE";
    case CXType_Enum:
        return by_kind(reader, clang_getCanonicalType(
                                   clang_getEnumDeclIntegerType(clang_getTypeDeclaration(type))));
    case CXType_Complex:
        switch (clang_getElementType(type).kind) {
        case CXType_Float:
            return "MPI_C_FLOAT_COMPLEX";
        case CXType_Double:
            return "MPI_C_DOUBLE_COMPLEX";
        case CXType_LongDouble:
            return "MPI_C_LONG_DOUBLE_COMPLEX";
        default:
            return NULL;
        }
    default:
        return NULL;
    }
}

/* Names of types that say more than the types that they are. */
static const char *by_name(const char *name)
{
    static const char *const names[][2] = {
        {"int8_t", "MPI_INT8_T"},
        {"int16_t", "MPI_INT16_T"},
        {"int32_t", "MPI_INT32_T"},
        {"int64_t", "MPI_INT64_T"},
        {"uint8_t", "MPI_UINT8_T"},
        {"uint16_t", "MPI_UINT16_T"},
        {"uint32_t", "MPI_UINT32_T"},
        {"uint64_t", "MPI_UINT64_T"},
        {"wchar_t", "MPI_WCHAR"},
        {"MPI_Aint", "MPI_AINT"},
        {"MPI_Offset", "MPI_OFFSET"},
        {"MPI_Count", "MPI_COUNT"},
        {"std::complex<float>", "MPI_CXX_FLOAT_COMPLEX"},
        {"std::complex<double>", "MPI_CXX_DOUBLE_COMPLEX"},
        {"std::complex<long double>", "MPI_CXX_LONG_DOUBLE_COMPLEX"},
    };
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i][0], name) == 0) {
            return names[i][1];
        }
    }
    return NULL;
}

static bool is_handle(const char *name)
{
    static const char *const names[] = {
        "MPI_Comm", "MPI_Datatype", "MPI_Errhandler", "MPI_File",    "MPI_Group", "MPI_Info",
        "MPI_Op",   "MPI_Request",  "MPI_Message",    "MPI_Session", "MPI_Win",
    };
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* An array's element, and a name's type, as far as that goes. */
static CXType unwrap(reader_t *reader, CXType type, layout_member_t *member,
                     const char **dimensions)
{
    for (;;) {
        const char *name;

        switch (type.kind) {
        case CXType_Elaborated:
            type = clang_Type_getNamedType(type);
            break;
        case CXType_Attributed:
            type = clang_Type_getModifiedType(type);
            break;
        case CXType_Typedef:
            name = read_string(reader, clang_getTypedefName(type));
            member->mpi = member->mpi ? member->mpi : by_name(name);
            if (is_handle(name)) {
                member->why = "it is an MPI handle, which has a meaning in one process only";
                member->advice = "make the object at the receiver";
            }
            type = clang_getTypedefDeclUnderlyingType(clang_getTypeDeclaration(type));
            break;
        case CXType_ConstantArray:
            if (__builtin_mul_overflow(member->count, ask_count(type), &member->count)) {
                member->count = INT64_MAX;
            }
            member->is_array = true;
            member->mpi = NULL;
            *dimensions = c_format(reader->unit->memory, "%s[0]", *dimensions);
            type = clang_getArrayElementType(type);
            break;
        default:
            if (clang_getCanonicalType(type).kind == type.kind) {
                return clang_getCanonicalType(type);
            }
            type = clang_getCanonicalType(type);
        }
    }
}

/* ---- members that cannot be sent ---- */

static void refuse(layout_member_t *member, const char *why, const char *advice)
{
    member->why = why;
    member->advice = advice;
}

static void refuse_kind(layout_member_t *member, enum CXTypeKind kind)
{
    switch (kind) {
    case CXType_Pointer:
    case CXType_MemberPointer:
    case CXType_NullPtr:
    case CXType_BlockPointer:
        refuse(member, "it is a pointer, which has a meaning in one process only",
               "send the data that it leads to in a message of its own");
        break;
    case CXType_LValueReference:
    case CXType_RValueReference:
        refuse(member, "it is a reference, which has a meaning in one process only",
               "send the object that it leads to in a message of its own");
        break;
    case CXType_IncompleteArray:
    case CXType_VariableArray:
        refuse(member, "its length is not part of the type", "send it in a message of its own");
        break;
    case CXType_Atomic:
        refuse(member, "it is atomic, and MPI reads plain memory",
               "copy its value to a plain member first");
        break;
    case CXType_Invalid:
        refuse(member, "its type has an error", "mend the error, or give compiler arguments");
        break;
    default:
        refuse(member, "no basic datatype of MPI has its type",
               "send it as MPI_BYTE, between machines of one kind");
    }
}

static void refuse_pointer(layout_member_t *member, CXType type)
{
    enum CXTypeKind pointee = clang_getCanonicalType(clang_getPointeeType(type)).kind;

    refuse_kind(member, type.kind);
    if (pointee == CXType_FunctionProto || pointee == CXType_FunctionNoProto) {
        refuse(member, "it is a pointer to a function, which has a meaning in one process only",
               "send a number that selects the function");
    }
}

/* ---- members that are structs ---- */

/* The basic datatype that the struct is an array of, without gaps; NULL: none. */
static const layout_member_t *only_element(const layout_t *layout)
{
    const layout_member_t *first = layout->members, *member;
    int64_t next = 0;

    for (member = first; member < first + layout->n; member++) {
        if (!member->mpi || member->why || strcmp(member->mpi, first->mpi) != 0 ||
            member->offset != next) {
            return NULL;
        }
        next += member->count * member->size;
    }
    return layout->n > 0 && next == layout->size ? first : NULL;
}

static bool is_complete(const layout_t *layout, bool *hidden)
{
    bool complete = true;
    size_t i;

    for (i = 0; i < layout->n; i++) {
        const layout_member_t *member = &layout->members[i];

        *hidden = *hidden || member->hidden_in;
        complete =
            complete && !member->why && (!member->nested || is_complete(member->nested, hidden));
    }
    return complete;
}

/* A struct within the struct: its members become members. */
static void flatten(fields_t *fields, const layout_member_t *outer, const layout_t *inner)
{
    size_t i;

    for (i = 0; i < inner->n; i++) {
        layout_member_t member = inner->members[i];

        if (*outer->path) {
            member.path = c_format(memory_of(fields), "%s.%s", outer->path, member.path);
        }
        member.offset = outer->offset < 0 || member.offset < 0 ? -1 : outer->offset + member.offset;
        member.hidden_in = outer->hidden_in ? outer->hidden_in : member.hidden_in;
        add_member(fields, member);
    }
}

static void read_nested(fields_t *fields, layout_member_t *member, CXType type,
                        const char *dimensions)
{
    reader_t *reader = fields->reader;
    const layout_t *outer = fields->layout;
    CXCursor declaration = clang_getTypeDeclaration(type);
    layout_t *inner = c_allocate(memory_of(fields), sizeof *inner);
    fields_t inside = {.reader = reader, .layout = inner, .depth = fields->depth + 1};
    const layout_member_t *element;
    bool hidden = false, complete;

    inner->canonical = read_string(reader, clang_getTypeSpelling(ask_unqualified(type)));
    inner->type = written_name(reader, type);
    inner->size = ask_size(type);
    if (!inner->type) {
        inner->type = outer->type;
        inner->prefix =
            !*member->path ? outer->prefix
            : outer->prefix
                ? c_format(memory_of(fields), "%s.%s%s", outer->prefix, member->path, dimensions)
                : c_format(memory_of(fields), "%s%s", member->path, dimensions);
    }
    if (by_name(inner->canonical)) { /* std::complex */
        member->mpi = by_name(inner->canonical);
        member->element = inner->canonical;
        member->size = inner->size;
        add_member(fields, *member);
        return;
    }
    if (clang_getCursorKind(declaration) == CXCursor_UnionDecl || inside.depth > MOST_NESTED) {
        refuse(member, "it is a union, and the member in use is not known",
               "send the member in use with a datatype of its own");
        member->path = *member->path ? member->path : "(unnamed union)";
        add_member(fields, *member);
        return;
    }
    read_record(&inside, type);
    complete = is_complete(inner, &hidden);
    element = *member->path ? only_element(inner) : NULL;
    if (element) {
        member->is_array = member->is_struct = true;
        member->mpi = element->mpi;
        member->element = element->element;
        member->size = element->size;
        if (__builtin_mul_overflow(member->count, inner->size / element->size, &member->count)) {
            member->count = INT64_MAX;
        }
        add_member(fields, *member);
    } else if (clang_Location_isInSystemHeader(clang_getCursorLocation(declaration)) &&
               (!complete || hidden)) {
        refuse(member, "it is of a library's class, whose members are private or lead elsewhere",
               "send its elements in a message of their own, such as data() of a vector");
        add_member(fields, *member);
    } else if (!member->is_array) {
        flatten(fields, member, inner);
    } else {
        member->nested = inner;
        member->size = inner->size;
        add_member(fields, *member);
    }
}

static enum CXVisitorResult read_field(CXCursor field, CXClientData data)
{
    fields_t *fields = data;
    reader_t *reader = fields->reader;
    CXCursor record = clang_getCursorSemanticParent(field);
    int64_t bits = ask_offset(field);
    const char *dimensions = "";
    layout_member_t member = {
        .path = clang_Cursor_isAnonymous(field)
                    ? ""
                    : read_string(reader, clang_getCursorSpelling(field)),
        .place = layout_place(reader, field),
        .offset = bits < 0 || fields->base < 0 ? -1 : fields->base + bits / 8,
        .count = 1,
        .hidden_in = is_hidden(field) ? layout_qualified_name(reader, record) : fields->hidden_in,
    };
    CXType declared = clang_getCursorType(field),
           type = unwrap(reader, declared, &member, &dimensions);

    if (strpbrk(member.path, "( ")) { /* as some releases spell what has no name */
        member.path = "";
    }
    if (clang_Cursor_isBitField(field)) {
        if (*member.path) {
            refuse(&member, "it is a bit-field, which has no address",
                   "make it an integer, or copy it to one first");
            add_member(fields, member);
        }
        return CXVisit_Continue;
    }
    if (member.why) {
        add_member(fields, member);
        return CXVisit_Continue;
    }
    if (member.count == 0) {
        refuse_kind(&member, CXType_IncompleteArray);
    } else if (type.kind == CXType_Record) {
        read_nested(fields, &member, type, dimensions);
        return CXVisit_Continue;
    } else if (type.kind == CXType_Vector) { /* of the CPU: as an array */
        type = clang_getCanonicalType(clang_getElementType(type));
        member.is_array = true;
        member.count = ask_size(declared) / (ask_size(type) > 0 ? ask_size(type) : 1);
    }
    member.size = ask_size(type);
    member.mpi = member.mpi ? member.mpi : by_kind(reader, type);
    member.element = read_string(reader, clang_getTypeSpelling(ask_unqualified(type)));
    if (type.kind == CXType_Enum) {
        member.element =
            read_string(reader, clang_getTypeSpelling(clang_getCanonicalType(
                                    clang_getEnumDeclIntegerType(clang_getTypeDeclaration(type)))));
    }
    if (!member.why && member.count > INT_MAX) {
        refuse(&member, "it has more elements than an int counts",
               "send it in messages of its own");
    } else if (!member.why && (!member.mpi || member.size <= 0)) {
        refuse_pointer(&member, type);
    }
    add_member(fields, member);
    return CXVisit_Continue;
}

/* ---- base classes ---- */

typedef struct bases {
    reader_t *reader;
    CXCursor base[16];
    size_t n;
    bool is_virtual; /* a base is virtual, or there are too many */
    bool has_table;  /* the class has virtual functions */
} bases_t;

static enum CXChildVisitResult find_bases(CXCursor cursor, CXCursor parent, CXClientData data)
{
    bases_t *bases = data;

    (void) parent;
    if (clang_getCursorKind(cursor) == CXCursor_CXXBaseSpecifier) {
        if (clang_isVirtualBase(cursor) || bases->n == sizeof bases->base / sizeof *bases->base) {
            bases->is_virtual = true;
        } else {
            bases->base[bases->n++] = cursor;
        }
    } else if (clang_CXXMethod_isVirtual(cursor)) {
        bases->has_table = true;
    }
    return CXChildVisit_Continue;
}

static bases_t bases_of(CXCursor declaration)
{
    bases_t bases = {0};
    CXCursor definition = clang_getCursorDefinition(declaration);

    clang_visitChildren(clang_Cursor_isNull(definition) ? declaration : definition, find_bases,
                        &bases);
    return bases;
}

static bool has_table(CXCursor declaration)
{
    bases_t bases = bases_of(declaration);
    size_t i;
    bool has = bases.has_table;

    for (i = 0; i < bases.n && !has; i++) {
        has = has_table(
            clang_getTypeDeclaration(clang_getCanonicalType(clang_getCursorType(bases.base[i]))));
    }
    return has;
}

static enum CXVisitorResult first_offset(CXCursor field, CXClientData data)
{
    *(int64_t *) data = ask_offset(field);
    return CXVisit_Break;
}

/* libclang shows the bases of a template, but not those of its instances. */
static bool may_have_hidden_base(CXCursor declaration, CXType record)
{
    CXCursor template = clang_getSpecializedCursorTemplate(declaration);
    int64_t first = -1;
    bases_t bases;

    if (clang_Cursor_isNull(template)) {
        return false;
    }
    bases = bases_of(template);
    clang_Type_visitFields(record, first_offset, &first);
    return bases.is_virtual || bases.has_table ||
           (bases.n > 0 && first != 0 && ask_size(record) != 1);
}

static void add_problem(fields_t *fields, CXCursor declaration, const char *what, const char *why,
                        const char *advice)
{
    add_member(fields, (layout_member_t){
                           .path = c_format(memory_of(fields), "(%s %s)", what,
                                            layout_qualified_name(fields->reader, declaration)),
                           .place = layout_place(fields->reader, declaration),
                           .offset = -1,
                           .why = why,
                           .advice = advice,
                       });
}

static void read_base(fields_t *fields, CXCursor specifier, CXCursor derived)
{
    CXType base = clang_getCanonicalType(clang_getCursorType(specifier));
    CXCursor declaration = clang_getTypeDeclaration(base);
    size_t before = fields->layout->n;
    fields_t inside = *fields;
    int64_t align = ask_align(base);

    inside.depth++;
    if (is_hidden(specifier)) {
        inside.hidden_in = layout_qualified_name(fields->reader, derived);
    }
    if (fields->other_base) {
        inside.base = -1;
    } else if (has_table(derived) && !has_table(declaration) && fields->base >= 0 && align > 0) {
        /* the pointer to the table of functions comes first */
        inside.base = fields->base + ((int64_t) sizeof(void *) + align - 1) / align * align;
    }
    read_record(&inside, base);
    fields->other_base = fields->other_base || fields->layout->n > before;
}

static void read_record(fields_t *fields, CXType record)
{
    CXCursor declaration = clang_getTypeDeclaration(record);
    bases_t bases = bases_of(declaration);
    size_t i;

    if (bases.is_virtual || may_have_hidden_base(declaration, record) ||
        fields->depth > MOST_NESTED) {
        add_problem(fields, declaration, "class",
                    "it has virtual base classes, or some that libclang does not show",
                    "give it members instead");
        return;
    }
    if (bases.has_table) {
        add_problem(fields, declaration, "virtual functions of",
                    "the pointer to their table has a meaning in one process only",
                    "let the receiver make an object of the class");
    }
    for (i = 0; i < bases.n; i++) {
        read_base(fields, bases.base[i], declaration);
    }
    fields->other_base = false;
    clang_Type_visitFields(record, read_field, fields);
}

/* A member of a derived class hides one of a base class. */
static void refuse_hidden_names(layout_t *layout)
{
    size_t i, j;

    for (i = 0; i < layout->n; i++) {
        for (j = 0; j < layout->n; j++) {
            if (i != j && layout->members[i].place.line != layout->members[j].place.line &&
                strcmp(layout->members[i].path, layout->members[j].path) == 0) {
                refuse(&layout->members[i], "another member has the same name",
                       "rename one of them");
            }
        }
    }
}

void layout_read(reader_t *reader, CXType record, layout_t *layout)
{
    fields_t fields = {.reader = reader, .layout = layout};
    CXCursor declaration = clang_getTypeDeclaration(record);

    if (is_hidden(declaration)) {
        fields.hidden_in =
            layout_qualified_name(reader, clang_getCursorSemanticParent(declaration));
    }
    read_record(&fields, record);
    refuse_hidden_names(layout);
}
