/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_private.h"

#include <stdlib.h>
#include <string.h>

run_value_t run_unknown(const char *why, const c_node_t *where)
{
    return (run_value_t){.kind = RUN_UNKNOWN, .why = why, .where = where, .base = RUN_ANY};
}

run_value_t run_integer(const poly_t *poly)
{
    return (run_value_t){.kind = RUN_INTEGER, .poly = poly, .base = RUN_ANY};
}

run_value_t run_constant(run_t *run, int64_t value)
{
    return run_integer(poly_constant(run->space, value));
}

bool run_is_tracked(const c_symbol_t *symbol)
{
    const c_type_t *type = symbol->type;

    if (symbol->kind == C_SYMBOL_FUNCTION || type->is_volatile || type->is_atomic) {
        return false;
    }
    return type->kind == C_TYPE_POINTER || (type->kind == C_TYPE_INTEGER && type->size >= 4);
}

poly_atom_t run_new_atom(run_t *run, run_atom_kind_t kind, const char *name)
{
    char *unique = c_format(run->memory, "%s@%d", name, run->n_atoms);
    poly_atom_t atom = kind == RUN_ATOM_LOOP || kind == RUN_ATOM_TRIAL
                           ? poly_loop(run->space, unique, strlen(unique))
                           : poly_opaque(run->space, unique, strlen(unique));

    if (atom == POLY_NO_ATOM) {
        return atom;
    }
    run->atoms = c_resize(run->atoms, atom + 1, sizeof *run->atoms);
    for (; run->n_atoms <= atom; run->n_atoms++) {
        memset(&run->atoms[run->n_atoms], 0, sizeof *run->atoms);
    }
    run->atoms[atom].kind = kind;
    run->atoms[atom].time = run->clock;
    run->atoms[atom].loop = -1;
    return atom;
}

static const poly_t *atom_poly(run_t *run, poly_atom_t atom)
{
    return atom == POLY_NO_ATOM ? poly_constant(run->space, 0) : poly_variable(run->space, atom);
}

/* A value that nothing is known of, named after the variable that holds it. */
run_value_t run_fresh(run_t *run, c_symbol_t *symbol)
{
    run_value_t value = {0};
    int version = run->version[symbol->index]++;

    if (symbol->type->kind == C_TYPE_POINTER) {
        value.kind = RUN_POINTER;
        value.pointee = symbol->type->inner;
        value.poly = poly_constant(run->space, 0);
        value.base = run_add_base(run, (run_base_t){.kind = RUN_POINTEE,
                                                    .symbol = symbol,
                                                    .version = version,
                                                    .type = symbol->type->inner});
        return value;
    }
    value = run_integer(NULL);
    {
        poly_atom_t atom = run_new_atom(run, RUN_ATOM_SYMBOL, symbol->name);

        if (atom != POLY_NO_ATOM) {
            run->atoms[atom].symbol = symbol;
        }
        value.poly = atom_poly(run, atom);
    }
    return value;
}

poly_atom_t run_atom_of(const poly_t *poly)
{
    return poly->count == 1 && poly->terms[0].degree == 1 && poly->terms[0].coefficient == 1
               ? poly->terms[0].atoms[0]
               : POLY_NO_ATOM;
}

run_value_t run_one_of(run_t *run, c_symbol_t *symbol, const int may[2])
{
    run_value_t value = run_fresh(run, symbol);

    if (value.kind == RUN_POINTER) {
        memcpy(run->bases[value.base].may, may, sizeof run->bases[value.base].may);
    }
    return value;
}

run_value_t run_somewhere(run_t *run, const c_symbol_t *symbol, const run_value_t *a,
                          const run_value_t *b)
{
    run_value_t value = *a;
    poly_atom_t atom;

    if (symbol->type->kind != C_TYPE_POINTER || a->base == RUN_ANY || a->base != b->base ||
        (a->kind != RUN_POINTER && a->kind != RUN_UNKNOWN) ||
        (b->kind != RUN_POINTER && b->kind != RUN_UNKNOWN)) {
        return run_unknown("its value depends on a condition", NULL);
    }
    atom = run_new_atom(run, RUN_ATOM_SOMEWHERE, symbol->name);
    value.kind = RUN_POINTER;
    value.pointee = symbol->type->inner;
    value.poly =
        atom == POLY_NO_ATOM ? poly_constant(run->space, 0) : poly_variable(run->space, atom);
    return value;
}

int run_decide(run_t *run, const run_fact_t *facts, int n_facts, const run_fact_t *choice)
{
    int i;

    for (i = 0; i < n_facts; i++) {
        if (run_implies(run, &facts[i], choice)) {
            return 0;
        }
        if (run_contradicts(run, &facts[i], choice)) {
            return 1;
        }
    }
    return -1;
}

static run_value_t resolve(run_t *run, run_value_t value)
{
    while (value.kind == RUN_CHOICE) {
        int known = run_decide(run, run->facts, run->n_facts, &value.fact);

        if (known < 0 && value.poly) {
            value.kind = value.pointee ? RUN_POINTER : RUN_INTEGER;
            return value;
        }
        if (known < 0) {
            return run_unknown("its value depends on a condition", NULL);
        }
        value = *value.alternative[known];
    }
    return value;
}

run_value_t run_read(run_t *run, c_symbol_t *symbol)
{
    run_value_t *value = &run->state[symbol->index];

    if (value->kind == RUN_UNSET) {
        *value = run_fresh(run, symbol);
    }
    return resolve(run, *value);
}

