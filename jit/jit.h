/*
 * Compiled tiers: machine code for the run kernels of a program.
 *
 * A program is compiled for one direction at a time, in the calling thread, and its kernels are put
 * in the place of the interpreter's (dame/program.h), while other threads may be running it. A
 * level for which no compiled kernel would be faster keeps the interpreter's.
 *
 * Threads: all functions may be called by several threads at once, but for dame_jit_destroy().
 * Machine code is taken away from a program that lives on (eviction, when the code arena is full)
 * only when no reader is inside; see dame_reader_t. A thread that is inside as a reader may not
 * call these functions: another may be waiting for it with the lock held. A program belongs to one
 * dame_jit_t at a time. fork(): the child's programs run on the interpreter, and nothing is
 * compiled there.
 */
#ifndef DAME_JIT_H
#define DAME_JIT_H

#include <stddef.h>
#include <stdint.h>

#include "dame/cpu.h"
#include "dame/program.h"
#include "reader.h"

/* Where code can be had; each is tried when the one before is refused. */
typedef enum dame_jit_memory {
    DAME_JIT_MEMORY_DUAL, /* one arena, mapped once to write and once to execute */
    DAME_JIT_MEMORY_OWN,  /* pages for each program, written and then made executable */
    DAME_JIT_MEMORY_NONE  /* execution is denied: nothing can be compiled */
} dame_jit_memory_t;

typedef struct dame_jit_options {
    const dame_cpu_t *cpu; /* the CPU that code is for, which lives as long as the dame_jit_t;
                              NULL: dame_isa_cpu() at the time of each compilation */
    const struct dame_tune *tune; /* what "the best" means (tune.h), which lives as long
                                     as the dame_jit_t; NULL: for the CPU's make */
    int32_t vector_bits;          /* widest vector registers: 128, 256, 512; 0: the best */
    int64_t unroll_bytes;         /* loops are unrolled to about this many bytes, >= 0 */
    int64_t straight_bytes;       /* a level of up to so many bytes gets no loop, >= 0 */
    int64_t memcpy_bytes;         /* blocks over so many bytes are the C library's, >= 64 */
    int64_t nontemporal_bytes;    /* whole-message runs over so many packed bytes bypass the caches;
                                     0: never */
    int64_t prefetch_distance;    /* loops over short blocks in other cache lines each fetch so many
                                     blocks ahead, 0: none; -1: the best */
    int64_t list_entries;         /* lists of up to so many blocks become code, longer ones stay
                                     tables, >= 0 */
    size_t arena_bytes;       /* most memory for code, 1 to DAME_JIT_LARGEST_ARENA; rounded up to
                                 whole pages */
    dame_jit_memory_t memory; /* the kind of memory to try first */
    const char *perf_map;     /* directory for perf-<pid>.map, the file in which perf looks for
                                 names of machine code (/tmp, unless perf is told otherwise); NULL:
                                 none. Then code has pages of its own, the only ones perf names.
                                 The caller's, until dame_jit_create() returns */
    int gdb;                  /* not 0: tell GDB the names (its JIT interface) */
} dame_jit_options_t;

#define DAME_JIT_LARGEST_ARENA ((size_t) 1 << 30)

/* With measured values. Static storage. */
const dame_jit_options_t *dame_jit_options_default(void);

typedef struct dame_jit dame_jit_t;

/*
 * An arena and what compiles into it; takes no memory for code yet. Options NULL: the default ones.
 * Errors: DAME_ERR_NOMEM, DAME_ERR_ARGUMENT (an option out of range). The caller destroys it after
 * dame_jit_release() of every program.
 */
dame_status_t dame_jit_create(const dame_jit_options_t *options, dame_jit_t **out);
void dame_jit_destroy(dame_jit_t *jit);

/*
 * Compiles kernels for `dir` and puts them in place; nothing to do when that has been done. `name`
 * is for perf and GDB, NULL for none.
 *
 * Errors, which leave the program as it was: DAME_ERR_UNSUPPORTED (no compiler for this CPU, or no
 * kernel of this program would become better: it is no use to ask again), DAME_ERR_DENIED
 * (execution is denied, or this process is a fork), DAME_ERR_FULL (the arena is full of code that
 * runs or is too small: later it may work), DAME_ERR_NOMEM.
 */
dame_status_t dame_jit_compile(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir,
                               const char *name);

/* Takes the kernels away, for both directions, and frees their memory. No thread may be running
 * the program. */
void dame_jit_release(dame_jit_t *jit, dame_program_t *program);

/* Bytes of machine code of a program and direction, and where they are, until the code is evicted
 * or released; 0 and NULL: none. */
size_t dame_jit_code(const dame_program_t *program, dame_dir_t dir, const void **code);

typedef struct dame_jit_stats {
    dame_jit_memory_t memory;
    int memory_errno;        /* why the kind of memory before was refused, 0: none was */
    int perf_map_errno;      /* why the last name that perf was not told could not be written */
    const char *vector_name; /* what vectors the code uses: "sse2", "avx2", "avx512", "neon"; ""
                                when there is no compiler for this CPU. Static storage */
    int64_t compiled[2];     /* by direction */
    int64_t evicted;
    int64_t live;        /* compiled and neither evicted nor released */
    int64_t code_bytes;  /* of those */
    int64_t arena_bytes; /* memory taken for code, from the system */
    int64_t total_ns;    /* spent compiling */
    int64_t worst_ns;
} dame_jit_stats_t;

void dame_jit_stats(dame_jit_t *jit, dame_jit_stats_t *out);

#endif
