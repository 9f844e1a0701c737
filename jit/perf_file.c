/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/whole_file.h"

char *dame_perf_file_name(const char *directory, const char *prefix, const char *suffix)
{
    static const char format[] = "%s/%s-%ld.%s";
    const long process = getpid();
    const int length = snprintf(NULL, 0, format, directory, prefix, process, suffix);
    char *name = length < 0 ? NULL : dame_heap_alloc((size_t) length + 1);
    if (name != NULL) {
        snprintf(name, (size_t) length + 1, format, directory, prefix, process, suffix);
    }
    return name;
}

/* 0: it is a regular file of the user's own. */
static int distrust(const struct stat *about)
{
    const int error = dame_file_irregular(about->st_mode);
    return error == 0 && about->st_uid != geteuid() ? DAME_FILE_FOREIGN : error;
}

int dame_perf_file_remove(const char *path)
{
    struct stat about;
    if (lstat(path, &about) != 0) {
        return errno == ENOENT ? 0 : errno;
    }
    const int error = distrust(&about);
    return error != 0 ? error : unlink(path) != 0 && errno != ENOENT ? errno : 0;
}

int dame_perf_file_append(const char *path, int flags, const void *bytes, size_t size)
{
    enum { ALWAYS = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK };
    const int fd = open(path, ALWAYS | flags, 0644);
    if (fd < 0) {
        return errno == ENXIO ? DAME_FILE_NOT_REGULAR : errno; /* a pipe without a reader */
    }
    struct stat about;
    int error = fstat(fd, &about) != 0 ? errno : distrust(&about);
    if (error == 0 && about.st_nlink != 1) { /* another user may have linked it here */
        error = EMLINK;
    }
    if (error == 0) {
        error = dame_file_write_bytes(fd, bytes, size);
    }
    if (close(fd) != 0 && error == 0) {
        error = errno;
    }
    return error;
}
