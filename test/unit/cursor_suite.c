/* The cursor as a place: seeking, listing blocks, arithmetic of large positions, depth. */
#include <stdlib.h>
#include <string.h>

#include "suites.h"
#include "tools.h"

START_TEST(a_new_cursor_stands_at_the_beginning)
{
    dame_program_t *program = program_of(vector(3, 1, 8, basic(4)));
    dame_cursor_t cursor;
    ck_assert_int_eq(dame_cursor_init(&cursor, program, 0, 5), DAME_OK);
    ck_assert_int_eq(cursor.position, 0);
    ck_assert_int_eq(cursor.total, 60);
    ck_assert_ptr_eq(cursor.program, program);
    dame_cursor_fini(&cursor);
    dame_program_free(program);
}
END_TEST

START_TEST(wrong_counts_are_refused)
{
    dame_program_t *program = program_of(basic(16));
    dame_cursor_t cursor;
    ck_assert_int_eq(dame_cursor_init(&cursor, program, 0, -1), DAME_ERR_ARGUMENT);
    ck_assert_int_eq(dame_cursor_init(&cursor, program, 0, INT64_MIN), DAME_ERR_ARGUMENT);
    ck_assert_int_eq(dame_cursor_init(&cursor, program, 0, INT64_MAX), DAME_ERR_RANGE);
    ck_assert_int_eq(dame_cursor_init(&cursor, program, 0, INT64_MAX / 16 + 1), DAME_ERR_RANGE);
    ck_assert_int_eq(dame_cursor_init(&cursor, program, 0, INT64_MAX / 16), DAME_OK);
    ck_assert_int_eq(cursor.total, INT64_MAX / 16 * 16);
    dame_cursor_fini(&cursor);
    dame_program_free(program);
}
END_TEST

START_TEST(messages_without_data_end_where_they_begin)
{
    dame_program_t *program = program_of(vector(3, 1, 8, basic(4)));
    dame_program_t *nothing = program_of(contig(0, basic(4)));
    dame_cursor_t cursor;
    dame_block_t block;
    char byte = 'x';
    ck_assert_int_eq(dame_cursor_init(&cursor, program, 0, 0), DAME_OK);
    dame_cursor_seek(&cursor, 0);
    ck_assert_int_eq(dame_cursor_pack(&cursor, &byte, 1), 0);
    ck_assert_int_eq(dame_cursor_unpack(&cursor, &byte, 1), 0);
    ck_assert_int_eq(dame_cursor_blocks(&cursor, &block, 1), 0);
    dame_cursor_fini(&cursor);
    ck_assert_int_eq(dame_cursor_init(&cursor, nothing, 0, INT64_MAX), DAME_OK);
    ck_assert_int_eq(cursor.total, 0);
    dame_cursor_seek(&cursor, 0);
    ck_assert_int_eq(dame_cursor_pack(&cursor, &byte, 1), 0);
    ck_assert_int_eq(dame_cursor_unpack(&cursor, &byte, 1), 0);
    ck_assert_int_eq(dame_cursor_blocks(&cursor, &block, 1), 0);
    dame_cursor_fini(&cursor);
    dame_program_run(nothing, DAME_PACK, 0, 3, &byte);
    dame_program_run(nothing, DAME_UNPACK, 0, 3, &byte);
    dame_program_run(program, DAME_PACK, 0, 0, &byte);
    ck_assert_int_eq(byte, 'x');
    dame_program_free(nothing);
    dame_program_free(program);
}
END_TEST

/* MPI allows any count of an empty type, and a null buffer with it. */
START_TEST(a_run_of_a_type_without_data_takes_no_time)
{
    dame_program_t *nothing = program_of(contig(0, basic(4)));
    dame_program_run(nothing, DAME_PACK, 0, (int64_t) 1 << 50, NULL);
    dame_program_run(nothing, DAME_UNPACK, 0, (int64_t) 1 << 50, NULL);
    dame_program_free(nothing);
}
END_TEST

