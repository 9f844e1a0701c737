/* SPDX-License-Identifier: BSD-3-Clause */
/* The datatype of a message that was recorded. */
#ifndef RECORD_TYPE_H
#define RECORD_TYPE_H

#include "read.h"

typedef struct record_type {
    char *text;    /* its constructors in one line, as 'dame suggest' writes them */
    char *program; /* in the DAME language, one for each allocation */
    int allocations;
    int alternates; /* the message comes back to an allocation that it left */
    int64_t bytes[RECORD_KINDS];
    int overlaps; /* a byte of memory occurs twice */
} record_type_t;

/*
 * The most compact datatype of the bytes that were copied, from the first of them on; of several
 * allocations it is a struct of their addresses a[]. text and program are NULL when there are none,
 * or too many blocks or allocations. TOOL_WRONG or TOOL_SYSTEM after a message. record_type_free()
 * frees.
 */
int record_type_of(const record_message_t *message, record_type_t *out);
void record_type_free(record_type_t *type);

#endif
