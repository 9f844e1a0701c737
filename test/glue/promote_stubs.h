/*
 * What opal-glue/promote.c is put upon in programs without Open MPI. What is said once a node is
 * kept, and files of code are counted.
 */
#ifndef TEST_GLUE_PROMOTE_STUBS_H
#define TEST_GLUE_PROMOTE_STUBS_H

#include <stdarg.h>
#include <stdio.h>

#include "opal-glue/contents.h"
#include "opal-glue/dump.h"
#include "opal-glue/history.h"
#include "opal-glue/log.h"
#include "opal-glue/promote.h"

struct opal_datatype_t {
    const char *name;
};

bool dt_entries_are_wide;
static const int quiet;
const int *dt_log_verbosity = &quiet;

static char last_said[1024];
static long said;
static long code_files;

void dt_log(const char *format, ...)
{
    (void) format;
}

void dt_log_of(dt_log_level_t level, const char *name, const char *format, ...)
{
    (void) level, (void) name, (void) format;
}

bool dt_log_speaks_for_node(void)
{
    return true;
}

void dt_log_once_a_node(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void) vsnprintf(last_said, sizeof(last_said), format, args);
    va_end(args);
    said++;
}

void dt_history_compiled(dt_entry_t *entry, dame_dir_t dir, int64_t ns)
{
    (void) entry, (void) dir, (void) ns;
}

void dt_history_runs(dt_entry_t *entry, dame_dir_t dir, const char *code)
{
    (void) entry, (void) dir, (void) code;
}

void dt_history_costs(dt_entry_t *entry, dame_dir_t dir, const dt_code_cost_t *costs, int32_t n)
{
    (void) entry, (void) dir, (void) costs, (void) n;
}

const char *dt_contents_name(const struct opal_datatype_t *datatype)
{
    return datatype->name;
}

void dt_dump_code(dt_dump_t *dump, const dame_program_t *program, dame_dir_t dir)
{
    const void *code;
    (void) dump;
    code_files += 0 != dame_jit_code(program, dir, &code);
}

void dt_layout_release(dt_layout_t *layout)
{
    (void) layout;
}

#endif
