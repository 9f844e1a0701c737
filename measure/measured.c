/* SPDX-License-Identifier: BSD-3-Clause */
#include "measured.h"

#include <string.h>

#include "base/heap.h"

/*
 * The expected cost of a program without any measurement, in nanoseconds; measured on Zen 4 and
 * Emerald Rapids. Before a use was timed, so little is certain to be saved that a compilation in
 * vain costs less than two per cent.
 */
static const double FIRST_BYTE_NS = 30;
static const double BYTE_NS = 0.1;
static const double SAVED = 0.3;
static const double CERTAIN = 0.02;
static const double LEAST_SAVED = 0.02; /* of what the profile calls no faster: asked again, late */
static const double SAMPLE_NS = 100;
static const double BRIEF_NS = 1000; /* uses up to this are timed with repetitions, about as long */
static const double FIRST_COMPILATION_NS = 20000; /* of the process */
static const double COMPILATION_NS = 2000;

static double ticks_of(double ns)
{
    return ns * 1e-9 * (double) dame_clock_hz();
}

/* Datatypes that are made for different places differ in one of these, at least. */
static uint64_t seed_of(const dame_program_t *program, dame_dir_t dir)
{
    const int64_t facts[] = {dir,
                             program->size,
                             program->extent,
                             program->true_lb,
                             program->true_ub,
                             program->prims[0].count,
                             program->prims[program->nprims - 1].step,
                             program->nprims};
    uint64_t seed = 0;
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        seed = (seed ^ seed >> 29 ^ (uint64_t) facts[i]) * UINT64_C(0xbf58476d1ce4e5b9);
    }
    return seed;
}

/* In nanoseconds. */
static dame_policy_expect_t expect(int64_t bytes, double cost)
{
    return (dame_policy_expect_t){.ticks = FIRST_BYTE_NS + BYTE_NS * (double) bytes,
                                  .saved = SAVED,
                                  .certain = CERTAIN,
                                  .cost = cost,
                                  .sample = SAMPLE_NS,
                                  .part = 1};
}

int32_t dame_measured_first(int64_t bytes)
{
    const dame_policy_expect_t expected = expect(bytes, COMPILATION_NS);
    return dame_policy_first(&expected, 0);
}

static double cost_now(const dame_costs_t *costs)
{
    return costs->compilations > 1    ? costs->compile_ns
           : costs->compilations == 1 ? COMPILATION_NS
                                      : FIRST_COMPILATION_NS;
}

/* What the compiler took, in nanoseconds. A compilation that took many times as long as was
 * expected was interrupted: the system ran something else for milliseconds. */
static double count_compilation(dame_costs_t *costs, int64_t ns)
{
    enum { MOST = 64 /* that the mean remembers */, TIMES = 10 };
    const double most = TIMES * cost_now(costs), taken = (double) ns < most ? (double) ns : most;
    costs->compilations += costs->compilations < MOST;
    if (costs->compilations > 1) {
        const double mean = costs->compilations == 2 ? taken : costs->compile_ns;
        costs->compile_ns = mean + (taken - mean) / (double) (costs->compilations - 1);
    }
    return taken;
}

int32_t dame_measured_more(const dame_costs_t *costs, int64_t bytes, int32_t uses)
{
    const dame_policy_expect_t expected = expect(bytes, cost_now(costs));
    return dame_policy_first(&expected, uses - 1) - 1;
}

/* ---- Code that takes long to compile ---- */

static const double FILE_NS = 10000; /* to install it from the code cache: the figure background */
static const double SLOW_COMPILATION_NS = 3e7; /* with libraries to load first */

static dame_profile_key_t slow_key(void)
{
    return (dame_profile_key_t){.kind = "compile", .candidate = "l", .dir = DAME_PACK};
}

static double slow_cost(const dame_costs_t *costs)
{
    dame_profile_value_t value;
    const dame_profile_key_t key = slow_key();
    return costs->profile != NULL && dame_profile_find(costs->profile, &key, &value)
               ? (double) value.mean
               : SLOW_COMPILATION_NS;
}

