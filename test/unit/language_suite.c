/* SPDX-License-Identifier: BSD-3-Clause */
/* Text to program and back: reading, printing and refusals. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suites.h"
#include "tools.h"

/* Reads from memory of exactly the text's length. */
static dame_status_t parse(const char *text, size_t length, dame_program_t **program,
                           dame_text_error_t *error)
{
    char *exact = malloc(length + !length);
    ck_assert_ptr_nonnull(exact);
    memcpy(exact, text, length);
    dame_status_t status = dame_program_parse(exact, length, program, error);
    free(exact);
    return status;
}

static void expect_printed(const char *text, const char *wanted)
{
    dame_program_t *program = program_of_text(text);
    char *printed = text_of(program);
    ck_assert_str_eq(printed, wanted);
    free(printed);
    dame_program_free(program);
}

static const char transpose[] = "EXIT\n"
                                "  BLOCKINDEX1(3, 1, [0, 4, 8], 16, 40)\n"
                                "    VECTORFINAL(4, 1, 12, 4, 4)\n"
                                "      CONTIGFINAL(4)\n"
                                "BOTTOM\n";

/* Every kind of primitive. */
static const char everything[] = "EXIT\n"
                                 "  STRUCT(6, [1, 2, 1, 3, 1, 1], [0, 1000, 2000, 3000, 4000, "
                                 "-5000], [16, 24, 32, 40, 36, 16], [28, 40, 50, 100, 200, 0])\n"
                                 "    RETURNTO(1)\n"
                                 "      CONTIG(2, 8, 16)\n"
                                 "        VECTORFINAL(2, 1, 8, 4, 4)\n"
                                 "          CONTIGFINAL(4)\n"
                                 "    BOTTOM\n"
                                 "    RETURNTO(1)\n"
                                 "      VECTOR(3, 2, -16, 4, 8)\n"
                                 "        CONTIGFINAL(4)\n"
                                 "    BOTTOM\n"
                                 "    RETURNTO(1)\n"
                                 "      VECTOR1(4, 1, 0, 8, 8)\n"
                                 "        CONTIGFINAL(8)\n"
                                 "    BOTTOM\n"
                                 "    RETURNTO(1)\n"
                                 "      BLOCKINDEX(1, 2, [4], 20, 30)\n"
                                 "        BLOCKINDEXFINAL(5, 1, [0, 4, 24, 16, 8], 4, 4)\n"
                                 "          CONTIGFINAL(4)\n"
                                 "    BOTTOM\n"
                                 "    RETURNTO(1)\n"
                                 "      INDEX(2, [1, 2], [0, 40], 12, 20)\n"
                                 "        INDEXFINAL(2, [1, 2], [0, 8], 4, 4)\n"
                                 "          CONTIGFINAL(4)\n"
                                 "    BOTTOM\n"
                                 "    RETURNTO(1)\n"
                                 "      STRUCT(2, [1, 1], [0, 8], [8, 8], [8, 8])\n"
                                 "        RETURNTO(26)\n"
                                 "          CONTIGFINAL(8)\n"
                                 "        BOTTOM\n"
                                 "        RETURNTO(26)\n"
                                 "          BLOCKINDEX1(2, 1, [8, 0], 4, 4)\n"
                                 "            CONTIGFINAL(4)\n"
                                 "        BOTTOM\n"
                                 "    BOTTOM\n"
                                 "BOTTOM\n";

/* ---- reading ---- */

TEST(a_printed_program_is_read_as_it_is_written)
{
    static const char *const texts[] = {
        transpose,
        everything,
        "EXIT\n  CONTIGFINAL(0)\nBOTTOM\n",
        "EXIT\n  CONTIG(1, 4, 4)\n    CONTIGFINAL(4)\nBOTTOM\n", /* not optimised */
        "EXIT\n  VECTOR(3, 1, 4, 4, 4)\n    CONTIGFINAL(4)\nBOTTOM\n",
        "EXIT\n  BLOCKINDEXFINAL(2, 1, [-9000000000000000000, -8999999999999999000], 8, 8)\n"
        "    CONTIGFINAL(8)\nBOTTOM\n",
    };
    for (int i = 0; i < COUNT_OF(texts); i++) {
        expect_printed(texts[i], texts[i]);
    }
}

