/* SPDX-License-Identifier: BSD-3-Clause */
/* DAME-L for the commands: where its shared object is, and its codes of a program. */
#include "llvm.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"

const char *tool_llvm(void)
{
    static char built[PATH_MAX + 40];
    const char *named = getenv("DAME_LLVM");
    if (named != NULL) {
        return access(named, R_OK) == 0 ? named : NULL;
    }
    if (command_beside("../jit/.libs/dame_llvm.so", built, sizeof(built)) &&
        access(built, R_OK) == 0) {
        return built;
    }
    return access(DAME_LLVM_INSTALLED, R_OK) == 0 ? DAME_LLVM_INSTALLED : NULL;
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
