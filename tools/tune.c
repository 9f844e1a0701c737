/* SPDX-License-Identifier: BSD-3-Clause */
/* dame tune: measures which code is the fastest on this machine, for its profile. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/busy.h"
#include "cli/commands.h"
#include "jit/jit.h"
#include "measure/clock.h"
#include "measure/profile.h"
#include "measure/turns.h"

enum {
    MOST_ARMS = 8, /* the interpreter and candidates */
    LEAST_ROUNDS = 5,
    MOST_ROUNDS = 64,
    MOST_COSTS = 4096,    /* compilations that are remembered */
    MOST_SPAN = 64 << 20, /* bytes of user memory */
    OFFSETS = 2
};

/* Buffers on a cache line, and off it by what malloc() leaves. */
static const int64_t offsets[OFFSETS] = {0, 16};

/* ---- measurements ---- */

static const int64_t block_sizes[] = {1,  2,  4,  8,   12,  16,  24,   32,
                                      48, 64, 96, 128, 256, 512, 1024, 4096};
static const int64_t message_sizes[] = {4 << 10, 64 << 10, 1 << 20};

typedef enum form { NEAR, FAR, SET, LIST, COLUMNS, FORMS } form_t;

/* Steps between blocks: half a block free; some lines; a whole number of sets of the first cache.
 */
static int64_t step_of(form_t form, int64_t block)
{
    const dame_data_cache_t *cache = dame_data_cache();
    const int64_t set = cache->l1 / cache->ways;
    switch (form) {
    case NEAR:
        return block + (block + 1) / 2;
    case SET:
        return (block / set + 1) * set;
    default:
        return block + 3 * cache->line + 8;
    }
}

/* Blocks in no order, apart from each other. NULL: out of memory. */
static const dame_type_t *listed(dame_tree_t *tree, const dame_type_t *bytes, int64_t blocks,
                                 int64_t block, int64_t step)
{
    int64_t *disps = dame_tree_array(tree, blocks);
    const dame_type_t *type = NULL;
    uint32_t state = 1;
    for (int64_t i = 0; disps != NULL && i < blocks; i++) {
        disps[i] = i * step;
    }
    for (int64_t i = blocks - 1; disps != NULL && i > 0; i--) { /* Fisher and Yates */
        state = state * 1664525 + 1013904223;
        const int64_t j = state % (i + 1);
        const int64_t other = disps[j];
        disps[j] = disps[i];
        disps[i] = other;
    }
    if (disps == NULL ||
        dame_type_blockindex(tree, blocks, block, disps, bytes, &type) != DAME_OK) {
        type = NULL;
    }
    return type;
}

/* NULL: out of memory. */
static const dame_type_t *type_of(dame_tree_t *tree, form_t form, int64_t block, int64_t total)
{
    enum { COLUMNS_TOGETHER = 16 };
    const dame_type_t *byte, *type, *column;
    const int64_t blocks = total / block, step = step_of(form, block);
    if (dame_type_basic(tree, 1, &byte) != DAME_OK) {
        return NULL;
    }
    if (form == LIST) {
        return listed(tree, byte, blocks, block, step);
    }
    if (form != COLUMNS) {
        return dame_type_vector(tree, blocks, block, step, byte, &type) == DAME_OK ? type : NULL;
    }
    const int64_t rows = blocks / COLUMNS_TOGETHER;
    if (dame_type_vector(tree, rows, block, COLUMNS_TOGETHER * block * 2, byte, &column) !=
            DAME_OK ||
        dame_type_resized(tree, 0, 2 * block, column, &column) != DAME_OK) {
        return NULL;
    }
    return dame_type_contig(tree, COLUMNS_TOGETHER, column, &type) == DAME_OK ? type : NULL;
}

/* ---- one program and direction ---- */

typedef struct arm {
    dame_candidate_t candidate; /* of the first arm: none, the interpreter */
    char name[DAME_CANDIDATE_NAME];
    double seconds; /* of a message, on a line and off it */
} arm_t;

typedef struct tuning {
    dame_jit_t *jit;
    dame_profile_t *profile;
    double seconds; /* for a program and direction */
    char *memory;   /* MOST_SPAN bytes and more */
    char *packed, *expected;
    int32_t narms;
    arm_t arms[MOST_ARMS];
    int64_t *costs; /* of compiling, in ns */
    int64_t ncosts;
    int64_t programs;
} tuning_t;

static void choose(tuning_t *t, dame_program_t *program, dame_dir_t dir, int32_t arm)
{
    for (int32_t i = 1; i < t->narms; i++) {
        (void) dame_jit_rank(t->jit, program, dir, &t->arms[i].candidate, i == arm);
    }
}