TEST(white_space_comments_and_the_papers_spellings_are_read)
{
    static const char *const transposes[] = {
        "EXIT BLOCKINDEX1(3,1,[0,4,8],16,40)VECTORFINAL(4,1,12,4,4)CONTIGFINAL(4)BOTTOM",
        "# a comment\n\n\t EXIT#EXIT\r\n  BLOCKINDEX1 ( 3 , 1\n,[\n0,4\v, 8 ] ,16,40 ) # 3\n"
        "#####\fVECTOR\nVECTORFINAL(4, 1, 12, 4, 4) CONTIGFINAL(4) BOTTOM # no newline",
        "EXIT BLOCKINDEXED1(3, 1, [0, 4, 8], 16, 40) VECFINAL(4, 1, 12, 4, 4) CONTIGFINAL(4) "
        "BOTTOM",
    };
    for (int i = 0; i < COUNT_OF(transposes); i++) {
        expect_printed(transposes[i], transpose);
    }
    expect_printed("EXIT CONTIGFINAL(-0) BOTTOM", "EXIT\n  CONTIGFINAL(0)\nBOTTOM\n");
    expect_printed("EXIT CONTIGFINAL(007) BOTTOM", "EXIT\n  CONTIGFINAL(7)\nBOTTOM\n");
}

/* Also those of levels that text leaves out. */
TEST(a_program_has_these_numbers)
{
#define MANY "9223372036854775807"
#define TWO_LEAVES(a, b)                                                                           \
    "EXIT STRUCT(2, [1, 1], [0, 20000], [" #a ", " #b "], [1, 1]) RETURNTO(1) CONTIGFINAL(" #a ")" \
    " BOTTOM RETURNTO(1) CONTIGFINAL(" #b ") BOTTOM BOTTOM"
    static const char rows[] = " VECTORFINAL(2, 1, 12, 4, 4) CONTIGFINAL(4) BOTTOM";
    static const struct {
        const char *exit, *rest; /* of the text; the first is printed so, unless .. */
        int64_t size, extent, granule;
        int nprims, depth;
        const char *printed; /* .. as this */
    } cases[] = {
        {transpose, "", 48, 48, 4, 5, 3, ""},
        {everything, "", 268, 9076, 8, 41, 6, ""},
        {"EXIT VECTOR(2, 2, 100, 4, 8)", " CONTIGFINAL(4) BOTTOM", 16, 112, 4, 5, 3, ""},
        {"EXIT VECTOR(2, 1, 100, 4, 8)", " CONTIGFINAL(4) BOTTOM", 8, 104, 4, 4, 2, ""},
        {"EXIT BLOCKINDEX(2, 3, [0, 100], 4, 8)", " CONTIGFINAL(4) BOTTOM", 24, 120, 4, 5, 3, ""},
        {"EXIT INDEX(1, [1], [0], 4, 8)", " CONTIGFINAL(4) BOTTOM", 4, 4, 4, 5, 3, ""},
        {"EXIT STRUCT(2, [2, 1], [0, 40], [4, 4], [8, 8])",
         " RETURNTO(1) CONTIGFINAL(4) BOTTOM RETURNTO(1) CONTIGFINAL(4) BOTTOM BOTTOM", 12, 44, 4,
         10, 3, ""},
        /* EXIT says extent and granule where they are not the usual ones */
        {"EXIT", rows, 8, 16, 4, 4, 2, "EXIT\n"},
        {"EXIT(16)", rows, 8, 16, 4, 4, 2, "EXIT\n"},
        {"EXIT(16, 4)", rows, 8, 16, 4, 4, 2, "EXIT\n"},
        {"EXIT(100)", rows, 8, 100, 4, 4, 2, "EXIT(100)\n"},
        {"EXIT(100, 4)", rows, 8, 100, 4, 4, 2, "EXIT(100)\n"},
        {"EXIT(0)", rows, 8, 0, 4, 4, 2, "EXIT(0)\n"},
        {"EXIT(-8)", rows, 8, -8, 4, 4, 2, "EXIT(-8)\n"},
        {"EXIT(16, 2)", rows, 8, 16, 2, 4, 2, "EXIT(16, 2)\n"},
        {"EXIT(16, 0)", rows, 8, 16, DAME_NO_GRANULE, 4, 2, "EXIT(16, 0)\n"},
        {"EXIT(16, " MANY ")", rows, 8, 16, DAME_NO_GRANULE, 4, 2, "EXIT(16, 0)\n"},
        {"EXIT(-9223372036854775808, 1)", rows, 8, INT64_MIN, 1, 4, 2,
         "EXIT(-9223372036854775808, 1)\n"},
        /* the usual granule is the least common multiple of the leaves, up to a page */
        {TWO_LEAVES(4, 4), "", 8, 20004, 4, 9, 2, ""},
        {TWO_LEAVES(8, 4), "", 12, 20004, 8, 9, 2, ""},
        {TWO_LEAVES(4, 6), "", 10, 20006, 12, 9, 2, ""},
        {TWO_LEAVES(64, 63), "", 127, 20063, 4032, 9, 2, ""},
        {TWO_LEAVES(64, 65), "", 129, 20065, DAME_NO_GRANULE, 9, 2, ""},
        {TWO_LEAVES(4099, 2), "", 4101, 20002, DAME_NO_GRANULE, 9, 2, ""},
        {TWO_LEAVES(1, 9000), "", 9001, 29000, 9000, 9, 2, ""},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        char text[2000];
        snprintf(text, sizeof text, "%s%s", cases[i].exit, cases[i].rest);
        dame_program_t *program = program_of_text(text);
        char *printed = text_of(program);
        ck_assert_msg(program->size == cases[i].size && program->extent == cases[i].extent &&
                          program->granule == cases[i].granule &&
                          program->nprims == cases[i].nprims && program->depth == cases[i].depth,
                      "%s: size %d extent %lld granule %lld nprims %d depth %d", text,
                      (int) program->size, (long long) program->extent,
                      (long long) program->granule, program->nprims, program->depth);
        ck_assert_int_eq(strncmp(printed, cases[i].printed, strlen(cases[i].printed)), 0);
        free(printed);
        dame_program_free(program);
    }
}

