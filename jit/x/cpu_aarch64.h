/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The encoders of cpu.h for AArch64, little-endian, AAPCS64. Facts: Arm Architecture Reference
 * Manual (DDI 0487), C4 and C6 for the encodings; AAPCS64 for the registers.
 *
 * x16 is the temporary register and x17 holds displacements that an instruction has no bits for;
 * x18 is the platform's. Vectors of 32 bytes are two registers, 16 numbers apart, that are loaded
 * and stored together; permutations are in vectors 20 to 31; 8 to 15 are never used, because
 * functions keep half of them.
 */
#ifndef DAME_X_CPU_AARCH64_H
#define DAME_X_CPU_AARCH64_H

#include "dame/cpu.h"
#include "code.h"
#include "jit/unwind.h"
#include "variant.h"

enum { X_FRAME = 29, X_LINK = 30, X_SP = 31, X_ZERO = 31 };

/* clang-format off */
enum {
    X_ARG_PRIM = 0, X_ARG_ORIGIN = 1, X_ARG_PACKED = 2, X_ARG_FIRST = 3, X_ARG_COUNT = 4,
    X_TEMP = 16, X_DISP = 17,
    X_VOLATILES = 11, X_SAVED = 10
};
/* clang-format on */

static const x_reg_t x_volatile[X_VOLATILES] = {5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const x_reg_t x_saved[X_SAVED] = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28};

/* Zeros are an undefined instruction. */
enum { X_FILL = 0, X_ENTRY_ALIGNMENT = 32 };

/* All conditions are of signed numbers. */
typedef enum x_condition {
    X_EQUAL = 0,
    X_NOT_EQUAL = 1,
    X_NOT_LESS = 10,
    X_LESS = 11,
    X_GREATER = 12,
    X_NOT_GREATER = 13
} x_condition_t;

/* Those that no instruction has bits for are set into a register. */
static inline int x_disp_fits(int64_t disp)
{
    return disp == (int32_t) disp;
}

/* ---- encoding; callers have checked for room ---- */

static inline void x_word(x_code_t *code, uint32_t word)
{
    memcpy(code->at, &word, sizeof(word));
    code->at += sizeof(word);
}

/* The three register fields: Rd or Rt, Rn, Rm. */
static inline void x_registers(x_code_t *code, uint32_t op, int d, int n, int m)
{
    x_word(code, op | (uint32_t) m << 16 | (uint32_t) n << 5 | (uint32_t) d);
}

/* MOVZ or MOVN for one part of 16 bits, MOVK for the others that this did not bring. */
static inline void x_put_constant(x_code_t *code, int reg, int64_t value)
{
    enum { PARTS = 4 };
    uint32_t part[PARTS];
    int zeros = 0;
    int ones = 0;
    int first = 0;
    for (int i = 0; i < PARTS; i++) {
        part[i] = (uint32_t) ((uint64_t) value >> 16 * i & 0xffff);
        zeros += 0 == part[i];
        ones += 0xffff == part[i];
    }
    const uint32_t brought = ones > zeros ? 0xffff : 0;
    while (first < PARTS - 1 && brought == part[first]) {
        first++;
    }
    first = brought == part[first] ? 0 : first;
    for (int i = first; i < PARTS; i++) {
        const uint32_t op = i > first ? 0xf2800000 : brought != 0 ? 0x92800000 : 0xd2800000;
        const uint32_t bits = i > first ? part[i] : part[i] ^ brought;
        if (i == first || brought != part[i]) {
            x_word(code, op | (uint32_t) i << 21 | bits << 5 | (uint32_t) reg);
        }
    }
}

/* What sums and differences have in common, with constants and with registers. */
enum { X_ADD = 0, X_ADDS = 0x20000000, X_SUB = 0x40000000, X_SUBS = 0x60000000 };

/* Additions of constants have 12 bits, or 12 bits times 4096. */
static inline int x_is_immediate(uint64_t value)
{
    return value >> 12 == 0 || (value >> 24 == 0 && (value & 0xfff) == 0);
}

static inline void x_put_immediate(x_code_t *code, uint32_t op, int to, int from, uint64_t value)
{
    const uint32_t field =
        value >> 12 == 0 ? (uint32_t) value << 10 : 1u << 22 | (uint32_t) (value >> 12) << 10;
    x_registers(code, 0x91000000 | op | field, to, from, 0);
}

