/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The encoders of cpu.h for x86-64, System V ABI. Facts: Intel SDM volume 2, AMD APM volume 3.
 *
 * rax is the temporary register; vectors are 0 to 15, or 16 to 31 with AVX-512, which need no
 * vzeroupper; permutations are in vectors 20 to 31, masks in k1 to k6.
 */
#ifndef DAME_X_CPU_X86_64_H
#define DAME_X_CPU_X86_64_H

#include "code.h"
#include "fault.h"
#include "jit/unwind.h"
#include "variant.h"

enum {
    X_RAX,
    X_RCX,
    X_RDX,
    X_RBX,
    X_RSP,
    X_RBP,
    X_RSI,
    X_RDI,
    X_R8,
    X_R9,
    X_R10,
    X_R11,
    X_R12,
    X_R13,
    X_R14,
    X_R15
};

/* clang-format off */
enum {
    X_ARG_PRIM = X_RDI, X_ARG_ORIGIN = X_RSI, X_ARG_PACKED = X_RDX, X_ARG_FIRST = X_RCX, X_ARG_COUNT = X_R8,
    X_TEMP = X_RAX,
    X_VOLATILES = 3, X_SAVED = 5
};
/* clang-format on */

/* Registers beside the arguments and the temporary one: those a kernel need not save, and those it
 * must, which keep their values over calls. */
static const x_reg_t x_volatile[X_VOLATILES] = {X_R9, X_R10, X_R11};
static const x_reg_t x_saved[X_SAVED] = {X_RBX, X_R12, X_R13, X_R14, X_R15};

enum { X_FILL = 0xcc, X_ENTRY_ALIGNMENT = 32 };

typedef enum x_condition {
    X_EQUAL = 4,
    X_NOT_EQUAL = 5,
    X_LESS = 12,
    X_NOT_LESS = 13,
    X_NOT_GREATER = 14,
    X_GREATER = 15
} x_condition_t;

static inline int x_disp_fits(int64_t disp)
{
    return disp == (int32_t) disp;
}

/* ---- encoding ---- */

static inline void x_byte(x_code_t *code, unsigned byte)
{
    *code->at++ = (uint8_t) byte;
}

static inline void x_32(x_code_t *code, uint32_t value)
{
    memcpy(code->at, &value, sizeof(value));
    code->at += sizeof(value);
}

static inline void x_64(x_code_t *code, uint64_t value)
{
    memcpy(code->at, &value, sizeof(value));
    code->at += sizeof(value);
}

/* The high bit of the index, as REX has it. */
static inline unsigned x_index_bit(x_mem_t mem)
{
    return mem.index == X_NO_INDEX ? 0 : (unsigned) mem.index >> 3 & 1;
}

/* ModRM, SIB and displacement of a register and memory. `unit`: what an 8-bit displacement counts.
 */
static inline void x_memory(x_code_t *code, int reg, x_mem_t mem, int unit)
{
    const unsigned base = (unsigned) mem.base & 7;
    unit = X_FAULT(short_displacement_unscaled, unit, 1);
    const int64_t units = mem.disp / unit;
    const int is_short = mem.disp == units * unit && units == (int8_t) units;
    const unsigned mod = mem.disp == 0 && base != X_RBP ? 0 : is_short ? 1 : 2;
    const unsigned field = mod << 6 | (unsigned) (reg & 7) << 3;
    if (mem.index != X_NO_INDEX) {
        x_byte(code, field | X_RSP);
        x_byte(code, (unsigned) (mem.index & 7) << 3 | base);
    } else {
        x_byte(code, field | base);
        if (base == X_RSP) {
            x_byte(code, 0x24);
        }
    }
    if (mod == 1) {
        x_byte(code, (unsigned) units & 0xff);
    } else if (mod == 2) {
        x_32(code, (uint32_t) mem.disp);
    }
}