TEST(a_failing_file_is_reported)
{
    FILE *full = fopen("/dev/full", "w");
    if (!full) {
        return; /* not on this system */
    }
    setvbuf(full, NULL, _IONBF, 0);
    dame_program_t *program = program_of_text(transpose);
    ck_assert_int_eq(dame_program_print(program, full), -1);
    fclose(full);
    dame_program_free(program);
}

/* ---- refusals, where and how ---- */

typedef struct wrong {
    const char *text;
    int line, column;
    const char *message;
} wrong_t;

#define VF        "VECTORFINAL(2, 1, 8, 4, 4) "
#define CF4       "CONTIGFINAL(4) "
#define ONE_BLOCK "EXIT STRUCT(1, [1], [0], [4], [4]) "

static const wrong_t ungrammatical[] = {
    {"", 1, 1, "found the end of the text, expected EXIT"},
    {" # only a comment", 1, 18, "found the end of the text, expected EXIT"},
    {"\n\n  exit", 3, 3, "found 'exit', expected EXIT"},
    {CF4 "BOTTOM", 1, 1, "found 'CONTIGFINAL', expected EXIT"},
    {"EXIT", 1, 5, "found the end of the text, expected a primitive"},
    {"EXIT\n  VECTR(3)", 2, 3, "found 'VECTR', expected a primitive"},
    {"EXIT 12", 1, 6, "found '12', expected a primitive"},
    {"EXIT $", 1, 6, "found '$', expected a primitive"},
    {"EXIT \x80", 1, 6, "found '\\x80', expected a primitive"},
    {"EXIT BOTTOM", 1, 6, "found 'BOTTOM', expected a type"},
    {"EXIT EXIT", 1, 6, "found 'EXIT', expected a type"},
    {"EXIT RETURNTO(0)", 1, 6, "found 'RETURNTO', expected a type"},
    {"EXIT CONTIGCHILD", 1, 6, "found 'CONTIGCHILD', expected a type"},
    {"EXIT CONTIGFINAL", 1, 17, "found the end of the text, expected '('"},
    {"EXIT CONTIGFINAL 4", 1, 18, "found '4', expected '('"},
    {"EXIT CONTIGFINAL()", 1, 18, "found ')', expected a number (bytes)"},
    {"EXIT CONTIGFINAL(4", 1, 19, "found the end of the text, expected ')'"},
    {"EXIT CONTIGFINAL(4, 4)", 1, 19, "found ',', expected ')'"},
    {"EXIT CONTIGFINAL([4])", 1, 18, "found '[', expected a number (bytes)"},
    {"EXIT CONTIGFINAL(4.0)", 1, 19, "found '.', expected ')'"},
    {"EXIT CONTIGFINAL(0x4)", 1, 18, "found '0x4', expected a number (bytes)"},
    {"EXIT CONTIGFINAL(4k)", 1, 18, "found '4k', expected a number (bytes)"},
    {"EXIT CONTIGFINAL(-)", 1, 18, "found '-', expected a number (bytes)"},
    {"EXIT CONTIGFINAL(- 4)", 1, 18, "found '-', expected a number (bytes)"},
    {"EXIT CONTIGFINAL(+4)", 1, 18, "found '+', expected a number (bytes)"},
    {"EXIT CONTIG(2, 4)", 1, 17, "found ')', expected ','"},
    {"EXIT CONTIG(2 4, 4)", 1, 15, "found '4', expected ','"},
    {"EXIT VECTOR(2,,1)", 1, 15, "found ',', expected a number (blocklength)"},
    {"EXIT VECTOR1(2, 1, )", 1, 20, "found ')', expected a number (stride)"},
    {"EXIT BLOCKINDEX(2, 1, 4", 1, 23, "found '4', expected '['"},
    {"EXIT INDEX(2, [1 2]", 1, 18, "found '2', expected ',' or ']'"},
    {"EXIT INDEX(2, [1, 2", 1, 20, "found the end of the text, expected ',' or ']'"},
    {"EXIT INDEX(2, [1, ]", 1, 19, "found ']', expected a number (blocklengths)"},
    {"EXIT INDEX(2, [1, 2], [1, x]", 1, 27, "found 'x', expected a number (displacements)"},
    {"EXIT BLOCKINDEX(3, 1, [0, 4], 4, 4)", 1, 23,
     "count is 3, but the list of displacements has 2 entries"},
    {"EXIT INDEX(1, [1, 2], [0], 4, 4)", 1, 15,
     "count is 1, but the list of blocklengths has 2 entries"},
    {"EXIT INDEX(9223372036854775807, [1], [0], 4, 4)", 1, 33,
     "count is 9223372036854775807, but the list of blocklengths has 1 entry"},
    {"EXIT STRUCT(2, [1, 1], [0, 4], [], [4, 4])", 1, 32,
     "count is 2, but the list of sizes has 0 entries"},
    {"EXIT STRUCT(2, [1, 1], [0, 4], [4, 4],\n[4, 4, 4])", 2, 1,
     "count is 2, but the list of extents has 3 entries"},
    {"EXIT VECTORFINAL(2, 1, 8, 4, 4) " VF, 1, 33, "found 'VECTORFINAL', expected CONTIGFINAL"},
    {"EXIT " CF4 CF4, 1, 21, "found 'CONTIGFINAL', expected BOTTOM"},
    {"EXIT " CF4, 1, 21, "found the end of the text, expected BOTTOM"},
    {"EXIT " CF4 "BOTTOM BOTTOM", 1, 28, "found 'BOTTOM', expected the end of the text"},
    {"EXIT " CF4 "BOTTOM\n\n.", 3, 1, "found '.', expected the end of the text"},
    {ONE_BLOCK CF4, 1, 36, "found 'CONTIGFINAL', expected RETURNTO"},
    {"EXIT STRUCT(2, [1, 1], [0, 4], [4, 4], [4, 4]) RETURNTO(1) " CF4 "BOTTOM BOTTOM", 1, 82,
     "found 'BOTTOM', expected RETURNTO"},
    {ONE_BLOCK "RETURNTO(1) " CF4 "BOTTOM RETURNTO(1)", 1, 70, "found 'RETURNTO', expected BOTTOM"},
    {ONE_BLOCK "RETURNTO " CF4, 1, 45, "found 'CONTIGFINAL', expected '('"},
    {ONE_BLOCK "RETURNTO() ", 1, 45, "found ')', expected a number (index of the STRUCT)"},
    {"EXIT() " CF4, 1, 6, "found ')', expected a number (extent)"},
    {"EXIT(4 " CF4, 1, 8, "found 'CONTIGFINAL', expected ',' or ')'"},
    {"EXIT(4, ) " CF4, 1, 9, "found ')', expected a number (granule)"},
    {"EXIT(4, 4, 4) " CF4, 1, 10, "found ',', expected ')'"},
    {"EXIT AAAAAAAAAABBBBBBBBBBCCCCCCCCCCDDDDDDDDDDEEEEEEEEEE", 1, 6,
     "found 'AAAAAAAAAABBBBBBBBBBCCCCCCCCCCDDDDDDDDD...', expected a primitive"},
};

