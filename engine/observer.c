/* SPDX-License-Identifier: BSD-3-Clause */
#include "observer.h"

#include <stdarg.h>
#include <stdio.h>

void dame_observer_log(const dame_observer_t *observer, dame_log_level_t level, const char *format,
                       ...)
{
    enum { LONGEST = 1024 };
    char text[LONGEST];
    va_list arguments;
    if (observer->log == NULL) {
        return;
    }
    va_start(arguments, format);
    (void) vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    observer->log(observer->argument, level, text);
}
