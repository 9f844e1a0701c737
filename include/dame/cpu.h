/*
 * What the CPU can do, and who made it.
 *
 * Whoever chooses by CPU takes a dame_cpu_t as an argument, so that tests pass any other one; a
 * field says what its instructions do, and the choosers ask for what they need, not for names of
 * CPUs.
 */
#ifndef DAME_CPU_H
#define DAME_CPU_H

/* What is fastest differs between makers where what is possible does not (jit/tune.h). */
typedef enum dame_make { DAME_MAKE_OTHER, DAME_MAKE_AMD, DAME_MAKE_INTEL, DAME_MAKES } dame_make_t;

typedef struct dame_cpu {
    dame_make_t make;
    int avx2;        /* vectors of 32 bytes */
    int avx512;      /* F, BW and VL: vectors of 64 bytes, masks for each byte, any vector length */
    int avx512_vbmi; /* permutations of bytes across 64 of them */
} dame_cpu_t;

/* The CPU of this process: what it has and the operating system has enabled, and its make by the
 * vendor alone, since virtual machines give their CPUs models that these are not. All 0 where there
 * is nothing to choose from, as on AArch64. */
dame_cpu_t dame_cpu_detect(void);

/* Does `cpu` have all that `needed` has, whoever made them? */
int dame_cpu_has(const dame_cpu_t *cpu, const dame_cpu_t *needed);

#endif
