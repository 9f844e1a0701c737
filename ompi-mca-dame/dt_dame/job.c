/* SPDX-License-Identifier: BSD-3-Clause */
#include "job.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/whole_file.h"

enum { LONGEST_PATH = DT_DAME_JOB_PATH + 64 };

static const char claim_suffix[] = ".collected";
static const char record_prefix[] = "rank-";

/* ---- When ----------------------------------------------------------------------------------- */

/* Ticks from the machine's start to this process's: field 22 of proc(5), the twentieth behind the
 * program's name, which may hold anything. */
static bool read_start(int64_t *ticks)
{
    char text[1024];
    FILE *file = fopen("/proc/self/stat", "re");
    const size_t length = file == NULL ? 0 : fread(text, 1, sizeof(text) - 1, file);
    if (file != NULL) {
        (void) fclose(file);
    }
    text[length] = '\0';
    const char *at = strrchr(text, ')');
    for (int field = 0; field < 20 && at != NULL; field++) {
        at = strchr(at + 1, ' ');
    }
    return at != NULL && sscanf(at, " %" SCNd64, ticks) == 1;
}

struct timespec dt_dame_job_began(void)
{
    enum { NS = 1000000000 };
    struct timespec now = {0}, running = {0};
    const int64_t rate = sysconf(_SC_CLK_TCK);
    int64_t ticks;
    if (rate <= 0 || !read_start(&ticks) || clock_gettime(CLOCK_BOOTTIME, &running) != 0 ||
        clock_gettime(CLOCK_REALTIME, &now) != 0) {
        return (struct timespec){0};
    }
    /* Files are stamped by a clock that may be a timer tick late, so that a file of this process
       could seem to be older: one tick earlier is certain. */
    ticks -= ticks > 0;
    const int64_t start = ticks / rate * NS + ticks % rate * (NS / rate);
    const int64_t age = (int64_t) running.tv_sec * NS + running.tv_nsec - start;
    const int64_t began = (int64_t) now.tv_sec * NS + now.tv_nsec - age;
    return (struct timespec){.tv_sec = began / NS, .tv_nsec = began % NS};
}

static bool is_of_an_earlier_job(const dt_dame_job_t *job, const struct stat *status)
{
    const struct timespec written = status->st_mtim;
    return written.tv_sec < job->began.tv_sec ||
           (written.tv_sec == job->began.tv_sec && written.tv_nsec < job->began.tv_nsec);
}

/* ---- The directory -------------------------------------------------------------------------- */

static void name_of_record(const dt_dame_job_t *job, int rank, char path[LONGEST_PATH])
{
    (void) snprintf(path, LONGEST_PATH, "%s/%s%d", job->directory, record_prefix, rank);
}

static void name_of_temporary(const dt_dame_job_t *job, int rank, char path[LONGEST_PATH])
{
    (void) snprintf(path, LONGEST_PATH, "%s/%s%d.new", job->directory, record_prefix, rank);
}

/* A directory of our own, not a link to one, that no other user can write to. */
static bool is_our_record(const char *directory)
{
    struct stat status;
    return lstat(directory, &status) == 0 && S_ISDIR(status.st_mode) &&
           geteuid() == status.st_uid && (status.st_mode & 022) == 0;
}

