#include "dump.h"

#include <llvm-c/Core.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "options.h"

l_dump_t l_dump_begin(const char *directory, dame_dir_t dir, const char *variant)
{
    static _Atomic int number;
    return (l_dump_t){directory, variant, dir,
                      '\0' == directory[0] ? 0 : atomic_fetch_add(&number, 1)};
}

static void path_of(const l_dump_t *dump, const char *suffix, char path[L_LONGEST_PATH + 100])
{
    snprintf(path, L_LONGEST_PATH + 100, "%s/%d-%d-%s-%s%s", dump->directory, (int) getpid(),
             dump->number, DAME_PACK == dump->dir ? "pack" : "unpack", dump->variant, suffix);
}

void l_dump_ir(const l_dump_t *dump, LLVMModuleRef module, const char *suffix)
{
    char path[L_LONGEST_PATH + 100];
    char *message = NULL;
    if ('\0' == dump->directory[0]) {
        return;
    }
    path_of(dump, suffix, path);
    if (LLVMPrintModuleToFile(module, path, &message)) {
        fprintf(stderr, "dame: %s: %s\n", path, message);
        LLVMDisposeMessage(message);
    }
}

void l_dump_assembly(const l_dump_t *dump, l_machine_t *machine, LLVMModuleRef module)
{
    char path[L_LONGEST_PATH + 100];
    if ('\0' == dump->directory[0]) {
        return;
    }
    path_of(dump, ".s", path);
    LLVMModuleRef copy = LLVMCloneModule(module); /* generating code changes the IR */
    LLVMMemoryBufferRef text = l_machine_generate(machine, copy, LLVMAssemblyFile);
    FILE *file = fopen(path, "w");
    if (NULL == text || NULL == file ||
        1 != fwrite(LLVMGetBufferStart(text), LLVMGetBufferSize(text), 1, file)) {
        fprintf(stderr, "dame: %s: cannot write the assembly\n", path);
    }
    if (NULL != file) {
        fclose(file);
    }
    if (NULL != text) {
        LLVMDisposeMemoryBuffer(text);
    }
    LLVMDisposeModule(copy);
}
