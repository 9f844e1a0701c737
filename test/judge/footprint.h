/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one run may touch by the contract of dame_run_fn (dame/program.h): its user memory, its
 * packed bytes, the program's tables. Addresses of user memory and of the stream are made up;
 * nothing is there.
 *
 * User memory is known by cache lines: which bytes of a line are data, which have been touched.
 */
#ifndef JUDGE_FOOTPRINT_H
#define JUDGE_FOOTPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "test/lib/rng.h"
#include "dame/program.h"
#include "verdict.h"

/* A run: what a kernel is called with. */
typedef struct judge_run {
    const dame_program_t *program;
    const dame_prim_t *prim;
    dame_dir_t dir;
    uint64_t origin;
    uint64_t packed;
    int64_t first;
    int64_t n;
} judge_run_t;

typedef struct footprint_line {
    uint64_t line;    /* address / 64 */
    uint64_t data;    /* bit i: byte i is data of the run */
    uint64_t touched; /* bit i: byte i was read (pack) or written (unpack) */
    uint64_t age;     /* of which run, others are no longer there */
} footprint_line_t;

typedef struct footprint_page {
    uint64_t page; /* address / 4096 */
    uint64_t age;
} footprint_page_t;

/* Memory of the program that may be read. */
typedef struct footprint_table {
    const char *bytes;
    size_t size;
    const char *what;
} footprint_table_t;

typedef struct footprint {
    judge_run_t run;
    uint64_t low; /* data of the run lie in [low, high) */
    uint64_t high;
    int64_t bytes;     /* packed */
    int64_t blocks;    /* contiguous ones */
    int64_t lines;     /* cache lines that the blocks cover, each block's counted */
    uint64_t *touched; /* packed bytes, one bit each */
    int64_t touched_room;
    footprint_line_t *line; /* hashed */
    footprint_page_t *page; /* hashed, pages with data */
    size_t room;            /* of both */
    size_t used;            /* by this run, a power of two */
    uint64_t age;
    footprint_table_t *tables;
    int32_t ntables;
} footprint_t;

enum { FOOTPRINT_PAGE = DAME_PAGE, FOOTPRINT_LINE = 64 };

/* Zero *footprint before. Notes the tables of a program; false when memory is out. */
bool footprint_open(footprint_t *footprint, const dame_program_t *program);
void footprint_close(footprint_t *footprint);

/*
 * Measures a run with origin and packed 0. False when it has more than `most` bytes, with every
 * block counted as 16 more, or reaches over too much of the address space to be placed.
 */
bool footprint_measure(footprint_t *footprint, const judge_run_t *run, int64_t most);

/* Chooses addresses for the run that was measured (any alignment), and notes its data. False when
 * memory is out. */
bool footprint_place(footprint_t *footprint, rng_t *rng);

/* Does the access begin in user memory, the stream, or a table of the program? */
bool footprint_has_user(const footprint_t *footprint, uint64_t address);
bool footprint_has_packed(const footprint_t *footprint, uint64_t address);
const footprint_table_t *footprint_table(const footprint_t *footprint, uint64_t address);

/* An access of `bytes` > 0 bytes to user memory or the stream; false when it breaks a rule. */
bool footprint_user(footprint_t *footprint, uint64_t address, int64_t bytes, bool write,
                    uint32_t offset, verdict_t *verdict);
bool footprint_packed(footprint_t *footprint, uint64_t address, int64_t bytes, bool write,
                      uint32_t offset, verdict_t *verdict);

/* Has everything been moved? */
bool footprint_is_complete(const footprint_t *footprint, uint32_t offset, verdict_t *verdict);

#endif
