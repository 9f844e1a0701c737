/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Access programs: what a packing (or unpacking) loop nest reads and writes, without its language.
 * A front end writes one for each call that sends or receives a buffer; the core turns it into a
 * datatype (shape.h). It has a text form, so that the core is tested and fed without a front end.
 *
 * Everything is in BYTES: positions in the buffer, offsets from a base, sizes, strides. Loops are
 * normalised: an iteration number counts from 0 to trip - 1, and a trip of 0 or less means no
 * iteration. A front end writes `for (i = 1; i <= n; i++) f(i)` as a loop of n iterations over f(1
 * + i).
 *
 * Ownership: a program owns its space and everything in it until access_free(); arrays and texts
 * given to its functions are copied. Threads: one at a time.
 *
 * Errors are sticky, as in poly.h: functions of the builder return an index, or -1 after an error,
 * which access_error() explains; -1 is accepted as an index. The builder checks what the reader
 * checks, so that every program that was built without an error can be printed and read back.
 * Texts have no control characters.
 *
 * The text form (white space is free, # starts a comment; names are C identifiers, or any text in
 * quotes, where \" and \\ mean " and \):
 *
 *     program "exchange_3"                              optional: a name for messages
 *     sum isiz2 + 4                                     optional, any number: see poly_note()
 *     send 10*ny*nz MPI_DOUBLE[8] at "lu.c":120:5       or recv; count, datatype[its bytes], place
 *     base g double[8] [nz][isiz2+4][isiz1+4][5]        name, element type[its bytes], dimensions
 *     base q "struct particle"[40]                      no dimensions: an object or a pointer's
 *         field "x" 16 double[8] address "q->first"     fields {name, offset, type[bytes]}, address
 *     for k < nz {                                      loop: iteration number, trip
 *       for j < ny {
 *         if "mask[c] != 0" with c = 1 + k { guard: condition, values of its names
 *           copy 40*(j+ny*k) <- g + 40*(nx + (isiz1+4)*(j+2)), 40 MPI_DOUBLE[8] at "lu.c":118:9
 *         }
 *       }
 *     }
 *
 * The call comes before bases, and these before the loops. `send COUNT TYPE[8] start 16` sends from
 * byte 16 of the buffer on. `[]` is a first dimension that is not known. A copy has a position in
 * the buffer, or `next`: behind the bytes of the copy that was executed before it; then a base and
 * perhaps + an offset, the bytes that are copied, and their basic datatype. For recv the copy goes
 * from the buffer to the base; the text is the same. Every `at` may be left out. Expressions have
 * + - * ( ), integers, names, quoted source text (an opaque atom), and array[subscript]... (an
 * entry of an index array). A name is that of the loop around it, else a named size. Sums in
 * parentheses that are factors are noted as by `sum`.
 *
 * Printing gives one canonical text, which is read back to the same program, without loops and
 * guards that have no copy.
 */
#ifndef SUGGEST_ACCESS_H
#define SUGGEST_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "poly.h"

enum {
    ACCESS_TEXT = 1 << 24,  /* most bytes of a text that is read */
    ACCESS_NESTING = 24,    /* most loops around a copy; as many guards */
    ACCESS_DIMENSIONS = 12, /* most dimensions of a base */
    ACCESS_BASES = 1000,    /* most bases; as many fields of one, and bindings of a guard */
    ACCESS_ITEMS = 100000   /* most loops, guards and copies each */
};

/* Where in the source. */
typedef struct access_place {
    const char *file; /* "" when unknown */
    int64_t line;     /* from 1; 0 when unknown */
    int64_t column;   /* from 1; 0 when unknown */
} access_place_t;

/* A datatype of MPI or of the source, and its bytes. */
typedef struct access_type {
    const char *name; /* "MPI_DOUBLE", "double", "struct particle" */
    int64_t size;     /* from 1 to 2^40 */
} access_type_t;

typedef struct access_field {
    const char *name; /* behind the element: "x", "v[0]" */
    int64_t offset;   /* from the element, in [0, size of the element) */
    access_type_t type;
} access_field_t;

/* An array, object or pointer's target that copies read (send) or write (recv). */
typedef struct access_base {
    const char *name;
    const char *address; /* C expression of the address of its first element; at most an array name
                            or &object, so that `address[1][2]` is an element when there are
                            dimensions */
    access_type_t type;  /* of an element */
    int ndims;           /* 0: one object, or what a pointer leads to, of unknown length */
    const poly_t *const *dims; /* outermost first; free of loops. dims[0] may be NULL: unknown */
    int nfields;
    const access_field_t *fields; /* of a struct, those that matter */
    const char *element; /* of a struct: its type in C; NULL: unknown. Code has sizeof and offsetof
                            of it in place of numbers */
    int nparts;
    const access_field_t *parts; /* its members that copies are in, arrays whole */
} access_base_t;

