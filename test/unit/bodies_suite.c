/*
 * The run kernels of levels around small bodies: equal and unequal blocks, strided and in lists,
 * every width, both directions, every instruction set this CPU has and every width of vectors of
 * compiled ones, against a loop over bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel_tools.h"
#include "suites.h"

/* Bodies of a few blocks each, in a level of their own: body i stands at places[i]. */
enum { BODIES = 140, PAGE = 4096 };

typedef struct bodies {
    blocks_t body;
    int64_t places[BODIES];
    int64_t room;
} bodies_t;

/* The oracle for bodies first ... first + n - 1. */
static void move_bodies(const bodies_t *x, int64_t first, int64_t n, char *user, char *packed,
                        dame_dir_t dir)
{
    for (int64_t i = 0; i < n; i++) {
        move_bytes(&x->body, user + x->places[first + i], packed + i * x->body.size, dir);
    }
}

/* Memory for runs of up to all bodies. */
typedef struct room {
    char *user;
    char *wanted_user;
    char *packed;
    char *wanted;
} room_t;

/* Runs a level's kernels over some of its bodies. */
static void try_run(const dame_prim_t *level, const bodies_t *x, int64_t first, int64_t n,
                    const room_t *room)
{
    const int64_t bytes = n * x->body.size;
    const uintptr_t origin = (uintptr_t) room->user - (uintptr_t) x->body.away;
    fill_pattern(room->user, x->room, (unsigned) (7 + n));
    memcpy(room->wanted_user, room->user, (size_t) x->room);
    room->packed[bytes] = GUARD_BYTE;
    move_bodies(x, first, n, room->user, room->wanted, DAME_PACK);
    level->run[DAME_PACK](level, origin, room->packed, first, n);
    ck_assert_mem_eq(room->packed, room->wanted, (size_t) bytes);
    expect_guard(room->packed + bytes, 1, "the room behind the packed bytes");
    ck_assert_mem_eq(room->user, room->wanted_user, (size_t) x->room);
    fill_pattern(room->packed, bytes, 8);
    move_bodies(x, first, n, room->wanted_user, room->packed, DAME_UNPACK);
    level->run[DAME_UNPACK](level, origin, room->packed, first, n);
    ck_assert_mem_eq(room->user, room->wanted_user, (size_t) x->room);
}

/* All runs of interest of the level that `type` is made of; it has kernels of the pass pattern.
 * Without normalise, displacements stay as they are, and far ones in a list of 64 bits. */
static void try_bodies(const bodies_t *x, const dame_type_t *type)
{
    static const int64_t lengths[] = {0, 1, 3, 4, 5, 15, 16, 17, 63, 64, 65, 130};
    const dame_passes_t passes = DAME_PASSES_ALL & ~(1u << DAME_PASS_NORMALISE);
    dame_program_t *program = program_with(passes, type);
    dame_program_t *plain = program_with(passes & ~(1u << DAME_PASS_PATTERN), type);
    const dame_prim_t *level = &program->prims[1];
    ck_assert_int_eq(level->count, BODIES);
    ck_assert(!same_kernels(level, &plain->prims[1]));
    kernels_compile(program);
    const size_t packed_room = (size_t) (BODIES * x->body.size + 1);
    room_t room = {malloc((size_t) x->room), malloc((size_t) x->room), malloc(packed_room),
                   malloc(packed_room)};
    ck_assert(room.user && room.wanted_user && room.packed && room.wanted);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        for (int64_t first = 0; first + lengths[i] <= BODIES && first < 9; first += 4) {
            try_run(level, x, first, lengths[i], &room);
        }
    }
    free(room.wanted);
    free(room.packed);
    free(room.wanted_user);
    free(room.user);
    dame_program_free(plain);
    kernels_free(program);
}

/* Bodies one behind the other, in both orders, and shuffled at near and far displacements. */
static void try_body(const blocks_t *body, const dame_type_t *child)
{
    bodies_t x = {.body = *body};
    measure(&x.body);
    const int64_t step = x.body.reach + 5;
    const dame_type_t *element = resized(0, step, type_of(&x.body, child));
    x.room = (BODIES - 1) * step + x.body.reach;
    for (int64_t i = 0; i < BODIES; i++) {
        x.places[i] = i * step;
    }
    try_bodies(&x, vector(BODIES, 1, step, element));
    int64_t disps[BODIES];
    for (int64_t i = 0; i < BODIES; i++) {
        x.places[i] = i * 33 % BODIES * step;
        disps[i] = x.places[i];
    }
    try_bodies(&x, blockindex(BODIES, 1, disps, element));
    x.body.away = FAR;
    for (int64_t i = 0; i < BODIES; i++) {
        disps[i] += FAR;
    }
    try_bodies(&x, blockindex(BODIES, 1, disps, element));
}

