/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/run.h: symbolic execution of one function, into a list of events.
 *
 * Integers and pointers are polynomials (apps/suggest/poly.h) over the values that the function
 * started with or read from memory. A loop without MPI calls is summarised: its body runs once to
 * find what each variable gains in an iteration, and once more with v0 + t * gain. Loops with MPI
 * calls are a context: their body runs once, for an iteration of which nothing is known. Unknown
 * constructs make values unknown and leave an event that says so; region.c decides.
 */
#ifndef SUGGEST_C_RUN_H
#define SUGGEST_C_RUN_H

#include "tree.h"
#include "suggest/poly.h"

typedef enum run_value_kind {
    RUN_UNSET,
    RUN_UNKNOWN,
    RUN_INTEGER,
    RUN_POINTER,
    RUN_CHOICE
} run_value_kind_t;

enum { RUN_ASSUMED = 4, RUN_FACTS = 4, RUN_NAMES = 6, RUN_ANY = -1 };

/* How much is taken for granted. */
typedef enum run_level {
    RUN_STRICT,   /* nothing */
    RUN_TRUSTING, /* all of assumptions.def; calls are followed into functions of the unit */
} run_level_t;

typedef enum run_assumption_number {
#define C_ASSUMPTION(number, name, text) RUN_ASSUMES_##name = number,
#include "assumptions.def"
#undef C_ASSUMPTION
} run_assumption_number_t;

/* Something that an answer takes for granted. */
typedef struct run_assumption {
    int number;
    const char *text; /* as a person says it: "log_time() does not change u" */
    const c_node_t *where;
    size_t first, last; /* when the run needed it; first: -1: never */
    size_t event;       /* the next event when it was first needed */
    int bases[2];       /* that are different memory; RUN_ANY: none */
} run_assumption_t;

/* The assumptions that a question needed, by their index. */
typedef struct run_needs {
    size_t *index;
    size_t n;
} run_needs_t;

typedef enum run_relation { RUN_EQUAL, RUN_UNEQUAL, RUN_LESS, RUN_NOT_LESS } run_relation_t;

/* left < 0, == 0 and so on */
typedef struct run_fact {
    const poly_t *left;
    run_relation_t relation;
} run_fact_t;

typedef struct run_value {
    run_value_kind_t kind;
    const poly_t *poly; /* of integers; of pointers the offset in bytes; of a choice of integers a
                           name for it, or NULL */
    int base;           /* of pointers */
    const c_type_t *pointee;
    bool modular; /* only known modulo 2^64: unsigned arithmetic that may wrap */
    int n_assumed;
    const poly_t *assumed[RUN_ASSUMED]; /* trips that are taken not to be negative */
    int may[2];      /* unknown: bases that it may lead into, counted from 1; 0: none */
    const char *why; /* it is unknown */
    const c_node_t *where;
    run_fact_t fact; /* of a choice */
    const struct run_value *alternative[2];
} run_value_t;

typedef enum run_base_kind {
    RUN_OBJECT,  /* a variable */
    RUN_POINTEE, /* of a pointer variable's value */
    RUN_FRESH,   /* of malloc() */
    RUN_LOADED,  /* of a pointer that was read from memory */
    RUN_ROWS,    /* of the pointers in an array, all of them: offsets are addresses */
} run_base_kind_t;

typedef struct run_binding {
    c_symbol_t *symbol;
    const poly_t *value;
    int base; /* of a pointer, else RUN_ANY */
} run_binding_t;

/* How to write something in C, and which variables must still have their values for that. */
typedef struct run_text {
    const char *text;
    const c_node_t *node;
    int n_bindings;
    run_binding_t *bindings;
    struct run_text *other; /* another way to write it, or NULL */
} run_text_t;

typedef struct run_base {
    run_base_kind_t kind;
    c_symbol_t *symbol; /* FRESH: the pointer it was first assigned to */
    int version;
    const c_node_t *node;
    const c_type_t *type; /* OBJECT: of the variable; else of the target; may be NULL */
    size_t time;
    run_text_t text;      /* LOADED */
    const poly_t *offset; /* LOADED: where it was read */
    const c_type_t *read_as;
    int from; /* LOADED: the base it was read from; FRESH: the frame */
    size_t read_time;
    int may[2]; /* POINTEE: bases that it may be, counted from 1; 0: none */
} run_base_t;