static const wrong_t too_large[] = {
    {"EXIT CONTIGFINAL(9223372036854775808) BOTTOM", 1, 18,
     "found '9223372036854775808', expected a number from -9223372036854775808 to "
     "9223372036854775807 (bytes)"},
    {"EXIT(-9223372036854775809) BOTTOM", 1, 6,
     "found '-9223372036854775809', expected a number from -9223372036854775808 to "
     "9223372036854775807 (extent)"},
    {"EXIT VECTORFINAL(1, 4611686018427387904, 1, 2, 2) CONTIGFINAL(2) BOTTOM", 1, 6,
     "VECTORFINAL: blocklength * size exceeds 64 bits"},
    {"EXIT INDEX(2, [4611686018427387904, 4611686018427387904], [0, 0], 1, 1) CONTIGFINAL(1) "
     "BOTTOM",
     1, 6, "INDEX: size exceeds 64 bits"},
};

/* By rules of the verifier, at the place of the primitive or of its number. */
static const wrong_t inconsistent[] = {
    {"EXIT CONTIG(0, 4, 4) " CF4 "BOTTOM", 1, 13, "count is 0, at least 1 is allowed"},
    {"EXIT VECTOR(1, -1, 4, 4, 4) " CF4 "BOTTOM", 1, 16,
     "blocklength is -1, at least 1 is allowed"},
    {"EXIT VECTOR(1, 1, 4, 0, 4) " CF4 "BOTTOM", 1, 22, "size is 0, at least 1 is allowed"},
    {"EXIT INDEX(2, [1, 0], [0, 4], 4, 4) " CF4 "BOTTOM", 1, 19,
     "blocklength 1 is 0, at least 1 is allowed"},
    {"EXIT STRUCT(1, [1], [0], [-4], [4]) " CF4 "BOTTOM", 1, 27,
     "size 0 is -4, at least 1 is allowed"},
    {"EXIT(4, -1) " CF4 "BOTTOM", 1, 9, "granule is -1, at least 0 is allowed"},
    {"EXIT\n VECTOR1(3, 2, 8, 4, 4) " CF4 "BOTTOM", 2, 2,
     "VECTOR1: blocklength is 2, only 1 is allowed"},
    {"EXIT\n BLOCKINDEX1(1, 2, [8], 4, 4) " CF4 "BOTTOM", 2, 2,
     "BLOCKINDEX1: blocklength is 2, only 1 is allowed"},
    {"EXIT\n VECTORFINAL(3, 1, 8, 8, 8)\n  " CF4 "BOTTOM", 2, 2,
     "VECTORFINAL: size is 8, its inner type has 4 bytes"},
    {"EXIT\n VECTORFINAL(3, 1, 8, 4, 8)\n  " CF4 "BOTTOM", 2, 2,
     "VECTORFINAL: extent is 8, only size 4 is allowed here"},
    {"EXIT\n CONTIG(2, 8, 8)\n  CONTIG(3, 4, 4)\n   " CF4 "BOTTOM", 2, 2,
     "CONTIG: size is 8, its inner type has 12 bytes"},
    {"EXIT\n VECTOR(2, 2, 8, 8, 8)\n  VECTOR(3, 2, 4, 4, 4)\n   CONTIGFINAL(5) BOTTOM", 3, 3,
     "VECTOR: size is 4, its inner type has 5 bytes"},
    {"EXIT CONTIGFINAL(-4) BOTTOM", 1, 6, "CONTIGFINAL: has -4 bytes, at least 1 is allowed"},
    {"EXIT CONTIG(2, 1, 1)\nCONTIGFINAL(0) BOTTOM", 2, 1,
     "CONTIGFINAL: has 0 bytes, at least 1 is allowed"},
    {"EXIT CONTIG(4611686018427387904, 2, 2) CONTIGFINAL(2) BOTTOM", 1, 6,
     "CONTIG: size exceeds 64 bits"},
    {"EXIT VECTORFINAL(2, 1, 9223372036854775807, 4, 4) " CF4 "BOTTOM", 1, 6,
     "VECTORFINAL: bounds exceed 64 bits"},
    {"EXIT CONTIG(1, 4, 4)\nBLOCKINDEXFINAL(2, 1, [-9223372036854775808, 9223372036854775800], 2, "
     "2) "
     "CONTIGFINAL(2) BOTTOM",
     2, 1, "BLOCKINDEXFINAL: bounds exceed 64 bits"},
    {"EXIT STRUCT(1, [2], [0], [4], [4]) RETURNTO(2) " CF4 "BOTTOM BOTTOM", 1, 36,
     "RETURNTO names primitive 2, its STRUCT is primitive 1"},
    {"EXIT\n STRUCT(2, [2, 1], [0, 40], [4, 9], [4, 8])\n RETURNTO(1) " CF4
     "BOTTOM RETURNTO(1) CONTIGFINAL(8) BOTTOM BOTTOM",
     2, 2, "STRUCT: size 1 is 9, the subprogram has 8 bytes"},
    {"EXIT VECTOR(2, 2, 100, 20, 20)\n STRUCT(1, [2], [0], [4], [4])\n RETURNTO(2)\n "
     "CONTIGFINAL(5) BOTTOM BOTTOM",
     2, 2, "STRUCT: size 0 is 4, the subprogram has 5 bytes"},
};

