/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPU features, the CPU's maker, and its caches.
 *
 * Code that depends on the CPU takes a dame_cpu_t as an argument, so tests can pass another one. It
 * asks for the features it needs, never for the name of a CPU.
 */
#ifndef DAME_CPU_H
#define DAME_CPU_H

#include <stdint.h>

/* The fastest choice can differ between makers with the same features. */
typedef enum dame_make { DAME_MAKE_OTHER, DAME_MAKE_AMD, DAME_MAKE_INTEL, DAME_MAKES } dame_make_t;

typedef struct dame_cpu {
    dame_make_t make;
    int avx2;        /* vectors of 32 bytes */
    int avx512;      /* F, BW and VL: vectors of 64 bytes, byte masks, any vector length */
    int avx512_vbmi; /* permutations of bytes across 64 of them */
} dame_cpu_t;

/* The features of this CPU that the operating system has enabled, and its make by the vendor alone,
 * since virtual machines report models of their own. All 0 on CPUs other than x86-64, where there
 * is nothing to choose from. */
dame_cpu_t dame_cpu_detect(void);

/* The data caches. */
typedef struct dame_data_cache {
    int32_t line; /* bytes */
    int32_t ways; /* of the first cache: lines of a set */
    int64_t l1;   /* bytes; l1 / ways bytes apart, all lines fall into one set */
    int64_t l2;
} dame_data_cache_t;

/* Those that programs are built and compiled for from now on. Before dame_data_cache_force(), those
 * of this CPU, as the C library knows them; unknown or implausible values are taken to be lines of
 * 64 bytes, a first cache of 32 KiB in 8 ways and a second of 1 MiB. Any thread. */
const dame_data_cache_t *dame_data_cache(void);

/* For tests: others, which live as long as they are used; NULL: this CPU's again. */
void dame_data_cache_force(const dame_data_cache_t *cache);

/* A CPU by the name that compilers have for it. */
typedef struct dame_cpu_model {
    const char *name;
    dame_cpu_t cpu;
} dame_cpu_model_t;

/* Those that code can be made for on another machine; the last has no name. Static storage. */
const dame_cpu_model_t *dame_cpu_models(void);

/* The one with that name; NULL if there is no such CPU. */
const dame_cpu_t *dame_cpu_named(const char *name);

/* Returns whether `cpu` has every feature of `needed`. The make does not count. */
int dame_cpu_has(const dame_cpu_t *cpu, const dame_cpu_t *needed);

#endif
