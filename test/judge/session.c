/* Judges an emitter: see session.h. */
#include "session.h"

#include <inttypes.h>
#include <stdlib.h>

#include "test/differential/cases.h"
#include "bench/layouts.h"
#include "dame/dame.h"
#include "dame/isa.h"
#include "jit/tune.h"

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
    options.nontemporal_bytes = ANY_OF(rng, 0, 1, 100, 3000);
    options.prefetch_distance = ANY_OF(rng, -1, 0, 1, 7, 32);
    options.list_entries = ANY_OF(rng, 0, 1, 4, 16, 100);
    return options;
}

static void print_options(FILE *out, const dame_jit_options_t *o)
{
    fprintf(out,
            "  tune %d, vector_bits %" PRId32 ", unroll %" PRId64 ", straight %" PRId64
            ", memcpy %" PRId64 ", nontemporal %" PRId64 ", prefetch %" PRId64
            ", list_entries %" PRId64 "\n",
            (int) (o->tune - dame_tune_of((dame_make_t) 0)), o->vector_bits, o->unroll_bytes,
            o->straight_bytes, o->memcpy_bytes, o->nontemporal_bytes, o->prefetch_distance,
            o->list_entries);
}

/* Counts a judgement; explains it when it is bad. */
static void judge(session_t *session, const char *name, const dame_program_t *program,
                  dame_dir_t dir, const dame_jit_options_t *options, cpu_model_t model, rng_t *rng)
{
    verdict_t verdict;
    const dame_status_t status = dame_tier_x.compile(program, dir, options, &session->code);
    if (status == DAME_ERR_UNSUPPORTED) {
        session->without++;
        return;
    }
    if (status != DAME_OK) {
        session->failed++;
        fprintf(session->out, "FAIL %s: compile: %s\n", name, dame_status_text(status));
        return;
    }
    if (trial_judge(&session->trial, program, dir, options, model, &session->code, rng, &verdict)) {
        session->passed++;
        return;
    }
    session->failed++;
    if (session->first == RULE_NONE) {
        session->first = verdict.rule;
    }
    fprintf(session->out, "FAIL %s\n", name);
    trial_explain(session->out, &session->trial, &session->code, &verdict);
    fprintf(session->out, "  for a CPU with %s, vectors %s\n", judge_cpu_name(model),
            dame_tier_x.vector_name(options));
    print_options(session->out, options);
    dame_program_print(program, session->out);
}

static void judge_all(session_t *session, const char *name, const dame_program_t *program,
                      rng_t *rng)
{
    static const struct {
        cpu_model_t model;
        int32_t bits;
    } targets[] = {
        {CPU_SSE2, 0},   {CPU_AVX2, 0},   {CPU_AVX512, 0}, {CPU_VBMI, 0},
        {CPU_VBMI, 128}, {CPU_VBMI, 256}, {CPU_VBMI, 512},
    };
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        for (int dir = DAME_PACK; dir <= DAME_UNPACK; dir++) {
            dame_jit_options_t options =
                rng_chance(rng, 50) ? *dame_jit_options_default() : random_options(rng);
            options.cpu = judge_cpu(targets[i].model);
            options.vector_bits = targets[i].bits;
            options.tune = dame_tune_of((dame_make_t) rng_range(rng, 0, DAME_MAKES - 1));
            judge(session, name, program, (dame_dir_t) dir, &options, targets[i].model, rng);
        }
    }
}

/* ---- the corpus ---- */

static void judge_layouts(session_t *session, const session_plan_t *plan)
{
    for (int i = 0; i < layouts_count() && session->failed < plan->most_failures; i++) {
        const struct layout_spec *spec = layouts_get(i);
        if (plan->layout && !layouts_match(spec, plan->layout)) {
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
            judge_all(session, spec->name, program, &rng);
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
        options.sort = (dame_sort_t) rng_range(rng, DAME_SORT_AUTO, DAME_SORT_ALWAYS);
        options.sort_range = rng_range(rng, 0, 5000);
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
        judge_all(session, name, program, &rng);
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
    if (!plan->layout) {
        judge_cases(session, plan);
    }
    if (plan->only < 0) {
        judge_layouts(session, plan);
    }
    const trial_t *trial = &session->trial;
    fprintf(session->out,
            "kernels %" PRId64 ", of which only decoded because a run is too large %" PRId64
            "; runs %" PRId64 ", instructions %" PRId64 ", packed bytes %" PRId64
            "; runs too large to be tried %" PRId64 "; programs without kernels %" PRId64 "\n",
            trial->kernels, trial->only_decoded, trial->runs, trial->steps, trial->moved,
            trial->skipped, session->without);
    if (session->passed + session->failed == 0) {
        fprintf(session->out, "FAIL nothing was judged\n");
        session->failed++;
    }
    return session->failed == 0;
}

void session_free(session_t *session)
{
    trial_free(&session->trial);
    dame_heap_free(session->code.bytes);
    dame_heap_free(session->code.entries);
}
