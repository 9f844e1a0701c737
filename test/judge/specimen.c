#include "specimen.h"

#include <stddef.h>

/*
 * Arguments of a kernel: rdi the primitive, rsi origin, rdx packed, rcx first, r8 n. In a primitive
 * stand at 0 and 8 the interpreter's kernels, at 48 the table of displacements.
 */
_Static_assert(offsetof(dame_prim_t, run) == 0, "the kernels stand at 0 and 8");
_Static_assert(offsetof(dame_prim_t, disps32) == 48, "the displacements stand at 48");

#define KERNEL(name, text)                                                                         \
    __attribute__((visibility("hidden"))) extern const char name##_begin[];                        \
    __attribute__((visibility("hidden"))) extern const char name##_end[];                          \
    __asm__(".pushsection .rodata\n"                                                               \
            ".intel_syntax noprefix\n" #name "_begin:\n" text #name "_end:\n"                      \
            ".att_syntax prefix\n"                                                                 \
            ".popsection\n")

/* The start of most: skips to 2 when n is 0; rsi becomes the address of the first block. */
#define START                                                                                      \
    "endbr64\n"                                                                                    \
    "imul rcx, rcx, 24\n"                                                                          \
    "add rsi, rcx\n"                                                                               \
    "test r8, r8\n"                                                                                \
    "jle 2f\n"
#define NEXT                                                                                       \
    "add rsi, 24\n"                                                                                \
    "add rdx, 8\n"                                                                                 \
    "dec r8\n"                                                                                     \
    "jnz 1b\n"
#define END "2: ret\n"
#define PACK                                                                                       \
    "mov rax, [rsi]\n"                                                                             \
    "mov [rdx], rax\n"
#define UNPACK                                                                                     \
    "mov rax, [rdx]\n"                                                                             \
    "mov [rsi], rax\n"
/* A pack kernel with something wrong before, in or behind its loop. */
#define PACK_WITH(before, in, behind) START before "1:" PACK in NEXT "2:" behind "ret\n"

KERNEL(right_pack, START "1:" PACK NEXT END);
KERNEL(right_unpack, START "1:" UNPACK NEXT END);
KERNEL(right_list, "endbr64\n"
                   "mov r9, [rdi + 48]\n"
                   "lea r9, [r9 + 4 * rcx]\n"
                   "test r8, r8\n"
                   "jle 2f\n"
                   "1: movsxd rax, dword ptr [r9]\n"
                   "mov rax, [rsi + rax]\n"
                   "mov [rdx], rax\n"
                   "add r9, 4\n"
                   "add rdx, 8\n"
                   "sub r8, 1\n"
                   "jne 1b\n"
                   "2: ret\n");
KERNEL(right_tail_jump, "endbr64\n"
                        "mov rax, [rdi]\n"
                        "jmp rax\n");
KERNEL(right_memcpy, "endbr64\n"
                     "push rbx\n"
                     "push rbp\n"
                     "push r12\n"
                     "imul rcx, rcx, 24\n"
                     "lea rbx, [rsi + rcx]\n"
                     "mov rbp, rdx\n"
                     "mov r12, r8\n"
                     "test r12, r12\n"
                     "jle 2f\n"
                     "1: mov rdi, rbp\n"
                     "mov rsi, rbx\n"
                     "mov edx, 8\n"
                     "movabs rax, 0x1122334455667788\n"
                     "call rax\n"
                     "add rbx, 24\n"
                     "add rbp, 8\n"
                     "dec r12\n"
                     "jnz 1b\n"
                     "2: pop r12\n"
                     "pop rbp\n"
                     "pop rbx\n"
                     "ret\n");
KERNEL(right_mask, START "mov eax, 0xff\n"
                         "kmovq k1, rax\n"
                         "1:"
                         "vmovdqu8 zmm16{k1}{z}, [rsi]\n"
                         "vmovdqu8 [rdx]{k1}, zmm16\n" NEXT END);
/* As LLVM writes it: a mask whose unused bits are what the register had, half a vector that nobody set or
 * reads, a product in rdx:rax. */
#define PART_OF_MASK(number, vector)                                                               \
    "endbr64\n"                                                                                    \
    "mov r9, rdx\n"                                                                                \
    "mov rax, rcx\n"                                                                               \
    "imul rsi\n"                                                                                   \
    "mov rdx, r9\n"                                                                                \
    "mov rdx, r9\n"                                                                                \
    "mov r10w, " number "\n"                                                                       \
    "kmovd k1, r10d\n"                                                                             \
    START "1: vmovdqu8 " vector " {k1}{z}, [rsi]\n"                                                \
    "vinserti128 ymm2, ymm3, xmm0, 1\n"                                                            \
    "vmovdqu8 [rdx]{k1}, " vector "\n" NEXT "2: vzeroupper\nret\n"
KERNEL(right_part_of_mask, PART_OF_MASK("0xff", "xmm0"));
KERNEL(mask_of_more, PART_OF_MASK("0xff", "ymm0"));
/* Reads over the gap behind each block but the last, as the contract allows. */
KERNEL(right_gap_read, START "1: cmp r8, 1\n"
                             "je 4f\n"
                             "movups xmm0, [rsi]\n"
                             "movq [rdx], xmm0\n"
                             "jmp 5f\n"
                             "4:" PACK "5:" NEXT END);
