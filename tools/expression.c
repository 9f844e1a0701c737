/* SPDX-License-Identifier: BSD-3-Clause */
#include "expression.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Arguments by letters, and the names of those that are single numbers, in their order. */
static const struct {
    const char *name;
    const char *arguments;
    const char *numbers[EXPRESSION_NUMBERS];
} constructors[] = {
    [MAKES_BASIC] = {"", ""},
    [MAKES_DUP] = {"dup", "t"},
    [MAKES_CONTIGUOUS] = {"contiguous", "it", {"count"}},
    [MAKES_VECTOR] = {"vector", "iiit", {"count", "blocklength", "stride"}},
    [MAKES_HVECTOR] = {"hvector", "iiat", {"count", "blocklength", "stride"}},
    [MAKES_INDEXED] = {"indexed", "nIIt"},
    [MAKES_HINDEXED] = {"hindexed", "nIAt"},
    [MAKES_INDEXED_BLOCK] = {"indexed_block", "niIt", {"blocklength"}},
    [MAKES_HINDEXED_BLOCK] = {"hindexed_block", "niAt", {"blocklength"}},
    [MAKES_STRUCT] = {"struct", "nIAT"},
    [MAKES_SUBARRAY] = {"subarray", "nIIIot"},
    [MAKES_RESIZED] = {"resized", "taa", {"lb", "extent"}},
};

enum { CONSTRUCTORS = sizeof(constructors) / sizeof(constructors[0]) };

const char *constructor_name(constructor_t made_by)
{
    return constructors[made_by].name;
}

const char *constructor_arguments(constructor_t made_by)
{
    return constructors[made_by].arguments;
}

/* ---- reading -------------------------------------------------------------------------------- */

typedef struct parser {
    const char *start, *at, *end;
    int nested;
    expression_error_t *error;
} parser_t;

/* Notes the first error, at `where`; returns 0. */
__attribute__((format(printf, 3, 4))) static int fail(parser_t *parser, const char *where,
                                                      const char *format, ...)
{
    va_list arguments;
    expression_error_t *error = parser->error;
    error->line = error->column = 1;
    for (const char *c = parser->start; c < where; c++) {
        error->column = *c == '\n' ? 1 : error->column + 1;
        error->line += *c == '\n';
    }
    va_start(arguments, format);
    vsnprintf(error->message, sizeof(error->message), format, arguments);
    va_end(arguments);
    return 0;
}

static void skip_space(parser_t *parser)
{
    while (parser->at < parser->end && isspace((unsigned char) *parser->at)) {
        parser->at++;
    }
}

static int next_is(parser_t *parser, char c)
{
    skip_space(parser);
    return parser->at < parser->end && *parser->at == c;
}

/* What stands next, for messages. */
typedef struct found {
    char text[48];
} found_t;

static found_t found(const parser_t *parser)
{
    found_t found = {"the end"};
    if (parser->at < parser->end) {
        const unsigned char c = (unsigned char) *parser->at;
        snprintf(found.text, sizeof(found.text), isprint(c) ? "'%c'" : "byte 0x%02x", c);
    }
    return found;
}

static int expect(parser_t *parser, char c, const char *after)
{
    if (!next_is(parser, c)) {
        return fail(parser, parser->at, "%s where '%c' is expected %s", found(parser).text, c,
                    after);
    }
    parser->at++;
    return 1;
}

static int is_number(parser_t *parser)
{
    skip_space(parser);
    const char *digit =
        parser->at + (parser->at < parser->end && strchr("+-", *parser->at) != NULL);
    return digit < parser->end && isdigit((unsigned char) *digit);
}

