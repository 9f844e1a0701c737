/* SPDX-License-Identifier: BSD-3-Clause */
/* Options, results and statistics of a jit (jit.h). */
#ifndef DAME_JIT_TYPES_H
#define DAME_JIT_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "dame/cpu.h"
#include "dame/status.h"

/* Where code can be had; each is tried when the one before is refused. */
typedef enum dame_jit_memory {
    DAME_JIT_MEMORY_DUAL, /* one arena, mapped once to write and once to execute */
    DAME_JIT_MEMORY_OWN,  /* pages for each program, written and then made executable */
    DAME_JIT_MEMORY_NONE  /* execution is denied: nothing can be compiled */
} dame_jit_memory_t;

typedef struct dame_jit_options {
    const dame_cpu_t *cpu;     /* the CPU that code is for; NULL: dame_isa_cpu() at the time of
                                  dame_jit_create() */
    int32_t vector_bits;       /* widest vector registers: 128, 256, 512; 0: the best */
    int64_t unroll_bytes;      /* loops are unrolled to about this many bytes, >= 0 */
    int64_t straight_bytes;    /* levels of up to this many bytes get no loop, >= 0 */
    int64_t memcpy_bytes;      /* longer blocks, in bytes, are the C library's, >= 64 */
    int64_t prefetch_distance; /* loops over short blocks in other cache lines each fetch this many
                                  blocks ahead, 0: none; -1: the best */
    int64_t list_entries;      /* lists of up to this many blocks become code, longer ones stay
                                  tables, >= 0 */
    const char *variant; /* the only variant of DAME-X, such as "prefetch+split"; NULL: those
                            that suit a program. The caller's, until dame_jit_create()
                            returns */
    size_t arena_bytes;  /* most memory for code, 1 to DAME_JIT_LARGEST_ARENA; rounded up to
                            whole pages */
    dame_jit_memory_t memory; /* the kind of memory to try first */
    const char *perf_map;     /* directory for perf-<pid>.map, the file in which perf looks for
                                 names of machine code (/tmp, unless perf is configured otherwise);
                                 NULL: absent. Then code has pages of its own, the only ones perf
                                 names. The caller's, until dame_jit_create() returns */
    int gdb;                  /* not 0: tell GDB the names (its JIT interface), and libgcc how to unwind */
    int crashes;              /* not 0: backtraces of signals from code show its caller (crash.h) */
    int without_x;            /* not 0: DAME-X compiles nothing */
    void (*complain)(void *argument, const char *message); /* is called once a process for each
                                              provider that is there but does not work, and once for
                                              a code cache that does not, with a sentence that says
                                              why; no lock is held. NULL: it goes to stderr */
    void *complain_argument;
} dame_jit_options_t;

#define DAME_JIT_LARGEST_ARENA ((size_t) 1 << 30)

enum { DAME_JIT_X = 0, DAME_JIT_MOST_PROVIDERS = 4 };

enum { DAME_CANDIDATE_NAME = 80 }; /* bytes of a candidate's name */

/* A code that a program could have. */
typedef struct dame_candidate {
    int32_t provider;
    uint32_t variant;
} dame_candidate_t;

typedef struct dame_jit_stats {
    dame_jit_memory_t memory;
    int memory_errno;        /* why the kind of memory before was refused, 0: none was */
    int perf_map_errno;      /* why the last name for perf could not be written (whole_file.h) */
    const char *vector_name; /* vectors that the code uses: "sse2", "avx2", "avx512", "neon"; ""
                                without a compiler for this CPU. Static storage */
    int64_t compiled[2];     /* codes, by direction */
    int64_t found[2];        /* .. of which came from the code cache */
    int64_t evicted;
    int64_t live;        /* codes not evicted, dropped or released yet */
    int64_t code_bytes;  /* of those */
    int64_t arena_bytes; /* memory taken for code, from the system */
    int64_t total_ns;    /* spent compiling; of this: */
    int64_t make_ns;     /* .. by providers */
    int64_t find_ns;     /* .. on files of the code cache that were found */
    int64_t place_ns;    /* .. on finding room for code and putting it there */
    int64_t worst_ns;
} dame_jit_stats_t;

typedef struct dame_jit dame_jit_t;

#endif