KERNEL(right_constant, START "movups xmm1, [rip + 3f]\n"
                             "1:"
                             "movq xmm0, [rsi]\n"
                             "pshufb xmm0, xmm1\n"
                             "movq [rdx], xmm0\n" NEXT END ".balign 16, 0xcc\n"
                             "3: .byte 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n");
KERNEL(right_frame, "endbr64\n"
                    "sub rsp, 24\n"
                    "mov [rsp], rsi\n"
                    "mov [rsp + 8], r8\n"
                    "imul rcx, rcx, 24\n"
                    "add rcx, [rsp]\n"
                    "mov rsi, rcx\n"
                    "mov r8, [rsp + 8]\n"
                    "test r8, r8\n"
                    "jle 2f\n"
                    "1: mov rax, [rsi]\n"
                    "mov [rdx], rax\n" NEXT "2: add rsp, 24\n"
                    "ret\n");
__attribute__((visibility("hidden"))) extern const char right_call_of_entry_second[];
KERNEL(right_call_of_entry, START "1:" PACK NEXT END ".balign 32, 0xcc\n"
                                  "right_call_of_entry_second: endbr64\n"
                                  "push rbx\n"
                                  "push rbp\n"
                                  "push r12\n"
                                  "imul rcx, rcx, 1424\n"
                                  "lea rbx, [rsi + rcx]\n"
                                  "mov rbp, rdx\n"
                                  "mov r12, r8\n"
                                  "test r12, r12\n"
                                  "jle 2f\n"
                                  "1: mov rsi, rbx\n"
                                  "mov rdx, rbp\n"
                                  "xor ecx, ecx\n"
                                  "mov r8d, 60\n"
                                  "call right_call_of_entry_begin\n"
                                  "add rbx, 1424\n"
                                  "add rbp, 480\n"
                                  "dec r12\n"
                                  "jnz 1b\n"
                                  "2: pop r12\n"
                                  "pop rbp\n"
                                  "pop rbx\n"
                                  "ret\n");
KERNEL(no_instruction, PACK_WITH(".byte 0x06\n", "", ""));
KERNEL(jump_into_instruction, PACK_WITH(".byte 0xeb, 0xff, 0xc0\n", "", ""));
KERNEL(no_end, START "1:" PACK NEXT "2: nop\n");
KERNEL(jump_out, PACK_WITH("jmp 1f + 5000\n", "", ""));
KERNEL(jump_before, PACK_WITH("jmp 1f - 5000\n", "", ""));
KERNEL(unreached, START "1:" PACK NEXT END "mov rax, rbx\n");
KERNEL(much_padding, START "1:" PACK NEXT END ".fill 64, 1, 0xcc\n");
KERNEL(system_call, PACK_WITH("", "", "syscall\n"));
KERNEL(string_move, PACK_WITH("", "", "rep movsb\n"));
KERNEL(direction_flag, PACK_WITH("std\n", "", ""));
KERNEL(thread_memory, PACK_WITH("mov rax, fs:[0]\n", "", ""));
KERNEL(gather, PACK_WITH("vpgatherdd ymm0, [rsi + ymm1], ymm2\n", "", ""));
KERNEL(short_addresses, PACK_WITH("mov eax, [esi]\n", "", ""));
KERNEL(wide_vector, PACK_WITH("",
                              "vmovq xmm0, rax\n"
                              "vpermq ymm0, ymm0, 0\n",
                              "vzeroupper\n"));
KERNEL(mask_before_avx512, PACK_WITH("kmovw k1, r8d\n", "", ""));
KERNEL(mask_of_dq, PACK_WITH("kmovb k1, r8d\n", "", ""));
KERNEL(vex_before_avx, PACK_WITH("", "vmovq xmm0, rax\n", ""));
KERNEL(shuffle_before_ssse3, PACK_WITH("",
                                       "movq xmm0, rax\n"
                                       "pshufb xmm0, xmm0\n",
                                       ""));
KERNEL(permute_before_vbmi, PACK_WITH("",
                                      "vmovq xmm0, rax\n"
                                      "vpermb xmm0, xmm0, xmm0\n",
                                      ""));
KERNEL(no_endbr64, "test r8, r8\n" START "1:" PACK NEXT END);
KERNEL(second_bottom, START "1:" PACK NEXT END);
KERNEL(reads_behind_run, PACK_WITH("", "mov rax, [rsi + 8]\n", ""));
KERNEL(reads_before_run, PACK_WITH("", "mov al, [rsi - 1]\n", ""));
KERNEL(reads_other_page, START "1:"
                               "mov rax, [rsi]\n"
                               "mov [rdx], rax\n"
                               "mov rax, [rsi + 32768]\n"
                               "add rsi, 65512\n" NEXT END);
KERNEL(writes_gap, START "1:"
                         "mov rax, [rdx]\n"
                         "mov [rsi], rax\n"
                         "mov [rsi + 8], al\n" NEXT END);
KERNEL(writes_byte_too_wide, START "1: movq xmm0, [rdx]\n"
                                   "movups [rsi], xmm0\n" NEXT END);
