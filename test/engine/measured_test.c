/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * engine/promote.c and measure/measured.c with the real compiler: uses take the ticks that the test
 * sets, so the choice does not depend on the machine. Worth running under ASan and TSan.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dame/dame.h"
#include "base/heap.h"

#include "engine_tools.h"

/* ---- layouts, and their uses ---------------------------------------------------------------- */

enum { BYTES = 8192, SPAN = 2 * BYTES };

static const char *profile; /* NULL if absent */
static const char *native;  /* the name of another engine, NULL if absent */

static void start(int32_t threshold, double explore, size_t arena)
{
    static int percent;
    percent = (int) (100 * explore);
    dame_promote_options_t options = {.threshold = threshold,
                                      .profile = profile,
                                      .explore = &percent,
                                      .native = native,
                                      .jit = *dame_jit_options_default()};
    options.jit.arena_bytes = arena;
    compiled = 0;
    start_engine(&options);
}

static void new_entry(dame_use_t *entry)
{
    dame_tree_t *tree = dame_tree_new();
    const dame_type_t *doubles, *type;
    dame_program_t *program;
    if (tree == NULL || dame_type_basic(tree, 8, &doubles) != DAME_OK ||
        dame_type_vector(tree, BYTES / 8, 1, 16, doubles, &type) != DAME_OK ||
        dame_program_build(type, NULL, &program) != DAME_OK) {
        abort();
    }
    dame_tree_free(tree);
    new_use(entry, program);
    entry->slot = dame_credit_slot(entry);
}

static void end_entry(dame_use_t *entry)
{
    end_use(entry);
}

static const dame_policy_t *policy_of(const dame_use_t *entry)
{
    const dame_measured_t *measured = entry->layout->promotions[DAME_PACK].measured;
    return measured != NULL ? &measured->policy : NULL;
}

/* The arm that the policy thinks runs. */
static int32_t arm_of(const dame_use_t *entry)
{
    return policy_of(entry) != NULL ? policy_of(entry)->current : 0;
}

/* Does machine code run? */
static bool is_compiled(const dame_use_t *entry)
{
    const dame_program_t *program = entry->layout->program;
    for (int32_t i = 0; i < program->nprims; i++) {
        const dame_prim_t *prim = &program->prims[i];
        if (prim->interpreted != NULL &&
            dame_prim_run(prim, DAME_PACK) != prim->interpreted[DAME_PACK]) {
            return true;
        }
    }
    return false;
}

static char memory[SPAN], packed[BYTES], expected[BYTES];

/* One use, which takes as many ticks as its arm's number says, in either unit. */
static void use(dame_use_t *entry, const int64_t *ticks)
{
    static _Thread_local dame_thread_t thread;
    dame_measured_t *measured = dame_promote_begin(&thread, entry, DAME_PACK, BYTES, false, false);
    if (measured != NULL) {
        dame_measured_record(measured, atomic_load(&measured->runs),
                             dame_measured_class(BYTES, 1, memory), ticks[arm_of(entry)]);
    }
}

static void use_often(dame_use_t *entry, const int64_t *ticks, long uses)
{
    for (long i = 0; i < uses; i++) {
        use(entry, ticks);
    }
}

static void check_bytes(const dame_use_t *entry)
{
    memset(packed, 0, sizeof(packed));
    dame_program_run(entry->layout->program, DAME_PACK, (uintptr_t) memory, 1, packed);
    check(memcmp(packed, expected, sizeof(packed)) == 0, "bytes");
    check(is_compiled(entry) == (arm_of(entry) != 0), "what runs is what the policy says");
}

/* ---- one thread ----------------------------------------------------------------------------- */

enum { UNIT = 1 << 14, OFTEN = 300000, ARENA = 1 << 20 };

static const int64_t first_is_best[] = {9 * UNIT, 3 * UNIT, 4 * UNIT, 5 * UNIT,
                                        6 * UNIT, 7 * UNIT, 8 * UNIT, 8 * UNIT};
