/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy.h"

#include <string.h>

#include "arms.h"
#include "samples.h"

enum {
    ATTEMPTS = 4 * DAME_POLICY_BATCH, /* samples asked for before a batch ends unfilled */
    FIRST_USES = 3                    /* before that it compiles only if the gain is certain */
};

static const double BEHIND = 1.5; /* times the best's time: leaves within the first round */

/* ---- steps ---- */

static dame_step_t wait_for(double uses)
{
    const int32_t n = uses < 1 ? 1 : uses < INT32_MAX ? (int32_t) uses : INT32_MAX;
    return (dame_step_t){.kind = DAME_STEP_WAIT, .uses = n};
}

/* What the native engine cannot move is moved by the fastest other arm, so that runs first. */
static dame_step_t run_arm(dame_policy_t *policy, int32_t arm)
{
    if (arm == policy->native) {
        const int32_t fastest = dame_arms_fastest_fallback(policy);
        arm = policy->fallback != fastest ? fastest : arm;
    }
    policy->fallback = (int8_t) (arm != policy->native ? arm : policy->fallback);
    policy->current = (int8_t) arm;
    return (dame_step_t){.kind = DAME_STEP_RUN, .arm = arm};
}

static dame_step_t add_sample(dame_policy_t *policy, int32_t arm)
{
    policy->trying = (int8_t) arm;
    return (dame_step_t){.kind = DAME_STEP_ADD, .arm = arm};
}

static void begin_batch(dame_policy_t *policy, int32_t arm)
{
    policy->phase = DAME_PHASE_TRY;
    policy->trying = (int8_t) arm;
    policy->nbatch = 0;
    policy->attempts = 0;
    policy->cold = 1;
}

/* ---- rent ---- */

/* Uses that count towards the cost of compiling. */
static double uses_of(const dame_policy_t *policy)
{
    return policy->rented > policy->promised ? policy->rented : policy->promised;
}

static dame_step_t order(dame_policy_t *policy, int32_t arm)
{
    policy->arms[arm].far = DAME_ORDERED;
    policy->spent += policy->phase == DAME_PHASE_RENT ? 0 : dame_arms_cost(policy, arm);
    return (dame_step_t){.kind = DAME_STEP_ORDER, .arm = arm};
}

/* Share of the interpreter's time that an arm saves. */
static double saved_by(const dame_policy_t *policy, int32_t arm)
{
    const double ratio = dame_samples_relative(policy, arm, 0);
    if (ratio > 0) {
        return 1 - ratio;
    }
    return uses_of(policy) < FIRST_USES ? policy->expect.certain : policy->expect.saved;
}

/* Returns whether it is time. Before a use was measured only when the whole cost is repaid; after a
 * single sample never, since that may be of an interrupted use. What the user announces is all
 * there will be, so a part is not enough of it. */
static int is_repaid(const dame_policy_t *policy, double owed, double each)
{
    const int is_measured = dame_policy_ticks(policy, 0) > 0 || policy->nbatch > 1;
    const double part = is_measured && policy->promised == 0 ? policy->expect.part : 1;
    return part * owed <= uses_of(policy) * each && policy->nbatch != 1;
}

static dame_step_t search(dame_policy_t *policy);

/* There is nothing to compile. */
static dame_step_t rent_alone(dame_policy_t *policy)
{
    if (policy->native == policy->narms || policy->explore <= 0) {
        return (dame_step_t){.kind = DAME_STEP_WAIT, .uses = 0};
    }
    policy->searching = 1;
    return policy->rented < FIRST_USES ? wait_for(FIRST_USES - policy->rented) : search(policy);
}

static dame_step_t rent(dame_policy_t *policy)
{
    const int32_t arm = dame_arms_candidate(policy);
    if (policy->current != 0) {
        return run_arm(policy, 0);
    }
    if (arm == 0) {
        return rent_alone(policy);
    }
    const double each = dame_arms_ticks_now(policy) * saved_by(policy, arm);
    const double owed = dame_arms_cost(policy, arm) + DAME_POLICY_BATCH * policy->expect.sample;
    const int is_ordered = policy->arms[arm].far == DAME_ORDERED;
    if (is_repaid(policy, owed, each) && !is_ordered) {
        return policy->arms[arm].far ? order(policy, arm) : add_sample(policy, arm);
    }
    const double part = policy->promised == 0 ? policy->expect.part : 1;
    const double wanted =
        is_ordered ? dame_arms_cost(policy, arm) : part * owed - policy->rented * each;
    dame_step_t step = wait_for(each > 0 ? wanted / each : INT32_MAX);
    if (policy->rented < FIRST_USES) {
        step = wait_for(FIRST_USES - policy->rented);
    } else if (dame_policy_ticks(policy, 0) == 0) {
        step.kind = DAME_STEP_SAMPLE;
        step.uses =
            policy->nbatch == 0 ? 1 : step.uses - step.uses / 2; /* some before it is repaid */
    }
    return step;
}

