/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The verifier: grammar, sizes and bounds of a program, and that the fields the machine runs by
 * agree with the ones that are text.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ops.h"
#include "verify.h"

static int has_list(dame_op_t op, char letter)
{
    return strchr(dame_op_params(op), letter) != NULL;
}

typedef struct verifier {
    const dame_program_t *program;
    dame_fault_t *fault;
} verifier_t;

__attribute__((format(printf, 3, 4))) static dame_status_t fail(const verifier_t *v, int32_t index,
                                                                const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(v->fault->text, sizeof(v->fault->text), format, args);
    va_end(args);
    v->fault->prim = index;
    return DAME_ERR_VERIFY;
}

static dame_status_t expect_op(const verifier_t *v, int32_t index, dame_op_t op)
{
    if (index >= v->program->nprims) {
        return fail(v, index, "the program ends where %s must stand", dame_op_name(op));
    }
    if (op != v->program->prims[index].params->op) {
        return fail(v, index, "stands where %s must stand", dame_op_name(op));
    }
    return DAME_OK;
}

static void widen(dame_span_t *span, wide_t low, wide_t high, int first)
{
    span->low = first || low < span->low ? low : span->low;
    span->high = first || high > span->high ? high : span->high;
}

/* Bytes that `count` repetitions of `inner`, `step` bytes apart, touch. */
static void repeat_check(dame_span_t *span, const dame_span_t *inner, wide_t start, int64_t count,
                         wide_t step, int first)
{
    wide_t last = start + (count - 1) * step;
    wide_t low = start < last ? start : last;
    wide_t high = start < last ? last : start;
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): set unless it failed */
    widen(span, low + inner->low, high + inner->high, first);
}

static dame_status_t verify_type(const verifier_t *v, int32_t index, int32_t depth,
                                 dame_span_t *span);

/* Tables follow the primitives and their parameters, in the program's own memory. */
static int in_tables(const verifier_t *v, const void *table, uint64_t entries, size_t size)
{
    uintptr_t start = (uintptr_t) (v->program->prims[0].params + v->program->nprims);
    uintptr_t end = (uintptr_t) v->program + v->program->memory;
    uintptr_t at = (uintptr_t) table;
    return at >= start && at <= end && entries <= (end - at) / size;
}

/* A primitive has the tables that its text has lists for, and no others. */
static dame_status_t verify_tables(const verifier_t *v, int32_t index)
{
    const dame_prim_t *prim = &v->program->prims[index];
    const dame_params_t *params = prim->params;
    int is_struct = dame_op_class(params->op) == DAME_CLASS_STRUCT;
    int listed = has_list(params->op, 'D');
    int narrow = prim->disps32 != NULL && !is_struct;
    uint64_t count = (uint64_t) prim->count;
    uint64_t window = (uint64_t) prim->window;
    int sorted = params->op == DAME_OP_BLOCKINDEXFINAL && narrow && window > 0;
    const struct {
        const char *what;
        const void *table;
        int wanted;
        uint64_t entries;
        size_t size;
    } tables[] = {
        {"displacements", prim->disps, listed && !narrow, count, sizeof(int64_t)},
        {"32-bit displacements", prim->disps32, listed && narrow, count, sizeof(int32_t)},
        {"sorted entries", prim->visits, sorted, sorted ? count - count % window : 0,
         sizeof(dame_visit_t)},
        {"prefix sums", prim->prefix, has_list(params->op, 'B'), count + 1, sizeof(int64_t)},
        {"blocklengths", params->blklens, is_struct, count, sizeof(int64_t)},
        {"extents", params->extents, is_struct, count, sizeof(int64_t)},
        {"distances to inner levels", prim->inner_deltas, is_struct, count, sizeof(int32_t)},
        {"distances to subprograms", params->sub_deltas, is_struct, count, sizeof(int32_t)},
    };
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        if (!tables[i].wanted && tables[i].table != NULL) {
            return fail(v, index, "has a table of %s", tables[i].what);
        }
        if (tables[i].wanted && !in_tables(v, tables[i].table, tables[i].entries, tables[i].size)) {
            return fail(v, index, "has no table of %" PRIu64 " %s", tables[i].entries,
                        tables[i].what);
        }
    }
    return DAME_OK;
}

