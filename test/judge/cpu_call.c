/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <string.h>

#include "cpu_state.h"
#include "walk.h"

static const int callee_saved[] = {RBX, RBP, R12, R13, R14, R15};
static const int caller_saved[] = {RAX, RCX, RDX, RSI, RDI, R8, R9, R10, R11};
enum {
    CALLEE_SAVED = sizeof callee_saved / sizeof callee_saved[0],
    CALLER_SAVED = sizeof caller_saved / sizeof caller_saved[0]
};

/* Everything is as the caller of the kernel left it. */
static bool check_restored(cpu_t *cpu)
{
    const frame_t *frame = &cpu->frames[cpu->depth - 1];
    if (cpu->gpr[RSP].knowledge != KNOWN || cpu->gpr[RSP].bits != frame->rsp) {
        return cpu_fail(cpu, RULE_SAVED, "rsp is off by %+" PRId64 " when the kernel ends",
                        (int64_t) (cpu->gpr[RSP].bits - frame->rsp));
    }
    for (int i = 0; i < CALLEE_SAVED; i++) {
        const value_t *is = &cpu->gpr[callee_saved[i]];
        const value_t *was = &frame->saved[callee_saved[i]];
        if (is->knowledge != was->knowledge || is->bits != was->bits) {
            return cpu_fail(cpu, RULE_SAVED, "%s is another one when the kernel ends",
                            gpr_names[callee_saved[i]]);
        }
    }
    return !cpu->wide || cpu_fail(cpu, RULE_UPPER, "no vzeroupper before the end");
}

static void leave(cpu_t *cpu)
{
    cpu->gpr[RSP].bits += 8;
    cpu->next = cpu->frames[cpu->depth - 1].back;
    cpu->done = --cpu->depth == 0;
}

bool cpu_ret(cpu_t *cpu)
{
    if (!check_restored(cpu)) {
        return false;
    }
    leave(cpu);
    return true;
}

/* ---- functions outside the code ---- */

static bool known_argument(cpu_t *cpu, int reg)
{
    return cpu_is_known(cpu, &cpu->gpr[reg], gpr_names[reg]);
}

static bool call_memcpy(cpu_t *cpu)
{
    const uint64_t bytes = cpu->gpr[RDX].bits;
    if (!known_argument(cpu, RDI) || !known_argument(cpu, RSI) || !known_argument(cpu, RDX)) {
        return false;
    }
    if (bytes > INT64_MAX) {
        return cpu_fail(cpu, RULE_CALL, "memcpy of %" PRId64 " bytes", (int64_t) bytes);
    }
    return bytes == 0 || (cpu_read(cpu, cpu->gpr[RSI].bits, (int64_t) bytes, NULL) &&
                          cpu_write(cpu, cpu->gpr[RDI].bits, (int64_t) bytes, NULL));
}

/* What a kernel of the interpreter does with a block. */
static bool move_block(void *context, uint64_t address, int64_t packed, int64_t bytes)
{
    cpu_t *cpu = context;
    const bool packs = cpu->footprint->run.dir == DAME_PACK;
    const uint64_t stream = cpu->gpr[RDX].bits + (uint64_t) packed;
    return cpu_read(cpu, packs ? address : stream, bytes, NULL) &&
           cpu_write(cpu, packs ? stream : address, bytes, NULL);
}

static bool call_kernel(cpu_t *cpu, const dame_prim_t *prim)
{
    const dame_program_t *program = cpu->footprint->run.program;
    static const int arguments[] = {RSI, RDX, RCX, R8};
    for (int i = 0; i < 4; i++) {
        if (!known_argument(cpu, arguments[i])) {
            return false;
        }
    }
    const int64_t first = (int64_t) cpu->gpr[RCX].bits;
    const int64_t n = (int64_t) cpu->gpr[R8].bits;
    const int64_t limit = walk_limit(program, prim);
    if (first < 0 || n < 0 || first > limit || n > limit - first) {
        return cpu_fail(cpu, RULE_CALL,
                        "a kernel of primitive %d for iterations %" PRId64 "+%" PRId64
                        " of %" PRId64,
                        (int) (prim - program->prims), first, n, limit);
    }
    return walk_run(prim, cpu->gpr[RSI].bits, first, n, move_block, cpu);
}

