/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The judge judged: it must accept kernels that are right and say of the others which rule they
 * break.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dame/dame.h"
#include "sample.h"
#include "emulation.h"

static dame_program_t *program_of(sample_type_t type)
{
    enum { LISTED = 50 };
    char text[1000] = "EXIT VECTORFINAL(60, 1, 24, 8, 8) CONTIGFINAL(8) BOTTOM";
    dame_program_t *program = NULL;
    int n = 0;
    if (type == SAMPLE_FAR) {
        snprintf(text, sizeof text, "EXIT VECTORFINAL(60, 1, 65536, 8, 8) CONTIGFINAL(8) BOTTOM");
    } else if (type == SAMPLE_LIST) {
        n = snprintf(text, sizeof text, "EXIT BLOCKINDEXFINAL(%d, 1, [", LISTED);
        for (int i = 0; i < LISTED; i++) { /* also negative ones, and never the same step twice */
            n += snprintf(text + n, sizeof text - (size_t) n, "%s%d", i > 0 ? ", " : "",
                          (i * i * 3 + i % 7) * 20 - 40000);
        }
        snprintf(text + n, sizeof text - (size_t) n, "], 8, 8) CONTIGFINAL(8) BOTTOM");
    }
    if (dame_program_parse(text, strlen(text), &program, NULL) != DAME_OK) {
        printf("cannot read %s\n", text);
        exit(EXIT_FAILURE);
    }
    return program;
}

static void put_memcpy(char *code, size_t size)
{
    const uint64_t marker = SAMPLE_MEMCPY;
    const uintptr_t function = (uintptr_t) memcpy;
    for (size_t i = 0; i + sizeof marker <= size; i++) {
        if (memcmp(code + i, &marker, sizeof marker) == 0) {
            memcpy(code + i, &function, sizeof function);
        }
    }
}

static bool test(emulation_t *emulation, const sample_t *sample, const dame_program_t *program)
{
    static char bytes[4096];
    dame_jit_options_t options = {.vector_bits = sample->vectors};
    dame_entry_point_t entries[] = {{.prim = 1, .offset = 0}, {.prim = 0}};
    dame_machine_code_t code = {.bytes = bytes,
                                .size = (size_t) (sample->end - sample->begin),
                                .entries = entries,
                                .nentries = sample->second ? 2 : 1};
    verdict_t verdict;
    rng_t rng = rng_seeded(1, 0);
    if (code.size > sizeof bytes) {
        printf("FAIL %s has %zu bytes\n", sample->name, code.size);
        return false;
    }
    memcpy(bytes, sample->begin, code.size);
    put_memcpy(bytes, code.size);
    if (sample->second) {
        entries[1].offset = (uint32_t) (sample->second - sample->begin);
        if (entries[1].offset == 0) { /* an entry for a primitive that is not a level */
            entries[1].prim = program->nprims - 1;
        }
    }
    emulation_judge(emulation, program, sample->dir, &options, sample->model, &code, &rng,
                    &verdict);
    if (verdict.rule == sample->rule) {
        printf("PASS %s: %s %s\n", sample->name, judge_rule_name(verdict.rule), verdict.message);
        return true;
    }
    printf("FAIL %s: %s was expected\n", sample->name, judge_rule_name(sample->rule));
    emulation_explain(stdout, emulation, &code, &verdict);
    return false;
}

/* Every rule must have been broken by some sample. */
static bool rules_are_covered(void)
{
    bool all = true;
    for (int rule = RULE_NONE; rule < RULE_COUNT; rule++) {
        bool covered = false;
        for (const sample_t *sample = samples; sample->name; sample++) {
            covered |= sample->rule == (judge_rule_t) rule;
        }
        if (!covered) {
            printf("FAIL no sample for rule %s\n", judge_rule_name((judge_rule_t) rule));
        }
        all &= covered;
    }
    return all;
}

int main(void)
{
    dame_program_t *programs[SAMPLE_TYPES];
    emulation_t emulation = {.kernels = 0};
    int passed = 0;
    int failed = 0;
    for (int type = 0; type < SAMPLE_TYPES; type++) {
        programs[type] = program_of((sample_type_t) type);
    }
    for (const sample_t *sample = samples; sample->name; sample++) {
        const bool is_right = test(&emulation, sample, programs[sample->type]);
        passed += is_right;
        failed += !is_right;
    }
    const bool covered = rules_are_covered();
    passed += covered;
    failed += !covered;
    for (int type = 0; type < SAMPLE_TYPES; type++) {
        dame_program_free(programs[type]);
    }
    emulation_free(&emulation);
    printf("%d passed, %d failed\n", passed, failed);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
