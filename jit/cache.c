/* Machine code in files. */
#include "cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "dame/heap.h"
#include "cache_file.h"
#include "shape.h"
#include "user_file.h"

enum {
    MOST_DIRECTORIES = 16,
    NAME_DIGITS = 32, /* of a file's name: */
    SHAPE_DIGITS = 16, /* the first ones are those of the shape and direction */
    STALE_SECONDS = 3600 /* temporary files and locks of processes that died */
};

static const char suffix[] = ".code";

struct dame_cache {
    char *paths;                               /* the directories, one string each */
    const char *directories[MOST_DIRECTORIES]; /* [0]: the one that is written, or "" */
    int ndirectories;
    int64_t limit;
    char (*known)[NAME_DIGITS]; /* of dame_cache_look(), sorted */
    size_t nknown;
    _Atomic int64_t hits, misses, stored, removed, refused;
    atomic_int problem; /* 0: none; 1: being written; 2: to be told; 3: told */
    char text[512];
};

/* ---- opening ---- */

static int split(dame_cache_t *cache, const char *directories)
{
    strcpy(cache->paths, directories);
    for (char *at = cache->paths; at != NULL;) {
        char *end = strchr(at, ':');
        if (end != NULL) {
            *end++ = '\0';
        }
        if (cache->ndirectories == MOST_DIRECTORIES ||
            (*at != '/' && !(*at == '\0' && cache->ndirectories == 0))) {
            return 0;
        }
        cache->directories[cache->ndirectories++] = at;
        at = end;
    }
    return 1;
}

dame_status_t dame_cache_open(const char *directories, int64_t limit, dame_cache_t **out)
{
    if (limit < 1) {
        return DAME_ERR_ARGUMENT;
    }
    dame_cache_t *cache = dame_heap_zalloc(sizeof(*cache));
    if (cache == NULL) {
        return DAME_ERR_NOMEM;
    }
    cache->limit = limit;
    cache->paths = dame_heap_alloc(strlen(directories) + 1);
    const int valid = cache->paths != NULL && split(cache, directories);
    if (!valid) {
        const int no_memory = cache->paths == NULL;
        dame_cache_close(cache);
        return no_memory ? DAME_ERR_NOMEM : DAME_ERR_ARGUMENT;
    }
    *out = cache;
    return DAME_OK;
}

void dame_cache_close(dame_cache_t *cache)
{
    if (cache != NULL) {
        dame_heap_free(cache->paths);
        dame_heap_free(cache->known);
        dame_heap_free(cache);
    }
}

/* ---- keys ---- */

static uint64_t hash_shape(dame_dir_t dir, const char *shape, size_t size)
{
    const char direction = (char) dir;
    return dame_fnv(dame_fnv(DAME_FNV_START, &direction, 1), shape, size);
}

dame_status_t dame_cache_key_make(const char *origin, const dame_program_t *program, dame_dir_t dir,
                                  dame_cache_key_t *out)
{
    const size_t text = strlen(origin) + 1;
    const size_t shape = dame_shape(program, NULL, 0);
    dame_cache_key_t key = {.size = 1 + text + shape, .maker = ""};
    key.bytes = dame_heap_alloc(key.size);
    if (key.bytes == NULL) {
        return DAME_ERR_NOMEM;
    }
    key.bytes[0] = (char) dir;
    memcpy(key.bytes + 1, origin, text);
    (void) dame_shape(program, key.bytes + 1 + text, shape);
    /* Two keys of one name would only replace each other's file: the key is in it. */
    snprintf(key.name, sizeof(key.name), "%016" PRIx64 "%016" PRIx64 "%s",
             hash_shape(dir, key.bytes + 1 + text, shape),
             dame_fnv(~DAME_FNV_START, key.bytes, key.size), suffix);
    *out = key;
    return DAME_OK;
}

void dame_cache_key_free(dame_cache_key_t *key)
{
    dame_heap_free(key->bytes);
    key->bytes = NULL;
}

/* ---- problems ---- */

__attribute__((format(printf, 2, 3))) static void tell(dame_cache_t *cache, const char *format, ...)
{
    int none = 0;
    if (atomic_compare_exchange_strong(&cache->problem, &none, 1)) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(cache->text, sizeof(cache->text), format, arguments);
        va_end(arguments);
        atomic_store(&cache->problem, 2);
    }
}

int dame_cache_problem(dame_cache_t *cache, char *text, size_t size)
{
    int to_tell = 2;
    if (!atomic_compare_exchange_strong(&cache->problem, &to_tell, 3)) {
        return 0;
    }
    snprintf(text, size, "%s", cache->text);
    return 1;
}

/* ---- reading ---- */

static int open_directory(dame_cache_t *cache, int i, int *directory)
{
    const char *path = cache->directories[i];
    const int error = dame_user_directory_open(path, 0, directory);
    if (error != 0 && error != ENOENT) {
        tell(cache, "the code cache %s is not used: %s", path, dame_cache_reason(error));
    }
    return error == 0;
}

