/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* tdestroy */
#include "mpi_code.h"

#include <inttypes.h>
#include <limits.h>
#include <search.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 100 };

/* A constructor that was written before: its number. */
typedef struct known {
    char *text;
    int index;
} known_t;

struct mpi_code {
    int failed;
    void *known; /* tsearch() tree of known_t */
    int ntypes;
    int nlists;
    FILE *statements; /* writes to text */
    char *text;
    size_t length;
};

static int compare_known(const void *a, const void *b)
{
    return strcmp(((const known_t *) a)->text, ((const known_t *) b)->text);
}

static void free_known(void *node)
{
    known_t *known = node;
    free(known->text);
    free(known);
}

mpi_code_t *mpi_code_new(void)
{
    mpi_code_t *code = calloc(1, sizeof(*code));
    if (code == NULL) {
        return NULL;
    }
    code->statements = open_memstream(&code->text, &code->length);
    if (code->statements == NULL) {
        free(code);
        return NULL;
    }
    return code;
}

void mpi_code_free(mpi_code_t *code)
{
    if (code != NULL) {
        fclose(code->statements);
        free(code->text);
        tdestroy(code->known, free_known);
        free(code);
    }
}

int mpi_code_failed(const mpi_code_t *code)
{
    return code->failed || ferror(code->statements) ? -1 : 0;
}

/*
 * The number of what `text` says; takes the text, which may be NULL after a failed allocation. New
 * text gets number *next, and *next grows.
 */
static int number_of(mpi_code_t *code, char *text, int *next, int *is_new)
{
    known_t *known = calloc(1, sizeof(*known));
    known_t **found = NULL;
    *is_new = 0;
    if (known != NULL && text != NULL) {
        known->text = text;
        known->index = *next;
        found = tsearch(known, &code->known, compare_known);
    }
    if (found == NULL) {
        free(known);
        free(text);
        code->failed = 1;
        return 0;
    }
    if (*found == known) {
        *is_new = 1;
        (*next)++;
    } else {
        free_known(known);
    }
    return (*found)->index;
}

/* Calls a constructor; the arguments end where the new datatype's address follows. */
__attribute__((format(printf, 2, 3))) static int call(mpi_code_t *code, const char *format, ...)
{
    char *text;
    int is_new;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) {
        text = NULL;
    }
    va_end(arguments);
    int index = number_of(code, text, &code->ntypes, &is_new);
    if (is_new) {
        fprintf(code->statements, "    %s, &t[%d]);\n", text, index);
    }
    return index;
}

typedef struct name {
    char text[32];
} name_t;

static name_t name_of(mpi_type_t type)
{
    name_t name;
    if (type.index < 0) {
        snprintf(name.text, sizeof(name.text), "%s", type.basic);
    } else {
        snprintf(name.text, sizeof(name.text), "t[%d]", type.index);
    }
    return name;
}

/* A number as C: the smallest one cannot be written as one literal. */
static name_t number(int64_t value)
{
    name_t name;
    if (value == INT64_MIN) {
        snprintf(name.text, sizeof(name.text), "(-%" PRId64 " - 1)", INT64_MAX);
    } else {
        snprintf(name.text, sizeof(name.text), "%" PRId64, value);
    }
    return name;
}

/* ---- lists ---- */

/* A list while it is written: its lines are no longer than COLUMNS. */
typedef struct writer {
    FILE *out;
    int column;
    int entries;
} writer_t;

static void add_entry(writer_t *writer, const char *entry)
{
    int length = (int) strlen(entry);
    if (writer->column == 0 || writer->column + length + 3 > COLUMNS) {
        writer->column = fprintf(writer->out, "%s\n        %s", writer->entries ? "," : "", entry) -
                         1 - (writer->entries > 0);
    } else {
        writer->column += fprintf(writer->out, ", %s", entry);
    }
    writer->entries++;
}

typedef void (*add_fn)(writer_t *writer, const void *list, int64_t i);

static void add_number(writer_t *writer, const void *list, int64_t i)
{
    add_entry(writer, number(((const int64_t *) list)[i]).text);
}

static void add_type(writer_t *writer, const void *list, int64_t i)
{
    add_entry(writer, name_of(((const mpi_type_t *) list)[i]).text);
}

/* The number of a list of `declared` type. */
static int write_list(mpi_code_t *code, const char *declared, const char *name, add_fn add,
                      const void *list, int64_t count)
{
    char *text = NULL;
    size_t length;
    writer_t writer = {.out = open_memstream(&text, &length)};
    if (writer.out == NULL) {
        code->failed = 1;
        return 0;
    }
    fputs(declared, writer.out);
    for (int64_t i = 0; i < count; i++) {
        add(&writer, list, i);
    }
    if (fclose(writer.out) != 0) {
        code->failed = 1;
    }
    int is_new;
    int index = number_of(code, text, &code->nlists, &is_new);
    if (is_new) {
        const char *entries = text + strlen(declared);
        int head = fprintf(code->statements, "    %s %s%d[] = {", declared, name, index);
        size_t start = strspn(entries, "\n ");
        if (strchr(entries + start, '\n') == NULL &&
            head + strlen(entries + start) + strlen("};") <= COLUMNS) {
            entries += start;
        }
        fprintf(code->statements, "%s};\n", entries);
    }
    return index;
}