/* A long list whose blocks are short but for one, of which seek must not guess too much. */
START_TEST(a_long_list_with_one_long_block_is_found_by_seek)
{
    enum { BLOCKS = 300, LONG = 20000, ROOM = LONG + 3 * BLOCKS };
    const int which = _i * (BLOCKS - 1) / 4;
    int64_t lengths[BLOCKS], disps[BLOCKS];
    char *memory = malloc(ROOM);
    char *wanted = malloc(ROOM);
    char *packed = malloc(ROOM);
    ck_assert(memory && wanted && packed);
    fill_pattern(memory, ROOM, 4);
    int64_t size = 0;
    int64_t at = 0;
    int64_t start = 0; /* of the long block, in the packed stream */
    for (int i = 0; i < BLOCKS; i++) {
        lengths[i] = i == which ? LONG : 1 + i % 2;
        start = i == which ? size : start;
        disps[i] = at;
        memcpy(wanted + size, memory + at, (size_t) lengths[i]);
        size += lengths[i];
        at += lengths[i] + 1;
    }
    dame_program_t *program = program_of(index_type(BLOCKS, lengths, disps, basic(1)));
    dame_cursor_t cursor;
    ck_assert_int_eq(dame_cursor_init(&cursor, program, (uintptr_t) memory, 1), DAME_OK);
    for (int64_t position = 0, step; position <= size; position += step) {
        static const int64_t pieces[] = {1, 40, 333, LONG - 1, LONG + 200};
        step = position > start + 400 && position < start + LONG - 400 ? 97 : 1;
        for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
            int64_t room = size - position < pieces[p] ? size - position : pieces[p];
            dame_cursor_seek(&cursor, position);
            ck_assert_int_eq(dame_cursor_pack_exact(&cursor, packed, pieces[p]), room);
            ck_assert_mem_eq(packed, wanted + position, (size_t) room);
            int64_t rest = size - position - room < 50 ? size - position - room : 50;
            ck_assert_int_eq(dame_cursor_pack_exact(&cursor, packed, 50), rest);
            ck_assert_mem_eq(packed, wanted + position + room, (size_t) rest);
        }
    }
    dame_cursor_fini(&cursor);
    dame_program_free(program);
    free(packed);
    free(wanted);
    free(memory);
}
END_TEST

/* ---- blocks ---- */

START_TEST(blocks_that_touch_are_one)
{
    /* Elements touch: 8-byte blocks at 0 and 16 of an extent of 24: 16 + 8 touches the next 0. */
    dame_program_t *program =
        program_of(resized(0, 24, blockindex(2, 1, (int64_t[]){0, 16}, basic(8))));
    dame_cursor_t cursor;
    dame_block_t blocks[10];
    ck_assert_int_eq(dame_cursor_init(&cursor, program, 1000, 3), DAME_OK);
    ck_assert_int_eq(dame_cursor_blocks(&cursor, blocks, 10), 4);
    const int64_t addresses[] = {1000, 1016, 1040, 1064};
    const int64_t lengths[] = {8, 16, 16, 8};
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(blocks[i].address, addresses[i]);
        ck_assert_int_eq(blocks[i].length, lengths[i]);
    }
    ck_assert_int_eq(cursor.position, 48);
    ck_assert_int_eq(dame_cursor_blocks(&cursor, blocks, 10), 0);
    dame_cursor_fini(&cursor);
    dame_program_free(program);
}
END_TEST

START_TEST(blocks_come_in_portions_and_start_within_one)
{
    dame_program_t *program = program_of(vector(4, 1, 16, basic(8)));
    dame_cursor_t cursor;
    dame_block_t blocks[3];
    ck_assert_int_eq(dame_cursor_init(&cursor, program, 0, 1), DAME_OK);
    dame_cursor_seek(&cursor, 3);
    ck_assert_int_eq(dame_cursor_blocks(&cursor, blocks, 1), 1);
    ck_assert_int_eq(blocks[0].address, 3);
    ck_assert_int_eq(blocks[0].length, 5);
    ck_assert_int_eq(cursor.position, 8);
    ck_assert_int_eq(dame_cursor_blocks(&cursor, blocks, 2), 2);
    ck_assert_int_eq(blocks[1].address, 32);
    ck_assert_int_eq(blocks[1].length, 8);
    ck_assert_int_eq(dame_cursor_blocks(&cursor, blocks, 2), 1);
    ck_assert_int_eq(blocks[0].address, 48);
    ck_assert_int_eq(cursor.position, 32);
    dame_cursor_fini(&cursor);
    dame_program_free(program);
}
END_TEST

START_TEST(blocks_and_packing_share_one_cursor)
{
    char memory[64];
    char packed[24];
    fill_pattern(memory, sizeof memory, 5);
    dame_program_t *program = program_of(vector(4, 1, 16, basic(8)));
    dame_cursor_t cursor;
    dame_block_t block;
    ck_assert_int_eq(dame_cursor_init(&cursor, program, (uintptr_t) memory, 1), DAME_OK);
    ck_assert_int_eq(dame_cursor_blocks(&cursor, &block, 1), 1);
    ck_assert_int_eq(dame_cursor_pack(&cursor, packed, 12), 8);
    ck_assert_mem_eq(packed, memory + 16, 8);
    ck_assert_int_eq(dame_cursor_blocks(&cursor, &block, 1), 1);
    ck_assert_uint_eq(block.address, (uintptr_t) memory + 32);
    ck_assert_int_eq(dame_cursor_pack(&cursor, packed, 100), 8);
    ck_assert_mem_eq(packed, memory + 48, 8);
    dame_cursor_fini(&cursor);
    dame_program_free(program);
}
END_TEST