static const int64_t last_is_best[] = {9 * UNIT, 8 * UNIT, 3 * UNIT, 3 * UNIT,
                                       3 * UNIT, 3 * UNIT, 3 * UNIT, 3 * UNIT};
static const int64_t none_is_best[] = {3 * UNIT, 4 * UNIT, 9 * UNIT, 9 * UNIT,
                                       9 * UNIT, 9 * UNIT, 9 * UNIT, 9 * UNIT};

static dame_jit_stats_t stats(void)
{
    return (dame_jit_stats_t){.live = code_stat(DAME_CODE_STAT_code_live),
                              .compiled = {code_stat(DAME_CODE_STAT_compiled_pack)}};
}

static void the_fastest_stays(void)
{
    static const int64_t *const worlds[] = {first_is_best, last_is_best, none_is_best};
    for (int w = 0; w < 3; w++) {
        dame_use_t entry;
        start(-1, 0.01, ARENA);
        new_entry(&entry);
        use_often(&entry, worlds[w], 2);
        check(policy_of(&entry) == NULL, "two uses: nothing is known");
        check_bytes(&entry);
        use_often(&entry, worlds[w], OFTEN);
        const int32_t arm = arm_of(&entry);
        check(w == 0 ? arm == 1 : w == 1 ? arm > 1 : arm == 0, "world %d: arm %d", w, (int) arm);
        check(policy_of(&entry)->narms > 2, "there are several");
        check(stats().compiled[0] == policy_of(&entry)->narms - 1, "each was tried");
        check(stats().live == (arm != 0), "and only the best lives");
        check(compiled > 0, "the observer was notified");
        check_bytes(&entry);
        end_entry(&entry);
        check(stats().live == 0, "all is freed");
        stop_engine();
    }
}

static dame_candidate_t candidate_of(const dame_use_t *entry)
{
    const dame_measured_t *measured = entry->layout->promotions[DAME_PACK].measured;
    return measured->candidates[arm_of(entry) - 1];
}

/* Long before anything could be measured, the code that was best is the one that is compiled. */
static void the_second_run_starts_with_its_choice(void)
{
    char directory[] = "/tmp/dame_measured_XXXXXX", path[64];
    dame_use_t entry;
    if (mkdtemp(directory) == NULL) {
        check(false, "a directory");
        return;
    }
    (void) snprintf(path, sizeof(path), "%s/profile", directory);
    profile = path;
    start(-1, 0.01, ARENA);
    new_entry(&entry);
    dame_promoter_prepare(&engine.promoter);
    use_often(&entry, last_is_best, OFTEN);
    check(1 < arm_of(&entry), "not the first that is tried: arm %d", (int) arm_of(&entry));
    const dame_candidate_t chosen = candidate_of(&entry);
    end_entry(&entry);
    stop_engine();

    start(-1, 0.01, ARENA);
    new_entry(&entry);
    dame_promoter_prepare(&engine.promoter);
    for (int i = 0; arm_of(&entry) == 0 && i < OFTEN; i++) { /* a slow compilation repays later */
        use(&entry, last_is_best);
    }
    const dame_candidate_t again = arm_of(&entry) > 0 ? candidate_of(&entry) : chosen;
    check(0 < arm_of(&entry) && again.provider == chosen.provider &&
              again.variant == chosen.variant,
          "the first code is arm %d, variant %u, before %u", (int) arm_of(&entry),
          (unsigned) again.variant, (unsigned) chosen.variant);
    check_bytes(&entry);
    end_entry(&entry);
    stop_engine();
    profile = NULL;
    (void) unlink(path);
    (void) snprintf(path, sizeof(path), "%s/profile.lock", directory);
    (void) unlink(path);
    check(rmdir(directory) == 0, "nothing else was written");
}

