/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One file of the code cache: machine code, its entries and the key it was made for. Private to
 * jit/.
 */
#ifndef DAME_CACHE_FILE_H
#define DAME_CACHE_FILE_H

#include <time.h>

#include "cache_types.h"
#include "base/heap.h"

/* What a file has, once its header and checksum have been found right. */
typedef struct dame_cache_contents {
    char *memory; /* owned: dame_heap_free(); NULL: the reader's room */
    const char *maker;
    const char *key;
    size_t key_size;                   /* with padding */
    const dame_entry_point_t *entries; /* inside the code */
    int32_t nentries;
    const char *code;
    size_t code_size;
    uint32_t unwind; /* dame_machine_code_t */
    time_t used;     /* when it was written, or last said to be used */
} dame_cache_contents_t;

/*
 * Reads a file of an open directory. Returns NULL and the contents; or the defect as text in static
 * storage, with an errno in *error after a failed system call and else 0. `room` may be NULL.
 */
const char *dame_cache_file_read(int directory, const char *name, const dame_cache_room_t *room,
                                 dame_cache_contents_t *out, int *error);

/* Bytes of a file, and writing it: 0 or an errno. */
size_t dame_cache_file_size(const dame_cache_key_t *key, const dame_machine_code_t *code);
int dame_cache_file_write(int directory, const dame_cache_key_t *key,
                          const dame_machine_code_t *code);

/* Returns whether the file was written for this key. */
int dame_cache_file_is_for(const dame_cache_contents_t *contents, const dame_cache_key_t *key);

/* Returns whether an older maker than the key asks for made the file. */
int dame_cache_file_is_older(const dame_cache_contents_t *contents, const dame_cache_key_t *key);

/* A hash of bytes. A word that differs always changes it. */
uint64_t dame_cache_hash(uint64_t seed, const void *bytes, size_t size);

#endif
