/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LD_PRELOAD: calls that DAME's objects make fail, one call site at a time. A site is a function
 * and the address of the call in its object; calls of other objects go through.
 *
 *   FAULTS_LIST=FILE   appends each site when it is first reached: "FUNCTION OBJECT+OFFSET"
 *   FAULTS_SITE=SITE   this site fails, and FAULTS_ONCE=N: only its N-th call in a process
 *   FAULTS_RANK=R      only in the process with this rank of Open MPI's
 *   FAULTS_FIRED=FILE  appends calls that fail, the first of a process and those about a file: the
 * site, the error and the file, with tabs between
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <search.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { SITES = 4096, OBJECTS = 16, LONGEST_FILE = PATH_MAX, MOST_FIRED = 1000 };

typedef struct object {
    uintptr_t start, end;
    const char *name;
} object_t;

static object_t objects[OBJECTS];
static _Atomic int nobjects;
static _Atomic uintptr_t seen[SITES];
static _Atomic int calls;        /* of the wanted site */
static _Thread_local int inside; /* what this file calls goes through */

static int is_ours(const char *name)
{
    static const char *const names[] = {"mca_dt_dame.so",
                                        "mca_hook_dt.so",
                                        "dame_llvm.so",
                                        "dame_papi.so",
                                        "libbamboo.so",
                                        "bamboocc",
                                        "libdame-overlap.so",
                                        "libdame-record.so",
                                        "dame-suggest-c",
                                        "dame-suggest",
                                        "dame-overlap",
                                        "dame-record",
                                        "dame"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!strcmp(name, names[i])) {
            return 1;
        }
    }
    return 0;
}