/* The last arm. Its times are far from those of all others. */
static void the_native_engine_moves_what_it_moves_faster(void)
{
    native = "opal";
    for (int faster = 0; faster < 2; faster++) {
        int64_t ticks[DAME_POLICY_ARMS];
        dame_use_t entry;
        start(-1, 1, ARENA);
        const int64_t promoted = total(DAME_COUNT_promoted);
        const int64_t demoted = total(DAME_COUNT_demoted);
        new_entry(&entry);
        for (int a = 0; a < DAME_POLICY_ARMS; a++) {
            ticks[a] = first_is_best[a < 4 ? a : 3];
        }
        dame_layout_t *layout = entry.layout;
        bool was_tried = false;
        for (int i = 0; i < OFTEN; i++) {
            const dame_policy_t *policy = policy_of(&entry);
            if (policy != NULL) {
                ticks[policy->native] = faster ? UNIT / 2 : 30 * UNIT;
            }
            use(&entry, ticks);
            was_tried = was_tried || dame_promote_is_native(layout, DAME_PACK);
        }
        check(was_tried, "the native engine was tried");
        check(faster == dame_promote_is_native(layout, DAME_PACK),
              "it moves messages that it moves faster");
        check(is_compiled(&entry) && layout->promotions[DAME_PACK].runs_code != 0,
              "fragments are moved by machine code");
        check(total(DAME_COUNT_promoted) - promoted == 1 &&
                  total(DAME_COUNT_demoted) - demoted == 0,
              "one promotion is counted");
        check_bytes(&entry);
        end_entry(&entry);
        stop_engine();
    }
    native = NULL;
}

static void no_trial_outlives_the_policy(void)
{
    dame_use_t entry;
    int64_t ticks[DAME_POLICY_ARMS];
    long uses = 0;
    for (int a = 0; a < DAME_POLICY_ARMS; a++) {
        ticks[a] = UNIT;
    }
    native = "opal";
    start(-1, 1, ARENA);
    new_entry(&entry);
    while (!dame_promote_is_native(entry.layout, DAME_PACK) && uses++ < OFTEN) {
        use(&entry, ticks);
    }
    check(dame_promote_is_native(entry.layout, DAME_PACK), "the native engine is tried");
    dame_promoter_disable(&engine.promoter);
    use_often(&entry, ticks, 100);
    check(!dame_promote_is_native(entry.layout, DAME_PACK),
          "promotion does not leave it the messages for good");
    end_entry(&entry);
    stop_engine();
    native = NULL;
}

static void without_a_search_there_is_one_candidate(void)
{
    static const int64_t *const worlds[] = {last_is_best, none_is_best};
    for (int w = 0; w < 2; w++) {
        dame_use_t entry;
        start(-1, 0, ARENA);
        const int64_t before = stats().compiled[0];
        const int64_t demoted = total(DAME_COUNT_demoted);
        new_entry(&entry);
        use_often(&entry, worlds[w], OFTEN);
        check(w == total(DAME_COUNT_demoted) - demoted, "a demotion is counted");
        check(1 - w == arm_of(&entry), "an arm that is not faster is demoted: arm %d",
              (int) arm_of(&entry));
        check(stats().compiled[0] - before == 1, "one is tried");
        check_bytes(&entry);
        end_entry(&entry);
        stop_engine();
    }
}

static void evicted_code_is_missed_at_once(void)
{
    enum { OTHERS = 32 }; /* more than 4 KiB of code on any CPU */
    dame_use_t entry, others[OTHERS];
    start(-1, 0.01, 4096);
    new_entry(&entry);
    use_often(&entry, first_is_best, OFTEN);
    check(arm_of(&entry) == 1 && is_compiled(&entry), "compiled");
    for (int i = 0; i < OTHERS; i++) {
        new_entry(&others[i]);
        use_often(&others[i], first_is_best, OFTEN);
    }
    check(!is_compiled(&entry), "and evicted");
    const int64_t before = total(DAME_COUNT_samples);
    use(&entry, first_is_best);
    check(policy_of(&entry)->arms[1].setbacks == 1, "the first use notices");
    check_bytes(&entry);
    use_often(&entry, first_is_best, OFTEN);
    check(is_compiled(&entry) && total(DAME_COUNT_samples) > before, "compiled again");
    check_bytes(&entry);
    end_entry(&entry);
    for (int i = 0; i < OTHERS; i++) {
        end_entry(&others[i]);
    }
    stop_engine();
}