/* ---- search ---- */

/* Ticks of all uses, those that are promised included. */
static double time_of_arm(const dame_policy_t *policy)
{
    const double promised =
        policy->promised > 0 ? policy->promised * dame_arms_ticks_now(policy) : 0;
    return policy->elapsed > promised ? policy->elapsed : promised;
}

static dame_step_t measure_arm(dame_policy_t *policy, int32_t arm);

static dame_step_t rest(dame_policy_t *policy)
{
    policy->phase = DAME_PHASE_REST;
    const int is_outdated =
        policy->best == policy->native && policy->fallback != dame_arms_fastest_fallback(policy);
    if (policy->current != policy->best || is_outdated) {
        return run_arm(policy, policy->best);
    }
    const int32_t arm = dame_arms_useless(policy);
    if (arm != 0) {
        policy->arms[arm].lives = 0;
        return (dame_step_t){.kind = DAME_STEP_DROP, .arm = arm};
    }
    if (policy->explore <= 0) {
        return (dame_step_t){.kind = DAME_STEP_WAIT, .uses = 0};
    }
    const double due = 2 * policy->checked - policy->elapsed;
    if (due > 0) {
        return wait_for(due / dame_arms_ticks_now(policy));
    }
    policy->checking = 1;
    return measure_arm(policy, policy->best);
}

static dame_step_t search(dame_policy_t *policy)
{
    policy->phase = DAME_PHASE_SEARCH;
    policy->best = (int8_t) dame_arms_fastest(policy);
    while (policy->round < DAME_ROUNDS && policy->explore > 0) {
        const int32_t arm = dame_arms_wanting(policy);
        if (arm < 0) {
            dame_arms_halve(policy);
            continue;
        }
        const double lacking =
            dame_arms_price(policy, arm) + policy->spent - policy->explore * time_of_arm(policy);
        if (lacking <= 0) {
            return arm == 0 || policy->arms[arm].lives ? measure_arm(policy, arm)
                                                       : add_sample(policy, arm);
        }
        return policy->current != policy->best
                   ? run_arm(policy, policy->best)
                   : wait_for(lacking / (policy->explore * dame_arms_ticks_now(policy)));
    }
    if (policy->arms[0].tried == 0) { /* even without a search, slower code is demoted */
        return measure_arm(policy, 0);
    }
    for (int32_t a = 0; a < policy->narms; a++) {
        policy->arms[a].in &= a == policy->best;
    }
    policy->checked = policy->elapsed;
    return rest(policy);
}

/* At rest, instead of waiting: the next arm that has to be ordered, when `explore` of the time pays
 * for it. */
static dame_step_t or_order(dame_policy_t *policy, dame_step_t step)
{
    int32_t a = 1;
    while (a < policy->narms && (policy->arms[a].far != DAME_FAR || policy->arms[a].failed)) {
        a++;
    }
    if (a == policy->narms || step.kind != DAME_STEP_WAIT || policy->phase != DAME_PHASE_REST ||
        policy->explore <= 0) {
        return step;
    }
    const double lacking =
        dame_arms_cost(policy, a) + policy->spent - policy->explore * time_of_arm(policy);
    if (lacking <= 0) {
        return order(policy, a);
    }
    const dame_step_t until = wait_for(lacking / (policy->explore * dame_arms_ticks_now(policy)));
    return step.uses == 0 || until.uses < step.uses ? until : step;
}

/* ---- batches ---- */

static int is_hopeless(const dame_policy_t *policy)
{
    const double best = dame_policy_ticks(policy, policy->best);
    int n = 0;
    for (int i = 0; i < policy->nbatch; i++) {
        n += best > 0 && (double) policy->batch_ticks[i] > DAME_HOPELESS * best;
    }
    return n >= 2 && n == policy->nbatch;
}

/* Returns whether the arm that was chosen has another speed than then, or its messages are of
 * another kind. */
static int has_changed(const dame_policy_t *policy)
{
    float ticks[DAME_POLICY_BATCH];
    int changed = 0, same = 0;
    for (int c = 0; c < DAME_POLICY_CLASSES; c++) {
        const int n = dame_samples_of(policy, c, ticks);
        if (n > 0) {
            const dame_policy_arm_t *arm = &policy->arms[policy->trying];
            const double mean = arm->batches[c] > 0 ? (double) arm->mean[c] : 0;
            const double now = dame_samples_mean(ticks, n);
            const int is_same = now < mean * DAME_POLICY_DRIFT && now > mean / DAME_POLICY_DRIFT;
            *(is_same ? &same : &changed) += n;
        }
    }
    return changed > same;
}

