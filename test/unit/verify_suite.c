/*
 * The verifier refuses a program in which one field was damaged, and says where.
 *
 * A program is one allocation with its tables in it (dame/program.h: `memory`), so a copy of the
 * memory with its table pointers moved along is a program of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "suites.h"
#include "tools.h"

static const void *moved(const void *table, const dame_program_t *from, const dame_program_t *to)
{
    return table ? (const char *) to + ((const char *) table - (const char *) from) : NULL;
}

static dame_program_t *copy_of(const dame_program_t *program)
{
    dame_program_t *copy = malloc(program->memory);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, program, program->memory);
    for (int32_t i = 0; i < copy->nprims; i++) {
        dame_prim_t *prim = &copy->prims[i];
        prim->params = (dame_params_t *) (uintptr_t) moved(prim->params, program, copy);
        prim->disps = moved(prim->disps, program, copy);
        prim->disps32 = moved(prim->disps32, program, copy);
        prim->visits = moved(prim->visits, program, copy);
        prim->prefix = moved(prim->prefix, program, copy);
        prim->inner_deltas = moved(prim->inner_deltas, program, copy);
        prim->params->sub_deltas = moved(prim->params->sub_deltas, program, copy);
        prim->params->blklens = moved(prim->params->blklens, program, copy);
        prim->params->extents = moved(prim->params->extents, program, copy);
    }
    return copy;
}

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

#define DAMAGE(name, statement)                                                                    \
    static void name(dame_program_t *p)                                                            \
    {                                                                                              \
        statement;                                                                                 \
    }

DAMAGE(exit_is_another_op, p->prims[0].params->op = DAME_OP_BOTTOM)
DAMAGE(last_is_no_bottom, p->prims[4].params->op = DAME_OP_EXIT)
DAMAGE(leaf_is_bottom, p->prims[3].params->op = DAME_OP_BOTTOM)
DAMAGE(op_is_unknown, p->prims[1].params->op = (dame_op_t) 99)
DAMAGE(list_is_vector, p->prims[1].params->op = DAME_OP_VECTOR1)
DAMAGE(list_is_final, p->prims[1].params->op = DAME_OP_BLOCKINDEXFINAL)
DAMAGE(count_is_zero, p->prims[1].count = 0)
DAMAGE(count_is_negative, p->prims[2].count = -4)
DAMAGE(count_is_less, p->prims[1].count = 2)
DAMAGE(count_is_more, p->prims[2].count = 5)
DAMAGE(count_is_huge, p->prims[2].count = INT64_MAX)
DAMAGE(list_is_shorter_than_count, p->prims[1].count = 4)
DAMAGE(list_is_much_shorter_than_count, p->prims[1].count = INT64_MAX)
DAMAGE(blklen_is_two, p->prims[1].params->blklen = 2)
DAMAGE(blklen_is_zero, p->prims[2].params->blklen = 0)
DAMAGE(blklen_is_huge, p->prims[2].params->blklen = INT64_MAX)
DAMAGE(list_is_missing, p->prims[1].disps32 = NULL)
DAMAGE(list_is_too_many, p->prims[2].disps32 = p->prims[1].disps32)
DAMAGE(list_is_of_both_widths, p->prims[1].disps = &p->prims[4].step)
DAMAGE(displacement_is_outside, writable32(p->prims[1].disps32)[2] = 1000)
DAMAGE(displacement_is_below, writable32(p->prims[1].disps32)[0] = -4)
DAMAGE(displacement_is_huge, writable32(p->prims[1].disps32)[1] = INT32_MAX)
DAMAGE(far_list_is_missing, p->prims[1].disps = NULL)
DAMAGE(far_list_is_too_many, p->prims[2].disps = p->prims[1].disps)
DAMAGE(far_displacement_is_outside, writable(p->prims[1].disps)[2] = INT64_C(1) << 32)
DAMAGE(far_displacement_is_huge, writable(p->prims[1].disps)[1] = INT64_MAX)
DAMAGE(size_disagrees, p->prims[1].params->size = 12)
DAMAGE(size_is_zero, p->prims[2].params->size = 0)
DAMAGE(size_is_huge, p->prims[1].params->size = INT64_MAX)
DAMAGE(isize_disagrees, p->prims[2].iter_size = 8)
DAMAGE(leaf_is_longer, p->prims[3].params->size = 8)
DAMAGE(leaf_is_negative, p->prims[3].params->size = -4)
DAMAGE(stride_is_outside, p->prims[2].step = 16)
DAMAGE(stride_is_huge, p->prims[2].step = INT64_MIN)
DAMAGE(inner_is_missing, p->prims[1].inner_delta = 0)
DAMAGE(inner_is_elsewhere, p->prims[1].inner_delta = 2)
DAMAGE(inner_leads_into_a_leaf, p->prims[2].inner_delta = 1)
DAMAGE(kernel_is_missing, p->prims[2].run[DAME_UNPACK] = NULL)
DAMAGE(exit_kernel_is_missing, p->prims[0].run[DAME_PACK] = NULL)
DAMAGE(program_is_shorter, p->nprims = 4)
DAMAGE(program_is_only_exit, p->nprims = 1)
DAMAGE(total_size_disagrees, p->size = 44)
DAMAGE(extent_disagrees, p->extent = 52)
DAMAGE(true_lb_disagrees, p->true_lb = 4)
DAMAGE(true_ub_disagrees, p->true_ub = 44)
DAMAGE(depth_is_less, p->depth = 2)
DAMAGE(depth_is_more, p->depth = 4)
DAMAGE(granule_is_zero, p->granule = 0)
DAMAGE(returns_elsewhere, p->prims[7].params->struct_index = 2)
DAMAGE(subprogram_is_open, p->prims[6].params->op = DAME_OP_EXIT)
DAMAGE(subprogram_has_no_returnto, p->prims[2].params->op = DAME_OP_CONTIG)
DAMAGE(struct_has_no_inners, p->prims[1].inner_deltas = NULL)
DAMAGE(struct_has_no_blklens, p->prims[1].params->blklens = NULL)
DAMAGE(struct_has_no_extents, p->prims[1].params->extents = NULL)
DAMAGE(struct_has_no_prefix, p->prims[1].prefix = NULL)
DAMAGE(struct_inner_is_elsewhere, ((int32_t *) (uintptr_t) p->prims[1].inner_deltas)[1] = 3)
DAMAGE(struct_inner_is_missing, ((int32_t *) (uintptr_t) p->prims[1].inner_deltas)[0] = 0)
DAMAGE(struct_blklen_is_zero, writable(p->prims[1].params->blklens)[1] = 0)
DAMAGE(struct_blklen_is_three, writable(p->prims[1].params->blklens)[0] = 3)
DAMAGE(struct_extent_disagrees, writable(p->prims[1].params->extents)[0] = 16)
DAMAGE(struct_prefix_disagrees, writable(p->prims[1].prefix)[1] = 8)
DAMAGE(struct_list_is_narrow, p->prims[1].disps32 = p->prims[1].params->sub_deltas)
DAMAGE(struct_displacement_is_outside, writable(p->prims[1].disps)[1] = 200)
DAMAGE(struct_is_shorter, p->prims[1].count = 1)
DAMAGE(struct_child_count_disagrees, p->prims[3].count = 3)
DAMAGE(struct_child_step_disagrees, p->prims[3].step = 8)
DAMAGE(struct_child_isize_disagrees, p->prims[3].iter_size = 4)
DAMAGE(struct_child_inner_is_missing, p->prims[3].inner_delta = 0)
DAMAGE(prefix_starts_late, writable(p->prims[1].prefix)[0] = 1)
DAMAGE(prefix_falls, writable(p->prims[1].prefix)[2] = 8)
DAMAGE(prefix_is_no_multiple, writable(p->prims[1].prefix)[1] = 10)
DAMAGE(prefix_ends_early, writable(p->prims[1].prefix)[3] = 40)
DAMAGE(prefix_is_missing, p->prims[1].prefix = NULL)
DAMAGE(index_extent_disagrees, p->prims[1].params->extent = 16)
DAMAGE(index_child_counts, p->prims[2].count = 3)
DAMAGE(index_child_is_missing, p->prims[2].params->op = DAME_OP_CONTIG)
DAMAGE(vector_child_counts_less, p->prims[2].count = 1)
DAMAGE(vector_child_step_disagrees, p->prims[2].step = 4)
DAMAGE(vector_extent_disagrees, p->prims[1].params->extent = 12)
DAMAGE(vector_has_one, p->prims[1].params->op = DAME_OP_VECTOR1)
DAMAGE(vector_stride_is_outside, p->prims[1].step = 104)
DAMAGE(contig_step_disagrees, p->prims[1].step = 16)
DAMAGE(contig_extent_disagrees, p->prims[1].params->extent = 16)
DAMAGE(plain_has_inner, p->prims[0].inner_delta = 1)
DAMAGE(plain_exit_counts, p->prims[0].count = 2)
DAMAGE(plain_exit_step, p->prims[0].step = 44)
DAMAGE(plain_exit_isize, p->prims[0].iter_size = 44)
DAMAGE(plain_exit_has_a_list, p->prims[0].disps = &p->prims[0].step)
DAMAGE(plain_exit_has_prefix, p->prims[0].prefix = &p->prims[0].step)
DAMAGE(plain_leaf_is_longer, p->prims[1].params->size = 44)

#define ENTRY(text, apply, named)                                                                  \
    {                                                                                              \
#apply, text, apply, named                                                                 \
    }

static const damage_t damages[] = {
    ENTRY(transpose, exit_is_another_op, "EXIT"),
    ENTRY(transpose, last_is_no_bottom, "BOTTOM"),
    ENTRY(transpose, leaf_is_bottom, "CONTIGFINAL"),
    ENTRY(transpose, op_is_unknown, "primitive 1"),
    ENTRY(transpose, list_is_vector, "primitive"),
    ENTRY(transpose, list_is_final, "primitive"),
    ENTRY(transpose, count_is_zero, "BLOCKINDEX1"),
    ENTRY(transpose, count_is_negative, "VECTORFINAL"),
    ENTRY(transpose, count_is_less, "primitive"),
    ENTRY(transpose, count_is_more, "primitive"),
    ENTRY(transpose, count_is_huge, "primitive"),
    ENTRY(transpose, list_is_shorter_than_count, "primitive"),
    ENTRY(transpose, list_is_much_shorter_than_count, "primitive"),
    ENTRY(transpose, blklen_is_two, "BLOCKINDEX1"),
    ENTRY(transpose, blklen_is_zero, "VECTORFINAL"),
    ENTRY(transpose, blklen_is_huge, "primitive"),
    ENTRY(transpose, list_is_missing, "BLOCKINDEX1"),
    ENTRY(transpose, list_is_too_many, "VECTORFINAL"),
    ENTRY(transpose, list_is_of_both_widths, "BLOCKINDEX1"),
    ENTRY(far_columns, far_list_is_missing, "BLOCKINDEX1"),
    ENTRY(far_columns, far_list_is_too_many, "VECTORFINAL"),
    ENTRY(far_columns, far_displacement_is_outside, "primitive"),
    ENTRY(far_columns, far_displacement_is_huge, "primitive"),
    ENTRY(two_members, struct_list_is_narrow, "STRUCT"),
    ENTRY(transpose, displacement_is_outside, "primitive"),
    ENTRY(transpose, displacement_is_below, "primitive"),
    ENTRY(transpose, displacement_is_huge, "primitive"),
    ENTRY(transpose, size_disagrees, "BLOCKINDEX1"),
    ENTRY(transpose, size_is_zero, "VECTORFINAL"),
    ENTRY(transpose, size_is_huge, "primitive"),
    ENTRY(transpose, isize_disagrees, "VECTORFINAL"),
    ENTRY(transpose, leaf_is_longer, "VECTORFINAL"),
    ENTRY(transpose, leaf_is_negative, "CONTIGFINAL"),
    ENTRY(transpose, stride_is_outside, "primitive"),
    ENTRY(transpose, stride_is_huge, "primitive"),
    ENTRY(transpose, inner_is_missing, "BLOCKINDEX1"),
    ENTRY(transpose, inner_is_elsewhere, "BLOCKINDEX1"),
    ENTRY(transpose, inner_leads_into_a_leaf, "VECTORFINAL"),
    ENTRY(transpose, kernel_is_missing, "VECTORFINAL"),
    ENTRY(transpose, exit_kernel_is_missing, "EXIT"),
    ENTRY(transpose, program_is_shorter, "primitive 4"),
    ENTRY(transpose, program_is_only_exit, "primitive 1"),
    ENTRY(transpose, total_size_disagrees, "EXIT"),
    ENTRY(transpose, extent_disagrees, "EXIT"),
    ENTRY(transpose, true_lb_disagrees, "primitive"),
    ENTRY(transpose, true_ub_disagrees, "primitive"),
    ENTRY(transpose, depth_is_less, "primitive"),
    ENTRY(transpose, depth_is_more, "primitive"),
    ENTRY(transpose, granule_is_zero, "granule"),
    ENTRY(two_members, returns_elsewhere, "RETURNTO"),
    ENTRY(two_members, subprogram_is_open, "primitive 6"),
    ENTRY(two_members, subprogram_has_no_returnto, "RETURNTO"),
    ENTRY(two_members, struct_has_no_inners, "STRUCT"),
    ENTRY(two_members, struct_has_no_blklens, "STRUCT"),
    ENTRY(two_members, struct_has_no_extents, "STRUCT"),
    ENTRY(two_members, struct_has_no_prefix, "STRUCT"),
    ENTRY(two_members, struct_inner_is_elsewhere, "STRUCT"),
    ENTRY(two_members, struct_inner_is_missing, "STRUCT"),
    ENTRY(two_members, struct_blklen_is_zero, "STRUCT"),
    ENTRY(two_members, struct_blklen_is_three, "primitive"),
    ENTRY(two_members, struct_extent_disagrees, "primitive"),
    ENTRY(two_members, struct_prefix_disagrees, "primitive"),
    ENTRY(two_members, struct_displacement_is_outside, "primitive"),
    ENTRY(two_members, struct_is_shorter, "primitive"),
    ENTRY(two_members, struct_child_count_disagrees, "CONTIGCHILD"),
    ENTRY(two_members, struct_child_step_disagrees, "CONTIGCHILD"),
    ENTRY(two_members, struct_child_isize_disagrees, "CONTIGCHILD"),
    ENTRY(two_members, struct_child_inner_is_missing, "primitive"),
    ENTRY(ragged, prefix_starts_late, "INDEX"),
    ENTRY(ragged, prefix_falls, "INDEX"),
    ENTRY(ragged, prefix_is_no_multiple, "INDEX"),
    ENTRY(ragged, prefix_ends_early, "primitive"),
    ENTRY(ragged, prefix_is_missing, "INDEX"),
    ENTRY(ragged, index_extent_disagrees, "primitive"),
    ENTRY(ragged, index_child_counts, "CONTIGCHILD"),
    ENTRY(ragged, index_child_is_missing, "CONTIGCHILD"),
    ENTRY(blocks, vector_child_counts_less, "CONTIGCHILD"),
    ENTRY(blocks, vector_child_step_disagrees, "CONTIGCHILD"),
    ENTRY(blocks, vector_extent_disagrees, "primitive"),
    ENTRY(blocks, vector_has_one, "VECTOR1"),
    ENTRY(blocks, vector_stride_is_outside, "primitive"),
    ENTRY(repeated, contig_step_disagrees, "CONTIG"),
    ENTRY(repeated, contig_extent_disagrees, "CONTIG"),
    ENTRY(plain, plain_has_inner, "EXIT"),
    ENTRY(plain, plain_exit_counts, "EXIT"),
    ENTRY(plain, plain_exit_step, "EXIT"),
    ENTRY(plain, plain_exit_isize, "EXIT"),
    ENTRY(plain, plain_exit_has_a_list, "EXIT"),
    ENTRY(plain, plain_exit_has_prefix, "EXIT"),
    ENTRY(plain, plain_leaf_is_longer, "EXIT"),
};

enum { DAMAGES = sizeof damages / sizeof damages[0] };

START_TEST(a_damaged_program_is_refused_and_the_primitive_named)
{
    const damage_t *damage = &damages[_i];
    dame_program_t *program = program_of_text(damage->text);
    dame_program_t *copy = copy_of(program);
    char message[300] = "";
    ck_assert_int_eq(dame_program_verify(copy, message, sizeof message), DAME_OK);
    damage->apply(copy);
    dame_status_t status = dame_program_verify(copy, message, sizeof message);
    ck_assert_msg(status == DAME_ERR_VERIFY, "%s: accepted", damage->what);
    ck_assert_msg(strstr(message, damage->named) != NULL, "%s: '%s' does not name %s", damage->what,
                  message, damage->named);
    free(copy);
    dame_program_free(program);
}
END_TEST

/* A shuffled list of two windows of 64 and a rest, with its sorted table. */
static dame_program_t *sorted_program(void)
{
    enum { N = 150 };
    int64_t disps[N];
    for (int64_t i = 0; i < N; i++) {
        disps[i] = i * 77 % N * 8;
    }
    dame_options_t options = *dame_options_default();
    options.sort = DAME_SORT_ALWAYS;
    options.fragment = 1;
    dame_program_t *program;
    ck_assert_int_eq(dame_program_build(blockindex(N, 1, disps, basic(4)), &options, &program),
                     DAME_OK);
    return program;
}

