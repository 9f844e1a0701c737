#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_PATH = DT_DAME_JOB_PATH + 64, CLAIM_SUFFIX = 32 };

static void name_of_record(const dt_dame_job_t *job, int rank, char path[LONGEST_PATH])
{
    (void) snprintf(path, LONGEST_PATH, "%s/rank-%d", job->directory, rank);
}

static void name_of_temporary(const dt_dame_job_t *job, int rank, char path[LONGEST_PATH])
{
    (void) snprintf(path, LONGEST_PATH, "%s/rank-%d.new", job->directory, rank);
}

/* A directory of our own, not a link to one, that nobody else can write to. */
static bool is_ours(const char *directory)
{
    struct stat status;
    return 0 == lstat(directory, &status) && S_ISDIR(status.st_mode) &&
           geteuid() == status.st_uid && 0 == (status.st_mode & 022);
}

bool dt_dame_job_open(dt_dame_job_t *job, const char *directory, int rank, int ranks)
{
    if (strlen(directory) + CLAIM_SUFFIX >= sizeof(job->directory)) {
        errno = ENAMETOOLONG;
        return false;
    }
    (void) snprintf(job->directory, sizeof(job->directory), "%s", directory);
    job->rank = rank;
    job->ranks = ranks;
    if (0 != mkdir(directory, 0700) && EEXIST != errno) {
        return false;
    }
    if (!is_ours(directory)) {
        errno = EPERM;
        return false;
    }
    return true;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t n = write(fd, bytes, size);
        if (n < 0 && EINTR != errno) {
            return false;
        }
        if (n > 0) {
            bytes += n;
            size -= (size_t) n;
        }
    }
    return true;
}

bool dt_dame_job_publish(const dt_dame_job_t *job, const void *record, size_t size)
{
    char path[LONGEST_PATH];
    char temporary[LONGEST_PATH];
    name_of_record(job, job->rank, path);
    name_of_temporary(job, job->rank, temporary);
    const int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        return false;
    }
    const bool written = write_all(fd, record, size);
    if (0 != close(fd) || !written || 0 != rename(temporary, path)) {
        (void) unlink(temporary);
        return false;
    }
    return true;
}

/* Only one rank can rename the directory: nobody finds it under its name afterwards, whatever it
 * still holds. */
bool dt_dame_job_claim(dt_dame_job_t *job)
{
    char claimed[DT_DAME_JOB_PATH];
    const int length =
        snprintf(claimed, sizeof(claimed), "%s.collected-%d", job->directory, job->rank);
    if (length >= (int) sizeof(claimed)) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (0 != rename(job->directory, claimed)) {
        return false;
    }
    memcpy(job->directory, claimed, (size_t) length + 1);
    return true;
}

/* More than `size` bytes are no record of ours. */
static bool read_record(const char *path, char *record, size_t size)
{
    char one_more;
    size_t done = 0;
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    for (;;) {
        const ssize_t n = read(fd, done < size ? record + done : &one_more,
                               done < size ? size - done : sizeof(one_more));
        if (n < 0 && EINTR == errno) {
            continue;
        }
        if (n <= 0 || done == size) {
            (void) close(fd);
            return 0 == n && done == size;
        }
        done += (size_t) n;
    }
}

int dt_dame_job_collect(const dt_dame_job_t *job, void *record, size_t size,
                        void (*visit)(void *context, const void *record), void *context)
{
    char path[LONGEST_PATH];
    int found = 0;
    for (int rank = 0; rank < job->ranks; rank++) {
        name_of_record(job, rank, path);
        if (read_record(path, record, size)) {
            visit(context, record);
            found++;
        }
        (void) unlink(path);
        name_of_temporary(job, rank, path);
        (void) unlink(path); /* of a rank that died while it wrote */
    }
    (void) rmdir(job->directory);
    return found;
}
