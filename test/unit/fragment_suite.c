/* What dame_cursor_pack() and dame_cursor_unpack() promise about where a fragment ends. */
#include <string.h>

#include "suites.h"
#include "tools.h"

/* 4 ints, 8 bytes apart: blocks of 4 at packed 0, 4, 8, 12. */
static const dame_type_t *ints_with_gaps(void)
{
    return vector(4, 1, 8, basic(4));
}

typedef struct fixture {
    dame_program_t *program;
    dame_cursor_t cursor;
    char memory[256];
    char packed[256];
} fixture_t;

static void open_fixture(fixture_t *f, const dame_type_t *type, int64_t count)
{
    f->program = program_of(type);
    fill_pattern(f->memory, sizeof f->memory, 7);
    memset(f->packed, 0, sizeof f->packed);
    ck_assert_int_eq(dame_cursor_init(&f->cursor, f->program, (uintptr_t) f->memory, count),
                     DAME_OK);
}

static void close_fixture(fixture_t *f)
{
    dame_cursor_fini(&f->cursor);
    dame_program_free(f->program);
}

START_TEST(packing_ends_with_a_whole_element)
{
    fixture_t f;
    open_fixture(&f, ints_with_gaps(), 1);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 10), 8);
    ck_assert_int_eq(f.cursor.position, 8);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 7), 4);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 7), 4);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 7), 0);
    close_fixture(&f);
}
END_TEST

START_TEST(packing_ends_on_a_granule_inside_a_long_block)
{
    fixture_t f;
    open_fixture(&f, vector(2, 20, 128, basic(4)), 1); /* blocks of 80 bytes */
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 15), 12);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 55), 52);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 30),
                     28); /* 16 of this, 12 of the next */
    ck_assert_mem_eq(f.packed, f.memory + 64, 16);
    ck_assert_mem_eq(f.packed + 16, f.memory + 128, 12);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 68), 68);
    ck_assert_int_eq(f.cursor.position, 160);
    close_fixture(&f);
}
END_TEST

START_TEST(packing_fills_small_rooms)
{
    fixture_t f;
    open_fixture(&f, vector(3, 16, 72, basic(4)), 1); /* blocks of 64 bytes */
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 127), 124);
    ck_assert_mem_eq(f.packed + 64, f.memory + 72, 60);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 63), 60);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 3), 0);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 4), 4);
    close_fixture(&f);
}
END_TEST

/* Blocks of `ints` ints, into rooms around the one that leaves short blocks whole. */
static void pack_with_much_room(int64_t ints, int64_t room, int64_t expected, int spares)
{
    static char memory[3 * DAME_SPARING_ROOM];
    static char packed[2 * DAME_SPARING_ROOM];
    dame_cursor_t cursor;
    const int64_t bytes = 4 * ints;
    dame_program_t *program =
        program_of(vector(2 * DAME_SPARING_ROOM / bytes, ints, bytes + 4, basic(4)));
    ck_assert_int_eq(dame_cursor_init(&cursor, program, (uintptr_t) memory, 1), DAME_OK);
    ck_assert_int_eq(dame_cursor_pack(&cursor, packed, room), expected);
    ck_assert_int_eq(dame_cursor_spares(&cursor, room) != 0, spares);
    dame_cursor_fini(&cursor);
    dame_program_free(program);
}

START_TEST(packing_with_much_room_spares_blocks_of_up_to_64_bytes)
{
    pack_with_much_room(5, 4096, 4080, 1); /* 204 blocks of 20 bytes */
    pack_with_much_room(5, 4095, 4092, 0);
    pack_with_much_room(16, 4159, 4096, 1); /* blocks of 64 bytes */
    pack_with_much_room(17, 4147, 4144, 0); /* longer ones are cut */
}
END_TEST

