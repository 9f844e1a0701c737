/* Loaded before libclang: ends the process that reads a file as the file's name says, and once, in the function that ENDS_AT counts. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

typedef int parse_t(void *index, const char *path, const char *const *arguments, int n, void *files, unsigned n_files,
                    unsigned options, void **unit);

int clang_parseTranslationUnit2(void *index, const char *path, const char *const *arguments, int n, void *files, unsigned n_files,
                                unsigned options, void **unit)
{
    parse_t *real = (parse_t *) dlsym(RTLD_NEXT, "clang_parseTranslationUnit2");
    if (strstr(path, "crashes"))
        raise(SIGSEGV);
    if (strstr(path, "waits")) /* as the kernel does after a minute */
        raise(SIGPROF);
    while (strstr(path, "grows"))
        if (!malloc(1 << 20))
            _exit(3);
    return real(index, path, arguments, n, files, n_files, options, unit);
}

/* The limit of each file and function is set by this. */
int setitimer(__itimer_which_t which, const struct itimerval *new, struct itimerval *old)
{
    static int n;
    const char *at = getenv("ENDS_AT");
    (void) which, (void) new, (void) old;
    if (at && ++n == atoi(at) && open("ended", O_CREAT | O_EXCL, 0600) >= 0)
        raise(SIGSEGV);
    return 0;
}
