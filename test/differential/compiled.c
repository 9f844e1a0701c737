/* SPDX-License-Identifier: BSD-3-Clause */
#include "compiled.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "dame/isa.h"
#include "jit/jit.h"
#include "jit/state.h"
#include "llvm.h"
#include "message.h"

compiled_counts_t compiled_counts;

const char *compiled_vectors(void)
{
    static const char *vectors;
    dame_jit_t *jit;
    if (vectors == NULL && dame_jit_create(NULL, &jit) == DAME_OK) {
        dame_jit_stats_t stats;
        dame_jit_stats(jit, &stats);
        vectors = stats.vector_name;
        dame_jit_destroy(jit);
    }
    return vectors ? vectors : "";
}

#define ONE_OF(rng, list) (list)[rng_range(rng, 0, (int64_t) (sizeof(list) / sizeof(list)[0]) - 1)]

dame_jit_options_t compiled_random_options(rng_t *rng)
{
    static const int32_t widths[] = {0, 128, 256, 512};
    static const int64_t unroll[] = {0, 1, 16, 64, 200, 1024, 8192};
    static const int64_t straight[] = {0, 1, 64, 256, 1024, 16384};
    static const int64_t longest[] = {64, 65, 100, 256, 1024, 4096};
    static const int64_t ahead[] = {-1, 0, 0, 1, 2, 8, 32, 1000};
    static const int64_t entries[] = {0, 1, 2, 8, 32, 1000};
    static const size_t arena[] = {1 << 12, 1 << 16, 1 << 20};
    dame_jit_options_t options = *dame_jit_options_default();
    options.vector_bits = ONE_OF(rng, widths);
    options.arena_bytes = ONE_OF(rng, arena);
    options.memory = rng_chance(rng, 10) ? DAME_JIT_MEMORY_OWN : DAME_JIT_MEMORY_DUAL;
    if (rng_chance(rng, 25)) { /* what users have */
        return options;
    }
    options.unroll_bytes = ONE_OF(rng, unroll);
    options.straight_bytes = ONE_OF(rng, straight);
    options.memcpy_bytes = ONE_OF(rng, longest);
    options.prefetch_distance = ONE_OF(rng, ahead);
    options.list_entries = ONE_OF(rng, entries);
    return options;
}

dame_jit_options_t compiled_small_options(rng_t *rng)
{
    static const size_t arena[] = {1 << 12, 1 << 13, 1 << 14, 1 << 16};
    dame_jit_options_t options = *dame_jit_options_default();
    options.arena_bytes = ONE_OF(rng, arena);
    options.memory = rng_chance(rng, 10) ? DAME_JIT_MEMORY_OWN : DAME_JIT_MEMORY_DUAL;
    return options;
}

/* The kernel of a primitive that was there before anything was compiled. */
static dame_run_fn *kept(const compiled_t *c, int32_t prim, dame_dir_t dir)
{
    return &c->before[2 * prim + (int32_t) dir];
}

/* How many kernels are others than before; *levels: how many there are. */
static int64_t changed(const compiled_t *c, dame_dir_t dir, int64_t *levels)
{
    int64_t n = 0;
    *levels = 0;
    for (int32_t i = 0; i < c->program->nprims; i++) {
        dame_run_fn now = dame_prim_run(&c->program->prims[i], dir);
        n += now != *kept(c, i, dir);
        *levels += now != NULL;
    }
    return n;
}

/* Without machine code for `dir` the kernels are the interpreter's, with it at least one is not. */
static bool check_kernels(check_t *check, const compiled_t *c, dame_dir_t dir, bool wanted,
                          const char *when)
{
    const void *code = NULL;
    int64_t levels;
    size_t bytes = dame_jit_code(c->program, dir, &code);
    int64_t kernels = changed(c, dir, &levels);
    const char *way = dir == DAME_PACK ? "pack" : "unpack";
    if (wanted != (bytes > 0) || wanted != (code != NULL) || wanted != (kernels > 0)) {
        return check_fail(check,
                          "%s, %s: %zu bytes of machine code, %" PRId64
                          " kernels of it, where there should be %s",
                          when, way, bytes, kernels, wanted ? "some" : "none");
    }
    if (wanted && kernels > levels) {
        return check_fail(check, "%s, %s: %" PRId64 " kernels for %" PRId64 " levels", when, way,
                          kernels, levels);
    }
    return true;
}

