/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the codes of programs cost and gain, each alone, and what the policy of promotion makes of
 * them; for bench/reuse. Without MPI.
 *
 *   candidates_worker [--isa NAME] [--llvm OBJECT DIRECTORY] [NAME COUNT FILE.dame]...
 *
 * Takes the programs of the files, which move messages of COUNT elements. Buffers do not begin on
 * cache lines. For each direction prints one line, times in nanoseconds:
 *
 *   NAME pack|unpack BYTES COMPILE INTERP FIRST BEST BEST_NAME CHOSEN CHOSEN_NAME AGAIN
 *       L_COMPILE L_FILE L
 *
 * COMPILE: of the first candidate, warm. INTERP, FIRST and BEST: a message with the interpreter,
 * with the first candidate and with the fastest of all, each alone. CHOSEN: with what measured
 * promotion runs when its search is over. AGAIN: the same code, measured as another candidate. L:
 * with DAME-L's first candidate, which takes L_COMPILE to compile and to keep in a file of the
 * empty DIRECTORY (0: the file was there), and L_FILE to be found there; 0 without --llvm. The
 * others are DAME-X's.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dame/dame.h"
#include "base/heap.h"
#include "dame/isa.h"
#include "jit/jit.h"
#include "measure/clock.h"
#include "measure/measured.h"
#include "measure/turns.h"

enum { ROUNDS = 200, FEWEST_ROUNDS = 15, COMPILATIONS = 15, ARMS = DAME_POLICY_ARMS };
static const double SAMPLE = 20e-6; /* seconds */
static const double life = 0.2, long_life = 1, longest = 0.3;

typedef struct job {
    char name[64];
    dame_program_t *program;
    int64_t count; /* elements of a message */
    char *memory, *packed;
    uintptr_t base;
    dame_dir_t dir;
    dame_candidate_t candidates[ARMS - 1];
    int32_t arms; /* with the interpreter */
} job_t;

static dame_jit_t *jit, *jit_of_l; /* NULL: without DAME-L */
static dame_costs_t costs;         /* of jit */
static int32_t provider_of_l;

static void fail(const char *name, const char *what)
{
    fprintf(stderr, "candidates_worker: %s: %s\n", name, what);
    exit(1);
}

static double seconds(int64_t ticks)
{
    return (double) ticks / (double) dame_clock_hz();
}

static void use(const job_t *job)
{
    dame_program_run(job->program, job->dir, job->base, job->count, job->packed);
}

/* The arm runs alone, if it can. */
static int run_arm(const job_t *job, int32_t arm)
{
    int lives = arm == 0;
    for (int32_t a = 1; a < job->arms; a++) {
        const int ranked =
            dame_jit_rank(jit, job->program, job->dir, &job->candidates[a - 1], a == arm);
        lives |= a == arm && ranked;
    }
    return lives;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *) a, y = *(const double *) b;
    return (x > y) - (x < y);
}

/* Of a compilation of the first candidate. */
static double compile_time(const job_t *job)
{
    double ns[COMPILATIONS];
    for (int i = 0; i < COMPILATIONS; i++) {
        int64_t taken;
        if (dame_jit_add(jit, job->program, job->dir, &job->candidates[0], NULL, &taken) !=
            DAME_OK) {
            return 0;
        }
        ns[i] = (double) taken;
        dame_jit_drop(jit, job->program, job->dir, &job->candidates[0]);
    }
    qsort(ns, COMPILATIONS, sizeof(ns[0]), compare);
    return ns[COMPILATIONS / 2];
}

/* Messages for `life` seconds and until the search is over, but not for more than `long_life`,
 * promoted as engine/promote.c does. Returns the arm that runs then. */
static int32_t live(const job_t *job)
{
    const int64_t bytes = job->program->size * job->count;
    dame_measured_t *measured = dame_measured_new(&costs, job->program, job->dir, bytes, 0.01, 0);
    if (measured == NULL) {
        fail(job->name, "out of memory");
    }
    const int64_t start = dame_clock_now();
    int32_t left = 1, period = 1;
    int settled = 0;
    while (left > 0 && seconds(dame_clock_now() - start) < (settled ? life : long_life)) {
        if (--left > 0) {
            use(job);
            continue;
        }
        const dame_measured_result_t result =
            dame_measured_event(&costs, measured, job->program, job->dir, NULL, period);
        use(job);
        if (result.sample) {
            const int64_t begin = dame_measured_now();
            use(job);
            const int repeats = dame_measured_repeats(measured, dame_measured_now() - begin);
            for (int i = 0; i < repeats; i++) {
                use(job);
            }
            dame_measured_record(measured, measured->runs, 0,
                                 (dame_measured_now() - begin) / (1 + repeats));
        }
        settled = result.settled;
        left = result.uses;
        period = left + (result.sample != 0);
    }
    const int32_t arm = measured->policy.current;
    for (int32_t a = 1; a < job->arms; a++) {
        dame_jit_drop(jit, job->program, job->dir, &job->candidates[a - 1]);
    }
    dame_heap_free(measured);
    return arm;
}

