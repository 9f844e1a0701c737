/*
 * Every kernel of every provider moves exactly its blocks: those of each instruction set that this
 * CPU has, then compiled ones of each vector width. The expected blocks are written down beside
 * each type. Memory and stream start or end, with the run, at a page that faults. What kernels do
 * together is the subject of the differential test.
 */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#endif

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "dame/isa.h"
#include "dame/kernels.h"
#include "dame/memory_order.h"
#include "jit/jit.h"
#include "suites.h"
#include "test/lib/guarded.h"
#include "tools.h"

enum {
    WIDEST = 300, /* bytes of a block; memcpy() moves longer ones than 256 */
    PAGE = 4096,
    MOST_BLOCKS = 5000,
    MOST_REACH = 1 << 20
};

/* Displacements that need tables of 64 bits. */
#define FAR (INT64_C(1) << 31)

/* ---- providers ---- */

static dame_jit_t *compiler; /* NULL: the interpreter's kernels */
static int64_t compiled, uncompiled;

static char pattern[MOST_REACH + 1];

static void use_isa(const char *name)
{
    fill_pattern(pattern, sizeof pattern, 1);
    ck_assert_int_eq(dame_isa_force(name), DAME_OK);
}

static void use_compiler(int32_t vector_bits)
{
    dame_jit_options_t options = *dame_jit_options_default();
    options.vector_bits = vector_bits;
    fill_pattern(pattern, sizeof pattern, 1);
    ck_assert_int_eq(dame_jit_create(&options, &compiler), DAME_OK);
}

static void teardown(void)
{
    ck_assert_msg(compiled > 0 || uncompiled == 0, "nothing of %d was compiled", (int) uncompiled);
    if (compiler) {
        dame_jit_destroy(compiler);
    }
    compiler = NULL;
    compiled = uncompiled = 0;
}

static dame_program_t *compile(dame_program_t *program)
{
    for (int dir = DAME_PACK; compiler && dir <= DAME_UNPACK; dir++) {
        dame_status_t status = dame_jit_compile(compiler, program, (dame_dir_t) dir, NULL);
        ck_assert_msg(status == DAME_OK || status == DAME_ERR_UNSUPPORTED, "%s",
                      dame_status_text(status));
        compiled += status == DAME_OK;
        uncompiled += status != DAME_OK;
    }
    return program;
}

static void free_program(dame_program_t *program)
{
    if (compiler) {
        dame_jit_release(compiler, program);
    }
    dame_program_free(program);
}

/* ---- expectations ---- */

/* Blocks in the order of the packed stream; a run starts and stops at multiples of `unit` blocks.
 */
typedef struct typemap {
    int64_t unit;
    int64_t n;
    struct {
        int64_t at;
        int64_t bytes;
    } blocks[MOST_BLOCKS];
} typemap_t;

static void add(typemap_t *map, int64_t at, int64_t bytes)
{
    ck_assert_int_lt(map->n, MOST_BLOCKS);
    map->blocks[map->n].at = at;
    map->blocks[map->n++].bytes = bytes;
}

static typemap_t *cleared(int64_t unit)
{
    static typemap_t map;
    map.unit = unit;
    map.n = 0;
    return &map;
}

