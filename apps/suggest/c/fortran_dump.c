/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the text that gfortran prints for -fdump-fortran-original. */
#include "fortran.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- expressions ---- */

static void blanks(const char **text)
{
    while (**text == ' ') {
        (*text)++;
    }
}

static bool take(const char **text, const char *word)
{
    size_t length = strlen(word);

    blanks(text);
    if (strncmp(*text, word, length) != 0) {
        return false;
    }
    *text += length;
    return true;
}

static struct f_expression *new_expression(struct c_memory *memory, enum f_kind kind)
{
    struct f_expression *expression = c_allocate(memory, sizeof *expression);

    expression->kind = kind;
    return expression;
}

static void add_argument(struct c_memory *memory, struct f_expression *to, struct f_expression *one)
{
    struct f_expression **all = c_allocate(memory, (size_t) (to->n + 1) * sizeof *all);

    if (to->n) {
        memcpy(all, to->argument, (size_t) to->n * sizeof *all);
    }
    all[to->n++] = one;
    to->argument = all;
}

static const char *word(struct c_memory *memory, const char **text)
{
    const char *begin = *text;

    while (isalnum((unsigned char) **text) || (**text && strchr("_@$", **text))) {
        (*text)++;
    }
    return c_format(memory, "%.*s", (int) (*text - begin), begin);
}

static struct f_expression *number(struct c_memory *memory, const char **text)
{
    struct f_expression *constant = new_expression(memory, F_CONSTANT);
    const char *begin = *text;

    if (**text == '-') {
        (*text)++;
    }
    while (isdigit((unsigned char) **text) || **text == '.' || (strchr("eE", **text) && **text) ||
           (strchr("+-", **text) && **text && strchr("eE", (*text)[-1]))) {
        (*text)++;
    }
    constant->text = c_format(memory, "%.*s", (int) (*text - begin), begin);
    if (**text == '_') {
        (*text)++;
        word(memory, text);
    }
    return constant;
}

static struct f_expression *string(struct c_memory *memory, const char **text)
{
    struct f_expression *constant = new_expression(memory, F_CONSTANT);

    for ((*text)++; **text; (*text)++) {
        if (**text == '\'') {
            (*text)++;
            if (**text != '\'') {
                break;
            }
        }
    }
    constant->text = "''";
    return constant;
}

/* an expression, or [expression]:[expression][:expression] */
static struct f_expression *subscript(struct c_memory *memory, const char **text)
{
    struct f_expression *first = NULL, *section;
    int i;

    blanks(text);
    if (**text != ':' && !(first = f_expression(memory, text))) {
        return NULL;
    }
    blanks(text);
    if (**text != ':') {
        return first;
    }
    section = new_expression(memory, F_SECTION);
    add_argument(memory, section, first);
    for (i = 0; i < 2; i++) {
        struct f_expression *next = NULL;

        if (**text == ':') {
            (*text)++;
            if (**text && !strchr(" :,)", **text) && !(next = f_expression(memory, text))) {
                return NULL;
            }
        }
        add_argument(memory, section, next);
    }
    return section;
}

static bool subscripts(struct c_memory *memory, const char **text, struct f_part *part)
{
    if (take(text, "(FULL)")) {
        part->subscript[part->n++] = new_expression(memory, F_FULL);
        return true;
    }
    (*text)++;
    do {
        struct f_expression *one = subscript(memory, text);

        if (!one || part->n == F_RANK) {
            return false;
        }
        part->subscript[part->n++] = one;
    } while (take(text, ","));
    return take(text, ")");
}

static struct f_expression *reference(struct c_memory *memory, const char **text, const char *scope)
{
    struct f_expression *whole = new_expression(memory, F_REFERENCE);
    struct f_part **end = &whole->parts;

    whole->text = scope;
    whole->name = word(memory, text);
    do {
        struct f_part *part = c_allocate(memory, sizeof *part);

        if (end != &whole->parts) {
            blanks(text);
            part->component = word(memory, text);
        }
        *end = part;
        end = &part->next;
        if (**text == '(' && !subscripts(memory, text, part)) {
            return NULL;
        }
    } while (take(text, "%"));
    return whole;
}

