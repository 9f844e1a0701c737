/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure.h"

#include <stdlib.h>
#include <string.h>

#include "llvm.h"
#include "cli/tool.h"
#include "cli/program.h"
#include "variant.h"

/* ---- the tiers ---- */

static const struct {
    const char *name;
    dame_passes_t passes;
    int compiles; /* .. and then there is machine code */
} tiers[] = {
    {"plain", DAME_PASSES_NONE, 0},
    {"optimised", DAME_PASSES_DEFAULT, 0},
    {"x", DAME_PASSES_DEFAULT, 1},
};

enum { TIERS = sizeof(tiers) / sizeof(tiers[0]), X_TIER = TIERS - 1 };

int measure_tiers(const measure_t *measure)
{
    return TIERS + measure->nvariants + (measure->llvm != NULL);
}

/* The variant that a tier is of, or NULL. */
static const char *variant_of(const measure_t *measure, int tier)
{
    const int i = tier - TIERS;
    return i >= 0 && i < measure->nvariants ? measure->variants[i] : NULL;
}

static int is_l(const measure_t *measure, int tier)
{
    const char *variant = variant_of(measure, tier);
    return variant != NULL ? variant[0] == 'l' : tier >= TIERS;
}

const char *measure_tier_name(const measure_t *measure, int tier)
{
    const char *variant = variant_of(measure, tier);
    return tier == MEASURE_MEMCPY   ? "memcpy"
           : tier == MEASURE_NATIVE ? "native"
           : tier < TIERS           ? tiers[tier].name
           : variant != NULL        ? variant
                                    : "l";
}

const char *measure_missing(const measure_t *measure, int tier)
{
    if (tier == MEASURE_NATIVE) {
        return measure->native == NULL               ? "not asked for"
               : measure->native->missing[0] != '\0' ? measure->native->missing
                                                     : NULL;
    }
    return tier == MEASURE_MEMCPY || measure->missing[tier] == DAME_OK
               ? NULL
               : dame_status_text(measure->missing[tier]);
}

/* ---- moving the message once ---- */

struct measure_case {
    int64_t fragment;
    int tier;
    dame_dir_t dir;
};

static uintptr_t base_address(const measure_t *measure)
{
    return (uintptr_t) measure->memory - (uintptr_t) measure->low;
}

/* Unknown to the compiler, which would otherwise see that the copy is never read. */
static void *(*volatile copy)(void *to, const void *from, size_t bytes) = memcpy;

static void copy_message(const measure_t *measure, int64_t fragment)
{
    for (int64_t done = 0; done < measure->total; done += fragment) {
        int64_t rest = measure->total - done;
        copy(measure->packed[1] + done, measure->packed[2] + done,
             (size_t) (rest < fragment ? rest : fragment));
    }
}

static int64_t move_fragment(dame_cursor_t *cursor, dame_dir_t dir, char *packed, int64_t fragment)
{
    if (dir == DAME_UNPACK) {
        return dame_cursor_unpack(cursor, packed, fragment);
    }
    int64_t moved = dame_cursor_pack(cursor, packed, fragment);
    return moved > 0 ? moved : dame_cursor_pack_exact(cursor, packed, fragment);
}

static void move_message(const measure_t *measure, const measure_case_t *what, char *packed)
{
    if (what->fragment == 0) {
        dame_program_run(measure->programs[what->tier], what->dir, base_address(measure),
                         measure->count, packed);
        return;
    }
    dame_cursor_t *cursor = &measure->cursors[what->tier];
    dame_cursor_seek(cursor, 0);
    while (cursor->position < cursor->total) {
        move_fragment(cursor, what->dir, packed + cursor->position, what->fragment);
    }
}

/* ---- measuring ---- */

