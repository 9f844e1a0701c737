/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Providers of machine code for the run kernels of programs.
 *
 * A provider writes bytes; it knows nothing of threads, memory protection, eviction or fork, which
 * are jit/'s. It is linked in (DAME-X) or a shared object that jit/ loads when it is first needed.
 * Nothing here knows of a CPU or a compiler library.
 *
 * Several states may be open at once. Of one state, open, compile and close are called by one
 * thread at a time, with cancellation off and no lock of base/lock.h held; variants and variant_name
 * by any thread while it is open, so they change nothing. After fork(), a child calls close at
 * most, and not if another thread was in compile.
 */
#ifndef DAME_PROVIDER_H
#define DAME_PROVIDER_H

#include <stddef.h>
#include <stdint.h>

#include "dame/cpu.h"
#include "dame/program.h"
#include "dame/status.h"

/* Increased whenever something in this file, or the layout of a dame_program_t, changes. */
#define DAME_PROVIDER_VERSION 4

/* The entry of a kernel: where in the code, and for which primitive. */
typedef struct dame_entry_point {
    int32_t prim;
    uint32_t offset;
} dame_entry_point_t;

/*
 * Machine code that runs at any address, with the entry points in it. The kernels keep the contract
 * of dame_run_fn (dame/program.h). The memory is the provider's and stays as it is until the next
 * call of compile or close.
 *
 * From `unwind`, a multiple of 8, to their end the bytes are an .eh_frame table for all of the
 * code, which ends with a size of 0 and refers to the code by distance. DAME_NO_UNWIND: the code
 * needs none, because it is a leaf throughout: no instruction moves the stack pointer or changes a
 * register that calls keep; on a CPU with a link register, that neither.
 */
typedef struct dame_machine_code {
    const char *bytes;
    size_t size;
    const dame_entry_point_t *entries; /* one for each kernel, of different primitives */
    int32_t nentries;
    uint32_t unwind;
} dame_machine_code_t;

#define DAME_NO_UNWIND 0

/* Bytes of the code without the table, which comes last. */
static inline size_t dame_instructions(size_t size, uint32_t unwind)
{
    return unwind != DAME_NO_UNWIND ? unwind : size;
}

enum { DAME_VARIANT_NAME = 64 }; /* bytes for a name */

typedef struct dame_provider {
    int32_t version;  /* DAME_PROVIDER_VERSION */
    const char *name; /* "x", "l"; static storage */
    int by_shape; /* not 0: the code depends on what jit/shape.h says of a program and on nothing
                     else, so it may be used for any program of that shape, in any process. 0: it
                     may refer to tables of the program and to functions by absolute address */
    const char *identity; /* of a provider that is by_shape: what its code depends on besides shape,
                             direction, variant, CPU, options and maker, such as its own version.
                             The code cache keeps code under it; NULL: keeps none. Static storage */
    const char *maker; /* the compiler library and its version, "LLVM 19.1.7", under 32 bytes: code
                          of any maker does for code of another, the newest is kept. NULL if absent.
                          Static storage */
    /*
     * Makes a state. `cpu`: the features that code may use; stays until close. `options`:
     * "key=value,key=value" or "" for the defaults; an unknown key and a value out of range are
     * DAME_ERR_ARGUMENT. DAME_ERR_NOMEM; DAME_ERR_UNSUPPORTED: cannot write code for this CPU.
     */
    dame_status_t (*open)(const dame_cpu_t *cpu, const char *options, void **state);
    /*
     * The variants that could be the fastest for this program and direction, the likeliest first:
     * writes up to `room` of them and returns how many it wrote. A variant is a number with a
     * meaning of the provider's own, the same in every process and for every program.
     */
    int32_t (*variants)(void *state, const dame_program_t *program, dame_dir_t dir, uint32_t *out,
                        int32_t room);
    /* Writes a variant's name for reports and profiles: letters, digits, '-' and '+', and a null
     * byte. Returns 0, with an empty name, when no variant has this number. */
    int (*variant_name)(void *state, uint32_t variant, char name[DAME_VARIANT_NAME]);
    /*
     * Writes code, for the levels that it would make faster. The program does not go away
     * meanwhile; its run kernels may change. DAME_ERR_UNSUPPORTED: no kernel would be better than
     * the interpreter's. DAME_ERR_NOMEM, DAME_ERR_LIMIT (too large).
     */
    dame_status_t (*compile)(void *state, const dame_program_t *program, dame_dir_t dir,
                             uint32_t variant, dame_machine_code_t *code);
    void (*close)(void *state);
} dame_provider_t;

/* What a shared object exports: its provider, of static storage. */
#define DAME_PROVIDER_SYMBOL "dame_provider"
const dame_provider_t *dame_provider(void);

/* DAME-X, the direct emitter (jit/x/), linked in. */
extern const dame_provider_t dame_provider_x;

/* The face of DAME-L, linked in: it answers all questions as the provider in dame_llvm.so does, but
 * compiles nothing, so that code can be found in files without LLVM. */
extern const dame_provider_t dame_provider_l_face;

#endif