static void expect_refused(const wrong_t *wrong, dame_status_t wanted)
{
    dame_program_t *program = NULL;
    dame_text_error_t error = {0, 0, ""};
    dame_status_t status = parse(wrong->text, strlen(wrong->text), &program, &error);
    ck_assert_msg(status == wanted, "%s: %s", wrong->text, dame_status_text(status));
    ck_assert_ptr_null(program);
    ck_assert_str_eq(error.message, wrong->message);
    ck_assert_msg(error.line == wrong->line && error.column == wrong->column,
                  "%s: at %" PRId64 ":%" PRId64 ", not %d:%d", wrong->text, error.line,
                  error.column, wrong->line, wrong->column);
    ck_assert_int_eq(parse(wrong->text, strlen(wrong->text), &program, NULL), wanted);
}

LOOP_TEST(what_is_not_in_the_grammar_is_refused_with_place_and_reason, COUNT_OF(ungrammatical))
{
    expect_refused(&ungrammatical[_i], DAME_ERR_TEXT);
}

LOOP_TEST(numbers_that_do_not_fit_are_refused_with_place_and_reason, COUNT_OF(too_large))
{
    expect_refused(&too_large[_i], DAME_ERR_RANGE);
}

LOOP_TEST(what_breaks_a_rule_is_refused_with_place_and_reason, COUNT_OF(inconsistent))
{
    expect_refused(&inconsistent[_i], DAME_ERR_VERIFY);
}

