/*
 * What a compiled tier is to the rest of the engine: a provider of run kernels, as machine code.
 * The kernels keep the contract of dame_run_fn (dame/program.h). Private to jit/. Nothing here
 * knows of a CPU or a compiler library.
 */
#ifndef DAME_TIER_H
#define DAME_TIER_H

#include "jit.h"

/* The entry of a kernel: where in the code, and for which primitive. */
typedef struct dame_entry_point {
    int32_t prim;
    uint32_t offset;
} dame_entry_point_t;

/* Machine code that runs at any address, with the entry points in it. */
typedef struct dame_machine_code {
    char *bytes;
    size_t size;
    size_t room;
    dame_entry_point_t *entries; /* one for each kernel that was compiled */
    int32_t nentries;
    int32_t entries_room;
} dame_machine_code_t;

typedef struct dame_tier {
    const char *name;
    /* What vectors the code would use, see dame_jit_stats_t; "" when it has no compiler here. */
    const char *(*vector_name)(const dame_jit_options_t *options);
    /*
     * Called by one thread at a time. Writes into `code`, whose former content is lost and whose
     * buffers, of dame_heap_alloc(), it may replace by larger ones. The code refers to tables of
     * the program and to functions by absolute address. DAME_ERR_UNSUPPORTED: no kernel would be
     * better than the interpreter's. DAME_ERR_NOMEM.
     */
    dame_status_t (*compile)(const dame_program_t *program, dame_dir_t dir,
                             const dame_jit_options_t *options, dame_machine_code_t *code);
} dame_tier_t;

/* DAME-X, the direct emitter (jit/x/). */
extern const dame_tier_t dame_tier_x;

/* dame_jit_create() with a tier other than DAME-X. */
dame_status_t dame_jit_create_for(const dame_tier_t *tier, const dame_jit_options_t *options,
                                  dame_jit_t **out);

#endif