static void count(const compiled_t *c, dame_dir_t dir, dame_status_t status)
{
    const void *code;
    int64_t levels;
    int64_t kernels = changed(c, dir, &levels);
    if (c->program->size == 0) {
        return;
    }
    compiled_counts.tried++;
    compiled_counts.compiled += status == DAME_OK;
    compiled_counts.unsupported += status == DAME_ERR_UNSUPPORTED || status == DAME_ERR_LIMIT;
    compiled_counts.full += status == DAME_ERR_FULL;
    compiled_counts.levels += levels;
    compiled_counts.kernels += kernels;
    compiled_counts.bytes += (int64_t) dame_jit_code(c->program, dir, &code);
}

/* Was it compiled, or not for one of the accepted reasons: no kernel would become better, the arena
 * is full, or DAME-L's code is larger than it takes? */
static bool is_fine(dame_status_t status)
{
    return status == DAME_OK || status == DAME_ERR_UNSUPPORTED || status == DAME_ERR_FULL ||
           status == DAME_ERR_LIMIT;
}

static bool compile(check_t *check, compiled_t *c, dame_dir_t dir)
{
    const void *code, *again;
    dame_status_t status = dame_jit_compile(c->jit, c->program, dir, "differential");
    if (!is_fine(status)) {
        return check_fail(check, "compiling: %s", dame_status_text(status));
    }
    bool ok = check_kernels(check, c, dir, status == DAME_OK, "compiled");
    count(c, dir, status);
    if (ok && status == DAME_OK && rng_chance(&check->rng, 10)) {
        dame_jit_code(c->program, dir, &code);
        status = dame_jit_compile(c->jit, c->program, dir, NULL);
        dame_jit_code(c->program, dir, &again);
        ok = (status == DAME_OK && code == again) ||
             check_fail(check, "compiling again: %s, %s code", dame_status_text(status),
                        code == again ? "the same" : "other");
    }
    return ok;
}

/* Others than DAME-X: the tests', and for some tiers DAME-L, as if it were linked in. */
static bool offer_others(check_t *check, dame_jit_t *jit)
{
    int32_t number;
    if (dame_jit_offer(jit, TEST_PROVIDER, "", &number) != DAME_OK ||
        dame_jit_load(jit, number) != DAME_OK) {
        return check_fail(check, "the tests' provider cannot be loaded");
    }
    if (check->tier->by_llvm) {
        dame_slot_t slot = {.provider =
                                llvm_provider(check->tier->llvm_options, check->tier->llvm_choice)};
        if (slot.provider->open(&jit->cpu, "", &slot.state) ==
            DAME_OK) { /* it may be another's CPU */
            jit->slots[jit->nslots++] = slot;
        }
    }
    return true;
}

bool compiled_init(check_t *check, compiled_t *c, dame_program_t *program)
{
    *c = (compiled_t){.program = program};
    c->before = malloc(2 * (size_t) program->nprims * sizeof *c->before);
    dame_cpu_t cpu = dame_isa_cpu();
    dame_jit_options_t options = check->tier->jit;
    cpu.make = check->tier->make;
    options.cpu = &cpu;
    const dame_provider_t *provider = &dame_provider_x;
    if (check->tier->by_llvm && !check->tier->changes) {
        provider = llvm_provider(check->tier->llvm_options, check->tier->llvm_choice);
    }
    dame_status_t status = dame_jit_create_for(provider, &options, &c->jit);
    if (status != DAME_OK || c->before == NULL) {
        c->jit = status == DAME_OK ? c->jit : NULL;
        return check_fail(check, "dame_jit_create: %s", dame_status_text(status));
    }
    if (check->tier->changes && !offer_others(check, c->jit)) {
        return false;
    }
    for (int32_t i = 0; i < program->nprims; i++) {
        *kept(c, i, DAME_PACK) = dame_prim_run(&program->prims[i], DAME_PACK);
        *kept(c, i, DAME_UNPACK) = dame_prim_run(&program->prims[i], DAME_UNPACK);
    }
    dame_dir_t first = rng_chance(&check->rng, 50) ? DAME_PACK : DAME_UNPACK;
    return compile(check, c, first) &&
           compile(check, c, first == DAME_PACK ? DAME_UNPACK : DAME_PACK);
}

