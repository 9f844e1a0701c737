#include "trial.h"

#include <inttypes.h>
#include <string.h>

#include "cpu.h"
#include "walk.h"

void trial_free(trial_t *trial)
{
    listing_free(&trial->listing);
    ground_close(&trial->ground);
}

/* Judges one run; true also when it has more than `most` bytes. */
static bool judge_run(trial_t *trial, const judge_run_t *run, uint32_t entry, int64_t most,
                      rng_t *rng, verdict_t *verdict)
{
    if (!ground_measure(&trial->ground, run, most)) {
        trial->skipped++;
        return true;
    }
    if (!ground_place(&trial->ground, rng)) {
        return verdict_fail(verdict, RULE_ENDS, entry, "no memory to judge a run");
    }
    trial->runs++;
    trial->moved += trial->ground.bytes;
    return cpu_run(&trial->listing, &trial->ground, entry, rng, &trial->steps, verdict);
}

/* n iterations: the first ones, the last ones or some between. */
static bool judge_n(trial_t *trial, judge_run_t run, int64_t limit, int64_t n, uint32_t entry,
                    int64_t most, rng_t *rng, verdict_t *verdict)
{
    const int64_t last = (limit < INT32_MAX ? limit : INT32_MAX) - n;
    const int64_t firsts[] = {0, last < 3 ? last : rng_range(rng, 0, last), last};
    if (last < 0) {
        return true;
    }
    run.n = n;
    run.first = firsts[n <= 8 ? rng_range(rng, 1, 2) : rng_range(rng, 0, 2)];
    if (!judge_run(trial, &run, entry, most, rng, verdict)) {
        return false;
    }
    if (n > 8 || run.first == 0) {
        return true;
    }
    run.first = 0;
    return judge_run(trial, &run, entry, most, rng, verdict);
}

static bool judge_kernel(trial_t *trial, const judge_run_t *run, uint32_t entry, rng_t *rng,
                         verdict_t *verdict)
{
    enum { RANDOM_RUNS = 5, MOST_ITERATIONS = 3000 };
    const int64_t limit = walk_limit(run->program, run->prim);
    const int64_t some = limit < TRIAL_SOME ? limit : TRIAL_SOME;
    for (int64_t n = 0; n <= some; n++) {
        if (!judge_n(trial, *run, limit, n, entry, n == 1 ? TRIAL_FULL_BYTES : TRIAL_BYTES, rng,
                     verdict)) {
            return false;
        }
    }
    if (limit <= some) {
        return true;
    }
    for (int i = 0; i < RANDOM_RUNS; i++) {
        const int64_t n =
            rng_range(rng, some + 1, limit < MOST_ITERATIONS ? limit : MOST_ITERATIONS);
        if (!judge_n(trial, *run, limit, n, entry, TRIAL_BYTES, rng, verdict)) {
            return false;
        }
    }
    return limit == INT64_MAX ||
           judge_n(trial, *run, limit, limit, entry, TRIAL_FULL_BYTES, rng, verdict);
}

/* One iteration of a kernel that could not be tried with less. */
static bool judge_large(trial_t *trial, const judge_run_t *large, uint32_t entry, rng_t *rng,
                        verdict_t *verdict)
{
    judge_run_t run = *large;
    run.n = 1;
    return walk_limit(run.program, run.prim) < 1 ||
           judge_run(trial, &run, entry, TRIAL_MOST_BYTES, rng, verdict);
}

bool trial_judge(trial_t *trial, const dame_program_t *program, dame_dir_t dir,
                 const dame_jit_options_t *options, cpu_model_t model,
                 const dame_machine_code_t *code, rng_t *rng, verdict_t *verdict)
{
    *verdict = (verdict_t){.rule = RULE_NONE};
    trial->ground.run = (judge_run_t){.program = program, .dir = dir};
    if (!ground_open(&trial->ground, program)) {
        return verdict_fail(verdict, RULE_ENDS, 0, "no memory to judge a program");
    }
    if (!listing_make(&trial->listing, code, program, options, model, verdict)) {
        return false;
    }
    for (int32_t i = 0; i < code->nentries; i++) {
        const judge_run_t run = {
            .program = program, .prim = &program->prims[code->entries[i].prim], .dir = dir};
        const int64_t before = trial->moved;
        trial->kernels++;
        if (!judge_kernel(trial, &run, code->entries[i].offset, rng, verdict)) {
            return false;
        }
        if (trial->moved == before &&
            !judge_large(trial, &run, code->entries[i].offset, rng, verdict)) {
            return false;
        }
        trial->only_decoded += trial->moved == before && program->size > 0;
    }
    return true;
}

void trial_explain(FILE *out, const trial_t *trial, const dame_machine_code_t *code,
                   const verdict_t *verdict)
{
    const judge_run_t *run = &trial->ground.run;
    fprintf(out, "  rule %s: %s\n  %s\n", judge_rule_name(verdict->rule),
            judge_rule_demand(verdict->rule), verdict->message);
    if (run->prim) {
        fprintf(out,
                "  %s, primitive %d (%s), first %" PRId64 ", n %" PRId64 ", origin 0x%" PRIx64
                ", packed 0x%" PRIx64 "\n",
                run->dir == DAME_PACK ? "pack" : "unpack", (int) (run->prim - run->program->prims),
                dame_op_name(run->prim->params->op), run->first, run->n, run->origin, run->packed);
    }
    listing_print(out, code, verdict->offset);
}
