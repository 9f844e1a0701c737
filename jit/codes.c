/* SPDX-License-Identifier: BSD-3-Clause */
/* The codes that live: which of them each level runs, and which of them goes when memory is out. */
#define _GNU_SOURCE
#include <stdio.h>

#include "base/heap.h"
#include "base/lock.h"
#include "reader.h"
#include "state.h"

enum { LONGEST_LABEL = 200 };

dame_codes_t *dame_codes_of(const dame_program_t *program, dame_dir_t dir)
{
    return atomic_load_explicit(&program->codes[dir], memory_order_acquire);
}

static void point_to(dame_codes_t *codes, dame_codes_t *to)
{
    atomic_store_explicit(&codes->program->codes[codes->dir], to, memory_order_release);
}

dame_codes_t *dame_codes_make(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir)
{
    dame_codes_t *codes = dame_codes_of(program, dir);
    if (codes == NULL) {
        codes = dame_heap_zalloc(sizeof(*codes));
    }
    if (codes != NULL && codes->jit == NULL) {
        codes->jit = jit;
        codes->program = program;
        codes->dir = dir;
        LIST_INIT(&codes->list);
        LIST_INSERT_HEAD(&jit->programs, codes, others);
        point_to(codes, codes);
    }
    return codes;
}

void dame_codes_trim(dame_codes_t *codes)
{
    if (codes != NULL && codes->compilations == 0 && LIST_EMPTY(&codes->list)) {
        if (codes->program != NULL) {
            point_to(codes, NULL);
        }
        LIST_REMOVE(codes, others);
        dame_heap_free(codes);
    }
}

dame_code_t *dame_codes_find(const dame_codes_t *codes, const dame_candidate_t *candidate)
{
    dame_code_t *code = codes != NULL ? LIST_FIRST(&codes->list) : NULL;
    while (code != NULL && (code->rank < 0 || code->candidate.provider != candidate->provider ||
                            code->candidate.variant != candidate->variant)) {
        code = LIST_NEXT(code, beside);
    }
    return code;
}

/* ---- which code a level runs ---- */

/* The best code for a primitive, or NULL. */
static dame_code_t *best_for(const dame_codes_t *codes, int32_t prim)
{
    dame_code_t *code = LIST_FIRST(&codes->list);
    while (code != NULL && code->rank > 0 &&
           (code->is_leaving || code->entries[prim] == DAME_NO_ENTRY)) {
        code = LIST_NEXT(code, beside);
    }
    return code != NULL && code->rank > 0 ? code : NULL;
}

/* Gives each level the best kernel there is. */
static void set_kernels(const dame_codes_t *codes)
{
    dame_program_t *program = codes->program;
    dame_code_t *code = NULL;
    LIST_FOREACH(code, &codes->list, beside)
    {
        code->has_levels = 0;
    }
    for (int32_t i = 0; i < program->nprims; i++) {
        dame_prim_t *prim = &program->prims[i];
        if (prim->interpreted == NULL) { /* no level */
            continue;
        }
        code = best_for(codes, i);
        dame_run_fn run = prim->interpreted[codes->dir];
        if (code != NULL) {
            code->has_levels = 1;
            run = (dame_run_fn) (uintptr_t) (code->block->execute + code->entries[i]);
        }
        if (run != dame_prim_run(prim, codes->dir)) {
            dame_prim_set_run(prim, codes->dir, run);
        }
    }
}

static struct dame_code_queue *queue_of(const dame_code_t *code)
{
    return &code->codes->jit->queues[code->use];
}

/* The same, and queues the codes by what has become of them. */
static void settle_codes(const dame_codes_t *codes)
{
    dame_code_t *code = NULL;
    set_kernels(codes);
    LIST_FOREACH(code, &codes->list, beside)
    {
        const dame_code_use_t use = code->rank < 0     ? DAME_CODE_DROPPED
                                    : code->has_levels ? DAME_CODE_RUNS
                                                       : DAME_CODE_IDLE;
        if (use != code->use && !code->is_leaving) {
            TAILQ_REMOVE(queue_of(code), code, order);
            code->use = use;
            TAILQ_INSERT_TAIL(queue_of(code), code, order);
        }
    }
}

