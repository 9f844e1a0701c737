/* SPDX-License-Identifier: BSD-3-Clause */
/* Polynomials as text, factored as the source writes them. */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "poly_space.h"

enum { FACTORS = 16 };

static bool is_identifier(const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        bool letter = *at == '_' || (*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z');
        if (!letter && (at == text || *at < '0' || *at > '9')) {
            return false;
        }
    }
    return text[0] != '\0';
}

#define ADDRESS_CAST "(MPI_Aint) "

/* Is it one operand in any C expression: an identifier, a call, a member, an element? */
static bool is_primary(const char *text)
{
    int depth = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '(' || *at == '[') {
            depth++;
        } else if (*at == ')' || *at == ']') {
            depth--;
        } else if (depth == 0) {
            bool word = *at == '_' || *at == '.' || (*at >= '0' && *at <= '9') ||
                        (*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z');
            bool arrow = (*at == '-' && at[1] == '>') || (*at == '>' && at > text && at[-1] == '-');
            if (!word && !arrow) {
                return false;
            }
        }
    }
    return text[0] != '(' || strchr(text, ')') == text + strlen(text) - 1;
}

static void print_quoted(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', out);
        }
        fputc(*text, out);
    }
    fputc('"', out);
}

static void print_atom(poly_space_t *space, poly_atom_t atom, poly_style_t style, FILE *out)
{
    const poly_atom_entry_t *entry = &space->atoms[atom];
    if (style == POLY_ACCESS) {
        if (entry->kind == POLY_OPAQUE || !is_identifier(entry->text)) {
            print_quoted(entry->text, out);
        } else {
            fputs(entry->text, out);
        }
    } else {
        /* an address among the entries of an array of pointers is cast; subscripts bind more tightly */
        const size_t cast = entry->nsubscripts > 0 && strncmp(entry->text, ADDRESS_CAST, sizeof(ADDRESS_CAST) - 1) == 0
                                ? sizeof(ADDRESS_CAST) - 1
                                : 0;
        fprintf(out, is_primary(entry->text + cast) ? "%s" : "(%s)", entry->text);
    }
    for (int i = 0; i < entry->nsubscripts; i++) {
        fputc('[', out);
        poly_print(space, entry->subscripts[i], style == POLY_AINT ? POLY_SOURCE : style, false,
                   out);
        fputc(']', out);
    }
}

static void print_number(int64_t number, poly_style_t style, FILE *out)
{
    if (number == INT64_MIN && style != POLY_ACCESS) {
        fputs("(-9223372036854775807-1)", out);
    } else {
        fprintf(out, "%" PRId64, number);
    }
}

/* ---- the canonical, expanded form: independent of the order in which atoms were made ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *) a, *(char *const *) b);
}

typedef struct printed_term {
    char *text; /* atoms, in order of their texts */
    const poly_term_t *term;
} printed_term_t;

static int by_degree_and_text(const void *a, const void *b)
{
    const printed_term_t *left = a, *right = b;
    if (left->term->degree != right->term->degree) {
        return left->term->degree > right->term->degree ? -1 : 1;
    }
    return strcmp(left->text, right->text);
}

static char *term_text(poly_space_t *space, const poly_term_t *term)
{
    char *texts[POLY_DEGREE] = {NULL}, *whole = NULL;
    size_t length;
    for (int i = 0; i < term->degree; i++) {
        FILE *out = open_memstream(&texts[i], &length);
        if (out != NULL) {
            print_atom(space, term->atoms[i], POLY_ACCESS, out);
            fclose(out);
        }
        if (texts[i] == NULL) {
            poly_fail(space, POLY_NOMEM);
            texts[i] = strdup("");
        }
    }
    qsort(texts, (size_t) term->degree, sizeof(*texts), by_text);
    FILE *out = open_memstream(&whole, &length);
    for (int i = 0; i < term->degree; i++) {
        if (out != NULL) {
            fprintf(out, i > 0 ? "*%s" : "%s", texts[i]);
        }
        free(texts[i]);
    }
    if (out == NULL || fclose(out) != 0) {
        poly_fail(space, POLY_NOMEM);
    }
    return whole;
}

