/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which kernel serves a level: chosen when the program is built, never tested per block.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "dame/cpu.h"
#include "dame/isa.h"
#include "dame/memory_order.h"
#include "kernels.h"

/* An instruction set: the CPU features that it needs, and the kernels compiled for it. */
typedef struct isa {
    const char *name;
    dame_cpu_t needs;
    const dame_wide_kernels_t *wide;
    const dame_run_fn *byte_permute; /* or NULL */
} isa_t;

static const isa_t isas[] = {
#ifdef DAME_HAVE_X86_KERNELS
    {
        .name = "avx512",
        .needs = {.avx2 = 1, .avx512 = 1, .avx512_vbmi = 1},
        .wide = &dame_wide_avx512,
        .byte_permute = dame_byte_permute,
    },
    {
        .name = "avx2",
        .needs = {.avx2 = 1},
        .wide = &dame_wide_avx2,
    },
#endif
    {
        .name = "baseline",
        .wide = &dame_wide_baseline,
    },
};

enum { ISA_COUNT = sizeof(isas) / sizeof(isas[0]) };

static const isa_t *find_isa(const char *name, const dame_cpu_t *cpu)
{
    for (int i = 0; i < ISA_COUNT; i++) {
        if (dame_cpu_has(cpu, &isas[i].needs) &&
            (name == NULL || strcmp(name, isas[i].name) == 0)) {
            return &isas[i];
        }
    }
    return NULL;
}

const char *dame_isa_for(const dame_cpu_t *cpu)
{
    return find_isa(NULL, cpu)->name;
}

static _Atomic(const isa_t *) chosen;
static _Atomic(const isa_t *) forced;

static const char *usable_names[ISA_COUNT + 1];

static void find_usable(void)
{
    const dame_cpu_t cpu = dame_cpu_detect();
    int n = 0;
    for (int i = 0; i < ISA_COUNT; i++) {
        if (dame_cpu_has(&cpu, &isas[i].needs)) {
            usable_names[n++] = isas[i].name;
        }
    }
}

const char *const *dame_isa_names(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void) pthread_once(&once, find_usable);
    return usable_names;
}

dame_status_t dame_isa_force(const char *name)
{
    const dame_cpu_t cpu = dame_cpu_detect();
    const isa_t *isa = find_isa(name, &cpu);
    if (isa == NULL) {
        return DAME_ERR_ARGUMENT;
    }
    atomic_store_explicit(&chosen, isa, memory_order_release);
    atomic_store_explicit(&forced, name == NULL ? NULL : isa, memory_order_relaxed);
    return DAME_OK;
}

dame_cpu_t dame_isa_cpu(void)
{
    const isa_t *isa = atomic_load_explicit(&forced, memory_order_relaxed);
    dame_cpu_t cpu = dame_cpu_detect();
    if (isa != NULL) {
        const dame_make_t make = cpu.make;
        cpu = isa->needs;
        cpu.make = make;
    }
    return cpu;
}

static const isa_t *chosen_isa(void)
{
    const isa_t *result = atomic_load_explicit(&chosen, memory_order_acquire);
    if (result == NULL) {
        (void) dame_isa_force(NULL);
        result = atomic_load_explicit(&chosen, memory_order_acquire);
    }
    return result;
}

/*
 * Short blocks a few bytes apart, many of which a vector holds (byte_permute.c; Zen 4, GB/s, with
 * and without): 1 of 2 bytes 32 and 3.7, 4 of 12 24 and 14.6, 12 of 16 46 and 26, 8 of 16 29 and
 * 29, 1 of 16 3.7 and 3.7. A run of 16 loses 1 ns, one of 32 gains.
 */
static int gains_from_permutation(const dame_prim_t *prim)
{
    enum { MOST_STEP = 16, FEW_BLOCKS = 31 };
    return chosen_isa()->byte_permute != NULL && prim->iter_size < prim->step &&
           (prim->step < MOST_STEP || (prim->step == MOST_STEP && prim->iter_size > 8)) &&
           (prim->count == 0 || prim->count > FEW_BLOCKS);
}