static void drift_of_the_chosen_arm_is_noticed(void)
{
    dame_use_t entry;
    start(-1, 0.01, ARENA);
    new_entry(&entry);
    use_often(&entry, first_is_best, OFTEN);
    check(arm_of(&entry) == 1, "the first");
    static const int64_t other[] = {9 * UNIT, 8 * UNIT, 3 * UNIT, 3 * UNIT,
                                    3 * UNIT, 3 * UNIT, 3 * UNIT, 3 * UNIT};
    use_often(&entry, other, 6 * OFTEN);
    check(arm_of(&entry) > 1, "another: arm %d", (int) arm_of(&entry));
    check_bytes(&entry);
    end_entry(&entry);
    stop_engine();
}

static void short_uses_are_timed_with_repetitions_once_code_is_compared(void)
{
    dame_use_t entry;
    start(-1, 0.01, ARENA);
    new_entry(&entry);
    while (policy_of(&entry) == NULL) {
        use(&entry, first_is_best);
    }
    const dame_measured_t *measured = entry.layout->promotions[DAME_PACK].measured;
    check(dame_measured_repeats(measured, 1) == 0, "not while nothing is compiled");
    use_often(&entry, first_is_best, OFTEN);
    check(dame_measured_repeats(measured, 1) == DAME_MOST_REPEATS, "short");
    const int64_t brief = atomic_load(&measured->brief);
    check(dame_measured_repeats(measured, brief / 8) == 8, "together about as long");
    check(dame_measured_repeats(measured, brief - 1) == DAME_LEAST_REPEATS, "but a few");
    check(dame_measured_repeats(measured, dame_clock_hz()) == 0, "long");
    end_entry(&entry);
    stop_engine();
}

/* ---- hints ---------------------------------------------------------------------------------- */

/* Codes made after this number of uses, at least and at most. */
static void announced_uses_count_as_uses(void)
{
    static const struct {
        dame_hint_t hint;
        intptr_t value;
        long before, after; /* the hint comes between */
        int least, most;
    } cases[] = {
        {DAME_HINTED_USES, 0, 0, 3, 0, 0},          {DAME_HINTED_USES, 3, 0, 3, 0, 0},
        {DAME_HINTED_USES, 1000000, 0, 1, 1, 1},    {DAME_HINTED_USES, 1000000, 2, 1, 1, 1},
        {DAME_HINTED_USES, 1 << 30, 0, 2000, 3, 8}, {DAME_HINTED_MATTERS, 1, 0, 1, 1, 1},
        {DAME_HINTED_MATTERS, 1, 3, 2000, 3, 8},    {DAME_HINTED_COUNT, 1 << 20, 0, 3, 1, 1},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        dame_use_t entry;
        start(-1, 0.01, ARENA);
        const int64_t before = stats().compiled[0];
        new_entry(&entry);
        use_often(&entry, last_is_best, cases[c].before);
        dame_hints_keep(entry.layout, cases[c].hint, cases[c].value);
        dame_promote_hinted(entry.layout);
        use_often(&entry, last_is_best, cases[c].after);
        const int64_t made = stats().compiled[0] - before;
        check(made >= cases[c].least && made <= cases[c].most, "case %zu: %d codes", c, (int) made);
        check_bytes(&entry);
        use_often(&entry, last_is_best, OFTEN);
        check(arm_of(&entry) > 1, "case %zu: the fastest is found", c);
        end_entry(&entry);
        stop_engine();
    }
}

static void messages_are_as_announced_or_the_announcement_is_forgotten(void)
{
    static const struct {
        size_t count;
        const char *base;
        bool fits;
    } messages[] = {{2, memory, true}, {1, memory, false}, {2, packed, false}, {2, memory, true}};
    dame_layout_t layout = {.hints = NULL};
    check(dame_hints_bytes(&layout, 5) == 5, "nothing is known");
    dame_hints_keep(&layout, DAME_HINTED_COUNT, 2);
    dame_hints_keep(&layout, DAME_HINTED_BASE, (intptr_t) memory);
    for (size_t m = 0; m < sizeof(messages) / sizeof(messages[0]); m++) {
        check(messages[m].fits == dame_hints_fit(layout.hints, messages[m].count, messages[m].base),
              "message %zu", m);
    }
    for (int i = 0; i < 16; i++) {
        check(!dame_hints_fit(layout.hints, 3, packed), "mismatch %d", i);
    }
    check(dame_hints_fit(layout.hints, 3, packed), "forgotten");
    dame_heap_free(layout.hints);
}