/* ((a) (b) ((arg not-present))) */
static bool arguments(struct c_memory *memory, const char **text, struct f_expression *call)
{
    if (!take(text, "(")) {
        return false;
    }
    if (take(text, "())") || take(text, ")")) {
        return true;
    }
    while (!take(text, ")")) {
        struct f_expression *one;

        if (take(text, "((arg not-present))")) {
            one = new_expression(memory, F_ABSENT);
        } else {
            blanks(text);
            if (**text != '(') { /* keyword = (a) */
                word(memory, text);
                if (!take(text, "=")) {
                    return false;
                }
            }
            if (!take(text, "(") || !(one = f_expression(memory, text)) || !take(text, ")")) {
                return false;
            }
        }
        add_argument(memory, call, one);
    }
    return true;
}

static struct f_expression *operation(struct c_memory *memory, const char **text)
{
    static const char *const operators[] = {
        "parens ", "complex ", "AND ", "OR ", "EQV ", "NEQV ", "NOT ", "U+ ", "U- ", "** ", "// ",
        "== ",     "/= ",      ">= ",  "<= ", "= ",   "+ ",    "- ",   "* ",  "/ ",  "> ",  "< "};
    struct f_expression *whole = new_expression(memory, F_OPERATION);
    size_t i;

    for (i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t length = strlen(operators[i]);

        if (strncmp(*text, operators[i], length) == 0) {
            *text += length;
            whole->text = c_format(memory, "%.*s", (int) length - 1, operators[i]);
            while (!take(text, ")")) {
                struct f_expression *one = f_expression(memory, text);

                if (!one) {
                    return NULL;
                }
                add_argument(memory, whole, one);
                take(text, ",");
                if (whole->text[0] == '/' && take(text, "/)")) { /* an array constructor */
                    whole->kind = F_CALL;
                    whole->text = "__constructor";
                    return whole;
                }
            }
            return whole;
        }
    }
    return NULL;
}

struct f_expression *f_expression(struct c_memory *memory, const char **text)
{
    const char *name;

    blanks(text);
    if (**text == '(') {
        (*text)++;
        return operation(memory, text);
    }
    if (isdigit((unsigned char) **text) || (**text == '-' && isdigit((unsigned char) (*text)[1]))) {
        return number(memory, text);
    }
    if (**text == '\'') {
        return string(memory, text);
    }
    if (**text == '.') {
        struct f_expression *constant = new_expression(memory, F_CONSTANT);

        constant->text = strncmp(*text, ".true.", 6) == 0 ? "1" : "0";
        *text += strcspn(*text, " )],");
        return constant;
    }
    name = word(memory, text);
    if (!*name) {
        return NULL;
    }
    if (**text == ':') {
        (*text)++;
        return reference(memory, text, name);
    }
    if (strncmp(*text, "[[", 2) == 0 || **text == '[') {
        struct f_expression *call = new_expression(memory, F_CALL);
        bool twice = (*text)[1] == '[';

        call->text = name;
        *text += twice ? 2 : 1;
        return arguments(memory, text, call) && take(text, twice ? "]]" : "]") ? call : NULL;
    }
    if (**text == '(') { /* a constant of a derived type with one component: a handle of mpi_f08 */
        struct f_expression *one;

        (*text)++;
        one = f_expression(memory, text);
        return one && one->kind == F_CONSTANT && take(text, ")") ? one : NULL;
    }
    return NULL;
}

/* ---- declarations ---- */

static struct f_type read_type(struct c_memory *memory, const char *text)
{
    struct f_type type = {F_OTHER_TYPE, 0, NULL};
    const char *at = strchr(text, '(');

    if (!at) {
        return type;
    }
    at++;
    if (strncmp(at, "INTEGER ", 8) == 0) {
        type = (struct f_type){F_INTEGER, atoi(at + 8), NULL};
    } else if (strncmp(at, "REAL ", 5) == 0) {
        type = (struct f_type){F_REAL, atoi(at + 5), NULL};
    } else if (strncmp(at, "COMPLEX ", 8) == 0) {
        type = (struct f_type){F_COMPLEX, atoi(at + 8), NULL};
    } else if (strncmp(at, "LOGICAL ", 8) == 0) {
        type = (struct f_type){F_LOGICAL, atoi(at + 8), NULL};
    } else if (strncmp(at, "DERIVED ", 8) == 0) {
        at += 8;
        type = (struct f_type){F_DERIVED, 0, word(memory, &at)};
    }
    return type;
}