static void search_anew(dame_policy_t *policy)
{
    for (int32_t a = 0; a < policy->narms; a++) {
        dame_policy_arm_t *arm = &policy->arms[a];
        memset(arm->batches, 0, sizeof(arm->batches));
        arm->tried = 0;
        arm->in = !arm->failed && !arm->far;
    }
    policy->round = 0;
}

static void end_batch(dame_policy_t *policy)
{
    const int32_t tried = policy->trying;
    dame_policy_arm_t *arm = &policy->arms[tried];
    const int n = policy->nbatch;
    if (policy->checking && has_changed(policy)) {
        search_anew(policy);
    }
    policy->checking = 0;
    if (arm->tried == 0) { /* what renting and the trial measured was a start */
        memset(arm->batches, 0, sizeof(arm->batches));
    }
    dame_samples_fold(policy, tried);
    arm->tried += policy->searching;
    if (policy->searching) {
        policy->spent += dame_arms_price_of_samples(policy, tried, n);
    }
    policy->searching = 1;
    const int is_behind = arm->tried > 1 && arm->tried <= DAME_FIRST_ROUND &&
                          dame_samples_relative(policy, tried, policy->best) > BEHIND;
    if (tried != policy->best && (n == 0 || is_behind)) {
        arm->in = 0;
    }
    policy->nbatch = 0;
}

/* Takes the next sample of the batch, or ends it. */
static dame_step_t sample(dame_policy_t *policy)
{
    if (policy->trying != 0 && !policy->arms[policy->trying].lives) {
        policy->checking = 0;
        return search(policy);
    }
    if (policy->current != policy->trying) {
        return run_arm(policy, policy->trying);
    }
    if (policy->cold) {
        policy->cold = 0;
        return wait_for(dame_arms_warming_uses(policy));
    }
    if (policy->nbatch < DAME_POLICY_BATCH && policy->attempts < ATTEMPTS && !is_hopeless(policy)) {
        policy->attempts++;
        return (dame_step_t){.kind = DAME_STEP_SAMPLE, .uses = 1};
    }
    if (policy->checking == 1 && has_changed(policy)) { /* if it is again, it is not noise */
        policy->checking = 2;
        return measure_arm(policy, policy->trying);
    }
    end_batch(policy);
    return search(policy);
}

static dame_step_t measure_arm(dame_policy_t *policy, int32_t arm)
{
    begin_batch(policy, arm);
    return sample(policy);
}

/* ---- events ---- */

void dame_policy_init(dame_policy_t *policy, int32_t narms, const dame_policy_expect_t *expect,
                      double explore)
{
    *policy = (dame_policy_t){
        .narms = (int8_t) narms, .native = (int8_t) narms, .expect = *expect, .explore = explore};
    for (int32_t a = 0; a < narms; a++) {
        policy->arms[a].in = 1;
    }
}

double dame_policy_part(uint64_t seed)
{
    /* ln(1 + (e - 1) u) for u = 1/32, 3/32 ... 31/32 */
    static const double parts[] = {0.052, 0.149, 0.238, 0.319, 0.394, 0.464, 0.529, 0.591,
                                   0.648, 0.703, 0.755, 0.804, 0.851, 0.896, 0.939, 0.980};
    const uint64_t mixed = (seed ^ seed >> 32) * UINT64_C(0x9e3779b97f4a7c15); /* of Fibonacci */
    return parts[mixed >> 60];
}

void dame_policy_add_native(dame_policy_t *policy)
{
    policy->narms++;
    policy->arms[policy->native].in = 1;
    policy->arms[policy->native].lives = 1;
}

void dame_policy_promise(dame_policy_t *policy, double uses)
{
    policy->promised = uses > policy->promised ? uses : policy->promised;
}

dame_step_t dame_policy_next(dame_policy_t *policy, int32_t uses)
{
    policy->elapsed += uses * dame_arms_ticks_now(policy);
    switch (policy->phase) {
    case DAME_PHASE_RENT:
        policy->rented += uses;
        return rent(policy);
    case DAME_PHASE_TRY:
        return or_order(policy, sample(policy));
    case DAME_PHASE_SEARCH:
        return or_order(policy, search(policy));
    default:
        return or_order(policy, rest(policy));
    }
}

