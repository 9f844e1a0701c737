/* SPDX-License-Identifier: BSD-3-Clause */
/* doc/language.md: its programs, its table of primitives and its answers are those of DAME. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memmem */
#endif

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suites.h"
#include "tools.h"

enum { LONGEST = 1 << 20, PROGRAMS = 5 };

/* The whole page; the caller frees. */
static char *page(void)
{
    FILE *file = fopen(LANGUAGE_PAGE, "r");
    ck_assert_msg(file != NULL, "cannot open %s", LANGUAGE_PAGE);
    char *text = malloc(LONGEST);
    ck_assert_ptr_nonnull(text);
    size_t n = fread(text, 1, LONGEST - 1, file);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_uint_lt(n, LONGEST - 1);
    text[n] = '\0';
    return text;
}

/* Where the next program starts, and its length; NULL behind the last. */
static const char *next_program(const char *at, size_t *length)
{
    static const char open[] = "\n```dame\n";
    at = strstr(at, open);
    if (!at) {
        return NULL;
    }
    at += strlen(open);
    const char *end = strstr(at, "\n```\n");
    ck_assert_ptr_nonnull(end);
    *length = (size_t) (end - at) + 1;
    return at;
}

/* The program with `what` in its text; the caller frees. */
static dame_program_t *page_program(const char *text, const char *what)
{
    size_t length = 0;
    const char *at = next_program(text, &length);
    while (at && !memmem(at, length, what, strlen(what))) {
        at = next_program(at, &length);
    }
    ck_assert_msg(at != NULL, "no program with %s", what);
    dame_program_t *program = NULL;
    ck_assert_int_eq(dame_program_parse(at, length, &program, NULL), DAME_OK);
    return program;
}

TEST(every_program_of_the_page_is_one)
{
    char *text = page();
    int n = 0;
    size_t length = 0;
    for (const char *at = next_program(text, &length); at; at = next_program(at, &length)) {
        char *program = strndup(at, length);
        dame_program_free(program_of_text(program));
        free(program);
        n++;
    }
    ck_assert_int_ge(n, PROGRAMS);
    free(text);
}

TEST(every_primitive_is_on_the_page)
{
    char *text = page();
    for (int op = 0; op < DAME_OP_COUNT; op++) {
        char cell[40];
        snprintf(cell, sizeof cell, "\n| `%s` |", dame_op_name((dame_op_t) op));
        ck_assert_msg(strstr(text, cell) != NULL, "%s is not in the table of primitives",
                      dame_op_name((dame_op_t) op));
    }
    free(text);
}

/* Rows "| `text` | line:column: message |" of the table of errors. */
TEST(every_answer_of_the_page_is_given)
{
    char *text = page();
    int n = 0;
    for (char *row = strstr(text, "\n| `EXIT "); row; row = strstr(row + 1, "\n| `EXIT ")) {
        char *wrong = row + 4;
        char *wrong_end = strstr(wrong, "` | ");
        ck_assert_ptr_nonnull(wrong_end);
        char *answer = wrong_end + 4;
        char *answer_end = strstr(answer, " |\n");
        ck_assert_ptr_nonnull(answer_end);
        dame_program_t *program = NULL;
        dame_text_error_t error;
        ck_assert_int_ne(dame_program_parse(wrong, (size_t) (wrong_end - wrong), &program, &error),
                         DAME_OK);
        char given[300];
        snprintf(given, sizeof given, "%" PRId64 ":%" PRId64 ": %s", error.line, error.column,
                 error.message);
        ck_assert_msg(strlen(given) == (size_t) (answer_end - answer) &&
                          memcmp(given, answer, strlen(given)) == 0,
                      "the answer is %s", given);
        n++;
    }
    ck_assert_int_ge(n, 5);
    free(text);
}

TEST(the_transpose_packs_what_the_page_says)
{
    static const int32_t mat[4][3] = {{0, 1, 2}, {100, 101, 102}, {200, 201, 202}, {300, 301, 302}};
    static const int32_t wanted[12] = {0, 100, 200, 300, 1, 101, 201, 301, 2, 102, 202, 302};
    char *text = page();
    static const char *const spellings[] = {" BLOCKINDEX1(", " BLOCKINDEXED1("};
    for (int i = 0; i < 2; i++) {
        int32_t packed[12] = {0};
        dame_program_t *program = page_program(text, spellings[i]);
        ck_assert_int_eq(program->size, sizeof packed);
        ck_assert_int_eq(program->extent, sizeof mat);
        dame_program_run(program, DAME_PACK, (uintptr_t) mat, 1, (char *) packed);
        ck_assert_mem_eq(packed, wanted, sizeof wanted);
        dame_program_free(program);
    }
    free(text);
}

TEST(the_struct_packs_what_the_page_says)
{
    struct sample {
        int16_t left[2][4];
        double value;
        int32_t pair[3][2];
    };
    static const struct sample samples[2] = {
        {{{0, 1, 2, 3}, {10, 11, 12, 13}}, 2.5, {{100, 101}, {200, 201}, {300, 301}}},
        {{{-1, 0, -2, 0}, {-3, 0, -4, 0}}, -5, {{0, -6}, {0, -7}, {0, -8}}},
    };
    static const int16_t lefts[2][4] = {{0, 2, 10, 12}, {-1, -2, -3, -4}};
    static const int32_t pairs[2][3] = {{101, 201, 301}, {-6, -7, -8}};
    char *text = page();
    dame_program_t *program = page_program(text, "left, a block");
    ck_assert_int_eq(program->size, 28);
    ck_assert_int_eq(program->extent, sizeof(struct sample));
    ck_assert_int_eq(program->granule, 8);
    ck_assert_int_eq(program->nprims, 15);
    char packed[2][28];
    dame_program_run(program, DAME_PACK, (uintptr_t) samples, 2, packed[0]);
    for (int i = 0; i < 2; i++) {
        ck_assert_mem_eq(packed[i], lefts[i], 8);
        ck_assert_mem_eq(packed[i] + 8, &samples[i].value, 8);
        ck_assert_mem_eq(packed[i] + 16, pairs[i], 12);
    }
    dame_program_free(program);
    free(text);
}

SUITE_OF(language_page, 1, NULL, NULL)
