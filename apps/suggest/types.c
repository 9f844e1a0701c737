/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes type trees: the simplest node for the bytes that are asked for. */
#include "types.h"

#include <string.h>

enum { CLAMPS = 64 };

static types_node_t *new_node(access_program_t *program, types_kind_t kind, types_address_t origin)
{
    types_node_t *node = poly_alloc(program->space, 1, sizeof(*node));
    static types_node_t after_error;
    if (node == NULL) { /* its contents are meaningless, but it is a node */
        static const poly_t none;
        after_error = (types_node_t){.origin = {0, &none}, .count = &none, .stride = &none};
        return &after_error;
    }
    *node = (types_node_t){.kind = kind, .origin = origin};
    return node;
}

static const poly_t *size_of_element(access_program_t *program, access_type_t type)
{
    return poly_constant(program->space, type.size);
}

/* ---- counts ---- */

/* The clamps of two counts that are multiplied; false: too many. A trip that is a number above -1
 * needs none. */
static bool join_clamps(access_program_t *program, types_node_t *node, const types_node_t *child,
                        const poly_t *trip)
{
    const poly_t *all[CLAMPS];
    int n = 0;
    int64_t number;
    for (int i = 0; i < child->nclamps; i++) {
        all[n++] = child->clamps[i];
    }
    bool wanted = trip != NULL && !(poly_is_constant(trip, &number) && number >= 0);
    for (int i = 0; i < n && wanted; i++) {
        wanted = !poly_equal(all[i], trip);
    }
    if (n + wanted > CLAMPS - 1) {
        return false;
    }
    if (wanted) {
        all[n++] = trip;
    }
    const poly_t **clamps = poly_alloc(program->space, (size_t) n, sizeof(*clamps));
    if (clamps != NULL) {
        memcpy(clamps, all, (size_t) n * sizeof(*clamps));
        node->clamps = clamps;
        node->nclamps = n;
    }
    return true;
}

static bool same_clamps(const types_node_t *a, const types_node_t *b)
{
    if (a->nclamps != b->nclamps) {
        return false;
    }
    for (int i = 0; i < a->nclamps; i++) {
        if (!poly_equal(a->clamps[i], b->clamps[i])) {
            return false;
        }
    }
    return true;
}

static bool same_type(access_type_t a, access_type_t b)
{
    return a.size == b.size && strcmp(a.name, b.name) == 0;
}

/* ---- the kinds ---- */

const types_node_t *types_dense(access_program_t *program, types_address_t origin,
                                const poly_t *size, access_type_t type)
{
    const poly_t *count = poly_divide(program->space, size, size_of_element(program, type));
    if (count == NULL) {
        return NULL;
    }
    types_node_t *node = new_node(program, TYPES_DENSE, origin);
    types_node_t none = {.nclamps = 0};
    node->count = count;
    node->type = type;
    join_clamps(program, node, &none, count);
    return node;
}

static types_node_t *with_children(access_program_t *program, types_kind_t kind,
                                   types_address_t origin, int count,
                                   const types_node_t *const *children)
{
    types_node_t *node = new_node(program, kind, origin);
    const types_node_t **copy = poly_alloc(program->space, (size_t) count, sizeof(*copy));
    if (copy != NULL) {
        memcpy(copy, children, (size_t) count * sizeof(*copy));
        node->children = copy;
        node->nchildren = count;
    }
    return node;
}

/* trip times the child, which is the first one, stride bytes apart. */
static const types_node_t *vector(access_program_t *program, const poly_t *trip,
                                  const poly_t *stride, const types_node_t *child)
{
    poly_space_t *space = program->space;
    bool goes_on = false;
    if (child->kind == TYPES_DENSE) {
        goes_on = poly_equal(
            stride, poly_multiply(space, child->count, size_of_element(program, child->type)));
    } else if (child->kind == TYPES_VECTOR) {
        goes_on = poly_equal(stride, poly_multiply(space, child->count, child->stride));
    }
    if (goes_on) {
        types_node_t *longer = new_node(program, child->kind, child->origin);
        types_node_t copy = *child;
        if (join_clamps(program, &copy, child, trip)) {
            copy.count = poly_multiply(space, trip, child->count);
            *longer = copy;
            return longer;
        }
    }
    types_node_t *node = with_children(program, TYPES_VECTOR, child->origin, 1, &child);
    types_node_t none = {.nclamps = 0};
    node->count = trip;
    node->stride = stride;
    join_clamps(program, node, &none, trip);
    return node;
}

/* ---- dependence ---- */

