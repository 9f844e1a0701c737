/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The policy of promotion in a simulated process: arms with known times, samples as on a loaded
 * machine, patterns of reuse that are typical or that an adversary would choose.
 */
#include "measure/policy.h"

#include "suites.h"
#include "test/lib/rng.h"

/* Ticks, as measured: 2 us to compile, 0.1 us for a sample. WARMING: most uses before a batch. */
enum { COST = 5000, SAMPLE = 250, WARMING = 16 };

/* A process that uses one datatype. Times are ticks. */
typedef struct world {
    int32_t arms;
    double ticks[DAME_POLICY_ARMS]; /* of a use; what the policy cannot see */
    double expected;                /* share that the first candidate saves, for the policy */
    double certain;
    double part;        /* of its cost that is repaid first; 0: all */
    double first_ticks; /* expected of a use on the interpreter; 0: right */
    double explore;
    /* Time of use `use` on an arm, and its class; NULL: ticks, one class. */
    double (*time)(const struct world *world, int64_t use, int32_t arm, uint32_t *key);
    double (*noise)(rng_t *rng, double ticks); /* what a sample shows; NULL: the truth */
    dame_added_t (*answer)(int64_t adds, int32_t arm);
    int32_t native;     /* the last arm, when that is the native engine; 0: without one */
    int native_is_mute; /* it can move none of the messages: ours does, and no sample counts */
    uint32_t far;       /* a bit for each arm that has to be ordered */
    double far_cost;    /* ticks */
    int64_t far_uses;   /* until an order comes */
    int evict_after;    /* an added code is evicted this number of uses later; 0: never */
} world_t;

typedef struct result {
    double total;    /* ticks of all uses, compilations and samples */
    double searched; /* of these, those of the search */
    int64_t adds;
    int64_t samples;
    int32_t last; /* the arm that runs at the end */
    int32_t choice;
    int32_t ours;   /* the arm that ran last, except the native engine */
    uint32_t lives; /* a bit for each code that lives at the end */
    int64_t orders;
    int64_t first_order; /* the use */
} result_t;

static double time_of(const world_t *world, int64_t use, int32_t arm, uint32_t *key)
{
    *key = 0;
    return world->time != NULL ? world->time(world, use, arm, key) : world->ticks[arm];
}

typedef struct driver {
    const world_t *world;
    dame_policy_t policy;
    rng_t rng;
    result_t result;
    int32_t current;
    int64_t added_at; /* the use before which `added` came */
    int32_t added;
    int64_t due[DAME_POLICY_ARMS]; /* the use at which an order comes; 0: none */
} driver_t;

static int is_native(const world_t *world, int32_t arm)
{
    return world->native != 0 && arm == world->native;
}

static void do_step(driver_t *driver, const dame_step_t *step, int64_t use)
{
    const world_t *world = driver->world;
    if (step->kind == DAME_STEP_RUN) {
        ck_assert(step->arm == 0 || (driver->result.lives >> step->arm & 1));
        driver->current = step->arm;
        driver->result.ours = is_native(world, step->arm) ? driver->result.ours : step->arm;
    } else if (step->kind == DAME_STEP_ORDER) {
        ck_assert((world->far >> step->arm & 1) && !(driver->result.lives >> step->arm & 1));
        ck_assert_int_eq(driver->due[step->arm], 0);
        driver->due[step->arm] = use + world->far_uses;
        driver->result.first_order += driver->result.orders == 0 ? use : 0;
        driver->result.orders++;
    } else if (step->kind == DAME_STEP_DROP) {
        ck_assert(step->arm != driver->current && step->arm != driver->result.ours);
        ck_assert(!is_native(world, step->arm) && (driver->result.lives >> step->arm & 1));
        driver->result.lives &= ~(1u << step->arm);
    } else {
        ck_assert(step->kind == DAME_STEP_ADD && step->arm > 0 && step->arm < world->arms);
        ck_assert(!(driver->result.lives >> step->arm & 1));
        const dame_added_t answer =
            world->answer != NULL ? world->answer(driver->result.adds, step->arm) : DAME_ADDED;
        const double cost = answer == DAME_ADDED ? COST : COST / 10;
        driver->result.adds++;
        driver->result.total += cost;
        driver->result.lives |= answer == DAME_ADDED ? 1u << step->arm : 0;
        driver->added = answer == DAME_ADDED ? step->arm : 0;
        driver->added_at = use;
        dame_policy_added(&driver->policy, step->arm, answer, cost);
    }
}