/* Packs and unpacks n blocks from the first on. */
static void try_run(const typemap_t *map, const dame_program_t *program, int64_t count,
                    int64_t first, int64_t n)
{
    static char wanted_user[MOST_REACH], wanted[MOST_REACH];
    int64_t before = 0, size = 0, low = INT64_MAX, high = INT64_MIN;
    for (int64_t i = 0; i < first + n; i++) {
        const int64_t at = map->blocks[i].at, end = at + map->blocks[i].bytes;
        *(i < first ? &before : &size) += end - at;
        low = i >= first && at < low ? at : low;
        high = i >= first && end > high ? end : high;
    }
    const size_t reach = (size_t) (high - low);
    ck_assert_uint_le(reach, MOST_REACH);
    const edge_t edge = (first + n) % 3 ? EDGE_HIGH : EDGE_LOW;
    guarded_t user, stream;
    ck_assert(guarded_alloc(&user, reach, edge) && guarded_alloc(&stream, (size_t) size, edge));
    memcpy(user.bytes, pattern, reach);
    memcpy(wanted_user, pattern, reach);
    memset(stream.bytes, 0, (size_t) size);
    for (int64_t i = first, at = 0; i < first + n; at += map->blocks[i++].bytes) {
        memcpy(wanted + at, pattern + (map->blocks[i].at - low), (size_t) map->blocks[i].bytes);
    }
    dame_cursor_t cursor;
    const uintptr_t base = (uintptr_t) user.bytes - (uintptr_t) low;
    ck_assert_int_eq(dame_cursor_init(&cursor, program, base, count), DAME_OK);
    dame_cursor_seek(&cursor, before);
    ck_assert_int_eq(dame_cursor_pack_exact(&cursor, stream.bytes, size), size);
    if (memcmp(stream.bytes, wanted, (size_t) size) || memcmp(user.bytes, wanted_user, reach)) {
        ck_abort_msg("blocks %d to %d of %d bytes and more: packed wrong", (int) first,
                     (int) (first + n), (int) map->blocks[0].bytes);
    }
    memcpy(stream.bytes, pattern + 1, (size_t) size);
    for (int64_t i = first, at = 0; i < first + n; at += map->blocks[i++].bytes) {
        memcpy(wanted_user + (map->blocks[i].at - low), pattern + 1 + at,
               (size_t) map->blocks[i].bytes);
    }
    dame_cursor_seek(&cursor, before);
    ck_assert_int_eq(dame_cursor_unpack(&cursor, stream.bytes, size), size);
    if (memcmp(user.bytes, wanted_user, reach) ||
        memcmp(stream.bytes, pattern + 1, (size_t) size)) {
        ck_abort_msg("blocks %d to %d of %d bytes and more: unpacked wrong", (int) first,
                     (int) (first + n), (int) map->blocks[0].bytes);
    }
    dame_cursor_fini(&cursor);
    guarded_free(&stream);
    guarded_free(&user);
}

/* The kernels for blocks in one set of the cache, which are chosen on some CPUs only. */
static bool throttled;

static void throttle(dame_program_t *program)
{
    for (int32_t i = 0; i < program->nprims; i++) {
        dame_prim_t *prim = &program->prims[i];
        if (dame_is_strided_leaf(prim) && NULL != dame_prim_run(prim, DAME_PACK)) {
            dame_prim_set_run(prim, DAME_PACK, dame_throttled[DAME_PACK]);
            dame_prim_set_run(prim, DAME_UNPACK, dame_throttled[DAME_UNPACK]);
        }
    }
}

/* Runs of all lengths about the ends of unrolled loops, vectors and tiles. Frees the program. */
static void try_program(const typemap_t *map, dame_program_t *program, int64_t count)
{
    static const int64_t lengths[] = {1, 2, 3, 4, 5, 7, 9, 16, 17, 33, 64, 65, 130, INT64_MAX};
    const int64_t units = map->n / map->unit;
    compile(program);
    if (throttled) {
        throttle(program);
    }
    for (int64_t first = 0; first < units && first <= 8; first += 1 + 3 * first) {
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            const int64_t rest = units - first, n = lengths[i] < rest ? lengths[i] : rest;
            try_run(map, program, count, first * map->unit, n * map->unit);
            if (n == rest) {
                break;
            }
        }
    }
    free_program(program);
}

/* ---- blocks ---- */

static void try_strided(int64_t n, int64_t width, int64_t step)
{
    typemap_t *map = cleared(1);
    for (int64_t i = 0; i < n; i++) {
        add(map, i * step, width);
    }
    try_program(map, program_of(vector(n, 1, step, basic(width))), 1);
}

START_TEST(strided_blocks_are_moved)
{
    for (int64_t width = 1; width <= WIDEST; width++) {
        try_strided(14, width, width + 1 + width % 7);
        try_strided(14, width, -width - 3);
    }
}
END_TEST

/* Many of them in a vector. */
START_TEST(short_blocks_with_short_gaps_are_moved)
{
    for (int64_t width = 1; width <= 16; width++) {
        for (int64_t step = width + 1; step <= 18; step++) {
            try_strided(140, width, step);
        }
    }
}
END_TEST

/* Their addresses agree in the low bits: all in one set of the cache. */
START_TEST(blocks_whole_pages_apart_are_moved)
{
    for (int64_t width = 1; width <= 70; width++) {
        try_strided(14, width, (width % 3 ? 1 + width % 2 : -1) * PAGE);
    }
}
END_TEST

/* Over more than the first cache, where machine code fetches ahead. */
START_TEST(blocks_of_a_long_walk_are_moved)
{
    try_strided(1100, 8, 512);
    try_strided(700, 24, -776);
    try_strided(90, 100, PAGE + 64);
}
END_TEST

