/* SPDX-License-Identifier: BSD-3-Clause */
/* dame cache: looks into the code cache, and fills it. */
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
#include "fill.h"

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
    static const struct option longs[] = {{"code-dir", required_argument, NULL, 'd'},
                                          {"tier", required_argument, NULL, 't'},
                                          {"cpu", required_argument, NULL, 'c'},
                                          {0}};
    char own[PATH_MAX];
    fill_t fill = {.directory = NULL};
    for (int option; (option = tool_option(argc, argv, ":", longs)) != -1;) {
        switch (option) {
        case 'd':
            fill.directory = optarg;
            break;
        case 't':
            fill.tier = optarg;
            break;
        case 'c':
            fill.cpu = optarg;
            break;
        default:
            return TOOL_USAGE;
        }
    }
    if (optind == argc) {
        return tool_error(TOOL_USAGE, "cache: list, check, clear or fill is missing; 'dame cache "
                                      "--help' says more");
    }
    const char *what = argv[optind];
    const int fills = strcmp(what, "fill") == 0;
    if (!fills && (fill.tier != NULL || fill.cpu != NULL)) {
        return tool_error(TOOL_USAGE, "cache: --tier and --cpu are for fill");
    }
    if (!fills && tool_operands(argc, argv, 1, 1) != TOOL_OK) {
        return TOOL_USAGE;
    }
    const int named = fill.directory != NULL;
    if (!named) {
        const int error = dame_user_cache_directory(own, sizeof(own));
        if (error != 0) {
            return tool_error(TOOL_SYSTEM,
                              "HOME and XDG_CACHE_HOME name no directory; use --code-dir");
        }
        fill.directory = own;
    }
    if (fills) {
        fill.tier = fill.tier == NULL ? "l" : fill.tier;
        optind++;
        return fill_cache(&fill, argc, argv);
    }
    if (strcmp(what, "list") == 0 || strcmp(what, "check") == 0) {
        return list(fill.directory, named, strcmp(what, "list") == 0);
    }
    if (strcmp(what, "clear") == 0) {
        return clear(fill.directory, named);
    }
    return tool_error(TOOL_USAGE, "cache: '%s' is none of list, check, clear, fill", what);
}

const tool_command_t tool_cache = {
    .name = "cache",
    .arguments = "[--code-dir DIR] list|check|clear\n"
                 "       dame cache [--code-dir DIR] [--tier NAME] [--cpu NAME] fill FILE...",
    .what = "shows, checks, empties or fills the code cache",
    .help = "  list            a line for each file: last use (noted once an hour),\n"
            "                  direction, size, compiler and CPU\n"
            "  check           bad files only; exit code 1 if there are any\n"
            "  clear           removes all files of code\n"
            "  fill            compiles the programs of files by LLVM: all codes that jobs\n"
            "                  would try. 'found' marks code that was there\n"
            "  --code-dir DIR  the directory (default: dame/ in $XDG_CACHE_HOME or ~/.cache)\n"
            "  --tier NAME     l, the default: for CPUs; ptx, amdgpu: kernels for devices of\n"
            "                  NVIDIA's and AMD's\n"
            "  --cpu NAME      for this CPU, such as znver4 or sapphirerapids, instead of the\n"
            "                  one dame runs on; another name shows all\n"
            "\n"
            "FILE is a program, or a directory of programs, as dt_dame_dump program writes\n"
            "them. $DAME_LLVM is the path of dame_llvm.so, if it is elsewhere than built or\n"
            "installed.\n",
    .run = run,
};
