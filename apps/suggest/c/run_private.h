/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by alias.c, effect.c, loop.c, statement.c and value.c. */
#ifndef SUGGEST_C_RUN_PRIVATE_H
#define SUGGEST_C_RUN_PRIVATE_H

#include "run.h"

/* ---- alias.c ---- */
int run_add_base(run_t *run, run_base_t base); /* or the one that is there */
void run_log_write(run_t *run, int base, const c_type_t *type);
/* May a write among those from FIRST on and before END change what is read from the base? */
bool run_changed(run_t *run, int base, const c_type_t *type, size_t first, size_t end);
/* Scalars that a write may change get new values. */
void run_forget(run_t *run, int base, const c_type_t *type);
/* All scalars that other code can reach get new values, and all memory may be written. */
void run_forget_all(run_t *run);

/* ---- value.c ---- */
extern const char run_null[]; /* why the value of a null pointer is not known */
run_value_t run_unknown(const char *why, const c_node_t *where);
run_value_t run_integer(const poly_t *poly);
run_value_t run_constant(run_t *run, int64_t value);
run_value_t run_read(run_t *run, c_symbol_t *symbol);
run_value_t run_fresh(run_t *run, c_symbol_t *symbol);
/* The atom that the polynomial is; POLY_NO_ATOM: it is more. */
poly_atom_t run_atom_of(const poly_t *poly);
/* A pointer into one of two objects (counted from 1; 0: none), or another one. */
run_value_t run_one_of(run_t *run, c_symbol_t *symbol, const int may[2]);
/* A pointer into the object that both lead into, one of them perhaps at an unknown place; unknown:
 * not one object. */
run_value_t run_somewhere(run_t *run, const c_symbol_t *symbol, const run_value_t *a,
                          const run_value_t *b);
run_value_t run_evaluate(run_t *run, const c_node_t *node);
run_place_t run_lvalue(run_t *run, const c_node_t *node);
bool run_is_tracked(const c_symbol_t *symbol);
bool run_same(const run_value_t *a, const run_value_t *b);
/* The state of one symbol before and now; what had no value then is not compared. */
bool run_unchanged(const run_value_t *a, const run_value_t *b);
poly_atom_t run_new_atom(run_t *run, run_atom_kind_t kind, const char *name);
/* Is `test` true of an atom that the value depends on, even through operations and subscripts? */
bool run_any_atom(run_t *run, const poly_t *poly,
                  bool (*test)(run_t *run, int atom, const void *data), const void *data);
bool run_find_fact(run_t *run, const c_node_t *condition, bool negated, run_fact_t *fact);
void run_set_length(run_t *run, const c_type_t *type);
run_value_t run_divide(run_t *run, const char *operation, run_value_t a, run_value_t b,
                       const c_node_t *node);
run_value_t run_binary(run_t *run, const c_node_t *node, c_operator_t op, run_value_t a,
                       run_value_t b, const c_type_t *type);

/* ---- effect.c: assignments, calls, events ---- */
/* The fact that a call of a function stands for which only returns a comparison. */
bool run_find_fact_of_call(run_t *run, const c_node_t *call, bool negated, run_fact_t *fact);
void run_assign_scalar(run_t *run, c_symbol_t *symbol, run_value_t value);
run_value_t run_assign(run_t *run, const c_node_t *node);
run_value_t run_increment(run_t *run, const c_node_t *node);
run_value_t run_call(run_t *run, const c_node_t *node);
run_event_t *run_event(run_t *run, run_event_kind_t kind, const c_node_t *node);
void run_load(run_t *run, const c_node_t *node, run_place_t place);
void run_control(run_t *run, const c_node_t *node, const char *why);

/* ---- follow.c: calls of functions of the unit ---- */
/* Runs a function that is called, when it can be followed; false: it cannot. */
bool run_follow(run_t *run, const c_node_t *call, run_value_t *value);
/* Ways out of a function, switch or loop's body that is followed. */
typedef struct run_exits {
    size_t n;
    run_value_t *values;
    run_value_t **states;
} run_exits_t;

/* Control leaves here, with a value if it is a return. */
void run_exit(run_t *run, run_exits_t *exits, run_value_t value);
/* All ways out meet, with that of the end if it is reached. Frees; returns the value in common. */
run_value_t run_meet_exits(run_t *run, run_exits_t *exits, const c_node_t *node);
/* Values of the symbols in SAVED that differ now become unknown. */
void run_unsettle(run_t *run, const run_value_t *saved, const char *why, const c_node_t *node);

/* ---- loop.c ---- */
void run_loop(run_t *run, const c_node_t *node);

/* ---- statement.c ---- */
void run_statement(run_t *run, const c_node_t *node);
/* The scalars that the subtree assigns. Returns their number; the caller frees *symbols. */
size_t run_assigned(const c_node_t *node, c_symbol_t ***symbols);
const char *run_unstructured(const c_node_t *body, bool trusting);
run_value_t *run_save(run_t *run);

#endif
