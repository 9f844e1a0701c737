/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by names.c and program.c: what an access program is built with. */
#ifndef SUGGEST_C_BUILDER_H
#define SUGGEST_C_BUILDER_H

#include "datatype.h"
#include "site.h"

enum { MOST_SCOPES = 48 };

typedef struct scope {
    bool is_guard;
    int id;
} scope_t;

typedef struct builder {
    run_t *run;
    site_t *site;
    access_program_t *program;
    scope_t open[MOST_SCOPES];
    int n_open;
    int *bases; /* of the run, in the program; -1 */
    poly_atom_t *loops;
    const poly_t **trips; /* of loops over the processes of a collective call: those of the first;
                             NULL: all */
    const c_datatype_t *basic; /* that the type is made of */
    access_type_t type;
    const poly_t *extent; /* from the data of one process to that of the next; NULL: one message */
} builder_t;

access_place_t builder_place(const builder_t *builder, const c_node_t *node);
bool builder_names_in_scope(const builder_t *builder, const c_node_t *node);
bool builder_in_scope(const builder_t *builder, const c_symbol_t *symbol);
bool builder_holds(const builder_t *builder, const c_symbol_t *symbol, const poly_t *value,
                   int base);
const poly_t *builder_translate(builder_t *builder, const poly_t *poly);
void builder_not_at_call(builder_t *builder, const char *name);
void builder_note_sums(builder_t *builder);
const char *builder_pointer_text(builder_t *builder, int base);

#endif
