/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ompi-mca-dame/dt_dame/job.c: 200 processes bring their records together. Some die before, some
 * after they have published, some know nothing of it. What an earlier
 * job has left does not count.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"
#include "ompi-mca-dame/dt_dame/job.h"

enum { RANKS = 200, RECORD = 12000, FILE_SIZE = RECORD + 8 /* a checksum */ };

typedef struct record {
    int rank;
    char rest[RECORD - sizeof(int)];
} record_t;

/* What the processes tell the parent. */
typedef struct shared {
    pthread_barrier_t init;    /* of all, as in MPI_Init */
    pthread_barrier_t barrier; /* of those who reach it, as in MPI_Finalize */
    int collectors;
    int found;
    int seen[RANKS];
} shared_t;

static shared_t *shared;
static const struct timespec always;
static char directory[64];

static int is_native(int rank)
{
    return rank == 0 || rank % 11 == 5;
}

static int dies_before(int rank)
{
    return !is_native(rank) && rank % 13 == 7;
}

static int dies_after(int rank)
{
    return !is_native(rank) && !dies_before(rank) && rank % 17 == 3;
}

static void visit(void *context, const void *bytes)
{
    const record_t *record = bytes;
    int *last = context;
    if (record->rank > *last && record->rank < RANKS &&
        record->rest[sizeof(record->rest) - 1] == (char) record->rank) {
        shared->seen[record->rank]++;
    }
    *last = record->rank;
}

static void be_a_rank(int rank)
{
    static record_t record;
    dt_dame_job_t job;
    pthread_barrier_wait(&shared->init);
    if (dies_before(rank)) {
        _exit(1);
    }
    record.rank = rank;
    memset(record.rest, rank, sizeof(record.rest));
    if (!is_native(rank) && (!dt_dame_job_open(&job, directory, rank, RANKS, dt_dame_job_began()) ||
                             !dt_dame_job_publish(&job, &record, sizeof(record)))) {
        _exit(2);
    }
    pthread_barrier_wait(&shared->barrier);
    if (dies_after(rank)) {
        _exit(1);
    }
    if (!is_native(rank) && dt_dame_job_claim(&job)) {
        int last = -1;
        __atomic_add_fetch(&shared->collectors, 1, __ATOMIC_RELAXED);
        shared->found = dt_dame_job_collect(&job, &record, sizeof(record), visit, &last);
    }
    _exit(0);
}

/* Of that directory, under any name. */
static bool anything_is_left(void)
{
    char pattern[80];
    glob_t found;
    snprintf(pattern, sizeof(pattern), "%s*", directory);
    const int result = glob(pattern, 0, NULL, &found);
    if (result == 0) {
        globfree(&found);
    }
    return result != GLOB_NOMATCH;
}

static void many_ranks(void)
{
    pid_t children[RANKS];
    pthread_barrierattr_t attributes;
    int living = 0, published = 0, wrong = 0;
    for (int rank = 0; rank < RANKS; rank++) {
        living += !dies_before(rank);
        published += !is_native(rank) && !dies_before(rank);
    }
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&shared->init, &attributes, RANKS);
    pthread_barrier_init(&shared->barrier, &attributes, (unsigned) living);
    for (int rank = 0; rank < RANKS; rank++) {
        children[rank] = fork();
        if (children[rank] == 0) {
            be_a_rank(rank);
        }
    }
    for (int rank = 0; rank < RANKS; rank++) {
        int status;
        waitpid(children[rank], &status, 0);
        wrong += !WIFEXITED(status) || WEXITSTATUS(status) == 2;
    }
    check(wrong == 0, "every rank ends and publishes");
    check(shared->collectors == 1, "one rank collects");
    check(shared->found == published, "it finds every record that was published");
    for (int rank = 0; rank < RANKS; rank++) {
        wrong += shared->seen[rank] != (!is_native(rank) && !dies_before(rank));
    }
    check(wrong == 0, "each record once, whole, in the order of ranks");
    check(!anything_is_left(), "the directory is gone");
}

static void write_file(const char *name, size_t bytes)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    for (size_t i = 0; file != NULL && i < bytes; i++) {
        fputc(0, file);
    }
    if (file != NULL) {
        fclose(file);
    }
}

