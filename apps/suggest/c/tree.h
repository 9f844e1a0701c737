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

struct c_node;

enum c_type_kind {
    C_TYPE_VOID,
    C_TYPE_INTEGER, /* also enumerations */
    C_TYPE_BOOL,
    C_TYPE_FLOATING,
    C_TYPE_POINTER,
    C_TYPE_ARRAY,
    C_TYPE_RECORD,
    C_TYPE_FUNCTION,
    C_TYPE_OTHER, /* complex, vector, ... */
};

struct c_type {
    enum c_type_kind kind;
    int64_t size; /* bytes; -1 when not a constant or incomplete */
    int64_t align;
    bool is_signed;
    bool is_volatile, is_atomic, is_const, is_restrict;
    bool is_union;
    bool is_reference;           /* a pointer that C++ writes without & and * */
    const char *name;            /* canonical, without qualifiers */
    const struct c_type *inner;  /* pointee or element */
    int64_t count;               /* elements of an array; -1: `length`, or unknown */
    const struct c_node *length; /* of a variable-length array; NULL when not known */
};

enum c_symbol_kind {
    C_SYMBOL_LOCAL,
    C_SYMBOL_PARAMETER,
    C_SYMBOL_STATIC, /* file scope or local, internal linkage */
    C_SYMBOL_GLOBAL,
    C_SYMBOL_FUNCTION,
};

struct c_symbol {
    enum c_symbol_kind kind;
    const char *name;
    const struct c_type *type;
    bool address_taken; /* of a scalar: by & anywhere in the unit */
    bool escapes; /* its address (arrays) or value (pointers) goes where we do not follow it */
    bool only_allocated;     /* a pointer that holds nothing but NULL and results of malloc() */
    bool is_assigned;        /* a pointer: anything was assigned to it */
    struct c_symbol **flows; /* pointers that it was assigned to */
    size_t n_flows;
    const struct c_node *body;    /* of a function defined here, or of a small one in a header */
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
};

enum c_kind {
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
};

enum c_operator {
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
};

struct c_file {
    const char *path, *text;
    size_t size;
};

/* Bytes of the file; where a macro was expanded, the macro's use. */
struct c_span {
    size_t begin, end;
    unsigned line, column;
    bool in_macro;  /* begins or ends inside a macro's body: no statement of the file's text */
    bool elsewhere; /* not in the main file */
    const struct c_file *file; /* NULL: none */
};

struct c_node {
    enum c_kind kind;
    enum c_operator op;
    const struct c_type *type;
    struct c_symbol *symbol;
    int64_t value;
    bool arrow;
    const char *name;
    const char *suffix; /* what the text has behind that of [0]: ".data()" of the pointer in `v[i]`
                           of a vector */
    struct c_span span;
    struct c_node *parent;
    size_t n;
    struct c_node **child;
    size_t order; /* of a function's nodes, in the order of the text */
};

struct c_function {
    struct c_symbol *symbol;
    struct c_node *body;
    size_t begin, end;
};

struct c_error {
    unsigned line, column;
    const char *file;
    const char *text;
};

struct c_unit {
    const char *path; /* as given */
    bool is_cxx;
    struct c_file *main_file; /* the same path, and the text */
    char *text;               /* of the main file */
    size_t size;
    struct c_function *functions; /* defined in the main file */
    size_t n_functions;
    struct c_node **initialised; /* C_VARIABLE outside of functions */
    size_t n_initialised;
    struct c_symbol **symbols;
    size_t n_symbols;
    struct c_error *errors; /* of the parser */
    size_t n_errors;
    struct c_memory *memory;
    struct c_unit *
        *program; /* units that were read together, itself among them; NULL: it is alone */
    size_t n_program;
};

/* parse.c: reads PATH with the compiler's arguments. Returns NULL when the file cannot be read,
 * after writing the reason to stderr; syntax errors are in errors[]. */
struct c_unit *c_parse(const char *path, const char *const *arguments, int n_arguments);
void c_unit_free(struct c_unit *unit);

/* The arguments for PATH from BUILD/compile_commands.json, without compiler, -o, -c and the file;
 * the directory is handed on by -working-directory. Returns the number, or -1 after a message on
 * stderr. */
int c_database(const char *build, const char *path, char ***arguments);
void c_database_free(char **arguments, int n);

/* tree.c */
/* The expression without parentheses, casts and conversions. */
const struct c_node *c_bare(const struct c_node *node);
/* The text of the file that NODE was read from. */
char *c_text(struct c_memory *memory, const struct c_node *node);
/* How names are written elsewhere: NULL: they cannot be. */
struct c_names {
    const char *(*name)(void *data, const struct c_node *name);
    void *data;
};
/* text.c: the expression, written anew from its tree, with other names if NAMES is not NULL. NULL:
 * it has parts that are not written. */
const char *c_write(struct c_memory *memory, const struct c_node *node,
                    const struct c_names *names);
/* Does it come from the body of a macro, in part? Then its text is the macro's use. */
bool c_is_in_macro(const struct c_node *node);
bool c_is_other(const struct c_node *node, const char *name); /* a C_OTHER of that name */
bool c_contains(const struct c_node *outer, const struct c_node *inner);
/* The first node of the subtree, in the order of the text, that passes the test, or NULL. NULL is
 * an empty subtree. */
typedef bool c_test(const struct c_node *node, const void *data);
const struct c_node *c_find(const struct c_node *node, c_test *test, const void *data);
bool c_is_assignment(const struct c_node *node); /* also ++ and -- */
/* Does the name occur in the subtree? */
bool c_mentions(const struct c_node *node, const struct c_symbol *symbol);
bool c_is_mpi(const struct c_node *call);
bool c_is_allocator(const struct c_node *call);
const char *c_callee(const struct c_node *call); /* "" when called through a pointer */

/* uses.c: fills in address_taken, escapes, only_allocated and flows of all symbols. */
void c_find_uses(struct c_unit *unit);
/* link.c: functions that one unit defines and others call are followed there, and a variable that
 * they share is one symbol. UNITS lives as long as they do. */
void c_link(struct c_unit **units, size_t n);

/* Fills in the owners of variables. */
void c_find_owners(struct c_unit *unit);
/* Fills in calls_mpi; run_has_mpi() then sees through calls. */
void c_find_callers(struct c_unit *unit);

#endif
