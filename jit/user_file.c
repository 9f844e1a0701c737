/* Files that are shared by all processes of a user. */
#include "user_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char temporary_suffix[] = ".tmp";

static int fail_closed(int fd, int error)
{
    close(fd);
    return error;
}

/* ---- directories ---- */

int dame_user_cache_directory(char *path, size_t room)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int length;
    if (cache != NULL && cache[0] == '/') {
        length = snprintf(path, room, "%s/dame", cache);
    } else if (home != NULL && home[0] == '/') {
        length = snprintf(path, room, "%s/.cache/dame", home);
    } else {
        return ENOENT;
    }
    return length >= 0 && (size_t) length < room ? 0 : ENAMETOOLONG;
}

/* Can nobody but the user write it, or, if it is only read, root? */
static int is_trusted(const struct stat *about, int own)
{
    return (about->st_uid == geteuid() || (!own && about->st_uid == 0)) &&
           (about->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Makes the directories of a path that are missing. */
static int make_path(const char *path)
{
    char part[PATH_MAX];
    const size_t length = strlen(path);
    if (length >= sizeof(part)) {
        return ENAMETOOLONG;
    }
    memcpy(part, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (part[i] == '/' || part[i] == '\0') {
            part[i] = '\0';
            if (mkdir(part, 0700) != 0 && errno != EEXIST) {
                return errno;
            }
            part[i] = path[i];
        }
    }
    return 0;
}

int dame_user_directory_open(const char *path, int make, int *fd)
{
    enum { FLAGS = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW };
    int directory = open(path, FLAGS);
    if (directory < 0 && errno == ENOENT && make) {
        const int error = make_path(path);
        directory = open(path, FLAGS);
        if (directory < 0) {
            return error != 0 ? error : errno;
        }
    }
    if (directory < 0) {
        return errno;
    }
    struct stat about;
    if (fstat(directory, &about) != 0) {
        return fail_closed(directory, errno);
    }
    if (!is_trusted(&about, make)) {
        return fail_closed(directory, EPERM);
    }
    *fd = directory;
    return 0;
}

/* ---- files ---- */

int dame_user_file_open(int directory, const char *name, int *fd, struct stat *about)
{
    const int file = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) {
        return errno;
    }
    if (fstat(file, about) != 0) {
        return fail_closed(file, errno);
    }
    if (!S_ISREG(about->st_mode) || !is_trusted(about, 0)) {
        return fail_closed(file, EPERM);
    }
    *fd = file;
    return 0;
}

static int write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno != EINTR) {
            return errno;
        }
        if (n > 0) {
            bytes += n;
            size -= (size_t) n;
        }
    }
    return 0;
}

int dame_user_file_write(int directory, const char *name, const void *bytes, size_t size)
{
    static atomic_uint serial; /* threads of a process write under different names */
    char temporary[NAME_MAX + 1];
    struct timespec now; /* nodes that share the directory may share process numbers */
    clock_gettime(CLOCK_REALTIME, &now);
    const int length =
        snprintf(temporary, sizeof(temporary), "%s.%ld-%lx-%u%s", name, (long) getpid(),
                 (unsigned long) now.tv_nsec, atomic_fetch_add(&serial, 1), temporary_suffix);
    if (length < 0 || (size_t) length >= sizeof(temporary)) {
        return ENAMETOOLONG;
    }
    const int fd =
        openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return errno;
    }
    int error = write_all(fd, bytes, size);
    if (error == 0 && fsync(fd) != 0) {
        error = errno;
    }
    if (close(fd) != 0 && error == 0) {
        error = errno;
    }
    if (error == 0 && renameat(directory, temporary, directory, name) != 0) {
        error = errno;
    }
    if (error != 0) {
        unlinkat(directory, temporary, 0);
    }
    return error;
}

int dame_user_file_is_temporary(const char *name)
{
    const size_t length = strlen(name);
    const size_t suffix = sizeof(temporary_suffix) - 1;
    return length > suffix && strcmp(name + length - suffix, temporary_suffix) == 0;
}

/* ---- locks ---- */

int dame_user_trylock(int directory, const char *name, int *fd)
{
    const int lock =
        openat(directory, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (lock < 0) {
        return errno;
    }
    if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
        return fail_closed(lock, errno);
    }
    /* The holder before us may have removed the file between our open() and flock(). */
    struct stat ours, named;
    if (fstat(lock, &ours) != 0 || fstatat(directory, name, &named, AT_SYMLINK_NOFOLLOW) != 0 ||
        ours.st_dev != named.st_dev || ours.st_ino != named.st_ino) {
        return fail_closed(lock, EWOULDBLOCK);
    }
    *fd = lock;
    return 0;
}

void dame_user_unlock(int directory, const char *name, int fd)
{
    unlinkat(directory, name, 0);
    close(fd);
}