/* What the arm moves is what the interpreter moves. */
static int moves_right(tuning_t *t, dame_program_t *program, dame_dir_t dir, int32_t arm)
{
    const uintptr_t base = (uintptr_t) t->memory - (uintptr_t) program->true_lb;
    const size_t size = (size_t) program->size;
    choose(t, program, dir, 0);
    for (size_t i = 0; i < size; i++) {
        t->expected[i] = (char) (i * 2654435761u >> 13 ^ (unsigned) arm);
    }
    memset(t->packed, 0, size);
    choose(t, program, dir, dir == DAME_UNPACK ? arm : 0);
    dame_program_run(program, DAME_UNPACK, base, 1, t->expected);
    choose(t, program, dir, dir == DAME_PACK ? arm : 0);
    dame_program_run(program, DAME_PACK, base, 1, t->packed);
    return memcmp(t->packed, t->expected, size) == 0;
}

/* Adds the interpreter and the candidates that can be compiled. */
static void find_arms(tuning_t *t, dame_program_t *program, dame_dir_t dir)
{
    dame_candidate_t candidates[MOST_ARMS];
    const int32_t n = dame_jit_candidates(t->jit, program, dir, candidates, MOST_ARMS - 1);
    t->arms[0] = (arm_t){.name = "interp"};
    t->narms = 1;
    for (int32_t i = 0; i < n; i++) {
        arm_t *arm = &t->arms[t->narms];
        int64_t ns;
        *arm = (arm_t){.candidate = candidates[i]};
        if (dame_jit_add(t->jit, program, dir, &candidates[i], NULL, &ns) != DAME_OK) {
            continue;
        }
        dame_jit_candidate_name(t->jit, &candidates[i], arm->name);
        if (t->ncosts < MOST_COSTS) {
            t->costs[t->ncosts++] = ns;
        }
        t->narms++;
    }
}

/* One program and direction, with buffers at each offset. */
typedef struct run {
    tuning_t *tuning;
    dame_program_t *program;
    dame_dir_t dir;
} run_t;

static void choose_arm(void *context, int which)
{
    const run_t *run = context;
    choose(run->tuning, run->program, run->dir, which / OFFSETS);
}

static void run_arm(void *context, int which, int64_t times)
{
    const run_t *run = context;
    const tuning_t *t = run->tuning;
    const int64_t offset = offsets[which % OFFSETS];
    const uintptr_t base =
        (uintptr_t) t->memory - (uintptr_t) run->program->true_lb + (uintptr_t) offset;
    for (int64_t i = 0; i < times; i++) {
        dame_program_run(run->program, run->dir, base, 1, t->packed + offset);
    }
}

/* The least time is that of the machine alone. *rounds: how many there were. */
static int run_rounds(tuning_t *t, dame_program_t *program, dame_dir_t dir, int *rounds)
{
    run_t run = {t, program, dir};
    dame_turns_t turns = {.n = t->narms * OFFSETS,
                          .prepare = choose_arm,
                          .run = run_arm,
                          .context = &run,
                          .sample = 20e-6,
                          .seconds = t->seconds,
                          .least = LEAST_ROUNDS,
                          .most = MOST_ROUNDS};
    if (dame_turns_run(&turns) != 0) {
        return tool_status_error("tune", DAME_ERR_NOMEM);
    }
    for (int32_t i = 0; i < t->narms; i++) {
        t->arms[i].seconds =
            (dame_turns_at(&turns, i * OFFSETS, 0) + dame_turns_at(&turns, i * OFFSETS + 1, 0)) /
            OFFSETS;
    }
    *rounds = turns.rounds;
    dame_turns_free(&turns);
    return TOOL_OK;
}

static void learn(tuning_t *t, const dame_program_t *program, dame_dir_t dir, const char *kind,
                  int32_t rounds)
{
    for (int32_t i = 0; i < t->narms; i++) {
        dame_profile_key_t key = {.dir = dir, .size_class = dame_profile_class(program->size)};
        const double mean =
            t->arms[i].seconds * (double) dame_clock_hz() * (1 << 20) / (double) program->size;
        snprintf(key.kind, sizeof(key.kind), "%s", kind);
        snprintf(key.candidate, sizeof(key.candidate), "%s", t->arms[i].name);
        dame_profile_add(t->profile, &key, &(dame_profile_value_t){(int64_t) mean, rounds});
    }
}