START_TEST(packing_writes_nothing_behind_what_it_returns)
{
    fixture_t f;
    for (int64_t length = 1; length <= 96; length++) {
        open_fixture(&f, vector(6, 4, 24, basic(4)), 1); /* blocks of 16 bytes */
        memset(f.packed, '#', sizeof f.packed);
        int64_t got = dame_cursor_pack(&f.cursor, f.packed, length);
        for (int64_t i = got; i < (int64_t) sizeof f.packed; i++) {
            ck_assert_msg(f.packed[i] == '#', "length %d: byte %d written, %d returned",
                          (int) length, (int) i, (int) got);
        }
        close_fixture(&f);
    }
}
END_TEST

START_TEST(packing_ends_on_a_granule_of_a_contiguous_message)
{
    fixture_t f;
    open_fixture(&f, basic(8), 20);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 100), 96);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 100), 64);
    ck_assert_mem_eq(f.packed, f.memory + 96, 64);
    close_fixture(&f);
}
END_TEST

START_TEST(packing_moves_nothing_when_no_element_fits)
{
    fixture_t f;
    open_fixture(&f, ints_with_gaps(), 1);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 3), 0);
    ck_assert_int_eq(f.cursor.position, 0);
    ck_assert_int_eq(f.packed[0], 0);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 4), 4);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 1), 0);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 5), 4);
    ck_assert_mem_eq(f.packed, f.memory + 8, 4);
    close_fixture(&f);
}
END_TEST

START_TEST(exact_packing_cuts_whatever_is_there)
{
    fixture_t f;
    for (int64_t length = 1; length <= 16; length++) {
        open_fixture(&f, ints_with_gaps(), 1);
        for (int64_t at = 0; at < 16; at += length) {
            int64_t got = 16 - at < length ? 16 - at : length;
            memset(f.packed, '#', sizeof f.packed);
            ck_assert_int_eq(dame_cursor_pack_exact(&f.cursor, f.packed, length), got);
            ck_assert_int_eq(f.cursor.position, at + got);
            for (int64_t i = at; i < at + got; i++) {
                ck_assert_int_eq(f.packed[i - at], f.memory[i / 4 * 8 + i % 4]);
            }
            ck_assert_int_eq(f.packed[got], '#');
        }
        ck_assert_int_eq(dame_cursor_pack_exact(&f.cursor, f.packed, length), 0);
        close_fixture(&f);
    }
}
END_TEST

START_TEST(exact_packing_cuts_short_blocks_too)
{
    fixture_t f;
    open_fixture(&f, vector(3, 16, 72, basic(4)), 1); /* blocks of 64 bytes */
    ck_assert_int_eq(dame_cursor_pack_exact(&f.cursor, f.packed, 127), 127);
    ck_assert_mem_eq(f.packed, f.memory, 64);
    ck_assert_mem_eq(f.packed + 64, f.memory + 72, 63);
    ck_assert_int_eq(dame_cursor_pack_exact(&f.cursor, f.packed, INT64_MAX), 65);
    close_fixture(&f);
}
END_TEST

START_TEST(packing_inside_an_element_ends_it_first)
{
    fixture_t f;
    open_fixture(&f, ints_with_gaps(), 1);
    ck_assert_int_eq(dame_cursor_pack_exact(&f.cursor, f.packed, 3), 3);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 3), 1);
    ck_assert_int_eq(f.packed[0], f.memory[3]);
    ck_assert_int_eq(dame_cursor_pack_exact(&f.cursor, f.packed, 1), 1);
    ck_assert_int_eq(f.packed[0], f.memory[8]);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 2), 0);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 8), 7); /* 3 of this, the next */
    ck_assert_mem_eq(f.packed, f.memory + 9, 3);
    ck_assert_mem_eq(f.packed + 3, f.memory + 16, 4);
    ck_assert_int_eq(f.cursor.position, 12);
    close_fixture(&f);
}
END_TEST

START_TEST(packing_after_a_seek_into_an_element_realigns)
{
    fixture_t f;
    open_fixture(&f, vector(2, 20, 128, basic(4)), 1); /* blocks of 80 bytes */
    dame_cursor_seek(&f.cursor, 5);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 10), 7); /* to 12 */
    ck_assert_mem_eq(f.packed, f.memory + 5, 7);
    dame_cursor_seek(&f.cursor, 5);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 2), 0);
    dame_cursor_seek(&f.cursor, 79);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 4), 1); /* the rest of block 0 */
    ck_assert_int_eq(f.packed[0], f.memory[79]);
    close_fixture(&f);
}
END_TEST