/* Carries out the policy's steps before the use begins; returns the last one: to wait, or to take a
 * sample. */
static dame_step_t ask(driver_t *driver, int64_t use, int32_t uses)
{
    dame_step_t step = dame_policy_next(&driver->policy, uses);
    for (int n = 0; step.kind >= DAME_STEP_ORDER; n++) {
        ck_assert_int_lt(n, 100);
        do_step(driver, &step, use);
        step = dame_policy_next(&driver->policy, 0);
    }
    return step;
}

static void evict(driver_t *driver)
{
    driver->result.lives &= ~(1u << driver->added);
    driver->current = driver->current == driver->added ? 0 : driver->current;
    dame_policy_evicted(&driver->policy, driver->added);
    driver->added = 0;
}

/* Returns whether the policy is to be asked: an order has come. */
static int take_orders(driver_t *driver, int64_t use)
{
    const world_t *world = driver->world;
    int come = 0;
    for (int32_t arm = 1; arm < world->arms; arm++) {
        if (driver->due[arm] == 0 || use < driver->due[arm]) {
            continue;
        }
        const dame_added_t answer =
            world->answer != NULL ? world->answer(driver->result.adds, arm) : DAME_ADDED;
        driver->due[arm] = 0;
        driver->result.adds++;
        driver->result.lives |= answer == DAME_ADDED ? 1u << arm : 0;
        driver->result.total += world->far_cost; /* of the process, if not of a message */
        dame_policy_order_done(&driver->policy, arm, answer, world->far_cost);
        come = 1;
    }
    return come;
}

/* One use after the other; the policy is asked when it wants to be. */
static result_t simulate(const world_t *world, int64_t uses, uint64_t seed)
{
    driver_t driver = {.world = world, .rng = rng_seeded(seed, 0)};
    uint32_t key;
    const double first = world->first_ticks > 0 ? world->first_ticks : time_of(world, 0, 0, &key);
    const dame_policy_expect_t expect = {.ticks = first,
                                         .saved = world->expected,
                                         .certain = world->certain,
                                         .cost = COST,
                                         .sample = SAMPLE,
                                         .part = world->part > 0 ? world->part : 1};
    dame_policy_init(&driver.policy, world->arms - (world->native != 0), &expect, world->explore);
    if (world->native != 0) {
        dame_policy_add_native(&driver.policy);
        driver.result.lives = 1u << world->native;
    }
    for (int32_t arm = 1; arm < world->arms; arm++) {
        if (world->far >> arm & 1) {
            dame_policy_cost(&driver.policy, arm, world->far_cost, 1);
        }
    }
    int64_t next = dame_policy_first(&expect, 0), asked = 0;
    for (int64_t use = 1; use <= uses; use++) {
        int measured = 0;
        if (driver.added != 0 && world->evict_after > 0 &&
            use >= driver.added_at + world->evict_after) {
            evict(&driver);
        }
        if (take_orders(&driver, use)) {
            next = use;
        }
        if (use == next) {
            const dame_step_t step = ask(&driver, use, (int32_t) (use - asked));
            measured = step.kind == DAME_STEP_SAMPLE;
            asked = use;
            next = step.uses > 0 ? use + step.uses : -1;
        }
        const int is_mute = is_native(world, driver.current) && world->native_is_mute;
        const double ticks =
            time_of(world, use, is_mute ? driver.result.ours : driver.current, &key);
        driver.result.total += ticks + (measured ? SAMPLE : 0);
        if (!measured && world->time == NULL && world->evict_after == 0 &&
            world->far == 0) { /* all the same */
            const int64_t end = next > use && next <= uses ? next - 1 : uses;
            driver.result.total += (double) (end - use) * ticks;
            use = end;
        }
        if (measured) {
            driver.result.samples++;
        }
        if (measured && !is_mute) {
            dame_policy_sample(&driver.policy, driver.current, key,
                               world->noise != NULL ? world->noise(&driver.rng, ticks) : ticks);
        }
    }
    driver.result.last = driver.current;
    driver.result.choice = dame_policy_choice(&driver.policy);
    driver.result.searched = driver.policy.spent;
    return driver.result;
}