static dame_status_t verify_scalars(const verifier_t *v, int32_t index)
{
    const dame_prim_t *prim = &v->program->prims[index];
    const dame_params_t *params = prim->params;
    if (dame_prim_run(prim, DAME_PACK) == NULL || dame_prim_run(prim, DAME_UNPACK) == NULL) {
        return fail(v, index, "has no run kernel");
    }
    if (prim->count < 1) {
        return fail(v, index, "count is %" PRId64 ", at least 1 is allowed", prim->count);
    }
    for (const char *p = dame_op_params(params->op); *p != '\0'; p++) {
        if (*p == 'b' && params->blklen < 1) {
            return fail(v, index, "blocklength is %" PRId64 ", at least 1 is allowed",
                        params->blklen);
        }
        if (*p == 'z' && params->size < 1) {
            return fail(v, index, "size is %" PRId64 ", at least 1 is allowed", params->size);
        }
    }
    if ((params->op == DAME_OP_CONTIG || params->op == DAME_OP_VECTOR1 ||
         params->op == DAME_OP_BLOCKINDEX1) &&
        params->blklen != 1) {
        return fail(v, index, "blocklength is %" PRId64 ", only 1 is allowed", params->blklen);
    }
    return verify_tables(v, index);
}

/* Every whole window of the sorted table has each of its entries once. */
static dame_status_t verify_visits(const verifier_t *v, int32_t index)
{
    const dame_prim_t *prim = &v->program->prims[index];
    if (prim->window == 0) {
        return DAME_OK;
    }
    if (prim->visits == NULL || prim->window < 0 || prim->window > DAME_LONGEST_WINDOW) {
        return fail(v, index, "window is %" PRId64 ", only 0 to %d is allowed", prim->window,
                    prim->visits != NULL ? DAME_LONGEST_WINDOW : 0);
    }
    const int64_t entries = prim->count - prim->count % prim->window;
    for (int64_t first = 0; first < entries; first += prim->window) {
        uint64_t seen[DAME_LONGEST_WINDOW / 64] = {0}; /* a bit each: stacks may be small */
        for (int64_t i = first; i < first + prim->window; i++) {
            const dame_visit_t visit = prim->visits[i];
            if (visit.slot < 0 || visit.slot >= prim->window ||
                (seen[visit.slot / 64] >> (visit.slot % 64) & 1) != 0 ||
                visit.disp != prim->disps32[first + visit.slot]) {
                return fail(v, index, "entry %" PRId64 " of the sorted table is none of its window",
                            i);
            }
            seen[visit.slot / 64] |= UINT64_C(1) << (visit.slot % 64);
        }
    }
    return DAME_OK;
}

static dame_status_t verify_prefix(const verifier_t *v, int32_t index)
{
    const dame_prim_t *prim = &v->program->prims[index];
    if (prim->prefix[0] != 0) {
        return fail(v, index, "prefix sums start with %" PRId64 ", not 0", prim->prefix[0]);
    }
    for (int64_t i = 0; i < prim->count; i++) {
        if (prim->prefix[i + 1] <= prim->prefix[i]) {
            return fail(v, index, "block %" PRId64 " has no data", i);
        }
        if (prim->inner_deltas == NULL && dame_iter_size(prim, i) % prim->params->size != 0) {
            return fail(v, index,
                        "block %" PRId64 " has %" PRId64 " bytes, not a multiple of size %" PRId64,
                        i, dame_iter_size(prim, i), prim->params->size);
        }
    }
    return DAME_OK;
}

/* One instance of a level's inner type, checked against the level's size and extent. */
static dame_status_t verify_inner(const verifier_t *v, int32_t index, int32_t depth,
                                  dame_span_t *inner)
{
    const dame_prim_t *prim = &v->program->prims[index];
    const dame_params_t *params = prim->params;
    int final = dame_op_class(params->op) == DAME_CLASS_FINAL;
    int child = !final && (params->blklen > 1 || params->op == DAME_OP_INDEX);
    int32_t at = index + 1;
    dame_status_t status = DAME_OK;
    if (child) {
        status = expect_op(v, at, DAME_OP_CONTIGCHILD);
        if (status == DAME_OK) {
            status = verify_tables(v, at);
        }
        const dame_prim_t *level = prim + 1;
        int64_t count = params->op == DAME_OP_INDEX ? 0 : params->blklen;
        if (status == DAME_OK &&
            (count != level->count || params->size != level->iter_size ||
             params->extent != level->step || dame_prim_run(level, DAME_PACK) == NULL ||
             dame_prim_run(level, DAME_UNPACK) == NULL)) {
            status = fail(v, at, "does not agree with the primitive above it");
        }
        at++;
    }
    if (status == DAME_OK && final) {
        status = expect_op(v, at, DAME_OP_CONTIGFINAL);
    }
    if (status == DAME_OK) {
        status = verify_type(v, at, depth + child, inner);
    }
    if (status != DAME_OK) {
        return status;
    }
    if (inner->size != params->size) {
        return fail(v, index, "size is %" PRId64 ", its inner type has %" PRId64 " bytes",
                    params->size, inner->size);
    }
    if (final && params->extent != params->size) {
        return fail(v, index, "extent is %" PRId64 ", only size %" PRId64 " is allowed here",
                    params->extent, params->size);
    }
    int leaf = v->program->prims[at].params->op == DAME_OP_CONTIGFINAL;
    if (prim->inner_delta != (child || !leaf) || (child && prim[1].inner_delta != !leaf)) {
        return fail(v, index, "does not lead to its inner level");
    }
    inner->depth += child;
    return DAME_OK;
}