TEST(a_zero_byte_is_no_end)
{
    static const char text[] = "EXIT\0 CONTIGFINAL(4) BOTTOM";
    dame_program_t *program = NULL;
    dame_text_error_t error;
    ck_assert_int_eq(parse(text, sizeof text - 1, &program, &error), DAME_ERR_TEXT);
    ck_assert_str_eq(error.message, "found '\\x00', expected a primitive");
    ck_assert_int_eq(error.column, 5);
}

/* ---- limits ---- */

/* `levels` times `open`, then the leaf, then `levels` times `close`. */
static char *nested(int levels, const char *open, const char *leaf, const char *close)
{
    size_t room = (size_t) levels * (strlen(open) + strlen(close)) + strlen(leaf) + 20;
    char *text = malloc(room);
    ck_assert_ptr_nonnull(text);
    char *end = stpcpy(text, "EXIT\n");
    for (int i = 0; i < levels; i++) {
        end = stpcpy(end, open);
    }
    end = stpcpy(end, leaf);
    for (int i = 0; i < levels; i++) {
        end = stpcpy(end, close);
    }
    strcpy(end, "BOTTOM\n");
    return text;
}

static void expect_limit(char *text, int64_t line, const char *message)
{
    dame_program_t *program = NULL;
    dame_text_error_t error;
    ck_assert_int_eq(parse(text, strlen(text), &program, &error), DAME_ERR_LIMIT);
    ck_assert_int_eq(error.line, line);
    ck_assert_str_eq(error.message, message);
    free(text);
}

