/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of a profile: lines of text, of which the last is a checksum of all before it. Numbers
 * are written and read without the C library's formats of the locale.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/heap.h"
#include "dame/program.h"
#include "dame_config.h"
#include "base/user_file.h"
#include "base/whole_file.h"
#include "records.h"

enum {
    LARGEST_FILE = 1 << 20,
    FORMAT = 2,
    WAIT_MS = 200 /* for other processes that write */
};

static const int64_t MOST_WRITES = (int64_t) 1 << 40;

static const char first_line[] = "DAME profile ";

/* ---- Parsing -------------------------------------------------------------------------------- */

static uint64_t checksum(const char *text, size_t size)
{
    return dame_hash_bytes(DAME_NO_BYTES, text, size);
}

/* Cuts the next word off, which ends at a blank or, the last one, at the line's end. */
static char *next_word(char **rest)
{
    return strsep(rest, " ");
}

static int parse_number(const char *word, int64_t *out)
{
    char *end;
    if (word == NULL || *word < '0' || *word > '9') {
        return 0;
    }
    errno = 0;
    const long long number = strtoll(word, &end, 10);
    *out = number;
    return errno == 0 && *end == '\0';
}

static int parse_word(const char *word, char *out, size_t room)
{
    if (word == NULL || strlen(word) >= room) {
        return 0;
    }
    (void) strcpy(out, word);
    return 1;
}

/* "KIND pack|unpack CLASS CANDIDATE MEAN SAMPLES CONFIRMED". 0, or an error number. */
static int parse_record(char *line, dame_records_t *out)
{
    dame_profile_key_t key = {.dir = DAME_PACK};
    dame_profile_value_t value;
    int64_t size_class, confirmed;
    if (!parse_word(next_word(&line), key.kind, sizeof(key.kind))) {
        return EINVAL;
    }
    const char *dir = next_word(&line);
    key.dir = dir == NULL                  ? -1
              : strcmp(dir, "pack") == 0   ? DAME_PACK
              : strcmp(dir, "unpack") == 0 ? DAME_UNPACK
                                           : -1;
    if (!parse_number(next_word(&line), &size_class) ||
        !parse_word(next_word(&line), key.candidate, sizeof(key.candidate)) ||
        !parse_number(next_word(&line), &value.mean) ||
        !parse_number(next_word(&line), &value.samples) ||
        !parse_number(next_word(&line), &confirmed) || line != NULL || size_class > INT_MAX) {
        return EINVAL;
    }
    key.size_class = (int32_t) size_class;
    if (!dame_profile_key_valid(&key) || !dame_profile_value_valid(&value) || confirmed < 1 ||
        confirmed > MOST_WRITES || dame_records_find(out, &key) != NULL ||
        out->n == DAME_PROFILE_RECORDS) {
        return EINVAL;
    }
    dame_record_t *record = dame_records_put(out, &key);
    if (record == NULL) {
        return ENOMEM;
    }
    record->known = value;
    dame_records_confirm(out, record, confirmed);
    return 0;
}

/* The lines before the records. */
static dame_profile_read_t parse_head(char **rest, const char *cpu, char *why, size_t room)
{
    const char *format = strsep(rest, "\n");
    const char *version = *rest == NULL ? "" : strsep(rest, "\n");
    const char *found = *rest == NULL ? "" : strsep(rest, "\n");
    int64_t number;
    if (strncmp(format, first_line, sizeof(first_line) - 1) != 0 ||
        !parse_number(format + sizeof(first_line) - 1, &number)) {
        (void) snprintf(why, room, "it is not a profile of DAME");
        return DAME_PROFILE_KEEP;
    }
    if (number != FORMAT) {
        (void) snprintf(why, room, "its format, %" PRId64 ", is another than %d", number, FORMAT);
        return number < FORMAT ? DAME_PROFILE_REPLACE : DAME_PROFILE_KEEP;
    }
    if (strncmp(found, "cpu ", 4) != 0 || strcmp(found + 4, cpu) != 0) {
        (void) snprintf(why, room, "it is of another CPU than %s", cpu);
        return DAME_PROFILE_KEEP;
    }
    if (strncmp(version, "dame ", 5) != 0 || strcmp(version + 5, DAME_VERSION) != 0) {
        (void) snprintf(why, room, "it is of another version than %s", DAME_VERSION);
        return DAME_PROFILE_REPLACE;
    }
    return DAME_PROFILE_GOOD;
}

/* Checks and cuts off the last line. */
static int take_checksum(char *text, size_t size)
{
    enum { LAST = sizeof("sum 0123456789abcdef\n") - 1 };
    char expected[LAST + 1];
    if (size < LAST || memchr(text, '\0', size) != NULL) {
        return 0;
    }
    (void) snprintf(expected, sizeof(expected), "sum %016" PRIx64 "\n",
                    checksum(text, size - LAST));
    if (strcmp(expected, text + size - LAST) != 0) {
        return 0;
    }
    text[size - LAST] = '\0';
    return 1;
}

