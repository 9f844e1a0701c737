/*
 * ompi-mca-dame/dt_dame/job.c: 200 processes bring their records together. Some die before, some
 * after they have published, some know nothing of it.
 */
#include <glob.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"
#include "ompi-mca-dame/dt_dame/job.h"

enum { RANKS = 200, RECORD = 12000 };

typedef struct record {
    int rank;
    char rest[RECORD - sizeof(int)];
} record_t;

/* What the processes tell the parent. */
typedef struct shared {
    pthread_barrier_t barrier; /* of those who reach it, as in MPI_Finalize */
    int collectors;
    int found;
    int seen[RANKS];
} shared_t;

static shared_t *shared;
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
    if (dies_before(rank)) {
        _exit(1);
    }
    record.rank = rank;
    memset(record.rest, rank, sizeof(record.rest));
    if (!is_native(rank) && (!dt_dame_job_open(&job, directory, rank, RANKS) ||
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
    check(dt_dame_job_open(&job, directory, 3, 4), "a directory");
    check(dt_dame_job_open(&late, directory, 1, 4), "the same one");
    write_file("rank-0", RECORD - 1);
    write_file("rank-1", RECORD + 1);
    write_file("rank-2.new", RECORD);
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

static void foreign_directories(void)
{
    char link[80];
    dt_dame_job_t job;
    snprintf(link, sizeof(link), "%s-link", directory);
    check(symlink("/tmp", link) == 0 && !dt_dame_job_open(&job, link, 0, 1), "no symbolic link");
    unlink(link);
    check(mkdir(link, 0777) == 0 && chmod(link, 0777) == 0 && !dt_dame_job_open(&job, link, 0, 1),
          "no directory that others can write to");
    rmdir(link);
    check(!dt_dame_job_open(&job, "/nowhere/at/all", 0, 1), "no directory without a parent");
}

int main(void)
{
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    snprintf(directory, sizeof(directory), "/tmp/dame-job-test-%ld", (long) getpid());
    many_ranks();
    damage();
    foreign_directories();
    printf("%ld passed, %ld failed\n", passed, failed);
    return failed != 0;
}
