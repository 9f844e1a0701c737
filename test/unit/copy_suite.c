/* Local copies, and when two messages in one buffer are apart. */
#include <stdlib.h>
#include <string.h>

#include "dame/isa.h"
#include "suites.h"
#include "tools.h"

enum { WIDEST = 300, BLOCKS = 5, STEP = WIDEST + 9, ROOM = BLOCKS * STEP };

/* Copies BLOCKS blocks of each width, a constant step apart or at a list of displacements. */
START_TEST(blocks_of_every_width_are_copied_and_gaps_are_not)
{
    const char *isa = dame_isa_names()[_i / 2];
    if (NULL == isa) {
        return;
    }
    ck_assert_int_eq(dame_isa_force(isa), DAME_OK);
    for (int64_t width = 1; width <= WIDEST; width++) {
        int64_t disps[BLOCKS];
        char from[ROOM], to[ROOM], wanted[ROOM];
        fill_pattern(from, ROOM, 1);
        fill_pattern(to, ROOM, 2);
        memcpy(wanted, to, ROOM);
        for (int64_t i = 0; i < BLOCKS; i++) {
            disps[i] = i * STEP + (_i % 2 ? i % 3 : 0);
            memcpy(wanted + disps[i], from + disps[i], (size_t) width);
        }
        dame_program_t *program = program_of(blockindex(BLOCKS, width, disps, basic(1)));
        dame_program_copy(program, (uintptr_t) to, (uintptr_t) from, 1);
        ck_assert_mem_eq(to, wanted, ROOM);
        dame_program_free(program);
    }
    ck_assert_int_eq(dame_isa_force(NULL), DAME_OK);
}
END_TEST

/* Columns are copied row by row: some, and all of them, where a row is one block. */
START_TEST(columns_of_a_matrix_are_copied)
{
    enum { ROWS = 600, WIDTH = 16 };
    static double from[ROWS][WIDTH], to[ROWS][WIDTH];
    const int columns = 0 == _i ? 5 : WIDTH;
    const dame_type_t *column = vector(ROWS, 1, sizeof from[0], basic(sizeof(double)));
    dame_program_t *program =
        program_of(vector(columns, 1, sizeof(double), resized(0, sizeof(double), column)));
    for (int row = 0; row < ROWS; row++) {
        for (int i = 0; i < WIDTH; i++) {
            from[row][i] = row * WIDTH + i;
            to[row][i] = -1;
        }
    }
    dame_program_copy(program, (uintptr_t) to, (uintptr_t) from, 1);
    for (int row = 0; row < ROWS; row++) {
        for (int i = 0; i < WIDTH; i++) {
            ck_assert(to[row][i] == (i < columns ? row * WIDTH + i : -1));
        }
    }
    dame_program_free(program);
}
END_TEST

START_TEST(a_copy_of_a_type_without_data_takes_no_time)
{
    dame_program_t *nothing = program_of(contig(0, basic(4)));
    ck_assert(dame_program_is_apart(nothing, (int64_t) 1 << 50, 0));
    dame_program_copy(nothing, 0, 0, (int64_t) 1 << 50);
    dame_program_free(nothing);
}
END_TEST

/* A face of a cube of doubles with n cells each way, `width` of them in the given direction. */
static dame_program_t *face(int64_t n, int64_t x, int64_t y, int64_t z)
{
    const int64_t cell = sizeof(double);
    const dame_type_t *row = contig(x, basic(cell));
    const dame_type_t *plane = vector(y, 1, n * cell, resized(0, cell, row));
    return program_of(vector(z, 1, n * n * cell, resized(0, cell, plane)));
}

START_TEST(the_faces_of_a_cube_are_apart_from_its_ghost_cells)
{
    enum { N = 34, INNER = N - 2, CELL = sizeof(double) };
    dame_program_t *x = face(N, 1, INNER, INNER);
    dame_program_t *y = face(N, INNER, 1, INNER);
    dame_program_t *z = face(N, INNER, INNER, 1);
    for (int sign = -1; sign <= 1; sign += 2) {
        ck_assert(dame_program_is_apart(x, 1, sign * INNER * CELL));
        ck_assert(dame_program_is_apart(y, 1, sign * INNER * N * CELL));
        ck_assert(dame_program_is_apart(z, 1, sign * INNER * N * N * CELL));
        ck_assert(dame_program_is_apart(y, 1, sign * N * CELL));
        ck_assert(!dame_program_is_apart(x, 1, sign * N * CELL));
        ck_assert(dame_program_is_apart(y, 1, sign * INNER * CELL));
        ck_assert(dame_program_is_apart(z, 1, sign * INNER * N * CELL));
        ck_assert(!dame_program_is_apart(y, 1, sign * (INNER - 1) * CELL));
        ck_assert(!dame_program_is_apart(z, 1, sign * (INNER - 1) * N * CELL));
        ck_assert(!dame_program_is_apart(z, 1, sign * 1));
    }
    dame_program_free(x);
    dame_program_free(y);
    dame_program_free(z);
}
END_TEST

START_TEST(a_message_meets_itself_and_its_neighbours)
{
    const int64_t disps[] = {0, 100, 250};
    dame_program_t *strided = program_of(vector(10, 1, 12, basic(4)));
    dame_program_t *listed = program_of(blockindex(3, 1, disps, basic(8)));
    ck_assert(!dame_program_is_apart(strided, 1, 0));
    ck_assert(!dame_program_is_apart(strided, 1, 3));
    ck_assert(dame_program_is_apart(strided, 1, 4));
    ck_assert(dame_program_is_apart(strided, 1, 8));
    ck_assert(!dame_program_is_apart(strided, 1, 9));
    ck_assert(!dame_program_is_apart(strided, 1, -108));
    ck_assert(dame_program_is_apart(strided, 1, -112));
    ck_assert(dame_program_is_apart(strided, 1, 120));
    ck_assert(!dame_program_is_apart(strided, 2, 112)); /* the next element stands at 112 */
    ck_assert(!dame_program_is_apart(listed, 1, 50));   /* a list is not looked through */
    ck_assert(!dame_program_is_apart(listed, 1, -257));
    ck_assert(dame_program_is_apart(listed, 1, 258));
    ck_assert(!dame_program_is_apart(listed, 1, INT64_MIN));
    ck_assert(!dame_program_is_apart(listed, INT64_MAX, 1 << 20));
    ck_assert(dame_program_is_apart(listed, 0, 0));
    dame_program_free(strided);
    dame_program_free(listed);
}
END_TEST

Suite *copy_suite(void)
{
    Suite *suite = suite_create("copy");
    TCase *copies = tree_case("copies");
    tcase_add_loop_test(copies, blocks_of_every_width_are_copied_and_gaps_are_not, 0, 6);
    tcase_add_loop_test(copies, columns_of_a_matrix_are_copied, 0, 2);
    tcase_add_test(copies, a_copy_of_a_type_without_data_takes_no_time);
    suite_add_tcase(suite, copies);

    TCase *apart = tree_case("apart");
    tcase_add_test(apart, the_faces_of_a_cube_are_apart_from_its_ghost_cells);
    tcase_add_test(apart, a_message_meets_itself_and_its_neighbours);
    suite_add_tcase(suite, apart);
    return suite;
}