KERNEL(writes_user_to_pack, PACK_WITH("", "mov [rsi], rax\n", ""));
KERNEL(reads_user_to_unpack, START "1:" UNPACK "mov rax, [rsi]\n" NEXT END);
KERNEL(writes_behind_stream, PACK_WITH("", "mov [rdx + 1], rax\n", ""));
KERNEL(writes_before_stream, PACK_WITH("", "mov [rdx - 1], al\n", ""));
KERNEL(reads_stream_to_pack, PACK_WITH("", "mov rax, [rdx]\n", ""));
KERNEL(writes_stream_to_unpack, START "1:" UNPACK "mov [rdx], rax\n" NEXT END);
KERNEL(mask_too_wide, START "mov eax, 0xff\n"
                            "kmovw k1, eax\n"
                            "mov eax, 0x1ff\n"
                            "kmovw k2, eax\n"
                            "1: vmovdqu8 xmm16{k1}{z}, [rsi]\n"
                            "vmovdqu8 [rdx]{k2}, xmm16\n" NEXT END);
KERNEL(mask_of_words_too_wide, START "mov eax, 3\n"
                                     "kmovw k1, eax\n"
                                     "1:"
                                     "vmovdqu32 xmm16{k1}{z}, [rdx]\n"
                                     "mov eax, 7\n"
                                     "kmovw k2, eax\n"
                                     "vmovdqu32 [rsi]{k2}, xmm16\n" NEXT END);
KERNEL(memcpy_too_long, "endbr64\n"
                        "push rbx\n"
                        "push rbp\n"
                        "push r12\n"
                        "imul rcx, rcx, 24\n"
                        "lea rbx, [rsi + rcx]\n"
                        "mov rbp, rdx\n"
                        "mov r12, r8\n"
                        "test r12, r12\n"
                        "jle 2f\n"
                        "1: mov rdi, rbp\n"
                        "mov rsi, rbx\n"
                        "mov edx, 9\n"
                        "movabs rax, 0x1122334455667788\n"
                        "call rax\n"
                        "add rbx, 24\n"
                        "add rbp, 8\n"
                        "dec r12\n"
                        "jnz 1b\n"
                        "2: pop r12\n"
                        "pop rbp\n"
                        "pop rbx\n"
                        "ret\n");
KERNEL(below_the_stack, PACK_WITH("", "mov [rsp - 8], rax\n", ""));
KERNEL(frame_of_caller, PACK_WITH("mov rax, [rsp + 8]\n", "", ""));
KERNEL(return_address, PACK_WITH("mov [rsp], rsi\n", "", ""));
KERNEL(pop_too_many, PACK_WITH("", "", "pop rax\n"));
KERNEL(stack_overflow, START "1: push rax\n"
                             "jmp 1b\n" END);
KERNEL(writes_code, PACK_WITH("", "mov [rip + 2f], al\n", "") "2: .byte 0\n");
KERNEL(reads_code, PACK_WITH("mov rax, [rip]\n", "", ""));
KERNEL(reads_code_by_register, PACK_WITH("lea rax, [rip + 3f]\n"
                                         "mov rax, [rax - 16]\n",
                                         "", "") ".balign 16, 0xcc\n"
                                                 "3: .quad 0\n");
KERNEL(constant_outside, PACK_WITH("mov rax, [rip + 4096]\n", "", ""));
KERNEL(table_too_far, "endbr64\n"
                      "mov r9, [rdi + 48]\n"
                      "lea r9, [r9 + 4 * rcx]\n"
                      "test r8, r8\n"
                      "jle 2f\n"
                      "1: movsxd rax, dword ptr [r9]\n"
                      "mov rax, [rsi + rax]\n"
                      "mov [rdx], rax\n"
                      "add r9, 4\n"
                      "movsxd rax, dword ptr [r9]\n"
                      "add rdx, 8\n"
                      "sub r8, 1\n"
                      "jne 1b\n"
                      "2: ret\n");
KERNEL(table_index_off, "endbr64\n"
                        "mov r9, [rdi + 48]\n"
                        "lea r9, [r9 + 4 * rcx]\n"
                        "test r8, r8\n"
                        "jle 2f\n"
                        "1: movsxd rax, dword ptr [r9 - 4]\n"
                        "mov rax, [rsi + rax]\n"
                        "mov [rdx], rax\n"
                        "add r9, 4\n"
                        "add rdx, 8\n"
                        "sub r8, 1\n"
                        "jne 1b\n"
                        "2: ret\n");
KERNEL(table_in_64_bits, "endbr64\n"
                         "mov r9, [rdi + 48]\n"
                         "lea r9, [r9 + 4 * rcx]\n"
                         "test r8, r8\n"
                         "jle 2f\n"
                         "1: mov rax, [r9 + 4]\n"
                         "movsxd rax, dword ptr [r9]\n"
                         "mov rax, [rsi + rax]\n"
                         "mov [rdx], rax\n"
                         "add r9, 4\n"
                         "add rdx, 8\n"
                         "sub r8, 1\n"
                         "jne 1b\n"
                         "2: ret\n");
KERNEL(table_not_extended, "endbr64\n"
                           "mov r9, [rdi + 48]\n"
                           "lea r9, [r9 + 4 * rcx]\n"
                           "test r8, r8\n"
                           "jle 2f\n"
                           "1: mov eax, [r9]\n"
                           "mov rax, [rsi + rax]\n"
                           "mov [rdx], rax\n"
                           "add r9, 4\n"
                           "add rdx, 8\n"
                           "sub r8, 1\n"
                           "jne 1b\n"
                           "2: ret\n");
