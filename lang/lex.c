/* SPDX-License-Identifier: BSD-3-Clause */
#include "lex.h"

#include <string.h>

void dame_lexer_init(dame_lexer_t *lexer, const char *text, size_t length)
{
    *lexer = (dame_lexer_t){.at = text, .end = text + length, .line_start = text, .line = 1};
}

/* The C library's classes depend on the locale. */
static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int is_word(char c)
{
    return is_digit(c) || c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static void skip_space(dame_lexer_t *lexer)
{
    for (; lexer->at < lexer->end; lexer->at++) {
        switch (*lexer->at) {
        case '#':
            while (lexer->at + 1 < lexer->end && lexer->at[1] != '\n') {
                lexer->at++;
            }
            break;
        case '\n':
            lexer->line++;
            lexer->line_start = lexer->at + 1;
            break;
        case ' ':
        case '\t':
        case '\r':
        case '\v':
        case '\f':
            break;
        default:
            return;
        }
    }
}

/* The word is digits, perhaps behind a minus sign; otherwise it is nothing of the language. */
static void read_number(dame_token_t *token)
{
    size_t digits = token->text[0] == '-';
    if (digits == token->length) {
        return;
    }
    for (size_t i = digits; i < token->length; i++) {
        if (!is_digit(token->text[i])) {
            return;
        }
    }
    token->kind = DAME_TOKEN_NUMBER;
    for (size_t i = digits; i < token->length; i++) { /* downwards: there is one more number */
        token->overflow |= __builtin_mul_overflow(token->value, 10, &token->value);
        token->overflow |=
            __builtin_sub_overflow(token->value, token->text[i] - '0', &token->value);
    }
    if (digits == 0) {
        token->overflow |= __builtin_sub_overflow(0, token->value, &token->value);
    }
}

dame_token_t dame_lexer_next(dame_lexer_t *lexer)
{
    skip_space(lexer);
    dame_token_t token = {.kind = DAME_TOKEN_END,
                          .text = lexer->at,
                          .line = lexer->line,
                          .column = lexer->at - lexer->line_start + 1};
    if (lexer->at == lexer->end) {
        return token;
    }
    char first = *lexer->at++;
    /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): a NUL is not a mark */
    token.kind = memchr("()[],", first, 5) != NULL ? DAME_TOKEN_MARK : DAME_TOKEN_OTHER;
    if (is_word(first) || first == '-') {
        while (lexer->at < lexer->end && is_word(*lexer->at)) {
            lexer->at++;
        }
    }
    token.length = (size_t) (lexer->at - token.text);
    if (is_digit(first) || first == '-') {
        read_number(&token);
    } else if (is_word(first)) {
        token.kind = DAME_TOKEN_NAME;
    }
    return token;
}