static bool guard_depends(const access_program_t *program, const access_guard_t *guard,
                          poly_atom_t atom)
{
    for (int i = 0; guard != NULL && i < guard->nbindings; i++) {
        if (poly_depends(program->space, guard->bindings[i].value, atom)) {
            return true;
        }
    }
    return false;
}

/* All but origins, and children. */
static bool form_depends(const access_program_t *program, const types_node_t *node,
                         poly_atom_t atom)
{
    const poly_space_t *space = program->space;
    bool depends = guard_depends(program, node->guard, atom) ||
                   (node->count != NULL && poly_depends(space, node->count, atom)) ||
                   (node->stride != NULL && poly_depends(space, node->stride, atom));
    for (int i = 0; i < node->nclamps && !depends; i++) {
        depends = poly_depends(space, node->clamps[i], atom);
    }
    for (int i = 0; i < node->nloops && !depends; i++) {
        depends = poly_depends(space, node->loops[i].trip, atom);
    }
    return depends;
}

bool types_depends(const access_program_t *program, const types_node_t *node, poly_atom_t atom)
{
    if (form_depends(program, node, atom) ||
        poly_depends(program->space, node->origin.offset, atom)) {
        return true;
    }
    for (int i = 0; i < node->nchildren; i++) {
        if (types_depends(program, node->children[i], atom)) {
            return true;
        }
    }
    return false;
}

/* Does the node move as a whole, *slope bytes for each step of the atom? *slope is NULL until
 * something dense decides it. */
static bool moves(access_program_t *program, const types_node_t *node, poly_atom_t atom,
                  const poly_t **slope)
{
    if (form_depends(program, node, atom)) {
        return false;
    }
    if (node->kind == TYPES_DENSE) {
        const poly_t *own, *rest;
        if (!poly_linear(program->space, node->origin.offset, atom, &own, &rest) ||
            (*slope != NULL && !poly_equal(own, *slope))) {
            return false;
        }
        *slope = own;
    }
    for (int i = 0; i < node->nchildren; i++) {
        if (!moves(program, node->children[i], atom, slope)) {
            return false;
        }
    }
    for (int i = 0; i < node->nloops; i++) { /* a step that differs within the list */
        if (*slope != NULL && poly_depends(program->space, *slope, node->loops[i].variable)) {
            return false;
        }
    }
    return true;
}

/* ---- substitution ---- */

static const access_guard_t *substituted_guard(access_program_t *program,
                                               const access_guard_t *guard, poly_atom_t atom,
                                               const poly_t *by)
{
    if (!guard_depends(program, guard, atom)) {
        return guard;
    }
    access_guard_t *copy = poly_alloc(program->space, 1, sizeof(*copy));
    access_binding_t *bindings =
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): no guard depends on nothing */
        poly_alloc(program->space, (size_t) guard->nbindings, sizeof(*bindings));
    if (copy == NULL || bindings == NULL) {
        return guard;
    }
    *copy = *guard;
    copy->bindings = bindings;
    for (int i = 0; i < guard->nbindings; i++) {
        bindings[i].name = guard->bindings[i].name;
        bindings[i].value = poly_substitute(program->space, guard->bindings[i].value, atom, by);
    }
    return copy;
}

const types_node_t *types_substitute(access_program_t *program, const types_node_t *node,
                                     poly_atom_t atom, const poly_t *by)
{
    poly_space_t *space = program->space;
    if (!types_depends(program, node, atom)) {
        return node;
    }
    types_node_t *out = new_node(program, node->kind, node->origin);
    const types_node_t **children = poly_alloc(space, (size_t) node->nchildren, sizeof(*children));
    const poly_t **clamps = poly_alloc(space, (size_t) node->nclamps, sizeof(*clamps));
    types_loop_t *loops = poly_alloc(space, (size_t) node->nloops, sizeof(*loops));
    if (children == NULL || clamps == NULL || loops == NULL) {
        return node;
    }
    *out = *node;
    out->origin.offset = poly_substitute(space, node->origin.offset, atom, by);
    out->count = node->count != NULL ? poly_substitute(space, node->count, atom, by) : NULL;
    out->stride = node->stride != NULL ? poly_substitute(space, node->stride, atom, by) : NULL;
    out->guard = substituted_guard(program, node->guard, atom, by);
    for (int i = 0; i < node->nclamps; i++) {
        clamps[i] = poly_substitute(space, node->clamps[i], atom, by);
    }
    for (int i = 0; i < node->nloops; i++) {
        loops[i] = (types_loop_t){node->loops[i].variable,
                                  poly_substitute(space, node->loops[i].trip, atom, by)};
    }
    for (int i = 0; i < node->nchildren; i++) {
        children[i] = types_substitute(program, node->children[i], atom, by);
    }
    out->children = children;
    out->clamps = clamps;
    out->loops = loops;
    return out;
}

