/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts, and the messages of errors. */
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dame/options.h"
#include "dame/status.h"
#include "dame_config.h"
#include "base/user_file.h"
#include "lib.h"

/* The thread's last error. */
static _Thread_local struct {
    char message[400];
    int reason; /* where it begins in the message */
    int64_t line, column;
} last;

dame_status_t dame_fail(dame_status_t status, const char *who, const char *format, ...)
{
    va_list arguments;
    const int n = snprintf(last.message, sizeof(last.message), "%s: ", who);
    va_start(arguments, format);
    vsnprintf(last.message + n, sizeof(last.message) - (size_t) n, format, arguments);
    va_end(arguments);
    last.reason = n;
    last.line = last.column = 0;
    return status;
}

dame_status_t dame_fail_at(dame_status_t status, const char *who, int64_t line, int64_t column,
                           const char *reason)
{
    last.reason = snprintf(last.message, sizeof(last.message),
                           "%s: line %" PRId64 ", column %" PRId64 ": ", who, line, column);
    snprintf(last.message + last.reason, sizeof(last.message) - (size_t) last.reason, "%s", reason);
    last.line = line;
    last.column = column;
    return status;
}

const char *dame_error_message(void)
{
    return last.message;
}

const char *dame_error_reason(int64_t *line, int64_t *column)
{
    if (line != NULL) {
        *line = last.line;
    }
    if (column != NULL) {
        *column = last.column;
    }
    return last.message + last.reason;
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
    const size_t first_version = offsetof(dame_context_options_t, llvm) + sizeof(const char *);
    if (given->size < first_version) {
        return dame_fail(
            DAME_ERR_ARGUMENT, who,
            "options->size is %zu; it must be sizeof(dame_context_options_t), %zu or more",
            given->size, first_version);
    }
    for (size_t i = sizeof(*options); i < given->size; i++) {
        if (((const char *) given)[i] != 0) {
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
    options->fragment = given->fragment != 0 ? given->fragment : options->fragment;
    if (given->passes != NULL) {
        const char *bad;
        int length;
        if (dame_passes_parse(given->passes, &options->passes, &bad, &length) != DAME_OK) {
            return dame_fail(DAME_ERR_ARGUMENT, who,
                             "options->passes has \"%.*s\"; allowed are normalise, merge, pattern, "
                             "order, sort, buffer, separated by commas, or all or none alone",
                             length < 40 ? length : 40, bad);
        }
    }
    return DAME_OK;
}

static dame_status_t read_tiers(const char *who, const char *text, dame_mover_options_t *options)
{
    options->x = text == NULL;
    options->l = 0;
    for (const char *name = text; name != NULL;) {
        const size_t length = strcspn(name, ",");
        const int is_x = length == 1 && *name == 'x', is_l = length == 1 && *name == 'l';
        if (!is_x && !is_l && (length != 6 || strncmp("interp", name, length) != 0)) {
            return dame_fail(DAME_ERR_ARGUMENT, who,
                             "options->tiers has \"%.*s\"; allowed are interp, x and l, separated "
                             "by commas",
                             length < 40 ? (int) length : 40, name);
        }
        options->x |= is_x;
        options->l |= is_l;
        name = name[length] == ',' ? name + length + 1 : NULL;
    }
    return DAME_OK;
}

/* `room` has room for a path. */
static dame_status_t read_code_dir(const char *who, const char *given, char *room, size_t size,
                                   dame_mover_options_t *options)
{
    if (given != NULL && strcmp("auto", given) == 0) {
        given = dame_user_cache_directory(room, size) == 0 ? room : NULL;
    } else if (given != NULL && *given != '/' && *given != ':') {
        return dame_fail(DAME_ERR_ARGUMENT, who,
                         "options->code_dir is \"%.80s\"; it must be auto, or absolute directories",
                         given);
    }
    options->code_directories = given;
    return DAME_OK;
}

/* .. as options of the engine. */
static dame_status_t mover_options(const char *who, const dame_context_options_t *given, char *room,
                                   size_t size, dame_mover_options_t *options)
{
    if (given->threshold < -1 || given->threshold > INT32_MAX) {
        return dame_fail(DAME_ERR_ARGUMENT, who,
                         "options->threshold is %" PRId64 "; it must be -1 to %" PRId32,
                         given->threshold, INT32_MAX);
    }
    dame_status_t status = optimiser_options(who, given, &options->program);
    if (status == DAME_OK) {
        status = read_tiers(who, given->tiers, options);
    }
    if (status == DAME_OK) {
        status = read_code_dir(who, given->code_dir, room, size, options);
    }
    options->threshold = given->threshold < 0 || (!options->x && !options->l) ? 0
                         : given->threshold == 0                              ? -1
                                                 : (int32_t) given->threshold;
    options->profile = given->profile == NULL ? "" : given->profile;
    options->llvm = given->llvm;
    return status;
}

dame_status_t dame_context_new(const dame_context_options_t *options, dame_context_t **out)
{
    dame_context_options_t known = {.size = 0};
    dame_mover_options_t of_movers = {.program = *dame_options_default()};
    char directory[PATH_MAX];
    if (out == NULL) {
        return dame_fail(DAME_ERR_ARGUMENT, __func__, "out is NULL");
    }
    dame_status_t status = options == NULL ? DAME_OK : read_options(__func__, options, &known);
    if (status == DAME_OK) {
        status = mover_options(__func__, &known, directory, sizeof(directory), &of_movers);
    }
    if (status != DAME_OK) {
        return status;
    }
    dame_context_t *context = malloc(sizeof(*context));
    if (context == NULL || dame_mover_open(&of_movers, &context->movers) != DAME_OK) {
        free(context);
        return dame_fail(DAME_ERR_NOMEM, __func__, "out of memory");
    }
    atomic_init(&context->references, 1);
    atomic_init(&context->datatypes, 0);
    atomic_init(&context->commits, 0);
    *out = context;
    return DAME_OK;
}

void dame_context_retain(dame_context_t *context)
{
    atomic_fetch_add_explicit(&context->references, 1, memory_order_relaxed);
}

void dame_context_free(dame_context_t *context)
{
    if (context != NULL &&
        atomic_fetch_sub_explicit(&context->references, 1, memory_order_acq_rel) == 1) {
        dame_mover_close(context->movers);
        free(context);
    }
}
