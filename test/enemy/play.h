/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A random MPI program as data, and what runs it. Everything here and in play*.c needs MPI and the
 * C library only: a failing program is printed as these files followed by its tables, one C program
 * that needs nothing else (print.c).
 */
#ifndef TEST_ENEMY_PLAY_H
#define TEST_ENEMY_PLAY_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum { MOST_BASICS = 6, MOST_SHAPES = 6, MOST_STEPS = 24, MOST_RANKS = 8, THREADS = 3 };

/* The data of this shape and of the later ones is near displacement 0. */
enum { NEAR_SHAPE = 2, NEAR = 1 << 20 };

/*
 * A datatype as records {combiner, number of arguments, arguments ...}, each of which makes one
 * datatype; the last one is meant. A child is the number of an earlier record.
 */
enum combiner {
    BASIC,          /* index into basics[] of play_types.c */
    DUP,            /* child */
    CONTIGUOUS,     /* child, count */
    VECTOR,         /* child, count, block length, stride in extents */
    HVECTOR,        /* child, count, block length, stride in bytes */
    INDEXED,        /* child, n, n block lengths, n displacements in extents */
    HINDEXED,       /* child, n, n block lengths, n displacements in bytes */
    INDEXED_BLOCK,  /* child, n, block length, n displacements in extents */
    HINDEXED_BLOCK, /* child, n, block length, n displacements in bytes */
    STRUCT,         /* n, n block lengths, n displacements in bytes, n children */
    SUBARRAY,       /* child, dimensions, 1: Fortran's order, sizes, subsizes, starts */
    DARRAY,         /* child, processes, which one, elements, block: one dimension, cyclic */
    RESIZED,        /* child, lower bound, extent */
    COMBINERS
};

/* A datatype: how to make it, and the bytes that it must mean, which are computed without MPI. */
typedef struct shape {
    const int64_t *recipe;
    int64_t nrecipe;     /* words */
    const int64_t *runs; /* in typemap order: offset and length in bytes, offset and length, ... */
    int64_t nruns;
    int64_t size, lb, extent, true_lb, true_ub;
    bool send_only; /* holds some byte twice */
} shape_t;

typedef struct step {
    const char *op; /* a name in ops[] of play.c */
    uint64_t seed;  /* of its data and its variants */
    int a, b;       /* shapes that send and receive */
    int count;      /* elements of a */
    int rounds;     /* how often, each time with other data */
} step_t;

/* All shapes are made of the same period of basic datatypes, so each can receive what another
 * sends. */
typedef struct program {
    int nbasics;
    int basics[MOST_BASICS];
    int nshapes;
    shape_t shapes[MOST_SHAPES];
    int nsteps;
    step_t steps[MOST_STEPS];
} program_t;

/* What the machine allows, the same for all ranks. */
typedef struct rules {
    const char *directory; /* for files; NULL: no MPI_File */
    const char *windows;   /* "create", "allocate" or "none" */
    bool truncate;         /* messages may exceed what receives them */
    bool matched;          /* MPI_Mrecv works */
    bool persistent;       /* persistent and buffered sends work, and what Open MPI makes of them */
    bool threads;          /* MPI_THREAD_MULTIPLE */
    bool displaced;        /* contiguous data need not begin at displacement 0 */
    bool forks;            /* children by fork(), vfork(), exec() */
} rules_t;

extern rules_t rules;

/* Runs the steps of which bit i of `mask` is set; collective. Returns this rank's number of
 * differences. */
long play(const program_t *program, uint64_t mask, const char *name);

/* ---- what the operations share ---- */

typedef struct play {
    const program_t *program;
    MPI_Comm comm;
    int rank, size;
    MPI_Datatype types[MOST_SHAPES];
    const step_t *step;
    int number; /* of the step */
    const char *name;
    uint64_t random; /* state; the same on all ranks */
    bool threaded;   /* other threads also send */
} play_t;

/* The next random number of a step: in [0, n), the same on every rank. */
int64_t pick(play_t *p, int64_t n);
/* A random number that depends on three others alone. */
uint64_t mixed(uint64_t a, uint64_t b, uint64_t c);

