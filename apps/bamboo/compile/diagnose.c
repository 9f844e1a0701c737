/* SPDX-License-Identifier: BSD-3-Clause */
/* Diagnostics: collected, then printed in the order of files and positions. */
#include "compile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct diagnostic {
    const char *file;
    unsigned line, column;
    int number; /* of the refusal; 0: the parser's, -1: a note */
    const char *text;
    size_t order;
} diagnostic_t;

static diagnostic_t *diagnostics;
static size_t n_diagnostics;

const char *tr_meaning(refusal_t refusal)
{
    switch (refusal) {
#define REFUSAL(number, name, text)                                                                \
    case REFUSE_##name:                                                                            \
        return text;
#include "refusals.def"
    }
    return "";
}

void tr_print_refusals(void)
{
#define REFUSAL(number, name, text) printf("  B%-3d %s\n", number, text);
#include "refusals.def"
}

/* `#line 12 "name"`: tokens[0] is the #. */
static bool line_directive(const file_t *file, const token_t *token, size_t left, unsigned *line,
                           const char **name)
{
    if (left < 3 || !tr_token_is(file->text, &token[0], "#") ||
        !tr_token_is(file->text, &token[1], "line")) {
        return false;
    }
    *line = (unsigned) strtoul(file->text + token[2].begin, NULL, 10);
    if (left > 3 && token[3].directive && token[3].kind == TOKEN_STRING) {
        *name = tr_copy_text(file->text + token[3].begin + 1, token[3].end - token[3].begin - 2);
    }
    return true;
}

void tr_presumed(const file_t *file, size_t at, const char **name, unsigned *line, unsigned *column)
{
    size_t i, begin = at, from = 0;
    unsigned first = 1;

    *name = file->path;
    for (i = 0; i < file->tokens.n && file->tokens.token[i].begin < at; i++) {
        if (file->tokens.token[i].directive &&
            line_directive(file, &file->tokens.token[i], file->tokens.n - i, &first, name)) {
            const char *end = memchr(file->text + file->tokens.token[i].begin, '\n',
                                     file->size - file->tokens.token[i].begin);

            from = end ? (size_t) (end - file->text) + 1 : file->size;
        }
    }
    *line = first + (from < at ? (unsigned) tr_count_lines(file->text + from, at - from) : 0);
    while (begin > 0 && file->text[begin - 1] != '\n') {
        begin--;
    }
    *column = (unsigned) (at - begin) + 1;
}

static void keep(diagnostic_t diagnostic)
{
    size_t i;

    for (i = 0; i < n_diagnostics; i++) {
        if (diagnostics[i].line == diagnostic.line && diagnostics[i].column == diagnostic.column &&
            strcmp(diagnostics[i].file, diagnostic.file) == 0 &&
            strcmp(diagnostics[i].text, diagnostic.text) == 0) {
            return;
        }
    }
    diagnostics = tr_grow(diagnostics, n_diagnostics, sizeof *diagnostics);
    diagnostic.order = n_diagnostics;
    diagnostics[n_diagnostics++] = diagnostic;
}

static const char *format_these(const char *pattern, va_list arguments)
{
    char buffer[2000];

    vsnprintf(buffer, sizeof buffer, pattern, arguments);
    return tr_format("%s", buffer);
}

static void refuse_text(file_t *file, size_t at, refusal_t refusal, const char *detail)
{
    diagnostic_t diagnostic = {.number = (int) refusal};

    tr_presumed(file, at, &diagnostic.file, &diagnostic.line, &diagnostic.column);
    diagnostic.text =
        *detail ? tr_format("%s: %s", detail, tr_meaning(refusal)) : tr_meaning(refusal);
    keep(diagnostic);
}

void tr_refuse(file_t *file, size_t at, refusal_t refusal, const char *pattern, ...)
{
    va_list arguments;

    va_start(arguments, pattern);
    refuse_text(file, at, refusal, format_these(pattern, arguments));
    va_end(arguments);
}

void tr_refuse_node(file_t *file, const node_t *node, refusal_t refusal, const char *pattern, ...)
{
    diagnostic_t diagnostic = {.number = (int) refusal};
    const char *detail;
    va_list arguments;
    CXFile other;

    va_start(arguments, pattern);
    detail = format_these(pattern, arguments);
    va_end(arguments);
    if (node->here) {
        refuse_text(file, node->begin, refusal, detail);
        return;
    }
    clang_getFileLocation(clang_getCursorLocation(node->cursor), &other, &diagnostic.line,
                          &diagnostic.column, NULL);
    diagnostic.file = other ? tr_spelling(clang_getFileName(other)) : file->path;
    diagnostic.text = tr_format("%s: %s", detail, tr_meaning(refusal));
    keep(diagnostic);
}

void tr_note(file_t *file, size_t at, const char *pattern, ...)
{
    diagnostic_t diagnostic = {.number = -1};
    va_list arguments;

    va_start(arguments, pattern);
    diagnostic.text = format_these(pattern, arguments);
    va_end(arguments);
    tr_presumed(file, at, &diagnostic.file, &diagnostic.line, &diagnostic.column);
    keep(diagnostic);
}

void tr_report_parser(const char *file, unsigned line, unsigned column, const char *text)
{
    keep((diagnostic_t){.file = file, .line = line, .column = column, .text = text});
}

size_t tr_errors(void)
{
    size_t i, n = 0;

    for (i = 0; i < n_diagnostics; i++) {
        n += diagnostics[i].number >= 0;
    }
    return n;
}

static int compare_diagnostics(const void *left, const void *right)
{
    const diagnostic_t *a = left, *b = right;
    int files = strcmp(a->file, b->file);

    if (files != 0) {
        return files;
    }
    if (a->line != b->line) {
        return a->line < b->line ? -1 : 1;
    }
    if (a->column != b->column) {
        return a->column < b->column ? -1 : 1;
    }
    return a->order < b->order ? -1 : 1;
}

size_t tr_report(void)
{
    size_t i, found = tr_errors();

    if (n_diagnostics > 0) {
        qsort(diagnostics, n_diagnostics, sizeof *diagnostics, compare_diagnostics);
    }
    for (i = 0; i < n_diagnostics; i++) {
        const diagnostic_t *one = &diagnostics[i];

        fprintf(stderr, "%s:%u:%u: %s: %s", one->file, one->line, one->column,
                one->number < 0 ? "note" : "error", one->text);
        if (one->number > 0) {
            fprintf(stderr, " [B%d]", one->number);
        }
        fputc('\n', stderr);
    }
    n_diagnostics = 0;
    return found;
}