KERNEL(table_written, "endbr64\n"
                      "mov r9, [rdi + 48]\n"
                      "lea r9, [r9 + 4 * rcx]\n"
                      "test r8, r8\n"
                      "jle 2f\n"
                      "1: movsxd rax, dword ptr [r9]\n"
                      "mov rax, [rsi + rax]\n"
                      "mov [rdx], rax\n"
                      "add r9, 4\n"
                      "add rdx, 8\n"
                      "sub r8, 1\n"
                      "jne 1b\n"
                      "2: mov [r9 - 4], r8d\n"
                      "ret\n");
KERNEL(primitive_written, PACK_WITH("", "mov [rdi + 16], rax\n", ""));
KERNEL(somewhere_read, PACK_WITH("mov eax, 4096\n"
                                 "mov rax, [rax]\n",
                                 "", ""));
KERNEL(somewhere_written, PACK_WITH("",
                                    "mov r9d, 4096\n"
                                    "mov [r9], rax\n",
                                    ""));
KERNEL(not_aligned, START "1:"
                          "movq xmm0, [rsi]\n"
                          "movq [rdx], xmm0\n"
                          "movdqa xmm1, [rsi]\n" NEXT END);
KERNEL(sse_not_aligned, START "1:"
                              "movq xmm0, [rsi]\n"
                              "pshufb xmm0, [rsi]\n"
                              "movq [rdx], xmm0\n" NEXT END);
KERNEL(one_too_few, "endbr64\n"
                    "imul rcx, rcx, 24\n"
                    "add rsi, rcx\n"
                    "dec r8\n"
                    "jle 2f\n"
                    "1:" PACK NEXT END);
KERNEL(always_the_first, START "1:" PACK "sub rsi, 24\n" NEXT END);
KERNEL(half_blocks, START "1:"
                          "mov eax, [rsi]\n"
                          "mov [rdx], rax\n" NEXT END);
KERNEL(stream_not_read, START "mov rax, [rdx]\n"
                              "1: mov [rsi], rax\n" NEXT END);
KERNEL(mask_too_narrow, START "mov eax, 0x7f\n"
                              "kmovd k1, eax\n"
                              "1:"
                              "vmovdqu8 xmm16{k1}{z}, [rsi]\n"
                              "vmovdqu8 [rdx]{k1}, xmm16\n" NEXT END);
KERNEL(branch_on_data, PACK_WITH("",
                                 "test rax, rax\n"
                                 "jz 3f\n"
                                 "nop\n"
                                 "3: nop\n",
                                 ""));
KERNEL(address_from_data, PACK_WITH("",
                                    "movzx eax, byte ptr [rsi]\n"
                                    "mov al, [rsi + rax]\n",
                                    ""));
KERNEL(mask_from_data, START "1:" PACK "kmovq k1, rax\n"
                             "vmovdqu8 xmm16{k1}{z}, [rsi]\n" NEXT END);
KERNEL(size_from_data, "endbr64\n"
                       "push rbx\n"
                       "push rbp\n"
                       "push r12\n"
                       "imul rcx, rcx, 24\n"
                       "lea rbx, [rsi + rcx]\n"
                       "mov rbp, rdx\n"
                       "mov r12, r8\n"
                       "test r12, r12\n"
                       "jle 2f\n"
                       "1: mov rdi, rbp\n"
                       "mov rsi, rbx\n"
                       "movzx edx, byte ptr [rbx]\n"
                       "movabs rax, 0x1122334455667788\n"
                       "call rax\n"
                       "add rbx, 24\n"
                       "add rbp, 8\n"
                       "dec r12\n"
                       "jnz 1b\n"
                       "2: pop r12\n"
                       "pop rbp\n"
                       "pop rbx\n"
                       "ret\n");
KERNEL(register_not_set, PACK_WITH("", "mov [rdx], r9\n", ""));
KERNEL(address_not_set, PACK_WITH("mov rax, [r9]\n", "", ""));
KERNEL(vector_not_set, START "1:" PACK "movq [rdx], xmm3\n" NEXT END);
KERNEL(frame_not_set, PACK_WITH("sub rsp, 8\n"
                                "mov rax, [rsp]\n"
                                "add rsp, 8\n",
                                "", ""));
KERNEL(mask_not_set, START "1:" PACK "vmovdqu8 xmm16{k1}{z}, [rsi]\n" NEXT END);
KERNEL(flags_not_set, "endbr64\n"
                      "jz 3f\n"
                      "3: nop\n" START "1:" PACK NEXT END);
KERNEL(lost_in_call, "endbr64\n"
                     "push rbx\n"
                     "push rbp\n"
                     "push r12\n"
                     "imul rcx, rcx, 24\n"
                     "lea rbx, [rsi + rcx]\n"
                     "mov rbp, rdx\n"
                     "mov r12, r8\n"
                     "mov r9, r8\n"
                     "test r12, r12\n"
                     "jle 2f\n"
                     "1: mov rdi, rbp\n"
                     "mov rsi, rbx\n"
                     "mov edx, 8\n"
                     "movabs rax, 0x1122334455667788\n"
                     "call rax\n"
                     "add rbx, 24\n"
                     "add rbp, 8\n"
                     "mov rax, r9\n"
                     "dec r12\n"
                     "jnz 1b\n"
                     "2: pop r12\n"
                     "pop rbp\n"
                     "pop rbx\n"
                     "ret\n");
