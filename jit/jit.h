/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Machine code for the run kernels of programs: several codes for each program and direction at
 * once, made by providers (provider.h).
 *
 * Each level of a program runs the living code with the highest rank that has a kernel for it, else
 * the interpreter's kernel. Which that is follows from what lives: it is found again whenever a
 * code is ranked, dropped or evicted, while other threads may be running the program. All codes of
 * a level move the same bytes, so any mixture is right.
 *
 * Threads: all functions except dame_jit_destroy() may be called by several threads at once.
 * Compiling holds no lock that the other functions or fork() need. Fork() waits only for a loaded
 * provider (loader.h). Memory of code that was dropped or evicted is reused only when no reader is
 * inside; see dame_reader_t. A thread that is inside as a reader may not call these functions:
 * another may be waiting for it with the lock held. A program belongs to one dame_jit_t at a time.
 * fork(): the child's programs run on the interpreter, and nothing is compiled there.
 */
#ifndef DAME_JIT_H
#define DAME_JIT_H

#include <stddef.h>
#include <stdint.h>

#include "dame/program.h"
#include "jit_types.h"
#include "reader.h"

/* With measured values. Static storage. */
const dame_jit_options_t *dame_jit_options_default(void);

/*
 * An arena and what compiles into it, with DAME-X as its provider number 0; takes no memory for
 * code yet. Options NULL: the default ones. Errors: DAME_ERR_NOMEM, DAME_ERR_ARGUMENT (an option
 * out of range). The caller destroys it after dame_jit_release() of every program.
 */
dame_status_t dame_jit_create(const dame_jit_options_t *options, dame_jit_t **out);
void dame_jit_destroy(dame_jit_t *jit);

/* ---- providers ---- */

/*
 * Another provider: the shared object `path`, with `options` for its open function ("" for the
 * defaults); both are copied. It is loaded when it is first needed, by dame_jit_load() or
 * dame_jit_add(), and stays loaded until the process ends. *provider is its number. DAME_ERR_NOMEM,
 * DAME_ERR_LIMIT (too many).
 */
dame_status_t dame_jit_offer(dame_jit_t *jit, const char *path, const char *options,
                             int32_t *provider);

/*
 * The same for DAME-L. Its face is linked in, so it has candidates before it is loaded. It is
 * loaded only to compile code that the code cache does not have. DAME_ERR_ARGUMENT: bad options.
 */
dame_status_t dame_jit_offer_l(dame_jit_t *jit, const char *path, const char *options,
                               int32_t *provider);

/* Returns whether the options can be had on this CPU. LLVM may still not know a pipeline. */
int dame_jit_l_understands(const char *options);

/*
 * Loads and opens a provider; nothing to do when that has been done. It may take milliseconds.
 * DAME_ERR_UNSUPPORTED: it is absent, or does not work, which was reported to `complain`. What has
 * failed once is not tried again by this process.
 */
dame_status_t dame_jit_load(dame_jit_t *jit, int32_t provider);

/* Returns whether the provider's code depends on the program's shape alone (shape.h). 0 until it is
 * loaded or has a face. */
int dame_jit_is_by_shape(dame_jit_t *jit, int32_t provider);

/*
 * From now on, code of providers in shared objects that is by_shape (provider.h) is looked
 * for in files before it is compiled, and kept there afterwards; `directories` and `limit` as in
 * cache.h. NULL: no files, as at the beginning. No other function of this jit may be running.
 * DAME_ERR_ARGUMENT, DAME_ERR_NOMEM: all stays as it is.
 */
dame_status_t dame_jit_set_cache(dame_jit_t *jit, const char *directories, int64_t limit);

/* Learns which files there are, for dame_jit_has(). It reads directories. No other function of this
 * jit may be running. */
void dame_jit_look(dame_jit_t *jit);

/*
 * The codes that could be the fastest for a program and direction: those of each provider that is
 * loaded or has a face, in the providers' order, the likeliest of each first. Writes up to `room`,
 * returns how many it wrote.
 */
int32_t dame_jit_candidates(dame_jit_t *jit, const dame_program_t *program, dame_dir_t dir,
                            dame_candidate_t *out, int32_t room);

