/*
 * Every run kernel of a program moves any run of its level's iterations, and nothing else: from
 * every provider of kernels, both directions, against a walk over the primitives that goes by what
 * dame_program.h says of them. Memory ends, or starts, where the run's data does, at a page that
 * faults.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernel_tools.h"
#include "suites.h"
#include "test/lib/guarded.h"
#include "test/lib/rng.h"

enum {
    MOST_BYTES = 1 << 18,
    NO_COUNT = 3 /* iterations of a level that does not know how many it has */
};

/* Where each packed byte of a run stands, from the level's origin on. */
typedef struct bytes {
    int64_t n;
    int64_t at[MOST_BYTES];
} bytes_t;

static void walk(const dame_prim_t *level, int64_t origin, int64_t first, int64_t n, bytes_t *bytes)
{
    for (int64_t i = first; i < first + n; i++) {
        const int64_t at = origin + (int64_t) dame_iter_offset(level, i);
        const int64_t length = dame_iter_size(level, i);
        const int32_t inner = dame_iter_inner(level, i);
        if (inner != 0) {
            const dame_prim_t *child = level + inner;
            walk(child, at, 0, dame_iter_inner_count(level, i, child), bytes);
            continue;
        }
        if (bytes->n + length > MOST_BYTES) {
            ck_abort_msg("the test has room for %d bytes", MOST_BYTES);
        }
        for (int64_t k = 0; k < length; k++) {
            bytes->at[bytes->n++] = at + k;
        }
    }
}

static void try_direction(const dame_prim_t *level, dame_dir_t dir, int64_t first, int64_t n,
                          const bytes_t *bytes, edge_t edge)
{
    int64_t low = bytes->n > 0 ? bytes->at[0] : 0;
    int64_t high = low;
    for (int64_t i = 0; i < bytes->n; i++) {
        low = bytes->at[i] < low ? bytes->at[i] : low;
        high = bytes->at[i] + 1 > high ? bytes->at[i] + 1 : high;
    }
    guarded_t memory, stream;
    const size_t reach = (size_t) (high - low), size = (size_t) bytes->n;
    char *wanted_memory = malloc(reach + 1), *wanted_stream = malloc(size + 1);
    if (!guarded_alloc(&memory, reach, edge) || !guarded_alloc(&stream, size, edge) ||
        !wanted_memory || !wanted_stream) {
        ck_abort_msg("no memory");
    }
    fill_pattern(memory.bytes, (int64_t) reach, 1);
    fill_pattern(stream.bytes, (int64_t) size, 2);
    memcpy(wanted_memory, memory.bytes, reach);
    memcpy(wanted_stream, stream.bytes, size);
    for (int64_t i = 0; i < bytes->n; i++) {
        char *user = wanted_memory + (bytes->at[i] - low);
        *(dir == DAME_PACK ? wanted_stream + i : user) =
            dir == DAME_PACK ? *user : wanted_stream[i];
    }
    const uintptr_t origin = (uintptr_t) memory.bytes - (uintptr_t) low;
    dame_prim_run(level, dir)(level, origin, stream.bytes, first, n);
    if (memcmp(stream.bytes, wanted_stream, size) != 0 ||
        memcmp(memory.bytes, wanted_memory, reach) != 0) {
        ck_abort_msg("%s, %s: iterations %d to %d of %d moved wrong", dame_op_name(level->op),
                     dir == DAME_PACK ? "pack" : "unpack", (int) first, (int) (first + n),
                     (int) level->count);
    }
    free(wanted_stream);
    free(wanted_memory);
    guarded_free(&stream);
    guarded_free(&memory);
}

