/* SPDX-License-Identifier: BSD-3-Clause */
/* The format of the code cache's files. */
#define _GNU_SOURCE
#include "cache_file.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/user_file.h"
#include "base/whole_file.h"

enum { FORMAT = 4, LARGEST_FILE = 64 << 20 };

/*
 * A file: this header, the key, the entries, the code. Numbers are the machine's own, so the magic
 * number tells a file of another byte order.
 */
typedef struct header {
    char magic[8];
    uint32_t format;
    uint32_t nentries;
    uint64_t key_size;
    uint64_t code_size;
    uint64_t unwind;   /* in the code, 0: none */
    uint64_t checksum; /* of the whole file, with this field 0 */
    char maker[DAME_CACHE_MAKER];
} header_t;

static const char magic[8] = {'D', 'A', 'M', 'E', 'c', 'o', 'd', 'e'};

/* Both steps can be undone, so no word's change is lost. The multiplication carries it upwards
 * only, the shift brings it down. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

uint64_t dame_cache_hash(uint64_t seed, const void *bytes, size_t size)
{
    const char *at = bytes;
    uint64_t word = 0, hash = mix(seed, size);
    size_t rest = size;
    for (; rest >= sizeof(word); rest -= sizeof(word), at += sizeof(word)) {
        memcpy(&word, at, sizeof(word));
        hash = mix(hash, word);
    }
    word = 0;
    memcpy(&word, at, rest);
    return mix(hash, word);
}

/* ---- reading ---- */

static int read_code_file(int fd, char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t n = read(fd, bytes, size);
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return 0;
        }
        if (n > 0) {
            bytes += n;
            size -= (size_t) n;
        }
    }
    return 1;
}

/* Returns the checksum of a file in memory, with that field cleared. */
static uint64_t checksum_of(char *memory, size_t size)
{
    memset(memory + offsetof(header_t, checksum), 0, sizeof(uint64_t));
    return dame_cache_hash(0, memory, size);
}

/* Returns whether every entry is inside the code. */
static int are_inside(const dame_cache_contents_t *contents)
{
    for (int32_t i = 0; i < contents->nentries; i++) {
        if (contents->entries[i].offset >= contents->code_size || contents->entries[i].prim < 0) {
            return 0;
        }
    }
    return 1;
}

/* Finds the parts of a file in memory, which has a header. Returns NULL, or the defect. */
static const char *parse_code_file(char *memory, size_t size, dame_cache_contents_t *out)
{
    header_t header;
    memcpy(&header, memory, sizeof(header));
    if (memcmp(header.magic, magic, sizeof(magic)) != 0) {
        return "it is not code for this CPU architecture";
    }
    if (header.format != FORMAT) {
        return "it has another version";
    }
    size_t rest = size - sizeof(header);
    const size_t entries = header.nentries * sizeof(dame_entry_point_t);
    /* The entries follow the key, which is padded to their alignment. */
    if (header.key_size > rest || header.key_size % _Alignof(dame_entry_point_t) != 0 ||
        entries > rest - header.key_size || header.nentries > INT32_MAX ||
        header.code_size != rest - header.key_size - entries) {
        return "its parts do not add up to its size";
    }
    if (checksum_of(memory, size) != header.checksum) {
        return "its checksum is wrong";
    }
    if (memchr(header.maker, '\0', sizeof(header.maker)) == NULL) {
        return "its maker is damaged";
    }
    out->maker = memory + offsetof(header_t, maker);
    out->key = memory + sizeof(header);
    out->key_size = header.key_size;
    out->entries = (const dame_entry_point_t *) (const void *) (out->key + header.key_size);
    out->nentries = (int32_t) header.nentries;
    out->code = out->key + header.key_size + entries;
    out->code_size = header.code_size;
    if (memchr(out->key + (out->key_size > 0), '\0', out->key_size - (out->key_size > 0)) == NULL) {
        return "its key is damaged";
    }
    if (!are_inside(out)) {
        return "an entry is outside of the code";
    }
    if (header.unwind >= header.code_size || header.unwind % 8 != 0) {
        return "its unwind table is outside of the code";
    }
    out->unwind = (uint32_t) header.unwind;
    return NULL;
}

const char *dame_cache_file_read(int directory, const char *name, const dame_cache_room_t *room,
                                 dame_cache_contents_t *out, int *error)
{
    int fd;
    struct stat about;
    *error = dame_user_file_open(directory, name, &fd, &about);
    if (*error != 0) {
        return dame_file_error_text(*error);
    }
    const size_t size = (size_t) about.st_size;
    if (size < sizeof(header_t) || size > LARGEST_FILE) {
        close(fd);
        return size > LARGEST_FILE ? "it is too large" : "it is too short";
    }
    const int fits = room != NULL && size <= room->size;
    dame_cache_contents_t contents = {.memory = fits ? NULL : dame_heap_alloc(size),
                                      .used = about.st_mtime};
    char *bytes = fits ? room->bytes : contents.memory;
    if (bytes == NULL) {
        close(fd);
        *error = ENOMEM;
        return dame_file_error_text(ENOMEM);
    }
    const char *fault = read_code_file(fd, bytes, size) ? parse_code_file(bytes, size, &contents)
                                                        : "it could not be read";
    close(fd);
    if (fault != NULL) {
        dame_heap_free(contents.memory);
        return fault;
    }
    *out = contents;
    return NULL;
}

static size_t padded(size_t size)
{
    const size_t unit = _Alignof(dame_entry_point_t);
    return (size + unit - 1) / unit * unit;
}

int dame_cache_file_is_older(const dame_cache_contents_t *contents, const dame_cache_key_t *key)
{
    return strverscmp(contents->maker, key->maker) < 0;
}

int dame_cache_file_is_for(const dame_cache_contents_t *contents, const dame_cache_key_t *key)
{
    return contents->key_size == padded(key->size) &&
           memcmp(contents->key, key->bytes, key->size) == 0;
}

/* ---- writing ---- */

size_t dame_cache_file_size(const dame_cache_key_t *key, const dame_machine_code_t *code)
{
    return sizeof(header_t) + padded(key->size) +
           (size_t) code->nentries * sizeof(code->entries[0]) + code->size;
}

int dame_cache_file_write(int directory, const dame_cache_key_t *key,
                          const dame_machine_code_t *code)
{
    const size_t size = dame_cache_file_size(key, code);
    const size_t entries = (size_t) code->nentries * sizeof(code->entries[0]);
    header_t header = {.format = FORMAT,
                       .nentries = (uint32_t) code->nentries,
                       .key_size = padded(key->size),
                       .code_size = code->size,
                       .unwind = code->unwind};
    if (size > LARGEST_FILE) {
        return EFBIG;
    }
    char *memory = dame_heap_zalloc(size);
    if (memory == NULL) {
        return ENOMEM;
    }
    memcpy(header.magic, magic, sizeof(magic));
    strcpy(header.maker, key->maker);
    char *at = memory + sizeof(header);
    memcpy(at, key->bytes, key->size);
    at += header.key_size;
    memcpy(at, code->entries, entries);
    memcpy(at + entries, code->bytes, code->size);
    memcpy(memory, &header, sizeof(header));
    header.checksum = checksum_of(memory, size);
    memcpy(memory, &header, sizeof(header));
    const int error = dame_user_file_write(directory, key->name, memory, size);
    dame_heap_free(memory);
    return error;
}
