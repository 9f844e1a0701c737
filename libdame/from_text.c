/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts in the DAME language as datatypes: a constructor or two for each primitive. */
#include <inttypes.h>
#include <stdlib.h>

#include "dame/text.h"
#include "make.h"

/* dame_fail() returns no DAME_OK, which clang does not know of functions in other files. */
/* NOLINTBEGIN(clang-analyzer-core.CallAndMessage, clang-analyzer-core.NullDereference) */

typedef struct reader {
    const char *who;
    const dame_datatype_t *element; /* what all bytes consist of */
} reader_t;

static dame_status_t read_type(const reader_t *r, const dame_prim_t *prim, dame_datatype_t **out);

/* How many elements a block of that many bytes has. */
static dame_status_t elements(const reader_t *r, int64_t bytes, int64_t *n)
{
    const int64_t size = r->element->node.size;
    if (bytes % size != 0) {
        return dame_fail(DAME_ERR_ARGUMENT, r->who,
                         "a block has %" PRId64
                         " bytes, which is not a whole number of %s, %" PRId64 " bytes each",
                         bytes, r->element->basic.name, size);
    }
    *n = bytes / size;
    return DAME_OK;
}

static dame_status_t read_leaf(const reader_t *r, int64_t bytes, dame_datatype_t **out)
{
    int64_t n = 0;
    dame_status_t status = elements(r, bytes, &n);
    return status == DAME_OK ? dame_make_contiguous(r->who, n, r->element, out) : status;
}

/* The Type below a primitive, behind the CONTIGCHILD if there is one. */
static dame_status_t read_inner(const reader_t *r, const dame_prim_t *prim, dame_datatype_t **out)
{
    return read_type(r, prim + (prim[1].params->op == DAME_OP_CONTIGCHILD ? 2 : 1), out);
}

/* A block of `blklen` of them, `extent` bytes apart. Not by an extent of the inner datatype, which
 * would count as memory behind the last one: such bounds need not fit in 64 bits. */
static dame_status_t read_block(const reader_t *r, const dame_prim_t *prim, int64_t blklen,
                                int64_t extent, dame_datatype_t **out)
{
    dame_datatype_t *inner;
    dame_status_t status = read_inner(r, prim, &inner);
    if (status != DAME_OK || blklen == 1) {
        *out = status == DAME_OK ? inner : NULL;
        return status;
    }
    status = dame_make_hvector(r->who, blklen, 1, extent, inner, out);
    dame_datatype_free(inner);
    return status;
}

/* For blocks of several lengths: the inner datatype with that extent. */
static dame_status_t read_spaced(const reader_t *r, const dame_prim_t *prim, int64_t extent,
                                 dame_datatype_t **out)
{
    dame_datatype_t *inner;
    dame_status_t status = read_inner(r, prim, &inner);
    if (status != DAME_OK || inner->node.extent == extent) {
        *out = status == DAME_OK ? inner : NULL;
        return status;
    }
    status = dame_make_resized(r->who, inner->node.lb, extent, inner, out);
    dame_datatype_free(inner);
    return status;
}

/* Its displacements, and its blocklengths in `unit` bytes of the stream; NULL: out of memory. */
static int64_t *lists_of(const dame_prim_t *prim, int64_t unit)
{
    int64_t *lists = malloc(2 * (size_t) prim->count * sizeof(*lists) + 1);
    for (int64_t i = 0; lists != NULL && i < prim->count; i++) {
        lists[i] = dame_prim_disp(prim, i);
        lists[prim->count + i] = dame_iter_size(prim, i) / unit;
    }
    return lists;
}

static dame_status_t no_memory(const reader_t *r)
{
    return dame_fail(DAME_ERR_NOMEM, r->who, "out of memory");
}

/* Blocks of one size. */
static dame_status_t read_uniform(const reader_t *r, const dame_prim_t *prim, int final,
                                  dame_datatype_t **out)
{
    const dame_params_t *params = prim->params;
    dame_datatype_t *inner;
    dame_status_t status = final ? read_leaf(r, prim->iter_size, &inner)
                                 : read_block(r, prim, params->blklen, params->extent, &inner);
    if (status != DAME_OK) {
        return status;
    }
    if (dame_prim_has_list(prim)) {
        int64_t *lists = lists_of(prim, 1);
        status = lists == NULL
                     ? no_memory(r)
                     : dame_make_indexed_block(r->who, prim->count, 1, lists, 1, inner, out);
        free(lists);
    } else {
        status = dame_make_hvector(r->who, prim->count, 1, prim->step, inner, out);
    }
    dame_datatype_free(inner);
    return status;
}

