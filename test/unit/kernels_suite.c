/*
 * The run kernels: every block width, strided, listed and ragged, both directions, every
 * instruction set this CPU has and every width of vectors of compiled ones, against a loop over
 * bytes. Buffers end where the data ends in half of the runs, at a page that faults, and start
 * where it starts in some, behind one, so that a kernel must not touch more.
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
#include "kernel_tools.h"
#include "test/lib/guarded.h"
#include "suites.h"

enum { WIDEST = 300, PAGE = 4096, GUARD = 128 };

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

/* Both directions of one message; `lead` bytes before the data make every alignment occur. */
static void try_blocks(const dame_type_t *type, const blocks_t *b, int64_t lead, bool tight)
{
    dame_program_t *program = kernels_of(type);
    if (throttled) {
        throttle(program);
    }
    ck_assert_int_eq(program->size, b->size);
    int64_t guard = tight ? 0 : GUARD;
    size_t user_size = (size_t) (lead + b->reach + guard);
    size_t packed_size = (size_t) (lead + b->size + guard);
    const edge_t edge = tight ? EDGE_HIGH : lead == 0 ? EDGE_LOW : EDGE_NONE;
    guarded_t memory, stream;
    ck_assert(guarded_alloc(&memory, user_size, edge) && guarded_alloc(&stream, packed_size, edge));
    char *user = memory.bytes;
    char *packed = stream.bytes;
    char *wanted_user = malloc(user_size);
    char *wanted = malloc((size_t) b->size + 1);
    ck_assert(wanted_user && wanted);

    const uintptr_t base = (uintptr_t) (user + lead) - (uintptr_t) b->away;
    fill_pattern(user, (int64_t) user_size, 1);
    memset(packed, GUARD_BYTE, packed_size);
    move_bytes(b, user + lead, wanted, DAME_PACK);
    memcpy(wanted_user, user, user_size);
    dame_program_run(program, DAME_PACK, base, 1, packed + lead);
    ck_assert_mem_eq(packed + lead, wanted, (size_t) b->size);
    ck_assert_mem_eq(user, wanted_user, user_size);
    expect_guard(packed, lead, "the room before the packed bytes");
    expect_guard(packed + lead + b->size, guard, "the room behind the packed bytes");

    fill_pattern(packed, (int64_t) packed_size, 2);
    move_bytes(b, wanted_user + lead, packed + lead, DAME_UNPACK);
    dame_program_run(program, DAME_UNPACK, base, 1, packed + lead);
    ck_assert_mem_eq(user, wanted_user, user_size);

    free(wanted);
    free(wanted_user);
    guarded_free(&stream);
    guarded_free(&memory);
    kernels_free(program);
}

static const int64_t block_counts[] = {1, 2, 3, 4, 5, 7, 8, 9, MOST_BLOCKS};

enum { COUNTS = sizeof block_counts / sizeof block_counts[0] };

static void try_strided(int64_t width, int64_t gap, bool backwards)
{
    for (int c = 0; c < COUNTS; c++) {
        blocks_t b = {.n = block_counts[c]};
        int64_t stride = width + gap;
        for (int64_t i = 0; i < b.n; i++) {
            b.lengths[i] = width;
            b.disps[i] = backwards ? (b.n - 1 - i) * stride : i * stride;
        }
        measure(&b);
        const dame_type_t *row = vector(b.n, 1, backwards ? -stride : stride, basic(width));
        const dame_type_t *type = backwards ? blockindex(1, 1, &b.disps[0], row) : row;
        try_blocks(type, &b, (width + c) % 9, c % 2);
    }
}

static void try_listed(int64_t width, int64_t away)
{
    static const int64_t places[MOST_BLOCKS] = {5, 2, 9, 0, 12, 7, 1, 11, 3, 10, 6, 8, 4};
    for (int c = 0; c < COUNTS; c++) {
        blocks_t b = {.n = block_counts[c], .away = away};
        for (int64_t i = 0; i < b.n; i++) {
            b.lengths[i] = 1;
            b.disps[i] = places[i] * (width + 3);
        }
        const dame_type_t *type = type_of(&b, basic(width));
        for (int64_t i = 0; i < b.n; i++) {
            b.lengths[i] = width;
        }
        measure(&b);
        try_blocks(type, &b, (width + c) % 9, c % 2);
    }
}