bool run_same(const run_value_t *a, const run_value_t *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    if (a->kind == RUN_INTEGER || a->kind == RUN_POINTER) {
        return a->base == b->base && a->modular == b->modular && poly_equal(a->poly, b->poly);
    }
    if (a->kind == RUN_CHOICE) {
        return a->alternative[0] == b->alternative[0] && a->alternative[1] == b->alternative[1];
    }
    return a->kind == RUN_UNSET;
}

bool run_unchanged(const run_value_t *a, const run_value_t *b)
{
    return a->kind == RUN_UNSET || run_same(a, b) ||
           (a->kind == RUN_UNKNOWN && b->kind == RUN_UNKNOWN);
}

bool run_any_atom(run_t *run, const poly_t *poly,
                  bool (*test)(run_t *run, int atom, const void *data), const void *data)
{
    int i, j, k, n;

    for (i = 0; poly && i < poly->count; i++) {
        for (j = 0; j < poly->terms[i].degree; j++) {
            int atom = poly->terms[i].atoms[j];
            const run_atom_t *known = &run->atoms[atom];

            if (test(run, atom, data)) {
                return true;
            }
            if (poly_kind(run->space, atom) == POLY_ENTRY) {
                const poly_t *const *subscripts = poly_subscripts(run->space, atom, &n);

                for (k = 0; k < n; k++) {
                    if (run_any_atom(run, subscripts[k], test, data)) {
                        return true;
                    }
                }
            }
            for (k = 0; known->kind == RUN_ATOM_OPERATION && k < 2; k++) {
                if (run_any_atom(run, known->operand[k], test, data)) {
                    return true;
                }
            }
            for (k = 0; known->kind == RUN_ATOM_LOAD && k < known->text.n_bindings; k++) {
                if (run_any_atom(run, known->text.bindings[k].value, test, data)) {
                    return true;
                }
            }
        }
    }
    return false;
}

static bool has_kind(run_t *run, int atom, const void *kind)
{
    return run->atoms[atom].kind == *(const run_atom_kind_t *) kind;
}

static bool depends_on(run_t *run, const poly_t *poly, run_atom_kind_t kind)
{
    return run_any_atom(run, poly, has_kind, &kind);
}

/* ---- facts ---- */

bool run_implies(run_t *run, const run_fact_t *a, const run_fact_t *b)
{
    int64_t low = INT64_MIN, high = INT64_MAX, v; /* of b->left */
    bool same = poly_is_constant(poly_subtract(run->space, b->left, a->left), &v);

    if (!same && !poly_is_constant(poly_add(run->space, b->left, a->left), &v)) {
        return false;
    }
    switch (a->relation) {
    case RUN_EQUAL:
        low = high = v;
        break;
    case RUN_UNEQUAL:
        return b->relation == RUN_UNEQUAL && v == 0;
    case RUN_LESS:
        *(same ? &high : &low) = same ? v - 1 : v + 1;
        break;
    case RUN_NOT_LESS:
        *(same ? &low : &high) = v;
        break;
    }
    switch (b->relation) {
    case RUN_EQUAL:
        return low == 0 && high == 0;
    case RUN_UNEQUAL:
        return low > 0 || high < 0;
    case RUN_LESS:
        return high < 0;
    case RUN_NOT_LESS:
        return low >= 0;
    }
    return false;
}

static run_fact_t negated_fact(run_fact_t fact)
{
    static const run_relation_t opposite[] = {
        [RUN_EQUAL] = RUN_UNEQUAL,
        [RUN_UNEQUAL] = RUN_EQUAL,
        [RUN_LESS] = RUN_NOT_LESS,
        [RUN_NOT_LESS] = RUN_LESS,
    };

    fact.relation = opposite[fact.relation];
    return fact;
}

bool run_contradicts(run_t *run, const run_fact_t *a, const run_fact_t *b)
{
    run_fact_t negated = negated_fact(*b);

    return run_implies(run, a, &negated);
}

/* left OP right as a fact, when both are plain integers of a signed type. */
bool run_find_fact(run_t *run, const c_node_t *condition, bool negated, run_fact_t *fact)
{
    run_value_t a, b;
    c_operator_t op = condition->op;

    while (condition->kind == C_UNARY && condition->op == C_OP_LNOT) {
        negated = !negated;
        condition = condition->child[0];
        op = condition->op;
    }
    if (condition->kind == C_CALL) {
        return run_find_fact_of_call(run, condition, negated, fact);
    }
    if (condition->kind == C_NAME || condition->kind == C_MEMBER) {
        a = run_evaluate(run, condition);
        b = run_constant(run, 0);
        op = C_OP_NE;
    } else if (condition->kind == C_BINARY && op >= C_OP_LT && op <= C_OP_NE) {
        a = run_evaluate(run, condition->child[0]);
        b = run_evaluate(run, condition->child[1]);
    } else {
        return false;
    }
    if (a.kind != RUN_INTEGER || b.kind != RUN_INTEGER || a.modular || b.modular || a.n_assumed ||
        b.n_assumed) {
        return false;
    }
    switch (op) {
    case C_OP_EQ:
    case C_OP_NE:
        fact->relation = op == C_OP_EQ ? RUN_EQUAL : RUN_UNEQUAL;
        fact->left = poly_subtract(run->space, a.poly, b.poly);
        break;
    case C_OP_LT:
    case C_OP_GE:
        fact->relation = op == C_OP_LT ? RUN_LESS : RUN_NOT_LESS;
        fact->left = poly_subtract(run->space, a.poly, b.poly);
        break;
    default:
        fact->relation = op == C_OP_GT ? RUN_LESS : RUN_NOT_LESS;
        fact->left = poly_subtract(run->space, b.poly, a.poly);
    }
    if (negated) {
        *fact = negated_fact(*fact);
    }
    return true;
}

