/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cursor where no memory is: large positions, wrong counts, empty messages; and the lengths
 * that it documents. The bytes of all cuts are the differential test's.
 */
#include <string.h>
#include <sys/mman.h>

#include "dame/memory_order.h"
#include "jit/jit.h"
#include "suites.h"
#include "test/lib/thread_sanitizer.h"
#include "tools.h"

TEST(wrong_counts_are_refused)
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

/* MPI allows any count of an empty type, and a null buffer with it; it takes no time. */
TEST(messages_without_data_end_where_they_begin)
{
    dame_program_t *programs[] = {program_of(vector(3, 1, 8, basic(4))),
                                  program_of(contig(0, basic(4)))};
    const int64_t counts[] = {0, INT64_MAX};
    for (int i = 0; i < 2; i++) {
        dame_cursor_t cursor;
        dame_block_t block;
        ck_assert_int_eq(dame_cursor_init(&cursor, programs[i], 0, counts[i]), DAME_OK);
        ck_assert_int_eq(cursor.total, 0);
        dame_cursor_seek(&cursor, 0);
        ck_assert_int_eq(dame_cursor_pack(&cursor, NULL, 1), 0);
        ck_assert_int_eq(dame_cursor_unpack(&cursor, NULL, 1), 0);
        ck_assert_int_eq(dame_cursor_blocks(&cursor, &block, 1), 0);
        dame_cursor_fini(&cursor);
        dame_program_run(programs[i], DAME_PACK, 0, counts[i], NULL);
        dame_program_run(programs[i], DAME_UNPACK, 0, counts[i], NULL);
        ck_assert(dame_program_is_apart(programs[i], counts[i], 0));
        dame_program_copy(programs[i], 0, 0, counts[i]);
        dame_program_free(programs[i]);
    }
}

/* Where packed bytes stand, and how much of a block is left there. Only addresses, no data. */
TEST(positions_beyond_2_33_are_found)
{
    enum { MOST = 11 };
    const int64_t n = (int64_t) 1 << 33, rows = 3000000000, start = -((int64_t) 1 << 41);
    const struct {
        const dame_type_t *type;
        int64_t count;
        struct {
            int64_t position, offset, length;
        } probes[MOST];
    } cases[] = {
        /* many elements: 8 bytes every 24 */
        {resized(0, 24, basic(8)),
         n,
         {{0, 0, 8},
          {8 * (n / 4 - 1) + 3, 24 * (n / 4 - 1) + 3, 5},
          {8 * (n / 4), 24 * (n / 4), 8},
          {8 * (n - 1), 24 * (n - 1), 8}}},
        /* one element: rows of two 4-byte blocks 12 apart, rows 32 apart, from -2^41 on */
        {blockindex(1, 1, &start, vector(rows, 1, 32, vector(2, 1, 12, basic(4)))),
         1,
         {{0, start, 4},
          {8 * INT64_C(2147483647) + 2, start + 32 * INT64_C(2147483647) + 2, 2},
          {8 * INT64_C(2147483648) + 4, start + 32 * INT64_C(2147483648) + 12, 4},
          {8 * rows - 1, start + 32 * (rows - 1) + 15, 1}}},
        /* prefix sums: blocks of n, 1 and 2n bytes, one every 2; an element spans 14 n */
        {index_type(3, (int64_t[]){n, 1, 2 * n}, (int64_t[]){0, 5 * n, 10 * n},
                    resized(0, 2, basic(1))),
         2,
         {{n - 1, 2 * (n - 1), 1},
          {n, 5 * n, 1},
          {n + 1, 10 * n, 1},
          {n + 1 + 12345, 10 * n + 2 * 12345, 1},
          {3 * n, 14 * n - 2, 1},
          {3 * n + 1 + n, 14 * n + 5 * n, 1}}},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        const uint64_t base = (uint64_t) 1 << 42;
        dame_program_t *program = program_of(cases[i].type);
        dame_cursor_t cursor;
        ck_assert_int_eq(dame_cursor_init(&cursor, program, base, cases[i].count), DAME_OK);
        for (int k = 0; k < MOST && cases[i].probes[k].length > 0; k++) {
            dame_block_t block;
            const int64_t position = cases[i].probes[k].position;
            dame_cursor_seek(&cursor, position);
            ck_assert_int_eq(dame_cursor_blocks(&cursor, &block, 1), 1);
            ck_assert_uint_eq(block.address, base + (uint64_t) cases[i].probes[k].offset);
            ck_assert_int_eq(block.length, cases[i].probes[k].length);
            ck_assert_int_eq(cursor.position, position + block.length);
        }
        dame_cursor_fini(&cursor);
        dame_program_free(program);
    }
}

/* The stream is nothing but zeros up to the last member. Every tier; its offsets may be of 32 bits.
 * ThreadSanitizer would keep a record of all the bytes. */
