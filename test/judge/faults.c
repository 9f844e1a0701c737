/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is the judge any good? Breaks the emitter in many small ways, one at a time: the fault points of
 * jit/x/ (fault.h), which this program's own build of the emitter has. The judge must notice each
 * and name the right rule. The last line is "N passed, M failed".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/x/fault.h"
#include "session.h"

enum { MOST_RULES = 4, CASES = 300, SOUND_CASES = 30 };

typedef struct fault {
    const char *name;
    judge_rule_t rules[MOST_RULES]; /* one of them must be broken first */
} fault_t;

static const fault_t faults[] = {
    {"byte_stored_as_four", {RULE_USER, RULE_PACKED}},
    {"byte_stored_as_two", {RULE_USER, RULE_PACKED}},
    {"stride_off_by_one", {RULE_USER, RULE_COMPLETE}},
    {"packed_off_by_one", {RULE_PACKED, RULE_COMPLETE}},
    {"loop_ends_early", {RULE_COMPLETE, RULE_PACKED, RULE_USER}},
    {"loop_ends_late", {RULE_USER, RULE_PACKED, RULE_ADDRESS}},
    {"loop_without_end", {RULE_ENDS, RULE_USER, RULE_PACKED}},
    {"pop_missing", {RULE_SAVED}},
    {"pops_in_wrong_order", {RULE_SAVED}},
    {"register_not_saved", {RULE_SAVED}},
    {"stack_misaligned_at_calls", {RULE_CALL_ALIGNED}},
    {"mask_too_long", {RULE_USER, RULE_PACKED}},
    {"mask_too_short", {RULE_COMPLETE}},
    {"mask_ignored", {RULE_USER, RULE_PACKED}},
    {"mask_of_next_register", {RULE_DEFINED, RULE_USER, RULE_PACKED}},
    {"entry_not_sign_extended", {RULE_USER}},
    {"entry_width_swapped", {RULE_USER, RULE_TABLE}},
    {"next_table_entry", {RULE_USER, RULE_TABLE, RULE_COMPLETE}},
    {"aligned_too_far", {RULE_USER, RULE_PACKED, RULE_COMPLETE}},
    {"second_vector_misplaced", {RULE_USER, RULE_PACKED}},
    {"memcpy_too_long", {RULE_USER, RULE_PACKED}},
    {"inner_count_too_large", {RULE_CALL, RULE_USER, RULE_PACKED}},
    {"inner_level_wrong", {RULE_CALL}},
    {"short_displacement_unscaled", {RULE_USER, RULE_PACKED}},
    {"branch_one_byte_off", {RULE_DECODES, RULE_ALLOWED, RULE_INSIDE, RULE_REACHED}},
    {"endbr64_missing", {RULE_ENTRY}},
    {"constant_misplaced", {RULE_CONSTANT, RULE_REACHED}},
    {"mask_loaded_elsewhere", {RULE_DEFINED}},
    {"constant_too_wide", {RULE_WIDTH, RULE_CONSTANT}},
    {"vzeroupper_missing", {RULE_UPPER}},
    {"avx512_where_missing", {RULE_FEATURE}},
};

enum { FAULTS = sizeof faults / sizeof faults[0] };

static const fault_t *made; /* the fault that the emitter makes now, or NULL */

static const fault_t *find_fault(const char *name)
{
    for (int i = 0; i < FAULTS; i++) {
        if (strcmp(name, faults[i].name) == 0) {
            return &faults[i];
        }
    }
    return NULL;
}

int x_fault_is(const char *name)
{
    if (made != NULL && strcmp(name, made->name) == 0) {
        return 1;
    }
    if (find_fault(name) == NULL) {
        fprintf(stderr, "faults: jit/x/ has a fault point '%s' that faults.c does not try\n", name);
        exit(2);
    }
    return 0;
}

/* What the judge says to the emitter with this fault, NULL: without any. The caller frees *report,
 * which is NULL when memory is out. */
static judge_rule_t judge_fault(const fault_t *fault, char **report)
{
    const session_plan_t plan = {.cases = fault == NULL ? SOUND_CASES : CASES,
                                 .seed = 1,
                                 .only = -1,
                                 .no_layouts = fault == NULL,
                                 .most_failures = 1};
    size_t size = 0;
    session_t session = {.out = open_memstream(report, &size)};
    if (session.out == NULL) {
        *report = NULL;
        return RULE_NONE;
    }
    made = fault;
    session_run(&session, &plan);
    made = NULL;
    fclose(session.out);
    session_free(&session);
    return session.first;
}

static bool is_expected(const fault_t *fault, judge_rule_t rule)
{
    for (int i = 0; i < MOST_RULES; i++) {
        if (rule != RULE_NONE && rule == fault->rules[i]) {
            return true;
        }
    }
    return false;
}

static bool passes(const fault_t *fault)
{
    char *report = NULL;
    const judge_rule_t rule = judge_fault(fault, &report);
    const bool right =
        report != NULL && (fault == NULL ? rule == RULE_NONE : is_expected(fault, rule));
    printf("%s %s: %s\n", right ? "PASS" : "FAIL", fault != NULL ? fault->name : "no fault",
           judge_rule_name(rule));
    if (!right) {
        printf("%s\n", report != NULL ? report : "no memory for a report");
    }
    free(report);
    return right;
}

static int explain(const char *name)
{
    const fault_t *fault = find_fault(name);
    char *report = NULL;
    if (fault == NULL) {
        fprintf(stderr, "faults: '%s' is not a fault; they are:\n", name);
        for (int i = 0; i < FAULTS; i++) {
            fprintf(stderr, "  %s\n", faults[i].name);
        }
        return 2;
    }
    const judge_rule_t rule = judge_fault(fault, &report);
    printf("%s", report != NULL ? report : "no memory for a report\n");
    free(report);
    return is_expected(fault, rule) ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    int passed = 0;
    if (argc == 3 && strcmp(argv[1], "--fault") == 0) {
        return explain(argv[2]);
    }
    if (argc != 1) {
        fprintf(stderr, "Usage: faults [--fault NAME]\n"
                        "Tries all faults, or explains what the judge finds of one.\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    passed += passes(NULL);
    for (int i = 0; i < FAULTS; i++) {
        passed += passes(&faults[i]);
    }
    printf("%d passed, %d failed\n", passed, FAULTS + 1 - passed);
    return passed == FAULTS + 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
