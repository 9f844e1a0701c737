/* SPDX-License-Identifier: BSD-3-Clause */
/* Type trees, and addresses, as text. */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "types.h"

static void print_size(access_program_t *program, const poly_t *a, FILE *out)
{
    poly_print(program->space, a, POLY_SOURCE, false, out);
}

/* ---- addresses ---- */

static bool is_word(const char *text)
{
    for (; *text != '\0'; text++) {
        bool arrow = (*text == '-' && text[1] == '>') || *text == '.' || *text == '>';
        if (!arrow && *text != '_' && !(*text >= '0' && *text <= '9') &&
            !(*text >= 'A' && *text <= 'Z') && !(*text >= 'a' && *text <= 'z')) {
            return false;
        }
    }
    return true;
}

/* The number of whole elements before it, and the bytes behind these, when both are clear. */
static bool whole_elements(poly_space_t *space, const poly_t *offset, int64_t size,
                           const poly_t **elements, int64_t *behind)
{
    int64_t constant = 0;
    if (offset->count > 0 && offset->terms[offset->count - 1].degree == 0) {
        constant = offset->terms[offset->count - 1].coefficient;
    }
    *behind = constant % size < 0 ? constant % size + size : constant % size;
    *elements = poly_divide(space, poly_subtract(space, offset, poly_constant(space, *behind)),
                            poly_constant(space, size));
    return *elements != NULL;
}

/* index * stride is the part of *left that the stride divides; *left is what remains. */
static const poly_t *take_index(poly_space_t *space, const poly_t **left, const poly_t *stride)
{
    const poly_t *index, *rest;
    int64_t step;
    poly_divide_rest(space, *left, stride, &index, &rest);
    if (poly_is_constant(stride, &step) && step > 0 && rest->count > 0 &&
        rest->terms[rest->count - 1].degree == 0) {
        int64_t constant = rest->terms[rest->count - 1].coefficient;
        int64_t whole = constant / step - (constant % step < 0);
        index = poly_add(space, index, poly_constant(space, whole));
        rest = poly_subtract(space, rest, poly_scale(space, poly_constant(space, whole), step));
    }
    if (poly_is_constant(rest, &step) && step < 0) { /* [n - 1], not [1][-1] */
        index = poly_subtract(space, index, poly_constant(space, 1));
        rest = poly_add(space, rest, stride);
    }
    *left = rest;
    return index;
}

static void print_indices(access_program_t *program, const access_base_t *base,
                          const poly_t *elements, FILE *out)
{
    poly_space_t *space = program->space;
    int ndims = base->ndims > 0 ? base->ndims : 1;
    for (int i = 0; i < ndims; i++) {
        const poly_t *stride = poly_constant(space, 1);
        for (int j = i + 1; j < base->ndims; j++) {
            stride = poly_multiply(space, stride, base->dims[j]);
        }
        const poly_t *index = elements;
        if (i + 1 < ndims && stride->count > 0) {
            index = take_index(space, &elements, stride);
        }
        fputc('[', out);
        print_size(program, index, out);
        fputc(']', out);
    }
}

static const access_field_t *field_at(const access_base_t *base, int64_t offset)
{
    for (int i = 0; i < base->nfields; i++) {
        if (base->fields[i].offset == offset) {
            return &base->fields[i];
        }
    }
    return NULL;
}

static void print_address(access_program_t *program, types_address_t address, FILE *out)
{
    const access_base_t *base = &program->bases[address.base];
    const poly_t *elements;
    int64_t behind = 0;
    bool plain = is_word(base->address);
    if (poly_is_zero(address.offset) && base->nfields == 0 && base->ndims < 2) {
        fprintf(out, base->ndims == 0 && !plain ? "(%s)" : "%s", base->address);
        return;
    }
    if (!whole_elements(program->space, address.offset, base->type.size, &elements, &behind)) {
        fprintf(out, plain ? "(char *) %s + " : "(char *) (%s) + ", base->address);
        poly_print(program->space, address.offset, POLY_AINT, false, out);
        return;
    }
    const access_field_t *field = field_at(base, behind);
    bool whole = behind == 0 && field == NULL;
    fputs(field != NULL || whole ? "&" : "(char *) &", out);
    if (base->address[0] == '&' && is_word(base->address + 1) && poly_is_zero(elements) &&
        base->ndims == 0) {
        fputs(base->address + 1, out);
    } else {
        fprintf(out, plain ? "%s" : "(%s)", base->address);
        print_indices(program, base, elements, out);
    }
    if (field != NULL) {
        fprintf(out, ".%s", field->name);
    } else if (!whole) {
        fprintf(out, " + %" PRId64, behind);
    }
}