TEST(a_member_behind_two_gigabytes_is_moved)
{
#ifndef THREAD_SANITIZER
    enum { BLOCK = 1 << 16, BLOCKS = (1 << 15) + 1, LAST = 12 };
    const dame_type_t *const parts[] = {vector(BLOCKS, 1, 0, basic(BLOCK)), basic(LAST)};
    const size_t size = (size_t) BLOCKS * BLOCK + LAST;
    static char user[BLOCK + 8 + LAST], wanted[sizeof user];
    dame_jit_t *jit = NULL;
    dame_program_t *program =
        program_of(struct_type(2, (int64_t[]){1, 1}, (int64_t[]){0, BLOCK + 8}, parts));
    ck_assert_int_eq(dame_jit_create(NULL, &jit), DAME_OK);
    char *stream = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert_ptr_ne(stream, MAP_FAILED);
    memset(wanted + BLOCK, '#', 8);
    fill_pattern(wanted + BLOCK + 8, LAST, 1);
    memcpy(stream + size - LAST, wanted + BLOCK + 8, LAST);
    for (int compiled = 0; compiled < 2; compiled++) {
        memset(user, '#', sizeof user);
        dame_program_run(program, DAME_UNPACK, (uintptr_t) user, 1, stream);
        ck_assert_mem_eq(user, wanted, sizeof user);
        dame_jit_compile(jit, program, DAME_UNPACK, NULL); /* not on every CPU */
    }
    munmap(stream, size);
    dame_jit_release(jit, program);
    dame_program_free(program);
    dame_jit_destroy(jit);
#endif
}

#ifdef __x86_64__
/* Each member's address needs a register of the machine code while it is moved. Pages are mapped
 * only where there are bytes. */