static dame_visit_t *writable_visits(dame_program_t *p)
{
    return (dame_visit_t *) (uintptr_t) p->prims[1].visits;
}

DAMAGE(sorted_table_is_missing, p->prims[1].visits = NULL)
DAMAGE(window_is_missing, p->prims[1].window = 0)
DAMAGE(window_is_negative, p->prims[1].window = -64)
DAMAGE(window_is_too_long, p->prims[1].window = 4097)
DAMAGE(window_is_shorter, p->prims[1].window = 63)
DAMAGE(slot_is_outside, writable_visits(p)[5].slot = 64)
DAMAGE(slot_is_below, writable_visits(p)[5].slot = -1)
DAMAGE(slot_is_twice, writable_visits(p)[64] = writable_visits(p)[127])
DAMAGE(visit_is_elsewhere, writable_visits(p)[127].disp += 8)
DAMAGE(exit_is_sorted, p->prims[0].visits = p->prims[1].visits)

START_TEST(a_damaged_sorted_table_is_refused)
{
    static void (*const apply[])(dame_program_t *) = {
        sorted_table_is_missing, window_is_missing, window_is_negative, window_is_too_long,
        window_is_shorter,       slot_is_outside,   slot_is_below,      slot_is_twice,
        visit_is_elsewhere,      exit_is_sorted};
    dame_program_t *program = sorted_program();
    for (size_t i = 0; i < sizeof apply / sizeof apply[0]; i++) {
        dame_program_t *copy = copy_of(program);
        ck_assert_int_eq(dame_program_verify(copy, NULL, 0), DAME_OK);
        apply[i](copy);
        ck_assert_msg(dame_program_verify(copy, NULL, 0) == DAME_ERR_VERIFY, "damage %d", (int) i);
        free(copy);
    }
    dame_program_free(program);
}
END_TEST