KERNEL(vector_lost_in_call, "endbr64\n"
                            "push rbx\n"
                            "push rbp\n"
                            "push r12\n"
                            "imul rcx, rcx, 24\n"
                            "lea rbx, [rsi + rcx]\n"
                            "mov rbp, rdx\n"
                            "mov r12, r8\n"
                            "pxor xmm1, xmm1\n"
                            "test r12, r12\n"
                            "jle 2f\n"
                            "1: mov rdi, rbp\n"
                            "mov rsi, rbx\n"
                            "mov edx, 8\n"
                            "movabs rax, 0x1122334455667788\n"
                            "call rax\n"
                            "add rbx, 24\n"
                            "add rbp, 8\n"
                            "movdqu xmm2, xmm1\n"
                            "dec r12\n"
                            "jnz 1b\n"
                            "2: pop r12\n"
                            "pop rbp\n"
                            "pop rbx\n"
                            "ret\n");
KERNEL(mask_lost_in_call, "endbr64\n"
                          "push rbx\n"
                          "push rbp\n"
                          "push r12\n"
                          "imul rcx, rcx, 24\n"
                          "lea rbx, [rsi + rcx]\n"
                          "mov rbp, rdx\n"
                          "mov r12, r8\n"
                          "mov eax, 1\n"
                          "kmovw k1, eax\n"
                          "test r12, r12\n"
                          "jle 2f\n"
                          "1: mov rdi, rbp\n"
                          "mov rsi, rbx\n"
                          "mov edx, 8\n"
                          "movabs rax, 0x1122334455667788\n"
                          "call rax\n"
                          "add rbx, 24\n"
                          "add rbp, 8\n"
                          "kmovw eax, k1\n"
                          "dec r12\n"
                          "jnz 1b\n"
                          "2: pop r12\n"
                          "pop rbp\n"
                          "pop rbx\n"
                          "ret\n");
KERNEL(calls_table, "endbr64\n"
                    "mov rax, [rdi + 48]\n"
                    "jmp rax\n");
KERNEL(calls_other_direction, "endbr64\n"
                              "mov rax, [rdi + 8]\n"
                              "jmp rax\n");
KERNEL(calls_one_too_many, "endbr64\n"
                           "inc r8\n"
                           "mov rax, [rdi]\n"
                           "jmp rax\n");
KERNEL(calls_beyond_level, "endbr64\n"
                           "mov r8d, 61\n"
                           "mov rax, [rdi]\n"
                           "jmp rax\n");
KERNEL(calls_one_further, "endbr64\n"
                          "inc rcx\n"
                          "mov rax, [rdi]\n"
                          "jmp rax\n");
KERNEL(calls_elsewhere, "endbr64\n"
                        "inc rdx\n"
                        "mov rax, [rdi]\n"
                        "jmp rax\n");
KERNEL(calls_no_primitive, "endbr64\n"
                           "mov rax, [rdi]\n"
                           "add rdi, 8\n"
                           "jmp rax\n");
KERNEL(memcpy_negative, "endbr64\n"
                        "push rbx\n"
                        "push rbp\n"
                        "push r12\n"
                        "imul rcx, rcx, 24\n"
                        "lea rbx, [rsi + rcx]\n"
                        "mov rbp, rdx\n"
                        "mov r12, r8\n"
                        "test r12, r12\n"
                        "jle 2f\n"
                        "1: mov rdi, rbp\n"
                        "mov rsi, rbx\n"
                        "mov rdx, -8\n"
                        "movabs rax, 0x1122334455667788\n"
                        "call rax\n"
                        "add rbx, 24\n"
                        "add rbp, 8\n"
                        "dec r12\n"
                        "jnz 1b\n"
                        "2: pop r12\n"
                        "pop rbp\n"
                        "pop rbx\n"
                        "ret\n");
__attribute__((visibility("hidden"))) extern const char calls_no_entry_second[];
KERNEL(calls_no_entry, START "1:" PACK NEXT END ".balign 32, 0xcc\n"
                             "calls_no_entry_second: endbr64\n"
                             "push rbx\n"
                             "push rbp\n"
                             "push r12\n"
                             "imul rcx, rcx, 1424\n"
                             "lea rbx, [rsi + rcx]\n"
                             "mov rbp, rdx\n"
                             "mov r12, r8\n"
                             "test r12, r12\n"
                             "jle 2f\n"
                             "1: mov rsi, rbx\n"
                             "mov rdx, rbp\n"
                             "xor ecx, ecx\n"
                             "mov r8d, 60\n"
                             "call calls_no_entry_begin + 4\n"
                             "add rbx, 1424\n"
                             "add rbp, 480\n"
                             "dec r12\n"
                             "jnz 1b\n"
                             "2: pop r12\n"
                             "pop rbp\n"
                             "pop rbx\n"
                             "ret\n");
KERNEL(call_not_aligned, "endbr64\n"
                         "push rbx\n"
                         "push rbp\n"
                         "push r13\n"
                         "push r12\n"
                         "imul rcx, rcx, 24\n"
                         "lea rbx, [rsi + rcx]\n"
                         "mov rbp, rdx\n"
                         "mov r12, r8\n"
                         "test r12, r12\n"
                         "jle 2f\n"
                         "1: mov rdi, rbp\n"
                         "mov rsi, rbx\n"
                         "mov edx, 8\n"
                         "movabs rax, 0x1122334455667788\n"
                         "call rax\n"
                         "add rbx, 24\n"
                         "add rbp, 8\n"
                         "dec r12\n"
                         "jnz 1b\n"
                         "2: pop r12\n"
                         "pop r13\n"
                         "pop rbp\n"
                         "pop rbx\n"
                         "ret\n");
