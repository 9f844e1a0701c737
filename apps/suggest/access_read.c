/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads access programs from text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"

enum { DEPTH = 100 };

typedef enum token_kind { END, NAME, NUMBER, QUOTED, MARK } token_kind_t;

typedef struct token {
    token_kind_t kind;
    const char *text; /* NAME: in the input; QUOTED: unescaped, of the space */
    size_t length;
    int64_t value; /* NUMBER, negated, since another one follows */
    int64_t line, column;
} token_t;

typedef struct reader {
    access_program_t *program;
    poly_space_t *space;
    const char *at, *end, *line_start;
    int64_t line;
    token_t token; /* the next one */
    int depth;
    access_text_error_t *error;
    jmp_buf failed;
} reader_t;

__attribute__((format(printf, 2, 3), noreturn)) static void fail(reader_t *reader,
                                                                 const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(reader->error->message, sizeof(reader->error->message), format, args);
    va_end(args);
    reader->error->line = reader->token.line;
    reader->error->column = reader->token.column;
    longjmp(reader->failed, 1);
}

/* The builder refused the last item read. */
static void check_item(reader_t *reader)
{
    const char *error = access_error(reader->program);
    if (error != NULL) {
        fail(reader, "%s", error);
    }
}

/* ---- tokens ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static void skip_space(reader_t *reader)
{
    for (; reader->at < reader->end; reader->at++) {
        if (*reader->at == '#') {
            while (reader->at + 1 < reader->end && reader->at[1] != '\n') {
                reader->at++;
            }
        } else if (*reader->at == '\n') {
            reader->line++;
            reader->line_start = reader->at + 1;
        } else if (*reader->at != ' ' && *reader->at != '\t' && *reader->at != '\r') {
            return;
        }
    }
}

static void read_quoted(reader_t *reader)
{
    char text[POLY_TEXT];
    size_t length = 0;
    for (;;) {
        if (reader->at == reader->end || *reader->at == '\n') {
            fail(reader, "a quote has no end in its line");
        }
        char c = *reader->at++;
        if (c == '"') {
            break;
        }
        if (c == '\\') {
            if (reader->at == reader->end || (*reader->at != '"' && *reader->at != '\\')) {
                fail(reader, "in quotes, \\ stands before \" or \\ only");
            }
            c = *reader->at++;
        }
        if ((unsigned char) c < ' ' || c == 127) {
            fail(reader, "a control character in quotes, byte %d", (unsigned char) c);
        }
        if (length == sizeof(text)) {
            fail(reader, "a text of more than %d bytes", POLY_TEXT);
        }
        text[length++] = c;
    }
    reader->token.text = poly_text(reader->space, text, length);
    reader->token.length = length;
}

static void next(reader_t *reader)
{
    skip_space(reader);
    token_t *token = &reader->token;
    *token = (token_t){.kind = END,
                       .text = reader->at,
                       .line = reader->line,
                       .column = reader->at - reader->line_start + 1};
    if (reader->at == reader->end) {
        return;
    }
    char first = *reader->at++;
    if (first == '"') {
        token->kind = QUOTED;
        read_quoted(reader);
        return;
    }
    token->kind = is_digit(first) ? NUMBER : is_word(first) ? NAME : MARK;
    while (token->kind != MARK && reader->at < reader->end && is_word(*reader->at)) {
        reader->at++;
    }
    if (first == '<' && reader->at < reader->end && *reader->at == '-') {
        reader->at++;
    }
    token->length = (size_t) (reader->at - token->text);
    for (size_t i = 0; token->kind == NUMBER && i < token->length; i++) {
        if (!is_digit(token->text[i])) {
            fail(reader, "'%.*s' is not a number", (int) (token->length % 60), token->text);
        }
        if (__builtin_mul_overflow(token->value, 10, &token->value) ||
            __builtin_sub_overflow(token->value, token->text[i] - '0', &token->value)) {
            fail(reader, "a number does not fit in 64 bits");
        }
    }
}

static bool is(const reader_t *reader, const char *text)
{
    return (reader->token.kind == MARK || reader->token.kind == NAME) &&
           reader->token.length == strlen(text) &&
           memcmp(reader->token.text, text, reader->token.length) == 0;
}

static bool take(reader_t *reader, const char *text)
{
    bool found = is(reader, text);
    if (found) {
        next(reader);
    }
    return found;
}

__attribute__((noreturn)) static void expected(reader_t *reader, const char *what)
{
    if (reader->token.kind == END) {
        fail(reader, "expected %s, found the end", what);
    }
    unsigned char first = (unsigned char) reader->token.text[0];
    if (reader->token.kind == MARK && (first < ' ' || first >= 127)) {
        fail(reader, "expected %s, found byte %d", what, first);
    }
    int length = reader->token.length < 40 ? (int) reader->token.length : 40;
    fail(reader, "expected %s, found '%.*s'", what, length, reader->token.text);
}

static void want(reader_t *reader, const char *text)
{
    if (!take(reader, text)) {
        char what[40];
        snprintf(what, sizeof(what), "'%s'", text);
        expected(reader, what);
    }
}

/* A name or quoted text, as a text of the space. */
static const char *read_name(reader_t *reader, const char *what)
{
    if (reader->token.kind != NAME && reader->token.kind != QUOTED) {
        expected(reader, what);
    }
    const char *text = reader->token.kind == QUOTED
                           ? reader->token.text
                           : poly_text(reader->space, reader->token.text, reader->token.length);
    check_item(reader);
    next(reader);
    return text;
}