static dame_status_t verify_bounds(const verifier_t *v, int32_t index, const dame_span_t *span)
{
    if (!wide_fits(span->low) || !wide_fits(span->high) || !wide_fits(span->high - span->low)) {
        return fail(v, index, "bounds exceed 64 bits");
    }
    return DAME_OK;
}

static dame_status_t verify_level(const verifier_t *v, int32_t index, int32_t depth,
                                  dame_span_t *span)
{
    const dame_prim_t *prim = &v->program->prims[index];
    const dame_params_t *params = prim->params;
    dame_span_t inner;
    dame_status_t status = verify_scalars(v, index);
    if (status == DAME_OK && prim->prefix != NULL) {
        status = verify_prefix(v, index);
    }
    if (status == DAME_OK) {
        status = verify_visits(v, index);
    }
    if (status == DAME_OK) {
        status = verify_inner(v, index, depth, &inner);
    }
    if (status != DAME_OK) {
        return status;
    }
    wide_t size = (wide_t) prim->count * prim->iter_size;
    if (prim->prefix != NULL) {
        size = prim->prefix[prim->count];
    } else if (prim->iter_size != (wide_t) params->blklen * params->size) {
        return fail(v, index, "an iteration has %" PRId64 " bytes, not blocklength * size",
                    prim->iter_size);
    } else if (!wide_fits(size)) {
        return fail(v, index, "size exceeds 64 bits");
    }
    if (params->op == DAME_OP_CONTIG && prim->step != params->extent) {
        return fail(v, index, "step is %" PRId64 ", only extent %" PRId64 " is allowed", prim->step,
                    params->extent);
    }
    *span = (dame_span_t){.size = (int64_t) size, .next = inner.next, .depth = inner.depth + 1};
    if (!dame_prim_has_list(prim)) {
        dame_span_t block = {.size = 0};
        repeat_check(&block, &inner, 0, params->blklen, params->extent, 1);
        repeat_check(span, &block, 0, prim->count, prim->step, 1);
        return verify_bounds(v, index, span);
    }
    for (int64_t i = 0; i < prim->count; i++) {
        int64_t blklen =
            prim->prefix != NULL ? dame_iter_size(prim, i) / params->size : params->blklen;
        repeat_check(span, &inner, dame_prim_disp(prim, i), blklen, params->extent, i == 0);
    }
    return verify_bounds(v, index, span);
}

