/* Loaded before libc: the kernel's count of how long a thread waited for a CPU is that of a busy machine, or with WAITS=0 of an
 * idle one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FILE *fopen(const char *path, const char *mode)
{
    static unsigned long long n;
    static char text[64];
    FILE *(*real)(const char *, const char *) = (FILE * (*) (const char *, const char *) ) dlsym(RTLD_NEXT, "fopen");
    const char *waits = getenv("WAITS");
    if (strcmp(path, "/proc/thread-self/schedstat") != 0)
        return real(path, mode);
    n++; /* a second since the last time */
    snprintf(text, sizeof(text), "%llu %llu 1\n", n * 1000000000, waits && waits[0] == '0' ? 0 : n * 1000000000);
    return fmemopen(text, strlen(text), "r");
}