START_TEST(a_cursor_knows_when_it_is_not_inside_an_element)
{
    fixture_t f;
    open_fixture(&f, ints_with_gaps(), 2);
    for (int64_t position = 0; position <= 32; position++) {
        dame_cursor_seek(&f.cursor, position);
        ck_assert_int_eq(dame_cursor_on_boundary(&f.cursor) != 0, position % 4 == 0);
    }
    dame_cursor_seek(&f.cursor, 0);
    for (int64_t position = 1; position <= 32; position++) {
        ck_assert_int_eq(dame_cursor_unpack(&f.cursor, f.packed, 1), 1);
        ck_assert_int_eq(dame_cursor_on_boundary(&f.cursor) != 0, position % 4 == 0);
    }
    close_fixture(&f);
}
END_TEST

START_TEST(a_cursor_inside_a_block_of_several_sizes_promises_nothing_wrong)
{
    /* 1 + 16 and, apart, 16 + 8 + 1 bytes: the sizes have no granule that is of use */
    const dame_type_t *members[] = {basic(1), basic(16), basic(16), basic(8), basic(1)};
    static const char element[43] = {[0] = 1, [1] = 1, [17] = 1, [33] = 1, [41] = 1};
    fixture_t f;
    open_fixture(
        &f, struct_type(5, (int64_t[]){1, 1, 1, 1, 1}, (int64_t[]){0, 1, 20, 36, 44}, members), 2);
    for (int64_t position = 0; position <= 84; position++) {
        dame_cursor_seek(&f.cursor, position);
        if (dame_cursor_on_boundary(&f.cursor)) {
            ck_assert(element[position % 42]);
        }
        int64_t got = dame_cursor_pack(&f.cursor, f.packed, 11);
        ck_assert(got == 0 || element[(position + got) % 42]);
    }
    close_fixture(&f);
}
END_TEST

START_TEST(packing_all_that_is_left_needs_no_granule)
{
    fixture_t f;
    open_fixture(&f, ints_with_gaps(), 2);
    dame_cursor_seek(&f.cursor, 13);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, INT64_MAX), 32 - 13);
    ck_assert_int_eq(f.cursor.position, 32);
    close_fixture(&f);
}
END_TEST

START_TEST(fragments_of_no_bytes_move_nothing)
{
    fixture_t f;
    open_fixture(&f, ints_with_gaps(), 1);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 0), 0);
    ck_assert_int_eq(dame_cursor_unpack(&f.cursor, f.packed, 0), 0);
    ck_assert_int_eq(f.cursor.position, 0);
    dame_cursor_seek(&f.cursor, 6);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 0), 0);
    ck_assert_int_eq(dame_cursor_unpack(&f.cursor, f.packed, 0), 0);
    ck_assert_int_eq(f.cursor.position, 6);
    close_fixture(&f);
}
END_TEST

START_TEST(unpacking_takes_any_cut)
{
    char stream[16];
    char wanted[256];
    fixture_t f;
    fill_pattern(stream, sizeof stream, 8);
    for (int64_t first = 0; first <= 16; first++) {
        for (int64_t second = first; second <= 16; second++) {
            open_fixture(&f, ints_with_gaps(), 1);
            memcpy(wanted, f.memory, sizeof wanted);
            for (int i = 0; i < 16; i++) {
                wanted[i / 4 * 8 + i % 4] = stream[i];
            }
            ck_assert_int_eq(dame_cursor_unpack(&f.cursor, stream, first), first);
            ck_assert_int_eq(dame_cursor_unpack(&f.cursor, stream + first, second - first),
                             second - first);
            ck_assert_int_eq(dame_cursor_unpack(&f.cursor, stream + second, 100), 16 - second);
            ck_assert_mem_eq(f.memory, wanted, sizeof wanted);
            close_fixture(&f);
        }
    }
}
END_TEST