/* The best of never compiling and one arm from the first use on, which all take the same time. */
static double best_fixed(const world_t *world, int64_t uses)
{
    double best = 0;
    for (int32_t arm = 0; arm < world->arms; arm++) {
        double total = arm == 0 ? 0 : COST;
        total += (double) uses * world->ticks[arm];
        best = arm == 0 || total < best ? total : best;
    }
    return best;
}

/* ---- the machine's noise ------------------------------------------------------------------------
 */

/* A few per cent up or down; now and then the thread is preempted, or its caches were taken. */
static double loaded(rng_t *rng, double ticks)
{
    const double spread = 0.96 + 0.0008 * (double) rng_range(rng, 0, 100);
    const int64_t event = rng_range(rng, 0, 999);
    return ticks * spread * (event < 50 ? 2.5 : 1) + (event >= 980 ? 1e7 : 0);
}

/* Every other buffer was in the cache. */
static double two_populations(rng_t *rng, double ticks)
{
    return loaded(rng, ticks) * (double) rng_range(rng, 1, 2);
}

/* ---- reuse -------------------------------------------------------------------------------------
 */

/* Ticks of whole messages as they may be, not measured ones: the interpreter, x, and x with other
 * moves, unrolling and prefetching. */
static const double typical[][5] = {
    {120, 105, 110, 104, 107},             /* 16 doubles in 2 runs */
    {640, 300, 270, 310, 600},             /* 256 of 512 bytes */
    {1100, 420, 430, 640, 400},            /* 64 blocks of a list */
    {2300, 700, 460, 700, 710},            /* NAS_LU_y 162, unpacked */
    {9900, 9950, 9800, 23300, 9900},       /* 64-byte blocks of a permutation */
    {133000, 92000, 133000, 92000, 95000}, /* WRF */
    {5000000, 4600000, 4500000, 5100000, 4600000},
};
enum { TYPICAL = sizeof(typical) / sizeof(typical[0]) };

static world_t world_of(const double *ticks, double explore)
{
    world_t world = {.arms = 5, .explore = explore, .noise = loaded};
    for (int a = 0; a < 5; a++) {
        world.ticks[a] = ticks[a];
    }
    world.expected = ticks[1] < ticks[0] ? 1 - ticks[1] / ticks[0] : 0.3;
    return world;
}

static const int64_t counts[] = {1, 2, 3, 5, 10, 30, 100, 1000, 10000, 100000, 1000000};
enum { COUNTS = sizeof(counts) / sizeof(counts[0]) };

/* A trial, two batches, and the samples of renting, on the slowest arm. */
static double constant(const world_t *world)
{
    double slowest = 0;
    for (int a = 0; a < world->arms; a++) {
        slowest = world->ticks[a] > slowest ? world->ticks[a] : slowest;
    }
    return COST + 3 * DAME_POLICY_BATCH * SAMPLE +
           (DAME_POLICY_BATCH + WARMING) *
               (slowest - world->ticks[0] > 0 ? slowest - world->ticks[0] : 0);
}

TEST(typical_programs_keep_the_bound)
{
    for (int r = 0; r < TYPICAL; r++) {
        for (int c = 0; c < COUNTS; c++) {
            world_t world = world_of(typical[r], 0.01);
            world.part = dame_policy_part((uint64_t) c);
            const result_t result = simulate(&world, counts[c], (uint64_t) r);
            const double best = best_fixed(&world, counts[c]);
            ck_assert_double_le(result.total, 2 * 1.01 * best + constant(&world));
        }
    }
}

