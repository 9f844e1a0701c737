/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Turns between the jobs of several engines. They run the same program at the same time, on the
 * same CPUs, and pass a token: one job works for some milliseconds while the others sleep in the
 * kernel. So what the machine does to one it does to all, and the ratio of two neighbouring turns
 * is one of engines. bench/lib/turns.py reads the results.
 *
 * bench/run starts the jobs with BENCH_TURNS="FILE ENGINE ENGINES TURNS" in their environment:
 * FILE, of zeros, is what they share; ENGINE is a job's number, from 0. Without it a program is
 * alone: a row has one turn, and nothing is printed or shared. Needs no MPI. Linux. Errors end the
 * process with a message.
 */
#ifndef BENCH_TURNS_H
#define BENCH_TURNS_H

#include <stddef.h>

/* After MPI_Init(), by every rank of a job. Binds it to a CPU, and returns in the job's first turn,
 * when all jobs have joined. */
void turns_join(int rank, int ranks);

/* Before MPI_Finalize(); returns when all jobs have come so far. */
void turns_leave(void);

/* Turns of a row: every job calls turns_next() equally often. */
int turns_count(void);

/*
 * By every rank, with no message under way: ends the turn, and returns in the job's next one. Rank
 * 0 prints, behind the samples of the turn that ends,
 *
 *   turn NUMBER COPY HOP
 *
 * Turns of one number, one of each job, are neighbours. COPY tells the machine's state: the
 * nanoseconds of 256 KiB from rank 0 to rank 1 and back, with one rank from one buffer to another,
 * in memory that all jobs share; the lesser of the times at the turn's begin and end. HOP: those of
 * a cache line from rank 0 to rank 1 and back, at the turn's end; 0 with one rank.
 */
void turns_next(void);

/* Memory for bytes that messages consist of, aligned to a page; NULL: out of memory. All jobs get
 * the same physical pages, since the pages decide how fast a large layout is. It holds no pointers,
 * and nothing that must outlast a turn of another job. */
void *turns_memory(size_t size);
void turns_free(void *memory);

#endif