/* Puts a code where its rank belongs: before others of the same rank. */
static void insert_by_rank(dame_codes_t *codes, dame_code_t *code)
{
    dame_code_t *before = NULL;
    dame_code_t *at = LIST_FIRST(&codes->list);
    while (at != NULL && at->rank > code->rank) {
        before = at;
        at = LIST_NEXT(at, beside);
    }
    if (before == NULL) {
        LIST_INSERT_HEAD(&codes->list, code, beside);
    } else {
        LIST_INSERT_AFTER(before, code, beside);
    }
}

static void count_live(const dame_code_t *code, int64_t by)
{
    dame_jit_stats_t *stats = &code->codes->jit->stats;
    stats->live += by;
    stats->code_bytes += by * (int64_t) code->block->size;
}

void dame_code_rank(dame_code_t *code, int32_t rank)
{
    dame_codes_t *codes = code->codes;
    LIST_REMOVE(code, beside);
    count_live(code, rank < 0 ? -1 : 0);
    codes->jit->dropped += rank < 0 ? code->block->room : 0;
    code->rank = rank;
    insert_by_rank(codes, code);
    settle_codes(codes);
}

/* ---- freeing ---- */

/* Frees a code that is in no queue, that no level has a kernel of and nothing runs. */
static void free_code(dame_code_t *code)
{
    if (code->rank < 0) {
        code->codes->jit->dropped -= code->block->room;
    } else if (code->codes->program != NULL) {
        count_live(code, -1);
    }
    LIST_REMOVE(code, beside);
    dame_gdb_remove(code->gdb);
    dame_code_arena_free(code->codes->jit->arena, code->block);
    dame_heap_free(code);
}

void dame_codes_end(dame_codes_t *codes)
{
    dame_code_t *code = NULL;
    LIST_FOREACH(code, &codes->list, beside)
    {
        code->is_leaving = 1;
    }
    if (codes->program != NULL) {
        set_kernels(codes);
    }
    while ((code = LIST_FIRST(&codes->list)) != NULL) {
        TAILQ_REMOVE(queue_of(code), code, order);
        free_code(code);
    }
    codes->compilations = 0; /* no compiler is left */
    dame_codes_trim(codes);
}

void dame_codes_leave(dame_codes_t *codes)
{
    dame_code_t *code = NULL;
    if (codes->program == NULL) {
        return;
    }
    LIST_FOREACH(code, &codes->list, beside)
    {
        code->is_leaving = 1;
    }
    set_kernels(codes);
    point_to(codes, NULL);
    codes->program = NULL;
    codes->compilations = 0;
}

/* ---- eviction ---- */

static dame_code_t *next_to_go(dame_jit_t *jit, size_t room, size_t wanted)
{
    dame_code_t *code = TAILQ_FIRST(&jit->queues[DAME_CODE_DROPPED]);
    for (int use = DAME_CODE_IDLE; code == NULL && room < wanted && use < DAME_CODE_USES; use++) {
        code = TAILQ_FIRST(&jit->queues[use]);
    }
    return code;
}

/* Takes codes out of their queues and out of use: all that were dropped, and others until there are
 * `wanted` bytes. */
static void begin_to_leave(dame_jit_t *jit, size_t wanted, struct dame_code_queue *leaving)
{
    dame_code_t *code = NULL;
    size_t room = 0;
    while ((code = next_to_go(jit, room, wanted)) != NULL) {
        TAILQ_REMOVE(queue_of(code), code, order);
        TAILQ_INSERT_TAIL(leaving, code, order);
        code->is_leaving = 1;
        room += code->block->room;
    }
    TAILQ_FOREACH(code, leaving, order)
    {
        if (code->has_levels) {
            set_kernels(code->codes);
        }
    }
}

static void come_back(struct dame_code_queue *leaving)
{
    dame_code_t *code = NULL;
    while ((code = TAILQ_LAST(leaving, dame_code_queue)) != NULL) {
        TAILQ_REMOVE(leaving, code, order);
        TAILQ_INSERT_HEAD(queue_of(code), code, order);
        code->is_leaving = 0;
        set_kernels(code->codes);
    }
}

static void finish_leaving(dame_jit_t *jit, struct dame_code_queue *leaving)
{
    dame_code_t *code = NULL;
    while ((code = TAILQ_FIRST(leaving)) != NULL) {
        dame_codes_t *codes = code->codes;
        TAILQ_REMOVE(leaving, code, order);
        if (code->rank >= 0) {
            atomic_fetch_add_explicit(&jit->evictions, 1, memory_order_relaxed);
        }
        free_code(code);
        settle_codes(codes);
        dame_codes_trim(codes);
    }
}