/* ---- sizes ---- */

void run_set_length(run_t *run, const c_type_t *type)
{
    for (; type; type = type->inner) {
        run_value_t value;

        if (!type->length) {
            continue;
        }
        value = run_evaluate(run, type->length);
        run->lengths = c_resize(run->lengths, run->n_lengths + 1, sizeof *run->lengths);
        run->length_values =
            c_resize(run->length_values, run->n_lengths + 1, sizeof *run->length_values);
        run->lengths[run->n_lengths] = type->length;
        run->length_values[run->n_lengths++] =
            value.kind == RUN_INTEGER && value.n_assumed == 0 ? value.poly : NULL;
    }
}

const poly_t *run_size(run_t *run, const c_type_t *type)
{
    const poly_t *inner;
    size_t i;

    if (!type) {
        return NULL;
    }
    if (type->kind != C_TYPE_ARRAY) {
        return type->size > 0 ? poly_constant(run->space, type->size) : NULL;
    }
    inner = run_size(run, type->inner);
    if (!inner) {
        return NULL;
    }
    if (type->count >= 0) {
        return poly_scale(run->space, inner, type->count);
    }
    for (i = run->n_lengths; type->length && i-- > 0;) {
        if (run->lengths[i] == type->length) {
            return run->length_values[i] ? poly_multiply(run->space, inner, run->length_values[i])
                                         : NULL;
        }
    }
    return NULL;
}

/* ---- expressions ---- */

static void add_assumed(run_value_t *to, int n, const poly_t *const *assumed)
{
    int i, j;

    for (i = 0; i < n; i++) {
        for (j = 0; j < to->n_assumed && !poly_equal(to->assumed[j], assumed[i]); j++) {
        }
        if (j == to->n_assumed) {
            if (j == RUN_ASSUMED) {
                *to = run_unknown("it depends on more loops than are followed", NULL);
                return;
            }
            to->assumed[to->n_assumed++] = assumed[i];
        }
    }
}

static bool fits(int64_t value, const c_type_t *type)
{
    if (type->size >= 8) {
        return type->is_signed || value >= 0;
    }
    if (type->is_signed) {
        int64_t limit = (int64_t) 1 << (8 * type->size - 1);

        return value >= -limit && value < limit;
    }
    return value >= 0 && value < (int64_t) 1 << (8 * type->size);
}

static run_value_t convert_integer(run_t *run, run_value_t value, const c_type_t *from,
                                   const c_type_t *to, const c_node_t *node)
{
    int64_t constant;

    if (value.kind != RUN_INTEGER) {
        return value;
    }
    if (from->kind != C_TYPE_INTEGER || to->kind != C_TYPE_INTEGER) {
        return run_unknown("a conversion between integers and other types", node);
    }
    if (!value.modular && poly_is_constant(value.poly, &constant)) {
        if (fits(constant, to)) {
            return value;
        }
        return run_unknown("a conversion that changes a constant", node);
    }
    if (run->level == RUN_TRUSTING && to->size >= 4) {
        if (to->size < from->size || (to->is_signed != from->is_signed && to->size <= from->size)) {
            run_assume(run, RUN_ASSUMES_FITS, node, "%s fits in %s", c_text(run->memory, node),
                       to->name);
        }
        return value;
    }
    if (to->size < from->size) {
        return run_unknown("a conversion to a narrower integer", node);
    }
    if (from->is_signed && !to->is_signed) {
        if (to->size < 8) {
            return run_unknown("a conversion to unsigned", node);
        }
        value.modular = true;
    } else if (!from->is_signed && to->is_signed && to->size == from->size && to->size < 8) {
        return run_unknown("a conversion from unsigned to signed of the same size", node);
    }
    return value;
}

const char run_null[] = "a null pointer";

static run_value_t convert(run_t *run, const c_node_t *node)
{
    const c_node_t *child = node->child[0];
    run_value_t value;

    if (!node->type || !child->type) {
        run_evaluate(run, child);
        return run_unknown("a cast", node);
    }
    if (node->type->kind == C_TYPE_POINTER &&
        (child->type->kind == C_TYPE_ARRAY || child->type->kind == C_TYPE_POINTER)) {
        value = run_evaluate(run, child);
        if (value.kind == RUN_POINTER && child->type->kind == C_TYPE_POINTER && node->type->inner &&
            value.pointee && strcmp(node->type->inner->name, value.pointee->name) != 0) {
            value.pointee = node->type->inner;
        }
        return value;
    }
    value = run_evaluate(run, child);
    if (child->type->kind == C_TYPE_INTEGER && node->type->kind == C_TYPE_INTEGER) {
        return convert_integer(run, value, child->type, node->type, node);
    }
    if (value.kind == RUN_UNKNOWN) {
        return value;
    }
    if (node->type->kind == C_TYPE_POINTER && value.kind == RUN_INTEGER &&
        poly_is_zero(value.poly)) {
        return run_unknown(run_null, node);
    }
    return run_unknown("a conversion between integers, pointers and other types", node);
}

