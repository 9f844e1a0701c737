/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes procedures of Fortran as C with the same loads, stores, loops, conditions and MPI calls.
 */
#include "fortran.h"
#include "apps/mpi/functions.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values that are not known, without effects. */
static const char any_integer[] = "abs(0)", any_real[] = "fabs(0)";

struct line {
    const char *text;
    unsigned fortran;
    struct line *next;
};

struct writer {
    struct f_dump *dump;
    struct f_lines *lines;
    struct c_memory *memory;
    const struct f_procedure *procedure;
    struct line *body, **end;
    struct f_symbol **used; /* by this procedure */
    size_t n_used;
    unsigned now;       /* line of Fortran */
    const char *called; /* a function with unknown effects, in the expression at hand */
    const char *refused;
    unsigned refused_at;
    struct f_refused *refusals;
    int temporaries;
};

static void put(struct writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put(struct writer *writer, const char *format, ...)
{
    struct line *line = c_allocate(writer->memory, sizeof *line);
    va_list arguments;
    char *text;
    int size;

    va_start(arguments, format);
    size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    text = c_allocate(writer->memory, (size_t) size + 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t) size + 1, format, arguments);
    va_end(arguments);
    line->text = text;
    line->fortran = writer->now;
    *writer->end = line;
    writer->end = &line->next;
}

/* ---- declarations ---- */

static const struct f_symbol *derived_type(const struct writer *writer, const char *name)
{
    const struct f_symbol *symbol;

    for (symbol = writer->dump->symbols; symbol; symbol = symbol->next) {
        if (strcmp(symbol->name, name) == 0 && !symbol->is_variable && symbol->components) {
            return symbol;
        }
    }
    return NULL;
}

/* The elements of an array of constant bounds; -1. */
static long constant_elements(const struct f_array *array)
{
    long elements = 1;
    int i;

    for (i = 0; i < array->rank; i++) {
        const struct f_expression *lower = array->lower[i], *upper = array->upper[i];
        long extent;

        if (!lower || !upper || lower->kind != F_CONSTANT || upper->kind != F_CONSTANT) {
            return -1;
        }
        extent = atol(upper->text) - atol(lower->text) + 1;
        elements *= extent > 0 ? extent : 0;
    }
    return elements;
}

static bool is_known_type(const struct writer *writer, const struct f_type *type)
{
    const struct f_symbol *derived;
    const struct f_component *component;

    switch (type->base) {
    case F_INTEGER:
    case F_LOGICAL:
        return type->bytes == 1 || type->bytes == 2 || type->bytes == 4 || type->bytes == 8;
    case F_REAL:
    case F_COMPLEX:
        return type->bytes == 4 || type->bytes == 8;
    case F_DERIVED:
        derived = derived_type(writer, type->derived);
        for (component = derived ? derived->components : NULL; component;
             component = component->next) {
            if (!component->is_plain || !is_known_type(writer, &component->type) ||
                (component->array.rank && constant_elements(&component->array) < 0)) {
                return false;
            }
        }
        return derived != NULL;
    default:
        return false;
    }
}

/* The C type of an element. */
static const char *c_type(struct writer *writer, const struct f_type *type)
{
    switch (type->base) {
    case F_INTEGER:
    case F_LOGICAL:
        return type->bytes == 8   ? "long"
               : type->bytes == 4 ? "int"
               : type->bytes == 2 ? "short"
                                  : "signed char";
    case F_REAL:
        return type->bytes == 8 ? "double" : "float";
    case F_COMPLEX:
        return type->bytes == 8 ? "double _Complex" : "float _Complex";
    case F_DERIVED:
        return c_format(writer->memory, "struct %s", type->derived);
    default:
        return "void";
    }
}

static const struct f_procedure *procedure_of(const struct writer *writer, const char *scope)
{
    const struct f_procedure *procedure;

    for (procedure = writer->dump->procedures; procedure; procedure = procedure->next) {
        if (strcmp(procedure->name, scope) == 0) {
            return procedure;
        }
    }
    return NULL;
}

/* May calls change it? */
static bool is_global(const struct writer *writer, const struct f_symbol *symbol)
{
    const struct f_procedure *procedure = procedure_of(writer, symbol->scope);

    return symbol->is_static || symbol->array.shape == F_ALLOCATABLE || !procedure ||
           procedure->has_inner;
}

/* Memory that C cannot show: not contiguous, or overlaid by something else. */
static bool is_opaque(const struct writer *writer, const struct f_symbol *symbol)
{
    return symbol->is_overlaid || symbol->is_procedure || symbol->array.shape == F_DESCRIPTOR ||
           (!symbol->is_request && !is_known_type(writer, &symbol->type));
}

static bool is_c_name(const char *name)
{
    static const char *const taken[] = {
        "auto",   "break",  "case",     "char",     "const",  "continue", "default", "do",
        "double", "else",   "enum",     "extern",   "float",  "for",      "goto",    "if",
        "inline", "int",    "long",     "register", "return", "short",    "signed",  "sizeof",
        "static", "struct", "switch",   "typedef",  "union",  "unsigned", "void",    "volatile",
        "while",  "main",   "restrict", "abs",      "fabs",   "memset",   "exit",
    };
    size_t i;

    for (i = 0; i < sizeof taken / sizeof *taken; i++) {
        if (strcmp(taken[i], name) == 0) {
            return false;
        }
    }
    return true;
}

