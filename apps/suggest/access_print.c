/* SPDX-License-Identifier: BSD-3-Clause */
/* Access programs as text. */
#include <inttypes.h>
#include <string.h>

#include "access.h"

static void print_quoted(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', out);
        }
        fputc(*text, out);
    }
    fputc('"', out);
}

static void print_name(const char *text, FILE *out)
{
    bool plain = text[0] != '\0';
    for (const char *at = text; *at != '\0'; at++) {
        bool letter = *at == '_' || (*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z');
        plain &= letter || (at > text && *at >= '0' && *at <= '9');
    }
    if (plain) {
        fputs(text, out);
    } else {
        print_quoted(text, out);
    }
}

static void print_type(access_type_t type, FILE *out)
{
    print_name(type.name, out);
    fprintf(out, "[%" PRId64 "]", type.size);
}

static void print_poly(const access_program_t *program, const poly_t *a, FILE *out)
{
    poly_print(program->space, a, POLY_ACCESS, false, out);
}

static void print_place(access_place_t place, FILE *out)
{
    if (place.line > 0 || place.file[0] != '\0') {
        fputs(" at ", out);
        print_quoted(place.file, out);
        fprintf(out, ":%" PRId64 ":%" PRId64, place.line, place.column);
    }
}

static void print_call(const access_program_t *program, FILE *out)
{
    const access_call_t *call = &program->call;
    fputs(call->receives ? "recv " : "send ", out);
    print_poly(program, call->count, out);
    fputc(' ', out);
    print_type(call->type, out);
    if (!poly_is_zero(call->start)) {
        fputs(" start ", out);
        print_poly(program, call->start, out);
    }
    print_place(call->place, out);
    fputc('\n', out);
}

static void print_base(const access_program_t *program, const access_base_t *base, FILE *out)
{
    fputs("base ", out);
    print_name(base->name, out);
    fputc(' ', out);
    print_type(base->type, out);
    for (int i = 0; i < base->ndims; i++) {
        fputs(i == 0 ? " [" : "[", out);
        if (base->dims[i] != NULL) {
            print_poly(program, base->dims[i], out);
        }
        fputc(']', out);
    }
    for (int i = 0; i < base->nfields; i++) {
        fputs("\n    field ", out);
        print_quoted(base->fields[i].name, out);
        fprintf(out, " %" PRId64 " ", base->fields[i].offset);
        print_type(base->fields[i].type, out);
    }
    if (strcmp(base->address, base->name) != 0) {
        fputs(" address ", out);
        print_quoted(base->address, out);
    }
    fputc('\n', out);
}

static void indent(int depth, FILE *out)
{
    fprintf(out, "%*s", 2 * depth, "");
}

static void open_item(const access_program_t *program, int item, int depth, FILE *out)
{
    indent(depth, out);
    if (item >= 0) {
        const access_loop_t *loop = &program->loops[item];
        fputs("for ", out);
        print_name(poly_atom_text(program->space, loop->variable), out);
        fputs(" < ", out);
        print_poly(program, loop->trip, out);
        print_place(loop->place, out);
        fputs(" {\n", out);
        return;
    }
    const access_guard_t *guard = &program->guards[ACCESS_GUARD(item)];
    fputs("if ", out);
    print_quoted(guard->condition, out);
    for (int i = 0; i < guard->nbindings; i++) {
        fputs(i == 0 ? " with " : ", ", out);
        print_name(guard->bindings[i].name, out);
        fputs(" = ", out);
        print_poly(program, guard->bindings[i].value, out);
    }
    fputs(" {\n", out);
}

static void print_copy(const access_program_t *program, const access_copy_t *copy, int depth,
                       FILE *out)
{
    indent(depth, out);
    fputs("copy ", out);
    if (copy->position == NULL) {
        fputs("next", out);
    } else {
        const poly_t *position = copy->position;
        bool name = position->count == 1 && position->terms[0].degree == 1 &&
                    position->terms[0].coefficient == 1;
        fputs(name ? "1*" : "", out); /* of a size that is called next */
        print_poly(program, position, out);
    }
    fputs(" <- ", out);
    print_name(program->bases[copy->base].name, out);
    if (!poly_is_zero(copy->offset)) {
        fputs(" + ", out);
        print_poly(program, copy->offset, out);
    }
    fputs(", ", out);
    print_poly(program, copy->size, out);
    fputc(' ', out);
    print_type(copy->type, out);
    print_place(copy->place, out);
    fputc('\n', out);
}

static void print_body(const access_program_t *program, FILE *out)
{
    int open[2 * ACCESS_NESTING], depth = 0;
    for (int i = 0; i < program->ncopies; i++) {
        int path[2 * ACCESS_NESTING], common = 0;
        int length = access_path(program, i, path);
        while (common < depth && common < length && open[common] == path[common]) {
            common++;
        }
        while (depth > common) {
            indent(--depth, out);
            fputs("}\n", out);
        }
        for (; depth < length; depth++) {
            open_item(program, path[depth], depth, out);
            open[depth] = path[depth];
        }
        print_copy(program, &program->copies[i], depth, out);
    }
    while (depth > 0) {
        indent(--depth, out);
        fputs("}\n", out);
    }
}

int access_print(const access_program_t *program, FILE *out)
{
    if (access_error(program) != NULL) {
        return -1;
    }
    if (program->name[0] != '\0') {
        fputs("program ", out);
        print_name(program->name, out);
        fputc('\n', out);
    }
    int nnotes;
    const poly_t *const *notes = poly_notes(program->space, &nnotes);
    for (int i = 0; i < nnotes; i++) {
        fputs("sum ", out);
        print_poly(program, notes[i], out);
        fputc('\n', out);
    }
    if (program->has_call) {
        print_call(program, out);
    }
    for (int i = 0; i < program->nbases; i++) {
        print_base(program, &program->bases[i], out);
    }
    print_body(program, out);
    return access_error(program) == NULL && !ferror(out) ? 0 : -1;
}
