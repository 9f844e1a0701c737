/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of the programs in this folder, counted for their last line; any thread may make them. */
#ifndef TEST_GLUE_CHECKS_H
#define TEST_GLUE_CHECKS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static _Atomic long passed, failed;

#define check(ok, ...) check_at((ok), __FILE__, __LINE__, __VA_ARGS__)

__attribute__((format(printf, 4, 5))) static void check_at(bool ok, const char *file, int line,
                                                           const char *format, ...)
{
    if (ok) {
        passed++;
    } else if (++failed <= 30) {
        va_list args;
        va_start(args, format);
        fprintf(stderr, "%s:%d: FAILED: ", file, line);
        vfprintf(stderr, format, args);
        fputc('\n', stderr);
        va_end(args);
    }
}

#endif
