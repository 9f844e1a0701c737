/* SPDX-License-Identifier: BSD-3-Clause */
/* Single steps of the policy of promotion; policy_suite.c simulates whole processes. */
#include "measure/policy.h"
#include "measure/samples.h"

#include "suites.h"

static const dame_policy_expect_t expected = {
    .ticks = 1000, .saved = 0.5, .certain = 0, .cost = 5000, .sample = 250, .part = 1};

TEST(the_first_use_to_ask_at_is_a_quarter_of_those_that_repay)
{
    dame_policy_expect_t expect = expected;
    expect.cost = 1e6; /* 2000 uses repay it */
    ck_assert_int_eq(dame_policy_first(&expect, 0), 500);
    ck_assert_int_eq(dame_policy_first(&expect, 100), 400);
    ck_assert_int_eq(dame_policy_first(&expect, 498), 2);
    ck_assert_int_eq(dame_policy_first(&expect, 499), 1);
    ck_assert_int_eq(dame_policy_first(&expect, 5000), 1);
    expect.cost = 1000; /* 2 uses: the third is the first that may */
    ck_assert_int_eq(dame_policy_first(&expect, 0), 3);
    expect.saved = 0;
    ck_assert_int_eq(dame_policy_first(&expect, 0), INT32_MAX);
}

TEST(what_is_certain_to_repay_is_asked_for_at_once)
{
    dame_policy_expect_t expect = expected;
    expect.saved = 0.01; /* 500 uses repay it, 10 if the certain estimate is right */
    expect.certain = 0.5;
    ck_assert_int_eq(dame_policy_first(&expect, 8), 125 - 8);
    ck_assert_int_eq(dame_policy_first(&expect, 9), 1);
}

TEST(a_promise_ends_where_there_is_no_room)
{
    dame_policy_t policy;
    dame_policy_init(&policy, 2, &expected, 0.01);
    dame_policy_promise(&policy, 1e6);
    ck_assert_int_eq(dame_policy_next(&policy, 1).kind, DAME_STEP_ADD);
    dame_policy_added(&policy, 1, DAME_ADDED_LATER, 500);
    ck_assert_int_ne(dame_policy_next(&policy, 0).kind, DAME_STEP_ADD);
    ck_assert_int_ne(dame_policy_next(&policy, 1).kind, DAME_STEP_ADD);
}

TEST(nothing_is_measured_before_the_third_use)
{
    dame_policy_t policy;
    dame_policy_init(&policy, 2, &expected, 0.01);
    const dame_step_t first = dame_policy_next(&policy, 1);
    ck_assert(first.kind == DAME_STEP_WAIT && first.uses == 2);
    const dame_step_t second = dame_policy_next(&policy, 1);
    ck_assert(second.kind == DAME_STEP_WAIT && second.uses == 1);
    const dame_step_t third = dame_policy_next(&policy, 1);
    ck_assert(third.kind == DAME_STEP_SAMPLE && third.uses == 1);
}

/* What the policy wants of the next use; until then arms are added and run as it says. */
static dame_step_t ask(dame_policy_t *policy, int32_t *current, int32_t uses)
{
    dame_step_t step = dame_policy_next(policy, uses);
    for (; step.kind >= DAME_STEP_ORDER; step = dame_policy_next(policy, 0)) {
        *current = step.kind == DAME_STEP_RUN ? step.arm : *current;
        if (step.kind == DAME_STEP_ADD) {
            dame_policy_added(policy, step.arm, DAME_ADDED, 5000);
        }
    }
    return step;
}

/* Uses until the search is over; what a use takes on each arm. Returns how many samples were taken
 * of `arm`. */
static int samples_of(dame_policy_t *policy, const double *ticks, int arm)
{
    int32_t current = 0;
    int n = 0;
    int32_t uses = 1;
    for (int asked = 0; dame_policy_choice(policy) < 0; asked++) {
        ck_assert_int_lt(asked, 1000000);
        const dame_step_t step = ask(policy, &current, uses);
        if (step.kind == DAME_STEP_SAMPLE) {
            n += current == arm;
            dame_policy_sample(policy, current, 0, ticks[current]);
        }
        uses = step.uses > 0 ? step.uses : 1;
    }
    return n;
}

TEST(the_search_forgets_what_was_measured_before)
{
    static const double before[] = {1000, 500}, now[] = {1300, 650};
    dame_policy_t policy;
    int32_t current = 0;
    int32_t uses = 1;
    dame_policy_init(&policy, 2, &expected, 0.01);
    for (int asked = 0; policy.arms[0].tried == 0 || policy.arms[1].tried == 0; asked++) {
        ck_assert_int_lt(asked, 1000000);
        const dame_step_t step = ask(&policy, &current, uses);
        if (step.kind == DAME_STEP_SAMPLE) {
            const double *ticks = policy.searching ? now : before;
            dame_policy_sample(&policy, current, 0, ticks[current]);
        }
        for (int arm = 0; arm < 2; arm++) {
            const double found = dame_policy_ticks(&policy, arm);
            ck_assert(policy.arms[arm].tried == 0 ||
                      (found > 0.999 * now[arm] && found < 1.001 * now[arm]));
        }
        uses = step.uses > 0 ? step.uses : 1;
    }
}

/* By more than DAME_HOPELESS: two samples in each of the batches before it leaves the search. */
TEST(an_arm_that_is_far_behind_ends_its_batch_early)
{
    dame_policy_t policy;
    dame_policy_init(&policy, 2, &expected, 0.01);
    ck_assert_int_eq(samples_of(&policy, (const double[]){1000, 5000}, 1), 3 * 2);
    ck_assert_int_eq(dame_policy_choice(&policy), 0);
    dame_policy_init(&policy, 2, &expected, 0.01);
    ck_assert_int_eq(samples_of(&policy, (const double[]){1000, 3500}, 1), 3 * DAME_POLICY_BATCH);
    ck_assert_int_eq(dame_policy_choice(&policy), 0);
}

TEST(samples_of_one_arm_count_for_no_other)
{
    static const double ticks[] = {1000, 500, 520, 540, 560};
    dame_policy_t policy;
    dame_policy_init(&policy, 5, &expected, 0.01);
    (void) samples_of(&policy, ticks, 0);
    for (int arm = 0; arm < 5; arm++) {
        const double found = dame_policy_ticks(&policy, arm);
        ck_assert(found == 0 || (found > 0.999 * ticks[arm] && found < 1.001 * ticks[arm]));
    }
    ck_assert_int_eq(dame_policy_choice(&policy), 1);
}

SUITE_OF(policy_steps, 1, NULL, NULL)
