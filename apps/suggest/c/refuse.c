/* SPDX-License-Identifier: BSD-3-Clause */
/* Why there is no answer, and where the functions of MPI have their buffers. */
#include "site_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct site_function site_functions[SITE_FUNCTIONS] = {
    {KIND_SEND, 1, 2, 3, 0, false},     {KIND_ISEND, 1, 2, 3, 7, false},
    {KIND_RECV, 1, 2, 3, 0, true},      {KIND_IRECV, 1, 2, 3, 7, true},
    {KIND_SENDRECV, 1, 2, 3, 0, false}, {KIND_SENDRECV, 6, 7, 8, 0, true},
};

mpi_kind_t site_kind_of(const struct c_node *call)
{
    return mpi_function(c_callee(call))->kind;
}

void site_refuse(struct site *site, int number, const struct c_node *where, const char *format, ...)
{
    char text[600];
    va_list arguments;

    if (site->refusal) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    site->refusal = number;
    site->reason = c_copy(site->run->memory, text);
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
