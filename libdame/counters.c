/* SPDX-License-Identifier: BSD-3-Clause */
/* The counters of a context (described in include/dame/datatype.h). */
#include <string.h>

#include "lib.h"

enum { OWN = 2 }; /* before those of mover.c */

const char *dame_counter_name(int i)
{
    static const char *const own[OWN] = {"datatypes", "commits"};
    return i < 0 ? NULL : i < OWN ? own[i] : dame_mover_counter_name(i - OWN);
}

dame_status_t dame_context_counter(const dame_context_t *context, const char *name, int64_t *value)
{
    if (NULL == context || NULL == name || NULL == value) {
        return dame_fail(DAME_ERR_ARGUMENT, __func__, "%s is NULL",
                         NULL == context ? "context" : (NULL == name ? "name" : "value"));
    }
    int i = 0;
    while (NULL != dame_counter_name(i) && 0 != strcmp(name, dame_counter_name(i))) {
        i++;
    }
    if (NULL == dame_counter_name(i)) {
        return dame_fail(DAME_ERR_ARGUMENT, __func__,
                         "name is \"%.40s\"; dame_counter_name() lists the counters", name);
    }
    *value = 0 == i   ? atomic_load_explicit(&context->datatypes, memory_order_relaxed)
             : 1 == i ? atomic_load_explicit(&context->commits, memory_order_relaxed)
                      : dame_mover_counter(context->movers, i - OWN);
    return DAME_OK;
}
