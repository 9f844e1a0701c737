/* SPDX-License-Identifier: BSD-3-Clause */
/* dame cache: what the code cache has. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands.h"
#include "jit/cache.h"
#include "base/user_file.h"
#include "base/whole_file.h"

typedef struct totals {
    int verbose; /* a line for each file, good or not */
    int64_t files;
    int64_t bytes;
    int64_t bad;
} totals_t;

static void count(void *context, const dame_cache_file_t *file)
{
    totals_t *totals = context;
    totals->files++;
    totals->bytes += (int64_t) file->code_bytes;
    if (file->fault != NULL) {
        totals->bad++;
        printf("%s  bad: %s\n", file->name, file->fault);
        return;
    }
    if (totals->verbose) {
        char when[32] = "?";
        const time_t used = (time_t) file->used_s;
        struct tm day;
        if (localtime_r(&used, &day) != NULL) {
            strftime(when, sizeof(when), "%Y-%m-%d %H:%M", &day);
        }
        printf("%s  %s  %-6s  %8zu bytes  %s%s%s\n", file->name, when,
               file->dir == DAME_PACK ? "pack" : "unpack", file->code_bytes, file->origin,
               file->maker[0] != '\0' ? ", by " : "", file->maker);
    }
}

static int fail(const char *directory, int error)
{
    return tool_error(TOOL_SYSTEM, "%s: %s", directory, dame_file_error_text(error));
}

/* `named` by the user: then it must be there. */
static int list(const char *directory, int named, int verbose)
{
    totals_t totals = {.verbose = verbose};
    const int error = dame_cache_each(directory, count, &totals);
    if (error != 0 && (error != ENOENT || named)) {
        return fail(directory, error);
    }
    printf("%s: %" PRId64 " %s, %" PRId64 " bytes of code, %" PRId64 " bad\n", directory,
           totals.files, totals.files == 1 ? "file" : "files", totals.bytes, totals.bad);
    return totals.bad != 0 ? TOOL_WRONG : TOOL_OK;
}

static int clear(const char *directory, int named)
{
    int64_t removed = 0;
    const int absent = named && access(directory, F_OK) != 0 ? errno : 0;
    const int error = absent != 0 ? absent : dame_cache_clear(directory, &removed);
    if (error != 0) {
        return fail(directory, error);
    }
    printf("%s: %" PRId64 " %s removed\n", directory, removed, removed == 1 ? "file" : "files");
    return TOOL_OK;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {{"code-dir", required_argument, NULL, 'd'}, {0}};
    char own[PATH_MAX];
    const char *directory = NULL;
    for (int option; (option = tool_option(argc, argv, ":", longs)) != -1;) {
        if (option != 'd') {
            return TOOL_USAGE;
        }
        directory = optarg;
    }
    if (optind == argc) {
        return tool_error(TOOL_USAGE, "cache: list, check or clear is missing; 'dame cache --help' "
                                      "says more");
    }
    if (tool_operands(argc, argv, 1, 1) != TOOL_OK) {
        return TOOL_USAGE;
    }
    const int named = directory != NULL;
    if (!named) {
        const int error = dame_user_cache_directory(own, sizeof(own));
        if (error != 0) {
            return tool_error(TOOL_SYSTEM,
                              "HOME and XDG_CACHE_HOME name no directory; use --code-dir");
        }
        directory = own;
    }
    const char *what = argv[optind];
    if (strcmp(what, "list") == 0 || strcmp(what, "check") == 0) {
        return list(directory, named, strcmp(what, "list") == 0);
    }
    if (strcmp(what, "clear") == 0) {
        return clear(directory, named);
    }
    return tool_error(TOOL_USAGE, "'%s' is none of list, check, clear", what);
}

const tool_command_t tool_cache = {
    .name = "cache",
    .arguments = "[--code-dir DIR] list|check|clear",
    .what = "shows, checks or empties the code cache",
    .help = "  list            a line for each file: last use (noted once an hour),\n"
            "                  direction, size, compiler and CPU\n"
            "  check           bad files only; exit code 1 if there are any\n"
            "  clear           removes all files of code\n"
            "  --code-dir DIR  the directory (default: dame/ in $XDG_CACHE_HOME or ~/.cache)\n",
    .run = run,
};
