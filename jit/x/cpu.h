/*
 * The CPU that code is written for. A CPU is one file with the forms listed here, each a function
 * that writes one or a few instructions into an x_code_t and looks for room first; nothing else
 * under jit/ knows instructions.
 *
 *   registers   X_ARG_PRIM, X_ARG_ORIGIN, X_ARG_PACKED, X_ARG_FIRST, X_ARG_COUNT: the arguments of
 *               a run kernel (dame_program.h), free for use, lost in calls; X_TEMP: lost in every
 *               form; x_volatile[X_VOLATILES]: the other ones lost in calls; x_saved[X_SAVED]:
 * those that a kernel saves and calls keep x_entry     starts a kernel: alignment, and what
 * indirect calls must land on x_enter     saves the first `saved` registers of x_saved; x_leave
 * brings them back and returns x_set       register = constant x_move, x_add, x_add_constant,
 * x_multiply 64-bit arithmetic that wraps x_load_entry register = 4 bytes, sign-extended, or 8
 * bytes of a table x_compare, x_subtract against a constant, as signed numbers; x_subtract changes
 * the register. A branch that follows at once decides on the result x_branch_back, x_branch_ahead,
 * x_land conditional branches to a place behind and to one that x_land() makes known x_call,
 * x_call_code, x_jump to a function at an address, to a kernel in the same buffer; a call that does
 * not return x_scalar    1, 2, 4 or 8 bytes from memory into X_TEMP, or back x_vector    a whole
 * vector of 16 bytes or more; x_masked some bytes of one x_vector_register the first of four
 * vectors that x_vector() may use x_permute   the bytes of a vector, all at once, by a permutation
 * that is held x_prefetch  a cache line, to be read x_hold_constants, x_place_constants loads masks
 * and permutations into the registers that hold them, at the start of a kernel; puts what was
 * loaded from memory behind the code x_disp_fits may a displacement be part of a place?
 *   X_ENTRY_ALIGNMENT, X_FILL
 *               bytes; what stands between kernels and stops whoever comes there
 */
#ifndef DAME_X_CPU_H
#define DAME_X_CPU_H

#if defined(__x86_64__)
#define DAME_X_HAVE_CPU 1
#include "jit/x/cpu_x86_64.h"
#else
#define DAME_X_HAVE_CPU 0
#endif

#endif
