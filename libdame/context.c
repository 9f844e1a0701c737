/* Contexts, and the messages of errors. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dame/options.h"
#include "dame/status.h"
#include "dame_config.h"
#include "lib.h"

static _Thread_local char message[400];

dame_status_t dame_fail(dame_status_t status, const char *who, const char *format, ...)
{
    va_list arguments;
    const int n = snprintf(message, sizeof(message), "%s: ", who);
    va_start(arguments, format);
    vsnprintf(message + n, sizeof(message) - (size_t) n, format, arguments);
    va_end(arguments);
    return status;
}

const char *dame_error_message(void)
{
    return message;
}

const char *dame_error_phrase(dame_status_t status)
{
    return dame_status_text(status);
}

const char *dame_version(void)
{
    return DAME_VERSION;
}

void dame_free(void *memory)
{
    free(memory);
}

/* The caller's options as far as this version knows them. */
static dame_status_t read_options(const char *who, const dame_context_options_t *given,
                                  dame_context_options_t *options)
{
    const size_t first_version = offsetof(dame_context_options_t, fragment) + sizeof(int64_t);
    if (given->size < first_version) {
        return dame_fail(
            DAME_ERR_ARGUMENT, who,
            "options->size is %zu; it must be sizeof(dame_context_options_t), %zu or more",
            given->size, first_version);
    }
    for (size_t i = sizeof(*options); i < given->size; i++) {
        if (0 != ((const char *) given)[i]) {
            return dame_fail(DAME_ERR_ARGUMENT, who,
                             "options has a field at byte %zu that libdame %s does not know", i,
                             DAME_VERSION);
        }
    }
    memcpy(options, given, given->size < sizeof(*options) ? given->size : sizeof(*options));
    return DAME_OK;
}

/* .. as options of the optimiser. */
static dame_status_t optimiser_options(const char *who, const dame_context_options_t *given,
                                       dame_options_t *options)
{
    if (given->fragment < 0) {
        return dame_fail(DAME_ERR_ARGUMENT, who,
                         "options->fragment is %" PRId64 "; it must be 0 or more", given->fragment);
    }
    options->fragment = 0 != given->fragment ? given->fragment : options->fragment;
    if (NULL != given->passes) {
        const char *bad;
        int length;
        if (DAME_OK != dame_passes_parse(given->passes, &options->passes, &bad, &length)) {
            return dame_fail(DAME_ERR_ARGUMENT, who,
                             "options->passes has \"%.*s\"; allowed are normalise, merge, pattern, "
                             "order, sort, buffer, separated by commas, or all or none alone",
                             length < 40 ? length : 40, bad);
        }
    }
    return DAME_OK;
}

dame_status_t dame_context_new(const dame_context_options_t *options, dame_context_t **out)
{
    dame_context_options_t known = {.size = 0};
    dame_options_t optimiser = *dame_options_default();
    if (NULL == out) {
        return dame_fail(DAME_ERR_ARGUMENT, __func__, "out is NULL");
    }
    dame_status_t status = NULL == options ? DAME_OK : read_options(__func__, options, &known);
    if (DAME_OK == status) {
        status = optimiser_options(__func__, &known, &optimiser);
    }
    if (DAME_OK != status) {
        return status;
    }
    dame_context_t *context = aligned_alloc(_Alignof(dame_context_t), sizeof(*context));
    if (NULL == context || DAME_OK != dame_use_open(&optimiser, &context->engine)) {
        free(context);
        return dame_fail(DAME_ERR_NOMEM, __func__, "out of memory");
    }
    atomic_init(&context->references, 1);
    for (int group = 0; group < DAME_COUNTER_GROUPS; group++) {
        for (int i = 0; i < DAME_COUNTERS; i++) {
            atomic_init(&context->counters.groups[group].values[i], 0);
        }
    }
    *out = context;
    return DAME_OK;
}

void dame_context_retain(dame_context_t *context)
{
    atomic_fetch_add_explicit(&context->references, 1, memory_order_relaxed);
}

void dame_context_free(dame_context_t *context)
{
    if (NULL != context &&
        1 == atomic_fetch_sub_explicit(&context->references, 1, memory_order_acq_rel)) {
        dame_use_close(context->engine);
        free(context);
    }
}