/* Without a search and samples that cost: the cost of ski rental alone. */
static double mean_regret(double saved, double break_even, int64_t uses, int is_drawn)
{
    enum { PROGRAMS = 160 };
    double sum = 0;
    world_t world = {.arms = 2, .expected = saved};
    world.ticks[0] = COST / saved / break_even;
    world.ticks[1] = world.ticks[0] * (1 - saved);
    for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
        world.part = is_drawn ? dame_policy_part(seed) : 1;
        const result_t result = simulate(&world, uses, seed);
        sum += (result.total - (double) result.samples * SAMPLE) / best_fixed(&world, uses);
    }
    return sum / PROGRAMS;
}

TEST(on_average_no_number_of_uses_is_bad)
{
    static const double saved[] = {0.1, 0.3, 0.5, 0.7, 0.9};
    const double e = 2.718281828, break_even = 400;
    for (int i = 0; i < 5; i++) {
        double worst = 0, worst_fixed = 0;
        for (int64_t uses = 1; uses < 40000; uses += 1 + uses / 5) {
            const double drawn = mean_regret(saved[i], break_even, uses, 1);
            const double fixed = mean_regret(saved[i], break_even, uses, 0);
            worst = drawn > worst ? drawn : worst;
            worst_fixed = fixed > worst_fixed ? fixed : worst_fixed;
        }
        const double owed = COST + DAME_POLICY_BATCH * SAMPLE; /* a trial also has to be repaid */
        ck_assert_double_le(worst, 1 + owed / COST * saved[i] / (e - 1) * 1.08); /* 16 parts */
        ck_assert_double_ge(worst_fixed, 1 + 0.8 * saved[i]);
    }
}

TEST(parts_of_the_cost_are_spread_as_promised)
{
    enum { PROGRAMS = 10000 };
    int below_half = 0;
    for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
        const double part = dame_policy_part(seed);
        ck_assert(part > 0 && part < 1 && part == dame_policy_part(seed));
        below_half += part < 0.5;
    }
    ck_assert_int_ge(below_half, PROGRAMS * 3 / 10); /* (e^0.5 - 1) / (e - 1) = 0.378 */
    ck_assert_int_le(below_half, PROGRAMS * 4 / 10);
}

TEST(what_is_used_once_or_twice_pays_nothing)
{
    for (int r = 0; r < TYPICAL; r++) {
        for (int uses = 1; uses <= 2; uses++) {
            world_t world = world_of(typical[r], 0.01);
            world.part = dame_policy_part((uint64_t) r);
            ck_assert_double_eq(simulate(&world, uses, 0).total, uses * typical[r][0]);
            world.certain = world.expected; /* the same when a large saving is certain */
            const result_t result = simulate(&world, uses, 0);
            ck_assert_double_le(result.total, uses * typical[r][0]);
            ck_assert_int_eq(result.adds, typical[r][0] - typical[r][1] > COST);
        }
    }
}

/* Is the arm that runs within `margin` of the fastest? */
static int is_good(const world_t *world, const result_t *result, double margin)
{
    for (int a = 0; a < world->arms; a++) {
        if (world->ticks[result->last] > margin * world->ticks[a]) {
            return 0;
        }
    }
    return 1;
}

TEST(the_fastest_is_found_in_noise)
{
    enum { SEEDS = 60 };
    double (*const noises[])(rng_t *, double) = {NULL, loaded, two_populations};
    const double near[] = {1.06, 1.06, 1.12};
    const int most_misses[] = {0, SEEDS * TYPICAL / 100, SEEDS * TYPICAL / 10};
    for (int n = 0; n < 3; n++) {
        int missed = 0;
        for (int i = 0; i < SEEDS * TYPICAL; i++) {
            world_t world = world_of(typical[i % TYPICAL], 0.01);
            world.noise = noises[n];
            const result_t result = simulate(&world, 100000, (uint64_t) i);
            missed += !is_good(&world, &result, near[n]);
            ck_assert(is_good(&world, &result, 1.6));
        }
        ck_assert_int_le(missed, most_misses[n]);
    }
}

