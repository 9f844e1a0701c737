/* SPDX-License-Identifier: BSD-3-Clause */
/* Times that are returned in memory which lasts until the next call. */
#define _GNU_SOURCE
#include <time.h>

static struct tm parts;
static char text[64];

struct tm *localtime(const time_t *time)
{
    tzset();
    return localtime_r(time, &parts);
}

struct tm *gmtime(const time_t *time)
{
    return gmtime_r(time, &parts);
}

char *asctime(const struct tm *time)
{
    return asctime_r(time, text);
}

char *ctime(const time_t *time)
{
    return asctime(localtime(time));
}
