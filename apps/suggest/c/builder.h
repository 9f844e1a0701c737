/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by names.c and program.c: what an access program is built with. */
#ifndef SUGGEST_C_BUILDER_H
#define SUGGEST_C_BUILDER_H

#include "datatype.h"
#include "site.h"

enum { MOST_SCOPES = 48 };

struct scope {
    bool is_guard;
    int id;
};

struct builder {
    struct run *run;
    struct site *site;
    access_program_t *program;
    struct scope open[MOST_SCOPES];
    int n_open;
    int *bases; /* of the run, in the program; -1 */
    poly_atom_t *loops;
    const poly_t **trips; /* of loops over the processes of a collective call: those of the first;
                             NULL: all */
    const struct c_datatype *basic; /* that the type is made of */
    access_type_t type;
    const poly_t *extent; /* from the data of one process to that of the next; NULL: one message */
};

access_place_t builder_place(const struct builder *builder, const struct c_node *node);
bool builder_names_in_scope(const struct builder *builder, const struct c_node *node);
bool builder_in_scope(const struct builder *builder, const struct c_symbol *symbol);
bool builder_holds(const struct builder *builder, const struct c_symbol *symbol,
                   const poly_t *value, int base);
const poly_t *builder_translate(struct builder *builder, const poly_t *poly);
void builder_not_at_call(struct builder *builder, const char *name);
void builder_note_sums(struct builder *builder);
const char *builder_pointer_text(struct builder *builder, int base);

#endif