/* ---- credit --------------------------------------------------------------------------------- */

static _Thread_local dame_thread_t thread_data;

static dame_thread_t *enlisted(void)
{
    if (!thread_data.enlisted) {
        dame_thread_enlist(&engine.threads, &thread_data);
    }
    return &thread_data;
}

/* As a caller does it. Returns whether it was one of those granted. */
static bool message(dame_use_t *entry, const int64_t *ticks)
{
    dame_thread_t *thread = enlisted();
    if (dame_credit_take(thread, entry, DAME_WORK_PACK, BYTES)) {
        return true;
    }
    dame_measured_t *measured = dame_promote_begin(thread, entry, DAME_PACK, BYTES, false, false);
    if (measured != NULL) {
        dame_measured_record(measured, atomic_load(&measured->runs),
                             dame_measured_class(BYTES, 1, memory), ticks[arm_of(entry)]);
    } else {
        dame_promote_grant(thread, entry, DAME_PACK, false);
    }
    return false;
}

static long messages(dame_use_t *entry, const int64_t *ticks, long n)
{
    long granted = 0;
    for (long i = 0; i < n; i++) {
        granted += message(entry, ticks);
    }
    return granted;
}

/* Is the next message one of those granted? */
static bool is_granted(const dame_use_t *entry)
{
    return dame_credit_may(dame_credit_of(enlisted(), entry), entry, DAME_PACK);
}

static void hints_do_not_wait_for_credit_to_end(void)
{
    static const long before[] = {20, OFTEN}; /* while the policy waits, and when it is settled */
    for (int i = 0; i < 2; i++) {
        dame_use_t entry;
        start(-1, 0.01, ARENA);
        new_entry(&entry);
        messages(&entry, first_is_best, before[i]);
        for (int n = 0; !is_granted(&entry) && n < 100; n++) {
            message(&entry, first_is_best);
        }
        check(is_granted(&entry), "granted");
        dame_hints_keep(entry.layout, DAME_HINTED_USES, 1 << 30);
        dame_promote_hinted(entry.layout);
        message(&entry, first_is_best);
        check(policy_of(&entry) != NULL && policy_of(&entry)->promised == 1 << 30,
              "after %ld messages: the next one heeds it", before[i]);
        end_entry(&entry);
        stop_engine();
    }
}

/* Whichever of them a thread has room for. */
static void the_policy_hears_of_all_uses_of_layouts_that_share_a_slot(void)
{
    enum { PHASE = 500, PHASES = 20 };
    dame_use_t entries[2];
    double heard[2];
    long granted = 0;
    start(-1, 0.01, ARENA);
    for (int i = 0; i < 2; i++) {
        new_entry(&entries[i]);
        atomic_store(&entries[i].layout->credit_epoch, (uint64_t) (1000 + i * DAME_MOST_CREDITS));
        entries[i].slot = dame_credit_slot(&entries[i]);
        messages(&entries[i], first_is_best, OFTEN);
        heard[i] = policy_of(&entries[i])->elapsed;
    }
    for (int phase = 0; phase < PHASES; phase++) {
        granted += messages(&entries[phase % 2], first_is_best, PHASE);
    }
    check(granted > PHASE * PHASES / 2, "%ld granted", granted);
    for (int i = 0; i < 2; i++) {
        const double uses = (policy_of(&entries[i])->elapsed - heard[i]) / (3 * UNIT);
        check(uses > PHASE * (PHASES / 2 - 3) && uses < PHASE * (PHASES / 2 + 3),
              "%d: got %.0f uses", i, uses);
        end_entry(&entries[i]);
    }
    stop_engine();
}

