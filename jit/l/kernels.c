/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels.h"

#include <stdio.h>

#include "nest.h"

enum { ARG_PRIM, ARG_ORIGIN, ARG_PACKED, ARG_FIRST, ARG_N, ARGS };

/* Tables that are right at every instruction: LLVM's UWTableKind::Async. */
enum { UNWIND_ANYWHERE = 2 };

/* Loads and stores of a program, about. */
enum { MOST_MOVES_OF_ALL = 8000 };

void l_kernel_name(int32_t prim, char name[L_NAME])
{
    snprintf(name, L_NAME, "k%d", (int) prim);
}

static void find_kernel_type(l_unit_t *u)
{
    LLVMTypeRef args[ARGS] = {u->ptr, u->i64, u->ptr, u->i64, u->i64};
    u->kernel = LLVMFunctionType(u->nothing, args, ARGS, 0);
}

/* Indirect branches may be checked (CET): entries start with endbr64. */
static void protect_branches(l_unit_t *u)
{
    LLVMMetadataRef on = LLVMValueAsMetadata(LLVMConstInt(u->i32, 1, 0));
    LLVMAddModuleFlag(u->module, LLVMModuleFlagBehaviorOverride, "cf-protection-branch", 20, on);
}

static LLVMValueRef new_kernel(l_unit_t *u, int32_t index, const l_target_t *target)
{
    static const char *const names[ARGS] = {"prim", "origin", "packed", "first", "n"};
    char name[L_NAME];
    char widest[8];
    snprintf(name, sizeof(name), "f%d", (int) index);
    LLVMValueRef kernel = LLVMAddFunction(u->module, name, u->kernel);
    LLVMSetLinkage(kernel, LLVMInternalLinkage); /* so that calls need no linker */
    for (unsigned i = 0; i < ARGS; i++) {
        LLVMSetValueName2(LLVMGetParam(kernel, i), names[i], strlen(names[i]));
    }
    const unsigned whole = (unsigned) LLVMAttributeFunctionIndex;
    l_flag(u, kernel, whole, "nounwind");                   /* it throws nothing .. */
    l_number(u, kernel, whole, "uwtable", UNWIND_ANYWHERE); /* .. but may be passed through */
    l_attribute(u, kernel, "frame-pointer", "non-leaf");
    l_flag(u, kernel, whole, "noredzone");
    /* No vectors but those in the IR: LLVM would compute addresses in them and gather. */
    l_flag(u, kernel, whole, "noimplicitfloat");
    l_flag(u, kernel, 1 + ARG_PRIM, "noalias");
    l_flag(u, kernel, 1 + ARG_PACKED, "noalias");
    snprintf(widest, sizeof(widest), "%d", (int) (8 * u->vector_bytes));
    l_attribute(u, kernel, "prefer-vector-width", widest);
    l_attribute(u, kernel, "min-legal-vector-width", widest);
    l_attribute(u, kernel, "no-builtins", ""); /* loops shall not become calls of memcpy() */
    l_attribute(u, kernel, "no-jump-tables", "true");
    l_attribute(u, kernel, "target-cpu", "x86-64");
    l_attribute(u, kernel, "target-features", target->features);
    l_attribute(u, kernel, "tune-cpu", target->tune);
    return kernel;
}

static void emit_kernel(l_unit_t *u, const dame_prim_t *prim, LLVMValueRef kernel)
{
    u->function = kernel;
    l_at(u, l_block(u, "entry"));
    LLVMValueRef origin = LLVMBuildIntToPtr(u->b, LLVMGetParam(kernel, ARG_ORIGIN), u->ptr, "user");
    LLVMValueRef first = LLVMGetParam(kernel, ARG_FIRST);
    LLVMValueRef n = LLVMGetParam(kernel, ARG_N);
    const l_level_t level = {prim, LLVMGetParam(kernel, ARG_PRIM), origin,
                             LLVMGetParam(kernel, ARG_PACKED)};
    if (l_gains_from_all(u, prim)) {
        LLVMBasicBlockRef all = l_block(u, "all");
        LLVMBasicBlockRef part = l_block(u, "part");
        LLVMValueRef count = l_int(u, prim->count);
        LLVMValueRef is_all = LLVMBuildICmp(u->b, LLVMIntEQ, n, count, "is_all");
        LLVMBuildCondBr(u->b, is_all, all, part);
        l_at(u, all);
        l_emit_level(u, &level, count);
        LLVMBuildRetVoid(u->b);
        l_at(u, part);
    }
    l_emit_run(u, &level, first, n);
    LLVMBuildRetVoid(u->b);
}

int32_t l_emit_kernels(l_unit_t *u, const l_target_t *target)
{
    int32_t n = 0;
    int64_t moves = 0;
    find_kernel_type(u);
    protect_branches(u);
    for (int32_t i = u->program->nprims; i-- > 0;) { /* inner levels follow outer ones */
        const dame_prim_t *prim = &u->program->prims[i];
        u->kernels[i] = NULL;
        if (prim->interpreted == NULL || l_keeps_interpreter(prim) || moves > MOST_MOVES_OF_ALL) {
            continue;
        }
        LLVMValueRef kernel = new_kernel(u, i, target);
        u->moves = 0;
        u->is_full = 0;
        emit_kernel(u, prim, kernel);
        moves += u->moves;
        if (u->is_full) {
            LLVMDeleteFunction(kernel);
            continue;
        }
        char name[L_NAME];
        l_kernel_name(i, name);
        LLVMAddAlias2(u->module, u->kernel, 0, kernel, name);
        u->kernels[i] = kernel;
        n++;
    }
    return n;
}