static void learn_slow_cost(const dame_costs_t *costs, int64_t ns)
{
    const dame_profile_key_t key = slow_key();
    if (costs->profile != NULL) {
        dame_profile_add(costs->profile, &key, &(dame_profile_value_t){ns, 1});
    }
}

static int is_slow(const dame_costs_t *costs, const dame_candidate_t *candidate)
{
    return candidate->provider == costs->slow_provider;
}

/* Leaves out what cannot be had. Returns how many are left. */
static int32_t keep_those_to_be_had(const dame_costs_t *costs, const dame_program_t *program,
                                    dame_dir_t dir, int has_files, dame_candidate_t *candidates,
                                    int32_t n)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < n; i++) {
        if (!is_slow(costs, &candidates[i]) || costs->slow != DAME_SLOW_CACHED ||
            (has_files && dame_jit_has(costs->jit, program, dir, &candidates[i]))) {
            candidates[kept++] = candidates[i];
        }
    }
    return kept;
}

/* The cost of getting the code of an arm; `compiled`: ticks, if it is in no file. */
static void set_slow_cost(const dame_costs_t *costs, dame_measured_t *measured,
                          const dame_program_t *program, dame_dir_t dir, int has_files,
                          double compiled, int32_t arm)
{
    if (has_files && dame_jit_has(costs->jit, program, dir, &measured->candidates[arm - 1])) {
        dame_policy_cost(&measured->policy, arm, ticks_of(FILE_NS), 0);
    } else {
        dame_policy_cost(&measured->policy, arm, compiled, costs->slow == DAME_SLOW_BACKGROUND);
    }
}

/* ---- The profile ---- */

_Static_assert((int) DAME_PROFILE_NAME == (int) DAME_CANDIDATE_NAME, "names of codes");

/* Returns the key of a record without a code. */
static dame_profile_key_t key_of(const dame_program_t *program, dame_dir_t dir, int64_t bytes)
{
    dame_profile_key_t key = {.dir = dir, .size_class = dame_profile_class(bytes)};
    dame_profile_kind(program, key.kind);
    return key;
}

/* Measurements of the codes of programs of one kind. */
typedef struct codes {
    dame_profile_code_t at[4 * DAME_POLICY_ARMS]; /* other programs of the kind may have others */
    int32_t n;
} codes_t;

/* Ticks of a message with that code, 0: not known. */
static double known(const codes_t *codes, int64_t bytes, const char *code)
{
    for (int32_t i = 0; i < codes->n; i++) {
        if (strcmp(codes->at[i].candidate, code) == 0) {
            return (double) codes->at[i].value.mean * (double) bytes / (1 << 20);
        }
    }
    return 0;
}

/* The candidates that are known come first, the fastest first. Returns the fastest one's ticks, or
 * 0 if none is known. */
static double sort_candidates(dame_jit_t *jit, dame_candidate_t *candidates, int32_t n,
                              const codes_t *codes, int64_t bytes)
{
    double ticks[DAME_POLICY_CANDIDATES];
    for (int32_t i = 0; i < n; i++) {
        char name[DAME_CANDIDATE_NAME];
        const dame_candidate_t candidate = candidates[i];
        const double mine = known(codes, bytes, dame_jit_candidate_name(jit, &candidate, name));
        int32_t at = i;
        for (; at > 0 && mine > 0 && (ticks[at - 1] == 0 || mine < ticks[at - 1]); at--) {
            ticks[at] = ticks[at - 1];
            candidates[at] = candidates[at - 1];
        }
        ticks[at] = mine;
        candidates[at] = candidate;
    }
    return n > 0 ? ticks[0] : 0;
}

