/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of a profile, sorted by key; and its file. Private to measure/ and the tests. */
#ifndef DAME_RECORDS_H
#define DAME_RECORDS_H

#include "profile_types.h"
#include "base/heap.h"

typedef struct dame_record {
    dame_profile_key_t key;
    dame_profile_value_t known;  /* the file's and new measurements; 0 samples: nothing */
    dame_profile_value_t learnt; /* since the file was written last */
    int64_t confirmed; /* the number of the write that measured it last, from 1 on, or DAME_NOW */
} dame_record_t;

#define DAME_NOW INT64_MAX /* measured since the file was written last */

typedef struct dame_records {
    dame_record_t *at; /* dame_heap_alloc()'s */
    int32_t n, room;
    int64_t writes;  /* the largest number of one, DAME_NOW left out */
    int32_t dropped; /* records that gave way to others */
} dame_records_t;

dame_record_t *dame_records_find(const dame_records_t *records, const dame_profile_key_t *key);

/* Records are in order of kind, direction, size class and candidate. The number of the first that
 * differs from the key in the candidate at most, or where it would be; and whether keys do. */
int32_t dame_records_of_kind(const dame_records_t *records, const dame_profile_key_t *key);
int dame_records_same_kind(const dame_profile_key_t *a, const dame_profile_key_t *b);

/* Finds or makes it. Where there are DAME_PROFILE_RECORDS, the one that was confirmed least
 * recently gives way, of several the one of the fewest samples. NULL: out of memory. Pointers to
 * other records end. */
dame_record_t *dame_records_put(dame_records_t *records, const dame_profile_key_t *key);

/* The record was measured, or read: `confirmed` says when. */
void dame_records_confirm(dame_records_t *records, dame_record_t *record, int64_t confirmed);

void dame_records_free(dame_records_t *records);

/* Returns whether the key is within the bounds that profile.h states. */
int dame_profile_key_valid(const dame_profile_key_t *key);
int dame_profile_value_valid(const dame_profile_value_t *value);

/* The mean of both, by their numbers of samples. */
void dame_profile_value_add(dame_profile_value_t *to, const dame_profile_value_t *from);

typedef enum dame_profile_read {
    DAME_PROFILE_GOOD,
    DAME_PROFILE_NONE,    /* no such file, or an empty one */
    DAME_PROFILE_REPLACE, /* no good, and may be overwritten: damaged, or of another DAME */
    DAME_PROFILE_KEEP     /* no good, and not ours to change */
} dame_profile_read_t;

/* Reads the file of that CPU into `out`, which is empty, and stays empty unless the file is good.
 * `why`, of `room` bytes: a sentence's end that names the defect. */
dame_profile_read_t dame_profile_read(const char *path, const char *cpu, dame_records_t *out,
                                      char *why, size_t room);

/* A file that this process may write; no other does at the same time, if files can be locked. */
typedef struct dame_profile_lock {
    int directory;
    const char *name; /* in it: of the path */
    int file;         /* -1: its file system locks no files */
} dame_profile_lock_t;

/* Waits for other processes that write `path`, up to two seconds; makes its directories. The path
 * stays until dame_profile_unlock(). 0, or an error number. */
int dame_profile_lock(const char *path, dame_profile_lock_t *lock);
void dame_profile_unlock(const dame_profile_lock_t *lock);

/* Writes the records' known values. 0, or an error number, and then the file is as it was. */
int dame_profile_write(const dame_profile_lock_t *lock, const char *cpu,
                       const dame_records_t *records);

#endif