/* ---- more datatypes than a thread has credits ----------------------------------------------- */

enum { CROWD = 1000 };

static dame_use_t crowd[CROWD];
static _Atomic bool crowd_is_done;
static long granted_in_all, granted_at_last;
static uint32_t credits_of_crowd, credits_behind_it;

static void *use_a_crowd(void *unused)
{
    enum { ROUNDS = 2000 /* more than a grant */, LAST = 10, SHORT_LIVES = 3000, USES = 6 };
    (void) unused;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < CROWD; i++) {
            const bool granted = message(&crowd[i], first_is_best);
            granted_in_all += granted;
            granted_at_last += granted && round >= ROUNDS - LAST;
        }
    }
    credits_of_crowd = dame_cells_credits(&enlisted()->cells);
    for (int i = 0; i < SHORT_LIVES; i++) {
        dame_use_t entry;
        new_entry(&entry);
        granted_in_all += messages(&entry, first_is_best, USES);
        end_entry(&entry);
    }
    credits_behind_it = dame_cells_credits(&enlisted()->cells);
    atomic_store(&crowd_is_done, true);
    return NULL;
}

/* While they are used in turn; those that have ended get no more room. Nothing is counted twice,
 * or lost with the thread. */
static void each_of_many_datatypes_in_turn_has_credit(void)
{
    pthread_t user;
    start(1, 0, 64 * ARENA);
    const int64_t before = dame_counts_total(&engine.counts, DAME_COUNT_messages_packed);
    int64_t seen = before, now;
    for (int i = 0; i < CROWD; i++) {
        new_entry(&crowd[i]);
    }
    if (pthread_create(&user, NULL, use_a_crowd, NULL) != 0) {
        abort();
    }
    while (!atomic_load(&crowd_is_done)) {
        now = dame_counts_total(&engine.counts, DAME_COUNT_messages_packed);
        check(now >= seen, "%ld after %ld", (long) now, (long) seen);
        seen = now;
        (void) usleep(50); /* credits are not replaced while they are read */
    }
    (void) pthread_join(user, NULL);
    now = dame_counts_total(&engine.counts, DAME_COUNT_messages_packed);
    check(before + granted_in_all == now, "%ld granted, %ld counted", granted_in_all,
          (long) (now - before));
    check(granted_at_last > 9 * CROWD, "%ld of the last %d", granted_at_last, 10 * CROWD);
    check(credits_of_crowd >= CROWD && credits_of_crowd < 8 * CROWD &&
              credits_behind_it == credits_of_crowd,
          "%u credits, then %u", credits_of_crowd, credits_behind_it);
    for (int i = 0; i < CROWD; i++) {
        end_entry(&crowd[i]);
    }
    stop_engine();
}

/* ---- threads -------------------------------------------------------------------------------- */

enum { THREADS = 4 };

static dame_use_t shared;

static _Atomic long used;
static atomic_bool ends;

static void *settler(void *arg)
{
    dame_thread_t *thread = enlisted();
    dame_credit_t *credit = dame_credit_of(thread, &shared);
    (void) arg;
    while (!atomic_load(&ends)) {
        dame_credit_grant(thread, &shared, DAME_WORK_COPY, DAME_TIER_INTERP, DAME_MOST_CREDIT,
                          false);
        atomic_fetch_add(&used, 100);
        for (int i = 0; i < 100; i++) {
            dame_credit_take(thread, &shared, DAME_WORK_COPY, 1);
        }
        dame_counts_settle(&thread->cells, credit, DAME_WORK_COPY);
    }
    return NULL;
}

static void counters_never_go_back_nor_ahead(void)
{
    pthread_t thread;
    int64_t last = 0;
    long bad = 0;
    start(-1, 1, ARENA);
    new_entry(&shared);
    const int64_t before = total(DAME_COUNT_bytes_copied);
    pthread_create(&thread, NULL, settler, NULL);
    for (long i = 0; i < 200000; i++) {
        const int64_t now = total(DAME_COUNT_bytes_copied) - before;
        bad += now < last || now > atomic_load(&used);
        last = now;
    }
    atomic_store(&ends, true);
    pthread_join(thread, NULL);
    check(bad == 0, "%ld readings", bad);
    check(atomic_load(&used) == total(DAME_COUNT_bytes_copied) - before, "all is counted");
    end_entry(&shared);
    stop_engine();
}

