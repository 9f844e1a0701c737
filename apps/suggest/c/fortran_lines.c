/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements of a Fortran source, free or fixed form, for their line numbers. */
#include "fortran.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct statement {
    char *text; /* small letters, no blanks, no comments, no strings */
    unsigned line;
};

struct f_lines {
    struct statement *statements;
    size_t n, next;
    unsigned last; /* line found */
};

static bool is_fixed_form(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot && (strcasecmp(dot, ".f") == 0 || strcasecmp(dot, ".for") == 0 ||
                   strcasecmp(dot, ".f77") == 0 || strcasecmp(dot, ".ftn") == 0);
}

static void *grow(void *memory, size_t bytes)
{
    memory = realloc(memory, bytes);
    if (!memory) {
        c_out_of_memory();
    }
    return memory;
}

static struct statement *add(struct f_lines *lines, unsigned line)
{
    lines->statements = grow(lines->statements, (lines->n + 1) * sizeof *lines->statements);
    lines->statements[lines->n] = (struct statement){grow(NULL, 1), line};
    lines->statements[lines->n].text[0] = '\0';
    return &lines->statements[lines->n++];
}

/* Appends what counts of a line. Returns whether it ends in & */
static bool append(struct f_lines *lines, const char *line, unsigned number, bool continues)
{
    struct statement *statement = continues ? &lines->statements[lines->n - 1] : NULL;
    char quote = '\0';
    size_t used = statement ? strlen(statement->text) : 0;
    bool goes_on = false;

    for (; *line && *line != '\n'; line++) {
        if (quote) {
            quote = (char) (*line == quote ? '\0' : quote);
            continue;
        }
        if (*line == '!') {
            break;
        }
        if (*line == ';') {
            statement = NULL;
            continue;
        }
        if (isspace((unsigned char) *line)) {
            continue;
        }
        goes_on = *line == '&';
        if (goes_on) {
            continue;
        }
        if (*line == '\'' || *line == '"') {
            quote = *line;
            continue;
        }
        if (!statement) {
            statement = add(lines, number);
            used = 0;
        }
        statement->text = grow(statement->text, used + 2);
        statement->text[used++] = (char) tolower((unsigned char) *line);
        statement->text[used] = '\0';
    }
    return goes_on;
}

struct f_lines *f_lines_read(const char *path)
{
    FILE *file = fopen(path, "r");
    struct f_lines *lines = calloc(1, sizeof *lines);
    char *line = NULL;
    size_t room = 0;
    unsigned number = 0;
    bool fixed = is_fixed_form(path), continues = false;

    if (!lines) {
        c_out_of_memory();
    }
    while (file && getline(&line, &room, file) >= 0) {
        number++;
        if (line[0] == '#' || (fixed && strchr("cC*", line[0]))) {
            continue;
        }
        if (fixed) {
            continues = lines->n > 0 && strlen(line) > 6 && line[0] != '\t' && line[5] != ' ' &&
                        line[5] != '0' && strcspn(line, "!\n") > 5;
            append(lines, continues ? line + 6 : line, number, continues);
        } else if (line[strspn(line, " \t\n")] != '\0' && line[strspn(line, " \t")] != '!') {
            continues = append(lines, line, number, continues && lines->n > 0);
        }
    }
    free(line);
    if (file) {
        fclose(file);
    }
    return lines;
}

void f_lines_free(struct f_lines *lines)
{
    size_t i;

    for (i = 0; i < lines->n; i++) {
        free(lines->statements[i].text);
    }
    free(lines->statements);
    free(lines);
}

static bool begins_procedure(const char *text, const char *name)
{
    static const char *const words[] = {"subroutine", "function", "program"};
    size_t i, length = strlen(name);

    for (i = 0; strncmp(text, "end", 3) != 0 && i < sizeof words / sizeof *words; i++) {
        const char *at = strstr(text, words[i]);

        if (at && strncmp(at + strlen(words[i]), name, length) == 0 &&
            strchr("(", at[strlen(words[i]) + length])) { /* or its end */
            return true;
        }
    }
    return false;
}

void f_lines_enter(struct f_lines *lines, const char *procedure)
{
    size_t i;

    for (i = 0; i < lines->n; i++) {
        if (begins_procedure(lines->statements[i].text, procedure)) {
            lines->next = i;
            lines->last = lines->statements[i].line;
            return;
        }
    }
    lines->next = 0; /* a program without its statement */
    lines->last = 1;
}

unsigned f_lines_find(struct f_lines *lines, const char *first, const char *second)
{
    size_t i;

    for (i = lines->next; i < lines->n; i++) {
        const char *text = lines->statements[i].text, *at = strstr(text, first);

        if (at && strstr(at + strlen(first), second)) {
            /* a single-line IF has two statements */
            lines->next = strncmp(text, "if(", 3) == 0 ? i : i + 1;
            lines->last = lines->statements[i].line;
            break;
        }
    }
    return lines->last;
}
