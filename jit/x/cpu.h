/* SPDX-License-Identifier: BSD-3-Clause */
/* clang-format off */
/*
 * The instruction encoders of the CPU that code is written for. Each CPU has one file, which defines
 * the names listed here; nothing else under jit/ knows instructions. An encoder is a function that
 * writes one or a few instructions into an x_code_t, after it has looked for room.
 *
 *   X_ARG_PRIM, X_ARG_ORIGIN, X_ARG_PACKED, X_ARG_FIRST, X_ARG_COUNT
 *                    registers: the arguments of a run kernel (dame/program.h), free for use, lost
 *                    in calls; the first three are also the first three arguments of any function
 *   X_TEMP           register: any encoder may change it
 *   x_volatile[X_VOLATILES]
 *                    the other registers that are lost in calls
 *   x_saved[X_SAVED] registers that a kernel saves and calls keep
 *   X_FILL, X_ENTRY_ALIGNMENT
 *                    the byte between kernels, which traps; bytes
 *
 *   x_vectors_for    the vectors to use for a variant
 *   x_disp_fits      may a memory operand have this displacement?
 *
 *   x_entry          starts a kernel: alignment, and what indirect calls must land on
 *   x_prologue, x_epilogue
 *                    saves the first `saved` registers of x_saved; restores them and returns
 *   x_describe_frame, X_FRAME_DESCRIPTION
 *                    says in a table how to unwind the code between the two; bytes at most
 *   x_load_constants loads masks and permutations into their registers
 *   x_emit_constants puts what x_load_constants() loads from memory behind the code
 *
 *   x_set            register = constant
 *   x_move, x_add, x_add_constant, x_multiply
 *                    64-bit arithmetic that wraps
 *   x_subtract_register
 *                    to -= from
 *   x_align_down     clears the lowest bits: rounds down to a multiple of 16 or 32 bytes
 *   x_load_entry     register = 4 bytes, sign-extended, or 8 bytes of a table
 *   x_element        the operand at the sum of a base and an entry that has just been loaded
 *
 *   x_compare, x_subtract
 *                    with a constant, as signed numbers; x_subtract changes the register. The next
 *                    instruction may be a branch that decides on the result
 *   x_jcc_forward, x_bind
 *                    a conditional branch to a label that x_bind() sets later
 *   x_jcc_backward   a conditional branch to an x_here() of before
 *   x_align_loop     aligns the x_here() that follows as the target of a loop
 *   x_call, x_call_code, x_jump
 *                    calls a function; calls a kernel in the same buffer; jumps to a function, which
 *                    returns to the kernel's caller
 *
 *   x_scalar         loads 1, 2, 4 or 8 bytes into X_TEMP, or stores them
 *   x_vector_register
 *                    the register through which vectors of this size are copied
 *   x_vector         loads or stores a vector of 16 bytes or more
 *   x_masked         loads or stores the bytes of a mask
 *   x_permute        permutes the bytes of a vector by a loaded permutation
 *   x_permute_pair   gathers a vector from its own bytes and, behind them, those of another vector in
 *                    memory
 *   x_prefetch       prefetches a cache line for reading
 */
/* clang-format on */
#ifndef DAME_X_CPU_H
#define DAME_X_CPU_H

#if defined(__x86_64__)
#define DAME_X_HAVE_CPU 1
#include "cpu_x86_64.h"
#elif defined(__AARCH64EL__) && defined(__LP64__)
#define DAME_X_HAVE_CPU 1
#include "cpu_aarch64.h"
#else
#define DAME_X_HAVE_CPU 0
#endif

#endif
