/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of machine code for GDB, by its JIT compilation interface (GDB manual, chapter "JIT
 * Compilation Interface"): an ELF object in memory with one symbol for each piece, and the table by
 * which GDB finds its caller.
 *
 * Private to jit/. Not thread-safe: jit.c holds its lock.
 */
#ifndef DAME_GDB_H
#define DAME_GDB_H

#include <stddef.h>
#include <stdint.h>

typedef struct dame_gdb_object dame_gdb_object_t;

/* Tells GDB, if it is there or comes later; `unwind` as in a dame_machine_code_t. NULL when memory
 * is out: then it is not told. */
dame_gdb_object_t *dame_gdb_add(const char *start, size_t size, uint32_t unwind, const char *name);

/* Accepts NULL. */
void dame_gdb_remove(dame_gdb_object_t *object);

#endif
