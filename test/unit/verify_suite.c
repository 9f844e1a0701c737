/* SPDX-License-Identifier: BSD-3-Clause */
/* The verifier refuses a program in which one field was damaged, and says where. */
#include <string.h>

#include "suites.h"
#include "tools.h"

/* Tables are read-only to everybody but these tests. */
static int64_t *writable(const int64_t *table)
{
    return (int64_t *) (uintptr_t) table;
}

static int32_t *writable32(const int32_t *table)
{
    return (int32_t *) (uintptr_t) table;
}

/* The transpose: 0 EXIT, 1 BLOCKINDEX1, 2 VECTORFINAL, 3 CONTIGFINAL, 4 BOTTOM */
static const char transpose[] = "EXIT"
                                "  BLOCKINDEX1(3, 1, [0, 4, 8], 16, 40)"
                                "    VECTORFINAL(4, 1, 12, 4, 4)"
                                "      CONTIGFINAL(4) "
                                "BOTTOM";

/* The same with columns further apart than 32 bits count. */
static const char far_columns[] = "EXIT"
                                  "  BLOCKINDEX1(3, 1, [0, 2147483648, 8], 16, 40)"
                                  "    VECTORFINAL(4, 1, 12, 4, 4)"
                                  "      CONTIGFINAL(4) "
                                  "BOTTOM";

/* 0 EXIT, 1 STRUCT, 2 RETURNTO, 3 CONTIGCHILD, 4 VECTORFINAL, 5 CONTIGFINAL, 6 BOTTOM,
 * 7 RETURNTO, 8 VECTORFINAL, 9 CONTIGFINAL, 10 BOTTOM, 11 BOTTOM */
static const char two_members[] = "EXIT"
                                  "  STRUCT(2, [2, 1], [0, 100], [8, 24], [12, 40])"
                                  "    RETURNTO(1)"
                                  "      VECTORFINAL(2, 1, 8, 4, 4)"
                                  "        CONTIGFINAL(4)"
                                  "    BOTTOM"
                                  "    RETURNTO(1)"
                                  "      VECTORFINAL(3, 1, 16, 8, 8)"
                                  "        CONTIGFINAL(8)"
                                  "    BOTTOM "
                                  "BOTTOM";

/* 0 EXIT, 1 INDEX, 2 CONTIGCHILD, 3 VECTORFINAL, 4 CONTIGFINAL, 5 BOTTOM */
static const char ragged[] = "EXIT"
                             "  INDEX(3, [1, 3, 2], [0, 100, 50], 8, 12)"
                             "    VECTORFINAL(2, 1, 8, 4, 4)"
                             "      CONTIGFINAL(4) "
                             "BOTTOM";

/* 0 EXIT, 1 VECTOR, 2 CONTIGCHILD, 3 CONTIGFINAL, 4 BOTTOM */
static const char blocks[] = "EXIT"
                             "  VECTOR(3, 2, 100, 4, 8)"
                             "    CONTIGFINAL(4) "
                             "BOTTOM";

/* 0 EXIT, 1 CONTIG, 2 VECTORFINAL, 3 CONTIGFINAL, 4 BOTTOM */
static const char repeated[] = "EXIT"
                               "  CONTIG(5, 8, 12)"
                               "    VECTORFINAL(2, 1, 8, 4, 4)"
                               "      CONTIGFINAL(4) "
                               "BOTTOM";

/* 0 EXIT, 1 CONTIGFINAL, 2 BOTTOM */
static const char plain[] = "EXIT CONTIGFINAL(40) BOTTOM";

typedef struct damage {
    const char *what;
    const char *text;
    void (*apply)(dame_program_t *p);
    const char *named; /* what the message must contain */
} damage_t;

#define DAMAGE(text, named, name, statement)                                                       \
    static void name(dame_program_t *p)                                                            \
    {                                                                                              \
        statement;                                                                                 \
    }
#include "verify_damages.def"
#undef DAMAGE

static const damage_t damages[] = {
#define DAMAGE(text, named, name, statement) {#name, text, name, named},
#include "verify_damages.def"
#undef DAMAGE
};

LOOP_TEST(a_damaged_program_is_refused_and_the_primitive_named, COUNT_OF(damages))
{
    const damage_t *damage = &damages[_i];
    dame_program_t *program = program_of_text(damage->text);
    char message[300] = "";
    damage->apply(program);
    dame_status_t status = dame_program_verify(program, message, sizeof message);
    ck_assert_msg(status == DAME_ERR_VERIFY, "%s: accepted", damage->what);
    ck_assert_msg(strstr(message, damage->named) != NULL, "%s: '%s' does not name %s", damage->what,
                  message, damage->named);
    dame_program_free(program);
}