static inline void x_registers(x_code_t *code, int reg, int rm)
{
    x_byte(code, 0xc0u | (unsigned) (reg & 7) << 3 | (unsigned) (rm & 7));
}

/* REX with the high bits of both registers. */
static inline void x_rex(x_code_t *code, int wide, int reg, int rm)
{
    x_byte(code, 0x40u | (unsigned) wide << 3 | (unsigned) (reg >> 3 & 1) << 2 |
                     (unsigned) (rm >> 3 & 1));
}

/* The same for a register and memory, left out where it would say nothing. */
static inline void x_rex_memory(x_code_t *code, int wide, int reg, x_mem_t mem)
{
    const unsigned bits = (unsigned) wide << 3 | (unsigned) (reg >> 3 & 1) << 2 |
                          x_index_bit(mem) << 1 | (unsigned) (mem.base >> 3 & 1);
    if (bits != 0) {
        x_byte(code, 0x40u | bits);
    }
}

static inline void x_rex_if_needed(x_code_t *code, int reg, int rm)
{
    if ((reg | rm) >= 8) {
        x_rex(code, 0, reg, rm);
    }
}

/* An instruction on 64-bit registers: op reg, rm. */
static inline void x_op(x_code_t *code, unsigned op, int reg, int rm)
{
    if (x_has_room(code)) {
        x_rex(code, 1, reg, rm);
        x_byte(code, op);
        x_registers(code, reg, rm);
    }
}

/* op reg, constant, where `extension` says which: 0 add, 4 and, 5 sub, 7 cmp. */
static inline void x_op_constant(x_code_t *code, int extension, int reg, int32_t constant)
{
    if (x_has_room(code)) {
        x_rex(code, 1, 0, reg);
        x_byte(code, constant == (int8_t) constant ? 0x83 : 0x81);
        x_registers(code, extension, reg);
        if (constant == (int8_t) constant) {
            x_byte(code, (unsigned) constant & 0xff);
        } else {
            x_32(code, (uint32_t) constant);
        }
    }
}

/* VEX prefixes in their long form. map: 1 0F, 2 0F38, 3 0F3A; prefix: 0 none, 1 66, 2 F3, 3 F2. */
static inline void x_vex(x_code_t *code, int map, int prefix, int wide, int length, int reg, int v,
                         x_mem_t rm)
{
    x_byte(code, 0xc4);
    x_byte(code, (unsigned) (~reg >> 3 & 1) << 7 | (x_index_bit(rm) ^ 1) << 6 |
                     (unsigned) (~rm.base >> 3 & 1) << 5 | (unsigned) map);
    x_byte(code, (unsigned) wide << 7 | (unsigned) (~v & 15) << 3 | (unsigned) length << 2 |
                     (unsigned) prefix);
}

/* EVEX; a vector instead of memory has its highest bit where an index would have it. `mask` 0:
 * none. */
static inline void x_evex(x_code_t *code, int map, int prefix, int wide, int length, int reg, int v,
                          x_mem_t rm, int mask, int zero)
{
    const unsigned high = rm.index == X_NO_INDEX ? (unsigned) rm.base >> 4 & 1 : x_index_bit(rm);
    x_byte(code, 0x62);
    x_byte(code, (unsigned) (~reg >> 3 & 1) << 7 | (high ^ 1) << 6 |
                     (unsigned) (~rm.base >> 3 & 1) << 5 | (unsigned) (~reg >> 4 & 1) << 4 |
                     (unsigned) map);
    x_byte(code, (unsigned) wide << 7 | (unsigned) (~v & 15) << 3 | 4u | (unsigned) prefix);
    x_byte(code, (unsigned) zero << 7 | (unsigned) length << 5 | (unsigned) (~v >> 4 & 1) << 3 |
                     (unsigned) mask);
}

/* ---- what the CPU has ---- */

