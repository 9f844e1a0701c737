/* SPDX-License-Identifier: BSD-3-Clause */
/* Files in the directories of the code cache: their names, the last use of each. */
#include "cache_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cache_file.h"
#include "cache_listing.h"
#include "base/heap.h"
#include "base/user_file.h"
#include "base/whole_file.h"

enum {
    NAME_DIGITS = DAME_CACHE_DIGITS,
    STALE_SECONDS = 3600 /* temporary files and locks of processes that died */
};

static const char suffix[] = DAME_CACHE_SUFFIX;

static int is_code(const char *name)
{
    return strlen(name) == NAME_DIGITS + sizeof(suffix) - 1 &&
           strspn(name, "0123456789abcdef") == NAME_DIGITS &&
           strcmp(name + NAME_DIGITS, suffix) == 0;
}

static int is_our_file(const char *name)
{
    return strspn(name, "0123456789abcdef") == NAME_DIGITS &&
           strncmp(name + NAME_DIGITS, suffix, sizeof(suffix) - 1) == 0;
}

static int ends_with(const char *name, const char *end)
{
    const size_t length = strlen(name), n = strlen(end);
    return length >= n && strcmp(name + length - n, end) == 0;
}

static int is_lock(const char *name)
{
    return ends_with(name, ".lock");
}

/* Returns whether a profile left the file, which may lie beside the code (measure/profile.c). */
static int is_left_by_profile(const char *name)
{
    return fnmatch("*-[0-9]*K-[0-9]*K-*.profile.lock", name, 0) == 0 ||
           fnmatch("*-[0-9]*K-[0-9]*K-*.profile.[0-9]*-[0-9a-f]*-[0-9]*.tmp", name, 0) == 0;
}

/* Removes a file, unless it is a held lock. */
static int remove_file(int directory, const char *name)
{
    int lock;
    const int error = is_lock(name) ? dame_user_trylock(directory, name, &lock) : 0;
    if (is_lock(name) && error == 0) {
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): the name is still a lock's */
        dame_user_unlock(directory, name, lock);
        return 0;
    }
    if (error != 0 && error != DAME_FILE_NO_LOCKS) {
        return error == EWOULDBLOCK ? 0 : error;
    }
    return unlinkat(directory, name, 0) != 0 && errno != ENOENT ? errno : 0;
}

static int is_stale(const struct stat *about)
{
    return time(NULL) - about->st_mtime > STALE_SECONDS;
}

/* A stream of the names in a directory that stays open. */
static DIR *names_of(int directory)
{
    const int again = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *names = again < 0 ? NULL : fdopendir(again);
    if (names == NULL && again >= 0) {
        close(again);
    }
    return names;
}

/* ---- names that are remembered ---- */

static int compare_names(const void *a, const void *b)
{
    return memcmp(a, b, NAME_DIGITS);
}

/* Returns 0 when memory is out. */
static int add_name(dame_cache_names_t *names, const char *name)
{
    enum { MORE = 64 };
    if (names->n == names->room) {
        const size_t room = names->room < MORE ? MORE : 2 * names->room;
        void *larger = dame_heap_alloc(room * NAME_DIGITS);
        if (larger == NULL) {
            return 0;
        }
        if (names->n > 0) {
            memcpy(larger, names->names, names->n * NAME_DIGITS);
        }
        dame_heap_free(names->names);
        names->names = larger;
        names->room = room;
    }
    memcpy(names->names[names->n++], name, NAME_DIGITS);
    return 1;
}

void dame_cache_names_add(dame_cache_names_t *names, int directory)
{
    enum { MOST_NAMES = 1 << 16 };
    DIR *stream = names_of(directory);
    struct dirent *entry;
    while (stream != NULL && names->n < MOST_NAMES && (entry = readdir(stream)) != NULL) {
        if (is_code(entry->d_name) && !add_name(names, entry->d_name)) {
            break;
        }
    }
    if (stream != NULL) {
        closedir(stream);
    }
    if (names->n > 0) {
        qsort(names->names, names->n, NAME_DIGITS, compare_names);
    }
}

typedef struct start {
    const char *digits;
    size_t n;
} start_t;

static int compare_start(const void *start, const void *name)
{
    return memcmp(((const start_t *) start)->digits, name, ((const start_t *) start)->n);
}

