/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine.h"

#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/OrcEE.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels.h"

enum { MOST_STRAYS = 16, LONGEST_ALIGNMENT = 64 };

/*
 * Where the linker puts sections. What belongs to the code goes into the slab; the rest (notes, and
 * what does not fit) into strays, which are freed after the link.
 */
typedef struct sections {
    char *slab;
    size_t used;
    size_t unwind; /* where the table is that says how to unwind the code; 0: none yet */
    int is_full;
    void *strays[MOST_STRAYS];
    int nstrays;
} sections_t;

struct l_machine {
    LLVMTargetMachineRef target;
    LLVMTargetDataRef layout;
    char *triple;
    LLVMOrcLLJITRef jit;
    sections_t sections;
};

/* Consumes an error. Returns 0 when there was one. */
static int is_fine(LLVMErrorRef error)
{
    if (error != NULL) {
        LLVMConsumeError(error);
    }
    return error == NULL;
}

/* ---- sections ---- */

static uint8_t *stray(sections_t *sections, uintptr_t bytes)
{
    void *memory = NULL;
    if (MOST_STRAYS > sections->nstrays &&
        posix_memalign(&memory, LONGEST_ALIGNMENT, bytes > 0 ? bytes : 1) == 0) {
        sections->strays[sections->nstrays++] = memory;
    }
    return memory;
}

static uint8_t *take_machine(sections_t *sections, uintptr_t bytes, unsigned alignment)
{
    const size_t at = (sections->used + alignment - 1) / alignment * alignment;
    sections->is_full |= sections->unwind != 0; /* the table comes last */
    if (at > L_MOST_CODE || bytes > L_MOST_CODE - at || LONGEST_ALIGNMENT < alignment) {
        sections->is_full = 1;
        return stray(sections, bytes);
    }
    memset(sections->slab + sections->used, 0,
           at + bytes - sections->used); /* also room for stubs */
    sections->used = at + bytes;
    return (uint8_t *) sections->slab + at;
}

static uint8_t *allocate_code(void *context, uintptr_t bytes, unsigned alignment, unsigned id,
                              const char *name)
{
    (void) id;
    (void) name;
    return take_machine(context, bytes, alignment);
}

static uint8_t *allocate_data(void *context, uintptr_t bytes, unsigned alignment, unsigned id,
                              const char *name, LLVMBool is_read_only)
{
    sections_t *sections = context;
    (void) id;
    sections->is_full |= !is_read_only && bytes > 0; /* kernels keep no state */
    if (strcmp(name, ".eh_frame") == 0) {            /* `bytes` count the 4 zeros at its end */
        uint8_t *table = take_machine(sections, bytes, 8 > alignment ? 8 : alignment);
        sections->unwind = (size_t) ((char *) table - sections->slab);
        return table;
    }
    return strncmp(name, ".rodata", 7) == 0 ? take_machine(sections, bytes, alignment)
                                            : stray(sections, bytes);
}

static LLVMBool finalize(void *context, char **message)
{
    (void) context;
    (void) message;
    return 0;
}

static void leave(void *context)
{
    (void) context;
}

static void *give_context(void *context)
{
    return context;
}

static void clear_sections(sections_t *sections)
{
    for (int i = 0; i < sections->nstrays; i++) {
        free(sections->strays[i]);
    }
    sections->nstrays = 0;
    sections->used = 0;
    sections->unwind = 0;
    sections->is_full = 0;
}

/* ---- opening and closing ---- */

static LLVMOrcObjectLayerRef create_layer(void *context, LLVMOrcExecutionSessionRef session,
                                          const char *triple)
{
    (void) triple;
    return LLVMOrcCreateRTDyldObjectLinkingLayerWithMCJITMemoryManagerLikeCallbacks(
        session, context, give_context, leave, allocate_code, allocate_data, finalize, leave);
}

static void report(void *context, LLVMErrorRef error)
{
    (void) context;
    (void) is_fine(error);
}

static LLVMTargetMachineRef create_target(const char *triple)
{
    LLVMTargetRef target;
    char *message = NULL;
    if (LLVMGetTargetFromTriple(triple, &target, &message)) {
        LLVMDisposeMessage(message);
        return NULL;
    }
    return LLVMCreateTargetMachine(target, triple, "x86-64", "", LLVMCodeGenLevelDefault,
                                   LLVMRelocPIC, LLVMCodeModelSmall);
}