/* The vectors for a variant; if `bits` is not 0, the best ones of `bits` instead. */
static inline x_vectors_t x_vectors_for(int bits, const dame_cpu_t *cpu, uint32_t variant)
{
    static const int moves[4] = {32, [X_WIDE] = 64};
    static const int permutations[4] = {32, [X_WIDE] = 64, [X_SINGLE] = 0, [X_PAIRS] = 64};
    const int most = bits == 0 ? X_VECTOR : bits / 8;
    const int permute = bits == 0 ? permutations[x_choice(variant, X_PERMUTE)] : most;
    if (most == 16 || !cpu->avx2) {
        return (x_vectors_t){.name = "sse2", .bytes = 16, .tail_bytes = 16};
    }
    if (!cpu->avx512) {
        return (x_vectors_t){
            .name = "avx2", .bytes = 32, .tail_bytes = 32, .permute_bytes = permute > 0 ? 16 : 0};
    }
    return (x_vectors_t){.name = "avx512",
                         .bytes = bits != 0 ? most : moves[x_choice(variant, X_MOVE)],
                         .tail_bytes = bits != 0 ? most : 32,
                         .mask_bytes = most,
                         .permute_bytes = cpu->avx512_vbmi ? permute : 0,
                         .pairs = bits == 0 && cpu->avx512_vbmi &&
                                  x_choice(variant, X_PERMUTE) == X_PAIRS,
                         .splits_tails = x_choice(variant, X_TAILS) == X_SPLIT};
}

static inline int x_is_evex(const x_code_t *code)
{
    return X_FAULT(avx512_where_missing, code->vectors.mask_bytes, code->vectors.bytes - 16) > 0;
}

/* ---- integers ---- */

static inline void x_set(x_code_t *code, x_reg_t reg, int64_t value)
{
    if (!x_has_room(code)) {
        return;
    }
    if (value == (int64_t) (uint32_t) value) {
        x_rex_if_needed(code, 0, reg);
        x_byte(code, 0xb8u | (unsigned) (reg & 7));
        x_32(code, (uint32_t) value);
    } else if (value == (int32_t) value) {
        x_rex(code, 1, 0, reg);
        x_byte(code, 0xc7);
        x_registers(code, 0, reg);
        x_32(code, (uint32_t) value);
    } else {
        x_rex(code, 1, 0, reg);
        x_byte(code, 0xb8u | (unsigned) (reg & 7));
        x_64(code, (uint64_t) value);
    }
}

static inline void x_move(x_code_t *code, x_reg_t to, x_reg_t from)
{
    if (to != from) {
        x_op(code, 0x89, from, to);
    }
}

static inline void x_add(x_code_t *code, x_reg_t to, x_reg_t from)
{
    x_op(code, 0x01, from, to);
}

static inline void x_subtract_register(x_code_t *code, x_reg_t to, x_reg_t from)
{
    x_op(code, 0x29, from, to);
}

static inline void x_align_down(x_code_t *code, x_reg_t reg, int bytes)
{
    x_op_constant(code, 4, reg, -bytes);
}

static inline void x_add_constant(x_code_t *code, x_reg_t to, x_reg_t from, int64_t constant)
{
    if (constant == 0) {
        x_move(code, to, from);
    } else if (constant != (int32_t) constant) {
        x_set(code, X_TEMP, constant);
        x_move(code, to, from);
        x_add(code, to, X_TEMP);
    } else if (to == from) {
        x_op_constant(code, 0, to, (int32_t) constant);
    } else if (x_has_room(code)) {
        x_rex(code, 1, to, from);
        x_byte(code, 0x8d);
        x_memory(code, to, x_mem(from, constant), 1);
    }
}

static inline void x_multiply(x_code_t *code, x_reg_t to, int64_t constant)
{
    if (constant == (int32_t) constant) {
        if (x_has_room(code)) {
            x_rex(code, 1, to, to);
            x_byte(code, 0x69);
            x_registers(code, to, to);
            x_32(code, (uint32_t) constant);
        }
    } else if (x_has_room(code)) {
        x_set(code, X_TEMP, constant);
        x_rex(code, 1, to, X_TEMP);
        x_byte(code, 0x0f);
        x_byte(code, 0xaf);
        x_registers(code, to, X_TEMP);
    }
}