START_TEST(one_block_and_elements_with_gaps_are_moved)
{
    for (int64_t width = 1; width <= WIDEST; width++) {
        typemap_t *map = cleared(1);
        add(map, 0, width);
        try_program(map, program_of(basic(width)), 1);
        for (int64_t i = 1; i < 11; i++) {
            add(map, i * (width + 5), width);
        }
        try_program(map, program_of(resized(0, width + 5, basic(width))), 11);
    }
}
END_TEST

/* Lists without a pattern: of equal blocks, and of unequal ones, at near and far displacements. */
START_TEST(listed_blocks_are_moved)
{
    static const int64_t order[] = {5, 2, 9, 0, 12, 7, 1, 11, 3, 10, 6, 8, 4};
    enum { N = sizeof order / sizeof order[0] };
    for (int64_t k = 0; k < 4 * WIDEST; k++) {
        const int64_t width = 1 + k / 4, away = k % 2 * FAR;
        const bool equal = k / 2 % 2;
        int64_t disps[N], lengths[N];
        typemap_t *map = cleared(1);
        for (int64_t i = 0; i < N; i++) {
            lengths[i] = equal ? width : width + (order[i] * 5 + 1) % N;
            disps[i] = away + (order[i] - 6) * (width + N + 2) + order[i] % 3;
            add(map, disps[i], lengths[i]);
        }
        try_program(map,
                    program_with(DAME_PASSES_ALL & ~ONLY(NORMALISE),
                                 equal ? blockindex(N, 1, disps, basic(width))
                                       : index_type(N, lengths, disps, basic(1))),
                    1);
    }
}
END_TEST

START_TEST(sorted_lists_are_moved)
{
    enum { N = 300 };
    for (int64_t width = 1; width <= WIDEST; width += width < 70 ? 3 : 46) {
        int64_t disps[N];
        typemap_t *map = cleared(1);
        for (int64_t i = 0; i < N; i++) {
            disps[i] = i * 77 % N * (width + 1);
            add(map, disps[i], width);
        }
        dame_options_t options = *dame_options_default();
        options.sort = DAME_SORT_ALWAYS;
        options.fragment = width % 2 ? 1 : 400 * width;
        dame_program_t *program;
        const dame_type_t *type = blockindex(N, 1, disps, basic(width));
        ck_assert_int_eq(dame_program_build(type, &options, &program), DAME_OK);
        ck_assert_ptr_nonnull(program->prims[1].visits);
        try_program(map, program, 1);
    }
}
END_TEST

/* ---- levels around levels ---- */

/* A matrix, column by column, near blocks `near` bytes apart and far ones `pitch`. */
static void try_columns(int64_t rows, int64_t columns, int64_t width, int64_t near, int64_t pitch)
{
    typemap_t *map = cleared(rows);
    for (int64_t i = 0; i < columns * rows; i++) {
        add(map, i / rows * near + i % rows * pitch, width);
    }
    const dame_type_t *column = vector(rows, 1, pitch, basic(width));
    try_program(map, program_of(resized(0, near, column)), columns);
    /* runs that begin and end inside columns, on a CPU that fetches rows ahead and one that does not */
    map->unit = rows / 3 + 1;
    for (int64_t ahead = 0; ahead <= 3; ahead += 3) {
        dame_program_t *program = program_of(resized(0, near, column));
        atomic_store(&dame_columns_ahead, ahead);
        try_program(map, program, columns);
    }
}

START_TEST(throttled_kernels_move_blocks)
{
    throttled = true;
    for (int64_t width = 1; width < 64; width++) {
        try_strided(14, width, PAGE - width);
    }
    throttled = false;
}
END_TEST

/* 600 rows and their packed bytes exceed 512 lines, not 768, which 650 do; rows a set apart exceed 8 ways, and 12 only if they are more. */
START_TEST(columns_are_walked_where_they_exceed_the_cache)
{
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
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const dame_type_t *column = vector(cases[i].rows, 1, cases[i].far, basic(8));
        dame_data_cache_force(cases[i].cache);
        dame_program_t *program = program_of(vector(20, 1, 8, resized(0, 8, column)));
        bool walks = false;
        for (int32_t k = 0; k < program->nprims; k++) {
            walks = walks || program->prims[k].by_block != NULL;
        }
        ck_assert_msg(walks == cases[i].walks, "case %zu", i);
        dame_program_free(program);
    }
    dame_data_cache_force(NULL);
}
END_TEST

