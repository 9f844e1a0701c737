/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The code cache: machine code in files, shared by the ranks of a job and by later jobs. Only code
 * that depends on a program's shape is kept (provider.h: by_shape), under all inputs of its
 * compilation: any process with the same key may run it.
 *
 * One directory is written; others, which an administrator fills, are only read. A file is refused
 * unless only its user or root may have written it, and ignored when it is damaged. Files are
 * bounded in bytes; those not used for longest go first.
 *
 * All functions but open and close may be called by any thread. They read and write files, so
 * nothing that a message waits for may call dame_cache_store() or dame_cache_claim(); a load takes
 * some microseconds. Callers defer cancellation (lock.h), or a cancelled thread loses memory and a
 * file descriptor.
 */
#ifndef DAME_CACHE_H
#define DAME_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "dame/program.h"
#include "dame/status.h"
#include "cache_listing.h"
#include "cache_types.h"
#include "provider.h"

typedef struct dame_cache dame_cache_t;

/*
 * `directories`: absolute paths separated by colons; the first is written and made when it is
 * missing. If the first is "", no directory is written. `limit`: bytes of all files of the first,
 * at least 1. Touches no file yet. DAME_ERR_ARGUMENT: no absolute path; DAME_ERR_NOMEM. The caller
 * closes it.
 */
dame_status_t dame_cache_open(const char *directories, int64_t limit, dame_cache_t **out);
void dame_cache_close(dame_cache_t *cache); /* accepts NULL */

/*
 * The key of code for a program's shape and a direction. `origin` names the rest: provider, its
 * version, variant, target CPU and features. DAME_ERR_NOMEM.
 */
dame_status_t dame_cache_key_make(const char *origin, const dame_program_t *program, dame_dir_t dir,
                                  dame_cache_key_t *out);
void dame_cache_key_free(dame_cache_key_t *key);

/* Finds the code of a key. Returns 0 if no usable code exists. `room` may be NULL. */
int dame_cache_load(dame_cache_t *cache, const dame_cache_key_t *key, const dame_cache_room_t *room,
                    dame_cache_code_t *out);
void dame_cache_code_free(dame_cache_code_t *code);

/*
 * Reads the names of all files, so that dame_cache_has() knows them. Files that come later stay
 * unknown to it, and those that go, known. Called once, before other threads use the cache.
 */
void dame_cache_look(dame_cache_t *cache);

/* Return whether there was a file of this key when dame_cache_look() was called, and one for this
 * shape and direction, of any origin. They call no system. */
int dame_cache_has(const dame_cache_t *cache, const dame_cache_key_t *key);
int dame_cache_has_shape(const dame_cache_t *cache, const dame_program_t *program, dame_dir_t dir);

/* Keeps code; returns 0 or an errno. */
int dame_cache_store(dame_cache_t *cache, const dame_cache_key_t *key,
                     const dame_machine_code_t *code);

/*
 * Asks to make the code of a key. 0: another process is making it, or it is there by now. A
 * process that ends gives its claims up. *claim is for dame_cache_release(), after the code was
 * stored. Where files cannot be locked, everybody may.
 */
typedef struct dame_cache_claim {
    int directory; /* -1: nothing was locked */
    int lock;
    char name[48];
} dame_cache_claim_t;

int dame_cache_claim(dame_cache_t *cache, const dame_cache_key_t *key, dame_cache_claim_t *claim);
void dame_cache_release(dame_cache_claim_t *claim);

typedef struct dame_cache_stats {
    int64_t hits;
    int64_t misses;
    int64_t stored;
    int64_t removed; /* to keep the limit */
    int64_t refused; /* files that were damaged or that another user may write */
} dame_cache_stats_t;

void dame_cache_stats(dame_cache_t *cache, dame_cache_stats_t *out);

/* A sentence about the first problem since the cache was opened, once: 0 if no problem is left to
 * report. Written into `text`, cut to `size` bytes. */
int dame_cache_problem(dame_cache_t *cache, char *text, size_t size);

#endif
