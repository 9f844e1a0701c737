/* SPDX-License-Identifier: BSD-3-Clause */
/* What SELinux or a hardened kernel may do: a process cannot execute memory that it has written.
   Libraries can still be loaded. */
#ifndef TEST_DENY_H
#define TEST_DENY_H

#include <stdbool.h>

typedef enum deny {
    DENY_SHARED, /* in shared mappings only */
    DENY_ALL,    /* and not in anonymous ones or by mprotect() */
    DENY_ADVICE  /* nothing but madvise() */
} deny_t;

/* For the rest of this process's life, by a seccomp filter: such calls fail with EACCES. False when
   this kernel has no such filters. */
bool deny_execution(deny_t what);

#endif