START_TEST(the_expected_primitives_stand_where_the_damages_are)
{
    const struct {
        const char *text;
        int32_t n;
        dame_op_t ops[12];
    } layouts[] = {
        {transpose,
         5,
         {DAME_OP_EXIT, DAME_OP_BLOCKINDEX1, DAME_OP_VECTORFINAL, DAME_OP_CONTIGFINAL,
          DAME_OP_BOTTOM}},
        {two_members,
         12,
         {DAME_OP_EXIT, DAME_OP_STRUCT, DAME_OP_RETURNTO, DAME_OP_CONTIGCHILD, DAME_OP_VECTORFINAL,
          DAME_OP_CONTIGFINAL, DAME_OP_BOTTOM, DAME_OP_RETURNTO, DAME_OP_VECTORFINAL,
          DAME_OP_CONTIGFINAL, DAME_OP_BOTTOM, DAME_OP_BOTTOM}},
        {ragged,
         6,
         {DAME_OP_EXIT, DAME_OP_INDEX, DAME_OP_CONTIGCHILD, DAME_OP_VECTORFINAL,
          DAME_OP_CONTIGFINAL, DAME_OP_BOTTOM}},
        {blocks,
         5,
         {DAME_OP_EXIT, DAME_OP_VECTOR, DAME_OP_CONTIGCHILD, DAME_OP_CONTIGFINAL, DAME_OP_BOTTOM}},
        {repeated,
         5,
         {DAME_OP_EXIT, DAME_OP_CONTIG, DAME_OP_VECTORFINAL, DAME_OP_CONTIGFINAL, DAME_OP_BOTTOM}},
        {plain, 3, {DAME_OP_EXIT, DAME_OP_CONTIGFINAL, DAME_OP_BOTTOM}},
    };
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        dame_program_t *program = program_of_text(layouts[i].text);
        ck_assert_int_eq(program->nprims, layouts[i].n);
        for (int32_t k = 0; k < program->nprims; k++) {
            ck_assert_str_eq(dame_op_name(program->prims[k].params->op),
                             dame_op_name(layouts[i].ops[k]));
        }
        dame_program_free(program);
    }
}
END_TEST