static int64_t read_number(reader_t *reader, const char *what)
{
    if (reader->token.kind != NUMBER) {
        expected(reader, what);
    }
    if (reader->token.value == INT64_MIN) {
        fail(reader, "a number does not fit in 64 bits");
    }
    int64_t value = -reader->token.value;
    next(reader);
    return value;
}

/* ---- expressions ---- */

static const poly_t *read_sum(reader_t *reader);

static const poly_t *read_entry(reader_t *reader, const char *text, size_t length)
{
    const poly_t *subscripts[POLY_SUBSCRIPTS];
    int count = 0;
    while (take(reader, "[")) {
        if (count == POLY_SUBSCRIPTS) {
            fail(reader, "more than %d subscripts", POLY_SUBSCRIPTS);
        }
        subscripts[count++] = read_sum(reader);
        want(reader, "]");
    }
    return poly_variable(reader->space, poly_entry(reader->space, text, length, count, subscripts));
}

/* A name: of an open loop, or of a size. `open` is the innermost loop. */
static const poly_t *read_variable(reader_t *reader, const token_t *name, int open)
{
    for (; open >= 0; open = reader->program->loops[open].parent) {
        poly_atom_t loop = reader->program->loops[open].variable;
        const char *text = poly_atom_text(reader->space, loop);
        if (strncmp(text, name->text, name->length) == 0 && text[name->length] == '\0') {
            return poly_variable(reader->space, loop);
        }
    }
    return poly_variable(reader->space, poly_name(reader->space, name->text, name->length));
}

/* `noted`: is it a sum in parentheses? */
static const poly_t *read_factor(reader_t *reader, bool *noted)
{
    token_t token = reader->token;
    *noted = false;
    if (++reader->depth > DEPTH) {
        fail(reader, "an expression nested deeper than %d", DEPTH);
    }
    const poly_t *out;
    if (take(reader, "-")) {
        bool ignored;
        if (reader->token.kind == NUMBER) {
            out = poly_constant(reader->space, reader->token.value);
            next(reader);
        } else {
            out = poly_negate(reader->space, read_factor(reader, &ignored));
        }
    } else if (take(reader, "(")) {
        out = read_sum(reader);
        want(reader, ")");
        *noted = true;
    } else if (token.kind == NUMBER) {
        out = poly_constant(reader->space, read_number(reader, "a number"));
    } else if (token.kind == NAME || token.kind == QUOTED) {
        next(reader);
        out =
            is(reader, "[") ? read_entry(reader, token.text, token.length)
            : token.kind == QUOTED
                ? poly_variable(reader->space, poly_opaque(reader->space, token.text, token.length))
                : read_variable(reader, &token, access_open(reader->program));
    } else {
        expected(reader, "a number, a name or an expression in parentheses");
    }
    reader->depth--;
    check_item(reader);
    return out;
}