static void damage(void)
{
    static record_t record;
    dt_dame_job_t job, late;
    int last = -1;
    check(dt_dame_job_open(&job, directory, 3, 4, always), "a directory");
    check(dt_dame_job_open(&late, directory, 1, 4, always), "the same one");
    write_file("rank-0", FILE_SIZE - 1);
    write_file("rank-1", FILE_SIZE + 1);
    write_file("rank-2.new", FILE_SIZE);
    write_file("foreign", 1);
    record.rank = 3;
    check(dt_dame_job_publish(&job, &record, sizeof(record)), "a record");
    check(dt_dame_job_claim(&job) && !dt_dame_job_claim(&late), "claimed once");
    check(dt_dame_job_collect(&job, &record, sizeof(record), visit, &last) == 1 && last == 3,
          "only the complete record is read");
    check(!dt_dame_job_claim(&late), "once, even if the directory cannot be removed");
    char path[sizeof(job.directory) + 16];
    snprintf(path, sizeof(path), "%s/foreign", job.directory);
    check(unlink(path) == 0 && rmdir(job.directory) == 0, "all that was ours is removed");
}

/* Reads of it what rank 0 has written, changed by `flip` at byte `at`. */
static int records_read(size_t at, unsigned char flip)
{
    static record_t record;
    dt_dame_job_t job;
    char path[600];
    unsigned char byte = 0;
    check(dt_dame_job_open(&job, directory, 0, 1, always) &&
              dt_dame_job_publish(&job, &record, sizeof(record)),
          "a record");
    snprintf(path, sizeof(path), "%s/rank-0", directory);
    const int fd = open(path, O_RDWR);
    check(pread(fd, &byte, 1, (off_t) at) == 1, "byte %zu", at);
    byte ^= flip;
    check(pwrite(fd, &byte, 1, (off_t) at) == 1 && close(fd) == 0, "byte %zu", at);
    return dt_dame_job_claim(&job)
               ? dt_dame_job_collect(&job, &record, sizeof(record), visit, &(int){-1})
               : -1;
}

static void changed_bytes(void)
{
    check(records_read(0, 0) == 1, "a record as it was written");
    for (size_t at = 0; at < FILE_SIZE; at += at < RECORD - 7 ? 7 : 1) {
        check(records_read(at, (unsigned char) (1 << at % 8)) == 0, "another byte %zu", at);
    }
}

/* No rank waits for a pipe's other end. */
static void pipes(void)
{
    static record_t record;
    dt_dame_job_t job, other;
    char path[600];
    alarm(10);
    check(dt_dame_job_open(&job, directory, 0, 2, always) &&
              dt_dame_job_open(&other, directory, 1, 2, always),
          "a directory");
    snprintf(path, sizeof(path), "%s/rank-1", directory);
    check(mkfifo(path, 0600) == 0, "a pipe for a record");
    snprintf(path, sizeof(path), "%s/rank-0.new", directory);
    check(mkfifo(path, 0600) == 0, "a pipe for a record that is written");
    check(dt_dame_job_publish(&job, &record, sizeof(record)) && dt_dame_job_claim(&job), "written");
    check(dt_dame_job_collect(&job, &record, sizeof(record), visit, &(int){-1}) == 1, "read");
    check(!anything_is_left(), "and gone");
    alarm(0);
}

static void foreign_directories(void)
{
    char link[80];
    dt_dame_job_t job;
    snprintf(link, sizeof(link), "%s-link", directory);
    check(symlink("/tmp", link) == 0 && !dt_dame_job_open(&job, link, 0, 1, always),
          "no symbolic link");
    unlink(link);
    check(mkdir(link, 0777) == 0 && chmod(link, 0777) == 0 &&
              !dt_dame_job_open(&job, link, 0, 1, always),
          "no directory that others can write to");
    rmdir(link);
    check(!dt_dame_job_open(&job, "/nowhere/at/all", 0, 1, always),
          "no directory without a parent");
}

/* An hour ago. */
static void write_old_file(const char *name)
{
    static record_t record;
    char path[600];
    dt_dame_job_t job = {.rank = name[strlen("rank-")] - '0'};
    snprintf(job.directory, sizeof(job.directory), "%s", directory);
    check(dt_dame_job_publish(&job, &record, sizeof(record)), "%s", name);
    if (strstr(name, ".new") != NULL) {
        char made[600];
        snprintf(made, sizeof(made), "%s/rank-%d", directory, job.rank);
        snprintf(path, sizeof(path), "%s/%s", directory, name);
        check(rename(made, path) == 0, "%s", path);
    }
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    const struct timespec before = {.tv_sec = time(NULL) - 3600};
    check(utimensat(AT_FDCWD, path, (const struct timespec[2]){before, before}, 0) == 0, "%s",
          path);
}

/* The name comes again, on fewer ranks: of the killed job ranks 0 to 3 had published, the last one
 * was at it, and another one had died while it collected. */
