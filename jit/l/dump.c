/* SPDX-License-Identifier: BSD-3-Clause */
#include "dump.h"

#include <errno.h>
#include <fcntl.h>
#include <llvm-c/Core.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/whole_file.h"
#include "options.h"

l_dump_t l_dump_begin(const char *directory, dame_dir_t dir, const char *variant)
{
    static _Atomic int number;
    return (l_dump_t){directory, variant, dir,
                      directory[0] == '\0' ? 0 : atomic_fetch_add(&number, 1)};
}

static void path_of(const l_dump_t *dump, const char *suffix, char path[L_LONGEST_PATH + 100])
{
    snprintf(path, L_LONGEST_PATH + 100, "%s/%d-%d-%s-%s%s", dump->directory, (int) getpid(),
             dump->number, dump->dir == DAME_PACK ? "pack" : "unpack", dump->variant, suffix);
}

static void write_llvm_file(const l_dump_t *dump, const char *suffix, const char *bytes,
                            size_t size)
{
    char path[L_LONGEST_PATH + 100];
    path_of(dump, suffix, path);
    const int error =
        bytes == NULL ? ENOMEM : dame_file_replace(AT_FDCWD, path, 0666, 0, bytes, size);
    if (error != 0) {
        fprintf(stderr, "dame: %s: %s\n", path, dame_file_error_text(error));
    }
}

void l_dump_ir(const l_dump_t *dump, LLVMModuleRef module, const char *suffix)
{
    if (dump->directory[0] == '\0') {
        return;
    }
    char *text = LLVMPrintModuleToString(module);
    write_llvm_file(dump, suffix, text, text == NULL ? 0 : strlen(text));
    LLVMDisposeMessage(text);
}

void l_dump_assembly(const l_dump_t *dump, l_machine_t *machine, LLVMModuleRef module)
{
    if (dump->directory[0] == '\0') {
        return;
    }
    LLVMModuleRef copy = LLVMCloneModule(module); /* generating code changes the IR */
    LLVMMemoryBufferRef text = l_machine_generate(machine, copy, LLVMAssemblyFile);
    write_llvm_file(dump, ".s", text == NULL ? NULL : LLVMGetBufferStart(text),
                    text == NULL ? 0 : LLVMGetBufferSize(text));
    if (text != NULL) {
        LLVMDisposeMemoryBuffer(text);
    }
    LLVMDisposeModule(copy);
}
