/* SPDX-License-Identifier: BSD-3-Clause */
/* dame doctor: its lines and its advice. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "doctor.h"
#include "openmpi.h"

enum { LONGEST_ADVICE = 256 };

void doctor_say(const char *subject, const char *format, ...)
{
    va_list args;
    printf("%-14s  ", subject);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

static void add(doctor_t *doctor, const char *format, va_list args)
{
    const size_t used = strlen(doctor->advice);
    if (used + LONGEST_ADVICE > sizeof(doctor->advice)) {
        return;
    }
    const int n = snprintf(doctor->advice + used, sizeof(doctor->advice) - used, "  * ");
    vsnprintf(doctor->advice + used + n, sizeof(doctor->advice) - used - (size_t) n, format, args);
    strncat(doctor->advice, "\n", sizeof(doctor->advice) - strlen(doctor->advice) - 1);
}

void doctor_advise(doctor_t *doctor, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(doctor, format, args);
    va_end(args);
    doctor->stands = 1;
}

void doctor_note(doctor_t *doctor, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(doctor, format, args);
    va_end(args);
}

char *doctor_parameter(const doctor_t *doctor, const char *name)
{
    char prefix[128];
    snprintf(prefix, sizeof(prefix), "mca:dt:dame:param:%s:value:", name);
    return openmpi_value(doctor->parameters, prefix);
}
