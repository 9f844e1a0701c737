/* clang-format off */
/*
 * The CPU that code is written for. A CPU is one file with the forms listed here, each a function
 * that writes one or a few instructions into an x_code_t and looks for room first; nothing else
 * under jit/ knows instructions.
 *
 *   X_ARG_PRIM, X_ARG_ORIGIN, X_ARG_PACKED, X_ARG_FIRST, X_ARG_COUNT
 *                    registers: the arguments of a run kernel (dame_program.h), free for use, lost
 *                    in calls; the first three are also the first three arguments of any function
 *   X_TEMP           register: lost in every form
 *   x_volatile[X_VOLATILES]
 *                    the other registers that are lost in calls
 *   x_saved[X_SAVED] registers that a kernel saves and calls keep
 *   X_FILL, X_ENTRY_ALIGNMENT
 *                    what stands between kernels and stops whoever comes there; bytes
 *
 *   x_vectors_for    which vectors there are
 *   x_disp_fits      may a displacement be part of a place?
 *
 *   x_entry          starts a kernel: alignment, and what indirect calls must land on
 *   x_enter, x_leave saves the first `saved` registers of x_saved; brings them back and returns
 *   x_hold_constants loads masks and permutations into the registers that hold them
 *   x_place_constants
 *                    puts what x_hold_constants() loads from memory behind the code
 *
 *   x_set            register = constant
 *   x_move, x_add, x_add_constant, x_multiply
 *                    64-bit arithmetic that wraps
 *   x_load_entry     register = 4 bytes, sign-extended, or 8 bytes of a table
 *   x_element        the place at the sum of a base and an entry that has just been loaded
 *
 *   x_compare, x_subtract
 *                    with a constant, as signed numbers; x_subtract changes the register. A branch
 *                    that follows at once decides on the result
 *   x_branch_ahead, x_land
 *                    a conditional branch, and where it goes
 *   x_branch_back    a conditional branch to what x_here() was
 *   x_loop_head      before that x_here(): aligned as loops like it
 *   x_call, x_call_code, x_jump
 *                    a function at an address; a kernel in the same buffer; a function that returns
 *                    to the kernel's caller
 *
 *   x_scalar         1, 2, 4 or 8 bytes from memory into X_TEMP, or back
 *   x_stream         X_STREAMED bytes of X_TEMP into memory past the caches
 *   x_fence          what was streamed is in memory before what comes after
 *   x_vector_register
 *                    the vector for so many bytes on their way
 *   x_vector         a vector of 16 bytes or more from memory, or back
 *   x_masked         some of its bytes
 *   x_permute        all its bytes, by a permutation that is held
 *   x_prefetch       a cache line, to be read
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