run_value_t run_divide(run_t *run, const char *operation, run_value_t a, run_value_t b,
                       const c_node_t *node)
{
    poly_atom_t atom;
    int i;
    int64_t x, y;

    if (a.modular || b.modular || a.n_assumed || b.n_assumed) {
        return run_unknown("a division of what may have wrapped", node);
    }
    if (depends_on(run, a.poly, RUN_ATOM_TRIAL) || depends_on(run, b.poly, RUN_ATOM_TRIAL) ||
        poly_depends_on_loops(run->space, a.poly) || poly_depends_on_loops(run->space, b.poly)) {
        return run_unknown("a division or remainder that changes in the loop", node);
    }
    if (poly_is_constant(a.poly, &x) && poly_is_constant(b.poly, &y) && y > 0 && x >= 0) {
        return run_constant(run, operation[2] == '/' ? x / y : x % y);
    }
    for (i = 0; i < run->n_atoms; i++) {
        if (run->atoms[i].kind == RUN_ATOM_OPERATION &&
            strcmp(run->atoms[i].operation, operation) == 0 &&
            poly_equal(run->atoms[i].operand[0], a.poly) &&
            poly_equal(run->atoms[i].operand[1], b.poly)) {
            return run_integer(atom_poly(run, i));
        }
    }
    atom = run_new_atom(run, RUN_ATOM_OPERATION, "op");
    if (atom != POLY_NO_ATOM) {
        run->atoms[atom].operation = operation;
        run->atoms[atom].operand[0] = a.poly;
        run->atoms[atom].operand[1] = b.poly;
    }
    return run_integer(atom_poly(run, atom));
}

static run_value_t pointer_difference(run_t *run, run_value_t a, run_value_t b,
                                      const c_node_t *node)
{
    const poly_t *size = run_size(run, a.pointee), *quotient;
    run_value_t value;

    if (a.base != b.base || !size) {
        return run_unknown("a difference of pointers to different objects", node);
    }
    quotient = poly_divide(run->space, poly_subtract(run->space, a.poly, b.poly), size);
    if (!quotient) {
        return run_unknown("a difference of pointers that is not a number of elements", node);
    }
    value = run_integer(quotient);
    add_assumed(&value, a.n_assumed, a.assumed);
    if (value.kind == RUN_INTEGER) {
        add_assumed(&value, b.n_assumed, b.assumed);
    }
    return value;
}

static run_value_t pointer_add(run_t *run, run_value_t pointer, run_value_t index, bool subtract,
                               const c_node_t *node)
{
    const poly_t *size = run_size(run, pointer.pointee), *bytes;

    if (!size) {
        return run_unknown("a pointer to a type of unknown size", node);
    }
    bytes = poly_multiply(run->space, index.poly, size);
    pointer.poly = subtract ? poly_subtract(run->space, pointer.poly, bytes)
                            : poly_add(run->space, pointer.poly, bytes);
    add_assumed(&pointer, index.n_assumed, index.assumed);
    return pointer;
}

enum { MOST_SUMS = 60 };

static void note_sum(run_t *run, const poly_t *sum)
{
    size_t i;

    for (i = 0; i < run->n_sums && !poly_equal(run->sums[i], sum); i++) {
    }
    if (sum->count < 2 || i < run->n_sums || i == MOST_SUMS ||
        poly_depends_on_loops(run->space, sum)) {
        return;
    }
    run->sums = c_resize(run->sums, i + 1, sizeof *run->sums);
    run->sums[run->n_sums++] = sum;
}

run_value_t run_binary(run_t *run, const c_node_t *node, c_operator_t op, run_value_t a,
                       run_value_t b, const c_type_t *type)
{
    run_value_t value;
    int64_t shift;

    if (a.kind == RUN_UNKNOWN || b.kind == RUN_UNKNOWN) {
        value = a.kind == RUN_UNKNOWN ? a : b;
        if (op == C_OP_ADD || op == C_OP_SUB) { /* somewhere in the object */
            value.base = a.kind == RUN_POINTER   ? a.base
                         : b.kind == RUN_POINTER ? b.base
                                                 : value.base;
        }
        return value;
    }
    if (a.kind == RUN_POINTER || b.kind == RUN_POINTER) {
        if (op == C_OP_SUB && a.kind == RUN_POINTER && b.kind == RUN_POINTER) {
            return pointer_difference(run, a, b, node);
        }
        if (a.kind == RUN_POINTER && b.kind == RUN_INTEGER && (op == C_OP_ADD || op == C_OP_SUB)) {
            return pointer_add(run, a, b, op == C_OP_SUB, node);
        }
        if (b.kind == RUN_POINTER && a.kind == RUN_INTEGER && op == C_OP_ADD) {
            return pointer_add(run, b, a, false, node);
        }
        return run_unknown("an operation with pointers", node);
    }
    if (a.kind != RUN_INTEGER || b.kind != RUN_INTEGER || !type || type->kind != C_TYPE_INTEGER) {
        return run_unknown("an operation that is not integer arithmetic", node);
    }
    value = a;
    value.modular = a.modular || b.modular;
    if (op == C_OP_SHL && poly_is_constant(b.poly, &shift) && shift >= 0 && shift < 31) {
        b = run_constant(run, (int64_t) 1 << shift);
        op = C_OP_MUL;
    }
    switch (op) {
    case C_OP_ADD:
        value.poly = poly_add(run->space, a.poly, b.poly);
        break;
    case C_OP_SUB:
        value.poly = poly_subtract(run->space, a.poly, b.poly);
        break;
    case C_OP_MUL:
        note_sum(run, a.poly);
        note_sum(run, b.poly);
        value.poly = poly_multiply(run->space, a.poly, b.poly);
        break;
    case C_OP_DIV:
        return run_divide(run, "%s/%s", a, b, node);
    case C_OP_REM:
        return run_divide(run, "%s%%%s", a, b, node);
    default:
        return run_unknown("an operation that is not a polynomial", node);
    }
    if (run->level == RUN_TRUSTING) {
        if (!type->is_signed && op == C_OP_SUB && !poly_is_constant(value.poly, NULL)) {
            run_assume(run, RUN_ASSUMES_FITS, node, "%s is not negative",
                       c_text(run->memory, node));
        }
        return value;
    }
    if (!type->is_signed && !poly_is_constant(value.poly, NULL)) {
        if (type->size < 8) {
            return run_unknown("unsigned arithmetic that may wrap", node);
        }
        value.modular = true;
    }
    add_assumed(&value, b.n_assumed, b.assumed);
    return value;
}