START_TEST(the_message_is_optional_and_stays_in_its_room)
{
    dame_program_t *program = program_of_text(transpose);
    dame_program_t *copy = copy_of(program);
    copy->prims[1].count = 0;
    ck_assert_int_eq(dame_program_verify(copy, NULL, 0), DAME_ERR_VERIFY);
    ck_assert_int_eq(dame_program_verify(copy, NULL, 100), DAME_ERR_VERIFY);
    for (size_t room = 0; room < 80; room++) {
        char message[80];
        memset(message, '#', sizeof message);
        ck_assert_int_eq(dame_program_verify(copy, message, room), DAME_ERR_VERIFY);
        if (room > 0) {
            ck_assert_ptr_nonnull(memchr(message, '\0', room));
        }
        for (size_t i = room; i < sizeof message; i++) {
            ck_assert_int_eq(message[i], '#');
        }
    }
    free(copy);
    dame_program_free(program);
}
END_TEST

/* Any one number replaced by an extreme: an answer, never a crash or an overflow. */
START_TEST(no_number_in_a_scalar_field_breaks_the_verifier)
{
    static const int64_t values[] = {INT64_MIN, INT64_MIN + 1, -1,       0, 1,
                                     1000003,   INT64_MAX - 1, INT64_MAX};
    const char *const texts[] = {transpose, two_members, ragged, blocks, repeated, plain};
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        dame_program_t *program = program_of_text(texts[t]);
        for (int32_t i = 0; i < program->nprims; i++) {
            for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
                for (int field = 0; field < 7; field++) {
                    dame_program_t *copy = copy_of(program);
                    dame_prim_t *p = &copy->prims[i];
                    dame_params_t *q = p->params;
                    int64_t *fields[] = {&p->count, &p->step,   &p->iter_size,   &q->blklen,
                                         &q->size,  &q->extent, &q->struct_index};
                    *fields[field] = values[v];
                    dame_status_t status = dame_program_verify(copy, NULL, 0);
                    ck_assert(status == DAME_OK || status == DAME_ERR_VERIFY);
                    free(copy);
                }
            }
        }
        dame_program_free(program);
    }
}
END_TEST