/* INDEX, INDEXFINAL. */
static dame_status_t read_ragged(const reader_t *r, const dame_prim_t *prim, int final,
                                 dame_datatype_t **out)
{
    dame_datatype_t *inner;
    dame_status_t status = DAME_OK;
    int64_t n;
    for (int64_t i = 0; final && status == DAME_OK && i < prim->count; i++) {
        status = elements(r, dame_iter_size(prim, i), &n);
    }
    if (status == DAME_OK) {
        status = final ? dame_datatype_dup(r->element, &inner)
                       : read_spaced(r, prim, prim->params->extent, &inner);
    }
    if (status != DAME_OK) {
        return status;
    }
    int64_t *lists = lists_of(prim, final ? r->element->node.size : prim->params->size);
    status = lists == NULL ? no_memory(r)
                           : dame_make_indexed(r->who, prim->count, lists + prim->count, lists, 1,
                                               inner, out);
    free(lists);
    dame_datatype_free(inner);
    return status;
}

static dame_status_t read_struct(const reader_t *r, const dame_prim_t *prim, dame_datatype_t **out)
{
    const dame_params_t *params = prim->params;
    int64_t *lists = lists_of(prim, 1);
    dame_datatype_t **types = malloc((size_t) prim->count * sizeof(*types) + 1);
    dame_status_t status = lists == NULL || types == NULL ? no_memory(r) : DAME_OK;
    int64_t made = 0;
    while (status == DAME_OK && made < prim->count) {
        status = read_block(r, prim + params->sub_deltas[made], params->blklens[made],
                            params->extents[made], &types[made]);
        made += DAME_OK == status;
    }
    for (int64_t i = 0; status == DAME_OK && i < prim->count; i++) {
        lists[prim->count + i] = 1;
    }
    if (status == DAME_OK) {
        status = dame_make_struct(r->who, r->element->context, prim->count, lists + prim->count,
                                  lists, (const dame_datatype_t *const *) types, out);
    }
    while (made > 0) {
        dame_datatype_free(types[--made]);
    }
    free(types);
    free(lists);
    return status;
}

static dame_status_t read_type(const reader_t *r, const dame_prim_t *prim, dame_datatype_t **out)
{
    switch (prim->params->op) {
    case DAME_OP_CONTIGFINAL:
        return read_leaf(r, prim->params->size, out);
    case DAME_OP_STRUCT:
        return read_struct(r, prim, out);
    case DAME_OP_INDEX:
        return read_ragged(r, prim, 0, out);
    case DAME_OP_INDEXFINAL:
        return read_ragged(r, prim, 1, out);
    case DAME_OP_VECTORFINAL:
    case DAME_OP_BLOCKINDEXFINAL:
        return read_uniform(r, prim, 1, out);
    default:
        return read_uniform(r, prim, 0, out);
    }
}

/* The datatype of a program that was verified. */
static dame_status_t read_program(const reader_t *r, const dame_program_t *program,
                                  dame_datatype_t **out)
{
    dame_datatype_t *type;
    dame_status_t status = program->size == 0 ? dame_make_contiguous(r->who, 0, r->element, &type)
                                              : read_type(r, &program->prims[1], &type);
    if (status != DAME_OK ||
        (type->node.lb == program->true_lb && type->node.extent == program->extent)) {
        *out = status == DAME_OK ? type : NULL;
        return status;
    }
    int64_t ub;
    const int fits = !__builtin_add_overflow(program->true_lb, program->extent, &ub);
    status = dame_make_resized(r->who, fits ? program->true_lb : 0, program->extent, type, out);
    dame_datatype_free(type);
    return status;
}

/* What bytes consist of, with a reference of its own. */
static dame_status_t element_of(const char *who, dame_context_t *context,
                                const dame_datatype_t *given, dame_datatype_t **out)
{
    if (given == NULL) {
        return dame_make_basic(who, context, "byte", 1, out);
    }
    if (given->node.kind != DAME_BASIC || context != given->context) {
        return dame_fail(DAME_ERR_ARGUMENT, who, "element is %s",
                         given->node.kind != DAME_BASIC ? "not a basic datatype"
                                                        : "of another context");
    }
    return dame_datatype_dup(given, out);
}

dame_status_t dame_datatype_parse(dame_context_t *context, const char *text, size_t length,
                                  const dame_datatype_t *element, dame_datatype_t **out)
{
    dame_text_error_t error;
    dame_program_t *program;
    dame_datatype_t *basic, *type;
    if (context == NULL || text == NULL || out == NULL) {
        return dame_fail(DAME_ERR_ARGUMENT, __func__, "%s is NULL",
                         context == NULL ? "context" : (text == NULL ? "text" : "out"));
    }
    dame_status_t status = element_of(__func__, context, element, &basic);
    if (status != DAME_OK) {
        return status;
    }
    status = dame_program_parse(text, length, &program, &error);
    if (status != DAME_OK) {
        dame_datatype_free(basic);
        return dame_fail_at(status, __func__, error.line, error.column, error.message);
    }
    const reader_t reader = {.who = __func__, .element = basic};
    status = read_program(&reader, program, &type);
    dame_program_free(program);
    dame_datatype_free(basic);
    if (status == DAME_OK) {
        *out = type;
    }
    return status;
}

/* NOLINTEND(clang-analyzer-core.CallAndMessage, clang-analyzer-core.NullDereference) */
