/* SPDX-License-Identifier: BSD-3-Clause */
/* Questions to libclang that end the process when they are asked about a type that is invalid, as
 * that of an expression with an error or of a C++ member function is, or that an argument of a
 * template decides. Here they have an answer for every type. Programs ask these, and never libclang
 * itself; test/house checks that. */
#ifndef CLANG_ASK_H
#define CLANG_ASK_H

#include <clang-c/Index.h>
#include <stdbool.h>
#include <stdint.h>

#include "memory.h"

/* Without const, volatile and restrict; an invalid type as it is. */
CXType ask_unqualified(CXType type);
/* Bytes, or -1: not constant, incomplete, dependent or invalid. */
int64_t ask_size(CXType type);
int64_t ask_align(CXType type);
/* Elements of an array; -1 for all other types. */
int64_t ask_count(CXType array);
/* The type of argument I of a function type; invalid if absent, as in C's f(). */
CXType ask_argument(CXType function, int i);
/* The member's offset in bits; -1: no member of a complete record. */
int64_t ask_offset(CXCursor member);
/* The value of an expression, where that is an integer that fits. */
bool ask_integer(CXCursor expression, int64_t *value);

/* Its text, "" for none; disposes of it. */
char *ask_text(c_memory_t *memory, CXString string);

/* The children without attributes; the caller frees .cursor. */
typedef struct ask_children {
    CXCursor *cursor;
    size_t n, room;
} ask_children_t;
ask_children_t ask_children(CXCursor cursor);

#endif
