/* SPDX-License-Identifier: BSD-3-Clause */
/* DAME-L for the commands. */
#ifndef LLVM_H
#define LLVM_H

#include "jit/jit.h"
#include "jit/l/phases.h"

/*
 * The path of dame_llvm.so: `given`, else the environment variable DAME_LLVM; if neither is set,
 * that of the build tree this program is in, or the one beside the installed component. NULL: it is
 * not there. Static storage or the caller's.
 */
const char *tool_llvm(const char *given);

/* Offers and loads it. DAME_ERR_UNSUPPORTED after a message on stderr. */
dame_status_t tool_llvm_load(dame_jit_t *jit, const char *path, int32_t *provider);

/* What the time of its last compilation went into. 0: it is not loaded. */
int tool_llvm_phases(l_phases_t *out);

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