static void print_expanded(poly_space_t *space, const poly_t *a, FILE *out)
{
    printed_term_t *terms = calloc((size_t) a->count, sizeof(*terms));
    if (terms == NULL) {
        poly_fail(space, POLY_NOMEM);
        return;
    }
    for (int i = 0; i < a->count; i++) {
        terms[i].term = &a->terms[i];
        terms[i].text = term_text(space, &a->terms[i]);
    }
    if (space->error == POLY_OK) {
        qsort(terms, (size_t) a->count, sizeof(*terms), by_degree_and_text);
    }
    for (int i = 0; i < a->count && space->error == POLY_OK; i++) {
        int64_t number = terms[i].term->coefficient;
        if (i > 0) {
            fputs(number < 0 ? " - " : " + ", out);
            number = number < 0 && number != INT64_MIN ? -number : number;
        }
        if (terms[i].term->degree == 0 || number != 1) {
            fprintf(out, number == -1 && terms[i].term->degree > 0 ? "-" : "%" PRId64, number);
        }
        if (terms[i].term->degree > 0) {
            fprintf(out, number != 1 && number != -1 ? "*%s" : "%s", terms[i].text);
        }
    }
    for (int i = 0; i < a->count; i++) {
        free(terms[i].text);
    }
    free(terms);
}

/* ---- the factored form ---- */

/* After the cast must follow a product's first factor, not a sum. */
static void print_cast(bool wanted, FILE *out)
{
    if (wanted) {
        fputs("(MPI_Aint) ", out);
    }
}

static void print_sum(poly_space_t *space, const poly_t *a, poly_style_t style, bool goes_on,
                      FILE *out);

/* A monomial and sums, as one product. `negative`: its sign was already written. */
static void print_product(poly_space_t *space, const poly_term_t *monomial, const poly_t **sums,
                          int nsums, poly_style_t style, bool negative, FILE *out)
{
    int64_t number = monomial->coefficient;
    number = negative && number != INT64_MIN ? -number : number;
    int factors = monomial->degree + nsums;
    bool minus = number == -1 && factors > 0;
    if (minus) {
        fputc('-', out);
        number = 1;
    }
    bool has_number = factors == 0 || number != 1;
    bool parentheses = factors + has_number + minus > 1;
    print_cast(style == POLY_AINT && factors + has_number > 1, out);
    const char *times = "";
    if (has_number) {
        print_number(number, style, out);
        times = "*";
    }
    for (int i = 0; i < monomial->degree; i++) {
        fputs(times, out);
        print_atom(space, monomial->atoms[i], style, out);
        times = "*";
    }
    for (int i = 0; i < nsums; i++) {
        fprintf(out, parentheses ? "%s(" : "%s", times);
        print_sum(space, sums[i], style, false, out);
        fputs(parentheses ? ")" : "", out);
        times = "*";
    }
}

/* A noted sum that leaves fewer terms behind; the number that it leaves. */
static int best_note(poly_space_t *space, const poly_t *a, const poly_t **quotient,
                     const poly_t **rest)
{
    int best = a->count;
    for (int i = 0; i < space->nnotes; i++) {
        const poly_t *q, *r;
        if (space->notes[i]->count < a->count) {
            poly_divide_rest(space, a, space->notes[i], &q, &r);
            if (q->count > 0 && r->count > 0 && q->count + r->count < best &&
                space->error == POLY_OK) {
                best = q->count + r->count;
                *quotient = poly_multiply(space, q, space->notes[i]);
                *rest = r;
            }
        }
    }
    return best;
}

static void print_factored(poly_space_t *space, const poly_t *a, poly_style_t style, bool negative,
                           FILE *out);

/* The sign between two parts of a sum. Returns whether it is a minus. */
static bool print_sign(bool goes_on, const poly_term_t *next, FILE *out)
{
    bool minus = goes_on && next->coefficient < 0;
    fputs(!goes_on ? "" : minus ? "-" : "+", out);
    return minus;
}

/* The terms of a sum one by one, except multiples of a noted sum. `goes_on`: terms stand before
 * it. */
