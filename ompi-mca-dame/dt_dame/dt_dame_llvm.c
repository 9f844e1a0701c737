/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the parameters say about DAME-L, the machine code that LLVM makes, and about the code cache
 * it is kept in.
 */
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

const char *mca_dt_dame_llvm_options(void)
{
    static char text[3 * PATH_MAX];
    text[0] = '\0';
    dumps = false;
    if (0 != (mca_dt_dame_params.dump & MCA_DT_DAME_DUMP_LLVM)) {
        dumps = put_dump(text, sizeof(text));
    }
    return text;
}

const char *mca_dt_dame_code_directories(void)
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
