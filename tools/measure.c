/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure.h"

#include <stdlib.h>
#include <string.h>

#include "llvm.h"
#include "cli/tool.h"
#include "cli/program.h"

/* ---- the tiers ---- */

enum { X_TIER = 2, L_TIER = 3 }; /* which compile */

static const struct {
    const char *name;
    dame_passes_t passes;
} tiers[MEASURE_TIERS] = {
    {"plain", DAME_PASSES_NONE},
    {"optimised", DAME_PASSES_DEFAULT},
    [X_TIER] = {"x", DAME_PASSES_DEFAULT},
    [L_TIER] = {"l", DAME_PASSES_DEFAULT},
};

const char *measure_tier_name(int tier)
{
    return tier == MEASURE_MEMCPY ? "memcpy" : tier == MEASURE_NATIVE ? "native" : tiers[tier].name;
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

static uintptr_t base_address(const measure_t *measure)
{
    return (uintptr_t) measure->memory - (uintptr_t) measure->low;
}

/* Unknown to the compiler, which would otherwise see that the copy is never read. */
static void *(*volatile copy)(void *to, const void *from, size_t bytes) = memcpy;

static void move_message(const measure_t *measure, measure_case_t what, char *packed)
{
    dame_program_run(measure->programs[what.tier], what.dir, base_address(measure), measure->count,
                     packed);
}

/* ---- measuring ---- */

static void run_case(void *context, int which, int64_t times)
{
    const measure_t *measure = context;
    const measure_case_t what = measure->cases[which];
    for (int64_t i = 0; i < times; i++) {
        if (what.tier == MEASURE_MEMCPY) {
            copy(measure->packed[1], measure->packed[2], (size_t) measure->total);
        } else {
            move_message(measure, what, measure->packed[0]);
        }
    }
}

static double run_native(void *context, int which, int64_t times)
{
    const measure_t *measure = context;
    const measure_case_t what = measure->cases[which];
    return what.tier == MEASURE_NATIVE
               ? native_seconds(measure->native, what.dir == DAME_UNPACK, times)
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

double measure_rate(const measure_t *measure, int tier, dame_dir_t dir)
{
    for (int i = 0; i < measure->ncases; i++) {
        if (measure->cases[i].tier == tier &&
            (measure->cases[i].dir == dir || tier == MEASURE_MEMCPY)) {
            return 1e-9 * (double) measure->total / dame_turns_at(&measure->turns, i, 0.5);
        }
    }
    return 0; /* there is a case for everything */
}

/* ---- setting up ---- */

static void list_cases(measure_t *measure)
{
    measure->cases[measure->ncases++] = (measure_case_t){MEASURE_MEMCPY, DAME_PACK};
    for (int tier = MEASURE_NATIVE; tier < MEASURE_TIERS; tier++) {
        for (int dir = DAME_PACK; dir <= DAME_UNPACK && measure_missing(measure, tier) == NULL;
             dir++) {
            measure->cases[measure->ncases++] = (measure_case_t){tier, (dame_dir_t) dir};
        }
    }
}

static char *aligned(size_t bytes)
{
    void *memory = NULL;
    return posix_memalign(&memory, DAME_PAGE, bytes) == 0 ? memory : NULL;
}

static int allocate(measure_t *measure)
{
    size_t span = (size_t) (measure->high - measure->low);
    measure->memory = aligned(span);
    int complete = measure->memory != NULL;
    for (int i = 0; i < 3; i++) {
        measure->packed[i] = aligned((size_t) measure->total);
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

/* The first candidate of DAME-X or DAME-L. */
static dame_status_t compile_one(measure_t *measure, int tier, int32_t provider, dame_dir_t dir)
{
    dame_candidate_t candidates[TOOL_CANDIDATES];
    dame_jit_t *jit = measure->jits[tier];
    dame_program_t *program = measure->programs[tier];
    if (tier == X_TIER) {
        return dame_jit_compile(jit, program, dir, NULL);
    }
    return tool_candidates(jit, provider, program, dir, candidates) == 0
               ? DAME_ERR_UNSUPPORTED
               : tool_compile_code(jit, program, dir, &candidates[0]);
}

/* Both directions; the tier is missing if no direction becomes machine code. */
static dame_status_t compile_tier(measure_t *measure, int tier)
{
    dame_status_t made[2] = {DAME_OK, DAME_OK};
    int32_t provider = DAME_JIT_X;
    dame_status_t status = dame_jit_create(NULL, &measure->jits[tier]);
    if (status == DAME_OK && tier == L_TIER) {
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
    if (made[DAME_PACK] != DAME_OK && made[DAME_UNPACK] != DAME_OK) {
        measure->missing[tier] = made[DAME_PACK];
    }
    return status;
}

static int build_tier(measure_t *measure, int tier)
{
    const char *name = measure_tier_name(tier);
    dame_options_t options = *dame_options_default();
    options.passes = tiers[tier].passes;
    const int code = tool_optimised(name, measure->program, &options, &measure->programs[tier]);
    if (code != TOOL_OK) {
        return code;
    }
    const dame_status_t status = tier >= X_TIER ? compile_tier(measure, tier) : DAME_OK;
    return status == DAME_OK ? TOOL_OK : tool_status_error(name, status);
}

static int build_tiers(measure_t *measure)
{
    int code = TOOL_OK;
    for (int tier = 0; code == TOOL_OK && tier < MEASURE_TIERS; tier++) {
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
static int check_case(const measure_t *measure, measure_case_t what)
{
    size_t span = (size_t) (measure->high - measure->low);
    char *packed = measure->packed[0];
    int code = TOOL_OK;
    if (what.dir == DAME_PACK) {
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
                          measure_tier_name(what.tier), what.dir == DAME_PACK ? "pack" : "unpack");
    }
    return code;
}

/* A measurement of wrong results is worth nothing. */
static int check_tiers(const measure_t *measure)
{
    int code = pack_as_is(measure, measure->packed[1]);
    for (int i = 0; code == TOOL_OK && i < measure->ncases; i++) {
        if (measure->cases[i].tier >= 0) {
            code = check_case(measure, measure->cases[i]);
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

void measure_free(measure_t *measure)
{
    for (int tier = 0; tier < MEASURE_TIERS; tier++) {
        if (measure->jits[tier] != NULL) {
            dame_jit_release(measure->jits[tier], measure->programs[tier]);
            dame_jit_destroy(measure->jits[tier]);
        }
        dame_program_free(measure->programs[tier]);
    }
    for (int i = 0; i < 3; i++) {
        free(measure->packed[i]);
    }
    free(measure->memory);
    dame_turns_free(&measure->turns);
}
