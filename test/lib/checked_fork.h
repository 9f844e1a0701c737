/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fork() in a suite of Check. Both processes write to one file of messages when they assert, so only
 * the parent does here: a child that is killed in the middle would spoil the file.
 */
#ifndef DAME_TEST_CHECKED_FORK_H
#define DAME_TEST_CHECKED_FORK_H

#include <check.h>
#include <unistd.h>

static inline pid_t checked_fork(void)
{
    const pid_t child = fork();
    if (child != 0) {
        ck_assert_int_ge(child, 0);
    }
    return child;
}

#endif
