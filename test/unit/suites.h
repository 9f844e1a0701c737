/* SPDX-License-Identifier: BSD-3-Clause */
/* The suites of the unit tests, one for each subject, and the tests of a suite: nothing else lists
 * them. */
#ifndef TEST_SUITES_H
#define TEST_SUITES_H

#include <check.h>
#include <stdlib.h>

enum { MOST_SUITES = 40, MOST_TESTS = 30 };

/* The next of at most `most`. */
static inline int next_of(int *n, int most)
{
    if (*n == most) {
        abort();
    }
    return (*n)++;
}

/*
 * TEST(promise) { ... } is a test of the suite that its file makes, LOOP_TEST(promise, n) one that
 * is run n times, with _i from 0 on. Each runs in a process of its own.
 */
#define LOOP_TEST(name, n)                                                                         \
    static const TTest *name;                                                                      \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        tests_here[next_of(&ntests_here, MOST_TESTS)] = (unit_test_t){&name, n};                   \
    }                                                                                              \
    START_TEST(name)
#define TEST(name) LOOP_TEST(name, 1)

typedef struct unit_test {
    const TTest **test;
    int times;
} unit_test_t;

__attribute__((unused)) static unit_test_t tests_here[MOST_TESTS];
__attribute__((unused)) static int ntests_here;

/* Adds the suite of the file's tests, none if they are not `possible` here. `setup` and `teardown`
 * run in the test's process, and may be NULL. */
#define SUITE_OF(name, possible, setup, teardown)                                                  \
    static Suite *the_suite(void)                                                                  \
    {                                                                                              \
        return suite_of(#name, (possible) ? ntests_here : 0, tests_here, setup, teardown);         \
    }                                                                                              \
    __attribute__((constructor)) static void add_suite(void)                                       \
    {                                                                                              \
        suites[next_of(&nsuites, MOST_SUITES)] = the_suite;                                        \
    }
Suite *suite_of(const char *name, int ntests, const unit_test_t *tests, SFun setup, SFun teardown);

/* Of all files. */
extern Suite *(*suites[MOST_SUITES])(void);
extern int nsuites;

#endif