/* Expects what the profile knows of programs of this kind. */
static void ask_profile(const dame_costs_t *costs, dame_measured_t *measured,
                        dame_policy_expect_t *expected, int32_t n, const dame_program_t *program,
                        dame_dir_t dir, int64_t bytes)
{
    const int wanted = costs->profile != NULL && bytes > 0;
    codes_t *codes = wanted ? dame_heap_alloc(sizeof(*codes)) : NULL; /* stacks may be small */
    if (codes == NULL) {
        return;
    }
    const dame_profile_key_t key = key_of(program, dir, bytes);
    codes->n = dame_profile_find_all(costs->profile, &key, codes->at,
                                     (int32_t) (sizeof(codes->at) / sizeof(codes->at[0])));
    const double interpreted = known(codes, bytes, "interp");
    const double best =
        codes->n > 0 ? sort_candidates(costs->jit, measured->candidates, n, codes, bytes) : 0;
    dame_heap_free(codes);
    if (interpreted > 0) {
        expected->ticks = interpreted;
    }
    if (interpreted > 0 && best > 0) {
        const double saved = best < interpreted ? 1 - best / interpreted : 0;
        expected->certain = saved;
        expected->saved = saved > LEAST_SAVED ? saved : LEAST_SAVED;
    }
}

/* About the bytes of messages of a class (dame_measured_class()). */
static int64_t bytes_of_class(uint32_t key)
{
    return (INT64_C(1) << (key >> 4)) / 8 * (9 + 2 * (key >> 2 & 3));
}

const char *dame_measured_name(const dame_costs_t *costs, const dame_measured_t *measured,
                               int32_t arm, char name[DAME_CANDIDATE_NAME])
{
    return arm == 0 ? strcpy(name, "interp")
           : arm == measured->policy.native
               ? strcpy(name, costs->native)
               : dame_jit_candidate_name(costs->jit, &measured->candidates[arm - 1], name);
}

double dame_measured_cost(const dame_measured_t *measured, int32_t arm)
{
    const dame_policy_t *policy = &measured->policy;
    double ticks = 0, bytes = 0;
    for (int class = 0; class < DAME_POLICY_CLASSES; class ++) {
        if (policy->arms[arm].batches[class] > 0) {
            ticks += (double) (policy->weight[class] * policy->arms[arm].mean[class]);
            bytes += (double) policy->weight[class] * (double) bytes_of_class(policy->key[class]);
        }
    }
    return bytes > 0 ? ticks / bytes : 0;
}

void dame_measured_learn(const dame_costs_t *costs, const dame_measured_t *measured,
                         const dame_program_t *program, dame_dir_t dir)
{
    const dame_policy_t *policy = &measured->policy;
    if (costs->profile == NULL) {
        return;
    }
    dame_profile_key_t of = key_of(program, dir, 0);
    for (int32_t i = 0; i < policy->narms * DAME_POLICY_CLASSES; i++) {
        const int32_t arm = i / DAME_POLICY_CLASSES, class = i % DAME_POLICY_CLASSES;
        const uint32_t key = policy->key[class];
        const int64_t bytes = bytes_of_class(key);
        const int batches = policy->arms[arm].batches[class];
        const int is_ours = arm < policy->native; /* the native engine knows other kinds */
        if (is_ours && batches > 0 && bytes > 0 && (key & 2) != 0) { /* whole messages */
            of.size_class = dame_profile_class(bytes);
            (void) dame_measured_name(costs, measured, arm, of.candidate);
            const double mean = (double) policy->arms[arm].mean[class] * (1 << 20) / (double) bytes;
            dame_profile_add(costs->profile, &of,
                             &(dame_profile_value_t){(int64_t) mean, batches * DAME_POLICY_BATCH});
        }
    }
}

/* ---- A program ---- */

