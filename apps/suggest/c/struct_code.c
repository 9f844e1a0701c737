/* SPDX-License-Identifier: BSD-3-Clause */
#include "struct_code.h"

#include <string.h>

/* As an operand of offsetof(TYPE, ...) and of a subscript. */
static const char *designator(c_memory_t *memory, const layout_t *layout, const char *path)
{
    return layout->prefix ? c_format(memory, "%s.%s", layout->prefix, path) : path;
}

static const char *size_of(c_memory_t *memory, const layout_t *layout)
{
    return layout->prefix ? c_format(memory, "sizeof(((%s *) 0)->%s)", layout->type, layout->prefix)
                          : c_format(memory, "sizeof(%s)", layout->type);
}

static const char *offset_of(c_memory_t *memory, const layout_t *layout, const char *path)
{
    const char *from =
        c_format(memory, "offsetof(%s, %s)", layout->type, designator(memory, layout, path));

    return layout->prefix
               ? c_format(memory, "%s - offsetof(%s, %s)", from, layout->type, layout->prefix)
               : from;
}

/* The same struct, as an element of an earlier member. */
static const layout_member_t *earlier(const layout_t *layout, const layout_member_t *member)
{
    const layout_member_t *other = layout->members;

    while (other < member && (!other->nested || other->why || member->nested->prefix ||
                              strcmp(other->nested->canonical, member->nested->canonical) != 0)) {
        other++;
    }
    return other;
}

/* The variable that has the datatype of the elements. */
static const char *variable_of(c_memory_t *memory, const layout_t *layout,
                               const layout_member_t *member, int depth)
{
    const layout_member_t *first = earlier(layout, member);
    const char *path = first->path;
    char *name = strpbrk(path, ".[]") /* a.b is not a_b */
                     ? (char *) c_format(memory, "%s_%d", path, (int) (first - layout->members))
                     : c_copy(memory, path);
    char *at;

    for (at = name; (at = strpbrk(at, ".[]")); at++) {
        *at = '_';
    }
    return depth == 0 ? c_format(memory, "%s_type", name)
                      : c_format(memory, "%s_type%d", name, depth + 1);
}

static bool is_sent(const layout_t *layout)
{
    size_t i;

    for (i = 0; i < layout->n; i++) {
        if (!layout->members[i].why &&
            (!layout->members[i].nested || is_sent(layout->members[i].nested))) {
            return true;
        }
    }
    return false;
}

static bool is_row(const layout_member_t *member)
{
    return !member->why && (!member->nested || is_sent(member->nested));
}

static void make_type(FILE *out, c_memory_t *memory, const layout_t *layout, const char *variable,
                      int depth);

static void make_elements(FILE *out, c_memory_t *memory, const layout_t *layout, int depth)
{
    const layout_member_t *member;

    for (member = layout->members; member < layout->members + layout->n; member++) {
        if (is_row(member) && member->nested && earlier(layout, member) == member) {
            const char *variable = variable_of(memory, layout, member, depth);
            int indent = 4 * (depth + 1);

            fprintf(out, "%*sMPI_Datatype %s;\n%*s{\n", indent, "", variable, indent, "");
            make_type(out, memory, member->nested, variable, depth + 1);
            fprintf(out, "%*s}\n", indent, "");
        }
    }
}

static void free_elements(FILE *out, c_memory_t *memory, const layout_t *layout, int depth)
{
    const layout_member_t *member;

    for (member = layout->members; member < layout->members + layout->n; member++) {
        if (is_row(member) && member->nested && earlier(layout, member) == member) {
            fprintf(out, "%*sMPI_Type_free(&%s);\n", 4 * (depth + 1), "",
                    variable_of(memory, layout, member, depth));
        }
    }
}

static const char *length_of(c_memory_t *memory, const layout_t *layout,
                             const layout_member_t *member)
{
    /* the parentheses tell gcc that elements of elements are counted */
    const char *element =
        member->nested
            ? size_of(memory, member->nested)
            : c_format(memory, member->is_struct ? "(sizeof(%s))" : "sizeof(%s)", member->element);

    return member->is_array ? c_format(memory, "sizeof(((%s *) 0)->%s) / %s", layout->type,
                                       designator(memory, layout, member->path), element)
                            : "1";
}

typedef enum column { LENGTHS, DISPLACEMENTS, TYPES } column_t;

static void print_column(FILE *out, c_memory_t *memory, const layout_t *layout, int depth,
                         column_t column)
{
    static const char *const heads[] = {"int lengths[]", "MPI_Aint displacements[]",
                                        "MPI_Datatype types[]"};
    const layout_member_t *member;
    int indent = 4 * (depth + 1);

    fprintf(out, "%*s%s = {\n", indent, "", heads[column]);
    for (member = layout->members; member < layout->members + layout->n; member++) {
        if (is_row(member)) {
            fprintf(out, "%*s%s,%s%s%s\n", indent + 4, "",
                    column == LENGTHS         ? length_of(memory, layout, member)
                    : column == DISPLACEMENTS ? offset_of(memory, layout, member->path)
                    : member->nested          ? variable_of(memory, layout, member, depth)
                                              : member->mpi,
                    column == DISPLACEMENTS ? "" : " /* ",
                    column == DISPLACEMENTS ? "" : member->path,
                    column == DISPLACEMENTS ? "" : " */");
        }
    }
    fprintf(out, "%*s};\n", indent, "");
}

