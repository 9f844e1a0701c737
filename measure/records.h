/* The records of a profile, sorted by key; and its file. Private to measure/ and the tests. */
#ifndef DAME_RECORDS_H
#define DAME_RECORDS_H

#include "profile.h"

typedef struct dame_record {
    dame_profile_key_t key;
    dame_profile_value_t known;  /* the file's and what was learnt; 0 samples: nothing */
    dame_profile_value_t learnt; /* since the file was written last */
} dame_record_t;

typedef struct dame_records {
    dame_record_t *at; /* dame_heap_alloc()'s */
    int32_t n, room;
} dame_records_t;

dame_record_t *dame_records_find(const dame_records_t *records, const dame_profile_key_t *key);

/* Finds or makes it. NULL: out of memory, or there are DAME_PROFILE_RECORDS. Pointers to other
 * records end. */
dame_record_t *dame_records_put(dame_records_t *records, const dame_profile_key_t *key);

void dame_records_free(dame_records_t *records);

/* Is it within the bounds that profile.h states? */
int dame_profile_key_valid(const dame_profile_key_t *key);
int dame_profile_value_valid(const dame_profile_value_t *value);

/* The mean of both, by their numbers of samples. */
void dame_profile_value_add(dame_profile_value_t *to, const dame_profile_value_t *from);

typedef enum dame_profile_read {
    DAME_PROFILE_GOOD,
    DAME_PROFILE_NONE,    /* no such file */
    DAME_PROFILE_REPLACE, /* no good, and may be overwritten: damaged, or of another DAME */
    DAME_PROFILE_KEEP     /* no good, and not ours to change */
} dame_profile_read_t;

/* Reads the file of that CPU into `out`, which is empty, and stays empty unless the file is good.
 * `why`, of `room` bytes: a sentence's end that says what is wrong. */
dame_profile_read_t dame_profile_read(const char *path, const char *cpu, dame_records_t *out,
                                      char *why, size_t room);

/* Writes the records' known values to a file beside it, which becomes `path` when it is whole. 0,
 * or an error number. The caller holds the lock of dame_profile_lock(). */
int dame_profile_write(const char *path, const char *cpu, const dame_records_t *records);

/* Waits for other processes that write `path`, up to two seconds. The lock's file, to be closed by
 * the caller; or -1 and an error number. */
int dame_profile_lock(const char *path, int *error);

#endif
