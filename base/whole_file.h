/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that are written as a whole: a reader finds the old file or the new one.
 *
 * All functions may be called by any thread; they may wait for a disk, so nothing that a message
 * waits for calls them. They return 0, an errno or a dame_file_error_t.
 */
#ifndef DAME_WHOLE_FILE_H
#define DAME_WHOLE_FILE_H

#include <stddef.h>
#include <sys/types.h>

/* What errno has no number for; below 0, where no errno is. */
typedef enum dame_file_error {
    DAME_FILE_NOT_REGULAR = -1, /* a device, a pipe or a socket where only a file is useful */
    DAME_FILE_NO_READER = -2,   /* a pipe that no process has open for reading */
    DAME_FILE_FOREIGN = -3,     /* another user's */
    DAME_FILE_SHARED = -4,      /* others may write it */
    DAME_FILE_NO_LOCKS = -5     /* its file system locks no files */
} dame_file_error_t;

/* A clause for people: "users other than its owner may write it". */
const char *dame_file_error_text(int error);

/* Returns what is wrong with a mode as lstat() gives it. 0: a regular file; else ELOOP, EISDIR,
 * DAME_FILE_NOT_REGULAR. */
int dame_file_irregular(mode_t mode);

enum {
    DAME_FILE_SYNC = 1,   /* the bytes are on the disk before the file has its name */
    DAME_FILE_PATIENT = 2 /* wait until a process opens a pipe for reading; otherwise it is
                             DAME_FILE_NO_READER, and a reader that takes nothing for ten seconds is
                             ETIMEDOUT */
};

/*
 * Writes all bytes. A pipe without its reader (EPIPE) or a limit to the size of files (EFBIG,
 * setrlimit(2)) sends no signal. A pipe that does not wait and takes nothing for ten seconds:
 * ETIMEDOUT.
 */
int dame_file_write_bytes(int fd, const void *bytes, size_t size);

/*
 * Writes or replaces a file with a name that DAME has made up, in a directory where others may also
 * write: `name` below `directory`, an open one or AT_FDCWD. Only a regular file is replaced, and no
 * link is followed: ELOOP, EISDIR, DAME_FILE_NOT_REGULAR. The new file has `mode` less the umask. A
 * process that dies leaves a file beside it with a name that ends with ".tmp".
 */
int dame_file_replace(int directory, const char *name, mode_t mode, int flags, const void *bytes,
                      size_t size);

/*
 * Writes a file that the user has named, as other programs do. A symbolic link is followed. A
 * regular file is replaced and keeps its mode; where that would take it from its owner or from its
 * other names, or its directory takes no new file, it is overwritten. A character device, a pipe
 * and whatever this process's standard output or error is (/dev/stdout) are written into.
 */
int dame_file_write(const char *path, int flags, const void *bytes, size_t size);

#endif