static int look(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void) size;
    (void) unused;
    const char *slash = strrchr(info->dlpi_name, '/'), *name = slash ? slash + 1 : info->dlpi_name;
    name = *name ? name : program_invocation_short_name;
    if (is_ours(name)) {
        for (int i = 0; i < nobjects; i++) {
            if (objects[i].start == info->dlpi_addr) {
                return 0;
            }
        }
        uintptr_t end = info->dlpi_addr;
        for (int i = 0; i < info->dlpi_phnum; i++) {
            const uintptr_t to =
                info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
            end = info->dlpi_phdr[i].p_type == PT_LOAD && to > end ? to : end;
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

static void append(const char *file, const char *line)
{
    const int fd = open(file, O_CREAT | O_APPEND | O_WRONLY, 0644);
    if (fd >= 0) {
        if (write(fd, line, strlen(line)) < 0) {
            abort();
        }
        close(fd);
    }
}

/* ---- which file a call is about ---- */

typedef struct place {
    int fd; /* of the file, or, with a path, of the directory that the path starts from */
    const char *path;
    FILE *stream;
} place_t;

#define NO_FILE                  ((place_t){-1, NULL, NULL})
#define PATH(path)               ((place_t){AT_FDCWD, path, NULL})
#define PATH_IN(directory, path) ((place_t){directory, path, NULL})
#define DESCRIPTOR(fd)           ((place_t){fd, NULL, NULL})
#define STREAM(stream)           ((place_t){-1, NULL, stream})

/* Its name from the root on, "" without one. */
static void name_file(place_t place, char name[LONGEST_FILE])
{
    char link[64] = "/proc/self/cwd", start[PATH_MAX] = "";
    const int fd = place.stream ? fileno(place.stream) : place.fd; /* -1: in memory */
    if (!place.path || *place.path != '/') {
        if (fd != AT_FDCWD) {
            snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        }
        const ssize_t n = readlink(link, start, sizeof start - 1);
        start[n > 0 ? n : 0] = '\0';
    }
    snprintf(name, LONGEST_FILE, "%s%s%s", start, place.path && *start ? "/" : "",
             place.path ? place.path : "");
}

static void tell_fired(const char *fired, const char *site, int error, place_t place, int is_first)
{
    char name[LONGEST_FILE], line[LONGEST_FILE + 300];
    name_file(place, name);
    if (is_first || *name == '/') {
        snprintf(line, sizeof line, "%s\t%s\t%s\n", site, strerror(error),
                 *name == '/' ? name : "");
        append(fired, line);
    }
}

/* ---- which calls fail ---- */

/* Is this a call that must fail? */
static int fails(const char *function, void *caller, int error, place_t place)
{
    static const char *file, *wanted, *fired;
    static int once, asked; /* once: which call; 0: all */
    char site[160], line[sizeof site + 1];
    const int before = errno;
    int result = 0;

    if (inside) {
        return 0;
    }
    inside = 1;
    if (!asked) {
        file = getenv("FAULTS_LIST");
        wanted = getenv("FAULTS_SITE");
        fired = getenv("FAULTS_FIRED");
        once = getenv("FAULTS_ONCE") ? atoi(getenv("FAULTS_ONCE")) : 0;
        const char *rank = getenv("FAULTS_RANK"), *mine = getenv("OMPI_COMM_WORLD_RANK");
        wanted = rank && (!mine || strcmp(rank, mine)) ? NULL : wanted;
        asked = 1;
    }
    const object_t *o = object_of((uintptr_t) caller);
    if (o != NULL && (file || wanted)) {
        snprintf(site, sizeof site, "%s %s+%lx", function, o->name,
                 (unsigned long) ((uintptr_t) caller - o->start));
        if (file) {
            size_t i = (uintptr_t) caller % SITES;
            while (seen[i] && seen[i] != (uintptr_t) caller) {
                i = (i + 1) % SITES;
            }
            if (!seen[i]) {
                seen[i] = (uintptr_t) caller;
                snprintf(line, sizeof line, "%s\n", site);
                append(file, line);
            }
        }
        if (wanted && strcmp(wanted, site) == 0) {
            const int call = ++calls;
            result = !once || once == call;
            if (result && fired && call <= (once ? once : MOST_FIRED)) {
                tell_fired(fired, site, error, place, call == (once ? once : 1));
            }
        }
    }
    inside = 0;
    errno = before;
    return result;
}

#define REAL(name)                                                                                 \
    static __typeof__(&name) real;                                                                 \
    if (!real) {                                                                                   \
        inside++;                                                                                  \
        real = dlsym(RTLD_NEXT, #name);                                                            \
        inside--;                                                                                  \
    }
#define FAILS(name, error, place) fails(#name, __builtin_return_address(0), error, place)

__attribute__((constructor)) static void look_at_start(void)
{
    inside++;
    dl_iterate_phdr(look, NULL);
    inside--;
}

/* Objects are looked for when one is opened: dl_iterate_phdr takes a lock of the loader's. */
void *dlopen(const char *file, int mode)
{
    REAL(dlopen)
    if (FAILS(dlopen, 0, NO_FILE)) {
        return NULL;
    }
    void *handle = real(file, mode);
    inside++;
    dl_iterate_phdr(look, NULL);
    inside--;
    return handle;
}

/* A call with these parameters, about a file, that says ERROR and sets errno. */
#define CALL_OF(place, type, name, error, code, parameters, arguments)                             \
    type name parameters                                                                           \
    {                                                                                              \
        REAL(name)                                                                                 \
        if (FAILS(name, code, place)) {                                                            \
            errno = code;                                                                          \
            return error;                                                                          \
        }                                                                                          \
        return real arguments;                                                                     \
    }

#define CALL(...) CALL_OF(NO_FILE, __VA_ARGS__)

/* One of a stream, which ferror(), and fclose() of a stream in memory, know of afterwards. */
#define CALL_OF_STREAM(stream, type, name, error, code, parameters, arguments)                     \
    type name parameters                                                                           \
    {                                                                                              \
        REAL(name)                                                                                 \
        if (FAILS(name, code, STREAM(stream))) {                                                   \
            stream->_flags |= _IO_ERR_SEEN;                                                        \
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
    if (FAILS(calloc, ENOMEM, NO_FILE)) {
        errno = ENOMEM;
        return NULL;
    }
    return real(n, size);
}

/* What the headers of the C library do not declare: their macros call it. */
size_t __fread_chk(void *to, size_t room, size_t size, size_t n, FILE *file);
char *__realpath_chk(const char *path, char *out, size_t room);

CALL(void *, malloc, NULL, ENOMEM, (size_t size), (size))
CALL(void *, realloc, NULL, ENOMEM, (void *old, size_t size), (old, size))
CALL(void *, reallocarray, NULL, ENOMEM, (void *old, size_t n, size_t size), (old, n, size))
CALL(char *, strdup, NULL, ENOMEM, (const char *text), (text))
CALL_OF(DESCRIPTOR(fd), void *, mmap, MAP_FAILED, ENOMEM,
        (void *at, size_t n, int prot, int flags, int fd, off_t offset),
        (at, n, prot, flags, fd, offset))
CALL(int, mprotect, -1, EACCES, (void *at, size_t n, int prot), (at, n, prot))
CALL(int, madvise, -1, EINVAL, (void *at, size_t n, int advice), (at, n, advice))
CALL(int, memfd_create, -1, EMFILE, (const char *name, unsigned flags), (name, flags))
CALL_OF(DESCRIPTOR(fd), int, ftruncate, -1, ENOSPC, (int fd, off_t size), (fd, size))
CALL(int, pthread_create, EAGAIN, EAGAIN,
     (pthread_t * thread, const pthread_attr_t *attr, void *(*run)(void *), void *of),
     (thread, attr, run, of))
CALL(int, pthread_key_create, EAGAIN, EAGAIN, (pthread_key_t * key, void (*end)(void *)),
     (key, end))
CALL_OF(PATH(path), FILE *, fopen, NULL, EMFILE, (const char *path, const char *mode), (path, mode))
CALL(FILE *, tmpfile, NULL, EMFILE, (void), ())
CALL(ssize_t, getdelim, -1, ENOMEM, (char **line, size_t *room, int end, FILE *file),
     (line, room, end, file))
CALL(FILE *, open_memstream, NULL, ENOMEM, (char **text, size_t *size), (text, size))
CALL_OF(DESCRIPTOR(fd), ssize_t, read, -1, EIO, (int fd, void *to, size_t n), (fd, to, n))
CALL_OF(DESCRIPTOR(fd), ssize_t, write, -1, ENOSPC, (int fd, const void *from, size_t n),
        (fd, from, n))
CALL_OF(PATH(to), int, rename, -1, EACCES, (const char *from, const char *to), (from, to))
CALL_OF(PATH_IN(b, to), int, renameat, -1, EACCES, (int a, const char *from, int b, const char *to),
        (a, from, b, to))
CALL_OF(PATH(path), int, mkdir, -1, EACCES, (const char *path, mode_t mode), (path, mode))
CALL_OF(PATH(path), int, unlink, -1, EACCES, (const char *path), (path))
CALL_OF(PATH_IN(dir, path), int, unlinkat, -1, EACCES, (int dir, const char *path, int flags),
        (dir, path, flags))
CALL_OF(DESCRIPTOR(fd), int, fstat, -1, EIO, (int fd, struct stat *s), (fd, s))
CALL_OF(PATH(path), int, stat, -1, EACCES, (const char *path, struct stat *s), (path, s))
CALL_OF(PATH(path), int, lstat, -1, EACCES, (const char *path, struct stat *s), (path, s))
CALL_OF(DESCRIPTOR(fd), int, fsync, -1, EIO, (int fd), (fd))
CALL(int, pipe, -1, EMFILE, (int fds[2]), (fds))
CALL_OF(PATH(path), char *, realpath, NULL, ENOMEM, (const char *path, char *out), (path, out))
CALL(int, sched_getaffinity, -1, EINVAL, (pid_t pid, size_t n, cpu_set_t *set), (pid, n, set))
CALL(long, sysconf, -1, EINVAL, (int name), (name))
CALL(int, posix_memalign, ENOMEM, ENOMEM, (void **out, size_t align, size_t n), (out, align, n))
CALL(int, munmap, -1, ENOMEM, (void *at, size_t n), (at, n))
CALL(int, munlock, -1, ENOMEM, (const void *at, size_t n), (at, n))
CALL(void *, tsearch, NULL, ENOMEM,
     (const void *key, void **root, int (*compare)(const void *, const void *)),
     (key, root, compare))
CALL_OF(PATH(path), int, access, -1, EACCES, (const char *path, int mode), (path, mode))
CALL_OF(PATH_IN(dir, path), int, faccessat, -1, EACCES,
        (int dir, const char *path, int mode, int flags), (dir, path, mode, flags))
CALL_OF(PATH_IN(dir, path), int, fstatat, -1, EIO,
        (int dir, const char *path, struct stat *s, int flags), (dir, path, s, flags))
CALL_OF(DESCRIPTOR(fd), int, fchmod, -1, EPERM, (int fd, mode_t mode), (fd, mode))
CALL_OF(DESCRIPTOR(fd), int, fchown, -1, EPERM, (int fd, uid_t user, gid_t group),
        (fd, user, group))
CALL_OF(PATH_IN(dir, path), int, utimensat, -1, EACCES,
        (int dir, const char *path, const struct timespec times[2], int flags),
        (dir, path, times, flags))
CALL_OF(DESCRIPTOR(fd), int, flock, -1, ENOLCK, (int fd, int how), (fd, how))
CALL_OF(PATH(path), int, rmdir, -1, EACCES, (const char *path), (path))
CALL_OF(PATH(path), DIR *, opendir, NULL, EMFILE, (const char *path), (path))
CALL_OF(DESCRIPTOR(fd), DIR *, fdopendir, NULL, ENOMEM, (int fd), (fd))
CALL_OF(DESCRIPTOR(dirfd(dir)), struct dirent *, readdir, NULL, EIO, (DIR * dir), (dir))
CALL_OF(PATH(path), ssize_t, readlink, -1, EACCES, (const char *path, char *to, size_t n),
        (path, to, n))
CALL(char *, getcwd, NULL, ENOENT, (char *to, size_t n), (to, n))
CALL(char *, mkdtemp, NULL, EACCES, (char *name), (name))
CALL_OF_STREAM(file, char *, fgets, NULL, EIO, (char *to, int n, FILE *file), (to, n, file))
CALL_OF_STREAM(file, size_t, fread, 0, EIO, (void *to, size_t size, size_t n, FILE *file),
               (to, size, n, file))
CALL_OF_STREAM(file, size_t, fwrite, 0, ENOSPC,
               (const void *from, size_t size, size_t n, FILE *file), (from, size, n, file))
CALL_OF_STREAM(file, int, fputs, EOF, ENOSPC, (const char *text, FILE *file), (text, file))
CALL_OF(STREAM(file), int, fflush, EOF, ENOSPC, (FILE * file), (file))
CALL(FILE *, fopencookie, NULL, ENOMEM, (void *of, const char *mode, cookie_io_functions_t calls),
     (of, mode, calls))
CALL(FILE *, popen, NULL, ENOMEM, (const char *command, const char *mode), (command, mode))
CALL(pid_t, fork, -1, EAGAIN, (void), ())
CALL(int, execvp, -1, ENOENT, (const char *file, char *const argv[]), (file, argv))
CALL(int, gethostname, -1, ENAMETOOLONG, (char *name, size_t n), (name, n))
CALL(ssize_t, getrandom, -1, ENOSYS, (void *to, size_t n, unsigned flags), (to, n, flags))
CALL(int, getrlimit, -1, EINVAL, (__rlimit_resource_t of, struct rlimit *limit), (of, limit))
CALL(struct tm *, localtime_r, NULL, EOVERFLOW, (const time_t *time, struct tm *to), (time, to))
CALL(int, poll, -1, ENOMEM, (struct pollfd * fds, nfds_t n, int ms), (fds, n, ms))
CALL(int, nanosleep, -1, EINVAL, (const struct timespec *time, struct timespec *left), (time, left))
CALL(int, sigtimedwait, -1, EAGAIN,
     (const sigset_t *set, siginfo_t *info, const struct timespec *time), (set, info, time))
CALL(ssize_t, process_vm_readv, -1, EPERM,
     (pid_t pid, const struct iovec *to, unsigned long n, const struct iovec *from, unsigned long m,
      unsigned long flags),
     (pid, to, n, from, m, flags))
CALL(int, getpriority, -1, ESRCH, (__priority_which_t which, id_t who), (which, who))
CALL(int, setpriority, -1, EACCES, (__priority_which_t which, id_t who, int priority),
     (which, who, priority))
CALL(int, sched_setaffinity, -1, EINVAL, (pid_t pid, size_t n, const cpu_set_t *set), (pid, n, set))
CALL(int, sched_getcpu, -1, ENOSYS, (void), ())
CALL(int, pthread_attr_init, ENOMEM, ENOMEM, (pthread_attr_t * attr), (attr))
CALL(int, pthread_attr_setstacksize, EINVAL, EINVAL, (pthread_attr_t * attr, size_t n), (attr, n))
CALL(int, pthread_setschedparam, EPERM, EPERM,
     (pthread_t thread, int policy, const struct sched_param *param), (thread, policy, param))
CALL(int, pthread_setname_np, EACCES, EACCES, (pthread_t thread, const char *name), (thread, name))
CALL(int, pthread_setspecific, ENOMEM, ENOMEM, (pthread_key_t key, const void *value), (key, value))
CALL(int, dladdr, 0, 0, (const void *address, Dl_info *info), (address, info))
CALL(int, dlinfo, -1, 0, (void *handle, int request, void *info), (handle, request, info))
CALL_OF_STREAM(file, size_t, __fread_chk, 0, EIO,
               (void *to, size_t room, size_t size, size_t n, FILE *file),
               (to, room, size, n, file))
CALL_OF_STREAM(file, ssize_t, __getdelim, -1, ENOMEM,
               (char **text, size_t *room, int end, FILE *file), (text, room, end, file))
CALL_OF(STREAM(file), int, fseek, -1, EIO, (FILE * file, long at, int from), (file, at, from))
CALL_OF(STREAM(file), long, ftell, -1, EIO, (FILE * file), (file))
CALL_OF(DESCRIPTOR(fd), FILE *, fdopen, NULL, ENOMEM, (int fd, const char *mode), (fd, mode))
CALL_OF(PATH(path), char *, __realpath_chk, NULL, ENOMEM,
        (const char *path, char *out, size_t room), (path, out, room))
CALL_OF(PATH(path), int, scandir, -1, ENOMEM,
        (const char *path, struct dirent ***out, int (*filter)(const struct dirent *),
         int (*compare)(const struct dirent **, const struct dirent **)),
        (path, out, filter, compare))
CALL(int, mkstemp, -1, EACCES, (char *name), (name))
CALL(int, pipe2, -1, EMFILE, (int fds[2], int flags), (fds, flags))
CALL(int, dup2, -1, EMFILE, (int from, int to), (from, to))
CALL(int, setenv, -1, ENOMEM, (const char *name, const char *value, int replace),
     (name, value, replace))
CALL(int, execv, -1, ENOENT, (const char *file, char *const argv[]), (file, argv))
CALL(int, posix_spawn_file_actions_init, ENOMEM, ENOMEM, (posix_spawn_file_actions_t * actions),
     (actions))
CALL(int, posix_spawn_file_actions_adddup2, ENOMEM, ENOMEM,
     (posix_spawn_file_actions_t * actions, int from, int to), (actions, from, to))
CALL(int, posix_spawnp, EAGAIN, EAGAIN,
     (pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attributes, char *const argv[], char *const environment[]),
     (pid, file, actions, attributes, argv, environment))
CALL(int, dladdr1, 0, 0, (const void *address, Dl_info *info, void **extra, int flags),
     (address, info, extra, flags))

/* They close, and report that earlier writes are lost. */
#define CLOSE(name, type, code, place)                                                             \
    int name(type file)                                                                            \
    {                                                                                              \
        REAL(name)                                                                                 \
        const int failed = FAILS(name, code, place), result = real(file);                          \
        if (failed) {                                                                              \
            errno = code;                                                                          \
            return -1;                                                                             \
        }                                                                                          \
        return result;                                                                             \
    }

CLOSE(close, int, EIO, DESCRIPTOR(file))
CLOSE(fclose, FILE *, ENOSPC, STREAM(file))

/* The text is undefined when it fails. */
#define ASPRINTF(name, parameters, format)                                                         \
    int name parameters                                                                            \
    {                                                                                              \
        if (FAILS(name, ENOMEM, NO_FILE)) {                                                        \
            *out = (char *) 1;                                                                     \
            errno = ENOMEM;                                                                        \
            return -1;                                                                             \
        }                                                                                          \
        va_list args;                                                                              \
        va_start(args, format);                                                                    \
        const int result = vasprintf(out, format, args);                                           \
        va_end(args);                                                                              \
        return result;                                                                             \
    }

int __asprintf_chk(char **out, int flag, const char *format, ...);
int __vasprintf_chk(char **out, int flag, const char *format, va_list args);
ASPRINTF(asprintf, (char **out, const char *format, ...), format)
ASPRINTF(__asprintf_chk, (char **out, int flag __attribute__((unused)), const char *format, ...),
         format)

int __vasprintf_chk(char **out, int flag __attribute__((unused)), const char *format, va_list args)
{
    if (FAILS(__vasprintf_chk, ENOMEM, NO_FILE)) {
        *out = (char *) 1;
        errno = ENOMEM;
        return -1;
    }
    return vasprintf(out, format, args);
}

int open(const char *path, int flags, ...)
{
    REAL(open)
    va_list args;
    va_start(args, flags);
    const mode_t mode = va_arg(args, mode_t);
    va_end(args);
    if (FAILS(open, EMFILE, PATH(path))) {
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
    if (FAILS(openat, EMFILE, PATH_IN(dir, path))) {
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
    if (FAILS(syscall, ENOSYS, NO_FILE)) {
        errno = ENOSYS;
        return -1;
    }
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
