/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Polynomials with 64-bit integer coefficients over atoms: what the sizes, strides, positions and
 * counts of a packing loop are made of. Sparse, in one canonical form: equal polynomials have equal
 * terms. All arithmetic is checked.
 *
 * Ownership: a space owns its atoms, polynomials and copies of all texts, until poly_space_free().
 * Polynomials are read-only. Threads: a space belongs to one thread at a time; two spaces are
 * independent. Polynomials of different spaces must not meet.
 *
 * Errors are sticky: after an overflow, a limit or a failed allocation poly_error() says so for
 * ever, and every function still returns a valid polynomial with a meaningless value. Callers
 * compute, and look at poly_error() before they believe the result.
 */
#ifndef SUGGEST_POLY_H
#define SUGGEST_POLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct poly_space poly_space_t;

/* The number of an atom in its space: 0, 1, ... in the order in which they were made. */
typedef int poly_atom_t;

enum {
    POLY_NO_ATOM = -1,
    POLY_TERMS = 2000,     /* most terms of a polynomial */
    POLY_DEGREE = 24,      /* most atoms of a term, with repetition */
    POLY_SUBSCRIPTS = 8,   /* most subscripts of an entry */
    POLY_ENTRIES = 4,      /* how deep entries may nest in subscripts of entries */
    POLY_NOTES = 200,      /* most sums that poly_note() remembers */
    POLY_MEMORY = 1 << 28, /* most bytes of a space */
    POLY_TEXT = 4096       /* most bytes of a name or expression */
};

typedef enum poly_error {
    POLY_OK,
    POLY_OVERFLOW, /* a coefficient, or a value, does not fit in 64 bits */
    POLY_LIMIT,    /* more terms, atoms, memory or text than the limits above */
    POLY_NOMEM     /* an allocation failed */
} poly_error_t;

typedef enum poly_kind {
    POLY_NAME,   /* a named size that no loop changes: nx */
    POLY_OPAQUE, /* any other expression that no loop changes, carried as source text: n/2, p->nx */
    POLY_LOOP,   /* the iteration number of a loop, which counts from 0 */
    POLY_ENTRY   /* an element of an index array: cell_size[c][2] */
} poly_kind_t;

typedef struct poly_term {
    int64_t coefficient; /* not 0 */
    int degree;
    const poly_atom_t *atoms; /* degree entries, ascending; an exponent is a repetition */
} poly_term_t;

/* By degree, the highest first, then by atoms. No terms: 0. */
typedef struct poly {
    int count;
    const poly_term_t *terms;
} poly_t;

/* ---- spaces ---- */

/* NULL when memory is out. poly_space_free() accepts NULL. */
poly_space_t *poly_space_new(void);
void poly_space_free(poly_space_t *space);

poly_error_t poly_error(const poly_space_t *space);

/* A short English phrase, static storage. */
const char *poly_error_text(poly_error_t error);

/* Zeroed memory that lives as long as the space; NULL after the sticky error is set. */
void *poly_alloc(poly_space_t *space, size_t count, size_t size);

/* A copy that lives as long as the space, followed by '\0'. Bytes of 0 in `text` are an error of
 * the caller's. After the sticky error is set: "". */
const char *poly_text(poly_space_t *space, const char *text, size_t length);

/* ---- atoms ---- */

/* The atom of that name or expression; one text is one atom of its kind. A NAME is an identifier.
 */
poly_atom_t poly_name(poly_space_t *space, const char *text, size_t length);
poly_atom_t poly_opaque(poly_space_t *space, const char *text, size_t length);

/* A new atom at every call, for a loop with a variable of that name. */
poly_atom_t poly_loop(poly_space_t *space, const char *text, size_t length);

/*
 * The element of the array (or expression) `text` at `count` subscripts, 1 to POLY_SUBSCRIPTS,
 * outermost first. The same array and equal subscripts are the same atom, so the array must not be
 * assigned in the region. Its value is an integer.
 */
poly_atom_t poly_entry(poly_space_t *space, const char *text, size_t length, int count,
                       const poly_t *const *subscripts);

int poly_atoms(const poly_space_t *space);
poly_kind_t poly_kind(const poly_space_t *space, poly_atom_t atom);
const char *poly_atom_text(const poly_space_t *space, poly_atom_t atom);

