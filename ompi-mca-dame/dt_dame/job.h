/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the ranks of a job bring their records together at MPI_Finalize, without ever waiting for one
 * another.
 *
 * Each rank writes its record to a file in a directory of the job before the barrier inside
 * MPI_Finalize. After the barrier, every record of a living rank with DAME is there. The first rank
 * to arrive claims the directory by renaming it, reads the records, and removes it. So a rank that
 * runs natively, or has died, is missing from the report and delays no rank. (If Open MPI leaves
 * the barriers out, by --mca async_mpi_finalize 1 or async_mpi_init 1, later ranks are also
 * missing, and write a report of their own.)
 *
 * The name of the directory may come again, and a job that is killed inside MPI_Finalize leaves its
 * records behind. All ranks of a job start before one of them can leave MPI_Init: so records
 * written before this process began are of an earlier job. It is not read, and removed. Records
 * have a checksum.
 *
 * Knows no MPI.
 */
#ifndef DT_DAME_JOB_H
#define DT_DAME_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { DT_DAME_JOB_PATH = 512 };

typedef struct dt_dame_job {
    char directory[DT_DAME_JOB_PATH];
    int rank;
    int ranks;
    struct timespec began; /* before this, by the clock of files, no rank had a record */
} dt_dame_job_t;

/* When this process began, by the clock of files; all zero: not known, and then no record is too
 * old. */
struct timespec dt_dame_job_began(void);

/* Makes the directory, unless another rank has. `began`: records from before are not of this job.
 * False: it cannot be had, errno says why. */
bool dt_dame_job_open(dt_dame_job_t *job, const char *directory, int rank, int ranks,
                      struct timespec began);

/* Writes this rank's record. False: errno says why, and the directory is gone unless others have
 * records in it. */
bool dt_dame_job_publish(const dt_dame_job_t *job, const void *record, size_t size);

/* Removes this rank's record, and the directory when it was the last. */
void dt_dame_job_withdraw(const dt_dame_job_t *job);

/* Returns whether the caller is the first rank to collect. Then it must collect, and job->directory
 * has the new name. False with ENOENT: another was; else it cannot be claimed, and errno says why.
 * */
bool dt_dame_job_claim(dt_dame_job_t *job);

/* Returns the hash of a record's bytes, or of a name: FNV-1a, 64 bits. */
uint64_t dt_dame_job_checksum(const void *bytes, size_t size);

/* Calls `visit` with every record that is whole, in the order of ranks. Returns how many there
 * were, 0: errno says why. `record` has room for one. */
int dt_dame_job_read(const dt_dame_job_t *job, void *record, size_t size,
                     void (*visit)(void *context, const void *record), void *context);

/* The same, and removes the directory. */
int dt_dame_job_collect(const dt_dame_job_t *job, void *record, size_t size,
                        void (*visit)(void *context, const void *record), void *context);

#endif