START_TEST(columns_of_a_matrix_are_moved)
{
    static const dame_data_cache_t cache = {.line = 64, .ways = 8, .l1 = 32 << 10, .l2 = 1 << 20};
    static const int64_t widths[] = {1, 3, 4, 6, 8, 11, 12, 16, 20, 24, 32, 40, 45, 48, 63, 64};
    static const int64_t rows[] = {9, 11, 12, 13, 16, 19, 20, 23, 24, 25, 31, 33, 47};
    static const int64_t columns[] = {7, 8, 9, 11, 12, 13, 15, 16, 17, 21, 27};
    enum { WIDTHS = 16, ROWS = 13, COLUMNS = 11 };
    dame_data_cache_force(&cache); /* which all of these exceed */
    for (int i = 0; i < WIDTHS * ROWS; i++) {
        const int64_t width = widths[i % WIDTHS], n = columns[i % COLUMNS];
        const int64_t near = width + (width < 60 && i % 3 == 0 ? 3 : 0);
        try_columns(rows[i % ROWS], n, width, i % 2 ? near : -near, i % 5 ? PAGE : -PAGE);
        if (i < 9 * WIDTHS) {
            try_columns(520, 1 + i / WIDTHS, width, width, 9 * width);
        }
    }
    dame_data_cache_force(NULL);
}
END_TEST

/* 140 bodies of a few blocks each, in order, shuffled, and shuffled far away. */
static void try_bodies(int64_t n, const int64_t *lengths, const int64_t *disps, int64_t step)
{
    enum { BODIES = 140 };
    const dame_type_t *body =
        resized(0, step < 0 ? -step : step, index_type(n, lengths, disps, basic(1)));
    for (int kind = 0; kind < 3; kind++) {
        int64_t places[BODIES];
        typemap_t *map = cleared(n);
        for (int64_t i = 0; i < BODIES; i++) {
            places[i] = kind ? i * 33 % BODIES * step + (kind - 1) * FAR : i * step;
            for (int64_t j = 0; j < n; j++) {
                add(map, places[i] + disps[j], lengths[j]);
            }
        }
        const dame_type_t *type =
            kind ? blockindex(BODIES, 1, places, body) : vector(BODIES, 1, step, body);
        try_program(map, program_with(DAME_PASSES_ALL & ~ONLY(NORMALISE), type), 1);
    }
}

START_TEST(small_bodies_are_moved)
{
    static const int64_t steps[] = {2048, PAGE + 2048, -1024, -735, PAGE + 64};
    for (int64_t width = 1; width <= 64; width++) {
        int64_t lengths[5], disps[5];
        for (int64_t j = 0; j < 5; j++) {
            lengths[j] = (width + 21 * j - 1) % 64 + 1;
            disps[j] = (j ^ 1) * (64 + width % 5);
        }
        try_bodies(3 + width % 3, lengths, disps, 411);
        if (width <= 12) {
            try_bodies(width <= 8 ? 3 : 2, (int64_t[]){width, width, width},
                       (int64_t[]){3 * width + 7, width + 3, 0}, 4 * width + 8);
        }
        if (width <= 5) {
            try_bodies(3, (int64_t[]){1, 2, 1}, (int64_t[]){0, 600, 301}, steps[width - 1]);
        }
    }
}
END_TEST

/* Rows of five blocks, one by one and several at a place, and other members between them. */
START_TEST(levels_in_levels_are_moved)
{
    static const int64_t order[] = {5, 2, 0, 7, 1, 3, 6, 8, 4},
                         rows[] = {1, 2, 4, 3, 1, 2, 1, 4, 3};
    enum { N = 9, KINDS = 5 };
    for (int64_t k = 0; k < 2 * KINDS * WIDEST; k += 1 + k / 40) {
        const int64_t width = 1 + k / (2 * KINDS), kind = k / 2 % KINDS, step = 6 * (width + 3);
        const dame_type_t *row = resized(0, step, vector(5, 1, width + 3, basic(width)));
        int64_t disps[N], ones[N];
        const dame_type_t *members[N];
        typemap_t *map = cleared(1);
        for (int64_t i = 0; i < N; i++) {
            disps[i] =
                kind == 0 ? i * (step + 1) : order[i] * 4 * step + order[i] % 3 + kind / 3 * FAR;
            ones[i] = 1;
            members[i] = kind == 4 && i % 2 ? basic(width) : row;
            for (int64_t j = 0; j < (kind == 2 || kind == 3 ? rows[i] : 1) * 5; j++) {
                if (members[i] == row || j == 0) {
                    add(map, disps[i] + j / 5 * step + j % 5 * (width + 3), width);
                }
            }
        }
        const dame_type_t *type = kind == 0   ? vector(N, 1, step + 1, row)
                                  : kind == 1 ? blockindex(N, 1, disps, row)
                                  : kind == 4 ? struct_type(N, ones, disps, members)
                                              : index_type(N, rows, disps, row);
        try_program(map, k % 2 ? program_of(type) : plain_of(type), 1);
    }
}
END_TEST