/* Measured in turns: the arms, and the chosen one once more; all that twice. Who looks for the
 * fastest of several in noise finds one that was lucky: the best is picked by other rounds than
 * those that say how fast it is. */
typedef struct times {
    double pick[ARMS + 1]; /* seconds of a message; 0: it has no code */
    double score[ARMS + 1];
} times_t;

/* The lowest tenth of the rounds is the undisturbed machine, without even another thread on the
 * core. */
static const double UNDISTURBED = 0.1;

typedef struct contest {
    const job_t *job;
    int32_t chosen;
    int lives[ARMS + 1];
} contest_t;

static void prepare_turn(void *context, int which)
{
    contest_t *contest = context;
    const job_t *job = contest->job;
    const int32_t a = which % (job->arms + 1);
    contest->lives[a] = run_arm(job, a < job->arms ? a : contest->chosen);
    use(job);
}

static void run_turn(void *context, int which, int64_t times)
{
    const contest_t *contest = context;
    (void) which;
    for (int64_t i = 0; i < times; i++) {
        use(contest->job);
    }
}

static void time_arms(const job_t *job, int32_t chosen, times_t *out)
{
    contest_t contest = {.job = job, .chosen = chosen};
    const int n = job->arms + 1;
    dame_turns_t turns = {.n = 2 * n,
                          .prepare = prepare_turn,
                          .run = run_turn,
                          .context = &contest,
                          .sample = SAMPLE,
                          .seconds = longest,
                          .least = FEWEST_ROUNDS,
                          .most = ROUNDS};
    for (int32_t a = 1; a < job->arms; a++) {
        (void) dame_jit_add(jit, job->program, job->dir, &job->candidates[a - 1], NULL, NULL);
    }
    if (dame_turns_run(&turns) != 0) {
        fail(job->name, "out of memory");
    }
    for (int32_t a = 0; a < n; a++) {
        out->pick[a] = contest.lives[a] ? dame_turns_at(&turns, a, UNDISTURBED) : 0;
        out->score[a] = contest.lives[a] ? dame_turns_at(&turns, n + a, UNDISTURBED) : 0;
    }
    dame_turns_free(&turns);
}

static const char *name_of(const job_t *job, int32_t arm, char name[DAME_CANDIDATE_NAME])
{
    return arm == 0 ? "interp" : dame_jit_candidate_name(jit, &job->candidates[arm - 1], name);
}

/* What DAME-L costs and gains. */
typedef struct far {
    int64_t compile_ns, file_ns;
    double time; /* seconds of a message */
} far_t;

static int get_l(const job_t *job, dame_candidate_t *out)
{
    dame_candidate_t all[ARMS];
    const int32_t n =
        jit_of_l == NULL ? 0 : dame_jit_candidates(jit_of_l, job->program, job->dir, all, ARMS);
    int32_t i = 0;
    while (i < n && all[i].provider != provider_of_l) {
        i++;
    }
    *out = i < n ? all[i] : (dame_candidate_t){0, 0};
    return i < n;
}

static void run_l(void *context, int which, int64_t times)
{
    (void) which;
    for (int64_t i = 0; i < times; i++) {
        use(context);
    }
}

static far_t measure_l(const job_t *job)
{
    enum { L_ROUNDS = 50 };
    static int64_t found[2];
    far_t out = {0, 0, 0};
    dame_jit_stats_t stats;
    dame_candidate_t first;
    if (!get_l(job, &first) ||
        dame_jit_add(jit_of_l, job->program, job->dir, &first, NULL, &out.compile_ns) != DAME_OK) {
        return (far_t){0, 0, 0};
    }
    dame_jit_stats(jit_of_l, &stats);
    out.compile_ns *= stats.found[job->dir] == found[job->dir]; /* else another had its shape */
    found[job->dir] = stats.found[job->dir] + 1;
    dame_jit_drop(jit_of_l, job->program, job->dir, &first);
    if (dame_jit_find(jit_of_l, job->program, job->dir, &first, NULL, &out.file_ns) != DAME_OK ||
        !dame_jit_rank(jit_of_l, job->program, job->dir, &first, 1)) {
        return (far_t){0, 0, 0};
    }
    dame_turns_t turns = {.n = 1,
                          .run = run_l,
                          .context = (void *) job,
                          .sample = SAMPLE,
                          .least = L_ROUNDS,
                          .most = L_ROUNDS};
    if (dame_turns_run(&turns) != 0) {
        fail(job->name, "out of memory");
    }
    out.time = dame_turns_at(&turns, 0, UNDISTURBED);
    dame_turns_free(&turns);
    return out;
}