START_TEST(directions_may_change_under_one_cursor)
{
    char stream[16];
    fixture_t f;
    fill_pattern(stream, sizeof stream, 9);
    open_fixture(&f, ints_with_gaps(), 1);
    ck_assert_int_eq(dame_cursor_unpack(&f.cursor, stream, 5), 5);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 3), 3);
    ck_assert_mem_eq(f.packed, f.memory + 9, 3);
    ck_assert_int_eq(dame_cursor_unpack(&f.cursor, stream + 8, 8), 8);
    dame_cursor_seek(&f.cursor, 0);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, f.packed, 16), 16);
    ck_assert_mem_eq(f.packed, stream, 5);
    ck_assert_mem_eq(f.packed + 8, stream + 8, 8);
    close_fixture(&f);
}
END_TEST

START_TEST(elements_of_several_sizes_are_kept_whole_too)
{
    /* struct { double; int; (gap) double } in one block and another: granule of the block is 12 */
    const dame_type_t *members[] = {basic(8), basic(4), basic(8)};
    fixture_t f;
    open_fixture(&f, struct_type(3, (int64_t[]){1, 1, 1}, (int64_t[]){0, 8, 16}, members), 5);
    static const char cut_allowed[20] = {1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1};
    while (f.cursor.position < f.cursor.total) {
        int64_t got = dame_cursor_pack(&f.cursor, f.packed, 27);
        ck_assert_int_gt(got, 0);
        ck_assert(cut_allowed[f.cursor.position % 20]);
    }
    close_fixture(&f);
}
END_TEST

START_TEST(absolute_displacements_start_from_address_zero)
{
    char memory[64];
    char packed[12];
    fill_pattern(memory, sizeof memory, 10);
    const int64_t at[] = {(int64_t) (uintptr_t) (memory + 40), (int64_t) (uintptr_t) (memory + 8)};
    fixture_t f;
    f.program = program_of(index_type(2, (int64_t[]){2, 1}, at, basic(4)));
    ck_assert_int_eq(dame_cursor_init(&f.cursor, f.program, 0, 1), DAME_OK);
    ck_assert_int_eq(dame_cursor_pack(&f.cursor, packed, 12), 12);
    ck_assert_mem_eq(packed, memory + 40, 8);
    ck_assert_mem_eq(packed + 8, memory + 8, 4);
    close_fixture(&f);
}
END_TEST

Suite *fragment_suite(void)
{
    Suite *suite = suite_create("fragment");
    TCase *tcase = tree_case("fragment");
    tcase_add_test(tcase, packing_ends_with_a_whole_element);
    tcase_add_test(tcase, packing_ends_on_a_granule_inside_a_long_block);
    tcase_add_test(tcase, packing_fills_small_rooms);
    tcase_add_test(tcase, packing_with_much_room_spares_blocks_of_up_to_64_bytes);
    tcase_add_test(tcase, packing_writes_nothing_behind_what_it_returns);
    tcase_add_test(tcase, packing_ends_on_a_granule_of_a_contiguous_message);
    tcase_add_test(tcase, packing_moves_nothing_when_no_element_fits);
    tcase_add_test(tcase, packing_inside_an_element_ends_it_first);
    tcase_add_test(tcase, exact_packing_cuts_whatever_is_there);
    tcase_add_test(tcase, exact_packing_cuts_short_blocks_too);
    tcase_add_test(tcase, a_cursor_knows_when_it_is_not_inside_an_element);
    tcase_add_test(tcase, a_cursor_inside_a_block_of_several_sizes_promises_nothing_wrong);
    tcase_add_test(tcase, packing_after_a_seek_into_an_element_realigns);
    tcase_add_test(tcase, packing_all_that_is_left_needs_no_granule);
    tcase_add_test(tcase, fragments_of_no_bytes_move_nothing);
    tcase_add_test(tcase, unpacking_takes_any_cut);
    tcase_add_test(tcase, directions_may_change_under_one_cursor);
    tcase_add_test(tcase, elements_of_several_sizes_are_kept_whole_too);
    tcase_add_test(tcase, absolute_displacements_start_from_address_zero);
    suite_add_tcase(suite, tcase);
    return suite;
}