/* The same on registers. */
static inline void x_put_sum(x_code_t *code, uint32_t op, int to, int from, int other)
{
    x_registers(code, 0x8b000000 | op, to, from, other);
}

/* The kind of load or store, apart from its size: the fields V and opc. */
enum {
    X_STORE = 0,
    X_LOAD = 0x00400000,
    X_LOAD_SIGNED = 0x00800000, /* of 8 bytes: PRFM */
    X_STORE_VECTOR = 0x04800000,
    X_LOAD_VECTOR = 0x04c00000
};

/* The displacement is a multiple of the bytes in 12 bits, 9 signed bits, or in a register, which
 * leaves none for an index. */
static inline void x_put_access(x_code_t *code, uint32_t op, int reg, x_mem_t mem, int bytes)
{
    const uint32_t log2 = (uint32_t) __builtin_ctz((unsigned) bytes);
    op |= (log2 & 3) << 30; /* 16 bytes: 0 */
    code->full |= mem.index != X_NO_INDEX;
    if (mem.disp >= 0 && mem.disp % bytes == 0 && mem.disp / bytes < 1 << 12) {
        const uint32_t units = (uint32_t) (mem.disp / bytes);
        x_registers(code, 0x39000000 | op | units << 10, reg, mem.base, 0);
    } else if (mem.disp >= -256 && mem.disp < 256) {
        const uint32_t bits = (uint32_t) mem.disp & 0x1ff;
        x_registers(code, 0x38000000 | op | bits << 12, reg, mem.base, 0);
    } else {
        x_put_constant(code, X_DISP, mem.disp);
        x_registers(code, 0x38206800 | op, reg, mem.base, X_DISP);
    }
}

/* Two registers of `size` bytes: `op` says which, and how the base moves. disp is a multiple. */
static inline void x_put_pair(x_code_t *code, uint32_t op, int reg, int second, x_mem_t mem,
                              int size)
{
    const uint32_t units = (uint32_t) (mem.disp / size) & 0x7f;
    code->full |= mem.index != X_NO_INDEX;
    x_word(code,
           op | units << 15 | (uint32_t) second << 10 | (uint32_t) mem.base << 5 | (uint32_t) reg);
}

/* ---- what the CPU has ---- */

/* The vectors for up to `bits`, 0: all. Every AArch64 that Linux runs on has them, and there is one
 * instruction set. */
static inline x_vectors_t x_vectors_for(int bits, const dame_cpu_t *cpu, uint32_t variant)
{
    (void) cpu;
    return (x_vectors_t){.name = "neon",
                         .bytes = bits == 128 ? 16 : 32,
                         .tail_bytes = bits == 128 ? 16 : 32,
                         .permute_bytes = 16,
                         .pairs = bits == 0 && x_choice(variant, X_PERMUTE) == X_PAIRS};
}

/* ---- integers ---- */

static inline void x_set(x_code_t *code, x_reg_t reg, int64_t value)
{
    if (x_has_room(code)) {
        x_put_constant(code, reg, value);
    }
}

static inline void x_move(x_code_t *code, x_reg_t to, x_reg_t from)
{
    if (to != from && x_has_room(code)) { /* ORR with zero */
        x_registers(code, 0xaa0003e0, to, 0, from);
    }
}

static inline void x_add(x_code_t *code, x_reg_t to, x_reg_t from)
{
    if (x_has_room(code)) {
        x_put_sum(code, X_ADD, to, to, from);
    }
}

static inline void x_subtract_register(x_code_t *code, x_reg_t to, x_reg_t from)
{
    if (x_has_room(code)) {
        x_put_sum(code, X_SUB, to, to, from);
    }
}

/* AND with all ones but the lowest: 64 - log2(bytes) ones, rotated left by log2(bytes). */
static inline void x_align_down(x_code_t *code, x_reg_t reg, int bytes)
{
    const uint32_t zeros = (uint32_t) __builtin_ctz((unsigned) bytes);
    if (x_has_room(code)) {
        x_registers(code, 0x92400000 | (64 - zeros) << 16 | (63 - zeros) << 10, reg, reg, 0);
    }
}