KERNEL(rbx_lost, PACK_WITH("mov rbx, rsi\n", "", ""));
KERNEL(missing_pop, "endbr64\n"
                    "push rbx\n"
                    "push rbp\n"
                    "push r12\n"
                    "imul rcx, rcx, 24\n"
                    "lea rbx, [rsi + rcx]\n"
                    "mov rbp, rdx\n"
                    "mov r12, r8\n"
                    "test r12, r12\n"
                    "jle 2f\n"
                    "1: mov rdi, rbp\n"
                    "mov rsi, rbx\n"
                    "mov edx, 8\n"
                    "movabs rax, 0x1122334455667788\n"
                    "call rax\n"
                    "add rbx, 24\n"
                    "add rbp, 8\n"
                    "dec r12\n"
                    "jnz 1b\n"
                    "2: pop r12\n"
                    "pop rbp\n"
                    "ret\n");
KERNEL(pops_in_wrong_order, "endbr64\n"
                            "push rbx\n"
                            "push rbp\n"
                            "push r12\n"
                            "imul rcx, rcx, 24\n"
                            "lea rbx, [rsi + rcx]\n"
                            "mov rbp, rdx\n"
                            "mov r12, r8\n"
                            "test r12, r12\n"
                            "jle 2f\n"
                            "1: mov rdi, rbp\n"
                            "mov rsi, rbx\n"
                            "mov edx, 8\n"
                            "movabs rax, 0x1122334455667788\n"
                            "call rax\n"
                            "add rbx, 24\n"
                            "add rbp, 8\n"
                            "dec r12\n"
                            "jnz 1b\n"
                            "2: pop rbp\n"
                            "pop r12\n"
                            "pop rbx\n"
                            "ret\n");
KERNEL(frame_kept_at_jump, "endbr64\n"
                           "push rbx\n"
                           "mov rax, [rdi]\n"
                           "jmp rax\n");
__attribute__((visibility("hidden"))) extern const char entry_loses_rbx_second[];
KERNEL(entry_loses_rbx, START "mov rbx, rsi\n"
                              "1:" PACK NEXT END ".balign 32, 0xcc\n"
                              "entry_loses_rbx_second: endbr64\n"
                              "push rbx\n"
                              "push rbp\n"
                              "push r12\n"
                              "imul rcx, rcx, 1424\n"
                              "lea rbx, [rsi + rcx]\n"
                              "mov rbp, rdx\n"
                              "mov r12, r8\n"
                              "test r12, r12\n"
                              "jle 2f\n"
                              "1: mov rsi, rbx\n"
                              "mov rdx, rbp\n"
                              "xor ecx, ecx\n"
                              "mov r8d, 60\n"
                              "call entry_loses_rbx_begin\n"
                              "add rbx, 1424\n"
                              "add rbp, 480\n"
                              "dec r12\n"
                              "jnz 1b\n"
                              "2: pop r12\n"
                              "pop rbp\n"
                              "pop rbx\n"
                              "ret\n");
KERNEL(upper_left, PACK_WITH("vpxor ymm1, ymm1, ymm1\n"
                             "vpermq ymm0, ymm1, 0\n",
                             "", ""));
KERNEL(upper_with_sse, PACK_WITH("vpxor ymm1, ymm1, ymm1\n"
                                 "vpermq ymm0, ymm1, 0\n"
                                 "movups xmm1, xmm0\n",
                                 "", "vzeroupper\n"));
KERNEL(upper_at_call, "endbr64\n"
                      "push rbx\n"
                      "push rbp\n"
                      "push r12\n"
                      "imul rcx, rcx, 24\n"
                      "lea rbx, [rsi + rcx]\n"
                      "mov rbp, rdx\n"
                      "mov r12, r8\n"
                      "vpxor ymm1, ymm1, ymm1\n"
                      "vpermq ymm0, ymm1, 0\n"
                      "test r12, r12\n"
                      "jle 2f\n"
                      "1: mov rdi, rbp\n"
                      "mov rsi, rbx\n"
                      "mov edx, 8\n"
                      "movabs rax, 0x1122334455667788\n"
                      "call rax\n"
                      "add rbx, 24\n"
                      "add rbp, 8\n"
                      "dec r12\n"
                      "jnz 1b\n"
                      "2: pop r12\n"
                      "pop rbp\n"
                      "pop rbx\n"
                      "ret\n");
KERNEL(endless, START "1:" PACK "test r8, r8\n"
                      "jnz 1b\n" END);
KERNEL(count_too_late, "endbr64\n"
                       "imul rcx, rcx, 24\n"
                       "add rsi, rcx\n"
                       "1:" PACK NEXT END);
KERNEL(stride_off, START "1:" PACK "inc rsi\n" NEXT END);
KERNEL(advance_off, START "1:" PACK "inc rdx\n" NEXT END);

#define SPECIMEN_ON(name, type, dir, rule, bits, second, model)                                    \
    {                                                                                              \
#name, SPECIMEN_##type, DAME_##dir, RULE_##rule, bits, model, name##_begin, name##_end,    \
            second                                                                                 \
    }
#define SPECIMEN(name, type, dir, rule, bits, second)                                              \
    {                                                                                              \
#name, SPECIMEN_##type, DAME_##dir, RULE_##rule, bits, CPU_VBMI, name##_begin, name##_end, \
            second                                                                                 \
    }

