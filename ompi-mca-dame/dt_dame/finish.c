/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Finalize: before its barrier this process publishes its record; behind it, one process of the
 * job writes the report and the last run (job.h). Until then, rank 0 now and then writes a snapshot
 * of what the ranks of its node have done so far.
 */
#include "dt_dame.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/busy.h"
#include "base/lock.h"
#include "base/user_file.h"
#include "base/whole_file.h"
#include "job.h"
#include "mpi.h"
#include "ompi-mca-dame/last_run.h"
#include "record.h"
#include "report_name.h"

static double started;
static dame_waited_t waited; /* by then, and what follows is of the same thread, most likely */
static pid_t publisher;      /* this process, once its record is published */
static dt_dame_job_t job;
static bool many_nodes; /* to bring its ranks' reports together */

/* When the next snapshot is due, by CLOCK_MONOTONIC; INT64_MAX: never, or one is being written. */
static _Atomic int64_t due = INT64_MAX;
static pid_t reporter;           /* not its children */
static atomic_bool ended;        /* no more snapshots */
static dt_dame_job_t live;       /* records of running ranks; .directory is "" without any */
static char snapshot_file[4096]; /* the last one's name, "" before there is one */
/* Tools may change the parameter while data moves (MPI_T): that is of the last report. */
static char snapshot_pattern[sizeof(((dt_dame_record_t *) NULL)->report_file)];