/* One instruction, two for up to 24 bits, otherwise by the temporary register. */
static inline void x_add_constant(x_code_t *code, x_reg_t to, x_reg_t from, int64_t constant)
{
    const uint64_t size = constant < 0 ? -(uint64_t) constant : (uint64_t) constant;
    const uint32_t op = constant < 0 ? X_SUB : X_ADD;
    if (constant == 0) {
        x_move(code, to, from);
    } else if (!x_has_room(code)) {
        return;
    } else if (x_is_immediate(size)) {
        x_put_immediate(code, op, to, from, size);
    } else if (size >> 24 == 0) {
        x_put_immediate(code, op, to, from, size & ~(uint64_t) 0xfff);
        x_put_immediate(code, op, to, to, size & 0xfff);
    } else {
        x_put_constant(code, X_TEMP, constant);
        x_put_sum(code, X_ADD, to, from, X_TEMP);
    }
}

static inline void x_multiply(x_code_t *code, x_reg_t to, int64_t constant)
{
    if (x_has_room(code)) { /* MADD to zero */
        x_put_constant(code, X_TEMP, constant);
        x_registers(code, 0x9b007c00, to, to, X_TEMP);
    }
}

static inline void x_load_entry(x_code_t *code, x_reg_t to, x_mem_t table, int bytes)
{
    if (x_has_room(code)) {
        x_put_access(code, bytes == 4 ? X_LOAD_SIGNED : X_LOAD, to, table, bytes);
    }
}

static inline void x_prefetch(x_code_t *code, x_mem_t mem)
{
    enum { PLDL1KEEP = 0 };
    if (x_has_room(code)) {
        x_put_access(code, X_LOAD_SIGNED, PLDL1KEEP, mem, 8);
    }
}

/* The element at base + index, where an index has just been loaded: from now on its address. */
static inline x_mem_t x_element(x_code_t *code, x_reg_t base, x_reg_t index)
{
    x_add(code, index, base);
    return x_mem(index, 0);
}

/* ---- control ---- */

/* Subtracts and sets the flags. The carry, which no condition looks at, is another one when a
 * negative constant is added instead. */
static inline void x_put_difference(x_code_t *code, x_reg_t to, x_reg_t from, int64_t constant)
{
    const uint64_t size = constant < 0 ? -(uint64_t) constant : (uint64_t) constant;
    if (!x_has_room(code)) {
        return;
    }
    if (x_is_immediate(size)) {
        x_put_immediate(code, constant < 0 ? X_ADDS : X_SUBS, to, from, size);
    } else {
        x_put_constant(code, X_TEMP, constant);
        x_put_sum(code, X_SUBS, to, from, X_TEMP);
    }
}

static inline void x_compare(x_code_t *code, x_reg_t reg, int64_t constant)
{
    x_put_difference(code, X_ZERO, reg, constant);
}

static inline void x_subtract(x_code_t *code, x_reg_t reg, int32_t constant)
{
    x_put_difference(code, reg, reg, constant);
}

/* Words from one label to another, as a signed field of `bits` in an instruction. */
static inline uint32_t x_words_between(x_code_t *code, x_label_t from, x_label_t to, int bits)
{
    const int64_t words = ((int64_t) to - (int64_t) from) / 4;
    code->full |= words < -((int64_t) 1 << (bits - 1)) || words >= (int64_t) 1 << (bits - 1);
    return (uint32_t) words & ((1u << bits) - 1);
}

static inline void x_jcc_backward(x_code_t *code, x_condition_t condition, x_label_t to)
{
    if (x_has_room(code)) {
        x_word(code, 0x54000000 | x_words_between(code, x_here(code), to, 19) << 5 | condition);
    }
}

static inline x_label_t x_jcc_forward(x_code_t *code, x_condition_t condition)
{
    const x_label_t branch = x_here(code);
    if (x_has_room(code)) {
        x_word(code, 0x54000000 | condition);
    }
    return branch;
}

/* Puts the distance to here into the 19 bits that a branch or a load has for it. */
static inline void x_bind(x_code_t *code, x_label_t branch)
{
    if (!code->full) {
        uint32_t word;
        memcpy(&word, code->start + branch, sizeof(word));
        word |= x_words_between(code, branch, x_here(code), 19) << 5;
        memcpy(code->start + branch, &word, sizeof(word));
    }
}

