/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <string.h>

#include "cpu_state.h"

#define STACK_TOP UINT64_C(0x200000001000) /* 16-byte aligned */
/* Around the stack and the program: addresses that are meant to be there, but are wrong. */
#define VICINITY   (UINT64_C(1) << 24)
#define NEIGHBOURS 4096

static uint64_t frame_top(const cpu_t *cpu)
{
    return cpu->frames[cpu->depth - 1].rsp;
}

static size_t stack_index(uint64_t address)
{
    return (size_t) (address - (STACK_TOP - STACK_BYTES));
}

void cpu_reset_stack(cpu_t *cpu)
{
    memset(cpu->stack_knowledge, UNDEFINED, sizeof cpu->stack_knowledge);
    cpu->gpr[RSP] = (value_t){STACK_TOP - 8, KNOWN, 0};
}

bool cpu_is_known(cpu_t *cpu, const value_t *value, const char *what)
{
    if (value->knowledge == KNOWN) {
        return true;
    }
    return value->knowledge == MOVED
               ? cpu_fail(cpu, RULE_DATA, "%s depends on the bytes that are moved", what)
               : cpu_fail(cpu, RULE_DEFINED, "%s was not set", what);
}

bool cpu_address(cpu_t *cpu, const operand_t *operand, uint64_t *address)
{
    uint64_t sum = (uint64_t) operand->value;
    if (operand->base == NEXT_INSTRUCTION) {
        sum += cpu->code + cpu->now->offset + cpu->now->length;
    } else if (operand->base != NO_REGISTER) {
        const value_t *base = &cpu->gpr[operand->base];
        if (!cpu_is_known(cpu, base, gpr_names[operand->base])) {
            return false;
        }
        sum += base->bits;
    }
    if (operand->index != NO_REGISTER) {
        const value_t *index = &cpu->gpr[operand->index];
        if (!cpu_is_known(cpu, index, gpr_names[operand->index])) {
            return false;
        }
        sum += index->bits * operand->scale;
    }
    *address = sum;
    return true;
}

/* ---- the stack ---- */

bool cpu_check_rsp(cpu_t *cpu)
{
    const value_t *rsp = &cpu->gpr[RSP];
    if (!cpu_is_known(cpu, rsp, "rsp")) {
        return false;
    }
    if (rsp->bits > frame_top(cpu) || rsp->bits < STACK_TOP - STACK_BYTES) {
        return cpu_fail(cpu, RULE_STACK, "rsp is %+" PRId64 " bytes from where it was at the entry",
                        (int64_t) (rsp->bits - frame_top(cpu)));
    }
    return true;
}

static value_t stack_value(const cpu_t *cpu, uint64_t address, int64_t bytes)
{
    const size_t at = stack_index(address);
    value_t read = {0, KNOWN, 0};
    for (int64_t i = 0; i < bytes; i++) {
        const knowledge_t known = (knowledge_t) cpu->stack_knowledge[at + (size_t) i];
        read.low += read.low == i && known == KNOWN;
        read.knowledge = known < read.knowledge ? known : read.knowledge;
        if (i < 8) {
            read.bits |= (uint64_t) cpu->stack[at + (size_t) i] << 8 * i;
        }
    }
    return read;
}

static bool stack_read(cpu_t *cpu, uint64_t address, int64_t bytes, value_t *value)
{
    const value_t read = stack_value(cpu, address, bytes);
    if (read.knowledge == UNDEFINED) {
        return cpu_fail(cpu, RULE_DEFINED, "reads bytes of its frame that were not set");
    }
    if (value) {
        *value = read;
    }
    return true;
}

static void stack_write(cpu_t *cpu, uint64_t address, int64_t bytes, const value_t *value)
{
    const size_t at = stack_index(address);
    for (int64_t i = 0; i < bytes; i++) {
        const bool has = value && i < 8;
        cpu->stack[at + (size_t) i] = has ? (uint8_t) (value->bits >> 8 * i) : 0;
        cpu->stack_knowledge[at + (size_t) i] = (uint8_t) (!has             ? MOVED
                                                           : i < value->low ? KNOWN
                                                                            : value->knowledge);
    }
}

/* What lies below rsp is lost at any time: signal handlers run there. */
static void stack_forget(cpu_t *cpu, uint64_t from, uint64_t to)
{
    memset(cpu->stack_knowledge + stack_index(from), UNDEFINED, (size_t) (to - from));
}

bool cpu_push(cpu_t *cpu, value_t value)
{
    cpu->gpr[RSP].bits -= 8;
    if (!cpu_check_rsp(cpu)) {
        return false;
    }
    stack_write(cpu, cpu->gpr[RSP].bits, 8, &value);
    return true;
}

bool cpu_pop(cpu_t *cpu, value_t *value)
{
    const uint64_t at = cpu->gpr[RSP].bits;
    if (at + 8 > frame_top(cpu)) {
        return cpu_fail(cpu, RULE_STACK, "pops a value that it did not push");
    }
    *value = stack_value(cpu, at, 8); /* not set: a push that only aligned the stack */
    cpu->gpr[RSP].bits = at + 8;
    stack_forget(cpu, at, at + 8);
    return true;
}