/* Reports a difference, unless `ok`; any thread. */
bool same(const play_t *p, bool ok, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* How many there were in this program. */
long play_differences(void);
/* The same of an MPI function's result. */
bool succeeded(const play_t *p, int code, const char *function);

/* A basic datatype, its size, and how many bytes of it external32 turns round together. */
MPI_Datatype basic_type(int basic);
int basic_size(int basic);
int basic_unit(int basic);
/* The shape, or another one with data near displacement 0. */
int near_shape(const play_t *p, int shape);
/* Such a shape with elements one behind the other, or -1 if absent: Open MPI's collectives and
   reductions allocate too little for negative extents. */
int forward_shape(const play_t *p, int shape);
/* Nothing but data, as far as one element, or several in a row, go. */
bool is_contiguous(const shape_t *shape);
int64_t period_size(const program_t *program);
int64_t basics_in(const program_t *program, int64_t bytes); /* of whole periods */

/* The datatype of a shape, committed; the caller frees it. */
MPI_Datatype datatype_made(const shape_t *shape);
/* Those of all its records, of which the last one is meant; the caller frees them and the list. */
MPI_Datatype *datatypes_of_records(const shape_t *shape, int64_t *n);
/* That of one record; its children are among those made before. */
MPI_Datatype type_of_record(const int64_t *record, const MPI_Datatype *made);

/* `count` elements of a shape somewhere in a buffer. */
typedef struct part {
    const shape_t *shape;
    int64_t count;
    unsigned char *zero; /* displacement 0 of the first element */
} part_t;

/* Memory for parts and the gaps between them, and its expected bytes. */
typedef struct buffer {
    unsigned char *block, *want;
    int64_t bytes;
    int nparts;
    part_t parts[MOST_RANKS + 1];
} buffer_t;

/* A part for each shape and count, one behind the other: on all ranks at the same places. */
buffer_t buffer_new(const play_t *p, int n, const shape_t *const *shapes, const int64_t *counts);
buffer_t buffer_of(const play_t *p, const shape_t *shape, int64_t count);
/* Random bytes everywhere, which are also the expected ones. */
void buffer_fill(buffer_t *b, uint64_t seed);
void buffer_free(buffer_t *b);
/* Nothing but what was expected has changed? */
bool buffer_check(const play_t *p, const buffer_t *b, const char *what);
/* From now on the buffer must hold these packed bytes from element `first` of a part on. */
void expect(buffer_t *b, int part, int64_t first, const unsigned char *stream, int64_t bytes);

/* Packed bytes of elements as the buffer must hold them; the caller frees. */
unsigned char *stream_at(const buffer_t *b, int part, int64_t first, int64_t count);
/* Of a buffer_of() these elements, filled with this seed, on any rank. */
unsigned char *stream_of(const play_t *p, const shape_t *shape, int64_t count, uint64_t seed);

void shape_pack(const shape_t *shape, const unsigned char *zero, int64_t bytes,
                unsigned char *stream);
void shape_unpack(const shape_t *shape, unsigned char *zero, int64_t bytes,
                  const unsigned char *stream);

/* A communicator of neighbours. */
MPI_Comm graph_of(const play_t *p, int nsources, const int *sources, int ntargets,
                  const int *targets);

void *must(void *memory); /* ends the process without memory */

/* ---- the operations: play_*.c ---- */

void op_message(play_t *p);     /* point to point, of every kind */
void op_partitioned(play_t *p); /* MPI 4 */
void op_interleaved(play_t *p); /* two messages, each in the other's gaps */
void op_threads(play_t *p);
void op_collective(play_t *p);
void op_alltoallw(play_t *p);
void op_neighbours(play_t *p);
void op_reduction(play_t *p);
void op_pack(play_t *p);
void op_external(play_t *p);
void op_self(play_t *p); /* local copies */
void op_attributes(play_t *p);
void op_children(play_t *p);
void op_window(play_t *p);
void op_file(play_t *p);

#endif
