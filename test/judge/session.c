/* SPDX-License-Identifier: BSD-3-Clause */
/* Judges an emitter: see session.h. */
#include "session.h"

#include <inttypes.h>
#include <stdlib.h>

#include "test/differential/cases.h"
#include "bench/layouts.h"
#include "dame/dame.h"
#include "dame/isa.h"
#include "jit/options.h"
#include "jit/x/variant.h"

/* ---- one program ---- */

static int64_t any_of(rng_t *rng, const int64_t *values, int n)
{
    return values[rng_range(rng, 0, n - 1)];
}

#define ANY_OF(rng, ...)                                                                           \
    any_of(rng, (const int64_t[]){__VA_ARGS__},                                                    \
           sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static dame_jit_options_t random_options(rng_t *rng)
{
    dame_jit_options_t options = *dame_jit_options_default();
    options.unroll_bytes = ANY_OF(rng, 0, 1, 16, 64, 100, 256, 2000);
    options.straight_bytes = ANY_OF(rng, 0, 1, 64, 200, 1000, 5000);
    options.memcpy_bytes = ANY_OF(rng, 64, 65, 100, 256, 300, 1000);
    options.prefetch_distance = ANY_OF(rng, -1, 0, 1, 7, 32);
    options.list_entries = ANY_OF(rng, 0, 1, 4, 16, 100);
    return options;
}

/* The subject: code of a variant for a target. */
typedef struct subject {
    const char *name;
    const dame_program_t *program;
    dame_dir_t dir;
    dame_jit_options_t options;
    cpu_model_t model;
    uint32_t variant;
    void *state; /* of the provider */
} subject_t;

static void print_subject(const session_t *session, const subject_t *subject)
{
    FILE *out = session->out;
    char variant[DAME_VARIANT_NAME];
    char options[DAME_X_OPTIONS];
    session->provider->variant_name(subject->state, subject->variant, variant);
    fprintf(out, "  for a CPU with %s, variant %s (%" PRIu32 ")\n  %s\n",
            judge_cpu_name(subject->model), variant, subject->variant,
            dame_jit_options_text(&subject->options, options));
    dame_program_print(subject->program, out);
}

/* Counts a judgement; explains it when it is bad. */
static void judge(session_t *session, const subject_t *subject, rng_t *rng)
{
    verdict_t verdict;
    dame_machine_code_t code;
    const dame_status_t status = session->provider->compile(subject->state, subject->program,
                                                            subject->dir, subject->variant, &code);
    if (status == DAME_ERR_UNSUPPORTED) {
        session->without++;
        return;
    }
    if (status != DAME_OK) {
        session->failed++;
        fprintf(session->out, "FAIL %s: compile: %s\n", subject->name, dame_status_text(status));
        return;
    }
    if (emulation_judge(&session->emulation, subject->program, subject->dir, &subject->options,
                        subject->model, &code, rng, &verdict)) {
        session->passed++;
        return;
    }
    session->failed++;
    if (session->first == RULE_NONE) {
        session->first = verdict.rule;
    }
    fprintf(session->out, "FAIL %s\n", subject->name);
    emulation_explain(session->out, &session->emulation, &code, &verdict);
    print_subject(session, subject);
}

/* A number of a variant, whether the program could gain from it or not. */
static uint32_t random_variant(rng_t *rng)
{
    uint32_t variant;
    do {
        variant = (uint32_t) rng_range(rng, 0, ((int64_t) 1 << (2 * X_CHOICES)) - 1);
    } while (!x_variant_exists(variant));
    return variant;
}

/* Judges one variant, or all that the program could gain from. */
static void judge_variants(session_t *session, subject_t *subject, bool all, rng_t *rng)
{
    enum { MOST = 16 };
    uint32_t variants[MOST];
    const dame_provider_t *provider = session->provider;
    int32_t n = provider->variants(subject->state, subject->program, subject->dir, variants, MOST);
    if (!all) {
        const bool any = n == 0 || (provider == &dame_provider_x && rng_chance(rng, 50));
        variants[0] = any ? random_variant(rng) : variants[rng_range(rng, 0, n - 1)];
        n = 1;
    }
    for (int32_t i = 0; i < n; i++) {
        subject->variant = variants[i];
        judge(session, subject, rng);
    }
}

/* DAME-X has options; a state of it is opened in no time. */
static void judge_x(session_t *session, subject_t *subject, bool all, rng_t *rng)
{
    char text[DAME_X_OPTIONS];
    if (dame_provider_x.open(subject->options.cpu, dame_jit_options_text(&subject->options, text),
                             &subject->state) != DAME_OK) {
        session->failed++;
        fprintf(session->out, "FAIL %s: open: %s\n", subject->name, text);
        return;
    }
    judge_variants(session, subject, all, rng);
    dame_provider_x.close(subject->state);
}

/* The states of another provider stay open. */
static void judge_other(session_t *session, subject_t *subject, bool all, rng_t *rng)
{
    static dame_cpu_t cpus[CPU_MODELS][DAME_MAKES]; /* stay as long as the states */
    const dame_make_t make = subject->options.cpu->make;
    dame_cpu_t *cpu = &cpus[subject->model][make];
    void **state = &session->states[subject->model][make];
    *cpu = *subject->options.cpu;
    if (!*state && session->provider->open(cpu, "", state) != DAME_OK) {
        session->failed++;
        fprintf(session->out, "FAIL %s: open for %s\n", subject->name,
                judge_cpu_name(subject->model));
        return;
    }
    subject->state = *state;
    subject->options = *dame_jit_options_default();
    judge_variants(session, subject, all, rng);
}

static void judge_all(session_t *session, const char *name, const dame_program_t *program,
                      bool all_variants, rng_t *rng)
{
    static const struct {
        cpu_model_t model;
        int32_t bits;
    } targets[] = {
        {CPU_SSE2, 0},   {CPU_AVX2, 0},   {CPU_AVX512, 0}, {CPU_VBMI, 0},
        {CPU_VBMI, 128}, {CPU_VBMI, 256}, {CPU_VBMI, 512},
    };
    const bool is_x = session->provider == &dame_provider_x;
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        if (!is_x && targets[i].bits != 0) {
            continue; /* the width is a variant */
        }
        for (int dir = DAME_PACK; dir <= DAME_UNPACK; dir++) {
            dame_cpu_t cpu = *judge_cpu(targets[i].model);
            cpu.make = (dame_make_t) rng_range(rng, 0, DAME_MAKES - 1);
            subject_t subject = {.name = name,
                                 .program = program,
                                 .dir = (dame_dir_t) dir,
                                 .options = rng_chance(rng, 50) ? *dame_jit_options_default()
                                                                : random_options(rng),
                                 .model = targets[i].model};
            subject.options.cpu = &cpu;
            subject.options.vector_bits = targets[i].bits;
            (is_x ? judge_x : judge_other)(session, &subject, all_variants && targets[i].bits == 0,
                                           rng);
        }
    }
}