static inline void x_load_entry(x_code_t *code, x_reg_t to, x_mem_t table, int bytes)
{
    if (x_has_room(code)) {
        const int is_short = X_FAULT(entry_width_swapped, 4, 8) == bytes;
        x_rex(code, X_FAULT(entry_not_sign_extended, 1, bytes == 8), to, table.base);
        x_byte(code, X_FAULT(entry_not_sign_extended, is_short, 0) ? 0x63 : 0x8b); /* movsxd, mov */
        x_memory(code, to, table, 1);
    }
}

static inline void x_prefetch(x_code_t *code, x_mem_t mem)
{
    if (x_has_room(code)) {
        x_rex_memory(code, 0, 0, mem);
        x_byte(code, 0x0f);
        x_byte(code, 0x18);
        x_memory(code, 1, mem, 1);
    }
}

/* The element at base + index, where an index has just been loaded. */
static inline x_mem_t x_element(x_code_t *code, x_reg_t base, x_reg_t index)
{
    (void) code;
    return (x_mem_t){base, index, 0};
}

/* ---- control ---- */

static inline void x_compare(x_code_t *code, x_reg_t reg, int64_t constant)
{
    if (constant == (int32_t) constant) {
        x_op_constant(code, 7, reg, (int32_t) constant);
    } else {
        x_set(code, X_TEMP, constant);
        x_op(code, 0x39, X_TEMP, reg);
    }
}

static inline void x_subtract(x_code_t *code, x_reg_t reg, int32_t constant)
{
    x_op_constant(code, 5, reg, constant);
}

static inline void x_jcc_backward(x_code_t *code, x_condition_t condition, x_label_t to)
{
    if (x_has_room(code)) {
        const int64_t distance = (int64_t) to - (int64_t) x_here(code);
        if (distance - 2 >= INT8_MIN) {
            x_byte(code, 0x70u | condition);
            x_byte(code, (unsigned) (distance - 2) & 0xff);
        } else {
            x_byte(code, 0x0f);
            x_byte(code, 0x80u | condition);
            x_32(code, (uint32_t) (distance - X_FAULT(branch_one_byte_off, 6, 5)));
        }
    }
}

static inline x_label_t x_jcc_forward(x_code_t *code, x_condition_t condition)
{
    if (x_has_room(code)) {
        x_byte(code, 0x0f);
        x_byte(code, 0x80u | condition);
        x_32(code, 0);
    }
    return x_here(code);
}

static inline void x_bind(x_code_t *code, x_label_t branch)
{
    if (!code->full) {
        const uint32_t distance = x_here(code) - branch;
        memcpy(code->start + branch - sizeof(distance), &distance, sizeof(distance));
    }
}

/* vzeroupper, where the upper halves of vectors 0 to 15 may have been used: else code without VEX
 * pays for them. */
static inline void x_clear_upper(x_code_t *code)
{
    if (X_FAULT(vzeroupper_missing, code->vectors.bytes == 32 && !x_is_evex(code), 0)) {
        x_byte(code, 0xc5);
        x_byte(code, 0xf8);
        x_byte(code, 0x77);
    }
}

static inline void x_call(x_code_t *code, uintptr_t function)
{
    x_set(code, X_TEMP, (int64_t) function);
    if (x_has_room(code)) {
        x_clear_upper(code);
        x_byte(code, 0xff);
        x_registers(code, 2, X_TEMP);
    }
}

static inline void x_call_code(x_code_t *code, x_label_t entry)
{
    if (x_has_room(code)) {
        x_byte(code, 0xe8);
        x_32(code, entry - (x_here(code) + 4));
    }
}