static inline void x_call(x_code_t *code, uintptr_t function)
{
    if (x_has_room(code)) { /* BLR */
        x_put_constant(code, X_TEMP, (int64_t) function);
        x_registers(code, 0xd63f0000, 0, X_TEMP, 0);
    }
}

static inline void x_call_code(x_code_t *code, x_label_t entry)
{
    if (x_has_room(code)) { /* BL */
        x_word(code, 0x94000000 | x_words_between(code, x_here(code), entry, 26));
    }
}

/* By x16, from which a BR may land where a call may. */
static inline void x_jump(x_code_t *code, uintptr_t function)
{
    if (x_has_room(code)) { /* BR */
        x_put_constant(code, X_TEMP, (int64_t) function);
        x_registers(code, 0xd61f0000, 0, X_TEMP, 0);
    }
}

/* ---- vectors ---- */

/* LDP and STP have 7 bits for multiples of 16. */
static inline void x_vector(x_code_t *code, int store, int reg, x_mem_t mem, int bytes)
{
    enum { ONE = 16, MOST = 63 };
    const uint32_t access = store ? X_STORE_VECTOR : X_LOAD_VECTOR;
    const int64_t units = mem.disp / ONE;
    if (!x_has_room(code)) {
        return;
    }
    if (bytes == ONE) {
        x_put_access(code, access, reg, mem, ONE);
    } else if (mem.disp == units * ONE && units >= -MOST - 1 && units <= MOST) {
        x_put_pair(code, store ? 0xad000000 : 0xad400000, reg, reg + 16, mem, ONE);
    } else {
        x_put_access(code, access, reg, mem, ONE);
        mem.disp += ONE;
        x_put_access(code, access, reg + 16, mem, ONE);
    }
}

/* No vector has mask_bytes. */
static inline void x_masked(x_code_t *code, int store, int reg, x_mem_t mem, int bytes, int mask)
{
    (void) store;
    (void) reg;
    (void) mem;
    (void) bytes;
    (void) mask;
    code->full = 1;
}

enum { X_FIRST_PERMUTATION = 20 };

/* TBL: bytes that the permutation takes from nowhere are 0. */
static inline void x_permute(x_code_t *code, int reg, int permutation, int bytes)
{
    (void) bytes;
    if (x_has_room(code)) {
        x_registers(code, 0x4e000000, reg, reg, X_FIRST_PERMUTATION + permutation);
    }
}

/* TBL of two registers, which follow each other. */
static inline void x_permute_pair(x_code_t *code, int reg, int permutation, x_mem_t second,
                                  int bytes)
{
    x_vector(code, 0, reg + 1, second, bytes);
    if (x_has_room(code)) {
        x_registers(code, 0x4e002000, reg, reg, X_FIRST_PERMUTATION + permutation);
    }
}

/* The register for a vector on its way. */
static inline int x_vector_register(const x_code_t *code, int bytes)
{
    (void) code;
    (void) bytes;
    return 0;
}

/* 1, 2, 4 or 8 bytes through the temporary register. */
static inline void x_scalar(x_code_t *code, int store, x_mem_t mem, int bytes)
{
    if (x_has_room(code)) {
        x_put_access(code, store ? X_STORE : X_LOAD, X_TEMP, mem, bytes);
    }
}

/* ---- frame ---- */

static inline void x_load_constants(x_code_t *code)
{
    x_constants_t *constants = &code->constants;
    constants->masks_loaded = constants->nmasks;
    constants->permutations_loaded = constants->npermutations;
    for (int i = 0; i < constants->npermutations; i++) {
        code->constant_fixups[i] = x_here(code);
        if (x_has_room(code)) { /* LDR of 16 bytes, relative to itself */
            x_word(code, 0x9c000000 | (uint32_t) (X_FIRST_PERMUTATION + i));
        }
    }
}

static inline void x_align(x_code_t *code, int bytes)
{
    while (x_has_room(code) && x_here(code) % (unsigned) bytes != 0) {
        *code->at++ = X_FILL;
    }
}