static int tune_direction(tuning_t *t, dame_program_t *program, dame_dir_t dir)
{
    char kind[DAME_PROFILE_WORD];
    dame_profile_kind(program, kind);
    find_arms(t, program, dir);
    for (int32_t i = 0; i < t->narms; i++) {
        if (!moves_right(t, program, dir, i)) {
            return tool_error(TOOL_WRONG, "%s moves other bytes than the interpreter (%s)",
                              t->arms[i].name, kind);
        }
    }
    int rounds = 0;
    const int code = run_rounds(t, program, dir, &rounds);
    if (code == TOOL_OK) {
        learn(t, program, dir, kind, rounds);
    }
    return code;
}

static int tune_program(tuning_t *t, const dame_type_t *type)
{
    dame_program_t *program;
    const dame_status_t status = dame_program_build(type, NULL, &program);
    if (status != DAME_OK) {
        return tool_status_error("tune", status);
    }
    int code = TOOL_OK;
    for (int dir = DAME_PACK; dir <= DAME_UNPACK && code == TOOL_OK; dir++) {
        code = tune_direction(t, program, (dame_dir_t) dir);
    }
    dame_jit_release(t->jit, program);
    dame_program_free(program);
    return code;
}

/* ---- all of them ---- */

static int has_sense(form_t form, int64_t block, int64_t total)
{
    enum { LEAST_BLOCKS = 32 };
    return total / block >= LEAST_BLOCKS && (total / block) * step_of(form, block) <= MOST_SPAN &&
           (form != COLUMNS || block < dame_data_cache()->line);
}

typedef int visit_t(tuning_t *t, form_t form, int64_t block, int64_t total);

static int count_programs(tuning_t *t, form_t form, int64_t block, int64_t total)
{
    (void) form;
    (void) block;
    (void) total;
    t->programs++;
    return TOOL_OK;
}

static int tune_type(tuning_t *t, form_t form, int64_t block, int64_t total)
{
    dame_tree_t *tree = dame_tree_new();
    const dame_type_t *type = tree == NULL ? NULL : type_of(tree, form, block, total);
    const int code =
        type == NULL ? tool_status_error("tune", DAME_ERR_NOMEM) : tune_program(t, type);
    dame_tree_free(tree);
    return code;
}

static int for_all(tuning_t *t, visit_t *visit)
{
    int code = TOOL_OK;
    for (int form = 0; form < FORMS; form++) {
        for (size_t i = 0; i < sizeof(block_sizes) / sizeof(block_sizes[0]); i++) {
            for (size_t k = 0; k < sizeof(message_sizes) / sizeof(message_sizes[0]); k++) {
                if (code == TOOL_OK && has_sense((form_t) form, block_sizes[i], message_sizes[k])) {
                    code = visit(t, (form_t) form, block_sizes[i], message_sizes[k]);
                }
            }
        }
    }
    return code;
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;
    return (x > y) - (x < y);
}

/* The median of all, DAME-X's: other processes come between some. */
static void learn_cost(tuning_t *t)
{
    const dame_profile_key_t key = {.kind = "compile", .candidate = "x", .dir = DAME_PACK};
    if (t->ncosts > 0) {
        qsort(t->costs, (size_t) t->ncosts, sizeof(*t->costs), compare);
        dame_profile_add(t->profile, &key,
                         &(dame_profile_value_t){t->costs[t->ncosts / 2], t->ncosts});
    }
}

static int measure(tuning_t *t, double seconds)
{
    const int64_t line = dame_data_cache()->line;
    const size_t packed = (size_t) message_sizes[2] + 64;
    char *memory = calloc(1, MOST_SPAN + 8192);
    char *buffers = calloc(2, packed + 256);
    t->costs = calloc(MOST_COSTS, sizeof(*t->costs));
    int code = memory == NULL || buffers == NULL || t->costs == NULL ? TOOL_SYSTEM : TOOL_OK;
    if (code == TOOL_OK && dame_jit_create(NULL, &t->jit) != DAME_OK) {
        code = TOOL_SYSTEM;
    }
    if (code != TOOL_OK) {
        code = tool_status_error("tune", DAME_ERR_NOMEM);
    } else {
        t->memory = memory + (-(uintptr_t) memory & (uintptr_t) (4096 - 1));
        t->packed = buffers + (-(uintptr_t) buffers & (uintptr_t) (line - 1));
        t->expected = t->packed + packed;
        (void) for_all(t, count_programs);
        t->seconds = seconds / (2.0 * (double) t->programs);
        code = for_all(t, tune_type);
        learn_cost(t);
        dame_jit_destroy(t->jit);
    }
    free(t->costs);
    free(buffers);
    free(memory);
    return code;
}

