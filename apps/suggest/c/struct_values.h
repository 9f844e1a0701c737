/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/struct_values.h: what variables hold while a function runs. Known values are
 * certain. */
#ifndef SUGGEST_C_STRUCT_VALUES_H
#define SUGGEST_C_STRUCT_VALUES_H

#include "struct_made.h"

/* A number is an address without an object. */
struct value {
    bool is_known;
    bool is_vague; /* somewhere in the object */
    bool is_pointee;
    bool is_opaque;              /* the pointer may lead to any object */
    const struct c_symbol *base; /* the object, or the pointer to it */
    int64_t serial;              /* of that pointer's value */
    int64_t number;              /* bytes from the object */
    const struct made *type;     /* a datatype */
    enum made_about about;
};

struct cell {
    struct value at, value;
};

/* What variables hold. */
struct state {
    struct cell *cells;
    size_t n, room;
    int64_t epoch;        /* of pointers without a cell */
    int64_t shared_epoch; /* of those that other functions also have */
    bool is_dead;         /* behind a return */
};

struct maker {
    struct c_unit *unit;
    const char *canonical;
    struct state state;
    int64_t serial;
    int steps;
    struct made_call *calls;
};

static const struct value made_unknown = {0};

/* ---- struct_values.c ---- */
struct value made_number(int64_t n);
bool made_is_number(struct value value);
bool made_same_object(struct value a, struct value b);
bool made_same_value(struct value a, struct value b);
enum made_about made_both_about(enum made_about a, enum made_about b);
enum made_about made_about_type(const struct maker *maker, const struct c_type *type);
bool made_is_constant(const struct c_type *type);
struct value made_load(struct maker *maker, struct value at, const struct c_type *type);
void made_store(struct maker *maker, struct value at, struct value value);
/* All of an object may have changed; all objects; those that other functions also have. */
void made_forget_object(struct maker *maker, struct value at);
void made_forget_all(struct maker *maker);
void made_forget_shared(struct maker *maker);
/* Structs may have changed, of variables and behind pointers. */
void made_forget_members(struct maker *maker);
struct state made_copy_state(const struct state *state);
/* Where this state and OTHER meet; OTHER ends. */
void made_meet(struct maker *maker, struct state other);
/* POINTER + STEPS elements of STEP bytes. */
struct value made_moved(struct value pointer, struct value steps, int64_t step);
/* A_STEP and B_STEP: the sizes of what pointers lead to; 0: an integer. */
struct value made_combine(enum c_operator op, struct value a, int64_t a_step, struct value b,
                          int64_t b_step);

/* ---- struct_types.c ---- */
const struct made *made_basic(struct maker *maker, const struct c_datatype *basic);
/* ARRAYS: lengths, displacements and datatypes, of the call's ARGUMENTS. */
struct made *made_struct(struct maker *maker, struct value count, const struct value *arrays,
                         const struct c_node *const *arguments);
struct made *made_contiguous(struct maker *maker, struct value count, struct value old);
struct made *made_resized(struct maker *maker, struct value old, struct value extent);
/* For the answer. */
void made_remember(struct maker *maker, const struct c_node *call, const struct made *made,
                   const struct c_symbol *variable);
void made_remember_resized(struct maker *maker, const struct made *old, const struct made *made);

#endif