static void make_type(FILE *out, c_memory_t *memory, const layout_t *layout, const char *variable,
                      int depth)
{
    int indent = 4 * (depth + 1);

    make_elements(out, memory, layout, depth);
    print_column(out, memory, layout, depth, LENGTHS);
    print_column(out, memory, layout, depth, DISPLACEMENTS);
    print_column(out, memory, layout, depth, TYPES);
    fprintf(
        out,
        "%*sMPI_Datatype members;\n"
        "\n"
        "%*sMPI_Type_create_struct(sizeof(lengths) / sizeof(lengths[0]), lengths, displacements, "
        "types, &members);\n"
        "%*sMPI_Type_create_resized(members, 0, %s, &%s);\n"
        "%*sMPI_Type_free(&members);\n",
        indent, "", indent, "", indent, "", size_of(memory, layout), variable, indent, "");
    free_elements(out, memory, layout, depth);
}

static void list_left_out(FILE *out, const layout_t *layout, const char *outer, const char **before)
{
    size_t i;

    for (i = 0; i < layout->n; i++) {
        const layout_member_t *member = &layout->members[i];

        if (member->why) {
            fprintf(out, "%s%s%s", *before, outer, member->path);
            *before = ", ";
        } else if (member->nested) {
            char path[200];

            snprintf(path, sizeof path, "%s%s[].", outer, member->path);
            list_left_out(out, member->nested, path, before);
        }
    }
}

void struct_code(FILE *out, c_memory_t *memory, const layout_t *layout)
{
    const char *before = " Without: ";

    if (!is_sent(layout)) {
        return;
    }
    fprintf(out,
            "#include <mpi.h>\n"
            "#include <stddef.h>\n"
            "\n"
            "/* The datatype of %s. MPI_Type_free() frees it.",
            layout->type);
    list_left_out(out, layout, "", &before);
    fprintf(out,
            " */\n"
            "MPI_Datatype make_%s_type(void)\n"
            "{\n"
            "    MPI_Datatype type;\n",
            layout->name);
    make_type(out, memory, layout, "type", 0);
    fputs("    MPI_Type_commit(&type);\n"
          "    return type;\n"
          "}\n",
          out);
}

/* ---- what cannot be sent ---- */

static void complain(FILE *out, layout_place_t place, const char *text)
{
    fprintf(out, "%s:%u:%u: warning: %s\n", place.file, place.line, place.column, text);
}

typedef struct complaints {
    FILE *out;
    c_memory_t *memory;
    const layout_t *whole;
    const char *friends[16]; /* classes that were named */
    size_t n_friends, refused;
} complaints_t;

static void need_friend(complaints_t *complaints, const layout_member_t *member)
{
    size_t i;

    for (i = 0; i < complaints->n_friends; i++) {
        if (strcmp(complaints->friends[i], member->hidden_in) == 0) {
            return;
        }
    }
    if (complaints->n_friends < sizeof complaints->friends / sizeof *complaints->friends) {
        complaints->friends[complaints->n_friends++] = member->hidden_in;
    }
    complain(complaints->out, member->place,
             c_format(complaints->memory,
                      "%s is private: the code compiles where make_%s_type() is a friend of %s",
                      member->path, complaints->whole->name, member->hidden_in));
}

static void complain_about(complaints_t *complaints, const layout_t *layout)
{
    size_t i;

    for (i = 0; i < layout->n; i++) {
        const layout_member_t *member = &layout->members[i];

        if (member->why) {
            complaints->refused++;
            complain(complaints->out, member->place,
                     c_format(complaints->memory, "%s is left out: %s; %s", member->path,
                              member->why, member->advice));
            continue;
        }
        if (member->hidden_in) {
            need_friend(complaints, member);
        }
        if (member->nested) {
            complain_about(complaints, member->nested);
        }
    }
}

size_t struct_complain(FILE *out, c_memory_t *memory, const layout_t *layout)
{
    complaints_t complaints = {.out = out, .memory = memory, .whole = layout};

    if (layout->is_local) {
        complain(out, layout->place,
                 c_format(memory,
                          "%s is declared in a function: the code compiles where it is moved out "
                          "of it",
                          layout->type));
    }
    complain_about(&complaints, layout);
    if (layout->n == 0 || !is_sent(layout)) {
        complaints.refused++;
        complain(out, layout->place,
                 c_format(memory, "%s has no member that can be sent", layout->type));
    }
    return complaints.refused;
}
