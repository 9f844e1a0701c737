/* SPDX-License-Identifier: BSD-3-Clause */
/* Why a call has no answer. */
#include "site_private.h"

#include <stdarg.h>

void site_refuse(site_t *site, int number, const c_node_t *where, const char *format, ...)
{
    va_list arguments;

    if (site->refusal) {
        return;
    }
    va_start(arguments, format);
    site->reason = c_format_list(site->run->memory, format, arguments);
    va_end(arguments);
    site->refusal = number;
    site->where = where ? where : site->call;
}

const char *site_refusal_text(int number)
{
    switch (number) {
#define C_REFUSAL(number, name, text)                                                              \
    case number:                                                                                   \
        return text;
#include "refusals.def"
#undef C_REFUSAL
    default:
        return shape_refusal_text((shape_refusal_t) number);
    }
}
