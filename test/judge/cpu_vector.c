/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>

#include "cpu_state.h"

typedef bool (*access_fn)(cpu_t *cpu, uint64_t address, int64_t bytes);

static bool load(cpu_t *cpu, uint64_t address, int64_t bytes)
{
    return cpu_read(cpu, address, bytes, NULL);
}

static bool store(cpu_t *cpu, uint64_t address, int64_t bytes)
{
    return cpu_write(cpu, address, bytes, NULL);
}

/* Those elements that the mask has, neighbours together. */
static bool access_masked(cpu_t *cpu, const operand_t *operand, uint64_t address, access_fn touch)
{
    const instruction_t *in = cpu->now;
    const value_t *mask = &cpu->mask[in->mask];
    const int elements = operand->bytes / operand->element;
    const int lanes = in->is_broadcast ? in->vector / operand->element : elements;
    if (8 * mask->low < lanes && !cpu_is_known(cpu, mask, "the mask")) {
        return false;
    }
    uint64_t bits = cpu_low_bits(mask->bits, lanes);
    for (int i = elements; i < lanes; i += elements) {
        bits |= bits >> i;
    }
    bits = cpu_low_bits(bits, elements);
    if (cpu->now->action == ACTION_VECTOR_PACKED) {
        const int64_t bytes = __builtin_popcountll(bits) * operand->element;
        return bytes == 0 || touch(cpu, address, bytes);
    }
    for (int i = 0, end; i < elements; i = end) {
        end = i + 1;
        if ((bits >> i & 1) == 0) {
            continue;
        }
        while (end < elements && (bits >> end & 1) != 0) {
            end++;
        }
        if (!touch(cpu, address + (uint64_t) (i * operand->element),
                   (int64_t) (end - i) * operand->element)) {
            return false;
        }
    }
    return true;
}

static bool access_memory(cpu_t *cpu, const operand_t *operand, access_fn touch)
{
    uint64_t address;
    if (!cpu_address(cpu, operand, &address)) {
        return false;
    }
    if (cpu->now->action == ACTION_VECTOR_ALIGNED && address % operand->bytes != 0) {
        return cpu_fail(cpu, RULE_ALIGNED, "%d bytes at 0x%" PRIx64, operand->bytes, address);
    }
    return cpu->now->mask && cpu->now->is_sparing ? access_masked(cpu, operand, address, touch)
                                                  : touch(cpu, address, operand->bytes);
}

static bool take(cpu_t *cpu, const operand_t *operand, bool may_be_unset)
{
    switch (operand->kind) {
    case OPERAND_MEMORY:
        return access_memory(cpu, operand, load);
    case OPERAND_VECTOR:
        if (cpu->now->is_idiom || may_be_unset || (cpu->vectors >> operand->number & 1) != 0) {
            return true;
        }
        return cpu_fail(cpu, RULE_DEFINED, "vector register %d was not set", operand->number);
    case OPERAND_GPR:
        return cpu->gpr[operand->number].knowledge != UNDEFINED ||
               cpu_fail(cpu, RULE_DEFINED, "%s was not set", gpr_names[operand->number]);
    case OPERAND_MASK:
        return cpu->mask[operand->number].knowledge != UNDEFINED ||
               cpu_fail(cpu, RULE_DEFINED, "k%d was not set", operand->number);
    default:
        return true;
    }
}

static bool put(cpu_t *cpu, const operand_t *operand)
{
    switch (operand->kind) {
    case OPERAND_MEMORY:
        return access_memory(cpu, operand, store);
    case OPERAND_VECTOR:
        cpu->vectors |= UINT32_C(1) << operand->number;
        cpu->wide |= operand->number < 16 && cpu->now->vector > 16;
        return true;
    case OPERAND_GPR:
        cpu->gpr[operand->number] = (value_t){.knowledge = MOVED};
        return true;
    case OPERAND_MASK: /* a comparison of vectors */
        cpu->mask[operand->number] = (value_t){.knowledge = MOVED};
        return true;
    default:
        return cpu_fail(cpu, RULE_ALLOWED, "a result of a kind that is not used");
    }
}

bool cpu_vector(cpu_t *cpu)
{
    const instruction_t *in = cpu->now;
    if (in->sse && cpu->wide) {
        return cpu_fail(cpu, RULE_UPPER, "an SSE instruction while upper halves are in use");
    }
    for (int i = 0; i < in->noperands; i++) {
        const bool may_be_unset = (i == 0 && in->is_merged) || (i == 1 && in->is_insert) ||
                                  (i == (in->sse ? 0 : 1) && in->interleaves);
        if (in->operands[i].read && !take(cpu, &in->operands[i], may_be_unset)) {
            return false;
        }
    }
    for (int i = 0; i < in->noperands; i++) {
        if (in->operands[i].written && !put(cpu, &in->operands[i])) {
            return false;
        }
    }
    return true;
}
