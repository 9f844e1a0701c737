/* The suites of the unit tests, one for each subject, and the tests of a suite. */
#ifndef TEST_SUITES_H
#define TEST_SUITES_H

#include <check.h>

/* In the order in which they run. */
#define SUITES(SUITE)                                                                              \
    SUITE(types)                                                                                   \
    SUITE(program)                                                                                 \
    SUITE(verify)                                                                                  \
    SUITE(cursor)                                                                                  \
    SUITE(language)                                                                                \
    SUITE(optimiser)                                                                               \
    SUITE(heap)                                                                                    \
    SUITE(code_arena)                                                                              \
    SUITE(reader)                                                                                  \
    SUITE(jit)                                                                                     \
    SUITE(jit_process)                                                                             \
    SUITE(jit_names)                                                                               \
    SUITE(provider)                                                                                \
    SUITE(ranks)                                                                                   \
    SUITE(cache)                                                                                   \
    SUITE(find_code)                                                                               \
    SUITE(background)                                                                              \
    SUITE(tune)                                                                                    \
    SUITE(clock)                                                                                   \
    SUITE(profile)                                                                                 \
    SUITE(policy)                                                                                  \
    SUITE(x_aarch64)                                                                               \
    SUITE(llvm)

#define SUITE(name) Suite *name##_suite(void);
SUITES(SUITE)
#undef SUITE

/*
 * TEST(promise) { ... } is a test of the suite that its file makes, LOOP_TEST(promise, n) one that
 * is run n times, with _i from 0 on. Each runs in a process of its own.
 */
#define LOOP_TEST(name, n)                                                                         \
    static const TTest *name;                                                                      \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        tests_here[ntests_here++] = (unit_test_t){&name, n};                                       \
    }                                                                                              \
    START_TEST(name)
#define TEST(name) LOOP_TEST(name, 1)

typedef struct unit_test {
    const TTest **test;
    int times;
} unit_test_t;

__attribute__((unused)) static unit_test_t tests_here[30];
__attribute__((unused)) static int ntests_here;

/* A suite of the file's tests, none if they are not `possible` here. `setup` and `teardown` run in
 * the test's process, and may be NULL. */
#define SUITE_OF(name, possible, setup, teardown)                                                  \
    suite_of(name, (possible) ? ntests_here : 0, tests_here, setup, teardown)
Suite *suite_of(const char *name, int ntests, const unit_test_t *tests, SFun setup, SFun teardown);

#endif