/* ---- large positions: only addresses, no data ---- */

/* Packed byte `position` is the first of a block at `address` with `length` bytes left. */
static void expect_block(dame_cursor_t *cursor, int64_t position, uint64_t address, int64_t length)
{
    dame_block_t block;
    dame_cursor_seek(cursor, position);
    ck_assert_int_eq(cursor->position, position);
    ck_assert_int_eq(dame_cursor_blocks(cursor, &block, 1), 1);
    ck_assert_uint_eq(block.address, address);
    ck_assert_int_eq(block.length, length);
    ck_assert_int_eq(cursor->position, position + length);
}

START_TEST(positions_beyond_2_33_are_found_in_a_message_of_many_elements)
{
    /* 8 bytes every 24: element e has bytes [24 e, 24 e + 8) */
    const int64_t count = ((int64_t) 1 << 31) + 5;
    const uint64_t base = (uint64_t) 1 << 40;
    dame_program_t *program = program_of(resized(0, 24, basic(8)));
    dame_cursor_t cursor;
    ck_assert_int_eq(dame_cursor_init(&cursor, program, base, count), DAME_OK);
    ck_assert_int_eq(cursor.total, 8 * count);
    const int64_t elements[] = {
        0, 1, (int64_t) 1 << 30, ((int64_t) 1 << 31) - 1, (int64_t) 1 << 31, count - 1};
    for (int i = 0; i < 6; i++) {
        uint64_t at = base + 24 * (uint64_t) elements[i];
        expect_block(&cursor, 8 * elements[i], at, 8);
        expect_block(&cursor, 8 * elements[i] + 3, at + 3, 5);
    }
    dame_cursor_seek(&cursor, 8 * count);
    dame_block_t block;
    ck_assert_int_eq(dame_cursor_blocks(&cursor, &block, 1), 0);
    dame_cursor_fini(&cursor);
    dame_program_free(program);
}
END_TEST

START_TEST(positions_beyond_2_33_are_found_inside_one_element)
{
    /* 3e9 rows of two 4-byte blocks 12 apart, rows 32 apart, after an offset of -2^41 */
    const int64_t rows = 3000000000;
    const int64_t start = -((int64_t) 1 << 41);
    const dame_type_t *row = vector(2, 1, 12, basic(4));
    dame_program_t *program = program_of(blockindex(1, 1, &start, vector(rows, 1, 32, row)));
    ck_assert_int_eq(program->size, 8 * rows);
    dame_cursor_t cursor;
    const uint64_t base = (uint64_t) 1 << 42;
    ck_assert_int_eq(dame_cursor_init(&cursor, program, base, 1), DAME_OK);
    const int64_t probes[] = {0, 1, 2147483647, 2147483648, rows - 1};
    for (int i = 0; i < 5; i++) {
        uint64_t at = base + (uint64_t) start + 32 * (uint64_t) probes[i];
        expect_block(&cursor, 8 * probes[i], at, 4);
        expect_block(&cursor, 8 * probes[i] + 2, at + 2, 2);
        expect_block(&cursor, 8 * probes[i] + 4, at + 12, 4);
        expect_block(&cursor, 8 * probes[i] + 7, at + 15, 1);
    }
    dame_cursor_fini(&cursor);
    dame_program_free(program);
}
END_TEST

START_TEST(prefix_sums_beyond_2_33_are_searched)
{
    /* blocks of n, 1 and 2n bytes-with-gaps (1 byte every 2) */
    const int64_t n = (int64_t) 1 << 33;
    const int64_t disps[] = {0, 5 * n, 10 * n};
    dame_program_t *program =
        program_of(index_type(3, (int64_t[]){n, 1, 2 * n}, disps, resized(0, 2, basic(1))));
    dame_cursor_t cursor;
    ck_assert_int_eq(dame_cursor_init(&cursor, program, 0, 2), DAME_OK);
    ck_assert_int_eq(cursor.total, 2 * (3 * n + 1));
    const uint64_t extent = (uint64_t) program->extent;
    ck_assert_uint_eq(extent, (uint64_t) (14 * n)); /* the last child's extent counts: 10n + 4n */
    for (uint64_t element = 0; element < 2; element++) {
        int64_t p = (int64_t) element * (3 * n + 1);
        uint64_t base = element * extent;
        expect_block(&cursor, p + n - 1, base + 2 * (uint64_t) (n - 1), 1);
        expect_block(&cursor, p + n, base + 5 * (uint64_t) n, 1);
        expect_block(&cursor, p + n + 1, base + 10 * (uint64_t) n, 1);
        expect_block(&cursor, p + n + 1 + 12345, base + 10 * (uint64_t) n + 2 * 12345, 1);
        expect_block(&cursor, p + 3 * n, base + 14 * (uint64_t) n - 2, 1);
    }
    dame_cursor_fini(&cursor);
    dame_program_free(program);
}
END_TEST

