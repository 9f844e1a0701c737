/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of a program. Each is a file in memory, since the dynamic linker loads a file once. It is
 * named by this process's number, so that debuggers, which are other processes, find it. */
#define _GNU_SOURCE
#include "copy.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "task.h"

/* A file is open for each copy: as many as there may be. */
static int new_file(void)
{
    int file = memfd_create("bamboo", MFD_CLOEXEC);
    struct rlimit limit;
    if (file < 0 && errno == EMFILE && getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
        limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
        file = memfd_create("bamboo", MFD_CLOEXEC);
    }
    return file;
}

static int write_all(int file, const char *bytes, size_t left)
{
    while (left > 0) {
        ssize_t written = write(file, bytes, left);
        if (written < 0 && errno != EINTR) {
            return 0;
        }
        bytes += written > 0 ? written : 0;
        left -= written > 0 ? (size_t) written : 0;
    }
    return 1;
}

void *bamboo_copy_open(const void *image, size_t bytes, int index)
{
    static void *first;
    void *copy = index == 0 ? first : NULL;
    if (copy == NULL) {
        char path[64];
        int file = new_file();
        if (file < 0 || !write_all(file, image, bytes)) {
            bamboo_fail("no memory for a copy of the program of %zu bytes: %s", bytes,
                        strerror(errno));
        }
        snprintf(path, sizeof(path), "/proc/%ld/fd/%d", (long) getpid(), file);
        copy = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (copy == NULL) {
            bamboo_fail("a copy of the program cannot be loaded: %s", dlerror());
        }
        first = index == 0 ? copy : first;
    }
    return copy;
}

bamboo_main_t *bamboo_copy_main(void *copy)
{
    void *found = dlsym(copy, "bamboo_program");
    bamboo_main_t *program;
    if (found == NULL) {
        bamboo_fail("the program has no bamboo_program(), which bamboocc links in");
    }
    memcpy(&program, &found, sizeof(program)); /* C has no cast from data to function */
    return program;
}

int (*bamboo_copy_in_parallel(void *copy))(void)
{
    void *found = dlsym(copy, "omp_in_parallel");
    int (*in_parallel)(void);
    memcpy(&in_parallel, &found, sizeof(in_parallel));
    return in_parallel;
}
