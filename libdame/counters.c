#include "counters.h"

#include <string.h>

#include "lib.h"

static const char *const names[] = {
#define DAME_COUNTER(name, text) text,
#include "counters.def"
#undef DAME_COUNTER
};

/* Threads take the groups in turn. */
static int group_of_thread(void)
{
    static atomic_uint threads;
    static _Thread_local int group; /* 0: none yet */
    if (0 == group) {
        const unsigned number = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed);
        group = 1 + (int) (number % DAME_COUNTER_GROUPS);
    }
    return group - 1;
}

void dame_count(dame_counters_t *counters, dame_counter_t counter, int64_t n)
{
    atomic_fetch_add_explicit(&counters->groups[group_of_thread()].values[counter], n,
                              memory_order_relaxed);
}

const char *dame_counter_name(int i)
{
    return i >= 0 && i < DAME_COUNTERS ? names[i] : NULL;
}

dame_status_t dame_context_counter(const dame_context_t *context, const char *name, int64_t *value)
{
    if (NULL == context || NULL == name || NULL == value) {
        return dame_fail(DAME_ERR_ARGUMENT, __func__, "%s is NULL",
                         NULL == context ? "context" : (NULL == name ? "name" : "value"));
    }
    for (int i = 0; i < DAME_COUNTERS; i++) {
        if (0 != strcmp(names[i], name)) {
            continue;
        }
        int64_t sum = 0;
        for (int group = 0; group < DAME_COUNTER_GROUPS; group++) {
            sum += atomic_load_explicit(&context->counters.groups[group].values[i],
                                        memory_order_relaxed);
        }
        *value = sum;
        return DAME_OK;
    }
    return dame_fail(DAME_ERR_ARGUMENT, __func__,
                     "name is \"%.40s\"; dame_counter_name() lists the counters", name);
}
