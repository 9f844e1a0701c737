/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Program text to tokens. Private to lang/.
 *
 * White space separates, and `#` starts a comment that ends with its line.
 */
#ifndef DAME_LEX_H
#define DAME_LEX_H

#include <stddef.h>
#include <stdint.h>

typedef enum dame_token_kind {
    DAME_TOKEN_END,
    DAME_TOKEN_NAME,
    DAME_TOKEN_NUMBER,
    DAME_TOKEN_MARK, /* one of ( ) [ ] , */
    DAME_TOKEN_OTHER /* nothing of the language */
} dame_token_kind_t;

typedef struct dame_token {
    dame_token_kind_t kind;
    int overflow;     /* NUMBER: does not fit in 64 bits */
    const char *text; /* in the text that is read */
    size_t length;
    int64_t value; /* NUMBER */
    int64_t line;  /* both count from 1; columns are bytes */
    int64_t column;
} dame_token_t;

typedef struct dame_lexer {
    const char *at;
    const char *end;
    const char *line_start;
    int64_t line;
} dame_lexer_t;

void dame_lexer_init(dame_lexer_t *lexer, const char *text, size_t length);

/* The next token; END for ever at the end. */
dame_token_t dame_lexer_next(dame_lexer_t *lexer);

#endif