/* Blocks of width, width + 1, ... each in turn the first. */
static void try_ragged(int64_t width, int64_t away)
{
    for (int c = 0; c < COUNTS; c++) {
        blocks_t b = {.n = block_counts[c], .away = away};
        int64_t at = 0;
        for (int64_t i = b.n - 1; i >= 0; i--) {
            b.lengths[i] = width + (i * 5 + c) % MOST_BLOCKS;
            b.disps[i] = at;
            at += b.lengths[i] + 1 + i % 3;
        }
        measure(&b);
        try_blocks(type_of(&b, basic(1)), &b, (width + c) % 9, c % 2);
    }
}

START_TEST(strided_blocks_of_every_width_are_moved_exactly)
{
    if (!force_kernels(_i)) {
        return;
    }
    for (int64_t width = 1; width <= WIDEST; width++) {
        try_strided(width, 1 + width % 7, false);
        try_strided(width, 3, true);
    }
    try_strided(PAGE, 8, false);
    try_strided(PAGE, 1, true);
}
END_TEST

/* Blocks whose addresses agree in their low bits have kernels of their own. */
START_TEST(blocks_whole_pages_apart_are_moved_exactly)
{
    if (!force_kernels(_i)) {
        return;
    }
    for (int64_t width = 1; width <= 70; width++) {
        try_strided(width, (1 + width % 2) * PAGE - width, width % 3 == 0);
    }
}
END_TEST

START_TEST(listed_blocks_of_every_width_are_moved_exactly)
{
    if (!force_kernels(_i)) {
        return;
    }
    for (int64_t width = 1; width <= WIDEST; width++) {
        try_listed(width, 0);
        try_listed(width, FAR);
    }
    try_listed(PAGE, 0);
}
END_TEST

START_TEST(ragged_blocks_of_every_width_are_moved_exactly)
{
    if (!force_kernels(_i)) {
        return;
    }
    for (int64_t width = 1; width <= WIDEST; width++) {
        try_ragged(width, 0);
        try_ragged(width, FAR);
    }
    try_ragged(PAGE, 0);
}
END_TEST

START_TEST(one_block_of_every_width_is_moved_exactly)
{
    if (!force_kernels(_i)) {
        return;
    }
    for (int64_t width = 1; width <= WIDEST; width++) {
        for (int64_t lead = 0; lead < 9; lead++) {
            blocks_t b = {.n = 1, .lengths = {width}};
            measure(&b);
            try_blocks(basic(width), &b, lead, lead % 2);
        }
    }
}
END_TEST

/* A message of many elements runs the kernel of the outermost level. */
START_TEST(elements_with_gaps_are_moved_exactly)
{
    if (!force_kernels(_i)) {
        return;
    }
    for (int64_t width = 1; width <= WIDEST; width++) {
        enum { N = 11 };
        const int64_t extent = width + 5;
        dame_program_t *program = kernels_of(resized(0, extent, basic(width)));
        char *user = malloc((size_t) (N * extent));
        char *packed = malloc((size_t) (N * width));
        ck_assert(user && packed);
        fill_pattern(user, N * extent, 3);
        dame_program_run(program, DAME_PACK, (uintptr_t) user, N, packed);
        for (int64_t i = 0; i < N; i++) {
            ck_assert_mem_eq(packed + i * width, user + i * extent, (size_t) width);
        }
        free(packed);
        free(user);
        kernels_free(program);
    }
}
END_TEST

/* A matrix of rows x columns elements of `width` bytes, rows `pitch` apart. */
typedef struct matrix {
    int64_t rows;
    int64_t columns;
    int64_t width;
    int64_t pitch;
    int64_t gap;   /* bytes between neighbouring columns */
    bool mirrored; /* columns from right to left */
} matrix_t;

/* Packs and unpacks it column by column: all at once, and runs that begin and end with a column or
 * inside one. */
