/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of the CPU of cpu.h, and what its files share. Private to cpu*.c.
 */
#ifndef JUDGE_CPU_STATE_H
#define JUDGE_CPU_STATE_H

#include "cpu.h"

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15, GPRS };

enum { MASKS = 8, STACK_BYTES = 16384, MOST_FRAMES = 64 };

/* The knowledge of a value, from nothing to all. */
typedef enum knowledge {
    UNDEFINED, /* not set */
    MOVED,     /* it comes from bytes that are moved */
    KNOWN
} knowledge_t;

typedef struct value {
    uint64_t bits;
    knowledge_t knowledge;
    int low; /* number of low bytes that are known, whatever the others are */
} value_t;

/* A kernel that is running: the outermost one, and those that it calls in the same code. */
typedef struct frame {
    uint64_t rsp;        /* at the entry: where the return address stands */
    uint32_t back;       /* offset to return to */
    value_t saved[GPRS]; /* values of registers at the entry */
} frame_t;

typedef struct flags {
    bool carry, zero, sign, overflow, parity;
    bool has_shifted; /* and the overflow must not be used */
    knowledge_t knowledge;
} flags_t;

typedef struct cpu {
    const listing_t *listing;
    footprint_t *footprint;
    verdict_t *verdict;
    const instruction_t *now; /* the instruction that is executed */
    uint64_t code;            /* address of the code */
    value_t gpr[GPRS];
    value_t mask[MASKS];
    flags_t flags;
    uint32_t vectors; /* bit i: vector register i was set */
    bool wide;        /* the upper half of a vector register 0 to 15 is in use */
    uint8_t stack[STACK_BYTES];
    uint8_t stack_knowledge[STACK_BYTES];
    frame_t frames[MOST_FRAMES];
    int depth; /* frames in use */
    uint32_t next;
    bool done;
} cpu_t;

/* Notes a violation by the instruction that is executed; false. */
#define cpu_fail(cpu, rule, ...) verdict_fail((cpu)->verdict, rule, (cpu)->now->offset, __VA_ARGS__)

extern const char *const gpr_names[GPRS];

/* May the value be an address, a number of bytes, a condition? `what` names it. */
bool cpu_is_known(cpu_t *cpu, const value_t *value, const char *what);

/* ---- cpu_memory.c ---- */

/* The address of a memory operand. */
bool cpu_address(cpu_t *cpu, const operand_t *operand, uint64_t *address);

/* Reads or writes `bytes` bytes; up to 8 of them may have a value. */
bool cpu_read(cpu_t *cpu, uint64_t address, int64_t bytes, value_t *value);
bool cpu_write(cpu_t *cpu, uint64_t address, int64_t bytes, const value_t *value);

bool cpu_push(cpu_t *cpu, value_t value);
bool cpu_pop(cpu_t *cpu, value_t *value);

/* The frame's part of the stack must contain rsp. */
bool cpu_check_rsp(cpu_t *cpu);

void cpu_reset_stack(cpu_t *cpu);

/* ---- cpu_vector.c ---- */

bool cpu_vector(cpu_t *cpu);

/* ---- cpu_mask.c ---- */

bool cpu_mask(cpu_t *cpu);

/* ---- cpu_call.c ---- */

bool cpu_call(cpu_t *cpu);
bool cpu_jump(cpu_t *cpu);
bool cpu_ret(cpu_t *cpu);

/* ---- cpu.c ---- */

/* An operand's value; reads memory. */
bool cpu_take(cpu_t *cpu, const operand_t *operand, value_t *value);
bool cpu_put(cpu_t *cpu, const operand_t *operand, value_t value);

/* The low bits of a number, and its low bytes. */
static inline uint64_t cpu_low_bits(uint64_t number, int bits)
{
    return bits >= 64 ? number : number & ((UINT64_C(1) << bits) - 1);
}

static inline uint64_t cpu_cut(uint64_t bits, int bytes)
{
    return cpu_low_bits(bits, 8 * bytes);
}

#endif