/* ---- several codes ---- */

static const char *add(const compiled_t *c, dame_dir_t dir, const dame_candidate_t *candidate,
                       int32_t rank)
{
    const dame_status_t status =
        dame_jit_add(c->jit, c->program, dir, candidate, "differential", NULL);
    if (!is_fine(status)) {
        return dame_status_text(status);
    }
    if (status == DAME_OK) {
        dame_jit_rank(c->jit, c->program, dir, candidate, rank); /* unless it is evicted already */
        atomic_fetch_add(&compiled_counts.changes[candidate->provider], 1);
    }
    return NULL;
}

const char *compiled_change(const compiled_t *c, rng_t *rng)
{
    enum { MOST = 16 };
    dame_candidate_t candidates[MOST];
    const dame_dir_t dir = rng_chance(rng, 50) ? DAME_PACK : DAME_UNPACK;
    const int32_t n = dame_jit_candidates(c->jit, c->program, dir, candidates, MOST);
    if (n == 0) {
        return "no candidates";
    }
    const dame_candidate_t *candidate = &candidates[rng_range(rng, 0, n - 1)];
    const int64_t what = rng_range(rng, 0, 99);
    if (what < 60) {
        return add(c, dir, candidate, (int32_t) rng_range(rng, 0, 5));
    }
    if (what < 80) {
        dame_jit_rank(c->jit, c->program, dir, candidate, (int32_t) rng_range(rng, 0, 5));
    } else {
        dame_jit_drop(c->jit, c->program, dir, candidate);
    }
    return NULL;
}

bool compiled_release(check_t *check, compiled_t *c)
{
    dame_jit_stats_t stats;
    dame_jit_release(c->jit, c->program);
    dame_jit_stats(c->jit, &stats);
    compiled_counts.evicted += stats.evicted;
    if (stats.live != 0 || stats.code_bytes != 0) {
        return check_fail(check, "released: %" PRId64 " kernels with %" PRId64 " bytes are left",
                          stats.live, stats.code_bytes);
    }
    return check_kernels(check, c, DAME_PACK, false, "released") &&
           check_kernels(check, c, DAME_UNPACK, false, "released");
}

void compiled_fini(compiled_t *c)
{
    if (c->jit) {
        dame_jit_release(c->jit, c->program);
        dame_jit_destroy(c->jit);
    }
    free(c->before);
    *c = (compiled_t){0};
}

bool compiled_report(void)
{
    const compiled_counts_t *n = &compiled_counts;
    if (n->tried == 0) {
        return true;
    }
    printf("compiled (%s) %" PRId64 " of %" PRId64 ", not compiled %" PRId64 ", arena full %" PRId64
           ", evicted %" PRId64 "; kernels %" PRId64 " of %" PRId64 ", %" PRId64
           " bytes of machine code\n",
           compiled_vectors(), n->compiled, n->tried, n->unsupported, n->full, n->evicted,
           n->kernels, n->levels, n->bytes);
    printf("other codes added to those: DAME-X's %lld, the tests' provider's %lld, DAME-L's %lld\n",
           (long long) n->changes[0], (long long) n->changes[1], (long long) n->changes[2]);
    if (llvm_compiled > 0) {
        printf("by LLVM %" PRId64 " codes, used again for programs of their shape %" PRId64 "\n",
               llvm_compiled, llvm_used_again);
    }
    enum { FEW = 50 };
    return n->tried < FEW ||
           (n->compiled >= n->tried / 2 && (n->changes[0] > 0) == (n->changes[1] > 0));
}
