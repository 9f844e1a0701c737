/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/tree.h: C functions as trees of our own.
 *
 * Only apps/suggest/c/parse.c sees libclang. An unknown construct becomes C_OTHER, which the
 * analysis refuses. So a construct is understood or refused but never skipped. All nodes, types and
 * symbols live until c_unit_free().
 */
#ifndef SUGGEST_C_TREE_H
#define SUGGEST_C_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/clang/memory.h"

typedef struct c_node c_node_t;

typedef enum c_type_kind {
    C_TYPE_VOID,
    C_TYPE_INTEGER, /* also enumerations */
    C_TYPE_BOOL,
    C_TYPE_FLOATING,
    C_TYPE_POINTER,
    C_TYPE_ARRAY,
    C_TYPE_RECORD,
    C_TYPE_FUNCTION,
    C_TYPE_OTHER, /* complex, vector, ... */
} c_type_kind_t;

typedef struct c_type {
    c_type_kind_t kind;
    int64_t size; /* bytes; -1 when not a constant or incomplete */
    int64_t align;
    bool is_signed;
    bool is_volatile, is_atomic, is_const, is_restrict;
    bool is_union;
    bool is_reference;          /* a pointer that C++ writes without & and * */
    const char *name;           /* canonical, without qualifiers */
    const struct c_type *inner; /* pointee or element */
    int64_t count;              /* elements of an array; -1: `length`, or unknown */
    const c_node_t *length;     /* of a variable-length array; NULL when not known */
} c_type_t;

typedef enum c_symbol_kind {
    C_SYMBOL_LOCAL,
    C_SYMBOL_PARAMETER,
    C_SYMBOL_STATIC, /* file scope or local, internal linkage */
    C_SYMBOL_GLOBAL,
    C_SYMBOL_FUNCTION,
} c_symbol_kind_t;

typedef struct c_symbol {
    c_symbol_kind_t kind;
    const char *name;
    const c_type_t *type;
    bool address_taken; /* of a scalar: by & anywhere in the unit */
    bool escapes; /* its address (arrays) or value (pointers) goes where we do not follow it */
    bool only_allocated;     /* a pointer that holds nothing but NULL and results of malloc() */
    bool is_assigned;        /* a pointer: anything was assigned to it */
    struct c_symbol **flows; /* pointers that it was assigned to */
    size_t n_flows;
    const c_node_t *body;         /* of a function defined here, or of a small one in a header */
    struct c_symbol **parameters; /* of such a function */
    size_t n_parameters;
    const struct c_symbol *owner; /* of a variable or parameter: the function it is declared in */
    bool is_foreign;              /* a function of C++'s library: changes what it is handed */
    bool calls_mpi;               /* a function: itself, or through functions that are followed */
    struct c_symbol *shared; /* the same thing, of another unit, that takes its place; NULL: none */
    size_t declared;         /* offset in the file */
    size_t index;            /* in the symbols of the run that is under way */
    uint64_t key;
    void *cursor; /* parse.c's */
} c_symbol_t;

typedef enum c_kind {
    /* expressions */
    C_INTEGER, /* value; also of enumerators, sizeof and offsetof (of a record: its name) */
    C_FLOATING,
    C_STRING,
    C_NAME,      /* symbol */
    C_SUBSCRIPT, /* [0] base, [1] index */
    C_MEMBER,    /* [0] object or pointer (arrow); name; value = offset in bytes, -1 a bit-field */
    C_UNARY,     /* op */
    C_BINARY,    /* op */
    C_ASSIGN,    /* [0] = [1] */
    C_UPDATE,    /* [0] op= [1] */
    C_CALL,      /* [0] callee, then arguments; symbol = callee or NULL */
    C_CAST,      /* explicit */
    C_CONVERT,   /* implicit */
    C_CONDITIONAL,
    C_LIST, /* of an initialiser */
    /* statements */
    C_BLOCK,
    C_DECLARE,  /* C_VARIABLE... */
    C_VARIABLE, /* symbol; [0] initialiser */
    C_IF,       /* [0] condition, [1] then, [2] else */
    C_FOR,      /* [0] init, [1] condition, [2] step, [3] body; NULL where absent */
    C_WHILE,
    C_DO,
    C_RETURN,
    C_EMPTY,
    C_OTHER, /* name says what */
} c_kind_t;

typedef enum c_operator {
    C_OP_NONE,
    C_OP_ADD,
    C_OP_SUB,
    C_OP_MUL,
    C_OP_DIV,
    C_OP_REM,
    C_OP_SHL,
    C_OP_SHR,
    C_OP_AND,
    C_OP_OR,
    C_OP_XOR,
    C_OP_LT,
    C_OP_LE,
    C_OP_GT,
    C_OP_GE,
    C_OP_EQ,
    C_OP_NE,
    C_OP_LAND,
    C_OP_LOR,
    C_OP_COMMA,
    C_OP_POST_INC,
    C_OP_POST_DEC,
    C_OP_PRE_INC,
    C_OP_PRE_DEC,
    C_OP_ADDRESS,
    C_OP_DEREF,
    C_OP_PLUS,
    C_OP_MINUS,
    C_OP_NOT,
    C_OP_LNOT,
} c_operator_t;