/* (2 [0] AS_EXPLICIT 1 s:n 0 s:m ) */
static struct f_array read_array(struct c_memory *memory, const char *text)
{
    struct f_array array = {F_DESCRIPTOR, 0, {NULL}, {NULL}};
    const char *at = strchr(text, '(');
    int i;

    if (!at) {
        return array;
    }
    array.rank = atoi(at + 1);
    at = strchr(at, ']');
    if (!at || array.rank < 1 || array.rank > F_RANK) {
        return array;
    }
    at++;
    array.shape = take(&at, "AS_EXPLICIT ")       ? F_EXPLICIT
                  : take(&at, "AS_ASSUMED_SIZE ") ? F_ASSUMED_SIZE
                  : take(&at, "AS_DEFERRED ")     ? F_ALLOCATABLE
                                                  : F_DESCRIPTOR;
    for (i = 0; i < array.rank && array.shape != F_DESCRIPTOR; i++) {
        if (!take(&at, "()") && !(array.lower[i] = f_expression(memory, &at))) {
            array.shape = F_DESCRIPTOR;
        }
        if (!take(&at, "()") && !(array.upper[i] = f_expression(memory, &at))) {
            array.shape = F_DESCRIPTOR;
        }
        if (array.shape == F_EXPLICIT && (!array.lower[i] || !array.upper[i])) {
            array.shape = F_DESCRIPTOR;
        }
    }
    return array;
}

static void read_attributes(struct f_symbol *symbol, const char *text)
{
    symbol->is_variable = strstr(text, "(VARIABLE") != NULL;
    symbol->is_procedure = strstr(text, "(PROCEDURE") != NULL;
    symbol->is_parameter = strstr(text, "(PARAMETER") != NULL;
    symbol->is_dummy = strstr(text, "DUMMY") != NULL;
    symbol->is_static = strstr(text, "SAVE") || strstr(text, "IN-COMMON") ||
                        strstr(text, "USE-ASSOC") || strstr(text, "HOST-ASSOC");
    symbol->is_target = strstr(text, "TARGET") || strstr(text, "POINTER");
    symbol->is_overlaid = strstr(text, "EQUIVALENCE") || strstr(text, "ASSOCIATE-VAR") ||
                          strstr(text, "VOLATILE") || strstr(text, "OPTIONAL") ||
                          strstr(text, "CRAY") || strstr(text, "THREADPRIVATE") ||
                          strstr(text, "VALUE");
    if (strstr(text, "POINTER")) {
        symbol->is_overlaid = true;
    }
}

/* (x (REAL 8) DIMENSION (1 [0] AS_EXPLICIT 1 3 )) */
static void read_component(struct c_memory *memory, struct f_symbol *type, const char *text)
{
    struct f_component *component = c_allocate(memory, sizeof *component), **end;
    const char *at = text + 1;

    component->name = word(memory, &at);
    component->type = read_type(memory, at);
    component->is_plain = !strstr(at, "ALLOCATABLE") && !strstr(at, "POINTER") &&
                          !strstr(at, "PPC") && !strstr(at, "CLASS");
    at = strstr(at, "DIMENSION ");
    if (at) {
        component->array = read_array(memory, at);
    }
    for (end = &type->components; *end; end = &(*end)->next) {
    }
    *end = component;
}

static void read_symbol_line(struct f_dump *dump, struct f_symbol *symbol, const char *line)
{
    const char *at = line;

    if (take(&at, "type spec : ")) {
        symbol->type = read_type(dump->memory, at);
    } else if (take(&at, "attributes: ")) {
        read_attributes(symbol, at);
    } else if (take(&at, "Array spec:")) {
        symbol->array = read_array(dump->memory, at);
    } else if (take(&at, "value: ")) {
        symbol->value = c_copy(dump->memory, at);
    } else if (*at == '(' && !symbol->is_variable && !symbol->is_procedure) {
        read_component(dump->memory, symbol, at);
    }
}

