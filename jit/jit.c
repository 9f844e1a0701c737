/* Puts a tier's kernels into programs, takes them out again, and evicts them. */
#define _GNU_SOURCE
#include "jit.h"

#include <stdio.h>
#include <string.h>
#include <sys/queue.h>
#include <time.h>

#include "dame/heap.h"
#include "code_arena.h"
#include "gdb.h"
#include "lock.h"
#include "options.h"
#include "perf_map.h"
#include "tier.h"

enum { LONGEST_LABEL = 200 };

/* A kernel in the place of another. */
typedef struct swap {
    dame_prim_t *prim;
    dame_run_fn interpreted;
    dame_run_fn compiled;
} swap_t;

/* The machine code of a program for a direction. */
struct dame_code {
    TAILQ_ENTRY(dame_code) order;
    dame_program_t *program; /* NULL: left behind by a fork */
    dame_dir_t dir;
    dame_code_block_t *block;
    dame_gdb_object_t *gdb;
    int32_t nswaps;
    swap_t swaps[];
};

TAILQ_HEAD(codes, dame_code);

struct dame_jit {
    LIST_ENTRY(dame_jit) others;
    const dame_tier_t *tier;
    dame_jit_options_t options;
    dame_code_arena_t *arena;
    dame_perf_map_t *perf_map;
    dame_machine_code_t machine; /* what the tier writes into, kept for the next time */
    struct codes codes;          /* the oldest first */
    dame_jit_stats_t stats;
    int is_fork;
};

/* Under DAME_LOCK_COMPILER, as all that is in them. A program's code is found without it. */
static LIST_HEAD(, dame_jit) jits = LIST_HEAD_INITIALIZER(jits);

static void leave_code(void);

/* ---- making and destroying ---- */

dame_status_t dame_jit_create(const dame_jit_options_t *options, dame_jit_t **out)
{
    return dame_jit_create_for(&dame_tier_x, options, out);
}

static void free_jit(dame_jit_t *jit)
{
    if (jit->arena != NULL) {
        dame_code_arena_destroy(jit->arena);
    }
    dame_perf_map_destroy(jit->perf_map);
    dame_heap_free(jit->machine.entries);
    dame_heap_free(jit->machine.bytes);
    dame_heap_free(jit);
}

dame_status_t dame_jit_create_for(const dame_tier_t *tier, const dame_jit_options_t *options,
                                  dame_jit_t **out)
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
    jit->tier = tier;
    jit->options = *options;
    jit->options.perf_map = NULL; /* the caller's memory */
    jit->stats.vector_name = tier->vector_name(&jit->options);
    TAILQ_INIT(&jit->codes);
    dame_jit_memory_t best = options->memory;
    dame_status_t status = DAME_OK;
    if (options->perf_map != NULL) {
        best = best == DAME_JIT_MEMORY_DUAL ? DAME_JIT_MEMORY_OWN : best;
        status = dame_perf_map_create(options->perf_map, &jit->perf_map);
    }
    if (status == DAME_OK) {
        status = dame_code_arena_create(options->arena_bytes, best, &jit->arena);
    }
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

/* ---- kernels in place, and out of it ---- */

static void use_compiled(struct dame_code *code)
{
    for (int32_t i = 0; i < code->nswaps; i++) {
        dame_prim_set_run(code->swaps[i].prim, code->dir, code->swaps[i].compiled);
    }
}

static void use_interpreted(struct dame_code *code)
{
    for (int32_t i = 0; i < code->nswaps; i++) {
        dame_prim_set_run(code->swaps[i].prim, code->dir, code->swaps[i].interpreted);
    }
}

/* Frees code that is in no program's kernels any more and that nothing runs. */
static void drop(dame_jit_t *jit, struct dame_code *code)
{
    if (code->program != NULL) {
        code->program->code[code->dir] = NULL;
        jit->stats.live--;
        jit->stats.code_bytes -= (int64_t) code->block->size;
    }
    TAILQ_REMOVE(&jit->codes, code, order);
    dame_gdb_remove(code->gdb);
    dame_code_arena_free(jit->arena, code->block);
    dame_heap_free(code);
}

void dame_jit_destroy(dame_jit_t *jit)
{
    dame_lock(DAME_LOCK_COMPILER);
    LIST_REMOVE(jit, others);
    while (!TAILQ_EMPTY(&jit->codes)) {
        drop(jit, TAILQ_FIRST(&jit->codes));
    }
    dame_unlock(DAME_LOCK_COMPILER);
    free_jit(jit);
}

/* Frees the oldest code, `bytes` of it or all. Returns 0 when a thread may be running some of it:
 * then all stays as it is. */
static int evict(dame_jit_t *jit, size_t bytes)
{
    size_t room = 0;
    struct dame_code *end = TAILQ_FIRST(&jit->codes); /* the first that stays */
    while (end != NULL && room < bytes) {
        use_interpreted(end);
        room += end->block->room;
        end = TAILQ_NEXT(end, order);
    }
    if (!dame_readers_wait()) {
        for (struct dame_code *code = TAILQ_FIRST(&jit->codes); code != end;
             code = TAILQ_NEXT(code, order)) {
            use_compiled(code);
        }
        return 0;
    }
    while (TAILQ_FIRST(&jit->codes) != end) {
        drop(jit, TAILQ_FIRST(&jit->codes));
        jit->stats.evicted++;
    }
    return 1;
}

/* ---- compiling ---- */