static run_place_t no_place(const char *why)
{
    return (run_place_t){.base = RUN_ANY, .why = why};
}

static run_place_t pointed_at(run_value_t pointer, const c_type_t *type)
{
    run_place_t place = {.base = RUN_ANY, .type = type};

    if (pointer.kind != RUN_POINTER) {
        place.why = pointer.why ? pointer.why : "a pointer that is not known";
        return place;
    }
    place.base = pointer.base;
    place.offset = pointer.poly;
    place.type = pointer.pointee ? pointer.pointee : type;
    place.n_assumed = pointer.n_assumed;
    memcpy(place.assumed, pointer.assumed, sizeof place.assumed);
    return place;
}

static run_place_t subscript(run_t *run, const c_node_t *node)
{
    run_value_t pointer = run_evaluate(run, node->child[0]);
    run_value_t index = run_evaluate(run, node->child[1]);
    run_value_t element;
    run_place_t place;

    if (pointer.kind == RUN_POINTER && index.kind == RUN_UNKNOWN) {
        place = pointed_at(pointer, node->type);
        place.offset = NULL;
        place.why = index.why;
        return place;
    }
    element = run_binary(run, node, C_OP_ADD, pointer, index, NULL);
    return pointed_at(element, node->type);
}

static run_place_t member_place(run_t *run, const c_node_t *node)
{
    const c_node_t *object = node->child[0];
    run_place_t place;

    if (node->arrow) {
        place = pointed_at(run_evaluate(run, object), object->type ? object->type->inner : NULL);
    } else {
        place = run_lvalue(run, object);
    }
    place.scalar = NULL;
    if ((place.type && place.type->is_union) || node->value < 0) {
        place.offset = NULL;
        place.why = node->value < 0 ? "a bit-field" : "a member of a union";
    } else if (place.offset) {
        place.offset = poly_add(run->space, place.offset, poly_constant(run->space, node->value));
    }
    place.type = node->type;
    return place;
}

run_place_t run_lvalue(run_t *run, const c_node_t *node)
{
    run_place_t place;

    switch (node->kind) {
    case C_NAME:
        place = (run_place_t){.base = run_base_of_symbol(run, run_original(run, node->symbol)),
                              .offset = poly_constant(run->space, 0),
                              .type = node->symbol->type};
        place.scalar = run_is_tracked(node->symbol) ? node->symbol : NULL;
        break;
    case C_SUBSCRIPT:
        place = subscript(run, node);
        break;
    case C_MEMBER:
        place = member_place(run, node);
        break;
    case C_UNARY:
        if (node->op == C_OP_DEREF) {
            place = pointed_at(run_evaluate(run, node->child[0]), node->type);
            break;
        }
        place = no_place("an expression that is not an object");
        break;
    default:
        run_evaluate(run, node);
        place = no_place("an expression that is not an object");
    }
    if (node->type && (node->type->is_volatile || node->type->is_atomic)) {
        place.why = node->type->is_volatile ? "a volatile object" : "an atomic object";
        place.offset = NULL;
        run_control(run, node, place.why);
    }
    place.subscripts = node;
    if (run->level == RUN_TRUSTING && !place.scalar && place.base != RUN_ANY &&
        run->bases[place.base].kind == RUN_OBJECT && place.offset && poly_is_zero(place.offset)) {
        c_symbol_t *symbol = run->bases[place.base].symbol;

        /* *position, where position is &n */
        if (run_is_tracked(symbol) && node->type &&
            strcmp(node->type->name, symbol->type->name) == 0) {
            place.scalar = symbol;
        }
    }
    return place;
}

/* ---- reading memory ---- */

