/* SPDX-License-Identifier: BSD-3-Clause */
/* DAME-L for the commands: where its shared object is, and its codes of a program. */
#include "llvm.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_there(const char *path)
{
    return access(path, R_OK) == 0;
}

/* The directory of this program, without a '/'; 0: not known. */
static int own_directory(char *path, size_t room)
{
    const ssize_t length = readlink("/proc/self/exe", path, room - 1);
    path[length > 0 ? length : 0] = '\0';
    char *end = strrchr(path, '/');
    if (end != NULL) {
        *end = '\0';
    }
    return end != NULL;
}

const char *tool_llvm(void)
{
    static char built[PATH_MAX + 40];
    char own[PATH_MAX];
    const char *named = getenv("DAME_LLVM");
    if (named != NULL) {
        return is_there(named) ? named : NULL;
    }
    if (own_directory(own, sizeof(own))) {
        snprintf(built, sizeof(built), "%s/../jit/.libs/dame_llvm.so", own);
        if (is_there(built)) {
            return built;
        }
    }
    return is_there(DAME_LLVM_INSTALLED) ? DAME_LLVM_INSTALLED : NULL;
}

dame_status_t tool_llvm_load(dame_jit_t *jit, const char *path, int32_t *provider)
{
    const dame_status_t status = dame_jit_offer(jit, path, "", provider);
    return status == DAME_OK ? dame_jit_load(jit, *provider) : status;
}

int32_t tool_candidates(dame_jit_t *jit, int32_t provider, const dame_program_t *program,
                        dame_dir_t dir, dame_candidate_t out[TOOL_CANDIDATES])
{
    const int32_t n = dame_jit_candidates(jit, program, dir, out, TOOL_CANDIDATES);
    int32_t kept = 0;
    for (int32_t i = 0; i < n; i++) {
        if (out[i].provider == provider) {
            out[kept++] = out[i];
        }
    }
    return kept;
}

int tool_candidate_named(dame_jit_t *jit, const char *name, dame_candidate_t *candidate)
{
    enum { MOST_VARIANTS = 256 }; /* the largest number of DAME-L's is far below */
    char other[DAME_CANDIDATE_NAME];
    for (candidate->variant = 0; candidate->variant < MOST_VARIANTS; candidate->variant++) {
        if (strcmp(dame_jit_candidate_name(jit, candidate, other), name) == 0) {
            return 1;
        }
    }
    return 0;
}

dame_status_t tool_compile_code(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                                const dame_candidate_t *candidate)
{
    const dame_status_t status = dame_jit_add(jit, program, dir, candidate, NULL, NULL);
    if (status == DAME_OK) {
        (void) dame_jit_rank(jit, program, dir, candidate, 1);
    }
    return status;
}
