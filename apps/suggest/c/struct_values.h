/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/struct_values.h: what variables hold while a function runs. Known values are
 * certain. */
#ifndef SUGGEST_C_STRUCT_VALUES_H
#define SUGGEST_C_STRUCT_VALUES_H

#include "struct_made.h"

/* A number is an address without an object. */
typedef struct value {
    bool is_known;
    bool is_vague; /* somewhere in the object */
    bool is_pointee;
    bool is_opaque;         /* the pointer may lead to any object */
    const c_symbol_t *base; /* the object, or the pointer to it */
    int64_t serial;         /* of that pointer's value */
    int64_t number;         /* bytes from the object */
    const made_t *type;     /* a datatype */
    made_about_t about;
} value_t;

typedef struct cell {
    value_t at, value;
} cell_t;

/* What variables hold. */
typedef struct state {
    cell_t *cells;
    size_t n, room;
    int64_t epoch;        /* of pointers without a cell */
    int64_t shared_epoch; /* of those that other functions also have */
    bool is_dead;         /* behind a return */
} state_t;

typedef struct maker {
    c_unit_t *unit;
    const char *canonical;
    state_t state;
    int64_t serial;
    int steps;
    made_call_t *calls;
} maker_t;

static const value_t made_unknown = {0};

/* ---- struct_values.c ---- */
value_t made_number(int64_t n);
bool made_is_number(value_t value);
bool made_same_object(value_t a, value_t b);
bool made_same_value(value_t a, value_t b);
made_about_t made_both_about(made_about_t a, made_about_t b);
made_about_t made_about_type(const maker_t *maker, const c_type_t *type);
bool made_is_constant(const c_type_t *type);
value_t made_load(maker_t *maker, value_t at, const c_type_t *type);
void made_store(maker_t *maker, value_t at, value_t value);
/* All of an object may have changed; all objects; those that other functions also have. */
void made_forget_object(maker_t *maker, value_t at);
void made_forget_all(maker_t *maker);
void made_forget_shared(maker_t *maker);
/* Structs may have changed, of variables and behind pointers. */
void made_forget_members(maker_t *maker);
state_t made_copy_state(const state_t *state);
/* Where this state and OTHER meet; OTHER ends. */
void made_meet(maker_t *maker, state_t other);
/* POINTER + STEPS elements of STEP bytes. */
value_t made_moved(value_t pointer, value_t steps, int64_t step);
/* A_STEP and B_STEP: the sizes of what pointers lead to; 0: an integer. */
value_t made_combine(c_operator_t op, value_t a, int64_t a_step, value_t b, int64_t b_step);

/* ---- struct_types.c ---- */
const made_t *made_basic(maker_t *maker, const c_datatype_t *basic);
/* ARRAYS: lengths, displacements and datatypes, of the call's ARGUMENTS. */
made_t *made_struct(maker_t *maker, value_t count, const value_t *arrays,
                    const c_node_t *const *arguments);
made_t *made_contiguous(maker_t *maker, value_t count, value_t old);
made_t *made_resized(maker_t *maker, value_t old, value_t extent);
/* For the answer. */
void made_remember(maker_t *maker, const c_node_t *call, const made_t *made,
                   const c_symbol_t *variable);
void made_remember_resized(maker_t *maker, const made_t *old, const made_t *made);

#endif
