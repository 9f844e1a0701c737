/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of a dame_jit_t share: jit.c makes it, find_code.c finds or compiles code,
 * providers.c opens providers, codes.c has the codes that live. Private to jit/ and the tests.
 *
 * DAME_LOCK_COMPILER protects all of it. "Locked": the caller holds that lock.
 */
#ifndef DAME_STATE_H
#define DAME_STATE_H

#include <stdatomic.h>
#include <sys/queue.h>

#include "cache.h"
#include "code_arena.h"
#include "gdb.h"
#include "jit_types.h"
#include "perf_dump.h"
#include "perf_map.h"
#include "provider.h"

/* A code. It is in one queue of its jit, from which it is evicted. */
typedef enum dame_code_use {
    DAME_CODE_DROPPED, /* a reader may still run it */
    DAME_CODE_IDLE,    /* no level runs it */
    DAME_CODE_RUNS,
    DAME_CODE_USES
} dame_code_use_t;

typedef struct dame_codes dame_codes_t;

typedef struct dame_code {
    TAILQ_ENTRY(dame_code) order; /* in a queue */
    LIST_ENTRY(dame_code) beside; /* in codes->list */
    dame_codes_t *codes;
    dame_candidate_t candidate;
    int32_t rank; /* -1: dropped */
    dame_code_use_t use;
    int is_leaving; /* being evicted */
    int has_levels; /* some level runs it */
    dame_code_block_t *block;
    dame_gdb_object_t *gdb;
    uint32_t unwind;    /* dame_machine_code_t */
    uint32_t entries[]; /* by primitive: where its kernel is in the code, or DAME_NO_ENTRY */
} dame_code_t;

#define DAME_NO_ENTRY UINT32_MAX

TAILQ_HEAD(dame_code_queue, dame_code);

/* What program->codes[dir] points to while a program has codes or is being compiled. */
struct dame_codes {
    LIST_ENTRY(dame_codes) others;
    dame_jit_t *jit;
    dame_program_t *program; /* NULL: left behind by a fork */
    dame_dir_t dir;
    int compilations;            /* that are under way */
    LIST_HEAD(, dame_code) list; /* the highest rank first, dropped codes last */
};

typedef struct dame_slot {
    const dame_provider_t *provider; /* NULL: not loaded */
    void *state;
    const dame_provider_t *face; /* NULL if absent */
    void *face_state;
    char *path;    /* NULL: linked in */
    char *options; /* behind the path, in one allocation */
    int has_failed;
    int is_busy;      /* a thread is loading it or compiling with it */
    int is_abandoned; /* .. was when this process was forked: the state may be inconsistent */
} dame_slot_t;

struct dame_jit {
    LIST_ENTRY(dame_jit) others;
    dame_jit_options_t options;
    dame_cpu_t cpu;
    dame_code_arena_t *arena;
    dame_perf_map_t *perf_map;
    dame_perf_dump_t *perf_dump;
    dame_cache_t *cache; /* NULL if absent */
    dame_slot_t slots[DAME_JIT_MOST_PROVIDERS];
    int32_t nslots;
    struct dame_code_queue queues[DAME_CODE_USES]; /* the oldest first */
    LIST_HEAD(, dame_codes) programs;
    size_t dropped;         /* bytes that dropped codes take */
    size_t collect_at;      /* when that is reached, they are freed */
    dame_jit_stats_t stats; /* evicted is in evictions */
    _Atomic int64_t evictions;
    int is_fork;
};

/* dame_jit_create() with a provider in the place of DAME-X. */
dame_status_t dame_jit_create_for(const dame_provider_t *provider,
                                  const dame_jit_options_t *options, dame_jit_t **out);

/* ---- providers.c ---- */

/* dame_jit_offer_l() with another face. */
dame_status_t dame_jit_offer_with(dame_jit_t *jit, const dame_provider_t *face, const char *path,
                                  const char *options, int32_t *provider);

/* Opens a provider that is linked in, as number 0. */
dame_status_t dame_slot_open(dame_jit_t *jit, const dame_provider_t *provider, const char *options);

