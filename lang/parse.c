/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text to program: the grammar of doc/language.md, read by descent. The verifier checks the rules
 * for every program; its answer gets a place in the text.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dame/text.h"
#include "draft.h"
#include "emit.h"
#include "granule.h"
#include "lex.h"
#include "ops.h"
#include "verify.h"

typedef struct parser {
    dame_lexer_t lexer;
    dame_token_t token; /* the one that comes next */
    dame_draft_t draft;
    int64_t text_index; /* of the next primitive: CONTIGCHILDs do not count */
    int has_extent;     /* EXIT says so */
    int has_granule;
    int64_t extent;
    int64_t granule;
    dame_status_t status; /* why reading ended */
    dame_text_error_t error;
} parser_t;

/* Functions that return int return 0 after a failure; the reason is then in the parser. */

__attribute__((format(printf, 5, 6))) static int fail_at(parser_t *parser, dame_status_t status,
                                                         int64_t line, int64_t column,
                                                         const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(parser->error.message, sizeof(parser->error.message), format, args);
    va_end(args);
    parser->error.line = line;
    parser->error.column = column;
    parser->status = status;
    return 0;
}

static int fail_prim(parser_t *parser, dame_status_t status, size_t at, const char *text)
{
    const dame_draft_prim_t *prim = &parser->draft.prims[at];
    return fail_at(parser, status, prim->line, prim->column, "%s: %s",
                   dame_op_name(prim->params.op), text);
}

enum { QUOTED = 40 }; /* bytes of a token that a message shows */

static void quote(const dame_token_t *token, char out[QUOTED + 16])
{
    if (token->kind == DAME_TOKEN_END) {
        strcpy(out, "the end of the text");
        return;
    }
    int n = snprintf(out, QUOTED, "'");
    size_t i = 0;
    for (; i < token->length && n < QUOTED; i++) {
        unsigned char c = (unsigned char) token->text[i];
        n += snprintf(out + n, 5, c >= ' ' && c <= '~' ? "%c" : "\\x%02x", c);
    }
    strcpy(out + n, i < token->length ? "...'" : "'");
}

__attribute__((format(printf, 3, 4))) static int fail_found(parser_t *parser, dame_status_t status,
                                                            const char *format, ...)
{
    char found[QUOTED + 16];
    char expected[120];
    va_list args;
    va_start(args, format);
    vsnprintf(expected, sizeof(expected), format, args);
    va_end(args);
    quote(&parser->token, found);
    return fail_at(parser, status, parser->token.line, parser->token.column,
                   "found %s, expected %s", found, expected);
}

/* One more than a limit allows. */
static int fail_limit(parser_t *parser, int64_t line, int64_t column, const char *what, int limit)
{
    const dame_limit_t exceeded = {what, limit, (int64_t) limit + 1};
    char text[120];
    return fail_at(parser, DAME_ERR_LIMIT, line, column, "%s",
                   dame_limit_text(&exceeded, text, sizeof(text)));
}

static int fail_memory(parser_t *parser)
{
    return fail_at(parser, DAME_ERR_NOMEM, parser->token.line, parser->token.column,
                   "out of memory");
}

/* ---- tokens ---- */

static void advance(parser_t *parser)
{
    parser->token = dame_lexer_next(&parser->lexer);
}

static int is_mark(const parser_t *parser, char mark)
{
    return parser->token.kind == DAME_TOKEN_MARK && mark == *parser->token.text;
}

static int take_mark(parser_t *parser, char mark)
{
    if (!is_mark(parser, mark)) {
        return fail_found(parser, DAME_ERR_TEXT, "'%c'", mark);
    }
    advance(parser);
    return 1;
}

/* A number, `lowest` or more. */
static int take_number(parser_t *parser, const char *what, int64_t lowest, int64_t *out)
{
    const dame_token_t *token = &parser->token;
    if (token->kind != DAME_TOKEN_NUMBER) {
        return fail_found(parser, DAME_ERR_TEXT, "a number (%s)", what);
    }
    if (token->overflow) {
        return fail_found(parser, DAME_ERR_RANGE, "a number from %" PRId64 " to %" PRId64 " (%s)",
                          INT64_MIN, INT64_MAX, what);
    }
    if (token->value < lowest) {
        return fail_at(parser, DAME_ERR_VERIFY, token->line, token->column,
                       "%s is %" PRId64 ", at least %" PRId64 " is allowed", what, token->value,
                       lowest);
    }
    *out = token->value;
    advance(parser);
    return 1;
}

