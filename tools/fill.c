/* SPDX-License-Identifier: BSD-3-Clause */
#include "fill.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/heap.h"
#include "cli/files.h"
#include "cli/program.h"
#include "cli/tool.h"
#include "jit/jit.h"
#include "llvm.h"

static const char *const ways[2] = {"pack", "unpack"};

typedef struct filling {
    dame_jit_t *jit;
    int32_t provider;
    const char *text; /* "l:ptx" or "l:amdgpu"; NULL: codes for CPUs */
    int problem;      /* a code cache or provider that does not work */
} filling_t;

static void complain(void *context, const char *message)
{
    filling_t *filling = context;
    filling->problem = tool_error(TOOL_SYSTEM, "%s", message);
}

static int parse_cpu(const char *text, const dame_cpu_t **cpu)
{
    *cpu = text == NULL ? NULL : dame_cpu_named(text);
    if (text == NULL || *cpu != NULL) {
        return TOOL_OK;
    }
    char names[400] = "";
    for (const dame_cpu_model_t *model = dame_cpu_models(); model->name != NULL; model++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof(names) - used, "%s%s", used == 0 ? "" : ", ", model->name);
    }
    return tool_error(TOOL_USAGE, "--cpu: '%s' is none of %s", text, names);
}

static int parse_tier(const char *text, filling_t *filling)
{
    filling->text = strcmp(text, "ptx") == 0      ? "l:ptx"
                    : strcmp(text, "amdgpu") == 0 ? "l:amdgpu"
                                                  : NULL;
    return filling->text != NULL || strcmp(text, "l") == 0
               ? TOOL_OK
               : tool_error(TOOL_USAGE, "--tier: '%s' is not l, ptx or amdgpu", text);
}

/* ---- one program and direction ---- */

static void print_code(const char *path, dame_dir_t dir, const char *name, size_t bytes, int found)
{
    printf("%-30s %-6s %-16s %7zu bytes%s\n", tool_input_name(path), ways[dir], name, bytes,
           found ? ", found" : "");
}

/* All codes that jobs would try; they measure which is the fastest. */
static int fill_codes(filling_t *filling, const char *path, dame_program_t *program, dame_dir_t dir)
{
    dame_candidate_t candidates[TOOL_CANDIDATES];
    const int32_t n = tool_candidates(filling->jit, filling->provider, program, dir, candidates);
    if (n == 0) {
        printf("%-30s %-6s nothing to compile\n", tool_input_name(path), ways[dir]);
    }
    for (int32_t i = 0; i < n; i++) {
        char name[DAME_CANDIDATE_NAME];
        dame_jit_stats_t before, after;
        const void *code;
        dame_jit_stats(filling->jit, &before);
        dame_jit_candidate_name(filling->jit, &candidates[i], name);
        const dame_status_t status = tool_compile_code(filling->jit, program, dir, &candidates[i]);
        if (status == DAME_ERR_NOMEM) {
            return tool_status_error(tool_input_name(path), status);
        }
        if (status != DAME_OK) {
            printf("%-30s %-6s %-16s not compiled: %s\n", tool_input_name(path), ways[dir], name,
                   dame_status_text(status));
            continue;
        }
        dame_jit_stats(filling->jit, &after);
        print_code(path, dir, name, dame_jit_code(program, dir, &code),
                   after.found[dir] > before.found[dir]);
    }
    return TOOL_OK;
}

static int fill_text(filling_t *filling, const char *path, dame_program_t *program, dame_dir_t dir)
{
    dame_candidate_t candidate = {.provider = filling->provider};
    char *bytes;
    size_t size;
    uint32_t entry;
    const dame_status_t status =
        tool_candidate_named(filling->jit, filling->text, &candidate)
            ? dame_jit_copy(filling->jit, program, dir, &candidate, &bytes, &size, &entry)
            : DAME_ERR_UNSUPPORTED;
    if (status != DAME_OK) {
        return tool_status_error(tool_input_name(path), status);
    }
    print_code(path, dir, filling->text, size - 1, 0);
    dame_heap_free(bytes);
    return TOOL_OK;
}

static int fill_file(void *context, const char *path)
{
    filling_t *filling = context;
    dame_program_t *program = NULL, *optimised;
    int worst = tool_load(path, &program);
    for (int dir = 0; program != NULL && worst != TOOL_SYSTEM && dir < 2; dir++) {
        int code = tool_optimised(tool_input_name(path), program, NULL, &optimised);
        if (code == TOOL_OK) {
            code = (filling->text != NULL ? fill_text : fill_codes)(filling, path, optimised,
                                                                    (dame_dir_t) dir);
            dame_jit_release(filling->jit, optimised);
            dame_program_free(optimised);
        }
        worst = code > worst ? code : worst;
    }
    dame_program_free(program);
    return worst;
}

/* ---- all of them ---- */

static int use_directory(dame_jit_t *jit, const char *directory)
{
    char absolute[2 * PATH_MAX] = "";
    if (directory[0] != '/') {
        if (getcwd(absolute, PATH_MAX - 1) == NULL) {
            return tool_error(TOOL_SYSTEM, "the working directory has no name");
        }
        strcat(absolute, "/");
    }
    if (strlen(directory) >= PATH_MAX) {
        return tool_error(TOOL_USAGE, "--code-dir: the name is too long");
    }
    strcat(absolute, directory);
    /* Jobs keep the limit; here nothing that was just compiled shall go. */
    const dame_status_t status = dame_jit_set_cache(jit, absolute, INT64_MAX);
    return status == DAME_OK ? TOOL_OK : tool_status_error(directory, status);
}

static int use_llvm(filling_t *filling, const char *directory)
{
    const char *path = tool_llvm();
    if (path == NULL) {
        return tool_error(TOOL_SYSTEM, "dame_llvm.so was not found; $DAME_LLVM says where it is");
    }
    const dame_status_t status = tool_llvm_load(filling->jit, path, &filling->provider);
    if (status != DAME_OK) {
        return filling->problem != TOOL_OK ? filling->problem : tool_status_error(path, status);
    }
    return use_directory(filling->jit, directory);
}

int fill_cache(const fill_t *fill, int argc, char **argv)
{
    filling_t filling = {.problem = TOOL_OK};
    dame_jit_options_t options = *dame_jit_options_default();
    options.complain = complain;
    options.complain_argument = &filling;
    if (parse_tier(fill->tier, &filling) != TOOL_OK ||
        parse_cpu(fill->cpu, &options.cpu) != TOOL_OK) {
        return TOOL_USAGE;
    }
    const dame_status_t status = dame_jit_create(&options, &filling.jit);
    if (status != DAME_OK) {
        return tool_status_error("cache", status);
    }
    int code = use_llvm(&filling, fill->directory);
    if (code == TOOL_OK) {
        code = files_each(argc, argv, FILES_OPTIMISED, FILES_NONE, fill_file, &filling);
    }
    dame_jit_destroy(filling.jit);
    return filling.problem > code ? filling.problem : code;
}