/*
 * Locked, given back meanwhile, with cancellation off: reserves a provider for this thread, loads
 * it if need be, unless it has a face. The caller then has it alone, without the lock if it likes,
 * until dame_slot_release(). DAME_ERR_UNSUPPORTED; DAME_ERR_DENIED in a fork.
 */
dame_status_t dame_slot_reserve(dame_jit_t *jit, int32_t number);
void dame_slot_release(dame_jit_t *jit, int32_t number);

/* Loads the provider of a slot that is this thread's, or its copy, once; no lock is held. */
dame_status_t dame_slot_load(const dame_jit_t *jit, dame_slot_t *slot);

/* Locked: the copy of a slot that is this thread's may have been loaded. */
void dame_slot_put(dame_slot_t *slot, const dame_slot_t *copy);

/* What answers questions about a slot, and its state: the provider or else its face; NULL: neither.
 */
const dame_provider_t *dame_slot_face(const dame_slot_t *slot, void **state);

/* Locked, given back meanwhile: waits for something to change in another thread. Returns 0 in the
 * child of a fork without handlers, where this thread is the only one. */
int dame_jit_wait(const dame_jit_t *jit);

/* No thread is compiling any more. */
void dame_slots_close(dame_jit_t *jit);

/* Tells `complain` or stderr. No lock is held. */
void dame_jit_complain(const dame_jit_t *jit, const char *message);

/* ---- find_code.c ---- */

typedef struct dame_request {
    const dame_program_t *program;
    dame_dir_t dir;
    uint32_t variant;
} dame_request_t;

/* The provider's memory, or that of a file. */
typedef struct dame_found {
    dame_machine_code_t code;
    dame_cache_code_t kept; /* its memory is NULL: the provider's or a room */
    int is_of_file;         /* not compiled now */
} dame_found_t;

/*
 * Machine code with at least one entry, from the code cache or compiled and then kept there. The
 * slot, or a copy of it, is this thread's, and its provider is loaded if need be; cancellation is
 * off, no lock held. Errors as dame_jit_add(). The caller gives
 * *out to dame_found_free(), whatever this returned.
 */
dame_status_t dame_find_code(const dame_jit_t *jit, dame_slot_t *slot,
                             const dame_request_t *request, dame_found_t *out);
void dame_found_free(dame_found_t *found);

/* The same from the code cache only; DAME_ERR_BUSY: it is not there.
 */
dame_status_t dame_find_file(const dame_jit_t *jit, const dame_slot_t *slot,
                             const dame_request_t *request, const dame_cache_room_t *room,
                             dame_found_t *out);
int dame_has_file(const dame_jit_t *jit, const dame_slot_t *slot, const dame_request_t *request);

/* ---- jit.c ---- */

/* Installs code that another thread found, as dame_jit_add() installs its own. */
dame_status_t dame_jit_put(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                           const dame_candidate_t *candidate, const dame_found_t *found,
                           const char *name);

/* ---- codes.c, all locked ---- */

/* The codes of a program and direction. NULL: no code exists and no compilation is under way.
 * Without the lock it only tells whether it is NULL: then jit/ does not touch the program any
 * more. */
dame_codes_t *dame_codes_of(const dame_program_t *program, dame_dir_t dir);

/* The same, made if absent; NULL when memory is out. */
dame_codes_t *dame_codes_make(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir);

/* Frees it if no code and no compilation is left; accepts NULL. */
void dame_codes_trim(dame_codes_t *codes);

/* The code of a candidate that lives, or NULL. */
dame_code_t *dame_codes_find(const dame_codes_t *codes, const dame_candidate_t *candidate);

/* Installs machine code as a code of rank 0, and evicts others when the arena is full. */
dame_status_t dame_codes_put(dame_codes_t *codes, const dame_candidate_t *candidate,
                             const dame_machine_code_t *machine, const char *name);

/* A rank of -1 drops the code; DAME_DROPPED_MOST bytes of those are freed before the next is put.
 */
enum { DAME_DROPPED_MOST = 64 << 10 };
void dame_code_rank(dame_code_t *code, int32_t rank);

/* Ends all of them, and `codes` with them. No thread may be running them. */
void dame_codes_end(dame_codes_t *codes);

/* In the child of a fork: the program's kernels are the interpreter's from now on. */
void dame_codes_leave(dame_codes_t *codes);

#endif