/* ---- the command ---- */

static void say(void *unused, const char *text, int trouble)
{
    (void) unused;
    (void) trouble;
    (void) tool_error(TOOL_OK, "%s", text);
}

static void show(void *unused, const dame_profile_key_t *key, const dame_profile_value_t *value)
{
    (void) unused;
    if (strcmp(key->kind, "compile") == 0) {
        printf("compile %-28s %10" PRId64 " ns %6" PRId64 " samples\n", key->candidate, value->mean,
               value->samples);
    } else {
        const double gb = value->mean > 0 ? 1e-9 * (double) (1 << 20) * (double) dame_clock_hz() /
                                                (double) value->mean
                                          : 0;
        printf("%-20s %-6s %9" PRId64 " bytes  %-28s %8.2f GB/s %6" PRId64 " samples\n", key->kind,
               key->dir == DAME_PACK ? "pack" : "unpack", (int64_t) 1 << 2 * key->size_class,
               key->candidate, gb, value->samples);
    }
}

/* Every job would begin with what other programs left of these times. */
static int save(tuning_t *t, double waited)
{
    char busy[200];
    if (*dame_busy_text(busy, sizeof(busy), waited) != '\0') {
        return tool_error(TOOL_WRONG,
                          "%s: not written: %s; run it again when other programs have ended",
                          dame_profile_path(t->profile), busy);
    }
    if (dame_profile_save(t->profile) != DAME_OK) {
        return TOOL_SYSTEM; /* say() has said why */
    }
    printf("%" PRId64 " programs in both directions, written to %s\n", t->programs,
           dame_profile_path(t->profile));
    return TOOL_OK;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {{"profile", required_argument, NULL, 'p'},
                                          {"seconds", required_argument, NULL, 's'},
                                          {"show", no_argument, NULL, 'w'},
                                          {0}};
    const char *where = "auto";
    char cpu[128];
    int64_t seconds = 60;
    int shows = 0;
    tuning_t t = {.programs = 0};
    for (int option; (option = tool_option(argc, argv, ":", longs)) != -1;) {
        if (option == '?' ||
            (option == 's' && tool_number("--seconds", optarg, 0, 3600, &seconds) != TOOL_OK)) {
            return TOOL_USAGE;
        }
        where = option == 'p' ? optarg : where;
        shows |= option == 'w';
    }
    if (tool_operands(argc, argv, 0, 0) != TOOL_OK) {
        return TOOL_USAGE;
    }
    dame_profile_cpu(cpu, sizeof(cpu));
    t.profile = dame_profile_new(where, cpu, say, NULL);
    if (t.profile == NULL) {
        return tool_status_error("tune", DAME_ERR_NOMEM);
    }
    int code = TOOL_OK;
    if (*dame_profile_path(t.profile) == '\0') {
        code = tool_error(TOOL_SYSTEM, "HOME and XDG_CACHE_HOME name no directory; use --profile");
    } else if (shows) {
        printf("%s, %s\n", dame_profile_path(t.profile), cpu);
        (void) dame_profile_each(t.profile, show, NULL);
    } else {
        printf("%s, clock %s: measuring for about %" PRId64 " s\n", cpu, dame_clock_name(),
               seconds);
        fflush(stdout);
        const dame_waited_t before = dame_waited_now();
        code = measure(&t, (double) seconds);
        code = code == TOOL_OK ? save(&t, dame_busy(dame_waited_since(before))) : code;
    }
    dame_profile_free(t.profile);
    return code;
}

const tool_command_t tool_tune = {
    .name = "tune",
    .arguments = "[--seconds S] [--profile WHERE] [--show]",
    .what = "fills this machine's profile: which code is fastest here",
    .help = "  --seconds S      how long to measure, 60 if not given; each program takes its\n"
            "                   turn at least five times in any case\n"
            "  --profile WHERE  a file or a directory; $XDG_CACHE_HOME/dame or\n"
            "                   $HOME/.cache/dame if not given, as in the parameter\n"
            "                   dt_dame_profile\n"
            "  --show           prints what the profile knows, and measures nothing\n"
            "\n"
            "Jobs that use the profile begin with the codes that were fastest. If other\n"
            "programs keep this one from running for 5 % of the time, nothing is written and\n"
            "the exit code is 1. A kind of program is its level that moves most bytes:\n"
            "constant steps, a list or blocks of several lengths; bytes of a block; whether\n"
            "blocks lie near (less than a cache line), far, or a whole set of the first cache\n"
            "apart.\n",
    .run = run,
};
