/* SPDX-License-Identifier: BSD-3-Clause */
/* DAME's parameters: the values that they may have. Names, help and defaults are in
 * dt_dame_params.def, what they mean for the engine in options.c. */
#include "dt_dame.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "measure/counters.h"
#include "ompi-mca-dame/param.h"
#include "report_name.h"

mca_dt_dame_params_t mca_dt_dame_params;

/* ---- Names of values ------------------------------------------------------------------------ */

static const dt_value_name_t report_names[] = {
    {MCA_DT_DAME_REPORT_NONE, "none"},
    {MCA_DT_DAME_REPORT_SUMMARY, "summary"},
    {MCA_DT_DAME_REPORT_JSON, "json"},
    {0, NULL},
};

static const dt_value_name_t dump_names[] = {
    {MCA_DT_DAME_DUMP_NONE, "none"},       {MCA_DT_DAME_DUMP_RAW, "raw"},
    {MCA_DT_DAME_DUMP_PROGRAM, "program"}, {MCA_DT_DAME_DUMP_ASM, "asm"},
    {MCA_DT_DAME_DUMP_LLVM, "llvm"},       {0, NULL},
};

static const dt_value_name_t tier_names[] = {
    {MCA_DT_DAME_TIER_INTERP, "interp"},
    {MCA_DT_DAME_TIER_X, "x"},
    {MCA_DT_DAME_TIER_L, "l"},
    {MCA_DT_DAME_TIER_OPAL, "opal"},
    {0, NULL},
};

static const dt_value_name_t compile_names[] = {
    {DAME_SLOW_CACHED, "never"},
    {DAME_SLOW_BACKGROUND, "background"},
    {DAME_SLOW_INLINE, "now"},
    {0, NULL},
};

/* ---- Texts that are values ------------------------------------------------------------------ */

static bool check_papi_events(const char *value, dt_refusal_t *refusal)
{
    int names = *value == '\0' ? 0 : 1;
    bool good = *value != ',';
    for (const char *c = value; *c != '\0'; c++) {
        names += ',' == *c;
        good = good && !(*c == ',' && (c[1] == ',' || c[1] == '\0')) && *c != ' ';
    }
    (void) snprintf(refusal->why, sizeof(refusal->why),
                    "is not allowed; allowed: a comma-separated list, without blanks, of up to %d "
                    "names, or empty",
                    DAME_COUNTERS);
    return good && names <= DAME_COUNTERS;
}

static bool check_report_file(const char *value, dt_refusal_t *refusal)
{
    struct stat about;
    const bool is_directory = stat(value, &about) == 0 && S_ISDIR(about.st_mode);
    (void) snprintf(refusal->why, sizeof(refusal->why), "is %s; allowed: the name of a file",
                    is_directory ? "a directory" : "empty");
    const char *percent = dt_dame_report_name_error(value);
    if (percent != NULL) {
        (void) snprintf(refusal->why, sizeof(refusal->why),
                        "has \"%.2s\"; allowed: %%j for the job, %%p for the process that writes, "
                        "%%%% for a per cent sign",
                        percent);
    }
    return *value != '\0' && !is_directory && percent == NULL;
}

static bool check_passes(const char *value, dt_refusal_t *refusal)
{
    const char *bad;
    int bad_length;
    dame_passes_t passes;
    char names[256] = "";
    if (dame_passes_parse(value, &passes, &bad, &bad_length) == DAME_OK) {
        return true;
    }
    for (int pass = 0; pass < DAME_PASS_COUNT; pass++) {
        size_t used = strlen(names);
        (void) snprintf(names + used, sizeof(names) - used, "%s%s", pass == 0 ? "" : ", ",
                        dame_pass_name((dame_pass_t) pass));
    }
    (void) snprintf(refusal->why, sizeof(refusal->why),
                    "has \"%.*s\", which is not a pass; allowed: all, none, or a comma-separated "
                    "list, without blanks, of %s",
                    bad_length < 100 ? bad_length : 100, bad, names);
    return false;
}

static bool check_dump_dir(const char *value, dt_refusal_t *refusal)
{
    (void) snprintf(refusal->why, sizeof(refusal->why),
                    "is empty; allowed: the name of a directory");
    return *value != '\0';
}

static bool check_anything(const char *value, dt_refusal_t *refusal)
{
    (void) value;
    (void) refusal;
    return true;
}

static bool check_perf_map(const char *value, dt_refusal_t *refusal)
{
    const int error = *value == '\0' ? 0 : dt_directory_error(value);
    refusal->of_node = true;
    (void) snprintf(refusal->why, sizeof(refusal->why),
                    "is not allowed (%s); allowed: a directory that can be written to, or empty",
                    strerror(error));
    return error == 0;
}

static bool is_directory_name(const char *name, size_t length, bool first)
{
    return *name == '/' ||
           (first && (length == 0 || (sizeof(MCA_DT_DAME_AUTO) - 1 == length &&
                                      strncmp(name, MCA_DT_DAME_AUTO, length) == 0)));
}

static bool check_code_dir(const char *value, dt_refusal_t *refusal)
{
    bool good = true;
    (void) snprintf(refusal->why, sizeof(refusal->why),
                    "is not allowed; allowed: absolute names of directories with colons between, "
                    "up to 16, of which the first may also be auto or empty; or empty");
    int names = 0;
    for (const char *at = value; at != NULL; at = strchr(at, ':')) {
        at += names > 0;
        good = good && is_directory_name(at, strcspn(at, ":"), names == 0);
        names++;
    }
    return good && names <= 16;
}

/* ---- All of them ---------------------------------------------------------------------------- */

enum { STAYS = false, CHANGES = true };

static const char passes_help[] =
    "Which passes of the optimiser work on the programs of datatypes: all, none, or a "
    "comma-separated list of their names."
#define DAME_PASS(name, text, what) " " text ": " what "."
#include "dame/passes.def"
#undef DAME_PASS
    " The packed data is the same with any of them";

void mca_dt_dame_register_params(const mca_base_component_t *component)
{
#define DT_PARAM(name, level, change, help)                                                        \
    &(const dt_param_t)                                                                            \
    {                                                                                              \
        component, #name, help, (mca_base_var_info_lvl_t) (level - 1), change                      \
    }
#define DT_VALUES(name, level, change, kind, standard, help)                                       \
    {                                                                                              \
        static dt_values_t values;                                                                 \
        dt_values_##kind;                                                                          \
        mca_dt_dame_params.name = standard;                                                        \
        dt_param_register(DT_PARAM(name, level, change, help), &values, &mca_dt_dame_params.name); \
    }
#define DT_NUMBER(name, level, change, low, high, standard, help)                                  \
    DT_VALUES(name, level, change, numbers(&values, low, high), standard, help)
#define DT_BYTES(name, level, change, low, high, standard, help)                                   \
    DT_VALUES(name, level, change, bytes(&values, low, high), standard, help)
#define DT_BOOL(name, level, change, standard, help)                                               \
    DT_VALUES(name, level, change, bool(&values), standard, help)
#define DT_CHOICE(name, level, change, names, standard, help)                                      \
    DT_VALUES(name, level, change, choice(&values, names), standard, help)
#define DT_SET(name, level, change, names, standard, help)                                         \
    DT_VALUES(name, level, change, set(&values, names), standard, help)
#define DT_TEXT(name, level, change, check, standard, help)                                        \
    dt_param_register_string(DT_PARAM(name, level, change, help), check, standard,                 \
                             &mca_dt_dame_params.name);
#include "dt_dame_params.def"
}