static const poly_t *read_product(reader_t *reader)
{
    bool noted, more_noted;
    const poly_t *out = read_factor(reader, &noted);
    while (take(reader, "*")) {
        const poly_t *factor = read_factor(reader, &more_noted);
        if (noted) {
            poly_note(reader->space, out);
        }
        if (more_noted) {
            poly_note(reader->space, factor);
        }
        noted = false;
        out = poly_multiply(reader->space, out, factor);
        check_item(reader);
    }
    return out;
}

static const poly_t *read_sum(reader_t *reader)
{
    if (++reader->depth > DEPTH) {
        fail(reader, "an expression nested deeper than %d", DEPTH);
    }
    const poly_t *out = read_product(reader);
    for (;;) {
        if (take(reader, "+")) {
            out = poly_add(reader->space, out, read_product(reader));
        } else if (take(reader, "-")) {
            out = poly_subtract(reader->space, out, read_product(reader));
        } else {
            break;
        }
        check_item(reader);
    }
    reader->depth--;
    return out;
}

/* ---- parts of statements ---- */

/* `at "file":line:column`, if it is there. */
static access_place_t read_place(reader_t *reader)
{
    access_place_t place = {.file = ""};
    if (take(reader, "at")) {
        place.file = read_name(reader, "a file");
        want(reader, ":");
        place.line = read_number(reader, "a line");
        want(reader, ":");
        place.column = read_number(reader, "a column");
    }
    return place;
}

static access_type_t read_type(reader_t *reader)
{
    access_type_t type = {.name = read_name(reader, "a type")};
    want(reader, "[");
    type.size = read_number(reader, "its bytes");
    want(reader, "]");
    return type;
}

/* ---- statements ---- */

static void read_call(reader_t *reader, bool receives)
{
    access_call_t call = {.receives = receives, .count = read_sum(reader)};
    call.type = read_type(reader);
    if (take(reader, "start")) {
        call.start = read_sum(reader);
    }
    call.place = read_place(reader);
    access_set_call(reader->program, &call);
}

static void read_base(reader_t *reader, access_field_t *fields)
{
    const poly_t *dims[ACCESS_DIMENSIONS];
    access_base_t base = {.name = read_name(reader, "a base's name"),
                          .type = read_type(reader),
                          .dims = dims,
                          .fields = fields};
    while (take(reader, "[")) {
        if (base.ndims == ACCESS_DIMENSIONS) {
            fail(reader, "more than %d dimensions", ACCESS_DIMENSIONS);
        }
        dims[base.ndims++] = is(reader, "]") ? NULL : read_sum(reader);
        want(reader, "]");
    }
    while (take(reader, "field")) {
        if (base.nfields == ACCESS_BASES) {
            fail(reader, "more than %d fields", ACCESS_BASES);
        }
        access_field_t *field = &fields[base.nfields++];
        field->name = read_name(reader, "a field's name");
        field->offset = read_number(reader, "its offset");
        field->type = read_type(reader);
    }
    if (take(reader, "address")) {
        base.address = read_name(reader, "an address");
    }
    access_add_base(reader->program, &base);
}

static void read_loop(reader_t *reader)
{
    const char *name = read_name(reader, "a loop's name");
    want(reader, "<");
    const poly_t *trip = read_sum(reader);
    access_place_t place = read_place(reader);
    access_open_loop(reader->program, name, trip, place);
}

