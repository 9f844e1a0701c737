/*
 * The file of a profile: lines of text, of which the last is a checksum of all before it. Numbers
 * are written and read without the C library's formats of the locale.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "dame/heap.h"
#include "dame_config.h"
#include "records.h"

enum {
    LARGEST_FILE = 1 << 20,
    FORMAT = 1,
    WAIT_MS = 2000 /* for other processes that write */
};

static const char first_line[] = "DAME profile ";

/* ---- Parsing -------------------------------------------------------------------------------- */

/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t checksum(const char *text, size_t size)
{
    uint64_t sum = 0xcbf29ce484222325;
    for (size_t i = 0; i < size; i++) {
        sum = (sum ^ (unsigned char) text[i]) * 0x100000001b3;
    }
    return sum;
}

/* Cuts the next word off, which ends at a blank or, the last one, at the line's end. */
static char *next_word(char **rest)
{
    return strsep(rest, " ");
}

static int parse_number(const char *word, int64_t *out)
{
    char *end;
    if (NULL == word || *word < '0' || *word > '9') {
        return 0;
    }
    errno = 0;
    const long long number = strtoll(word, &end, 10);
    *out = number;
    return 0 == errno && '\0' == *end;
}

static int parse_word(const char *word, char out[DAME_PROFILE_WORD])
{
    if (NULL == word || strlen(word) >= DAME_PROFILE_WORD) {
        return 0;
    }
    (void) strcpy(out, word);
    return 1;
}

/* "KIND pack|unpack CLASS CANDIDATE MEAN SAMPLES" */
static int parse_record(char *line, dame_records_t *out)
{
    dame_profile_key_t key = {.dir = DAME_PACK};
    dame_profile_value_t value;
    int64_t size_class;
    if (!parse_word(next_word(&line), key.kind)) {
        return 0;
    }
    const char *dir = next_word(&line);
    key.dir = NULL == dir                  ? -1
              : 0 == strcmp(dir, "pack")   ? DAME_PACK
              : 0 == strcmp(dir, "unpack") ? DAME_UNPACK
                                           : -1;
    if (!parse_number(next_word(&line), &size_class) ||
        !parse_word(next_word(&line), key.candidate) ||
        !parse_number(next_word(&line), &value.mean) ||
        !parse_number(next_word(&line), &value.samples) || NULL != line || size_class > INT_MAX) {
        return 0;
    }
    key.size_class = (int32_t) size_class;
    if (!dame_profile_key_valid(&key) || !dame_profile_value_valid(&value) ||
        NULL != dame_records_find(out, &key)) {
        return 0;
    }
    dame_record_t *record = dame_records_put(out, &key);
    if (NULL != record) {
        record->known = value;
    }
    return NULL != record;
}

/* The lines before the records. */
static dame_profile_read_t parse_head(char **rest, const char *cpu, char *why, size_t room)
{
    const char *format = strsep(rest, "\n");
    const char *version = NULL == *rest ? "" : strsep(rest, "\n");
    const char *found = NULL == *rest ? "" : strsep(rest, "\n");
    int64_t number;
    if (0 != strncmp(format, first_line, sizeof(first_line) - 1) ||
        !parse_number(format + sizeof(first_line) - 1, &number)) {
        (void) snprintf(why, room, "it is not a profile of DAME");
        return DAME_PROFILE_KEEP;
    }
    if (FORMAT != number) {
        (void) snprintf(why, room, "its format, %" PRId64 ", is another than %d", number, FORMAT);
        return DAME_PROFILE_KEEP;
    }
    if (0 != strncmp(found, "cpu ", 4) || 0 != strcmp(found + 4, cpu)) {
        (void) snprintf(why, room, "it is of another CPU than %s", cpu);
        return DAME_PROFILE_KEEP;
    }
    if (0 != strncmp(version, "dame ", 5) || 0 != strcmp(version + 5, DAME_VERSION)) {
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
    if (size < LAST || NULL != memchr(text, '\0', size)) {
        return 0;
    }
    (void) snprintf(expected, sizeof(expected), "sum %016" PRIx64 "\n",
                    checksum(text, size - LAST));
    if (0 != strcmp(expected, text + size - LAST)) {
        return 0;
    }
    text[size - LAST] = '\0';
    return 1;
}

static dame_profile_read_t parse(char *text, size_t size, const char *cpu, dame_records_t *out,
                                 char *why, size_t room)
{
    char *rest = text;
    const int whole = take_checksum(text, size);
    const dame_profile_read_t head = parse_head(&rest, cpu, why, room);
    if (DAME_PROFILE_GOOD != head) {
        return head;
    }
    int good = whole;
    while (good && NULL != rest && '\0' != *rest) {
        good = parse_record(strsep(&rest, "\n"), out);
    }
    if (!good) {
        (void) snprintf(why, room, "it is damaged");
        return DAME_PROFILE_REPLACE;
    }
    return DAME_PROFILE_GOOD;
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* A file that is the user's or root's, and no symbolic link, so that nobody else chooses it. */
static int open_own(const char *path, int flags, size_t *size, char *why, size_t room)
{
    struct stat found;
    const int file = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) {
        (void) snprintf(why, room, "%s",
                        ELOOP == errno ? "it is a symbolic link" : strerror(errno));
        return -1;
    }
    const char *wrong = 0 != fstat(file, &found)                         ? strerror(errno)
                        : !S_ISREG(found.st_mode)                        ? "it is not a file"
                        : found.st_uid != geteuid() && 0 != found.st_uid ? "it is another user's"
                        : found.st_size > LARGEST_FILE                   ? "it is too long"
                                                                         : NULL;
    if (NULL != wrong) {
        (void) snprintf(why, room, "%s", wrong);
        (void) close(file);
        errno = EPERM;
        return -1;
    }
    *size = (size_t) found.st_size;
    return file;
}

static int read_all(int file, char *text, size_t size)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t n = read(file, text + done, size - done);
        if (n > 0) {
            done += (size_t) n;
        } else if (n == 0 || EINTR != errno) {
            return 0;
        }
    }
    return 1;
}

