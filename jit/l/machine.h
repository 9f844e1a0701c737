/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LLVM's machine: from a module to bytes that run at any address. Private to jit/l/.
 */
#ifndef DAME_L_MACHINE_H
#define DAME_L_MACHINE_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "dame/status.h"
#include "jit/provider.h"

typedef struct l_machine l_machine_t;

enum {
    L_MOST_PRIMS = 1024,     /* of a program that is compiled */
    L_MOST_CODE = 256 * 1024 /* bytes of its code */
};

/* Machine code, and the primitives that it has kernels of. */
typedef struct l_code {
    size_t size;
    uint32_t unwind; /* dame_machine_code_t */
    int32_t nentries;
    dame_entry_point_t entries[L_MOST_PRIMS];
    char bytes[L_MOST_CODE];
} l_code_t;

/* Errors: DAME_ERR_UNSUPPORTED (no back end for this CPU), DAME_ERR_NOMEM. */
dame_status_t l_machine_open(l_machine_t **out);
void l_machine_close(l_machine_t *machine);

/* Sets the module's target. */
void l_machine_prepare(l_machine_t *machine, LLVMModuleRef module);

/* Runs a pipeline, as opt(1) spells it; "": none. 0: the pipeline does not exist or failed. */
int l_machine_optimise(l_machine_t *machine, LLVMModuleRef module, const char *passes,
                       int verify_each);

/* Assembly or an object file, which the caller disposes of; NULL: it failed. */
LLVMMemoryBufferRef l_machine_generate(l_machine_t *machine, LLVMModuleRef module,
                                       LLVMCodeGenFileType type);

/*
 * Links an object with the functions that code->entries name into code->bytes, and fills in size
 * and offsets. Takes the object. DAME_ERR_LIMIT: it is too large. DAME_ERR_UNSUPPORTED: it does not
 * stand on its own.
 */
dame_status_t l_machine_link(l_machine_t *machine, LLVMMemoryBufferRef object, l_code_t *code);

#endif
