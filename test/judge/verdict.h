/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rules that kernels are judged by, and what a judgement says. USER, PACKED, COMPLETE, TABLE
 * and CALL are the contract of dame_run_fn (dame/program.h); the others are about machine code.
 */
#ifndef JUDGE_VERDICT_H
#define JUDGE_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

/* RULE(name, its demand) */
#define JUDGE_RULES(RULE)                                                                          \
    RULE(DECODES, "reached bytes decode, as one sequence of instructions")                         \
    RULE(INSIDE, "control stays in the code")                                                      \
    RULE(REACHED, "all bytes are instructions that are reached, constants or padding")             \
    RULE(ALLOWED, "only instructions of the list are used")                                        \
    RULE(WIDTH, "no vector is wider than the options say")                                         \
    RULE(FEATURE, "only instructions are used that the CPU has")                                   \
    RULE(ENTRY, "an entry belongs to one loop level of the program and starts with endbr64")       \
    RULE(USER, "user memory is only read to pack, between the run's first and last byte on pages " \
               "with data of the run, and only written to unpack, only where there are data")      \
    RULE(PACKED, "the packed stream is only written to pack and only read to unpack, within the "  \
                 "run's bytes")                                                                    \
    RULE(STACK, "the stack is used within the own frame")                                          \
    RULE(CONSTANT, "constants are only read, and are not instructions")                            \
    RULE(TABLE, "only the program's primitives and tables are read, within their bounds")          \
    RULE(ADDRESS, "memory that the kernel has nothing to do with is not touched")                  \
    RULE(ALIGNED, "aligned moves are aligned")                                                     \
    RULE(COMPLETE, "all bytes of the run are moved")                                               \
    RULE(DATA, "no address and no branch depends on the bytes that are moved")                     \
    RULE(DEFINED, "nothing is used that was not set")                                              \
    RULE(CALL, "only memcpy, the interpreter's kernels and entries of the code are called, with "  \
               "arguments inside the run")                                                         \
    RULE(CALL_ALIGNED, "the stack is 16-byte aligned at calls")                                    \
    RULE(SAVED, "the caller's registers and stack are restored")                                   \
    RULE(UPPER, "wide vectors are left clean")                                                     \
    RULE(ENDS, "a kernel ends")

typedef enum judge_rule {
    RULE_NONE,
#define JUDGE_RULE(name, what) RULE_##name,
    JUDGE_RULES(JUDGE_RULE)
#undef JUDGE_RULE
        RULE_COUNT
} judge_rule_t;

/* The rule violated first; RULE_NONE: none. */
typedef struct verdict {
    judge_rule_t rule;
    uint32_t offset; /* in the code, of the instruction */
    char message[300];
} verdict_t;

/* Notes a violation, unless there is one already, and returns false. */
__attribute__((format(printf, 4, 5))) bool verdict_fail(verdict_t *verdict, judge_rule_t rule,
                                                        uint32_t offset, const char *format, ...);

const char *judge_rule_name(judge_rule_t rule);
const char *judge_rule_demand(judge_rule_t rule);

#endif