static void use(struct writer *writer, struct f_symbol *symbol)
{
    const struct f_symbol *other;
    size_t i;

    for (i = 0; i < writer->n_used; i++) {
        if (writer->used[i] == symbol) {
            return;
        }
    }
    writer->used = realloc(writer->used, (writer->n_used + 1) * sizeof *writer->used);
    if (!writer->used) {
        c_out_of_memory();
    }
    writer->used[writer->n_used++] = symbol;
    if (symbol->c_name) {
        return;
    }
    symbol->c_name =
        is_c_name(symbol->name) ? symbol->name : c_format(writer->memory, "%s_", symbol->name);
    for (other = writer->dump->symbols; is_global(writer, symbol) && other; other = other->next) {
        if (other != symbol && other->c_name && strcmp(other->c_name, symbol->c_name) == 0 &&
            is_global(writer, other)) {
            symbol->c_name = c_format(writer->memory, "%s__%s", symbol->name, symbol->scope);
            break;
        }
    }
}

/* ---- expressions ---- */

static const char *integer(struct writer *writer, const struct f_expression *expression);
static void put_passed(struct writer *writer, const struct f_expression *reference);

static struct f_symbol *symbol_of(const struct writer *writer,
                                  const struct f_expression *expression)
{
    return expression->kind == F_REFERENCE
               ? f_find(writer->dump, expression->text, expression->name)
               : NULL;
}

static const struct f_component *component_of(const struct writer *writer,
                                              const struct f_type *type, const char *name)
{
    const struct f_symbol *derived =
        type->base == F_DERIVED ? derived_type(writer, type->derived) : NULL;
    const struct f_component *component;

    for (component = derived ? derived->components : NULL; component; component = component->next) {
        if (strcmp(component->name, name) == 0) {
            return component;
        }
    }
    return NULL;
}

/* Bounds of an array: numbers, or variables that are set where the procedure begins. */
static const char *bound(struct writer *writer, const struct f_symbol *symbol,
                         const struct f_array *array, int i, bool extent)
{
    const struct f_expression *lower = array->lower[i], *upper = array->upper[i];

    if (lower && lower->kind == F_CONSTANT && !extent) {
        return lower->text;
    }
    if (lower && upper && lower->kind == F_CONSTANT && upper->kind == F_CONSTANT) {
        return c_format(writer->memory, "%ld", atol(upper->text) - atol(lower->text) + 1);
    }
    return symbol ? c_format(writer->memory, "%s_%c%d", symbol->c_name, extent ? 'n' : 'l', i + 1)
                  : NULL;
}

/* Where the elements of a section are: begin + t * step in dimension `at`. */
struct section {
    const char *begin[F_RANK], *step[F_RANK], *trip[F_RANK];
    const char *variable[F_RANK]; /* given by the caller */
    int rank;
};

/* The index of one element of an array, linear from 0. */
static const char *linear(struct writer *writer, const struct f_symbol *symbol,
                          const struct f_array *array, const struct f_part *part,
                          struct section *section)
{
    const char *index = NULL;
    int i;

    if (part->n == 1 && part->subscript[0]->kind == F_FULL && array->shape == F_ASSUMED_SIZE) {
        return NULL;
    }
    if (part->n != array->rank && !(part->n == 1 && part->subscript[0]->kind == F_FULL)) {
        return NULL;
    }
    for (i = array->rank - 1; i >= 0; i--) {
        const struct f_expression *one =
            part->n == array->rank ? part->subscript[i] : part->subscript[0];
        const char *lower = bound(writer, symbol, array, i, false), *place;

        if (!lower) {
            return NULL;
        }
        if (one->kind == F_SECTION || one->kind == F_FULL) {
            const struct f_expression *const *limits =
                one->kind == F_SECTION ? (const struct f_expression *const *) one->argument : NULL;
            const char *extent = i < array->rank - 1 || array->shape != F_ASSUMED_SIZE
                                     ? bound(writer, symbol, array, i, true)
                                     : NULL;
            const char *begin = limits && limits[0] ? integer(writer, limits[0]) : lower;
            const char *last = limits && limits[1] ? integer(writer, limits[1])
                               : extent ? c_format(writer->memory, "(%s + %s - 1)", lower, extent)
                                        : NULL;
            const char *step = limits && limits[2] ? integer(writer, limits[2]) : "1";
            int k = section ? section->rank : 0;

            if (!section || !begin || !last || !step || !section->variable[k] ||
                strspn(step, "0123456789") != strlen(step)) {
                return NULL;
            }
            section->begin[k] = begin;
            section->step[k] = step;
            section->trip[k] =
                strcmp(step, "1") == 0
                    ? c_format(writer->memory, "%s - %s + 1", last, begin)
                    : c_format(writer->memory, "(%s - %s + %s) / %s", last, begin, step, step);
            place = c_format(writer->memory, "(%s + %s * %s)", begin, section->variable[k], step);
            section->rank++;
        } else {
            place = integer(writer, one);
        }
        if (!place) {
            return NULL;
        }
        place =
            strcmp(lower, "0") == 0 ? place : c_format(writer->memory, "(%s - %s)", place, lower);
        if (index) {
            const char *extent = bound(writer, symbol, array, i, true);

            index =
                extent ? c_format(writer->memory, "(%s + %s * %s)", place, extent, index) : NULL;
            if (!index) {
                return NULL;
            }
        } else {
            index = place;
        }
    }
    return index;
}

/* An element of the variable in C; NULL: it is not known which. TYPE becomes the element's. */
static const char *element(struct writer *writer, const struct f_expression *reference,
                           struct section *section, struct f_type *type)
{
    struct f_symbol *symbol = symbol_of(writer, reference);
    const struct f_part *part = reference->kind == F_REFERENCE ? reference->parts : NULL;
    const struct f_array *array;
    const char *text;

