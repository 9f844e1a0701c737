/*
 * LD_PRELOAD: calls that DAME's objects make fail, one call site at a time. A site is a function and the address of
 * the call in its object; calls of other objects go through.
 *
 *   FAULTS_LIST=FILE   appends each site when it is first reached: "FUNCTION OBJECT+OFFSET"
 *   FAULTS_SITE=SITE   this site fails, and FAULTS_ONCE=1: only its first call in a process
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SITES = 4096, OBJECTS = 8 };

typedef struct object {
    uintptr_t start, end;
    const char *name;
} object_t;

static object_t objects[OBJECTS];
static _Atomic int nobjects;
static _Atomic uintptr_t seen[SITES];
static _Atomic int failed;
static _Thread_local int inside; /* what this file calls goes through */

static int look(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void) size;
    (void) unused;
    const char *slash = strrchr(info->dlpi_name, '/'), *name = slash ? slash + 1 : info->dlpi_name;
    if (!strcmp(name, "mca_dt_dame.so") || !strcmp(name, "mca_hook_dt.so") || !strcmp(name, "dame_llvm.so")) {
        for (int i = 0; i < nobjects; i++) {
            if (objects[i].start == info->dlpi_addr) {
                return 0;
            }
        }
        uintptr_t end = info->dlpi_addr;
        for (int i = 0; i < info->dlpi_phnum; i++) {
            const uintptr_t to = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
            end = PT_LOAD == info->dlpi_phdr[i].p_type && to > end ? to : end;
        }
        if (nobjects < OBJECTS) {
            objects[nobjects] = (object_t){info->dlpi_addr, end, strdup(name)};
            nobjects++;
        }
    }
    return 0;
}

static const object_t *object_of(uintptr_t address)
{
    for (int i = 0; i < nobjects; i++) {
        if (address >= objects[i].start && address < objects[i].end) {
            return &objects[i];
        }
    }
    return NULL;
}

static void list(const char *file, const char *site)
{
    char line[200];
    const int n = snprintf(line, sizeof line, "%s\n", site), fd = open(file, O_CREAT | O_APPEND | O_WRONLY, 0644);
    if (fd >= 0) {
        if (write(fd, line, (size_t) n) < 0) {
            abort();
        }
        close(fd);
    }
}

/* Is this a call that must fail? */
static int fails(const char *function, void *caller)
{
    static const char *file, *wanted;
    static int once, asked;
    char site[160];
    int result = 0;

    if (inside) {
        return 0;
    }
    inside = 1;
    if (!asked) {
        file = getenv("FAULTS_LIST");
        wanted = getenv("FAULTS_SITE");
        once = NULL != getenv("FAULTS_ONCE");
        asked = 1;
    }
    const object_t *o = object_of((uintptr_t) caller);
    if (NULL != o && (file || wanted)) {
        snprintf(site, sizeof site, "%s %s+%lx", function, o->name, (unsigned long) ((uintptr_t) caller - o->start));
        if (file) {
            size_t i = (uintptr_t) caller % SITES;
            while (seen[i] && seen[i] != (uintptr_t) caller) {
                i = (i + 1) % SITES;
            }
            if (!seen[i]) {
                seen[i] = (uintptr_t) caller;
                list(file, site);
            }
        }
        if (wanted && 0 == strcmp(wanted, site)) {
            result = !once || 0 == failed;
            failed = failed + 1;
        }
    }
    inside = 0;
    return result;
}

#define REAL(name) static __typeof__(&name) real; if (!real) { inside++; real = dlsym(RTLD_NEXT, #name); inside--; }
#define FAILS(name) fails(#name, __builtin_return_address(0))

/* Objects are looked for when one is opened: dl_iterate_phdr takes a lock of the loader's. */
void *dlopen(const char *file, int mode)
{
    REAL(dlopen)
    if (FAILS(dlopen)) {
        return NULL;
    }
    void *handle = real(file, mode);
    inside++;
    dl_iterate_phdr(look, NULL);
    inside--;
    return handle;
}

/* A call with these parameters that says ERROR and sets errno. */
#define CALL(type, name, error, code, parameters, arguments)                                       \
    type name parameters                                                                           \
    {                                                                                              \
        REAL(name)                                                                                 \
        if (FAILS(name)) {                                                                         \
            errno = code;                                                                          \
            return error;                                                                          \
        }                                                                                          \
        return real arguments;                                                                     \
    }