dame_profile_read_t dame_profile_read(const char *path, const char *cpu, dame_records_t *out,
                                      char *why, size_t room)
{
    size_t size;
    const int file = open_own(path, O_RDONLY, &size, why, room);
    if (file < 0) {
        return ENOENT == errno ? DAME_PROFILE_NONE : DAME_PROFILE_KEEP;
    }
    dame_profile_read_t result = DAME_PROFILE_KEEP;
    char *text = dame_heap_alloc(size + 1);
    if (NULL == text) {
        (void) snprintf(why, room, "memory is out");
    } else if (!read_all(file, text, size)) {
        (void) snprintf(why, room, "it cannot be read");
    } else {
        text[size] = '\0';
        result = parse(text, size, cpu, out, why, room);
    }
    (void) close(file);
    dame_heap_free(text);
    if (DAME_PROFILE_GOOD != result) {
        dame_records_free(out);
    }
    return result;
}

/* ---- Writing -------------------------------------------------------------------------------- */

static void print(const char *cpu, const dame_records_t *records, FILE *out)
{
    fprintf(out, "%s%d\ndame %s\ncpu %s\n", first_line, FORMAT, DAME_VERSION, cpu);
    for (int32_t i = 0; i < records->n; i++) {
        const dame_record_t *record = &records->at[i];
        if (record->known.samples > 0) {
            fprintf(out, "%s %s %" PRId32 " %s %" PRId64 " %" PRId64 "\n", record->key.kind,
                    DAME_PACK == record->key.dir ? "pack" : "unpack", record->key.size_class,
                    record->key.candidate, record->known.mean, record->known.samples);
        }
    }
}

static int write_all(int file, const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t n = write(file, text, size);
        if (n >= 0) {
            text += n;
            size -= (size_t) n;
        } else if (EINTR != errno) {
            return errno;
        }
    }
    return 0;
}

/* The text of a file, malloc()'s; NULL: out of memory. */
static char *new_text(const char *cpu, const dame_records_t *records, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (NULL == out) {
        return NULL;
    }
    print(cpu, records, out);
    int good = 0 == fflush(out);
    if (good) {
        fprintf(out, "sum %016" PRIx64 "\n", checksum(text, *size));
    }
    good = 0 == fclose(out) && good;
    if (!good) {
        free(text);
        text = NULL;
    }
    return text;
}

static int write_file(const char *path, const char *text, size_t size)
{
    (void) unlink(path); /* a process that was killed left it */
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (file < 0) {
        return errno;
    }
    int error = write_all(file, text, size);
    if (0 == error && 0 != fsync(file)) {
        error = errno;
    }
    if (0 != close(file) && 0 == error) {
        error = errno;
    }
    return error;
}

int dame_profile_write(const char *path, const char *cpu, const dame_records_t *records)
{
    char beside[PATH_MAX];
    size_t size;
    if (snprintf(beside, sizeof(beside), "%s.new", path) >= (int) sizeof(beside)) {
        return ENAMETOOLONG;
    }
    char *text = new_text(cpu, records, &size);
    if (NULL == text) {
        return ENOMEM;
    }
    int error = write_file(beside, text, size);
    if (0 == error && 0 != rename(beside, path)) {
        error = errno;
    }
    if (0 != error) {
        (void) unlink(beside);
    }
    free(text);
    return error;
}

int dame_profile_lock(const char *path, int *error)
{
    char beside[PATH_MAX];
    if (snprintf(beside, sizeof(beside), "%s.lock", path) >= (int) sizeof(beside)) {
        *error = ENAMETOOLONG;
        return -1;
    }
    const int file = open(beside, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    int result = file < 0 ? -1 : flock(file, LOCK_EX | LOCK_NB);
    for (int ms = 0; file >= 0 && 0 != result && ms < WAIT_MS; ms++) {
        if (EWOULDBLOCK != errno && EINTR != errno) {
            break;
        }
        (void) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        result = flock(file, LOCK_EX | LOCK_NB);
    }
    if (0 != result) {
        *error = errno;
        if (file >= 0) {
            (void) close(file);
        }
        return -1;
    }
    return file;
}