TEST(what_is_not_faster_is_demoted)
{
    static const double slower[5] = {1000, 1500, 1200, 1100, 9000};
    static const double equal[5] = {1000, 1000, 1000, 1000, 1000};
    int demoted = 0;
    for (int seed = 0; seed < 100; seed++) {
        for (int e = 0; e < 2; e++) {
            const world_t world = world_of(slower, e == 0 ? 0 : 0.01);
            const result_t result = simulate(&world, 100000, (uint64_t) seed);
            ck_assert_uint_eq(result.lives, result.last == 0 ? 0 : 1u << result.last);
            ck_assert_int_eq(result.adds, e == 0 ? 1 : 4);
            demoted += result.last == 0;
        }
        const world_t world = world_of(equal, 0.01);
        ck_assert_double_le(simulate(&world, 100000, (uint64_t) seed).total, 1.02 * 100000 * 1000);
    }
    ck_assert_int_ge(demoted, 196);
}

TEST(the_search_keeps_to_its_share)
{
    static const double shares[] = {0, 0.001, 0.01, 0.1, 1};
    for (int s = 0; s < 5; s++) {
        for (int r = 0; r < TYPICAL; r++) {
            for (int c = 0; c < COUNTS; c++) {
                const world_t world = world_of(typical[r], shares[s]);
                const result_t result = simulate(&world, counts[c], (uint64_t) c);
                const double batch = DAME_POLICY_BATCH * SAMPLE +
                                     (DAME_POLICY_BATCH + WARMING) * 5 * typical[r][0] + COST;
                ck_assert_double_le(result.searched, shares[s] * result.total * 1.5 + batch);
                ck_assert(shares[s] > 0 || result.adds <= 1);
            }
        }
    }
}

/* ---- the native engine -------------------------------------------------------------------------
 */

/* Ticks of ours, and last of the native engine. */
static world_t world_with_native(const double *ticks, double native)
{
    world_t world = world_of(ticks, 0.01);
    world.native = world.arms++;
    world.ticks[world.native] = native;
    return world;
}

static double fastest_of_ours(const world_t *world)
{
    double best = world->ticks[0];
    for (int a = 1; a < world->native; a++) {
        best = world->ticks[a] < best ? world->ticks[a] : best;
    }
    return best;
}

TEST(the_native_engine_runs_where_it_is_faster)
{
    enum { USES = 1000000, SEEDS = 20 };
    int missed = 0;
    for (int r = 0; r < TYPICAL; r++) {
        for (int seed = 0; seed < SEEDS; seed++) {
            world_t world = world_with_native(typical[r], 0);
            const double ours = fastest_of_ours(&world);
            world.ticks[world.native] = 0.9 * ours;
            const result_t faster = simulate(&world, USES, (uint64_t) seed);
            missed += faster.choice != world.native;
            ck_assert_double_le(world.ticks[faster.ours], 1.1 * ours);
            ck_assert_uint_eq(faster.lives & ~(1u << world.native),
                              faster.ours == 0 ? 0 : 1u << faster.ours);
            world.ticks[world.native] = 1.06 * ours;
            const result_t slower = simulate(&world, USES, (uint64_t) seed);
            ck_assert_int_ne(slower.choice, world.native);
            ck_assert_int_eq(slower.choice, slower.ours);
        }
    }
    ck_assert_int_le(missed, SEEDS * TYPICAL / 50); /* as loaded machines are */
}

TEST(while_the_native_engine_runs_the_fastest_of_ours_is_left_the_rest)
{
    world_t world = {.arms = 12, .explore = 0.01, .expected = 0.3, .native = 11};
    for (int best = 0; best < world.native; best++) {
        for (int a = 0; a < world.native; a++) {
            world.ticks[a] = a == best ? 700 : a == 0 ? 800 : 705 + a;
        }
        world.ticks[world.native] = 500;
        const result_t result = simulate(&world, 3000000, 0);
        ck_assert_int_eq(result.choice, world.native);
        ck_assert_int_eq(result.ours, best);
    }
}

