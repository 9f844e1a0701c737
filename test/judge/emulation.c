/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulation.h"

#include <inttypes.h>
#include <string.h>

#include "cpu.h"
#include "walk.h"

void emulation_free(emulation_t *emulation)
{
    listing_free(&emulation->listing);
    footprint_close(&emulation->footprint);
}

/* Judges one run; true also when it has more than `most` bytes. */
static bool judge_run(emulation_t *emulation, const judge_run_t *run, uint32_t entry, int64_t most,
                      rng_t *rng, verdict_t *verdict)
{
    if (!footprint_measure(&emulation->footprint, run, most)) {
        emulation->skipped++;
        return true;
    }
    if (!footprint_place(&emulation->footprint, rng)) {
        return verdict_fail(verdict, RULE_ENDS, entry, "no memory to judge a run");
    }
    emulation->runs++;
    emulation->moved += emulation->footprint.bytes;
    return cpu_run(&emulation->listing, &emulation->footprint, entry, rng, &emulation->steps,
                   verdict);
}

/* n iterations: the first ones, the last ones or some between. */
static bool judge_n(emulation_t *emulation, judge_run_t run, int64_t limit, int64_t n,
                    uint32_t entry, int64_t most, rng_t *rng, verdict_t *verdict)
{
    const int64_t last = (limit < INT32_MAX ? limit : INT32_MAX) - n;
    const int64_t firsts[] = {0, last < 3 ? last : rng_range(rng, 0, last), last};
    if (last < 0) {
        return true;
    }
    run.n = n;
    run.first = firsts[n <= 8 ? rng_range(rng, 1, 2) : rng_range(rng, 0, 2)];
    if (!judge_run(emulation, &run, entry, most, rng, verdict)) {
        return false;
    }
    if (n > 8 || run.first == 0) {
        return true;
    }
    run.first = 0;
    return judge_run(emulation, &run, entry, most, rng, verdict);
}

static bool judge_kernel(emulation_t *emulation, const judge_run_t *run, uint32_t entry, rng_t *rng,
                         verdict_t *verdict)
{
    enum { RANDOM_RUNS = 5, MOST_ITERATIONS = 3000 };
    const int64_t limit = walk_limit(run->program, run->prim);
    const int64_t some = limit < EMULATION_SOME ? limit : EMULATION_SOME;
    for (int64_t n = 0; n <= some; n++) {
        if (!judge_n(emulation, *run, limit, n, entry,
                     n == 1 ? EMULATION_FULL_BYTES : EMULATION_BYTES, rng, verdict)) {
            return false;
        }
    }
    if (limit <= some) {
        return true;
    }
    for (int i = 0; i < RANDOM_RUNS; i++) {
        const int64_t n =
            rng_range(rng, some + 1, limit < MOST_ITERATIONS ? limit : MOST_ITERATIONS);
        if (!judge_n(emulation, *run, limit, n, entry, EMULATION_BYTES, rng, verdict)) {
            return false;
        }
    }
    return limit == INT64_MAX ||
           judge_n(emulation, *run, limit, limit, entry, EMULATION_FULL_BYTES, rng, verdict);
}

/* One iteration of a kernel that could not be tried with less. */
static bool judge_large(emulation_t *emulation, const judge_run_t *large, uint32_t entry,
                        rng_t *rng, verdict_t *verdict)
{
    judge_run_t run = *large;
    run.n = 1;
    return walk_limit(run.program, run.prim) < 1 ||
           judge_run(emulation, &run, entry, EMULATION_MOST_BYTES, rng, verdict);
}

bool emulation_judge(emulation_t *emulation, const dame_program_t *program, dame_dir_t dir,
                     const dame_jit_options_t *options, cpu_model_t model,
                     const dame_machine_code_t *code, rng_t *rng, verdict_t *verdict)
{
    *verdict = (verdict_t){.rule = RULE_NONE};
    emulation->footprint.run = (judge_run_t){.program = program, .dir = dir};
    if (!footprint_open(&emulation->footprint, program)) {
        return verdict_fail(verdict, RULE_ENDS, 0, "no memory to judge a program");
    }
    if (!listing_make(&emulation->listing, code, program, options, model, verdict)) {
        return false;
    }
    for (int32_t i = 0; i < code->nentries; i++) {
        const judge_run_t run = {
            .program = program, .prim = &program->prims[code->entries[i].prim], .dir = dir};
        const int64_t before = emulation->moved;
        emulation->kernels++;
        if (!judge_kernel(emulation, &run, code->entries[i].offset, rng, verdict)) {
            return false;
        }
        if (emulation->moved == before &&
            !judge_large(emulation, &run, code->entries[i].offset, rng, verdict)) {
            return false;
        }
        emulation->only_decoded += emulation->moved == before && program->size > 0;
    }
    return true;
}

void emulation_explain(FILE *out, const emulation_t *emulation, const dame_machine_code_t *code,
                       const verdict_t *verdict)
{
    const judge_run_t *run = &emulation->footprint.run;
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