static inline void x_jump(x_code_t *code, uintptr_t function)
{
    x_set(code, X_TEMP, (int64_t) function);
    if (x_has_room(code)) {
        x_byte(code, 0xff);
        x_registers(code, 4, X_TEMP);
    }
}

/* ---- vectors ---- */

/* The first vector that has a permutation. */
enum { X_FIRST_PERMUTATION = 20, X_FIRST_PERMUTATION_VEX = 4 };

static inline int x_log2(int bytes)
{
    return __builtin_ctz((unsigned) bytes);
}

/* Loads or stores a whole vector. Vectors over 16 need EVEX, which is longer. */
static inline void x_vector(x_code_t *code, int store, int reg, x_mem_t mem, int bytes)
{
    if (!x_has_room(code)) {
        return;
    }
    if (reg >= 16 || bytes > 32) { /* vmovdqu64 */
        x_evex(code, 1, 2, 1, x_log2(bytes) - 4, reg, 0, mem, 0, 0);
        x_byte(code, store ? 0x7f : 0x6f);
        x_memory(code, reg, mem, bytes);
    } else if (code->vectors.bytes > 16) { /* vmovdqu */
        x_vex(code, 1, 2, 0, x_log2(bytes) - 4, reg, 0, mem);
        x_byte(code, store ? 0x7f : 0x6f);
        x_memory(code, reg, mem, 1);
    } else { /* movups */
        x_rex_memory(code, 0, reg, mem);
        x_byte(code, 0x0f);
        x_byte(code, store ? 0x11 : 0x10);
        x_memory(code, reg, mem, 1);
    }
}

/* Loads or stores the bytes of a vector that a mask has: vmovdqu8. */
static inline void x_masked(x_code_t *code, int store, int reg, x_mem_t mem, int bytes, int mask)
{
    if (x_has_room(code)) {
        const int number =
            X_FAULT(mask_ignored, X_FAULT(mask_of_next_register, mask + 1, mask + 2), 0);
        const int zero = X_FAULT(mask_ignored, !store, 0);
        x_evex(code, 1, 3, 0, x_log2(bytes) - 4, reg, 0, mem, number, zero);
        x_byte(code, store ? 0x7f : 0x6f);
        x_memory(code, reg, mem, bytes);
    }
}

/* vpermb, or pshufb where a vector has 16 bytes. */
static inline void x_permute(x_code_t *code, int reg, int permutation, int bytes)
{
    if (!x_has_room(code)) {
        return;
    }
    if (x_is_evex(code)) {
        x_evex(code, 2, 1, 0, x_log2(bytes) - 4, reg, X_FIRST_PERMUTATION + permutation,
               x_mem(reg, 0), 0, 0);
        x_byte(code, 0x8d);
        x_registers(code, reg, reg);
    } else {
        const int from = X_FIRST_PERMUTATION_VEX + permutation;
        x_vex(code, 2, 1, 0, 0, reg, reg, x_mem(from, 0));
        x_byte(code, 0x00);
        x_registers(code, reg, from);
    }
}

/* vpermt2b */
static inline void x_permute_pair(x_code_t *code, int reg, int permutation, x_mem_t second,
                                  int bytes)
{
    if (x_has_room(code)) {
        x_evex(code, 2, 1, 0, x_log2(bytes) - 4, reg, X_FIRST_PERMUTATION + permutation, second, 0,
               0);
        x_byte(code, 0x7d);
        x_memory(code, reg, second, bytes);
    }
}

