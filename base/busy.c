/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* getloadavg */
#include "busy.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

dame_waited_t dame_waited_now(void)
{
    unsigned long long ran = 0, waited = 0;
    FILE *file = fopen("/proc/thread-self/schedstat", "re");
    const int found = file == NULL ? 0 : fscanf(file, "%llu %llu", &ran, &waited);
    if (file != NULL) {
        (void) fclose(file);
    }
    return found == 2 ? (dame_waited_t){1e-9 * (double) ran, 1e-9 * (double) waited}
                      : (dame_waited_t){0, 0};
}

dame_waited_t dame_waited_since(dame_waited_t before)
{
    dame_waited_t now = dame_waited_now();
    now.ran -= before.ran;
    now.waited -= before.waited;
    return now.ran < 0 || now.waited < 0 ? (dame_waited_t){0, 0} : now;
}

double dame_busy(dame_waited_t waited)
{
    const double wanted = waited.ran + waited.waited;
    return wanted > 0 ? waited.waited / wanted : -1;
}

const char *dame_busy_text(char *text, size_t room, double busy)
{
    double load = -1;
    text[0] = '\0';
    if (busy > DAME_BUSY) {
        (void) getloadavg(&load, 1);
        (void) snprintf(text, room,
                        "the machine was busy: %.0f %% of the time went by waiting for a CPU (load "
                        "%.1f on %ld CPUs)",
                        100 * busy, load, sysconf(_SC_NPROCESSORS_ONLN));
    }
    return text;
}