/* ---- parameters ---- */

static const char *parameter_name(char letter)
{
    switch (letter) {
    case 'c':
        return "count";
    case 'b':
        return "blocklength";
    case 's':
        return "stride";
    case 'z':
        return "size";
    case 'x':
        return "extent";
    case 'n':
        return "bytes";
    case 'r':
        return "index of the STRUCT";
    case 'B':
        return "blocklengths";
    case 'D':
        return "displacements";
    case 'Z':
        return "sizes";
    default:
        return "extents";
    }
}

static int take_list(parser_t *parser, size_t at, char letter)
{
    const char *what = parameter_name(letter);
    int64_t line = parser->token.line;
    int64_t column = parser->token.column;
    int64_t lowest = letter == 'B' || letter == 'Z' ? 1 : INT64_MIN;
    int64_t n = 0;
    if (!take_mark(parser, '[')) {
        return 0;
    }
    while (n > 0 || !is_mark(parser, ']')) {
        const dame_token_t entry = parser->token;
        int64_t value;
        if (!take_number(parser, what, INT64_MIN, &value)) {
            return 0;
        }
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): it was read */
        if (value < lowest) {
            return fail_at(parser, DAME_ERR_VERIFY, entry.line, entry.column,
                           "%.*s %" PRId64 " is %" PRId64 ", at least %" PRId64 " is allowed",
                           (int) strlen(what) - 1, what, n, value, lowest);
        }
        if (dame_draft_word(&parser->draft, value) != DAME_OK) {
            return fail_memory(parser);
        }
        n++;
        if (is_mark(parser, ']')) {
            break;
        }
        if (!is_mark(parser, ',')) {
            return fail_found(parser, DAME_ERR_TEXT, "',' or ']'");
        }
        advance(parser);
    }
    advance(parser);
    int64_t count = parser->draft.prims[at].prim.count;
    return n == count || fail_at(parser, DAME_ERR_TEXT, line, column,
                                 "count is %" PRId64 ", but the list of %s has %" PRId64 " %s",
                                 count, what, n, n == 1 ? "entry" : "entries");
}

static int take_parameters(parser_t *parser, size_t at)
{
    const char *params = dame_op_params(parser->draft.prims[at].params.op);
    for (const char *p = params; *p != '\0'; p++) {
        if (!take_mark(parser, p == params ? '(' : ',')) {
            return 0;
        }
        if (dame_op_is_list(*p)) {
            if (!take_list(parser, at, *p)) {
                return 0;
            }
            continue;
        }
        int64_t lowest = strchr("cbz", *p) != NULL ? 1 : INT64_MIN;
        dame_draft_prim_t *to = &parser->draft.prims[at];
        if (!take_number(parser, parameter_name(*p), lowest,
                         dame_op_scalar(&to->prim, &to->params, *p))) {
            return 0;
        }
    }
    return *params == '\0' || take_mark(parser, ')');
}

/* EXIT's own: nothing, extent, or extent and granule. */
static int take_exit_parameters(parser_t *parser)
{
    if (!is_mark(parser, '(')) {
        return 1;
    }
    advance(parser);
    parser->has_extent = 1;
    if (!take_number(parser, "extent", INT64_MIN, &parser->extent)) {
        return 0;
    }
    if (is_mark(parser, ',')) {
        advance(parser);
        parser->has_granule = 1;
        if (!take_number(parser, "granule", 0, &parser->granule)) {
            return 0;
        }
    } else if (!is_mark(parser, ')')) {
        return fail_found(parser, DAME_ERR_TEXT, "',' or ')'");
    }
    return take_mark(parser, ')');
}

/* ---- primitives ---- */

static int add_prim(parser_t *parser, dame_op_t op, int64_t line, int64_t column)
{
    dame_status_t status = dame_draft_add(&parser->draft, op, line, column);
    if (status == DAME_ERR_LIMIT) {
        return fail_limit(parser, line, column, "primitives", DAME_MAX_PRIMS);
    }
    return status == DAME_OK || fail_memory(parser);
}

/* The operation of the next primitive, if it is one. */
static int next_op(const parser_t *parser, dame_op_t *op)
{
    return parser->token.kind == DAME_TOKEN_NAME &&
           dame_op_find(parser->token.text, parser->token.length, op);
}