    if (!symbol || is_opaque(writer, symbol) || symbol->is_parameter) {
        return NULL;
    }
    use(writer, symbol);
    text = symbol->c_name;
    *type = symbol->type;
    array = &symbol->array;
    for (; part; part = part->next) {
        if (part->component) {
            const struct f_component *component = component_of(writer, type, part->component);

            if (!component) {
                return NULL;
            }
            text = c_format(writer->memory, "%s.%s", text, component->name);
            *type = component->type;
            array = &component->array;
        }
        if (array->rank) {
            const char *index =
                part->n ? linear(writer, part->component ? NULL : symbol, array, part, section)
                        : NULL;

            if (!index) {
                return NULL;
            }
            text = c_format(writer->memory, "%s[%s]", text, index);
        } else if (part->n) {
            return NULL; /* part of a string */
        }
    }
    return text;
}

static bool is_intrinsic(const struct f_expression *call)
{
    static const char *const names[] = {"size",  "merge", "lbound", "ubound", "mpi_wtime",
                                        "shape", "kind",  "sum",    "maxval", "minval"};
    size_t i;

    if (call->text[0] == '_') {
        return true;
    }
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], call->text) == 0) {
            return true;
        }
    }
    return false;
}

static const char *size_of(struct writer *writer, const struct f_expression *call)
{
    struct f_symbol *symbol = call->n > 0 ? symbol_of(writer, call->argument[0]) : NULL;
    const char *text = "1";
    int i;

    if (!symbol || is_opaque(writer, symbol) || symbol->array.shape == F_ASSUMED_SIZE ||
        call->argument[0]->parts->next || call->argument[0]->parts->n != 1 ||
        call->argument[0]->parts->subscript[0]->kind != F_FULL) {
        return NULL;
    }
    use(writer, symbol);
    if (call->n > 1 && call->argument[1]->kind == F_CONSTANT) {
        i = atoi(call->argument[1]->text) - 1;
        return i >= 0 && i < symbol->array.rank ? bound(writer, symbol, &symbol->array, i, true)
                                                : NULL;
    }
    if (call->n > 1 && call->argument[1]->kind != F_ABSENT) {
        return NULL;
    }
    for (i = 0; i < symbol->array.rank; i++) {
        text = c_format(writer->memory, "%s * %s", text,
                        bound(writer, symbol, &symbol->array, i, true));
    }
    return c_format(writer->memory, "(%s)", text);
}

static const char *function(struct writer *writer, const struct f_expression *call)
{
    const char *argument[3] = {NULL, NULL, NULL};
    int i;

    for (i = 0; i < call->n; i++) {
        const char *one = integer(writer, call->argument[i]);

        if (i < 3) {
            argument[i] = one;
        }
    }
    if (!is_intrinsic(call)) {
        for (i = 0; i < call->n; i++) {
            if (call->argument[i]->kind == F_REFERENCE) {
                put_passed(writer, call->argument[i]);
            }
        }
        writer->called = call->text;
        return NULL;
    }
    if (strncmp(call->text, "__convert_i", 11) == 0 && strstr(call->text + 11, "_i") &&
        argument[0]) {
        bool wide = strstr(call->text, "_i8") && !strstr(call->text, "_i8_");

        return c_format(writer->memory, "(%s) %s", wide ? "long" : "int", argument[0]);
    }
    if (strcmp(call->text, "size") == 0) {
        return size_of(writer, call);
    }
    if (!argument[0] || !argument[1]) {
        return NULL;
    }
    if (strstr(call->text, "merge") && argument[2]) {
        return c_format(writer->memory, "(%s ? %s : %s)", argument[2], argument[0], argument[1]);
    }
    if (strncmp(call->text, "__mod_i", 7) == 0) {
        return c_format(writer->memory, "(%s %% %s)", argument[0], argument[1]);
    }
    if (call->n == 2 &&
        (strncmp(call->text, "__max_i", 7) == 0 || strncmp(call->text, "__min_i", 7) == 0)) {
        return c_format(writer->memory, "(%s %c %s ? %s : %s)", argument[0],
                        call->text[4] == 'a' ? '>' : '<', argument[1], argument[0], argument[1]);
    }
    return NULL;
}

static const char *operation(struct writer *writer, const struct f_expression *expression)
{
    static const char *const operators[][2] = {
        {"+", "+"},  {"-", "-"},    {"*", "*"},   {"/", "/"},   {"==", "=="},
        {"=", "=="}, {"/=", "!="},  {">=", ">="}, {"<=", "<="}, {">", ">"},
        {"<", "<"},  {"AND", "&&"}, {"OR", "||"},
    };
    const char *left = expression->n > 0 ? integer(writer, expression->argument[0]) : NULL;
    const char *right = expression->n > 1 ? integer(writer, expression->argument[1]) : NULL;
    size_t i;

    if (expression->n == 1 && left) {
        return strcmp(expression->text, "NOT") == 0 ? c_format(writer->memory, "(!%s)", left)
               : expression->text[0] == 'U' && expression->text[1] == '-'
                   ? c_format(writer->memory, "(-%s)", left)
                   : left;
    }
    for (i = 0; left && right && i < sizeof operators / sizeof *operators; i++) {
        if (strcmp(operators[i][0], expression->text) == 0) {
            return c_format(writer->memory, "(%s %s %s)", left, operators[i][1], right);
        }
    }
    return NULL;
}

