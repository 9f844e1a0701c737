/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What all kernels of one compilation share, and the words in which IR is written: each hides a
 * cast or a version, so that what emits a loop reads like the loop. Private to jit/l/.
 */
#ifndef DAME_L_UNIT_H
#define DAME_L_UNIT_H

#include <llvm-c/Core.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "dame/cpu.h"
#include "dame/program.h"

/* Loads and stores of a kernel, about: more would take long to compile. */
enum { L_MOST_MOVES = 2000 };

typedef struct l_unit {
    const dame_program_t *program;
    dame_dir_t dir;
    dame_cpu_t cpu;
    int64_t vector_bytes; /* widest vectors of plain moves: 16, 32, 64 */
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMTypeRef i1, i8, i32, i64, ptr, nothing;
    LLVMTypeRef kernel;    /* the type of a dame_run_fn */
    LLVMValueRef function; /* the one that is being written */
    LLVMValueRef *kernels; /* by primitive; NULL if absent */
    int64_t moves;         /* loads and stores so far: what compiling costs */
    int is_full;           /* sticky: the function has become too large */
} l_unit_t;

/* The types of IR, once the unit has its context. */
static inline void l_find_types(l_unit_t *u)
{
    u->i1 = LLVMInt1TypeInContext(u->context);
    u->i8 = LLVMInt8TypeInContext(u->context);
    u->i32 = LLVMInt32TypeInContext(u->context);
    u->i64 = LLVMInt64TypeInContext(u->context);
    u->ptr = LLVMPointerTypeInContext(u->context, 0);
    u->nothing = LLVMVoidTypeInContext(u->context);
}

/* ---- values ---- */

static inline LLVMValueRef l_int(const l_unit_t *u, int64_t value)
{
    return LLVMConstInt(u->i64, (unsigned long long) value, 1);
}

/* Returns whether it is a constant. Then *value is its value. */
static inline int l_is_int(LLVMValueRef v, int64_t *value)
{
    if (LLVMIsAConstantInt(v) == NULL) {
        return 0;
    }
    *value = LLVMConstIntGetSExtValue(v);
    return 1;
}

static inline LLVMValueRef l_add(const l_unit_t *u, LLVMValueRef a, int64_t b)
{
    return b == 0 ? a : LLVMBuildAdd(u->b, a, l_int(u, b), "");
}

static inline LLVMValueRef l_sub(const l_unit_t *u, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSub(u->b, a, b, "");
}

static inline LLVMValueRef l_mul(const l_unit_t *u, LLVMValueRef a, int64_t b)
{
    return b == 1 ? a : LLVMBuildMul(u->b, a, l_int(u, b), "");
}

/* a / b, rounded towards 0. */
static inline LLVMValueRef l_div(const l_unit_t *u, LLVMValueRef a, int64_t b)
{
    return b == 1 ? a : LLVMBuildSDiv(u->b, a, l_int(u, b), "");
}

/* The address `bytes` behind `p`; it wraps around, as displacements do. */
static inline LLVMValueRef l_gep_v(const l_unit_t *u, LLVMValueRef p, LLVMValueRef bytes)
{
    return LLVMBuildGEP2(u->b, u->i8, p, &bytes, 1, "");
}

static inline LLVMValueRef l_gep(const l_unit_t *u, LLVMValueRef p, int64_t bytes)
{
    return bytes == 0 ? p : l_gep_v(u, p, l_int(u, bytes));
}

/* ---- memory ---- */

static inline LLVMValueRef l_load(const l_unit_t *u, LLVMTypeRef type, LLVMValueRef p)
{
    LLVMValueRef v = LLVMBuildLoad2(u->b, type, p, "");
    LLVMSetAlignment(v, 1);
    return v;
}

static inline void l_store(const l_unit_t *u, LLVMValueRef v, LLVMValueRef p)
{
    LLVMSetAlignment(LLVMBuildStore(u->b, v, p), 1);
}

/* A word of the program or its tables, which are read-only. */
static inline LLVMValueRef l_load_table(const l_unit_t *u, LLVMTypeRef type, LLVMValueRef p,
                                        const char *name)
{
    LLVMValueRef v = LLVMBuildLoad2(u->b, type, p, name);
    const unsigned kind = LLVMGetMDKindIDInContext(u->context, "invariant.load", 14);
    LLVMMetadataRef none = LLVMMDNodeInContext2(u->context, NULL, 0);
    LLVMSetMetadata(v, kind, LLVMMetadataAsValue(u->context, none));
    return v;
}

/* The type that moves `bytes` bytes at once; a power of two. */
static inline LLVMTypeRef l_bytes_type(const l_unit_t *u, int64_t bytes)
{
    return bytes <= 8 ? LLVMIntTypeInContext(u->context, (unsigned) (8 * bytes))
                      : LLVMVectorType(u->i8, (unsigned) bytes);
}

/* ---- control ---- */

static inline LLVMBasicBlockRef l_block(const l_unit_t *u, const char *name)
{
    return LLVMAppendBasicBlockInContext(u->context, u->function, name);
}

static inline void l_at(const l_unit_t *u, LLVMBasicBlockRef block)
{
    LLVMPositionBuilderAtEnd(u->b, block);
}

static inline LLVMBasicBlockRef l_here(const l_unit_t *u)
{
    return LLVMGetInsertBlock(u->b);
}

/* A function attribute of a name and a value, as the back end reads them. */
static inline void l_attribute(const l_unit_t *u, LLVMValueRef function, const char *name,
                               const char *value)
{
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex) LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(u->context, name, (unsigned) strlen(name),
                                                      value, (unsigned) strlen(value)));
}

/* An attribute of LLVM's own that has a number, of the function or of a parameter (1 and up). */
static inline void l_number(const l_unit_t *u, LLVMValueRef function, unsigned index,
                            const char *name, uint64_t number)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    if (kind != 0) { /* 0: this LLVM does not have it */
        LLVMAddAttributeAtIndex(function, index, LLVMCreateEnumAttribute(u->context, kind, number));
    }
}

/* One without a value. */
static inline void l_flag(const l_unit_t *u, LLVMValueRef function, unsigned index,
                          const char *name)
{
    l_number(u, function, index, name, 0);
}

#endif
