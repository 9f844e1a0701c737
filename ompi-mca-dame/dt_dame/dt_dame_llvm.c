/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of DAME-L, the machine code that LLVM makes, and of the code cache it is kept in.
 */
#include "dt_dame.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/user_file.h"
#include "ompi-mca-dame/param.h"

static const mca_base_component_t *owner;
static mca_dt_dame_params_t unregistered; /* of a component for another Open MPI: empty */
static mca_dt_dame_params_t *params = &unregistered;
static bool dumps; /* LLVM writes its files, and compiles for that */

/* ---- Values --------------------------------------------------------------------------------- */

/* Is "key=value" what DAME-L understands on this CPU? */
static bool is_option(const char *key, const char *value)
{
    char text[1024];
    const int length = snprintf(text, sizeof(text), "%s=%s", key, value);
    return length < (int) sizeof(text) && dame_jit_l_understands(text);
}

static bool check_passes(const char *value, dt_refusal_t *refusal)
{
    (void) snprintf(
        refusal->why, sizeof(refusal->why),
        "is not allowed; allowed: a pipeline of fewer than 400 characters as LLVM's opt "
        "takes it, such as default<O2> or function(instcombine,simplifycfg), with "
        "commas inside brackets only; none; or empty");
    return '\0' == *value || is_option("passes", value);
}

static bool check_cpu(const char *value, dt_refusal_t *refusal)
{
    refusal->of_node = true;
    (void) snprintf(refusal->why, sizeof(refusal->why),
                    "is not allowed; allowed: native, x86-64, x86-64-v3, x86-64-v4, or a model "
                    "that LLVM names and DAME knows, such as skylake, icelake-server or znver4, if "
                    "this CPU can run its code");
    return is_option("cpu", value);
}

static const char automatic[] = "auto";

static bool is_directory_name(const char *name, size_t length, bool first)
{
    return '/' == *name || (first && (0 == length || (sizeof(automatic) - 1 == length &&
                                                      0 == strncmp(name, automatic, length))));
}

static bool check_code_dir(const char *value, dt_refusal_t *refusal)
{
    bool good = true;
    (void) snprintf(refusal->why, sizeof(refusal->why),
                    "is not allowed; allowed: absolute names of directories with colons between, "
                    "up to 16, of which the first may also be auto or empty; or empty");
    int names = 0;
    for (const char *at = value; NULL != at; at = strchr(at, ':')) {
        at += names > 0;
        good = good && is_directory_name(at, strcspn(at, ":"), 0 == names);
        names++;
    }
    return good && names <= 16;
}

/* ---- Registering ---------------------------------------------------------------------------- */

static void register_string(const char *name, const char *text, mca_base_var_info_lvl_t level,
                            dt_param_check_t *check, const char *standard, char **storage)
{
    const dt_param_t param = {owner, name, text, level, false};
    dt_param_register_string(&param, check, standard, storage);
}

static void register_int(const char *name, const char *text, mca_base_var_info_lvl_t level,
                         dt_values_t *values, int *storage)
{
    const dt_param_t param = {owner, name, text, level, false};
    dt_param_register(&param, values, storage);
}

static void register_cache(void)
{
    static dt_values_t bytes;
    register_string("code_dir",
                    "The code cache: directories, with colons between, of machine code that LLVM "
                    "made in earlier jobs or that dame cache fill made, shared by all "
                    "processes. The first is also written; the others, such as one that an "
                    "administrator has filled, are only read. Each has to belong to the user or "
                    "to root, and no other user may write it. auto: the directory dame in "
                    "XDG_CACHE_HOME, or in .cache in the user's home directory. An empty first "
                    "name: nothing is written. Empty: no code cache",
                    OPAL_INFO_LVL_4, check_code_dir, automatic, &params->code_dir);
    dt_values_bytes(&bytes, 1, INT_MAX);
    params->code_dir_size = 64 << 20;
    register_int("code_dir_size",
                 "Most bytes of machine code in the first directory of dt_dame_code_dir. What has "
                 "not been used for longest is removed first",
                 OPAL_INFO_LVL_5, &bytes, &params->code_dir_size);
}