/* An expression of integers or truth values in C, or NULL. */
static const char *integer(struct writer *writer, const struct f_expression *expression)
{
    struct f_symbol *symbol;
    struct f_type type;
    const char *text;

    switch (expression->kind) {
    case F_CONSTANT:
        return expression->text[strspn(expression->text, "-0123456789")] == '\0' ? expression->text
                                                                                 : NULL;
    case F_REFERENCE:
        symbol = symbol_of(writer, expression);
        if (symbol && symbol->is_parameter && symbol->value && !symbol->array.rank &&
            symbol->value[strspn(symbol->value, "-0123456789")] == '\0') {
            return symbol->value;
        }
        text = symbol && !symbol->is_request ? element(writer, expression, NULL, &type) : NULL;
        return text && (type.base == F_INTEGER || type.base == F_LOGICAL) ? text : NULL;
    case F_CALL:
        return function(writer, expression);
    case F_OPERATION:
        return operation(writer, expression);
    default:
        return NULL;
    }
}

/* ---- statements ---- */

static void refuse(struct writer *writer, const char *why)
{
    if (!writer->refused) {
        writer->refused = why;
        writer->refused_at = writer->now;
    }
}

static struct f_expression *read_expression(struct writer *writer, const char **text)
{
    struct f_expression *expression = f_expression(writer->memory, text);

    if (!expression) {
        refuse(writer, "an expression that is not understood");
    }
    return expression;
}

/* A call of a function that may change all memory it can reach. */
static void put_call(struct writer *writer, const char *name)
{
    if (name[0] == '_') {
        name = "runtime_library";
    }
    put(writer, "{ extern int %s_(); %s_(); }", name, name);
}

static void flush_called(struct writer *writer)
{
    if (writer->called) {
        put_call(writer, writer->called);
        writer->called = NULL;
    }
}

/* What an expression reads that is written as a value which is not known. */
static void put_reads(struct writer *writer, const struct f_expression *expression)
{
    struct f_symbol *symbol;
    struct f_type type;
    const char *text;
    int i;

    for (i = 0; i < expression->n; i++) {
        if (expression->argument[i]) {
            put_reads(writer, expression->argument[i]);
        }
    }
    symbol = symbol_of(writer, expression);
    if (!symbol || is_opaque(writer, symbol) || symbol->is_parameter || symbol->is_request) {
        return;
    }
    text = element(writer, expression, NULL, &type);
    if (text) {
        put(writer, "(void) %s;", text);
    } else {
        use(writer, symbol);
        put(writer, "(void) memcmp(%s%s, %s%s, 1);", symbol->array.rank ? "" : "&", symbol->c_name,
            symbol->array.rank ? "" : "&", symbol->c_name);
    }
}

/* A condition, or one that is not known. */
static const char *condition(struct writer *writer, const char **text)
{
    const struct f_expression *expression = read_expression(writer, text);
    const char *c = expression ? integer(writer, expression) : NULL;

    flush_called(writer);
    if (expression && !c) {
        put_reads(writer, expression);
    }
    return c ? c : any_integer;
}

static void put_opaque_store(struct writer *writer, const struct f_symbol *symbol)
{
    if (symbol->type.base != F_OTHER_TYPE || symbol->is_target || symbol->is_overlaid) {
        put_call(writer, "pointer_or_assumed_shape");
    }
}

/* Something unknown is stored to a variable, or to one of its elements. */
static void put_unknown(struct writer *writer, const struct f_expression *reference)
{
    struct f_symbol *symbol = symbol_of(writer, reference);
    struct f_type type;
    const char *text;

    if (!symbol || symbol->is_parameter) {
        return;
    }
    if (is_opaque(writer, symbol)) {
        put_opaque_store(writer, symbol);
        return;
    }
    use(writer, symbol);
    text = element(writer, reference, NULL, &type);
    if (symbol->array.rank && !text) {
        put(writer, "memset(%s, 0, 1);", symbol->c_name);
    } else if (!text || symbol->is_request || type.base == F_DERIVED) {
        put(writer, "memset(&%s, 0, 1);", symbol->c_name);
    } else {
        put(writer, "%s = %s;", text,
            type.base == F_INTEGER || type.base == F_LOGICAL ? any_integer : any_real);
    }
}

/* A variable goes to a function, which may read and write it; of an array, also elements after the
 * named one (sequence association, Fortran 2018, 15.5.2.11). */
static void put_passed(struct writer *writer, const struct f_expression *reference)
{
    struct f_symbol *symbol = symbol_of(writer, reference);
    const char *address;

    if (!symbol || symbol->is_parameter) {
        return;
    }
    if (is_opaque(writer, symbol)) {
        put_opaque_store(writer, symbol);
        return;
    }
    if (!symbol->array.rank && !symbol->is_request && symbol->type.base != F_DERIVED) {
        put_unknown(writer, reference);
        return;
    }
    use(writer, symbol);
    address = c_format(writer->memory, "%s%s", symbol->array.rank ? "" : "&", symbol->c_name);
    put(writer, "(void) memcmp(%s, %s, 1);", address, address);
    put(writer, "memset(%s, 0, 1);", address);
}

static void name_sections(struct writer *writer, struct section *section)
{
    int i;

    *section = (struct section){.rank = 0};
    writer->temporaries++;
    for (i = 0; i < F_RANK; i++) {
        section->variable[i] = c_format(writer->memory, "t%d_%d", writer->temporaries, i + 1);
    }
}

/* Is every value of the array on the right used where it is read? */
static const char *right_side(struct writer *writer, const struct f_expression *left,
                              const struct f_expression *right, struct section *section,
                              const struct f_type *type)
{
    struct f_type own;
    const char *text = NULL;

    if (right->kind == F_REFERENCE &&
        (section->rank == 0 || strcmp(right->name, left->name) != 0)) {
        struct section other = *section;
        struct f_symbol *symbol = symbol_of(writer, right);

        other.rank = 0;
        text = element(writer, right, &other, &own);
        if (symbol && symbol->is_request) {
            text = NULL;
        }
        if (text && (own.base != type->base || own.bytes != type->bytes ||
                     (other.rank != 0 && other.rank != section->rank))) {
            text = NULL;
        }
    }
    if (!text && (type->base == F_INTEGER || type->base == F_LOGICAL)) {
        text = integer(writer, right);
        return text ? text : any_integer;
    }
    return text ? text : type->base == F_DERIVED ? NULL : any_real;
}