/* Room for the machine code, for which older code goes when there is none. */
static dame_status_t put(dame_jit_t *jit, dame_code_block_t **block)
{
    const dame_machine_code_t *machine = &jit->machine;
    dame_status_t status = dame_code_arena_put(jit->arena, machine->bytes, machine->size, block);
    while (status == DAME_ERR_FULL && machine->size <= dame_code_arena_limit(jit->arena) &&
           !TAILQ_EMPTY(&jit->codes) && evict(jit, machine->size)) {
        status = dame_code_arena_put(jit->arena, machine->bytes, machine->size, block);
    }
    return status;
}

static void tell_names(dame_jit_t *jit, struct dame_code *code, const char *name)
{
    if (jit->perf_map == NULL && !jit->options.gdb) {
        return;
    }
    char label[LONGEST_LABEL];
    snprintf(label, sizeof(label), "dame_%s%s%s", code->dir == DAME_PACK ? "pack" : "unpack",
             name != NULL ? ":" : "", name != NULL ? name : "");
    if (jit->perf_map != NULL) {
        int error =
            dame_perf_map_add(jit->perf_map, code->block->execute, code->block->size, label);
        jit->stats.perf_map_errno = error != 0 ? error : jit->stats.perf_map_errno;
    }
    if (jit->options.gdb) {
        code->gdb = dame_gdb_add(code->block->execute, code->block->size, label);
    }
}

/* Puts what the tier has written in the place of the program's kernels. */
static dame_status_t install(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                             const char *name)
{
    const dame_machine_code_t *machine = &jit->machine;
    const size_t n = (size_t) machine->nentries;
    struct dame_code *code = dame_heap_alloc(sizeof(*code) + n * sizeof(code->swaps[0]));
    if (code == NULL) {
        return DAME_ERR_NOMEM;
    }
    dame_code_block_t *block = NULL;
    dame_status_t status = put(jit, &block);
    if (status != DAME_OK) {
        dame_heap_free(code);
        return status;
    }
    *code = (struct dame_code){
        .program = program, .dir = dir, .block = block, .nswaps = machine->nentries};
    for (size_t i = 0; i < n; i++) {
        dame_prim_t *prim = &program->prims[machine->entries[i].prim];
        code->swaps[i] = (swap_t){
            .prim = prim,
            .interpreted = dame_prim_run(prim, dir),
            .compiled = (dame_run_fn) (uintptr_t) (block->execute + machine->entries[i].offset)};
    }
    tell_names(jit, code, name);
    TAILQ_INSERT_TAIL(&jit->codes, code, order);
    program->code[dir] = code;
    jit->stats.live++;
    jit->stats.code_bytes += (int64_t) block->size;
    jit->stats.compiled[dir]++;
    use_compiled(code);
    return DAME_OK;
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static dame_status_t compile(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                             const char *name)
{
    int error = 0;
    if (jit->is_fork || dame_code_arena_memory(jit->arena, &error) == DAME_JIT_MEMORY_NONE) {
        return DAME_ERR_DENIED;
    }
    const int64_t start = now_ns();
    dame_status_t status = jit->tier->compile(program, dir, &jit->options, &jit->machine);
    if (status == DAME_OK) {
        status = install(jit, program, dir, name);
    }
    const int64_t elapsed = now_ns() - start;
    jit->stats.total_ns += elapsed;
    jit->stats.worst_ns = elapsed > jit->stats.worst_ns ? elapsed : jit->stats.worst_ns;
    return status;
}

dame_status_t dame_jit_compile(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                               const char *name)
{
    dame_lock(DAME_LOCK_COMPILER);
    dame_status_t status = program->code[dir] != NULL ? DAME_OK : compile(jit, program, dir, name);
    dame_unlock(DAME_LOCK_COMPILER);
    return status;
}

void dame_jit_release(dame_jit_t *jit, dame_program_t *program)
{
    dame_lock(DAME_LOCK_COMPILER);
    for (int dir = DAME_PACK; dir <= DAME_UNPACK; dir++) {
        if (program->code[dir] != NULL) {
            use_interpreted(program->code[dir]);
            drop(jit, program->code[dir]);
        }
    }
    dame_unlock(DAME_LOCK_COMPILER);
}

size_t dame_jit_code(const dame_program_t *program, dame_dir_t dir, const void **code)
{
    dame_lock(DAME_LOCK_COMPILER);
    const struct dame_code *found = program->code[dir];
    const size_t size = found != NULL ? found->block->size : 0;
    *code = found != NULL ? found->block->execute : NULL;
    dame_unlock(DAME_LOCK_COMPILER);
    return size;
}

void dame_jit_stats(dame_jit_t *jit, dame_jit_stats_t *out)
{
    dame_lock(DAME_LOCK_COMPILER);
    *out = jit->stats;
    out->memory = dame_code_arena_memory(jit->arena, &out->memory_errno);
    out->memory = jit->is_fork ? DAME_JIT_MEMORY_NONE : out->memory;
    out->arena_bytes = (int64_t) dame_code_arena_taken(jit->arena);
    dame_unlock(DAME_LOCK_COMPILER);
}

/* ---- fork() ---- */

/* In the child. The parent may put other code where the child's kernels are, so the child uses
 * none. */
static void leave_code(void)
{
    dame_jit_t *jit = NULL;
    LIST_FOREACH(jit, &jits, others)
    {
        struct dame_code *code = NULL;
        jit->is_fork = 1;
        jit->stats.live = 0;
        jit->stats.code_bytes = 0;
        TAILQ_FOREACH(code, &jit->codes, order)
        {
            if (code->program != NULL) {
                use_interpreted(code);
                code->program->code[code->dir] = NULL;
                code->program = NULL;
            }
        }
    }
}
