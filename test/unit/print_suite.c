/* Programs as text. (What the text of a type is, program_suite.c says.) */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dame/isa.h"
#include "suites.h"
#include "tools.h"

/* A type whose plain program has levels of all kinds. */
static const dame_type_t *everything(void)
{
    const dame_type_t *gap = vector(2, 1, 8, basic(4));
    const dame_type_t *members[] = {
        blockindex(3, 2, (int64_t[]){0, -100, 500}, gap),
        index_type(2, (int64_t[]){1, 4}, (int64_t[]){0, 400}, gap),
        contig(3, gap),
        basic(16),
    };
    return struct_type(4, (int64_t[]){1, 2, 1, 1}, (int64_t[]){0, 1000, 3000, 5000}, members);
}

START_TEST(printing_twice_gives_one_text)
{
    dame_program_t *program = plain_of(everything());
    char *first = text_of(program);
    char *second = text_of(program);
    ck_assert_str_eq(first, second);
    free(first);
    free(second);
    dame_program_free(program);
}
END_TEST

START_TEST(one_type_gives_one_text_whatever_the_instruction_set)
{
    char *first = NULL;
    for (const char *const *name = dame_isa_names(); *name; name++) {
        ck_assert_int_eq(dame_isa_force(*name), DAME_OK);
        dame_program_t *program = plain_of(everything());
        char *text = text_of(program);
        if (!first) {
            first = text;
        } else {
            ck_assert_str_eq(text, first);
            free(text);
        }
        dame_program_free(program);
    }
    free(first);
}
END_TEST

START_TEST(every_line_is_indented_by_its_nesting_and_ends)
{
    dame_program_t *program = plain_of(everything());
    char *text = text_of(program);
    ck_assert_int_eq(strncmp(text, "EXIT\n", 5), 0);
    size_t n = strlen(text);
    ck_assert_uint_gt(n, 8);
    ck_assert_str_eq(text + n - 8, "\nBOTTOM\n");
    int depth = 0; /* a level deepens by one line, except a STRUCT's, which its BOTTOMs close */
    for (char *line = text; *line; line = strchr(line, '\n') + 1) {
        int spaces = (int) strspn(line, " ");
        ck_assert_int_eq(spaces % 2, 0);
        ck_assert_int_le(spaces / 2, depth + 1);
        depth = spaces / 2;
        ck_assert_ptr_nonnull(strchr(line, '\n'));
        ck_assert_int_ne(strchr(line, '\n')[-1], ' ');
    }
    free(text);
    dame_program_free(program);
}
END_TEST

START_TEST(numbers_of_64_bits_are_printed_in_full)
{
    const int64_t far = -9000000000000000000;
    dame_program_t *program =
        plain_of(blockindex(2, 1, (int64_t[]){far, -8999999999999999000}, basic(8)));
    char *text = text_of(program);
    ck_assert_str_eq(text,
                     "EXIT\n"
                     "  BLOCKINDEXFINAL(2, 1, [-9000000000000000000, -8999999999999999000], 8, 8)\n"
                     "    CONTIGFINAL(8)\n"
                     "BOTTOM\n");
    free(text);
    dame_program_free(program);
}
END_TEST

START_TEST(operations_have_the_names_of_the_paper)
{
    static const char *const names[] = {
        "EXIT",   "BOTTOM",      "RETURNTO",        "CONTIGCHILD", "CONTIG",
        "VECTOR", "VECTOR1",     "BLOCKINDEX",      "BLOCKINDEX1", "INDEX",
        "STRUCT", "VECTORFINAL", "BLOCKINDEXFINAL", "INDEXFINAL",  "CONTIGFINAL"};
    ck_assert_int_eq(DAME_OP_COUNT, sizeof names / sizeof names[0]);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bool found = false;
        for (int op = 0; op < DAME_OP_COUNT; op++) {
            found |= strcmp(dame_op_name((dame_op_t) op), names[i]) == 0;
        }
        ck_assert_msg(found, "no operation is called %s", names[i]);
    }
}
END_TEST

START_TEST(a_failing_file_is_reported)
{
    FILE *full = fopen("/dev/full", "w");
    if (!full) {
        return; /* not on this system */
    }
    setvbuf(full, NULL, _IONBF, 0);
    dame_program_t *program = plain_of(everything());
    ck_assert_int_eq(dame_program_print(program, full), -1);
    fclose(full);
    dame_program_free(program);
}
END_TEST

Suite *print_suite(void)
{
    Suite *suite = suite_create("print");
    TCase *tcase = tree_case("print");
    tcase_add_test(tcase, printing_twice_gives_one_text);
    tcase_add_test(tcase, one_type_gives_one_text_whatever_the_instruction_set);
    tcase_add_test(tcase, every_line_is_indented_by_its_nesting_and_ends);
    tcase_add_test(tcase, numbers_of_64_bits_are_printed_in_full);
    tcase_add_test(tcase, operations_have_the_names_of_the_paper);
    tcase_add_test(tcase, a_failing_file_is_reported);
    suite_add_tcase(suite, tcase);
    return suite;
}
