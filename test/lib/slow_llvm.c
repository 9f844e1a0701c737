/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LD_PRELOAD: LLVM takes 150 ms longer for each code, which is more than MPI_Finalize waits for it.
 * SLOW_LLVM_LOG=FILE gets a line each time.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef int emit_t(void *machine, void *module, int kind, char **error, void **code);
emit_t LLVMTargetMachineEmitToMemoryBuffer;

static void note(void)
{
    const char *log = getenv("SLOW_LLVM_LOG");
    const int fd = log == NULL ? -1 : open(log, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0) {
        if (write(fd, "compiles\n", 9) != 9) {
            abort();
        }
        close(fd);
    }
}

/* LLVM is not beside this object, but beside the caller's. */
int LLVMTargetMachineEmitToMemoryBuffer(void *machine, void *module, int kind, char **error,
                                        void **code)
{
    const struct timespec longer = {.tv_nsec = 150000000};
    Dl_info caller;
    void *object = dladdr(__builtin_return_address(0), &caller) != 0
                       ? dlopen(caller.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                       : NULL;
    emit_t *real =
        object == NULL ? NULL : (emit_t *) dlsym(object, "LLVMTargetMachineEmitToMemoryBuffer");
    if (real == NULL) {
        abort();
    }
    note();
    nanosleep(&longer, NULL);
    const int failed = real(machine, module, kind, error, code);
    dlclose(object);
    return failed;
}