/* Removes records from a directory of ours: all, or those of an earlier job only. */
static void remove_records(const dt_dame_job_t *job, const char *directory, bool all)
{
    struct stat status;
    DIR *open = opendir(directory);
    struct dirent *entry;
    while (open != NULL && (entry = readdir(open)) != NULL) {
        const char *name = entry->d_name;
        if (strncmp(name, record_prefix, sizeof(record_prefix) - 1) == 0 &&
            fstatat(dirfd(open), name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            (all || is_of_an_earlier_job(job, &status))) {
            (void) unlinkat(dirfd(open), name, 0);
        }
    }
    if (open != NULL) {
        (void) closedir(open);
    }
}

static bool make_directory(const dt_dame_job_t *job)
{
    if (mkdir(job->directory, 0700) != 0 && errno != EEXIST) {
        return false;
    }
    if (!is_our_record(job->directory)) {
        errno = EPERM;
        return false;
    }
    return true;
}

bool dt_dame_job_open(dt_dame_job_t *job, const char *directory, int rank, int ranks,
                      struct timespec began)
{
    if (strlen(directory) + sizeof(claim_suffix) > sizeof(job->directory)) {
        errno = ENAMETOOLONG;
        return false;
    }
    (void) snprintf(job->directory, sizeof(job->directory), "%s", directory);
    job->rank = rank;
    job->ranks = ranks;
    job->began = began;
    return make_directory(job);
}

/* errno says why not. */
static bool write_all(int fd, const void *bytes, size_t size)
{
    errno = dame_file_write_bytes(fd, bytes, size);
    return errno == 0;
}

/* It follows a record, so that a record with changed bytes is not read. */
uint64_t dt_dame_job_checksum(const void *bytes, size_t size)
{
    return dame_hash_bytes(DAME_NO_BYTES, bytes, size);
}

/* A new file: a file of its name, of a rank that died, may be a pipe. */
static int create(const char *path)
{
    (void) unlink(path);
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

bool dt_dame_job_publish(const dt_dame_job_t *job, const void *record, size_t size)
{
    char path[LONGEST_PATH];
    char temporary[LONGEST_PATH];
    name_of_record(job, job->rank, path);
    name_of_temporary(job, job->rank, temporary);
    const uint64_t sum = dt_dame_job_checksum(record, size);
    int fd = create(temporary);
    if (fd < 0 && errno == ENOENT && make_directory(job)) { /* a writer that failed removed it */
        fd = create(temporary);
    }
    const bool written = fd >= 0 && write_all(fd, record, size) && write_all(fd, &sum, sizeof(sum));
    if ((fd < 0 || close(fd) == 0) && written && rename(temporary, path) == 0) {
        return true;
    }
    const int why = errno;
    (void) unlink(temporary);
    (void) rmdir(job->directory); /* of the last rank, when none has published; no rank collects */
    errno = why;
    return false;
}

/* Only one rank can rename the directory: no rank finds it under its name afterwards, even if
 * records are left in it. A job that was killed while it collected may have left one under the new
 * name. */
bool dt_dame_job_claim(dt_dame_job_t *job)
{
    char claimed[DT_DAME_JOB_PATH];
    (void) snprintf(claimed, sizeof(claimed), "%.*s%s",
                    (int) (sizeof(claimed) - sizeof(claim_suffix)), job->directory, claim_suffix);
    if (is_our_record(claimed)) {
        remove_records(job, claimed, false);
    }
    if (rename(job->directory, claimed) != 0) {
        return false;
    }
    memcpy(job->directory, claimed, sizeof(claimed));
    return true;
}

static bool read_records(int fd, void *to, size_t size)
{
    char *at = to;
    while (size > 0) {
        const ssize_t n = read(fd, at, size);
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return false;
        }
        if (n > 0) {
            at += n;
            size -= (size_t) n;
        }
    }
    return true;
}

/* A file with another size, or with changed bytes, is not a record of ours. errno says why not. */
static bool read_record(const dt_dame_job_t *job, const char *path, char *record, size_t size)
{
    struct stat status;
    uint64_t sum;
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return false;
    }
    errno = 0;
    const bool is_record = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                           (off_t) (size + sizeof(sum)) == status.st_size &&
                           !is_of_an_earlier_job(job, &status);
    const bool complete = is_record && read_records(fd, record, size) &&
                          read_records(fd, &sum, sizeof(sum)) &&
                          dt_dame_job_checksum(record, size) == sum;
    const int error = complete ? 0 : errno != 0 ? errno : EBADMSG;
    (void) close(fd);
    errno = error;
    return complete;
}

void dt_dame_job_withdraw(const dt_dame_job_t *job)
{
    char path[LONGEST_PATH];
    name_of_record(job, job->rank, path);
    (void) unlink(path);
    (void) rmdir(job->directory);
}

int dt_dame_job_read(const dt_dame_job_t *job, void *record, size_t size,
                     void (*visit)(void *context, const void *record), void *context)
{
    char path[LONGEST_PATH];
    int found = 0, error = ENOENT;
    for (int rank = 0; rank < job->ranks; rank++) {
        name_of_record(job, rank, path);
        if (read_record(job, path, record, size)) {
            visit(context, record);
            found++;
        } else if (errno != ENOENT) {
            error = errno;
        }
    }
    errno = error;
    return found;
}

int dt_dame_job_collect(const dt_dame_job_t *job, void *record, size_t size,
                        void (*visit)(void *context, const void *record), void *context)
{
    const int found = dt_dame_job_read(job, record, size, visit, context), error = errno;
    remove_records(job, job->directory, true); /* also of ranks that died while they wrote */
    (void) rmdir(job->directory);
    errno = error;
    return found;
}
