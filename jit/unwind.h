/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unwind information for machine code: how debuggers, profilers, backtrace(3) and C++ exceptions
 * find a kernel's caller. Format: .eh_frame (Linux Standard Base 5.0, Core, 10.6; DWARF 5, 6.4).
 *
 * Most kernels move no stack pointer and change no register that calls keep. One table, the leaf
 * table, describes any amount of such code, so that memory for it is registered once. Code with
 * frames brings a table of its own (provider.h).
 *
 * Private to jit/.
 */
#ifndef DAME_UNWIND_H
#define DAME_UNWIND_H

#include <stddef.h>
#include <stdint.h>

/* ---- writing tables ---- */

/* A table that is being written. It refers to the code by its distance, and so may be moved with
 * it. */
typedef struct dame_unwind {
    char *start; /* 8-byte aligned */
    char *at;    /* the next byte */
    char *function;
} dame_unwind_t;

enum {
    DAME_UNWIND_HEAD = 24,     /* bytes that dame_unwind_begin() writes at most */
    DAME_UNWIND_FUNCTION = 40, /* .. dame_unwind_function() and dame_unwind_end() together */
    DAME_UNWIND_LEAF = DAME_UNWIND_HEAD + DAME_UNWIND_FUNCTION
};

/* Starts a table. On a CPU that has no description here it stays empty. */
void dame_unwind_begin(dame_unwind_t *table, char *start);

/* Starts the description of `size` bytes of code at `code`; instructions (DW_CFA_...) may
 * follow. */
void dame_unwind_function(dame_unwind_t *table, const char *code, size_t size);

void dame_unwind_byte(dame_unwind_t *table, unsigned byte);

/* The next instructions hold from `bytes` bytes of code after the last such place on. */
void dame_unwind_advance(dame_unwind_t *table, uint32_t bytes);

/* Ends it. Returns its size, with what marks the end. */
size_t dame_unwind_end(dame_unwind_t *table);

/* Writes the leaf table for `size` bytes of code that will be at `code` when the table is at
 * `start`. Returns its size, at most DAME_UNWIND_LEAF. */
size_t dame_unwind_leaf(char *start, const char *code, size_t size);

/* ---- telling ---- */

/* Finds the library that exceptions and backtrace(3) unwind with, and loads it if need be; does
 * nothing when called again. The caller does not hold DAME_LOCK_COMPILER. */
void dame_unwind_prepare(void);

typedef struct dame_unwind_registration dame_unwind_registration_t;

/*
 * Tells that library of a copy of a table of `size` bytes, which describes the code from `code` on.
 * The copy is memory of this process alone: the child of a fork, which keeps the registration,
 * shares the memory of code with its parent. To be taken back in the same process only: in a child
 * another thread may have held the library's lock. Returns NULL when memory has run out, or without
 * that library.
 */
dame_unwind_registration_t *dame_unwind_register(const char *table, size_t size, const char *code);
void dame_unwind_deregister(dame_unwind_registration_t *registration);

#endif