TEST(members_that_are_gigabytes_apart_have_code)
{
#if !defined(THREAD_SANITIZER) && !defined(__SANITIZE_ADDRESS__)
    enum { MEMBERS = 14, PAGE = 4096, BYTES = MEMBERS * (MEMBERS + 1) / 2 };
    const uintptr_t base = (uintptr_t) 1 << 45;
    const int64_t apart = INT64_C(3) << 30;
    int64_t lengths[MEMBERS], disps[MEMBERS];
    char packed[BYTES], wanted[BYTES];
    for (int i = 0, at = 0; i < MEMBERS; at += ++i) {
        lengths[i] = i + 1;
        disps[i] = i * apart;
        char *page = mmap((void *) (base + (uintptr_t) disps[i]), PAGE, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        ck_assert_uint_eq((uintptr_t) page, base + (uintptr_t) disps[i]);
        fill_pattern(page, i + 1, (unsigned) i);
        memcpy(wanted + at, page, (size_t) i + 1);
    }
    dame_jit_t *jit = NULL;
    dame_program_t *program = program_of(index_type(MEMBERS, lengths, disps, basic(1)));
    ck_assert_int_eq(dame_jit_create(NULL, &jit), DAME_OK);
    ck_assert_int_eq(dame_jit_compile(jit, program, DAME_PACK, NULL), DAME_OK);
    dame_program_run(program, DAME_PACK, base, 1, packed);
    ck_assert_mem_eq(packed, wanted, BYTES);
    for (int i = 0; i < MEMBERS; i++) {
        munmap((void *) (base + (uintptr_t) disps[i]), PAGE);
    }
    dame_jit_release(jit, program);
    dame_program_free(program);
    dame_jit_destroy(jit);
#endif
}
#endif

/* With much room short blocks are left whole, so that the next fragment begins with one. */
TEST(packing_with_much_room_spares_blocks_of_up_to_64_bytes)
{
    static char memory[3 * DAME_SPARING_ROOM], packed[2 * DAME_SPARING_ROOM];
    static const struct {
        int64_t ints, room, packed;
        int spares;
    } cases[] = {
        {5, 4096, 4080, 1},  /* 204 blocks of 20 bytes */
        {5, 4095, 4092, 0},  /* less room */
        {16, 4159, 4096, 1}, /* blocks of 64 bytes */
        {17, 4147, 4144, 0}, /* longer ones are cut */
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        const int64_t bytes = 4 * cases[i].ints;
        dame_program_t *program =
            program_of(vector(2 * DAME_SPARING_ROOM / bytes, cases[i].ints, bytes + 4, basic(4)));
        dame_cursor_t cursor;
        ck_assert_int_eq(dame_cursor_init(&cursor, program, (uintptr_t) memory, 1), DAME_OK);
        ck_assert_int_eq(dame_cursor_pack(&cursor, packed, cases[i].room), cases[i].packed);
        ck_assert_int_eq(dame_cursor_spares(&cursor, cases[i].room) != 0, cases[i].spares);
        dame_cursor_fini(&cursor);
        dame_program_free(program);
    }
}

/* ---- apart: otherwise a message costs one more copy ---- */

/* A face of a cube of doubles with 34 cells each way. */
static dame_program_t *face(int64_t x, int64_t y, int64_t z)
{
    enum { N = 34, CELL = 8 };
    const dame_type_t *row = contig(x, basic(CELL));
    const dame_type_t *plane = vector(y, 1, N * CELL, resized(0, CELL, row));
    return program_of(vector(z, 1, N * N * CELL, resized(0, CELL, plane)));
}

TEST(messages_are_known_to_be_apart)
{
    enum { N = 34, M = N - 2, CELL = 8 };
    dame_program_t *x = face(1, M, M), *y = face(M, 1, M), *z = face(M, M, 1);
    dame_program_t *strided = program_of(vector(10, 1, 12, basic(4)));
    dame_program_t *listed = program_of(blockindex(3, 1, (int64_t[]){0, 100, 250}, basic(8)));
    const struct {
        const dame_program_t *program;
        int64_t count, shift;
        int apart;
    } cases[] = {
        {x, 1, M * CELL, 1},
        {x, 1, N * CELL, 0},
        {y, 1, M * N * CELL, 1},
        {y, 1, N * CELL, 1},
        {y, 1, M * CELL, 1},
        {y, 1, (M - 1) * CELL, 0},
        {z, 1, M * N * N * CELL, 1},
        {z, 1, M * N * CELL, 1},
        {z, 1, (M - 1) * N * CELL, 0},
        {z, 1, 1, 0},
        {strided, 1, 0, 0},
        {strided, 1, 3, 0},
        {strided, 1, 4, 1},
        {strided, 1, 8, 1},
        {strided, 1, 9, 0},
        {strided, 1, 108, 0},
        {strided, 1, 112, 1},
        {strided, 1, 120, 1},
        {strided, 2, 112, 0},
        {listed, 1, 50, 0}, /* a list is not looked through */
        {listed, 1, 257, 0},
        {listed, 1, 258, 1},
        {listed, 1, INT64_MIN, 0},
        {listed, INT64_MAX, 1 << 20, 0},
        {listed, 0, 0, 1},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        const int64_t shift = cases[i].shift, back = shift == INT64_MIN ? shift : -shift;
        ck_assert_msg(
            dame_program_is_apart(cases[i].program, cases[i].count, shift) == cases[i].apart &&
                dame_program_is_apart(cases[i].program, cases[i].count, back) == cases[i].apart,
            "case %d", i);
    }
    dame_program_t *programs[] = {x, y, z, strided, listed};
    for (int i = 0; i < COUNT_OF(programs); i++) {
        dame_program_free(programs[i]);
    }
}

/* 600 rows exceed 512 lines, not 768; rows a set apart exceed 8 ways, and 12 only if they are more.
 */
TEST(columns_are_walked_where_they_exceed_the_cache)
{
    enum { PAGE = 4096 };
    static const dame_data_cache_t small = {.line = 64, .ways = 8, .l1 = 32 << 10, .l2 = 1 << 20};
    static const dame_data_cache_t large = {.line = 64, .ways = 12, .l1 = 48 << 10, .l2 = 2 << 20};
    static const struct {
        int64_t rows, far;
        const dame_data_cache_t *cache;
        bool walks;
    } cases[] = {
        {600, 1000, &small, true}, {600, 1000, &large, false}, {650, 1000, &large, true},
        {10, PAGE, &small, true},  {10, PAGE, &large, false},  {13, PAGE, &large, true},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        const dame_type_t *column = vector(cases[i].rows, 1, cases[i].far, basic(8));
        dame_data_cache_force(cases[i].cache);
        dame_program_t *program = program_of(vector(20, 1, 8, resized(0, 8, column)));
        bool walks = false;
        for (int32_t k = 0; k < program->nprims; k++) {
            walks = walks || program->prims[k].by_block != NULL;
        }
        ck_assert_msg(walks == cases[i].walks && walks == program->has_by_block, "case %d", i);
        dame_program_free(program);
    }
}

/* Stores of few blocks wait in the CPU's buffers, and loads of more in the second cache: 256 lines
 * 4,096 bytes apart. */
TEST(many_blocks_in_one_set_are_slowed_down)
{
    enum { PAGE = 4096 };
    static const dame_data_cache_t cache = {.line = 64, .ways = 12, .l1 = 48 << 10, .l2 = 1 << 20};
    static const struct {
        int64_t rows, bytes, step;
        bool stores, loads;
    } cases[] = {{13, 4, PAGE, false, false},    {21, 48, PAGE, false, false},
                 {22, 4, PAGE, true, false},     {22, 48, -PAGE, true, false},
                 {256, 8, PAGE, true, false},    {257, 8, -PAGE, true, true},
                 {129, 8, 2 * PAGE, true, true}, {1000, 8, PAGE / 2, false, false},
                 {1000, 64, PAGE, false, false}};
    dame_data_cache_force(&cache);
    for (int i = 0; i < COUNT_OF(cases); i++) {
        dame_program_t *program =
            program_of(vector(cases[i].rows, 1, cases[i].step, basic(cases[i].bytes)));
        const dame_prim_t *prim = &program->prims[1];
        ck_assert_msg(cases[i].stores == dame_throttles_stores(prim), "stores, case %d", i);
        ck_assert_msg(cases[i].loads == dame_throttles_loads(prim), "loads, case %d", i);
        dame_program_free(program);
    }
}

SUITE_OF(cursor, 1, tree_setup, tree_teardown)
