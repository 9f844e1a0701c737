/* SPDX-License-Identifier: BSD-3-Clause */
#include "sample.h"

#include <stddef.h>

/*
 * Arguments of a kernel: rdi the primitive, rsi origin, rdx packed, rcx first, r8 n. In a primitive
 * stand at 0 and 8 the interpreter's kernels, at 48 the table of displacements.
 */
_Static_assert(offsetof(dame_prim_t, run) == 0, "the kernels stand at 0 and 8");
_Static_assert(offsetof(dame_prim_t, disps32) == 48, "the displacements stand at 48");

/* The start of most: skips to 2 when n is 0; rsi becomes the address of the first block. */
#define START  "endbr64; imul rcx, rcx, 24; add rsi, rcx; test r8, r8; jle 2f;"
#define NEXT   "add rsi, 24; add rdx, 8; dec r8; jnz 1b;"
#define END    "2: ret;"
#define PACK   "mov rax, [rsi]; mov [rdx], rax;"
#define UNPACK "mov rax, [rdx]; mov [rsi], rax;"
/* A pack kernel with something wrong before, in or behind its loop. */
#define PACK_WITH(before, in, behind) START before "1:" PACK in NEXT "2:" behind "ret;"
/* One that moves blocks by mask k1, and `stored` for the store. */
#define MASKED(masks, stored)                                                                      \
    START masks "1: vmovdqu8 xmm16{k1}{z}, [rsi]; vmovdqu8 [rdx]{" stored "}, xmm16;" NEXT END
/* The same by what comes of two masks, k2 and k3, in k1. */
#define MASK_OF(a, b, text)                                                                        \
    MASKED("mov eax, " a "; kmovd k2, eax; mov eax, " b "; kmovd k3, eax;" text, "k1")
/* As LLVM writes it: a mask with unused bits left from the register, half a vector that is never
 * set or read, a product in rdx:rax. */
#define PART_OF_MASK(number, then, vector)                                                         \
    "endbr64; mov r9, rdx; mov rax, rcx; imul rsi; mov rdx, r9; mov r10w, " number                 \
    "; kmovd k1, r10d;" then START "1: vmovdqu8 " vector "{k1}{z}, [rsi];"                         \
    "vinserti128 ymm2, ymm3, xmm0, 1; vmovdqu8 [rdx]{k1}, " vector ";" NEXT "2: vzeroupper; ret;"
/* A flag in a register that held moved data is spilled, and a byte of it is tested. */
#define SPILLED(tested)                                                                            \
    START "push rax; mov r9, [rsi]; mov r9b, 1; mov [rsp], r9d; test byte ptr [rsp + " tested      \
          "], 1;"                                                                                  \
          "pop rax; jz 2f; 1:" PACK NEXT END
/* One of a list: `entry` loads a displacement. */
#define LOAD "movsxd rax, dword ptr [r9];"
#define LIST_LOOP(entry, in, behind)                                                               \
    "endbr64; mov r9, [rdi + 48]; lea r9, [r9 + 4 * rcx]; test r8, r8; jle 2f; 1:" entry           \
    "mov rax, [rsi + rax]; mov [rdx], rax; add r9, 4;" in                                          \
    "add rdx, 8; sub r8, 1; jne 1b; 2:" behind "ret;"
/* One that calls in a loop: `steps` goes on to the next block. */
#define PUSHES "push rbx; push rbp; push r12;"
#define POPS   "pop r12; pop rbp; pop rbx;"
#define CALL_LOOP(pushes, extent, before, call, steps, pops)                                       \
    "endbr64;" pushes "imul rcx, rcx, " extent                                                     \
    "; lea rbx, [rsi + rcx]; mov rbp, rdx; mov r12, r8;" before                                    \
    "test r12, r12; jle 2f; 1:" call steps "dec r12; jnz 1b; 2:" pops "ret;"
#define MEMCPY_LOOP(pushes, before, size, behind, pops)                                            \
    CALL_LOOP(pushes, "24", before,                                                                \
              "mov rdi, rbp; mov rsi, rbx;" size "movabs rax, 0x1122334455667788; call rax;",      \
              "add rbx, 24; add rbp, 8;" behind, pops)
/* A second entry, of the level around, which calls the first, or the code at `label`. */
#define OUTER(name, label)                                                                         \
    ".balign 32, 0xcc;" #name "_second:" CALL_LOOP(                                                \
        PUSHES, "1424", "",                                                                        \
        "mov rsi, rbx; mov rdx, rbp; xor ecx, ecx; mov r8d, 60; call " #name "_" label ";",        \
        "add rbx, 1424; add rbp, 480;", POPS)
#define WIDE "vpxor ymm1, ymm1, ymm1; vpermq ymm0, ymm1, 0;"

#define SAMPLE(name, rule, kind, text) SAMPLE_FOR(name, rule, kind, 512, VBMI, text)

/* First the code of all. Those without a second entry have a weak symbol of that name, which is
 * NULL. */
#define SAMPLE_FOR(name, rule, kind, bits, model, text)                                            \
    __attribute__((visibility("hidden"))) extern const char name##_begin[], name##_end[];          \
    __attribute__((weak)) extern const char name##_second[];                                       \
    __asm__(".pushsection .rodata\n"                                                               \
            ".intel_syntax noprefix\n" #name "_begin:\n" text "\n" #name "_end:\n"                 \
            ".att_syntax prefix\n"                                                                 \
            ".popsection\n");
#include "sample.def"
#undef SAMPLE_FOR

#define KIND_VECTOR_PACK   SAMPLE_VECTOR, DAME_PACK
#define KIND_VECTOR_UNPACK SAMPLE_VECTOR, DAME_UNPACK
#define KIND_LIST_PACK     SAMPLE_LIST, DAME_PACK
#define KIND_FAR_PACK      SAMPLE_FAR, DAME_PACK

const sample_t samples[] = {
#define SAMPLE_FOR(name, rule, kind, bits, model, text)                                            \
    {#name, KIND_##kind, RULE_##rule, bits, CPU_##model, name##_begin, name##_end, name##_second},
#include "sample.def"
#undef SAMPLE_FOR
    {.name = NULL},
};