typedef enum run_atom_kind {
    RUN_ATOM_SYMBOL,
    RUN_ATOM_LOAD,
    RUN_ATOM_OPERATION,
    RUN_ATOM_LOOP,
    RUN_ATOM_TRIAL,
    RUN_ATOM_SOMEWHERE, /* the offset of a pointer that stays in its object */
} run_atom_kind_t;

typedef struct run_atom {
    run_atom_kind_t kind;
    c_symbol_t *symbol;
    int base; /* LOAD: where from */
    const c_type_t *type;
    size_t time;
    run_text_t text;       /* LOAD; the array when there are subscripts */
    const poly_t *offset;  /* LOAD: where */
    const char *operation; /* OPERATION: "%s/%s" */
    const poly_t *operand[2];
    int loop;                  /* LOOP */
    const run_value_t *choice; /* SYMBOL: one of two values, by a condition; or NULL */
    bool irregular;            /* SYMBOL: changed by a loop in a way that is not known */
} run_atom_t;

/* A function that runs: the analysed one is frame 0, others are called, and followed. */
typedef struct run_frame {
    int parent;
    const c_node_t *call; /* in the parent; NULL for frame 0 */
    const c_symbol_t *function;
} run_frame_t;

typedef struct run_loop {
    int frame;
    poly_atom_t atom;
    const poly_t *trip;
    int parent;
    const c_node_t *node;
    size_t first, last; /* its events: [first, last) */
    size_t begin, end;  /* when it ran */
} run_loop_t;

typedef struct run_guard {
    const c_node_t *condition;
    bool negated;
    int parent;
    int loop;
    int frame;
    int n_facts;
    bool is_fact; /* the facts say all */
    run_fact_t facts[RUN_FACTS];
    run_text_t text;
    bool bound; /* all names have known values, and it has no effects */
} run_guard_t;

/* Bytes that an event reads or writes in all iterations of the loops around it. */
typedef struct run_extent {
    int base;
    const poly_t *offset, *size; /* NULL: not known */
    int loop;
    bool irregular; /* in a loop that is not followed, which may change the offset */
} run_extent_t;

typedef enum run_event_kind {
    RUN_COPY,  /* memory to memory, no conversion */
    RUN_STORE, /* anything else that is written */
    RUN_LOAD,
    RUN_CALL, /* of a function that is not MPI's */
    RUN_MPI,
    RUN_CONTROL, /* control flow or a construct that is not understood */
    RUN_FREE,
} run_event_kind_t;

typedef struct run_place {
    int base;             /* RUN_ANY: not known */
    const poly_t *offset; /* NULL: not known */
    const c_type_t *type;
    int n_assumed;
    const poly_t *assumed[RUN_ASSUMED];
    const char *why;
    c_symbol_t *scalar;         /* the variable with a tracked value */
    const c_node_t *subscripts; /* expression */
    int n_index; /* subscripts of arrays, innermost first, each within its array's bounds */
    const poly_t *index[POLY_SUBSCRIPTS];
} run_place_t;

typedef struct run_event {
    run_event_kind_t kind;
    const c_node_t *node;
    int loop, guard, context, frame;
    run_place_t to, from;
    const poly_t *size;
    size_t time;
    const char *why;    /* STORE: why no copy; CONTROL: what */
    bool irregular;     /* inside a loop that is not understood */
    run_value_t *state; /* MPI: values of all symbols before the call */
    run_fact_t *facts;
    int n_facts;
    run_value_t *arguments; /* MPI, CALL */
} run_event_t;

