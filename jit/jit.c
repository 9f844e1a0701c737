/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes codes of programs, ranks them and ends them. */
#include "jit.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "base/heap.h"
#include "dame/isa.h"
#include "base/lock.h"
#include "crash.h"
#include "options.h"
#include "state.h"
#include "unwind.h"
#include "x/x.h"

/* Under DAME_LOCK_COMPILER. A program's codes are found without it. */
static LIST_HEAD(, dame_jit) jits = LIST_HEAD_INITIALIZER(jits);

static void leave_code(void);

/* ---- making and destroying ---- */

static void free_jit(dame_jit_t *jit)
{
    dame_slots_close(jit);
    dame_crash_unwatch(jit->arena);
    if (jit->arena != NULL) {
        dame_code_arena_destroy(jit->arena);
    }
    dame_perf_map_destroy(jit->perf_map);
    dame_perf_dump_destroy(jit->perf_dump);
    dame_cache_close(jit->cache);
    dame_heap_free(jit);
}

static dame_status_t open_arena(dame_jit_t *jit, const dame_jit_options_t *options)
{
    dame_jit_memory_t best = options->memory;
    if (options->perf_map != NULL) {
        best = best == DAME_JIT_MEMORY_DUAL ? DAME_JIT_MEMORY_OWN : best;
        dame_status_t status = dame_perf_map_create(options->perf_map, &jit->perf_map);
        if (status == DAME_OK) {
            status = dame_perf_dump_create(options->perf_map, &jit->perf_dump);
        }
        if (status != DAME_OK) {
            return status;
        }
    }
    const dame_status_t status = dame_code_arena_create(options->arena_bytes, best, &jit->arena);
    if (status == DAME_OK && options->gdb) {
        dame_unwind_prepare();
        dame_code_arena_tell_unwinder(jit->arena);
    } else if (status == DAME_OK && options->crashes) {
        dame_crash_watch(jit->arena);
    }
    return status;
}

dame_status_t dame_jit_create_for(const dame_provider_t *provider,
                                  const dame_jit_options_t *options, dame_jit_t **out)
{
    options = options != NULL ? options : dame_jit_options_default();
    if (!dame_jit_options_valid(options)) {
        return DAME_ERR_ARGUMENT;
    }
    dame_jit_t *jit = dame_heap_zalloc(sizeof(*jit));
    if (jit == NULL || !dame_lock_at_fork(DAME_LOCK_COMPILER, leave_code) ||
        !dame_lock_innermost_at_fork(dame_heap_before_fork, dame_heap_after_fork)) {
        dame_heap_free(jit);
        return DAME_ERR_NOMEM;
    }
    jit->collect_at = DAME_DROPPED_MOST;
    for (int use = 0; use < DAME_CODE_USES; use++) {
        TAILQ_INIT(&jit->queues[use]);
    }
    char text[DAME_X_OPTIONS];
    jit->options = *options;
    jit->options.perf_map = NULL; /* the caller's memory */
    jit->options.variant = NULL;
    jit->cpu = options->cpu != NULL ? *options->cpu : dame_isa_cpu();
    jit->stats.vector_name = dame_x_vector_name(&jit->cpu, options->vector_bits);
    dame_status_t status = dame_slot_open(jit, provider, dame_jit_options_text(options, text));
    status = status == DAME_OK ? open_arena(jit, options) : status;
    if (status != DAME_OK) {
        free_jit(jit);
        return status;
    }
    (void) dame_readers_prepare(); /* without it nothing is evicted */
    dame_lock(DAME_LOCK_COMPILER);
    LIST_INSERT_HEAD(&jits, jit, others);
    dame_unlock(DAME_LOCK_COMPILER);
    *out = jit;
    return DAME_OK;
}

dame_status_t dame_jit_create(const dame_jit_options_t *options, dame_jit_t **out)
{
    return dame_jit_create_for(&dame_provider_x, options, out);
}

void dame_jit_destroy(dame_jit_t *jit)
{
    dame_lock(DAME_LOCK_COMPILER);
    LIST_REMOVE(jit, others);
    while (!LIST_EMPTY(&jit->programs)) {
        dame_codes_end(LIST_FIRST(&jit->programs));
    }
    dame_unlock(DAME_LOCK_COMPILER);
    free_jit(jit);
}

/* ---- compiling ---- */

static int64_t jit_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* With the provider reserved; the lock is given back while it compiles or reads a file. *start and
 * *end: when. */