static void a_job_that_was_killed(void)
{
    static record_t record;
    dt_dame_job_t job;
    char claimed[80];
    int last = -1;
    const struct timespec began = {.tv_sec = time(NULL) - 1800};
    mkdir(directory, 0700);
    write_old_file("rank-2");
    snprintf(claimed, sizeof(claimed), "%s.collected", directory);
    check(rename(directory, claimed) == 0 && mkdir(directory, 0700) == 0, "two directories");
    write_old_file("rank-0");
    write_old_file("rank-1");
    write_old_file("rank-2");
    write_old_file("rank-3.new");
    check(dt_dame_job_open(&job, directory, 1, 2, began), "its directory");
    record.rank = 1;
    record.rest[sizeof(record.rest) - 1] = 1;
    check(dt_dame_job_publish(&job, &record, sizeof(record)) && dt_dame_job_claim(&job),
          "a record of the new job");
    shared->seen[1] = 0;
    check(dt_dame_job_collect(&job, &record, sizeof(record), visit, &last) == 1 && last == 1 &&
              shared->seen[1] == 1,
          "only the new job's record is read");
    check(!anything_is_left(), "nothing is left of the old one");
}

/* Who claims second finds what the first one reads. */
static void a_claim_leaves_the_job_s_own_records(void)
{
    static record_t record;
    dt_dame_job_t job, late;
    int last = -1;
    const struct timespec began = {.tv_sec = time(NULL) - 1800};
    check(dt_dame_job_open(&job, directory, 0, 2, began) &&
              dt_dame_job_open(&late, directory, 1, 2, began),
          "a directory");
    check(dt_dame_job_publish(&job, &record, sizeof(record)), "a record");
    check(dt_dame_job_claim(&job) && !dt_dame_job_claim(&late), "claimed once");
    check(dt_dame_job_collect(&job, &record, sizeof(record), visit, &last) == 1, "and read");
}

/* A file is older than a process that starts after it, and not older than one that writes it. */
static void a_process_knows_when_it_began(void)
{
    char before[80], after[80];
    struct stat old, new;
    int status = -1;
    snprintf(before, sizeof(before), "%s-before", directory);
    snprintf(after, sizeof(after), "%s-after", directory);
    check(close(creat(before, 0600)) == 0 && stat(before, &old) == 0, "a file");
    usleep(100000); /* more than both clocks' steps */
    const pid_t child = fork();
    if (child == 0) {
        const struct timespec began = dt_dame_job_began();
        const double at = (double) began.tv_sec + 1e-9 * (double) began.tv_nsec;
        _exit(close(creat(after, 0600)) != 0 || stat(after, &new) != 0 ||
              at <= (double) old.st_mtim.tv_sec + 1e-9 * (double) old.st_mtim.tv_nsec ||
              at > (double) new.st_mtim.tv_sec + 1e-9 * (double) new.st_mtim.tv_nsec);
    }
    check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0,
          "it began between two files");
    unlink(before);
    unlink(after);
}

/* No byte can be written. The directory goes with the last rank that fails, and errno says why. */
static void records_that_cannot_be_written(void)
{
    static record_t record;
    const struct rlimit none = {0, 0};
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        dt_dame_job_t job, other;
        bool ok = dt_dame_job_open(&job, directory, 0, 2, always) &&
                  dt_dame_job_open(&other, directory, 1, 2, always) &&
                  dt_dame_job_publish(&job, &record, sizeof(record)) &&
                  setrlimit(RLIMIT_FSIZE, &none) == 0;
        ok = ok && !dt_dame_job_publish(&other, &record, sizeof(record)) && errno == EFBIG &&
             access(directory, F_OK) == 0;
        ok = ok && dt_dame_job_collect(&job, &record, sizeof(record), visit, &(int){-1}) == 1;
        ok = ok && dt_dame_job_open(&other, directory, 1, 2, always) &&
             !dt_dame_job_publish(&other, &record, sizeof(record)) && access(directory, F_OK) != 0;
        _exit(!ok);
    }
    check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0,
          "records that cannot be written leave no directory");
}

/* No rank had a record yet when a rank that could not write gave the directory up. */
static void a_directory_that_is_gone(void)
{
    static record_t record;
    dt_dame_job_t job;
    check(dt_dame_job_open(&job, directory, 1, 2, always) && rmdir(directory) == 0, "gone");
    check(dt_dame_job_publish(&job, &record, sizeof(record)) && dt_dame_job_claim(&job),
          "it is made again");
    check(dt_dame_job_collect(&job, &record, sizeof(record), visit, &(int){-1}) == 1, "and read");
}

int main(void)
{
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    snprintf(directory, sizeof(directory), "/tmp/dame-job-test-%ld", (long) getpid());
    many_ranks();
    damage();
    changed_bytes();
    pipes();
    foreign_directories();
    a_job_that_was_killed();
    a_claim_leaves_the_job_s_own_records();
    a_process_knows_when_it_began();
    records_that_cannot_be_written();
    a_directory_that_is_gone();
    printf("%ld passed, %ld failed\n", passed, failed);
    return failed != 0;
}