static void read_guard(reader_t *reader, access_binding_t *bindings)
{
    const char *condition = read_name(reader, "a condition");
    int count = 0;
    for (bool more = take(reader, "with"); more; more = take(reader, ",")) {
        if (count == ACCESS_BASES) {
            fail(reader, "more than %d bindings", ACCESS_BASES);
        }
        bindings[count].name = read_name(reader, "a name");
        want(reader, "=");
        bindings[count++].value = read_sum(reader);
    }
    access_open_guard(reader->program, condition, count, bindings);
}

static void read_copy(reader_t *reader)
{
    access_copy_t copy = {.position = NULL};
    token_t first = reader->token;
    if (take(reader, "next") && !is(reader, "<-")) {
        reader->token = first;
        expected(reader, "a position or 'next <-' (a size called next is written 1*next)");
    }
    if (!(first.kind == NAME && is(reader, "<-"))) {
        copy.position = read_sum(reader);
    }
    want(reader, "<-");
    token_t token = reader->token;
    const char *base = read_name(reader, "a base");
    while (copy.base < reader->program->nbases &&
           strcmp(reader->program->bases[copy.base].name, base) != 0) {
        copy.base++;
    }
    if (copy.base == reader->program->nbases) {
        reader->token = token;
        fail(reader, "there is no base '%.60s'", base);
    }
    copy.offset =
        take(reader, "+") || is(reader, "-") ? read_sum(reader) : poly_constant(reader->space, 0);
    want(reader, ",");
    copy.size = read_sum(reader);
    copy.type = read_type(reader);
    copy.place = read_place(reader);
    access_add_copy(reader->program, &copy);
}

/* One item of the body; false at its end. */
static bool read_item(reader_t *reader, access_binding_t *bindings, int *open)
{
    if (take(reader, "copy")) {
        read_copy(reader);
    } else if (take(reader, "for")) {
        read_loop(reader);
        check_item(reader);
        want(reader, "{");
        ++*open;
    } else if (take(reader, "if")) {
        read_guard(reader, bindings);
        check_item(reader);
        want(reader, "{");
        ++*open;
    } else if (*open > 0 && is(reader, "}")) {
        access_close(reader->program);
        next(reader);
        --*open;
    } else {
        return false;
    }
    check_item(reader);
    return true;
}

static void read_program(reader_t *reader, void *scratch)
{
    next(reader);
    if (take(reader, "program")) {
        access_name(reader->program, read_name(reader, "the program's name"));
    }
    while (take(reader, "sum")) {
        poly_note(reader->space, read_sum(reader));
    }
    bool sends = take(reader, "send");
    if (!sends) {
        want(reader, "recv");
    }
    read_call(reader, !sends);
    check_item(reader);
    while (take(reader, "base")) {
        read_base(reader, scratch);
        check_item(reader);
    }
    int open = 0;
    while (read_item(reader, scratch, &open)) {
    }
    if (open > 0) {
        expected(reader, "copy, for, if or '}'");
    }
    if (reader->token.kind != END) {
        expected(reader, "base, copy, for or if");
    }
    access_finish(reader->program);
    check_item(reader);
}

access_program_t *access_read(const char *text, size_t length, access_text_error_t *error)
{
    reader_t reader = {.at = text, .end = text + length, .line_start = text, .line = 1};
    void *scratch = calloc(ACCESS_BASES, sizeof(access_field_t) + sizeof(access_binding_t));
    access_program_t *volatile program = access_new();
    *error = (access_text_error_t){.message = "out of memory"};
    reader.program = program;
    reader.error = error;
    reader.token = (token_t){.line = 1, .column = 1};
    if (program == NULL || scratch == NULL) {
        access_free(program);
        program = NULL;
    } else if (setjmp(reader.failed) != 0) {
        if (poly_error(program->space) == POLY_NOMEM) {
            error->line = error->column = 0;
        }
        access_free(program);
        program = NULL;
    } else {
        reader.space = program->space;
        if (length > ACCESS_TEXT) {
            fail(&reader, "the text has %zu bytes, at most %d are allowed", length, ACCESS_TEXT);
        }
        read_program(&reader, scratch);
    }
    free(scratch);
    return program;
}