void mca_dt_dame_register_llvm(const mca_base_component_t *component, mca_dt_dame_params_t *values)
{
    static const dt_value_name_t compile_names[] = {
        {DAME_SLOW_CACHED, "never"},
        {DAME_SLOW_BACKGROUND, "background"},
        {DAME_SLOW_INLINE, "now"},
        {0, NULL},
    };
    static dt_values_t compiles;
    owner = component;
    params = values;
    register_cache();
    dt_values_choice(&compiles, compile_names);
    params->llvm_compile = DAME_SLOW_BACKGROUND;
    register_int(
        "llvm_compile",
        "When LLVM compiles machine code that dt_dame_code_dir does not have, if "
        "dt_dame_tiers has l. never: only code that is there is used; background: when that "
        "is expected to pay, a thread of low priority compiles it while the job goes on; "
        "now: the message that wants it waits, some milliseconds each, for tests. LLVM is "
        "loaded for the first compilation only",
        OPAL_INFO_LVL_4, &compiles, &params->llvm_compile);
    register_string("llvm_passes",
                    "The optimisations of LLVM that machine code is compiled with, as LLVM's opt "
                    "takes them, with commas inside brackets only; none: no optimisations. Empty: "
                    "several kinds are tried",
                    OPAL_INFO_LVL_6, check_passes, "", &params->llvm_passes);
    register_string("llvm_cpu",
                    "The CPU that LLVM compiles for, by LLVM's name; this CPU must have its "
                    "instructions. native: this one",
                    OPAL_INFO_LVL_6, check_cpu, "native", &params->llvm_cpu);
}

/* ---- Their values --------------------------------------------------------------------------- */

/* From the root on: the program may change its working directory. Commas divide options. Returns
 * whether LLVM will write something. */
static bool add_dump(char *text, size_t room)
{
    static char path[2 * PATH_MAX];
    char working[PATH_MAX] = "";
    const char *directory = params->dump_dir;
    const bool is_relative = NULL != directory && '/' != *directory;
    if (NULL == directory) {
        return false; /* out of memory */
    }
    if (is_relative && NULL == getcwd(working, sizeof(working))) {
        dt_log_once_a_node("dump: the working directory: %s. Nothing of LLVM is written.",
                           strerror(errno));
        return false;
    }
    (void) snprintf(path, sizeof(path), "%s%s%s", working, is_relative ? "/" : "", directory);
    if (NULL != strchr(path, ',') || !is_option("dump", path)) {
        dt_log_once_a_node("dump: %s: nothing of LLVM is written there; the directory's name must "
                           "have no comma and fewer than 400 bytes.",
                           path);
        return false;
    }
    const size_t used = strlen(text);
    (void) snprintf(text + used, room - used, "%sdump=%s", 0 == used ? "" : ",", path);
    return true;
}

const char *mca_dt_dame_llvm_options(void)
{
    static char text[3 * PATH_MAX];
    text[0] = '\0';
    dumps = false;
    if (NULL != params->llvm_passes) {
        (void) snprintf(text, sizeof(text), "passes=%s", params->llvm_passes);
    }
    if (NULL != params->llvm_cpu && 0 != strcmp(params->llvm_cpu, "native")) {
        const size_t used = strlen(text);
        (void) snprintf(text + used, sizeof(text) - used, "%scpu=%s", 0 == used ? "" : ",",
                        params->llvm_cpu);
    }
    if (0 != (params->dump & MCA_DT_DAME_DUMP_LLVM)) {
        dumps = add_dump(text, sizeof(text));
    }
    return text;
}

const char *mca_dt_dame_code_directories(void)
{
    static char text[2 * PATH_MAX];
    char own[PATH_MAX] = "";
    const char *given = params->code_dir;
    if (NULL == given || dumps) {
        return NULL; /* code found in the cache has no IR to show */
    }
    const size_t length = strcspn(given, ":");
    const bool is_automatic = 0 == strncmp(given, automatic, length) && length > 0;
    if (is_automatic && 0 != dame_user_cache_directory(own, sizeof(own))) {
        own[0] = '\0';
    }
    const int used =
        snprintf(text, sizeof(text), "%s%s", own, is_automatic ? given + length : given);
    return 0 == used || used >= (int) sizeof(text) ? NULL : text;
}