/* The stream is nothing but zeros up to the last member. */
START_TEST(a_member_behind_two_gigabytes_is_moved)
{
    enum { BLOCK = 1 << 16, BLOCKS = (1 << 15) + 1, LAST = 12 };
    const dame_type_t *const members[] = {vector(BLOCKS, 1, 0, basic(BLOCK)), basic(LAST)};
    const int64_t size = INT64_C(1) * BLOCKS * BLOCK + LAST;
    static char user[BLOCK + 8 + LAST], wanted[sizeof user];
    dame_program_t *program =
        compile(program_of(struct_type(2, (int64_t[]){1, 1}, (int64_t[]){0, BLOCK + 8}, members)));
    ck_assert_int_eq(program->size, size);
    char *stream = mmap(NULL, (size_t) size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert_ptr_ne(stream, MAP_FAILED);
    memset(user, '#', sizeof user);
    memset(wanted + BLOCK, '#', 8);
    memcpy(wanted + BLOCK + 8, pattern, LAST);
    memcpy(stream + size - LAST, pattern, LAST);
    dame_program_run(program, DAME_UNPACK, (uintptr_t) user, 1, stream);
    ck_assert_mem_eq(user, wanted, sizeof user);
    munmap(stream, (size_t) size);
    free_program(program);
}
END_TEST

static void add_provider(Suite *suite, const char *name, void (*setup)(void))
{
    TCase *tcase = tree_case(name);
    tcase_set_tags(tcase, LONG_CASE);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, strided_blocks_are_moved);
    tcase_add_test(tcase, short_blocks_with_short_gaps_are_moved);
    tcase_add_test(tcase, blocks_whole_pages_apart_are_moved);
    tcase_add_test(tcase, blocks_of_a_long_walk_are_moved);
    tcase_add_test(tcase, one_block_and_elements_with_gaps_are_moved);
    tcase_add_test(tcase, listed_blocks_are_moved);
    tcase_add_test(tcase, sorted_lists_are_moved);
    tcase_add_test(tcase, throttled_kernels_move_blocks);
    tcase_add_test(tcase, columns_are_walked_where_they_exceed_the_cache);
    tcase_add_test(tcase, columns_of_a_matrix_are_moved);
    tcase_add_test(tcase, small_bodies_are_moved);
    tcase_add_test(tcase, levels_in_levels_are_moved);
    tcase_add_test(tcase, a_member_behind_two_gigabytes_is_moved);
    suite_add_tcase(suite, tcase);
}

static bool has_isa(const char *name)
{
    const bool has = dame_isa_force(name) == DAME_OK;
    dame_isa_force(NULL);
    return has;
}

static bool has_compiler(void)
{
    dame_jit_t *jit;
    dame_jit_stats_t stats = {.vector_name = ""};
    if (dame_jit_create(dame_jit_options_default(), &jit) == DAME_OK) {
        dame_jit_stats(jit, &stats);
        dame_jit_destroy(jit);
    }
    return stats.vector_name[0] != '\0';
}

#define PROVIDER(name, call)                                                                       \
    static void use_##name(void)                                                                   \
    {                                                                                              \
        call;                                                                                      \
    }
PROVIDER(baseline, use_isa("baseline"))
PROVIDER(avx2, use_isa("avx2"))
PROVIDER(avx512, use_isa("avx512"))
PROVIDER(compiled_128, use_compiler(128))
PROVIDER(compiled_256, use_compiler(256))
PROVIDER(compiled_512, use_compiler(512))

Suite *kernels_suite(void)
{
    const struct {
        const char *name;
        void (*use)(void);
        bool there;
    } providers[] = {
        {"baseline", use_baseline, true},
        {"avx2", use_avx2, has_isa("avx2")},
        {"avx512", use_avx512, has_isa("avx512")},
        {"compiled, 128 bits", use_compiled_128, has_compiler()},
        {"compiled, 256 bits", use_compiled_256, has_compiler()},
        {"compiled, 512 bits", use_compiled_512, has_compiler()},
    };
    Suite *suite = suite_create("kernels");
    for (size_t i = 0; i < sizeof providers / sizeof providers[0]; i++) {
        if (providers[i].there) {
            add_provider(suite, providers[i].name, providers[i].use);
        }
    }
    return suite;
}