static void try_columns(const matrix_t *x)
{
    const dame_type_t *column = vector(x->rows, 1, x->pitch, basic(x->width));
    const int64_t apart = x->width + x->gap;
    const int64_t near = x->mirrored ? -apart : apart;
    const int64_t start = x->mirrored ? (x->columns - 1) * apart : 0;
    dame_program_t *program = kernels_of(resized(0, near, column));
    const int64_t size = x->rows * x->columns * x->width;
    const int64_t reach = (x->rows - 1) * x->pitch + (x->columns - 1) * apart + x->width;
    const edge_t edge = x->columns % 2 ? EDGE_HIGH : EDGE_LOW;
    guarded_t memory, sent;
    ck_assert(guarded_alloc(&memory, (size_t) reach, edge));
    ck_assert(guarded_alloc(&sent, (size_t) size, edge));
    char *user = memory.bytes;
    char *stream = sent.bytes;
    char *wanted_user = malloc((size_t) reach);
    char *packed = malloc((size_t) size);
    char *wanted = malloc((size_t) size);
    ck_assert(wanted_user && packed && wanted);
    fill_pattern(user, reach, 5);
    fill_pattern(stream, size, 6);
    const int64_t blocks = x->columns * x->rows;
    for (int64_t turn = 0, first = 0; first < blocks; turn++) {
        for (int64_t n = blocks - first; n > 0; n -= 1 + n / 3) {
            dame_cursor_t cursor;
            uintptr_t base = (uintptr_t) user + (uintptr_t) start;
            const int64_t at = first * x->width;
            const int64_t bytes = n * x->width;
            atomic_store(&dame_columns_ahead, turn % 2 * 3);
            memcpy(wanted_user, user, (size_t) reach);
            ck_assert_int_eq(dame_cursor_init(&cursor, program, base, x->columns), DAME_OK);
            dame_cursor_seek(&cursor, at);
            ck_assert_int_eq(dame_cursor_pack(&cursor, packed, bytes), bytes);
            ck_assert_mem_eq(user, wanted_user, (size_t) reach);
            for (int64_t i = 0; i < n; i++) {
                const int64_t block = first + i;
                int64_t offset = start + block / x->rows * near + block % x->rows * x->pitch;
                memcpy(wanted + i * x->width, user + offset, (size_t) x->width);
                memcpy(wanted_user + offset, stream + at + i * x->width, (size_t) x->width);
            }
            ck_assert_mem_eq(packed, wanted, (size_t) bytes);
            dame_cursor_seek(&cursor, at);
            ck_assert_int_eq(dame_cursor_unpack(&cursor, stream + at, bytes), bytes);
            ck_assert_mem_eq(user, wanted_user, (size_t) reach);
            dame_cursor_fini(&cursor);
        }
        first = turn % 2 ? (first / x->rows + 1) * x->rows : first + x->rows / 3 + turn;
    }
    free(wanted);
    free(packed);
    free(wanted_user);
    guarded_free(&sent);
    guarded_free(&memory);
    kernels_free(program);
}

START_TEST(throttled_kernels_move_blocks_exactly)
{
    throttled = true;
    for (int64_t width = 1; width < DAME_LINE; width++) {
        try_strided(width, PAGE - width, width % 2);
    }
    throttled = false;
}
END_TEST

START_TEST(columns_of_a_matrix_are_moved_exactly)
{
    if (!force_kernels(_i)) {
        return;
    }
    static const int64_t widths[] = {1, 2, 3, 4, 7, 8, 12, 15, 16, 24, 31, 32, 48, 63, 64, 65};
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        const int64_t width = widths[w];
        for (int64_t columns = 1; columns <= 9; columns++) {
            try_columns(&(matrix_t){520, columns, width, columns * width, 0, columns % 2 == 0});
            try_columns(&(matrix_t){10, columns, width, PAGE, 0, columns % 2 == 1});
            try_columns(&(matrix_t){3, columns, width, columns * width + 5, 0, false});
        }
    }
}
END_TEST