int dame_cache_names_have(const dame_cache_names_t *names, const char *digits, size_t n)
{
    const start_t start = {digits, n};
    return names->n > 0 &&
           bsearch(&start, names->names, names->n, NAME_DIGITS, compare_start) != NULL;
}

/* ---- the files by their last use ---- */

typedef struct used_file {
    int64_t used_ns;
    int64_t bytes;
    char name[NAME_DIGITS + sizeof(suffix)];
} used_file_t;

static int by_use(const void *a, const void *b)
{
    const int64_t x = ((const used_file_t *) a)->used_ns;
    const int64_t y = ((const used_file_t *) b)->used_ns;
    return (x > y) - (x < y);
}

/* The files of code, by their last use; removes what dead processes left. The caller frees. */
static used_file_t *list_files(int directory, size_t *n)
{
    DIR *names = names_of(directory);
    used_file_t *files = NULL;
    size_t room = 0;
    struct dirent *entry;
    *n = 0;
    while (names != NULL && (entry = readdir(names)) != NULL) {
        struct stat about;
        if ((!is_our_file(entry->d_name) && !is_left_by_profile(entry->d_name)) ||
            fstatat(directory, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        if (!is_code(entry->d_name)) {
            if (is_stale(&about)) {
                (void) remove_file(directory, entry->d_name);
            }
            continue;
        }
        if (*n == room) {
            room = room == 0 ? 64 : 2 * room;
            used_file_t *more = realloc(files, room * sizeof(*files));
            if (more == NULL) {
                break;
            }
            files = more;
        }
        files[*n].used_ns = about.st_mtim.tv_sec * INT64_C(1000000000) + about.st_mtim.tv_nsec;
        files[*n].bytes = about.st_size;
        strcpy(files[(*n)++].name, entry->d_name);
    }
    if (names != NULL) {
        closedir(names);
    }
    if (files != NULL) {
        qsort(files, *n, sizeof(*files), by_use);
    }
    return files;
}

int64_t dame_cache_trim(int directory, int64_t limit)
{
    size_t n;
    used_file_t *files = list_files(directory, &n);
    int64_t total = 0;
    int64_t removed = 0;
    for (size_t i = 0; i < n; i++) {
        total += files[i].bytes;
    }
    for (size_t i = 0; i < n && total > limit; i++) {
        removed += unlinkat(directory, files[i].name, 0) == 0;
        total -= files[i].bytes;
    }
    free(files);
    return removed;
}

/* ---- for tools ---- */

int dame_cache_each(const char *path, void (*each)(void *context, const dame_cache_file_t *),
                    void *context)
{
    int directory;
    const int error = dame_user_directory_open(path, 0, &directory);
    if (error != 0) {
        return error;
    }
    size_t n;
    used_file_t *files = list_files(directory, &n);
    for (size_t i = 0; i < n; i++) {
        dame_cache_contents_t contents = {.memory = NULL};
        int unused;
        dame_cache_file_t file = {.name = files[i].name,
                                  .origin = "",
                                  .maker = "",
                                  .used_s = files[i].used_ns / INT64_C(1000000000)};
        file.fault = dame_cache_file_read(directory, files[i].name, NULL, &contents, &unused);
        if (file.fault == NULL) {
            file.dir = contents.key[0] == DAME_PACK ? DAME_PACK : DAME_UNPACK;
            file.origin = contents.key + 1;
            file.maker = contents.maker;
            file.code_bytes = contents.code_size;
        }
        each(context, &file);
        dame_heap_free(contents.memory);
    }
    free(files);
    close(directory);
    return 0;
}

/* A profile that is being written stays: its owner did not say that it should go. */
static int is_cleared(int directory, const char *name)
{
    struct stat about;
    return is_our_file(name) ||
           (is_left_by_profile(name) &&
            (is_lock(name) ||
             (fstatat(directory, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && is_stale(&about))));
}

int dame_cache_clear(const char *path, int64_t *removed)
{
    int directory;
    *removed = 0;
    int error = dame_user_directory_open(path, 1, &directory);
    if (error != 0) {
        return error;
    }
    DIR *names = names_of(directory);
    struct dirent *entry;
    while (names != NULL && (entry = readdir(names)) != NULL) {
        if (is_cleared(directory, entry->d_name)) {
            const int failed = remove_file(directory, entry->d_name);
            *removed += failed == 0 && is_code(entry->d_name);
            error = failed != 0 ? failed : error;
        }
    }
    if (names != NULL) {
        closedir(names);
    }
    close(directory);
    return error;
}