/* Writes a candidate's name, such as "x:prefetch", and returns it. A provider that is not
 * loaded and a variant that does not exist have the name "". */
const char *dame_jit_candidate_name(dame_jit_t *jit, const dame_candidate_t *candidate,
                                    char name[DAME_CANDIDATE_NAME]);

/* ---- the codes of a program ---- */

/*
 * Compiles a code, or finds it in the code cache. It lives from then on, with rank 0, and is not
 * used yet; nothing to do when it lives already. `name` is for perf and GDB, NULL for none.
 * *cost_ns, if not NULL: the time that took. Waits while the same provider compiles for another
 * thread. The program must stay until this returns; dame_jit_release() waits for it.
 *
 * Errors, which leave the program as it was: DAME_ERR_UNSUPPORTED (no provider for this CPU, or no
 * kernel of this program would become better: asking again cannot help), DAME_ERR_DENIED (execution
 * is denied, or this process is a fork), DAME_ERR_FULL (the arena is full of code that runs or is
 * too small: later it may work), DAME_ERR_BUSY (another process is compiling it for the code cache:
 * later it may be there), DAME_ERR_NOMEM, DAME_ERR_LIMIT.
 */
dame_status_t dame_jit_add(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                           const dame_candidate_t *candidate, const char *name, int64_t *cost_ns);

/*
 * Returns whether there was a file of this code when dame_jit_look() was called. Calls no
 * system, but takes some microseconds.
 */
int dame_jit_has(dame_jit_t *jit, const dame_program_t *program, dame_dir_t dir,
                 const dame_candidate_t *candidate);

/* Returns whether there was a file of any code for this program and direction. Takes less. */
int dame_jit_has_any(const dame_jit_t *jit, const dame_program_t *program, dame_dir_t dir);

/*
 * Installs the code of a file as dame_jit_add() does, without compiling and without loading its
 * provider, which takes some microseconds where files are near. Errors: DAME_ERR_BUSY (the file is
 * gone or invalid), and as dame_jit_add().
 */
dame_status_t dame_jit_find(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                            const dame_candidate_t *candidate, const char *name, int64_t *cost_ns);

/*
 * Code that does not run in this process, such as a grid's (jit/g/): found in a file or compiled as
 * by dame_jit_add(), and given to the caller, who frees *bytes with dame_heap_free(). *entry: where
 * in it the function is, if it is machine code. Errors: those of dame_jit_add().
 */
dame_status_t dame_jit_copy(dame_jit_t *jit, const dame_program_t *program, dame_dir_t dir,
                            const dame_candidate_t *candidate, char **bytes, size_t *size,
                            uint32_t *entry);

/*
 * Sets the rank of a code: > 0 to be used where no code of a higher rank has a kernel, 0 not to be
 * used. Of equal ranks, the one ranked last wins. Returns 0 when the code does not live (any more).
 */
int dame_jit_rank(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                  const dame_candidate_t *candidate, int32_t rank);

/* The rank of a code, or -1 when it does not live. */
int32_t dame_jit_rank_of(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                         const dame_candidate_t *candidate);

/* Ends a code. Its memory is reused later, when no thread can be running it. */
void dame_jit_drop(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                   const dame_candidate_t *candidate);

/*
 * Codes evicted so far, of all programs: what changes this may have ended any code. One load. When
 * the arena is full, first those go that no level runs, then the others, the oldest of both first.
 */
int64_t dame_jit_evictions(const dame_jit_t *jit);

/*
 * Adds the first candidate of DAME-X and ranks it 1; nothing to do when the program has a code that
 * is ranked. Errors as dame_jit_add().
 */
dame_status_t dame_jit_compile(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                               const char *name);

/* Ends all codes of a program, for both directions, and frees their memory. No thread may be
 * running the program. Waits for a compilation of the program that is under way: who must not wait
 * keeps the program until it is over. */
void dame_jit_release(dame_jit_t *jit, dame_program_t *program);

/* Bytes of the code of the highest rank, and where they are, until it is evicted, dropped or
 * released; 0 and NULL: no code is ranked. */
size_t dame_jit_code(const dame_program_t *program, dame_dir_t dir, const void **code);

void dame_jit_stats(dame_jit_t *jit, dame_jit_stats_t *out);

#endif