typedef struct c_file {
    const char *path, *text;
    size_t size;
} c_file_t;

/* Bytes of the file; where a macro was expanded, the macro's use. */
typedef struct c_span {
    size_t begin, end;
    unsigned line, column;
    bool in_macro;  /* begins or ends inside a macro's body: no statement of the file's text */
    bool elsewhere; /* not in the main file */
    const c_file_t *file; /* NULL: none */
} c_span_t;

typedef struct c_node {
    c_kind_t kind;
    c_operator_t op;
    const c_type_t *type;
    c_symbol_t *symbol;
    int64_t value;
    bool arrow;
    const char *name;
    const char *suffix; /* what the text has behind that of [0]: ".data()" of the pointer in `v[i]`
                           of a vector */
    c_span_t span;
    struct c_node *parent;
    size_t n;
    struct c_node **child;
    size_t order; /* of a function's nodes, in the order of the text */
} c_node_t;

typedef struct c_function {
    c_symbol_t *symbol;
    c_node_t *body;
    size_t begin, end;
} c_function_t;

typedef struct c_error {
    unsigned line, column;
    const char *file;
    const char *text;
} c_error_t;

typedef struct c_unit {
    const char *path; /* as given */
    bool is_cxx;
    c_file_t *main_file; /* the same path, and the text */
    char *text;          /* of the main file */
    size_t size;
    c_function_t *functions; /* defined in the main file */
    size_t n_functions;
    c_node_t **initialised; /* C_VARIABLE outside of functions */
    size_t n_initialised;
    c_symbol_t **symbols;
    size_t n_symbols;
    c_error_t *errors; /* of the parser */
    size_t n_errors;
    c_memory_t *memory;
    struct c_unit *
        *program; /* units that were read together, itself among them; NULL: it is alone */
    size_t n_program;
} c_unit_t;

/* parse.c: reads PATH with the compiler's arguments. Returns NULL when the file cannot be read,
 * after writing the reason to stderr; syntax errors are in errors[]. */
c_unit_t *c_parse(const char *path, const char *const *arguments, int n_arguments);
void c_unit_free(c_unit_t *unit);

/* The arguments for PATH from BUILD/compile_commands.json, without compiler, -o, -c and the file;
 * the directory is handed on by -working-directory. Returns the number, or -1 after a message on
 * stderr. */
int c_database(const char *build, const char *path, char ***arguments);
void c_database_free(char **arguments, int n);

/* tree.c */
/* The expression without parentheses, casts and conversions. */
const c_node_t *c_bare(const c_node_t *node);
/* The text of the file that NODE was read from. */
char *c_text(c_memory_t *memory, const c_node_t *node);
/* How names are written elsewhere: NULL: they cannot be. */
typedef struct c_names {
    const char *(*name)(void *data, const c_node_t *name);
    void *data;
} c_names_t;
/* text.c: the expression, written anew from its tree, with other names if NAMES is not NULL. NULL:
 * it has parts that are not written. */
const char *c_write(c_memory_t *memory, const c_node_t *node, const c_names_t *names);
/* Does it come from the body of a macro, in part? Then its text is the macro's use. */
bool c_is_in_macro(const c_node_t *node);
bool c_is_other(const c_node_t *node, const char *name); /* a C_OTHER of that name */
bool c_contains(const c_node_t *outer, const c_node_t *inner);
/* The first node of the subtree, in the order of the text, that passes the test, or NULL. NULL is
 * an empty subtree. */
typedef bool c_test(const c_node_t *node, const void *data);
const c_node_t *c_find(const c_node_t *node, c_test *test, const void *data);
bool c_is_assignment(const c_node_t *node); /* also ++ and -- */
/* Does the name occur in the subtree? */
bool c_mentions(const c_node_t *node, const c_symbol_t *symbol);
bool c_is_mpi(const c_node_t *call);
bool c_is_allocator(const c_node_t *call);
const char *c_callee(const c_node_t *call); /* "" when called through a pointer */

/* uses.c: fills in address_taken, escapes, only_allocated and flows of all symbols. */
void c_find_uses(c_unit_t *unit);
/* link.c: functions that one unit defines and others call are followed there, and a variable that
 * they share is one symbol. UNITS lives as long as they do. */
void c_link(c_unit_t **units, size_t n);

/* Fills in the owners of variables. */
void c_find_owners(c_unit_t *unit);
/* Fills in calls_mpi; run_has_mpi() then sees through calls. */
void c_find_callers(c_unit_t *unit);

#endif
