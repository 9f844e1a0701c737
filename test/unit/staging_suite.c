/* SPDX-License-Identifier: BSD-3-Clause */
/* Which way a fragment takes, and when both are tried. The bytes of all cuts are the differential
 * test's. */
#include <string.h>

#include "engine/staging.h"
#include "suites.h"
#include "tools.h"

enum { BYTES = 8192, ROWS = 1024, FIRST = 4, BETWEEN = 60 };

static dame_staging_t staging;
static char data[2 * BYTES], packed[BYTES] __attribute__((aligned(DAME_STAGING_LINE)));

static void setup(void)
{
    tree_setup();
    for (int i = 0; i < (int) sizeof(data); i++) {
        data[i] = (char) (1 + i % 100);
    }
}

static void know(dame_dir_t dir, float gain, int32_t until)
{
    for (int size = 0; size < DAME_STAGING_SIZES; size++) {
        for (int region = 0; region < DAME_STAGING_REGIONS; region++) {
            staging.places[dir][size][region] = (dame_staging_place_t){gain, until, FIRST};
        }
    }
}

/* Packs every second run of 8 bytes. Returns how many bytes of it the buffer has. */
static int pack(int64_t length)
{
    dame_program_t *program = program_of(vector(ROWS, 1, 16, basic(8)));
    dame_cursor_t cursor;
    ck_assert_int_eq(dame_cursor_init(&cursor, program, (uintptr_t) data, 1), DAME_OK);
    memset(staging.buffer, 0, sizeof(staging.buffer));
    memset(packed, 0, sizeof(packed));
    ck_assert_int_eq(dame_staging_pack(&staging, &cursor, packed, length), length);
    for (int i = 0; i < length; i++) {
        ck_assert_int_eq(packed[i], data[16 * (i / 8) + i % 8]);
    }
    dame_cursor_fini(&cursor);
    dame_program_free(program);
    int warm = 0;
    for (size_t i = 0; i < sizeof(staging.buffer); i++) {
        warm += 0 != staging.buffer[i];
    }
    return warm;
}

TEST(the_faster_way_is_taken)
{
    know(DAME_PACK, -0.5F, 100);
    ck_assert_int_eq(pack(BYTES), 0);
    ck_assert(dame_staging_is_direct(&staging, packed, BYTES));
    ck_assert_ptr_eq(dame_staging_room(&staging, packed, BYTES), packed);
    know(DAME_PACK, 0.5F, 100);
    ck_assert_int_eq(pack(BYTES), BYTES);
    ck_assert(!dame_staging_is_direct(&staging, packed, BYTES));
}

TEST(a_trial_moves_half_by_each_way)
{
    know(DAME_PACK, -0.5F, 0);
    ck_assert(!dame_staging_is_direct(&staging, packed, BYTES));
    ck_assert_int_eq(pack(BYTES), BYTES / 2);
    ck_assert_int_eq(pack(BYTES / 4), BYTES / 8); /* of another size: it has its own trials */
}

/* Both for a caller that asks first, and for one that does not. */
TEST(first_fragments_are_trials_and_then_few)
{
    int trials = 0;
    for (int i = 0; i < FIRST + 3 * (BETWEEN + 1); i++) {
        const bool asks = 0 != i % 2 && dame_staging_is_direct(&staging, packed, BYTES);
        const bool is_trial = !asks && BYTES / 2 == pack(BYTES);
        trials += is_trial;
        ck_assert(is_trial || i >= FIRST);
    }
    ck_assert_int_eq(trials, FIRST + 3);
}

TEST(a_buffer_for_another_engine_fits_or_is_not_given)
{
    know(DAME_PACK, 0.5F, 100);
    char *warm = dame_staging_room(&staging, packed + 40, BYTES);
    ck_assert_ptr_eq(warm, staging.buffer + 40);
    ck_assert_ptr_eq(dame_staging_room(&staging, packed, DAME_STAGING_BUFFER + 1), packed);
    ck_assert_ptr_eq(dame_staging_room(&staging, packed, DAME_STAGING_LEAST - 1), packed);
    ck_assert_ptr_eq(dame_staging_room(&staging, packed, DAME_STAGING_BUFFER), staging.buffer);
}

