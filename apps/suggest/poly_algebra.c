/* SPDX-License-Identifier: BSD-3-Clause */
/* Arithmetic. */
#include "poly.h"

#include <stdlib.h>
#include <string.h>

#include "poly_space.h"

static const poly_t zero;

int poly_compare_terms(const poly_term_t *a, const poly_term_t *b)
{
    if (a->degree != b->degree) {
        return a->degree > b->degree ? -1 : 1;
    }
    for (int i = 0; i < a->degree; i++) {
        if (a->atoms[i] != b->atoms[i]) {
            return a->atoms[i] < b->atoms[i] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_for_sort(const void *a, const void *b)
{
    return poly_compare_terms(a, b);
}

/* A polynomial of terms in order, of which equal ones are added and zeros dropped. Takes the
 * array. */
static const poly_t *of_sorted(poly_space_t *space, poly_term_t *terms, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (kept > 0 && poly_compare_terms(&terms[kept - 1], &terms[i]) == 0) {
            if (__builtin_add_overflow(terms[kept - 1].coefficient, terms[i].coefficient,
                                       &terms[kept - 1].coefficient)) {
                poly_fail(space, POLY_OVERFLOW);
                return &zero;
            }
        } else {
            kept -= kept > 0 && terms[kept - 1].coefficient == 0;
            terms[kept++] = terms[i];
        }
    }
    kept -= kept > 0 && terms[kept - 1].coefficient == 0;
    poly_t *out = kept > 0 ? poly_alloc(space, 1, sizeof(*out)) : NULL;
    if (kept > POLY_TERMS) {
        poly_fail(space, POLY_LIMIT);
        return &zero;
    }
    if (out == NULL) {
        return &zero;
    }
    *out = (poly_t){.count = kept, .terms = terms};
    return out;
}

static const poly_t *one_term(poly_space_t *space, int64_t coefficient, int degree,
                              const poly_atom_t *atoms)
{
    poly_term_t *term = coefficient != 0 ? poly_alloc(space, 1, sizeof(*term)) : NULL;
    if (term == NULL) {
        return &zero;
    }
    *term = (poly_term_t){.coefficient = coefficient, .degree = degree, .atoms = atoms};
    return of_sorted(space, term, 1);
}

const poly_t *poly_constant(poly_space_t *space, int64_t value)
{
    return one_term(space, value, 0, NULL);
}

const poly_t *poly_variable(poly_space_t *space, poly_atom_t atom)
{
    poly_atom_t *atoms = atom >= 0 ? poly_alloc(space, 1, sizeof(*atoms)) : NULL;
    if (atoms == NULL) {
        return &zero;
    }
    *atoms = atom;
    return one_term(space, 1, 1, atoms);
}

const poly_t *poly_add(poly_space_t *space, const poly_t *a, const poly_t *b)
{
    if (a->count == 0 || b->count == 0) {
        return a->count == 0 ? b : a;
    }
    poly_term_t *terms = poly_alloc(space, (size_t) a->count + (size_t) b->count, sizeof(*terms));
    if (terms == NULL) {
        return &zero;
    }
    int n = 0;
    for (int i = 0, j = 0; i < a->count || j < b->count;) {
        bool left =
            j == b->count || (i < a->count && poly_compare_terms(&a->terms[i], &b->terms[j]) <= 0);
        terms[n++] = left ? a->terms[i++] : b->terms[j++];
    }
    return of_sorted(space, terms, n);
}

/* The product of two terms. */
static poly_term_t product(poly_space_t *space, const poly_term_t *a, const poly_term_t *b)
{
    poly_term_t out = {.degree = a->degree + b->degree};
    if (__builtin_mul_overflow(a->coefficient, b->coefficient, &out.coefficient)) {
        poly_fail(space, POLY_OVERFLOW);
    }
    if (out.degree > POLY_DEGREE) {
        poly_fail(space, POLY_LIMIT);
    }
    if (a->degree == 0 || b->degree == 0) {
        out.atoms = a->degree == 0 ? b->atoms : a->atoms;
        return out;
    }
    poly_atom_t *atoms =
        space->error == POLY_OK ? poly_alloc(space, (size_t) out.degree, sizeof(*atoms)) : NULL;
    if (atoms == NULL) {
        return (poly_term_t){.coefficient = 1};
    }
    int n = 0;
    for (int i = 0, j = 0; i < a->degree || j < b->degree;) {
        bool left = j == b->degree || (i < a->degree && a->atoms[i] <= b->atoms[j]);
        atoms[n++] = left ? a->atoms[i++] : b->atoms[j++];
    }
    out.atoms = atoms;
    return out;
}

const poly_t *poly_multiply(poly_space_t *space, const poly_t *a, const poly_t *b)
{
    size_t count = (size_t) a->count * (size_t) b->count;
    if (count > (size_t) 8 * POLY_TERMS) {
        poly_fail(space, POLY_LIMIT);
        return &zero;
    }
    poly_term_t *terms = count > 0 ? poly_alloc(space, count, sizeof(*terms)) : NULL;
    if (terms == NULL) {
        return &zero;
    }
    for (int i = 0, n = 0; i < a->count; i++) {
        for (int j = 0; j < b->count; j++) {
            terms[n++] = product(space, &a->terms[i], &b->terms[j]);
        }
    }
    if (space->error != POLY_OK) {
        return &zero;
    }
    if (a->count > 1 && b->count > 1) { /* a product with one term keeps the order */
        qsort(terms, count, sizeof(*terms), compare_for_sort);
    }
    return of_sorted(space, terms, (int) count);
}

const poly_t *poly_scale(poly_space_t *space, const poly_t *a, int64_t factor)
{
    if (factor == 1) {
        return a;
    }
    return poly_multiply(space, a, poly_constant(space, factor));
}

const poly_t *poly_negate(poly_space_t *space, const poly_t *a)
{
    return poly_scale(space, a, -1);
}

const poly_t *poly_subtract(poly_space_t *space, const poly_t *a, const poly_t *b)
{
    return a == b ? &zero : poly_add(space, a, poly_negate(space, b));
}

/* a / b of terms; NULL: not exact. */
static const poly_t *quotient(poly_space_t *space, const poly_term_t *a, const poly_term_t *b)
{
    if ((b->coefficient == -1 && a->coefficient == INT64_MIN) ||
        a->coefficient % b->coefficient != 0 || a->degree < b->degree) {
        return NULL;
    }
    poly_atom_t atoms[POLY_DEGREE];
    int n = 0, j = 0;
    for (int i = 0; i < a->degree; i++) {
        if (j < b->degree && a->atoms[i] == b->atoms[j]) {
            j++;
        } else {
            atoms[n++] = a->atoms[i];
        }
    }
    if (j < b->degree) {
        return NULL;
    }
    poly_atom_t *copy = n > 0 ? poly_alloc(space, (size_t) n, sizeof(*copy)) : NULL;
    if (n > 0 && copy == NULL) {
        return NULL;
    }
    if (n > 0) {
        memcpy(copy, atoms, (size_t) n * sizeof(*copy));
    }
    return one_term(space, a->coefficient / b->coefficient, n, copy);
}

static const poly_t *leading(poly_space_t *space, const poly_t *a)
{
    return one_term(space, a->terms[0].coefficient, a->terms[0].degree, a->terms[0].atoms);
}

/* *r is 0 when b divides a. `exact`: stops at the first term that b's does not divide. */
static void divide(poly_space_t *space, const poly_t *a, const poly_t *b, bool exact,
                   const poly_t **q, const poly_t **r)
{
    poly_error_t before = space->error;
    const poly_t *done = &zero, *left = &zero;
    int steps = 0;
    while (a->count > 0 && space->error == POLY_OK) {
        const poly_t *step = b->count > 0 ? quotient(space, &a->terms[0], &b->terms[0]) : NULL;
        if (step != NULL && ++steps <= POLY_TERMS) {
            done = poly_add(space, done, step);
            a = poly_subtract(space, a, poly_multiply(space, step, b));
        } else if (exact) {
            break;
        } else {
            const poly_t *first = leading(space, a);
            left = poly_add(space, left, first);
            a = poly_subtract(space, a, first);
        }
    }
    if (space->error == POLY_OVERFLOW && before == POLY_OK) {
        space->error = before; /* of a quotient that need not exist */
        done = &zero;
        left = b;
        a = b;
    }
    *q = done;
    *r = exact ? a : left;
}

const poly_t *poly_divide(poly_space_t *space, const poly_t *a, const poly_t *b)
{
    const poly_t *q, *r;
    if (a->count == 0 && b->count > 0) {
        return a;
    }
    divide(space, a, b, true, &q, &r);
    return r->count == 0 && b->count > 0 && space->error == POLY_OK ? q : NULL;
}

void poly_divide_rest(poly_space_t *space, const poly_t *a, const poly_t *b, const poly_t **q,
                      const poly_t **r)
{
    divide(space, a, b, false, q, r);
}

static int64_t gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 && a != INT64_MIN ? -a : a;
}

const poly_t *poly_content(poly_space_t *space, const poly_t *a)
{
    if (a->count == 0) {
        return a;
    }
    int64_t number = 0;
    poly_atom_t atoms[POLY_DEGREE];
    int degree = a->terms[0].degree;
    memcpy(atoms, a->terms[0].degree > 0 ? a->terms[0].atoms : atoms,
           (size_t) degree * sizeof(*atoms));
    for (int t = 0; t < a->count; t++) {
        const poly_term_t *term = &a->terms[t];
        int kept = 0;
        for (int i = 0, j = 0; i < degree && j < term->degree;) {
            if (atoms[i] == term->atoms[j]) {
                atoms[kept++] = atoms[i++];
                j++;
            } else if (atoms[i] < term->atoms[j]) {
                i++;
            } else {
                j++;
            }
        }
        degree = kept;
        number = term->coefficient == INT64_MIN ? 1 : gcd(number, term->coefficient);
        if (term->coefficient == INT64_MIN) {
            break; /* its absolute value does not fit */
        }
    }
    poly_atom_t *copy = degree > 0 ? poly_alloc(space, (size_t) degree, sizeof(*copy)) : NULL;
    if (degree > 0 && copy != NULL) {
        memcpy(copy, atoms, (size_t) degree * sizeof(*copy));
    }
    return one_term(space, a->terms[0].coefficient < 0 ? -number : number,
                    copy != NULL ? degree : 0, copy);
}

/* ---- questions ---- */

bool poly_equal(const poly_t *a, const poly_t *b)
{
    if (a == b) {
        return true;
    }
    if (a->count != b->count) {
        return false;
    }
    for (int i = 0; i < a->count; i++) {
        if (a->terms[i].coefficient != b->terms[i].coefficient ||
            poly_compare_terms(&a->terms[i], &b->terms[i]) != 0) {
            return false;
        }
    }
    return true;
}

uint64_t poly_hash(const poly_t *a)
{
    uint64_t hash = 1;
    for (int i = 0; i < a->count; i++) {
        hash = (hash ^ (uint64_t) a->terms[i].coefficient) * 0x9e3779b97f4a7c15u;
        for (int j = 0; j < a->terms[i].degree; j++) {
            hash = (hash ^ hash >> 31 ^ (uint64_t) a->terms[i].atoms[j]) * 0xbf58476d1ce4e5b9u;
        }
        hash ^= hash >> 29;
    }
    return hash;
}

bool poly_is_zero(const poly_t *a)
{
    return a->count == 0;
}

bool poly_is_constant(const poly_t *a, int64_t *value)
{
    if (a->count > 1 || (a->count == 1 && a->terms[0].degree > 0)) {
        return false;
    }
    if (value != NULL) {
        *value = a->count == 0 ? 0 : a->terms[0].coefficient;
    }
    return true;
}

static bool atom_depends(const poly_space_t *space, poly_atom_t on, poly_atom_t atom)
{
    if (on == atom || (atom == POLY_NO_ATOM && space->atoms[on].kind == POLY_LOOP)) {
        return true;
    }
    for (int i = 0; i < space->atoms[on].nsubscripts; i++) {
        if (poly_depends(space, space->atoms[on].subscripts[i], atom)) {
            return true;
        }
    }
    return false;
}

static bool term_depends(const poly_space_t *space, const poly_term_t *term, poly_atom_t atom)
{
    for (int i = 0; i < term->degree; i++) {
        if (atom_depends(space, term->atoms[i], atom)) {
            return true;
        }
    }
    return false;
}

bool poly_depends(const poly_space_t *space, const poly_t *a, poly_atom_t atom)
{
    for (int i = 0; i < a->count; i++) {
        if (term_depends(space, &a->terms[i], atom)) {
            return true;
        }
    }
    return false;
}

bool poly_depends_on_loops(const poly_space_t *space, const poly_t *a)
{
    return poly_depends(space, a, POLY_NO_ATOM);
}

bool poly_linear(poly_space_t *space, const poly_t *a, poly_atom_t atom, const poly_t **slope,
                 const poly_t **rest)
{
    const poly_t *by = poly_variable(space, atom);
    poly_term_t *with = poly_alloc(space, (size_t) a->count, sizeof(*with));
    poly_term_t *without = poly_alloc(space, (size_t) a->count, sizeof(*without));
    if (with == NULL || without == NULL || by->count == 0) {
        return false;
    }
    int nwith = 0, nwithout = 0;
    for (int i = 0; i < a->count; i++) {
        if (!term_depends(space, &a->terms[i], atom)) {
            without[nwithout++] = a->terms[i];
            continue;
        }
        const poly_t *factor = quotient(space, &a->terms[i], &by->terms[0]);
        if (factor == NULL || term_depends(space, &factor->terms[0], atom)) {
            return false;
        }
        with[nwith++] = factor->terms[0];
    }
    *slope = of_sorted(space, with, nwith);
    *rest = of_sorted(space, without, nwithout);
    return space->error == POLY_OK;
}

/* ---- substitution ---- */

/* The atom, or the entry with that in its subscripts. */
static const poly_t *substituted_atom(poly_space_t *space, poly_atom_t on, poly_atom_t atom,
                                      const poly_t *by)
{
    if (on == atom) {
        return by;
    }
    if (!atom_depends(space, on, atom)) {
        return poly_variable(space, on);
    }
    const poly_t *subscripts[POLY_SUBSCRIPTS];
    int n = space->atoms[on].nsubscripts;
    for (int i = 0; i < n; i++) {
        subscripts[i] = poly_substitute(space, space->atoms[on].subscripts[i], atom, by);
    }
    const char *text = space->atoms[on].text;
    return poly_variable(space, poly_entry(space, text, strlen(text), n, subscripts));
}

const poly_t *poly_substitute(poly_space_t *space, const poly_t *a, poly_atom_t atom,
                              const poly_t *by)
{
    if (!poly_depends(space, a, atom)) {
        return a;
    }
    const poly_t *out = &zero;
    for (int i = 0; i < a->count && space->error == POLY_OK; i++) {
        const poly_term_t *term = &a->terms[i];
        const poly_t *part = poly_constant(space, term->coefficient);
        for (int j = 0; j < term->degree; j++) {
            part = poly_multiply(space, part, substituted_atom(space, term->atoms[j], atom, by));
        }
        out = poly_add(space, out, part);
    }
    return out;
}

bool poly_at_least(poly_space_t *space, const poly_t *a, int64_t least)
{
    poly_error_t before = space->error;
    const poly_t *shifted = &zero;
    for (int i = 0; i < a->count && space->error == POLY_OK; i++) {
        const poly_term_t *term = &a->terms[i];
        const poly_t *part = poly_constant(space, term->coefficient);
        for (int j = 0; j < term->degree; j++) {
            const poly_t *atom = poly_variable(space, term->atoms[j]);
            if (space->atoms[term->atoms[j]].kind != POLY_LOOP) {
                atom = poly_add(space, atom, poly_constant(space, 1));
            }
            part = poly_multiply(space, part, atom);
        }
        shifted = poly_add(space, shifted, part);
    }
    if (space->error != before) {
        space->error = space->error == POLY_NOMEM ? POLY_NOMEM : before; /* not known */
        return false;
    }
    int64_t constant = 0;
    for (int i = 0; i < shifted->count; i++) {
        if (shifted->terms[i].degree == 0) {
            constant = shifted->terms[i].coefficient;
        } else if (shifted->terms[i].coefficient < 0) {
            return false;
        }
    }
    return constant >= least;
}

/* ---- values ---- */

static bool atom_value(const poly_space_t *space, poly_atom_t atom, const poly_values_t *values,
                       int64_t *out)
{
    const poly_atom_entry_t *entry = &space->atoms[atom];
    if (entry->kind != POLY_ENTRY) {
        *out = values->value(values->data, atom);
        return true;
    }
    int64_t subscripts[POLY_SUBSCRIPTS];
    for (int i = 0; i < entry->nsubscripts; i++) {
        if (!poly_value(space, entry->subscripts[i], values, &subscripts[i])) {
            return false;
        }
    }
    *out = values->entry(values->data, atom, entry->nsubscripts, subscripts);
    return true;
}

bool poly_value(const poly_space_t *space, const poly_t *a, const poly_values_t *values,
                int64_t *out)
{
    int64_t sum = 0;
    for (int i = 0; i < a->count; i++) {
        int64_t part = a->terms[i].coefficient;
        for (int j = 0; j < a->terms[i].degree; j++) {
            int64_t factor;
            if (!atom_value(space, a->terms[i].atoms[j], values, &factor) ||
                __builtin_mul_overflow(part, factor, &part)) {
                return false;
            }
        }
        if (__builtin_add_overflow(sum, part, &sum)) {
            return false;
        }
    }
    *out = sum;
    return true;
}

void poly_note(poly_space_t *space, const poly_t *sum)
{
    if (sum->count < 2 || space->nnotes == POLY_NOTES || space->error != POLY_OK ||
        poly_depends_on_loops(space, sum)) {
        return;
    }
    for (int i = 0; i < space->nnotes; i++) {
        if (poly_equal(space->notes[i], sum)) {
            return;
        }
    }
    if (space->nnotes == space->notes_room) {
        int room = space->notes_room > 0 ? 2 * space->notes_room : 16;
        const poly_t **notes = realloc(space->notes, (size_t) room * sizeof(*notes));
        if (notes == NULL) {
            poly_fail(space, POLY_NOMEM);
            return;
        }
        space->notes = notes;
        space->notes_room = room;
    }
    space->notes[space->nnotes++] = sum;
}

const poly_t *const *poly_notes(const poly_space_t *space, int *count)
{
    *count = space->nnotes;
    return space->notes;
}