/* With instances every level also has a CONTIGCHILD: the deepest that the machine gets to see. */
TEST(levels_nest_up_to_the_limit)
{
    static const char one[] = "VECTOR1(1, 1, 4, 4, 4)\n", two[] = "INDEX(1, [1], [0], 4, 4)\n";
    for (int levels = 1; levels <= 2; levels++) {
        char *text = nested(DAME_TEXT_NESTING, levels == 1 ? one : two, CF4, "");
        dame_program_t *program = program_of_text(text);
        int32_t value = 0x01020304, packed = 0;
        ck_assert_int_eq(program->depth, levels * DAME_TEXT_NESTING + 1);
        dame_program_run(program, DAME_PACK, (uintptr_t) &value, 1, (char *) &packed);
        ck_assert_int_eq(packed, value);
        expect_text(program, text);
        free(text);
    }
    expect_limit(nested(DAME_TEXT_NESTING + 1, one, CF4, ""), DAME_TEXT_NESTING + 2,
                 "201 nested levels, at most 200 are allowed");
}

TEST(structs_nested_without_end_are_refused)
{
    enum { ROOM = 100000 };
    dame_program_t *program = NULL;
    dame_text_error_t error;
    char *text = nested(100000, "STRUCT(1, [1], [0], [4], [4]) RETURNTO(1)\n", CF4, "BOTTOM ");
    ck_assert_int_ne(parse(text, strlen(text), &program, &error), DAME_OK);
    ck_assert_int_eq(error.line, 3); /* the second RETURNTO is already wrong */
    free(text);
    text = malloc(ROOM);
    ck_assert_ptr_nonnull(text);
    char *end = stpcpy(text, "EXIT\n");
    for (int i = 0; i < 1000; i++) { /* EXIT, then STRUCT and RETURNTO in turn */
        end += sprintf(end, "STRUCT(1, [1], [0], [4], [4]) RETURNTO(%d)\n", 2 * i + 1);
    }
    expect_limit(text, DAME_TEXT_NESTING + 2, "201 nested levels, at most 200 are allowed");
}

TEST(too_many_primitives_are_refused)
{
    /* EXIT, STRUCT, then three for each block, BOTTOM: 2^20 is the limit. */
    enum { BLOCKS = ((1 << 20) - 3) / 3 + 1 };
    char *text = malloc(60 * (size_t) BLOCKS);
    ck_assert_ptr_nonnull(text);
    char *end = text + sprintf(text, "EXIT STRUCT(%d", BLOCKS);
    for (int list = 0; list < 4; list++) {
        end = stpcpy(end, ", [1");
        for (int i = 1; i < BLOCKS; i++) {
            end = stpcpy(end, ",1");
        }
        end = stpcpy(end, "]");
    }
    end = stpcpy(end, ")\n");
    for (int i = 0; i < BLOCKS; i++) {
        end = stpcpy(end, "RETURNTO(1)CONTIGFINAL(1)BOTTOM\n");
    }
    strcpy(end, "BOTTOM\n");
    expect_limit(text, 2 + ((1 << 20) - 2) / 3, "1048577 primitives, at most 1048576 are allowed");
}

TEST(a_long_list_costs_its_length)
{
    enum { N = 1000000 };
    char *text = malloc(16 * (size_t) N);
    ck_assert_ptr_nonnull(text);
    char *end = text + sprintf(text, "EXIT BLOCKINDEXFINAL(%d, 1, [", N);
    for (int i = 0; i < N; i++) {
        end += sprintf(end, i == 0 ? "%d" : ",%d", i * 12);
    }
    strcpy(end, "], 4, 4) CONTIGFINAL(4) BOTTOM");
    dame_program_t *program = program_of_text(text);
    ck_assert_int_eq(program->size, 4 * N);
    ck_assert_int_eq(program->extent, 12 * (N - 1) + 4);
    ck_assert_uint_le(program->memory, 8 * N + 4096);
    dame_program_free(program);
    free(text);
}

SUITE_OF(language, 1, NULL, NULL)