/* Each level has the one below twice: as text it would have 2^30 subprograms. */
START_TEST(shared_subprograms_are_verified_once)
{
    const dame_type_t *type = vector(2, 1, 8, basic(4));
    const dame_type_t *other = vector(3, 1, 24, basic(8));
    for (int i = 0; i < 30; i++) {
        const dame_type_t *members[] = {type, other, type};
        type = struct_type(3, (int64_t[]){1, 1, 1},
                           (int64_t[]){0, type->true_ub + 8, type->true_ub + 100}, members);
    }
    dame_options_t options = *dame_options_default();
    options.passes = DAME_PASSES_NONE;
    dame_program_t *program = NULL;
    ck_assert_int_eq(dame_program_build(type, &options, &program), DAME_OK);
    ck_assert_int_gt(program->depth, 30);
    ck_assert_int_eq(dame_program_verify(program, NULL, 0), DAME_OK);
    dame_program_free(program);
}
END_TEST

Suite *verify_suite(void)
{
    Suite *suite = suite_create("verify");
    TCase *tcase = tree_case("damage");
    tcase_add_test(tcase, the_expected_primitives_stand_where_the_damages_are);
    tcase_add_loop_test(tcase, a_damaged_program_is_refused_and_the_primitive_named, 0, DAMAGES);
    tcase_add_test(tcase, a_damaged_sorted_table_is_refused);
    tcase_add_test(tcase, the_message_is_optional_and_stays_in_its_room);
    tcase_add_test(tcase, no_number_in_a_scalar_field_breaks_the_verifier);
    tcase_add_test(tcase, shared_subprograms_are_verified_once);
    suite_add_tcase(suite, tcase);
    return suite;
}