/* Every offset of both ends within a line, and no byte beyond. */
TEST(writing_copies_what_it_is_given)
{
    for (int from = 0; from <= DAME_STAGING_LINE; from += 7) {
        for (int to = 1; to <= DAME_STAGING_LINE; to++) {
            for (int length = 0; length < 4 * DAME_STAGING_LINE; length += 1 + length / 9) {
                memset(packed, 0, sizeof(packed));
                dame_staging_write(packed + to, data + from, length);
                ck_assert(memcmp(packed + to, data + from, (size_t) length) == 0);
                ck_assert(packed[to - 1] == 0 && packed[to + length] == 0);
            }
        }
    }
}

static uint32_t trials_of(dame_dir_t dir)
{
    uint32_t trials = 0;
    for (int region = 0; region < DAME_STAGING_REGIONS; region++) {
        trials += staging.places[dir][1][region].trials;
    }
    return trials;
}

TEST(packing_teaches_nothing_about_unpacking)
{
    (void) pack(BYTES);
    ck_assert_uint_eq(trials_of(DAME_PACK), 1);
    ck_assert_uint_eq(trials_of(DAME_UNPACK), 0);
}

/* In all four ways: direct, requested, and a trial that begins with either. */
TEST(each_way_of_unpacking_moves_all)
{
    for (int way = 0; way < 4; way++) {
        dame_program_t *program = program_of(vector(ROWS, 1, 16, basic(8)));
        dame_cursor_t cursor;
        know(DAME_UNPACK, way == 0 ? -1 : 1, way < 2 ? 100 : 0);
        staging.places[DAME_UNPACK][1][0].trials += (uint32_t) way % 2;
        memset(data, 0, sizeof(data));
        memset(packed, 1 + way, sizeof(packed));
        ck_assert_int_eq(dame_cursor_init(&cursor, program, (uintptr_t) data, 1), DAME_OK);
        ck_assert_int_eq(dame_staging_unpack(&staging, &cursor, packed, BYTES), BYTES);
        for (int i = 0; i < 2 * BYTES - 8; i++) {
            ck_assert_int_eq(data[i], i % 16 < 8 ? 1 + way : 0);
        }
        dame_cursor_fini(&cursor);
        dame_program_free(program);
    }
}

/* A basic element, or a block with a cut nowhere, of more bytes than the buffer has. */
TEST(blocks_that_exceed_the_buffer_are_packed)
{
    enum { DOUBLES = 5000, LONG = 8 * DOUBLES };
    static char from[3 * LONG], to[3 * LONG], wanted[3 * LONG];
    const dame_type_t *of_char[] = {basic(1), contig(DOUBLES, basic(8))};
    const dame_type_t *of_int[] = {contig(DOUBLES, basic(8)), basic(4)};
    const dame_type_t *types[] = {
        resized(0, LONG + 8, struct_type(2, (int64_t[]){1, 1}, (int64_t[]){0, 1}, of_char)),
        resized(0, LONG + 8, struct_type(2, (int64_t[]){1, 1}, (int64_t[]){0, LONG}, of_int))};
    for (int i = 0; i < 3 * LONG; i++) {
        from[i] = (char) (1 + i % 101);
    }
    for (int k = 0; k < 12; k++) { /* trials, then the direct way, then the other */
        dame_program_t *program = program_of(types[k % 2]);
        const int64_t bytes = 2 * program->size;
        dame_cursor_t cursor;
        if (k == 6) {
            know(DAME_PACK, 1, 100);
        }
        dame_program_run(program, DAME_PACK, (uintptr_t) from, 2, wanted);
        memset(to, 0, sizeof(to));
        ck_assert_int_eq(dame_cursor_init(&cursor, program, (uintptr_t) from, 2), DAME_OK);
        ck_assert_int_eq(dame_staging_pack(&staging, &cursor, to, bytes), bytes);
        ck_assert(memcmp(to, wanted, (size_t) bytes) == 0 && to[bytes] == 0);
        dame_cursor_fini(&cursor);
        dame_program_free(program);
    }
}

SUITE_OF(staging, true, setup, tree_teardown)