/* By 17 per cent, which a check does not take for a change. */
static double slowing(const world_t *world, int64_t use, int32_t arm, uint32_t *key)
{
    *key = 0;
    return world->ticks[arm] * (use < 50000 ? 1 : 1.17);
}

TEST(a_native_engine_that_was_chosen_stays_when_the_machine_slows_down)
{
    static const double ticks[5] = {9900, 9700, 9900, 9900, 9900};
    world_t world = world_with_native(ticks, 9400);
    world.noise = NULL;
    world.time = slowing;
    const result_t result = simulate(&world, 3000000, 0);
    ck_assert_int_eq(result.choice, world.native);
}

TEST(code_that_is_evicted_while_the_native_engine_runs_is_made_again)
{
    static const double ticks[5] = {11500, 7000, 10100, 10200, 10300};
    world_t world = world_with_native(ticks, 6000);
    world.noise = NULL;
    driver_t driver = {.world = &world};
    const dame_policy_expect_t expect = {
        .ticks = ticks[0], .saved = 0.3, .cost = COST, .sample = SAMPLE, .part = 1};
    dame_policy_init(&driver.policy, world.native, &expect, world.explore);
    dame_policy_add_native(&driver.policy);
    driver.result.lives = 1u << world.native;
    for (int64_t use = 1; use <= 2000000; use++) {
        if (ask(&driver, use, 1).kind == DAME_STEP_SAMPLE) {
            dame_policy_sample(&driver.policy, driver.current, 0, world.ticks[driver.current]);
        }
        if (use == 1000000) {
            ck_assert_int_eq(dame_policy_choice(&driver.policy), world.native);
            ck_assert_int_eq(driver.result.ours, 1);
            driver.added = 1;
            evict(&driver);
            driver.result.ours = 0;
        }
    }
    ck_assert_int_eq(dame_policy_choice(&driver.policy), world.native);
    ck_assert_int_eq(driver.result.ours, 1);
    ck_assert_uint_eq(driver.result.lives, 1u << world.native | 1u << 1);
}

TEST(a_slow_native_engine_costs_no_more_than_the_search_may)
{
    static const double times[] = {1, 2, 5, 30};
    for (int t = 0; t < 4; t++) {
        for (int r = 0; r < TYPICAL; r++) {
            for (int c = 0; c < COUNTS; c++) {
                world_t world = world_with_native(typical[r], times[t] * typical[r][0]);
                world.noise = NULL;
                const result_t result = simulate(&world, counts[c], 0);
                const double batch =
                    (DAME_POLICY_BATCH + WARMING) * (times[t] * typical[r][0] + SAMPLE);
                ck_assert_double_le(result.searched, 0.01 * 1.5 * result.total + batch + COST);
                ck_assert_double_le(result.total, 2 * 1.01 * best_fixed(&world, counts[c]) +
                                                      constant(&world) + batch);
            }
        }
    }
}

TEST(what_the_native_engine_cannot_move_is_no_reason_to_choose_it)
{
    for (int r = 0; r < TYPICAL; r++) {
        world_t world = world_with_native(typical[r], typical[r][0] / 10);
        world.native_is_mute = 1;
        const result_t result = simulate(&world, 1000000, (uint64_t) r);
        ck_assert_int_ge(result.choice, 0);
        ck_assert_int_ne(result.choice, world.native);
    }
}

/* ---- adversaries --------------------------------------------------------------------------------
 */

/* From the 50,000th use on another arm is the fastest. */
static double drifting(const world_t *world, int64_t use, int32_t arm, uint32_t *key)
{
    *key = 0;
    return use < 50000 || arm == 0 ? world->ticks[arm] : world->ticks[5 - arm] * 1.5;
}