TEST(every_status_has_a_text_of_its_own)
{
    for (int a = DAME_OK; a <= DAME_ERR_DEVICE; a++) {
        ck_assert_str_ne(dame_status_text((dame_status_t) a), "unknown status");
        for (int b = DAME_OK; b < a; b++) {
            ck_assert_str_ne(dame_status_text((dame_status_t) a),
                             dame_status_text((dame_status_t) b));
        }
    }
    ck_assert_str_eq(dame_status_text((dame_status_t) (DAME_ERR_DEVICE + 1)), "unknown status");
}

/* A shuffled list of two windows of 64 and a rest, with its sorted table. */
static dame_program_t *sorted_program(void)
{
    enum { N = 150 };
    int64_t disps[N];
    for (int64_t i = 0; i < N; i++) {
        disps[i] = i * 77 % N * 8;
    }
    dame_options_t options = *dame_options_default();
    options.passes = DAME_PASSES_ALL;
    options.fragment = 1;
    dame_program_t *program;
    ck_assert_int_eq(dame_program_build(blockindex(N, 1, disps, basic(4)), &options, &program),
                     DAME_OK);
    ck_assert_int_eq(dame_program_verify(program, NULL, 0), DAME_OK);
    return program;
}

static dame_visit_t *writable_visits(dame_program_t *p)
{
    return (dame_visit_t *) (uintptr_t) p->prims[1].visits;
}

/* Damage number n of its table; false: there are no more. */
static bool damage_table(dame_program_t *p, int n)
{
    dame_prim_t *level = &p->prims[1];
    dame_visit_t *visits = writable_visits(p);
    switch (n) {
    case 0:
        level->visits = NULL;
        return true;
    case 1 ... 4:
        level->window = (int64_t[]){0, -64, 4097, 63}[n - 1];
        return true;
    case 5 ... 6:
        visits[5].slot = n == 5 ? 64 : -1;
        return true;
    case 7:
        visits[64] = visits[127];
        return true;
    case 8:
        visits[127].disp += 8;
        return true;
    case 9:
        p->prims[0].visits = level->visits;
        return true;
    default:
        return false;
    }
}

TEST(a_damaged_sorted_table_is_refused)
{
    dame_program_t *program = sorted_program();
    for (int n = 0; damage_table(program, n); n++) {
        ck_assert_msg(dame_program_verify(program, NULL, 0) == DAME_ERR_VERIFY, "damage %d", n);
        dame_program_free(program);
        program = sorted_program();
    }
    dame_program_free(program);
}

TEST(the_message_is_optional_and_stays_in_its_room)
{
    dame_program_t *program = program_of_text(transpose);
    program->prims[1].count = 0;
    ck_assert_int_eq(dame_program_verify(program, NULL, 0), DAME_ERR_VERIFY);
    ck_assert_int_eq(dame_program_verify(program, NULL, 100), DAME_ERR_VERIFY);
    for (size_t room = 0; room < 80; room++) {
        char message[80];
        memset(message, '#', sizeof message);
        ck_assert_int_eq(dame_program_verify(program, message, room), DAME_ERR_VERIFY);
        if (room > 0) {
            ck_assert_ptr_nonnull(memchr(message, '\0', room));
        }
        for (size_t i = room; i < sizeof message; i++) {
            ck_assert_int_eq(message[i], '#');
        }
    }
    dame_program_free(program);
}

/* Any one number replaced by an extreme: an answer, never a crash or an overflow. */
TEST(no_number_in_a_scalar_field_breaks_the_verifier)
{
    static const int64_t values[] = {INT64_MIN, INT64_MIN + 1, -1,       0, 1,
                                     1000003,   INT64_MAX - 1, INT64_MAX};
    const char *const texts[] = {transpose, two_members, ragged, blocks, repeated, plain};
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        dame_program_t *program = program_of_text(texts[t]);
        for (int32_t i = 0; i < program->nprims; i++) {
            dame_prim_t *p = &program->prims[i];
            dame_params_t *q = p->params;
            int64_t *fields[] = {&p->count, &p->step,   &p->iter_size,   &q->blklen,
                                 &q->size,  &q->extent, &q->struct_index};
            for (int n = 0; n < COUNT_OF(fields) * COUNT_OF(values); n++) {
                int64_t *field = fields[n / COUNT_OF(values)];
                const int64_t before = *field;
                *field = values[n % COUNT_OF(values)];
                dame_status_t status = dame_program_verify(program, NULL, 0);
                ck_assert(status == DAME_OK || status == DAME_ERR_VERIFY);
                *field = before;
            }
        }
        dame_program_free(program);
    }
}

SUITE_OF(verify, 1, tree_setup, tree_teardown)