/*
 * Bodies of blocks that are worth moving together (struct_tile.c). Unequal blocks cost a
 * mispredicted branch each where a body is moved alone: 3 blocks of up to 8 bytes run at 10 instead
 * of 2 GB/s, 24 at 9 instead of 3; 20 blocks of 376 bytes gain a fifth, 32 of 463 nothing (Zen 4).
 */
enum { UNEQUAL_BLOCKS = 64, UNEQUAL_BYTES = 384 };

/* Bodies of equal blocks gain what a call costs: 2 x 8 bytes 24 instead of 8 GB/s, 4 x 12 25 and
 * 16, 8 x 8 19 and 19, 4 x 24 28 and 28, 8 x 24 31 and 36. */
enum { EQUAL_BLOCKS = 8, EQUAL_BYTES = 80 };

/* The same at a list of displacements: 3 x 8 bytes 15 and 9, 3 x 12 16 and 14. */
enum { LISTED_BLOCKS = 3, LISTED_BYTES = 24 };

/* Powers of two between bodies from which on too few of them fit the cache together: equal blocks
 * gain 10 % at 512 bytes and lose 17 % at 1024, unequal ones gain 18 % at 2048 and lose at 4096. */
enum { UNEQUAL_STEP = 4096, EQUAL_STEP = 1024 };

static int is_unequal_body(const dame_prim_t *body)
{
    if (body->count > UNEQUAL_BLOCKS || body->prefix[body->count] > UNEQUAL_BYTES) {
        return 0;
    }
    for (int64_t j = 0; j < body->count; j++) {
        if (dame_iter_size(body, j) > DAME_BODY_BLOCK) {
            return 0;
        }
    }
    return 1;
}

static int is_equal_body(const dame_prim_t *body, int listed)
{
    return body->iter_size <= DAME_BODY_BLOCK &&
           body->count <= (listed ? LISTED_BLOCKS : EQUAL_BLOCKS) &&
           body->count * body->iter_size <= (listed ? LISTED_BYTES : EQUAL_BYTES);
}

static int has_small_bodies(const dame_prim_t *prim)
{
    const dame_prim_t *body = prim + prim->inner_delta;
    if (prim->inner_delta == 0 || prim->prefix != NULL || body->inner_delta != 0 ||
        body->inner_deltas != NULL) {
        return 0;
    }
    const int listed = dame_prim_has_list(prim);
    const int equal = body->prefix == NULL;
    const int64_t few = equal ? DAME_FEW_EQUAL_BODIES : DAME_FEW_BODIES;
    if ((prim->count != 0 && prim->count <= few) ||
        (!listed && prim->step % (equal ? EQUAL_STEP : UNEQUAL_STEP) == 0)) {
        return 0;
    }
    return equal ? is_equal_body(body, listed) : is_unequal_body(body);
}

static dame_table_t table_of(const dame_prim_t *prim)
{
    return prim->disps32 != NULL ? DAME_TABLE_32 : DAME_TABLE_64;
}

static dame_copy_fn copy_of_blocks(const dame_prim_t *prim)
{
    const dame_wide_kernels_t *wide = chosen_isa()->wide;
    const dame_table_t table = table_of(prim);
    if (prim->prefix != NULL) {
        return wide->copy_ragged[table];
    }
    const dame_width_t width = dame_width_of(prim->iter_size);
    const int listed = dame_prim_has_list(prim);
    if (width < DAME_WIDTH_NARROW_COUNT) {
        return listed ? dame_copy_listed_narrow[table][width] : dame_copy_strided_narrow[width];
    }
    return listed ? wide->copy_listed[table][width - DAME_WIDTH_NARROW_COUNT]
                  : wide->copy_strided[width - DAME_WIDTH_NARROW_COUNT];
}

