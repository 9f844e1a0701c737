/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parameters say: options of the engine, of DAME-L and of the code cache. */
#include "dt_dame.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/user_file.h"

static bool dumps; /* LLVM writes its files, and compiles for that */

/* The option that makes LLVM write files, with a directory from the root on: the program may change
 * its working directory. Commas divide options. False: LLVM writes nothing. */
static bool put_dump(char *text, size_t room)
{
    static char path[2 * PATH_MAX];
    char working[PATH_MAX] = "";
    const char *directory = mca_dt_dame_params.dump_dir;
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
    char option[sizeof("dump=") + sizeof(path)];
    (void) snprintf(option, sizeof(option), "dump=%s", path);
    if (NULL != strchr(path, ',') || !dame_jit_l_understands(option)) {
        dt_log_once_a_node("dump: %s: nothing of LLVM is written there; the directory's name must "
                           "have no comma and fewer than 400 bytes.",
                           path);
        return false;
    }
    (void) snprintf(text, room, "%s", option);
    return true;
}

/* DAME-L's options. Static storage. */
static const char *llvm_options(void)
{
    static char text[3 * PATH_MAX];
    text[0] = '\0';
    dumps = false;
    if (0 != (mca_dt_dame_params.dump & MCA_DT_DAME_DUMP_LLVM)) {
        dumps = put_dump(text, sizeof(text));
    }
    return text;
}

/* The code cache's directories, or NULL. Static storage. */
static const char *code_directories(void)
{
    static char text[2 * PATH_MAX];
    char own[PATH_MAX] = "";
    const char *given = mca_dt_dame_params.code_dir;
    if (NULL == given || dumps) {
        return NULL; /* code found in the cache has no IR to show */
    }
    const size_t length = strcspn(given, ":");
    const bool is_automatic = 0 == strncmp(given, MCA_DT_DAME_AUTO, length) && length > 0;
    if (is_automatic && 0 != dame_user_cache_directory(own, sizeof(own))) {
        own[0] = '\0';
    }
    const int used =
        snprintf(text, sizeof(text), "%s%s", own, is_automatic ? given + length : given);
    return 0 == used || used >= (int) sizeof(text) ? NULL : text;
}

dame_options_t mca_dt_dame_program_options(void)
{
    dame_options_t options = *dame_options_default();
    const char *bad;
    int length;
    if (NULL != mca_dt_dame_params.passes) {
        (void) dame_passes_parse(mca_dt_dame_params.passes, &options.passes, &bad, &length);
    }
    return options;
}

int mca_dt_dame_threshold(void)
{
    const mca_dt_dame_params_t *params = &mca_dt_dame_params;
    const int measured = params->promotion_threshold < 0 ? MCA_DT_DAME_TIER_OPAL : 0;
    const int choices = MCA_DT_DAME_TIER_X | MCA_DT_DAME_TIER_L | measured;
    return 0 != (params->tiers & choices) ? params->promotion_threshold : 0;
}

int mca_dt_dame_import_threshold(void)
{
    const mca_dt_dame_params_t *params = &mca_dt_dame_params;
    return params->import_threshold > 0 ? params->import_threshold
           : 0 == params->import_threshold || params->promotion_threshold >= 0 ? 1
                                                                               : 0;
}

dame_promote_options_t mca_dt_dame_promote_options(void)
{
    enum { CODE_DIRECTORY_BYTES = 64 << 20 };
    const mca_dt_dame_params_t *params = &mca_dt_dame_params;
    const char *llvm = 0 != (params->tiers & MCA_DT_DAME_TIER_L) ? llvm_options() : NULL;
    dame_promote_options_t options = {
        .threshold = mca_dt_dame_threshold(),
        .order =
            {
                .llvm = llvm,
                .how = (dame_slow_how_t) params->llvm_compile,
                .code_directories = code_directories(),
                .code_directory_is_standard =
                    NULL != params->code_dir && 0 == strcmp(MCA_DT_DAME_AUTO, params->code_dir),
                .code_bytes = CODE_DIRECTORY_BYTES,
            },
        .profile = NULL == params->profile ? "" : params->profile,
        .explore = &params->explore,
        .native =
            0 != (params->tiers & MCA_DT_DAME_TIER_OPAL) && !params->verify ? DT_NATIVE_ARM : NULL,
        .jit = *dame_jit_options_default(),
    };
    options.jit.arena_bytes = (size_t) params->code_cache_size;
    options.jit.perf_map = params->perf_map;
    options.jit.gdb = params->gdb;
    options.jit.crashes = 1;
    options.jit.without_x = 0 == (params->tiers & MCA_DT_DAME_TIER_X);
    return options;
}