/* Reads the next primitive, with its parameters. */
static int take_prim(parser_t *parser, dame_op_t op)
{
    if (!add_prim(parser, op, parser->token.line, parser->token.column)) {
        return 0;
    }
    parser->text_index++;
    advance(parser);
    return op == DAME_OP_EXIT ? take_exit_parameters(parser)
                              : take_parameters(parser, parser->draft.nprims - 1);
}

static int take_op(parser_t *parser, dame_op_t wanted)
{
    dame_op_t op;
    if (!next_op(parser, &op) || wanted != op) {
        return fail_found(parser, DAME_ERR_TEXT, "%s", dame_op_name(wanted));
    }
    return take_prim(parser, op);
}

/* The machine's level for the instances of a block, which text leaves out. `count` is 0 when the
 * blocks of the primitive `at` have different ones. */
static int add_contigchild(parser_t *parser, size_t at, int64_t count, int64_t size, int64_t extent)
{
    const dame_draft_prim_t *parent = &parser->draft.prims[at];
    if (!add_prim(parser, DAME_OP_CONTIGCHILD, parent->line, parent->column)) {
        return 0;
    }
    dame_draft_prim_t *child = &parser->draft.prims[parser->draft.nprims - 1];
    child->prim.count = count;
    child->prim.step = extent;
    child->prim.iter_size = size;
    child->params.blklen = 1;
    child->params.size = size;
    child->params.extent = extent;
    return 1;
}

/* Completes a Base or Final: what its iterations have in bytes, and the level within a block. */
static int complete_level(parser_t *parser, size_t at)
{
    dame_prim_t *prim = &parser->draft.prims[at].prim;
    dame_params_t *params = &parser->draft.prims[at].params;
    int is_index = strchr(dame_op_params(params->op), 'B') != NULL;
    if (params->op == DAME_OP_CONTIG) {
        params->blklen = 1;
        prim->step = params->extent;
    }
    if (!is_index && __builtin_mul_overflow(params->blklen, params->size, &prim->iter_size)) {
        return fail_prim(parser, DAME_ERR_RANGE, at, "blocklength * size exceeds 64 bits");
    }
    if (dame_op_class(params->op) == DAME_CLASS_FINAL || (!is_index && params->blklen == 1)) {
        return 1;
    }
    prim->inner_delta = 1;
    return add_contigchild(parser, at, params->blklen, params->size, params->extent);
}

static int take_type(parser_t *parser, size_t above, int nesting);

/* The subprogram of block i of the STRUCT `self` with the text index `text_index`. */
static int take_subprogram(parser_t *parser, size_t self, int64_t text_index, int64_t i,
                           int nesting)
{
    dame_draft_t *draft = &parser->draft;
    size_t at = draft->nprims;
    int64_t line = parser->token.line;
    int64_t column = parser->token.column;
    if (!take_op(parser, DAME_OP_RETURNTO)) {
        return 0;
    }
    if (text_index != draft->prims[at].params.struct_index) {
        return fail_at(parser, DAME_ERR_VERIFY, line, column,
                       "RETURNTO names primitive %" PRId64 ", its STRUCT is primitive %" PRId64,
                       draft->prims[at].params.struct_index, text_index);
    }
    draft->prims[at].params.struct_index = (int64_t) self;
    int64_t blklen = dame_draft_list(draft, self, 'B')[i];
    if (blklen > 1 && !add_contigchild(parser, self, blklen, dame_draft_list(draft, self, 'Z')[i],
                                       dame_draft_list(draft, self, 'X')[i])) {
        return 0;
    }
    size_t type = draft->nprims;
    if (!take_type(parser, type - 1, nesting)) {
        return 0;
    }
    int level = blklen > 1 || draft->prims[type].params.op != DAME_OP_CONTIGFINAL;
    int32_t *inners = draft->inners + draft->prims[self].inners;
    inners[i] = level ? (int32_t) (at + 1 - self) : 0;
    inners[draft->prims[self].prim.count + i] = (int32_t) (at - self);
    return take_op(parser, DAME_OP_BOTTOM);
}