/* One subprogram of a STRUCT: RETURNTO, Type, BOTTOM. */
static dame_status_t verify_field(const verifier_t *v, int32_t index, int64_t i, int32_t at,
                                  int32_t depth, dame_span_t *field)
{
    const dame_prim_t *prim = &v->program->prims[index];
    const dame_params_t *params = prim->params;
    dame_status_t status = expect_op(v, at, DAME_OP_RETURNTO);
    if (status != DAME_OK) {
        return status;
    }
    if (index != v->program->prims[at].params->struct_index) {
        return fail(v, at, "returns to primitive %" PRId64 ", its STRUCT is %" PRId32,
                    v->program->prims[at].params->struct_index, index);
    }
    int32_t type = ++at;
    int child = params->blklens[i] > 1;
    if (child) {
        status = expect_op(v, at++, DAME_OP_CONTIGCHILD);
        if (status == DAME_OK) {
            status = verify_tables(v, type);
        }
        const dame_prim_t *level = &v->program->prims[type];
        if (status == DAME_OK &&
            (level->count != params->blklens[i] || level->step != params->extents[i] ||
             (wide_t) level->iter_size * level->count != dame_iter_size(prim, i) ||
             dame_prim_run(level, DAME_PACK) == NULL ||
             dame_prim_run(level, DAME_UNPACK) == NULL)) {
            status = fail(v, type, "does not agree with block %" PRId64 " of its STRUCT", i);
        }
    }
    if (status == DAME_OK) {
        status = verify_type(v, at, depth + child, field);
    }
    if (status == DAME_OK) {
        status = expect_op(v, field->next, DAME_OP_BOTTOM);
    }
    if (status != DAME_OK) {
        return status;
    }
    int64_t bytes = dame_iter_size(prim, i);
    if ((wide_t) params->blklens[i] * field->size != bytes) {
        return bytes % params->blklens[i] == 0
                   ? fail(v, index,
                          "size %" PRId64 " is %" PRId64 ", the subprogram has %" PRId64 " bytes",
                          i, bytes / params->blklens[i], field->size)
                   : fail(v, index,
                          "block %" PRId64 " has %" PRId64 " bytes, its subprogram %" PRId64, i,
                          bytes, field->size);
    }
    int leaf = v->program->prims[at].params->op == DAME_OP_CONTIGFINAL;
    if (prim->inner_deltas[i] != (child || !leaf ? type - index : 0) ||
        (child && v->program->prims[type].inner_delta != !leaf)) {
        return fail(v, index, "block %" PRId64 " does not lead to its subprogram", i);
    }
    field->depth += child;
    field->next++;
    return DAME_OK;
}

/* Subprograms verified lately: structs of shared subprograms must not double with every level. */
enum { LATELY = 8 };

typedef struct fields {
    int64_t n; /* so far; the last LATELY of them are kept */
    int64_t blocks[LATELY];
    dame_span_t spans[LATELY];
} fields_t;

static int same_block(const dame_prim_t *prim, int64_t a, int64_t b)
{
    const dame_params_t *params = prim->params;
    return params->sub_deltas[a] == params->sub_deltas[b] &&
           prim->inner_deltas[a] == prim->inner_deltas[b] &&
           params->blklens[a] == params->blklens[b] && params->extents[a] == params->extents[b] &&
           dame_iter_size(prim, a) == dame_iter_size(prim, b);
}

/* The subprogram of block i, unless one just like it was verified. */
static dame_status_t verify_block(const verifier_t *v, int32_t index, int64_t i, int32_t depth,
                                  fields_t *fields, dame_span_t *field)
{
    const dame_prim_t *prim = &v->program->prims[index];
    for (int64_t k = 0; k < fields->n && k < LATELY; k++) {
        if (same_block(prim, i, fields->blocks[k])) {
            *field = fields->spans[k];
            return DAME_OK;
        }
    }
    dame_status_t status =
        verify_field(v, index, i, index + prim->params->sub_deltas[i], depth, field);
    if (status == DAME_OK) {
        fields->blocks[fields->n % LATELY] = i;
        fields->spans[fields->n % LATELY] = *field;
        fields->n++;
    }
    return status;
}

static dame_status_t verify_struct(const verifier_t *v, int32_t index, int32_t depth,
                                   dame_span_t *span)
{
    const dame_prim_t *prim = &v->program->prims[index];
    const dame_params_t *params = prim->params;
    dame_status_t status = verify_scalars(v, index);
    if (status == DAME_OK) {
        status = verify_prefix(v, index);
    }
    *span = (dame_span_t){.next = index + 1};
    fields_t fields = {.n = 0};
    for (int64_t i = 0; status == DAME_OK && i < prim->count; i++) {
        dame_span_t field;
        if (params->blklens[i] < 1) {
            return fail(v, index, "blocklength %" PRId64 " is %" PRId64 ", at least 1 is allowed",
                        i, params->blklens[i]);
        }
        /* The next subprogram, or one before: whatever returns to this STRUCT is one of its own. */
        if (params->sub_deltas[i] < 1 || params->sub_deltas[i] > span->next - index) {
            return fail(v, index, "block %" PRId64 " has no subprogram", i);
        }
        status = verify_block(v, index, i, depth, &fields, &field);
        if (status == DAME_OK) {
            repeat_check(span, &field, dame_prim_disp(prim, i), params->blklens[i],
                         params->extents[i], i == 0);
            span->next = field.next > span->next ? field.next : span->next;
            span->depth = field.depth > span->depth ? field.depth : span->depth;
        }
    }
    if (status == DAME_OK) {
        span->size = prim->prefix[prim->count];
        span->depth++;
        status = verify_bounds(v, index, span);
    }
    return status;
}