static int load_from(dame_cache_t *cache, int i, const dame_cache_key_t *key,
                     dame_cache_code_t *out)
{
    int directory, error;
    if (!open_directory(cache, i, &directory)) {
        return 0;
    }
    dame_cache_contents_t contents;
    const char *fault = dame_cache_file_read(directory, key->name, &contents, &error);
    if (fault == NULL && !dame_cache_file_is_for(&contents, key)) {
        fault = "it was made for something else";
        dame_heap_free(contents.memory);
    }
    if (fault == NULL && dame_cache_file_is_older(&contents, key)) {
        dame_heap_free(contents.memory);
        close(directory);
        return 0;
    }
    if (fault == NULL && i == 0) { /* our own: used now; those not used for longest go first */
        (void) utimensat(directory, key->name, NULL, AT_SYMLINK_NOFOLLOW);
    }
    close(directory);
    if (fault != NULL) {
        if (error != ENOENT) {
            atomic_fetch_add(&cache->refused, 1);
            tell(cache, "%s/%s is not used: %s", cache->directories[i], key->name, fault);
        }
        return 0;
    }
    *out = (dame_cache_code_t){.code = {.bytes = contents.code,
                                        .size = contents.code_size,
                                        .entries = contents.entries,
                                        .nentries = contents.nentries},
                               .memory = contents.memory};
    return 1;
}

int dame_cache_load(dame_cache_t *cache, const dame_cache_key_t *key, dame_cache_code_t *out)
{
    for (int i = 0; i < cache->ndirectories; i++) {
        if (*cache->directories[i] != '\0' && load_from(cache, i, key, out)) {
            atomic_fetch_add(&cache->hits, 1);
            return 1;
        }
    }
    atomic_fetch_add(&cache->misses, 1);
    return 0;
}

void dame_cache_code_free(dame_cache_code_t *code)
{
    dame_heap_free(code->memory);
    code->memory = NULL;
}

/* ---- what a directory has ---- */

static int is_code(const char *name)
{
    return strlen(name) == NAME_DIGITS + sizeof(suffix) - 1 &&
           strspn(name, "0123456789abcdef") == NAME_DIGITS &&
           strcmp(name + NAME_DIGITS, suffix) == 0;
}