const char *types_address_text(access_program_t *program, types_address_t address)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (out != NULL) {
        print_address(program, address, out);
        fclose(out);
    }
    const char *kept = "";
    char *copy = text != NULL ? poly_alloc(program->space, length + 1, 1) : NULL;
    if (copy != NULL) {
        memcpy(copy, text, length);
        kept = copy;
    }
    free(text);
    return kept;
}

/* ---- types ---- */

typedef struct printer {
    access_program_t *program;
    FILE *out;
} printer_t;

static void print_node(printer_t *printer, const types_node_t *node, types_address_t from);

/* a / b as text, b a number. */
static const poly_t *divided(access_program_t *program, const poly_t *a, int64_t b)
{
    return poly_divide(program->space, a, poly_constant(program->space, b));
}

static void print_vector(printer_t *printer, const types_node_t *node)
{
    access_program_t *program = printer->program;
    const types_node_t *child = node->children[0];
    const poly_t *elements =
        child->kind == TYPES_DENSE ? divided(program, node->stride, child->type.size) : NULL;
    fputs(elements != NULL ? "vector(" : "hvector(", printer->out);
    print_size(program, node->count, printer->out);
    fputs(", ", printer->out);
    if (child->kind == TYPES_DENSE) {
        print_size(program, child->count, printer->out);
    } else {
        fputc('1', printer->out);
    }
    fputs(", ", printer->out);
    print_size(program, elements != NULL ? elements : node->stride, printer->out);
    if (child->kind == TYPES_DENSE) {
        fprintf(printer->out, ", %s)", child->type.name);
    } else {
        fputs(") of ", printer->out);
        print_node(printer, child, child->origin);
    }
}

/* Where the node is, seen from an address. */
static void print_displacement(printer_t *printer, types_address_t to, types_address_t from)
{
    access_program_t *program = printer->program;
    const poly_t *apart = poly_subtract(program->space, to.offset, from.offset);
    if (to.base == from.base) {
        print_size(program, apart, printer->out);
        return;
    }
    fprintf(printer->out, "%s-%s", program->bases[to.base].address,
            program->bases[from.base].address);
    if (!poly_is_zero(apart)) {
        fputc('+', printer->out);
        poly_print(program->space, apart, POLY_SOURCE, apart->terms[0].coefficient < 0,
                   printer->out);
    }
}

static bool all_alike(access_program_t *program, const types_node_t *node)
{
    for (int i = 0; i < node->nchildren; i++) {
        if (node->children[i]->guard != NULL ||
            !types_alike(program, node->children[0], node->children[i])) {
            return false;
        }
    }
    return node->children[0]->kind != TYPES_LIST;
}

static void print_loops(printer_t *printer, const types_node_t *node)
{
    for (int i = 0; i < node->nloops; i++) {
        fprintf(printer->out, "%s%s < ", i > 0 ? ", " : "",
                poly_atom_text(printer->program->space, node->loops[i].variable));
        print_size(printer->program, node->loops[i].trip, printer->out);
    }
    fputs(node->nloops > 0 ? ": " : "", printer->out);
}

/* Are all children contiguous elements of one basic type? */
static bool one_basic_type(const types_node_t *node)
{
    for (int i = 0; i < node->nchildren; i++) {
        const types_node_t *child = node->children[i];
        if (child->kind != TYPES_DENSE || child->type.size != node->children[0]->type.size ||
            strcmp(child->type.name, node->children[0]->type.name) != 0) {
            return false;
        }
    }
    return true;
}