static void assign(struct writer *writer, const char *text)
{
    const struct f_expression *left = read_expression(writer, &text);
    const struct f_expression *right;
    struct f_symbol *symbol;
    struct section section;
    struct f_type type;
    const char *to, *from;
    int i;

    if (!left || left->kind != F_REFERENCE) {
        refuse(writer, "an assignment that is not understood");
        return;
    }
    symbol = symbol_of(writer, left);
    right = read_expression(writer, &text);
    if (!right) {
        return;
    }
    if (symbol && symbol->is_procedure && strcmp(symbol->name, writer->procedure->name) == 0) {
        integer(writer, right);
        flush_called(writer);
        put_reads(writer, right);
        return;
    }
    name_sections(writer, &section);
    to = symbol && !symbol->is_request ? element(writer, left, &section, &type) : NULL;
    if (!to) {
        integer(writer, right);
        flush_called(writer);
        put_reads(writer, right);
        put_unknown(writer, left);
        return;
    }
    from = right_side(writer, left, right, &section, &type);
    flush_called(writer);
    if (!from || from == any_integer || from == any_real) {
        put_reads(writer, right);
    }
    if (!from) {
        put(writer, "memset(&%s, 0, 1);", symbol->c_name);
        return;
    }
    for (i = 0; i < section.rank; i++) {
        put(writer, "for (long %s = 0; %s < %s; %s++)", section.variable[i], section.variable[i],
            section.trip[i], section.variable[i]);
    }
    put(writer, "%s = %s;", to, from);
}

static void loop(struct writer *writer, const char *text)
{
    const struct f_expression *variable = read_expression(writer, &text), *limit[3];
    const char *value[3] = {NULL, NULL, NULL}, *name;
    struct f_type type;
    int i;

    if (!variable || *text != '=') {
        refuse(writer, "a loop that is not understood");
        return;
    }
    text++;
    for (i = 0; i < 3; i++) {
        if (!(limit[i] = read_expression(writer, &text))) {
            return;
        }
        value[i] = integer(writer, limit[i]);
    }
    name = element(writer, variable, NULL, &type);
    flush_called(writer);
    if (name && value[0] && value[1] && limit[2]->kind == F_CONSTANT && value[2]) {
        long step = atol(value[2]);

        put(writer, "for (%s = %s; %s %s %s; %s += %ld) {", name, value[0], name,
            step > 0 ? "<=" : ">=", value[1], name, step);
    } else {
        put(writer, "while (%s) {", any_integer);
        put_unknown(writer, variable);
    }
}

/* ---- calls ---- */

static const char *const datatypes[] = {
    "MPI_DOUBLE_PRECISION",
    "MPI_REAL",
    "MPI_INTEGER",
    "MPI_REAL8",
    "MPI_REAL4",
    "MPI_INTEGER8",
    "MPI_INTEGER4",
    "MPI_LOGICAL",
    "MPI_COMPLEX",
    "MPI_DOUBLE_COMPLEX",
    "MPI_BYTE",
    "MPI_CHARACTER",
    "MPI_PACKED",
    "MPI_COMPLEX16",
};

/* The dump has the handle, a number, and the numbers of all names. */
static const char *datatype(struct writer *writer, const struct f_expression *argument)
{
    const char *number = argument->kind == F_CONSTANT ? argument->text : NULL;
    const struct f_symbol *symbol;
    size_t i;

    for (i = 0; number && i < sizeof datatypes / sizeof *datatypes; i++) {
        for (symbol = writer->dump->symbols; symbol; symbol = symbol->next) {
            const char *value = symbol->value;

            if (value && strncmp(value, "mpi_datatype(", 13) == 0) {
                value += 13;
            }
            if (value && symbol->is_parameter && strcasecmp(symbol->name, datatypes[i]) == 0 &&
                strncmp(value, number, strlen(number)) == 0 &&
                !isdigit((unsigned char) value[strlen(number)])) {
                return datatypes[i];
            }
        }
    }
    return c_format(writer->memory,
                    "({ extern MPI_Datatype derived_datatype; derived_datatype; })");
}

static const char *buffer(struct writer *writer, const struct f_expression *argument)
{
    struct f_symbol *symbol = symbol_of(writer, argument);
    struct f_type type;
    const char *text;
    const struct f_part *part;

    if (!symbol || is_opaque(writer, symbol)) {
        return "({ extern void *not_contiguous(void); not_contiguous(); })";
    }
    use(writer, symbol);
    part = argument->parts;
    if (!part->next && (part->n == 0 || part->subscript[0]->kind == F_FULL)) {
        return c_format(writer->memory, symbol->array.rank ? "%s" : "&%s", symbol->c_name);
    }
    text = element(writer, argument, NULL, &type);
    return text ? c_format(writer->memory, "&%s", text)
                : "({ extern void *not_contiguous(void); not_contiguous(); })";
}

static const char *request(struct writer *writer, const struct f_expression *argument)
{
    struct f_symbol *symbol = symbol_of(writer, argument);
    struct f_type type;
    const char *text;

    if (!symbol || !symbol->is_request) {
        return "({ extern MPI_Request *not_known(void); not_known(); })";
    }
    use(writer, symbol);
    text = element(writer, argument, NULL, &type);
    return text                 ? c_format(writer->memory, "&%s", text)
           : symbol->array.rank ? symbol->c_name
                                : c_format(writer->memory, "&%s", symbol->c_name);
}