static bool add_binding(run_t *run, run_text_t *text, const c_node_t *node)
{
    size_t i;

    if (node->kind == C_CALL) {
        return false;
    }
    if (node->kind == C_NAME && node->symbol->kind != C_SYMBOL_FUNCTION &&
        run_is_tracked(node->symbol)) {
        run_value_t value = run_read(run, node->symbol);
        run_binding_t *bindings;

        if (value.kind != RUN_INTEGER && value.kind != RUN_POINTER) {
            return false;
        }
        bindings = c_allocate(run->memory, (size_t) (text->n_bindings + 1) * sizeof *bindings);
        if (text->n_bindings) {
            memcpy(bindings, text->bindings, (size_t) text->n_bindings * sizeof *bindings);
        }
        bindings[text->n_bindings++] = (run_binding_t){
            node->symbol, value.poly, value.kind == RUN_POINTER ? value.base : RUN_ANY};
        text->bindings = bindings;
    } else if (node->kind == C_NAME && node->symbol->kind != C_SYMBOL_FUNCTION &&
               node->symbol->type->kind != C_TYPE_ARRAY &&
               node->symbol->type->kind != C_TYPE_RECORD) {
        return false;
    }
    for (i = 0; i < node->n; i++) {
        if (!add_binding(run, text, node->child[i])) {
            return false;
        }
    }
    return true;
}

bool run_text_of(run_t *run, const c_node_t *node, run_text_t *text)
{
    *text = (run_text_t){0};
    if (!run_is_pure(node) || (node->span.elsewhere && run->level < RUN_TRUSTING)) {
        return false;
    }
    text->text = c_is_in_macro(node) ? c_write(run->memory, node, NULL) : c_text(run->memory, node);
    text->node = node;
    return text->text && add_binding(run, text, node);
}

static bool same_text(const run_text_t *a, const run_text_t *b)
{
    int i;

    if (strcmp(a->text, b->text) != 0 || a->n_bindings != b->n_bindings) {
        return false;
    }
    for (i = 0; i < a->n_bindings; i++) {
        if (a->bindings[i].symbol != b->bindings[i].symbol ||
            a->bindings[i].base != b->bindings[i].base ||
            !poly_equal(a->bindings[i].value, b->bindings[i].value)) {
            return false;
        }
    }
    return true;
}

static bool depends_on_loops(run_t *run, const run_text_t *text)
{
    int i;

    for (i = 0; i < text->n_bindings; i++) {
        if (poly_depends_on_loops(run->space, text->bindings[i].value)) {
            return true;
        }
    }
    return false;
}

/* Is what is read here written by an iteration of a loop around it? */
static bool changes_in_loop(run_t *run, int base, const c_type_t *type)
{
    size_t i;

    for (i = 0; i < run->n_active; i++) {
        if (run_changed(run, base, type, run->active[i][0], run->active[i][1])) {
            return true;
        }
    }
    return false;
}

static void add_text(run_t *run, run_text_t *known, const run_text_t *text)
{
    for (; !same_text(known, text); known = known->other) {
        if (!known->other) {
            known->other = c_allocate(run->memory, sizeof *text);
            *known->other = *text;
            return;
        }
    }
}

/* Has an element of both arrays, or of what both pointers lead to, the same type? */
static bool same_dimensions(const c_type_t *a, const c_type_t *b)
{
    return a && b && a->inner && b->inner && strcmp(a->inner->name, b->inner->name) == 0;
}

/* array[i][j], where i and j are known: an entry of an index array. */
static run_value_t load_entry(run_t *run, const c_node_t *node, int base)
{
    const poly_t *subscripts[POLY_SUBSCRIPTS];
    const c_node_t *array = node;
    run_text_t text;
    run_value_t first;
    const poly_t *start;
    poly_atom_t atom;
    char *key;
    int n = 0, i;

    if (!run_is_pure(node)) {
        return run_unknown("a subscript with effects or calls", node);
    }
    while (array->kind == C_SUBSCRIPT) {
        run_value_t index;

        if (n == POLY_SUBSCRIPTS) {
            return run_unknown("an array of more than 8 dimensions", node);
        }
        run->trial++; /* its loads are noted already */
        index = run_evaluate(run, array->child[1]);
        run->trial--;
        if (index.kind != RUN_INTEGER || index.n_assumed || index.modular) {
            return run_unknown("a value read from memory at a place that is not known", node);
        }
        subscripts[n++] = index.poly;
        array = c_bare(array->child[0]);
    }
    if (n == 0 || !run_text_of(run, array, &text) || depends_on_loops(run, &text)) {
        return run_unknown("a value read from memory that changes in the loop", node);
    }
    for (i = 0; i < n / 2; i++) {
        const poly_t *swap = subscripts[i];

        subscripts[i] = subscripts[n - 1 - i];
        subscripts[n - 1 - i] = swap;
    }
    run->trial++;
    first = run_evaluate(run, array); /* the address that it decays to */
    run->trial--;
    start = first.kind == RUN_POINTER ? first.poly : NULL;
    /* the same array, not written since: the same name */
    key = NULL;
    for (i = run->n_atoms; i-- > 0 && !key;) {
        run_atom_t *known = &run->atoms[i];

        if (known->kind == RUN_ATOM_LOAD && poly_kind(run->space, i) == POLY_ENTRY &&
            known->base == base &&
            (same_text(&known->text, &text) ||
             (run->level == RUN_TRUSTING && start && known->offset &&
              poly_equal(start, known->offset) &&
              same_dimensions(known->text.node->type, array->type))) &&
            !run_written(run, base, node->type, known->time, run->clock)) {
            key = c_copy(run->memory, poly_atom_text(run->space, i));
            add_text(run, &known->text, &text);
        }
    }
    if (!key) {
        key = c_format(run->memory, "%s@%d", text.text, run->n_atoms);
    }
    atom = poly_entry(run->space, key, strlen(key), n, subscripts);
    if (atom == POLY_NO_ATOM) {
        return run_unknown("too large an expression", node);
    }
    if (atom >= run->n_atoms) {
        run->atoms = c_resize(run->atoms, atom + 1, sizeof *run->atoms);
        for (; run->n_atoms <= atom; run->n_atoms++) {
            memset(&run->atoms[run->n_atoms], 0, sizeof *run->atoms);
        }
        run->atoms[atom] = (run_atom_t){.kind = RUN_ATOM_LOAD,
                                        .base = base,
                                        .type = node->type,
                                        .time = run->clock,
                                        .text = text,
                                        .offset = start,
                                        .loop = -1};
    }
    return run_integer(atom_poly(run, atom));
}