static int parse_number(parser_t *parser, const char *what, int64_t *out)
{
    char digits[32];
    if (!is_number(parser)) {
        return fail(parser, parser->at, "%s where %s is expected", found(parser).text, what);
    }
    const char *start = parser->at++;
    while (parser->at < parser->end && isdigit((unsigned char) *parser->at)) {
        parser->at++;
    }
    const size_t length = (size_t) (parser->at - start);
    errno = 0;
    if (length < sizeof(digits)) {
        memcpy(digits, start, length);
        digits[length] = '\0';
        *out = strtoll(digits, NULL, 10);
    }
    if (length >= sizeof(digits) || errno != 0) {
        return fail(parser, start, "%.*s does not fit in 64 bits",
                    (int) (length < 40 ? length : 40), start);
    }
    return 1;
}

/* A word of letters, digits and '_'; with `spaces`, single spaces between words are part of it. */
static size_t word_length(const parser_t *parser, int spaces)
{
    const char *c = parser->at;
    for (; c < parser->end; c++) {
        const int inner = *c == ' ' && spaces && c + 1 < parser->end &&
                          (isalnum((unsigned char) c[1]) || c[1] == '_');
        if (!isalnum((unsigned char) *c) && *c != '_' && !inner) {
            break;
        }
    }
    return (size_t) (c - parser->at);
}

static int word_is(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && strncasecmp(word, name, length) == 0;
}

static expression_t *parse_type(parser_t *parser);

/* Appends to a growing array; 0 after a message. */
static int grow(parser_t *parser, void **array, int64_t n, size_t entry)
{
    if ((n & (n - 1)) == 0) { /* full: 0, 1, 2, 4, ... */
        void *larger = realloc(*array, (size_t) (n > 0 ? 2 * n : 1) * entry);
        if (larger == NULL) {
            return fail(parser, parser->at, "out of memory");
        }
        *array = larger;
    }
    return 1;
}

/* A list in brackets, of numbers or, for the letter T, of datatypes; how many entries in *n. */
static int parse_list(parser_t *parser, expression_t *made, char letter, int64_t **list, int64_t *n)
{
    *n = 0;
    if (!expect(parser, '[', "to begin a list")) {
        return 0;
    }
    while (!next_is(parser, ']')) {
        if (*n > 0 && !expect(parser, ',', "or ']' in a list")) {
            return 0;
        }
        if (letter == 'T') {
            if (!grow(parser, (void **) &made->old, *n, sizeof(expression_t *)) ||
                (made->old[*n] = parse_type(parser)) == NULL) {
                return 0;
            }
            made->olds = *n + 1;
        } else if (!grow(parser, (void **) list, *n, sizeof(int64_t)) ||
                   !parse_number(parser, "a number", &(*list)[*n])) {
            return 0;
        }
        ++*n;
    }
    parser->at++;
    return 1;
}

static int parse_order(parser_t *parser, expression_t *made)
{
    skip_space(parser);
    const size_t length = word_length(parser, 0);
    const char *word = parser->at;
    const int is_c = word_is(word, length, "C") || word_is(word, length, "MPI_ORDER_C");
    made->fortran = word_is(word, length, "Fortran") || word_is(word, length, "MPI_ORDER_FORTRAN");
    if (!is_c && !made->fortran) {
        return fail(parser, word, "'%.*s' is not an order: C or Fortran is expected",
                    (int) (length < 40 ? length : 40), word);
    }
    parser->at += length;
    return 1;
}

/* What has been read of a call. */
typedef struct call {
    int64_t given; /* the number of entries that was written, -1: none was */
    int numbers, lists;
    const char *start;
} call_t;

/* Whether the argument n is there, or left out: it is where a number stands before what comes next.
 */
static int has_count(parser_t *parser, char next)
{
    if (next != 'i') {
        return is_number(parser);
    }
    const char *at = parser->at;
    int64_t first;
    const int counted = is_number(parser) && parse_number(parser, "", &first) &&
                        next_is(parser, ',') && (parser->at++, is_number(parser));
    parser->at = at;
    return counted;
}