/* Rows in one set of the cache are moved block by block: counts about the ends of blocks of rows
 * and of tiles of columns, with gaps between the columns of every third matrix. */
START_TEST(blocks_of_rows_are_moved_exactly)
{
    if (!force_kernels(_i)) {
        return;
    }
    static const int64_t widths[] = {1, 3, 4, 6, 8, 11, 12, 16, 20, 24, 32, 40, 45, 48, 63};
    static const int64_t rows[] = {9, 11, 12, 13, 16, 19, 20, 23, 24, 25, 31, 33, 47};
    static const int64_t columns[] = {7, 8, 9, 11, 12, 13, 15, 16, 17, 21, 27};
    enum { COLUMNS = sizeof columns / sizeof columns[0] };
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            const int64_t n = columns[(w + r) % COLUMNS];
            const int64_t gap = (w + r) % 3 == 0 && widths[w] < 60 ? 3 : 0;
            try_columns(&(matrix_t){rows[r], n, widths[w], PAGE, gap, r % 2 == 0});
        }
    }
}
END_TEST

START_TEST(rows_from_the_bottom_are_moved_exactly)
{
    if (!force_kernels(_i)) {
        return;
    }
    enum { ROWS = 21, COLUMNS = 13, WIDTH = 8, SIZE = ROWS * COLUMNS * WIDTH };
    enum { REACH = (ROWS - 1) * PAGE + COLUMNS * WIDTH };
    const dame_type_t *column = vector(ROWS, 1, -PAGE, basic(WIDTH));
    dame_program_t *program = kernels_of(resized(0, WIDTH, column));
    char *user = malloc(REACH), *wanted_user = malloc(REACH);
    char *packed = malloc(SIZE), *wanted = malloc(SIZE);
    ck_assert(user && wanted_user && packed && wanted);
    const int64_t bottom = (ROWS - 1) * PAGE;
    fill_pattern(user, REACH, 7);
    for (int64_t i = 0; i < ROWS * COLUMNS; i++) {
        memcpy(wanted + i * WIDTH, user + bottom + i / ROWS * WIDTH - i % ROWS * PAGE, WIDTH);
    }
    dame_program_run(program, DAME_PACK, (uintptr_t) (user + bottom), COLUMNS, packed);
    ck_assert_mem_eq(packed, wanted, SIZE);
    fill_pattern(packed, SIZE, 8);
    memcpy(wanted_user, user, REACH);
    for (int64_t i = 0; i < ROWS * COLUMNS; i++) {
        memcpy(wanted_user + bottom + i / ROWS * WIDTH - i % ROWS * PAGE, packed + i * WIDTH,
               WIDTH);
    }
    dame_program_run(program, DAME_UNPACK, (uintptr_t) (user + bottom), COLUMNS, packed);
    ck_assert_mem_eq(user, wanted_user, REACH);
    free(wanted);
    free(packed);
    free(wanted_user);
    free(user);
    kernels_free(program);
}
END_TEST