static int take_subprograms(parser_t *parser, size_t self, int nesting)
{
    int64_t text_index = parser->text_index - 1;
    if (dame_draft_inners(&parser->draft, self) != DAME_OK) {
        return fail_memory(parser);
    }
    for (int64_t i = 0; i < parser->draft.prims[self].prim.count; i++) {
        if (!take_subprogram(parser, self, text_index, i, nesting)) {
            return 0;
        }
    }
    return 1;
}

/* A Type; `above` is the primitive before it, and `nesting` counts the levels around it. */
static int take_type(parser_t *parser, size_t above, int nesting)
{
    dame_class_t class = DAME_CLASS_CONTROL;
    for (;; nesting++) {
        dame_op_t op;
        if (!next_op(parser, &op)) {
            return fail_found(parser, DAME_ERR_TEXT, "a primitive");
        }
        if (class == DAME_CLASS_FINAL) {
            return take_op(parser, DAME_OP_CONTIGFINAL);
        }
        class = dame_op_class(op);
        if (class == DAME_CLASS_CONTROL) {
            return fail_found(parser, DAME_ERR_TEXT, "a type");
        }
        if (class == DAME_CLASS_LEAF) {
            return take_prim(parser, op);
        }
        if (nesting == DAME_TEXT_NESTING) {
            return fail_limit(parser, parser->token.line, parser->token.column, "nested levels",
                              DAME_TEXT_NESTING);
        }
        dame_op_t op_above = parser->draft.prims[above].params.op;
        parser->draft.prims[above].prim.inner_delta = op_above != DAME_OP_RETURNTO;
        size_t at = parser->draft.nprims;
        if (!take_prim(parser, op)) {
            return 0;
        }
        if (class == DAME_CLASS_STRUCT) {
            return take_subprograms(parser, at, nesting + 1);
        }
        if (!complete_level(parser, at)) {
            return 0;
        }
        above = parser->draft.nprims - 1;
    }
}

static int take_program(parser_t *parser)
{
    if (!take_op(parser, DAME_OP_EXIT) || !take_type(parser, 0, 0) ||
        !take_op(parser, DAME_OP_BOTTOM)) {
        return 0;
    }
    return parser->token.kind == DAME_TOKEN_END ||
           fail_found(parser, DAME_ERR_TEXT, "the end of the text");
}

/* ---- the program ---- */

/* Size, bounds, extent and granule: what the Type amounts to, and what EXIT says. */
static void fill_header(const parser_t *parser, dame_program_t *program, const dame_span_t *span)
{
    program->size = span->size;
    program->extent = parser->has_extent ? parser->extent : (int64_t) (span->high - span->low);
    program->true_lb = (int64_t) span->low;
    program->true_ub = (int64_t) span->high;
    program->depth = span->depth + 1;
    program->granule = dame_granule_of_leaves(program);
    if (parser->has_granule) {
        program->granule = parser->granule != 0 ? parser->granule : DAME_NO_GRANULE;
    }
    dame_emit_exit(program, program->prims[1].params->op != DAME_OP_CONTIGFINAL, NULL);
}

static int make_program(parser_t *parser, dame_program_t **out)
{
    dame_program_t *program = NULL;
    int32_t at = 0;
    dame_status_t status = dame_draft_assemble(&parser->draft, &program, &at);
    if (status != DAME_OK) {
        return status == DAME_ERR_NOMEM
                   ? fail_memory(parser)
                   : fail_prim(parser, status, (size_t) at, "size exceeds 64 bits");
    }
    dame_span_t span;
    dame_fault_t fault;
    program->depth = 2 * DAME_TEXT_NESTING + 1; /* every level with its CONTIGCHILD, and EXIT */
    status = dame_verify_type(program, &span, &fault);
    if (status == DAME_OK) {
        fill_header(parser, program, &span);
        status = dame_verify_exit(program, &span, &fault);
    }
    if (status != DAME_OK) {
        dame_program_free(program);
        return fail_prim(parser, status, (size_t) fault.prim, fault.text);
    }
    *out = program;
    return 1;
}

dame_status_t dame_program_parse(const char *text, size_t length, dame_program_t **out,
                                 dame_text_error_t *error)
{
    parser_t parser = {.status = DAME_OK};
    dame_program_t *program = NULL;
    dame_lexer_init(&parser.lexer, text, length);
    advance(&parser);
    if (take_program(&parser) && make_program(&parser, &program)) {
        *out = program;
    } else if (error != NULL) {
        *error = parser.error;
    }
    dame_draft_fini(&parser.draft);
    return parser.status;
}
