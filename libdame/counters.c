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
    if (context == NULL || name == NULL || value == NULL) {
        return dame_fail(DAME_ERR_ARGUMENT, __func__, "%s is NULL",
                         context == NULL ? "context" : (name == NULL ? "name" : "value"));
    }
    int i = 0;
    while (dame_counter_name(i) != NULL && strcmp(name, dame_counter_name(i)) != 0) {
        i++;
    }
    if (dame_counter_name(i) == NULL) {
        return dame_fail(DAME_ERR_ARGUMENT, __func__,
                         "name is \"%.40s\"; dame_counter_name() lists the counters", name);
    }
    *value = i == 0   ? atomic_load_explicit(&context->datatypes, memory_order_relaxed)
             : i == 1 ? atomic_load_explicit(&context->commits, memory_order_relaxed)
                      : dame_mover_counter(context->movers, i - OWN);
    return DAME_OK;
}