/* ---- the corpus ---- */

static void judge_layouts(session_t *session, const session_plan_t *plan)
{
    for (int i = 0; i < layouts_count() && session->failed < plan->most_failures; i++) {
        const struct layout_spec *spec = layouts_get(i);
        if (plan->layout ? !layouts_match(spec, plan->layout)
                         : (spec->flags & LAYOUT_SERIES) != 0) {
            continue;
        }
        struct layout *layout = layout_create(spec, LAYOUT_ON_LINE);
        rng_t rng = rng_seeded(plan->seed, (uint64_t) i);
        for (int side = 0; side < 2; side++) {
            dame_program_t *program;
            if (dame_program_build(layout->side[side].type, NULL, &program) != DAME_OK) {
                fprintf(session->out, "FAIL %s: cannot build its program\n", spec->name);
                session->failed++;
                continue;
            }
            judge_all(session, spec->name, program, true, &rng);
            dame_program_free(program);
        }
        layout_free(layout);
        judge_forget_types();
    }
}

/* ---- random types ---- */

/* All, none or any set of them, with sizes that small messages exceed. */
static dame_options_t random_passes(rng_t *rng)
{
    dame_options_t options = *dame_options_default();
    const int kind = (int) rng_range(rng, 0, 2);
    if (kind == 1) {
        options.passes = DAME_PASSES_NONE;
    } else if (kind == 2) {
        options.passes = (dame_passes_t) rng_next(rng) & DAME_PASSES_ALL;
        options.fragment = rng_range(rng, 1, 5000);
    }
    return options;
}

static void judge_case(session_t *session, const session_plan_t *plan, int64_t number)
{
    char name[100];
    test_case_t c;
    const char *what;
    dame_status_t status = case_init(&c, plan->seed, number, NULL, &what);
    rng_t rng = rng_seeded(c.check_seed, 3);
    dame_program_t *program = NULL;
    snprintf(name, sizeof name, "again with --seed %" PRIu64 " --case %" PRId64, plan->seed,
             number);
    if (status == DAME_OK) {
        status = dame_isa_force(c.isa);
    }
    if (status == DAME_OK) {
        const dame_options_t passes = random_passes(&rng);
        status = dame_program_build(c.type, &passes, &program);
    }
    dame_isa_force(NULL);
    if (status == DAME_OK) {
        judge_all(session, name, program, false, &rng);
        dame_program_free(program);
    } else {
        fprintf(session->out, "FAIL %s: %s\n", name, dame_status_text(status));
        session->failed++;
    }
    case_fini(&c);
}

static void judge_cases(session_t *session, const session_plan_t *plan)
{
    const int64_t first = plan->only >= 0 ? plan->only : 0;
    const int64_t end = plan->only >= 0 ? plan->only + 1 : plan->cases;
    fprintf(session->out, "seed %" PRIu64 ", cases %" PRId64 " to %" PRId64 "\n", plan->seed, first,
            end - 1);
    for (int64_t number = first; number < end && session->failed < plan->most_failures; number++) {
        judge_case(session, plan, number);
    }
}

/* ---- all of it ---- */

bool session_run(session_t *session, const session_plan_t *plan)
{
    session->provider = plan->provider ? plan->provider : &dame_provider_x;
    /* LLVM leaves constants behind after it has found a shorter way for their last use. */
    session->emulation.listing.has_unused_constants = plan->provider != NULL;
    if (plan->cases > 0 || plan->only >= 0) {
        judge_cases(session, plan);
    }
    if (plan->only < 0 && !plan->no_layouts) {
        judge_layouts(session, plan);
    }
    const emulation_t *emulation = &session->emulation;
    fprintf(session->out,
            "kernels %" PRId64 ", of which only decoded because a run is too large %" PRId64
            "; runs %" PRId64 ", instructions %" PRId64 ", packed bytes %" PRId64
            "; runs too large to be tried %" PRId64 "; programs without kernels %" PRId64 "\n",
            emulation->kernels, emulation->only_decoded, emulation->runs, emulation->steps,
            emulation->moved, emulation->skipped, session->without);
    if (session->passed + session->failed == 0) {
        fprintf(session->out, "FAIL nothing was judged\n");
        session->failed++;
    }
    return session->failed == 0;
}

void session_free(session_t *session)
{
    for (int i = 0; i < CPU_MODELS * DAME_MAKES; i++) {
        void *state = session->states[i / DAME_MAKES][i % DAME_MAKES];
        if (state) {
            session->provider->close(state);
        }
    }
    emulation_free(&session->emulation);
}