/* ---- repetition ---- */

const types_node_t *types_unguarded(access_program_t *program, const types_node_t *node)
{
    if (node->guard == NULL) {
        return node;
    }
    types_node_t *out = new_node(program, node->kind, node->origin);
    *out = *node;
    out->guard = NULL;
    if (out->kind == TYPES_STRUCT && out->nchildren == 1 && out->children[0]->guard == NULL) {
        return out->children[0];
    }
    return out;
}

const types_node_t *types_guarded(access_program_t *program, const access_guard_t *guard,
                                  const types_node_t *node)
{
    if (guard == NULL) {
        return node;
    }
    types_node_t *out;
    if (node->guard != NULL) { /* both must hold */
        out = with_children(program, TYPES_STRUCT, node->origin, 1, &node);
    } else {
        out = new_node(program, node->kind, node->origin);
        *out = *node;
    }
    out->guard = guard;
    return out;
}

static int first_base(const types_node_t *node)
{
    while (node->nchildren > 0) {
        node = node->children[0];
    }
    return node->origin.base;
}

static const types_node_t *list(access_program_t *program, poly_atom_t variable, const poly_t *trip,
                                const types_node_t *child)
{
    bool inner = child->kind == TYPES_LIST && child->guard == NULL;
    bool open = inner || (child->kind == TYPES_STRUCT && child->guard == NULL);
    int nloops = 1 + (inner ? child->nloops : 0);
    types_address_t start = {first_base(child), poly_constant(program->space, 0)};
    types_node_t *node = with_children(program, TYPES_LIST, start, open ? child->nchildren : 1,
                                       open ? child->children : &child);
    types_loop_t *loops = poly_alloc(program->space, (size_t) nloops, sizeof(*loops));
    if (loops != NULL) {
        loops[0] = (types_loop_t){variable, trip};
        for (int i = 1; i < nloops; i++) {
            loops[i] = child->loops[i - 1];
        }
        node->loops = loops;
        node->nloops = nloops;
    }
    return node;
}

const types_node_t *types_repeat(access_program_t *program, poly_atom_t variable,
                                 const poly_t *trip, const types_node_t *child)
{
    poly_space_t *space = program->space;
    int64_t number;
    if (child->guard != NULL && !guard_depends(program, child->guard, variable)) {
        const types_node_t *inner = types_unguarded(program, child);
        return types_guarded(program, child->guard, types_repeat(program, variable, trip, inner));
    }
    if (poly_is_constant(trip, &number) && number == 1) {
        return types_substitute(program, child, variable, poly_constant(space, 0));
    }
    if (poly_is_constant(trip, &number) && number < 0) {
        trip = poly_constant(space, 0);
    }
    const poly_t *slope = NULL;
    if (child->guard != NULL || !moves(program, child, variable, &slope)) {
        return list(program, variable, trip, child);
    }
    return vector(program, trip, slope,
                  types_substitute(program, child, variable, poly_constant(space, 0)));
}

/* ---- sequences ---- */

bool types_alike(access_program_t *program, const types_node_t *a, const types_node_t *b)
{
    if (a == b) {
        return true;
    }
    if (a->kind != b->kind || a->kind == TYPES_LIST || a->guard != NULL || b->guard != NULL ||
        a->nchildren != b->nchildren || !same_clamps(a, b) ||
        (a->count != NULL && !poly_equal(a->count, b->count)) ||
        (a->stride != NULL && !poly_equal(a->stride, b->stride)) ||
        (a->kind == TYPES_DENSE && !same_type(a->type, b->type))) {
        return false;
    }
    const poly_t *apart = poly_subtract(program->space, b->origin.offset, a->origin.offset);
    for (int i = 0; i < a->nchildren; i++) {
        const types_node_t *left = a->children[i], *right = b->children[i];
        bool own = left->origin.base == a->origin.base; /* both move with their parents */
        if ((own ? right->origin.base != b->origin.base
                 : left->origin.base != right->origin.base || a->origin.base != b->origin.base) ||
            !poly_equal(poly_add(program->space, left->origin.offset, apart),
                        right->origin.offset) ||
            !types_alike(program, left, right)) {
            return false;
        }
    }
    return true;
}