/* ---- expressions ---- */

/* "MPI_Type_vector", but "MPI_Type_create_hvector": those of MPI-1 have no create_. */
static const char *prefix_of(constructor_t made_by)
{
    return made_by == MAKES_DUP || made_by == MAKES_CONTIGUOUS || made_by == MAKES_VECTOR ||
                   made_by == MAKES_INDEXED
               ? "MPI_Type_"
               : "MPI_Type_create_";
}

static void check_int(int64_t value, int64_t *too_large)
{
    if (value > INT_MAX || value < INT_MIN) {
        *too_large = value;
    }
}

static void check_ints(char letter, const int64_t *list, int64_t n, int64_t *too_large)
{
    for (int64_t i = 0; letter != 'A' && i < n; i++) {
        check_int(list[i], too_large);
    }
}

/* The types of a struct, in a list of the code; its number. */
static int write_members(mpi_code_t *code, const expression_t *e, int64_t *too_large)
{
    mpi_type_t *types = calloc((size_t) e->n + 1, sizeof(*types));
    int list = 0;
    if (types == NULL) {
        code->failed = 1;
        return 0;
    }
    for (int64_t i = 0; i < e->n; i++) {
        types[i] = mpi_code_expression(code, e->old[i], too_large);
    }
    list = write_list(code, "const MPI_Datatype", "types", add_type, types, e->n);
    free(types);
    return list;
}

/* Writes the arguments except the new datatype. */
static void write_arguments(mpi_code_t *code, const expression_t *e, FILE *out, int64_t *too_large)
{
    int numbers = 0, lists = 0;
    for (const char *letter = constructor_arguments(e->made_by); *letter != '\0'; letter++) {
        fputs(letter == constructor_arguments(e->made_by) ? "" : ", ", out);
        if (*letter == 'n') {
            check_int(e->n, too_large);
            fprintf(out, "%" PRId64, e->n);
        } else if (*letter == 'i' || *letter == 'a') {
            const int64_t value = e->number[numbers++];
            check_ints(*letter == 'a' ? 'A' : 'I', &value, 1, too_large);
            fputs(number(value).text, out);
        } else if (*letter == 'o') {
            fputs(e->fortran ? "MPI_ORDER_FORTRAN" : "MPI_ORDER_C", out);
        } else if (*letter == 't') {
            fputs(name_of(mpi_code_expression(code, e->old[0], too_large)).text, out);
        } else if (*letter == 'T') {
            fprintf(out, "types%d", write_members(code, e, too_large));
        } else {
            check_ints(*letter, e->list[lists], e->n, too_large);
            const int64_t *list = e->list[lists++];
            fprintf(out, *letter == 'A' ? "disps%d" : "ints%d",
                    *letter == 'A'
                        ? write_list(code, "static const MPI_Aint", "disps", add_number, list, e->n)
                        : write_list(code, "static const int", "ints", add_number, list, e->n));
        }
    }
}

mpi_type_t mpi_code_expression(mpi_code_t *code, const expression_t *e, int64_t *too_large)
{
    char *arguments = NULL;
    size_t length;
    if (e->made_by == MAKES_BASIC) {
        return (mpi_type_t){.index = -1, .basic = e->basic->mpi};
    }
    mpi_type_t made = {.index = 0};
    FILE *out = open_memstream(&arguments, &length);
    if (out != NULL) {
        write_arguments(code, e, out, too_large);
    }
    if (out == NULL || fclose(out) != 0) {
        code->failed = 1;
    } else {
        made.index =
            call(code, "%s%s(%s", prefix_of(e->made_by), constructor_name(e->made_by), arguments);
    }
    free(arguments);
    return made;
}

void mpi_code_print(mpi_code_t *code, mpi_type_t type, FILE *out)
{
    if (type.index < 0) { /* a basic datatype cannot be committed or freed by its user */
        type.index = call(code, "MPI_Type_contiguous(1, %s", name_of(type).text);
    }
    code->failed |= fflush(code->statements) != 0;
    fprintf(out, "    MPI_Datatype t[%d];\n\n", code->ntypes);
    fwrite(code->text, 1, code->length, out);
    fprintf(out, "    MPI_Type_commit(&t[%d]);\n", type.index);
    if (type.index == 1) {
        fprintf(out, "    MPI_Type_free(&t[0]);\n");
    } else if (type.index > 1) { /* all others were made for it, and before it */
        fprintf(out, "    for (int i = 0; i < %d; i++) {\n        MPI_Type_free(&t[i]);\n    }\n",
                type.index);
    }
    fprintf(out, "    return t[%d];\n", type.index);
}
