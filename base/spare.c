/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "spare.h"

#include <sys/mman.h>

/* Writable: read-only memory does not count for RLIMIT_DATA and is not promised. Unlocked before:
 * after mlockall(MCL_FUTURE) the system would put pages there. */
int dame_has_spare(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return 0;
    }
    const int has =
        munlock(memory, bytes) == 0 && mprotect(memory, bytes, PROT_READ | PROT_WRITE) == 0;
    return munmap(memory, bytes) == 0 && has;
}
