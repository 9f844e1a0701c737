/*
 * Which kernel serves a level: chosen when the program is built, never tested per block.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "dame_isa.h"
#include "kernels.h"
#include "memory_order.h"

#ifdef DAME_HAVE_X86_KERNELS
static int has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi");
}

static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}
#endif

static int has_baseline(void)
{
    return 1;
}

typedef struct isa {
    const char *name;
    const dame_kernels_t *kernels;
    int (*usable)(void);
} isa_t;

static const isa_t isas[] = {
#ifdef DAME_HAVE_X86_KERNELS
    {"avx512", &dame_kernels_avx512, has_avx512},
    {"avx2", &dame_kernels_avx2, has_avx2},
#endif
    {"baseline", &dame_kernels_baseline, has_baseline},
};

enum { ISA_COUNT = sizeof(isas) / sizeof(isas[0]) };

/*
 * How far ahead walks over columns fetch lines. Makes of CPUs differ most in what they do with
 * stores that wait for memory: pacing these (columns.c) gains up to a factor of 2 on Zen 4, and
 * costs as much on Emerald Rapids, where 8 to 32 rows ahead are equally good. Others are treated
 * like Zen 4.
 */
static int64_t rows_ahead(void)
{
#ifdef DAME_HAVE_X86_KERNELS
    return __builtin_cpu_is("intel") ? 16 : 0;
#else
    return 0;
#endif
}

_Atomic int64_t dame_columns_ahead;

static _Atomic(const dame_kernels_t *) chosen;
static _Atomic(const char *) forced;

static const char *usable_names[ISA_COUNT + 1];

static void find_usable(void)
{
    int n = 0;
    for (int i = 0; i < ISA_COUNT; i++) {
        if (isas[i].usable()) {
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
    for (int i = 0; i < ISA_COUNT; i++) {
        if (isas[i].usable() && (NULL == name || 0 == strcmp(name, isas[i].name))) {
            atomic_store_explicit(&dame_columns_ahead, rows_ahead(), memory_order_relaxed);
            atomic_store_explicit(&chosen, isas[i].kernels, memory_order_release);
            atomic_store_explicit(&forced, NULL == name ? NULL : isas[i].name,
                                  memory_order_relaxed);
            return DAME_OK;
        }
    }
    return DAME_ERR_ARGUMENT;
}

const char *dame_isa_forced(void)
{
    return atomic_load_explicit(&forced, memory_order_relaxed);
}

static const dame_kernels_t *kernels(void)
{
    const dame_kernels_t *result = atomic_load_explicit(&chosen, memory_order_acquire);
    if (NULL == result) {
        (void) dame_isa_force(NULL);
        result = atomic_load_explicit(&chosen, memory_order_acquire);
    }
    return result;
}

static dame_width_t width_of(int64_t bytes)
{
#define DAME_WIDTH(name, lowest, highest)                                                          \
    if (bytes >= (lowest) && bytes <= (highest)) {                                                 \
        return DAME_WIDTH_##name;                                                                  \
    }
    DAME_WIDTHS(DAME_WIDTH)
#undef DAME_WIDTH
    return DAME_WIDTH_long;
}

/*
 * Short blocks a few bytes apart, many of which a vector holds (thin.c; Zen 4, GB/s, with and
 * without): 1 of 2 bytes 32 and 3.7, 4 of 12 24 and 14.6, 12 of 16 46 and 26, 8 of 16 29 and 29,
 * 1 of 16 3.7 and 3.7. A run of 16 loses 1 ns, one of 32 gains.
 */
static int is_thin(const dame_prim_t *prim)
{
    enum { MOST_STEP = 16, FEW_BLOCKS = 31 };
    return NULL != kernels()->thin[DAME_PACK] && prim->isize < prim->step &&
           (prim->step < MOST_STEP || (MOST_STEP == prim->step && prim->isize > 8)) &&
           (0 == prim->count || prim->count > FEW_BLOCKS);
}

/*
 * Bodies of blocks that are worth moving together (spread.c). Unequal blocks cost a mispredicted
 * branch each where a body is moved alone: 3 blocks of up to 8 bytes run at 10 instead of 2 GB/s,
 * 24 at 9 instead of 3; 20 blocks of 376 bytes gain a fifth, 32 of 463 nothing (Zen 4).
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
        if (body->prefix[j + 1] - body->prefix[j] > DAME_BODY_BLOCK) {
            return 0;
        }
    }
    return 1;
}

static int is_equal_body(const dame_prim_t *body, int listed)
{
    return body->isize <= DAME_BODY_BLOCK &&
           body->count <= (listed ? LISTED_BLOCKS : EQUAL_BLOCKS) &&
           body->count * body->isize <= (listed ? LISTED_BYTES : EQUAL_BYTES);
}

static int has_small_bodies(const dame_prim_t *prim)
{
    const dame_prim_t *body = prim + prim->inner;
    if (0 == prim->inner || NULL != prim->prefix || 0 != body->inner || NULL != body->inners) {
        return 0;
    }
    const int listed = dame_prim_has_list(prim);
    const int equal = NULL == body->prefix;
    const int64_t few = equal ? DAME_FEW_EQUAL_BODIES : DAME_FEW_BODIES;
    if ((0 != prim->count && prim->count <= few) ||
        (!listed && 0 == prim->step % (equal ? EQUAL_STEP : UNEQUAL_STEP))) {
        return 0;
    }
    return equal ? is_equal_body(body, listed) : is_unequal_body(body);
}

void dame_kernels_select(dame_prim_t *prim, const dame_options_t *options)
{
    options = NULL != options ? options : dame_options_default();
    const int order = dame_has_pass(options, DAME_PASS_ORDER);
    const dame_run_fn *run;
    const dame_table_t table = NULL != prim->disps32 ? DAME_TABLE_32 : DAME_TABLE_64;
    prim->by_block = NULL;
    if (DAME_OP_EXIT == prim->op && 0 == prim->isize) {
        run = dame_nest_nothing;
    } else if (NULL != prim->inners) {
        run = dame_nest_struct;
    } else if (order && 0 != prim->inner && dame_walks_columns(prim)) {
        const int64_t bytes = prim[prim->inner].isize;
        const dame_run_fn *wide = kernels()->columns(bytes);
        run = dame_nest_columns;
        prim->by_block = NULL != wide ? wide : dame_columns_baseline(bytes);
    } else if (dame_has_pass(options, DAME_PASS_PATTERN) && has_small_bodies(prim)) {
        run = dame_prim_has_list(prim) ? kernels()->spread->listed[table]
                                       : kernels()->spread->strided;
    } else if (0 != prim->inner) {
        run = NULL != prim->prefix       ? dame_nest_ragged[table]
              : dame_prim_has_list(prim) ? dame_nest_listed[table]
                                         : dame_nest_strided;
    } else if (NULL != prim->prefix) {
        run = kernels()->ragged[table];
    } else if (NULL != prim->visits) {
        run = kernels()->sorted[width_of(prim->isize)];
    } else if (dame_prim_has_list(prim)) {
        run = kernels()->listed[table][width_of(prim->isize)];
    } else {
        run = order && dame_in_one_set(prim) ? kernels()->paced
              : is_thin(prim)                ? kernels()->thin
                                             : kernels()->strided[width_of(prim->isize)];
    }
    dame_prim_set_run(prim, DAME_PACK, run[DAME_PACK]);
    dame_prim_set_run(prim, DAME_UNPACK, run[DAME_UNPACK]);
}
