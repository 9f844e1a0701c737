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

enum run_value_kind { RUN_UNSET, RUN_UNKNOWN, RUN_INTEGER, RUN_POINTER, RUN_CHOICE };

enum { RUN_ASSUMED = 4, RUN_FACTS = 4, RUN_NAMES = 6, RUN_ANY = -1 };

/* How much is taken for granted. */
enum run_level {
    RUN_STRICT,   /* nothing */
    RUN_TRUSTING, /* all of assumptions.def; calls are followed into functions of the unit */
};

enum run_assumption_number {
#define C_ASSUMPTION(number, name, text) RUN_ASSUMES_##name = number,
#include "assumptions.def"
#undef C_ASSUMPTION
};

/* Something that an answer takes for granted. */
struct run_assumption {
    int number;
    const char *text; /* as a person says it: "log_time() does not change u" */
    const struct c_node *where;
    size_t first, last; /* when the run needed it; first: -1: never */
    size_t event;       /* the next event when it was first needed */
    int bases[2];       /* that are different memory; RUN_ANY: none */
};

/* The assumptions that a question needed, by their index. */
struct run_needs {
    size_t *index;
    size_t n;
};

enum run_relation { RUN_EQUAL, RUN_UNEQUAL, RUN_LESS, RUN_NOT_LESS };

/* left < 0, == 0 and so on */
struct run_fact {
    const poly_t *left;
    enum run_relation relation;
};

struct run_value {
    enum run_value_kind kind;
    const poly_t *poly; /* of integers; of pointers the offset in bytes; of a choice of integers a
                           name for it, or NULL */
    int base;           /* of pointers */
    const struct c_type *pointee;
    bool modular; /* only known modulo 2^64: unsigned arithmetic that may wrap */
    int n_assumed;
    const poly_t *assumed[RUN_ASSUMED]; /* trips that are taken not to be negative */
    int may[2];      /* unknown: bases that it may lead into, counted from 1; 0: none */
    const char *why; /* it is unknown */
    const struct c_node *where;
    struct run_fact fact; /* of a choice */
    const struct run_value *alternative[2];
};

enum run_base_kind {
    RUN_OBJECT,  /* a variable */
    RUN_POINTEE, /* of a pointer variable's value */
    RUN_FRESH,   /* of malloc() */
    RUN_LOADED,  /* of a pointer that was read from memory */
    RUN_ROWS,    /* of the pointers in an array, all of them: offsets are addresses */
};

struct run_binding {
    struct c_symbol *symbol;
    const poly_t *value;
    int base; /* of a pointer, else RUN_ANY */
};

/* How to write something in C, and which variables must still have their values for that. */
struct run_text {
    const char *text;
    const struct c_node *node;
    int n_bindings;
    struct run_binding *bindings;
    struct run_text *other; /* another way to write it, or NULL */
};

struct run_base {
    enum run_base_kind kind;
    struct c_symbol *symbol; /* FRESH: the pointer it was first assigned to */
    int version;
    const struct c_node *node;
    const struct c_type *type; /* OBJECT: of the variable; else of the target; may be NULL */
    size_t time;
    struct run_text text; /* LOADED */
    const poly_t *offset; /* LOADED: where it was read */
    const struct c_type *read_as;
    int from; /* LOADED: the base it was read from; FRESH: the frame */
    size_t read_time;
    int may[2]; /* POINTEE: bases that it may be, counted from 1; 0: none */
};

enum run_atom_kind {
    RUN_ATOM_SYMBOL,
    RUN_ATOM_LOAD,
    RUN_ATOM_OPERATION,
    RUN_ATOM_LOOP,
    RUN_ATOM_TRIAL,
    RUN_ATOM_SOMEWHERE, /* the offset of a pointer that stays in its object */
};

struct run_atom {
    enum run_atom_kind kind;
    struct c_symbol *symbol;
    int base; /* LOAD: where from */
    const struct c_type *type;
    size_t time;
    struct run_text text;  /* LOAD; the array when there are subscripts */
    const poly_t *offset;  /* LOAD: where */
    const char *operation; /* OPERATION: "%s/%s" */
    const poly_t *operand[2];
    int loop;                       /* LOOP */
    const struct run_value *choice; /* SYMBOL: one of two values, by a condition; or NULL */
    bool irregular;                 /* SYMBOL: changed by a loop in a way that is not known */
};

/* A function that runs: the analysed one is frame 0, others are called, and followed. */
struct run_frame {
    int parent;
    const struct c_node *call; /* in the parent; NULL for frame 0 */
    const struct c_symbol *function;
};

struct run_loop {
    int frame;
    poly_atom_t atom;
    const poly_t *trip;
    int parent;
    const struct c_node *node;
    size_t first, last; /* its events: [first, last) */
    size_t begin, end;  /* when it ran */
};

struct run_guard {
    const struct c_node *condition;
    bool negated;
    int parent;
    int loop;
    int frame;
    int n_facts;
    bool is_fact; /* the facts say all */
    struct run_fact facts[RUN_FACTS];
    struct run_text text;
    bool bound; /* all names have known values, and it has no effects */
};

/* Bytes that an event reads or writes in all iterations of the loops around it. */
struct run_extent {
    int base;
    const poly_t *offset, *size; /* NULL: not known */
    int loop;
    bool irregular; /* in a loop that is not followed, which may change the offset */
};

enum run_event_kind {
    RUN_COPY,  /* memory to memory, no conversion */
    RUN_STORE, /* anything else that is written */
    RUN_LOAD,
    RUN_CALL, /* of a function that is not MPI's */
    RUN_MPI,
    RUN_CONTROL, /* control flow or a construct that is not understood */
    RUN_FREE,
};