static void run_case(void *context, int which, int64_t times)
{
    const measure_t *measure = context;
    const measure_case_t *what = &measure->cases[which];
    for (int64_t i = 0; i < times; i++) {
        if (what->tier == MEASURE_MEMCPY) {
            copy_message(measure, what->fragment != 0 ? what->fragment : measure->total);
        } else {
            move_message(measure, what, measure->packed[0]);
        }
    }
}

static double run_native(void *context, int which, int64_t times)
{
    const measure_t *measure = context;
    const measure_case_t *what = &measure->cases[which];
    return what->tier == MEASURE_NATIVE
               ? native_seconds(measure->native, what->dir == DAME_UNPACK, times)
               : -1;
}

/* Samples are short so that most of them see no other process: the median is then one of the
 * machine alone. */
static int run_rounds(measure_t *measure)
{
    enum { LEAST_ROUNDS = 11, MOST_ROUNDS = 1 << 20 };
    measure->turns = (dame_turns_t){.n = measure->ncases,
                                    .run = run_case,
                                    .run_timed = run_native,
                                    .context = measure,
                                    .sample = 200e-6,
                                    .seconds = measure->seconds,
                                    .least = LEAST_ROUNDS,
                                    .most = MOST_ROUNDS};
    return dame_turns_run(&measure->turns) == 0 ? TOOL_OK
                                                : tool_status_error("bench", DAME_ERR_NOMEM);
}

static double rate_of(const measure_t *measure, int fragment, int tier, dame_dir_t dir, double part)
{
    for (int i = 0; i < measure->ncases; i++) {
        const measure_case_t *what = &measure->cases[i];
        if (what->fragment == measure->fragments[fragment] && what->tier == tier &&
            (what->dir == dir || tier == MEASURE_MEMCPY)) {
            return 1e-9 * (double) measure->total / dame_turns_at(&measure->turns, i, part);
        }
    }
    return 0; /* there is a case for everything */
}

double measure_rate(const measure_t *measure, int fragment, int tier, dame_dir_t dir)
{
    return rate_of(measure, fragment, tier, dir, 0.5);
}

double measure_best_rate(const measure_t *measure, int fragment, int tier, dame_dir_t dir)
{
    return rate_of(measure, fragment, tier, dir, 0);
}

/* ---- setting up ---- */

static void list_cases(measure_t *measure)
{
    measure_case_t *next = measure->cases;
    for (int f = 0; f < measure->nfragments; f++) {
        next->fragment = measure->fragments[f];
        next->tier = MEASURE_MEMCPY;
        next++->dir = DAME_PACK;
        for (int tier = measure->fragments[f] == 0 ? MEASURE_NATIVE : 0;
             tier < measure_tiers(measure); tier++) {
            for (int dir = DAME_PACK; dir <= DAME_UNPACK && measure_missing(measure, tier) == NULL;
                 dir++) {
                next->fragment = measure->fragments[f];
                next->tier = tier;
                next++->dir = (dame_dir_t) dir;
            }
        }
    }
    measure->ncases = (int) (next - measure->cases);
}

static char *aligned(const measure_t *measure, size_t bytes)
{
    void *memory = NULL;
    if (posix_memalign(&memory, DAME_PAGE, bytes + (size_t) measure->offset) != 0) {
        return NULL;
    }
    return (char *) memory + measure->offset;
}

static void free_aligned(const measure_t *measure, char *memory)
{
    free(memory != NULL ? memory - measure->offset : NULL);
}