static pthread_key_t late_key;
static bool was_granted, was_taken;

/* After the thread has left the lists: code that it ran now could be freed under it. */
static void take_late(void *unused)
{
    (void) unused;
    was_taken = dame_credit_take(&thread_data, &shared, DAME_WORK_COPY, 1);
}

static void *taker(void *arg)
{
    dame_thread_t *thread = enlisted();
    (void) arg;
    pthread_setspecific(late_key, &shared);
    dame_credit_grant(thread, &shared, DAME_WORK_COPY, DAME_TIER_INTERP, DAME_MOST_CREDIT, false);
    was_granted = dame_credit_take(thread, &shared, DAME_WORK_COPY, 1);
    return NULL;
}

static void a_thread_that_has_ended_has_no_credit(void)
{
    pthread_t thread;
    start(-1, 1, ARENA);
    new_entry(&shared);
    pthread_key_create(&late_key, take_late);
    was_taken = true;
    pthread_create(&thread, NULL, taker, NULL);
    pthread_join(thread, NULL);
    pthread_key_delete(late_key);
    check(was_granted && !was_taken, "granted, and not when it had left");
    end_entry(&shared);
    stop_engine();
}

/* Also moves data, while other threads change what runs. */
static void *user(void *arg)
{
    static _Thread_local dame_thread_t thread;
    char *mine = malloc(BYTES);
    (void) arg;
    dame_reader_add(&thread.reader);
    for (long i = 0; mine != NULL && i < 20000; i++) {
        dame_measured_t *measured =
            dame_promote_begin(&thread, &shared, DAME_PACK, BYTES, false, false);
        const uint32_t runs = measured != NULL ? atomic_load(&measured->runs) : 0;
        dame_reader_enter(&thread.reader);
        dame_program_run(shared.layout->program, DAME_PACK, (uintptr_t) memory, 1, mine);
        dame_reader_leave(&thread.reader);
        if (measured != NULL) {
            dame_measured_record(measured, runs, 7, 1000 + i % 5000);
        }
        if (memcmp(mine, expected, BYTES) != 0) {
            check(false, "bytes");
            break;
        }
    }
    dame_reader_remove(&thread.reader);
    free(mine);
    return NULL;
}

static void threads_share_what_is_measured(void)
{
    pthread_t threads[THREADS];
    start(-1, 1, ARENA);
    new_entry(&shared);
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, user, NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    check(total(DAME_COUNT_samples) > 0, "something was measured");
    check_bytes(&shared);
    end_entry(&shared);
    check(stats().live == 0, "all is freed");
    stop_engine();
}

int main(void)
{
    for (int i = 0; i < SPAN; i++) {
        memory[i] = (char) (i * 2654435761u >> 13);
    }
    for (int i = 0; i < BYTES; i++) {
        expected[i] = memory[i / 8 * 16 + i % 8];
    }
    the_fastest_stays();
    the_second_run_starts_with_its_choice();
    the_native_engine_moves_what_it_moves_faster();
    no_trial_outlives_the_policy();
    without_a_search_there_is_one_candidate();
    evicted_code_is_missed_at_once();
    drift_of_the_chosen_arm_is_noticed();
    short_uses_are_timed_with_repetitions_once_code_is_compared();
    announced_uses_count_as_uses();
    messages_are_as_announced_or_the_announcement_is_forgotten();
    threads_share_what_is_measured();
    hints_do_not_wait_for_credit_to_end();
    the_policy_hears_of_all_uses_of_layouts_that_share_a_slot();
    each_of_many_datatypes_in_turn_has_credit();
    counters_never_go_back_nor_ahead();
    a_thread_that_has_ended_has_no_credit();
    printf("%ld passed, %ld failed\n", (long) passed, (long) failed);
    return failed != 0;
}
