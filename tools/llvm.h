/* SPDX-License-Identifier: BSD-3-Clause */
/* DAME-L for the commands. */
#ifndef LLVM_H
#define LLVM_H

#include "jit/jit.h"

/* The path of dame_llvm.so: the environment variable DAME_LLVM; if it is not set, that of the build
 * tree this program is in, or the one beside the installed component. NULL: it is not there. Static
 * storage. */
const char *tool_llvm(void);

/* Offers and loads it. DAME_ERR_UNSUPPORTED after a message on stderr. */
dame_status_t tool_llvm_load(dame_jit_t *jit, const char *path, int32_t *provider);

enum { TOOL_CANDIDATES = 32 };

/* The codes of one provider that could be the fastest, the likeliest first. Returns how many. */
int32_t tool_candidates(dame_jit_t *jit, int32_t provider, const dame_program_t *program,
                        dame_dir_t dir, dame_candidate_t out[TOOL_CANDIDATES]);

/* Sets the variant of candidate->provider, a loaded one, that has this name ("l:O2"). 0: none. */
int tool_candidate_named(dame_jit_t *jit, const char *name, dame_candidate_t *candidate);

/* Adds a code and ranks it 1. */
dame_status_t tool_compile_code(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                                const dame_candidate_t *candidate);

#endif