typedef struct run {
    c_unit_t *unit;
    const c_function_t *function;
    c_memory_t *memory;
    poly_space_t *space;
    run_level_t level;
    run_assumption_t *assumptions;
    size_t n_assumptions;
    run_needs_t *needs; /* of the site that is asked about; NULL: the function runs */
    run_frame_t *frames;
    int n_frames, frame;         /* now */
    struct run_exits *exits;     /* of the function that is followed now */
    struct run_exits *breaks;    /* of the switch that runs now; NULL: a loop's */
    struct run_exits *continues; /* of the loop's body that runs now; NULL: not followed */
    c_symbol_t **symbols; /* that the function and its callees name; their index counts here */
    size_t n_symbols;
    run_value_t *state; /* of symbols */
    int *version;
    run_fact_t *facts;
    int n_facts;
    bool dead;              /* this is not reached */
    bool over;              /* since the program ends */
    c_symbol_t **originals; /* of structs that a followed function was handed by value and only
                                    reads: what they are copies of; NULL: nothing */
    int *objects;           /* of symbols: their bases, counted from 1 */
    unsigned *seeds;        /* of meet.c */
    run_base_t *bases;
    int n_bases;
    run_atom_t *atoms; /* by poly_atom_t */
    int n_atoms;
    run_loop_t *loops;
    int n_loops;
    run_guard_t *guards;
    int n_guards;
    run_event_t *events;
    size_t n_events, events_room;
    int *contexts; /* loops around calls of MPI: of each, the one around it; that of none has -1 */
    int n_contexts;
    struct run_write *writes; /* every write, also of trial runs */
    size_t n_writes, writes_room;
    size_t *last_write; /* of each base, counted from 1; those of unknown memory first */
    int n_last_write;
    size_t (*active)[2]; /* ranges of writes that loops around repeat */
    size_t n_active;
    size_t clock;
    int loop, guard, context; /* now */
    int irregular, trial, depth, calls;
    size_t steps, n_saved; /* expressions evaluated, and values of symbols saved, so far */
    const char *refused;   /* the whole function: why */
    const c_node_t *refused_at;
    const c_node_t **lengths; /* of variable-length arrays, and their values */
    const poly_t **length_values;
    size_t n_lengths;
    const poly_t **sums; /* that are factors in the source */
    size_t n_sums;
} run_t;

/* A write and its time. */
typedef struct run_write {
    int base;
    const c_type_t *type; /* NULL: any */
    size_t time;
    size_t before; /* the write to the same base before it, counted from 1; 0: none */
} run_write_t;

/* Runs a function. The caller frees. */
run_t *run_function(c_unit_t *unit, const c_function_t *function, run_level_t level);
void run_free(run_t *run);
/* Makes symbols' indices those of this run, after another one. */
void run_resume(run_t *run);

/* Can no byte belong to both? */
bool run_distinct(run_t *run, int a, int b);
/* May a write to BASE as TYPE (NULL: bytes) change what is read from OTHER as OTHER_TYPE? */
bool run_conflict(run_t *run, int base, const c_type_t *type, int other,
                  const c_type_t *other_type);
/* Was anything that may conflict written in [from, to)? */
bool run_written(run_t *run, int base, const c_type_t *type, size_t from, size_t to);
/* Do two sets of bytes meet? Looked at with small numbers for all sizes; true also where it is not
 * known. */
bool run_meet(run_t *run, const run_extent_t *a, const run_extent_t *b);
/* Bytes of a type, NULL when not known. */
const poly_t *run_size(run_t *run, const c_type_t *type);
bool run_contradicts(run_t *run, const run_fact_t *a, const run_fact_t *b);
bool run_implies(run_t *run, const run_fact_t *a, const run_fact_t *b);
/* Which alternative of a choice the facts decide: 0, 1; -1: neither. */
int run_decide(run_t *run, const run_fact_t *facts, int n_facts, const run_fact_t *choice);
/* Is everything in the subtree free of assignments and calls? */
bool run_is_pure(const c_node_t *node);
/* The expression of a function that is only `return expression;`, without effects, when it is
 * called with so many ARGUMENTS; NULL: it is more. */
const c_node_t *run_one_return(const c_symbol_t *function, size_t arguments);
/* The same as run_is_pure(), but for calls of such functions. */
bool run_only_accesses(const c_node_t *node);
/* Does the subtree call MPI, itself or through functions that are followed? */
bool run_has_mpi(const c_node_t *node);
/* Notes an assumption that is needed now, once for each text. */
void run_assume(run_t *run, int number, const c_node_t *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void run_need(run_needs_t *needs, size_t assumption);
const char *run_base_name(const run_t *run, int base);
/* Notes the assumption that two bases are different memory. */
void run_assume_distinct(run_t *run, int a, int b);
/* Did the event happen in NODE, or in a function that was called there? */
bool run_within(const run_t *run, const run_event_t *event, const c_node_t *node);
/* Where in frame FRAME the event happened: its node, or the call that led to it. */
const c_node_t *run_node_in(const run_t *run, int frame, const run_event_t *event);
/* Everything that must be known to write an expression again; false: it cannot. */
bool run_text_of(run_t *run, const c_node_t *node, run_text_t *text);
int run_base_of_symbol(run_t *run, c_symbol_t *symbol);
/* The struct that the symbol is a copy of, or the symbol itself. */
c_symbol_t *run_original(const run_t *run, c_symbol_t *symbol);

#endif