/* The subscripts of an ENTRY, *count of them. */
const poly_t *const *poly_subscripts(const poly_space_t *space, poly_atom_t atom, int *count);

/* ---- polynomials ---- */

const poly_t *poly_constant(poly_space_t *space, int64_t value);
const poly_t *poly_variable(poly_space_t *space, poly_atom_t atom);
const poly_t *poly_add(poly_space_t *space, const poly_t *a, const poly_t *b);
const poly_t *poly_subtract(poly_space_t *space, const poly_t *a, const poly_t *b);
const poly_t *poly_negate(poly_space_t *space, const poly_t *a);
const poly_t *poly_multiply(poly_space_t *space, const poly_t *a, const poly_t *b);
const poly_t *poly_scale(poly_space_t *space, const poly_t *a, int64_t factor);

/* q with a = q * b; NULL if no q has integer coefficients, or b is 0. */
const poly_t *poly_divide(poly_space_t *space, const poly_t *a, const poly_t *b);

/* a = *q * b + *r, as far as the leading term of b divides terms. b is not 0. */
void poly_divide_rest(poly_space_t *space, const poly_t *a, const poly_t *b, const poly_t **q,
                      const poly_t **r);

/* `a` with `atom` replaced, also in the subscripts of entries. */
const poly_t *poly_substitute(poly_space_t *space, const poly_t *a, poly_atom_t atom,
                              const poly_t *by);

/* ---- questions ---- */

/* All of one canonical form: equal as polynomials. poly_hash() is equal for equal ones. */
bool poly_equal(const poly_t *a, const poly_t *b);
uint64_t poly_hash(const poly_t *a);
bool poly_is_zero(const poly_t *a);

/* Is it a number? Then *value (may be NULL) is set. */
bool poly_is_constant(const poly_t *a, int64_t *value);

/* Does its value change with the atom's? Subscripts of entries count. */
bool poly_depends(const poly_space_t *space, const poly_t *a, poly_atom_t atom);

/* Has it a factor or subscript that is the iteration number of any loop? */
bool poly_depends_on_loops(const poly_space_t *space, const poly_t *a);

/* a = *slope * atom + *rest, which do not depend on the atom; false if no such two exist. */
bool poly_linear(poly_space_t *space, const poly_t *a, poly_atom_t atom, const poly_t **slope,
                 const poly_t **rest);

/*
 * Is it certainly at least `least` wherever every NAME, OPAQUE and ENTRY is at least 1 and every
 * LOOP at least 0? false: not known.
 */
bool poly_at_least(poly_space_t *space, const poly_t *a, int64_t least);

/* ---- values ---- */

/* Where atoms get their values. value() is called for atoms other than entries, entry() for
 * entries, with the values of the subscripts. */
typedef struct poly_values {
    int64_t (*value)(void *data, poly_atom_t atom);
    int64_t (*entry)(void *data, poly_atom_t atom, int count, const int64_t *subscripts);
    void *data;
} poly_values_t;

/* Its value. false: some step does not fit in 64 bits; *out is then unchanged. Not sticky. */
bool poly_value(const poly_space_t *space, const poly_t *a, const poly_values_t *values,
                int64_t *out);

/* ---- text ---- */

/*
 * Remembers a sum that the source writes as a factor or a bound, such as isiz1 + 4, for
 * poly_print(). What has less than two terms, or depends on a loop, or is remembered, is ignored.
 */
void poly_note(poly_space_t *space, const poly_t *sum);

/* The noted sums, *count of them; valid until the next poly_note(). */
const poly_t *const *poly_notes(const poly_space_t *space, int *count);

typedef enum poly_style {
    POLY_SOURCE, /* as a person writes it: 40*(nx+4)*(ny+4) */
    POLY_AINT,   /* C of type MPI_Aint: the first factor of every product is cast */
    POLY_ACCESS  /* what the reader of access.h reads: texts of opaque atoms are quoted */
} poly_style_t;

/*
 * Writes it, factored: the common number and atoms first, then noted sums that divide it, then the
 * rest. POLY_ACCESS: expanded. `factor`: it is in a product, or follows a minus; several terms get
 * parentheses.
 */
void poly_print(poly_space_t *space, const poly_t *a, poly_style_t style, bool factor, FILE *out);

/* The same as a text of the space. "" after a sticky error. */
const char *poly_string(poly_space_t *space, const poly_t *a, poly_style_t style, bool factor);

#endif
