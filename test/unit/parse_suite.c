/* Text to program: what is read, and what a wrong text is told. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

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

static dame_program_t *parsed(const char *text)
{
    dame_program_t *program = NULL;
    dame_text_error_t error;
    dame_status_t status = parse(text, strlen(text), &program, &error);
    ck_assert_msg(status == DAME_OK, "%" PRId64 ":%" PRId64 ": %s in %s", error.line, error.column,
                  error.message, text);
    ck_assert_int_eq(dame_program_verify(program, NULL, 0), DAME_OK);
    return program;
}

/* `text` means what `wanted` prints. */
static void expect_printed(const char *text, const char *wanted)
{
    dame_program_t *program = parsed(text);
    char *printed = text_of(program);
    ck_assert_str_eq(printed, wanted);
    free(printed);
    dame_program_free(program);
}

static void expect_same(const char *text)
{
    expect_printed(text, text);
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

/* ---- what is read ---- */

START_TEST(a_printed_program_is_read_as_it_is_written)
{
    expect_same(transpose);
    expect_same(everything);
    expect_same("EXIT\n  CONTIGFINAL(0)\nBOTTOM\n");
    expect_same("EXIT\n  CONTIG(1, 4, 4)\n    CONTIGFINAL(4)\nBOTTOM\n"); /* not optimised */
    expect_same("EXIT\n  VECTOR(3, 1, 4, 4, 4)\n    CONTIGFINAL(4)\nBOTTOM\n");
    expect_same("EXIT\n  VECTORFINAL(2, 1, 4611686018427387904, 4, 4)\n    CONTIGFINAL(4)\n"
                "BOTTOM\n");
}
END_TEST

START_TEST(the_transpose_packs_columns)
{
    int32_t mat[4][3];
    int32_t packed[12];
    for (int i = 0; i < 12; i++) {
        mat[i / 3][i % 3] = 100 * (i / 3) + i % 3;
    }
    dame_program_t *program = parsed(transpose);
    ck_assert_int_eq(program->size, 48);
    ck_assert_int_eq(program->extent, 48);
    ck_assert_int_eq(program->true_lb, 0);
    ck_assert_int_eq(program->true_ub, 48);
    ck_assert_int_eq(program->depth, 3);
    ck_assert_int_eq(program->granule, 4);
    dame_program_run(program, DAME_PACK, (uintptr_t) mat, 1, (char *) packed);
    for (int i = 0; i < 12; i++) {
        ck_assert_int_eq(packed[i], 100 * (i % 4) + i / 4);
    }
    dame_program_free(program);
}
END_TEST

START_TEST(levels_that_text_leaves_out_are_inserted)
{
    static const struct {
        const char *text;
        int nprims;
        int depth;
    } cases[] = {
        {"EXIT VECTOR(2, 2, 100, 4, 8) CONTIGFINAL(4) BOTTOM", 5, 3},
        {"EXIT VECTOR(2, 1, 100, 4, 8) CONTIGFINAL(4) BOTTOM", 4, 2},
        {"EXIT BLOCKINDEX(2, 3, [0, 100], 4, 8) CONTIGFINAL(4) BOTTOM", 5, 3},
        {"EXIT INDEX(1, [1], [0], 4, 8) CONTIGFINAL(4) BOTTOM", 5, 3},
        {"EXIT STRUCT(2, [2, 1], [0, 40], [4, 4], [8, 8]) RETURNTO(1) CONTIGFINAL(4) BOTTOM "
         "RETURNTO(1) CONTIGFINAL(4) BOTTOM BOTTOM",
         10, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dame_program_t *program = parsed(cases[i].text);
        ck_assert_int_eq(program->nprims, cases[i].nprims);
        ck_assert_int_eq(program->depth, cases[i].depth);
        dame_program_free(program);
    }
}
END_TEST

START_TEST(white_space_and_comments_are_free)
{
    expect_printed("EXIT BLOCKINDEX1(3,1,[0,4,8],16,40)VECTORFINAL(4,1,12,4,4)CONTIGFINAL(4)BOTTOM",
                   transpose);
    expect_printed(
        "# a comment\n\n\t EXIT#EXIT\r\n  BLOCKINDEX1 ( 3 , 1\n,[\n0,4\v, 8 ] ,16,40 ) # 3\n"
        "#####\fVECTOR\nVECTORFINAL(4, 1, 12, 4, 4) CONTIGFINAL(4) BOTTOM # no newline",
        transpose);
    expect_printed("EXIT CONTIGFINAL(-0) BOTTOM", "EXIT\n  CONTIGFINAL(0)\nBOTTOM\n");
    expect_printed("EXIT CONTIGFINAL(007) BOTTOM", "EXIT\n  CONTIGFINAL(7)\nBOTTOM\n");
}
END_TEST

START_TEST(the_papers_spellings_are_read)
{
    expect_printed("EXIT BLOCKINDEXED1(3, 1, [0, 4, 8], 16, 40) VECFINAL(4, 1, 12, 4, 4) "
                   "CONTIGFINAL(4) BOTTOM",
                   transpose);
    expect_printed("EXIT BLKINDEX1(3, 1, [0, 4, 8], 16, 40) VECTORFINAL(4, 1, 12, 4, 4) "
                   "CONTIGFINAL(4) BOTTOM",
                   transpose);
    expect_printed("EXIT INDEXED(1, [1], [0], 4, 4) BLOCKINDEXED(1, 1, [0], 4, 4) "
                   "BLKINDEX(1, 1, [0], 4, 4) BLOCKINDEXEDFINAL(1, 1, [0], 4, 4) "
                   "CONTIGFINAL(4) BOTTOM",
                   "EXIT\n  INDEX(1, [1], [0], 4, 4)\n    BLOCKINDEX(1, 1, [0], 4, 4)\n"
                   "      BLOCKINDEX(1, 1, [0], 4, 4)\n"
                   "        BLOCKINDEXFINAL(1, 1, [0], 4, 4)\n          CONTIGFINAL(4)\nBOTTOM\n");
    expect_printed("EXIT INDEXEDFINAL(1, [1], [0], 4, 4) CONTIGFINAL(4) BOTTOM",
                   "EXIT\n  INDEXFINAL(1, [1], [0], 4, 4)\n    CONTIGFINAL(4)\nBOTTOM\n");
    expect_printed("EXIT BLKINDEXFINAL(1, 1, [0], 4, 4) CONTIGFINAL(4) BOTTOM",
                   "EXIT\n  BLOCKINDEXFINAL(1, 1, [0], 4, 4)\n    CONTIGFINAL(4)\nBOTTOM\n");
}
END_TEST

START_TEST(exit_says_extent_and_granule_where_they_are_not_the_usual_ones)
{
    static const struct {
        const char *exit;
        int64_t extent;
        int64_t granule;
        const char *printed;
    } cases[] = {
        {"EXIT", 16, 4, "EXIT\n"},
        {"EXIT(16)", 16, 4, "EXIT\n"},
        {"EXIT(16, 4)", 16, 4, "EXIT\n"},
        {"EXIT(100)", 100, 4, "EXIT(100)\n"},
        {"EXIT(100, 4)", 100, 4, "EXIT(100)\n"},
        {"EXIT(0)", 0, 4, "EXIT(0)\n"},
        {"EXIT(-8)", -8, 4, "EXIT(-8)\n"},
        {"EXIT(16, 2)", 16, 2, "EXIT(16, 2)\n"},
        {"EXIT(16, 0)", 16, DAME_NO_GRANULE, "EXIT(16, 0)\n"},
        {"EXIT(16, 9223372036854775807)", 16, DAME_NO_GRANULE, "EXIT(16, 0)\n"},
        {"EXIT(-9223372036854775808, 1)", INT64_MIN, 1, "EXIT(-9223372036854775808, 1)\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s VECTORFINAL(2, 1, 12, 4, 4) CONTIGFINAL(4) BOTTOM",
                 cases[i].exit);
        dame_program_t *program = parsed(text);
        ck_assert_int_eq(program->extent, cases[i].extent);
        ck_assert_int_eq(program->granule, cases[i].granule);
        char *printed = text_of(program);
        ck_assert_int_eq(strncmp(printed, cases[i].printed, strlen(cases[i].printed)), 0);
        free(printed);
        dame_program_free(program);
    }
}
END_TEST

/* The usual granule is the least common multiple of the leaves, up to a page. */
START_TEST(the_usual_granule_keeps_every_leaf_whole)
{
    static const struct {
        int64_t a, b, granule;
    } cases[] = {
        {4, 4, 4},
        {4, 8, 8},
        {8, 4, 8},
        {4, 6, 12},
        {1, 16, 16},
        {64, 63, 4032},
        {64, 65, DAME_NO_GRANULE},
        {4099, 2, DAME_NO_GRANULE},
        {1, 9000, 9000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "EXIT STRUCT(2, [1, 1], [0, 20000], [%lld, %lld], [1, 1])\n"
                 "RETURNTO(1) CONTIGFINAL(%lld) BOTTOM RETURNTO(1) CONTIGFINAL(%lld) BOTTOM BOTTOM",
                 (long long) cases[i].a, (long long) cases[i].b, (long long) cases[i].a,
                 (long long) cases[i].b);
        dame_program_t *program = parsed(text);
        ck_assert_int_eq(program->granule, cases[i].granule);
        dame_program_free(program);
    }
}
END_TEST

START_TEST(bounds_are_those_of_the_bytes)
{
    dame_program_t *program = parsed(everything);
    ck_assert_int_eq(program->size, 16 + 2 * 24 + 32 + 3 * 40 + 36 + 16);
    ck_assert_int_eq(program->true_lb, -5000);
    ck_assert_int_eq(program->true_ub, 4000 + 40 + 20 + 8 + 8);
    ck_assert_int_eq(program->extent, 9076);
    dame_program_free(program);
}
END_TEST

/* ---- what is refused, where and how ---- */

typedef struct wrong {
    const char *text;
    dame_status_t status;
    int line, column;
    const char *message;
} wrong_t;

#define VF  "VECTORFINAL(2, 1, 8, 4, 4) "
#define CF4 "CONTIGFINAL(4) "

static const wrong_t wrongs[] = {
    /* not in the grammar */
    {"", DAME_ERR_TEXT, 1, 1, "found the end of the text, expected EXIT"},
    {" # only a comment", DAME_ERR_TEXT, 1, 18, "found the end of the text, expected EXIT"},
    {"\n\n  exit", DAME_ERR_TEXT, 3, 3, "found 'exit', expected EXIT"},
    {CF4 "BOTTOM", DAME_ERR_TEXT, 1, 1, "found 'CONTIGFINAL', expected EXIT"},
    {"EXIT", DAME_ERR_TEXT, 1, 5, "found the end of the text, expected a primitive"},
    {"EXIT\n  VECTR(3)", DAME_ERR_TEXT, 2, 3, "found 'VECTR', expected a primitive"},
    {"EXIT 12", DAME_ERR_TEXT, 1, 6, "found '12', expected a primitive"},
    {"EXIT $", DAME_ERR_TEXT, 1, 6, "found '$', expected a primitive"},
    {"EXIT \x80", DAME_ERR_TEXT, 1, 6, "found '\\x80', expected a primitive"},
    {"EXIT BOTTOM", DAME_ERR_TEXT, 1, 6, "found 'BOTTOM', expected a type"},
    {"EXIT EXIT", DAME_ERR_TEXT, 1, 6, "found 'EXIT', expected a type"},
    {"EXIT RETURNTO(0)", DAME_ERR_TEXT, 1, 6, "found 'RETURNTO', expected a type"},
    {"EXIT CONTIGCHILD", DAME_ERR_TEXT, 1, 6, "found 'CONTIGCHILD', expected a type"},
    {"EXIT CONTIGFINAL", DAME_ERR_TEXT, 1, 17, "found the end of the text, expected '('"},
    {"EXIT CONTIGFINAL 4", DAME_ERR_TEXT, 1, 18, "found '4', expected '('"},
    {"EXIT CONTIGFINAL()", DAME_ERR_TEXT, 1, 18, "found ')', expected a number (bytes)"},
    {"EXIT CONTIGFINAL(4", DAME_ERR_TEXT, 1, 19, "found the end of the text, expected ')'"},
    {"EXIT CONTIGFINAL(4, 4)", DAME_ERR_TEXT, 1, 19, "found ',', expected ')'"},
    {"EXIT CONTIGFINAL([4])", DAME_ERR_TEXT, 1, 18, "found '[', expected a number (bytes)"},
    {"EXIT CONTIGFINAL(4.0)", DAME_ERR_TEXT, 1, 19, "found '.', expected ')'"},
    {"EXIT CONTIGFINAL(0x4)", DAME_ERR_TEXT, 1, 18, "found '0x4', expected a number (bytes)"},
    {"EXIT CONTIGFINAL(4k)", DAME_ERR_TEXT, 1, 18, "found '4k', expected a number (bytes)"},
    {"EXIT CONTIGFINAL(-)", DAME_ERR_TEXT, 1, 18, "found '-', expected a number (bytes)"},
    {"EXIT CONTIGFINAL(- 4)", DAME_ERR_TEXT, 1, 18, "found '-', expected a number (bytes)"},
    {"EXIT CONTIGFINAL(+4)", DAME_ERR_TEXT, 1, 18, "found '+', expected a number (bytes)"},
    {"EXIT CONTIG(2, 4)", DAME_ERR_TEXT, 1, 17, "found ')', expected ','"},
    {"EXIT CONTIG(2 4, 4)", DAME_ERR_TEXT, 1, 15, "found '4', expected ','"},
    {"EXIT VECTOR(2,,1)", DAME_ERR_TEXT, 1, 15, "found ',', expected a number (blocklength)"},
    {"EXIT VECTOR1(2, 1, )", DAME_ERR_TEXT, 1, 20, "found ')', expected a number (stride)"},
    {"EXIT BLOCKINDEX(2, 1, 4", DAME_ERR_TEXT, 1, 23, "found '4', expected '['"},
    {"EXIT INDEX(2, [1 2]", DAME_ERR_TEXT, 1, 18, "found '2', expected ',' or ']'"},
    {"EXIT INDEX(2, [1, 2", DAME_ERR_TEXT, 1, 20, "found the end of the text, expected ',' or ']'"},
    {"EXIT INDEX(2, [1, ]", DAME_ERR_TEXT, 1, 19, "found ']', expected a number (blocklengths)"},
    {"EXIT INDEX(2, [1, 2], [1, x]", DAME_ERR_TEXT, 1, 27,
     "found 'x', expected a number (displacements)"},
    {"EXIT BLOCKINDEX(3, 1, [0, 4], 4, 4)", DAME_ERR_TEXT, 1, 23,
     "count is 3, but the list of displacements has 2 entries"},
    {"EXIT INDEX(1, [1, 2], [0], 4, 4)", DAME_ERR_TEXT, 1, 15,
     "count is 1, but the list of blocklengths has 2 entries"},
    {"EXIT INDEX(9223372036854775807, [1], [0], 4, 4)", DAME_ERR_TEXT, 1, 33,
     "count is 9223372036854775807, but the list of blocklengths has 1 entry"},
    {"EXIT STRUCT(2, [1, 1], [0, 4], [], [4, 4])", DAME_ERR_TEXT, 1, 32,
     "count is 2, but the list of sizes has 0 entries"},
    {"EXIT STRUCT(2, [1, 1], [0, 4], [4, 4],\n[4, 4, 4])", DAME_ERR_TEXT, 2, 1,
     "count is 2, but the list of extents has 3 entries"},
    {"EXIT VECTORFINAL(2, 1, 8, 4, 4) " VF, DAME_ERR_TEXT, 1, 33,
     "found 'VECTORFINAL', expected CONTIGFINAL"},
    {"EXIT " CF4 CF4, DAME_ERR_TEXT, 1, 21, "found 'CONTIGFINAL', expected BOTTOM"},
    {"EXIT " CF4, DAME_ERR_TEXT, 1, 21, "found the end of the text, expected BOTTOM"},
    {"EXIT " CF4 "BOTTOM BOTTOM", DAME_ERR_TEXT, 1, 28,
     "found 'BOTTOM', expected the end of the text"},
    {"EXIT " CF4 "BOTTOM\n\n.", DAME_ERR_TEXT, 3, 1, "found '.', expected the end of the text"},
    {"EXIT STRUCT(1, [1], [0], [4], [4]) " CF4, DAME_ERR_TEXT, 1, 36,
     "found 'CONTIGFINAL', expected RETURNTO"},
    {"EXIT STRUCT(2, [1, 1], [0, 4], [4, 4], [4, 4]) RETURNTO(1) " CF4 "BOTTOM BOTTOM",
     DAME_ERR_TEXT, 1, 82, "found 'BOTTOM', expected RETURNTO"},
    {"EXIT STRUCT(1, [1], [0], [4], [4]) RETURNTO(1) " CF4 "BOTTOM RETURNTO(1)", DAME_ERR_TEXT, 1,
     70, "found 'RETURNTO', expected BOTTOM"},
    {"EXIT STRUCT(1, [1], [0], [4], [4]) RETURNTO " CF4, DAME_ERR_TEXT, 1, 45,
     "found 'CONTIGFINAL', expected '('"},
    {"EXIT STRUCT(1, [1], [0], [4], [4]) RETURNTO() ", DAME_ERR_TEXT, 1, 45,
     "found ')', expected a number (index of the STRUCT)"},
    {"EXIT() " CF4, DAME_ERR_TEXT, 1, 6, "found ')', expected a number (extent)"},
    {"EXIT(4 " CF4, DAME_ERR_TEXT, 1, 8, "found 'CONTIGFINAL', expected ',' or ')'"},
    {"EXIT(4, ) " CF4, DAME_ERR_TEXT, 1, 9, "found ')', expected a number (granule)"},
    {"EXIT(4, 4, 4) " CF4, DAME_ERR_TEXT, 1, 10, "found ',', expected ')'"},
    {"EXIT AAAAAAAAAABBBBBBBBBBCCCCCCCCCCDDDDDDDDDDEEEEEEEEEE", DAME_ERR_TEXT, 1, 6,
     "found 'AAAAAAAAAABBBBBBBBBBCCCCCCCCCCDDDDDDDDD...', expected a primitive"},
    /* numbers that do not fit */
    {"EXIT CONTIGFINAL(9223372036854775808) BOTTOM", DAME_ERR_RANGE, 1, 18,
     "found '9223372036854775808', expected a number from -9223372036854775808 to "
     "9223372036854775807 (bytes)"},
    {"EXIT(-9223372036854775809) BOTTOM", DAME_ERR_RANGE, 1, 6,
     "found '-9223372036854775809', expected a number from -9223372036854775808 to "
     "9223372036854775807 (extent)"},
    {"EXIT VECTORFINAL(1, 4611686018427387904, 1, 2, 2) CONTIGFINAL(2) BOTTOM", DAME_ERR_RANGE, 1,
     6, "VECTORFINAL: blocklength * size exceeds 64 bits"},
    {"EXIT INDEX(2, [4611686018427387904, 4611686018427387904], [0, 0], 1, 1) CONTIGFINAL(1) "
     "BOTTOM",
     DAME_ERR_RANGE, 1, 6, "INDEX: size exceeds 64 bits"},
    /* rules of the verifier, with its primitive's place */
    {"EXIT CONTIG(0, 4, 4) " CF4 "BOTTOM", DAME_ERR_VERIFY, 1, 13,
     "count is 0, at least 1 is allowed"},
    {"EXIT VECTOR(1, -1, 4, 4, 4) " CF4 "BOTTOM", DAME_ERR_VERIFY, 1, 16,
     "blocklength is -1, at least 1 is allowed"},
    {"EXIT VECTOR(1, 1, 4, 0, 4) " CF4 "BOTTOM", DAME_ERR_VERIFY, 1, 22,
     "size is 0, at least 1 is allowed"},
    {"EXIT INDEX(2, [1, 0], [0, 4], 4, 4) " CF4 "BOTTOM", DAME_ERR_VERIFY, 1, 19,
     "blocklength 1 is 0, at least 1 is allowed"},
    {"EXIT STRUCT(1, [1], [0], [-4], [4]) " CF4 "BOTTOM", DAME_ERR_VERIFY, 1, 27,
     "size 0 is -4, at least 1 is allowed"},
    {"EXIT(4, -1) " CF4 "BOTTOM", DAME_ERR_VERIFY, 1, 9, "granule is -1, at least 0 is allowed"},
    {"EXIT\n VECTOR1(3, 2, 8, 4, 4) " CF4 "BOTTOM", DAME_ERR_VERIFY, 2, 2,
     "VECTOR1: blocklength is 2, only 1 is allowed"},
    {"EXIT\n BLOCKINDEX1(1, 2, [8], 4, 4) " CF4 "BOTTOM", DAME_ERR_VERIFY, 2, 2,
     "BLOCKINDEX1: blocklength is 2, only 1 is allowed"},
    {"EXIT\n VECTORFINAL(3, 1, 8, 8, 8)\n  " CF4 "BOTTOM", DAME_ERR_VERIFY, 2, 2,
     "VECTORFINAL: size is 8, its inner type has 4 bytes"},
    {"EXIT\n VECTORFINAL(3, 1, 8, 4, 8)\n  " CF4 "BOTTOM", DAME_ERR_VERIFY, 2, 2,
     "VECTORFINAL: extent is 8, only size 4 is allowed here"},
    {"EXIT\n CONTIG(2, 8, 8)\n  CONTIG(3, 4, 4)\n   " CF4 "BOTTOM", DAME_ERR_VERIFY, 2, 2,
     "CONTIG: size is 8, its inner type has 12 bytes"},
    {"EXIT\n VECTOR(2, 2, 8, 8, 8)\n  VECTOR(3, 2, 4, 4, 4)\n   CONTIGFINAL(5) BOTTOM",
     DAME_ERR_VERIFY, 3, 3, "VECTOR: size is 4, its inner type has 5 bytes"},
    {"EXIT CONTIGFINAL(-4) BOTTOM", DAME_ERR_VERIFY, 1, 6,
     "CONTIGFINAL: has -4 bytes, at least 1 is allowed"},
    {"EXIT CONTIG(2, 1, 1)\nCONTIGFINAL(0) BOTTOM", DAME_ERR_VERIFY, 2, 1,
     "CONTIGFINAL: has 0 bytes, at least 1 is allowed"},
    {"EXIT CONTIG(4611686018427387904, 2, 2) CONTIGFINAL(2) BOTTOM", DAME_ERR_VERIFY, 1, 6,
     "CONTIG: size exceeds 64 bits"},
    {"EXIT VECTORFINAL(2, 1, 9223372036854775807, 4, 4) " CF4 "BOTTOM", DAME_ERR_VERIFY, 1, 6,
     "VECTORFINAL: bounds exceed 64 bits"},
    {"EXIT CONTIG(1, 4, 4)\nBLOCKINDEXFINAL(2, 1, [-9223372036854775808, 9223372036854775800], 2, "
     "2) "
     "CONTIGFINAL(2) BOTTOM",
     DAME_ERR_VERIFY, 2, 1, "BLOCKINDEXFINAL: bounds exceed 64 bits"},
    {"EXIT STRUCT(1, [2], [0], [4], [4]) RETURNTO(2) " CF4 "BOTTOM BOTTOM", DAME_ERR_VERIFY, 1, 36,
     "RETURNTO names primitive 2, its STRUCT is primitive 1"},
    {"EXIT\n STRUCT(2, [2, 1], [0, 40], [4, 9], [4, 8])\n RETURNTO(1) " CF4
     "BOTTOM RETURNTO(1) CONTIGFINAL(8) BOTTOM BOTTOM",
     DAME_ERR_VERIFY, 2, 2, "STRUCT: size 1 is 9, the subprogram has 8 bytes"},
    {"EXIT VECTOR(2, 2, 100, 20, 20)\n STRUCT(1, [2], [0], [4], [4])\n RETURNTO(2)\n "
     "CONTIGFINAL(5) BOTTOM BOTTOM",
     DAME_ERR_VERIFY, 2, 2, "STRUCT: size 0 is 4, the subprogram has 5 bytes"},
};

enum { WRONGS = sizeof wrongs / sizeof wrongs[0] };

START_TEST(a_wrong_text_is_refused_with_place_and_reason)
{
    const wrong_t *wrong = &wrongs[_i];
    dame_program_t *program = NULL;
    dame_text_error_t error = {0, 0, ""};
    dame_status_t status = parse(wrong->text, strlen(wrong->text), &program, &error);
    ck_assert_msg(status == wrong->status, "%s: %s", wrong->text, dame_status_text(status));
    ck_assert_ptr_null(program);
    ck_assert_str_eq(error.message, wrong->message);
    ck_assert_msg(error.line == wrong->line && error.column == wrong->column,
                  "%s: at %" PRId64 ":%" PRId64 ", not %d:%d", wrong->text, error.line,
                  error.column, wrong->line, wrong->column);
    ck_assert_int_eq(parse(wrong->text, strlen(wrong->text), &program, NULL), status);
}
END_TEST

START_TEST(a_zero_byte_is_no_end)
{
    static const char text[] = "EXIT\0 CONTIGFINAL(4) BOTTOM";
    dame_program_t *program = NULL;
    dame_text_error_t error;
    ck_assert_int_eq(parse(text, sizeof text - 1, &program, &error), DAME_ERR_TEXT);
    ck_assert_str_eq(error.message, "found '\\x00', expected a primitive");
    ck_assert_int_eq(error.column, 5);
}
END_TEST

START_TEST(no_prefix_of_a_program_is_one)
{
    for (size_t n = 0; n < strlen(everything) - 1; n++) {
        dame_program_t *program = NULL;
        dame_text_error_t error;
        ck_assert_int_eq(parse(everything, n, &program, &error), DAME_ERR_TEXT);
    }
}
END_TEST

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

START_TEST(levels_nest_up_to_the_limit)
{
    for (int levels = DAME_TEXT_NESTING; levels <= DAME_TEXT_NESTING + 1; levels++) {
        char *text = nested(levels, "VECTOR1(1, 1, 4, 4, 4)\n", CF4, "");
        dame_program_t *program = NULL;
        dame_text_error_t error;
        dame_status_t status = parse(text, strlen(text), &program, &error);
        if (levels == DAME_TEXT_NESTING) {
            ck_assert_int_eq(status, DAME_OK);
            ck_assert_int_eq(program->depth, DAME_TEXT_NESTING + 1);
            dame_program_free(program);
        } else {
            ck_assert_int_eq(status, DAME_ERR_LIMIT);
            ck_assert_int_eq(error.line, levels + 1);
            ck_assert_str_eq(error.message, "201 nested levels, at most 200 are allowed");
        }
        free(text);
    }
}
END_TEST

/* Every level also has a CONTIGCHILD: the deepest that the machine gets to see. */
START_TEST(levels_with_instances_nest_up_to_the_limit)
{
    char *text = nested(DAME_TEXT_NESTING, "INDEX(1, [1], [0], 4, 4)\n", CF4, "");
    dame_program_t *program = parsed(text);
    ck_assert_int_eq(program->depth, 2 * DAME_TEXT_NESTING + 1);
    char *printed = text_of(program);
    dame_program_t *again = parsed(printed);
    ck_assert_int_eq(again->depth, program->depth);
    int32_t value = 0x01020304;
    int32_t packed = 0;
    dame_program_run(again, DAME_PACK, (uintptr_t) &value, 1, (char *) &packed);
    ck_assert_int_eq(packed, value);
    dame_program_free(again);
    dame_program_free(program);
    free(printed);
    free(text);
}
END_TEST

START_TEST(structs_nested_without_end_are_refused)
{
    char *text = nested(100000, "STRUCT(1, [1], [0], [4], [4]) RETURNTO(1)\n", CF4, "BOTTOM ");
    dame_program_t *program = NULL;
    dame_text_error_t error;
    dame_status_t status = parse(text, strlen(text), &program, &error);
    ck_assert_int_ne(status, DAME_OK); /* the second RETURNTO is already wrong */
    ck_assert_int_eq(error.line, 3);
    free(text);

    size_t room = 100000;
    text = malloc(room);
    ck_assert_ptr_nonnull(text);
    char *end = stpcpy(text, "EXIT\n");
    for (int i = 0; i < 1000; i++) { /* EXIT, then STRUCT and RETURNTO in turn */
        end += snprintf(end, room - (size_t) (end - text),
                        "STRUCT(1, [1], [0], [4], [4]) RETURNTO(%d)\n", 2 * i + 1);
    }
    ck_assert_int_eq(parse(text, strlen(text), &program, &error), DAME_ERR_LIMIT);
    ck_assert_int_eq(error.line, DAME_TEXT_NESTING + 2);
    ck_assert_str_eq(error.message, "201 nested levels, at most 200 are allowed");
    free(text);
}
END_TEST

START_TEST(too_many_primitives_are_refused)
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
    dame_program_t *program = NULL;
    dame_text_error_t error;
    ck_assert_int_eq(parse(text, strlen(text), &program, &error), DAME_ERR_LIMIT);
    ck_assert_str_eq(error.message, "1048577 primitives, at most 1048576 are allowed");
    ck_assert_int_eq(error.line, 2 + ((1 << 20) - 2) / 3);
    free(text);
}
END_TEST

START_TEST(a_long_list_costs_its_length)
{
    enum { N = 1000000 };
    char *text = malloc(16 * (size_t) N);
    ck_assert_ptr_nonnull(text);
    char *end = text + sprintf(text, "EXIT BLOCKINDEXFINAL(%d, 1, [", N);
    for (int i = 0; i < N; i++) {
        end += sprintf(end, i == 0 ? "%d" : ",%d", i * 12);
    }
    strcpy(end, "], 4, 4) CONTIGFINAL(4) BOTTOM");
    dame_program_t *program = parsed(text);
    ck_assert_int_eq(program->size, 4 * N);
    ck_assert_int_eq(program->extent, 12 * (N - 1) + 4);
    ck_assert_uint_le(program->memory, 8 * N + 4096);
    dame_program_free(program);
    free(text);
}
END_TEST

Suite *parse_suite(void)
{
    Suite *suite = suite_create("parse");
    TCase *tcase = tree_case("read");
    tcase_add_test(tcase, a_printed_program_is_read_as_it_is_written);
    tcase_add_test(tcase, the_transpose_packs_columns);
    tcase_add_test(tcase, levels_that_text_leaves_out_are_inserted);
    tcase_add_test(tcase, white_space_and_comments_are_free);
    tcase_add_test(tcase, the_papers_spellings_are_read);
    tcase_add_test(tcase, exit_says_extent_and_granule_where_they_are_not_the_usual_ones);
    tcase_add_test(tcase, the_usual_granule_keeps_every_leaf_whole);
    tcase_add_test(tcase, bounds_are_those_of_the_bytes);
    suite_add_tcase(suite, tcase);

    tcase = tree_case("refused");
    tcase_add_loop_test(tcase, a_wrong_text_is_refused_with_place_and_reason, 0, WRONGS);
    tcase_add_test(tcase, a_zero_byte_is_no_end);
    tcase_add_test(tcase, no_prefix_of_a_program_is_one);
    suite_add_tcase(suite, tcase);

    tcase = tree_case("limits");
    tcase_add_test(tcase, levels_nest_up_to_the_limit);
    tcase_add_test(tcase, levels_with_instances_nest_up_to_the_limit);
    tcase_add_test(tcase, structs_nested_without_end_are_refused);
    tcase_add_test(tcase, too_many_primitives_are_refused);
    tcase_add_test(tcase, a_long_list_costs_its_length);
    suite_add_tcase(suite, tcase);
    return suite;
}
