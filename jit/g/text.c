/* SPDX-License-Identifier: BSD-3-Clause */
#include "text.h"

#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>

/* The oldest devices that code is made for; a driver translates it for newer ones. */
static const struct {
    const char *triple, *cpu, *features;
} targets[] = {[DAME_GRID_PTX] = {"nvptx64-nvidia-cuda", "sm_60", "+ptx60"},
               [DAME_GRID_AMDGPU] = {"amdgcn-amd-amdhsa", "gfx90a", ""}};

/* NULL: this LLVM does not have it. */
static LLVMTargetMachineRef open_target(dame_grid_target_t target)
{
    LLVMTargetRef found;
    char *message = NULL;
    LLVMInitializeAllTargetInfos();
    LLVMInitializeAllTargets();
    LLVMInitializeAllTargetMCs();
    LLVMInitializeAllAsmPrinters();
    if (LLVMGetTargetFromTriple(targets[target].triple, &found, &message)) {
        LLVMDisposeMessage(message);
        return NULL;
    }
    return LLVMCreateTargetMachine(found, targets[target].triple, targets[target].cpu,
                                   targets[target].features, LLVMCodeGenLevelDefault,
                                   LLVMRelocDefault, LLVMCodeModelDefault);
}

static int optimise(LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, "default<O2>", machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error != NULL) {
        LLVMConsumeError(error);
    }
    return error == NULL;
}

static dame_status_t copy_text(LLVMMemoryBufferRef from, char *text, size_t room, size_t *size)
{
    const size_t length = LLVMGetBufferSize(from);
    if (length >= room) {
        return DAME_ERR_LIMIT;
    }
    memcpy(text, LLVMGetBufferStart(from), length);
    text[length] = '\0';
    *size = length + 1;
    return DAME_OK;
}

dame_status_t dame_grid_text(LLVMModuleRef module, dame_grid_target_t target, char *text,
                             size_t room, size_t *size)
{
    LLVMTargetMachineRef machine = open_target(target);
    LLVMMemoryBufferRef written = NULL;
    char *message = NULL;
    dame_status_t status = DAME_ERR_UNSUPPORTED;
    if (machine == NULL) {
        return status;
    }
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetTarget(module, targets[target].triple);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    if (optimise(module, machine) && !LLVMTargetMachineEmitToMemoryBuffer(
                                         machine, module, LLVMAssemblyFile, &message, &written)) {
        status = copy_text(written, text, room, size);
        LLVMDisposeMemoryBuffer(written);
    }
    LLVMDisposeMessage(message);
    LLVMDisposeTargetMachine(machine);
    return status;
}