/* Memory that ends where a page ends that may not be touched; `room` is a multiple of PAGE. */
static char *memory_at_edge(size_t room)
{
    char *memory =
        mmap(NULL, room + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(memory != MAP_FAILED);
    ck_assert_int_eq(mprotect(memory + room, PAGE, PROT_NONE), 0);
    return memory;
}

/* n blocks `step` bytes apart, of which the last one ends at the edge of the user's memory. */
static void try_short(int64_t width, int64_t step, int64_t n, char *user, char *packed)
{
    enum { ROOM = 2 * PAGE };
    static char wanted[ROOM], before[ROOM];
    const int64_t reach = (n - 1) * step + width;
    dame_program_t *program = kernels_of(vector(400, 1, step, basic(width)));
    const dame_prim_t *level = &program->prims[1];
    char *at = user + ROOM - reach;
    char *stream = packed + ROOM - n * width;
    const int64_t first = n % 7;
    const uintptr_t origin = (uintptr_t) at - (uintptr_t) (first * step);
    fill_pattern(user, ROOM, 1);
    memset(packed, GUARD_BYTE, ROOM);
    memcpy(before, user, ROOM);
    for (int64_t i = 0; i < n; i++) {
        memcpy(wanted + i * width, at + i * step, (size_t) width);
    }
    level->run[DAME_PACK](level, origin, stream, first, n);
    ck_assert_mem_eq(stream, wanted, (size_t) (n * width));
    ck_assert_mem_eq(user, before, ROOM);
    expect_guard(packed, stream - packed, "the room before the packed bytes");
    fill_pattern(stream, n * width, 2);
    for (int64_t i = 0; i < n; i++) {
        memcpy(before + (at - user) + i * step, stream + i * width, (size_t) width);
    }
    level->run[DAME_UNPACK](level, origin, stream, first, n);
    ck_assert_mem_eq(user, before, ROOM);
    kernels_free(program);
}

START_TEST(short_blocks_with_short_gaps_are_moved_exactly)
{
    if (!force_kernels(_i)) {
        return;
    }
    static const int64_t counts[] = {1, 2, 5, 8, 31, 32, 33, 64, 100, 129, 390};
    char *user = memory_at_edge(2 * PAGE);
    char *packed = memory_at_edge(2 * PAGE);
    for (int64_t width = 1; width <= 16; width++) {
        for (int64_t step = width + 1; step <= 18; step++) {
            for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
                try_short(width, step, counts[c], user, packed);
            }
        }
    }
    munmap(packed, 3 * PAGE);
    munmap(user, 3 * PAGE);
}
END_TEST

/* A shuffled list with sorted tables against the one without: all windows, and parts of them. */
static void try_sorted(int64_t width, int64_t fragment)
{
    enum { N = 300 };
    int64_t disps[N];
    for (int64_t i = 0; i < N; i++) {
        disps[i] = i * 77 % N * (width + 1);
    }
    dame_options_t options = *dame_options_default();
    options.sort = DAME_SORT_ALWAYS;
    options.fragment = fragment;
    const dame_type_t *type = blockindex(N, 1, disps, basic(width));
    dame_program_t *program;
    ck_assert_int_eq(dame_program_build(type, &options, &program), DAME_OK);
    ck_assert_int_eq(dame_program_verify(program, NULL, 0), DAME_OK);
    const dame_prim_t *level = &program->prims[1];
    ck_assert_ptr_nonnull(level->visits);
    ck_assert_int_ge(level->window, 64);
    kernels_compile(program);
    const size_t room = (size_t) (N * (width + 1));
    char *user = malloc(room);
    char *wanted_user = malloc(room);
    char *packed = malloc(room);
    char *wanted = malloc(room);
    ck_assert(user && wanted_user && packed && wanted);
    for (int64_t first = 0; first < N; first += 37) {
        for (int64_t n = N - first; n >= 0; n -= 29) {
            fill_pattern(user, (int64_t) room, 3);
            memcpy(wanted_user, user, room);
            memset(packed, GUARD_BYTE, room);
            for (int64_t i = 0; i < n; i++) {
                memcpy(wanted + i * width, user + disps[first + i], (size_t) width);
            }
            level->run[DAME_PACK](level, (uintptr_t) user, packed, first, n);
            ck_assert_mem_eq(packed, wanted, (size_t) (n * width));
            expect_guard(packed + n * width, (int64_t) room - n * width, "the rest");
            fill_pattern(packed, n * width, 4);
            for (int64_t i = 0; i < n; i++) {
                memcpy(wanted_user + disps[first + i], packed + i * width, (size_t) width);
            }
            level->run[DAME_UNPACK](level, (uintptr_t) user, packed, first, n);
            ck_assert_mem_eq(user, wanted_user, room);
        }
    }
    free(wanted);
    free(packed);
    free(wanted_user);
    free(user);
    kernels_free(program);
}

START_TEST(sorted_lists_are_moved_exactly)
{
    if (!force_kernels(_i)) {
        return;
    }
    for (int64_t width = 1; width <= WIDEST; width += width < 70 ? 1 : 23) {
        try_sorted(width, 1);
        try_sorted(width, 4 * 100 * width);
    }
}
END_TEST