/* 1, 2, 4 or 8 bytes through the temporary register. */
static inline void x_scalar(x_code_t *code, int store, x_mem_t mem, int bytes)
{
    if (!x_has_room(code)) {
        return;
    }
    if (store && X_FAULT(byte_stored_as_two, 2, 1) == bytes) {
        x_byte(code, 0x66);
    }
    x_rex_memory(code, bytes == 8, X_TEMP, mem);
    if (store) {
        x_byte(code, X_FAULT(byte_stored_as_four, bytes == 1 ? 0x88 : 0x89, 0x89));
    } else if (bytes < 4) { /* movzx */
        x_byte(code, 0x0f);
        x_byte(code, bytes == 1 ? 0xb6 : 0xb7);
    } else {
        x_byte(code, 0x8b);
    }
    x_memory(code, X_TEMP, mem, 1);
}

/* The register for a vector on its way: over 16 bytes one that needs no vzeroupper. */
static inline int x_vector_register(const x_code_t *code, int bytes)
{
    return bytes > 16 && x_is_evex(code) ? 16 : 0;
}

/* ---- frame ---- */

static inline void x_load_constants(x_code_t *code)
{
    x_constants_t *constants = &code->constants;
    constants->masks_loaded = constants->nmasks;
    constants->permutations_loaded = constants->npermutations;
    for (int i = 0; i < constants->nmasks; i++) {
        x_set(code, X_TEMP, (int64_t) constants->masks[i]);
        if (x_has_room(code)) { /* kmovq */
            x_vex(code, 1, 3, 1, 0, i + 1, 0, x_mem(X_TEMP, 0));
            x_byte(code, 0x92);
            x_registers(code, X_FAULT(mask_loaded_elsewhere, i + 1, 7), X_TEMP);
        }
    }
    for (int i = 0; i < constants->npermutations; i++) {
        if (!x_has_room(code)) {
            return;
        }
        const int reg = i + (x_is_evex(code) ? X_FIRST_PERMUTATION : X_FIRST_PERMUTATION_VEX);
        if (x_is_evex(code)) {
            const int length = x_log2(code->vectors.permute_bytes) - 4;
            x_evex(code, 1, 2, 1, X_FAULT(constant_too_wide, length, 2), reg, 0, x_mem(X_RBP, 0), 0,
                   0);
        } else {
            x_vex(code, 1, 2, 0, 0, reg, 0, x_mem(X_RBP, 0));
        }
        x_byte(code, 0x6f);
        x_byte(code, 5u | (unsigned) (reg & 7)
                              << 3); /* rip + 32 bits: what rbp without a displacement means */
        code->constant_fixups[i] = x_here(code);
        x_32(code, 0);
    }
}

static inline void x_emit_constants(x_code_t *code)
{
    const x_constants_t *constants = &code->constants;
    const int bytes = code->vectors.permute_bytes;
    for (int i = 0; i < constants->permutations_loaded; i++) {
        while (x_has_room(code) && (x_here(code) & (unsigned) (bytes - 1)) != 0) {
            x_byte(code, X_FILL);
        }
        if (x_has_room(code)) {
            const uint32_t distance =
                x_here(code) - (code->constant_fixups[i] + X_FAULT(constant_misplaced, 4, 20));
            memcpy(code->start + code->constant_fixups[i], &distance, sizeof(distance));
            memcpy(code->at, constants->permutations[i], (size_t) bytes);
            code->at += bytes;
        }
    }
}

static inline void x_push(x_code_t *code, int pop, x_reg_t reg)
{
    if (x_has_room(code)) {
        x_rex_if_needed(code, 0, reg);
        x_byte(code, (pop ? 0x58u : 0x50u) | (unsigned) (reg & 7));
    }
}

/* rsp is 8 off a multiple of 16 at an entry, and on one behind the push of rbp. */
static inline int x_pads_stack(int saved)
{
    return X_FAULT(stack_misaligned_at_calls, 1, 0) == saved % 2;
}

/* rbp points to the frame of the caller all the time, and to this one's once there is one: so
 * profilers find their way, which follow only that. */