static const char *mpi_argument(struct writer *writer, mpi_role_t role,
                                const struct f_expression *argument)
{
    const char *text;

    switch (role) {
    case ROLE_IN:
    case ROLE_OUT:
        return buffer(writer, argument);
    case ROLE_TYPE:
    case ROLE_SENT_TYPE:
        return datatype(writer, argument);
    case ROLE_COMM:
        return "MPI_COMM_WORLD";
    case ROLE_REQUEST:
    case ROLE_REQUESTS:
        return request(writer, argument);
    case ROLE_STATUS:
    case ROLE_STATUSES:
        return "MPI_STATUS_IGNORE";
    default:
        text = integer(writer, argument);
        return text ? text : any_integer;
    }
}

/* NULL: it is not translated. */
static const mpi_function_t *find_mpi(struct c_memory *memory, const char *name)
{
    size_t length = strlen(name);
    const mpi_function_t *function;

    if (length > 4 && strcmp(name + length - 4, "_f08") == 0) {
        length -= 4;
    }
    if (length < 6 || strncmp(name, "mpi_", 4) != 0) {
        return NULL;
    }
    function = mpi_function(c_format(memory, "MPI_%c%.*s", toupper((unsigned char) name[4]),
                                     (int) length - 5, name + 5));
    switch (function->kind) {
    case KIND_SEND:
    case KIND_ISEND:
    case KIND_RECV:
    case KIND_IRECV:
    case KIND_SENDRECV:
        return function;
    default:
        return strcmp(function->name, "MPI_Wait") && strcmp(function->name, "MPI_Waitall") &&
                       strcmp(function->name, "MPI_Barrier")
                   ? NULL
                   : function;
    }
}

/* "CALL name (arguments)" */
static struct f_expression *read_call(struct c_memory *memory, const char *text)
{
    const char *copy;
    size_t length = strcspn(text, " (");

    copy =
        c_format(memory, "%.*s[[%s]]", (int) length, text, text[length] ? text + length + 1 : "()");
    return f_expression(memory, &copy);
}

static void call(struct writer *writer, const char *text)
{
    const struct f_expression *call = read_call(writer->memory, text);
    const mpi_function_t *mpi;
    const char *all = "";
    int i;

    if (!call) {
        refuse(writer, "a call that is not understood");
        return;
    }
    mpi = find_mpi(writer->memory, call->text);
    if (mpi && (size_t) call->n >= strlen((const char *) mpi->roles)) {
        for (i = 0; mpi->roles[i] != ROLE_NONE; i++) {
            all = c_format(writer->memory, "%s%s%s", all, i ? ", " : "",
                           mpi_argument(writer, mpi->roles[i], call->argument[i]));
        }
        flush_called(writer);
        put(writer, "%s(%s);", mpi->name, all);
        return;
    }
    put_call(writer, strncmp(call->text, "mpi_", 4) == 0 ? "another_function_of_MPI" : call->text);
    for (i = 0; i < call->n; i++) {
        if (call->argument[i]->kind == F_REFERENCE) {
            put_passed(writer, call->argument[i]);
        } else {
            put_reads(writer, call->argument[i]);
        }
    }
}

/* A simple statement of which only the variables that it names are known. */
static void unknown_statement(struct writer *writer, const char *text)
{
    put_call(writer, "runtime_library");
    for (; *text; text++) {
        const char *at = text;
        struct f_expression *name;

        if (!isalpha((unsigned char) *text) && *text != '_') {
            continue;
        }
        while (isalnum((unsigned char) *at) || *at == '_') {
            at++;
        }
        if (*at == ':' && (isalpha((unsigned char) at[1]) || at[1] == '_')) {
            name = f_expression(writer->memory, &text);
            if (!name) {
                refuse(writer, "a statement that is not understood");
                return;
            }
            put_passed(writer, name);
            text--;
        } else {
            text = at - 1;
        }
    }
}

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

static bool is_simple(const char *text)
{
    static const char *const words[] = {
        "READ ", "WRITE ",      "TRANSFER ",       "DT_END",  "OPEN",      "CLOSE",    "INQUIRE",
        "FLUSH", "REWIND",      "BACKSPACE",       "ENDFILE", "ALLOCATE ", "NULLIFY ", "IOLENGTH ",
        "WAIT ", "DEALLOCATE ", "POINTER ASSIGN ",
    };
    size_t i;

    for (i = 0; i < sizeof words / sizeof *words; i++) {
        if (begins(text, words[i])) {
            return true;
        }
    }
    return false;
}

/* Constructs without names in the dump. */
static bool has_labels(const struct writer *writer)
{
    const struct f_symbol *symbol;

    for (symbol = writer->dump->symbols; symbol; symbol = symbol->next) {
        if (strcmp(symbol->scope, writer->procedure->name) == 0 && !symbol->is_variable &&
            !symbol->is_procedure && !symbol->is_parameter && !symbol->components) {
            return true;
        }
    }
    return false;
}

