/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of the run in the words of the source, where the call is. */
#include "builder.h"
#include "run_private.h"

#include <string.h>

access_place_t builder_place(const builder_t *builder, const c_node_t *node)
{
    return (access_place_t){node->span.file ? node->span.file->path : builder->run->unit->path,
                            node->span.line, node->span.column};
}

/* ---- is a name the same thing where the call is? ---- */

static const c_symbol_t *declared_in(const c_node_t *block, const char *name, size_t before)
{
    const c_symbol_t *found = NULL;
    size_t i, j;

    for (i = 0; i < block->n; i++) {
        const c_node_t *child = block->child[i];

        if (child && child->kind == C_DECLARE && child->span.begin < before) {
            for (j = 0; j < child->n; j++) {
                if (strcmp(child->child[j]->symbol->name, name) == 0) {
                    found = child->child[j]->symbol;
                }
            }
        }
    }
    return found;
}

/* Does NAME mean the symbol at the call? */
bool builder_in_scope(const builder_t *builder, const c_symbol_t *symbol)
{
    const c_node_t *node = builder->site->at, *at = node;
    const c_symbol_t *function = builder->run->frames[builder->site->home].function;
    size_t i;

    for (; node; node = node->parent) {
        const c_symbol_t *found = NULL;

        if (node->kind == C_BLOCK || node->kind == C_FOR) {
            found = declared_in(node, symbol->name, at->span.begin);
        }
        if (found) {
            return found == symbol;
        }
    }
    for (i = 0; i < function->n_parameters; i++) {
        if (strcmp(function->parameters[i]->name, symbol->name) == 0) {
            return function->parameters[i] == symbol;
        }
    }
    return symbol->kind == C_SYMBOL_GLOBAL || symbol->kind == C_SYMBOL_STATIC ||
           symbol->kind == C_SYMBOL_FUNCTION;
}

static bool is_out_of_scope(const c_node_t *node, const void *builder)
{
    return node->kind == C_NAME && !builder_in_scope(builder, node->symbol);
}

bool builder_names_in_scope(const builder_t *builder, const c_node_t *node)
{
    return !c_find(node, is_out_of_scope, builder);
}

static const run_value_t *value_at_call(const builder_t *builder, const c_symbol_t *symbol)
{
    return &builder->run->events[builder->site->event].state[symbol->index];
}

/* Has the variable this value at the call? */
bool builder_holds(const builder_t *builder, const c_symbol_t *symbol, const poly_t *value,
                   int base)
{
    run_value_t now = *value_at_call(builder, symbol);
    const run_event_t *call = &builder->run->events[builder->site->event];

    while (now.kind == RUN_CHOICE) {
        int taken = run_decide(builder->run, call->facts, call->n_facts, &now.fact);

        if (taken < 0) {
            return now.poly && poly_equal(now.poly, value) &&
                   (base == RUN_ANY ? !now.pointee : now.pointee && now.base == base) &&
                   builder_in_scope(builder, symbol);
        }
        now = *now.alternative[taken];
    }
    return (base == RUN_ANY ? now.kind == RUN_INTEGER
                            : now.kind == RUN_POINTER && now.base == base) &&
           !now.modular && now.n_assumed == 0 && poly_equal(now.poly, value) &&
           builder_in_scope(builder, symbol);
}

/* A variable with that value where the call is, SYMBOL if it can be; NULL: there is none. */
static const c_symbol_t *name_for(const builder_t *builder, const c_symbol_t *symbol,
                                  const poly_t *value, int base)
{
    run_t *run = builder->run;
    size_t i;

    if (builder_holds(builder, symbol, value, base)) {
        return symbol;
    }
    for (i = 0; i < run->n_symbols; i++) {
        if (run->symbols[i]->type->kind == (base == RUN_ANY ? C_TYPE_INTEGER : C_TYPE_POINTER) &&
            builder_holds(builder, run->symbols[i], value, base)) {
            return run->symbols[i];
        }
    }
    return NULL;
}

typedef struct renaming {
    builder_t *builder;
    const run_text_t *text;
    bool changed;
} renaming_t;

static const run_binding_t *binding_of(const run_text_t *text, const c_symbol_t *symbol)
{
    int i;

    for (i = 0; i < text->n_bindings; i++) {
        if (text->bindings[i].symbol == symbol) {
            return &text->bindings[i];
        }
    }
    return NULL;
}