/* ---- depth ---- */

enum { LEVELS = 20, LEAF = 2 };

/* LEVELS vectors of two in each other; a level leaves one byte of gap between its halves. */
static const dame_type_t *deep(void)
{
    const dame_type_t *type = basic(LEAF);
    int64_t width = LEAF;
    for (int level = 0; level < LEVELS; level++) {
        type = vector(2, 1, width + 1, type);
        width = 2 * width + 1;
    }
    return type;
}

/* The bytes of `deep`, by recursion over its halves. */
static int64_t deep_walk(int levels, int64_t width, const char *from, char *to)
{
    if (levels == 0) {
        memcpy(to, from, LEAF);
        return LEAF;
    }
    int64_t half = (width - 1) / 2;
    int64_t n = deep_walk(levels - 1, half, from, to);
    return n + deep_walk(levels - 1, half, from + half + 1, to + n);
}

START_TEST(programs_deeper_than_the_cursors_own_frames_work)
{
    const int64_t size = (int64_t) LEAF << LEVELS;
    const int64_t width = size + ((int64_t) 1 << LEVELS) - 1;
    dame_program_t *program = plain_of(deep()); /* the passes would see fewer levels */
    ck_assert_int_gt(program->depth, DAME_CURSOR_DEPTH);
    ck_assert_int_eq(program->size, size);
    ck_assert_int_eq(program->true_ub, width);
    char *memory = malloc((size_t) width);
    char *wanted = malloc((size_t) size);
    char *packed = malloc((size_t) size);
    ck_assert(memory && wanted && packed);
    fill_pattern(memory, width, 6);
    ck_assert_int_eq(deep_walk(LEVELS, width, memory, wanted), size);

    dame_program_run(program, DAME_PACK, (uintptr_t) memory, 1, packed);
    ck_assert_mem_eq(packed, wanted, (size_t) size);

    dame_cursor_t cursor;
    ck_assert_int_eq(dame_cursor_init(&cursor, program, (uintptr_t) memory, 1), DAME_OK);
    const int64_t cuts[] = {0, 1, 2, 3, 7, 4096, 65537, size / 2 - 1, size / 2, size - 1, size};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        memset(packed, 0, (size_t) size);
        dame_cursor_seek(&cursor, cuts[i]);
        int64_t rest = size - cuts[i];
        int64_t done = 0;
        while (done < rest) {
            int64_t got =
                dame_cursor_pack(&cursor, packed + done, rest - done < 30001 ? rest - done : 30001);
            ck_assert_int_gt(got, 0);
            done += got;
        }
        ck_assert_mem_eq(packed, wanted + cuts[i], (size_t) rest);
    }
    dame_cursor_fini(&cursor);
    free(packed);
    free(wanted);
    free(memory);
    dame_program_free(program);
}
END_TEST

Suite *cursor_suite(void)
{
    Suite *suite = suite_create("cursor");
    TCase *init = tree_case("init");
    tcase_add_test(init, a_new_cursor_stands_at_the_beginning);
    tcase_add_test(init, wrong_counts_are_refused);
    tcase_add_test(init, messages_without_data_end_where_they_begin);
    suite_add_tcase(suite, init);

    TCase *quick = tree_case("quick");
    tcase_set_timeout(quick, 10);
    tcase_add_test(quick, a_run_of_a_type_without_data_takes_no_time);
    suite_add_tcase(suite, quick);

    TCase *seek = tree_case("seek");
    tcase_add_loop_test(seek, a_long_list_with_one_long_block_is_found_by_seek, 0, 5);
    tcase_add_test(seek, positions_beyond_2_33_are_found_in_a_message_of_many_elements);
    tcase_add_test(seek, positions_beyond_2_33_are_found_inside_one_element);
    tcase_add_test(seek, prefix_sums_beyond_2_33_are_searched);
    tcase_add_test(seek, programs_deeper_than_the_cursors_own_frames_work);
    suite_add_tcase(suite, seek);

    TCase *blocks = tree_case("blocks");
    tcase_add_test(blocks, blocks_that_touch_are_one);
    tcase_add_test(blocks, blocks_come_in_portions_and_start_within_one);
    tcase_add_test(blocks, blocks_and_packing_share_one_cursor);
    suite_add_tcase(suite, blocks);
    return suite;
}