/* Returns 0 when a thread may be running some of the code: then all stays as it is. */
static int evict(dame_jit_t *jit, size_t bytes)
{
    struct dame_code_queue leaving = TAILQ_HEAD_INITIALIZER(leaving);
    begin_to_leave(jit, bytes, &leaving);
    if (TAILQ_EMPTY(&leaving)) {
        return 0;
    }
    if (!dame_readers_wait()) {
        come_back(&leaving);
        return 0;
    }
    finish_leaving(jit, &leaving);
    return 1;
}

/* What a thread runs for long is waited for ever less often. */
static void collect_dropped(dame_jit_t *jit)
{
    if (jit->dropped >= jit->collect_at) {
        (void) evict(jit, 0);
        jit->collect_at = DAME_DROPPED_MOST + 2 * jit->dropped;
    }
}

/* ---- installing ---- */

/* Room for the machine code; evicts older code if the arena is full. */
static dame_status_t allocate(dame_jit_t *jit, const dame_machine_code_t *machine,
                              dame_code_block_t **block)
{
    collect_dropped(jit);
    dame_status_t status =
        dame_code_arena_put(jit->arena, machine->bytes, machine->size, machine->unwind, block);
    while (status == DAME_ERR_FULL && machine->size <= dame_code_arena_limit(jit->arena) &&
           evict(jit, machine->size)) {
        status =
            dame_code_arena_put(jit->arena, machine->bytes, machine->size, machine->unwind, block);
    }
    return status;
}

static void tell_names(dame_jit_t *jit, dame_code_t *code, const char *name)
{
    if (jit->perf_map == NULL && !jit->options.gdb) {
        return;
    }
    char label[LONGEST_LABEL];
    snprintf(label, sizeof(label), "dame_%s%s%s", code->codes->dir == DAME_PACK ? "pack" : "unpack",
             name != NULL ? ":" : "", name != NULL ? name : "");
    if (jit->perf_map != NULL) {
        int error = dame_perf_map_add(jit->perf_map, code->block->execute,
                                      dame_instructions(code->block->size, code->unwind), label);
        if (error == 0) {
            error = dame_perf_dump_add(jit->perf_dump, code->block->execute, code->block->size,
                                       code->unwind, label);
        }
        jit->stats.perf_map_errno = error != 0 ? error : jit->stats.perf_map_errno;
    }
    if (jit->options.gdb) {
        code->gdb = dame_gdb_add(code->block->execute, code->block->size, code->unwind, label);
    }
}

static dame_code_t *new_code(dame_codes_t *codes, const dame_candidate_t *candidate,
                             const dame_machine_code_t *machine)
{
    const size_t nprims = (size_t) codes->program->nprims;
    dame_code_t *code = dame_heap_alloc(sizeof(*code) + nprims * sizeof(code->entries[0]));
    if (code != NULL) {
        *code = (dame_code_t){.codes = codes,
                              .candidate = *candidate,
                              .use = DAME_CODE_IDLE,
                              .unwind = machine->unwind};
        for (size_t i = 0; i < nprims; i++) {
            code->entries[i] = DAME_NO_ENTRY;
        }
        for (int32_t i = 0; i < machine->nentries; i++) {
            code->entries[machine->entries[i].prim] = machine->entries[i].offset;
        }
    }
    return code;
}

dame_status_t dame_codes_put(dame_codes_t *codes, const dame_candidate_t *candidate,
                             const dame_machine_code_t *machine, const char *name)
{
    dame_jit_t *jit = codes->jit;
    dame_code_t *code = new_code(codes, candidate, machine);
    if (code == NULL) {
        return DAME_ERR_NOMEM;
    }
    dame_status_t status = allocate(jit, machine, &code->block);
    if (status != DAME_OK) {
        dame_heap_free(code);
        return status;
    }
    tell_names(jit, code, name);
    insert_by_rank(codes, code);
    TAILQ_INSERT_TAIL(queue_of(code), code, order);
    count_live(code, 1);
    jit->stats.compiled[codes->dir]++;
    return DAME_OK;
}