void dame_policy_cost(dame_policy_t *policy, int32_t arm, double cost, int far)
{
    policy->arms[arm].cost = (float) cost;
    policy->arms[arm].far = far ? DAME_FAR : DAME_AT_HAND;
    policy->arms[arm].in &= !far;
}

void dame_policy_sample(dame_policy_t *policy, int32_t arm, uint32_t key, double ticks)
{
    if (arm != policy->current || policy->nbatch == DAME_POLICY_BATCH ||
        (policy->phase != DAME_PHASE_RENT && policy->phase != DAME_PHASE_TRY)) {
        return;
    }
    policy->batch_class[policy->nbatch] = (uint8_t) dame_samples_class(policy, key);
    policy->batch_ticks[policy->nbatch++] = (float) ticks;
    if (policy->phase == DAME_PHASE_RENT && policy->nbatch == DAME_POLICY_BATCH) {
        dame_samples_fold(policy, 0);
    }
}

static void begin_rent(dame_policy_t *policy)
{
    policy->phase = DAME_PHASE_RENT;
    policy->rented = 0;
    policy->promised = 0;
    policy->nbatch = 0;
}

void dame_policy_added(dame_policy_t *policy, int32_t arm, dame_added_t result, double cost)
{
    const int searching = policy->phase == DAME_PHASE_SEARCH;
    policy->searching = (int8_t) searching;
    policy->spent += searching ? cost : 0;
    if (result == DAME_ADDED) {
        if (policy->nbatch > 0) { /* samples of renting */
            dame_samples_fold(policy, 0);
        }
        policy->arms[arm].lives = policy->arms[arm].in = 1;
        begin_batch(policy, arm);
        return;
    }
    policy->arms[arm].failed |= result == DAME_ADDED_NOT;
    policy->arms[arm].in = 0;
    policy->arms[arm].setbacks += policy->arms[arm].setbacks < UINT8_MAX;
    if (!searching && result == DAME_ADDED_LATER) {
        policy->rented = 0;
        policy->promised = 0;
    }
}

/* It is compared with the best, from the beginning. */
static void join_search(dame_policy_t *policy, int32_t arm)
{
    dame_policy_arm_t *const both[] = {&policy->arms[policy->best], &policy->arms[arm]};
    for (int i = 0; i < 2; i++) {
        both[i]->in = 1;
        both[i]->tried = 0;
    }
    policy->round = 0;
    policy->phase = policy->phase == DAME_PHASE_REST ? DAME_PHASE_SEARCH : policy->phase;
}

void dame_policy_order_done(dame_policy_t *policy, int32_t arm, dame_added_t result, double cost)
{
    dame_policy_arm_t *const of = &policy->arms[arm];
    const double expected = dame_arms_cost(policy, arm);
    of->far = result == DAME_ADDED ? DAME_AT_HAND : DAME_FAR;
    if (policy->phase == DAME_PHASE_RENT) {
        dame_policy_added(policy, arm, result, cost);
        return;
    }
    policy->spent += cost - expected; /* order() has counted that */
    if (result == DAME_ADDED) {
        of->lives = 1;
        join_search(policy, arm);
    } else {
        of->failed |= result == DAME_ADDED_NOT;
        of->setbacks += of->setbacks < UINT8_MAX;
    }
}

void dame_policy_evicted(dame_policy_t *policy, int32_t arm)
{
    policy->arms[arm].lives = 0;
    policy->arms[arm].setbacks += policy->arms[arm].setbacks < UINT8_MAX;
    policy->current = (int8_t) (policy->current == arm ? 0 : policy->current);
    if (policy->fallback == arm) {
        policy->fallback = 0;
        if (policy->best == policy->native && policy->phase == DAME_PHASE_REST) {
            join_search(policy, arm);
        }
    }
    if (arm == policy->best && policy->phase != DAME_PHASE_RENT) {
        policy->best = (int8_t) dame_arms_fastest(policy);
        if (policy->best == 0) {
            policy->checking = 0;
            begin_rent(policy);
        }
    }
}

int32_t dame_policy_choice(const dame_policy_t *policy)
{
    return policy->phase == DAME_PHASE_REST ? policy->best : -1;
}

int32_t dame_policy_first(const dame_policy_expect_t *expect, int32_t uses)
{
    const double each = expect->ticks * expect->saved;
    if (expect->ticks * expect->certain * (uses + 1) >= expect->cost) {
        return 1;
    }
    const double from = each * INT32_MAX > expect->cost ? expect->cost / each / 4 : INT32_MAX;
    const double first = from > FIRST_USES ? from : FIRST_USES;
    return first - uses > 1 ? (int32_t) (first - uses) : 1;
}
