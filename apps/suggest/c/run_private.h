/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by alias.c, effect.c, loop.c, statement.c and value.c. */
#ifndef SUGGEST_C_RUN_PRIVATE_H
#define SUGGEST_C_RUN_PRIVATE_H

#include "run.h"

/* ---- alias.c ---- */
int run_add_base(struct run *run, struct run_base base); /* or the one that is there */
void run_log_write(struct run *run, int base, const struct c_type *type);
/* May a write among those from FIRST on and before END change what is read from the base? */
bool run_changed(struct run *run, int base, const struct c_type *type, size_t first, size_t end);
/* Scalars that a write may change get new values. */
void run_forget(struct run *run, int base, const struct c_type *type);
/* All scalars that other code can reach get new values, and all memory may be written. */
void run_forget_all(struct run *run);

/* ---- value.c ---- */
extern const char run_null[]; /* why the value of a null pointer is not known */
struct run_value run_unknown(const char *why, const struct c_node *where);
struct run_value run_integer(const poly_t *poly);
struct run_value run_constant(struct run *run, int64_t value);
struct run_value run_read(struct run *run, struct c_symbol *symbol);
struct run_value run_fresh(struct run *run, struct c_symbol *symbol);
/* The atom that the polynomial is; POLY_NO_ATOM: it is more. */
poly_atom_t run_atom_of(const poly_t *poly);
/* A pointer into one of two objects (counted from 1; 0: none), or another one. */
struct run_value run_one_of(struct run *run, struct c_symbol *symbol, const int may[2]);
/* A pointer into the object that both lead into, one of them perhaps at an unknown place; unknown:
 * not one object. */
struct run_value run_somewhere(struct run *run, const struct c_symbol *symbol,
                               const struct run_value *a, const struct run_value *b);
struct run_value run_evaluate(struct run *run, const struct c_node *node);
struct run_place run_lvalue(struct run *run, const struct c_node *node);
bool run_is_tracked(const struct c_symbol *symbol);
bool run_same(const struct run_value *a, const struct run_value *b);
/* The state of one symbol before and now; what had no value then is not compared. */
bool run_unchanged(const struct run_value *a, const struct run_value *b);
poly_atom_t run_new_atom(struct run *run, enum run_atom_kind kind, const char *name);
/* Is `test` true of an atom that the value depends on, even through operations and subscripts? */
bool run_any_atom(struct run *run, const poly_t *poly,
                  bool (*test)(struct run *run, int atom, const void *data), const void *data);
bool run_find_fact(struct run *run, const struct c_node *condition, bool negated,
                   struct run_fact *fact);
void run_set_length(struct run *run, const struct c_type *type);
struct run_value run_divide(struct run *run, const char *operation, struct run_value a,
                            struct run_value b, const struct c_node *node);
struct run_value run_binary(struct run *run, const struct c_node *node, enum c_operator op,
                            struct run_value a, struct run_value b, const struct c_type *type);

/* ---- effect.c: assignments, calls, events ---- */
/* The fact that a call of a function stands for which only returns a comparison. */
bool run_find_fact_of_call(struct run *run, const struct c_node *call, bool negated,
                           struct run_fact *fact);
void run_assign_scalar(struct run *run, struct c_symbol *symbol, struct run_value value);
struct run_value run_assign(struct run *run, const struct c_node *node);
struct run_value run_increment(struct run *run, const struct c_node *node);
struct run_value run_call(struct run *run, const struct c_node *node);
struct run_event *run_event(struct run *run, enum run_event_kind kind, const struct c_node *node);
void run_load(struct run *run, const struct c_node *node, struct run_place place);
void run_control(struct run *run, const struct c_node *node, const char *why);

/* ---- follow.c: calls of functions of the unit ---- */
/* Runs a function that is called, when it can be followed; false: it cannot. */
bool run_follow(struct run *run, const struct c_node *call, struct run_value *value);
/* Ways out of a function, switch or loop's body that is followed. */
struct run_exits {
    size_t n;
    struct run_value *values;
    struct run_value **states;
};

/* Control leaves here, with a value if it is a return. */
void run_exit(struct run *run, struct run_exits *exits, struct run_value value);
/* All ways out meet, with that of the end if it is reached. Frees; returns the value in common. */
struct run_value run_meet_exits(struct run *run, struct run_exits *exits,
                                const struct c_node *node);
/* Values of the symbols in SAVED that differ now become unknown. */
void run_unsettle(struct run *run, const struct run_value *saved, const char *why,
                  const struct c_node *node);

/* ---- loop.c ---- */
void run_loop(struct run *run, const struct c_node *node);

/* ---- statement.c ---- */
void run_statement(struct run *run, const struct c_node *node);
/* The scalars that the subtree assigns. Returns their number; the caller frees *symbols. */
size_t run_assigned(const struct c_node *node, struct c_symbol ***symbols);
const char *run_unstructured(const struct c_node *body, bool trusting);
struct run_value *run_save(struct run *run);

#endif