static dame_profile_read_t parse_profile(char *text, size_t size, const char *cpu,
                                         dame_records_t *out, char *why, size_t room)
{
    char *rest = text;
    const int whole = take_checksum(text, size);
    const dame_profile_read_t head = parse_head(&rest, cpu, why, room);
    if (head != DAME_PROFILE_GOOD) {
        return head;
    }
    int error = whole ? 0 : EINVAL;
    while (error == 0 && rest != NULL && *rest != '\0') {
        error = parse_record(strsep(&rest, "\n"), out);
    }
    if (error != 0) {
        (void) snprintf(why, room, "%s", error == EINVAL ? "it is damaged" : strerror(error));
        return error == EINVAL ? DAME_PROFILE_REPLACE : DAME_PROFILE_KEEP;
    }
    return DAME_PROFILE_GOOD;
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* The directory of a file, opened, and the file's name in it. 0, or an error number. */
static int open_profile_directory(const char *path, int make, int *directory, const char **name)
{
    const char *slash = strrchr(path, '/');
    const size_t length = (size_t) (slash - path) + 1;
    char *above = dame_heap_alloc(length + 1); /* stacks may be small */
    if (above == NULL) {
        return ENOMEM;
    }
    memcpy(above, path, length);
    above[length] = '\0';
    *name = slash + 1;
    const int error = dame_user_directory_open(above, make, directory);
    dame_heap_free(above);
    return error;
}

static int read_profile(int file, char *text, size_t size)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t n = read(file, text + done, size - done);
        if (n > 0) {
            done += (size_t) n;
        } else if (n == 0 || errno != EINTR) {
            return 0;
        }
    }
    text[size] = '\0';
    return 1;
}

/* The file's text, dame_heap_alloc()'s, or NULL, an error number, and its owner. */
static char *read_text(const char *path, size_t *size, int *error, const char **whose)
{
    const char *name;
    char *text = NULL;
    int directory, file;
    struct stat about;
    *whose = "its directory is not used: ";
    *error = open_profile_directory(path, 0, &directory, &name);
    if (*error != 0) {
        return NULL;
    }
    *whose = "";
    *error = dame_user_file_open(directory, name, &file, &about);
    (void) close(directory);
    if (*error != 0) {
        return NULL;
    }
    *size = (size_t) about.st_size;
    *error = *size > LARGEST_FILE ? EFBIG : 0;
    if (*error == 0 &&
        ((text = dame_heap_alloc(*size + 1)) == NULL || !read_profile(file, text, *size))) {
        *error = text == NULL ? ENOMEM : EIO;
        dame_heap_free(text);
        text = NULL;
    }
    (void) close(file);
    return text;
}

dame_profile_read_t dame_profile_read(const char *path, const char *cpu, dame_records_t *out,
                                      char *why, size_t room)
{
    size_t size;
    int error;
    const char *whose;
    char *text = read_text(path, &size, &error, &whose);
    if (text == NULL) {
        (void) snprintf(why, room, "%s%s", whose, dame_file_error_text(error));
        return error == ENOENT ? DAME_PROFILE_NONE : DAME_PROFILE_KEEP;
    }
    const dame_profile_read_t result =
        size == 0 ? DAME_PROFILE_NONE : parse_profile(text, size, cpu, out, why, room);
    dame_heap_free(text);
    if (result != DAME_PROFILE_GOOD) {
        dame_records_free(out);
    }
    return result;
}

/* ---- Writing -------------------------------------------------------------------------------- */

static void print_profile(const char *cpu, const dame_records_t *records, FILE *out)
{
    fprintf(out, "%s%d\ndame %s\ncpu %s\n", first_line, FORMAT, DAME_VERSION, cpu);
    for (int32_t i = 0; i < records->n; i++) {
        const dame_record_t *record = &records->at[i];
        if (record->known.samples > 0) {
            fprintf(out, "%s %s %" PRId32 " %s %" PRId64 " %" PRId64 " %" PRId64 "\n",
                    record->key.kind, record->key.dir == DAME_PACK ? "pack" : "unpack",
                    record->key.size_class, record->key.candidate, record->known.mean,
                    record->known.samples, record->confirmed);
        }
    }
}

/* The text of a file, malloc()'s; NULL: out of memory. */
static char *new_text(const char *cpu, const dame_records_t *records, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (out == NULL) {
        return NULL;
    }
    print_profile(cpu, records, out);
    int good = fflush(out) == 0;
    if (good) {
        fprintf(out, "sum %016" PRIx64 "\n", checksum(text, *size));
    }
    good = fclose(out) == 0 && good;
    if (!good) {
        free(text);
        text = NULL;
    }
    return text;
}

int dame_profile_write(const dame_profile_lock_t *lock, const char *cpu,
                       const dame_records_t *records)
{
    size_t size;
    char *text = new_text(cpu, records, &size);
    const int error =
        text == NULL ? ENOMEM : dame_user_file_write(lock->directory, lock->name, text, size);
    free(text);
    return error;
}

static int lock_name(const dame_profile_lock_t *lock, char *name)
{
    return snprintf(name, NAME_MAX + 1, "%s.lock", lock->name) <= NAME_MAX ? 0 : ENAMETOOLONG;
}

int dame_profile_lock(const char *path, dame_profile_lock_t *lock)
{
    char name[NAME_MAX + 1];
    int error = open_profile_directory(path, 1, &lock->directory, &lock->name);
    if (error != 0) {
        return error;
    }
    error = lock_name(lock, name);
    if (error == 0) {
        error = dame_user_trylock(lock->directory, name, &lock->file);
    }
    for (int ms = 0; error == EWOULDBLOCK && ms < WAIT_MS; ms++) {
        (void) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        error = dame_user_trylock(lock->directory, name, &lock->file);
    }
    /* The last of several writers wins: what the others have learnt is lost, the file is whole. */
    if (error == DAME_FILE_NO_LOCKS) {
        lock->file = -1;
        error = 0;
    }
    if (error != 0) {
        (void) close(lock->directory);
    }
    return error;
}

void dame_profile_unlock(const dame_profile_lock_t *lock)
{
    char name[NAME_MAX + 1];
    if (lock->file >= 0 && lock_name(lock, name) == 0) {
        dame_user_unlock(lock->directory, name, lock->file);
    }
    (void) close(lock->directory);
}
