/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of strings that remember something between calls. */
#define _GNU_SOURCE
#include <string.h>

char *strtok(char *text, const char *delimiters)
{
    static char *rest;
    return strtok_r(text, delimiters, &rest);
}

char *strerror(int error)
{
    static char text[256];
    return strerror_r(error, text, sizeof(text));
}