static void measure(job_t *job, dame_dir_t dir)
{
    times_t times;
    char best_name[DAME_CANDIDATE_NAME], chosen_name[DAME_CANDIDATE_NAME];
    job->dir = dir;
    job->arms = 1 + dame_jit_candidates(jit, job->program, dir, job->candidates, ARMS - 1);
    use(job);
    const double compile = job->arms > 1 ? compile_time(job) : 0;
    const int32_t chosen = live(job);
    time_arms(job, chosen, &times);
    int32_t best = 0;
    for (int32_t a = 1; a < job->arms; a++) {
        best = times.pick[a] > 0 && times.pick[a] < times.pick[best] ? a : best;
    }
    const double *ns = times.score;
    printf("%s %s %" PRId64 " %.0f %.2f %.2f %.2f %s %.2f %s %.2f", job->name,
           dir == DAME_PACK ? "pack" : "unpack", job->program->size * job->count, compile,
           1e9 * ns[0], 1e9 * ns[job->arms > 1], 1e9 * ns[best], name_of(job, best, best_name),
           1e9 * ns[chosen], name_of(job, chosen, chosen_name), 1e9 * ns[job->arms]);
    dame_jit_release(jit, job->program);
    const far_t far = measure_l(job);
    printf(" %" PRId64 " %" PRId64 " %.2f\n", far.compile_ns, far.file_ns, 1e9 * far.time);
    if (jit_of_l != NULL) {
        dame_jit_release(jit_of_l, job->program);
    }
}

/* Buffers for a program and both directions. */
static void measure_program(const char *name, dame_program_t *program, int64_t count)
{
    enum { USER = 8, PACKED = 40, LINE = 64 };
    job_t job = {.program = program, .count = count};
    const int64_t others = (count - 1) * program->extent;
    const int64_t low = program->true_lb + (others < 0 ? others : 0);
    const int64_t high = program->true_ub + (others > 0 ? others : 0);
    snprintf(job.name, sizeof(job.name), "%s", name);
    job.memory = aligned_alloc(LINE, (size_t) (high - low + 2 * LINE) / LINE * LINE);
    job.packed = aligned_alloc(LINE, (size_t) (program->size * count + 2 * LINE) / LINE * LINE);
    if (job.memory == NULL || job.packed == NULL) {
        fail(name, "out of memory");
    }
    memset(job.memory, 1, (size_t) (high - low + USER));
    memset(job.packed, 2, (size_t) (program->size * count + PACKED));
    char *const start = job.packed;
    job.base = (uintptr_t) job.memory + USER - (uintptr_t) low;
    job.packed += PACKED;
    measure(&job, DAME_PACK);
    measure(&job, DAME_UNPACK);
    free(job.memory);
    free(start);
    dame_program_free(program);
}

static void measure_file(const char *name, const char *count, const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t length = 0;
    dame_program_t *parsed = NULL, *program = NULL;
    if (file == NULL || getdelim(&text, &length, '\0', file) < 0 ||
        dame_program_parse(text, strlen(text), &parsed, NULL) != DAME_OK ||
        dame_program_optimise(parsed, NULL, &program) != DAME_OK) {
        fail(name, "cannot be read");
    }
    fclose(file);
    free(text);
    dame_program_free(parsed);
    measure_program(name, program, strtoll(count, NULL, 10));
}

static void offer_l(const char *object, const char *directory)
{
    if (dame_jit_create(NULL, &jit_of_l) != DAME_OK ||
        dame_jit_offer_l(jit_of_l, object, "", &provider_of_l) != DAME_OK ||
        dame_jit_set_cache(jit_of_l, directory, 1 << 30) != DAME_OK ||
        dame_jit_load(jit_of_l, provider_of_l) != DAME_OK) {
        fail(object, "DAME-L cannot be had");
    }
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "--isa") == 0) {
        if (dame_isa_force(argv[2]) != DAME_OK) {
            fail(argv[2], "this CPU has no such instruction set");
        }
        argv += 2;
        argc -= 2;
    }
    if (dame_jit_create(NULL, &jit) != DAME_OK) {
        fail("dame_jit_create", "failed");
    }
    dame_costs_init(&costs, jit, NULL);
    for (int i = 1; i < argc;) {
        if (strcmp(argv[i], "--llvm") == 0 && i + 2 < argc) {
            offer_l(argv[i + 1], argv[i + 2]);
            i += 3;
        } else if (i + 2 < argc) {
            measure_file(argv[i], argv[i + 1], argv[i + 2]);
            i += 3;
        } else {
            fail(argv[i], "--isa NAME first, --llvm, or NAME COUNT FILE");
        }
    }
    dame_jit_destroy(jit);
    if (jit_of_l != NULL) {
        dame_jit_destroy(jit_of_l);
    }
    return 0;
}