typedef struct access_loop {
    poly_atom_t variable; /* its iteration number, a POLY_LOOP */
    const poly_t *trip;   /* may depend on loops around it */
    int parent;           /* the loop around it, or -1 */
    access_place_t place;
} access_loop_t;

/* A name in the text of a guard, and its value. */
typedef struct access_binding {
    const char *name;
    const poly_t *value;
} access_binding_t;

/* An `if`. It changes with a loop exactly when the value of a binding does. */
typedef struct access_guard {
    const char *condition; /* C expression */
    int nbindings;
    const access_binding_t *bindings;
    int parent; /* the guard around it, or -1 */
    int loop;   /* the innermost loop around it, or -1 */
} access_guard_t;

typedef struct access_copy {
    const poly_t *position; /* in the buffer; NULL: next */
    int base;
    const poly_t *offset; /* from the base's address */
    const poly_t *size;
    access_type_t type; /* basic MPI datatype of the copied data; its size divides `size` */
    int loop;           /* the innermost loop around it, or -1 */
    int guard;          /* the innermost guard around it, or -1 */
    access_place_t place;
} access_copy_t;

/* The call that sends or receives the buffer. */
typedef struct access_call {
    bool receives;       /* the buffer is received, and the copies go from it to the bases */
    const poly_t *count; /* elements */
    access_type_t type;
    const poly_t *start; /* position of the first byte that the call sends or receives */
    access_place_t place;
} access_call_t;

/* Read-only for callers. */
typedef struct access_program {
    poly_space_t *space;
    const char *name; /* "" without a name */
    bool has_call;
    access_call_t call;
    int nbases, nloops, nguards, ncopies;
    access_base_t *bases;
    access_loop_t *loops; /* in the order of the text: parents first */
    access_guard_t *guards;
    access_copy_t *copies; /* in the order of the text */
    struct access_private *more;
} access_program_t;

/* ---- building ---- */

/* An empty program with a space of its own. NULL when memory is out. access_free() accepts NULL. */
access_program_t *access_new(void);
void access_free(access_program_t *program);

void access_name(access_program_t *program, const char *name);

/*
 * The call, once. `start` may be NULL for 0. Count and start are free of loops.
 */
void access_set_call(access_program_t *program, const access_call_t *call);

/* A base with a new name. `address` may be NULL for the name. Returns its index. */
int access_add_base(access_program_t *program, const access_base_t *base);

/*
 * Loops and guards open and close like the braces of the text; copies belong to the innermost ones.
 * The name of a loop differs from those of loops around it, and from every named size that is used
 * inside. access_open_loop() returns the loop's index; its iteration number is
 * program->loops[index].variable.
 */
int access_open_loop(access_program_t *program, const char *name, const poly_t *trip,
                     access_place_t place);
int access_open_guard(access_program_t *program, const char *condition, int nbindings,
                      const access_binding_t *bindings);
void access_close(access_program_t *program);

/* A copy; `loop` and `guard` of it are ignored: those that are open are taken. Returns its index.
 */
int access_add_copy(access_program_t *program, const access_copy_t *copy);

/* To be called at the end: everything is closed, there are a call and a copy. 0, or -1. */
int access_finish(access_program_t *program);

/* What went wrong first, without full stop; NULL: nothing. Includes the space's error. */
const char *access_error(const access_program_t *program);

/* ---- questions ---- */

/* The innermost loop that is open, or -1. */
int access_open(const access_program_t *program);

/* In a path, guard number i, and back. */
#define ACCESS_GUARD(i) (-2 - (i))

/*
 * The loops and guards around a copy, outermost first, into path[2 * ACCESS_NESTING]: the index of
 * a loop, or ACCESS_GUARD() of that of a guard. Returns their number.
 */
int access_path(const access_program_t *program, int copy, int *path);

/* ---- text ---- */

/* Where and why a text is not an access program. Lines and columns (in bytes) count from 1. */
typedef struct access_text_error {
    int64_t line;
    int64_t column;
    char message[200]; /* found and expected, one line, no full stop */
} access_text_error_t;

/*
 * Reads a text. NULL after an error, with *error filled in; line 0: memory is out. Time and memory
 * are about linear in the length. The caller frees.
 */
access_program_t *access_read(const char *text, size_t length, access_text_error_t *error);

/* Writes the program's text. Returns 0, or -1 if writing fails or the program has an error. */
int access_print(const access_program_t *program, FILE *out);

#endif
