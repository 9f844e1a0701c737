/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * QEMU before 8.1 does not see code that is written by another address than the one it runs at: it
 * goes on with its translation. Loaded before a program, this makes it translate again wherever the
 * program makes other cores fetch instructions again: QEMU forgets a page's translation when the
 * page becomes writable.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/membarrier.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Bytes of memory that there are of the file from `start` on: the rest has never been written. */
static size_t written(char *start, size_t size)
{
    size_t pages = size / (size_t) sysconf(_SC_PAGESIZE);
    unsigned char *there = malloc(pages);
    if (there == NULL || mincore(start, size, there) != 0) {
        perror("mincore");
        abort();
    }
    while (pages > 0 && !(there[pages - 1] & 1)) {
        pages--;
    }
    free(there);
    return pages * (size_t) sysconf(_SC_PAGESIZE);
}

static void forget_translations(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    if (maps == NULL) {
        perror("/proc/self/maps");
        abort();
    }
    while (fgets(line, sizeof line, maps)) {
        unsigned long start;
        unsigned long end;
        if (strstr(line, "memfd:dame-code") && strstr(line, " r-x") &&
            sscanf(line, "%lx-%lx", &start, &end) == 2) {
            char *code = (char *) start;
            size_t size = written(code, end - start);
            if (size > 0 && (mprotect(code, size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0 ||
                             mprotect(code, size, PROT_READ | PROT_EXEC) != 0)) {
                perror("mprotect");
                abort();
            }
        }
    }
    fclose(maps);
}

long syscall(long number, ...)
{
    long (*next)(long, ...) = (long (*)(long, ...)) dlsym(RTLD_NEXT, "syscall");
    long argument[6];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < 6; i++) {
        argument[i] = va_arg(arguments, long);
    }
    va_end(arguments);
    if (number == SYS_membarrier &&
        (int) argument[0] == MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE) {
        forget_translations();
    }
    return next(number, argument[0], argument[1], argument[2], argument[3], argument[4],
                argument[5]);
}
