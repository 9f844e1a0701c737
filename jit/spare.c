#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "spare.h"

#include <sys/mman.h>

/* Writable: what is not is no data to RLIMIT_DATA, nor promised. */
int dame_has_spare(size_t bytes)
{
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED && munmap(memory, bytes) == 0;
}