static int allocate(measure_t *measure)
{
    size_t span = (size_t) (measure->high - measure->low);
    size_t tiers_room = (size_t) measure_tiers(measure);
    size_t most_cases = (size_t) measure->nfragments * (3 + 2 * tiers_room);
    measure->cases = calloc(most_cases, sizeof(*measure->cases));
    measure->programs = calloc(tiers_room, sizeof(*measure->programs));
    measure->cursors = calloc(tiers_room, sizeof(*measure->cursors));
    measure->missing = calloc(tiers_room, sizeof(*measure->missing));
    measure->jits = calloc(tiers_room, sizeof(measure->jits[0]));
    measure->memory = aligned(measure, span);
    int complete = measure->cases != NULL && measure->jits != NULL && measure->programs != NULL &&
                   measure->cursors != NULL && measure->missing != NULL && measure->memory != NULL;
    for (int i = 0; i < 3; i++) {
        measure->packed[i] = aligned(measure, (size_t) measure->total);
        complete = complete && measure->packed[i] != NULL;
    }
    if (!complete) {
        return tool_status_error("bench", DAME_ERR_NOMEM);
    }
    for (int i = 0; i < 3; i++) {
        memset(measure->packed[i], 0, (size_t) measure->total);
    }
    for (size_t i = 0; i < span; i++) {
        measure->memory[i] = (char) (i * 2654435761u >> 13);
    }
    return TOOL_OK;
}

/* The variant of the tier, or the first candidate of DAME-X or DAME-L. */
static dame_status_t compile_one(measure_t *measure, int tier, int32_t provider, dame_dir_t dir)
{
    dame_candidate_t candidates[TOOL_CANDIDATES];
    dame_jit_t *jit = measure->jits[tier];
    dame_program_t *program = measure->programs[tier];
    if (provider == DAME_JIT_X) {
        return dame_jit_compile(jit, program, dir, NULL);
    }
    if (variant_of(measure, tier) != NULL) {
        candidates[0].provider = provider;
        if (!tool_candidate_named(jit, variant_of(measure, tier), &candidates[0])) {
            return DAME_ERR_ARGUMENT;
        }
    } else if (tool_candidates(jit, provider, program, dir, candidates) == 0) {
        return DAME_ERR_UNSUPPORTED;
    }
    return tool_compile_code(jit, program, dir, &candidates[0]);
}

/* Both directions; the tier is missing if no direction becomes machine code. */
static dame_status_t compile_tier(measure_t *measure, int tier)
{
    dame_status_t made[2] = {DAME_OK, DAME_OK};
    dame_jit_options_t options = *dame_jit_options_default();
    int32_t provider = DAME_JIT_X;
    options.variant = tier >= TIERS && !is_l(measure, tier) ? variant_of(measure, tier) + 2 : NULL;
    dame_status_t status = dame_jit_create(&options, &measure->jits[tier]);
    if (status == DAME_OK && is_l(measure, tier)) {
        measure->missing[tier] =
            measure->llvm == NULL ? DAME_ERR_UNSUPPORTED
                                  : tool_llvm_load(measure->jits[tier], measure->llvm, &provider);
        if (measure->missing[tier] != DAME_OK) {
            return DAME_OK;
        }
    }
    for (int dir = DAME_PACK; status == DAME_OK && dir <= DAME_UNPACK; dir++) {
        made[dir] = compile_one(measure, tier, provider, (dame_dir_t) dir);
    }
    if (made[DAME_PACK] == DAME_ERR_ARGUMENT) {
        char names[512];
        tool_variant_names(measure->jits[tier], provider, names, sizeof(names));
        tool_error(TOOL_USAGE, "--variant: '%s' is not a variant of DAME-L: %s",
                   variant_of(measure, tier), names);
        return DAME_ERR_ARGUMENT;
    }
    if (made[DAME_PACK] != DAME_OK && made[DAME_UNPACK] != DAME_OK) {
        measure->missing[tier] = made[DAME_PACK];
    }
    return status;
}

static int build_tier(measure_t *measure, int tier)
{
    const char *name = measure_tier_name(measure, tier);
    const int kind = tier < TIERS ? tier : X_TIER;
    dame_options_t options = *dame_options_default();
    options.passes = tiers[kind].passes;
    const int code = tool_optimised(name, measure->program, &options, &measure->programs[tier]);
    if (code != TOOL_OK) {
        return code;
    }
    dame_status_t status = tiers[kind].compiles ? compile_tier(measure, tier) : DAME_OK;
    if (status == DAME_ERR_ARGUMENT) {
        return TOOL_USAGE; /* that was said */
    }
    if (status == DAME_OK) {
        status = dame_cursor_init(&measure->cursors[tier], measure->programs[tier],
                                  base_address(measure), measure->count);
    }
    return status == DAME_OK ? TOOL_OK : tool_status_error(name, status);
}