START_TEST(lists_are_sorted_only_where_the_options_say_so)
{
    enum { N = 1019, REACH = 16 * (N - 1) }; /* a prime of which all are cubes: no pattern */
    int64_t disps[N];
    for (int64_t i = 0; i < N; i++) {
        disps[i] = i * i % N * i % N * 16;
    }
    const dame_passes_t only = 1u << DAME_PASS_SORT;
    const dame_passes_t sort = only | 1u << DAME_PASS_BUFFER;
    const dame_options_t tries[] = {
        {.passes = DAME_PASSES_ALL, .sort = DAME_SORT_ALWAYS, .fragment = 16384},
        {.passes = sort, .sort = DAME_SORT_AUTO, .sort_range = REACH - 1, .fragment = 16384},
        {.passes = sort, .sort = DAME_SORT_AUTO, .sort_range = REACH, .fragment = 16384},
        {.passes = sort, .sort = DAME_SORT_AUTO, .sort_range = INT32_MAX, .fragment = 16384},
        {.passes = sort, .sort = DAME_SORT_NEVER, .fragment = 16384},
        {.passes = DAME_PASSES_ALL & ~only, .sort = DAME_SORT_ALWAYS, .fragment = 16384},
        {.passes = only, .sort = DAME_SORT_ALWAYS, .fragment = 16384}, /* too long a window */
        *dame_options_default(),
    };
    static const int64_t windows[] = {512, 512, 0, 0, 0, 0, 0, 0}; /* 4 a fragment */
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        dame_program_t *program;
        const dame_type_t *type = blockindex(N, 1, disps, basic(8));
        ck_assert_int_eq(dame_program_build(type, &tries[i], &program), DAME_OK);
        ck_assert_int_eq(program->prims[1].window, windows[i]);
        ck_assert_int_eq(NULL != program->prims[1].visits, 0 != windows[i]);
        dame_program_free(program);
    }
}
END_TEST

START_TEST(kernels_may_start_and_stop_at_any_iteration)
{
    if (!force_kernels(_i)) {
        return;
    }
    const int64_t widths[] = {1, 3, 4, 8, 12, 16, 24, 31, 32, 48, 64, 100, 200, 300};
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        const int64_t width = widths[w];
        dame_program_t *program = kernels_of(vector(10, 1, width + 2, basic(width)));
        const dame_prim_t *level = &program->prims[1];
        ck_assert_int_eq(level->op, DAME_OP_VECTORFINAL);
        char *user = malloc((size_t) (10 * (width + 2)));
        char *packed = malloc((size_t) (10 * width + 1));
        ck_assert(user && packed);
        fill_pattern(user, 10 * (width + 2), 4);
        for (int64_t first = 0; first <= 10; first++) {
            for (int64_t n = 0; first + n <= 10; n++) {
                memset(packed, GUARD_BYTE, (size_t) (10 * width + 1));
                level->run[DAME_PACK](level, (uintptr_t) user, packed, first, n);
                for (int64_t i = 0; i < n; i++) {
                    ck_assert_mem_eq(packed + i * width, user + (first + i) * (width + 2),
                                     (size_t) width);
                }
                expect_guard(packed + n * width, (10 - n) * width + 1, "the rest");
            }
        }
        free(packed);
        free(user);
        kernels_free(program);
    }
}
END_TEST

START_TEST(the_names_of_instruction_sets_can_be_forced_and_others_not)
{
    const char *const *names = dame_isa_names();
    ck_assert_ptr_nonnull(names);
    ck_assert_ptr_nonnull(names[0]);
    bool baseline = false;
    for (int i = 0; names[i]; i++) {
        ck_assert_int_eq(dame_isa_force(names[i]), DAME_OK);
        baseline |= strcmp(names[i], "baseline") == 0;
    }
    ck_assert(baseline);
    ck_assert_int_eq(dame_isa_force("no such set"), DAME_ERR_ARGUMENT);
    ck_assert_int_eq(dame_isa_force(""), DAME_ERR_ARGUMENT);
    ck_assert_int_eq(dame_isa_force(NULL), DAME_OK);
}
END_TEST