TEST(drift_is_noticed)
{
    for (int seed = 0; seed < 20; seed++) {
        world_t world = world_of(typical[1], 0.01);
        world.ticks[0] *= 3;
        world.time = drifting;
        const result_t result = simulate(&world, 500000, (uint64_t) seed);
        ck_assert_int_ge(result.last, 3); /* or 4, which is nearly as fast */
    }
}

/* Bursts of small messages, then of large ones, for which another arm is the fastest. */
static double bursts(const world_t *world, int64_t use, int32_t arm, uint32_t *key)
{
    *key = (uint32_t) (use / 777 % 2);
    return world->ticks[arm] * (*key == 0 ? 1 : arm == 2 ? 20 : 10);
}

TEST(classes_are_weighed_by_their_time)
{
    static const double ticks[5] = {5000, 1000, 800, 1000, 1000};
    int found = 0;
    for (int seed = 0; seed < 40; seed++) {
        world_t world = world_of(ticks, 0.01);
        world.time = bursts;
        found += simulate(&world, 300000, (uint64_t) seed).last != 2;
    }
    ck_assert_int_ge(found, 20);
}

TEST(evicted_code_costs_at_most_what_it_saves)
{
    static const int lives[] = {1, 2, 3, 7, 50, 1000};
    for (int l = 0; l < 6; l++) {
        for (int r = 0; r < TYPICAL; r++) {
            for (int c = 0; c < COUNTS - 1; c++) {
                world_t world = world_of(typical[r], 0.01);
                world.evict_after = lives[l];
                const result_t result = simulate(&world, counts[c], 1);
                const double never = (double) counts[c] * typical[r][0];
                ck_assert_double_le(result.total, 2 * 1.01 * never + constant(&world));
                ck_assert_int_le(result.adds, 4 + 5 * 40);
            }
        }
    }
}

/* Which arms can be compiled: none, the last, or none for want of room. */
static dame_added_t answer_none(int64_t adds, int32_t arm)
{
    (void) adds, (void) arm;
    return DAME_ADDED_NOT;
}

static dame_added_t answer_last(int64_t adds, int32_t arm)
{
    (void) adds;
    return arm == 4 ? DAME_ADDED : DAME_ADDED_NOT;
}

static dame_added_t answer_full(int64_t adds, int32_t arm)
{
    (void) adds, (void) arm;
    return DAME_ADDED_LATER;
}

TEST(what_cannot_be_compiled_is_given_up)
{
    static const struct {
        dame_added_t (*answer)(int64_t adds, int32_t arm);
        int64_t uses, least, most; /* attempts */
        int32_t last;
    } cases[] = {{answer_none, 100000, 4, 4, 0},
                 {answer_last, 100000, 4, 4, 4},
                 {answer_full, 1000000, 1, 29, 0}};
    for (int i = 0; i < 3; i++) {
        world_t world = world_of(typical[2], 0.01);
        world.answer = cases[i].answer;
        const result_t result = simulate(&world, cases[i].uses, 1);
        ck_assert_int_ge(result.adds, cases[i].least);
        ck_assert_int_le(result.adds, cases[i].most);
        ck_assert_int_eq(result.last, cases[i].last);
        ck_assert(result.last > 0 || result.total <= 1.02 * (double) cases[i].uses * typical[2][0]);
    }
}

/* Arm 4, the fastest by far, costs as much as 20,000 uses of the others. */
static world_t world_with_far(uint32_t far)
{
    static const double ticks[5] = {2000, 1000, 1010, 1020, 500};
    world_t world = world_of(ticks, 0.01);
    world.far = far;
    world.far_cost = 2e7;
    world.far_uses = 10000;
    return world;
}

TEST(what_is_far_is_ordered_when_the_time_has_paid_for_it)
{
    for (int seed = 0; seed < 8; seed++) {
        world_t world = world_with_far(1u << 4);
        world.noise = loaded;
        result_t result = simulate(&world, 1500000, (uint64_t) seed);
        ck_assert_int_eq(result.orders, 0);
        result = simulate(&world, 8000000, (uint64_t) seed);
        ck_assert_int_eq(result.orders, 1);
        ck_assert_int_gt(result.first_order, 1900000); /* 1 % of the time by then, less its error */
        ck_assert_int_lt(result.first_order, 2200000);
        ck_assert_int_eq(result.last, 4);
        ck_assert_int_eq(result.choice, 4);
        ck_assert_double_le(result.searched, 0.011 * result.total);
        world.explore = 0;
        ck_assert_int_eq(simulate(&world, 8000000, (uint64_t) seed).orders, 0);
    }
}