static void statement(struct writer *writer, const char *text)
{
    const char *rest = strchr(text, ' ') ? strchr(text, ' ') + 1 : text;

    while (isdigit((unsigned char) *text) || *text == ' ') { /* a label */
        text++;
        rest = strchr(text, ' ') ? strchr(text, ' ') + 1 : text;
    }
    if (begins(text, "ASSIGN ")) {
        assign(writer, rest);
    } else if (begins(text, "CALL ")) {
        call(writer, rest);
    } else if (begins(text, "IF ")) {
        put(writer, "if (%s) {", condition(writer, &rest));
    } else if (begins(text, "ELSE IF ")) {
        rest = text + 8;
        put(writer, "} else if (%s) {", condition(writer, &rest));
    } else if (strcmp(text, "ELSE") == 0) {
        put(writer, "} else {");
    } else if (begins(text, "ENDIF") || begins(text, "END SELECT")) {
        put(writer, "}");
    } else if (begins(text, "END DO")) {
        put(writer, "}");
    } else if (begins(text, "DO WHILE ")) {
        rest = text + 9;
        put(writer, "while (%s) {", condition(writer, &rest));
    } else if (begins(text, "DO CONCURRENT")) {
        refuse(writer, "DO CONCURRENT");
    } else if (begins(text, "DO ")) {
        loop(writer, rest);
    } else if (begins(text, "SELECT CASE ")) {
        put(writer, "if (0) {");
    } else if (begins(text, "CASE ")) {
        put(writer, "} else if (%s) {", any_integer);
    } else if (begins(text, "EXIT") || begins(text, "CYCLE")) {
        if (has_labels(writer)) {
            refuse(writer, "EXIT or CYCLE, and named constructs");
        }
        put(writer, begins(text, "EXIT") ? "break;" : "continue;");
    } else if (begins(text, "RETURN")) {
        put(writer, "return;");
    } else if (begins(text, "STOP") || begins(text, "ERROR STOP")) {
        put(writer, "exit(1);");
    } else if (begins(text, "CONTINUE") || begins(text, "NOP") || !*text) {
        put(writer, ";");
    } else if (is_simple(text)) {
        unknown_statement(writer, text);
    } else {
        refuse(writer, c_format(writer->memory, "%.*s", (int) strcspn(text, " "), text));
    }
}

/* ---- procedures ---- */

/* The words of the source by which a statement is found. */
static void find_line(struct writer *writer, const char *text)
{
    const char *first = NULL, *second = "", *at = text;
    struct c_memory *memory = writer->memory;

    while (isdigit((unsigned char) *at) || *at == ' ') {
        at++;
    }
    if (begins(at, "CALL ")) {
        size_t length = strcspn(at + 5, " (");

        if (length > 4 && strncmp(at + 5 + length - 4, "_f08", 4) == 0) {
            length -= 4;
        }
        first = c_format(memory, "call%.*s", (int) length, at + 5);
    } else if (begins(at, "ASSIGN ") || begins(at, "DO ")) {
        const char *colon = strchr(at, ':');
        const char *name = colon ? colon + 1 : NULL;

        if (!name || begins(at, "DO WHILE")) {
            return;
        }
        first =
            c_format(memory, "%s%.*s", at[0] == 'D' ? "do" : "", (int) strcspn(name, " (=%"), name);
        second = "=";
    } else if (begins(at, "IF ") || begins(at, "ELSE IF ")) {
        first = "if(";
    } else if (begins(at, "WHERE") || begins(at, "FORALL") || begins(at, "ASSOCIATE")) {
        first = begins(at, "WHERE") ? "where(" : begins(at, "FORALL") ? "forall(" : "associate(";
    }
    if (first) {
        writer->now = f_lines_find(writer->lines, first, second);
    }
}

/* Marks variables that are requests. */
static void find_requests(struct writer *writer)
{
    const struct f_procedure *procedure;
    const struct f_statement *one;
    int i;

    for (procedure = writer->dump->procedures; procedure; procedure = procedure->next) {
        for (one = procedure->statements; one; one = one->next) {
            const char *at = strstr(one->text, "CALL mpi_");
            const struct f_expression *call = at ? read_call(writer->memory, at + 5) : NULL;
            const mpi_function_t *mpi = call ? find_mpi(writer->memory, call->text) : NULL;

            for (i = 0; mpi && mpi->roles[i] != ROLE_NONE && i < call->n; i++) {
                struct f_symbol *symbol = symbol_of(writer, call->argument[i]);

                if ((mpi->roles[i] == ROLE_REQUEST || mpi->roles[i] == ROLE_REQUESTS) && symbol &&
                    symbol->array.shape != F_DESCRIPTOR && !symbol->is_overlaid) {
                    symbol->is_request = true;
                }
            }
        }
    }
}

static void put_bounds(struct writer *writer, const struct f_symbol *symbol)
{
    int i, k;

    for (i = 0; i < symbol->array.rank; i++) {
        const struct f_expression *lower = symbol->array.lower[i], *upper = symbol->array.upper[i];

        for (k = 0; k < 2; k++) {
            const char *name = bound(writer, symbol, &symbol->array, i, k == 1);
            const char *l = lower ? integer(writer, lower) : NULL;
            const char *u = upper ? integer(writer, upper) : NULL;

            if (isdigit((unsigned char) *name) || *name == '-' ||
                (k == 1 && symbol->array.shape == F_ASSUMED_SIZE && i == symbol->array.rank - 1)) {
                continue;
            }
            if (symbol->array.shape == F_ALLOCATABLE) {
                put(writer, "extern long %s;", name);
            } else if (k == 0) {
                put(writer, "long %s = %s;", name, l ? l : any_integer);
            } else if (l && u) {
                put(writer, "long %s = %s - %s + 1;", name, u, l);
            } else {
                put(writer, "long %s = %s;", name, any_integer);
            }
        }
    }
}

static void put_variable(struct writer *writer, const struct f_symbol *symbol)
{
    const char *type = symbol->is_request ? "MPI_Request" : c_type(writer, &symbol->type);
    const char *elements = "";
    long constant = constant_elements(&symbol->array);
    bool global = is_global(writer, symbol);
    int i;

    if (symbol->is_dummy && !global) {
        return;
    }
    if (symbol->array.rank && constant >= 0) {
        elements = c_format(writer->memory, "[%ld]", constant);
    } else if (symbol->array.rank && global) {
        elements = "[]";
    } else if (symbol->array.rank) {
        for (i = 0; i < symbol->array.rank; i++) {
            elements = c_format(writer->memory, "%s%s%s", elements, i ? " * " : "",
                                bound(writer, symbol, &symbol->array, i, true));
        }
        elements = c_format(writer->memory, "[%s]", elements);
    }
    put(writer, "%s%s %s%s;", global ? "extern " : "", type, symbol->c_name, elements);
}