struct run_place {
    int base;             /* RUN_ANY: not known */
    const poly_t *offset; /* NULL: not known */
    const struct c_type *type;
    int n_assumed;
    const poly_t *assumed[RUN_ASSUMED];
    const char *why;
    struct c_symbol *scalar;         /* the variable with a tracked value */
    const struct c_node *subscripts; /* expression */
    int n_index; /* subscripts of arrays, innermost first, each within its array's bounds */
    const poly_t *index[POLY_SUBSCRIPTS];
};

struct run_event {
    enum run_event_kind kind;
    const struct c_node *node;
    int loop, guard, context, frame;
    struct run_place to, from;
    const poly_t *size;
    size_t time;
    const char *why;         /* STORE: why no copy; CONTROL: what */
    bool irregular;          /* inside a loop that is not understood */
    struct run_value *state; /* MPI: values of all symbols before the call */
    struct run_fact *facts;
    int n_facts;
    struct run_value *arguments; /* MPI, CALL */
};

struct run {
    struct c_unit *unit;
    const struct c_function *function;
    struct c_memory *memory;
    poly_space_t *space;
    enum run_level level;
    struct run_assumption *assumptions;
    size_t n_assumptions;
    struct run_needs *needs; /* of the site that is asked about; NULL: the function runs */
    struct run_frame *frames;
    int n_frames, frame;         /* now */
    struct run_exits *exits;     /* of the function that is followed now */
    struct run_exits *breaks;    /* of the switch that runs now; NULL: a loop's */
    struct run_exits *continues; /* of the loop's body that runs now; NULL: not followed */
    struct c_symbol **symbols; /* that the function and its callees name; their index counts here */
    size_t n_symbols;
    struct run_value *state; /* of symbols */
    int *version;
    struct run_fact *facts;
    int n_facts;
    bool dead;                   /* this is not reached */
    bool over;                   /* since the program ends */
    struct c_symbol **originals; /* of structs that a followed function was handed by value and only
                                    reads: what they are copies of; NULL: nothing */
    int *objects;                /* of symbols: their bases, counted from 1 */
    unsigned *seeds;             /* of meet.c */
    struct run_base *bases;
    int n_bases;
    struct run_atom *atoms; /* by poly_atom_t */
    int n_atoms;
    struct run_loop *loops;
    int n_loops;
    struct run_guard *guards;
    int n_guards;
    struct run_event *events;
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
    const struct c_node *refused_at;
    const struct c_node **lengths; /* of variable-length arrays, and their values */
    const poly_t **length_values;
    size_t n_lengths;
    const poly_t **sums; /* that are factors in the source */
    size_t n_sums;
};

/* A write and its time. */
struct run_write {
    int base;
    const struct c_type *type; /* NULL: any */
    size_t time;
    size_t before; /* the write to the same base before it, counted from 1; 0: none */
};

/* Runs a function. The caller frees. */
struct run *run_function(struct c_unit *unit, const struct c_function *function,
                         enum run_level level);
void run_free(struct run *run);
/* Makes symbols' indices those of this run, after another one. */
void run_resume(struct run *run);

/* Can no byte belong to both? */
bool run_distinct(struct run *run, int a, int b);
/* May a write to BASE as TYPE (NULL: bytes) change what is read from OTHER as OTHER_TYPE? */
bool run_conflict(struct run *run, int base, const struct c_type *type, int other,
                  const struct c_type *other_type);
/* Was anything that may conflict written in [from, to)? */
bool run_written(struct run *run, int base, const struct c_type *type, size_t from, size_t to);
/* Do two sets of bytes meet? Looked at with small numbers for all sizes; true also where it is not
 * known. */
bool run_meet(struct run *run, const struct run_extent *a, const struct run_extent *b);
/* Bytes of a type, NULL when not known. */
const poly_t *run_size(struct run *run, const struct c_type *type);
bool run_contradicts(struct run *run, const struct run_fact *a, const struct run_fact *b);
bool run_implies(struct run *run, const struct run_fact *a, const struct run_fact *b);
/* Which alternative of a choice the facts decide: 0, 1; -1: neither. */
int run_decide(struct run *run, const struct run_fact *facts, int n_facts,
               const struct run_fact *choice);
/* Is everything in the subtree free of assignments and calls? */
bool run_is_pure(const struct c_node *node);
/* The expression of a function that is only `return expression;`, without effects, when it is
 * called with so many ARGUMENTS; NULL: it is more. */
const struct c_node *run_one_return(const struct c_symbol *function, size_t arguments);
/* The same as run_is_pure(), but for calls of such functions. */
bool run_only_accesses(const struct c_node *node);
/* Does the subtree call MPI, itself or through functions that are followed? */
bool run_has_mpi(const struct c_node *node);
/* Notes an assumption that is needed now, once for each text. */
void run_assume(struct run *run, int number, const struct c_node *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void run_need(struct run_needs *needs, size_t assumption);
const char *run_base_name(const struct run *run, int base);
/* Notes the assumption that two bases are different memory. */
void run_assume_distinct(struct run *run, int a, int b);
/* Did the event happen in NODE, or in a function that was called there? */
bool run_within(const struct run *run, const struct run_event *event, const struct c_node *node);
/* Where in frame FRAME the event happened: its node, or the call that led to it. */
const struct c_node *run_node_in(const struct run *run, int frame, const struct run_event *event);
/* Everything that must be known to write an expression again; false: it cannot. */
bool run_text_of(struct run *run, const struct c_node *node, struct run_text *text);
int run_base_of_symbol(struct run *run, struct c_symbol *symbol);
/* The struct that the symbol is a copy of, or the symbol itself. */
struct c_symbol *run_original(const struct run *run, struct c_symbol *symbol);

#endif