static run_value_t load_integer(run_t *run, const c_node_t *node, int base, const poly_t *offset)
{
    run_text_t text;
    poly_atom_t atom;
    int i;

    if (node->kind == C_SUBSCRIPT) {
        return load_entry(run, node, base);
    }
    if (!run_text_of(run, node, &text) || depends_on_loops(run, &text)) {
        return run_unknown("a value read from memory that changes in the loop", node);
    }
    for (i = 0; i < run->n_atoms; i++) {
        run_atom_t *known = &run->atoms[i];

        if (known->kind == RUN_ATOM_LOAD && known->base == base &&
            (same_text(&known->text, &text) ||
             (run->level == RUN_TRUSTING && known->offset && poly_equal(known->offset, offset) &&
              strcmp(known->type->name, node->type->name) == 0)) &&
            !run_written(run, base, node->type, known->time, run->clock)) {
            add_text(run, &known->text, &text);
            return run_integer(atom_poly(run, i));
        }
    }
    atom = run_new_atom(run, RUN_ATOM_LOAD, text.text);
    if (atom != POLY_NO_ATOM) {
        run->atoms[atom].base = base;
        run->atoms[atom].type = node->type;
        run->atoms[atom].text = text;
        run->atoms[atom].offset = offset;
    }
    return run_integer(atom_poly(run, atom));
}

/* a[i] of an array of pointers: an address, in memory that all of them lead to. */
static run_value_t load_row(run_t *run, const c_node_t *node, int from)
{
    run_value_t value = load_entry(run, node, from);
    const c_node_t *array = node;
    int i;

    if (value.kind != RUN_INTEGER) {
        return run_unknown("a pointer read from memory that changes in the loop (rows)", node);
    }
    while (array->kind == C_SUBSCRIPT) {
        array = c_bare(array->child[0]);
    }
    value.kind = RUN_POINTER;
    value.pointee = node->type->inner;
    for (i = 0; i < run->n_bases; i++) {
        if (run->bases[i].kind == RUN_ROWS && run->bases[i].from == from) {
            value.base = i;
            return value;
        }
    }
    value.base =
        run_add_base(run, (run_base_t){.kind = RUN_ROWS,
                                       .from = from,
                                       .version = run->n_bases,
                                       .node = node,
                                       .type = node->type->inner,
                                       .text = {.text = c_format(run->memory, "the rows of %s",
                                                                 c_text(run->memory, array))}});
    return value;
}

static run_value_t load_pointer(run_t *run, const c_node_t *node, int from, const poly_t *offset)
{
    run_base_t base = {.kind = RUN_LOADED, .node = node, .from = from};
    run_value_t value = {.kind = RUN_POINTER};
    int i;

    base.type = node->type->inner;
    base.read_as = node->type;
    if (run->level == RUN_TRUSTING && node->kind == C_SUBSCRIPT &&
        (!run_text_of(run, node, &base.text) || depends_on_loops(run, &base.text))) {
        return load_row(run, node, from);
    }
    if (!run_text_of(run, node, &base.text) || depends_on_loops(run, &base.text)) {
        return run_unknown("a pointer read from memory that changes in the loop (rows)", node);
    }
    base.read_time = run->clock;
    base.offset = offset;
    value.pointee = node->type->inner;
    value.poly = poly_constant(run->space, 0);
    for (i = 0; i < run->n_bases; i++) {
        run_base_t *known = &run->bases[i];

        if (known->kind == RUN_LOADED && known->from == from &&
            (same_text(&known->text, &base.text) ||
             (run->level == RUN_TRUSTING && poly_equal(known->offset, offset))) &&
            !run_written(run, from, node->type, known->read_time, run->clock)) {
            add_text(run, &known->text, &base.text);
            value.base = i;
            return value;
        }
    }
    base.version = run->n_bases;
    value.base = run_add_base(run, base);
    return value;
}

/* The value of an object in memory. */
static run_value_t load(run_t *run, const c_node_t *node)
{
    run_place_t place = run_lvalue(run, node);
    run_value_t value;

    if (node->type && node->type->kind == C_TYPE_ARRAY) { /* decays */
        if (place.base == RUN_ANY || !place.offset) {
            return run_unknown(place.why, node);
        }
        value = (run_value_t){.kind = RUN_POINTER, .base = place.base, .poly = place.offset};
        value.pointee = place.type ? place.type->inner : NULL;
        value.n_assumed = place.n_assumed;
        memcpy(value.assumed, place.assumed, sizeof value.assumed);
        return value;
    }
    run_load(run, node, place);
    if (place.scalar) {
        return run_read(run, place.scalar);
    }
    if (!place.offset) {
        return run_unknown(place.why, node);
    }
    if (!node->type || place.n_assumed ||
        (node->type->kind != C_TYPE_INTEGER && node->type->kind != C_TYPE_POINTER)) {
        return run_unknown("a value read from memory", node);
    }
    if (changes_in_loop(run, place.base, node->type)) {
        return run_unknown("a value read from memory that the loop may change", node);
    }
    return node->type->kind == C_TYPE_POINTER ? load_pointer(run, node, place.base, place.offset)
                                              : load_integer(run, node, place.base, place.offset);
}