/* The end of a, which is dense, is the start of b. */
static const types_node_t *joined(access_program_t *program, const types_node_t *a,
                                  const types_node_t *b)
{
    poly_space_t *space = program->space;
    if (a->kind != TYPES_DENSE || b->kind != TYPES_DENSE || a->guard != NULL || b->guard != NULL ||
        a->origin.base != b->origin.base || !same_type(a->type, b->type) || !same_clamps(a, b)) {
        return NULL;
    }
    const poly_t *size = poly_multiply(space, a->count, size_of_element(program, a->type));
    if (!poly_equal(poly_add(space, a->origin.offset, size), b->origin.offset)) {
        return NULL;
    }
    types_node_t *node = new_node(program, TYPES_DENSE, a->origin);
    *node = *a;
    node->count = poly_add(space, a->count, b->count);
    return node;
}

/* How many nodes, from the first on, are alike at equal distances of *stride. */
static int run_length(access_program_t *program, int count, const types_node_t *const *nodes,
                      const poly_t **stride)
{
    int n = 1;
    while (n < count && nodes[n]->origin.base == nodes[0]->origin.base &&
           types_alike(program, nodes[0], nodes[n])) {
        const poly_t *step =
            poly_subtract(program->space, nodes[n]->origin.offset, nodes[n - 1]->origin.offset);
        if (n > 1 && !poly_equal(step, *stride)) {
            break;
        }
        *stride = step;
        n++;
    }
    return nodes[0]->guard == NULL && nodes[0]->kind != TYPES_LIST ? n : 1;
}

/* Replaces runs by vectors; two alike are one only when nothing else is there. Returns the new
 * number. */
static int make_runs(access_program_t *program, int count, const types_node_t **nodes)
{
    int kept = 0;
    for (int i = 0; i < count;) {
        const poly_t *stride = NULL;
        int run = run_length(program, count - i, nodes + i, &stride);
        if (run > 2 || (run == 2 && count == 2)) {
            nodes[kept++] = vector(program, poly_constant(program->space, run), stride, nodes[i]);
            i += run;
        } else {
            nodes[kept++] = nodes[i++];
        }
    }
    return kept;
}

/* The nodes without empty ones, with those of structs, and dense neighbours joined. NULL: no
 * memory. */
static const types_node_t **flattened(access_program_t *program, int count,
                                      const types_node_t *const *children, int *kept)
{
    size_t room = 0;
    for (int i = 0; i < count; i++) {
        room += children[i]->kind == TYPES_STRUCT ? (size_t) children[i]->nchildren : 1;
    }
    const types_node_t **nodes = poly_alloc(program->space, room, sizeof(*nodes));
    int n = 0;
    for (int i = 0; i < count && nodes != NULL; i++) {
        const types_node_t *child = children[i];
        bool open = child->kind == TYPES_STRUCT && child->guard == NULL;
        int inner = open ? child->nchildren : 1;
        for (int j = 0; j < inner; j++) {
            const types_node_t *node = open ? child->children[j] : child;
            const types_node_t *longer = n > 0 ? joined(program, nodes[n - 1], node) : NULL;
            if (longer != NULL) {
                nodes[n - 1] = longer;
            } else if (node->kind != TYPES_DENSE || !poly_is_zero(node->count) || count == 1) {
                nodes[n++] = node;
            }
        }
    }
    if (n == 0 && nodes != NULL) {
        nodes[n++] = children[0];
    }
    *kept = n;
    return nodes;
}

const types_node_t *types_sequence(access_program_t *program, int count,
                                   const types_node_t *const *children)
{
    int n;
    const types_node_t **nodes = flattened(program, count, children, &n);
    if (nodes == NULL) {
        return children[0];
    }
    for (int before = n + 1; n < before && n > 1 && poly_error(program->space) == POLY_OK;) {
        before = n;
        n = make_runs(program, n, nodes);
    }
    return n == 1 ? nodes[0] : with_children(program, TYPES_STRUCT, nodes[0]->origin, n, nodes);
}

/* ---- size ---- */

const poly_t *types_size(access_program_t *program, const types_node_t *node)
{
    poly_space_t *space = program->space;
    if (node->guard != NULL) {
        return NULL;
    }
    if (node->kind == TYPES_DENSE) {
        return poly_multiply(space, node->count, size_of_element(program, node->type));
    }
    const poly_t *sum = poly_constant(space, 0);
    for (int i = 0; i < node->nchildren; i++) {
        const poly_t *size = types_size(program, node->children[i]);
        if (size == NULL) {
            return NULL;
        }
        sum = poly_add(space, sum, size);
    }
    if (node->kind == TYPES_VECTOR) {
        return poly_multiply(space, node->count, sum);
    }
    for (int i = node->nloops - 1; i >= 0; i--) {
        if (poly_depends(space, sum, node->loops[i].variable)) {
            return NULL;
        }
        sum = poly_multiply(space, sum, node->loops[i].trip);
    }
    return sum;
}
