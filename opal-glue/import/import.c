/* SPDX-License-Identifier: BSD-3-Clause */
#include "import.h"

#include <stdbool.h>
#include <stdio.h>

#include "opal-glue/abi/abi.h"
#include "bounds.h"
#include "contents.h"
#include "opal-glue/counters.h"
#include "dame/memory_order.h"
#include "engine/words.h"
#include "import_mpi.h"
#include "opal-glue/log.h"
#include "opal-glue/thread.h"

static dame_options_t program_options;
static bool verify_programs;

void dt_import_start(const dame_options_t *options, bool verify)
{
    program_options = *options;
    verify_programs = verify;
}

/* With the parameter verify, the verifier looks at the program before anything is moved by it. */
static dt_decline_t verified(dame_program_t *program)
{
    char message[256];
    if (dame_program_verify(program, message, sizeof(message)) == DAME_OK) {
        return DT_DECLINE_NONE;
    }
    opal_output(dt_log_stream(), "dt:dame: verify: %s", message);
    return DT_DECLINE_PROGRAM;
}

static void tell_limit(const struct opal_datatype_t *datatype, const dame_limit_t *limit)
{
    char text[128];
    dt_log_of(DT_LOG_TYPES, dt_contents_name(datatype), "left to Open MPI's own engine: %s",
              dame_limit_text(limit, text, sizeof(text)));
    dt_stats_tell_limit(limit);
}

/* `program` and, where a limit is exceeded, `limit` are set. */
static dt_decline_t build(dame_tree_t *tree, const struct opal_datatype_t *datatype,
                          dame_program_t **program, dame_limit_t *limit)
{
    const dame_type_t *type;
    dame_options_t options = program_options;
    options.limit = limit;
    dt_decline_t declined = dt_import_mpi(tree, datatype, limit, &type);
    if (declined == DT_DECLINE_NONE) {
        declined = dt_bounds_declined(dame_program_build(type, &options, program));
    }
    dame_tree_reset(tree);
    if (declined == DT_DECLINE_NONE && (*program)->depth > DAME_CURSOR_DEPTH) {
        /* its cursors would need the heap on the fragment path */
        *limit = (dame_limit_t){"nested levels", DAME_CURSOR_DEPTH, (*program)->depth};
        declined = DT_DECLINE_LIMIT;
    }
    if (declined == DT_DECLINE_NONE && verify_programs) {
        declined = verified(*program);
    }
    if (declined != DT_DECLINE_NONE) {
        dame_program_free(*program);
        *program = NULL;
    }
    return declined;
}

static void log_outcome(const struct opal_datatype_t *datatype, const dame_program_t *program,
                        dt_decline_t declined)
{
    char words[80];
    char size[DAME_WORDS_BYTES];
    const char *name = dt_contents_name(datatype);
    if (declined == DT_DECLINE_LIMIT) {
        return; /* which tell_limit() has said */
    }
    if (program == NULL) {
        dt_log_of(DT_LOG_TYPES, name, "declined: %s", dt_decline_text(declined));
        return;
    }
    dame_words_of_layout(program, words, sizeof(words));
    dt_log_of(DT_LOG_TYPES, name, "imported: %s, %s", words,
              dame_words_of_bytes((double) program->size, size));
}

int64_t dt_import_words(dame_tree_t *tree, const struct opal_datatype_t *datatype, char *words,
                        size_t room)
{
    dame_program_t *program = NULL;
    dame_limit_t limit = {.what = NULL};
    const dt_decline_t declined = build(tree, datatype, &program, &limit);
    if (declined == DT_DECLINE_NONE) {
        dame_words_of_layout(program, words, room);
    } else {
        (void) snprintf(words, room, "%s", dt_decline_text(declined));
    }
    dame_program_free(program);
    return (int64_t) datatype->size;
}

dame_program_t *dt_import(dame_tree_t *tree, const struct opal_datatype_t *datatype,
                          dt_decline_t *declined)
{
    dame_program_t *program = NULL;
    dame_limit_t limit = {.what = NULL};
    *declined = build(tree, datatype, &program, &limit);
    if (*declined == DT_DECLINE_LIMIT) {
        tell_limit(datatype, &limit);
    }
    dt_count(DT_COUNT_layouts_imported, 1);
    if (program != NULL && dame_wide_column(program, program_options.fragment) != 0) {
        dt_count(DT_COUNT_types_wide_columns, 1);
    }
    if (dt_log_wants(DT_LOG_TYPES)) {
        log_outcome(datatype, program, *declined);
    }
    return program;
}