static void try_level(const dame_prim_t *level)
{
    static bytes_t bytes;
    const int64_t count = level->count ? level->count : NO_COUNT;
    const int64_t starts[] = {0, 1, count / 2, count - 1};
    const int64_t lengths[] = {0, 1, 2, 3, 5, count / 2, count - 1, count};
    for (size_t s = 0; s < sizeof starts / sizeof starts[0]; s++) {
        for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
            const int64_t first = starts[s], n = lengths[l];
            if (first < 0 || first + n > count) {
                continue;
            }
            bytes.n = 0;
            walk(level, 0, first, n, &bytes);
            for (int dir = DAME_PACK; dir <= DAME_UNPACK; dir++) {
                const edge_t edge = (first + n + dir) % 2 ? EDGE_LOW : EDGE_HIGH;
                try_direction(level, (dame_dir_t) dir, first, n, &bytes, edge);
            }
        }
    }
}

/* All levels, as the type is written and as the optimiser likes it. */
static void try_type(const dame_type_t *type)
{
    static const dame_passes_t passes[] = {DAME_PASSES_NONE, DAME_PASSES_ALL};
    for (size_t p = 0; p < sizeof passes / sizeof passes[0]; p++) {
        dame_program_t *program = program_with(passes[p], type);
        kernels_compile(program);
        for (int32_t i = 0; i < program->nprims; i++) {
            if (dame_prim_run(&program->prims[i], DAME_PACK)) {
                try_level(&program->prims[i]);
            }
        }
        kernels_free(program);
    }
}

/* ---- types that have the levels ---- */

static const int64_t widths[] = {1, 2, 3, 4, 5, 8, 12, 16, 24, 31, 33, 64, 100, 300};

enum { WIDTHS = sizeof widths / sizeof widths[0] };

/* n places in an order without a pattern, `step` bytes apart. */
static void shuffle(int64_t n, int64_t step, int64_t *disps)
{
    rng_t rng = rng_seeded(7, (uint64_t) n);
    for (int64_t i = 0; i < n; i++) {
        int64_t k = rng_range(&rng, 0, i);
        disps[i] = disps[k];
        disps[k] = i * step + i % 3;
    }
}

START_TEST(any_run_of_blocks_is_moved)
{
    if (!force_kernels(_i)) {
        return;
    }
    enum { N = 41 };
    int64_t disps[N], lengths[N], ends[N];
    for (int w = 0; w < WIDTHS; w++) {
        const int64_t width = widths[w];
        try_type(vector(N, 1, width + 1, basic(width)));
        try_type(vector(N, 1, -width - 7, basic(width)));
        try_type(vector(N, 2, 3 * width + 1, basic(width)));
        shuffle(N, width + 3, disps);
        try_type(blockindex(N, 1, disps, basic(width)));
        shuffle(N, 5 * width + 3, ends);
        for (int64_t i = 0; i < N; i++) {
            lengths[i] = (i * 7 + 3) % 5; /* some are empty */
        }
        try_type(index_type(N, lengths, ends, basic(width)));
        try_type(resized(0, 2 * width + 1, basic(width)));
    }
}
END_TEST

START_TEST(any_run_of_levels_in_a_level_is_moved)
{
    if (!force_kernels(_i)) {
        return;
    }
    enum { N = 13 };
    int64_t disps[N], lengths[N];
    for (int w = 0; w < WIDTHS; w++) {
        const int64_t width = widths[w];
        const dame_type_t *row = vector(5, 1, width + 3, basic(width));
        const int64_t step = 6 * (width + 3);
        const dame_type_t *spaced = resized(0, step, row);
        try_type(vector(N, 1, step, row));
        try_type(vector(N, 3, 4 * step + 1, spaced));
        try_type(vector(3, 1, -N * step - 5, vector(4, 1, 2 * step, row)));
        shuffle(N, step, disps);
        try_type(blockindex(N, 1, disps, row));
        shuffle(N, 4 * step, disps);
        try_type(blockindex(N, 2, disps, spaced));
        for (int64_t i = 0; i < N; i++) {
            lengths[i] = 1 + (i * 5 + 1) % 4;
        }
        try_type(index_type(N, lengths, disps, spaced));
    }
}
END_TEST

