/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions that compute with mask registers. */
#include "cpu_state.h"

/* The operand's low bits, in a mask as wide as the instruction's; how they got there does not
 * matter. */
static bool take_low(cpu_t *cpu, const operand_t *operand, int bits, value_t *value)
{
    if (!cpu_take(cpu, operand, value)) {
        return false;
    }
    value->bits = cpu_low_bits(value->bits, bits);
    value->knowledge = 8 * value->low >= bits ? KNOWN : value->knowledge;
    return true;
}

static knowledge_t less_known(const value_t *a, const value_t *b)
{
    return a->knowledge < b->knowledge ? a->knowledge : b->knowledge;
}

static uint64_t combine(action_t action, uint64_t a, uint64_t b)
{
    switch (action) {
    case ACTION_MASK_AND:
        return a & b;
    case ACTION_MASK_ANDN:
        return ~a & b;
    case ACTION_MASK_OR:
        return a | b;
    case ACTION_MASK_XOR:
        return a ^ b;
    case ACTION_MASK_XNOR:
        return ~(a ^ b);
    default:
        return a + b;
    }
}

static bool put_mask(cpu_t *cpu, uint64_t bits, knowledge_t knowledge)
{
    const instruction_t *in = cpu->now;
    return cpu_put(cpu, &in->operands[0], (value_t){cpu_cut(bits, in->mask_bytes), knowledge, 0});
}

/* All that it sets are the flags for "none" and "all". */
static bool test(cpu_t *cpu, const value_t *a, const value_t *b)
{
    const uint64_t all = cpu_cut(UINT64_MAX, cpu->now->mask_bytes);
    const bool ors = cpu->now->action == ACTION_MASK_OR_TEST;
    cpu->flags = (flags_t){.zero = (ors ? a->bits | b->bits : a->bits & b->bits) == 0,
                           .carry = ors ? (a->bits | b->bits) == all : (~a->bits & b->bits) == 0,
                           .knowledge = less_known(a, b)};
    return true;
}

/* A distance as wide as the mask, or wider, leaves nothing. */
static bool shift(cpu_t *cpu)
{
    const instruction_t *in = cpu->now;
    const int bits = 8 * in->mask_bytes;
    const int by = (int) (in->operands[2].value & 0xff);
    const bool left = in->action == ACTION_MASK_SHL;
    value_t a;
    if (!take_low(cpu, &in->operands[1], left && by < bits ? bits - by : bits, &a)) {
        return false;
    }
    const uint64_t shifted = left ? a.bits << (by & 63) : a.bits >> (by & 63);
    return put_mask(cpu, by < bits ? shifted : 0, by < bits ? a.knowledge : KNOWN);
}

bool cpu_mask(cpu_t *cpu)
{
    const instruction_t *in = cpu->now;
    const action_t action = in->action;
    const bool unpacks = action == ACTION_MASK_UNPACK;
    const int bits = 8 * in->mask_bytes / (unpacks ? 2 : 1);
    const bool tests = action == ACTION_MASK_TEST || action == ACTION_MASK_OR_TEST;
    const operand_t *operands = &in->operands[tests ? 0 : 1];
    value_t a, b;
    if (action == ACTION_MASK_SHL || action == ACTION_MASK_SHR) {
        return shift(cpu);
    }
    if (!take_low(cpu, &operands[0], bits, &a)) {
        return false;
    }
    if (action == ACTION_MASK_NOT) {
        return put_mask(cpu, ~a.bits, a.knowledge);
    }
    if (in->is_idiom) { /* kxor, kxnor, kandn of a mask and itself */
        return put_mask(cpu, combine(action, a.bits, a.bits), KNOWN);
    }
    if (!take_low(cpu, &operands[1], bits, &b)) {
        return false;
    }
    if (tests) {
        return test(cpu, &a, &b);
    }
    return put_mask(cpu, unpacks ? a.bits << bits | b.bits : combine(action, a.bits, b.bits),
                    less_known(&a, &b));
}