static int create_jit(l_machine_t *machine)
{
    LLVMTargetMachineRef target = create_target(machine->triple);
    if (target == NULL) {
        return 0;
    }
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(target));
    LLVMOrcLLJITBuilderSetObjectLinkingLayerCreator(builder, create_layer, &machine->sections);
    if (!is_fine(LLVMOrcCreateLLJIT(&machine->jit, builder))) {
        machine->jit = NULL;
        return 0;
    }
    LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(machine->jit), report,
                                            NULL);
    return 1;
}

dame_status_t l_machine_open(l_machine_t **out)
{
    if (LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter()) {
        return DAME_ERR_UNSUPPORTED;
    }
    l_machine_t *machine = calloc(1, sizeof(*machine));
    if (machine == NULL) {
        return DAME_ERR_NOMEM;
    }
    void *slab =
        mmap(NULL, L_MOST_CODE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    machine->sections.slab = slab == MAP_FAILED ? NULL : slab;
    machine->triple = LLVMGetDefaultTargetTriple();
    machine->target = create_target(machine->triple);
    if (machine->sections.slab == NULL || machine->target == NULL || !create_jit(machine)) {
        l_machine_close(machine);
        return DAME_ERR_UNSUPPORTED;
    }
    machine->layout = LLVMCreateTargetDataLayout(machine->target);
    *out = machine;
    return DAME_OK;
}

void l_machine_close(l_machine_t *machine)
{
    if (machine->jit != NULL) {
        (void) is_fine(LLVMOrcDisposeLLJIT(machine->jit));
    }
    clear_sections(&machine->sections);
    if (machine->layout != NULL) {
        LLVMDisposeTargetData(machine->layout);
    }
    if (machine->target != NULL) {
        LLVMDisposeTargetMachine(machine->target);
    }
    if (machine->sections.slab != NULL) {
        munmap(machine->sections.slab, L_MOST_CODE);
    }
    LLVMDisposeMessage(machine->triple);
    free(machine);
}

/* ---- from IR to bytes ---- */

void l_machine_prepare(l_machine_t *machine, LLVMModuleRef module)
{
    LLVMSetTarget(module, machine->triple);
    LLVMSetModuleDataLayout(module, machine->layout);
}

int l_machine_optimise(l_machine_t *machine, LLVMModuleRef module, const char *passes,
                       int verify_each)
{
    if (passes[0] == '\0') {
        return 1;
    }
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetVerifyEach(options, verify_each);
    const int fine = is_fine(LLVMRunPasses(module, passes, machine->target, options));
    LLVMDisposePassBuilderOptions(options);
    return fine;
}

LLVMMemoryBufferRef l_machine_generate(l_machine_t *machine, LLVMModuleRef module,
                                       LLVMCodeGenFileType type)
{
    LLVMMemoryBufferRef buffer = NULL;
    char *message = NULL;
    if (LLVMTargetMachineEmitToMemoryBuffer(machine->target, module, type, &message, &buffer)) {
        LLVMDisposeMessage(message);
        return NULL;
    }
    return buffer;
}

/* Looks up where each kernel is; the first lookup links. */
static dame_status_t find_entries(l_machine_t *machine, l_code_t *code)
{
    for (int32_t i = 0; i < code->nentries; i++) {
        char name[L_NAME];
        LLVMOrcExecutorAddress address = 0;
        l_kernel_name(code->entries[i].prim, name);
        if (!is_fine(LLVMOrcLLJITLookup(machine->jit, &address, name))) {
            return DAME_ERR_UNSUPPORTED;
        }
        const uintptr_t offset = (uintptr_t) address - (uintptr_t) machine->sections.slab;
        if (machine->sections.is_full || offset >= machine->sections.used) {
            return DAME_ERR_LIMIT;
        }
        code->entries[i].offset = (uint32_t) offset;
    }
    return DAME_OK;
}

dame_status_t l_machine_link(l_machine_t *machine, LLVMMemoryBufferRef object, l_code_t *code)
{
    LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(machine->jit);
    LLVMOrcResourceTrackerRef tracker = LLVMOrcJITDylibCreateResourceTracker(library);
    dame_status_t status = DAME_ERR_UNSUPPORTED;
    if (is_fine(LLVMOrcLLJITAddObjectFileWithRT(machine->jit, tracker, object))) {
        status = find_entries(machine, code);
    }
    if (status == DAME_OK) {
        code->size = machine->sections.used;
        code->unwind = (uint32_t) machine->sections.unwind;
        memcpy(code->bytes, machine->sections.slab, code->size);
    }
    (void) is_fine(LLVMOrcResourceTrackerRemove(tracker));
    LLVMOrcReleaseResourceTracker(tracker);
    clear_sections(&machine->sections);
    return status;
}