static inline void x_prologue(x_code_t *code, int saved)
{
    if (saved == 0) {
        return;
    }
    x_push(code, 0, X_RBP);
    const x_label_t moved = x_here(code);
    x_move(code, X_RBP, X_RSP);
    const x_label_t pointed = x_here(code);
    for (int i = 0; i < saved; i++) {
        x_push(code, 0, x_saved[i]);
    }
    x_note_frame(code, moved, pointed);
    if (x_pads_stack(saved)) {
        x_op_constant(code, 5, X_RSP, 8);
    }
}

static inline void x_epilogue(x_code_t *code, int saved)
{
    if (!x_has_room(code)) {
        return;
    }
    x_clear_upper(code);
    if (saved > 0) {
        if (x_pads_stack(saved)) {
            x_op_constant(code, 0, X_RSP, 8);
        }
        for (int i = saved; i-- > X_FAULT(pop_missing, 0, 1);) {
            x_push(code, 1, x_saved[X_FAULT(pops_in_wrong_order, i, saved - 1 - i)]);
        }
        x_push(code, 1, X_RBP);
        x_note_frame_left(code);
    }
    if (x_has_room(code)) {
        x_byte(code, 0xc3);
    }
}

/* Says how to unwind a frame. In the code at `*at` the table's rules are those of an entry, and
 * again where the frame has been left, which becomes *at. */
static inline void x_describe_frame(dame_unwind_t *table, const x_frame_t *frame, uint32_t *at)
{
    static const uint8_t numbers[X_SAVED] = {3, 12, 13, 14, 15}; /* DWARF's, of x_saved */
    dame_unwind_advance(table, frame->moved - *at);
    dame_unwind_byte(table, 0x0a); /* DW_CFA_remember_state */
    dame_unwind_byte(table, 0x0e); /* DW_CFA_def_cfa_offset */
    dame_unwind_byte(table, 16);
    dame_unwind_byte(table, 0x86); /* DW_CFA_offset: rbp, at CFA - 2 * 8 */
    dame_unwind_byte(table, 2);
    dame_unwind_advance(table, frame->pointed - frame->moved);
    dame_unwind_byte(table, 0x0d); /* DW_CFA_def_cfa_register: rbp */
    dame_unwind_byte(table, 6);
    dame_unwind_advance(table, frame->saved - frame->pointed);
    for (int i = 0; i < X_SAVED; i++) {
        dame_unwind_byte(table, 0x80u | numbers[i]);
        dame_unwind_byte(table, 3u + (unsigned) i);
    }
    dame_unwind_advance(table, frame->left - frame->saved);
    dame_unwind_byte(table, 0x0b); /* DW_CFA_restore_state */
    *at = frame->left;
}

enum { X_FRAME_DESCRIPTION = 48 }; /* bytes at most */

static inline void x_align(x_code_t *code, int bytes)
{
    while (x_has_room(code) && x_here(code) % (unsigned) bytes != 0) {
        x_byte(code, X_FILL);
    }
}

/* Loops run best from the start of a 32-byte line of code. One-byte steps over long nops. */
static inline void x_align_loop(x_code_t *code)
{
    static const uint8_t nops[9][9] = {
        {0x90},
        {0x66, 0x90},
        {0x0f, 0x1f, 0x00},
        {0x0f, 0x1f, 0x40, 0x00},
        {0x0f, 0x1f, 0x44, 0x00, 0x00},
        {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
        {0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
        {0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
        {0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
    };
    unsigned room = -x_here(code) % 32;
    while (room > 0 && x_has_room(code)) {
        const unsigned n = room < 9 ? room : 9;
        memcpy(code->at, nops[n - 1], n);
        code->at += n;
        room -= n;
    }
}

/* endbr64: where control-flow enforcement (CET) is on, indirect calls must land on one. */
static inline void x_entry(x_code_t *code)
{
    x_align(code, X_ENTRY_ALIGNMENT);
    if (x_has_room(code)) {
        x_32(code, X_FAULT(endbr64_missing, 0xfa1e0ff3, 0x00401f0f));
    }
}

#endif
