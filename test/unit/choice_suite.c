/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies or a kernel: device/choice.c with made-up times. */
#include "device/choice.h"

#include "suites.h"

enum { BYTES = 1000 };

/* What the two ways take, and how many copies it is. */
typedef struct world {
    double copies_ns, kernel_ns, making_ns;
    int copies;
    bool has_kernel;
} world_t;

/* One use; returns the way of its last byte. */
static dame_way_t use(dame_choice_t *choice, world_t *world)
{
    int64_t most = -1;
    const dame_way_t way = dame_choice_next(choice, world->has_kernel, world->making_ns, &most);
    const bool is_many = way == DAME_WAY_COPIES && world->copies > most;
    const bool by_kernel = way == DAME_WAY_KERNEL || is_many;
    if (world->has_kernel || !is_many) {
        dame_choice_took(choice, way, is_many, by_kernel ? world->kernel_ns : world->copies_ns,
                         BYTES);
    }
    world->has_kernel |= by_kernel;
    return by_kernel ? DAME_WAY_KERNEL : DAME_WAY_COPIES;
}

static int kernels_in(dame_choice_t *choice, world_t *world, int uses)
{
    int kernels = 0;
    for (int i = 0; i < uses; i++) {
        kernels += DAME_WAY_KERNEL == use(choice, world);
    }
    return kernels;
}

TEST(many_copies_make_a_kernel_at_once)
{
    dame_choice_t choice = {0};
    world_t world = {.copies_ns = 1e6, .kernel_ns = 1e4, .making_ns = 1e8, .copies = 1000};
    ck_assert_int_eq(kernels_in(&choice, &world, 1000), 1000);
}
END_TEST

TEST(few_copies_rent_a_kernel_for_what_it_costs)
{
    dame_choice_t choice = {0};
    world_t world = {.copies_ns = 2e4, .kernel_ns = 1e4, .making_ns = 1e6, .copies = 2};
    ck_assert_int_eq(kernels_in(&choice, &world, 50), 0);
    ck_assert_int_gt(kernels_in(&choice, &world, 1000), 980);
}
END_TEST

TEST(copies_stay_where_they_are_faster)
{
    dame_choice_t choice = {0};
    world_t world = {.copies_ns = 5e3, .kernel_ns = 1e4, .making_ns = 1e6, .copies = 1};
    (void) kernels_in(&choice, &world, 300);
    const int kernels = kernels_in(&choice, &world, 2560);
    ck_assert_int_ge(kernels, 9); /* timed again */
    ck_assert_int_le(kernels, 11);
}
END_TEST

TEST(a_kernel_that_is_there_is_compared_with_up_to_64_copies)
{
    dame_choice_t choice = {0}, other = {0};
    world_t world = {.copies_ns = 5e3, .kernel_ns = 1e4, .copies = 64, .has_kernel = true};
    ck_assert_int_lt(kernels_in(&choice, &world, 1000), 10);
    world.copies = 65;
    ck_assert_int_eq(kernels_in(&other, &world, 1000), 1000);
}
END_TEST

TEST(a_change_is_noticed)
{
    dame_choice_t choice = {0};
    world_t world = {.copies_ns = 5e3, .kernel_ns = 1e4, .copies = 1, .has_kernel = true};
    ck_assert_int_lt(kernels_in(&choice, &world, 1000), 10);
    world.copies_ns = 2e4;
    ck_assert_int_gt(kernels_in(&choice, &world, 1000), 980);
}
END_TEST

SUITE_OF(choice, true, NULL, NULL)
