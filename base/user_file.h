/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that all processes of a user share: the code cache, the machine's profile. They are read
 * only if only the user or root can have written them, and they are written as a whole, so a reader
 * finds the old file or the new one.
 *
 * All functions may be called by any thread; they may wait for a disk, so nothing that a message
 * waits for calls them. Unless noted they return 0, an errno or a dame_file_error_t (whole_file.h).
 */
#ifndef DAME_USER_FILE_H
#define DAME_USER_FILE_H

#include <stddef.h>
#include <sys/stat.h>

/* The user's cache directory for DAME (XDG Base Directory Specification): $XDG_CACHE_HOME/dame, or
 * $HOME/.cache/dame. ENOENT: neither variable has an absolute path; ENAMETOOLONG. */
int dame_user_cache_directory(char *path, size_t room);

/*
 * Opens a directory. `make`: to write in it. Then it must be the user's own, and missing
 * directories of the path are made, with mode 0700. Otherwise root's are also trusted. No other user
 * may write in it, except with DAME_USER_SHARED: for files that nothing relies on. A link as the
 * last part of the path is not followed, whatever the path ends with: ELOOP. The caller closes *fd.
 */
enum { DAME_USER_SHARED = 2 };
int dame_user_directory_open(const char *path, int make, int *fd);

/* Opens a file of an open directory for reading; no link is followed. The caller closes *fd. */
int dame_user_file_open(int directory, const char *name, int *fd, struct stat *about);

/* Writes or replaces a file of an open directory, on the disk before it returns. Who may read the
 * directory may read a new file: root's code serves all users. */
int dame_user_file_write(int directory, const char *name, const void *bytes, size_t size);

/*
 * Takes a lock of all processes that have the directory, without waiting: EWOULDBLOCK if another
 * process (or thread) holds it, DAME_FILE_NO_LOCKS if the file system has no locks. The lock ends
 * with its process. The caller gives *fd to dame_user_unlock(), with the same directory and name.
 */
int dame_user_trylock(int directory, const char *name, int *fd);
void dame_user_unlock(int directory, const char *name, int fd);

#endif
