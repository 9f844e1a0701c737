/*
 * Names of machine code for GDB, by its JIT compilation interface (GDB manual, chapter "JIT
 * Compilation Interface"): an ELF object in memory with one symbol for each piece.
 *
 * Private to jit/. Not thread-safe: jit.c holds its lock.
 */
#ifndef DAME_GDB_H
#define DAME_GDB_H

#include <stddef.h>

typedef struct dame_gdb_object dame_gdb_object_t;

/* Tells GDB, if it is there or comes later. NULL when memory is out: then it is not told. */
dame_gdb_object_t *dame_gdb_add(const void *start, size_t size, const char *name);

/* Accepts NULL. */
void dame_gdb_remove(dame_gdb_object_t *object);

#endif
