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
    const bool is_relative = directory != NULL && *directory != '/';
    if (directory == NULL) {
        return false; /* out of memory */
    }
    if (is_relative && getcwd(working, sizeof(working)) == NULL) {
        dt_log_once_a_node("dump: the working directory: %s. Nothing of LLVM is written.",
                           strerror(errno));
        return false;
    }
    (void) snprintf(path, sizeof(path), "%s%s%s", working, is_relative ? "/" : "", directory);
    char option[sizeof("dump=") + sizeof(path)];
    (void) snprintf(option, sizeof(option), "dump=%s", path);
    if (strchr(path, ',') != NULL || !dame_jit_l_understands(option)) {
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
    if ((mca_dt_dame_params.dump & MCA_DT_DAME_DUMP_LLVM) != 0) {
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
    if (given == NULL || dumps) {
        return NULL; /* code found in the cache has no IR to show */
    }
    const size_t length = strcspn(given, ":");
    const bool is_automatic = strncmp(given, MCA_DT_DAME_AUTO, length) == 0 && length > 0;
    if (is_automatic && dame_user_cache_directory(own, sizeof(own)) != 0) {
        own[0] = '\0';
    }
    const int used =
        snprintf(text, sizeof(text), "%s%s", own, is_automatic ? given + length : given);
    return used == 0 || used >= (int) sizeof(text) ? NULL : text;
}

dame_options_t mca_dt_dame_program_options(void)
{
    dame_options_t options = *dame_options_default();
    const char *bad;
    int length;
    if (mca_dt_dame_params.passes != NULL) {
        (void) dame_passes_parse(mca_dt_dame_params.passes, &options.passes, &bad, &length);
    }
    return options;
}

int mca_dt_dame_threshold(void)
{
    const mca_dt_dame_params_t *params = &mca_dt_dame_params;
    const int measured = params->promotion_threshold < 0 ? MCA_DT_DAME_TIER_OPAL : 0;
    const int choices = MCA_DT_DAME_TIER_X | MCA_DT_DAME_TIER_L | measured;
    return (params->tiers & choices) != 0 ? params->promotion_threshold : 0;
}

int mca_dt_dame_import_threshold(void)
{
    const mca_dt_dame_params_t *params = &mca_dt_dame_params;
    return params->import_threshold > 0 ? params->import_threshold
           : params->import_threshold == 0 || params->promotion_threshold >= 0 ? 1
                                                                               : 0;
}

dame_promote_options_t mca_dt_dame_promote_options(void)
{
    enum { CODE_DIRECTORY_BYTES = 64 << 20 };
    const mca_dt_dame_params_t *params = &mca_dt_dame_params;
    const char *llvm = (params->tiers & MCA_DT_DAME_TIER_L) != 0 ? llvm_options() : NULL;
    dame_promote_options_t options = {
        .threshold = mca_dt_dame_threshold(),
        .order =
            {
                .llvm = llvm,
                .how = (dame_slow_how_t) params->llvm_compile,
                .code_directories = code_directories(),
                .code_directory_is_standard =
                    params->code_dir != NULL && strcmp(MCA_DT_DAME_AUTO, params->code_dir) == 0,
                .code_bytes = CODE_DIRECTORY_BYTES,
            },
        .profile = params->profile == NULL ? "" : params->profile,
        .explore = &params->explore,
        .native =
            (params->tiers & MCA_DT_DAME_TIER_OPAL) != 0 && !params->verify ? DT_NATIVE_ARM : NULL,
        .jit = *dame_jit_options_default(),
    };
    options.jit.arena_bytes = (size_t) params->code_cache_size;
    options.jit.perf_map = params->perf_map;
    options.jit.gdb = params->gdb;
    options.jit.crashes = 1;
    options.jit.without_x = (params->tiers & MCA_DT_DAME_TIER_X) == 0;
    return options;
}
