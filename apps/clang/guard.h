/* SPDX-License-Identifier: BSD-3-Clause */
/* The process that reads programs with libclang: its death is one line that names the file. */
#ifndef CLANG_GUARD_H
#define CLANG_GUARD_H

/* Goes on in a process of its own. This one waits for it and ends with its exit status, or, when a
 * signal ended it, with a message of PROGRAM (static storage) and status 2. Without memory or
 * processes it goes on in this one. */
void guard_start(const char *program);

/* The file that is being read, for the message. */
void guard_file(const char *path);

#endif