/* The name as it is called where the call is. */
static const char *name_at_call(void *data, const c_node_t *node)
{
    renaming_t *renaming = data;
    builder_t *builder = renaming->builder;
    c_memory_t *memory = builder->run->memory;
    c_symbol_t *original = run_original(builder->run, node->symbol);
    const run_binding_t *binding = binding_of(renaming->text, node->symbol);
    const c_symbol_t *name;
    const char *text = NULL;
    int64_t number;

    if (node->symbol->kind == C_SYMBOL_FUNCTION) {
        return node->name;
    }
    name = binding ? name_for(builder, node->symbol, binding->value, binding->base)
           : builder_in_scope(builder, original) ? original
                                                 : NULL;
    if (name && name->type->is_reference == node->symbol->type->is_reference) {
        text = name->name;
    } else if (name) {
        text = c_format(memory, name->type->is_reference ? "(&%s)" : "(*%s)", name->name);
    } else if (binding && binding->base != RUN_ANY && poly_is_zero(binding->value)) {
        text = builder_pointer_text(builder, binding->base);
        text = text ? c_format(memory, node->symbol->type->is_reference ? "(*%s)" : "(%s)", text)
                    : NULL;
    } else if (binding && binding->base == RUN_ANY && poly_is_constant(binding->value, &number)) {
        text = c_format(memory, "%lld", (long long) number);
    }
    renaming->changed = renaming->changed || !text || strcmp(text, node->name) != 0;
    return text;
}

/* The expression as it is written where the call is; NULL: it has another value there, or names
 * that are not known. What it is read from must not be written in between. */
static const char *text_at_call(builder_t *builder, const run_text_t *text, int base,
                                const c_type_t *type, size_t time)
{
    const run_event_t *call = &builder->run->events[builder->site->event];
    size_t from = time < call->time ? time : call->time,
           to = (time < call->time ? call->time : time) + 1;
    renaming_t renaming = {builder, text, false};
    const c_names_t names = {name_at_call, &renaming};
    const char *written;

    if (base != RUN_ANY && run_written(builder->run, base, type, from, to)) {
        return NULL;
    }
    written = c_write(builder->run->memory, text->node, &names);
    return written && !renaming.changed ? text->text : written;
}

/* The first of several texts of the value that has it there. */
static const char *any_text_at_call(builder_t *builder, const run_text_t *text, int base,
                                    const c_type_t *type, size_t time)
{
    const char *found = NULL;

    for (; text && !found; text = text->other) {
        found = text_at_call(builder, text, base, type, time);
    }
    return found;
}

/* ---- polynomials of the run in the program ---- */

void builder_not_at_call(builder_t *builder, const char *name)
{
    site_refuse(builder->site, C_REFUSED_SIZES, builder->site->call,
                "%s does not have the same value here as where it is used", name);
}

static const char *source(builder_t *builder, const poly_t *poly)
{
    return poly_string(builder->program->space, builder_translate(builder, poly), POLY_SOURCE,
                       true);
}

static bool is_unsigned(run_t *run, int atom, const void *data)
{
    const run_atom_t *known = &run->atoms[atom];
    const c_type_t *type = known->symbol ? known->symbol->type : known->type;

    (void) data;
    return type && type->kind == C_TYPE_INTEGER && !type->is_signed;
}

enum { LONGEST_CHOICE = 600 };

/* `(left < 0 ? a : b)`; NULL: the compiler would compute it otherwise, or it is too long. */
static const poly_t *translate_choice(builder_t *builder, const run_value_t *choice)
{
    static const char *const relations[] = {
        [RUN_EQUAL] = "==", [RUN_UNEQUAL] = "!=", [RUN_LESS] = "<", [RUN_NOT_LESS] = ">="};
    const char *text;

    if (run_any_atom(builder->run, choice->fact.left, is_unsigned, NULL)) {
        return NULL;
    }
    text = c_format(builder->run->memory, "(%s %s 0 ? %s : %s)", source(builder, choice->fact.left),
                    relations[choice->fact.relation], source(builder, choice->alternative[0]->poly),
                    source(builder, choice->alternative[1]->poly));

    return strlen(text) > LONGEST_CHOICE || builder->site->refusal
               ? NULL
               : poly_variable(builder->program->space,
                               poly_opaque(builder->program->space, text, strlen(text)));
}

static const poly_t *translate_symbol(builder_t *builder, int atom)
{
    run_t *run = builder->run;
    const c_symbol_t *symbol = run->atoms[atom].symbol;
    const poly_t *given = site_given(run, builder->site, poly_variable(run->space, atom));
    const c_symbol_t *name;

    if (run->atoms[atom].choice && !poly_equal(given, poly_variable(run->space, atom))) {
        return builder_translate(builder, given);
    }
    name = name_for(builder, symbol, poly_variable(run->space, atom), RUN_ANY);

    if (!name && run->atoms[atom].choice) {
        const poly_t *choice = translate_choice(builder, run->atoms[atom].choice);

        if (choice) {
            return choice;
        }
    }
    if (!name) {
        builder_not_at_call(builder, symbol->name);
        return poly_constant(builder->program->space, 1);
    }
    return poly_variable(builder->program->space,
                         poly_name(builder->program->space, name->name, strlen(name->name)));
}