static void print_sum(poly_space_t *space, const poly_t *a, poly_style_t style, bool goes_on,
                      FILE *out)
{
    const poly_t *multiple, *rest;
    if (a->count <= 2 || best_note(space, a, &multiple, &rest) == a->count) {
        int first = 0; /* m-n rather than -n+m */
        while (!goes_on && first < a->count && a->terms[first].coefficient < 0) {
            first++;
        }
        first = first < a->count ? first : 0;
        for (int i = -1; i < a->count; i++) {
            if (i != first) {
                const poly_term_t *term = &a->terms[i < 0 ? first : i];
                bool minus = print_sign(goes_on || i >= 0, term, out);
                print_product(space, term, NULL, 0, style, minus, out);
            }
        }
        return;
    }
    bool first = poly_compare_terms(&multiple->terms[0], &rest->terms[0]) <= 0;
    if (!first) {
        print_sum(space, rest, style, goes_on, out);
    }
    bool minus = print_sign(goes_on || !first, &multiple->terms[0], out);
    print_factored(space, multiple, style, minus, out);
    if (first) {
        print_sum(space, rest, style, true, out);
    }
}

/* `negative`: a minus was written before it, so that it prints -a. */
static void print_factored(poly_space_t *space, const poly_t *a, poly_style_t style, bool negative,
                           FILE *out)
{
    const poly_t *sums[FACTORS];
    int nsums = 0;
    int64_t number;
    for (int i = 0; i < space->nnotes && a->count > 1; i++) {
        const poly_t *q;
        while (nsums < FACTORS - 1 && a->count > 1 &&
               (q = poly_divide(space, a, space->notes[i])) != NULL) {
            sums[nsums++] = space->notes[i];
            a = q;
        }
    }
    const poly_t *content = poly_content(space, a);
    const poly_t *rest = content->count > 0 ? poly_divide(space, a, content) : NULL;
    if (rest == NULL) { /* after an error */
        return;
    }
    bool plain = poly_is_constant(content, &number) && (number == 1 || number == -1);
    plain |= rest->count == 2 && rest->terms[1].degree == 0; /* 48*i+40, not 8*(6*i+5) */
    if (nsums == 0 && !negative && plain) {
        print_sum(space, a, style, false, out);
        return;
    }
    if (rest->count > 1) {
        sums[nsums++] = rest;
    }
    print_product(space, &content->terms[0], sums, nsums, style, negative, out);
}

static bool is_product(poly_space_t *space, const poly_t *a)
{
    for (int i = 0; i < space->nnotes; i++) {
        if (!poly_equal(a, space->notes[i]) && poly_divide(space, a, space->notes[i]) != NULL) {
            return true;
        }
    }
    return false;
}

void poly_print(poly_space_t *space, const poly_t *a, poly_style_t style, bool factor, FILE *out)
{
    if (a->count == 0) {
        fputc('0', out);
        return;
    }
    const poly_t *multiple, *rest;
    bool alone = a->count == 1 && a->terms[0].coefficient >= 0;
    bool parentheses = factor && !alone;
    fputs(parentheses ? "(" : "", out);
    if (style == POLY_ACCESS) {
        print_expanded(space, a, out);
    } else if (a->count > 2 && !is_product(space, a) &&
               best_note(space, a, &multiple, &rest) < a->count) {
        print_sum(space, a, style, false, out);
    } else {
        print_factored(space, a, style, false, out);
    }
    fputs(parentheses ? ")" : "", out);
}

const char *poly_string(poly_space_t *space, const poly_t *a, poly_style_t style, bool factor)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL) {
        poly_fail(space, POLY_NOMEM);
        return "";
    }
    poly_print(space, a, style, factor, out);
    if (fclose(out) != 0) {
        poly_fail(space, POLY_NOMEM);
    }
    const char *copy = "";
    if (text != NULL && space->error == POLY_OK) {
        char *kept = poly_alloc(space, length + 1, 1);
        if (kept != NULL) {
            memcpy(kept, text, length);
            copy = kept;
        }
    }
    free(text);
    return copy;
}