static dame_status_t find_reserved(dame_jit_t *jit, int32_t provider, const dame_request_t *request,
                                   dame_found_t *found, int64_t *start, int64_t *end)
{
    dame_slot_t slot = jit->slots[provider];
    dame_unlock(DAME_LOCK_COMPILER);
    *start = jit_now_ns();
    const dame_status_t status = dame_find_code(jit, &slot, request, found);
    *end = jit_now_ns();
    dame_lock(DAME_LOCK_COMPILER);
    dame_slot_put(&jit->slots[provider], &slot);
    return status;
}

/* The same, for a program's codes. */
static dame_status_t compile_program(dame_codes_t *codes, const dame_candidate_t *candidate,
                                     const char *name)
{
    dame_jit_t *jit = codes->jit;
    const dame_request_t request = {codes->program, codes->dir, candidate->variant};
    dame_found_t found;
    int64_t start, end;
    dame_status_t status = find_reserved(jit, candidate->provider, &request, &found, &start, &end);
    *(found.is_of_file ? &jit->stats.find_ns : &jit->stats.make_ns) += end - start;
    if (jit->is_fork) { /* a provider that forks: nothing of the program is there any more */
        status = DAME_ERR_DENIED;
    }
    if (status == DAME_OK) {
        status = dame_codes_put(codes, candidate, &found.code, name);
        jit->stats.found[request.dir] += status == DAME_OK && found.is_of_file;
    }
    dame_found_free(&found);
    jit->stats.place_ns += jit_now_ns() - end;
    return status;
}

/* Locked. `codes` counts this compilation, so it stays, and so does the program. */
static dame_status_t reserve_and_compile(dame_codes_t *codes, const dame_candidate_t *candidate,
                                         const char *name, int64_t *cost_ns)
{
    dame_jit_t *jit = codes->jit;
    dame_status_t status = dame_slot_reserve(jit, candidate->provider);
    if (status != DAME_OK) {
        return status;
    }
    if (dame_codes_find(codes, candidate) == NULL) { /* another thread may have been faster */
        const int64_t start = jit_now_ns();
        status = compile_program(codes, candidate, name);
        *cost_ns = jit_now_ns() - start;
        jit->stats.total_ns += *cost_ns;
        jit->stats.worst_ns = *cost_ns > jit->stats.worst_ns ? *cost_ns : jit->stats.worst_ns;
    }
    dame_slot_release(jit, candidate->provider);
    return status;
}

/* Locked, the program's codes count it: gives it code. */
typedef dame_status_t make_fn(dame_codes_t *codes, const dame_candidate_t *candidate,
                              const char *name, void *argument);

static dame_status_t make_locked(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                                 const dame_candidate_t *candidate, const char *name, make_fn *make,
                                 void *argument)
{
    if (jit->is_fork) {
        return DAME_ERR_DENIED;
    }
    dame_codes_t *codes = dame_codes_make(jit, program, dir);
    if (codes == NULL) {
        return DAME_ERR_NOMEM;
    }
    dame_status_t status = DAME_OK;
    if (dame_codes_find(codes, candidate) == NULL) {
        codes->compilations++;
        status = make(codes, candidate, name, argument);
        codes->compilations -= jit->is_fork ? 0 : 1;
        dame_wake(DAME_LOCK_COMPILER);
    }
    dame_codes_trim(codes);
    return status;
}

static dame_status_t make(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                          const dame_candidate_t *candidate, const char *name, make_fn *how,
                          void *argument)
{
    const int cancel_state = dame_cancel_defer();
    dame_lock(DAME_LOCK_COMPILER);
    const dame_status_t status = make_locked(jit, program, dir, candidate, name, how, argument);
    dame_unlock(DAME_LOCK_COMPILER);
    dame_cancel_restore(cancel_state);
    return status;
}

static dame_status_t by_compiling(dame_codes_t *codes, const dame_candidate_t *candidate,
                                  const char *name, void *cost_ns)
{
    return reserve_and_compile(codes, candidate, name, cost_ns);
}

dame_status_t dame_jit_add(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                           const dame_candidate_t *candidate, const char *name, int64_t *cost_ns)
{
    int64_t taken = 0;
    const dame_status_t status = make(jit, program, dir, candidate, name, by_compiling, &taken);
    if (cost_ns != NULL) {
        *cost_ns = taken;
    }
    return status;
}

/* ---- for others ---- */

/* With the provider reserved, whose memory the code is in until it is released. */
static dame_status_t copy_code(dame_jit_t *jit, int32_t provider, const dame_request_t *request,
                               char **bytes, size_t *size, uint32_t *entry)
{
    dame_found_t found;
    int64_t start, end;
    dame_status_t status = find_reserved(jit, provider, request, &found, &start, &end);
    char *copy = status == DAME_OK ? dame_heap_alloc(found.code.size) : NULL;
    if (copy != NULL) {
        memcpy(copy, found.code.bytes, found.code.size);
        *bytes = copy;
        *size = found.code.size;
        *entry = found.code.entries[0].offset;
    } else if (status == DAME_OK) {
        status = DAME_ERR_NOMEM;
    }
    dame_found_free(&found);
    return status;
}