static const char *parameters(struct writer *writer)
{
    const char *all = "";
    size_t i;

    for (i = 0; i < writer->n_used; i++) {
        const struct f_symbol *symbol = writer->used[i];

        if (symbol->is_dummy && !is_global(writer, symbol)) {
            const char *type = symbol->is_request ? "MPI_Request" : c_type(writer, &symbol->type);
            const char *star = !symbol->array.rank ? " " : symbol->is_target ? " *" : " *restrict ";

            all = c_format(writer->memory, "%s%s%s%s%s", all, *all ? ", " : "", type, star,
                           symbol->c_name);
        }
    }
    return *all ? all : "void";
}

/* Structures, in the order of their declaration: the last symbol is first in the list. */
static void put_types(struct writer *writer, const struct f_symbol *symbol)
{
    const struct f_component *component;
    struct f_type type;

    if (!symbol) {
        return;
    }
    put_types(writer, symbol->next);
    type = (struct f_type){F_DERIVED, 0, symbol->name};
    if (!symbol->components || symbol->is_variable ||
        derived_type(writer, symbol->name) != symbol || !is_known_type(writer, &type)) {
        return;
    }
    put(writer, "struct %s {", symbol->name);
    for (component = symbol->components; component; component = component->next) {
        put(writer, component->array.rank ? "%s %s[%ld];" : "%s %s;",
            c_type(writer, &component->type), component->name,
            constant_elements(&component->array));
    }
    put(writer, "};");
}

static void add_refusal(struct writer *writer)
{
    struct f_refused *refused = c_allocate(writer->memory, sizeof *refused);
    const struct f_statement *one;

    for (one = writer->procedure->statements; one; one = one->next) {
        if (strstr(one->text, "CALL mpi_")) {
            *refused = (struct f_refused){writer->procedure->name, writer->refused,
                                          writer->refused_at, writer->refusals};
            writer->refusals = refused;
            return;
        }
    }
}

static void write_procedure(struct writer *writer)
{
    const struct f_statement *one;
    struct line *body, **end, *all;
    const char *name = writer->procedure->name;
    size_t i;
    unsigned first;

    writer->n_used = 0;
    writer->refused = NULL;
    f_lines_enter(writer->lines, name);
    first = writer->now = f_lines_find(writer->lines, name, "");
    end = writer->end;
    writer->end = &body;
    body = NULL;
    for (one = writer->procedure->statements; one && !writer->refused; one = one->next) {
        find_line(writer, one->text);
        statement(writer, one->text);
    }
    *writer->end = NULL;
    /* bounds also name variables */
    all = body;
    writer->end = &body;
    body = NULL;
    for (i = 0; i < writer->n_used; i++) {
        put_bounds(writer, writer->used[i]);
    }
    writer->end = end;
    if (writer->refused) {
        add_refusal(writer);
        return;
    }
    put(writer, "void %s%s(%s)", is_c_name(name) ? name : "program_", is_c_name(name) ? "" : name,
        parameters(writer));
    put(writer, "{");
    {
        struct line *bounds = body, *line;
        unsigned before = writer->now;

        writer->now = first;
        for (i = 0; i < writer->n_used; i++) { /* scalars, which bounds are made of */
            if (!writer->used[i]->array.rank) {
                put_variable(writer, writer->used[i]);
            }
        }
        for (line = bounds; line; line = line->next) {
            put(writer, "%s", line->text);
        }
        for (i = 0; i < writer->n_used; i++) {
            if (writer->used[i]->array.rank) {
                put_variable(writer, writer->used[i]);
            }
        }
        for (line = all; line; line = line->next) {
            writer->now = line->fortran;
            put(writer, "%s", line->text);
        }
        writer->now = before;
    }
    put(writer, "}");
}

static struct f_text collect(const struct line *line)
{
    struct f_text result = {NULL, NULL, 0, NULL};
    size_t size, room = 0;
    FILE *file = open_memstream(&result.text, &size);

    for (; file && line; line = line->next) {
        if (result.n_lines + 2 > room) {
            room = room ? 2 * room : 256;
            result.line = realloc(result.line, room * sizeof *result.line);
            if (!result.line) {
                break;
            }
        }
        result.line[++result.n_lines] = line->fortran;
        fprintf(file, "%s\n", line->text);
    }
    if (!file || (room && !result.line)) {
        c_out_of_memory();
    }
    fclose(file);
    return result;
}

struct f_text f_write_c(struct f_dump *dump, struct f_lines *lines)
{
    struct writer writer = {.dump = dump, .lines = lines, .memory = dump->memory};
    struct line *all = NULL;
    const struct f_procedure *procedure;
    struct f_text text;

    writer.end = &all;
    writer.now = 1;
    put(&writer, "#include <mpi.h>");
    put(&writer, "#include <math.h>");
    put(&writer, "#include <stdlib.h>");
    put(&writer, "#include <string.h>");
    find_requests(&writer);
    put_types(&writer, dump->symbols);
    for (procedure = dump->procedures; procedure; procedure = procedure->next) {
        if (procedure->statements && procedure->name[0] != '_') {
            writer.procedure = procedure;
            write_procedure(&writer);
        }
    }
    text = collect(all);
    text.refusals = writer.refusals;
    free(writer.used);
    return text;
}