static int build_tiers(measure_t *measure)
{
    int code = TOOL_OK;
    for (int tier = 0; code == TOOL_OK && tier < measure_tiers(measure); tier++) {
        code = build_tier(measure, tier);
    }
    return code;
}

/* Packs with the program as it is, which all tiers are compared with. */
static int pack_as_is(const measure_t *measure, char *packed)
{
    dame_cursor_t cursor;
    dame_status_t status =
        dame_cursor_init(&cursor, measure->program, base_address(measure), measure->count);
    if (status != DAME_OK) {
        return tool_status_error("cursor", status);
    }
    dame_cursor_pack_exact(&cursor, packed, measure->total);
    dame_cursor_fini(&cursor);
    return TOOL_OK;
}

/* packed[1] is what the memory holds; a byte that an unpack leaves out does not hold it by chance.
 */
static int check_case(const measure_t *measure, const measure_case_t *what)
{
    size_t span = (size_t) (measure->high - measure->low);
    char *packed = measure->packed[0];
    int code = TOOL_OK;
    if (what->dir == DAME_PACK) {
        memset(packed, 0, (size_t) measure->total);
        move_message(measure, what, packed);
    } else {
        for (size_t i = 0; i < span; i++) {
            measure->memory[i] = (char) ~measure->memory[i];
        }
        move_message(measure, what, measure->packed[1]);
        code = pack_as_is(measure, packed);
    }
    if (code == TOOL_OK && memcmp(packed, measure->packed[1], (size_t) measure->total) != 0) {
        code = tool_error(TOOL_WRONG, "tier %s %ss other bytes than the program as it is",
                          measure_tier_name(measure, what->tier),
                          what->dir == DAME_PACK ? "pack" : "unpack");
    }
    return code;
}

/* A measurement of wrong results is worth nothing. */
static int check_tiers(const measure_t *measure)
{
    int code = pack_as_is(measure, measure->packed[1]);
    for (int i = 0; code == TOOL_OK && i < measure->ncases; i++) {
        if (measure->cases[i].tier >= 0) {
            code = check_case(measure, &measure->cases[i]);
        }
    }
    return code;
}

int measure_run(measure_t *measure)
{
    int code = allocate(measure);
    if (code == TOOL_OK) {
        code = build_tiers(measure);
    }
    if (code == TOOL_OK) {
        list_cases(measure);
        code = check_tiers(measure);
    }
    if (code == TOOL_OK) {
        code = run_rounds(measure);
    }
    return code;
}

static void free_tier(measure_t *measure, int tier)
{
    if (measure->cursors != NULL && measure->cursors[tier].frames != NULL) {
        dame_cursor_fini(&measure->cursors[tier]);
    }
    if (measure->jits[tier] != NULL) {
        dame_jit_release(measure->jits[tier], measure->programs[tier]);
        dame_jit_destroy(measure->jits[tier]);
    }
    dame_program_free(measure->programs[tier]);
}

void measure_free(measure_t *measure)
{
    for (int tier = 0;
         measure->programs != NULL && measure->jits != NULL && tier < measure_tiers(measure);
         tier++) {
        free_tier(measure, tier);
    }
    for (int i = 0; i < 3; i++) {
        free_aligned(measure, measure->packed[i]);
    }
    free(measure->missing);
    free(measure->cursors);
    free(measure->programs);
    free(measure->jits);
    free_aligned(measure, measure->memory);
    dame_turns_free(&measure->turns);
    free(measure->cases);
}