START_TEST(the_instruction_set_is_chosen_by_what_the_cpu_has)
{
    const dame_cpu_t here = dame_cpu_detect(), none = {0};
    const dame_cpu_t avx2 = {.avx2 = 1}, no_vbmi = {.avx2 = 1, .avx512 = 1};
    const dame_cpu_t all = {.avx2 = 1, .avx512 = 1, .avx512_vbmi = 1};
    ck_assert_str_eq(dame_isa_for(&here), dame_isa_names()[0]);
    ck_assert_str_eq(dame_isa_for(&none), "baseline");
    const bool has_copies = strcmp(dame_isa_for(&all), "baseline") != 0; /* on x86-64 */
    ck_assert_str_eq(dame_isa_for(&all), has_copies ? "avx512" : "baseline");
    ck_assert_str_eq(dame_isa_for(&avx2), has_copies ? "avx2" : "baseline");
    ck_assert_str_eq(dame_isa_for(&no_vbmi), has_copies ? "avx2" : "baseline");
}
END_TEST

START_TEST(a_forced_instruction_set_limits_what_may_be_used)
{
    const dame_cpu_t here = dame_cpu_detect(), none = {0};
    dame_cpu_t cpu = dame_isa_cpu();
    ck_assert(dame_cpu_has(&cpu, &here));
    for (const char *const *name = dame_isa_names(); *name; name++) {
        ck_assert_int_eq(dame_isa_force(*name), DAME_OK);
        cpu = dame_isa_cpu();
        ck_assert_str_eq(dame_isa_for(&cpu), *name);
        ck_assert(dame_cpu_has(&here, &cpu));
    }
    cpu = dame_isa_cpu(); /* of baseline, the last one */
    ck_assert(dame_cpu_has(&none, &cpu));
    ck_assert_int_eq(dame_isa_force(NULL), DAME_OK);
    cpu = dame_isa_cpu();
    ck_assert(dame_cpu_has(&cpu, &here));
}
END_TEST

Suite *kernels_suite(void)
{
    Suite *suite = suite_create("kernels");
    TCase *tcase = kernels_case("kernels");
    tcase_add_test(tcase, the_names_of_instruction_sets_can_be_forced_and_others_not);
    tcase_add_test(tcase, the_instruction_set_is_chosen_by_what_the_cpu_has);
    tcase_add_test(tcase, a_forced_instruction_set_limits_what_may_be_used);
    tcase_add_loop_test(tcase, strided_blocks_of_every_width_are_moved_exactly, 0, PROVIDERS);
    tcase_add_loop_test(tcase, blocks_whole_pages_apart_are_moved_exactly, 0, PROVIDERS);
    tcase_add_test(tcase, throttled_kernels_move_blocks_exactly);
    tcase_add_loop_test(tcase, columns_of_a_matrix_are_moved_exactly, 0, PROVIDERS);
    tcase_add_loop_test(tcase, blocks_of_rows_are_moved_exactly, 0, PROVIDERS);
    tcase_add_loop_test(tcase, rows_from_the_bottom_are_moved_exactly, 0, PROVIDERS);
    tcase_add_loop_test(tcase, listed_blocks_of_every_width_are_moved_exactly, 0, PROVIDERS);
    tcase_add_loop_test(tcase, ragged_blocks_of_every_width_are_moved_exactly, 0, PROVIDERS);
    tcase_add_loop_test(tcase, one_block_of_every_width_is_moved_exactly, 0, PROVIDERS);
    tcase_add_loop_test(tcase, elements_with_gaps_are_moved_exactly, 0, PROVIDERS);
    tcase_add_loop_test(tcase, short_blocks_with_short_gaps_are_moved_exactly, 0, PROVIDERS);
    tcase_add_loop_test(tcase, sorted_lists_are_moved_exactly, 0, PROVIDERS);
    tcase_add_test(tcase, lists_are_sorted_only_where_the_options_say_so);
    tcase_add_loop_test(tcase, kernels_may_start_and_stop_at_any_iteration, 0, PROVIDERS);
    suite_add_tcase(suite, tcase);
    return suite;
}