START_TEST(any_run_of_different_members_is_moved)
{
    if (!force_kernels(_i)) {
        return;
    }
    enum { N = 9 };
    for (int w = 0; w < WIDTHS; w++) {
        const int64_t width = widths[w];
        const dame_type_t *row = vector(3, 1, width + 3, basic(width));
        const int64_t end = 4 * (width + 3);
        const dame_type_t *const members[] = {basic(width), row, basic(1), resized(0, end, row)};
        const int64_t lengths[] = {1, 1, 5, 2};
        const int64_t places[] = {2 * end, 0, 2 * end + width + 1, 2 * end + width + 8};
        const dame_type_t *structure = struct_type(4, lengths, places, members);
        const int64_t step = 5 * end + 7;
        int64_t disps[N];
        shuffle(N, step, disps);
        try_type(resized(0, step, structure));
        try_type(vector(N, 1, step, structure));
        try_type(blockindex(N, 1, disps, structure));
        try_type(vector(3, 2, 2 * step + 1, resized(0, step, structure)));
    }
}
END_TEST

/* Walks over more than the first cache, in which machine code fetches ahead, and shorter ones. */
START_TEST(any_run_of_a_long_walk_is_moved)
{
    static const struct {
        int64_t n, step, width;
    } walks[] = {{1100, 512, 8}, {700, -776, 24}, {90, 4096 + 64, 100}};
    if (!force_kernels(_i)) {
        return;
    }
    for (size_t w = 0; w < sizeof walks / sizeof walks[0]; w++) {
        dame_program_t *program =
            kernels_of(resized(0, 8, vector(walks[w].n, 1, walks[w].step, basic(walks[w].width))));
        ck_assert_int_eq(program->prims[1].count, walks[w].n);
        try_level(&program->prims[1]);
        kernels_free(program);
    }
}
END_TEST

/* The stream is nothing but zeros up to the last member. */
START_TEST(a_member_behind_two_gigabytes_is_moved)
{
    enum { BLOCK = 1 << 16, BLOCKS = (1 << 15) + 1, LAST = 12 };
    const dame_type_t *const members[] = {vector(BLOCKS, 1, 0, basic(BLOCK)), basic(LAST)};
    const int64_t size = INT64_C(1) * BLOCKS * BLOCK + LAST;
    static char user[BLOCK + 8 + LAST];
    if (!force_kernels(_i)) {
        return;
    }
    dame_program_t *program =
        kernels_of(struct_type(2, (int64_t[]){1, 1}, (int64_t[]){0, BLOCK + 8}, members));
    ck_assert_int_eq(program->size, size);
    char *stream = mmap(NULL, (size_t) size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert_ptr_ne(stream, MAP_FAILED);
    fill_pattern(stream + size - LAST, LAST, 7);
    memset(user, GUARD_BYTE, sizeof user);
    dame_program_run(program, DAME_UNPACK, (uintptr_t) user, 1, stream);
    for (int64_t i = 0; i < BLOCK; i++) {
        ck_assert_int_eq(user[i], 0);
    }
    expect_guard(user + BLOCK, 8, "the gap");
    ck_assert_mem_eq(user + BLOCK + 8, stream + size - LAST, LAST);
    munmap(stream, (size_t) size);
    kernels_free(program);
}
END_TEST

Suite *runs_suite(void)
{
    Suite *suite = suite_create("runs");
    TCase *tcase = kernels_case("runs");
    tcase_add_loop_test(tcase, any_run_of_blocks_is_moved, 0, PROVIDERS);
    tcase_add_loop_test(tcase, any_run_of_levels_in_a_level_is_moved, 0, PROVIDERS);
    tcase_add_loop_test(tcase, any_run_of_different_members_is_moved, 0, PROVIDERS);
    tcase_add_loop_test(tcase, any_run_of_a_long_walk_is_moved, 0, PROVIDERS);
    tcase_add_loop_test(tcase, a_member_behind_two_gigabytes_is_moved, 0, PROVIDERS);
    suite_add_tcase(suite, tcase);
    return suite;
}