static dame_added_t answer_no_room_for_last(int64_t adds, int32_t arm)
{
    (void) adds;
    return arm == 4 ? DAME_ADDED_LATER : DAME_ADDED;
}

/* 1 % of the time has paid for it after 2, for twice as much after another 4 million uses. */
TEST(what_is_far_and_found_no_room_must_be_worth_twice_as_much)
{
    world_t world = world_with_far(1u << 4);
    world.noise = NULL;
    world.answer = answer_no_room_for_last;
    ck_assert_int_eq(simulate(&world, 5500000, 1).orders, 1);
    ck_assert_int_eq(simulate(&world, 8000000, 1).orders, 2);
}

TEST(what_is_far_alone_is_ordered_when_it_would_have_repaid)
{
    world_t world = world_with_far(1u << 1);
    world.arms = 2;
    for (int64_t uses = 1; uses < 1000000; uses = 3 * uses) {
        const result_t result = simulate(&world, uses, 1);
        const double once = world.far_cost + (double) (uses + world.far_uses) * 1000;
        const double never = 2000 * (double) uses;
        ck_assert_int_le(result.orders, 1);
        ck_assert_double_le(result.total, 2.02 * (once < never ? once : never) + constant(&world) +
                                              2000 * (double) world.far_uses);
        ck_assert_msg(result.last == (uses > 31000), "%d uses: %d orders, %d adds, last %d",
                      (int) uses, (int) result.orders, (int) result.adds, (int) result.last);
    }
    world.answer = answer_none;
    result_t result = simulate(&world, 1000000, 1);
    ck_assert_int_eq(result.orders, 1);
    ck_assert_int_eq(result.last, 0);
    world.answer = answer_full;
    result = simulate(&world, 1000000, 1);
    ck_assert_int_ge(result.orders, 2);
    ck_assert_int_lt(result.orders, 10);
    ck_assert_int_eq(result.last, 0);
}

TEST(without_candidates_it_asks_no_more)
{
    world_t world = world_of(typical[2], 0.01);
    world.arms = 1;
    const result_t result = simulate(&world, 100000, 1);
    ck_assert_int_eq(result.adds, 0);
    ck_assert_int_eq(result.samples, 0);
}

/* Random arms, expectations that are wrong both ways, any number of uses. Against never and the
 * first candidate: others can be had only after a search, which its share of the time has to pay
 * for. */
TEST(random_programs_keep_the_bound)
{
    for (uint64_t seed = 0; seed < 3000; seed++) {
        rng_t rng = rng_seeded(seed, 1);
        const double scale = (double) (INT64_C(100) << rng_range(&rng, 0, 12));
        double ticks[5] = {scale, 0, 0, 0, 0};
        for (int a = 1; a < 5; a++) {
            ticks[a] = scale * 0.01 * (double) rng_range(&rng, 10, 150);
        }
        world_t world = world_of(ticks, 0.01);
        world.noise = NULL;
        world.expected = 0.01 * (double) rng_range(&rng, 5, 90);
        const int64_t uses = INT64_C(1) << rng_range(&rng, 0, 17);
        const double saves = 1 - ticks[1] / ticks[0];
        const double wrong = saves > world.expected ? saves / world.expected
                             : saves > 0            ? world.expected / saves
                                                    : 1;
        const double total = simulate(&world, uses, seed).total;
        world.arms = 2;
        ck_assert_double_le(total, (1 + wrong) * 1.01 * best_fixed(&world, uses) +
                                       2 * constant(&world) + 2 * scale);
    }
}

SUITE_OF(policy, 1, NULL, NULL)
