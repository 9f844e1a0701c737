/* SPDX-License-Identifier: BSD-3-Clause */
/* apps/suggest/c/fortran.h: Fortran as gfortran understands it, written as C for the rest of the
 * analysis.
 *
 * Reads the text that gfortran prints for -fdump-fortran-original (documented nowhere; tried with
 * gfortran 12): every name is qualified by the scope that declares it, constants are folded, and
 * statements are prefix expressions. The C text has the same loads, stores, loops, conditions and
 * calls of MPI. An unknown construct becomes a call of an unknown function, or the whole procedure
 * is not analysed; nothing is skipped.
 */
#ifndef SUGGEST_C_FORTRAN_H
#define SUGGEST_C_FORTRAN_H

#include "tree.h"

/* ---- the dump (fortran_dump.c) ---- */

enum f_base { F_INTEGER, F_REAL, F_COMPLEX, F_LOGICAL, F_DERIVED, F_OTHER_TYPE };

enum { F_RANK = 15 };

enum f_shape {
    F_SCALAR,
    F_EXPLICIT,     /* bounds of all dimensions */
    F_ASSUMED_SIZE, /* all but the last upper bound */
    F_ALLOCATABLE,  /* contiguous, bounds known at run time */
    F_DESCRIPTOR,   /* assumed shape or pointer: perhaps not contiguous */
};

struct f_type {
    enum f_base base;
    int bytes;           /* of INTEGER, REAL, LOGICAL and of each part of COMPLEX */
    const char *derived; /* name */
};

struct f_array {
    enum f_shape shape;
    int rank;
    const struct f_expression *lower[F_RANK], *upper[F_RANK]; /* NULL: not known */
};

struct f_component {
    const char *name;
    struct f_type type;
    struct f_array array;
    bool is_plain; /* no pointer, nothing allocatable */
    struct f_component *next;
};

struct f_symbol {
    const char *scope, *name;
    struct f_type type;
    struct f_array array;
    bool is_variable, is_procedure, is_dummy, is_parameter, is_static;
    bool is_target;   /* pointers may lead to it */
    bool is_overlaid; /* EQUIVALENCE, or an associate name */
    const char *value;
    struct f_component *components; /* of a derived type */
    bool is_request;
    const char *c_name; /* NULL: not declared yet */
    struct f_symbol *next;
};

enum f_kind {
    F_CONSTANT,
    F_REFERENCE,
    F_CALL,
    F_OPERATION,
    F_SECTION, /* [0] lower, [1] upper, [2] step, each may be NULL */
    F_FULL,    /* the whole array */
    F_ABSENT,
};

/* Part of a reference: a(i, j) or % x(i). */
struct f_part {
    const char *component; /* NULL for the first */
    int n;                 /* subscripts */
    struct f_expression *subscript[F_RANK];
    struct f_part *next;
};

struct f_expression {
    enum f_kind kind;
    const char *text; /* of constants, operators and functions; the scope of references */
    const char *name; /* of references */
    struct f_part *parts;
    int n;
    struct f_expression **argument;
};

struct f_statement {
    char *text; /* without indentation */
    struct f_statement *next;
};

struct f_procedure {
    const char *name;
    struct f_statement *statements;
    struct f_procedure *parent; /* with the variables that it may change */
    bool has_inner;
    struct f_procedure *next;
};

struct f_dump {
    struct c_memory *memory;
    struct f_symbol *symbols; /* the last first */
    struct f_procedure *procedures;
};

void f_read_dump(struct f_dump *dump, char *text);
struct f_symbol *f_find(const struct f_dump *dump, const char *scope, const char *name);

/* Reads an expression from *text, and moves it behind; NULL when it is not understood. */
struct f_expression *f_expression(struct c_memory *memory, const char **text);

/* ---- positions (fortran_lines.c): not in the dump ---- */

struct f_lines;

struct f_lines *f_lines_read(const char *path);
void f_lines_free(struct f_lines *lines);
void f_lines_enter(struct f_lines *lines, const char *procedure);
/* The line of the next statement of the source with all these words in this order, blanks left out;
 * that of the statement before if absent. */
unsigned f_lines_find(struct f_lines *lines, const char *first, const char *second);

/* ---- C (fortran_text.c) ---- */

/* A procedure that calls MPI and is left out. */
struct f_refused {
    const char *procedure, *why;
    unsigned line;
    const struct f_refused *next;
};

struct f_text {
    char *text;     /* malloc()ed */
    unsigned *line; /* malloc()ed: of Fortran, by line of C from 1 */
    size_t n_lines;
    const struct f_refused *refusals;
};

struct f_text f_write_c(struct f_dump *dump, struct f_lines *lines);

/* ---- all of it (fortran.c) ---- */

bool f_is_fortran(const char *path);
/* The unit of a Fortran file, or NULL after a message on stderr. *REFUSALS lives as long as the
 * unit. */
struct c_unit *f_parse(const char *path, const char *const *arguments, int n_arguments,
                       const struct f_refused **refusals);

#endif