static dame_status_t verify_type(const verifier_t *v, int32_t index, int32_t depth,
                                 dame_span_t *span)
{
    if (index >= v->program->nprims) {
        return fail(v, index, "the program ends where a type must stand");
    }
    const dame_prim_t *prim = &v->program->prims[index];
    const dame_params_t *params = prim->params;
    if ((unsigned) params->op >= DAME_OP_COUNT) {
        return fail(v, index, "operation %u is unknown", (unsigned) params->op);
    }
    if (depth > v->program->depth) {
        return fail(v, index, "nested deeper than the program's depth %" PRId32, v->program->depth);
    }
    switch (dame_op_class(params->op)) {
    case DAME_CLASS_BASE:
    case DAME_CLASS_FINAL:
        return verify_level(v, index, depth + 1, span);
    case DAME_CLASS_STRUCT:
        return verify_struct(v, index, depth + 1, span);
    case DAME_CLASS_LEAF:
        if (params->size < 0 || (params->size == 0 && index != 1)) { /* alone it is an empty type */
            return fail(v, index, "has %" PRId64 " bytes, at least 1 is allowed", params->size);
        }
        *span = (dame_span_t){.size = params->size, .high = params->size, .next = index + 1};
        return DAME_OK;
    default:
        return fail(v, index, "stands where a type must stand");
    }
}

dame_status_t dame_verify_exit(const dame_program_t *program, const dame_span_t *type,
                               dame_fault_t *fault)
{
    const verifier_t verifier = {.program = program, .fault = fault};
    const verifier_t *v = &verifier;
    const dame_prim_t *top = &program->prims[0];
    int leaf = program->prims[1].params->op == DAME_OP_CONTIGFINAL;
    dame_status_t status = verify_tables(v, 0);
    if (status != DAME_OK) {
        return status;
    }
    if (top->count != 0 || top->iter_size != program->size || top->step != program->extent ||
        top->inner_delta != !leaf || dame_prim_run(top, DAME_PACK) == NULL ||
        dame_prim_run(top, DAME_UNPACK) == NULL) {
        return fail(v, 0, "does not agree with the program's size and extent");
    }
    if (type->size != program->size) {
        return fail(v, 0, "the program's size is %" PRId64 ", its type has %" PRId64 " bytes",
                    program->size, type->size);
    }
    if (type->depth + 1 != program->depth) {
        return fail(v, 0, "the program's depth is %" PRId32 ", its type needs %" PRId32,
                    program->depth, type->depth + 1);
    }
    if (program->granule < 1) {
        return fail(v, 0, "granule is %" PRId64 ", at least 1 is allowed", program->granule);
    }
    if (type->low != program->true_lb || type->high != program->true_ub) {
        return fail(v, 0,
                    "touches bytes [%" PRId64 ", %" PRId64 "), the type's true bounds are [%" PRId64
                    ", %" PRId64 ")",
                    (int64_t) type->low, (int64_t) type->high, program->true_lb, program->true_ub);
    }
    return DAME_OK;
}

dame_status_t dame_verify_type(const dame_program_t *program, dame_span_t *span,
                               dame_fault_t *fault)
{
    const verifier_t v = {.program = program, .fault = fault};
    dame_status_t status = expect_op(&v, 0, DAME_OP_EXIT);
    if (status == DAME_OK) {
        status = verify_type(&v, 1, 1, span);
    }
    if (status == DAME_OK) {
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): fail() returns no DAME_OK */
        status = expect_op(&v, span->next, DAME_OP_BOTTOM);
    }
    if (status == DAME_OK && span->next + 1 != program->nprims) {
        status = fail(&v, span->next + 1, "is after the end of the program");
    }
    return status;
}

dame_status_t dame_program_verify(const dame_program_t *program, char *message, size_t message_size)
{
    dame_span_t type;
    dame_fault_t fault;
    dame_status_t status = dame_verify_type(program, &type, &fault);
    if (status == DAME_OK) {
        status = dame_verify_exit(program, &type, &fault);
    }
    if (status != DAME_OK && message != NULL && message_size > 0) {
        snprintf(message, message_size, "primitive %" PRId32 " %s: %s", fault.prim,
                 fault.prim < program->nprims ? dame_op_name(program->prims[fault.prim].params->op)
                                              : "(end)",
                 fault.text);
    }
    return status;
}