static run_value_t address(run_t *run, const c_node_t *node)
{
    run_place_t place = run_lvalue(run, node->child[0]);
    run_value_t value = {.kind = RUN_POINTER};

    if (place.base == RUN_ANY || !place.offset) {
        value = run_unknown(place.why, node);
        value.base = place.base; /* somewhere in it */
        return value;
    }
    value.base = place.base;
    value.poly = place.offset;
    value.pointee = place.type;
    value.n_assumed = place.n_assumed;
    memcpy(value.assumed, place.assumed, sizeof value.assumed);
    return value;
}

static run_value_t unary(run_t *run, const c_node_t *node)
{
    run_value_t value;

    switch (node->op) {
    case C_OP_POST_INC:
    case C_OP_POST_DEC:
    case C_OP_PRE_INC:
    case C_OP_PRE_DEC:
        return run_increment(run, node);
    case C_OP_ADDRESS:
        return address(run, node);
    case C_OP_DEREF:
        return load(run, node);
    case C_OP_PLUS:
        return run_evaluate(run, node->child[0]);
    case C_OP_MINUS:
        value = run_evaluate(run, node->child[0]);
        return run_binary(run, node, C_OP_SUB, run_constant(run, 0), value, node->type);
    default:
        (void) run_evaluate(run, node->child[0]);
        return run_unknown("an operation that is not a polynomial", node);
    }
}

static run_value_t maybe(run_t *run, const c_node_t *node, size_t first)
{
    run_value_t value = run_evaluate(run, node->child[0]), result;
    size_t i;

    result = run_unknown("a value that depends on a condition", node);
    for (i = first; i < node->n; i++) {
        run_value_t *saved = NULL;

        if (!run_is_pure(node->child[i])) {
            run_control(run, node, "an assignment or call that is only sometimes executed");
            saved = run_save(run);
        }
        value = run_evaluate(run, node->child[i]);
        if (value.kind == RUN_POINTER && i < 3) {
            result.may[i - 1] = value.base + 1;
        }
        if (saved) {
            run_unsettle(run, saved, "its value depends on a condition", node);
            run->dead = false;
            free(saved);
        }
    }
    if (result.may[0] && result.may[0] == result.may[1]) {
        result.base = result.may[0] - 1;
    }
    return result;
}

static run_value_t evaluate_here(run_t *run, const c_node_t *node)
{
    run_value_t a, b;
    size_t i;

    switch (node->kind) {
    case C_INTEGER:
        return run_constant(run, node->value);
    case C_NAME:
        if (node->symbol->kind == C_SYMBOL_FUNCTION) {
            return run_unknown("a function", node);
        }
        return load(run, node);
    case C_SUBSCRIPT:
    case C_MEMBER:
        return load(run, node);
    case C_UNARY:
        return unary(run, node);
    case C_BINARY:
        if (node->op == C_OP_LAND || node->op == C_OP_LOR) {
            return maybe(run, node, 1);
        }
        a = run_evaluate(run, node->child[0]);
        b = run_evaluate(run, node->child[1]);
        return node->op == C_OP_COMMA ? b : run_binary(run, node, node->op, a, b, node->type);
    case C_ASSIGN:
    case C_UPDATE:
        return run_assign(run, node);
    case C_CALL:
        return run_call(run, node);
    case C_CAST:
    case C_CONVERT:
        return convert(run, node);
    case C_CONDITIONAL:
        return maybe(run, node, 1);
    case C_FLOATING:
    case C_STRING:
        return run_unknown("no integer", node);
    default:
        if (run->level == RUN_TRUSTING && c_is_other(node, "StmtExpr")) { /* assert() of glibc */
            for (i = 0; i < node->n; i++) {
                run_statement(run, node->child[i]);
            }
            return run_unknown("a statement expression", node);
        }
        for (i = 0; i < node->n; i++) {
            run_evaluate(run, node->child[i]);
        }
        if (node->kind != C_LIST) {
            run_control(run, node, node->name ? node->name : "a construct that is not understood");
        }
        return run_unknown("a construct that is not understood", node);
    }
}

enum { MOST_STEPS = 3000000, MOST_SAVED = 40000000, MOST_BYTES = 1 << 29, MOST_DEPTH = 1000 };

/* Why the function is not analysed further; NULL: it is. */
static const char *too_much(run_t *run)
{
    return ++run->steps > MOST_STEPS || run->n_saved > MOST_SAVED ? "it takes too long to analyse"
           : c_allocated(run->memory) > MOST_BYTES
               ? "its analysis takes more than 512 MiB of memory"
           : run->depth > MOST_DEPTH ? "it is nested too deeply"
                                     : NULL;
}

run_value_t run_evaluate(run_t *run, const c_node_t *node)
{
    const char *why = too_much(run);
    run_value_t value;

    if (why) {
        run->refused = why;
        run->refused_at = run->function->body;
        return run_unknown(why, node);
    }
    run->depth++;
    value = resolve(run, evaluate_here(run, node));
    run->depth--;
    return value;
}
