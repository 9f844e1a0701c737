/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the suites of jit/: programs with code of the tests' provider, and children in which
 * the system refuses calls.
 */
#ifndef TEST_JIT_TOOLS_H
#define TEST_JIT_TOOLS_H

#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdint.h>

#include "dame/dame.h"
#include "jit/jit.h"
#include "jit/state.h"
#include "test/lib/provider.h"

/* Can the tests write machine code for this CPU? */
int have_jumps(void);

/* Bytes of a jump to `function`, written to `code`. Returns how many, at most LONGEST_JUMP. */
enum { LONGEST_JUMP = 16 };
size_t write_jump(char *code, void (*function)(void));

/* The unit of code memory: each code of the provider is shorter. */
enum { UNIT = 1024 };

/* A jit that must come to be. */
dame_jit_t *jit_with(const dame_jit_options_t *options);
/* With an arena of `arena_bytes` bytes. */
dame_jit_t *jit_of(size_t arena_bytes);
dame_jit_stats_t stats_of(dame_jit_t *jit);
int is_compiled(const dame_program_t *program, dame_dir_t dir);
void compile(dame_jit_t *jit, dame_program_t *program, dame_dir_t dir); /* must succeed */
/* Releases and frees the programs, and destroys the jit. */
void free_all(dame_jit_t *jit, dame_program_t **programs, int n);

/* 16 blocks of 4 bytes, `stride` apart. */
dame_program_t *strided_program(int64_t stride);
/* Packs one element of it. Returns whether the bytes are right, and in *compiled whether a level
 * has a compiled kernel. */
int strided_packs(const dame_program_t *program, int64_t stride, int *compiled);
/* Both as wanted? */
int packs(const dame_program_t *program, int64_t stride, int compiled);

/* A thread that is inside as a reader until it is ended. */
typedef struct guest {
    pthread_t thread;
    sem_t inside, may_leave;
    dame_reader_t reader;
} guest_t;
void start_guest(guest_t *guest);
void end_guest(guest_t *guest);

/* Runs `body` in a child made by fork(). NULL when it returned NULL, else its result, or how it
 * ended. */
const char *in_child(const char *(*body)(void *argument), void *argument);
void expect_in_child(const char *(*body)(void *argument), void *argument); /* NULL */

/*
 * Refusals of the system to this process from now on, each with an errno: a system call is refused
 * if its argument number `argument` has any of `bits`, and, where `with` is not 0, its argument
 * number `and_argument` has any of those. Returns 0 when the system does not know seccomp filters.
 */
typedef struct refusal {
    long call;
    int argument;
    uint32_t bits;
    int and_argument;
    uint32_t with;
    int error;
} refusal_t;
int refuse_calls(const refusal_t *refusals, int n);

#endif