/* Independent of the passes: they decide the order of packing, and copying has no order. */
static dame_copy_fn copy_kernel(const dame_prim_t *prim)
{
    if (prim->params->op == DAME_OP_EXIT && prim->iter_size == 0) {
        return dame_copy_nothing;
    }
    if (prim->inner_deltas != NULL) {
        return dame_copy_outer_struct;
    }
    if (prim->inner_delta == 0) {
        return copy_of_blocks(prim);
    }
    if (prim->prefix != NULL) {
        return dame_copy_outer_ragged[table_of(prim)];
    }
    if (dame_prim_has_list(prim)) {
        return dame_copy_outer_listed[table_of(prim)];
    }
    return dame_walks_columns(prim)
               ? dame_copy_columns[dame_width_of(prim[prim->inner_delta].iter_size)]
               : dame_copy_outer_strided;
}

static const dame_run_fn *for_strided_blocks(const dame_prim_t *prim)
{
    const dame_width_t width = dame_width_of(prim->iter_size);
    return width < DAME_WIDTH_NARROW_COUNT
               ? dame_strided_narrow[width]
               : chosen_isa()->wide->strided[width - DAME_WIDTH_NARROW_COUNT];
}

static const dame_run_fn *for_listed_blocks(const dame_prim_t *prim)
{
    const dame_width_t width = dame_width_of(prim->iter_size);
    if (prim->disps32 == NULL) {
        return dame_listed64;
    }
    return width < DAME_WIDTH_NARROW_COUNT
               ? dame_listed_narrow[width]
               : chosen_isa()->wide->listed[width - DAME_WIDTH_NARROW_COUNT];
}

const dame_run_fn *dame_paced_blocks(const dame_prim_t *prim)
{
    const dame_width_t width = dame_width_of(prim->iter_size);
    return width < DAME_WIDTH_NARROW_COUNT
               ? dame_paced[width]
               : chosen_isa()->wide->paced[width - DAME_WIDTH_NARROW_COUNT];
}

/* Levels of blocks. */
static const dame_run_fn *for_leaf(const dame_prim_t *prim, int order)
{
    if (prim->prefix != NULL) {
        return chosen_isa()->wide->ragged[table_of(prim)];
    }
    if (prim->visits != NULL) {
        return dame_sorted;
    }
    if (dame_prim_has_list(prim)) {
        return for_listed_blocks(prim);
    }
    if (order && dame_throttles_loads(prim) && dame_rows_ahead() == 0) {
        return dame_throttled;
    }
    if (order &&
        (dame_paces_stores(prim) || (dame_throttles_stores(prim) && dame_rows_ahead() == 0))) {
        return dame_paced_blocks(prim);
    }
    return gains_from_permutation(prim) ? chosen_isa()->byte_permute : for_strided_blocks(prim);
}

/* Levels around another level. */
static const dame_run_fn *for_outer(const dame_prim_t *prim, const dame_options_t *options)
{
    if (dame_has_pass(options, DAME_PASS_PATTERN) && has_small_bodies(prim)) {
        return dame_prim_has_list(prim) ? dame_struct_tile_listed[table_of(prim)]
                                        : dame_struct_tile_strided;
    }
    if (prim->prefix != NULL) {
        return dame_outer_ragged[table_of(prim)];
    }
    return dame_prim_has_list(prim) ? dame_outer_listed[table_of(prim)] : dame_outer_strided;
}

void dame_kernels_select(dame_prim_t *prim, const dame_options_t *options)
{
    options = options != NULL ? options : dame_options_default();
    const dame_run_fn *run;
    prim->by_block = NULL;
    if (prim->params->op == DAME_OP_EXIT && prim->iter_size == 0) {
        run = dame_outer_nothing;
    } else if (prim->inner_deltas != NULL) {
        run = dame_outer_struct;
    } else if (dame_has_pass(options, DAME_PASS_ORDER) && prim->inner_delta != 0 &&
               dame_walks_columns(prim)) {
        run = dame_outer_columns;
        prim->by_block = dame_columns(prim[prim->inner_delta].iter_size);
    } else if (prim->inner_delta != 0) {
        run = for_outer(prim, options);
    } else {
        run = for_leaf(prim, dame_has_pass(options, DAME_PASS_ORDER));
    }
    prim->interpreted = run;
    dame_prim_set_run(prim, DAME_PACK, run[DAME_PACK]);
    dame_prim_set_run(prim, DAME_UNPACK, run[DAME_UNPACK]);
    prim->copy = copy_kernel(prim);
}