/* symtree: 'x' || symbol: 'y' */
static struct f_symbol *read_symbol(struct f_dump *dump, const char *scope, const char *line)
{
    struct f_symbol *symbol = c_allocate(dump->memory, sizeof *symbol);
    const char *at = strstr(line, "symbol: '");

    if (!at || strstr(at, "' from namespace ")) {
        return NULL;
    }
    at += strlen("symbol: '");
    symbol->scope = scope;
    symbol->name = word(dump->memory, &at);
    symbol->next = dump->symbols;
    dump->symbols = symbol;
    return symbol;
}

struct f_symbol *f_find(const struct f_dump *dump, const char *scope, const char *name)
{
    struct f_symbol *symbol;

    for (symbol = dump->symbols; symbol; symbol = symbol->next) {
        if (strcmp(symbol->scope, scope) == 0 && strcmp(symbol->name, name) == 0) {
            return symbol;
        }
    }
    return NULL;
}

/* Equivalence: s:a(FULL), s:b(1) */
static void read_equivalence(struct f_dump *dump, const char *text)
{
    do {
        const struct f_expression *one = f_expression(dump->memory, &text);
        struct f_symbol *symbol =
            one && one->kind == F_REFERENCE ? f_find(dump, one->text, one->name) : NULL;

        if (symbol) {
            symbol->is_overlaid = true;
        }
        text += strcspn(text, ",");
    } while (take(&text, ","));
}

/* ---- all of it ---- */

enum { DEPTH = 32 };

struct position {
    struct f_procedure *procedure[DEPTH]; /* by depth of the namespace */
    int depth;
    struct f_symbol *symbol;
    bool in_code;
    struct f_statement **end;
};

static void enter(struct f_dump *dump, struct position *position, const char *name, int depth)
{
    struct f_procedure *procedure = c_allocate(dump->memory, sizeof *procedure), **end;

    position->depth = depth < DEPTH ? depth : DEPTH - 1;
    procedure->name = name;
    if (position->depth > 0) {
        procedure->parent = position->procedure[position->depth - 1];
    }
    if (procedure->parent) {
        procedure->parent->has_inner = true;
    }
    for (end = &dump->procedures; *end; end = &(*end)->next) {
    }
    *end = procedure;
    position->procedure[position->depth] = procedure;
    position->symbol = NULL;
    position->in_code = false;
    position->end = &procedure->statements;
}

static void add_statement(struct f_dump *dump, struct position *position, const char *line)
{
    struct f_statement *statement = c_allocate(dump->memory, sizeof *statement);
    const char *tail = strstr(line, "    END ");

    /* the last statement of some blocks has their end on its line */
    statement->text = tail && tail > line
                          ? c_format(dump->memory, "%.*s", (int) (tail - line), line)
                          : c_copy(dump->memory, line);
    *position->end = statement;
    position->end = &statement->next;
    if (tail && tail > line) {
        add_statement(dump, position, tail + 4);
    }
}

void f_read_dump(struct f_dump *dump, char *text)
{
    struct position position = {{NULL}, 0, NULL, false, NULL};
    char *line, *save = NULL;

    for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        const char *at = line + strspn(line, " ");
        int indentation = (int) (at - line);

        if (strncmp(at, "procedure name = ", 17) == 0) {
            enter(dump, &position, c_copy(dump->memory, at + 17), indentation / 2);
        } else if (strncmp(at, "Namespace:", 10) == 0 || strcmp(at, "CONTAINS") == 0 ||
                   strncmp(at, "------", 6) == 0) {
            position.in_code = false;
        } else if (!position.end || !*at) {
            continue;
        } else if (strcmp(at, "code:") == 0) {
            position.in_code = true;
        } else if (position.in_code) {
            add_statement(dump, &position, at);
        } else if (strncmp(at, "Equivalence: ", 13) == 0) {
            read_equivalence(dump, at + 13);
        } else if (strncmp(at, "symtree: ", 9) == 0) {
            position.symbol = read_symbol(dump, position.procedure[position.depth]->name, at);
        } else if (position.symbol) {
            read_symbol_line(dump, position.symbol, at);
        }
    }
}
