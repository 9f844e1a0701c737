/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured promotion with a compiler that takes as long as the test says. */
#include <time.h>

#include "base/heap.h"
#include "jit_tools.h"
#include "measure/measured.h"
#include "suites.h"
#include "tools.h"

static int microseconds; /* that a compilation takes, at least */

static dame_status_t compile_for_long(void *state, const dame_program_t *program, dame_dir_t dir,
                                      uint32_t variant, dame_machine_code_t *code)
{
    if (microseconds > 0) {
        nanosleep(&(struct timespec){.tv_nsec = 1000L * microseconds}, NULL);
    }
    return test_provider.compile(state, program, dir, variant, code);
}

static dame_jit_t *new_jit(void)
{
    static dame_provider_t provider;
    dame_jit_t *jit = NULL;
    provider = test_provider;
    provider.compile = compile_for_long;
    ck_assert_int_eq(dame_jit_create_for(&provider, NULL, &jit), DAME_OK);
    return jit;
}

/* Compiles a program for the first time; what that was expected to cost, in microseconds. */
static double compile_another(dame_costs_t *costs, int64_t stride)
{
    dame_program_t *program = strided_program(stride);
    dame_measured_t *measured =
        dame_measured_new(costs, program, DAME_PACK, program->size, 0.01, 0);
    ck_assert_ptr_nonnull(measured);
    const double ticks = measured->policy.expect.cost;
    dame_measured_promise(measured, DAME_POLICY_MATTERS);
    (void) dame_measured_event(costs, measured, program, DAME_PACK, NULL, 1);
    ck_assert(dame_measured_has_code(measured));
    dame_jit_release(costs->jit, program);
    dame_heap_free(measured);
    dame_program_free(program);
    return 1e6 * ticks / (double) dame_clock_hz();
}

/* 50 ms, that is: as long as 10,000 compilations usually take. */
TEST(an_interrupted_compilation_is_not_what_others_are_expected_to_cost)
{
    enum { COMPILATIONS = 20, INTERRUPTED = 12 };
    dame_jit_t *jit = new_jit();
    dame_costs_t costs;
    dame_costs_init(&costs, jit, NULL);
    double cost = 0, before = 0;
    for (int i = 0; i < COMPILATIONS; i++) {
        microseconds = i == INTERRUPTED ? 50000 : 0;
        cost = compile_another(&costs, 20 + i);
        before = i == INTERRUPTED ? cost : before;
    }
    ck_assert_double_lt(cost, 5 * before);
    dame_jit_destroy(jit);
}

/* As by an emulator: the expectation follows. */
TEST(compilations_may_all_take_long)
{
    enum { COMPILATIONS = 12 };
    dame_jit_t *jit = new_jit();
    dame_costs_t costs;
    dame_costs_init(&costs, jit, NULL);
    double cost = 0;
    microseconds = 3000;
    for (int i = 0; i < COMPILATIONS; i++) {
        cost = compile_another(&costs, 20 + i);
    }
    ck_assert_double_gt(cost, 500);
    dame_jit_destroy(jit);
}

SUITE_OF(measured, have_jumps(), tree_setup, tree_teardown)