static inline void x_emit_constants(x_code_t *code)
{
    enum { BYTES = 16 };
    const x_constants_t *constants = &code->constants;
    for (int i = 0; i < constants->permutations_loaded; i++) {
        x_align(code, BYTES);
        x_bind(code, code->constant_fixups[i]);
        if (x_has_room(code)) {
            memcpy(code->at, constants->permutations[i], BYTES);
            code->at += BYTES;
        }
    }
}

/* The second register of pair i of those saved; an odd one is paired with zero. */
static inline x_reg_t x_saved_second(int i, int saved)
{
    return i + 1 < saved ? x_saved[i + 1] : X_ZERO;
}

/* A frame record, then the registers. The return address is also in a register, so kernels with
 * calls save at least one of the others. */
static inline void x_prologue(x_code_t *code, int saved)
{
    const int64_t bytes = 16 + (saved + 1) / 2 * 16;
    if (saved == 0 || !x_has_room(code)) {
        return;
    }
    x_put_pair(code, 0xa9800000, X_FRAME, X_LINK, x_mem(X_SP, -bytes), 8);
    const x_label_t moved = x_here(code);
    x_put_immediate(code, X_ADD, X_FRAME, X_SP, 0);
    const x_label_t pointed = x_here(code);
    for (int i = 0; i < saved; i += 2) {
        x_put_pair(code, 0xa9000000, x_saved[i], x_saved_second(i, saved), x_mem(X_SP, 16 + 8 * i),
                   8);
    }
    x_note_frame(code, moved, pointed);
}

static inline void x_epilogue(x_code_t *code, int saved)
{
    const int64_t bytes = 16 + (saved + 1) / 2 * 16;
    if (!x_has_room(code)) {
        return;
    }
    for (int i = 0; i < saved; i += 2) {
        x_put_pair(code, 0xa9400000, x_saved[i], x_saved_second(i, saved), x_mem(X_SP, 16 + 8 * i),
                   8);
    }
    if (saved > 0) {
        x_put_pair(code, 0xa8c00000, X_FRAME, X_LINK, x_mem(X_SP, bytes), 8);
        x_note_frame_left(code);
    }
    x_registers(code, 0xd65f0000, 0, X_LINK, 0); /* RET */
}

/* Says how to unwind a frame. In the code at `*at` the table's rules are those of an entry, and
 * again where the frame has been left, which becomes *at. */
static inline void x_describe_frame(dame_unwind_t *table, const x_frame_t *frame, uint32_t *at)
{
    enum { WORDS = 2 + X_SAVED }; /* what a kernel saves all of, if any */
    dame_unwind_advance(table, frame->moved - *at);
    dame_unwind_byte(table, 0x0a); /* DW_CFA_remember_state */
    dame_unwind_byte(table, 0x0e); /* DW_CFA_def_cfa_offset */
    dame_unwind_byte(table, 8 * WORDS);
    dame_unwind_byte(table, 0x80 | X_FRAME); /* DW_CFA_offset, in words below the CFA */
    dame_unwind_byte(table, WORDS);
    dame_unwind_byte(table, 0x80 | X_LINK);
    dame_unwind_byte(table, WORDS - 1);
    dame_unwind_advance(table, frame->saved - frame->moved);
    for (int i = 0; i < X_SAVED; i++) {
        dame_unwind_byte(table, 0x80u | (unsigned) x_saved[i]);
        dame_unwind_byte(table, (unsigned) (WORDS - 2 - i));
    }
    dame_unwind_advance(table, frame->left - frame->saved);
    dame_unwind_byte(table, 0x0b); /* DW_CFA_restore_state */
    *at = frame->left;
}

enum { X_FRAME_DESCRIPTION = 56 }; /* bytes at most */

/* Loops run best from the start of 32 bytes. */
static inline void x_align_loop(x_code_t *code)
{
    while (x_has_room(code) && 0 != x_here(code) % 32) {
        x_word(code, 0xd503201f); /* NOP */
    }
}

/* BTI c: where branch targets are identified, indirect calls must land on one. */
static inline void x_entry(x_code_t *code)
{
    x_align(code, X_ENTRY_ALIGNMENT);
    if (x_has_room(code)) {
        x_word(code, 0xd503245f);
    }
}

#endif