static int is_ours(const char *name)
{
    return strspn(name, "0123456789abcdef") == NAME_DIGITS &&
           strncmp(name + NAME_DIGITS, suffix, sizeof(suffix) - 1) == 0;
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

static int compare_names(const void *a, const void *b)
{
    return memcmp(a, b, NAME_DIGITS);
}

/* Adds the names of a directory. */
static void look_into(dame_cache_t *cache, int directory)
{
    enum { MOST_NAMES = 1 << 16, MORE = 64 };
    DIR *names = names_of(directory);
    struct dirent *entry;
    size_t room = cache->nknown;
    while (names != NULL && cache->nknown < MOST_NAMES && (entry = readdir(names)) != NULL) {
        if (!is_code(entry->d_name)) {
            continue;
        }
        if (cache->nknown == room) {
            const size_t more = room < MORE ? MORE : 2 * room;
            void *larger = dame_heap_alloc(more * NAME_DIGITS);
            if (larger == NULL) {
                break;
            }
            if (cache->nknown > 0) {
                memcpy(larger, cache->known, cache->nknown * NAME_DIGITS);
            }
            dame_heap_free(cache->known);
            cache->known = larger;
            room = more;
        }
        memcpy(cache->known[cache->nknown++], entry->d_name, NAME_DIGITS);
    }
    if (names != NULL) {
        closedir(names);
    }
}

void dame_cache_look(dame_cache_t *cache)
{
    for (int i = 0; i < cache->ndirectories; i++) {
        int directory;
        if (*cache->directories[i] != '\0' && open_directory(cache, i, &directory)) {
            look_into(cache, directory);
            close(directory);
        }
    }
    if (cache->nknown > 0) {
        qsort(cache->known, cache->nknown, NAME_DIGITS, compare_names);
    }
}

int dame_cache_has(const dame_cache_t *cache, const dame_cache_key_t *key)
{
    return cache->nknown > 0 &&
           bsearch(key->name, cache->known, cache->nknown, NAME_DIGITS, compare_names) != NULL;
}

static int compare_shapes(const void *a, const void *b)
{
    return memcmp(a, b, SHAPE_DIGITS);
}

int dame_cache_has_shape(const dame_cache_t *cache, const dame_program_t *program, dame_dir_t dir)
{
    char few[1024], name[SHAPE_DIGITS + 1];
    if (cache->nknown == 0) {
        return 0;
    }
    const size_t size = dame_shape(program, few, sizeof(few));
    char *bytes = size > sizeof(few) ? dame_heap_alloc(size) : few;
    if (bytes == NULL) {
        return 0;
    }
    if (bytes != few) {
        (void) dame_shape(program, bytes, size);
    }
    snprintf(name, sizeof(name), "%016" PRIx64, hash_shape(dir, bytes, size));
    if (bytes != few) {
        dame_heap_free(bytes);
    }
    return bsearch(name, cache->known, cache->nknown, NAME_DIGITS, compare_shapes) != NULL;
}

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
    const time_t now = time(NULL);
    struct dirent *entry;
    *n = 0;
    while (names != NULL && (entry = readdir(names)) != NULL) {
        struct stat about;
        if (!is_ours(entry->d_name) ||
            fstatat(directory, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        if (!is_code(entry->d_name)) {
            if (now - about.st_mtime > STALE_SECONDS) {
                unlinkat(directory, entry->d_name, 0);
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

/* Removes the files not used for longest until `coming` bytes more are within the limit. */
static void keep_limit(dame_cache_t *cache, int directory, int64_t coming)
{
    size_t n;
    used_file_t *files = list_files(directory, &n);
    int64_t total = coming;
    for (size_t i = 0; i < n; i++) {
        total += files[i].bytes;
    }
    for (size_t i = 0; i < n && total > cache->limit; i++) {
        if (unlinkat(directory, files[i].name, 0) == 0) {
            atomic_fetch_add(&cache->removed, 1);
        }
        total -= files[i].bytes;
    }
    free(files);
}

/* ---- writing ---- */

static int store_in(dame_cache_t *cache, const char *path, const dame_cache_key_t *key,
                    const dame_machine_code_t *code)
{
    const int64_t bytes = (int64_t) dame_cache_file_size(key, code);
    if (bytes > cache->limit) {
        return EFBIG;
    }
    int directory;
    int error = dame_user_directory_open(path, 1, &directory);
    if (error == 0) {
        keep_limit(cache, directory, bytes);
        error = dame_cache_file_write(directory, key, code);
        close(directory);
    }
    return error;
}

int dame_cache_store(dame_cache_t *cache, const dame_cache_key_t *key,
                     const dame_machine_code_t *code)
{
    const char *path = cache->directories[0];
    if (*path == '\0') {
        return ENOENT;
    }
    const int error = store_in(cache, path, key, code);
    if (error != 0) {
        tell(cache, "machine code could not be kept in %s: %s", path, dame_cache_reason(error));
    } else {
        atomic_fetch_add(&cache->stored, 1);
    }
    return error;
}

/* ---- one maker ---- */

static int exists(int directory, const char *name)
{
    return faccessat(directory, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

int dame_cache_claim(dame_cache_t *cache, const dame_cache_key_t *key, dame_cache_claim_t *claim)
{
    *claim = (dame_cache_claim_t){.directory = -1, .lock = -1};
    const char *path = cache->directories[0];
    int directory;
    if (*path == '\0' || dame_user_directory_open(path, 1, &directory) != 0) {
        return 1; /* nobody could find what another has made */
    }
    snprintf(claim->name, sizeof(claim->name), "%s.lock", key->name);
    const int error = dame_user_trylock(directory, claim->name, &claim->lock);
    const int ours = error != EWOULDBLOCK; /* where files cannot be locked, everybody makes it */
    if (error != 0) {
        close(directory);
        return ours;
    }
    claim->directory = directory;
    dame_cache_contents_t contents;
    int unused;
    if (exists(directory, key->name) &&
        dame_cache_file_read(directory, key->name, &contents, &unused) == NULL) {
        const int made = dame_cache_file_is_for(&contents, key) && /* since the caller looked */
                         !dame_cache_file_is_older(&contents, key);
        dame_heap_free(contents.memory);
        if (made) {
            dame_cache_release(claim);
            return 0;
        }
    }
    return 1;
}

void dame_cache_release(dame_cache_claim_t *claim)
{
    if (claim->directory >= 0) {
        dame_user_unlock(claim->directory, claim->name, claim->lock);
        close(claim->directory);
        claim->directory = -1;
    }
}

void dame_cache_stats(dame_cache_t *cache, dame_cache_stats_t *out)
{
    *out = (dame_cache_stats_t){.hits = atomic_load(&cache->hits),
                                .misses = atomic_load(&cache->misses),
                                .stored = atomic_load(&cache->stored),
                                .removed = atomic_load(&cache->removed),
                                .refused = atomic_load(&cache->refused)};
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
        dame_cache_file_t file = {
            .name = files[i].name, .origin = "", .maker = "", .used_s = files[i].used_ns / INT64_C(1000000000)};
        file.fault = dame_cache_file_read(directory, files[i].name, &contents, &unused);
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
        if (is_ours(entry->d_name)) {
            if (unlinkat(directory, entry->d_name, 0) == 0) {
                *removed += is_code(entry->d_name);
            } else {
                error = errno;
            }
        }
    }
    if (names != NULL) {
        closedir(names);
    }
    close(directory);
    return error;
}