/* ---- all memory ---- */

static bool is_stack(uint64_t address)
{
    return address - (STACK_TOP - STACK_BYTES - VICINITY) < STACK_BYTES + 2 * VICINITY;
}

static bool check_stack(cpu_t *cpu, uint64_t address, int64_t bytes, bool write)
{
    const uint64_t rsp = cpu->gpr[RSP].bits;
    const uint64_t top = frame_top(cpu);
    if (address < rsp || address >= top || top - address < (uint64_t) bytes) {
        return cpu_fail(cpu, RULE_STACK,
                        "%s %" PRId64 " bytes at rsp%+" PRId64 "; the frame has %" PRId64 " bytes",
                        write ? "writes" : "reads", bytes, (int64_t) (address - rsp),
                        (int64_t) (top - rsp));
    }
    return true;
}

static bool read_constant(cpu_t *cpu, uint64_t address, int64_t bytes, value_t *value)
{
    const listing_t *listing = cpu->listing;
    const uint64_t at = address - cpu->code;
    if (listing->code->size - at < (uint64_t) bytes) {
        return cpu_fail(cpu, RULE_CONSTANT, "reads behind the code");
    }
    for (uint64_t i = at; i < at + (uint64_t) bytes; i++) {
        if (listing->at[i]) {
            return cpu_fail(cpu, RULE_CONSTANT, "reads the instruction at offset %" PRIu64, i);
        }
    }
    if (value) {
        *value = (value_t){.knowledge = KNOWN};
        memcpy(&value->bits, listing->code->bytes + at, (size_t) bytes);
    }
    return true;
}

static bool read_table(cpu_t *cpu, uint64_t address, int64_t bytes, value_t *value)
{
    const footprint_table_t *table = footprint_table(cpu->footprint, address);
    if (!table) {
        return cpu_fail(cpu, RULE_TABLE, "reads %" PRId64 " bytes of the program, in no table",
                        bytes);
    }
    const size_t at = (size_t) (address - (uintptr_t) table->bytes);
    if (table->size - at < (size_t) bytes) {
        return cpu_fail(cpu, RULE_TABLE, "reads %" PRId64 " bytes at %zu of %zu bytes of %s", bytes,
                        at, table->size, table->what);
    }
    if (value) {
        *value = (value_t){.knowledge = KNOWN};
        memcpy(&value->bits, table->bytes + at, (size_t) bytes);
    }
    return true;
}

static bool is_program(const cpu_t *cpu, uint64_t address)
{
    const dame_program_t *program = cpu->footprint->run.program;
    return address - ((uintptr_t) program - NEIGHBOURS) < program->memory + 2 * NEIGHBOURS ||
           footprint_table(cpu->footprint, address);
}

bool cpu_read(cpu_t *cpu, uint64_t address, int64_t bytes, value_t *value)
{
    const uint32_t offset = cpu->now->offset;
    if (value) {
        *value = (value_t){.knowledge = MOVED};
    }
    if (is_stack(address)) {
        return check_stack(cpu, address, bytes, false) && stack_read(cpu, address, bytes, value);
    }
    if (address - cpu->code < cpu->listing->code->size) {
        return read_constant(cpu, address, bytes, value);
    }
    if (footprint_has_packed(cpu->footprint, address)) {
        return footprint_packed(cpu->footprint, address, bytes, false, offset, cpu->verdict);
    }
    if (footprint_has_user(cpu->footprint, address)) {
        return footprint_user(cpu->footprint, address, bytes, false, offset, cpu->verdict);
    }
    if (is_program(cpu, address)) {
        return read_table(cpu, address, bytes, value);
    }
    return cpu_fail(cpu, RULE_ADDRESS, "reads %" PRId64 " bytes at 0x%" PRIx64, bytes, address);
}

bool cpu_write(cpu_t *cpu, uint64_t address, int64_t bytes, const value_t *value)
{
    const uint32_t offset = cpu->now->offset;
    if (is_stack(address)) {
        if (!check_stack(cpu, address, bytes, true)) {
            return false;
        }
        stack_write(cpu, address, bytes, value);
        return true;
    }
    if (address - cpu->code < cpu->listing->code->size) {
        return cpu_fail(cpu, RULE_CONSTANT, "writes to the code");
    }
    if (footprint_has_packed(cpu->footprint, address)) {
        return footprint_packed(cpu->footprint, address, bytes, true, offset, cpu->verdict);
    }
    if (footprint_has_user(cpu->footprint, address)) {
        return footprint_user(cpu->footprint, address, bytes, true, offset, cpu->verdict);
    }
    if (is_program(cpu, address)) {
        return cpu_fail(cpu, RULE_TABLE, "writes to the program");
    }
    return cpu_fail(cpu, RULE_ADDRESS, "writes %" PRId64 " bytes at 0x%" PRIx64, bytes, address);
}