const specimen_t specimens[] = {
    SPECIMEN(right_pack, VECTOR, PACK, NONE, 512, NULL),
    SPECIMEN(right_unpack, VECTOR, UNPACK, NONE, 512, NULL),
    SPECIMEN(right_list, LIST, PACK, NONE, 512, NULL),
    SPECIMEN(right_tail_jump, VECTOR, PACK, NONE, 512, NULL),
    SPECIMEN(right_memcpy, VECTOR, PACK, NONE, 512, NULL),
    SPECIMEN(right_part_of_mask, VECTOR, PACK, NONE, 512, NULL),
    SPECIMEN(mask_of_more, VECTOR, PACK, DATA, 512, NULL),
    SPECIMEN(right_mask, VECTOR, PACK, NONE, 512, NULL),
    SPECIMEN(right_gap_read, VECTOR, PACK, NONE, 512, NULL),
    SPECIMEN(right_constant, VECTOR, PACK, NONE, 512, NULL),
    SPECIMEN(right_frame, VECTOR, PACK, NONE, 512, NULL),
    SPECIMEN(right_call_of_entry, VECTOR, PACK, NONE, 512, right_call_of_entry_second),
    SPECIMEN(no_instruction, VECTOR, PACK, DECODES, 512, NULL),
    SPECIMEN(jump_into_instruction, VECTOR, PACK, DECODES, 512, NULL),
    SPECIMEN(no_end, VECTOR, PACK, INSIDE, 512, NULL),
    SPECIMEN(jump_out, VECTOR, PACK, INSIDE, 512, NULL),
    SPECIMEN(jump_before, VECTOR, PACK, INSIDE, 512, NULL),
    SPECIMEN(unreached, VECTOR, PACK, REACHED, 512, NULL),
    SPECIMEN(much_padding, VECTOR, PACK, REACHED, 512, NULL),
    SPECIMEN(system_call, VECTOR, PACK, ALLOWED, 512, NULL),
    SPECIMEN(string_move, VECTOR, PACK, ALLOWED, 512, NULL),
    SPECIMEN(direction_flag, VECTOR, PACK, ALLOWED, 512, NULL),
    SPECIMEN(thread_memory, VECTOR, PACK, ALLOWED, 512, NULL),
    SPECIMEN(gather, VECTOR, PACK, ALLOWED, 512, NULL),
    SPECIMEN(short_addresses, VECTOR, PACK, ALLOWED, 512, NULL),
    SPECIMEN(wide_vector, VECTOR, PACK, WIDTH, 128, NULL),
    SPECIMEN_ON(mask_before_avx512, VECTOR, PACK, FEATURE, 512, NULL, CPU_AVX2),
    SPECIMEN_ON(mask_of_dq, VECTOR, PACK, FEATURE, 512, NULL, CPU_VBMI),
    SPECIMEN_ON(vex_before_avx, VECTOR, PACK, FEATURE, 512, NULL, CPU_SSE2),
    SPECIMEN_ON(shuffle_before_ssse3, VECTOR, PACK, FEATURE, 512, NULL, CPU_SSE2),
    SPECIMEN_ON(permute_before_vbmi, VECTOR, PACK, FEATURE, 512, NULL, CPU_AVX512),
    SPECIMEN(no_endbr64, VECTOR, PACK, ENTRY, 512, NULL),
    SPECIMEN(second_bottom, VECTOR, PACK, ENTRY, 512, second_bottom_begin),
    SPECIMEN(reads_behind_run, VECTOR, PACK, USER, 512, NULL),
    SPECIMEN(reads_before_run, VECTOR, PACK, USER, 512, NULL),
    SPECIMEN(reads_other_page, FAR, PACK, USER, 512, NULL),
    SPECIMEN(writes_gap, VECTOR, UNPACK, USER, 512, NULL),
    SPECIMEN(writes_byte_too_wide, VECTOR, UNPACK, USER, 512, NULL),
    SPECIMEN(writes_user_to_pack, VECTOR, PACK, USER, 512, NULL),
    SPECIMEN(reads_user_to_unpack, VECTOR, UNPACK, USER, 512, NULL),
    SPECIMEN(writes_behind_stream, VECTOR, PACK, PACKED, 512, NULL),
    SPECIMEN(writes_before_stream, VECTOR, PACK, PACKED, 512, NULL),
    SPECIMEN(reads_stream_to_pack, VECTOR, PACK, PACKED, 512, NULL),
    SPECIMEN(writes_stream_to_unpack, VECTOR, UNPACK, PACKED, 512, NULL),
    SPECIMEN(mask_too_wide, VECTOR, PACK, PACKED, 512, NULL),
    SPECIMEN(mask_of_words_too_wide, VECTOR, UNPACK, USER, 512, NULL),
    SPECIMEN(memcpy_too_long, VECTOR, PACK, USER, 512, NULL),
    SPECIMEN(below_the_stack, VECTOR, PACK, STACK, 512, NULL),
    SPECIMEN(frame_of_caller, VECTOR, PACK, STACK, 512, NULL),
    SPECIMEN(return_address, VECTOR, PACK, STACK, 512, NULL),
    SPECIMEN(pop_too_many, VECTOR, PACK, STACK, 512, NULL),
    SPECIMEN(stack_overflow, VECTOR, PACK, STACK, 512, NULL),
    SPECIMEN(writes_code, VECTOR, PACK, CONSTANT, 512, NULL),
    SPECIMEN(reads_code, VECTOR, PACK, CONSTANT, 512, NULL),
    SPECIMEN(reads_code_by_register, VECTOR, PACK, CONSTANT, 512, NULL),
    SPECIMEN(constant_outside, VECTOR, PACK, CONSTANT, 512, NULL),
    SPECIMEN(table_too_far, LIST, PACK, TABLE, 512, NULL),
    SPECIMEN(table_index_off, LIST, PACK, USER, 512, NULL),
    SPECIMEN(table_in_64_bits, LIST, PACK, TABLE, 512, NULL),
    SPECIMEN(table_not_extended, LIST, PACK, USER, 512, NULL),
    SPECIMEN(table_written, LIST, PACK, TABLE, 512, NULL),
    SPECIMEN(primitive_written, VECTOR, PACK, TABLE, 512, NULL),
    SPECIMEN(somewhere_read, VECTOR, PACK, ADDRESS, 512, NULL),
    SPECIMEN(somewhere_written, VECTOR, PACK, ADDRESS, 512, NULL),
    SPECIMEN(not_aligned, VECTOR, PACK, ALIGNED, 512, NULL),
    SPECIMEN(sse_not_aligned, VECTOR, PACK, ALIGNED, 512, NULL),
    SPECIMEN(one_too_few, VECTOR, PACK, COMPLETE, 512, NULL),
    SPECIMEN(always_the_first, VECTOR, PACK, COMPLETE, 512, NULL),
    SPECIMEN(half_blocks, VECTOR, PACK, COMPLETE, 512, NULL),
    SPECIMEN(stream_not_read, VECTOR, UNPACK, COMPLETE, 512, NULL),
    SPECIMEN(mask_too_narrow, VECTOR, PACK, COMPLETE, 512, NULL),
    SPECIMEN(branch_on_data, VECTOR, PACK, DATA, 512, NULL),
    SPECIMEN(address_from_data, VECTOR, PACK, DATA, 512, NULL),
    SPECIMEN(mask_from_data, VECTOR, PACK, DATA, 512, NULL),
    SPECIMEN(size_from_data, VECTOR, PACK, DATA, 512, NULL),
    SPECIMEN(register_not_set, VECTOR, PACK, DEFINED, 512, NULL),
    SPECIMEN(address_not_set, VECTOR, PACK, DEFINED, 512, NULL),
    SPECIMEN(vector_not_set, VECTOR, PACK, DEFINED, 512, NULL),
    SPECIMEN(frame_not_set, VECTOR, PACK, DEFINED, 512, NULL),
    SPECIMEN(mask_not_set, VECTOR, PACK, DEFINED, 512, NULL),
    SPECIMEN(flags_not_set, VECTOR, PACK, DEFINED, 512, NULL),
    SPECIMEN(lost_in_call, VECTOR, PACK, DEFINED, 512, NULL),
    SPECIMEN(vector_lost_in_call, VECTOR, PACK, DEFINED, 512, NULL),
    SPECIMEN(mask_lost_in_call, VECTOR, PACK, DEFINED, 512, NULL),
    SPECIMEN(calls_table, LIST, PACK, CALL, 512, NULL),
    SPECIMEN(calls_other_direction, VECTOR, PACK, CALL, 512, NULL),
    SPECIMEN(calls_beyond_level, VECTOR, PACK, CALL, 512, NULL),
    SPECIMEN(calls_one_too_many, VECTOR, PACK, USER, 512, NULL),
    SPECIMEN(calls_one_further, VECTOR, PACK, USER, 512, NULL),
    SPECIMEN(calls_elsewhere, VECTOR, PACK, PACKED, 512, NULL),
    SPECIMEN(calls_no_primitive, VECTOR, PACK, CALL, 512, NULL),
    SPECIMEN(memcpy_negative, VECTOR, PACK, CALL, 512, NULL),
    SPECIMEN(calls_no_entry, VECTOR, PACK, CALL, 512, calls_no_entry_second),
    SPECIMEN(call_not_aligned, VECTOR, PACK, CALL_ALIGNED, 512, NULL),
    SPECIMEN(rbx_lost, VECTOR, PACK, SAVED, 512, NULL),
    SPECIMEN(missing_pop, VECTOR, PACK, SAVED, 512, NULL),
    SPECIMEN(pops_in_wrong_order, VECTOR, PACK, SAVED, 512, NULL),
    SPECIMEN(frame_kept_at_jump, VECTOR, PACK, SAVED, 512, NULL),
    SPECIMEN(entry_loses_rbx, VECTOR, PACK, SAVED, 512, entry_loses_rbx_second),
    SPECIMEN(upper_left, VECTOR, PACK, UPPER, 512, NULL),
    SPECIMEN(upper_with_sse, VECTOR, PACK, UPPER, 512, NULL),
    SPECIMEN(upper_at_call, VECTOR, PACK, UPPER, 512, NULL),
    SPECIMEN(endless, VECTOR, PACK, ENDS, 512, NULL),
    SPECIMEN(count_too_late, VECTOR, PACK, USER, 512, NULL),
    SPECIMEN(stride_off, VECTOR, PACK, USER, 512, NULL),
    SPECIMEN(advance_off, VECTOR, PACK, PACKED, 512, NULL),
    {.name = NULL},
};