static int parse_argument(parser_t *parser, expression_t *made, const char *letter, call_t *call)
{
    char what[80];
    int64_t n;
    skip_space(parser);
    switch (*letter) {
    case 'n':
        return parse_number(parser, "a number of entries", &call->given);
    case 'i':
    case 'a':
        snprintf(what, sizeof(what), "the %s of %s, a number,",
                 constructors[made->made_by].numbers[call->numbers],
                 constructor_name(made->made_by));
        return parse_number(parser, what, &made->number[call->numbers++]);
    case 'o':
        return parse_order(parser, made);
    case 't':
        made->old = calloc(1, sizeof(expression_t *));
        if (made->old == NULL) {
            return fail(parser, parser->at, "out of memory");
        }
        made->old[0] = parse_type(parser);
        made->olds = made->old[0] != NULL;
        return made->olds != 0;
    default:
        break;
    }
    const char *start = parser->at;
    if (!parse_list(parser, made, *letter, &made->list[*letter == 'T' ? 0 : call->lists], &n)) {
        return 0;
    }
    if (call->lists == 0) {
        made->n = n;
    }
    call->lists++;
    if (n != made->n || (call->given >= 0 && n != call->given)) {
        return fail(parser, start, "a list of %" PRId64 " entries where %" PRId64 " are expected",
                    n, call->given >= 0 ? call->given : made->n);
    }
    return 1;
}

/* Negative counts and similar errors; displacements and bounds may be anything. */
static int check_call(parser_t *parser, const expression_t *made, const call_t *call)
{
    const char *letter = constructor_arguments(made->made_by);
    const int counts = made->made_by == MAKES_VECTOR || made->made_by == MAKES_HVECTOR ? 2 : 1;
    for (int i = 0; strchr("ni", *letter) != NULL && i < counts && i < call->numbers; i++) {
        if (made->number[i] < 0) {
            return fail(parser, call->start, "%s: %" PRId64 " is negative",
                        constructor_name(made->made_by), made->number[i]);
        }
    }
    const int lengths = made->made_by == MAKES_INDEXED || made->made_by == MAKES_HINDEXED ||
                        made->made_by == MAKES_STRUCT;
    for (int64_t i = 0; lengths && i < made->n; i++) {
        if (made->list[0][i] < 0) {
            return fail(parser, call->start, "%s: blocklength %" PRId64 " is %" PRId64,
                        constructor_name(made->made_by), i, made->list[0][i]);
        }
    }
    if (made->n == 0 && made->made_by == MAKES_SUBARRAY) {
        return fail(parser, call->start, "%s: at least one dimension is needed",
                    constructor_name(made->made_by));
    }
    return 1;
}

static int parse_call(parser_t *parser, expression_t *made)
{
    call_t call = {.given = -1, .start = parser->at};
    const char *letter = constructor_arguments(made->made_by);
    if (!expect(parser, '(', "behind the name")) {
        return 0;
    }
    if (*letter == 't' && letter[1] != '\0' && is_number(parser)) {
        letter = "aat"; /* people put the old datatype last, as everywhere else */
    }
    for (const char *first = letter; *letter != '\0'; letter++) {
        if (*letter == 't' &&
            next_is(parser, ')')) { /* "vector(8, 1, 3) of double", as dumps have it */
            parser->at++;
            skip_space(parser);
            if (!word_is(parser->at, word_length(parser, 0), "of")) {
                return fail(
                    parser, parser->at,
                    "the old datatype is missing: in the call, or as \"of TYPE\" behind it");
            }
            parser->at += strlen("of");
            return parse_argument(parser, made, letter, &call) && check_call(parser, made, &call);
        }
        if (letter != first && !expect(parser, ',', "between the arguments")) {
            return 0;
        }
        skip_space(parser);
        if (*letter == 'n' && !has_count(parser, letter[1])) {
            letter++; /* left out */
        }
        if (!parse_argument(parser, made, letter, &call)) {
            return 0;
        }
    }
    return expect(parser, ')', "to end the call") && check_call(parser, made, &call);
}