dame_measured_t *dame_measured_new(const dame_costs_t *costs, const dame_program_t *program,
                                   dame_dir_t dir, int64_t bytes, double explore, int has_native)
{
    dame_jit_t *jit = costs->jit;
    const int has_slow = costs->slow_provider >= 0;
    dame_measured_t *measured = dame_heap_zalloc(sizeof(*measured));
    if (measured == NULL) {
        return NULL;
    }
    dame_policy_expect_t expected = expect(bytes, cost_now(costs));
    expected.ticks = ticks_of(expected.ticks);
    expected.cost = ticks_of(expected.cost);
    expected.sample = ticks_of(expected.sample);
    expected.part = dame_policy_part(seed_of(program, dir));
    const int has_files = has_slow && dame_jit_has_any(jit, program, dir);
    const int32_t candidates = keep_those_to_be_had(
        costs, program, dir, has_files, measured->candidates,
        dame_jit_candidates(jit, program, dir, measured->candidates, DAME_POLICY_CANDIDATES));
    ask_profile(costs, measured, &expected, candidates, program, dir, bytes);
    const double brief = ticks_of(BRIEF_NS);
    if (expected.ticks < brief) {
        const double least = DAME_LEAST_REPEATS * expected.ticks;
        expected.more = least > brief ? least : brief;
    }
    dame_policy_init(&measured->policy, 1 + candidates, &expected, explore);
    if (has_native) {
        dame_policy_add_native(&measured->policy);
    }
    const double compiled = has_slow ? ticks_of(slow_cost(costs)) : 0;
    for (int32_t arm = 1; arm <= candidates; arm++) {
        if (is_slow(costs, &measured->candidates[arm - 1])) {
            set_slow_cost(costs, measured, program, dir, has_files, compiled, arm);
        }
    }
    measured->evictions = dame_jit_evictions(jit);
    return measured;
}

/* ---- What happened ---- */

static void tell_sample(dame_measured_t *measured)
{
    const uint64_t sample = atomic_exchange_explicit(&measured->sample, 0, memory_order_relaxed);
    const uint32_t runs = atomic_load_explicit(&measured->runs, memory_order_relaxed);
    if (sample != 0 && sample >> 48 == (runs & 0xffff)) {
        dame_policy_sample(&measured->policy, measured->policy.current,
                           (uint32_t) (sample >> 32) & 0xffff, (double) (uint32_t) sample);
    }
}

static void change_runs(dame_measured_t *measured)
{
    const uint32_t runs = atomic_load_explicit(&measured->runs, memory_order_relaxed);
    const int native = measured->policy.current == measured->policy.native;
    atomic_store_explicit(&measured->runs, (runs | 1) + 1 + (uint32_t) native,
                          memory_order_relaxed);
}

static void tell_evictions(const dame_costs_t *costs, dame_measured_t *measured,
                           dame_program_t *program, dame_dir_t dir)
{
    dame_jit_t *jit = costs->jit;
    const int64_t evictions = dame_jit_evictions(jit);
    if (evictions == measured->evictions) {
        return;
    }
    measured->evictions = evictions;
    for (int32_t arm = 1; arm < measured->policy.native; arm++) {
        if (measured->policy.arms[arm].lives &&
            dame_jit_rank_of(jit, program, dir, &measured->candidates[arm - 1]) < 0) {
            dame_policy_evicted(&measured->policy, arm);
            change_runs(measured);
            if (is_slow(costs, &measured->candidates[arm - 1])) {
                set_slow_cost(costs, measured, program, dir, 1, ticks_of(slow_cost(costs)), arm);
            }
        }
    }
}

/* ---- What to do ---- */

static dame_added_t added_of(dame_status_t status)
{
    switch (status) {
    case DAME_OK:
        return DAME_ADDED;
    case DAME_ERR_FULL:
    case DAME_ERR_BUSY:
    case DAME_ERR_NOMEM:
        return DAME_ADDED_LATER;
    default:
        return DAME_ADDED_NOT;
    }
}

static dame_status_t add_measured(dame_costs_t *costs, dame_measured_t *measured,
                                  dame_program_t *program, dame_dir_t dir, const char *name,
                                  int32_t arm)
{
    dame_jit_t *jit = costs->jit;
    const dame_candidate_t *candidate = &measured->candidates[arm - 1];
    const int slow = is_slow(costs, candidate);
    const int from_file = slow && costs->slow != DAME_SLOW_INLINE;
    int64_t ns = 0;
    const dame_status_t status = from_file ? dame_jit_find(jit, program, dir, candidate, name, &ns)
                                           : dame_jit_add(jit, program, dir, candidate, name, &ns);
    const double taken = status == DAME_OK && !slow ? count_compilation(costs, ns) : (double) ns;
    dame_policy_added(&measured->policy, arm, added_of(status), ticks_of(taken));
    if (from_file && costs->slow == DAME_SLOW_BACKGROUND && status == DAME_ERR_BUSY) {
        /* no good file */
        dame_policy_cost(&measured->policy, arm, ticks_of(slow_cost(costs)), 1);
    }
    return status;
}

