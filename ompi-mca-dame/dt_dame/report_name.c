/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_name.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *dt_dame_report_name_error(const char *pattern)
{
    for (const char *at = pattern; (at = strchr(at, '%')) != NULL; at += 2) {
        if (at[1] == '\0' || strchr("jp%", at[1]) == NULL) {
            return at;
        }
    }
    return NULL;
}

int dt_dame_report_name(char *name, size_t room, const char *pattern, const char *job, long process)
{
    char number[24];
    size_t length = 0;
    (void) snprintf(number, sizeof(number), "%ld", process);
    while (*pattern != '\0') {
        const char *piece = pattern;
        size_t size = 1, taken = 1;
        if (pattern[0] == '%' && pattern[1] != '\0' && strchr("jp%", pattern[1]) != NULL) {
            piece = pattern[1] == 'j' ? job : pattern[1] == 'p' ? number : "%";
            size = strlen(piece);
            taken = 2;
        }
        if (size >= room - length) {
            return ENAMETOOLONG;
        }
        memcpy(name + length, piece, size);
        length += size;
        pattern += taken;
    }
    name[length] = '\0';
    return 0;
}