static double finish_now(void)
{
    struct timespec time;
    (void) clock_gettime(CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + 1e-9 * (double) time.tv_nsec;
}

void mca_dt_dame_finish_start(void)
{
    started = finish_now();
    if (mca_dt_dame_params.report != MCA_DT_DAME_REPORT_NONE) {
        waited = dame_waited_now();
    }
}

/* NULL: it is out of memory, or a tool has emptied it. */
static const char *report_pattern(void)
{
    return mca_dt_dame_params.report_file == NULL ? "" : mca_dt_dame_params.report_file;
}

/* The first one comes soon, the next ones at twice the time, until they are the parameter apart. */
static int64_t next_snapshot(int64_t time)
{
    enum { FIRST = 5 };
    const double elapsed = 1e-9 * (double) time - started, every = mca_dt_dame_params.report_every;
    const double wait = elapsed > FIRST ? elapsed : FIRST;
    return time + (int64_t) (1e9 * (wait < every ? wait : every));
}

void mca_dt_dame_snapshots_start(void)
{
    if (0 < mca_dt_dame_params.report_every &&
        (mca_dt_dame_params.report == MCA_DT_DAME_REPORT_JSON ||
         (mca_dt_dame_params.report == MCA_DT_DAME_REPORT_SUMMARY &&
          mca_dt_dame_params.last_run))) {
        (void) snprintf(snapshot_pattern, sizeof(snapshot_pattern), "%s", report_pattern());
        reporter = getpid();
        due = next_snapshot((int64_t) (1e9 * started));
    }
}

static void fill_schedule(dt_dame_record_t *record)
{
    const dame_waited_t since = dame_waited_since(waited);
    record->ran = since.ran;
    record->waited = since.waited;
}

/* ---- Where records are brought together ----------------------------------------------------- */

static int number(const char *variable)
{
    const char *text = getenv(variable);
    return text == NULL ? 0 : atoi(text);
}

/* Returns whether all ranks run on this node. False when it is unknown. */
static bool is_one_node(int ranks)
{
    return ranks == 1 || ranks == number("OMPI_COMM_WORLD_LOCAL_SIZE") ||
           number("SLURM_STEP_NUM_NODES") == 1;
}

/* A name that all processes of the job know, and no other job at the same time. What tells the jobs
 * of a node apart may stand at the end of a long one. */
static void name_of_job(char *name, size_t room)
{
    const char *space = getenv("PMIX_NAMESPACE");
    const char *slurm = getenv("SLURM_JOB_ID");
    const char *step = getenv("SLURM_STEP_ID");
    if (space != NULL && strlen(space) < room) {
        (void) snprintf(name, room, "%s", space);
    } else if (space != NULL) {
        (void) snprintf(name, room, "%.*s-%016" PRIx64, (int) room - 18, space,
                        dt_dame_job_checksum(space, strlen(space)));
    } else if (slurm != NULL && step != NULL) {
        (void) snprintf(name, room, "slurm-%s.%s", slurm, step);
    } else {
        (void) snprintf(name, room, "pid-%ld", (long) getpid());
    }
    for (char *c = name; *c != '\0'; c++) {
        *c = (char) (*c == '/' ? '-' : *c);
    }
}

/* Another user's job may have the same name, and have left a directory. */
static void name_of_directory(char *name, size_t room)
{
    char job_name[96];
    name_of_job(job_name, sizeof(job_name));
    (void) snprintf(name, room, "dame-%u-%s", (unsigned) geteuid(), job_name);
}

/* The name of the report that `process` writes; false: it is too long. */
static bool name_report(char *name, size_t room, const char *pattern, long process)
{
    char job_name[96];
    name_of_job(job_name, sizeof(job_name));
    return dt_dame_report_name(name, room, pattern, job_name, process) == 0;
}

static bool is_directory(const char *path)
{
    struct stat status;
    return path != NULL && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Returns a name of the job's session on this node: mpirun removes that, also where the job was
 * killed. Slurm's and others' servers also name theirs. */
static const char *job_session(void)
{
    enum { NAME = 128 }; /* what follows, at most */
    const char *session = getenv("PMIX_SERVER_TMPDIR");
    struct stat status;
    return session != NULL && *session == '/' && strlen(session) + NAME < DT_DAME_JOB_PATH &&
                   stat(session, &status) == 0 && S_ISDIR(status.st_mode) &&
                   geteuid() == status.st_uid && access(session, W_OK | X_OK) == 0
               ? session
               : NULL;
}

static const char *parent_on_node(void)
{
    const char *session = job_session(), *tmp = getenv("TMPDIR");
    if (session != NULL) {
        return session;
    }
    return is_directory("/dev/shm") ? "/dev/shm" : is_directory(tmp) ? tmp : "/tmp";
}

/*
 * On one node: the session's directory, memory, or a directory for temporary files. A report of
 * several nodes needs a directory that they share: the user's home. The last run for ompi_info
 * alone is not worth that: ranks of other nodes are left out.
 */
static bool open_job(int rank, int ranks)
{
    enum { CLOCKS_APART = 60 }; /* seconds that clocks of nodes may differ */
    struct timespec began = dt_dame_job_began();
    char name[128];
    char path[DT_DAME_JOB_PATH];
    int directory;
    const char *home = getenv("HOME");
    const bool reports =
        mca_dt_dame_params.report != MCA_DT_DAME_REPORT_NONE || mca_dt_dame_params.verify;
    name_of_directory(name, sizeof(name));
    if (is_one_node(ranks) || !reports || home == NULL) {
        (void) snprintf(path, sizeof(path), "%s/%s", parent_on_node(), name);
    } else {
        many_nodes = true;
        began.tv_sec -= CLOCKS_APART;
        (void) snprintf(path, sizeof(path), "%s/.openmpi", home);
        const int error = dame_user_directory_open(path, DAME_USER_SHARED, &directory);
        if (error != 0) {
            (void) snprintf(job.directory, sizeof(job.directory), "%s", path);
            errno = error > 0 ? error : EPERM;
            return false;
        }
        (void) close(directory);
        (void) snprintf(path, sizeof(path), "%s/.openmpi/%s", home, name);
    }
    return dt_dame_job_open(&job, path, rank, ranks, began);
}

/* Returns whether this process has met a datatype that is DAME's business. */
static bool was_used(void)
{
    return dt_stats_total(DT_COUNT_types_imported) != 0 ||
           dt_stats_total(DT_COUNT_types_declined) != 0 ||
           dt_stats_total(DT_COUNT_messages_declined) != 0 ||
           dt_stats_total(DT_COUNT_messages_before_import) != 0 ||
           dt_stats_total(DT_COUNT_copies_left) != 0;
}

/* What this process has done so far. `pattern`: of the report's name; NULL without a report. The
 * caller frees; NULL: out of memory, or MPI is not there. */
static dt_dame_record_t *record_now(const char *pattern, bool last_run)
{
    const mca_dt_dame_params_t *params = &mca_dt_dame_params;
    int rank, ranks;
    if (DT_ABI_MPI(PMPI_Comm_rank)(MPI_COMM_WORLD, &rank) != MPI_SUCCESS ||
        DT_ABI_MPI(PMPI_Comm_size)(MPI_COMM_WORLD, &ranks) != MPI_SUCCESS) {
        return NULL;
    }
    dt_dame_record_t *record = calloc(1, sizeof(*record));
    if (record == NULL) {
        return NULL;
    }
    record->rank = rank;
    record->ranks = ranks;
    record->report = pattern != NULL ? params->report : MCA_DT_DAME_REPORT_NONE;
    record->last_run = last_run;
    record->seconds = finish_now() - started;
    (void) snprintf(record->report_file, sizeof(record->report_file), "%s",
                    pattern == NULL ? "" : pattern);
    if (pattern != NULL) {
        (void) mca_dt_dame_state(record->state, sizeof(record->state));
        fill_schedule(record);
    }
    dt_dame_record_fill(record);
    return record;
}

/* ---- Before the barrier --------------------------------------------------------------------- */

/* The report has the same name, unless that names the process that writes it. */
static void end_snapshots(void)
{
    char other[sizeof(snapshot_file)];
    atomic_store(&ended, true);
    due = INT64_MAX;
    if (*live.directory != '\0' && getpid() == reporter) {
        dt_dame_job_withdraw(&live);
    }
    if (*snapshot_file != '\0' && getpid() == reporter &&
        (!name_report(other, sizeof(other), report_pattern(), 0) ||
         strcmp(other, snapshot_file) != 0)) {
        (void) unlink(snapshot_file);
    }
}

void mca_dt_dame_publish(void)
{
    const bool reports = mca_dt_dame_params.report != MCA_DT_DAME_REPORT_NONE;
    const bool last_run = mca_dt_dame_params.last_run && was_used();
    end_snapshots();
    if (!reports && !last_run && !mca_dt_dame_params.verify) {
        return;
    }
    dt_dame_record_t *record = record_now(reports ? report_pattern() : NULL, last_run);
    if (record == NULL) {
        if (reports) {
            dt_log_once_a_node("no report: the record of a rank: %s", strerror(ENOMEM));
        }
        return;
    }
    if (open_job(record->rank, record->ranks) &&
        dt_dame_job_publish(&job, record, sizeof(*record))) {
        publisher = getpid();
        dame_at_exit(mca_dt_dame_collect);
    } else if (reports) {
        dt_log_once_a_node("no report: %s: %s", job.directory, strerror(errno));
    }
    free(record);
}

/* ---- Behind the barrier --------------------------------------------------------------------- */

static void visit(void *context, const void *record)
{
    dt_dame_sum_add(context, record);
}

typedef void write_sum_t(const dt_dame_sum_t *sum, FILE *out);

/* In one piece, so that nothing of other processes comes between. The caller frees; NULL: out of
 * memory. */
static char *text_of(const dt_dame_sum_t *sum, write_sum_t *write, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    if (out == NULL) {
        return NULL;
    }
    write(sum, out);
    if (fclose(out) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

static void print_report(const dt_dame_sum_t *sum)
{
    size_t length;
    char *text = text_of(sum, dt_dame_write_summary, &length);
    if (text != NULL) {
        (void) fwrite(text, 1, length, stderr);
        (void) fflush(stderr);
        free(text);
    }
}

/* Returns 0 or an error number (base/whole_file.h). */
static int write_report_file(const char *name, const dt_dame_sum_t *sum, write_sum_t *write)
{
    size_t length;
    char *text = text_of(sum, write, &length);
    const int error = text == NULL ? ENOMEM : dame_file_write(name, 0, text, length);
    free(text);
    return error;
}

static void write_last_run(const dt_dame_sum_t *sum, FILE *out)
{
    fputs(DT_LAST_RUN_FIRST_LINE, out);
    dt_dame_write_last_run(sum, out);
    fputs(DT_LAST_RUN_LAST_LINE, out);
}

/* This file was not requested: no message when it cannot be written, and nothing where a link or
 * another user's directory would put it. */
static void keep_last_run(const dt_dame_sum_t *sum)
{
    char path[4096];
    int directory;
    if (!dt_last_run_file(path, sizeof(path))) {
        return;
    }
    char *name = strrchr(path, '/');
    *name++ = '\0';
    if (dame_user_directory_open(path, DAME_USER_SHARED, &directory) == 0) {
        size_t length;
        char *text = text_of(sum, write_last_run, &length);
        if (text != NULL) {
            (void) dame_file_replace(directory, name, 0600, 0, text, length);
        }
        free(text);
        (void) close(directory);
    }
}

/* Where $HOME is not shared, each node finds the records of its own ranks. One writes. */
static bool is_elsewhere(const dt_dame_sum_t *sum)
{
    if (!sum->many_nodes || sum->first.rank == 0) {
        return false;
    }
    fprintf(
        stderr,
        "dt:dame: rank %d is not in a report: rank 0 does not use DAME, or does not share $HOME "
        "with it\n",
        sum->first.rank);
    return true;
}

static void tell_no_report(const char *path, int error)
{
    fprintf(stderr, "dt:dame: no report: %s: %s\n", path, dame_file_error_text(error));
}

static void write_report(const dt_dame_sum_t *sum)
{
    char path[4096];
    if (*sum->report_file == '\0') {
        fputs("dt:dame: no report: dt_dame_report_file is empty\n", stderr);
        return;
    }
    const bool named = name_report(path, sizeof(path), sum->report_file, (long) getpid());
    const char *name = named ? path : sum->report_file;
    const int error = named ? write_report_file(name, sum, dt_dame_write_json) : ENAMETOOLONG;
    if (error != 0) {
        tell_no_report(name, error);
    }
}

/* Also when all is well: silence might mean that nothing was compared. */
static void tell_verified(const dt_dame_sum_t *sum)
{
    const double wrong = sum->counters[DT_COUNT_differences].sum;
    const double native = sum->counters[DT_COUNT_native_differences].sum;
    fprintf(stderr,
            "dt:dame: verify: %.0f fragments and copies compared on %d of %d ranks; DAME was wrong "
            "in %.0f, Open MPI's engine in %.0f\n",
            sum->counters[DT_COUNT_verified].sum, sum->found, sum->ranks, wrong, native);
}

static void write_all(const dt_dame_sum_t *sum)
{
    if (is_elsewhere(sum)) {
        return;
    }
    if (mca_dt_dame_params.verify) {
        tell_verified(sum);
    }
    if (sum->report == MCA_DT_DAME_REPORT_SUMMARY) {
        print_report(sum);
    } else if (sum->report == MCA_DT_DAME_REPORT_JSON) {
        write_report(sum);
    }
    if (sum->last_run && (sum->first.rank == 0 || is_one_node(sum->first.ranks))) {
        keep_last_run(sum);
    }
}

/*
 * Open MPI 5.0 calls its hooks there; 4.1 only closes our framework, and not before MPI_T_finalize
 * where a tool has called MPI_T_init_thread. If it never does, the process comes here when it
 * exits.
 */
void mca_dt_dame_collect(void)
{
    if (getpid() != publisher) {
        return;
    }
    publisher = 0;
    if (!dt_dame_job_claim(&job)) {
        if (errno != ENOENT && mca_dt_dame_params.report != MCA_DT_DAME_REPORT_NONE) {
            tell_no_report(job.directory, errno);
        }
        return;
    }
    dt_dame_sum_t *sum = calloc(1, sizeof(*sum));
    dt_dame_record_t *record = calloc(1, sizeof(*record));
    int error = sum == NULL || record == NULL ? ENOMEM : 0;
    if (error == 0 && dt_dame_job_collect(&job, record, sizeof(*record), visit, sum) == 0) {
        error = errno;
    }
    if (error == 0) {
        sum->many_nodes = many_nodes;
        dt_dame_sum_finish(sum);
        write_all(sum);
    } else if (mca_dt_dame_params.report != MCA_DT_DAME_REPORT_NONE) {
        tell_no_report(job.directory, error);
    }
    free(record);
    free(sum);
}

/* ---- While the job runs --------------------------------------------------------------------- */

/* Publishes the record of a running rank where rank 0 of this node finds it, and mpirun removes it
 * if the job is killed. */
static bool publish_live(const dt_dame_record_t *record)
{
    const char *session = job_session();
    if (*live.directory == '\0' && session != NULL) {
        char name[128], path[DT_DAME_JOB_PATH];
        name_of_directory(name, sizeof(name));
        (void) snprintf(path, sizeof(path), "%s/%s.live", session, name);
        if (!dt_dame_job_open(&live, path, record->rank, record->ranks, dt_dame_job_began())) {
            *live.directory = '\0';
        }
    }
    return *live.directory != '\0' && dt_dame_job_publish(&live, record, sizeof(*record));
}

/* Sums up the ranks of this node that have published, or this rank alone. */
static dt_dame_sum_t *sum_live(const dt_dame_record_t *own, bool published)
{
    dt_dame_sum_t *sum = calloc(1, sizeof(*sum));
    dt_dame_record_t *record = calloc(1, sizeof(*record));
    if (sum != NULL && (!published || record == NULL ||
                        dt_dame_job_read(&live, record, sizeof(*record), visit, sum) == 0)) {
        dt_dame_sum_add(sum, own);
    }
    free(record);
    if (sum != NULL) {
        dt_dame_sum_finish(sum);
        sum->still_runs = true;
    }
    return sum;
}

/* Returns whether the snapshot is written, so that another one may follow. */
static bool write_snapshot(const dt_dame_record_t *record, bool published)
{
    struct stat status;
    dt_dame_sum_t *sum = sum_live(record, published);
    bool written = sum != NULL;
    if (written && mca_dt_dame_params.last_run) {
        keep_last_run(sum);
    }
    if (written && record->report == MCA_DT_DAME_REPORT_JSON) {
        written = name_report(snapshot_file, sizeof(snapshot_file), record->report_file,
                              (long) getpid()) &&
                  (stat(snapshot_file, &status) != 0 || S_ISREG(status.st_mode)) &&
                  write_report_file(snapshot_file, sum, dt_dame_write_json) == 0;
        if (!written) {
            *snapshot_file = '\0';
        }
    }
    free(sum);
    return written;
}

/* Failures are reported at the end, when they matter. */
void mca_dt_dame_hear_time(int64_t time)
{
    int64_t then = atomic_load_explicit(&due, memory_order_relaxed);
    if (time < then || getpid() != reporter || atomic_load(&ended) ||
        !atomic_compare_exchange_strong(&due, &then, INT64_MAX)) {
        return;
    }
    const int cancel_state = dame_cancel_defer();
    dt_dame_record_t *record = record_now(snapshot_pattern, false);
    if (record != NULL) {
        const bool published = publish_live(record);
        if ((record->rank != 0 || write_snapshot(record, published)) && !atomic_load(&ended)) {
            due = next_snapshot(time);
        }
    }
    free(record);
    dame_cancel_restore(cancel_state);
}