/* Struct, or list with its loops already printed: children at displacements. `lengths`: instead of
 * the children's types, their numbers of elements. */
static void print_children(printer_t *printer, const types_node_t *node, types_address_t from,
                           bool lengths)
{
    for (int i = 0; i < node->nchildren; i++) {
        const types_node_t *child = node->children[i];
        fputs(i > 0 ? ", {" : "{", printer->out);
        if (child->guard != NULL) {
            fprintf(printer->out, "if (%s) ", child->guard->condition);
        }
        print_displacement(printer, child->origin, from);
        fputs(", ", printer->out);
        if (lengths) {
            print_size(printer->program, child->count, printer->out);
        } else {
            print_node(printer, types_unguarded(printer->program, child), child->origin);
        }
        fputc('}', printer->out);
    }
}

/* Blocks of one basic type and length, or of one inner type. */
static void print_blocks(printer_t *printer, const types_node_t *node, types_address_t from)
{
    access_program_t *program = printer->program;
    const types_node_t *first = node->children[0];
    bool dense = first->kind == TYPES_DENSE, whole = dense;
    for (int i = 0; i < node->nchildren && whole; i++) {
        types_address_t to = node->children[i]->origin;
        whole = to.base == from.base && program->bases[to.base].type.size == first->type.size &&
                divided(program, poly_subtract(program->space, to.offset, from.offset),
                        first->type.size) != NULL;
    }
    fputs(whole ? "indexed_block(" : "hindexed_block(", printer->out);
    if (node->kind == TYPES_LIST) {
        print_loops(printer, node);
    } else {
        fprintf(printer->out, "%d: ", node->nchildren);
    }
    for (int i = 0; i < node->nchildren; i++) {
        types_address_t to = node->children[i]->origin;
        fputs(i > 0 ? ", " : "", printer->out);
        if (whole) {
            print_size(program,
                       divided(program, poly_subtract(program->space, to.offset, from.offset),
                               first->type.size),
                       printer->out);
        } else {
            print_displacement(printer, to, from);
        }
    }
    fputs("; ", printer->out);
    if (dense) {
        print_size(program, first->count, printer->out);
        fprintf(printer->out, ", %s)", first->type.name);
    } else {
        fputs("1) of ", printer->out);
        print_node(printer, first, first->origin);
    }
}

static bool depends_on_loops(const access_program_t *program, const types_node_t *node,
                             const types_node_t *child)
{
    for (int i = 0; i < node->nloops; i++) {
        types_node_t form = *child;
        form.origin.offset = program->call.start; /* free of loops */
        if (types_depends(program, &form, node->loops[i].variable)) {
            return true;
        }
    }
    return false;
}

static void print_node(printer_t *printer, const types_node_t *node, types_address_t from)
{
    switch (node->kind) {
    case TYPES_DENSE:
        fputs("contiguous(", printer->out);
        print_size(printer->program, node->count, printer->out);
        fprintf(printer->out, ", %s)", node->type.name);
        break;
    case TYPES_VECTOR:
        print_vector(printer, node);
        break;
    default:
        if (all_alike(printer->program, node) &&
            !(node->kind == TYPES_LIST &&
              depends_on_loops(printer->program, node, node->children[0]))) {
            print_blocks(printer, node, from);
        } else {
            bool lengths = one_basic_type(node);
            fputs(lengths ? "hindexed(" : "struct(", printer->out);
            if (node->kind == TYPES_LIST) {
                print_loops(printer, node);
            } else {
                fprintf(printer->out, "%d: ", node->nchildren);
            }
            print_children(printer, node, from, lengths);
            if (lengths) {
                fprintf(printer->out, "; %s", node->children[0]->type.name);
            }
            fputc(')', printer->out);
        }
    }
}

void types_print(access_program_t *program, const types_node_t *node, FILE *out)
{
    printer_t printer = {.program = program, .out = out};
    if (node->guard != NULL) {
        fprintf(out, "if (%s) ", node->guard->condition);
    }
    print_node(&printer, node, node->origin);
}
