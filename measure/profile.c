/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "profile.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/lock.h"
#include "base/user_file.h"
#include "base/whole_file.h"
#include "records.h"

/* All but path and cpu is under DAME_LOCK_PROFILE. */
struct dame_profile {
    char path[PATH_MAX]; /* "": no file */
    char cpu[128];
    int was_read;
    int told; /* of an invalid file */
    int told_full;
    int learned;   /* since it was saved */
    pid_t process; /* that the profile belongs to, not a child of it */
    dame_profile_tell_t tell;
    void *argument; /* its */
    dame_records_t records;
};

/* ---- Where it is ---------------------------------------------------------------------------- */

static int is_directory(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

/* From the root on, since the program may change its working directory. */
static int absolute(const char *where, char *path, size_t room)
{
    char *working = *where == '/' ? NULL : getcwd(NULL, 0);
    const int length = snprintf(path, room, "%s%s%s", working == NULL ? "" : working,
                                working == NULL ? "" : "/", where);
    free(working);
    return length < (int) room;
}

/* Sets the path, "" without a place for it. */
static void find_place(dame_profile_t *profile, const char *where)
{
    char directory[PATH_MAX];
    int found;
    if (*where == '\0') {
        return;
    }
    if (strcmp(where, "auto") == 0) {
        found = dame_user_cache_directory(directory, sizeof(directory)) == 0;
    } else {
        found = absolute(where, directory, sizeof(directory));
    }
    if (!found) {
        return;
    }
    const int length =
        strcmp(where, "auto") == 0 || is_directory(directory)
            ? snprintf(profile->path, PATH_MAX, "%s/%s.profile", directory, profile->cpu)
            : snprintf(profile->path, PATH_MAX, "%s", directory);
    if (length >= PATH_MAX) {
        profile->path[0] = '\0';
    }
}

/* ---- Life ----------------------------------------------------------------------------------- */

dame_profile_t *dame_profile_new(const char *where, const char *cpu, dame_profile_tell_t tell,
                                 void *argument)
{
    dame_profile_t *profile = dame_heap_zalloc(sizeof(*profile));
    if (profile == NULL) {
        return NULL;
    }
    profile->process = getpid();
    (void) snprintf(profile->cpu, sizeof(profile->cpu), "%s", cpu);
    profile->tell = tell;
    profile->argument = argument;
    find_place(profile, where);
    return profile;
}

void dame_profile_free(dame_profile_t *profile)
{
    if (profile != NULL) {
        dame_records_free(&profile->records);
        dame_heap_free(profile);
    }
}

const char *dame_profile_path(dame_profile_t *profile)
{
    return profile->path;
}

/* ---- Reading -------------------------------------------------------------------------------- */

enum { LONGEST_TEXT = PATH_MAX + 256 }; /* too much for a small stack */

static void tell(dame_profile_t *profile, const char *why, const char *result)
{
    char *text = profile->tell != NULL && !profile->told ? dame_heap_alloc(LONGEST_TEXT) : NULL;
    if (text != NULL) {
        profile->told = 1;
        (void) snprintf(text, LONGEST_TEXT, "profile %s: %s; %s", profile->path, why, result);
        profile->tell(profile->argument, text, 1);
    }
    dame_heap_free(text);
}

static void tell_dropped(dame_profile_t *profile, int32_t dropped)
{
    const int wanted = profile->tell != NULL && dropped > 0 && !profile->told_full;
    char *text = wanted ? dame_heap_alloc(LONGEST_TEXT) : NULL;
    if (text != NULL) {
        profile->told_full = 1;
        (void) snprintf(text, LONGEST_TEXT,
                        "profile %s: it is full (%d records); %d records, of codes that were "
                        "measured least recently, gave way to new ones",
                        profile->path, DAME_PROFILE_RECORDS, (int) dropped);
        profile->tell(profile->argument, text, 0);
    }
    dame_heap_free(text);
}

static dame_profile_read_t read_file(dame_profile_t *profile, dame_records_t *out)
{
    char why[256];
    const dame_profile_read_t result =
        dame_profile_read(profile->path, profile->cpu, out, why, sizeof(why));
    if (result == DAME_PROFILE_REPLACE) {
        tell(profile, why, "it is not used, and is replaced by new measurements");
    } else if (result == DAME_PROFILE_KEEP) {
        tell(profile, why, "it is not used");
    }
    return result;
}

/* With the lock held. */
static void read_once(dame_profile_t *profile)
{
    if (!profile->was_read && *profile->path != '\0') {
        (void) read_file(profile, &profile->records);
    }
    profile->was_read = 1;
}

void dame_profile_load(dame_profile_t *profile)
{
    dame_lock(DAME_LOCK_PROFILE);
    read_once(profile);
    dame_unlock(DAME_LOCK_PROFILE);
}

int dame_profile_find(dame_profile_t *profile, const dame_profile_key_t *key,
                      dame_profile_value_t *out)
{
    dame_lock(DAME_LOCK_PROFILE);
    read_once(profile);
    const dame_record_t *record = dame_records_find(&profile->records, key);
    const int found = record != NULL && record->known.samples > 0;
    if (found) {
        *out = record->known;
    }
    dame_unlock(DAME_LOCK_PROFILE);
    return found;
}

int32_t dame_profile_find_all(dame_profile_t *profile, const dame_profile_key_t *key,
                              dame_profile_code_t *out, int32_t room)
{
    int32_t n = 0;
    dame_lock(DAME_LOCK_PROFILE);
    read_once(profile);
    const dame_records_t *records = &profile->records;
    for (int32_t i = dame_records_of_kind(records, key); i < records->n && n < room; i++) {
        const dame_record_t *at = &records->at[i];
        if (!dame_records_same_kind(&at->key, key)) {
            break;
        }
        if (at->known.samples > 0) {
            memcpy(out[n].candidate, at->key.candidate, sizeof(out[n].candidate));
            out[n++].value = at->known;
        }
    }
    dame_unlock(DAME_LOCK_PROFILE);
    return n;
}

int32_t dame_profile_each(dame_profile_t *profile,
                          void (*visit)(void *argument, const dame_profile_key_t *key,
                                        const dame_profile_value_t *value),
                          void *argument)
{
    dame_lock(DAME_LOCK_PROFILE);
    read_once(profile);
    const int32_t n = profile->records.n;
    const size_t size = (size_t) n * sizeof(dame_record_t);
    dame_record_t *copy = dame_heap_alloc(size == 0 ? 1 : size);
    if (copy != NULL && n > 0) {
        memcpy(copy, profile->records.at, size);
    }
    dame_unlock(DAME_LOCK_PROFILE);
    for (int32_t i = 0; copy != NULL && i < n; i++) {
        visit(argument, &copy[i].key, &copy[i].known);
    }
    dame_heap_free(copy);
    return copy == NULL ? -1 : n;
}

/* ---- Learning ------------------------------------------------------------------------------- */

void dame_profile_add(dame_profile_t *profile, const dame_profile_key_t *key,
                      const dame_profile_value_t *value)
{
    if (!dame_profile_key_valid(key) || !dame_profile_value_valid(value)) {
        return;
    }
    dame_lock(DAME_LOCK_PROFILE);
    read_once(profile);
    dame_record_t *record = dame_records_put(&profile->records, key);
    if (record != NULL) {
        dame_profile_value_add(&record->known, value);
        dame_profile_value_add(&record->learnt, value);
        dame_records_confirm(&profile->records, record, DAME_NOW);
        profile->learned = 1;
    }
    dame_unlock(DAME_LOCK_PROFILE);
}

/* 0, or an error number: memory is out. */
static int add_learnt(dame_records_t *to, const dame_records_t *from)
{
    const int64_t write = to->writes + 1;
    for (int32_t i = 0; i < from->n; i++) {
        if (from->at[i].learnt.samples == 0) {
            continue;
        }
        dame_record_t *record = dame_records_put(to, &from->at[i].key);
        if (record == NULL) {
            return ENOMEM;
        }
        dame_profile_value_add(&record->known, &from->at[i].learnt);
        dame_records_confirm(to, record, write);
    }
    return 0;
}

/* With both locks held. 0, or an error number. */
static int merge(dame_profile_t *profile, const dame_profile_lock_t *lock)
{
    dame_records_t merged = {0};
    if (read_file(profile, &merged) == DAME_PROFILE_KEEP) {
        return EPERM;
    }
    int error = add_learnt(&merged, &profile->records);
    error = error != 0 ? error : dame_profile_write(lock, profile->cpu, &merged);
    if (error != 0) {
        dame_records_free(&merged);
        return error;
    }
    tell_dropped(profile, merged.dropped);
    dame_records_free(&profile->records);
    profile->records = merged;
    profile->learned = 0;
    return 0;
}

static int lock_and_merge(dame_profile_t *profile)
{
    dame_profile_lock_t lock;
    int error = dame_profile_lock(profile->path, &lock);
    if (error == 0) {
        error = merge(profile, &lock);
        dame_profile_unlock(&lock);
    }
    if (error != 0) {
        tell(profile, dame_file_error_text(error), "measurements are not written");
    }
    return error;
}

dame_status_t dame_profile_save(dame_profile_t *profile)
{
    int error = 0;
    dame_lock(DAME_LOCK_PROFILE);
    if (profile->learned && *profile->path != '\0' && getpid() == profile->process) {
        error = lock_and_merge(profile);
    }
    dame_unlock(DAME_LOCK_PROFILE);
    return error == 0 ? DAME_OK : DAME_ERR_DENIED;
}