START_TEST(small_bodies_of_unequal_blocks_are_moved_exactly)
{
    if (!force_kernels(_i)) {
        return;
    }
    for (int64_t width = 1; width <= 64; width++) {
        blocks_t body = {.n = 3 + width % 3};
        for (int64_t j = 0; j < body.n; j++) {
            body.lengths[j] = (width + 21 * j - 1) % 64 + 1;
            body.disps[j] = (j ^ 1) * (64 + width % 5);
        }
        try_body(&body, basic(1));
    }
}
END_TEST

START_TEST(small_bodies_of_equal_blocks_are_moved_exactly)
{
    if (!force_kernels(_i)) {
        return;
    }
    for (int64_t width = 1; width <= 12; width++) {
        blocks_t body = {.n = width <= 8 ? 3 : 2}; /* at 4, 0, 2 or 2, 0: a list; or 0, 1: a vector */
        for (int64_t j = 0; j < body.n; j++) {
            body.lengths[j] = 1;
            body.disps[j] = (body.n - 1 - j) * (width + 3) + (0 == j ? width + 1 : 0);
        }
        bodies_t x = {.body = body};
        const dame_type_t *element = blockindex(body.n, 1, body.disps, basic(width));
        for (int64_t j = 0; j < body.n; j++) {
            x.body.lengths[j] = width;
        }
        measure(&x.body);
        x.room = BODIES * (x.body.reach + 1);
        int64_t disps[BODIES];
        for (int64_t i = 0; i < BODIES; i++) {
            x.places[i] = i * (x.body.reach + 1);
        }
        try_bodies(&x, vector(BODIES, 1, x.body.reach + 1, element));
        for (int64_t i = 0; i < BODIES; i++) {
            x.places[i] = disps[i] = i * 33 % BODIES * (x.body.reach + 1);
        }
        try_bodies(&x, blockindex(BODIES, 1, disps, element));
    }
}
END_TEST

/* Steps of pages, of less than a body, backwards and zero. */
START_TEST(small_bodies_at_odd_steps_are_moved_exactly)
{
    if (!force_kernels(_i)) {
        return;
    }
    static const int64_t steps[] = {2048, PAGE + 2048, -1024, -123, PAGE + 64, 2};
    blocks_t body = {.n = 3, .lengths = {1, 2, 1}, .disps = {0, 600, 301}};
    measure(&body);
    const dame_type_t *element = type_of(&body, basic(1));
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
        bodies_t x = {.body = body};
        const int64_t length = steps[s] < 0 ? -steps[s] : steps[s];
        const int64_t start = steps[s] < 0 ? (BODIES - 1) * length : 0;
        x.room = (BODIES - 1) * length + body.reach;
        x.body.away = -start; /* the level's origin is its first body */
        for (int64_t i = 0; i < BODIES; i++) {
            x.places[i] = start + i * steps[s];
        }
        try_bodies(&x, vector(BODIES, 1, steps[s], element));
    }
}
END_TEST

START_TEST(a_pass_that_is_off_chooses_no_kernels)
{
    const dame_type_t *columns = vector(8, 1, 16, vector(520, 1, 4096, basic(16)));
    const dame_type_t *bodies =
        vector(99, 1, 60, index_type(2, (int64_t[]){1, 2}, (int64_t[]){0, 8}, basic(4)));
    const struct {
        const dame_type_t *type;
        dame_pass_t pass;
    } of[] = {{columns, DAME_PASS_ORDER}, {bodies, DAME_PASS_PATTERN}};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        const dame_passes_t pass = 1u << of[i].pass;
        dame_program_t *all = program_with(DAME_PASSES_ALL, of[i].type);
        dame_program_t *only = program_with(pass, of[i].type);
        dame_program_t *without = program_with(DAME_PASSES_ALL & ~pass, of[i].type);
        dame_program_t *none = program_with(DAME_PASSES_NONE, of[i].type);
        ck_assert(same_kernels(&all->prims[1], &only->prims[1]));
        ck_assert(same_kernels(&without->prims[1], &none->prims[1]));
        ck_assert(!same_kernels(&all->prims[1], &none->prims[1]));
        dame_program_free(all);
        dame_program_free(only);
        dame_program_free(without);
        dame_program_free(none);
    }
}
END_TEST

Suite *bodies_suite(void)
{
    Suite *suite = suite_create("bodies");
    TCase *tcase = kernels_case("bodies");
    tcase_add_loop_test(tcase, small_bodies_of_unequal_blocks_are_moved_exactly, 0, PROVIDERS);
    tcase_add_loop_test(tcase, small_bodies_of_equal_blocks_are_moved_exactly, 0, PROVIDERS);
    tcase_add_loop_test(tcase, small_bodies_at_odd_steps_are_moved_exactly, 0, PROVIDERS);
    tcase_add_test(tcase, a_pass_that_is_off_chooses_no_kernels);
    suite_add_tcase(suite, tcase);
    return suite;
}
