/* SPDX-License-Identifier: BSD-3-Clause */
#include "dame/status.h"

#include <inttypes.h>
#include <stdio.h>

const char *dame_status_text(dame_status_t status)
{
    switch (status) {
    case DAME_OK:
        return "success";
    case DAME_ERR_NOMEM:
        return "out of memory";
    case DAME_ERR_ARGUMENT:
        return "invalid argument";
    case DAME_ERR_RANGE:
        return "size or bounds exceed 64 bits";
    case DAME_ERR_LIMIT:
        return "larger or deeper than the library accepts";
    case DAME_ERR_VERIFY:
        return "program breaks a rule of the language";
    case DAME_ERR_TEXT:
        return "text is not a program";
    case DAME_ERR_UNSUPPORTED:
        return "nothing to compile";
    case DAME_ERR_DENIED:
        return "the system does not let memory be executed";
    case DAME_ERR_FULL:
        return "no room for more machine code";
    case DAME_ERR_BUSY:
        return "another process is compiling it";
    case DAME_ERR_SIGNATURE:
        return "the signatures of the datatypes differ";
    case DAME_ERR_DEVICE:
        return "a device's driver reports an error";
    }
    return "unknown status";
}

char *dame_limit_text(const dame_limit_t *limit, char *text, size_t size)
{
    snprintf(text, size, "%" PRId64 " %s, at most %" PRId64 " are allowed", limit->value,
             limit->what, limit->limit);
    return text;
}