void dame_measured_order_done(const dame_costs_t *costs, dame_measured_t *measured,
                              const dame_candidate_t *candidate, dame_status_t status, int64_t ns,
                              int is_compiled)
{
    int32_t arm = 1;
    while (arm < measured->policy.native &&
           (measured->candidates[arm - 1].provider != candidate->provider ||
            measured->candidates[arm - 1].variant != candidate->variant)) {
        arm++;
    }
    if (arm < measured->policy.native) {
        if (is_compiled) {
            learn_slow_cost(costs, ns);
        }
        dame_policy_order_done(&measured->policy, arm, added_of(status), ticks_of((double) ns));
    }
}

/* The arm runs, in place of `before`, which is not the native engine. Returns 0: its code has been
 * evicted meanwhile. */
static int run_step(dame_measured_t *measured, dame_jit_t *jit, dame_program_t *program,
                    dame_dir_t dir, int32_t before, int32_t arm)
{
    if (arm == measured->policy.native) {
        change_runs(measured);
        return 1;
    }
    const int lives =
        arm == 0 || dame_jit_rank(jit, program, dir, &measured->candidates[arm - 1], 1);
    if (before != 0 && before != arm) {
        (void) dame_jit_rank(jit, program, dir, &measured->candidates[before - 1], 0);
    }
    change_runs(measured);
    if (!lives) {
        dame_policy_evicted(&measured->policy, arm);
    }
    return lives;
}

dame_measured_result_t dame_measured_event(dame_costs_t *costs, dame_measured_t *measured,
                                           dame_program_t *program, dame_dir_t dir,
                                           const char *name, int32_t uses)
{
    dame_jit_t *jit = costs->jit;
    dame_policy_t *policy = &measured->policy;
    dame_measured_result_t result = {.status = DAME_OK};
    tell_evictions(costs, measured, program, dir);
    tell_sample(measured);
    int32_t before = policy->fallback;
    dame_step_t step = dame_policy_next(policy, uses);
    while (step.kind >= DAME_STEP_ORDER) {
        if (step.kind == DAME_STEP_ADD) {
            const dame_status_t status =
                add_measured(costs, measured, program, dir, name, step.arm);
            result.status = status == DAME_OK ? result.status : status;
            if (status == DAME_ERR_DENIED) {
                return result;
            }
        } else if (step.kind == DAME_STEP_RUN) {
            const int lives = run_step(measured, jit, program, dir, before, step.arm);
            result.compiled |= lives && policy->fallback != before && policy->fallback != 0;
        } else if (step.kind == DAME_STEP_ORDER) {
            result.orders = 1; /* one at a time */
            result.order = measured->candidates[step.arm - 1];
            step = (dame_step_t){.kind = DAME_STEP_WAIT, .uses = 1};
            break;
        } else {
            dame_jit_drop(jit, program, dir, &measured->candidates[step.arm - 1]);
        }
        before = policy->fallback;
        step = dame_policy_next(policy, 0);
    }
    result.sample = step.kind == DAME_STEP_SAMPLE;
    /* Before the search, few uses may follow, and without one nothing pays for repetitions. */
    const int repeats = policy->searching && policy->explore > 0;
    atomic_store_explicit(&measured->brief, repeats ? (int64_t) ticks_of(BRIEF_NS) : 0,
                          memory_order_relaxed);
    result.uses = step.uses;
    result.settled = dame_policy_choice(policy) >= 0;
    result.native = policy->current == policy->native;
    return result;
}