dame_status_t dame_jit_copy(dame_jit_t *jit, const dame_program_t *program, dame_dir_t dir,
                            const dame_candidate_t *candidate, char **bytes, size_t *size,
                            uint32_t *entry)
{
    const dame_request_t request = {program, dir, candidate->variant};
    const int cancel_state = dame_cancel_defer();
    dame_lock(DAME_LOCK_COMPILER);
    dame_status_t status = dame_slot_reserve(jit, candidate->provider);
    if (status == DAME_OK) {
        status = copy_code(jit, candidate->provider, &request, bytes, size, entry);
        dame_slot_release(jit, candidate->provider);
    }
    dame_unlock(DAME_LOCK_COMPILER);
    dame_cancel_restore(cancel_state);
    return status;
}

/* ---- without compiling ---- */

static dame_status_t by_putting(dame_codes_t *codes, const dame_candidate_t *candidate,
                                const char *name, void *argument)
{
    const dame_found_t *found = argument;
    const dame_status_t status = dame_codes_put(codes, candidate, &found->code, name);
    codes->jit->stats.found[codes->dir] += status == DAME_OK && found->is_of_file;
    return status;
}

dame_status_t dame_jit_put(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                           const dame_candidate_t *candidate, const dame_found_t *found,
                           const char *name)
{
    return make(jit, program, dir, candidate, name, by_putting, (void *) (uintptr_t) found);
}

/* A copy of the slot as it is now. */
static dame_slot_t slot_of(dame_jit_t *jit, int32_t provider)
{
    dame_lock(DAME_LOCK_COMPILER);
    const int is_one = provider >= 0 && provider < jit->nslots;
    const dame_slot_t slot = is_one ? jit->slots[provider] : (dame_slot_t){.path = NULL};
    dame_unlock(DAME_LOCK_COMPILER);
    return slot;
}

int dame_jit_has(dame_jit_t *jit, const dame_program_t *program, dame_dir_t dir,
                 const dame_candidate_t *candidate)
{
    const dame_slot_t slot = slot_of(jit, candidate->provider);
    const dame_request_t request = {program, dir, candidate->variant};
    return dame_has_file(jit, &slot, &request);
}

/* Room for a file, for one thread at a time. Most files fit: new memory from the system would cost
 * more than opening one, and the stack of a thread may be small. */
static _Alignas(max_align_t) char few[4096];
static atomic_flag few_taken = ATOMIC_FLAG_INIT;

dame_status_t dame_jit_find(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                            const dame_candidate_t *candidate, const char *name, int64_t *cost_ns)
{
    const int64_t start = jit_now_ns();
    const int cancel_state = dame_cancel_defer();
    const dame_slot_t slot = slot_of(jit, candidate->provider);
    const dame_request_t request = {program, dir, candidate->variant};
    const dame_cache_room_t room = {few, sizeof(few)};
    const int ours = !atomic_flag_test_and_set(&few_taken);
    dame_found_t found;
    dame_status_t status = dame_find_file(jit, &slot, &request, ours ? &room : NULL, &found);
    if (status == DAME_OK) {
        status = dame_jit_put(jit, program, dir, candidate, &found, name);
    }
    dame_found_free(&found);
    if (ours) {
        atomic_flag_clear(&few_taken);
    }
    dame_cancel_restore(cancel_state);
    *cost_ns = jit_now_ns() - start;
    return status;
}

/* ---- ranks ---- */

static dame_code_t *find_program(const dame_program_t *program, dame_dir_t dir,
                                 const dame_candidate_t *candidate)
{
    return dame_codes_find(dame_codes_of(program, dir), candidate);
}

/* The code of the highest rank, NULL if no code is ranked. */
static const dame_code_t *ranked_first(const dame_program_t *program, dame_dir_t dir)
{
    const dame_codes_t *codes = dame_codes_of(program, dir);
    const dame_code_t *first = codes != NULL ? LIST_FIRST(&codes->list) : NULL;
    return first != NULL && first->rank > 0 ? first : NULL;
}

int dame_jit_rank(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                  const dame_candidate_t *candidate, int32_t rank)
{
    (void) jit;
    dame_lock(DAME_LOCK_COMPILER);
    dame_code_t *code = find_program(program, dir, candidate);
    if (code != NULL) {
        dame_code_rank(code, rank > 0 ? rank : 0);
    }
    dame_unlock(DAME_LOCK_COMPILER);
    return code != NULL;
}

