/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are shared by all processes of a user. */
#include "user_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heap.h"
#include "whole_file.h"

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

/* 0: no user but the owner can write it, or, if it is only read, root; `own` as `make` below. */
static int distrust(const struct stat *about, int own)
{
    if (about->st_uid != geteuid() && (own || about->st_uid != 0)) {
        return DAME_FILE_FOREIGN;
    }
    return own != DAME_USER_SHARED && (about->st_mode & (S_IWGRP | S_IWOTH)) != 0 ? DAME_FILE_SHARED
                                                                                  : 0;
}

/* Makes the directories of a path that are missing. The path is the same again at the end. */
static int make_path(char *path)
{
    int error = 0;
    for (size_t i = 1, length = strlen(path); error == 0 && i <= length; i++) {
        const char after = path[i];
        if (after == '/' || after == '\0') {
            path[i] = '\0';
            error = mkdir(path, 0700) != 0 && errno != EEXIST ? errno : 0;
            path[i] = after;
        }
    }
    return error;
}

/* Without what a path may end with and still name the same: after "/" and "/." the system would
 * follow a link. The caller frees. */
static int new_plain_path(const char *path, char **plain)
{
    size_t length = strlen(path);
    if (length >= PATH_MAX) {
        return ENAMETOOLONG;
    }
    while (length > 1 &&
           (path[length - 1] == '/' || (path[length - 1] == '.' && path[length - 2] == '/'))) {
        length--;
    }
    *plain = dame_heap_alloc(length + 1);
    if (*plain == NULL) {
        return ENOMEM;
    }
    memcpy(*plain, path, length);
    (*plain)[length] = '\0';
    return 0;
}

/* The descriptor, or -1 and *error. */
static int open_user_directory(const char *path, int *error)
{
    struct stat about;
    const int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    *error = directory < 0 ? errno : 0;
    if (*error == ENOTDIR && lstat(path, &about) == 0 && S_ISLNK(about.st_mode)) {
        *error = ELOOP;
    }
    return directory;
}

/* A thread that sends its first message comes here: no path is on its stack, which may be small. */
int dame_user_directory_open(const char *path, int make, int *fd)
{
    char *plain;
    int error = new_plain_path(path, &plain);
    if (error != 0) {
        return error;
    }
    int directory = open_user_directory(plain, &error);
    if (error == ENOENT && make) {
        const int unmade = make_path(plain);
        directory = open_user_directory(plain, &error);
        error = error != 0 && unmade != 0 ? unmade : error;
    }
    dame_heap_free(plain);
    if (error != 0) {
        return error;
    }
    struct stat about;
    error = fstat(directory, &about) != 0 ? errno : distrust(&about, make);
    if (error != 0) {
        return fail_closed(directory, error);
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
    int error = fstat(file, about) != 0 ? errno : 0;
    if (error == 0 && !S_ISREG(about->st_mode)) {
        error = S_ISDIR(about->st_mode) ? EISDIR : DAME_FILE_NOT_REGULAR;
    }
    error = error == 0 ? distrust(about, 0) : error;
    if (error != 0) {
        return fail_closed(file, error);
    }
    *fd = file;
    return 0;
}

int dame_user_file_write(int directory, const char *name, const void *bytes, size_t size)
{
    struct stat about;
    const mode_t readers = fstat(directory, &about) == 0 ? about.st_mode & 0044 : 0;
    return dame_file_replace(directory, name, 0600 | readers, DAME_FILE_SYNC, bytes, size);
}

/* ---- locks ---- */

/* NFS without its lock service, Lustre mounted without the option flock. */
static int has_no_locks(int error)
{
    return error == ENOLCK || error == ENOSYS || error == EOPNOTSUPP;
}

/* 0: the locked file still has its name; the holder before us may have removed it between our
 * open() and flock(): EWOULDBLOCK. */
static int look_at_lock(int directory, const char *name, int lock)
{
    struct stat ours, named;
    if (fstat(lock, &ours) != 0) {
        return errno;
    }
    if (fstatat(directory, name, &named, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno == ENOENT ? EWOULDBLOCK : errno;
    }
    return ours.st_dev == named.st_dev && ours.st_ino == named.st_ino ? 0 : EWOULDBLOCK;
}

int dame_user_trylock(int directory, const char *name, int *fd)
{
    static const int how = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    int lock = openat(directory, name, how | O_EXCL, 0600);
    const int is_new = lock >= 0;
    if (!is_new && errno == EEXIST) {
        lock = openat(directory, name, how, 0600);
    }
    if (lock < 0) {
        return errno;
    }
    int error = flock(lock, LOCK_EX | LOCK_NB) != 0 ? errno : look_at_lock(directory, name, lock);
    error = has_no_locks(error) ? DAME_FILE_NO_LOCKS : error;
    if (error != 0) {
        if (is_new && error != EWOULDBLOCK) {
            unlinkat(directory, name, 0);
        }
        return fail_closed(lock, error);
    }
    *fd = lock;
    return 0;
}

void dame_user_unlock(int directory, const char *name, int fd)
{
    unlinkat(directory, name, 0);
    close(fd);
}