static const poly_t *translate_load(builder_t *builder, int atom)
{
    run_t *run = builder->run;
    const run_atom_t *known = &run->atoms[atom];
    poly_space_t *space = builder->program->space;
    const poly_t *subscripts[POLY_SUBSCRIPTS];
    const poly_t *const *given;
    const char *text =
        any_text_at_call(builder, &known->text, known->base, known->type, known->time);
    int i, n;

    if (!text) {
        builder_not_at_call(builder, known->text.text);
        return poly_constant(space, 1);
    }
    if (poly_kind(run->space, atom) == POLY_ENTRY && known->type &&
        known->type->kind == C_TYPE_POINTER) {
        text = c_format(run->memory, "(MPI_Aint) %s", text); /* a row, by its address */
    }
    if (poly_kind(run->space, atom) != POLY_ENTRY) {
        return poly_variable(space, poly_opaque(space, text, strlen(text)));
    }
    given = poly_subscripts(run->space, atom, &n);
    for (i = 0; i < n; i++) {
        subscripts[i] = builder_translate(builder, given[i]);
    }
    return poly_variable(space, poly_entry(space, text, strlen(text), n, subscripts));
}

static const poly_t *translate_atom(builder_t *builder, int atom)
{
    run_t *run = builder->run;
    const run_atom_t *known = &run->atoms[atom];
    poly_space_t *space = builder->program->space;
    char *text;

    switch (known->kind) {
    case RUN_ATOM_SYMBOL:
        return translate_symbol(builder, atom);
    case RUN_ATOM_LOAD:
        return translate_load(builder, atom);
    case RUN_ATOM_OPERATION:
        text = c_format(
            run->memory, known->operation,
            poly_string(space, builder_translate(builder, known->operand[0]), POLY_SOURCE, true),
            poly_string(space, builder_translate(builder, known->operand[1]), POLY_SOURCE, true));
        return poly_variable(space, poly_opaque(space, text, strlen(text)));
    case RUN_ATOM_LOOP:
        if (builder->loops[known->loop] != POLY_NO_ATOM) {
            return poly_variable(space, builder->loops[known->loop]);
        }
        break;
    default:
        break;
    }
    site_refuse(builder->site, C_REFUSED_SIZES, builder->site->call,
                "a value depends on a loop that does not surround its use");
    return poly_constant(space, 1);
}

const poly_t *builder_translate(builder_t *builder, const poly_t *poly)
{
    poly_space_t *space = builder->program->space;
    const poly_t *sum = poly_constant(space, 0);
    int i, j;

    for (i = 0; i < poly->count; i++) {
        const poly_t *product = poly_constant(space, poly->terms[i].coefficient);

        for (j = 0; j < poly->terms[i].degree; j++) {
            product =
                poly_multiply(space, product, translate_atom(builder, poly->terms[i].atoms[j]));
        }
        sum = poly_add(space, sum, product);
    }
    return sum;
}

/* Sums that the source multiplies, so that texts are printed as it writes them. */
void builder_note_sums(builder_t *builder)
{
    run_t *run = builder->run;
    size_t i;

    for (i = 0; i < run->n_sums; i++) {
        const poly_t *sum = run->sums[i];
        bool known = true;
        int j, k;

        for (j = 0; j < sum->count; j++) {
            for (k = 0; k < sum->terms[j].degree; k++) {
                int atom = sum->terms[j].atoms[k];

                known = known && run->atoms[atom].kind == RUN_ATOM_SYMBOL &&
                        builder_holds(builder, run->atoms[atom].symbol,
                                      poly_variable(run->space, atom), RUN_ANY);
            }
        }
        if (known) {
            poly_note(builder->program->space, builder_translate(builder, sum));
        }
    }
}

const char *builder_pointer_text(builder_t *builder, int base)
{
    run_t *run = builder->run;
    const run_base_t *known = &run->bases[base];
    const poly_t *zero = poly_constant(run->space, 0);
    const c_symbol_t *name;

    if (known->kind == RUN_OBJECT) {
        return builder_in_scope(builder, known->symbol)
                   ? c_format(run->memory, "&%s", known->symbol->name)
                   : NULL;
    }
    if (known->kind == RUN_LOADED) {
        return any_text_at_call(builder, &known->text, known->from, known->read_as,
                                known->read_time);
    }
    name = known->symbol ? name_for(builder, known->symbol, zero, base) : NULL;
    if (!name && run->n_symbols > 0) {
        name = name_for(builder, run->symbols[0], zero, base);
    }
    return name && name->type->is_reference ? c_format(run->memory, "&%s", name->name)
           : name                           ? name->name
                                            : NULL;
}
