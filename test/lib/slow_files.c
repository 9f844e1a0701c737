/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LD_PRELOAD: makes a directory behave as a network file system may.
 *
 *   SLOW_FILES=DIRECTORY  the directory: calls about names below it are changed
 *   SLOW_FILES_HOW=WORDS  late: a file or directory gets its new name up to 60 ms late
 *                         half: for up to 60 ms, half of a file's content has the new name
 *                         cached: a process that has not found a name does not find it for 300 ms
 *                         unlocked: flock() says ENOLCK
 *   SLOW_FILES_LOG=FILE   gets a line "WORD NAME" each time
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_MS = 60, CACHED_MS = 300, NAMES = 256 };

#define REAL(name)                                                                                 \
    static __typeof__(&name) real;                                                                 \
    if (real == NULL) {                                                                            \
        real = (__typeof__(&name)) dlsym(RTLD_NEXT, #name);                                        \
    }

/* ---- which names ---- */

static int is_slow(const char *word)
{
    const char *how = getenv("SLOW_FILES_HOW");
    return how != NULL && strstr(how, word) != NULL;
}

/* The absolute name; false: it is not below SLOW_FILES. */
static int is_below(int directory, const char *name, char path[PATH_MAX])
{
    const char *slow = getenv("SLOW_FILES");
    char link[64], from[PATH_MAX] = "";
    if (slow == NULL) {
        return 0;
    }
    if (*name != '/' && directory == AT_FDCWD) {
        if (getcwd(from, sizeof(from)) == NULL) {
            return 0;
        }
    } else if (*name != '/') {
        snprintf(link, sizeof(link), "/proc/self/fd/%d", directory);
        const ssize_t n = readlink(link, from, sizeof(from) - 1);
        from[n < 0 ? 0 : n] = '\0';
    }
    const int n = snprintf(path, PATH_MAX, "%s%s%s", from, *name == '/' ? "" : "/", name);
    return n < PATH_MAX && strncmp(path, slow, strlen(slow)) == 0 && path[strlen(slow)] == '/';
}

static void note(const char *word, const char *path)
{
    char line[PATH_MAX + 32];
    const char *log = getenv("SLOW_FILES_LOG");
    const int n = snprintf(line, sizeof(line), "%s %s\n", word, path);
    const int fd =
        log == NULL ? -1 : (int) open(log, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0) {
        if (write(fd, line, (size_t) n) != n) {
            abort();
        }
        close(fd);
    }
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* Names are few: one that is pushed out is found sooner. */
static struct {
    uint64_t name;
    int64_t until;
} unseen[NAMES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t hash(const char *path)
{
    uint64_t sum = 0xcbf29ce484222325;
    for (; *path != '\0'; path++) {
        sum = (sum ^ (unsigned char) *path) * 0x100000001b3;
    }
    return sum;
}

static void set_unseen(const char *path, int64_t until)
{
    const uint64_t name = hash(path);
    pthread_mutex_lock(&lock);
    if (until > 0 || unseen[name % NAMES].name == name) {
        unseen[name % NAMES].name = name;
        unseen[name % NAMES].until = until;
    }
    pthread_mutex_unlock(&lock);
}

static int is_unseen(const char *path)
{
    const uint64_t name = hash(path);
    pthread_mutex_lock(&lock);
    const int64_t until = unseen[name % NAMES].name == name ? unseen[name % NAMES].until : 0;
    pthread_mutex_unlock(&lock);
    return now_ms() < until;
}

/* ---- names that come late ---- */

static void wait_some(void)
{
    static _Thread_local unsigned seed;
    seed = seed == 0 ? (unsigned) getpid() ^ (unsigned) now_ms() : seed;
    const struct timespec some = {.tv_nsec = rand_r(&seed) % (LONGEST_MS * 1000000)};
    nanosleep(&some, NULL);
}

static int (*real_renameat(void))(int, const char *, int, const char *)
{
    REAL(renameat)
    return real;
}

/* Puts half of a file's content in the new name's place, at once. */
static void show_half(const char *from, const char *to)
{
    char half[PATH_MAX + 32];
    struct stat about;
    snprintf(half, sizeof(half), "%s.%ld.half", getenv("SLOW_FILES"), (long) getpid());
    const int in = open(from, O_RDONLY | O_CLOEXEC);
    const int out = open(half, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (in >= 0 && out >= 0 && fstat(in, &about) == 0 && S_ISREG(about.st_mode)) {
        char *bytes = malloc((size_t) about.st_size + 1);
        const ssize_t n = bytes == NULL ? -1 : read(in, bytes, (size_t) about.st_size / 2);
        if (n < 0 || write(out, bytes, (size_t) n) != n ||
            real_renameat()(AT_FDCWD, half, AT_FDCWD, to) != 0) {
            abort();
        }
        free(bytes);
        note("half", to);
    }
    unlink(half);
    close(in);
    close(out);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to)
{
    char from_path[PATH_MAX], to_path[PATH_MAX];
    if (is_below(to_directory, to, to_path)) {
        set_unseen(to_path, 0);
        if (is_slow("half") && is_below(from_directory, from, from_path)) {
            show_half(from_path, to_path);
            wait_some();
        }
        if (is_slow("late")) {
            note("late", to_path);
            wait_some();
        }
    }
    return real_renameat()(from_directory, from, to_directory, to);
}

int rename(const char *from, const char *to)
{
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

/* ---- names that are not found yet ---- */

/* Is a name still not found, as an earlier look-up said? */
static int told_before(int directory, const char *name, char path[PATH_MAX])
{
    const int saved = errno;
    path[0] = '\0';
    if (!is_slow("cached") || !is_below(directory, name, path)) {
        path[0] = '\0';
        errno = saved;
        return 0;
    }
    errno = saved;
    if (!is_unseen(path)) {
        return 0;
    }
    note("cached", path);
    errno = ENOENT;
    return 1;
}

static int remember(int result, const char *path)
{
    if (result < 0 && errno == ENOENT && *path != '\0') {
        set_unseen(path, now_ms() + CACHED_MS);
        errno = ENOENT;
    }
    return result;
}

/* What creates a file asks the server. */
static int open_it(int (*real)(int, const char *, int, ...), int directory, const char *name,
                   int flags, mode_t mode)
{
    char path[PATH_MAX];
    if ((flags & O_CREAT) != 0) {
        if (is_below(directory, name, path)) {
            set_unseen(path, 0);
        }
        return real(directory, name, flags, mode);
    }
    return told_before(directory, name, path) ? -1
                                              : remember(real(directory, name, flags, mode), path);
}

int openat(int directory, const char *name, int flags, ...)
{
    REAL(openat)
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_it(real, directory, name, flags, mode);
}

int open(const char *name, int flags, ...)
{
    static int (*real)(int, const char *, int, ...);
    if (real == NULL) {
        real = (int (*)(int, const char *, int, ...)) dlsym(RTLD_NEXT, "openat");
    }
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_it(real, AT_FDCWD, name, flags, mode);
}

#define ASKS(name, parameters, arguments, directory, file)                                         \
    int name parameters                                                                            \
    {                                                                                              \
        char path[PATH_MAX];                                                                       \
        REAL(name)                                                                                 \
        return told_before(directory, file, path) ? -1 : remember(real arguments, path);           \
    }

ASKS(stat, (const char *file, struct stat *about), (file, about), AT_FDCWD, file)
ASKS(lstat, (const char *file, struct stat *about), (file, about), AT_FDCWD, file)
ASKS(fstatat, (int at, const char *file, struct stat *about, int flags), (at, file, about, flags),
     at, file)
ASKS(access, (const char *file, int mode), (file, mode), AT_FDCWD, file)
ASKS(faccessat, (int at, const char *file, int mode, int flags), (at, file, mode, flags), at, file)

/* ---- locks ---- */

int flock(int fd, int operation)
{
    char link[64], path[PATH_MAX];
    REAL(flock)
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    const ssize_t n = is_slow("unlocked") ? readlink(link, path, sizeof(path) - 1) : -1;
    path[n < 0 ? 0 : n] = '\0';
    char whole[PATH_MAX];
    if (n > 0 && is_below(AT_FDCWD, path, whole)) {
        note("unlocked", path);
        errno = ENOLCK;
        return -1;
    }
    return real(fd, operation);
}
