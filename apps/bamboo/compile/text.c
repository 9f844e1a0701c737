/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory, strings and C's tokens. */
#include "compile.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static c_memory_t *memory(void)
{
    static c_memory_t *all;

    return all = all ? all : c_memory_new();
}

void *tr_alloc(size_t bytes)
{
    return c_allocate(memory(), bytes);
}

char *tr_whole_file(const char *path, size_t *size, const char **why)
{
    return c_read_file(memory(), path, size, why);
}

void *tr_grow(void *array, size_t n, size_t bytes)
{
    void *result;

    if (n != 0 && (n < 8 || (n & (n - 1)) != 0)) {
        return array;
    }
    result = tr_alloc((n < 8 ? 8 : 2 * n) * bytes);
    if (n > 0) {
        memcpy(result, array, n * bytes);
    }
    return result;
}

char *tr_copy_text(const char *begin, size_t length)
{
    return memcpy(tr_alloc(length + 1), begin, length);
}

const char *tr_spelling(CXString string)
{
    return ask_text(memory(), string);
}

char *tr_format(const char *pattern, ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, pattern);
    text = c_format_list(memory(), pattern, arguments);
    va_end(arguments);
    return text;
}

void tr_add_bytes(text_t *text, const char *bytes, size_t n)
{
    if (text->n + n + 1 > text->room) {
        size_t room = 2 * (text->n + n + 64);
        char *at = tr_alloc(room);

        if (text->n > 0) {
            memcpy(at, text->at, text->n);
        }
        text->at = at;
        text->room = room;
    }
    memcpy(text->at + text->n, bytes, n);
    text->n += n;
    text->at[text->n] = '\0';
}

void tr_add(text_t *text, const char *pattern, ...)
{
    va_list arguments;
    char *piece;

    va_start(arguments, pattern);
    piece = c_format_list(memory(), pattern, arguments);
    va_end(arguments);
    tr_add_bytes(text, piece, strlen(piece));
}

size_t tr_count_lines(const char *begin, size_t n)
{
    size_t i, lines = 0;

    for (i = 0; i < n; i++) {
        lines += begin[i] == '\n';
    }
    return lines;
}

/* ---- tokens ---- */

static bool is_name(char c)
{
    return isalnum((unsigned char) c) || c == '_' || c == '$';
}

/* Behind a comment or a spliced line that begins at AT, or AT. */
static size_t skip_comment(const char *text, size_t at, size_t end)
{
    if (at + 1 < end && text[at] == '/' && text[at + 1] == '*') {
        for (at += 2; at + 1 < end && !(text[at] == '*' && text[at + 1] == '/'); at++) {
        }
        return at + 2 < end ? at + 2 : end;
    }
    if (at + 1 < end && text[at] == '/' && text[at + 1] == '/') {
        while (at < end && text[at] != '\n') {
            at += text[at] == '\\' && at + 1 < end ? 2 : 1;
        }
        return at < end ? at : end;
    }
    if (at + 1 < end && text[at] == '\\' && text[at + 1] == '\n') {
        return at + 2;
    }
    return at;
}

static size_t string_end(const char *text, size_t at, size_t end)
{
    char quote = text[at++];

    while (at < end && text[at] != quote && text[at] != '\n') {
        at += text[at] == '\\' ? 2 : 1;
    }
    return at < end ? at + 1 : end;
}

static size_t read_token(const char *text, size_t at, size_t end, token_kind_t *kind)
{
    if (text[at] == '"' || text[at] == '\'') {
        *kind = TOKEN_STRING;
        return string_end(text, at, end);
    }
    if (isdigit((unsigned char) text[at]) ||
        (text[at] == '.' && at + 1 < end && isdigit((unsigned char) text[at + 1]))) {
        *kind = TOKEN_NUMBER;
        while (at < end &&
               (is_name(text[at]) || text[at] == '.' ||
                ((text[at] == '+' || text[at] == '-') && strchr("eEpP", text[at - 1])))) {
            at++;
        }
        return at;
    }
    if (is_name(text[at])) {
        *kind = TOKEN_NAME;
        while (at < end && is_name(text[at])) {
            at++;
        }
        if (at < end && (text[at] == '"' || text[at] == '\'')) { /* L"", u8"" */
            *kind = TOKEN_STRING;
            return string_end(text, at, end);
        }
        return at;
    }
    *kind = TOKEN_OTHER;
    return text[at] == '-' && at + 1 < end && text[at + 1] == '>' ? at + 2 : at + 1;
}

tokens_t tr_tokens_of(const char *text, size_t begin, size_t end)
{
    tokens_t tokens = {0};
    bool directive = false, fresh = true; /* a line */
    size_t at = begin;

    while (at < end) {
        size_t next = skip_comment(text, at, end);

        if (next > at) {
            at = next;
        } else if (text[at] == '\n') {
            directive = false;
            fresh = true;
            at++;
        } else if (isspace((unsigned char) text[at])) {
            at++;
        } else {
            token_t token = {.begin = at};

            directive = directive || (fresh && text[at] == '#');
            fresh = false;
            token.directive = directive;
            token.end = at = read_token(text, at, end, &token.kind);
            tokens.token = tr_grow(tokens.token, tokens.n, sizeof token);
            tokens.token[tokens.n++] = token;
        }
    }
    return tokens;
}

bool tr_token_is(const char *text, const token_t *token, const char *word)
{
    return strlen(word) == token->end - token->begin &&
           memcmp(text + token->begin, word, strlen(word)) == 0;
}

size_t tr_skip_blank(const file_t *file, size_t at)
{
    for (;;) {
        size_t next = skip_comment(file->text, at, file->size);

        if (next == at && at < file->size && isspace((unsigned char) file->text[at])) {
            next = at + 1;
        }
        if (next == at) {
            return at;
        }
        at = next;
    }
}