/* The primitive that the first argument is. */
static const dame_prim_t *prim_argument(const cpu_t *cpu)
{
    const dame_program_t *program = cpu->footprint->run.program;
    const uint64_t away = cpu->gpr[RDI].bits - (uintptr_t) program->prims;
    const uint64_t size = sizeof program->prims[0];
    if (cpu->gpr[RDI].knowledge != KNOWN || away % size != 0 ||
        away / size >= (uint64_t) program->nprims) {
        return NULL;
    }
    return &program->prims[away / size];
}

static bool call_function(cpu_t *cpu, uint64_t function)
{
    if (cpu->wide) {
        return cpu_fail(cpu, RULE_UPPER, "no vzeroupper before a call");
    }
    if (function == (uint64_t) (uintptr_t) memcpy) {
        return call_memcpy(cpu);
    }
    const dame_prim_t *prim = prim_argument(cpu);
    if (!prim) {
        return cpu_fail(cpu, RULE_CALL,
                        "calls 0x%" PRIx64 ", which is not memcpy, and rdi is not a primitive",
                        function);
    }
    const uint64_t kernel = (uint64_t) (uintptr_t) dame_prim_run(prim, cpu->footprint->run.dir);
    if (kernel == 0 || function != kernel) {
        return cpu_fail(cpu, RULE_CALL,
                        "calls 0x%" PRIx64
                        ", which is not memcpy or the kernel of primitive %d in rdi",
                        function, (int) (prim - cpu->footprint->run.program->prims));
    }
    return call_kernel(cpu, prim);
}

/* What a function may leave behind. */
static void forget(cpu_t *cpu)
{
    for (int i = 0; i < CALLER_SAVED; i++) {
        cpu->gpr[caller_saved[i]] = (value_t){.knowledge = UNDEFINED};
    }
    memset(cpu->mask, 0, sizeof cpu->mask);
    cpu->flags.knowledge = UNDEFINED;
    cpu->vectors = 0;
}

/* ---- calls and jumps ---- */

static bool is_entry(const cpu_t *cpu, int64_t offset)
{
    const dame_machine_code_t *code = cpu->listing->code;
    for (int32_t i = 0; i < code->nentries; i++) {
        if (code->entries[i].offset == (uint64_t) offset) {
            return true;
        }
    }
    return false;
}

static bool check_alignment(cpu_t *cpu)
{
    return cpu->gpr[RSP].bits % 16 == 0 ||
           cpu_fail(cpu, RULE_CALL_ALIGNED, "rsp is %d bytes past a multiple of 16",
                    (int) (cpu->gpr[RSP].bits % 16));
}

static bool call_entry(cpu_t *cpu, int64_t target)
{
    const uint32_t back = cpu->now->offset + cpu->now->length;
    if (!is_entry(cpu, target)) {
        return cpu_fail(cpu, RULE_CALL, "calls offset %" PRId64 ", which is not an entry", target);
    }
    if (cpu->depth == MOST_FRAMES) {
        return cpu_fail(cpu, RULE_ENDS, "more than %d calls within each other", MOST_FRAMES);
    }
    if (!cpu_push(cpu, (value_t){cpu->code + back, KNOWN, 0})) {
        return false;
    }
    frame_t *frame = &cpu->frames[cpu->depth++];
    frame->rsp = cpu->gpr[RSP].bits;
    frame->back = back;
    memcpy(frame->saved, cpu->gpr, sizeof frame->saved);
    cpu->next = (uint32_t) target;
    return true;
}

bool cpu_call(cpu_t *cpu)
{
    value_t target;
    if (!cpu_check_rsp(cpu) || !check_alignment(cpu)) {
        return false;
    }
    if (cpu->now->is_direct) {
        return call_entry(cpu, cpu->now->target);
    }
    if (!cpu_take(cpu, &cpu->now->operands[0], &target) ||
        !cpu_is_known(cpu, &target, "the function") || !call_function(cpu, target.bits)) {
        return false;
    }
    forget(cpu);
    return true;
}

bool cpu_jump(cpu_t *cpu)
{
    value_t target;
    if (cpu->now->is_direct) {
        cpu->next = (uint32_t) cpu->now->target;
        return true;
    }
    if (!cpu_take(cpu, &cpu->now->operands[0], &target) ||
        !cpu_is_known(cpu, &target, "the function") || !check_restored(cpu) ||
        !call_function(cpu, target.bits)) {
        return false;
    }
    forget(cpu);
    leave(cpu);
    return true;
}