int32_t dame_jit_rank_of(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                         const dame_candidate_t *candidate)
{
    (void) jit;
    dame_lock(DAME_LOCK_COMPILER);
    const dame_code_t *code = find_program(program, dir, candidate);
    const int32_t rank = code != NULL ? code->rank : -1;
    dame_unlock(DAME_LOCK_COMPILER);
    return rank;
}

void dame_jit_drop(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                   const dame_candidate_t *candidate)
{
    (void) jit;
    dame_lock(DAME_LOCK_COMPILER);
    dame_code_t *code = find_program(program, dir, candidate);
    if (code != NULL) {
        dame_code_rank(code, -1);
    }
    dame_unlock(DAME_LOCK_COMPILER);
}

int64_t dame_jit_evictions(const dame_jit_t *jit)
{
    return atomic_load_explicit(&jit->evictions, memory_order_relaxed);
}

dame_status_t dame_jit_compile(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                               const char *name)
{
    dame_candidate_t first;
    dame_lock(DAME_LOCK_COMPILER);
    const int is_done = ranked_first(program, dir) != NULL;
    const int is_fork = jit->is_fork;
    dame_unlock(DAME_LOCK_COMPILER);
    if (is_done || is_fork) {
        return is_fork ? DAME_ERR_DENIED : DAME_OK;
    }
    if (dame_jit_candidates(jit, program, dir, &first, 1) == 0) {
        return DAME_ERR_UNSUPPORTED;
    }
    dame_status_t status = dame_jit_add(jit, program, dir, &first, name, NULL);
    if (status == DAME_OK && !dame_jit_rank(jit, program, dir, &first, 1)) {
        status = DAME_ERR_FULL; /* another thread's code has evicted it */
    }
    return status;
}

/* ---- ending ---- */

static int has_compilations(const dame_program_t *program)
{
    const dame_codes_t *pack = dame_codes_of(program, DAME_PACK);
    const dame_codes_t *unpack = dame_codes_of(program, DAME_UNPACK);
    return (pack != NULL && pack->compilations > 0) || (unpack != NULL && unpack->compilations > 0);
}

void dame_jit_release(dame_jit_t *jit, dame_program_t *program)
{
    if (dame_codes_of(program, DAME_PACK) == NULL && dame_codes_of(program, DAME_UNPACK) == NULL) {
        return;
    }
    dame_lock(DAME_LOCK_COMPILER);
    while (has_compilations(program) && dame_jit_wait(jit)) {
        continue;
    }
    for (int dir = DAME_PACK; dir <= DAME_UNPACK; dir++) {
        dame_codes_t *codes = dame_codes_of(program, (dame_dir_t) dir);
        if (codes != NULL) {
            dame_codes_end(codes);
        }
    }
    dame_unlock(DAME_LOCK_COMPILER);
}

/* ---- what there is ---- */

size_t dame_jit_code(const dame_program_t *program, dame_dir_t dir, const void **code)
{
    size_t size = 0;
    *code = NULL;
    dame_lock(DAME_LOCK_COMPILER);
    const dame_code_t *first = ranked_first(program, dir);
    if (first != NULL) {
        size = dame_instructions(first->block->size, first->unwind);
        *code = first->block->execute;
    }
    dame_unlock(DAME_LOCK_COMPILER);
    return size;
}

void dame_jit_stats(dame_jit_t *jit, dame_jit_stats_t *out)
{
    dame_lock(DAME_LOCK_COMPILER);
    *out = jit->stats;
    out->evicted = dame_jit_evictions(jit);
    out->memory = dame_code_arena_memory(jit->arena, &out->memory_errno);
    out->memory = jit->is_fork ? DAME_JIT_MEMORY_NONE : out->memory;
    out->arena_bytes = (int64_t) dame_code_arena_taken(jit->arena);
    dame_unlock(DAME_LOCK_COMPILER);
}

/* ---- fork() ---- */

/* In the child. The parent may put other code where the child's kernels are, so the child uses
 * none. A provider that another thread was in will not be used any more. */
static void leave_code(void)
{
    dame_jit_t *jit = NULL;
    LIST_FOREACH(jit, &jits, others)
    {
        dame_codes_t *codes = NULL;
        jit->is_fork = 1;
        jit->stats.live = 0;
        jit->stats.code_bytes = 0;
        LIST_FOREACH(codes, &jit->programs, others)
        {
            dame_codes_leave(codes);
        }
        for (int32_t i = 0; i < jit->nslots; i++) {
            jit->slots[i].is_abandoned |= jit->slots[i].is_busy;
            jit->slots[i].is_busy = 0;
        }
    }
}
