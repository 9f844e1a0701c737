/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine's profile: how fast codes were on this CPU, and what compiling cost, learnt by
 * earlier jobs and by `dame tune`. A text file for each model of CPU, which many processes read and
 * add to at the same time.
 *
 * The file is read by dame_profile_load() or when it is first asked for, and written by
 * dame_profile_save() alone, which merges what this process has learnt into what the file holds by
 * then. Processes that save wait for each other (a lock file beside it), readers never: a file is
 * always whole. An empty file is as good as none. Files that are damaged, not the user's own or of
 * another CPU are left out, with one message.
 *
 * Any thread may call these functions, except dame_profile_free(). A child of fork() saves nothing.
 * Format: measure/README.md.
 */
#ifndef DAME_PROFILE_H
#define DAME_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "dame/cpu.h"
#include "dame/program.h"
#include "dame/status.h"
#include "profile_types.h"

typedef struct dame_profile dame_profile_t;

/* Gets messages of one line. `trouble`: the profile cannot be used or written; 0: it can. */
typedef void (*dame_profile_tell_t)(void *argument, const char *text, int trouble);

/*
 * `where`: "auto" means the user's cache directory, $XDG_CACHE_HOME/dame or else $HOME/.cache/dame;
 * "" for none; else the name of a directory that exists, or of a file. `cpu`: dame_profile_cpu(),
 * or another name, of the letters of words. `tell`: NULL, messages are not wanted; else it is
 * called with `argument`. Touches no file. NULL: out of memory.
 */
dame_profile_t *dame_profile_new(const char *where, const char *cpu, dame_profile_tell_t tell,
                                 void *argument);

/* Reads the file, for callers with a better time for that than the first question. */
void dame_profile_load(dame_profile_t *profile);

/* Accepts NULL. Unsaved measurements are lost. */
void dame_profile_free(dame_profile_t *profile);

/* The measurements: the file's and those added since. 0 without any. */
int dame_profile_find(dame_profile_t *profile, const dame_profile_key_t *key,
                      dame_profile_value_t *out);

/* Measurements of a code. */
typedef struct dame_profile_code {
    char candidate[DAME_PROFILE_NAME];
    dame_profile_value_t value;
} dame_profile_code_t;

/* The same of all codes of the key's kind, direction and size class, at most `room`, in one look:
 * its candidate does not count. Returns how many. */
int32_t dame_profile_find_all(dame_profile_t *profile, const dame_profile_key_t *key,
                              dame_profile_code_t *out, int32_t room);

/* Adds a measurement, or the mean of several. Ignored when it is out of range. When the profile is
 * full, the code that was measured least recently is forgotten. */
void dame_profile_add(dame_profile_t *profile, const dame_profile_key_t *key,
                      const dame_profile_value_t *value);

/* Calls `visit` for all that is known, in the order of the keys, without locks held; returns how
 * many there were, or -1 when memory is out. */
int32_t dame_profile_each(dame_profile_t *profile,
                          void (*visit)(void *argument, const dame_profile_key_t *key,
                                        const dame_profile_value_t *value),
                          void *argument);

/*
 * Merges the additions since the last time into the file. Nothing to do, and no file touched, when
 * nothing was. Waits up to two seconds for other processes. DAME_ERR_DENIED: the file could not be
 * written (tell says why).
 */
dame_status_t dame_profile_save(dame_profile_t *profile);

/* The file, "" without one. The profile's. */
const char *dame_profile_path(dame_profile_t *profile);

/* The name of this CPU as far as speed depends on it: maker, model, sizes of caches, and the
 * instruction set that programs use by now (dame/isa.h). */
void dame_profile_cpu(char *name, size_t room);

/* The kind of a program as far as the choice of code depends on it: of its level that moves most
 * bytes, whether steps are constant or listed, block size, distance, and whether it is nested. */
void dame_profile_kind(const dame_program_t *program, char kind[DAME_PROFILE_WORD]);

/* The size class of a message: powers of 4. */
int32_t dame_profile_class(int64_t packed_bytes);

#endif
