/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine code in files. */
#include "cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/heap.h"
#include "cache_directory.h"
#include "cache_file.h"
#include "shape.h"
#include "base/user_file.h"
#include "base/whole_file.h"

enum {
    MOST_DIRECTORIES = 16,
    SHAPE_DIGITS = 16, /* of a file's name, the first: those of the shape and direction */
    USED_SECONDS = 3600
};

struct dame_cache {
    char *paths;                               /* the directories, one string each */
    const char *directories[MOST_DIRECTORIES]; /* [0]: the one that is written, or "" */
    int ndirectories;
    int64_t limit;
    dame_cache_names_t known; /* of dame_cache_look() */
    _Atomic int64_t hits, misses, stored, removed, refused;
    atomic_int problem; /* 0: none; 1: being written; 2: to be reported; 3: reported */
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
        dame_heap_free(cache->known.names);
        dame_heap_free(cache);
    }
}

/* ---- keys ---- */

static uint64_t hash_shape(dame_dir_t dir, const char *shape, size_t size)
{
    return dame_cache_hash((uint64_t) dir, shape, size);
}

dame_status_t dame_cache_key_make(const char *origin, const dame_program_t *program, dame_dir_t dir,
                                  dame_cache_key_t *out)
{
    const size_t before = 1 + strlen(origin) + 1;
    const size_t room = before < sizeof(out->few) ? sizeof(out->few) - before : 0;
    const size_t shape = dame_shape(program, out->few + sizeof(out->few) - room, room);
    out->bytes = out->few;
    out->size = before + shape;
    out->maker[0] = '\0';
    if (shape > room) {
        out->bytes = dame_heap_alloc(out->size);
        if (out->bytes == NULL) {
            return DAME_ERR_NOMEM;
        }
        (void) dame_shape(program, out->bytes + before, shape);
    }
    out->bytes[0] = (char) dir;
    memcpy(out->bytes + 1, origin, before - 1);
    /* Two keys of one name would only replace each other's file: the key is in it. */
    snprintf(out->name, sizeof(out->name), "%016" PRIx64 "%016" PRIx64 DAME_CACHE_SUFFIX,
             hash_shape(dir, out->bytes + before, shape),
             dame_cache_hash(0, out->bytes, out->size));
    return DAME_OK;
}

void dame_cache_key_free(dame_cache_key_t *key)
{
    dame_heap_free(key->bytes != key->few ? key->bytes : NULL);
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

static int open_cache_directory(dame_cache_t *cache, int i, int *directory)
{
    const char *path = cache->directories[i];
    const int error = dame_user_directory_open(path, 0, directory);
    if (error != 0 && error != ENOENT) {
        tell(cache, "the code cache %s is not used: %s", path, dame_file_error_text(error));
    }
    return error == 0;
}

/* Those not used for longest go first. To note it once an hour is enough, and writes less: a
 * message may be waiting, and a thousand processes may load the same file. */
static void note_use(int directory, const char *name, time_t used)
{
    const time_t now = time(NULL);
    if (now - used > USED_SECONDS || used - now > USED_SECONDS) {
        (void) utimensat(directory, name, NULL, AT_SYMLINK_NOFOLLOW);
    }
}

static int load_from(dame_cache_t *cache, int i, const dame_cache_key_t *key,
                     const dame_cache_room_t *room, dame_cache_code_t *out)
{
    int directory, error;
    if (!open_cache_directory(cache, i, &directory)) {
        return 0;
    }
    dame_cache_contents_t contents;
    const char *fault = dame_cache_file_read(directory, key->name, room, &contents, &error);
    if (fault == NULL && !dame_cache_file_is_for(&contents, key)) {
        fault = "it was made for something else";
        dame_heap_free(contents.memory);
    }
    if (fault == NULL && dame_cache_file_is_older(&contents, key)) {
        dame_heap_free(contents.memory);
        close(directory);
        return 0;
    }
    if (fault == NULL && i == 0) {
        note_use(directory, key->name, contents.used);
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
                                        .nentries = contents.nentries,
                                        .unwind = contents.unwind},
                               .memory = contents.memory};
    return 1;
}

int dame_cache_load(dame_cache_t *cache, const dame_cache_key_t *key, const dame_cache_room_t *room,
                    dame_cache_code_t *out)
{
    for (int i = 0; i < cache->ndirectories; i++) {
        if (*cache->directories[i] != '\0' && load_from(cache, i, key, room, out)) {
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

/* ---- what there is ---- */

void dame_cache_look(dame_cache_t *cache)
{
    for (int i = 0; i < cache->ndirectories; i++) {
        int directory;
        if (*cache->directories[i] != '\0' && open_cache_directory(cache, i, &directory)) {
            dame_cache_names_add(&cache->known, directory);
            close(directory);
        }
    }
}

int dame_cache_has(const dame_cache_t *cache, const dame_cache_key_t *key)
{
    return dame_cache_names_have(&cache->known, key->name, DAME_CACHE_DIGITS);
}

int dame_cache_has_shape(const dame_cache_t *cache, const dame_program_t *program, dame_dir_t dir)
{
    char few[1024], name[SHAPE_DIGITS + 1];
    if (cache->known.n == 0) {
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
    return dame_cache_names_have(&cache->known, name, SHAPE_DIGITS);
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
        atomic_fetch_add(&cache->removed, dame_cache_trim(directory, cache->limit - bytes));
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
        tell(cache, "machine code could not be kept in %s: %s", path, dame_file_error_text(error));
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
        return 1; /* no process could find another's code */
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
        dame_cache_file_read(directory, key->name, NULL, &contents, &unused) == NULL) {
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
