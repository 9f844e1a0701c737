/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are written as a whole. */
#define _GNU_SOURCE
#include "whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_SUFFIX = 80, STALLED_MS = 10000 };

const char *dame_file_error_text(int error)
{
    switch (error) {
    case DAME_FILE_NOT_REGULAR:
        return "it is not a regular file";
    case DAME_FILE_NO_READER:
        return "no process has the pipe open for reading";
    case DAME_FILE_FOREIGN:
        return "it belongs to another user";
    case DAME_FILE_SHARED:
        return "users other than its owner may write it";
    case DAME_FILE_NO_LOCKS:
        return "its file system locks no files";
    case ELOOP:
        return "it is a symbolic link";
    case EMLINK:
        return "it has another name (hard link)";
    case EISDIR:
        return "it is a directory";
    default:
        return strerror(error);
    }
}

int dame_file_irregular(mode_t mode)
{
    return S_ISREG(mode)   ? 0
           : S_ISLNK(mode) ? ELOOP
           : S_ISDIR(mode) ? EISDIR
                           : DAME_FILE_NOT_REGULAR;
}

/* ---- bytes ---- */

/* EAGAIN: `fd` does not wait. The reader must take some bytes within STALLED_MS. */
static int write_bytes(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t n = write(fd, bytes, size);
        if (n >= 0) {
            bytes += n;
            size -= (size_t) n;
        } else if (errno == EAGAIN) {
            struct pollfd room = {.fd = fd, .events = POLLOUT};
            if (poll(&room, 1, STALLED_MS) == 0) {
                return ETIMEDOUT;
            }
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

int dame_file_write_bytes(int fd, const void *bytes, size_t size)
{
    sigset_t ours, before, pending;
    sigemptyset(&ours);
    sigaddset(&ours, SIGPIPE);
    sigaddset(&ours, SIGXFSZ);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &ours, &before);
    const int error = write_bytes(fd, bytes, size);
    const int sent = error == EPIPE ? SIGPIPE : error == EFBIG ? SIGXFSZ : 0;
    if (sent != 0 && !sigismember(&pending, sent)) {
        const struct timespec now = {0, 0};
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, sent);
        while (sigtimedwait(&one, NULL, &now) < 0 && errno == EINTR) {
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static int close_after(int fd, int error)
{
    return close(fd) != 0 && error == 0 ? errno : error;
}

/* ---- a new file in place of the old one ---- */

/* The owner's group and the mode that a new file takes over; NULL: it has its own. */
static int take_over(int fd, const struct stat *old)
{
    if (old == NULL) {
        return 0;
    }
    struct stat new;
    if (fstat(fd, &new) != 0 ||
        (new.st_gid != old->st_gid &&fchown(fd, (uid_t) -1, old->st_gid) != 0)) {
        return errno;
    }
    return fchmod(fd, old->st_mode & 07777) != 0 ? errno : 0;
}

/* The caller frees; NULL: out of memory. Not on the stack, which may be small. */
static char *new_temporary_name(const char *name)
{
    static atomic_uint serial; /* threads of a process write under different names */
    const size_t room = strlen(name) + LONGEST_SUFFIX;
    char *temporary = malloc(room);
    struct timespec now; /* nodes that share the directory may share process numbers */
    clock_gettime(CLOCK_REALTIME, &now);
    if (temporary != NULL) {
        (void) snprintf(temporary, room, "%s.%ld-%lx-%u.tmp", name, (long) getpid(),
                        (unsigned long) now.tv_nsec, atomic_fetch_add(&serial, 1));
    }
    return temporary;
}

static int write_and_rename(int directory, const char *temporary, const char *name, mode_t mode,
                            const struct stat *old, int flags, const void *bytes, size_t size)
{
    enum { FLAGS = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW };
    const int fd = openat(directory, temporary, FLAGS, mode);
    if (fd < 0) {
        return errno;
    }
    int error = dame_file_write_bytes(fd, bytes, size);
    error = error == 0 ? take_over(fd, old) : error;
    if (error == 0 && (flags & DAME_FILE_SYNC) != 0 && fsync(fd) != 0) {
        error = errno;
    }
    error = close_after(fd, error);
    if (error == 0 && renameat(directory, temporary, directory, name) != 0) {
        error = errno;
    }
    if (error != 0) {
        unlinkat(directory, temporary, 0);
    }
    return error;
}

static int replace(int directory, const char *name, mode_t mode, const struct stat *old, int flags,
                   const void *bytes, size_t size)
{
    char *temporary = new_temporary_name(name);
    const int error = temporary == NULL ? ENOMEM
                                        : write_and_rename(directory, temporary, name, mode, old,
                                                           flags, bytes, size);
    free(temporary);
    return error;
}

int dame_file_replace(int directory, const char *name, mode_t mode, int flags, const void *bytes,
                      size_t size)
{
    struct stat old;
    const int error = fstatat(directory, name, &old, AT_SYMLINK_NOFOLLOW) == 0
                          ? dame_file_irregular(old.st_mode)
                          : 0;
    return error != 0 ? error : replace(directory, name, mode, NULL, flags, bytes, size);
}

/* ---- what the user has named ---- */

/* The descriptor of standard output or error if that is the file, or -1. */
static int standard_stream(const struct stat *file)
{
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        struct stat stream;
        if (fstat(fd, &stream) == 0 && stream.st_dev == file->st_dev &&
            stream.st_ino == file->st_ino) {
            return fd;
        }
    }
    return -1;
}

static int write_into(const char *path, int open_flags, int flags, const void *bytes, size_t size)
{
    const int wait = (flags & DAME_FILE_PATIENT) != 0 ? 0 : O_NONBLOCK;
    const int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | open_flags | wait, 0666);
    return fd < 0 ? errno : close_after(fd, dame_file_write_bytes(fd, bytes, size));
}

static int write_regular(const char *path, const struct stat *old, int flags, const void *bytes,
                         size_t size)
{
    int error = EPERM;
    char *real = realpath(path, NULL);
    if (real == NULL) {
        return errno;
    }
    if (access(real, W_OK) != 0) {
        error = errno;
    } else if (old->st_uid == geteuid() && old->st_nlink == 1) {
        error = replace(AT_FDCWD, real, 0600, old, flags, bytes, size);
    }
    if ((error == EACCES || error == EPERM || error == EROFS) && access(real, W_OK) == 0) {
        error = write_into(real, O_TRUNC, flags, bytes, size);
    }
    free(real);
    return error;
}

int dame_file_write(const char *path, int flags, const void *bytes, size_t size)
{
    struct stat old, link;
    if (stat(path, &old) != 0) {
        if (errno != ENOENT) {
            return errno;
        }
        return lstat(path, &link) == 0 /* to a file that is not there yet */
                   ? write_into(path, O_CREAT, flags, bytes, size)
                   : replace(AT_FDCWD, path, 0666, NULL, flags, bytes, size);
    }
    const int stream = standard_stream(&old);
    if (stream >= 0) {
        fflush(stream == STDOUT_FILENO ? stdout : stderr);
        return dame_file_write_bytes(stream, bytes, size);
    }
    if (S_ISREG(old.st_mode)) {
        return write_regular(path, &old, flags, bytes, size);
    }
    if (S_ISDIR(old.st_mode)) {
        return EISDIR;
    }
    if (!S_ISCHR(old.st_mode) && !S_ISFIFO(old.st_mode)) {
        return DAME_FILE_NOT_REGULAR;
    }
    const int error = write_into(path, 0, flags, bytes, size);
    return error == ENXIO && S_ISFIFO(old.st_mode) ? DAME_FILE_NO_READER : error;
}