/* dlsym itself may allocate. */
static char early[4096];
static size_t early_used;

void *calloc(size_t n, size_t size)
{
    static void *(*real)(size_t, size_t);
    static int asking;
    if (!real) {
        if (asking) {
            void *p = early + early_used;
            early_used += (n * size + 15) / 16 * 16;
            return early_used <= sizeof early ? p : NULL;
        }
        asking = 1;
        real = dlsym(RTLD_NEXT, "calloc");
    }
    if (FAILS(calloc)) {
        errno = ENOMEM;
        return NULL;
    }
    return real(n, size);
}

CALL(void *, malloc, NULL, ENOMEM, (size_t size), (size))
CALL(void *, realloc, NULL, ENOMEM, (void *old, size_t size), (old, size))
CALL(char *, strdup, NULL, ENOMEM, (const char *text), (text))
CALL(void *, mmap, MAP_FAILED, ENOMEM, (void *at, size_t n, int prot, int flags, int fd, off_t offset),
     (at, n, prot, flags, fd, offset))
CALL(int, mprotect, -1, EACCES, (void *at, size_t n, int prot), (at, n, prot))
CALL(int, madvise, -1, EINVAL, (void *at, size_t n, int advice), (at, n, advice))
CALL(int, memfd_create, -1, EMFILE, (const char *name, unsigned flags), (name, flags))
CALL(int, ftruncate, -1, ENOSPC, (int fd, off_t size), (fd, size))
CALL(int, pthread_create, EAGAIN, EAGAIN,
     (pthread_t * thread, const pthread_attr_t *attr, void *(*run)(void *), void *of), (thread, attr, run, of))
CALL(int, pthread_key_create, EAGAIN, EAGAIN, (pthread_key_t * key, void (*end)(void *)), (key, end))
CALL(FILE *, fopen, NULL, EMFILE, (const char *path, const char *mode), (path, mode))
CALL(FILE *, open_memstream, NULL, ENOMEM, (char **text, size_t *size), (text, size))
CALL(ssize_t, read, -1, EIO, (int fd, void *to, size_t n), (fd, to, n))
CALL(ssize_t, write, -1, ENOSPC, (int fd, const void *from, size_t n), (fd, from, n))
CALL(int, rename, -1, EACCES, (const char *from, const char *to), (from, to))
CALL(int, renameat, -1, EACCES, (int a, const char *from, int b, const char *to), (a, from, b, to))
CALL(int, mkdir, -1, EACCES, (const char *path, mode_t mode), (path, mode))
CALL(int, unlink, -1, EACCES, (const char *path), (path))
CALL(int, unlinkat, -1, EACCES, (int dir, const char *path, int flags), (dir, path, flags))
CALL(int, fstat, -1, EIO, (int fd, struct stat *s), (fd, s))
CALL(int, stat, -1, EACCES, (const char *path, struct stat *s), (path, s))
CALL(int, lstat, -1, EACCES, (const char *path, struct stat *s), (path, s))
CALL(int, fsync, -1, EIO, (int fd), (fd))
CALL(int, pipe, -1, EMFILE, (int fds[2]), (fds))
CALL(char *, realpath, NULL, ENOMEM, (const char *path, char *out), (path, out))
CALL(int, sched_getaffinity, -1, EINVAL, (pid_t pid, size_t n, cpu_set_t *set), (pid, n, set))
CALL(long, sysconf, -1, EINVAL, (int name), (name))

int open(const char *path, int flags, ...)
{
    REAL(open)
    va_list args;
    va_start(args, flags);
    const mode_t mode = va_arg(args, mode_t);
    va_end(args);
    if (FAILS(open)) {
        errno = EMFILE;
        return -1;
    }
    return real(path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
    REAL(openat)
    va_list args;
    va_start(args, flags);
    const mode_t mode = va_arg(args, mode_t);
    va_end(args);
    if (FAILS(openat)) {
        errno = EMFILE;
        return -1;
    }
    return real(dir, path, flags, mode);
}

/* What the C library has no function for: memory barriers of threads, and such. */
long syscall(long number, ...)
{
    REAL(syscall)
    va_list args;
    long a[6];
    va_start(args, number);
    for (int i = 0; i < 6; i++) {
        a[i] = va_arg(args, long);
    }
    va_end(args);
    if (FAILS(syscall)) {
        errno = ENOSYS;
        return -1;
    }
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