static constructor_t constructor_named(const char *word, size_t length)
{
    static const char *const prefixes[] = {"MPI_", "Type_", "create_"};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        const size_t n = strlen(prefixes[i]);
        if (length > n && strncasecmp(word, prefixes[i], n) == 0) {
            word += n;
            length -= n;
        }
    }
    for (int i = MAKES_DUP; i < CONSTRUCTORS; i++) {
        if (word_is(word, length, constructors[i].name)) {
            return (constructor_t) i;
        }
    }
    return MAKES_BASIC;
}

static int parse_named(parser_t *parser, expression_t *made)
{
    const char *word = parser->at;
    const size_t length = word_length(parser, 1);
    const int shown = (int) (length < 60 ? length : 60);
    if (length == 0) {
        return fail(parser, word, "%s where a datatype is expected", found(parser).text);
    }
    parser->at += length;
    if (next_is(parser, '(')) {
        made->made_by = constructor_named(word, length);
        return made->made_by == MAKES_BASIC
                   ? fail(parser, word, "'%.*s' is not a constructor; dame from --help has all",
                          shown, word)
                   : parse_call(parser, made);
    }
    made->basic = basic_named(word, length);
    if (made->basic != NULL) {
        return 1;
    }
    return constructor_named(word, length) != MAKES_BASIC
               ? fail(parser, parser->at, "'(' is expected behind %.*s", shown, word)
               : fail(parser, word, "'%.*s' is not a basic datatype", shown, word);
}

static expression_t *parse_type(parser_t *parser)
{
    expression_t *made = calloc(1, sizeof(*made));
    skip_space(parser);
    if (made == NULL) {
        fail(parser, parser->at, "out of memory");
        return NULL;
    }
    int good = parser->nested++ < EXPRESSION_NESTING
                   ? parse_named(parser, made)
                   : fail(parser, parser->at, "more than %d constructors inside each other",
                          EXPRESSION_NESTING);
    parser->nested--;
    if (!good) {
        expression_free(made);
        made = NULL;
    }
    return made;
}

expression_t *expression_parse(const char *text, size_t length, expression_error_t *error)
{
    parser_t parser = {.start = text, .at = text, .end = text + length, .error = error};
    expression_t *made = parse_type(&parser);
    skip_space(&parser);
    if (made != NULL && parser.at < parser.end) {
        fail(&parser, parser.at, "%s behind the datatype", found(&parser).text);
        expression_free(made);
        made = NULL;
    }
    return made;
}

void expression_free(expression_t *expression)
{
    if (expression == NULL) {
        return;
    }
    for (int i = 0; i < EXPRESSION_LISTS; i++) {
        free(expression->list[i]);
    }
    for (int64_t i = 0; i < expression->olds; i++) {
        expression_free(expression->old[i]);
    }
    free(expression->old);
    free(expression);
}

/* ---- writing -------------------------------------------------------------------------------- */

void expression_print(const expression_t *expression, FILE *out)
{
    int numbers = 0, lists = 0;
    if (expression->made_by == MAKES_BASIC) {
        fputs(expression->basic->mpi, out);
        return;
    }
    fprintf(out, "%s(", constructor_name(expression->made_by));
    for (const char *letter = constructor_arguments(expression->made_by); *letter != '\0';
         letter++) {
        const char *comma = letter[1] == '\0' ? "" : ", ";
        if (*letter == 'n') {
            continue; /* the lists say it */
        }
        if (*letter == 'i' || *letter == 'a') {
            fprintf(out, "%" PRId64, expression->number[numbers++]);
        } else if (*letter == 'o') {
            fputs(expression->fortran ? "Fortran" : "C", out);
        } else if (*letter == 't') {
            expression_print(expression->old[0], out);
        } else {
            fputc('[', out);
            for (int64_t i = 0; i < expression->n; i++) {
                fputs(i == 0 ? "" : ", ", out);
                if (*letter == 'T') {
                    expression_print(expression->old[i], out);
                } else {
                    fprintf(out, "%" PRId64, expression->list[lists][i]);
                }
            }
            fputc(']', out);
            lists++;
        }
        fputs(comma, out);
    }
    fputc(')', out);
}
